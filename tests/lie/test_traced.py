"""The same functions over traced scalars: equal values, exact derivatives to third order (at zero too), no waste.

The reference for third derivatives is the matrix exponential over hyper-dual numbers, written as nilpotent matrices.
"""

from __future__ import annotations

from functools import reduce

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.linalg import expm

from redmax.lie import Ad, ad, inverse, point_jacobian, pose, rotation_about, se3, so3, transform_point
from redmax.trace import Graph, Scalar, evaluate_numeric, jvp, reachable, vjp

A, B, C = np.random.default_rng(1).normal(size=(3, 6))
POINTS = {
    "zero": np.zeros(6),
    "no rotation": np.array([0, 0, 0, 1.0, -2.0, 0.5]),
    "tiny": np.array([1e-9, -2e-9, 1e-9, 1.0, -2.0, 0.5]),
    "about z": np.array([0, 0, 0.7, 0, 0, 0.3]),
    "general": np.array([0.5, -1.2, 0.8, 1.0, 2.0, -0.5]),
    "near pi": np.array([1.8, 1.8, 1.8, 0.2, -0.5, 1.0]),
}


def traced(count: int = 6) -> np.ndarray:
    x = np.empty(count, object)
    x[:] = Graph().inputs("x", count)
    return x


def value(outputs, x: np.ndarray) -> np.ndarray:
    outputs = np.asarray(outputs, object)
    numbers = evaluate_numeric(list(outputs.ravel()), lambda _, i: x[i])
    return np.array([float(v) for v in numbers]).reshape(outputs.shape)


def mixed_forward(outputs, x, directions) -> np.ndarray:
    """The mixed derivative along the directions, by forward mode repeated."""
    flat = list(np.asarray(outputs, object).ravel())
    for d in directions:
        flat = jvp(flat, dict(zip(x, d)))
    return np.array(flat, object).reshape(np.asarray(outputs).shape)


def mixed_reverse(output, x, directions):
    """The same of one output by reverse mode repeated."""
    for d in directions:
        output = np.dot(vjp([output], [1.0], list(x)), d)
    return output


def units(order: int) -> list[np.ndarray]:
    """Commuting matrices e_i with e_i^2 = 0: hyper-dual units."""
    nilpotent, one = np.array([[0.0, 1.0], [0.0, 0.0]]), np.eye(2)
    return [reduce(np.kron, [nilpotent if i == j else one for j in range(order)]) for i in range(order)]


def mixed_exact(generator, V, directions) -> np.ndarray:
    """The mixed derivative of expm(generator(V)), from one expm over hyper-dual numbers."""
    order, n = len(directions), len(generator(V))
    X = np.kron(np.eye(2**order), generator(V))
    for e, d in zip(units(order), directions):
        X += np.kron(e, generator(d))
    return expm(X)[:n, -n:]


@pytest.mark.parametrize("V", POINTS.values(), ids=POINTS.keys())
def test_values_are_those_of_floats(V):
    x = traced()
    E, number = se3.exp(x), se3.exp(V)
    for f in (se3.exp, se3.bracket, ad, se3.dexp_left, se3.dexp_right, se3.dexp_left_inverse, se3.dexp_right_inverse):
        assert_allclose(value(f(x), V), f(V), rtol=0, atol=4e-15)
    for f in (se3.log, inverse, Ad, se3.rotation, se3.translation, se3.unbracket):
        assert_allclose(value(f(E), V), f(number), rtol=0, atol=4e-15)
    for f in (so3.exp, so3.bracket, so3.dexp_left, so3.dexp_right, so3.dexp_left_inverse, so3.dexp_right_inverse):
        assert_allclose(value(f(x[:3]), V), f(V[:3]), rtol=0, atol=4e-15)
    q = so3.to_quaternion(E[:3, :3])
    assert_allclose(value(q, V), so3.to_quaternion(number[:3, :3]), rtol=0, atol=1e-15)
    assert_allclose(value(so3.from_quaternion(q), V), number[:3, :3], rtol=0, atol=2e-15)
    assert_allclose(value(transform_point(E, x[3:]), V), transform_point(number, V[3:]), rtol=0, atol=4e-15)
    assert_allclose(value(point_jacobian(E, x[3:]), V), point_jacobian(number, V[3:]), rtol=0, atol=4e-15)


