"""Sliding, rolling, bouncing and fast bodies against what can be written down; errors are of the first order in dt, as of the method."""

from __future__ import annotations

import numpy as np
import pytest

import redmax as rm
from contact.worlds import DT, G, on_ground, place, ran, speed

CUBE, BALL = rm.Cuboid((0.2, 0.2, 0.2), mass=1.0), rm.Sphere(0.1, mass=1.0)
SETTLED = 0.1 - 1e-5  # m: about where the cube and the ball stand


def sliding_distance(v: float, mu: float, dt: float) -> float:
    run = ran(on_ground(CUBE, SETTLED, (v, 0, 0), friction=mu), 0.5, dt)
    assert np.abs(speed(run)[-1]).max() < 1e-9
    return float(place(run)[-1, 0])


def test_a_box_slides_as_far_as_friction_lets_it():
    """v^2 / (2 mu g), less v dt / 2 and what it takes until its weight is carried."""
    v, mu = 2.0, 0.5
    errors = [abs(sliding_distance(v, mu, dt) - v * v / (2 * mu * G)) for dt in (DT, DT / 4)]
    assert errors[0] < 2 * v * DT
    assert errors[1] < 0.4 * errors[0]


def test_a_box_slides_straight_on_whatever_the_direction():
    """Friction is a cone, not a pyramid."""
    ends = [place(ran(on_ground(CUBE, SETTLED, (np.cos(a), np.sin(a), 0), friction=0.5), 0.4))[-1] for a in (0.0, 0.4, np.pi / 4)]
    ways = [np.hypot(x, y) for x, y, _ in ends]
    assert ways == pytest.approx([ways[0]] * 3, rel=1e-5)
    assert [np.arctan2(y, x) for x, y, _ in ends] == pytest.approx([0.0, 0.4, np.pi / 4], abs=1e-6)


def test_a_ball_that_slides_begins_to_roll_at_five_sevenths_of_its_speed():
    """After 2 v / (7 mu g), and keeps that speed."""
    v, mu = 2.0, 0.3
    run = ran(on_ground(BALL, SETTLED, (v, 0, 0), friction=mu), 1.0)
    along = np.gradient(place(run)[:, 0], run.t)
    assert along[-50:-1] == pytest.approx(np.full(49, 5 / 7 * v), rel=2e-3)
    omega = speed(run)[-1, :3]
    assert np.abs(omega).max() == pytest.approx(5 / 7 * v / 0.1, rel=2e-3)
    rolls = run.t[np.flatnonzero([s.state[0] == "sliding" for s in run.contacts if len(s)])[-1]]
    assert rolls == pytest.approx(2 * v / (7 * mu * G), abs=10 * DT)


@pytest.mark.parametrize("e", [0.5, 0.9])
def test_a_ball_bounces_to_e_squared_of_its_height(e):
    """Of the lowest point, from impact to impact; errors of the first order in dt."""
    height, tops = 1.0, []
    for dt in (DT, DT / 4):
        run = ran(on_ground(BALL, 0.1 + height, restitution=e), 1.8, dt)
        z = place(run)[:, 2] - 0.1
        inner = np.flatnonzero((z[1:-1] > z[:-2]) & (z[1:-1] >= z[2:])) + 1
        tops.append(z[inner[:2]])
    expected = np.array([e**2, e**4]) * height
    assert tops[0] == pytest.approx(expected, abs=12 * DT)
    assert np.abs(tops[1] - expected).max() < 0.6 * np.abs(tops[0] - expected).max()
    assert (np.array(tops) <= expected + 2 * DT).all()  # it turns round up to a step before it touches


def shot_at_plate(speed: float, radius: float, begin: float, beside: float | None = None) -> rm.Trajectory:
    """A ball along x towards a plate of 1 cm that stands in the world at x = 1; beside: how far it passes from its upper edge."""
    scene = rm.Scene(gravity=(0, 0, 0))
    scene.add_obstacle(rm.Cuboid((0.01, 1.0, 1.0), mass=1), at=(1.0, 0, 0), name="plate")
    place = (begin, 0, 0 if beside is None else 0.5 + radius + beside)
    scene.add_body(rm.Sphere(radius, mass=1.0), joint=rm.Free3D(), at=place, qdot=(speed, 0, 0, 0, 0, 0), contact=True, name="body")
    return ran(scene, 0.05)


@pytest.mark.parametrize(("radius", "speed"), [(0.1, 100.0), (0.05, 100.0), (0.005, 30.0), (0.005, 300.0)])
def test_a_fast_ball_does_not_pass_a_thin_plate(radius, speed):
    """Up to 60 cm in a step, whatever part of that is left before the plate; nor does it sink in by more than a tenth of its size."""
    for begin in np.linspace(1 - 6 * speed * DT, 1 - 5 * speed * DT, 6):
        x = place(shot_at_plate(speed, radius, begin))[:, 0]
        assert x.max() < 0.995 - 0.9 * radius
        assert x[-1] > 0.995 - 3 * radius  # it is not thrown back


@pytest.mark.parametrize("turn", [0.2, 0.5])
def test_the_end_of_an_arm_does_not_pass_a_thin_plate_that_turns_by_half_a_radian_in_a_step(turn):
    for begin in np.linspace(-1.4, -0.3, 12):
        scene = rm.Scene(gravity=(0, 0, 0))
        scene.add_obstacle(rm.Cuboid((0.5, 0.01, 0.5)), at=(0.75, 0, 0), name="plate")
        along = rm.pose(rm.rotation_about("y", np.pi / 2), (0.5, 0, 0))
        joint, fast = rm.Revolute("z"), turn / DT
        scene.add_body(rm.Capsule(0.02, 0.9, mass=1.0), joint=joint, body=along, q=begin, qdot=fast, contact=True, name="arm")
        assert ran(scene, 10 * DT).q[:, 0].max() < 0.0


@pytest.mark.parametrize("fast", [1e3, 1e5])
def test_a_ball_does_not_pass_the_ground_at_any_speed(fast):
    run = ran(on_ground(rm.Sphere(0.01, mass=0.1), 10.0, (0, 0, -fast)), 0.1)
    assert place(run)[:, 2].min() > 0.0
    assert np.abs(run.qdot[-1]).max() < 0.1


@pytest.mark.parametrize(
    ("speed", "beside"),
    [(2.0, 0.007), (20.0, 0.045), (100.0, 0.21)],
)
def test_a_ball_that_passes_an_edge_is_not_deflected(speed, beside):
    """Beyond what it moves in a step, and a margin of 2 % of its radius."""
    run = shot_at_plate(speed, 0.1, 1 - 0.025 * speed, beside)
    assert place(run)[-1] == pytest.approx([1 + 0.025 * speed, 0, 0.6 + beside], abs=1e-9)
