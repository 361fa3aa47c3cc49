"""Motions that are given, not simulated: where all joints are at some times, with rates and accelerations that belong together."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from redmax.arguments import as_floats, brief
from redmax.components.one_line import OneLine
from redmax.dynamics.dynamics import Dynamics
from redmax.errors import SceneError
from redmax.model.model import Model
from redmax.model.scene import Scene
from redmax.run.trajectory import Trajectory

if TYPE_CHECKING:
    from redmax.design.joint_smoothing import SmoothedJoint


@dataclass(frozen=True, eq=False, repr=False)
class Motion(OneLine):
    """How a scene moves, frame by frame; nothing says yet what makes it move so. `redmax.smoothed_motion` makes one from samples.

    t: (frames,) s;  q: (frames, nq);  qdot, qddot: (frames, nv)
    """

    model: Model = field(repr=False)
    t: np.ndarray
    q: np.ndarray
    qdot: np.ndarray
    qddot: np.ndarray

    def __len__(self) -> int:
        return len(self.t)

    def coordinates(self, joint: str) -> np.ndarray:
        """(frames, nq of it): where a joint is, named by itself or its body."""
        return self.q[:, self.model.q_slice(joint)]

    def rates(self, joint: str) -> np.ndarray:
        """(frames, dof): how fast a joint moves."""
        return self.qdot[:, self.model.v_slice(joint)]

    def accelerations(self, joint: str) -> np.ndarray:
        """(frames, dof): the accelerations of a joint."""
        return self.qddot[:, self.model.v_slice(joint)]

    def run(self, torques: np.ndarray | None = None) -> Trajectory:
        """The motion as a run: to plot, to look at, to save as a result file.

        torques: (frames, nv) that go with it, such as those of `redmax.inverse_dynamics`, so that `run.qddot` are the accelerations here
        """
        step = float(self.t[-1] - self.t[0]) / max(len(self) - 1, 1)
        return Trajectory(
            model=self.model, t=self.t, q=self.q, qdot=self.qdot, integrator="given", dynamics="recursive", dt=step, steps=0, wall_s=0.0,
            compile_s=0.0, settings={"duration": float(self.t[-1] - self.t[0])}, controls=torques, engine=Dynamics(self.model),
        )  # fmt: skip


@dataclass(frozen=True, eq=False, repr=False)
class SmoothedMotion(Motion):
    """A motion through noisy samples: splines, which can be asked anywhere between the first and the last of these.

    cutoff: the frequency (Hz) of each part that was smoothed, by the names of joints; "free.angular" and "free.linear" of joints that turn
        freely and travel. Infinite where the motion goes through the samples
    residuals: (samples, nv), samples less motion, of joints that turn freely the step from one to the other; nan where there is no sample
    """

    cutoff: Mapping[str, float]
    residuals: np.ndarray
    joints: tuple[SmoothedJoint, ...] = field(repr=False)

    def at(self, t: ArrayLike) -> SmoothedMotion:
        """The same motion at other times (frames,), s."""
        times = as_floats(t)
        if times is None or times.ndim != 1 or not len(times) or not (np.isfinite(times).all() and (np.diff(times) > 0).all()):
            raise SceneError(f"SmoothedMotion.at: t must be increasing times (s), an array of one axis. Got {brief(t)}.", argument="t")
        known = [joint.span for joint in self.joints if joint.span is not None]
        low, high = max((a for a, _ in known), default=-np.inf), min((b for _, b in known), default=np.inf)
        if times[0] < low - 1e-9 or times[-1] > high + 1e-9:
            said = f"t goes from {times[0]:g} to {times[-1]:g} s, but the samples from {low:g} to {high:g} s"
            raise SceneError(f"SmoothedMotion.at: {said}. A spline says nothing beyond its samples.", argument="t")
        q, qdot, qddot = evaluated(self.model, self.joints, np.clip(times, low, high))
        return SmoothedMotion(self.model, times, q, qdot, qddot, self.cutoff, self.residuals, self.joints)


def evaluated(model: Model, joints: tuple[SmoothedJoint, ...], t: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """q, qdot, qddot at times (frames,); what no joint of a body moves stays where the scene begins."""
    q, qdot = np.tile(model.q0, (len(t), 1)), np.tile(model.qdot0, (len(t), 1))
    qddot = np.zeros_like(qdot)
    for i, joint in enumerate(joints):
        own, rates = slice(*model.q_offsets[i : i + 2]), slice(*model.offsets[i : i + 2])
        q[:, own], qdot[:, rates], qddot[:, rates] = joint.at(t)
    return q, qdot, qddot


def model_of(scene: Scene | Model, who: str) -> Model:
    """Of a scene, or itself. who: what asks, for messages."""
    if not isinstance(scene, Scene | Model):
        raise SceneError(f"{who} takes a scene first. Got {type(scene).__name__}.", owner=who, argument="scene")
    model = scene.model() if isinstance(scene, Scene) else scene
    if model.soft:
        raise SceneError(f"{who} knows joints, not deformables. The scene has {model.soft[0].name!r}: leave it out.", owner=who)
    return model
