"""Forward and inverse dynamics linearised by brackets, equal to differentiated programs and to differences; jerk; large matrices."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

import redmax as rm
from dynamics.agreement import agree
from dynamics.differences import rate
from dynamics.test_jacobian_derivatives import group_scene, moved
from dynamics.test_tangent import Slopes
from mechanisms import Mechanism, chain, every_kind, mechanisms
from random_examples import examples
from redmax.backends.base import make_runner, rolled_plan
from redmax.dynamics import linearization
from redmax.dynamics.common.inverse import inverse_dynamics, inverse_fields
from redmax.dynamics.recursive.system import dynamics_fields, hybrid_dynamics
from redmax.model.named_scene import named_scene
from redmax.program.program import Program
from redmax.program.tangent import tangent

seeds = st.integers(0, 2**16)


def by_trace(slopes: Slopes, s) -> list[np.ndarray]:
    """The slopes of the whole of inverse dynamics, differentiated as it was traced."""
    return [slopes.matrix(s, name) for name in ("q", "qdot", "qddot")]


def slopes_of_trace(model: rm.Model, name: str, **given: Any) -> list[np.ndarray]:
    """d qddot / d (q, qdot, tau) of "forward" dynamics, d tau / d (q, qdot, qddot) of "inverse": of the whole program, as it was traced."""
    forward, names = name == "forward", (*given, "t") if "t" not in given else tuple(given)
    fields = dynamics_fields("wrench" in given, model) if forward else inverse_fields("wrench" in given, model)
    stage = hybrid_dynamics if forward else inverse_dynamics
    program = Program(f"{name} slopes", (stage,), fields, names, ("qddot" if forward else "tau",))
    runner = make_runner(tangent(rolled_plan(model, program, "interpret")), "interpret", "float64")
    values = [np.ravel(given.get(x, 0.0)).astype(float) for x in names]
    found = []
    for along in names[:3]:
        rates = [np.eye(model.nv) if x == along else np.zeros((model.nv, len(v))) for x, v in zip(names, values, strict=True)]
        out = [np.full((1, model.nv, model.nv), np.nan) for _ in range(2)]
        assert runner.run([*values, *rates], out, model.nv) == 0
        found.append(out[1][0].T)
    return found


@examples(4, 30)
@given(m=mechanisms(largest=5).filter(lambda m: 0 < m.nv < 20), seed=seeds)
def test_brackets_equal_the_derivative_of_the_trace_on_random_trees(m, seed):
    d, s = rm.Dynamics(m.model, "interpret"), m.state(seed)
    found = d.linearize_inverse(s.q, s.qdot, s.qddot, t=s.t)
    for a, b in zip(found, by_trace(Slopes(m, "interpret"), s), strict=True):
        assert agree(a, b, 1e-9, floor=1.0)


@cache
def every() -> tuple[Mechanism, rm.Dynamics]:
    """Of every kind of joint, with springs, dampers, torques and wrenches."""
    m = every_kind(1)
    return m, rm.Dynamics(m.model)


def test_forward_dynamics_of_every_kind_of_joint():
    """dqddot/dx: what moves with x at these accelerations, taken back by M^-1; and differences of forward dynamics."""
    m, d = every()
    s, e = m.state(1), np.eye(m.nv)
    found = d.linearize_forward(s.q, s.qdot, s.tau, s.wrench, s.t)
    expected = [
        rate(lambda h: d.forward(s.q + h * e, s.qdot, s.tau, s.wrench, s.t), 1e-4).T,
        rate(lambda h: d.forward(s.q, s.qdot + h * e, s.tau, s.wrench, s.t), 1e-3).T,
        rate(lambda h: d.forward(s.q, s.qdot, s.tau + h * e, s.wrench, s.t), 1e-3).T,
    ]
    for a, b in zip(found, expected, strict=True):
        assert agree(a, b, 1e-8)
    traced = slopes_of_trace(m.model, "forward", q=s.q, qdot=s.qdot, tau=s.tau, t=s.t, wrench=s.wrench)
    for a, b in zip(found, traced, strict=True):
        assert agree(a, b, 1e-9)
    inverse = d.linearize_inverse(s.q, s.qdot, d.forward(s.q, s.qdot, s.tau, s.wrench, s.t), s.wrench, s.t)
    M = d.inertia(s.q)
    scale = max(float(np.abs(x).max()) for x in inverse)
    assert_allclose(M @ found.q, -inverse.q, atol=1e-10 * scale * np.linalg.cond(M) ** 0.5)


@pytest.mark.parametrize("name", [pytest.param("inverse", marks=pytest.mark.long), "forward"])  # the second asks for the first
def test_on_groups_columns_are_along_body_twists(name):
    scene = group_scene()
    last = scene.find("inverted")
    scene.add_force(rm.SpringDamper(last, (0.3, 0, 0), stiffness=50.0, damping=2.0))
    d = rm.Dynamics(scene)
    n, q = d.model.nv, d.model.q0
    qdot, x = np.random.default_rng(0).normal(size=(2, n))
    found, f = getattr(d, f"linearize_{name}")(q, qdot, x), getattr(d, name)
    by_q = np.stack([rate(lambda h, e=e: f(moved(d.model, q, h * e), qdot, x), 1e-3) for e in np.eye(n)], axis=-1)
    assert agree(found.q, by_q, 1e-9)
    assert agree(found.qdot, rate(lambda h: f(q, qdot + h * np.eye(n), x), 1e-3).T, 1e-9)


def sliding(q, t):
    return rm.pose(rm.rotation_about("z", q[0] + 0.3 * t * t), (0.1 * q[0] * t, 0.2 * t, 0))


def test_where_joints_depend_on_time_all_of_it_is_differentiated_as_traced():
    scene = rm.Scene()
    arm = scene.add_body(rm.Cuboid((1, 0.1, 0.1)), joint=rm.Universal(), com=(0.5, 0, 0))
    scene.add_body(rm.Cuboid((1, 0.1, 0.1)), joint=rm.joint(sliding, 1), parent=arm, at=(1, 0, 0), com=(0.5, 0, 0.1))
    d, q, qdot, tau, t = rm.Dynamics(scene), np.array([0.3, 0.4, -0.2]), np.array([1.0, 2, 3]), np.array([0.1, 0.2, 0.3]), 0.7
    found = d.linearize_forward(q, qdot, tau, t=t)
    assert agree(found.q, rate(lambda h: d.forward(q + h * np.eye(3), qdot, tau, t=t), 1e-3).T, 1e-9)
    assert agree(found.qdot, rate(lambda h: d.forward(q, qdot + h * np.eye(3), tau, t=t), 1e-3).T, 1e-9)
    rates = d.inverse_rate(q, qdot, tau, -tau, t=t)
    along = rate(lambda h: d.inverse(q + h * qdot + h * h / 2 * tau, qdot + h * tau - h * h / 2 * tau, tau - h * tau, t=t + h), 1e-3)
    assert agree(rates, along, 1e-9)


def test_forces_change_with_the_jerk():
    m, d = every()
    s = m.state(3)
    jerk = np.random.default_rng(3).normal(size=m.nv)
    found = d.inverse_rate(s.q, s.qdot, s.qddot, jerk, s.wrench, -2.0 * s.wrench, s.t)

    def along(h: float) -> np.ndarray:
        q = s.q + h * s.qdot + h**2 / 2 * s.qddot + h**3 / 6 * jerk
        qdot = s.qdot + h * s.qddot + h**2 / 2 * jerk
        return d.inverse(q, qdot, s.qddot + h * jerk, (1 - 2 * h) * s.wrench, s.t + h)

    assert agree(found, rate(along, 1e-3), 1e-9)
    more = d.inverse_rate(s.q, s.qdot, s.qddot, jerk + s.tau, s.wrench, -2.0 * s.wrench, s.t)
    assert agree(more - found, d.inertia_product(s.q, s.tau), 1e-9)  # M of what is added to the jerk


@pytest.mark.parametrize("name", ["arm", "strut", "point-springs", pytest.param("humanoid", marks=pytest.mark.long)])
def test_all_that_acts_in_a_scene_has_its_share(name):
    """Muscles with their activations, dampers, springs and rotors: the trace differentiated, and differences of it."""
    scene = named_scene(name)
    d = rm.Dynamics(geared(scene))
    q, (qdot, qddot) = d.model.q0, 0.3 * np.random.default_rng(1).normal(size=(2, d.model.nv))
    found = d.linearize_inverse(q, qdot, qddot)
    for a, b in zip(found, slopes_of_trace(d.model, "inverse", q=q, qdot=qdot, qddot=qddot), strict=True):
        assert agree(a, b, 1e-9)
    e = np.eye(d.model.nv)
    by_q = np.stack([rate(lambda h, x=x: d.inverse(moved(d.model, q, h * x), qdot, qddot), 1e-4) for x in e], axis=-1)
    assert agree(found.q, by_q, 1e-7)
    assert agree(found.qdot, rate(lambda h: d.inverse(q, qdot + h * e, qddot), 1e-4).T, 1e-8)
    assert agree(found.qddot, d.inertia(q), 1e-12)


def geared(scene: rm.Scene) -> rm.Scene:
    """The same with rotors on joints."""
    other = scene.copy()
    other.links[:] = [replace(link, armature=np.array([0.3]), gear=np.array([2.0])) if rotor(link) else link for link in scene.links]
    return other


def rotor(link: Any) -> bool:
    return type(link.joint) in (rm.Revolute, rm.Spherical)


def test_the_matrices_of_books_are_those_of_the_functions():
    """Mueller and Terze, Eqs. 64-88, of joints with several velocities and S that changes."""
    m = chain(4, ["Universal", "Elliptic", "Spherical", "Helical"], forces=False)
    d, s = rm.Dynamics(m.model), m.state(4)
    x = d.system_matrices(s.q, s.qdot)
    assert agree(x.A @ x.X, x.J, 1e-12)
    assert agree(np.linalg.inv(np.eye(len(x.D)) - x.D), x.A, 1e-12)
    assert not np.linalg.matrix_power(x.D, len(m.links)).any()
    assert agree(x.A @ (x.Xdot - x.a @ (x.J - x.X)), x.Jdot, 1e-12)
    assert agree(x.J.T @ x.M @ x.J, d.inertia(s.q), 1e-12)
    assert agree(x.J.T @ x.M @ x.Jdot - x.J.T @ x.N @ x.J, d.coriolis_matrix(s.q, s.qdot, form="skew"), 1e-12)
    assert agree(x.N @ x.J @ s.qdot, x.b.T @ x.M @ x.J @ s.qdot, 1e-12)
    assert agree(x.N, -x.N.T, 1e-15)
    assert agree(x.A_spatial @ x.X, x.J_spatial, 1e-12)
    assert agree(x.J_spatial, d.jacobian(s.q, kind="spatial")[0], 1e-12)
    hinged = rm.Dynamics("screw-chain")
    q, qdot = np.random.default_rng(0).normal(size=(2, 3, 4))
    y = hinged.system_matrices(q, qdot)
    assert not y.Xdot.any()
    assert agree(-y.A @ y.a @ y.J, y.Jdot, 1e-12)  # Eq. 73, of joints of one velocity
    assert "SystemMatrices" in repr(y)


@pytest.mark.parametrize("name", ["linearize_inverse", "linearize_forward", "inverse_rate"])
def test_what_holds_a_scene_is_named(name):
    d = rm.Dynamics("four-bar")
    zero = np.zeros(d.model.nv)
    arguments = (d.model.q0, *[zero] * {"linearize_inverse": 2, "linearize_forward": 1, "inverse_rate": 3}[name])
    with pytest.raises(rm.SceneError, match=rf"Dynamics\.{name} is of joints and bodies, but constraints \('.*'\) hold the scene"):
        getattr(d, name)(*arguments)


def test_a_joint_that_follows_a_motion_is_named():
    d = rm.Dynamics("prescribed-joint")
    zero = np.zeros(d.model.nv)
    d.linearize_inverse(d.model.q0, zero, zero)
    with pytest.raises(rm.SceneError, match=r"linearize_forward is of joints that forces move, but the joint '.*' follows a motion"):
        d.linearize_forward(d.model.q0, zero)


def test_nothing_that_moves_no_states_and_many_coordinates():
    fixed = rm.Scene()
    fixed.add_body(rm.Sphere(0.1))
    d, none = rm.Dynamics(fixed), np.zeros(0)
    assert [x.shape for x in d.linearize_forward(none, none)] == [(0, 0)] * 3
    assert d.system_matrices(none).A.shape == (6, 6)
    assert d.christoffel_symbols(none).shape == (0, 0, 0)
    chain = rm.Dynamics("screw-chain")
    assert [x.shape for x in chain.linearize_inverse(*np.zeros((3, 0, 4)))] == [(0, 4, 4)] * 3
    q, qdot, qddot = np.random.default_rng(0).normal(size=(3, 5, 1, 4))
    spread = chain.linearize_inverse(q, qdot[:1], qddot, t=np.zeros((1, 3)))
    assert spread.q.shape == (5, 3, 4, 4)
    assert agree(spread.qdot[2, 1], chain.linearize_inverse(q[2, 0], qdot[0, 0], qddot[2, 0]).qdot, 1e-13)


def test_columns_are_found_some_at_a_time(monkeypatch):
    m = chain(6, ["Universal", "Spherical", "Helical"])
    d, s = rm.Dynamics(m.model), m.state(1)
    whole = d.linearize_inverse(s.q, s.qdot, s.qddot, t=s.t)
    monkeypatch.setattr(linearization, "PORTION", 24 * m.nv * len(m.links) * 4)  # four of six
    for a, b in zip(d.linearize_inverse(s.q, s.qdot, s.qddot, t=s.t), whole, strict=True):
        assert agree(a, b, 1e-14)
