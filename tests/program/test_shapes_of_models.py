"""Models at the edges: one joint, no freedom at all, many roots, a long chain, a wide star, a comb.

Large ones are without forces: each random torque function would be a kernel of its own, and here the shape of the tree counts.
"""

from __future__ import annotations

import numpy as np
import pytest

import redmax as rm
from dynamics.agreement import agree, disagreement
from dynamics.newton_euler import oracle
from dynamics.square_factorisation import forward_dynamics, place, solve_with
from mechanisms import assemble


def check(m, tolerance: float = 1e-9, seed: int = 0) -> rm.Dynamics:
    """Forward dynamics against Newton-Euler, alone and in lanes; inverse dynamics back."""
    d = rm.Dynamics(m.model)
    s = m.state(seed)
    x = d.forward(s.q, s.qdot, s.tau, t=s.t)
    assert agree(x, oracle(m, s.q, s.qdot).forward(s.tau, None, s.t), tolerance)
    q, qdot, tau = m.states(9)
    assert max(map(disagreement, d.forward(q, qdot, d.inverse(q, qdot, tau)), tau)) < 100 * tolerance
    return d


@pytest.mark.parametrize("backend", ["llvm", "interpret"])
def test_no_freedom_at_all(backend):
    m = assemble(0, [("Fixed", "general", -1), ("Fixed", "quarter", 0), ("Fixed", "shift", -1)])
    d = rm.Dynamics(m.model, backend=backend)
    none = np.zeros(0)
    assert m.model.nv == 0
    assert d.forward(none, none).shape == (0,)
    assert d.forward(none, none, none).shape == (0,)
    assert d.inverse(none, none, none).shape == (0,)
    assert d.inertia(none).shape == d.inverse_inertia(none).shape == (0, 0)
    assert d.forward(np.zeros((3, 0)), np.zeros((3, 0))).shape == (3, 0)
    o = oracle(m, none, none)
    assert agree(d.reactions(none, none, none), o.reactions(none), 1e-12)
    seen = d.observe(np.zeros((2, 0)), np.zeros((2, 0)))
    assert np.allclose(seen.pose[1], o.E.astype(float), atol=1e-14)
    assert np.array_equal(seen.kinetic, [0.0, 0.0])


@pytest.mark.parametrize("kind", ["Revolute", "Translational", "Free"])
def test_a_single_joint(kind):
    for style in ("none", "general"):
        check(assemble(1, [(kind, style, -1)]))


def test_fixed_bodies_at_the_root_between_and_at_the_leaves():
    links = [("Fixed", "general"), ("Revolute", "quarter"), ("Fixed", "quarter"), ("Spherical", "general"), ("Fixed", "shift")]
    check(assemble(2, [(kind, style, i - 1) for i, (kind, style) in enumerate(links)]))


def test_many_roots():
    """They do not know of each other."""
    kinds = ["Revolute", "Free", "Prismatic", "Spherical", "Fixed", "torus"]
    m = assemble(3, [(kinds[i % 6], "general", -1) for i in range(30)], forces=False)
    d = check(m)
    s = m.state(4)
    whole = d.forward(s.q, s.qdot, s.tau, t=s.t)
    s.tau[m.of(7)] += 100.0
    other = d.forward(s.q, s.qdot, s.tau, t=s.t)
    assert set(np.flatnonzero(whole != other)) == set(range(m.of(7).start, m.of(7).stop))


def test_a_star_with_a_hundred_children():
    check(assemble(4, [("Free", "general", -1)] + [("Revolute", "general", 0)] * 100, forces=False))


def test_a_comb():
    """A spine with a tooth at each joint: as many accumulators in use as there are branches."""
    plan = [("Revolute", "shift", -1)]
    for i in range(1, 12):
        plan += [("Revolute", "quarter", len(plan) - 2 if i > 1 else 0), ("Prismatic", "shift", len(plan) - 2 if i > 1 else 0)]
    check(assemble(5, plan, forces=False))


def test_a_binary_tree():
    plan = [("Spherical", "general", -1)] + [("Revolute", "general", (i - 1) // 2) for i in range(1, 63)]
    check(assemble(6, plan, forces=False))


@pytest.mark.parametrize(
    ("backend", "n"), [("llvm", 150), ("interpret", 150), *(pytest.param(b, 300, marks=pytest.mark.long) for b in ("llvm", "interpret"))]
)
def test_a_long_chain(backend, n):
    """Beyond what agreement to 1e-9 is promised for, yet both sweeps hold: the square factorisation, and inverse after forward."""
    m = assemble(7, [("Revolute", "shift", i - 1) for i in range(n)], forces=False)
    d = rm.Dynamics(m.model, backend=backend)
    rng = np.random.default_rng(0)
    q, qdot, tau = rng.uniform(-0.05, 0.05, (3, n))
    x = d.forward(q, qdot, tau)
    assert np.isfinite(x).all()
    p = place(m, q, qdot)
    bias = d.inverse(q, qdot, np.zeros(n))
    assert agree(x, solve_with(p, [np.array([v]) for v in tau - bias]), 1e-6)
    back = d.inverse(q, qdot, x)
    needed = np.abs(bias).max()
    assert np.abs(back - tau).max() < 1e-9 * needed


def test_a_chain_of_sixty_far_from_rest():
    m = assemble(7, [("Revolute", "shift", i - 1) for i in range(60)], forces=False)
    s = m.state(0)
    o = oracle(m, s.q, s.qdot)
    d = rm.Dynamics(m.model)
    assert agree(d.inverse(s.q, s.qdot, s.qddot), o.inverse(s.qddot), 1e-11)
    assert agree(d.forward(s.q, s.qdot, s.tau), forward_dynamics(o, s.tau), 1e-7)