@pytest.mark.parametrize("V", POINTS.values(), ids=POINTS.keys())
def test_derivatives_of_exp_to_third_order(V):
    x = traced()
    E = se3.exp(x)
    for directions in ([A], [A, B], [A, B, C], [C, C, C]):
        exact = mixed_exact(se3.bracket, V, directions)
        forward = value(mixed_forward(E, x, directions), V)
        assert_allclose(forward, exact, atol=2e-14 * np.abs(exact).max())
        reverse = value([mixed_reverse(e, x, directions) for e in (E[0, 1], E[1, 3])], V)
        assert_allclose(reverse, [exact[0, 1], exact[1, 3]], atol=2e-14 * np.abs(exact).max())


@pytest.mark.parametrize("V", POINTS.values(), ids=POINTS.keys())
def test_derivatives_of_dexp_to_third_order(V):
    def generator(W):  # expm of [[ad, 0], [0, 0]] + [[0, I], [0, 0]]: dexp is its upper right block
        return np.block([[ad(W), np.zeros((6, 6))], [np.zeros((6, 12))]])

    shift = np.kron(np.array([[0.0, 1.0], [0.0, 0.0]]), np.eye(6))
    x = traced()
    J = se3.dexp_left(x)
    for directions in ([A], [A, B], [A, B, C]):
        order = len(directions)
        X = np.kron(np.eye(2**order), generator(V) + shift)
        for e, d in zip(units(order), directions):
            X += np.kron(e, generator(d))
        exact = expm(X)[:6, -6:]
        assert_allclose(value(mixed_forward(J, x, directions), V), exact, atol=2e-14 * max(1.0, np.abs(exact).max()))
        reverse = value([mixed_reverse(J[4, 1], x, directions)], V)
        assert_allclose(reverse, [exact[4, 1]], atol=2e-14 * max(1.0, np.abs(exact).max()))


@pytest.mark.parametrize("V", POINTS.values(), ids=POINTS.keys())
def test_the_inverse_of_dexp_stays_one_to_third_order(V):
    x = traced()
    identity = se3.dexp_right(x) @ se3.dexp_right_inverse(x)
    for directions in ([A], [A, B], [A, B, C]):
        assert_allclose(value(mixed_forward(identity[3:, :3], x, directions), V), 0.0, atol=1e-12)


@pytest.mark.parametrize("V", POINTS.values(), ids=POINTS.keys())
def test_log_of_exp_is_the_identity_to_third_order(V):
    x = traced()
    W = se3.log(se3.exp(x))
    assert_allclose(value(mixed_forward(W, x, [A]), V), A, atol=2e-13)
    assert_allclose(value(mixed_forward(W, x, [A, B]), V), 0.0, atol=2e-12)
    assert_allclose(value(mixed_forward(W[:3], x, [A, B, C]), V), 0.0, atol=2e-11)
    assert_allclose(value(vjp(list(W), list(B), list(x)), V), B, atol=2e-13)
    assert_allclose(value([mixed_reverse(W[0], x, [A, B])], V), 0.0, atol=2e-12)


@pytest.mark.parametrize("angle", [0.0, 1e-12, 1e-8, 1e-3, 1.0, 2.0, 3.0, np.pi - 1e-6])
def test_the_rate_of_log_is_the_inverse_of_dexp(angle):
    """Poses move as E exp(t xi): d/dt log = dexp_right^-1 xi."""
    V = np.append(angle * np.array([-0.48, 0.6, 0.64]), [0.3, -2.0, 0.7])
    x = traced()
    W = se3.log(se3.exp(V) @ se3.exp(x))
    rate = value(mixed_forward(W, x, [A]), np.zeros(6))
    assert_allclose(rate, se3.dexp_right_inverse(V) @ A, atol=1e-13)


def operations(outputs) -> int:
    return sum(e.op not in ("input", "const") for e in reachable(list(np.ravel(np.asarray(outputs, object)))))


def test_structural_zeros_stay_floats():
    q = traced(1)[0]
    R = rotation_about("z", q)
    assert isinstance(R[0, 0], Scalar)
    assert [type(v) for v in (R[0, 2], R[1, 2], R[2, 0], R[2, 1], R[2, 2])] == [float] * 5
    assert R[2, 2] == 1.0
    assert operations(R) == 3  # cos, sin, -sin
    assert operations(rotation_about((0, -1, 0), q)) == 3
    E = pose(R, [0.3, 0.0, 0.0])
    assert operations(Ad(E)) == 5
    assert operations(inverse(E)) == 6
    assert operations(ad(np.array([0.0, 0.0, q, 0.0, 0.0, 0.0], object))) == 1
    screw = se3.exp(np.array([0.0, 0.0, q, 0.0, 0.0, 0.0], object))
    assert {str(v) for v in screw.ravel() if not isinstance(v, Scalar)} == {"0.0", "1.0"}
    assert np.sum([isinstance(v, Scalar) for v in screw.ravel()]) == 4
