"""Spline joints from their definitions, in arithmetic that works on floats and hyper-dual numbers alike.

Basis functions by the recursion of Cox and de Boor over the whole knot vector, control twists by SciPy's rotation vectors, curves as the
product over all control frames (Lee & Terzopoulos Eq. 21). None of it is the library's.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

from joints.definitions import Motion, about, bracket, pose

UNIT = {"x": (1, 0, 0), "y": (0, 1, 0), "z": (0, 0, 1)}


def real(q: Any) -> float:
    """The real part of a number of any kind."""
    return float(np.ravel(getattr(q, "a", q))[0])


def basis(t: np.ndarray, k: int, i: int, q: Any) -> Any:
    """N_i,k(q); the last piece of the range is closed."""
    if not t[i] <= real(q) <= t[i + k]:
        return 0.0
    if k == 1:
        end = np.flatnonzero(t < t[-1])[-1]  # the last piece that is not empty
        return 1.0 if t[i] <= real(q) < t[i + 1] or (i == end and real(q) == t[-1]) else 0.0
    total: Any = 0.0
    if t[i + k - 1] > t[i]:
        total = total + (q - t[i]) * (1.0 / (t[i + k - 1] - t[i])) * basis(t, k - 1, i, q)
    if t[i + k] > t[i + 1]:
        total = total + (t[i + k] - q) * (1.0 / (t[i + k] - t[i + 1])) * basis(t, k - 1, i + 1, q)
    return total


def uniform_knots(count: int, order: int) -> np.ndarray:
    return np.arange(count + order) - (order - 1.0)


def given_knots(rng: np.random.Generator, count: int, order: int) -> np.ndarray:
    """Random, clamped or not, with a knot as often as it may be."""
    t = np.cumsum(rng.uniform(0.3, 1.5, count + order))
    if rng.random() < 0.5:
        t[:order], t[count:] = t[order - 1], t[count]
    if count - order > order - 2:
        t[order + 1 : 2 * order - 2] = t[order + 1]
    return t


def unrolled(values: np.ndarray, breaks: np.ndarray, order: int, periods: int = 3) -> tuple[np.ndarray, np.ndarray, float]:
    """A cyclic spline as an open one, over some periods beginning one before: control values, knots, and the period."""
    n, period = len(values), float(breaks[-1] - breaks[0])
    turns, place = np.divmod(np.arange(-n - order + 1, (periods - 1) * n + order), n)
    knots = breaks[place] + turns * period  # piece j of the middle period begins at knot j, with control value j
    wanted = np.arange(len(knots) - order) - n
    return values[wanted % n], knots, period


def around(q: Any, low: float, period: float) -> Any:
    return q - period * np.floor((real(q) - low) / period)


def exp_twist(w: np.ndarray, v: np.ndarray, b: Any) -> np.ndarray:
    """exp(z b) with the axis's point and pitch written out; w is not small."""
    angle = float(np.linalg.norm(w))
    R = about(w / angle, angle * b)
    point, pitch = np.cross(w, v) / angle**2, (w @ v) / angle**2
    return pose(R, point - R @ point + pitch * b * w)


def log_twist(E: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(w, v) with exp_twist(w, v, 1) = E, which is linear in v."""
    R, p = E[:3, :3], E[:3, 3]
    w = Rotation.from_matrix(R).as_rotvec()
    A = ((np.eye(3) - R) @ bracket(w).astype(float) + np.outer(w, w)) / (w @ w)
    return w, np.linalg.solve(A, p)


def spline_curve(frames: np.ndarray, order: int, knots: np.ndarray | None = None, cyclic: bool = False) -> Motion:
    frames = np.asarray(frames, float)
    period, low = 0.0, 0.0
    if cyclic:
        breaks = np.arange(len(frames) + 1.0) if knots is None else np.asarray(knots, float)
        low = breaks[0]
        frames, t, period = unrolled(frames, breaks, order)
    else:
        t = uniform_knots(len(frames), order) if knots is None else np.asarray(knots, float)
    z = [log_twist(np.linalg.solve(a, b)) for a, b in pairwise(frames)]

    def motion(q: Any) -> np.ndarray:
        x = around(q[0], low, period) if cyclic else q[0]
        N = [basis(t, order, i, x) for i in range(len(frames))]
        G = frames[0].astype(object)
        for j in range(1, len(frames)):
            if real(x) >= t[j + order - 1]:
                G = frames[j].astype(object)  # Eq. 22: B~ is 1 from here on
            elif real(x) > t[j]:
                G = G @ exp_twist(*z[j - 1], sum(n for n in N[j:] if not isinstance(n, float) or n != 0.0))
        return G

    return motion


def basis_piece(frames: np.ndarray, matrix: np.ndarray, begin: float, width: float) -> Motion:
    """One piece of a curve that a matrix blends (RedMax supplement Eqs. 55-59)."""
    z = [log_twist(np.linalg.solve(a, b)) for a, b in pairwise(np.asarray(frames, float))]

    def motion(q: Any) -> np.ndarray:
        u = (q[0] - begin) * (1.0 / width)
        G = np.asarray(frames[0], float).astype(object)
        for i, twist in enumerate(z, 1):
            total: Any = 0.0
            for c in matrix[i:].sum(axis=0)[::-1]:
                total = total * u + c
            G = G @ exp_twist(*twist, total)
        return G

    return motion


def spline_surface(
    values: np.ndarray,
    orders: Sequence[int],
    knots: Sequence[np.ndarray | None],
    cyclic: Sequence[bool],
    turns: str = "xyz",
    base: np.ndarray | None = None,
) -> Motion:
    """A position and three angles."""
    numbers, H = spline_grid(values, orders, knots, cyclic), np.eye(4) if base is None else base

    def motion(q: Any) -> np.ndarray:
        total = numbers(q)
        R = np.eye(3)
        for axis, angle in zip(turns, total[3:]):
            R = R @ about(UNIT[axis], angle)
        return H @ pose(R, total[:3])

    return motion


def twist_surface(
    values: np.ndarray, orders: Sequence[int], knots: Sequence[np.ndarray | None], cyclic: Sequence[bool], base: np.ndarray
) -> Motion:
    """H exp([xi]), the exponential by squaring its Taylor series."""
    numbers = spline_grid(values, orders, knots, cyclic)

    def motion(q: Any) -> np.ndarray:
        xi = [x * (1.0 / 64.0) for x in numbers(q)]
        X = np.zeros((4, 4), object)
        X[:3, :3], X[:3, 3] = bracket(xi[:3]), xi[3:]
        E = np.eye(4).astype(object)
        for k in range(14, 0, -1):
            E = np.eye(4) + X @ E * (1.0 / np.longdouble(k))
        for _ in range(6):
            E = E @ E
        return base @ E

    return motion


def spline_grid(values: np.ndarray, orders: Sequence[int], knots: Sequence[np.ndarray | None], cyclic: Sequence[bool]) -> Motion:
    """Six numbers, by sums over the whole grid."""

    def numbers(q: Any) -> np.ndarray:
        total: Any = np.asarray(values, float).astype(object)
        for i, order in enumerate(orders):
            own, x = knots[i], q[i]
            if cyclic[i]:
                breaks = np.arange(len(total) + 1.0) if own is None else np.asarray(own, float)
                total, t, period = unrolled(total, breaks, order)
                x = around(x, breaks[0], period)
            else:
                t = uniform_knots(len(total), order) if own is None else np.asarray(own, float)
            weights = [basis(t, order, a, x) for a in range(len(total))]
            total = sum(w * v for w, v in zip(weights, total) if not isinstance(w, float) or w != 0.0)
        return total

    return numbers
