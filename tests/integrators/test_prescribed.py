"""Joints that follow a function of time: the motion, the torque that it takes, and how an error dies away."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.interpolate import make_interp_spline

import redmax as rm
from integrators.reference import solution, stacked
from integrators.scenes import driven
from redmax.math import where
from redmax.run.start import initial_state


def swing(t):
    return [0.4 + 0.6 * np.sin(2.0 * t), 0.3 * np.cos(3.0 * t)]


def swing_numbers(t: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    q = np.stack([0.4 + 0.6 * np.sin(2.0 * t), 0.3 * np.cos(3.0 * t)], axis=-1)
    return q, np.stack([1.2 * np.cos(2.0 * t), -0.9 * np.sin(3.0 * t)], axis=-1)


def arm(motion=swing, gain=0.0, on_motion=True, q=(0.0, 0.0), qdot=(0.0, 0.0)) -> rm.Scene:
    """A universal joint that is made to move, with a pendulum hanging from it."""
    scene = rm.Scene()
    upper = scene.add_body(
        rm.Cuboid((0.3, 0.1, 0.1), mass=1.0),
        joint=rm.Universal(),
        com=(0.15, 0, 0),
        motion=motion,
        gain=gain,
        on_motion=on_motion,
        q=q,
        qdot=qdot,
        stiffness=1.0,
        rest=(0.2, 0.1),
        name="upper",
    )
    scene.add_body(
        rm.Cuboid((0.2, 0.1, 0.05), mass=0.6),
        joint=rm.Revolute("y"),
        parent=upper,
        at=(0.3, 0, 0),
        com=(0.1, 0, 0),
        damping=0.02,
        name="lower",
    )
    return scene


@pytest.mark.parametrize(
    ("name", "dt", "tolerance", "gain"), [("rk4", 1e-3, 1e-9, 0.0), ("adaptive", 1e-2, 1e-7, 5.0), ("euler", 1e-4, 2e-3, 5.0)]
)
def test_the_joint_follows_the_function(name, dt, tolerance, gain):
    run = rm.simulate(arm(gain=gain), 2.0, dt, integrator=name)
    q, qdot = swing_numbers(run.t)
    np.testing.assert_allclose(run.coordinates("upper"), q, atol=tolerance)
    np.testing.assert_allclose(run.qdot[:, :2], qdot, atol=4 * tolerance)


def test_gain_keeps_a_coarse_method_on_its_function():
    """Without it the errors of explicit Euler add up; with it they stay near the step."""
    errors = []
    for gain in (0.0, 10.0):
        run = rm.simulate(arm(gain=gain), 5.0, 5e-3, integrator="forward-euler")
        errors.append(np.abs(run.coordinates("upper") - swing_numbers(run.t)[0])[-200:].max())
    assert errors[1] < 0.1 * errors[0]


def test_the_torque_found_drives_a_free_copy_along_the_same_motion():
    run = rm.simulate(arm(), 2.0, 2e-3, rtol=1e-11)
    assert np.abs(run.torque[:, 2]).max() == 0.0
    assert np.abs(run.torque[:, :2]).max() > 0.5
    torque = make_interp_spline(run.t, run.torque, k=5)
    free = arm(motion=None, q=run.q[0, :2], qdot=run.qdot[0, :2])
    found = solution(free.model(), run.t[::100], tau=torque)
    np.testing.assert_allclose(found, stacked(run)[::100], atol=1e-7)


def test_the_torque_of_a_held_joint_is_the_moment_of_the_weight():
    scene = rm.Scene()
    scene.add_body(
        rm.Sphere(0.1, mass=2.0), joint=rm.Revolute("y"), com=(0.5, 0, 0), motion=lambda t: [0.3 + 0.0 * t], stiffness=1.0, rest=0.0
    )
    run = rm.simulate(scene, 0.1)
    weight = -2.0 * 9.81 * 0.5 * np.cos(0.3)  # about -y, as q turns x towards -z
    np.testing.assert_allclose(run.torque[:, 0], weight + 1.0 * 0.3, rtol=1e-12)


def test_gain_pulls_an_error_away():
    """e'' + 2b e' + b^2 e = 0: e(t) = (e0 + (e0' + b e0) t) exp(-b t)."""
    b, q0, rate0 = 4.0, np.array([1.0, -0.2]), np.array([0.5, 2.0])
    run = rm.simulate(arm(gain=b, on_motion=False, q=q0, qdot=rate0), 3.0, 1e-2, rtol=1e-10)
    q, qdot = swing_numbers(run.t)
    e0, v0 = q0 - q[0], rate0 - qdot[0]
    t = run.t[:, None]
    error = (e0 + (v0 + b * e0) * t) * np.exp(-b * t)
    np.testing.assert_allclose(run.coordinates("upper") - q, error, atol=1e-8)
    np.testing.assert_allclose(run.qdot[:, :2] - qdot, (v0 - b * (v0 + b * e0) * t) * np.exp(-b * t), atol=1e-7)
    assert np.abs(run.coordinates("upper") - q)[-1].max() < 1e-3


def test_without_gain_an_error_stays():
    """Only accelerations are prescribed then: e(t) = e0 + e0' t."""
    run = rm.simulate(arm(on_motion=False, q=(1.0, 0.0), qdot=(0.0, 0.5)), 1.0, 1e-2, rtol=1e-10)
    q, qdot = swing_numbers(run.t)
    e0, v0 = np.array([1.0, 0.0]) - q[0], np.array([0.0, 0.5]) - qdot[0]
    np.testing.assert_allclose(run.coordinates("upper") - q, e0 + v0 * run.t[:, None], atol=1e-8)


