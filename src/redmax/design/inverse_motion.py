"""What a motion takes: the forces along the joints' coordinates, frame by frame, by inverse dynamics."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from redmax.arguments import as_floats, brief
from redmax.design.motion import Motion, model_of
from redmax.dynamics.common.path_states import muscles_of
from redmax.dynamics.dynamics import Dynamics
from redmax.errors import SceneError
from redmax.model.model import Model
from redmax.model.scene import Scene
from redmax.run.trajectory import Trajectory

OWNER = "inverse_dynamics"


@dataclass(frozen=True, eq=False, repr=False)
class MotionTorques:
    """What a motion takes beside gravity, springs and all else of the scene but its muscles.

    torques: (frames, nv), N m along angles, N along lengths
    """

    motion: Motion
    torques: np.ndarray

    def __repr__(self) -> str:
        return f"MotionTorques({len(self.motion)} frames, at most {np.abs(self.torques).max(initial=0.0):.4g})"

    def of(self, joint: str) -> np.ndarray:
        """(frames, dof): those of one joint, named by itself or its body."""
        return self.torques[:, self.motion.model.v_slice(joint)]

    @cached_property
    def power(self) -> np.ndarray:
        """(frames, nv): what each gives to the motion (W)."""
        return self.torques * self.motion.qdot

    @cached_property
    def work(self) -> np.ndarray:
        """(frames, nv): what each has given since the first frame (J), by the trapezoidal rule."""
        steps = 0.5 * np.diff(self.motion.t)[:, None] * (self.power[1:] + self.power[:-1])
        return np.concatenate([np.zeros((1, self.power.shape[1])), np.cumsum(steps, axis=0)])

    def run(self) -> Trajectory:
        """The motion as a run that these torques drive: `run.torques`, `run.energy`, `run.plot("torques")`, `run.save(...)`.

        Muscles are there, as active as where the scene begins: what they do is taken off, so that `run.qddot` are those of the motion.
        """
        return self.motion.run(self.torques - muscle_torques(Dynamics(self.motion.model), self.motion))


def inverse_dynamics(
    scene: Scene | Model, motion: Motion | Trajectory, wrenches: Mapping[str, ArrayLike] | None = None, driven: Sequence[str] | None = None
) -> MotionTorques:
    """The joint forces that a motion takes; muscles count as not there, as their activations are not known.

    motion: what `redmax.smoothed_motion` or `redmax.track` made, a Motion, or a run
    wrenches: what acts on bodies from outside, such as measured ground reactions: by the body's name (frames, 6) torque and force, in world
        axes about the body's origin
    driven: of scenes with loops, the joints that can be driven; where there are more than the mechanism can move, torques are of least
        norm. Unless given, those with the least tau' M^-1 tau
    """
    model, given = model_of(scene, OWNER), checked_motion(scene, motion)
    dynamics = Dynamics(model)
    state = given.q, given.qdot
    pulls = wrenches_on_bodies(dynamics, given, wrenches)
    if driven is not None:
        torques = dynamics.inverse_driven(*state, given.qddot, driven, pulls, given.t)[0]
    else:
        torques = dynamics.inverse(*state, given.qddot, pulls, given.t)
    torques = torques + muscle_torques(dynamics, given)
    torques[:, model.offsets[len(model.bodies)] :] = 0.0
    return MotionTorques(given, torques)


def muscle_torques(dynamics: Dynamics, motion: Motion) -> np.ndarray:
    """(frames, nv): what the scene's muscles do, each as active as its state or its function of time says."""
    if not muscles_of(dynamics.model):
        return np.zeros_like(motion.qdot)
    return dynamics.muscles(motion.q, motion.qdot, t=motion.t).torques.sum(axis=1)


def checked_motion(scene: Scene | Model, motion: Motion | Trajectory) -> Motion:
    """As a motion of the scene."""
    model = model_of(scene, OWNER)
    if isinstance(motion, Trajectory):
        motion.single(OWNER)
        motion = Motion(motion.model, motion.t, motion.q, motion.qdot, motion.qddot)
    if not isinstance(motion, Motion):
        raise SceneError(f"{OWNER} takes a Motion or a run. Got {brief(motion)}.", owner=OWNER, argument="motion")
    joints = [(link.joint_name, link.joint.nq) for link in model.bodies]
    if joints != [(link.joint_name, link.joint.nq) for link in motion.model.bodies]:
        said = f"{OWNER}: the motion is of another scene: its joints are {brief([n.joint_name for n in motion.model.bodies])}"
        raise SceneError(f"{said}, those of the scene {brief([name for name, _ in joints])}.", owner=OWNER, argument="motion")
    if (motion.q.shape[1], motion.qdot.shape[1]) == (model.nq, model.nv):
        return Motion(model, motion.t, motion.q, motion.qdot, motion.qddot)
    nq, nv = (int(x[len(model.bodies)]) for x in (model.q_offsets, model.offsets))  # another number of hidden states, such as activations
    rows = (len(motion), 1)
    q, qdot = np.tile(model.q0, rows), np.tile(model.qdot0, rows)
    qddot = np.zeros_like(qdot)
    q[:, :nq], qdot[:, :nv], qddot[:, :nv] = motion.q[:, :nq], motion.qdot[:, :nv], motion.qddot[:, :nv]
    return Motion(model, motion.t, q, qdot, qddot)


def wrenches_on_bodies(dynamics: Dynamics, motion: Motion, wrenches: Mapping[str, ArrayLike] | None) -> np.ndarray | None:
    """(frames, bodies, 6) in body axes, of those that are given by name in world axes."""
    if wrenches is None:
        return None
    if not isinstance(wrenches, Mapping):
        valid = "a dictionary: body -> (frames, 6) torque and force in world axes"
        raise SceneError(f"{OWNER}: wrenches are {brief(wrenches)}, expected {valid}.", owner=OWNER, argument="wrenches", expected=valid)
    model = dynamics.model
    found = np.zeros((len(motion), len(model.links), 6))
    poses = dynamics.observe(motion.q, motion.qdot, motion.t).pose
    for name, value in wrenches.items():
        i, given = model.index(name), as_floats(value)
        if given is None or given.shape not in ((6,), (len(motion), 6)) or not np.isfinite(given).all():
            valid = f"finite numbers of shape (6,) or ({len(motion)}, 6), a row for each frame"
            raise SceneError(f"{OWNER}: the wrench on {name!r} is {brief(value)}, expected {valid}.", owner=OWNER, argument="wrenches")
        rows = np.broadcast_to(given, (len(motion), 6)).reshape(-1, 2, 3)
        found[:, i] = (rows @ poses[:, i, :3, :3]).reshape(-1, 6)
    return found
