"""Adjoint and Inertia do what the dense 6x6 matrices do, with few operations when traced."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_allclose

from random_examples import examples
from redmax.lie import Ad, Adjoint, Inertia, bracket, inverse, pose, rotation_about, se3, to_child
from redmax.trace import Graph, evaluate_numeric, reachable

twists = arrays(float, 6, elements=st.floats(-2.0, 2.0, allow_subnormal=False))
squares = arrays(float, (6, 6), elements=st.floats(-2.0, 2.0, allow_subnormal=False))


@examples(12, 100)
@given(twists, twists)
def test_an_adjoint_is_Ad_of_the_inverse_pose(V, W):
    E = se3.exp(V)
    X, dense = to_child(E), Ad(inverse(E))
    assert_allclose(X.matrix(), dense, atol=1e-15)
    assert_allclose(X @ W, dense @ W, atol=1e-13)
    assert_allclose(X.T @ W, dense.T @ W, atol=1e-13)
    assert_allclose(X.T.matrix(), dense.T, atol=1e-15)


@examples(12, 100)
@given(twists, squares)
def test_an_adjoint_multiplies_matrices_from_both_sides(V, K):
    X = to_child(se3.exp(V))
    dense = X.matrix()
    assert_allclose(X @ K[:, :2], dense @ K[:, :2], atol=1e-13)
    assert_allclose(K[:3] @ X, K[:3] @ dense, atol=1e-13)
    assert_allclose(X.T @ K @ X, dense.T @ K @ dense, atol=1e-11)
    assert (X @ np.zeros((6, 0))).shape == (6, 0)


@examples(12, 100)
@given(twists, twists, squares)
def test_adjoints_compose_and_keep_their_rotations(V, W, K):
    at, joint = se3.exp(V), se3.exp(W)
    X, one = to_child(joint) @ to_child(at), to_child(at @ joint)
    assert len(X.rotations) == 2
    assert_allclose(X.matrix(), one.matrix(), atol=1e-13)
    assert_allclose(X.R, one.R, atol=1e-14)
    M = Inertia.from_matrix(K @ K.T)
    assert_allclose((X.T @ M @ X).matrix(), (one.T @ M @ one).matrix(), atol=1e-9)
    assert_allclose(X.T @ V, one.T @ V, atol=1e-13)


@examples(12, 100)
@given(twists, squares, squares)
def test_an_inertia_is_its_symmetric_matrix(V, K, L):
    dense, other = K + K.T, L + L.T
    M, N = Inertia.from_matrix(dense), Inertia.from_matrix(other)
    assert np.array_equal(M.matrix(), dense)
    assert np.array_equal(Inertia.from_flat(M.flat()).matrix(), dense)
    assert len(M.flat()) == 21
    assert_allclose((M + N).matrix(), dense + other, atol=1e-14)
    assert_allclose(M @ V, dense @ V, atol=1e-13)
    assert_allclose(M @ K, dense @ K, atol=1e-12)
    assert (M @ np.zeros((6, 0))).shape == (6, 0)
    assert_allclose(M.map(lambda x: 2.0 * x).matrix(), 2.0 * dense, atol=1e-14)


@examples(12, 100)
@given(twists, squares)
def test_congruence_is_the_triple_product(V, K):
    X, M = to_child(se3.exp(V)), Inertia.from_matrix(K + K.T)
    exact = X.matrix().T @ M.matrix() @ X.matrix()
    moved = X.T @ M @ X
    assert isinstance(moved, Inertia)
    assert_allclose(moved.matrix(), exact, atol=1e-11)
    assert_allclose(M.congruence(X).matrix(), exact, atol=1e-11)
    Y = to_child(se3.exp(-V))
    assert_allclose(X.T @ M @ Y, X.matrix().T @ M.matrix() @ Y.matrix(), atol=1e-11)


@examples(12, 100)
@given(squares, st.integers(0, 3))
def test_minus_outer_takes_a_projection_away(K, k):
    M = K @ K.T + np.eye(6)
    U = M @ K[:, :k]
    UD = U @ np.linalg.inv(K[:, :k].T @ U + np.eye(k)) if k else U
    assert_allclose(Inertia.from_matrix(M).minus_outer(U, UD).matrix(), M - UD @ U.T, atol=1e-9)


def test_a_rigid_body_about_any_origin():
    mass, c, J = 2.5, np.array([0.3, -0.2, 0.7]), np.diag([0.1, 0.2, 0.25])
    at_centre = Inertia.rigid(mass, np.zeros(3), J)
    P = bracket(c)
    about_origin = Inertia.rigid(mass, mass * c, J - mass * P @ P)
    X = Adjoint(np.eye(3), c)
    assert_allclose((X.T @ at_centre @ X).matrix(), about_origin.matrix(), atol=1e-15)
    V = np.array([0.1, -0.5, 0.9, 1.0, 2.0, -1.0])
    velocity = V[3:] + np.cross(V[:3], c)
    energy = 0.5 * mass * velocity @ velocity + 0.5 * V[:3] @ J @ V[:3]
    assert 0.5 * V @ (about_origin @ V) == pytest.approx(energy, rel=1e-15)


def operations(outputs) -> int:
    return sum(e.op not in ("input", "const") for e in reachable(list(outputs)))


def revolute(axis: str, p) -> tuple[Adjoint, Inertia, np.ndarray, np.ndarray]:
    graph = Graph()
    X = to_child(pose(rotation_about(axis, graph.input("q", 0)), p))
    V = np.array(graph.inputs("V", 6), object)
    return X, Inertia.from_flat(graph.inputs("M", 21)), V, np.eye(6)[:, ["xyz".index(axis)]]


@pytest.mark.parametrize(
    ("axis", "p", "twist", "wrench", "inertia", "projected"),
    [
        ("z", (1.0, 0.0, 0.0), 16, 16, 104, 120),
        ("y", (1.0, 0.0, 0.0), 16, 17, 106, 124),
        ("x", (0.3, 0.2, 0.1), 26, 26, 169, 175),
    ],
)
def test_zeros_of_a_revolute_joint_cost_nothing(axis, p, twist, wrench, inertia, projected):
    X, M, V, S = revolute(axis, p)
    assert operations(X @ V) <= twist
    assert operations(X.T @ V) <= wrench
    assert operations((X.T @ M @ X).flat()) <= inertia
    U = M @ S
    assert operations(np.ravel(U)) == 0
    rest = M.minus_outer(U, U / (S.T @ U)[0, 0])
    assert operations(rest.flat()) <= 36
    row = "xyz".index(axis)
    assert rest.matrix()[row].tolist() == [0.0] * 6  # a joint's free direction carries no inertia
    assert operations((X.T @ rest @ X).flat()) <= projected


def test_traced_is_float():
    rng = np.random.default_rng(0)
    data = {"q": rng.normal(size=1), "V": rng.normal(size=6), "M": rng.normal(size=21)}
    X, M, V, S = revolute("y", (0.3, -0.2, 0.1))
    x, m = to_child(pose(rotation_about("y", data["q"][0]), (0.3, -0.2, 0.1))), Inertia.from_flat(data["M"])

    def check(outputs, expected):
        numbers = evaluate_numeric(list(np.ravel(np.asarray(outputs, object))), lambda base, i: data[base][i])
        assert_allclose(np.array(numbers, float), np.ravel(expected), atol=1e-13)

    check(X @ V, x @ data["V"])
    check(X.T @ V, x.T @ data["V"])
    check(X.matrix(), x.matrix())
    check((X.T @ M @ X).flat(), (x.T @ m @ x).flat())
    check(M @ V, m @ data["V"])
    check(M.minus_outer(M @ S, M @ S * 0.5).flat(), m.minus_outer(m @ S, m @ S * 0.5).flat())


def test_map_reaches_every_entry_once():
    seen: list[float] = []
    X = to_child(se3.exp(np.arange(6.0) / 7))
    same = X.map(lambda x: seen.append(x) or x)
    assert len(seen) == 12
    assert isinstance(same, Adjoint)
    assert np.array_equal(same.matrix(), X.matrix())
    seen.clear()
    M = Inertia.from_flat(np.arange(21.0))
    assert np.array_equal(M.map(lambda x: seen.append(x) or x).matrix(), M.matrix())
    assert seen == list(range(21))
    assert "Adjoint" in repr(X)
    assert "Inertia" in repr(M)