def test_a_run_starts_on_its_motion_unless_told_otherwise():
    on, off = (initial_state(arm(on_motion=flag, q=(0.7, 0.8), qdot=(1.0, 2.0)).model()) for flag in (True, False))
    np.testing.assert_allclose(on.q, [0.4, 0.3, 0.0], atol=1e-15)
    np.testing.assert_allclose(on.qdot, [1.2, 0.0, 0.0], atol=1e-15)
    np.testing.assert_array_equal(off.q, [0.7, 0.8, 0.0])
    np.testing.assert_array_equal(off.qdot, [1.0, 2.0, 0.0])
    later = initial_state(arm().model(), 0.5)
    q, qdot = swing_numbers(np.array(0.5))
    np.testing.assert_allclose(later.q[:2], q, rtol=1e-14)
    np.testing.assert_allclose(later.qdot[:2], qdot, rtol=1e-14)


def test_a_constant_and_a_scalar_motion():
    scene = rm.Scene()
    scene.add_body(rm.Sphere(0.1), joint=rm.Revolute("y"), com=(0.2, 0, 0), motion=lambda t: 0.25)
    scene.add_body(rm.Sphere(0.1), joint=rm.Prismatic("x"), motion=lambda t: t * t)
    run = rm.simulate(scene, 1.0, 0.1)
    np.testing.assert_allclose(run.q, np.stack([np.full(11, 0.25), run.t**2], axis=1), atol=1e-9)


def test_a_moving_spherical_joint_is_driven_through_its_coordinates():
    def motion(t):
        return [0.5 * np.sin(t), 0.3 * t, 0.2 * np.cos(2.0 * t)]

    scene = rm.Scene()
    scene.add_body(rm.Cuboid((0.3, 0.2, 0.1)), joint=rm.Spherical(), com=(0.1, 0, 0), motion=motion)
    run = rm.simulate(scene, 2.0, 0.05, rtol=1e-9)
    expected = np.stack([0.5 * np.sin(run.t), 0.3 * run.t, 0.2 * np.cos(2.0 * run.t)], axis=1)
    np.testing.assert_allclose(run.q, expected, atol=1e-8)


@pytest.mark.parametrize("gain", [0.0, 3.0])
def test_the_rest_of_the_mechanism_moves_as_another_integrator_says(gain):
    model = driven(gain).model()
    run = rm.simulate(model, 1.0, 0.05, rtol=1e-9)
    np.testing.assert_allclose(stacked(run), solution(model, run.t), atol=1e-8)


