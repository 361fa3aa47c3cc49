"""Joints on surfaces with poles change to another chart near one: the same pose, the same twist; elsewhere, nothing."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

import redmax as rm
from joints.evaluated import evaluated
from random_examples import examples
from redmax.trace import Graph, evaluate_numeric

BALL, EGG, RING = rm.surfaces.Sphere(0.6), rm.surfaces.Ellipsoid((0.5, 0.8, 0.3)), rm.surfaces.Torus(0.5, 0.2)
JOINTS = {
    "fixed on a sphere": rm.PointOnSurface(BALL, "fixed"),
    "spinning on a sphere": rm.PointOnSurface(BALL, spin=True),
    "spinning within an ellipsoid": rm.PointOnSurface(EGG, spin=True, inside=True),
    "free on an ellipsoid": rm.PointOnSurface(EGG, "free"),
    "sphere on sphere": rm.SurfaceContact(BALL, BALL, spin=True),
    "ellipsoid in sphere": rm.SurfaceContact(BALL, EGG, spin=True, inside=True),
    "torus on ellipsoid": rm.SurfaceContact(EGG, RING, spin=True),
    "ellipsoid on torus": rm.SurfaceContact(RING, EGG, spin=True),
}
LATITUDES = {
    "fixed on a sphere": (1,), "spinning on a sphere": (1,), "spinning within an ellipsoid": (1,), "free on an ellipsoid": (1,),
    "sphere on sphere": (1, 3), "ellipsoid in sphere": (1, 3), "torus on ellipsoid": (1,), "ellipsoid on torus": (3,),
}  # fmt: skip
names = pytest.mark.parametrize("name", JOINTS)
near_pole = st.floats(np.pi / 3 + 1e-6, np.pi / 2 - 1e-3).flatmap(lambda v: st.sampled_from([v, -v, np.pi - v]))
far = st.floats(-np.pi / 3 + 1e-6, np.pi / 3 - 1e-6)
coordinate = st.floats(-2.5, 2.5)


@st.composite
def states(draw, name: str, latitude) -> tuple[np.ndarray, np.ndarray]:
    joint = JOINTS[name]
    q = [draw(coordinate) for _ in range(joint.dof)]
    for place in LATITUDES[name]:
        q[place] = draw(latitude)
    charts = [float(draw(st.integers(0, 1))) for _ in joint.discrete]
    return np.array([*q, *charts]), np.array([draw(st.floats(-2, 2)) for _ in range(joint.dof)])


def twist_and_pose(joint, q, qdot) -> tuple[np.ndarray, np.ndarray]:
    E, S, _ = evaluated(joint, q, qdot)
    return S @ qdot, E


def clearances(name: str, q: np.ndarray) -> list[float]:
    return [abs(np.cos(q[place])) for place in LATITUDES[name]]


@names
@examples(5, 40)
@given(data=st.data())
def test_near_a_pole_the_chart_changes_and_the_motion_does_not(name, data):
    joint = JOINTS[name]
    q, qdot = data.draw(states(name, near_pole))
    ((p, pdot),) = joint.rechart([(q, qdot)])
    assert_allclose(p[joint.dof :], 1.0 - q[joint.dof :], atol=0)
    assert min(clearances(name, p)) > 0.7
    (twist, E), (new_twist, F) = twist_and_pose(joint, q, qdot), twist_and_pose(joint, p, pdot)
    assert_allclose(F, E, atol=1e-12)
    assert_allclose(new_twist, twist, atol=1e-12)


@names
@examples(5, 40)
@given(data=st.data())
def test_elsewhere_nothing_changes(name, data):
    joint = JOINTS[name]
    q, qdot = data.draw(states(name, far))
    ((p, pdot),) = joint.rechart([(q, qdot)])
    assert_allclose(p, q, atol=0)
    assert_allclose(pdot, qdot, atol=0)


@names
@examples(5, 40)
@given(data=st.data(), step=st.floats(1e-6, 1e-2))
def test_earlier_states_come_along(name, data, step):
    """In the charts of the present one, and near it: what is a small difference stays one."""
    joint = JOINTS[name]
    q, qdot = data.draw(states(name, near_pole))
    earlier = q.copy()
    earlier[: joint.dof] -= step * qdot
    (p, _), (before, rate) = joint.rechart([(q, qdot), (earlier, qdot)])
    assert_allclose(before[joint.dof :], p[joint.dof :], atol=0)
    n = joint.dof
    assert np.abs(before[:n] - p[:n]).max() <= 10 * step * max(np.abs(qdot).max(), np.abs(rate).max()) + 1e-9
    (twist, E), (new_twist, F) = twist_and_pose(joint, earlier, qdot), twist_and_pose(joint, before, rate)
    assert_allclose(F, E, atol=1e-12)
    assert_allclose(new_twist, twist, atol=1e-11)


@cache
def traced(name: str):
    joint, graph = JOINTS[name], Graph()
    symbols = [np.array([*graph.inputs(n, size), None], object)[:-1] for n, size in (("q", joint.size), ("v", joint.dof))]
    return joint.rechart([tuple(symbols)])[0]


@names
@examples(5, 40)
@given(data=st.data())
def test_traced_and_called_agree(name, data):
    q, qdot = data.draw(st.one_of(states(name, far), states(name, near_pole)))
    for part, called in zip(traced(name), JOINTS[name].rechart([(q, qdot)])[0]):
        found = evaluate_numeric(list(part), lambda base, i: {"q": q, "v": qdot}[base][i])
        apart = np.array([float(x) for x in found]) - called
        assert_allclose(np.remainder(apart + np.pi, 2 * np.pi) - np.pi, 0.0, atol=1e-11)  # pi and -pi are one angle


def test_a_rotation_vector_beside_a_surface_is_wound_back():
    joint = JOINTS["free on an ellipsoid"]
    q, qdot = np.array([0.3, 0.2, 4.0, -3.0, 1.0, 0.0]), np.array([0.1, 0.2, 0.3, -0.4, 0.5])
    ((p, pdot),) = joint.rechart([(q, qdot)])
    assert np.linalg.norm(p[2:5]) < np.pi
    (twist, E), (new_twist, F) = twist_and_pose(joint, q, qdot), twist_and_pose(joint, p, pdot)
    assert_allclose(F, E, atol=1e-13)
    assert_allclose(new_twist, twist, atol=1e-13)
