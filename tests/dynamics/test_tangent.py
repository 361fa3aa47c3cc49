"""Directional derivatives of programs: of inverse dynamics by every input, against differences and what theory says of their parts."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import redmax as rm
from dynamics.agreement import agree
from dynamics.differences import rate
from joints.samples import KINDS
from mechanisms import STYLES, Mechanism, chain, every_kind, mechanisms
from random_examples import examples
from redmax.backends.base import make_runner, rolled_plan
from redmax.dynamics.common.inverse import inverse_dynamics, inverse_fields
from redmax.dynamics.common.residual import Residual
from redmax.program.program import Host, Program
from redmax.program.tangent import tangent

seeds = st.integers(0, 2**16)
WHICH = {"q": 0, "qdot": 1, "qddot": 2}


class Slopes:
    """Inverse dynamics of a mechanism with its tangent program."""

    def __init__(self, m: Mechanism, backend: str) -> None:
        self.m, self.d = m, rm.Dynamics(m.model, backend)
        program = Program("slopes", (inverse_dynamics,), inverse_fields(False, m.model), ("q", "qdot", "qddot", "t"), ("tau", "reaction"))
        self.runner = make_runner(tangent(rolled_plan(m.model, program, backend)), backend, "float64")

    def __call__(self, state, t, directions, t_direction=0.0):
        """tau, reactions and their slopes along (count, nv) directions of q, qdot, qddot."""
        count, n, joints = len(directions[0]), self.m.nv, len(self.m.links)
        outputs = [np.full((1, count, size), np.nan) for size in (n, 6 * joints, n, 6 * joints)]
        inputs = [*state, np.full(1, t), *[np.ascontiguousarray(x) for x in directions], np.full(1, t_direction)]
        assert self.runner.run(inputs, outputs, count) == 0
        return [o[0] for o in outputs]

    def matrix(self, s, name: str) -> np.ndarray:
        """d tau / d name, (nv, nv)."""
        directions = [np.zeros((self.m.nv, self.m.nv)) for _ in range(3)]
        directions[WHICH[name]] = np.eye(self.m.nv)
        return self((s.q, s.qdot, s.qddot), s.t, directions)[2].T


@cache
def every(style: str | None = None) -> Slopes:
    """Of every kind of joint, in one style or in all of them."""
    return Slopes(every_kind(1, style), "llvm")


ONE_STYLE = [pytest.param(style, marks=pytest.mark.long) for style in STYLES]


def state_of(s):
    return s.q, s.qdot, s.qddot


@examples(3, 20)
@given(m=mechanisms(largest=6).filter(lambda m: m.nv > 0), seed=seeds)
def test_slopes_equal_differences_in_any_direction(m, seed):
    """All inputs at once, time too; tau and the reactions."""
    s, slopes = m.state(seed), Slopes(m, "interpret")
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(3, m.nv))
    tau, reaction, dtau, dreaction = (a[0] for a in slopes(state_of(s), s.t, [d[None] for d in x], 0.7))
    value = slopes.d.inverse_with_reactions(*state_of(s), None, s.t)
    assert np.allclose(tau, value[0], rtol=0, atol=1e-12 * max(np.abs(value[0]).max(), 1.0))
    assert np.allclose(reaction, value[1].ravel(), rtol=0, atol=1e-12 * max(np.abs(value[1]).max(), 1.0))

    def along(h: float) -> np.ndarray:
        found = slopes.d.inverse_with_reactions(s.q + h * x[0], s.qdot + h * x[1], s.qddot + h * x[2], None, s.t + 0.7 * h)
        return np.concatenate([found[0], found[1].ravel()])

    expected = rate(along, 1e-3)
    assert np.abs(np.concatenate([dtau, dreaction]) - expected).max() < 1e-8 * max(np.abs(expected).max(), 1.0)


def check_slopes(slopes: Slopes, s, name: str) -> None:
    """Against differences along each coordinate."""

    def moved(h: float) -> np.ndarray:
        states = [np.repeat(a[None], slopes.m.nv, 0) for a in state_of(s)]
        states[WHICH[name]] = states[WHICH[name]] + h * np.eye(slopes.m.nv)
        return slopes.d.inverse(*states, t=s.t).T

    assert agree(slopes.matrix(s, name), rate(moved, 1e-3), 1e-8), name


@pytest.mark.parametrize("style", [None, *ONE_STYLE])
def test_compiled_slopes_of_every_kind_of_joint_equal_differences(style):
    slopes = every(style)
    for name in WHICH:
        check_slopes(slopes, slopes.m.state(1), name)


@pytest.mark.parametrize("style", [None, *ONE_STYLE])
def test_the_slope_by_qddot_is_the_inertia(style):
    slopes = every(style)
    s = slopes.m.state(2)
    M = slopes.matrix(s, "qddot")
    assert agree(M, slopes.d.inertia(s.q), 1e-11)
    assert agree(M, M.T, 1e-11)


@pytest.mark.long  # every kind is in one forest above
@pytest.mark.parametrize("kind", [k for k in KINDS if k != "Fixed"])
def test_each_joint_between_others(kind):
    m = chain(2, ["Revolute", kind, "Prismatic"])
    slopes, s = Slopes(m, "interpret"), m.state(3)
    assert agree(slopes.matrix(s, "qddot"), slopes.d.inertia(s.q), 1e-10)
    for name in ("q", "qdot"):
        check_slopes(slopes, s, name)


@cache
def weighty() -> Slopes:
    """No springs, no forces but weight."""
    return Slopes(chain(1, ["Free", "Universal", "torus", "Helical", "Elliptic", "Spherical"], forces=False), "interpret")


def test_at_rest_the_slope_by_q_is_the_symmetric_hessian_of_the_potential():
    slopes = weighty()
    m, s = slopes.m, slopes.m.state(1)
    still = type(s)(s.q, np.zeros(m.nv), s.tau, np.zeros(m.nv), s.wrench, 0.0)
    K = slopes.matrix(still, "q")
    assert agree(K, K.T, 1e-10)
    gradient = slopes.d.inverse(s.q, np.zeros(m.nv), np.zeros(m.nv))
    x = np.random.default_rng(0).normal(size=m.nv)

    def potential(h: float) -> float:
        return float(slopes.d.observe(s.q + h * x, np.zeros(m.nv)).potential)

    assert np.isclose(gradient @ x, rate(potential, 1e-3), rtol=1e-8)
    second = (
        sum(w * (potential(k * 2e-2) + potential(-k * 2e-2) - 2 * potential(0.0)) for k, w in {1: 3 / 2, 2: -3 / 20, 3: 1 / 90}.items())
        / 4e-4
    )
    assert np.isclose(x @ K @ x, second, rtol=1e-6)


def test_the_slope_by_qdot_holds_the_rate_of_the_inertia():
    """tau = M qddot + c with c quadratic in qdot: x^T (dc/dqdot) x along qdot is 2 c; and d/dt of 1/2 qdot^T M qdot is qdot^T (tau - g)."""
    slopes = weighty()
    m, s = slopes.m, slopes.m.state(5)
    zero = np.zeros(m.nv)
    weight = slopes.d.inverse(s.q, zero, zero)
    c = slopes.d.inverse(s.q, s.qdot, zero) - weight
    D = slopes.matrix(type(s)(s.q, s.qdot, s.tau, zero, s.wrench, 0.0), "qdot")
    assert agree(D @ s.qdot, 2 * c, 1e-10)
    Mdot = rate(lambda h: slopes.d.inertia(s.q + h * s.qdot), 1e-3)
    assert np.isclose(s.qdot @ c, 0.5 * s.qdot @ Mdot @ s.qdot, rtol=1e-8)
    assert np.isclose(s.qdot @ D @ s.qdot, s.qdot @ Mdot @ s.qdot, rtol=1e-8)


def test_springs_and_dampers_are_in_the_slopes():
    scene = rm.Scene(gravity=(0, 0, 0))
    scene.add_body(rm.Sphere(0.1, mass=2.0), joint=rm.Translational(), stiffness=(1.0, 2.0, 3.0), damping=(0.4, 0.5, 0.6))
    residual = Residual(scene.model(), "llvm")
    zero = np.zeros(3)
    assert np.allclose(residual.jacobian((zero, zero, zero), 0.0, (0.0, 0.0)), np.diag([1.0, 2.0, 3.0]), atol=1e-15)
    assert np.allclose(residual.jacobian((zero, zero, zero), 0.0, (10.0, 0.0)), np.diag([5.0, 7.0, 9.0]), atol=1e-14)
    assert np.allclose(residual.jacobian((zero, zero, zero), 0.0, (10.0, 100.0)), np.diag([205.0, 207.0, 209.0]), atol=1e-12)


@pytest.mark.parametrize("backend", ["interpret", "llvm"])
def test_the_jacobian_of_the_residual_is_the_sum_of_the_three(backend):
    slopes = every()
    m, s = slopes.m, slopes.m.state(8)
    residual = Residual(m.model, backend)
    a, b = 30.0, 900.0
    expected = slopes.matrix(s, "q") + a * slopes.matrix(s, "qdot") + b * slopes.matrix(s, "qddot")
    assert agree(residual.jacobian(state_of(s), s.t, (a, b)), expected, 1e-11)
    assert agree(residual.value(*state_of(s), s.t), slopes.d.inverse(*state_of(s), t=s.t), 1e-11)


def test_slopes_are_linear_in_their_directions():
    slopes = every()
    m, s, rng = slopes.m, slopes.m.state(6), np.random.default_rng(3)
    x, y = rng.normal(size=(2, 3, m.nv))
    found = slopes(state_of(s), s.t, np.stack([x, y, 2.0 * x - 3.0 * y, 0.0 * x], axis=1))[2]
    assert agree(found[2], 2.0 * found[0] - 3.0 * found[1], 1e-12)
    assert not found[3].any()


def test_calls_of_python_have_no_slope():
    model = chain(0, ["Revolute"]).model
    program = Program("asking", (inverse_dynamics, Host("a friend", lambda view: None)), inverse_fields(False, model), ("q",), ("tau",))
    with pytest.raises(rm.RedmaxError, match=r"'asking' calls Python \(a friend\), of which nobody knows the derivative"):
        tangent(rolled_plan(model, program, "interpret"))
