"""The mechanisms that integrators are held to."""

from __future__ import annotations

import numpy as np

import redmax as rm


def driven(gain: float = 0.0) -> rm.Scene:
    """Four kinds of joint, one of them prescribed; springs, dampers, a torque and a world force that depend on time."""
    scene = rm.Scene()
    base = scene.add_body(
        rm.Cuboid((0.2, 0.1, 0.3), mass=2.0), joint=rm.Revolute("z"), motion=lambda t: [0.6 * np.sin(2.0 * t)], gain=gain, name="base"
    )
    arm = scene.add_body(
        rm.Cuboid((0.4, 0.1, 0.1), mass=1.0),
        joint=rm.Universal(),
        parent=base,
        at=(0.1, 0, 0),
        com=(0.2, 0, 0),
        q=(0.3, -0.2),
        qdot=(0.5, 1.0),
        stiffness=3.0,
        damping=0.1,
        name="arm",
    )
    slider = scene.add_body(
        rm.Cuboid((0.3, 0.1, 0.1), mass=0.7),
        joint=rm.Prismatic("x"),
        parent=arm,
        at=(0.4, 0, 0),
        com=(0.1, 0, 0.05),
        q=0.02,
        stiffness=40.0,
        torque=lambda t, q, qdot: [2.0 * np.cos(5.0 * t) * np.exp(-t)],
        name="slider",
    )
    ball = scene.add_body(
        rm.Sphere(0.1, mass=0.5),
        joint=rm.Spherical(),
        parent=slider,
        at=(0.2, 0, 0),
        com=(0.05, 0.02, -0.1),
        q=(0.2, 0.4, -0.3),
        qdot=(1.0, -2.0, 0.5),
        damping=0.05,
        name="ball",
    )
    scene.add_wrench(ball, force=lambda t: [np.sin(3.0 * t), 0.0, 1.0], frame="world")
    return scene


def conservative() -> rm.Scene:
    """A swinging chain of three kinds of joint with springs."""
    scene = rm.Scene()
    first = scene.add_body(
        rm.Cuboid((0.4, 0.1, 0.1), mass=1.0), joint=rm.Spherical(), com=(0.2, 0, 0), q=(0.3, -0.2, 0.4), qdot=(0.5, 1.0, 3.0)
    )
    second = scene.add_body(
        rm.Cuboid((0.3, 0.1, 0.1), mass=0.7), joint=rm.Revolute("y"), parent=first, at=(0.4, 0, 0), com=(0.15, 0, 0), stiffness=2.0, q=0.5
    )
    scene.add_body(
        rm.Cuboid((0.3, 0.1, 0.2), mass=0.7),
        joint=rm.Prismatic((1, 0, 1)),
        parent=second,
        at=(0.3, 0, 0),
        com=(0.05, 0, 0),
        stiffness=200.0,
        q=0.02,
    )
    return scene


def branching() -> rm.Scene:
    """A trunk with three branches, one of which branches again."""
    scene = rm.Scene()
    bar = rm.Cuboid((0.3, 0.1, 0.1), mass=1.0)
    trunk = scene.add_body(bar, joint=rm.Revolute("y"), com=(0.15, 0, 0))
    for k in range(3):
        branch = scene.add_body(bar, joint=rm.Revolute("xyz"[k]), parent=trunk, at=(0.3, 0.1 * k, 0), com=(0.1, 0, 0.1), qdot=1.0 + k)
    for k in range(2):
        scene.add_body(bar, joint=rm.Prismatic("x"), parent=branch, at=(0.2, 0, 0.1 * k), stiffness=100.0, q=0.1)
    return scene


def pendulum(q: float = 1.0) -> rm.Scene:
    scene = rm.Scene()
    scene.add_body(rm.Cuboid((0.4, 0.1, 0.1), mass=1.0), joint=rm.Revolute("y"), com=(0.2, 0, 0), q=q, name="bar")
    return scene


def double_pendulum() -> rm.Scene:
    scene = rm.Scene()
    bar = rm.Cuboid((0.4, 0.1, 0.1), mass=1.0)
    upper = scene.add_body(bar, joint=rm.Revolute("y"), com=(0.2, 0, 0), q=-2.0)
    scene.add_body(bar, joint=rm.Revolute("y"), parent=upper, at=(0.4, 0, 0), com=(0.2, 0, 0), q=0.5)
    return scene


def somersault() -> rm.Scene:
    """A brick thrown up, turning about its middle axis."""
    scene = rm.Scene()
    scene.add_body(
        rm.Cuboid((0.3, 0.1, 0.2), mass=1.0),
        joint=rm.Free3D(),
        com=(0.1, 0, 0),
        qdot=(1.0, 0.0, 8.0, 0.1, 0.2, 9.0),
        q=(0, 0, 1, 0.3, 0, 0),
    )
    return scene


CONSERVATIVE = {"chain": conservative, "pendulum": pendulum, "double pendulum": double_pendulum, "somersault": somersault}
