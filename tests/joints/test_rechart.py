"""The change of exponential coordinates beyond 1.5 pi: the same pose, the same twist, an angle of at most pi; below, nothing."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

import redmax as rm
from dynamics.hyperdual import motion_of
from joints.samples import KINDS, make
from joints.test_motion import ROTATIONS, number, rotation
from random_examples import examples
from redmax.trace import Graph

directions = st.tuples(*[st.floats(-1, 1)] * 3).filter(lambda v: np.linalg.norm(v[:2]) > 0.1)


def state(kind: str, direction, angle: float, seed: int):
    rng = np.random.default_rng(seed)
    sample = make(kind, rng)
    q, qdot = rng.normal(size=(2, sample.joint.dof))
    q[ROTATIONS[kind]] = rotation(kind, direction, angle)
    return sample, q, qdot


@pytest.mark.parametrize("kind", ROTATIONS)
@examples(8, 40)
@given(direction=directions, angle=st.one_of(st.floats(1.501, 1.95), st.floats(2.05, 3.0)), seed=st.integers(0, 99))
def test_far_rotations_are_wound_back(kind, direction, angle, seed):
    sample, q, qdot = state(kind, direction, angle * np.pi, seed)
    [(p, pdot)] = sample.joint.rechart([(q, qdot)])
    assert np.linalg.norm(p[ROTATIONS[kind]]) <= np.pi + 1e-12
    E, S, _ = motion_of(sample.motion, q, qdot)
    F, T, _ = motion_of(sample.motion, p, pdot)
    assert_allclose(F, E, atol=1e-13)
    assert_allclose(T @ pdot, S @ qdot, atol=1e-11)


@pytest.mark.parametrize("kind", ROTATIONS)
@examples(15, 40)
@given(direction=directions, angle=st.floats(0.0, 1.4999), seed=st.integers(0, 99))
def test_near_rotations_are_left_alone(kind, direction, angle, seed):
    sample, q, qdot = state(kind, direction, angle * np.pi, seed)
    [(p, pdot)] = sample.joint.rechart([(q, qdot)])
    assert np.array_equal(p, q)
    assert np.array_equal(pdot, qdot)


@pytest.mark.parametrize("kind", ROTATIONS)
def test_traced_and_called_agree(kind):
    """Also where one branch of the choice would divide by zero."""
    for angle in (0.0, 1e-9, 1.0, 1.6 * np.pi, 1.9 * np.pi):
        sample, q, qdot = state(kind, (0.3, -0.8, 0.5), angle, 3)
        graph = Graph()
        symbols = [np.array([*graph.inputs(n, sample.joint.dof), None], object)[:-1] for n in ("q", "qdot")]
        for part, called in zip(sample.joint.rechart([tuple(symbols)])[0], sample.joint.rechart([(q, qdot)])[0]):
            assert_allclose(number(part, {"q": q, "qdot": qdot}), called, rtol=1e-14, atol=1e-15)


def test_accelerations_carry_over():
    """Forward dynamics in either chart moves the body alike: S qdd + Sdot qd is the same."""
    scene = rm.Scene()
    scene.add_body(rm.Cuboid((0.3, 0.2, 0.1)), joint=rm.Free(), com=(0.1, 0.2, 0.3))
    d = rm.Dynamics(scene.model())
    sample, q, qdot = state("Free", (0.3, -0.8, 0.5), 1.7 * np.pi, 5)
    [(p, pdot)] = sample.joint.rechart([(q, qdot)])
    accelerations = []
    for x, v in ((q, qdot), (p, pdot)):
        _, S, Sdot = motion_of(sample.motion, x, v)
        accelerations.append(S @ d.forward(x, v, np.zeros(6)) + Sdot @ v)
    assert_allclose(accelerations[1], accelerations[0], rtol=1e-11)


def test_other_joints_need_no_other_chart():
    rng = np.random.default_rng(0)
    for kind in set(KINDS) - set(ROTATIONS) - {"Composite", "Inverted"}:  # whose parts may
        joint = make(kind, rng).joint
        assert joint.rechart([(np.full(joint.dof, 9.0), np.zeros(joint.dof))]) is None
