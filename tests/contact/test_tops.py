"""Ellipsoids on planes, and tops: a rattleback that turns back as one that rolls does, and a tippe top that turns over."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import redmax as rm
from contact.worlds import G, on_ground, place, ran, speed
from redmax.scenes import rolling
from redmax.scenes.tops import BELOW, MOMENTS, RADIUS, rattleback, tippe_top


def test_an_ellipsoid_of_equal_radii_moves_as_a_sphere():
    shapes = rm.Sphere(0.1, mass=1.0), rm.Ellipsoid((0.1, 0.1, 0.1), mass=1.0)
    ball, round_one = (ran(on_ground(shape, 0.3, (1.0, 0.5, 0), friction=0.4, restitution=0.3), 1.0) for shape in shapes)
    assert place(ball)[-1, 0] > 0.5
    assert np.abs(place(ball) - place(round_one)).max() < 1e-12
    assert np.abs(speed(ball) - speed(round_one)).max() < 1e-9  # the solver ends at 1e-6


def test_an_ellipsoid_rocks_with_the_period_of_its_curvature():
    """omega^2 = m g (b^2 / c - c) / (I + m c^2), of one that rolls without slipping about its long axis."""
    b, c, tilt = 0.1, 0.05, 0.02
    body, scene, R = rm.Ellipsoid((0.2, b, c), mass=1.0), rm.Scene(), rm.rotation_about("x", tilt)
    scene.add_ground(contact=1.0)
    scene.add_body(body, joint=rm.Free3D(), at=rm.pose(R, (0, 0, np.hypot(b * np.sin(tilt), c * np.cos(tilt)))), contact=1.0, name="body")
    run = ran(scene, 2.0, 5e-4)
    lean = run.pose("body")[:, 2, 1]
    down = np.flatnonzero((lean[1:] < 0) & (lean[:-1] >= 0))
    expected = 2 * np.pi * np.sqrt((body.inertia[0, 0] + c * c) / (G * (b * b / c - c)))
    assert np.diff(run.t[down]).mean() == pytest.approx(expected, rel=5e-3)
    assert np.diff(run.energy.total).max() < 1e-7


def turning(scene: rm.Scene, dt: float) -> tuple[np.ndarray, float]:
    """(91,) rad/s about the vertical, each 0.1 s; and how much energy there is at most beyond that at the start, of the kinetic energy."""
    run = rm.simulate(scene, 9.0, dt, integrator="implicit", every=round(0.1 / dt), progress=False)
    assert run.contacts.residual.max() < 1e-6
    return run.twist("stone", "hybrid")[:, 2], (run.energy.total.max() - run.energy.total[0]) / run.energy.kinetic[0]


def test_a_rattleback_turns_back_as_one_that_rolls():
    """Against the same stone held by rows of velocities, with steps of a tolerance; errors of the first order in dt, no energy gained."""
    exact = rm.simulate(rolling.rattleback(), 9.0, 0.1, rtol=1e-9, progress=False).twist("stone", "hybrid")[:, 2]
    (coarse, gained), (fine, less) = (turning(rattleback(), dt) for dt in (4e-4, 1e-4))
    errors = [np.abs(found - exact)[:80].max() for found in (coarse, fine)]
    assert exact[-5] > 4
    assert errors[0] < 0.6
    assert errors[1] < 0.4 * errors[0]
    assert max(less, gained) < 1e-12


@pytest.mark.parametrize("side", [1.0, -1.0])
def test_which_way_it_turns_is_that_of_its_asymmetry(side):
    """With the inertia of Kane & Levinson (1982): one way it goes on, the other way it turns back; its mirror image does the opposite."""
    wrong, right = (side * turning(rattleback(spin, 0.25 * side), 4e-4)[0] for spin in (5.0 * side, -5.0 * side))
    assert wrong[0] == pytest.approx(5)
    assert wrong[-1] < -1.5
    assert right.max() < -4.9


@cache
def top(friction: float, duration: float = 3.0) -> rm.Trajectory:
    return rm.simulate(tippe_top(friction=friction), duration, 5e-5, integrator="implicit", every=100, progress=False)


def test_a_tippe_top_stands_up_on_its_stem():
    """Its inertia is such that it must: 1 - a < I1 / I3 < 1 + a."""
    assert 1 - BELOW < MOMENTS[0] / MOMENTS[2] < 1 + BELOW
    run = top(0.3)
    up, height = run.pose("top")[:, 2, 2], run.pose("top")[:, 2, 3]
    assert up[0] > 0.97
    assert up[run.t > 2].max() < -0.8  # stem down
    assert height[run.t > 2].min() > height[0] + 0.5 * RADIUS
    last = run.contacts[-1]
    assert last.point[last.state != "open", 2] == pytest.approx(0, abs=1e-5)
    assert run.contacts.residual.max() < 1e-6


def test_what_a_tippe_top_keeps_and_loses():
    """Jellett's number, while one point of the ball touches; energy only falls, but for what steps of the first order add."""
    run = top(0.3)
    pose, energy = run.pose("top"), run.energy.total
    L = np.einsum("tij,tj->ti", pose[:, :3, :3], run.twist("top")[:, :3] * MOMENTS)
    jellett = -(L * (BELOW * RADIUS * pose[:, :3, 2] - [0, 0, RADIUS])).sum(axis=1)
    on_ball = np.flatnonzero(pose[:, 2, 2] < -0.6)[0]
    assert np.ptp(jellett[:on_ball]) < 2e-3 * jellett[0]
    assert (energy - np.minimum.accumulate(energy)).max() < 1e-3 * energy[0]
    assert energy[-1] < 0.4 * energy[0]
    assert energy[0] == pytest.approx(0.5 * MOMENTS[2] * 250**2, rel=0.1)


def test_without_friction_it_does_not_turn_over():
    run = top(0.0, 1.0)
    assert run.pose("top")[:, 2, 2].min() > 0.95
    assert top(0.3).pose("top")[200, 2, 2] < 0.5
    assert run.energy.total[-1] == pytest.approx(run.energy.total[0], rel=0.02)


def test_what_is_given_by_its_mass_touches_as_it_is_displayed():
    shown = rm.Composite([(rm.Cuboid((0.2, 0.2, 0.2)), (0, 0, 0.05))])
    run = ran(on_ground(rm.MassProperties(1.0, (0.01, 0.01, 0.01), display=shown), 0.2), 0.6)
    assert place(run)[-1, 2] == pytest.approx(0.05, abs=2e-5)
    assert len(run.contacts[-1]) == 4
    with pytest.raises(rm.SceneError, match="'body' cannot touch others: its shape is of kind MassProperties"):
        on_ground(rm.MassProperties(1.0, (0.01, 0.01, 0.01)), 0.2)
