"""Derivatives of forward and inverse dynamics: equal to complex steps, which know nothing of them, to brackets, to Pinocchio."""

from __future__ import annotations

import copy

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import redmax as rm
from dynamics.agreement import agree
from dynamics.closed_scenes import parallelogram
from dynamics.differences import rate
from dynamics.test_coriolis import hinges
from dynamics.test_jacobian_derivatives import group_scene, moved
from mechanisms import StateSample, assemble, chain, every_kind, mechanisms
from program.complex_steps import complex_rates
from random_examples import examples
from redmax.backends.base import rolled_plan
from redmax.dynamics.common.parametrised import with_rows
from redmax.model.named_scene import named_scene

seeds = st.integers(0, 2**16)


def by_complex_steps(d: rm.Dynamics, s: StateSample, forward: bool) -> list[np.ndarray]:
    """By q, qdot and the third input, without the library's differentiation."""
    program = d.motion_program(True)[1] if forward else d.program_of("inverse", True)
    plan, n = rolled_plan(d.model, program, "interpret"), d.model.nv
    values = {"q": d.model.configurations.join(s.q), "qdot": s.qdot, "tau": s.tau, "qddot": s.qddot}
    values |= {"t": np.array([s.t]), "wrench": s.wrench.ravel()}
    found = []
    for by in ("q", "qdot", "tau" if forward else "qddot"):
        along = {k: np.zeros((n, np.size(x))) for k, x in values.items()}
        along[by][:, :n] = np.eye(n)
        inputs, moves = ([x[k] for k in program.inputs] for x in (values, along))
        found.append(complex_rates(plan, inputs, moves, n, 1)[1][0][0].T)
    return found


@examples(4, 40)
@given(m=mechanisms(largest=6).filter(lambda m: 0 < m.nv < 24), seed=seeds)
def test_random_trees_of_all_joints(m, seed):
    d, s = rm.Dynamics(m.model, "interpret"), m.state(seed)
    found = d.forward_derivatives(s.q, s.qdot, s.tau, s.wrench, s.t)
    for a, b in zip(found, by_complex_steps(d, s, True)):
        assert agree(a, b, 1e-10, floor=1.0)
    assert agree(found.value, d.forward(s.q, s.qdot, s.tau, s.wrench, s.t), 1e-11, floor=1.0)
    inverse = d.inverse_derivatives(s.q, s.qdot, s.qddot, s.wrench, s.t)
    for a, b in zip(inverse, by_complex_steps(d, s, False)):
        assert agree(a, b, 1e-11, floor=1.0)
    assert agree(inverse.value, d.inverse(s.q, s.qdot, s.qddot, s.wrench, s.t), 1e-12, floor=1.0)


def test_compiled_and_interpreted_and_in_lanes():
    m = chain(1, ["Universal", "Free", "Revolute"])
    d, other = rm.Dynamics(m.model), rm.Dynamics(m.model, "interpret")
    states = [m.state(k) for k in range(3)]
    q, qdot, tau, qddot, wrench = (np.stack([getattr(s, k) for s in states]) for k in ("q", "qdot", "tau", "qddot", "wrench"))
    t = np.array([s.t for s in states])
    lanes = d.forward_derivatives(q, qdot, tau, wrench, t), d.inverse_derivatives(q, qdot, qddot, wrench, t)
    each = [(x.forward_derivatives(s.q, s.qdot, s.tau, s.wrench, s.t), x.inverse_derivatives(s.q, s.qdot, s.qddot, s.wrench, s.t))
            for x, s in ((d, states[0]), (other, states[1]))]  # fmt: skip
    for k, pair in enumerate(each):
        for many, one in zip(lanes, pair, strict=True):
            for name in many._fields:
                if name != "parameters":
                    assert agree(getattr(many, name)[k], getattr(one, name), 1e-11), name
    by_time = rate(lambda h: other.forward(q[0], qdot[0], tau[0], wrench[0], t[0] + h), 1e-3)
    assert agree(lanes[0].t[0], by_time, 1e-9)
    by_time = rate(lambda h: other.inverse(q[0], qdot[0], qddot[0], wrench[0], t[0] + h), 1e-3)
    assert agree(lanes[1].t[0], by_time, 1e-9)


