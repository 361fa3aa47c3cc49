"""Where a spline curve ends: a run that leaves its range says so, and a limit there pushes back and keeps the energy."""

from __future__ import annotations

import time

import numpy as np
import pytest
from numpy.testing import assert_allclose

import redmax as rm
from joints.spline_oracles import own_motion
from joints.spline_samples import pose, random_frames


def test_outside_its_range_the_motion_is_not_defined():
    joint = rm.SplineCurve(random_frames(np.random.default_rng(0), 7))
    for q in (0.0, 4.0):
        assert np.isfinite(pose(joint, q)).all()
    for q in (np.nextafter(0.0, -1.0), np.nextafter(4.0, 5.0), -3.0, np.inf, np.nan):
        assert np.isnan(np.asarray(joint.transform(np.array([q])), float)[:3]).any()
        assert np.isnan(np.asarray(joint.jacobian(np.array([q])), float)).all()


def slide(outside: dict, q: float = 0.5, **options) -> rm.Scene:
    """A body that slides down a helix without friction."""
    turn = np.linspace(0.0, 4.0, 12)
    frames = np.array([rm.pose(rm.rotation_about("z", a), (np.cos(a), np.sin(a), -0.3 * a)) for a in turn])
    scene = rm.Scene()
    scene.add_body(rm.Sphere(0.1), joint=rm.SplineCurve(frames, **outside), joint_name="slide", q=q, **options)
    return scene


@pytest.mark.parametrize("integrator", ["adaptive", "rk4", "euler", "implicit", "bdf1", "bdf2"])
def test_a_run_that_leaves_the_range_ends_and_says_so(integrator):
    with pytest.raises(rm.SimulationError, match=r"'slide' left its range \[0, 9\]; its coordinate 0 was (8\.\d+|9)") as caught:
        rm.simulate(slide({}, q=8.2), duration=10.0, dt=0.01, integrator=integrator)
    run = caught.value.trajectory
    assert 8.0 < run.q[-1, 0] <= 9.0  # from where the last step went
    assert np.isfinite(run.energy.total).all()  # what is kept can be looked at


@pytest.mark.parametrize("dynamics", ["redmax", "maximal"])
def test_other_dynamics_say_so_too(dynamics):
    with pytest.raises(rm.SimulationError, match=r"'slide' left its range \[0, 9\]"):
        rm.simulate(slide({}, q=8.5), duration=5.0, dt=0.02, integrator="implicit", dynamics=dynamics)


@pytest.mark.parametrize("integrator", ["rk4", "adaptive"])
def test_a_body_that_is_pushed_out_from_the_very_end_is_named(integrator):
    """At once: `adaptive` does not try ten million steps so short that roundings keep the body where it is."""
    started = time.process_time()
    with pytest.raises(rm.SimulationError, match=r"'slide' left its range \[0, 9\]; its coordinate 0 was 9 and moving at 0"):
        rm.simulate(slide({}, q=9.0), duration=1.0, dt=0.01, integrator=integrator)
    assert time.process_time() - started < 5.0


@pytest.mark.parametrize("dynamics", ["recursive", "redmax", pytest.param("maximal", marks=pytest.mark.long)])
def test_a_limit_pushes_back_and_keeps_the_energy(dynamics):
    spring = {"outside": "limit", "limit_stiffness": 30000.0}
    run = rm.simulate(slide(spring, q=8.95, qdot=3.0), duration=0.1, dt=0.02, integrator="adaptive", dynamics=dynamics)
    assert run.q.max() > 9.0
    assert run.qdot[-1, 0] < -0.1  # it went beyond and came back
    assert np.abs(run.energy.total - run.energy.total[0]).max() < 1e-6 * run.energy.kinetic.max()


def test_a_body_comes_to_rest_where_the_limit_carries_it():
    scene = slide({"outside": "limit", "limit_stiffness": 3000.0, "limit_damping": 300.0}, damping=20.0)
    q, joint = rm.simulate(scene, duration=60.0, dt=0.01, integrator="implicit").q[-1], scene.links[0].joint
    down = -(pose(joint, q[0])[:3, :3] @ np.asarray(joint.jacobian(q), float)[3:])[2, 0]
    assert q[0] > 9.0
    assert 3000.0 * (q[0] - 9.0) == pytest.approx(rm.Sphere(0.1).mass * 9.81 * down, rel=1e-4)


def test_beyond_a_limit_the_motion_continues_smoothly():
    frames = random_frames(np.random.default_rng(4), 7)
    joint = rm.SplineCurve(frames, outside="limit", limit_stiffness=50.0, limit_damping=2.0)
    assert joint.domain is None
    assert_allclose(joint.limits, [[0.0, 4.0]])
    for end in (0.0, 4.0):
        before, at, after = (own_motion(joint, np.array([end + h])) for h in (-1e-7, 0.0, 1e-7))
        for a, b, c in zip(before, at, after):
            assert_allclose(a + c, 2 * b, rtol=0, atol=1e-12 * np.abs(b).max() + 1e-11)
    assert_allclose(np.asarray(joint.force([2.0], [3.0]), float), 0.0)
    assert_allclose(np.asarray(joint.force([4.5], [3.0]), float), -50.0 * 0.5 - 6.0)
    assert_allclose(np.asarray(joint.force([-0.25], [0.0]), float), 50.0 * 0.25)
    assert float(joint.potential([4.5])) == pytest.approx(0.5 * 50.0 * 0.25)
    assert float(joint.potential([1.0])) == 0.0
