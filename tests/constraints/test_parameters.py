"""Numbers of constraints may differ from world to world, as those of forces do."""

from __future__ import annotations

import numpy as np
import pytest

import redmax as rm
from constraints.samples import scene_with
from dynamics.agreement import agree
from dynamics.differences import rate
from redmax.components.numbers import made_with, numbers_in
from redmax.dynamics.common.parameter_slopes import are_poses, value_of
from redmax.lie import se3
from redmax.model.parameters import known_parameters


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


KINDS = ("Belt", "PointInPlane")
LONG = ("Distance", "HingeClosure", "Coupling", "own, of positions", "Rope over pulleys", "PrescribedFrame", "HardLimit")


@pytest.mark.parametrize("kind", [*KINDS, *[pytest.param(kind, marks=pytest.mark.long) for kind in LONG]])
def test_arguments_within_are_numbers_too(kind):
    """Places, axes, radii of pulleys, factors: as a scene with them, and with slopes that agree with differences."""
    scene, rng = scene_with(kind), np.random.default_rng(5)
    made, model = scene.constraints[0], scene.model()
    known = known_parameters(model)
    q, qdot, tau = model.q0, rng.normal(size=model.nv), rng.normal(size=model.nv)
    paths = {".".join((str(made.name), *path)): path for path in numbers_in(made) if path[-1] not in ("compliance", "gain", "k")}
    assert paths
    for name, path in paths.items():
        value = value_of(known[name])
        step = 0.1 * (rng.normal(size=6) if are_poses(value) else rng.normal(size=value.shape) * np.maximum(np.abs(value), 0.1))

        def moved(h, value=value, step=step):
            return value @ se3.exp(h * step) if are_poses(value) else value + h * step

        if kind == "Belt" and (are_poses(value) or name.endswith("axis")):  # pulleys stay side by side together alone
            with pytest.raises(rm.SceneError, match="are not parallel"):
                rm.Dynamics(model, "interpret", parameters={name: moved(1.0)})
            continue
        d, other = rm.Dynamics(model, "interpret", parameters={name: moved(1.0)}), scene_with(kind)
        again = made_with(other.constraints[0], {path: moved(1.0)}).replaced(bodies=made.bodies, joints=made.joints, name=made.name)
        other.constraints[0] = again.fitted([other.links[b.index].joint for b in made.joints])
        assert agree(d.forward(q, qdot, tau, t=0.2), rm.Dynamics(other, "interpret").forward(q, qdot, tau, t=0.2), 1e-11), name
        found = rm.Dynamics(model, "interpret", parameters={name: value}).forward_derivatives(q, qdot, tau, t=0.2).parameters[name]
        slope = rate(lambda h: rm.Dynamics(model, "interpret", parameters={name: moved(h)}).forward(q, qdot, tau, t=0.2), 0.02)  # noqa: B023
        assert agree(found.reshape(model.nv, -1) @ step.ravel(), slope, 1e-7, 1e-3), name


def test_gaps_change_with_places_of_their_own():
    model = scene_with("Distance").model()
    d, name = rm.Dynamics(model, "interpret"), str(model.constraints[0].name)
    place = known_parameters(model)[f"{name}.first"].default
    for k in range(3):
        at = lambda h: {f"{name}.first": place + h * np.eye(3)[k]}  # noqa: B023, E731
        slope = rate(lambda h: rm.Dynamics(model, "interpret", parameters=at(h)).constraint_gap(model.q0), 1e-2)  # noqa: B023
        assert agree(d.constraint_gap_derivative(model.q0, f"{name}.first")[0, k], slope[0], 1e-10)
    with pytest.raises(rm.SceneError, match="how a frame is turned, by which gaps are not differentiated"):
        d.constraint_gap_derivative(model.q0, "a.at.turn")
