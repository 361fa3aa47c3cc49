"""Charts that change on the way of a gradient: where that is due, and as it is for runs."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import redmax as rm
from design.gradients.test_gradient import check
from redmax.integrators import charts_due
from redmax.joints.spherical import LIMIT
from redmax.math import where
from redmax.trace import Graph, Scalar
from redmax.trace.vector import vector_of

STATES: dict[str, Any] = {
    "Spherical": (rm.Spherical(), (0.999 * LIMIT, 0.0, 0.02)),  # next to where its rotation vector is turned back
    "Free": (rm.Free(), (0.0, 0.999 * LIMIT, 0.02, 0.1, 0.2, 0.3)),
    "SphericalEuler": (rm.SphericalEuler(), (0.2, 1.2, 0.3)),  # where it leaves its first chart
}


def spinning(kind: str) -> rm.Scene:
    joint, q = STATES[kind]
    scene = rm.Scene()
    top = scene.add_body(rm.Cuboid((0.3, 0.1, 0.05), mass=2.0), joint=joint, com=(0.1, 0.05, 0), name="top", q=q)
    scene.add_body(rm.Cuboid((0.3, 0.1, 0.05), mass=1.0), joint=rm.Revolute("y"), parent=top, at=(0.3, 0, 0), com=(0.1, 0, 0), name="arm")
    return scene


METHODS = ("euler", "rk4", "implicit", "bdf1", "bdf2")
FEW = {("Spherical", "euler"), ("Free", "rk4"), ("SphericalEuler", "bdf2")}
PAIRS = [pytest.param(k, m, marks=() if (k, m) in FEW else pytest.mark.long) for k in STATES for m in METHODS]


@pytest.mark.parametrize(("kind", "integrator"), PAIRS)
def test_gradients_where_charts_change(kind, integrator):
    """Against complex steps; and the run ends in other coordinates than it would without."""
    model = spinning(kind).model()
    toward = np.concatenate([np.array(STATES[kind][1])[:3], np.zeros(model.nv - 3)])
    rates = 10.0 * toward / np.linalg.norm(toward) * (1.0 if kind != "SphericalEuler" else np.arange(model.nv) == 1)
    run = rm.simulate(model, 0.006, 0.002, initial=rm.State(0.3, model.q0, rates), integrator=integrator)
    jumps = np.abs(np.diff(run.q[:, :3], axis=0)).max()
    assert jumps > 1.0 or run.state(-1).chart != run.state(0).chart
    m: Any = SimpleNamespace(model=model, state=lambda seed: SimpleNamespace(q=model.q0, qdot=rates / 0.3))
    check(m, integrator, "recursive", ["top.mass"], 2)


@pytest.mark.parametrize("kind", STATES)
def test_traces_say_when_a_change_is_due(kind):
    joint = STATES[kind][0]
    graph = Graph()
    q = vector_of([graph.input("record", i) for i in range(joint.size)])
    qdot = vector_of([graph.input("record", 20 + i) for i in range(joint.dof)])
    flags = charts_due.due([((q, qdot), joint.rechart([(q, qdot)])[0])])
    assert 1 <= len(flags) <= 2
    assert all(isinstance(flag, Scalar) for flag in flags)


def test_what_a_trace_does_not_say_is_always_due():
    graph = Graph()
    q = vector_of([graph.input("record", i) for i in range(2)])
    far = where(q[0] > 1.0, 1.0, 0.0)
    assert charts_due.due([((q, q), (q - far, q))]) == [1.0]
    assert charts_due.due([((q, q), (q, q))]) == []


def test_worlds_side_by_side_change_each_for_itself():
    """Some are next to where charts change, others are not: as each by itself."""
    model, joint_q = spinning("Spherical").model(), np.array(STATES["Spherical"][1])
    q = np.array([np.concatenate([share * joint_q, [0.0]]) for share in (1.0, 0.5, 0.1)])
    qdot = np.tile([10.0, 0.0, 0.0, 0.5], (3, 1))
    g = rm.gradient(model, lambda now: now.q @ now.qdot, 0.006, 0.002, by=["q", "qdot", "tau"], integrator="euler")
    together = g(q=q, qdot=qdot)
    assert len({bool(abs(x) > 1.0) for x in together.end.q[:, 0] - q[:, 0]}) == 2
    for k in range(3):
        alone = g(q=q[k], qdot=qdot[k])
        assert together.value[k] == pytest.approx(alone.value, rel=1e-12)
        assert np.allclose(together.by["q"][k], alone.by["q"], rtol=1e-11)
        assert np.allclose(together.by["tau"][:, k], alone.by["tau"], rtol=1e-11)
