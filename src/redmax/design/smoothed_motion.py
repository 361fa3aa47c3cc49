"""A motion from noisy samples of coordinates: `redmax.smoothed_motion`."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import ArrayLike

from redmax.arguments import as_float, as_floats, brief
from redmax.design.joint_smoothing import SmoothedJoint, smoothed_joint
from redmax.design.motion import SmoothedMotion, evaluated, model_of
from redmax.design.smoothing_spline import Smoother
from redmax.errors import SceneError, unknown
from redmax.joints.base import Joint
from redmax.lie import quaternions, so3
from redmax.model.model import Model
from redmax.model.scene import Scene

OWNER = "smoothed_motion"
Cutoff = float | Mapping[str, float] | None
VALID = "a frequency above 0 (Hz), numpy.inf to go through the samples, or None to find it"


def smoothed_motion(scene: Scene | Model, t: ArrayLike, q: ArrayLike, cutoff: Cutoff = None) -> SmoothedMotion:
    """A motion through noisy samples of coordinates, with rates and accelerations that are its derivatives.

    t: (samples,) increasing times (s), not necessarily evenly apart
    q: (samples, nq), of all joints; nan where there is no sample, of all of a joint at once
    cutoff: the frequency (Hz) of which half is left, of all joints or by the names of some; where none is given, generalised
        cross-validation finds one for each joint, and for turning and travelling apart. numpy.inf goes through the samples

    Each joint is a spline of degree 5 that is smooth up to the fourth derivative; joints that turn freely are smoothed on the group.
    Cross-validation takes noise to differ from sample to sample at random. Errors that last, as of skin over bones, it takes for motion.
    """
    model = model_of(scene, OWNER)
    times, samples = checked_samples(model, t, q)
    names = [link.joint_name for link in model.bodies]
    frequency = Frequencies(model, cutoff)
    smoothers: dict[bytes, Smoother] = {}
    joints: list[SmoothedJoint] = []
    found: dict[str, float] = {}
    for i, link in enumerate(model.bodies):
        own = slice(*model.q_offsets[i : i + 2])
        joint, frequencies = smoothed_joint(link.joint, names[i], times, samples[:, own], link.q, frequency.of(link.name), smoothers)
        joints.append(joint)
        found |= frequencies
    if not found:
        raise SceneError(f"{OWNER}: q has no numbers for any joint.", owner=OWNER, argument="q")
    first, last = (pick(joint.span[k] for joint in joints if joint.span) for k, pick in enumerate((max, min)))
    inside = times[(times >= first) & (times <= last)]  # where all joints are known
    q_found, qdot, qddot = evaluated(model, tuple(joints), inside)
    residuals = np.full((len(times), model.nv), np.nan)
    residuals[(times >= first) & (times <= last)] = steps_between(model, q_found, samples[(times >= first) & (times <= last)])
    return SmoothedMotion(model, inside, q_found, qdot, qddot, found, residuals, tuple(joints))


def checked_samples(model: Model, t: ArrayLike, q: ArrayLike) -> tuple[np.ndarray, np.ndarray]:
    """(samples,) and (samples, nq of all bodies' joints)."""
    times, samples, n = as_floats(t), as_floats(q), int(model.q_offsets[len(model.bodies)])
    if times is None or times.ndim != 1 or len(times) < 2 or not np.isfinite(times).all():
        raise SceneError(f"{OWNER}: t is {brief(t)}, expected the times of the samples, finite numbers (s).", owner=OWNER, argument="t")
    back = np.flatnonzero(np.diff(times) <= 0)
    if len(back):
        k = int(back[0])
        said = f"t goes from {times[k]:g} to {times[k + 1]:g} s after sample {k}. Sort the samples, and keep one of those at the same time"
        raise SceneError(f"{OWNER}: {said}.", owner=OWNER, argument="t")
    shapes = {(len(times), n), (len(times), model.nq)}
    if samples is None or samples.shape not in shapes:
        got = brief(q) if samples is None else str(samples.shape)
        valid = f"({len(times)}, {n}): a row for each of the {len(times)} times, with the coordinates of all joints"
        raise SceneError(f"{OWNER}: q has shape {got}, expected {valid}.", owner=OWNER, argument="q", got=got, expected=valid)
    if np.isinf(samples).any():
        row, column = np.argwhere(np.isinf(samples))[0]
        raise SceneError(f"{OWNER}: q is infinite at sample {row}, coordinate {column}. Write nan where there is none.", argument="q")
    return times, samples[:, :n]


class Frequencies:
    """The cut-off frequencies that a user gives: one, some by name, or none."""

    def __init__(self, model: Model, given: Cutoff) -> None:
        self.given = dict(given) if isinstance(given, Mapping) else {"": given}
        known = {name for link in model.bodies for name in (link.name, link.joint_name)}
        known |= {f"{name}.{part}" for name in known for part in ("angular", "linear")}
        for name, value in self.given.items():
            if name and name not in known:
                raise SceneError(unknown("joint", name, sorted(known)), owner=OWNER, argument="cutoff")
            number = as_float(value)
            if value is not None and (number is None or not number > 0):
                raise SceneError(f"{OWNER}: cutoff is {brief(value)}, expected {VALID}.", owner=OWNER, argument="cutoff", expected=VALID)

    def of(self, body: str) -> Callable[[str], float | None]:
        """The one of a part of a joint, by the part's name, which begins with that of the joint."""

        def frequency(part: str) -> float | None:
            joint = part.split(".")[0]
            for name in (part, part.replace(joint, body, 1), joint, body, ""):
                if name in self.given:
                    value = self.given[name]
                    return None if value is None else float(value)
            return None

        return frequency


def steps_between(model: Model, q: np.ndarray, samples: np.ndarray) -> np.ndarray:
    """(samples, nv): the steps from coordinates to others, joint by joint; not numbers where these are not."""
    found = np.full((len(q), model.nv), np.nan)
    for i, link in enumerate(model.bodies):
        own, rates = slice(*model.q_offsets[i : i + 2]), slice(*model.offsets[i : i + 2])
        known = np.isfinite(samples[:, own]).all(axis=1)
        found[known, rates] = joint_steps(link.joint, q[known, own], samples[known, own])
    return found


def joint_steps(joint: Joint, q: np.ndarray, other: np.ndarray) -> np.ndarray:
    """(n, dof): differences of coordinates; of joints that turn freely the rotation vector, and the way, in the axes of the child at q."""
    if not joint.has_own("located"):
        return other - q
    E, F = joint.pose(q), joint.pose(other)
    back = np.swapaxes(E[:, :3, :3], 1, 2)
    turn = np.asarray(quaternions.log(so3.to_quaternion(back @ F[:, :3, :3])), float)
    way = (back @ (F[:, :3, 3] - E[:, :3, 3])[..., None])[..., 0]
    return turn if joint.dof == 3 else np.hstack([turn, way])
