"""Joints whose motion depends on time: twists and their rates against differences of poses, three dynamics, and the energy balance.

What moves such a joint is not part of the model, so energy is not constant: dE/dt is the power of the joint's reaction on the twist s
that time alone brings.
"""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.integrate import cumulative_simpson

import redmax as rm
from dynamics.differences import rate
from random_examples import examples
from redmax.dynamics.redmax.hyper_reduced import RedmaxDynamics
from redmax.math import array, cos, sin


def wavy(q, t, height):
    """A body on a moving wave, which also turns with time."""
    z = height * sin(2 * q[0] + 3 * t) * cos(q[1] - t)
    R = rm.rotation_about("y", 0.3 * sin(t) + 0.2 * q[0] * cos(2 * t)) @ rm.rotation_about("x", 0.1 * q[1] * t)
    return rm.pose(R, array([q[0], q[1] + 0.2 * sin(t), z]))


class Turntable(rm.Joint):
    """No degree of freedom: the child turns at a given speed."""

    dof = 0

    def __init__(self, speed: float) -> None:
        self.speed = float(speed)

    def transform(self, q, t):
        return rm.pose(rm.rotation_about("z", self.speed * t), np.zeros(3))


def scene(height: float = 0.3) -> rm.Scene:
    s = rm.Scene()
    a = s.add_body(rm.Cuboid((1, 0.5, 0.2), density=10), joint=rm.Revolute("x"), com=(0.1, 0, 0.2), qdot=0.7, name="base")
    b = s.add_body(
        rm.Cuboid((0.3, 0.2, 0.1), density=10), joint=rm.joint(wavy, 2, height=height), parent=a, at=(0, 0, 0.5), com=(0.05, 0, 0.1),
        q=(0.1, 0.2), qdot=(1, -1), name="rider",
    )  # fmt: skip
    s.add_body(
        rm.Cuboid((0.3, 0.2, 0.1), density=10), joint=rm.Spherical(), parent=b, at=(0.2, 0, 0.1), com=(0.15, 0, 0),
        q=(0.1, 0.2, 0.3), qdot=(1, -1, 2), name="tail",
    )  # fmt: skip
    s.add_body(rm.Cuboid((0.3, 0.2, 0.1), density=10), joint=Turntable(2.5), parent=b, at=(0, 0.1, 0.3), com=(0.1, 0, 0), name="disc")
    return s


MODEL = scene().model()
DYNAMICS = rm.Dynamics(MODEL)
numbers = st.tuples(*[st.floats(-1, 1)] * 13)


def unbracket(W: np.ndarray) -> np.ndarray:
    return np.array([W[2, 1], W[0, 2], W[1, 0], *W[:3, 3]])


@examples(4, 20)
@given(numbers=numbers)
def test_twists_and_their_rates_include_what_time_does(numbers):
    q, v, t = np.array(numbers[:6]), np.array(numbers[6:12]), 3 * numbers[12]
    a = DYNAMICS.forward(q, v, np.zeros(6), t=t)

    def seen(s: float) -> rm.Observation:
        return DYNAMICS.observe(q + s * v + 0.5 * s * s * a, v + s * a, t + s)

    now = seen(0.0)
    poses = rate(lambda s: seen(s).pose, 1e-3)
    assert_allclose(now.twist, [unbracket(np.linalg.inv(E) @ d) for E, d in zip(now.pose, poses, strict=True)], atol=1e-9)
    J, Jdot = DYNAMICS.jacobian(q, v, t=t)
    phi0, a0 = DYNAMICS.drift(q, v, t)
    assert_allclose((J @ v).reshape(-1, 6) + phi0, now.twist, atol=1e-12)
    assert_allclose((J @ a).reshape(-1, 6) + a0, rate(lambda s: seen(s).twist, 1e-3), rtol=1e-8, atol=1e-8)
    assert_allclose(Jdot, rate(lambda s: DYNAMICS.jacobian(q + s * v, v, t=t + s)[0], 1e-3), atol=1e-8)


@examples(2, 10)
@given(numbers=numbers)
def test_redmax_agrees_and_inverse_dynamics_undoes(numbers):
    q, v, t = np.array(numbers[:6]), np.array(numbers[6:12]), 3 * numbers[12]
    tau = np.arange(6.0)
    a = DYNAMICS.forward(q, v, tau, t=t)
    assert_allclose(RedmaxDynamics(MODEL)(q, v, tau, t).qddot, a, rtol=1e-9, atol=1e-9)
    assert_allclose(DYNAMICS.inverse(q, v, a, t=t), tau, atol=1e-9)
    assert_allclose(rm.Dynamics(MODEL, backend="interpret").forward(q, v, tau, t=t), a, rtol=1e-9, atol=1e-9)


def test_runs_in_all_coordinates_agree():
    exact = rm.simulate(scene(), 0.1, 0.1, rtol=1e-11)
    for dynamics in ("redmax", "maximal"):
        errors = []
        for dt in (0.01, 0.005):
            run = rm.simulate(scene(), 0.1, dt, integrator="rk4", dynamics=dynamics)
            errors.append(np.abs(run.pose("tail")[-1] - exact.pose("tail")[-1]).max())
        assert errors[1] < 1e-4
        assert np.log2(errors[0] / errors[1]) > 3.5


@pytest.mark.parametrize(("integrator", "order"), [("implicit", 1), ("bdf1", 1), ("bdf2", 2), ("euler", 1)])
def test_methods_keep_their_order(integrator, order):
    exact = rm.simulate(scene(), 0.2, 0.1, rtol=1e-11).pose("tail")[-1]
    errors = [np.abs(rm.simulate(scene(), 0.2, dt, integrator=integrator).pose("tail")[-1] - exact).max() for dt in (0.002, 0.001)]
    assert np.log2(errors[0] / errors[1]) > order - 0.25


def test_energy_changes_by_the_power_of_the_reactions():
    run = rm.simulate(scene(), 1.0, 0.002, rtol=1e-10)
    power = np.zeros(len(run))
    speed = np.array([0, 0, 2.5, 0, 0, 0])
    power += run.reaction("disc") @ speed  # s of the turntable, in its joint frame
    h, rider = 1e-4, slice(1, 3)
    for i in range(len(run)):
        E = [np.asarray(wavy(run.q[i, rider], run.t[i] + s, 0.3), float) for s in (-h, 0.0, h)]
        power[i] += run.reaction("rider")[i] @ unbracket(np.linalg.inv(E[1]) @ (E[2] - E[0]) / (2 * h))
    work = cumulative_simpson(power, x=run.t, initial=0.0)
    change = run.energy.total - run.energy.total[0]
    assert np.abs(change).max() > 0.1  # there is something to balance
    assert_allclose(change, work, atol=2e-6 * run.energy.kinetic.max())


def test_kernels_of_joints_without_time_do_not_change():
    """Structural zeros: what time could do costs nothing where there is none."""
    from redmax.dynamics.recursive.system import dynamics_fields, hybrid_dynamics
    from redmax.program.group import Group

    def operations(joint: rm.Joint) -> int:
        s = rm.Scene()
        s.add_body(rm.Sphere(1.0), joint=joint)
        model = s.model()
        signature = model.kernels_of[0][0]
        return sum(k.operations for k in Group(hybrid_dynamics, signature, dynamics_fields(False, model)).kernels)

    def still(q):
        return rm.pose(rm.rotation_about("z", q[0]), np.zeros(3))

    def timed(q, t):
        return still(q)

    assert operations(rm.joint(still, 1)) == operations(rm.joint(timed, 1))
