"""Poses from twists: the equation of kinematic reconstruction, by Magnus' method of order 4.

    Cdot = C [V] of body twists,   Cdot = [V] C of spatial ones           (Mueller and Terze, Geometric methods and formulations, Eq. 25)

    C1 = C exp(h/2 (V1 + V2) + s h^2 [V1, V2]),   or exp(h/2 (V1 + V2) - s h^2 [V1, V2]) C,       s = sqrt(3)/12

with V1, V2 at the Gauss points t + (1/2 -+ sqrt(3)/6) h (Iserles, Munthe-Kaas, Norsett, Zanna, Lie-group methods, 2000, Sec. 5). Mixed and
hybrid twists are the same on the other group, SO(3) x R^3 (Eqs. 28-29). Between samples twists are the cubic through the four nearest.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from redmax.errors import SceneError, brief
from redmax.lie import se3, so3xr3
from redmax.lie.long_products import rotation_product
from redmax.lie.twists import KINDS, TwistKind
from redmax.types import Array

GAUSS = (0.5 - 3**0.5 / 6, 0.5 + 3**0.5 / 6)
OWNER = "reconstruct"
MANY = 500  # steps, from which on they are taken in blocks


def reconstruct(
    twists: Callable[[float], Any] | Array | Sequence[Any],
    start: ArrayLike | None = None,
    kind: TwistKind = "body",
    t: ArrayLike | None = None,
    *,
    steps: int = 1,
) -> np.ndarray:
    """Poses (time, ..., 4, 4) at the times t from the twists of a motion; order 4 in the distance of the times.

    twists: (time, ..., 6), samples at these times, angular first; or a function of the time (s) that returns (..., 6)
    start: the pose at the first time, (4, 4) or (..., 4, 4); the identity unless given
    kind: of the twists, "body", "spatial", "hybrid" or "mixed" (docs: Conventions, Twists of frames)
    t: (time,) s, each later than the one before (or each earlier); of a run, `run.t`. It is always needed
    steps: how many are taken from one time to the next
    """
    if not isinstance(kind, str) or kind not in KINDS:
        raise refused("kind", kind, " or ".join(map(repr, KINDS)))
    if not isinstance(steps, int | np.integer) or isinstance(steps, bool) or steps < 1:
        raise refused("steps", steps, "a whole number from 1 up")
    times = checked_times(t)
    grid = np.append((times[:-1, None] + np.diff(times)[:, None] * (np.arange(steps) / steps)).ravel(), times[-1:])
    V = at_gauss_points(twists, times, grid, int(steps))
    first = np.eye(4) if start is None else np.asarray(start)
    if first.shape[-2:] != (4, 4):
        raise refused("start", start, "a pose (4, 4) or (..., 4, 4)")
    return followed(first, V, np.diff(grid), kind)[:: int(steps)]


def followed(start: np.ndarray, V: list[np.ndarray], h: np.ndarray, kind: str) -> np.ndarray:
    """The pose at each time of the grid, from the twists at both Gauss points of each step, (steps, ..., 6)."""
    group, left = (se3 if kind in ("body", "spatial") else so3xr3), kind in ("spatial", "hybrid")
    length = h.reshape(-1, *[1] * (V[0].ndim - 1))
    sign = -1.0 if left else 1.0

    def moved(a: np.ndarray, b: np.ndarray, h: Any) -> np.ndarray:
        return group.exp(0.5 * h * (a + b) + sign * 3**0.5 / 12 * h**2 * (group.ad(a) @ b[..., None])[..., 0])

    traced = V[0].dtype == object  # without batches then
    moves = np.array([moved(a, b, float(x)) for a, b, x in zip(*V, h)]) if traced else moved(V[0], V[1], length)
    lead = np.broadcast_shapes(start.shape[:-2], V[0].shape[1:-1])
    C = np.broadcast_to(start, (*lead, 4, 4))
    if len(h) > MANY and moves.dtype == start.dtype == float:
        return np.concatenate([C[None], followed_long(C, np.broadcast_to(moves, (len(h), *lead, 4, 4)), left, group is se3)])
    poses = np.empty((len(h) + 1, *lead, 4, 4), np.result_type(start, moves))
    poses[0] = C
    for i, move in enumerate(moves):
        a, b = (move, C) if left else (C, move)
        C = a @ b if group is se3 else so3xr3.multiply(a, b)
        poses[i + 1] = C
    return poses


def followed_long(start: np.ndarray, moves: np.ndarray, left: bool, screws: bool) -> np.ndarray:
    """The pose after each of many moves, in products that stay on the group (long_products.py): those of a block of moves for all blocks
    at once, those of whole blocks one after the other, and then each pose from the beginning of its block."""

    def on(A: np.ndarray, B: np.ndarray) -> np.ndarray:
        first, second = (B, A) if left else (A, B)
        R, p = first[..., :3, :3], second[..., :3, 3]
        shift = (R @ p[..., None])[..., 0] if screws else p
        return se3.pose(rotation_product(R, second[..., :3, :3]), first[..., :3, 3] + shift)

    count, length = len(moves), int(np.ceil(np.sqrt(len(moves))))
    blocks = -(-count // length)
    rest = np.broadcast_to(np.eye(4), (blocks * length - count, *moves.shape[1:]))
    within = np.concatenate([moves, rest]).reshape(blocks, length, *moves.shape[1:])
    for i in range(1, length):
        within[:, i] = on(within[:, i - 1], within[:, i])
    begins = np.empty((blocks, 1, *moves.shape[1:]))
    begins[0, 0] = start
    for k in range(1, blocks):
        begins[k, 0] = on(begins[k - 1, 0], within[k - 1, -1])
    return on(np.broadcast_to(begins, within.shape), within).reshape(-1, *moves.shape[1:])[:count]


def at_gauss_points(twists: Any, times: np.ndarray, grid: np.ndarray, steps: int) -> list[np.ndarray]:
    """V1 and V2 of each step of the grid, (steps, ..., 6) each."""
    points = [grid[:-1] + c * np.diff(grid) for c in GAUSS]
    if callable(twists):
        found = [[np.asarray(twists(float(x))) for x in some] for some in points]
        wrong = next((v for some in found for v in some if v.shape[-1:] != (6,) or not numbers(v)), None)
        if wrong is not None:
            raise refused("twists", wrong, "a function of the time that returns finite numbers (..., 6)")
        return [np.array(some) if some else np.zeros((0, 6)) for some in found]
    samples = np.asarray(twists)
    if samples.ndim < 2 or samples.shape[-1] != 6 or len(samples) != len(times) or not numbers(samples):
        valid = f"finite numbers (time, ..., 6), {len(times)} samples as there are times, or a function of the time"
        raise refused("twists", twists, valid)
    return [interpolated(samples, times, x, np.repeat(np.arange(len(times) - 1), steps)) for x in points]


def interpolated(samples: np.ndarray, times: np.ndarray, x: np.ndarray, interval: np.ndarray) -> np.ndarray:
    """The samples at x, each in one of the intervals, by the polynomial through the four nearest (or all, of fewer)."""
    count = min(4, len(times))
    first = np.clip(interval - 1, 0, len(times) - count)
    near = times[first[:, None] + np.arange(count)]  # (points, count)
    found: Any = 0.0
    for j in range(count):
        weight = np.ones(len(x))
        for k in range(count):
            weight = weight * ((x - near[:, k]) / (near[:, j] - near[:, k]) if k != j else 1.0)
        found = found + weight.reshape(-1, *[1] * (samples.ndim - 1)) * samples[first + j]
    return found


def numbers(x: np.ndarray) -> bool:
    """Whether these are finite numbers, or traced ones."""
    return x.dtype == object or (x.dtype.kind in "fiu" and bool(np.isfinite(x).all()))


def checked_times(t: ArrayLike | None) -> np.ndarray:
    valid = "finite times (time,), each later than the one before"
    try:
        times = np.asarray(t, float)
    except (TypeError, ValueError):
        raise refused("t", t, valid) from None
    apart = np.diff(times) if times.ndim == 1 else np.zeros(1)
    if times.ndim != 1 or not len(times) or not np.isfinite(times).all() or not ((apart > 0).all() or (apart < 0).all()):
        raise refused("t", t, valid)
    return times


def refused(argument: str, got: Any, valid: str) -> SceneError:
    said = f"{OWNER}: {argument} is {brief(got)}, expected {valid}."
    return SceneError(said, owner=OWNER, argument=argument, got=brief(got), expected=valid)
