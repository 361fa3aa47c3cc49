"""Spline surfaces that deform in time: at each time the surface with the values of that time, and the same motion in all dynamics."""

from __future__ import annotations

import numpy as np
from numpy.testing import assert_allclose

import redmax as rm
from dynamics.differences import rate
from joints.code_of_joints import code
from joints.spline_samples import bowl
from redmax.joints.motion import traced_motion
from redmax.trace import Graph, evaluate_numeric


def waving(q_values: np.ndarray) -> tuple[np.ndarray, list]:
    rng = np.random.default_rng(7)
    first, second = 0.2 * rng.normal(size=(2, *q_values.shape))
    return q_values, [(first, lambda t: rm.math.sin(2.0 * t)), (second, lambda t: t * t)]


def test_a_deforming_surface_is_at_each_time_the_surface_with_the_values_of_that_time():
    values, modes = waving(bowl())
    joint = rm.DeformingSplineSurface(values, modes, rotation_order="zxy")
    assert joint.timed
    q = np.random.default_rng(8).uniform(0.0, 4.9, (5, 2))
    for t in (0.0, 0.4, -1.3):
        still = rm.SplineSurface(values + np.sin(2 * t) * modes[0][0] + t * t * modes[1][0], rotation_order="zxy")
        for x in q:
            assert_allclose(np.asarray(joint.transform(x, t), float), np.asarray(still.transform(x), float), rtol=0, atol=1e-13)
            assert_allclose(np.asarray(joint.jacobian(x, t), float), np.asarray(still.jacobian(x), float), rtol=0, atol=1e-13)


def test_the_twist_that_deformation_brings_is_the_rate_of_the_pose():
    values, modes = waving(bowl())
    joint, q, v, t = rm.DeformingSplineSurface(values, modes), np.array([1.4, 2.6]), np.array([0.7, -0.4]), 0.6
    graph = Graph()
    x, u = (np.array([*graph.inputs(n, 2), None], object)[:-1] for n in ("q", "v"))
    m = traced_motion(joint, x, u, graph.input("t", 0))

    def twist(h: float) -> np.ndarray:
        given = {"q": q + h * v, "v": v, "t": [t + h]}
        return np.array(evaluate_numeric(list(m.twist(u)), lambda base, i: given[base][i]), float)

    E = np.asarray(joint.transform(q, t), float)
    change = np.linalg.inv(E) @ rate(lambda h: np.asarray(joint.transform(q + h * v, t + h), float), 1e-2)
    assert_allclose(twist(0.0), [change[2, 1], change[0, 2], change[1, 0], *change[:3, 3]], rtol=0, atol=1e-10)
    given = {"q": q, "v": v, "t": [t]}
    bias = np.array(evaluate_numeric(list(m.bias(u)), lambda base, i: given[base][i]), float)
    assert_allclose(bias, rate(twist, 1e-2), rtol=0, atol=1e-9)


def test_a_body_on_a_deforming_surface_moves_alike_in_all_three_dynamics():
    values, modes = waving(bowl())
    ends = []
    for dynamics in ("recursive", "redmax", "maximal"):
        scene = rm.Scene()
        scene.add_body(rm.Cuboid((0.3, 0.2, 0.1)), joint=rm.DeformingSplineSurface(values, modes), q=(1.0, 2.2))
        run = rm.simulate(scene, duration=0.2, dt=0.05, integrator="adaptive", dynamics=dynamics)
        ends.append(run.q[-1])
    assert_allclose(ends[1], ends[0], rtol=0, atol=1e-6)
    assert_allclose(ends[2], ends[0], rtol=0, atol=1e-6)


def test_other_functions_of_time_are_other_code():
    values, modes = waving(bowl())

    def with_mode(f):
        return code(rm.DeformingSplineSurface(values, [(modes[0][0], f)]))

    first = with_mode(lambda t: rm.math.sin(3.0 * t))
    assert first == with_mode(lambda t: rm.math.sin(t * 3.0))
    assert first != with_mode(lambda t: rm.math.sin(2.0 * t))
