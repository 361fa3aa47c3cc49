"""Arms that the tests of inverse kinematics reach with."""

from __future__ import annotations

import numpy as np

import redmax as rm

LIMITS = (2.967, 2.094, 2.967, 2.094, 2.967, 2.094, 3.054)


def seven_hinges() -> rm.Scene:
    """A light robot arm with seven hinges and their limits; its frame "tool"."""
    scene, body = rm.Scene(), None
    for axis, length, limit in zip("zyzyzyz", (0.0, 0.34, 0.0, 0.4, 0.0, 0.4, 0.0), LIMITS, strict=True):
        body = scene.add_body(rm.Cuboid((0.1, 0.1, 0.2), mass=2.0), parent=body, joint=rm.Revolute(axis), at=(0, 0, length))
        scene.add_constraint(rm.HardLimit(body, -limit, limit))
    assert body is not None
    scene.add_frame("tool", body, (0, 0, 0.126), relative_to="joint")
    return scene


def planar(lengths: tuple[float, ...], limit: float | None = None) -> rm.Scene:
    """Hinges about z; its frame "tip"."""
    scene, body, before = rm.Scene(), None, 0.0
    for k, length in enumerate(lengths):
        body = scene.add_body(rm.Cuboid((length, 0.1, 0.1)), parent=body, joint=rm.Revolute("z"), at=(before, 0, 0), name=f"part{k}")
        if limit is not None:
            scene.add_force(rm.JointLimit(body, -limit, limit, stiffness=100.0))
        before = length
    assert body is not None
    scene.add_frame("tip", body, (lengths[-1], 0, 0), relative_to="joint")
    return scene


def cartesian(rng: np.random.Generator, count: int, limit: float | None) -> tuple[rm.Scene, np.ndarray]:
    """Slides along any directions, so that all is linear: p = directions q. Its frame "tip"."""
    scene, body = rm.Scene(), None
    directions = rng.normal(size=(count, 3))
    directions /= np.linalg.norm(directions, axis=1)[:, None]
    for k, axis in enumerate(directions):
        body = scene.add_body(rm.Sphere(0.1, mass=1.0), parent=body, joint=rm.Prismatic(axis), name=f"slide{k}")
        if limit is not None:
            scene.add_constraint(rm.HardLimit(body, -limit, limit))
    assert body is not None
    scene.add_frame("tip", body)
    return scene, directions.T


def four_bar() -> tuple[rm.Scene, rm.BodyHandle]:
    """Crank 1 m, coupler 2 m, rocker 2 m, ground 2 m."""
    scene = rm.Scene()
    crank = scene.add_body(rm.Cuboid((1, 0.1, 0.1)), joint=rm.Revolute("z"), com=(0.5, 0, 0), name="crank")
    coupler = scene.add_body(rm.Cuboid((2, 0.1, 0.1)), parent=crank, joint=rm.Revolute("z"), at=(1, 0, 0), com=(1, 0, 0), name="coupler")
    rocker = scene.add_body(rm.Cuboid((2, 0.1, 0.1)), joint=rm.Revolute("z"), at=(2, 0, 0), com=(1, 0, 0), name="rocker")
    scene.add_constraint(rm.PointClosure(coupler.point(1, 0, 0), rocker.point(1, 0, 0), name="pin"))
    return scene, coupler