def test_prescribed_motion_in_a_batch():
    """One function of time for all worlds; each its own pendulum below."""
    model, worlds = arm().model(), 5
    q, qdot = np.zeros((worlds, 3)), np.zeros((worlds, 3))
    q[:, :2], qdot[:, :2] = swing_numbers(np.array(0.0))
    q[:, 2] = np.linspace(-1.0, 1.0, worlds)
    run = rm.simulate(model, 1.0, 1e-3, integrator="rk4", initial=rm.State(0.0, q, qdot))
    expected = np.broadcast_to(swing_numbers(run.t)[0][:, None], (1001, worlds, 2))
    np.testing.assert_allclose(run.coordinates("upper"), expected, atol=1e-9)
    assert run.torque.shape == (1001, worlds, 3)
    alone = rm.simulate(model, 1.0, 1e-3, integrator="rk4", initial=rm.State(0.0, q[3], qdot[3]))
    np.testing.assert_allclose(run.torque[:, 3], alone.torque, atol=1e-10)


def carried_ball(level: str, beside_rows: bool) -> rm.Scene:
    """A ball joint with given rates, or accelerations, on a bar that swings; perhaps beside rows that have nothing to do with it."""
    scene = rm.Scene()
    bar = rm.Cuboid((0.1, 0.2, 0.4), mass=2.0)
    first = scene.add_body(bar, joint=rm.Revolute("y"), com=(0, 0, -0.2), qdot=2.0)
    scene.add_body(
        bar, parent=first, joint=rm.Spherical("quaternion"), at=(0, 0, -0.4), com=(0, 0, -0.2), qdot=(0.5, 0.6, 0.7), motion_level=level,
        motion=lambda t: [np.sin(3 * t + 0.5), np.sin(3 * t + 1), np.sin(3 * t + 2)], name="ball",
    )  # fmt: skip
    if beside_rows:
        wheels = [scene.add_body(bar, joint=rm.Revolute("x"), at=(1, y, 0), com=(0, 0, -0.2)) for y in (0, 1)]
        scene.add_constraint(rm.Gear(*wheels, 2.0))
    return scene


@pytest.mark.parametrize(
    ("dynamics", "integrator", "level", "beside_rows", "order"),
    [("maximal", "implicit", "acceleration", False, 1), ("maximal", "euler", "velocity", True, 1),
     ("recursive", "variational", "velocity", False, 2)],
)  # fmt: skip
def test_a_ball_on_what_moves_has_the_rates_given(dynamics, integrator, level, beside_rows, order):
    """Of bodies by themselves the turning of the parent is part of how the rates change: left out, it would add up."""
    model = carried_ball(level, beside_rows).model()
    exact = rm.simulate(model, 0.2, 0.2, rtol=1e-11).pose("ball")[-1]
    ends = [rm.simulate(model, 0.2, 0.2 / n, integrator=integrator, dynamics=dynamics, every=n).pose("ball")[-1] for n in (40, 80)]
    coarse, fine = (np.abs(end - exact).max() for end in ends)
    assert np.log2(coarse / fine) == pytest.approx(order, abs=0.15)


@pytest.mark.parametrize("name", ["euler", "rk4", "adaptive"])
def test_a_motion_whose_rate_jumps_is_not_followed_through_accelerations_and_a_warning_says_so(name, tmp_path):
    jumps = lambda t: [where(t > 0.5, 0.3 * (t - 0.5), 0.0), 0.0]  # noqa: E731
    for out in (None, tmp_path / "run.h5"):
        with pytest.warns(rm.RedmaxWarning, match=r"'upper' does not follow its motion: at t = .* its rate is 0, .*'s is 0\.3.*'implicit'"):
            run = rm.simulate(arm(jumps), 1.0, 0.01, integrator=name, out=out)
        assert np.abs(run.coordinates("upper")).max() == 0.0


@pytest.mark.parametrize(("name", "gain"), [("implicit", 0.0), ("euler", 40.0)])
def test_rates_and_gains_follow_a_motion_whose_rate_jumps(name, gain, recwarn):
    run = rm.simulate(arm(lambda t: [where(t > 0.5, 0.3 * (t - 0.5), 0.0), 0.0], gain=gain), 1.0, 0.002, integrator=name)
    assert run.coordinates("upper")[-1, 0] == pytest.approx(0.15, abs=1e-3)
    assert not [w for w in recwarn if "does not follow" in str(w.message)]


def test_a_motion_without_jumps_is_not_warned_of(recwarn):
    rm.simulate(arm(), 2.0, 0.02, integrator="euler")
    rm.simulate(arm(on_motion=False, q=(0.1, 0.0), qdot=(2.0, 0.5)), 0.2, 0.01, integrator="euler")
    assert not [w for w in recwarn if "does not follow" in str(w.message)]
