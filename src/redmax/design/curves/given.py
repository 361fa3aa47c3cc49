"""What a fit is given, checked: poses that may be missing, weights, a metric, and knots."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from redmax.arguments import brief
from redmax.components.checks import finite, flag, number, whole
from redmax.design.curves import knots as places_of_knots
from redmax.design.poses import checked_parameters, checked_poses
from redmax.errors import SceneError, wrong
from redmax.joints.bspline import checked_order
from redmax.types import Array

OWNER = "fit_curve"
HIGHEST, MOST = 16, 100_000  # order; frames


@dataclass(frozen=True)
class Data:
    """Known poses by ascending parameter.

    row: (N,) which of the given ones each is, of `count`; weights: (N,); components: (N, 6) factors of residuals, or None for ones
    points: (N,) whether only their positions are known, or None where that is so for none
    """

    q: Array
    poses: Array
    row: Array
    count: int
    weights: Array
    components: Array | None
    points: Array | None = None

    @property
    def measured(self) -> int:
        """How many numbers were measured."""
        return int(np.sum(np.ones((len(self.q), 6)) if self.components is None else self.components > 0))

    @property
    def total(self) -> float:
        """Of all weights: how many poses of weight 1 they are as much as."""
        return float(self.weights.sum() if self.components is None else (self.weights * self.components.max(axis=1)).sum())


def data(owner: str, poses: Any, parameters: Any, weights: Any, repeated: bool, looks: bool = True) -> Data:
    """Poses that are NaN are left out; of those whose position or rotation is, that. Without parameters, their numbers stand for these."""
    given, lost = without_positions(poses)
    given, points = without_rotations(given)
    E = checked_poses(given, parameters, owner=owner, missing=True, repeated=repeated, looks=looks)
    u = np.arange(float(len(E)))
    if parameters is not None:
        u = checked_parameters(parameters, len(E), owner=owner, repeated=True, missing=np.isnan(E[:, 0, 0]))
    if u.ndim != 1:
        raise wrong(owner, "parameters", parameters, f"{len(E)} numbers: one for each pose")
    w, components = checked_weights(owner, weights, len(E))
    if lost.any() or points.any():
        components = np.ones((len(E), 6)) if components is None else components.copy()
        components[lost, 3:] = 0.0
        components[points, :3] = 0.0
    row = np.argsort(u, kind="stable")
    row = row[np.isfinite(E[row, 0, 0])]
    if not np.ptp(E[row], axis=0).any():
        said = "all poses are the same, so that nothing moves"
        raise SceneError(f"{owner}: {said}. Use rm.Fixed(), or give poses of a motion.", owner=owner, argument="poses")
    E = between(u[row], E[row], lost[row], points[row]) if lost.any() or points.any() else E[row]
    return Data(u[row], E, row, len(u), w[row], None if components is None else components[row], points[row] if points.any() else None)


def between(q: Array, E: Array, lost: Array, points: Array) -> Array:
    """Poses (N, 4, 4) with positions and rotations of their neighbours in the place of those that are not known: for starts."""
    if lost.all() or points.all():
        what, which = ("position", "rotations") if lost.all() else ("rotation", "positions")
        raise SceneError(f"{OWNER}: no pose has a {what}, only {which}. Give both for some of them.", owner=OWNER, argument="poses")
    E = E.copy()
    for i in range(3):
        E[lost, i, 3] = np.interp(q[lost], q[~lost], E[~lost, i, 3])
    known = np.flatnonzero(~points)
    E[points, :3, :3] = E[known[np.clip(np.searchsorted(known, np.flatnonzero(points)) - 1, 0, None)], :3, :3]
    return E


def without_rotations(poses: Any) -> tuple[Any, np.ndarray]:
    """Poses with a rotation of another one where only that is NaN, and (N,) where it is."""
    E = np.array(poses, float) if isinstance(poses, np.ndarray) and poses.ndim == 3 and poses.shape[1:] == (4, 4) else None
    if E is None:
        return poses, np.zeros(1, bool)
    missing = np.isnan(E[:, :3, :3]).all(axis=(1, 2)) & np.isfinite(E[:, :3, 3]).all(axis=1)
    other = np.flatnonzero(~missing & np.isfinite(E[:, 0, 0]))
    if len(other):
        E[missing, :3, :3] = E[other[np.clip(np.searchsorted(other, np.flatnonzero(missing)) - 1, 0, None)], :3, :3]
    elif missing.any():  # which is said later
        E[missing, :3, :3] = np.eye(3)
    return E, np.asarray(missing)


def without_positions(poses: Any) -> tuple[Any, np.ndarray]:
    """Poses with a position of zero where only that is NaN, and (N,) where it is."""
    try:
        E = np.array(poses, float)
        if E.ndim != 3 or E.shape[1:] != (4, 4):
            return poses, np.zeros(1, bool)
    except Exception:  # no numbers: the checks say so
        return poses, np.zeros(1, bool)
    lost = np.isnan(E[:, :3, 3]).all(axis=1) & np.isfinite(E[:, :3, :3]).all(axis=(1, 2))
    E[lost, :3, 3] = 0.0
    return E, np.asarray(lost)


def checked_weights(owner: str, weights: Any, count: int) -> tuple[Array, Array | None]:
    """Of poses (N,), and of the components of their residuals (N, 6) where these are given."""
    if weights is None:
        return np.ones(count), None
    valid = f"({count},), one for each pose, or ({count}, 6), for each component of its residual (3 turning, 3 moving); none negative"
    w = finite(owner, "weights", weights, ((count,), (count, 6)), valid)
    if (w < 0).any():
        raise wrong(owner, "weights", weights, valid)
    if not w.any():
        raise SceneError(f"{owner}: all weights are zero, which leaves nothing to fit.", owner=owner, argument="weights")
    return (w, None) if w.ndim == 1 else (np.ones(count), w)


def metric_of(M: Array, components: Array | None) -> Array:
    """(6, 6), or (N, 6, 6) where components have weights of their own."""
    if components is None:
        return M
    root = np.sqrt(components)
    return root[:, :, None] * M * root[:, None, :]


@dataclass(frozen=True)
class Shape:
    """Of the spline: order, knots, and whether it is closed."""

    order: int
    knots: Array
    cyclic: bool
    count: int


def shape(owner: str, q: Array, frames: Any, order: Any, knots: Any, cyclic: Any, period: Any) -> Shape:
    """frames: None for as many as there are parameters"""
    k, closed = checked_order(owner, order), flag(owner, "cyclic", cyclic)
    if k > HIGHEST:
        raise wrong(owner, "order", order, f"a whole number from 4 to {HIGHEST}: higher ones wave between poses")
    named = knots is None or isinstance(knots, str)
    length = checked_period(owner, q, closed, period, named)
    if not named:
        t = finite(owner, "knots", knots, ((-1,),), "ascending numbers, or 'clamped' or 'uniform'")
        count = places_of_knots.count_of(owner, t, k, closed)
        if frames is not None and frames != count:
            said = f"{len(t)} knots of a spline of order {k} are for {count} frames, but frames is {brief(frames)}. Leave one of them out."
            raise SceneError(f"{owner}: {said}", owner=owner, argument="frames")
        check_inside(owner, q, t if closed else t[k - 1 : count + 1], closed)
        return Shape(k, t, closed, count)
    if knots not in (None, "clamped", "uniform"):
        raise wrong(owner, "knots", knots, "ascending numbers, 'clamped' or 'uniform'")
    least, distinct = (3 if closed else k), len(np.unique(q))
    count = distinct if frames is None else whole(owner, "frames", frames, least, f", of a spline of order {k}")
    if count < least:
        why = "a closed curve has three frames or more" if closed else f"a spline of order {k} has {k} frames or more"
        fix = f"Measure more, or take rm.fit_curve with frames={least} and smoothing=1e-3, by which there may be more frames than poses"
        said = f"{owner}: there are {count} poses at different parameters, but {why}"
        raise SceneError(f"{said}. {fix}.", owner=owner, argument="poses")
    if count > MOST:
        raise wrong(owner, "frames", frames, f"at most {MOST}")
    if count == distinct and knots is None:
        return Shape(k, places_of_knots.through(np.unique(q), k, length), closed, count)
    low, high = float(q[0]), float(q[-1]) if length is None else float(q[0]) + length
    if not high > low:
        raise SceneError(f"{owner}: all parameters are {low:g}, so that there is nothing between them.", owner=owner, argument="parameters")
    make = places_of_knots.uniform if knots == "uniform" else places_of_knots.clamped
    return Shape(k, make(count, k, closed, low, high), closed, count)


def checked_period(owner: str, q: Array, closed: bool, period: Any, needed: bool) -> float | None:
    """Of a closed curve."""
    if not closed:
        if period is not None:
            raise SceneError(
                f"{owner}: period is {brief(period)}, but goes with cyclic=True. Leave it out.", owner=owner, argument="period"
            )
        return None
    if period is None:
        if needed:
            fix = "Say after how much of the parameter the motion begins again, as period=2 * np.pi of a full turn"
            raise SceneError(f"{owner}: a closed curve needs its period. {fix}.", owner=owner, argument="period")
        return None
    length = number(owner, "period", period, "a number greater than 0", above=0)
    if q[-1] - q[0] >= length:
        said = f"the parameters are from {q[0]:g} to {q[-1]:g}, which is not less than one period, {length:g}"
        raise SceneError(f"{owner}: {said}. Take them modulo the period.", owner=owner, argument="parameters")
    return length


def check_inside(owner: str, q: Array, breaks: Array, closed: bool) -> None:
    """Parameters must be where the motion is defined."""
    low, high = breaks[0], breaks[-1]
    if not closed and (q[0] < low or q[-1] > high):
        at = q[0] if q[0] < low else q[-1]
        said = f"the parameter {at:g} is outside of the range from {low:g} to {high:g} that the knots are for"
        raise SceneError(f"{owner}: {said}. Take knots that reach farther.", owner=owner, argument="knots")
