"""MuJoCo with geometry: a scene of cuboids, capsules and spheres on free joints, hinges and balls, over what stands in the world."""

from __future__ import annotations

from typing import Any

import mujoco
import numpy as np

import redmax as rm
from benchmarks.engines.mujoco import quaternion
from benchmarks.timing import Contestant

CONES = {"pyramidal": mujoco.mjtCone.mjCONE_PYRAMIDAL, "elliptic": mujoco.mjtCone.mjCONE_ELLIPTIC}
FIXED, MOVING = 2, 1  # what touches what, as bits


def specification(scene: rm.Scene, dt: float) -> mujoco.MjSpec:
    """Bodies of one group touch the world alone."""
    spec = mujoco.MjSpec()
    spec.option.gravity, spec.option.timestep = scene.gravity, dt
    for obstacle in scene.obstacles:
        add_geom(spec.worldbody, obstacle.shape, obstacle.pose, obstacle.contact.friction, contype=FIXED, conaffinity=MOVING)
    bodies = [spec.worldbody]
    for link in scene.links:
        body = bodies[link.parent + 1].add_body(name=link.name, pos=link.at[:3, 3], quat=quaternion(link.at))
        add_joint(body, link)
        apart = link.contact_group != 0
        assert link.contact
        add_geom(
            body, link.shape, link.body, link.contact.friction, mass=link.shape.mass, contype=MOVING,
            conaffinity=FIXED if apart else FIXED | MOVING,
        )  # fmt: skip
        bodies.append(body)
    return spec


def add_joint(body: Any, link: Any) -> None:
    kind = mujoco.mjtJoint
    spring: dict[str, Any] = {"stiffness": [*link.stiffness[:1], 0, 0], "damping": [*link.damping[:1], 0, 0]}
    if isinstance(link.joint, rm.Free3D):
        body.add_freejoint(name=link.name)
    elif isinstance(link.joint, rm.Revolute):
        body.add_joint(name=link.name, type=kind.mjJNT_HINGE, axis=np.asarray(link.joint.axis), **spring)
    elif isinstance(link.joint, rm.Spherical):
        body.add_joint(name=link.name, type=kind.mjJNT_BALL, **spring)
    elif isinstance(link.joint, rm.Universal):
        for axis in np.eye(3)[:2]:
            body.add_joint(type=kind.mjJNT_HINGE, axis=axis, **spring)
    elif not isinstance(link.joint, rm.Fixed):
        raise TypeError(f"Free joints, hinges, ball and universal joints are translated for MuJoCo. Got {link.joint!r}.")


def add_geom(body: Any, shape: rm.Body | rm.Plane, pose: np.ndarray, friction: float, **more: Any) -> None:
    kinds = mujoco.mjtGeom
    if isinstance(shape, rm.Plane):
        kind, size = kinds.mjGEOM_PLANE, [50, 50, 0.1]
    elif isinstance(shape, rm.Cuboid):
        kind, size = kinds.mjGEOM_BOX, [x / 2 for x in shape.size]
    elif isinstance(shape, rm.Capsule):
        kind, size = kinds.mjGEOM_CAPSULE, [shape.radius, shape.height / 2, 0]
    elif isinstance(shape, rm.Sphere):
        kind, size = kinds.mjGEOM_SPHERE, [shape.radius, 0, 0]
    else:
        raise TypeError(f"Only planes, cuboids, capsules and spheres are translated for MuJoCo. Got {shape!r}.")
    body.add_geom(type=kind, size=size, pos=pose[:3, 3], quat=quaternion(pose), friction=[friction, 0.005, 1e-4], condim=3, **more)


class Touching:
    """Whole steps of MuJoCo's Newton solver, with the one or the other cone."""

    def __init__(self, scene: rm.Scene, dt: float, cone: str) -> None:
        self.name = f"MuJoCo {cone}"
        self.model = specification(scene, dt).compile()
        self.model.opt.cone, self.model.opt.solver = CONES[cone], mujoco.mjtSolver.mjSOL_NEWTON
        self.data = mujoco.MjData(self.model)
        self.names, self.links = [link.name for link in scene.links], scene.links
        for link in scene.links:
            self.place(self.model.qpos_spring, link, link.rest)

    def place(self, qpos: np.ndarray, link: Any, q: np.ndarray) -> None:
        """Of hinges and balls; others begin where they are."""
        if isinstance(link.joint, rm.Revolute | rm.Spherical):
            at = self.model.joint(link.name).qposadr[0]
            found = quaternion(rm.pose(link.joint.transform(q)[:3, :3], (0, 0, 0))) if isinstance(link.joint, rm.Spherical) else q
            qpos[at : at + len(found)] = found

    def begin(self) -> None:
        mujoco.mj_resetData(self.model, self.data)
        for link in self.links:
            self.place(self.data.qpos, link, link.q)

    def heights(self) -> np.ndarray:
        """(1, bodies): of their centres of mass."""
        mujoco.mj_kinematics(self.model, self.data)
        mujoco.mj_comPos(self.model, self.data)
        return np.array([[self.data.body(name).xipos[2] for name in self.names]])

    def contestant(self, steps: int, again: bool = True) -> Contestant:
        """again: from the beginning at each call; else each goes on where the one before ended."""

        def call() -> None:
            if again:
                self.begin()
            mujoco.mj_step(self.model, self.data, nstep=steps)

        return Contestant(self.name, call, steps, self.heights)
