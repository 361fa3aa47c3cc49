"""What constraints do in a scene: closed forms, other ways to say the same, and scenes that ask for what cannot be."""

from __future__ import annotations

import re

import numpy as np
import pytest

import redmax as rm
from constraints.samples import SAMPLES, scene_with
from redmax.lie import se3, so3

G = 9.81
TURNED = se3.pose(so3.exp(np.array([0.7, -0.4, 1.1])), np.array([0.3, -0.2, 0.5]))


def run(scene: rm.Scene, duration: float = 0.5, integrator: str = "rk4", **more) -> rm.Trajectory:
    return rm.simulate(scene, duration, dt=0.01, integrator=integrator, dynamics="recursive", progress=False, **more)


def shafts(*speeds: float) -> rm.Scene:
    """Wheels of inertia 1, 2, ... about z, each with its speed, and a torque of 3 on the first."""
    scene = rm.Scene()
    for k, speed in enumerate(speeds):
        body = rm.MassProperties(1.0, [1 + k, 1 + k, 1 + k])
        scene.add_body(body, joint=rm.Revolute("z"), qdot=speed, name=f"shaft{k}", torque=3.0 if k == 0 else None)
    return scene


def test_a_gear_shares_torque_as_its_ratio_says():
    """I0 + I1 / n^2 is what turns, with q0 = n q1."""
    scene = shafts(-2.0, 1.0)
    scene.add_constraint(rm.Gear("shaft0", "shaft1", -2.0))
    found = run(scene)
    rate = 3.0 / (1.0 + 2.0 / 4.0)
    np.testing.assert_allclose(found.qdot[-1, 0], -2.0 + rate * 0.5, rtol=1e-12)
    np.testing.assert_allclose(found.q[:, 0], -2.0 * found.q[:, 1], atol=1e-12)


def test_a_nut_on_a_spindle_moves_by_its_lead():
    scene = rm.Scene()
    scene.add_body(rm.MassProperties(1.0, [1, 1, 0.02]), joint=rm.Revolute("z"), name="spindle")
    scene.add_body(rm.MassProperties(3.0, [1, 1, 1]), joint=rm.Prismatic("z"), name="nut", q=0.3)
    scene.add_constraint(rm.ScrewCoupling("spindle", "nut", 0.4))
    p = 0.4 / (2 * np.pi)
    found = run(scene)
    np.testing.assert_allclose(found.q[-1, 1], 0.3 - 0.5 * G * 3 * p * p / (3 * p * p + 0.02) * 0.25, rtol=1e-12)


def test_equal_angles_a_coupling_gears_and_a_function_say_the_same():
    def motion(*constraints: rm.Constraint) -> np.ndarray:
        scene = shafts(1.0, 1.0, 1.0)
        for c in constraints:
            scene.add_constraint(c)
        return run(scene).q

    names = ["shaft0", "shaft1", "shaft2"]
    first = motion(rm.EqualAngles(names))
    for other in (
        (rm.Coupling({"shaft0": 1, "shaft1": -1}), rm.Coupling({"shaft1": 1, "shaft2": -1})),
        (rm.Gear("shaft0", "shaft1", 1), rm.Gear("shaft1", "shaft2", 1)),
        (rm.constraint(lambda a, b, c: [a[0] - b[0], b[0] - c[0]], joints=names, rows=2),),
        (rm.constraint(lambda a, u, b, v, c, w: [u[0] - v[0], v[0] - w[0]], joints=names, rows=2, velocities=True),),
    ):
        np.testing.assert_allclose(motion(*other), first, atol=1e-12)


def weights(wheel: float) -> rm.Scene:
    """3 kg and 2 kg on either side of a wheel of radius 0.2 about y."""
    scene = rm.Scene()
    if wheel:
        scene.add_body(rm.MassProperties(wheel, [1, 0.02 * wheel, 1]), joint=rm.Revolute("y"), name="wheel")
    for name, mass, x in (("left", 3, -0.2), ("right", 2, 0.2)):
        scene.add_body(rm.Sphere(0.1, mass=mass), joint=rm.Prismatic("z"), at=(x, 0, -1), name=name)
    return scene


@pytest.mark.parametrize("wheel", [0.0, 4.0])
def test_atwoods_machine(wheel):
    """a = g (m1 - m2) / (m1 + m2 + I / r^2), with a rope that slides and with a belt that turns the wheel."""
    scene = weights(wheel)
    left, right = scene.find("left"), scene.find("right")
    if wheel:
        scene.add_constraint(rm.Belt([left, rm.Pulley(scene.find("wheel"), 0.2), right], closed=False))
    else:
        scene.add_constraint(rm.Rope([left, rm.Pulley((0, 0, 0), 0.2), right], slack=False))
    found = run(scene)
    expected = 0.5 * G / (5 + 0.02 * wheel / 0.04) * found.t**2
    np.testing.assert_allclose(found.q[:, -1], expected, atol=1e-9)
    np.testing.assert_allclose(found.q[:, -2], -expected, atol=1e-9)


