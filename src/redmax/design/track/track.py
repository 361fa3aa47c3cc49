"""A motion from targets that move: `redmax.track`."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike

from redmax.arguments import as_floats, brief
from redmax.components.checks import whole
from redmax.design.motion import SmoothedMotion, evaluated
from redmax.design.reach.inverse_kinematics import InverseKinematics
from redmax.design.reach.reached import Reached
from redmax.design.smoothed_motion import Cutoff, Frequencies, smoothed_motion, steps_between
from redmax.design.smoothing_spline import LEAST, Smoother, SplineSpace
from redmax.design.targets.marker import MarkerTarget
from redmax.design.track.coordinates import SplineCoordinates
from redmax.design.track.fit import SplineFit
from redmax.design.track.frames import series
from redmax.design.track.moments import Moments
from redmax.design.track.tracked import Tracked
from redmax.errors import SceneError, unknown
from redmax.model.state import State

OWNER = "track"
BEGINNING = 1e-3  # of the jerk, with which the search begins


def track(
    ik: InverseKinematics,
    t: ArrayLike,
    goals: Mapping[str, ArrayLike],
    cutoff: Cutoff = None,
    start: ArrayLike | State | None = None,
    *,
    restarts: int = 20,
    tolerance: float | tuple[float, float] = 1e-6,
) -> Tracked:
    """The smooth motion that follows moving targets best: markers that were seen, a path of a hand.

    ik: what is to be reached, and by what
    t: (frames,) increasing times (s);  goals: target -> its goals (frames, *shape); others keep theirs
    cutoff: as of `smoothed_motion`: a frequency (Hz) for all joints or by name, numpy.inf for splines through what is found frame by frame.
        Unless given, cross-validation of that finds it
    start: coordinates, or a State, from which the first frame is looked for, with so many `restarts`
    tolerance: of what is found frame by frame, as of `InverseKinematics.solve`

    First frame by frame, each search from a neighbour's end. Then all frames at once: splines, within limits and with loops closed, that
    meet the targets in the least squares of their weights; a priority counts as a hundredth of the weight of the one before.
    """
    if not isinstance(ik, InverseKinematics):
        raise SceneError(f"{OWNER} takes redmax.InverseKinematics(scene, targets) first. Got {brief(ik)}.", owner=OWNER, argument="ik")
    if ik.model.map is not None or ik.model.soft:
        raise SceneError(f"{OWNER} knows joints; the scene has a map of coordinates, or deformables. Leave them out.", owner=OWNER)
    times, moving = checked_goals(ik, t, goals)
    frequencies = Frequencies(ik.model, cutoff)
    often = whole(OWNER, "restarts", restarts, 0)
    found = series(ik, moving, len(times), start, often, tolerance)
    model, n = ik.model, int(ik.model.q_offsets[len(ik.model.bodies)])
    alone = smoothed_motion(model, times, found.q[:, :n], cutoff)
    asked = ik.asking.read(OWNER, moving, None, tolerance, 0, 0, 1, "damped", 0.0)
    moments = Moments(ik, asked.goals, asked.weights, SplineCoordinates(model, ik.bounds.movable, found.q[0]), found.q)
    markers = {target.name: target.labels for target in ik.targets if isinstance(target, MarkerTarget)}
    if all(np.isinf(f) for f in alone.cutoff.values()):
        return Tracked(alone, found, moments.told(alone.q), 0, markers)
    motion, steps = smooth(moments, times, alone, found, frequencies)
    return Tracked(motion, found, moments.told(motion.q), steps, markers)


def smooth(
    moments: Moments, times: np.ndarray, alone: SmoothedMotion, found: Reached, frequencies: Frequencies
) -> tuple[SmoothedMotion, int]:
    """All frames at once, from what was found one by one and smoothed. alone: that, with frequencies that were given or found"""
    coordinates = moments.coordinates
    fastest = 1e3 / (times[-1] - times[0]) * len(times)  # in the place of infinity
    cutoff = np.zeros(coordinates.size)
    for name, columns in coordinates.groups():
        cutoff[columns] = min(alone.cutoff[name], fastest)
    space = Smoother(times).space(float(cutoff.max()))
    fit = SplineFit(space, moments.look, moments.sided, moments.mass, cutoff, moments.largest)
    C, steps = fit.least(nearest_coefficients(space, moments.before))
    knots = times[0] + space.unit * space.knots
    span = float(times[0]), float(times[-1])
    joints = tuple(coordinates.joints(knots, C, cutoff, span, found.q))
    state = evaluated(moments.ik.model, joints, times)
    return SmoothedMotion(moments.ik.model, times, *state, alone.cutoff, steps_between(moments.ik.model, state[0], found.q), joints), steps


def nearest_coefficients(space: SplineSpace, u: np.ndarray) -> np.ndarray:
    """(n, columns): of splines with values nearest to u (frames, columns), which they need not meet."""
    from scipy.sparse.linalg import spsolve

    H = (space.values.T @ space.values / len(u) + BEGINNING * space.jerk).tocsc()
    return np.asarray(spsolve(H, space.values.T @ u / len(u))).reshape(H.shape[0], u.shape[1])


def checked_goals(ik: InverseKinematics, t: ArrayLike, goals: Mapping[str, ArrayLike]) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    """Times (frames,), and goals (frames, *shape) by the names of targets."""
    times = as_floats(t)
    back = np.flatnonzero(~(np.diff(times) > 0)) if times is not None and times.ndim == 1 else []
    if times is None or times.ndim != 1 or len(times) < LEAST or not np.isfinite(times).all() or len(back):
        valid, at = f"at least {LEAST} increasing times (s)", ""
        if times is not None and len(back):
            i = int(back[0])
            at = f", with t[{i + 1}] = {times[i + 1]:g} after t[{i}] = {times[i]:g}"
        raise SceneError(f"{OWNER}: t is {brief(t)}{at}, expected {valid}.", owner=OWNER, argument="t", expected=valid)
    if not isinstance(goals, Mapping) or not goals:
        valid = f"a dict such as {{{ik.targets[0].name!r}: (frames, ...)}}"
        raise SceneError(f"{OWNER}: goals are {brief(goals)}, expected {valid}.", owner=OWNER, argument="goals", expected=valid)
    targets = {target.name: target for target in ik.targets}
    found: dict[str, np.ndarray] = {}
    for name, value in goals.items():
        if name not in targets:
            raise SceneError(f"{OWNER}: {unknown('target', name, list(targets))}", owner=OWNER, argument="goals")
        goal = targets[name].checked(value)
        if goal.shape != (len(times), *targets[name].shape):
            valid = f"({len(times)}, {', '.join(map(str, targets[name].shape))}): a goal for each of the {len(times)} times"
            raise SceneError(f"{OWNER}: goals of {name!r} have shape {goal.shape}, expected {valid}.", owner=OWNER, argument="goals")
        found[name] = goal
    return times, found
