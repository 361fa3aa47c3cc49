"""MuJoCo: its `rollout`, which loops over the states in C++ on the calling thread, one step each.

A step is its forward dynamics and one addition: bodies have no geometry, all that is not smooth dynamics is off, and with a time
step of 1 s the accelerations are the change of the velocities. `Stepper` takes many `implicitfast` steps instead, with the joints' damping.
"""

from __future__ import annotations

import mujoco
import numpy as np
from mujoco.rollout import Rollout

import redmax as rm
from benchmarks.cases import States
from benchmarks.timing import Contestant

OFF = (
    "CONSTRAINT", "CONTACT", "EQUALITY", "FRICTIONLOSS", "LIMIT", "SPRING", "DAMPER", "ACTUATION", "SENSOR", "WARMSTART", "EULERDAMP",
    "AUTORESET", "ISLAND",
)  # fmt: skip


def build(scene: rm.Scene) -> mujoco.MjModel:
    return specification(scene).compile()


def specification(scene: rm.Scene) -> mujoco.MjSpec:
    """The tree of bodies, without forces."""
    spec = mujoco.MjSpec()
    spec.option.gravity = scene.gravity
    spec.option.timestep = 1.0
    spec.option.disableflags = sum(int(getattr(mujoco.mjtDisableBit, "mjDSBL_" + name)) for name in OFF)
    bodies = [spec.worldbody]
    for link in scene.links:
        if not isinstance(link.joint, rm.Revolute):
            raise TypeError(f"Only hinges are translated for MuJoCo. Got {link.joint!r}.")
        body = bodies[link.parent + 1].add_body(
            name=link.name,
            pos=link.at[:3, 3],
            quat=quaternion(link.at),
            mass=link.shape.mass,
            ipos=link.body[:3, 3],
            fullinertia=six(link.body[:3, :3] @ link.shape.inertia @ link.body[:3, :3].T),
            explicitinertial=True,
        )
        body.add_joint(name=link.name, type=mujoco.mjtJoint.mjJNT_HINGE, axis=np.asarray(link.joint.axis), damping=[*link.damping, 0, 0])
        bodies.append(body)
    return spec


def quaternion(E: np.ndarray) -> np.ndarray:
    found = np.empty(4)
    mujoco.mju_mat2Quat(found, E[:3, :3].ravel())
    return found


def six(inertia: np.ndarray) -> list[float]:
    return [float(inertia[i, j]) for i, j in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))]


class MuJoCo:
    """order: the place of each of our joints in MuJoCo's arrays, which it sorts depth first."""

    name = "MuJoCo"

    def __init__(self, scene: rm.Scene) -> None:
        self.model = build(scene)
        self.data = mujoco.MjData(self.model)
        self.order = np.array([self.model.joint(link.name).dofadr[0] for link in scene.links])
        self.rollout = Rollout(nthread=0)

    def contestant(self, states: States) -> Contestant:
        worlds, n = states.q.shape
        size = mujoco.mj_stateSize(self.model, mujoco.mjtState.mjSTATE_FULLPHYSICS)
        time_q_v, force, end = np.zeros((worlds, size)), np.empty((worlds, 1, n)), np.zeros((worlds, 1, size))
        time_q_v[:, 1 + self.order], time_q_v[:, 1 + n + self.order], force[:, 0, self.order] = states.q, states.v, states.tau
        models, kind = [self.model] * worlds, int(mujoco.mjtState.mjSTATE_QFRC_APPLIED)

        def call() -> None:
            self.rollout.rollout(models, [self.data], time_q_v, force, control_spec=kind, nstep=1, state=end, skip_checks=True)

        return Contestant(self.name, call, worlds, lambda: end[:, 0, 1 + n + self.order] - states.v)

    def missing_torque(self, states: States, accelerations: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(worlds, n) joint forces by which the accelerations fail MuJoCo's equation of motion; and those of gravity and rates alone."""
        d, order = self.data, self.order
        missing, scale = np.empty_like(states.q), np.empty_like(states.q)
        for i, (q, v, tau, a) in enumerate(zip(states.q, states.v, states.tau, accelerations)):
            d.qpos[order], d.qvel[order], d.qacc[order] = q, v, a
            mujoco.mj_inverse(self.model, d)
            missing[i], scale[i] = d.qfrc_inverse[order] - tau, d.qfrc_bias[order]
        return missing, scale


class Stepper:
    """Many steps of `implicitfast`, (M + h D) a = f with the Coriolis forces explicit; the loop over the steps is C++."""

    name = "MuJoCo implicitfast"

    def __init__(self, scene: rm.Scene, dt: float) -> None:
        self.model = build(scene)
        self.model.opt.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
        self.model.opt.timestep = dt
        self.model.opt.disableflags &= ~int(mujoco.mjtDisableBit.mjDSBL_DAMPER)
        self.data = mujoco.MjData(self.model)
        self.order = np.array([self.model.joint(link.name).dofadr[0] for link in scene.links])
        self.rollout = Rollout(nthread=0)

    def contestant(self, q: np.ndarray, v: np.ndarray, steps: int) -> Contestant:
        """From q, v (n,); its `accelerations` are the last rates, (1, n)."""
        n = len(q)
        size = mujoco.mj_stateSize(self.model, mujoco.mjtState.mjSTATE_FULLPHYSICS)
        start, states = np.zeros((1, size)), np.zeros((1, steps, size))
        start[0, 1 + self.order], start[0, 1 + n + self.order] = q, v

        def call() -> None:
            self.rollout.rollout([self.model], [self.data], start, nstep=steps, state=states, skip_checks=True)

        return Contestant(self.name, call, steps, lambda: states[:, -1, 1 + n + self.order])