@pytest.mark.long
def test_every_kind_of_joint_compiled():
    m = every_kind(1)
    d, s = rm.Dynamics(m.model), m.state(1)
    for a, b in zip(d.forward_derivatives(s.q, s.qdot, s.tau, s.wrench, s.t), by_complex_steps(d, s, True)):
        assert agree(a, b, 1e-9)
    for a, b in zip(d.inverse_derivatives(s.q, s.qdot, s.qddot, s.wrench, s.t), by_complex_steps(d, s, False)):
        assert agree(a, b, 1e-11)


@pytest.mark.parametrize("parents", [[-1, 0, 1, 1, 3, 0, 5, 6, 5, -1, 9, 9], [-1, -1, 0, 1, 0, 2, 2, 3, 0]])
def test_branches_and_trees_in_any_order(parents):
    """As the user made them, of joints of one and of several coordinates, and some of none, where a tree branches too."""
    kinds = ["Revolute", "Spherical", "Fixed", "Revolute", "Universal"]
    m = assemble(5, [(kinds[k % 5], "general", p) for k, p in enumerate(parents)], forces=False)
    d, s = rm.Dynamics(m.model), m.state(3)
    for a, b in zip(d.forward_derivatives(s.q, s.qdot, s.tau), d.linearize_forward(s.q, s.qdot, s.tau)):
        assert agree(a, b, 1e-11)
    for a, b in zip(d.inverse_derivatives(s.q, s.qdot, s.qddot), d.linearize_inverse(s.q, s.qdot, s.qddot)):
        assert agree(a, b, 1e-12)


@pytest.mark.parametrize("seed", [1, 2])
def test_pinocchio_has_the_same(seed):
    pin = pytest.importorskip("pinocchio")
    from dynamics.pinocchio_twin import Twin

    m = hinges(seed, 12)
    twin, d, s = Twin(m), rm.Dynamics(m.model), m.state(seed)
    T, _ = twin.map(s.q, s.qdot)  # a permutation
    x, v = twin.configuration(s.q), T @ s.qdot
    by_q, by_v, by_a = pin.computeRNEADerivatives(twin.model, twin.data, x, v, T @ s.qddot)
    upper = np.triu(by_a) + np.triu(by_a, 1).T
    for found, expected in zip(d.inverse_derivatives(s.q, s.qdot, s.qddot), (by_q, by_v, upper)):
        assert agree(found, T.T @ expected @ T, 1e-11)
    pin.computeABADerivatives(twin.model, twin.data, x, v, T @ s.tau)
    inverse = np.triu(twin.data.Minv) + np.triu(twin.data.Minv, 1).T
    for found, expected in zip(d.forward_derivatives(s.q, s.qdot, s.tau), (twin.data.ddq_dq, twin.data.ddq_dv, inverse)):
        assert agree(found, T.T @ expected @ T, 1e-9)


@pytest.mark.parametrize("name", ["arm", "strut", "point-springs"])
def test_forces_between_bodies_and_muscles(name):
    d = rm.Dynamics(named_scene(name), "interpret")
    q, (qdot, x) = d.model.q0, 0.3 * np.random.default_rng(1).normal(size=(2, d.model.nv))
    for a, b in zip(d.forward_derivatives(q, qdot, x), d.linearize_forward(q, qdot, x)):
        assert agree(a, b, 1e-11)
    for a, b in zip(d.inverse_derivatives(q, qdot, x), d.linearize_inverse(q, qdot, x)):
        assert agree(a, b, 1e-12)


