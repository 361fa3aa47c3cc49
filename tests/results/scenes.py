"""Scenes whose runs have everything that a result file may hold."""

from __future__ import annotations

import numpy as np

import redmax as rm


def arm() -> rm.Scene:
    """Turns, slides, and a function of time."""
    scene = rm.Scene(title="arm")
    upper = scene.add_body(
        rm.Cuboid((0.3, 0.05, 0.05), mass=1.0),
        joint=rm.Spherical(),
        com=(0.15, 0, 0),
        q=(0.1, 0.2, 0.3),
        name="upper",
        joint_name="shoulder",
    )
    lower = scene.add_body(
        rm.Cuboid((0.3, 0.05, 0.05), mass=0.8),
        joint=rm.Revolute("y"),
        parent=upper,
        at=(0.3, 0, 0),
        com=(0.15, 0, 0),
        qdot=1.0,
        torque=lambda t, q, qdot: 0.3 * np.cos(4.0 * t) - 0.02 * qdot,
        name="lower",
        joint_name="elbow",
    )
    scene.add_body(rm.Sphere(0.05, mass=0.3), joint=rm.Prismatic("x"), parent=lower, at=(0.3, 0, 0), stiffness=50.0, name="bob")
    return scene


def batch(worlds: tuple[int, ...]) -> rm.State:
    n = arm().model().nq
    return rm.State(0.0, np.random.default_rng(3).uniform(-0.5, 0.5, (*worlds, n)), np.zeros(n))


def tumbling() -> rm.Scene:
    """Coordinates that change during the run."""
    scene = rm.Scene(title="tumbling")
    scene.add_body(rm.Cuboid((0.3, 0.1, 0.2), mass=1.0), joint=rm.SphericalEuler("xyz"), com=(0.1, 0, 0), qdot=(2, 9, 3), name="top")
    return scene


def soft() -> rm.Scene:
    """A cloth that hangs from a body that swings."""
    scene = rm.Scene(title="flag")
    pole = scene.add_body(rm.Cuboid((0.3, 0.05, 0.05), mass=1.0), joint=rm.Revolute("y"), com=(0.15, 0, 0), name="pole")
    cloth = rm.Cloth((0.2, 0.2), (3, 3), density=0.3, stretch=50.0, shear=5.0, name="a/flag")
    scene.add_deformable(cloth.attach(pole, [0, 1, 2, 3]))
    return scene


def rolling() -> rm.Scene:
    """Coordinates that follow from one."""
    scene = rm.Scene(title="gears")
    scene.add_body(rm.Cylinder(0.1, 0.05, mass=1.0), joint=rm.Revolute("z"), name="wheel")
    scene.add_body(rm.Cylinder(0.2, 0.05, mass=1.0), joint=rm.Revolute("z"), at=(0.3, 0, 0), name="other")
    scene.set_map(np.array([[1.0], [-0.5]]), q=0.3, qdot=2.0)
    return scene


def blowing() -> rm.Scene:
    """A spring that forward Euler cannot follow."""
    scene = rm.Scene(title="blowing")
    bar = rm.Cuboid((0.4, 0.1, 0.1), mass=1.0)
    scene.add_body(bar, joint=rm.Revolute("y"), com=(0.2, 0, 0), q=1.0, rest=0.0, stiffness=1e5, name="bar")
    return scene
