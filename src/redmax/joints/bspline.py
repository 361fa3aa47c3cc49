"""B-splines as polynomials: on each piece between two knots, the basis functions that are not zero there.

Order k (degree k - 1) over knots t_0 <= ... <= t_{n+k-1} has n basis functions N_i,k, of which k live on the piece [t_j, t_{j+1}]:
N_{j-k+1}, ..., N_j. The recursion of Cox and de Boor

    N_i,k(q) = (q - t_i) / (t_{i+k-1} - t_i) N_i,k-1(q) + (t_{i+k} - q) / (t_{i+k} - t_{i+1}) N_{i+1},k-1(q)

is carried out once, on polynomials in u = q - t_j, so that evaluating them later needs neither divisions nor branches.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from redmax.components.checks import finite
from redmax.errors import SceneError, wrong

SAME = 1e-12  # knots that are closer than this part of the whole range count as one


def polynomials(knots: np.ndarray, order: int) -> np.ndarray:
    """Coefficients (pieces, order, order): [j, i, m] of u^m in N_{j+i} on piece j, which begins at knots[j + order - 1].

    An empty piece has none; nothing is ever evaluated there.
    """
    t = np.asarray(knots, np.longdouble)
    pieces = len(t) - 2 * order + 1
    first = np.arange(pieces)
    begin = t[first + order - 1]
    N = np.zeros((pieces, order + 1, order), np.longdouble)
    N[:, order - 1, 0] = 1.0
    for r in range(2, order + 1):
        last, N = N, np.zeros_like(N)
        for i in range(order - r, order):
            low, high = t[first + i], t[first + i + r]
            rising = ratio(last[:, i], t[first + i + r - 1] - low)
            falling = ratio(last[:, i + 1], high - t[first + i + 1])
            N[:, i] = rising * (begin - low)[:, None] + falling * (high - begin)[:, None]
            N[:, i, 1:] += (rising - falling)[:, :-1]
    return N[:, :order].astype(float)


def ratio(polynomial: np.ndarray, width: np.ndarray) -> np.ndarray:
    """0 / 0 = 0, as the recursion has it."""
    return np.where(width > 0, 1.0 / np.where(width > 0, width, 1.0), 0.0)[:, None] * polynomial


@lru_cache
def uniform_polynomials(order: int) -> np.ndarray:
    """Those of any piece between whole numbers, (order, order)."""
    return polynomials(np.arange(2.0 * order), order)[0]


def cumulative(N: np.ndarray) -> np.ndarray:
    """B~_i = N_i + N_{i+1} + ... for i = 1, 2, ... (Lee & Terzopoulos Eq. 22; B~_0 is 1), along the last axis but one."""
    return np.flip(np.cumsum(np.flip(N, -2), -2), -2)[..., 1:, :]


def value(coefficients: Any, u: Any, derivative: int = 0) -> Any:
    """A polynomial, or one of its derivatives, at u (Horner); coefficients are numbers or traced."""
    c = list(coefficients)
    for _ in range(derivative):
        c = [m * x for m, x in enumerate(c)][1:]
    total = c[-1]
    for x in c[-2::-1]:
        total = total * u + x
    return total


def checked_order(owner: str, order: Any) -> int:
    if not isinstance(order, int | np.integer) or isinstance(order, bool) or order < 4:
        why = "a spline of order k is k - 2 times continuously differentiable, and bounded accelerations take two"
        raise wrong(owner, "order", order, f"a whole number of 4 (cubic) or more: {why}")
    return int(order)


def open_knots(owner: str, knots: Any, order: int, count: int) -> np.ndarray:
    """The knots of an open spline with `count` control values, (count + order,), checked."""
    valid = f"{count + order} ascending numbers: one for each of {count} control values and {order} (the order) more"
    t = ascending(owner, knots, count + order, valid)
    check_smooth(owner, t[order - 1 : count + 1], order)
    return t


def cyclic_knots(owner: str, knots: Any, order: int, count: int) -> np.ndarray:
    """The knots of a cyclic spline, given over one period as (count + 1,), continued to both sides as far as its pieces need them."""
    valid = f"{count + 1} ascending numbers: where each of the {count} pieces of the period begins, and where the last one ends"
    t = ascending(owner, knots, count + 1, valid)
    check_smooth(owner, t, order)
    turns, place = np.divmod(np.arange(1 - order, count + order), count)
    return t[place] + turns * (t[-1] - t[0])


def ascending(owner: str, knots: Any, count: int, valid: str, name: str = "knots") -> np.ndarray:
    t = finite(owner, name, knots, ((count,),), valid)
    down = np.flatnonzero(np.diff(t) < 0)
    if len(down):
        i = int(down[0])
        raise SceneError(
            f"{owner}: {name} {i} and {i + 1} are {t[i]:g} and {t[i + 1]:g}, expected ascending {name}.", owner=owner, argument=name
        )
    return t


def check_smooth(owner: str, t: np.ndarray, order: int) -> None:
    """Over the range of the parameter: a knot that occurs m times leaves order - 1 - m continuous derivatives."""
    same = SAME * (t[-1] - t[0])
    if not (t[1] - t[0] > same and t[-1] - t[-2] > same):
        at = t[0] if t[1] - t[0] <= same else t[-1]
        raise SceneError(
            f"{owner}: the knots leave no room beside {at:g}, where the range of q ends. Leave out one of them.",
            owner=owner,
            argument="knots",
        )
    inside = t[1:-1]
    times = np.searchsorted(t, inside + same, side="right") - np.searchsorted(t, inside - same, side="left")
    if (times > order - 3).any():
        i = int(np.argmax(times > order - 3))
        why = f"with order {order} a knot inside the range may occur {order - 3} times for two continuous derivatives"
        raise SceneError(
            f"{owner}: the knot {inside[i]:g} occurs {times[i]} times; {why}. Raise the order or leave some of them out.",
            owner=owner,
            argument="knots",
        )
