"""Slides and hinges whose friction can be said in closed form."""

from __future__ import annotations

from math import cos, sin

import numpy as np
import pytest

import redmax as rm

DYNAMICS = ("redmax", "recursive")


def slide(friction: float, slope: float, **shape: object) -> rm.Scene:
    scene = rm.Scene()
    at = rm.pose(rm.rotation_about("y", slope), (0, 0, 0))
    block = scene.add_body(rm.Cuboid((0.2, 0.2, 0.2), mass=2), joint=rm.Prismatic("x"), at=at, name="block")
    scene.add_force(rm.JointFriction(block, friction, **(shape or {"size": (0.4, 0.2, 0.2)}), name="rub"))  # type: ignore[arg-type]
    return scene


@pytest.mark.parametrize("dynamics", DYNAMICS)
def test_a_slide_on_a_slope_accelerates_by_what_friction_leaves(dynamics):
    run = rm.simulate(slide(0.2, 0.5), duration=1, dt=0.01, dynamics=dynamics)
    assert np.isclose(run.qdot[-1, 0], 9.81 * (sin(0.5) - 0.2 * cos(0.5)), rtol=1e-12)
    history = run.rubbing("rub")
    assert np.allclose(history.torque[1:, 0], -0.2 * 2 * 9.81 * cos(0.5))
    assert np.allclose(np.abs(history.normals[1:]).sum(axis=-1), 2 * 9.81 * cos(0.5))
    assert np.allclose(run.reaction("block")[-1], [0, 0, 0, -0.2 * 2 * 9.81 * cos(0.5), 0, 2 * 9.81 * cos(0.5)], atol=1e-9)


@pytest.mark.parametrize(("slope", "sticks"), [(0.99, True), (1.01, False)])
def test_a_slide_sticks_below_the_angle_of_friction(slope, sticks):
    run = rm.simulate(slide(0.5, slope * np.arctan(0.5)), duration=1, dt=0.01)
    assert (abs(run.qdot[-1, 0]) < 1e-12) == sticks


@pytest.mark.parametrize("height", [0.2, 2e-4])
def test_normals_that_only_push_agree_but_for_the_lever_of_friction(height):
    """Staggered projections (Alg. 7) against bilateral ones: what slides rubs below alone, and its corners bear mu z / 2 l of it more."""
    bears = {}
    for contact in ("bilateral", "unilateral"):
        scene = slide(0.2, 0.5, size=(0.4, 0.2, height))
        scene.set_staggering(tolerance=1e-12, contact=contact)
        run = rm.simulate(scene, 0.2, 0.01, dynamics="redmax")
        bears[contact] = np.abs(run.rubbing("rub").normals[-1]).sum()
        assert np.isclose(run.qdot[-1, 0], 0.2 * (9.81 * sin(0.5) - 0.2 * bears[contact] / 2), rtol=1e-6)
    assert np.isclose(bears["bilateral"], 2 * 9.81 * cos(0.5))
    assert np.isclose(bears["unilateral"] / bears["bilateral"], 1 + 0.2 * height / (2 * 0.4), rtol=1e-6)


def test_a_weight_that_overhangs_jams_its_slide():
    """Corners bear 2 M / l of a moment M: from a lever of l / (2 mu) on friction holds any load, once it bears a little sideways."""
    scene = rm.Scene()
    at = rm.pose(rm.rotation_about("x", 0.02), (0, 0, 0))
    arm = scene.add_body(rm.Cuboid((1.2, 0.1, 0.1), mass=1), joint=rm.Prismatic("z"), at=at, com=(0.6, 0, 0))
    scene.set_staggering(iterations=1000)
    scene.add_force(rm.JointFriction(arm, 0.5, size=(0.4, 0.1, 0.1)))
    assert abs(rm.simulate(scene, duration=0.5, dt=0.01).qdot[-1, 0]) < 1e-9


@pytest.mark.parametrize("dynamics", DYNAMICS)
def test_a_hinge_slows_by_what_it_bears(dynamics):
    """A bar that turns about its end without weight: |alpha| = c (w^2 + |alpha|), c = mu r m l / I, bears m l w^2 along it and
    m l |alpha| across, which the four points of each end add up."""
    scene, mass, lever = rm.Scene(gravity=(0, 0, 0)), 1.5, 0.3
    bar = scene.add_body(rm.Cuboid((0.3, 0.1, 0.1), mass=mass), joint=rm.Revolute("y"), com=(lever, 0, 0), qdot=10)
    scene.add_force(rm.JointFriction(bar, 0.1, radius=0.02, height=0.05))
    scene.set_staggering(tolerance=1e-14)
    inertia = mass * (0.3**2 + 0.1**2) / 12 + mass * lever**2
    c = 0.1 * 0.02 * mass * lever / inertia
    ends = [rm.simulate(scene, 1, dt, dynamics=dynamics).qdot[-1, 0] for dt in (0.002, 0.001)]
    exact = 10 / (1 + 10 * c / (1 - c))
    assert np.isclose(2 * ends[1] - ends[0], exact, rtol=1e-7)
    assert 1.8 < (ends[0] - exact) / (ends[1] - exact) < 2.2  # of first order


def test_the_wrench_of_a_second_joint_has_what_turning_takes():
    """A rod that slides out of a turning one without weight bears 2 m w v across, its Coriolis force."""
    scene = rm.Scene(gravity=(0, 0, 0))
    hub = scene.add_body(rm.Sphere(0.1, mass=1e6), joint=rm.Revolute("z"), qdot=3)
    rod = scene.add_body(rm.Sphere(0.1, mass=1), parent=hub, joint=rm.Prismatic("x"), q=0.5, qdot=2)
    scene.add_force(rm.JointFriction(rod, 1e-9, size=(1, 0.1, 0.1), name="rub"))
    run = rm.simulate(scene, duration=0.001, dt=1e-5)
    assert np.isclose(np.abs(run.rubbing("rub").normals[1]).sum(), 2 * 3 * 2, rtol=1e-3)


def test_more_sides_come_nearer_to_the_disc():
    """A ball joint that spins about an axis between those of its tangents."""

    def left(sides: int | None) -> float:
        scene = rm.Scene()
        top = scene.add_body(rm.Cuboid((0.1, 0.2, 0.3), mass=1), joint=rm.Spherical(), com=(0, 0, -0.3), qdot=(0.3, 0.8, 2))
        scene.add_force(rm.JointFriction(top, 0.3, radius=0.05, sides=sides))
        return float(rm.simulate(scene, duration=0.5, dt=0.005).energy.kinetic[-1])

    disc = left(None)
    off = [abs(left(sides) - disc) for sides in (4, 8, 32)]
    assert 10 * off[2] < off[0]
    assert 1e-4 < off[0] > off[1]
