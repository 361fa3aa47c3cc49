"""What joints transmit: the free-body balance of every body, in the user's joint frames, parent on child."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import redmax as rm
from dynamics.agreement import agree
from dynamics.hyperdual import inverse
from dynamics.newton_euler import Ad, oracle
from mechanisms import every_kind, mechanisms
from random_examples import examples


@examples(4, 25)
@given(m=mechanisms(largest=8), seed=st.integers(0, 2**16))
def test_reactions_equal_the_needs_of_the_subtree(m, seed):
    s = m.state(seed)
    found = rm.Dynamics(m.model, backend="interpret").reactions(s.q, s.qdot, s.qddot, s.wrench, s.t)
    assert agree(found, oracle(m, s.q, s.qdot).reactions(s.qddot, s.wrench, s.t), 1e-12)


@pytest.mark.parametrize("style", [None, *[pytest.param(style, marks=pytest.mark.long) for style in ("general", "none", "quarter")]])
def test_every_body_is_in_balance(style):
    """Reaction of its joint, minus those of its children's joints, plus what acts on it, is what moves it."""
    m = every_kind(1, style)
    s = m.state(2)
    o = oracle(m, s.q, s.qdot)
    d = rm.Dynamics(m.model, backend="interpret")
    acceleration = d.forward(s.q, s.qdot, s.tau, s.wrench, s.t)
    reactions = d.reactions(s.q, s.qdot, acceleration, s.wrench, s.t)
    in_world = [Ad(inverse(E)).T @ f for E, f in zip(o.frames, reactions)]
    moving, acting = o.inertial(acceleration), o.external(s.wrench, s.t)
    for i in range(len(m.links)):
        total = in_world[i] - sum(in_world[j] for j, link in enumerate(m.links) if link.parent == i)
        X = Ad(o.E[i])
        assert agree((X.T @ total + acting[i]).astype(float), moving[i].astype(float), 1e-8), m.links[i].sample.kind


def test_the_joint_force_is_the_reaction_along_the_joint():
    """S^T F = tau + spring, damper and torque function."""
    m = every_kind(1)
    s = m.state(3)
    o = oracle(m, s.q, s.qdot)
    d = rm.Dynamics(m.model, backend="interpret")
    tau, F = d.inverse(s.q, s.qdot, s.qddot, t=s.t), d.reactions(s.q, s.qdot, s.qddot, t=s.t)
    total = tau + o.passive(s.t).astype(float)
    for i, link in enumerate(m.links):
        part = m.of(i)
        back = Ad(inverse(o.frames[i])) @ Ad(o.E[i])  # the body's Jacobian, moved to the joint frame, less its parent's, is S
        S = back @ o.J[i][:, part]
        assert agree((S.T @ F[i]).astype(float), total[part], 1e-11), link.sample.kind


def test_a_hanging_box_pulls_at_its_hinge():
    """At rest, com 0.1 m along x, hinge about y turned a quarter so that x points down: the parent carries m g upwards."""
    scene = rm.Scene()
    scene.add_body(rm.Cuboid((0.3, 0.2, 0.1), mass=2.0), joint=rm.Revolute("y"), com=(0.1, 0, 0))
    d = rm.Dynamics(scene.model())
    hanging = np.array([np.pi / 2])
    assert np.allclose(d.reactions(hanging, [0.0], [0.0]), [[0, 0, 0, -19.62, 0, 0]], atol=1e-12)
    level = np.array([0.0])
    held = d.inverse(level, [0.0], [0.0])
    assert np.allclose(held, [-1.962])  # about +y, x turns down: holding up is negative
    assert np.allclose(d.reactions(level, [0.0], [0.0]), [[0, -1.962, 0, 0, 0, 19.62]], atol=1e-12)