def test_a_belt_around_two_wheels_is_a_gear():
    def wheels(constraint: rm.Constraint) -> np.ndarray:
        scene = rm.Scene()
        for k, x in enumerate((0.0, 1.0)):
            scene.add_body(rm.MassProperties(1.0, [1, 1 + k, 1]), joint=rm.Revolute("y"), at=(x, 0, 0), name=f"w{k}", torque=k + 1.0)
        scene.add_constraint(constraint)
        return run(scene).q

    places = [rm.BodyHandle("w0", 0, "w0"), rm.BodyHandle("w1", 1, "w1")]
    for sense, sign in (("positive", 1), ("negative", -1)):
        belt = rm.Belt([rm.Pulley(places[0], 0.1), rm.Pulley(places[1], 0.25, winding=sense)])  # type: ignore[arg-type]
        np.testing.assert_allclose(wheels(belt), wheels(rm.Gear("w0", "w1", sign * 2.5)), atol=1e-10)


def test_the_length_of_a_rope_around_a_wheel():
    """Two spans and an arc, against geometry; around it once more, a whole turn longer."""
    here, there = np.array([-1.0, 0.0, -2.0]), np.array([0.7, 0.3, -1.5])
    length = []
    for turns in (0, 1):
        scene = rm.Scene()
        end = scene.add_body(rm.Sphere(0.1), joint=rm.Translational(), q=there)
        scene.add_constraint(rm.Rope([here, rm.Pulley((0, 0, 0), 0.4, turns=turns), end]))
        length.append(scene.model().constraints[0].length)  # type: ignore[attr-defined]
    flat = [np.array([p[0], p[2]]) for p in (here, there)]
    spans = [np.sqrt(p @ p - 0.16) for p in flat]
    away = [np.arccos(0.4 / np.linalg.norm(p)) for p in flat]
    between = 2 * np.pi - np.arccos(flat[0] @ flat[1] / np.linalg.norm(flat[0]) / np.linalg.norm(flat[1]))  # over the top
    expected = spans[0] + np.hypot(spans[1], 0.3) + 0.4 * (between - sum(away))
    np.testing.assert_allclose(length, [expected, expected + 0.8 * np.pi], rtol=1e-12)


@pytest.mark.parametrize("turns", [False, True])
def test_a_prescribed_point_goes_where_it_is_told(turns):
    """In the world, and in the axes of a body that turns about z by t, from whose x axis it begins."""
    scene = rm.Scene()
    disc = scene.add_body(rm.Sphere(0.1), joint=rm.Revolute("z"), motion=lambda t: t, name="disc")
    ball = scene.add_body(rm.Sphere(0.1), joint=rm.Translational(), q=(1, 0, 0), qdot=(0, 1 if turns else 0, 0), name="ball")
    scene.add_constraint(rm.PrescribedPoint(ball, lambda t: [1 + t * t, 0.0, 0.0], relative_to=disc if turns else None))
    found = run(scene)
    x, angle = 1 + found.t**2, found.t * turns
    np.testing.assert_allclose(found.q[:, 1:], np.stack([x * np.cos(angle), x * np.sin(angle), 0 * x], axis=-1), atol=1e-8)


def test_a_prescribed_joint_as_a_row_is_one_out_of_the_equations():
    def motion(as_row: bool) -> np.ndarray:
        scene = rm.Scene()
        move = lambda t: [0.3 * rm.math.sin(2 * t)]  # noqa: E731
        more = {} if as_row else {"motion": move}
        rod = rm.Cuboid((0.4, 0.05, 0.05))
        a = scene.add_body(rod, joint=rm.Revolute("y"), com=(0.2, 0, 0), name="a", qdot=0.6 if as_row else None, **more)
        scene.add_body(rod, joint=rm.Revolute("y"), parent=a, at=(0.4, 0, 0), com=(0.2, 0, 0), name="b")
        if as_row:
            scene.add_constraint(rm.PrescribedCoordinate("a", move))
        return run(scene).q

    np.testing.assert_allclose(motion(True), motion(False), atol=1e-9)


