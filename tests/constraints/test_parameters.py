"""Numbers of constraints may differ from world to world, as those of forces do."""

from __future__ import annotations

import numpy as np
import pytest

import redmax as rm


def swing(length: float = 1.0, k: float = 2.0, upper: float = 0.3, com: float = 0.2) -> rm.Scene:
    """A ball on a rod, wheels that turn together, a hinge with a stop, and a bar on a thread that holds on to it at its centre."""
    scene = rm.Scene()
    ball = scene.add_body(rm.Sphere(0.1, mass=1), joint=rm.Translational(), q=(0.6, 0, -0.8), name="ball")
    scene.add_constraint(rm.Distance(ball, (0, 0, 0), length, name="rod", gain=4))
    for name in ("one", "two"):
        scene.add_body(rm.Cuboid((0.3, 0.1, 0.1)), joint=rm.Revolute("y"), com=(0.15, 0, 0), name=name)
    scene.add_constraint(rm.constraint(lambda a, b, k: a[0] - k * b[0], joints=["one", "two"], k=k, name="own", gain=4))
    scene.add_body(rm.Cuboid((0.3, 0.1, 0.1)), joint=rm.Revolute("y"), com=(0.15, 0, 0), name="flap")
    scene.add_constraint(rm.HardLimit("flap", None, upper, name="stop"))
    bar = scene.add_body(rm.MassProperties(1.0, [0.1, 0.1, 0.1]), joint=rm.Revolute("y"), com=(com, 0, 0), at=(2, 0, 0), name="bar")
    scene.add_constraint(rm.PrescribedPoint(bar.point(0.1, 0, 0), (2.3, 0, -0.1), name="thread", gain=4, compliance=0.1))
    return scene


def test_worlds_with_other_numbers_are_scenes_with_other_numbers():
    given = {"length": [1.0, 0.9, 1.2], "k": [2.0, 1.0, -0.5], "upper": [0.3, 0.1, 0.2], "com": [0.2, 0.25, 0.3]}
    names = {"length": "rod.length", "k": "own.k", "upper": "stop.upper", "com": "bar.com.x"}
    more = {"dt": 0.01, "integrator": "implicit", "progress": False}
    many = rm.simulate(swing(), 0.3, parameters={names[n]: np.array(v) for n, v in given.items()}, **more)
    for w in range(3):
        one = rm.simulate(swing(**{n: v[w] for n, v in given.items()}), 0.3, **more)
        np.testing.assert_allclose(many.q[:, w], one.q, atol=1e-12)


@pytest.mark.parametrize("name", ["rod.compliance", "turn.gain"])
def test_what_would_make_another_constraint_is_no_parameter(name):
    scene = swing()
    scene.add_constraint(rm.Gear("one", "two", 2.0, name="turn"))
    with pytest.raises(rm.SceneError, match="cannot be a parameter"):
        rm.simulate(scene, 0.01, dt=0.01, integrator="euler", parameters={name: [1.0, 2.0]}, progress=False)
