"""Scenes for the tests of the loop around the integrators."""

from __future__ import annotations

import numpy as np

import redmax as rm

FIXED = ("forward-euler", "euler", "rk4")
ALL = (*FIXED, "adaptive")


def arm() -> rm.Scene:
    """Three joints, five coordinates, damped and with a force that depends on time: `shoulder`, `elbow`, `slide`."""
    scene = rm.Scene(title="arm")
    upper = scene.add_body(
        rm.Cuboid((0.3, 0.05, 0.05), mass=1.0),
        joint=rm.Spherical(),
        com=(0.15, 0, 0),
        q=(0.1, 0.2, 0.3),
        damping=0.05,
        name="upper",
        joint_name="shoulder",
    )
    lower = scene.add_body(
        rm.Cuboid((0.3, 0.05, 0.05), mass=0.8),
        joint=rm.Revolute("y"),
        parent=upper,
        at=(0.3, 0, 0),
        com=(0.15, 0, 0),
        q=0.4,
        qdot=1.0,
        torque=lambda t, q, qdot: 0.3 * np.cos(4.0 * t) - 0.02 * qdot,
        name="lower",
        joint_name="elbow",
    )
    scene.add_body(
        rm.Sphere(0.05, mass=0.3), joint=rm.Prismatic("x"), parent=lower, at=(0.3, 0, 0), stiffness=50.0, name="bob", joint_name="slide"
    )
    return scene


def pendulum(**options: object) -> rm.Scene:
    """A bar of 0.4 m and 1 kg that hangs at q = pi/2; inertia about the hinge 1/3 m l^2 + a little."""
    scene = rm.Scene(title="pendulum")
    scene.add_body(
        rm.Cuboid((0.4, 0.1, 0.1), mass=1.0),
        joint=rm.Revolute("y"),
        com=(0.2, 0, 0),
        name="bar",
        joint_name="hinge",
        **{"q": 1.0, **options},
    )
    return scene


def stiff() -> rm.Scene:
    """A pendulum beside a bar whose spring no explicit method with a step above 1e-4 s survives."""
    scene = rm.Scene()
    scene.add_body(rm.Cuboid((0.4, 0.1, 0.1), mass=1.0), joint=rm.Revolute("y"), com=(0.2, 0, 0), name="calm")
    scene.add_body(
        rm.Cuboid((0.4, 0.1, 0.1), mass=1.0),
        joint=rm.Revolute("z"),
        com=(0.2, 0, 0),
        q=0.1,
        stiffness=1e7,
        rest=0.0,
        name="strong",
        joint_name="spring",
    )
    return scene


def batch(model: rm.Model, *shape: int, seed: int = 0) -> rm.State:
    """Random states around the scene's own."""
    rng = np.random.default_rng(seed)
    return rm.State(0.0, model.q0 + 0.3 * rng.normal(size=(*shape, model.nq)), model.qdot0 + 0.5 * rng.normal(size=(*shape, model.nv)))