def test_on_groups_columns_are_along_body_twists():
    scene = group_scene()
    scene.add_force(rm.SpringDamper(scene.find("inverted"), (0.3, 0, 0), stiffness=50.0, damping=2.0))
    d = rm.Dynamics(scene, "interpret")
    n, q = d.model.nv, d.model.q0
    qdot, x = np.random.default_rng(0).normal(size=(2, n))
    found = d.forward_derivatives(q, qdot, x)
    by_q = np.stack([rate(lambda h, e=e: d.forward(moved(d.model, q, h * e), qdot, x), 1e-3) for e in np.eye(n)], axis=-1)
    assert agree(found.q, by_q, 1e-8)
    assert agree(found.qdot, rate(lambda h: d.forward(q, qdot + h * np.eye(n), x), 1e-3).T, 1e-8)


def test_prescribed_joints_move_as_they_are_told():
    d = rm.Dynamics("prescribed-joint", "interpret")
    n, q = d.model.nv, d.model.q0
    e, (qdot, tau) = np.eye(n), np.random.default_rng(0).normal(size=(2, n))
    found = d.forward_derivatives(q, qdot, tau, t=0.4)
    assert agree(found.q, rate(lambda h: d.forward(q + h * e, qdot, tau, t=0.4), 1e-3).T, 1e-9)
    assert agree(found.qdot, rate(lambda h: d.forward(q, qdot + h * e, tau, t=0.4), 1e-3).T, 1e-9)
    assert agree(found.tau, rate(lambda h: d.forward(q, qdot, tau + h * e, t=0.4), 1e-3).T, 1e-9)
    assert agree(found.t, rate(lambda h: d.forward(q, qdot, tau, t=0.4 + h), 1e-3), 1e-9)


@pytest.mark.parametrize("name", ["slider-crank", pytest.param("prescribed-twist", marks=pytest.mark.long)])
def test_constraints_hold_where_they_act(name):
    d = rm.Dynamics(named_scene(name))
    n, q, qdot = d.model.nv, d.model.q0, d.model.qdot0
    e, tau = np.eye(n), np.random.default_rng(0).normal(size=n)
    found = d.forward_derivatives(q, qdot, tau)
    assert agree(found.q, rate(lambda h: d.forward(q + h * e, qdot, tau), 1e-4).T, 1e-8)
    assert agree(found.qdot, rate(lambda h: d.forward(q, qdot + h * e, tau), 1e-4).T, 1e-8, floor=1.0)
    assert agree(found.tau, rate(lambda h: d.forward(q, qdot, tau + h * e), 1e-4).T, 1e-8)
    inverse = d.inverse_derivatives(q, qdot, tau)
    assert agree(inverse.q, rate(lambda h: d.inverse(q + h * e, qdot, tau), 1e-4).T, 1e-8)
    assert agree(inverse.value, d.inverse(q, qdot, tau), 1e-11)


def test_parameters_by_name_and_worlds_of_their_own():
    scene = rm.Scene()
    arm = scene.add_body(rm.Cuboid((1, 0.1, 0.2)), joint=rm.Revolute("y"), com=(0.5, 0, 0), name="arm", stiffness=3.0)
    scene.add_body(rm.Sphere(0.1), joint=rm.Helical("z", pitch=0.2), parent=arm, at=(1, 0, 0), name="hand", com=(0, 0.3, 0))
    rng = np.random.default_rng(0)
    values = {"arm.mass": rng.uniform(1, 2, 2), "hand.pitch": rng.uniform(0.1, 0.3, 2), "arm.stiffness": rng.uniform(1, 2, 2)}
    values |= {"hand.com": rng.uniform(-0.3, 0.3, (2, 3)), "arm.inertia": np.array([np.diag([1.0, 2, 2.5]), np.diag([2.0, 2, 3])])}
    q, qdot, tau = rng.normal(size=(3, 2))
    found = rm.Dynamics(scene, parameters=values).forward_derivatives(q, qdot, tau).parameters
    assert found.keys() == values.keys()
    for name, value in values.items():
        shape = value.shape[1:]
        assert found[name].shape == (2, 2, *shape)
        direction = rng.normal(size=shape)
        direction = direction + direction.T if name == "arm.inertia" else direction
        along = rate(lambda h: rm.Dynamics(scene, parameters=values | {name: value + h * direction}).forward(q, qdot, tau), 1e-3)  # noqa: B023
        assert agree((found[name] * direction).reshape(2, 2, -1).sum(axis=-1), along, 1e-8), name


