"""Which joints share kernels, and what happens when there are too many kinds."""

from __future__ import annotations

import numpy as np
import pytest

import redmax as rm
from dynamics.agreement import agree
from dynamics.newton_euler import oracle
from joints.samples import KINDS
from mechanisms import assemble, chain, every_kind
from redmax.model import signatures


def kinds(m) -> int:
    return len({s.text for s in m.scene().model().kernels_of[0]})


@pytest.mark.parametrize(("backend", "of"), [("llvm", ("Free", "Revolute", "Fixed", "torus")), ("interpret", KINDS)])
def test_beyond_the_cap_all_constants_are_data_and_the_dynamics_the_same(monkeypatch, backend, of):
    m = every_kind(3, "quarter", of)
    s = m.state(0)
    special = rm.Dynamics(m.model, backend=backend)
    before = special.forward(s.q, s.qdot, s.tau, t=s.t)
    patterns = {s.text for s in m.model.kernels_of[0]}
    monkeypatch.setattr(signatures, "CAP", 2)
    model = m.scene().model()
    assert not patterns & {s.text for s in model.kernels_of[0]}
    assert max(len(c) for c in model.kernels_of[1]) > max(len(c) for c in m.model.kernels_of[1])
    generic = rm.Dynamics(model, backend=backend)
    assert agree(generic.forward(s.q, s.qdot, s.tau, t=s.t), before, 1e-11)
    assert agree(before, oracle(m, s.q, s.qdot).forward(s.tau, None, s.t), 1e-9)
    assert agree(generic.inverse(s.q, s.qdot, s.qddot, t=s.t), special.inverse(s.q, s.qdot, s.qddot, t=s.t), 1e-12)


def test_the_cap_bounds_the_kinds(monkeypatch):
    """Hinges with all sorts of zeros: many patterns become one."""
    plan = [("Revolute", style, i - 1) for i, style in enumerate(["shift", "quarter"] * 12)]
    m = assemble(1, plan, forces=False)
    many = kinds(m)
    assert many > 12
    monkeypatch.setattr(signatures, "CAP", 8)
    assert kinds(m) == 1


def test_general_links_share_and_identical_links_share():
    general = chain(5, ["Revolute"] * 10, "general", forces=False)
    assert kinds(general) == 1  # unaligned axes too: the axis is in the constants
    one = assemble(2, [("Spherical", "none", i - 1) for i in range(6)], forces=False)
    assert kinds(one) <= 2  # with mass 1, which is structure, or 2.5


def test_joints_that_only_differ_in_numbers_get_their_own_numbers():
    """Shared kernels, different constants: hinges of a chain answer as each alone would."""
    m = assemble(6, [("Revolute", "general", -1)] * 7, forces=False)
    s = m.state(1)
    together = rm.Dynamics(m.model).forward(s.q, s.qdot, s.tau)
    for i, link in enumerate(m.links):
        alone = type(m)((link,), (), m.gravity)
        x = rm.Dynamics(alone.model, backend="interpret").forward(s.q[i : i + 1], s.qdot[i : i + 1], s.tau[i : i + 1])
        assert np.isclose(together[i], x[0], rtol=1e-12)


def test_springs_of_one_joint_are_not_those_of_another():
    """Stiffness 0 and 1 are structure, 2 is data; a relaxed spring is where its rest says."""
    scene = rm.Scene(gravity=(0, 0, 0))
    for k, rest in ((0.0, 0.5), (1.0, 0.5), (2.0, 0.5), (2.0, 0.0), (1.0, 1.0), (1.0, -1.0)):
        scene.add_body(rm.MassProperties(1.0, (1, 1, 1)), joint=rm.Prismatic("x"), stiffness=k, rest=rest)
    x = rm.Dynamics(scene.model()).forward(np.full(6, 0.25), np.zeros(6), np.zeros(6))
    assert np.allclose(x, [0.0, 0.25, 0.5, -0.5, 0.75, -1.25], atol=1e-15)
