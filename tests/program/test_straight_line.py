"""Straight-line code against rolled code: the same dynamics, on random trees, in every program."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import redmax as rm
from dynamics.agreement import agree, disagreement
from dynamics.newton_euler import oracle
from mechanisms import chain, every_kind, mechanisms
from random_examples import examples
from redmax.backends.base import make_plan
from redmax.backends.interpret import Interpreter
from redmax.backends.llvm.executable import Executable
from redmax.program.fuse import OF_ITS_OWN, STRAIGHT, fuse


def accelerations(runner, inputs, nv, worlds):
    out = np.empty((1, worlds, nv))
    assert runner.run(inputs, [out], worlds) == 0
    return out[0]


def rolled_and_straight(m):
    d = rm.Dynamics(m.model)
    rolled = make_plan(m.model, d.forward_program, "interpret")
    straight = fuse(rolled, lambda g: g.meta, limit=10**9)
    assert len(straight.rows) <= 1
    return rolled, straight


@examples(3, 15)
@given(m=mechanisms(largest=5).filter(lambda m: m.nv > 0), seed=st.integers(0, 2**16))
def test_straight_equals_rolled_interpreted(m, seed):
    s = m.state(seed)
    inputs = [s.q, s.qdot, s.tau, np.array([s.t])]
    rolled, straight = (accelerations(Interpreter(p), inputs, m.nv, 1)[0] for p in rolled_and_straight(m))
    assert agree(straight, rolled, 1e-11)
    assert agree(straight, oracle(m, s.q, s.qdot).forward(s.tau, None, s.t), 1e-9)


def test_straight_equals_rolled_compiled():
    m = every_kind(0, kinds=("Free", "Revolute", "Prismatic", "torus", "Fixed", "Universal"))
    q, qdot, tau = m.states(9)
    inputs = [q, qdot, tau, np.array([0.3])]
    rolled, straight = (Executable(p) for p in rolled_and_straight(m))
    for worlds in (1, 9):
        part = [x[:worlds] if x.ndim == 2 else x for x in inputs]
        a, b = accelerations(straight, part, m.nv, worlds), accelerations(rolled, part, m.nv, worlds)
        assert max(map(disagreement, a, b)) < 1e-11


def test_small_models_are_straight_and_large_ones_rolled():
    small, large = chain(0, ["Revolute"], "shift", forces=False), chain(0, ["Spherical"] * 8, forces=False)
    rows = [len(make_plan(m.model, rm.Dynamics(m.model).forward_program, "llvm").rows) for m in (small, large)]
    assert rows[0] == 1
    assert rows[1] > 8
    plan = make_plan(large.model, rm.Dynamics(large.model).forward_program, "interpret")
    assert sum(r.group.meta.operations[r.sweep] for r in plan.rows) > STRAIGHT


def test_longer_ones_are_straight_where_rows_share_few_kernels():
    """Nine joints that all differ, and nine of which all but the ends are alike."""
    kinds = ["Revolute", "Universal", "Prismatic", "Helical", "Planar", "Cylindrical", "Free2D", "Translational", "Schoenflies"]
    found = {}
    for name, used in (("different", kinds), ("alike", ["Spherical"] * 9)):
        model = chain(1, used, "shift", forces=False).model
        program = rm.Dynamics(model).forward_program
        found[name] = len(make_plan(model, program, "llvm").rows)
        size = sum(r.group.meta.operations[r.sweep] for r in make_plan(model, program, "interpret").rows)
        assert STRAIGHT < size < (OF_ITS_OWN if name == "different" else np.inf)
    assert found["different"] == 1
    assert found["alike"] > 9


@pytest.mark.parametrize("kind", ["Revolute", "Spherical"])
def test_every_function_of_a_small_model(kind):
    """Inverse dynamics, products and observations of models that compile to straight lines, against those row by row."""
    m = chain(4, [kind], "quarter")
    s = m.state(0)
    d, i = rm.Dynamics(m.model), rm.Dynamics(m.model, backend="interpret")
    assert agree(d.inverse(s.q, s.qdot, s.qddot, s.wrench, s.t), i.inverse(s.q, s.qdot, s.qddot, s.wrench, s.t), 1e-12)
    assert agree(d.reactions(s.q, s.qdot, s.qddot, t=s.t), i.reactions(s.q, s.qdot, s.qddot, t=s.t), 1e-12)
    assert agree(d.inertia(s.q), i.inertia(s.q), 1e-12)
    assert agree(d.inverse_inertia(s.q), i.inverse_inertia(s.q), 1e-12)
    for name in ("kinetic", "potential", "momentum", "pose", "twist"):
        assert agree(getattr(d.observe(s.q, s.qdot), name), getattr(i.observe(s.q, s.qdot), name), 1e-12), name