def test_parameters_that_components_are_made_with():
    scene = rm.Scene()
    scene.add_body(rm.Cuboid((1, 0.1, 0.2)), joint=rm.Revolute("y"), com=(0.5, 0, 0), name="arm")
    size = np.array([1.2, 0.1, 0.3])
    dynamics = rm.Dynamics(scene, "interpret", parameters={"arm.size": size})
    found = dynamics.inverse_derivatives([0.3], [1.0], [2.0]).parameters["arm.size"]
    along = [rate(lambda h, e=e: rm.Dynamics(scene, "interpret", parameters={"arm.size": size + h * e}).inverse([0.3], [1.0], [2.0]), 1e-4)
             for e in np.eye(3)]  # fmt: skip
    assert agree(found, np.stack(along, axis=-1), 1e-8)


def test_at_rest_at_zero_and_straight():
    """Balls and free bodies at zero angle and zero velocity, and a muscle-like path that is a straight line."""
    scene = rm.Scene()
    base = scene.add_body(rm.Cuboid((0.3, 0.2, 0.1)), joint=rm.Free(), name="base")
    ball = scene.add_body(rm.Cuboid((0.3, 0.2, 0.1)), joint=rm.Spherical(), parent=base, at=(0.3, 0, 0), com=(0.2, 0, 0))
    scene.add_force(rm.SpringDamper(base.point(0, 0, 0), ball.point(0.1, 0, 0), stiffness=5.0, damping=1.0))
    d = rm.Dynamics(scene, "interpret")
    zero = np.zeros(d.model.nv)
    for found in (d.forward_derivatives(d.model.q0, zero), d.inverse_derivatives(d.model.q0, zero, zero)):
        assert all(np.isfinite(x).all() for x in found[:4])
    e = np.eye(d.model.nv)
    assert agree(d.forward_derivatives(d.model.q0, zero).q, rate(lambda h: d.forward(d.model.q0 + h * e, zero), 1e-3).T, 1e-8)


def test_a_map_is_named():
    d = rm.Dynamics("coupled-chain")
    zero = np.zeros(d.model.nv)
    with pytest.raises(rm.SceneError, match="a map of coordinates holds the scene"):
        d.forward_derivatives(d.model.q0, zero)


def test_floats_states_by_axes_and_nothing_that_moves():
    m = chain(2, ["Universal", "Revolute", "Helical"])
    d, single, s = rm.Dynamics(m.model), rm.Dynamics(m.model, dtype="float32"), m.state(1)
    found = single.forward_derivatives(s.q, s.qdot, s.tau, t=s.t)
    assert found.q.dtype == np.float32
    for a, b in zip(found[:3], d.forward_derivatives(s.q, s.qdot, s.tau, t=s.t)):
        assert agree(a, b, 2e-3)
    wide = d.inverse_derivatives(np.broadcast_to(s.q, (3, 1, 4)), s.qdot, s.qddot, t=np.zeros((1, 5)))
    assert wide.q.shape == (3, 5, 4, 4)
    assert wide.t.shape == (3, 5, 4)
    assert d.forward_derivatives(np.zeros((0, 4)), np.zeros(4)).tau.shape == (0, 4, 4)
    fixed = rm.Scene()
    fixed.add_body(rm.Sphere(0.1))
    none = np.zeros(0)
    assert rm.Dynamics(fixed).forward_derivatives(none, none).q.shape == (0, 0)


