"""Inverse and hybrid dynamics: what one finds, the other reproduces; prescribed motions."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import redmax as rm
from dynamics.agreement import agree
from dynamics.newton_euler import oracle
from mechanisms import every_kind, mechanisms
from random_examples import examples

seeds = st.integers(0, 2**16)


@examples(4, 25)
@given(m=mechanisms(largest=9), seed=seeds)
def test_inverse_equals_newton_euler_and_undoes_forward(m, seed):
    s = m.state(seed)
    d = rm.Dynamics(m.model, backend="interpret")
    tau = d.inverse(s.q, s.qdot, s.qddot, s.wrench, s.t)
    assert agree(tau, oracle(m, s.q, s.qdot).inverse(s.qddot, s.wrench, s.t), 1e-12)
    assert agree(d.forward(s.q, s.qdot, tau, s.wrench, s.t), s.qddot, 1e-9)
    acceleration = d.forward(s.q, s.qdot, s.tau, s.wrench, s.t)
    needed = np.abs(d.inertia(s.q)) @ np.abs(acceleration)  # what cancels in M qdd + bias
    assert np.allclose(d.inverse(s.q, s.qdot, acceleration, s.wrench, s.t), s.tau, rtol=0, atol=1e-11 * np.append(needed, 1.0).max())


def mixed(m, s, model):
    """Hybrid's answer, with what is not an answer spoiled in the input: it must not be read."""
    given_joint = np.concatenate([np.full(link.sample.joint.dof, p) for link, p in zip(m.links, model.prescribed)]).astype(bool)
    tau, qddot = np.where(given_joint, 1e3, s.tau), np.where(given_joint, s.qddot, -1e3)
    return given_joint, tau, qddot


@examples(4, 20)
@given(m=mechanisms(largest=8), seed=seeds, data=st.data())
def test_hybrid_is_consistent_with_forward_and_inverse(m, seed, data):
    chosen = data.draw(st.lists(st.sampled_from([f"joint{i}" for i in range(len(m.links))]), unique=True))
    model = m.model.with_prescribed(chosen)
    s = m.state(seed)
    given_joint, tau_in, qddot_in = mixed(m, s, model)
    qddot, tau = rm.Dynamics(model, backend="interpret").hybrid(s.q, s.qdot, tau_in, qddot_in, s.wrench, s.t)
    assert np.array_equal(qddot[given_joint], s.qddot[given_joint])
    assert np.array_equal(tau[~given_joint], s.tau[~given_joint])
    o = oracle(m, s.q, s.qdot)
    assert agree(o.forward(tau, s.wrench, s.t), qddot, 1e-8)
    scale = np.abs(np.concatenate([[1.0], tau, qddot])).max()
    assert np.allclose(o.inverse(qddot, s.wrench, s.t), tau, rtol=0, atol=1e-9 * scale)


@pytest.mark.parametrize(("part", "backend"), [("none", "interpret"), ("all", "interpret"), ("half", "llvm")])
def test_hybrid_in_batches(part, backend):
    m = every_kind(1)
    names = {"none": [], "all": list(m.model.joint_names), "half": list(m.model.joint_names[::2])}[part]
    model = m.model.with_prescribed(names)
    d, plain = rm.Dynamics(model, backend=backend), rm.Dynamics(m.model)
    states = [m.state(i) for i in range(9)]
    q, qdot, tau, qddot, wrench = (np.array([getattr(s, n) for s in states]) for n in ("q", "qdot", "tau", "qddot", "wrench"))
    a, b = d.hybrid(q, qdot, tau, qddot, wrench, 0.5)
    for i in (0, 5, 8):
        assert agree(plain.forward(q[i], qdot[i], b[i], wrench[i], 0.5), a[i], 1e-8)
        one = d.hybrid(q[i], qdot[i], tau[i], qddot[i], wrench[i], 0.5)
        assert agree(one[0], a[i], 1e-12)
        assert agree(one[1], b[i], 1e-12)
    if part == "all":
        assert np.array_equal(a, qddot)
    if part == "none":
        assert np.array_equal(b, tau)


def test_a_prescribed_motion_has_its_exact_acceleration():
    """q(t) = (0.3 sin 2t, t^2): qdd = (-1.2 sin 2t, 2), with the gain's terms where the state is off the motion."""
    scene = rm.Scene()
    b = 3.0
    box = rm.Cuboid((0.3, 0.2, 0.1))
    driven = scene.add_body(box, joint=rm.Universal(), com=(0.1, 0, 0), motion=lambda t: [0.3 * np.sin(2.0 * t), t * t], gain=b)
    scene.add_body(box, joint=rm.Revolute("y"), parent=driven, at=(0.3, 0, 0), com=(0.1, 0, 0))
    q, qdot, t = np.array([0.1, -0.2, 0.4]), np.array([0.5, 0.7, -0.3]), 0.8
    wanted = np.array([0.3 * np.sin(2 * t), t * t]), np.array([0.6 * np.cos(2 * t), 2 * t]), np.array([-1.2 * np.sin(2 * t), 2.0])
    expected = wanted[2] + 2 * b * (wanted[1] - qdot[:2]) + b * b * (wanted[0] - q[:2])
    d = rm.Dynamics(scene.model())
    acceleration = d.forward(q, qdot, np.zeros(3), t=t)
    assert np.allclose(acceleration[:2], expected, rtol=1e-13)
    qddot, tau = d.hybrid(q, qdot, t=t)
    assert np.allclose(qddot, acceleration, rtol=1e-13)
    assert tau[2] == 0.0
    assert np.allclose(d.inverse(q, qdot, qddot, t=t), tau, atol=1e-12)


def test_a_massless_body_may_be_driven():
    """The tool of a driven joint weighs nothing: its motion is given, so it needs no inertia."""
    scene = rm.Scene()
    base = scene.add_body(rm.Cuboid((0.3, 0.2, 0.1)), joint=rm.Revolute("y"), com=(0.1, 0, 0))
    scene.add_body(rm.MassProperties(0, (0, 0, 0)), joint=rm.Revolute("x"), parent=base, motion=lambda t: 2.0 * t)
    alone = rm.Scene()
    alone.add_body(rm.Cuboid((0.3, 0.2, 0.1)), joint=rm.Revolute("y"), com=(0.1, 0, 0))
    one = rm.Dynamics(alone.model()).forward(np.array([0.4]), np.array([1.0]), np.array([0.2]))
    two = rm.Dynamics(scene.model()).forward(np.array([0.4, 0.0]), np.array([1.0, 2.0]), np.array([0.2, 0.0]))
    assert np.allclose(two, [one[0], 0.0], rtol=1e-13)