@pytest.mark.parametrize("integrator", ["euler", "implicit"])
def test_a_hard_limit_and_a_slack_rope_stop_what_falls(integrator):
    scene = rm.Scene()
    scene.add_body(rm.Sphere(0.1, mass=2), joint=rm.Prismatic("z"), name="a")
    b = scene.add_body(rm.Sphere(0.1, mass=2), joint=rm.Prismatic("z"), name="b", at=(1, 0, 0))
    c = scene.add_body(rm.Sphere(0.1, mass=2), joint=rm.Prismatic("z"), name="c", at=(2, 0, 0))
    scene.add_constraint(rm.HardLimit("a", lower=-0.5))
    scene.add_constraint(rm.Rope([(1, 0, 0), b], 0.5))
    scene.add_constraint(rm.constraint(lambda site: site.x[2], bodies=[c], lower=-0.5))
    found = run(scene, 1.0, integrator)
    assert found.q.min() > -0.5 - 1e-3
    np.testing.assert_allclose(found.q[-1], -0.5, atol=1e-6)
    assert np.abs(found.qdot[-1]).max() < 1e-6


def test_turning_the_world_changes_nothing():
    """Constraints between two free bodies and between joints, in axes that are tilted, and gravity with them."""
    names = ["Distance", "PointInPlane", "Belt", "Coupling"]
    first, turned = (run(scene_with(*names, placed=C), 0.03).q for C in (None, TURNED))
    np.testing.assert_allclose(turned, first, atol=1e-9)


BAD = {
    "acts on 'driven' alone, which no joint can move ('driven' has a prescribed motion)": lambda s: s.add_constraint(
        rm.constraint(lambda a: a.x[0], bodies=[s.find("driven").point(0.1, 0, 0)], name="c")
    ),
    "acts between places that never move against each other: 'fixed', by Fixed joints, is one with the world": lambda s: s.add_constraint(
        rm.Distance(s.find("fixed"), (5, 0, 0))
    ),
    "'a' and 'on a', by Fixed joints, is one with 'a'": lambda s: s.add_constraint(rm.Distance(s.find("a"), s.find("on a"))),
    "asks for the motion of 'driven', which is prescribed already, by motion= of add_body": lambda s: s.add_constraint(
        rm.PrescribedCoordinate("driven", 0.0)
    ),
    "Coordinate 0 of the joint 'a' is prescribed twice, by 'one' and 'two'": lambda s: [
        s.add_constraint(rm.PrescribedCoordinate("a", 0.0, name=n)) for n in ("one", "two")
    ],
    "its two points are at the same place": lambda s: s.add_constraint(rm.Distance(s.find("a"), (0.3, 0, 0))),
    "the axes of its pulleys 0 and 1 (from 0) are not parallel": lambda s: s.add_constraint(
        rm.Belt([rm.Pulley(s.find("a"), 0.1, axis="z"), rm.Pulley((3, 0, 0), 0.1, axis="x")])
    ),
    "no line touches both": lambda s: s.add_constraint(rm.Belt([rm.Pulley(s.find("a"), 0.5), rm.Pulley((0.4, 0, 0), 0.1)])),
    "is not linear in velocities, in row 1": lambda s: s.add_constraint(
        rm.constraint(lambda a: [a.v[0], a.v @ a.v], bodies=[s.find("a")], rows=2, velocities=True)
    ),
    "reads the joint 'ball', Spherical, which may exchange its coordinates": lambda s: s.add_constraint(rm.HardLimit("ball", -1, 1)),
    "reads the joint 'fixed', Fixed, which has no degree of freedom": lambda s: s.add_constraint(rm.HardLimit("fixed", -1, 1)),
    "lower has 2 numbers, and the joint 'a' has 1": lambda s: s.add_constraint(rm.HardLimit("a", [-1, 1])),
}


def built(scene: rm.Scene, add) -> rm.Model:
    add(scene)
    return scene.model()


@pytest.mark.parametrize("said", list(BAD))
def test_a_scene_that_cannot_be_is_told_why(said):
    scene = rm.Scene()
    scene.add_body(rm.Sphere(0.1), name="fixed")
    a = scene.add_body(rm.Sphere(0.1), joint=rm.Revolute("y"), com=(0.3, 0, 0), name="a")
    scene.add_body(rm.Sphere(0.1), parent=a, at=(0.5, 0, 0), name="on a")
    scene.add_body(rm.Sphere(0.1), joint=rm.Revolute("y"), com=(0.3, 0, 0), name="driven", motion=lambda t: t)
    scene.add_body(rm.Sphere(0.1), joint=rm.Spherical(), com=(0.3, 0, 0), name="ball")
    with pytest.raises(rm.SceneError, match=re.escape(said)):
        built(scene, BAD[said])


def test_constraints_show_themselves_on_a_line():
    for name, make in SAMPLES.items():
        text = repr(make())
        assert text.partition("(")[0] in (type(make()).__name__, "constraint"), name
        assert "\n" not in text
        assert len(text) < 200