@pytest.mark.parametrize("backend", ["llvm", "interpret"])
def test_by_parameters_where_constraints_hold_the_motion(backend):
    """A closed loop, by what its bodies and the world have, in two worlds: programs know the rows of their model."""
    scene = parallelogram()
    values = {"crank.mass": np.array([1.1, 1.7]), "rocker.com": np.array([[0.2, 0.0, 0.05], [0.1, 0.02, 0.0]])}
    values["gravity"] = np.array([[0.1, 0.2, -9.81], [0.5, 0.0, -4.0]])
    d = rm.Dynamics(scene, backend, parameters=values)
    q, qdot, rng = d.model.q0, d.model.qdot0, np.random.default_rng(3)
    tau, weights = rng.normal(size=(2, d.model.nv))
    found, pulled = d.forward_derivatives(q, qdot, tau), d.forward_vjp(q, qdot, tau, weights)
    for name, value in values.items():
        direction = rng.normal(size=value.shape[1:])
        beside = [values | {name: value + h * direction} for h in (-1e-6, 1e-6)]
        below, above = (rm.Dynamics(scene, "interpret", parameters=x).forward(q, qdot, tau) for x in beside)
        along = (above - below) / 2e-6
        mine = (found.parameters[name] * direction).reshape(2, d.model.nv, -1).sum(axis=-1)
        assert agree(mine, along, 1e-7), name
        assert agree(np.einsum("i,wi...->w...", weights, found.parameters[name]), pulled.parameters[name], 1e-11), name


def test_a_copy_shares_what_is_compiled_and_nothing_that_holds_its_parameters():
    d = rm.Dynamics(parallelogram(), "interpret", parameters={"gravity": [0.0, 0.0, -9.81]})
    first = d.forward(d.model.q0, d.model.qdot0)
    other = with_rows(d, np.zeros_like(d.parameters))
    assert other.model is d.model
    assert other.runners is d.runners
    assert other.single is not d.single
    assert not agree(other.forward(d.model.q0, d.model.qdot0), first, 1e-3)
    assert np.array_equal(d.forward(d.model.q0, d.model.qdot0), first)


def test_programs_are_put_together_once(monkeypatch):
    """To put a program together takes longer than a state in it: a second call, and a copy, find the first's."""
    d = rm.Dynamics(parallelogram(), "interpret")
    q, zero = d.model.q0, np.zeros(3)
    first = d.forward(q, zero), d.forward_derivatives(q, zero).q

    def never(*_):
        raise AssertionError("made again")

    monkeypatch.setattr("redmax.dynamics.common.forward_with_rows.constrained_program", never)
    for again in (d, copy.copy(d)):
        assert np.array_equal(again.forward(q, zero), first[0])
        assert np.array_equal(again.forward_derivatives(q, zero).q, first[1])


@pytest.mark.parametrize("joints", [("Revolute", "Revolute"), ("Revolute", "Spherical"), ("Universal", "Revolute")])
def test_small_trees_that_are_compiled_in_one_piece(joints):
    """What routines read behind the sweeps is there although these are one stretch of code: matrices equal products along directions."""
    scene, last, rng = rm.Scene(), None, np.random.default_rng(0)
    for name in joints:
        joint = rm.Revolute("y") if name == "Revolute" else getattr(rm, name)()
        last = scene.add_body(rm.Cuboid((0.3, 0.1, 0.1), mass=1.0), joint=joint, parent=last, at=(0.2, 0, 0), com=(0.1, 0, 0))
    d = rm.Dynamics(scene)
    q, qdot, tau, dq, dqdot = rng.normal(size=(5, d.model.nv))
    found = d.forward_derivatives(q, qdot, tau)
    assert agree(found.q @ dq + found.qdot @ dqdot, d.forward_jvp(q, qdot, tau, along={"q": dq, "qdot": dqdot}), 1e-12)
