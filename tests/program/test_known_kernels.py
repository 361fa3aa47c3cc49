"""What was traced is found again by its content, up to a bound: the same kernels, whoever asks."""

from __future__ import annotations

import numpy as np
import pytest

import redmax as rm
from mechanisms import chain
from redmax.program import group, known_kernels
from redmax.program.known_kernels import KnownKernels, Traced


@pytest.fixture
def known(monkeypatch):
    fresh = KnownKernels()
    for module in (group, known_kernels):
        monkeypatch.setattr(module, "KNOWN", fresh)
    return fresh


def test_the_same_joints_in_another_mechanism_are_not_traced_again(known):
    states, traced = [], []
    for seed in (3, 4):  # other masses, lengths and places
        m = chain(seed, ["Revolute", "Spherical", "Revolute"], forces=False)
        s = m.state(1)
        states.append((m, s, rm.Dynamics(m.model, backend="interpret").forward(s.q, s.qdot, s.tau)))
        traced.append(len(known.found))
    assert traced[0] == traced[1] > 0
    known.found.clear()
    m, s, before = states[1]
    np.testing.assert_array_equal(rm.Dynamics(m.model, backend="interpret").forward(s.q, s.qdot, s.tau), before)


def test_forces_with_other_numbers_are_not_traced_again(known):
    found, traced = [], []
    for stiffness in (10.0, 20.0):
        scene = rm.Scene(gravity=(0, 0, 0))
        body = scene.add_body(rm.Sphere(0.1, mass=1.0), joint=rm.Prismatic("x"), q=1.0)
        scene.add_force(rm.SpringDamper(body, (0, 0, 0), stiffness=stiffness, rest=0.5))
        found.append(rm.Dynamics(scene.model(), backend="interpret").forward([1.0], [0.0])[0])
        traced.append(len(known.found))
    np.testing.assert_allclose(found, [-5.0, -10.0])
    assert traced[0] == traced[1] > 1


def test_another_function_of_a_user_is_traced(known):
    found = []
    for k in (1.0, 2.0):
        scene = rm.Scene()
        scene.add_body(rm.Sphere(0.1, mass=1.0), joint=rm.Revolute("y"), com=(0.3, 0, 0), torque=lambda t, q, qdot, k=k: [k * q[0]])
        found.append(rm.Dynamics(scene.model(), backend="interpret").forward([0.5], [0.0])[0])
    assert found[0] != found[1]


def test_the_latest_stay_within_the_bound():
    known = KnownKernels(most=100)
    for name in "abc":
        known.get(name, lambda: Traced([], 0, 40))
    assert list(known.found) == ["b", "c"]
    known.get("b", lambda: pytest.fail("it is known"))
    known.get("d", lambda: Traced([], 0, 40))
    assert list(known.found) == ["b", "d"]
    known.get("large", lambda: Traced([], 0, 1000))
    assert list(known.found) == ["large"]
