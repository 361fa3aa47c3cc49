"""Derivatives of Jacobians to any order: nested brackets of books, differences of those before, motions; all kinds of joints and twists."""

from __future__ import annotations

from functools import cache
from math import factorial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

import redmax as rm
from dynamics.agreement import agree
from dynamics.differences import rate
from dynamics.test_from_screws import random_tree
from joints.group_forms import JOINTS, somewhere
from mechanisms import Mechanism, chain, every_kind
from random_examples import examples
from redmax.lie import Ad, ad, inverse, se3

seeds = st.integers(0, 2**16)
BENDING = ("Spherical", "Universal", "Elliptic", "Helical", "PlanarScrew", "Prismatic")


def path_of(i: int, parents: list[int]) -> list[int]:
    return [*path_of(parents[i], parents), i] if i >= 0 else []


@examples(6, 40)
@given(seed=seeds, n=st.integers(1, 6))
def test_on_trees_of_screws_they_are_the_nested_brackets_of_books(seed, n):
    """Mueller and Terze, Eqs. 55, 62, 63, 75 and 80, with exponentials and brackets written out here."""
    Y, A, parents, bodies = random_tree(seed, n)
    rng = np.random.default_rng(seed)
    q, path = rng.normal(size=n), path_of(n - 1, parents)
    moved, screws = np.eye(4), {}
    for j in path:
        moved = moved @ se3.exp(Y[j] * q[j])
        screws[j] = Ad(moved) @ Y[j]
    C = moved @ A[n - 1]
    body = {j: Ad(inverse(C)) @ s for j, s in screws.items()}
    d = rm.Dynamics(rm.Scene.from_screws(Y, A, parents=parents, **bodies), backend="interpret")
    frame = f"body{n}.frame"
    for order in range(5):
        indices = [int(k) for k in rng.choice(path, order)]
        found = d.jacobian_derivative(q, indices, frame)
        expected = np.zeros((6, n))
        for j in path:
            column = body[j] if all(j < k for k in indices) else np.zeros(6)
            for k in sorted(indices):
                column = ad(column) @ body[k]
            expected[:, j] = column
        assert_allclose(found, expected, atol=1e-12 * max(1.0, np.abs(expected).max()))
    k = int(rng.choice(path))
    spatial = d.jacobian_derivative(q, [k], frame, "spatial")
    for j in path:
        assert_allclose(spatial[:, j], ad(screws[k]) @ screws[j] if k < j else np.zeros(6), atol=1e-12 * np.abs(screws[j]).max() ** 2)


@cache
def every() -> tuple[Mechanism, rm.Dynamics]:
    """Of every kind of joint."""
    m = every_kind(1)
    return m, rm.Dynamics(m.model)


@pytest.mark.parametrize(("order", "kind"), [(1, "body"), (1, "hybrid"), (2, "mixed"), (2, "spatial")])
def test_of_every_kind_of_joint_they_are_differences_of_those_before(order, kind):
    m, d = every()
    s, x = m.state(order), np.random.default_rng(order).normal(size=(order, m.nv))
    found = d.jacobian_derivative(s.q, list(x), kind=kind, t=s.t)
    before = rate(lambda h: d.jacobian_derivative(s.q + h * x[-1], list(x[:-1]), kind=kind, t=s.t), 2e-3)
    assert agree(found, before, 1e-9)


@examples(3, 20)
@given(kinds=st.lists(st.sampled_from(BENDING), min_size=2, max_size=3), seed=seeds)
def test_to_order_four(kinds, seed):
    m = chain(seed, kinds, forces=False)
    d, s = rm.Dynamics(m.model, "interpret"), m.state(seed)
    x, name = list(np.random.default_rng(seed).normal(size=(4, m.nv))), m.model.body_names[-1]
    found = d.jacobian_derivative(s.q, x, name, "mixed")
    assert agree(found, rate(lambda h: d.jacobian_derivative(s.q + h * x[3], x[:3], name, "mixed"), 2e-3), 1e-9)


@pytest.mark.parametrize("order", [1, 3])
def test_rates_are_differences_along_a_motion(order):
    m, d = every()
    s, x = m.state(order), np.random.default_rng(order).normal(size=(order, m.nv))

    def at(h: float, kind: str) -> np.ndarray:
        q = s.q + sum(v * h ** (k + 1) / factorial(k + 1) for k, v in enumerate(x))
        rates = [sum(x[k + i] * h**i / factorial(i) for i in range(order - k)) for k in range(order - 1)]
        return d.jacobian_rates(q, rates, kind=kind, t=s.t + h)[-1]  # type: ignore[arg-type]

    for kind in ("body", "spatial"):
        found = d.jacobian_rates(s.q, list(x), kind=kind, t=s.t)
        assert agree(found[-1], rate(lambda h, kind=kind: at(h, kind), 2e-3), 1e-9)
        J, Jdot = d.jacobian(s.q, x[0], kind=kind, t=s.t)
        assert agree(found[0], J, 1e-13)
        assert agree(found[1], Jdot, 1e-12)


def group_scene() -> rm.Scene:
    """One joint on a group of each kind, one after the other."""
    scene, parent = rm.Scene(), None
    for k, (name, joint) in enumerate(JOINTS.items()):
        q = somewhere(joint, np.random.default_rng(k))
        at = None if parent is None else (0, 0.1, -0.4)
        parent = scene.add_body(rm.Cuboid((0.1, 0.2, 0.4)), joint=joint, parent=parent, at=at, com=(0, 0.1, -0.2), q=q, name=name)
    return scene


def moved(model: rm.Model, q: np.ndarray, step: np.ndarray) -> np.ndarray:
    """q after a step along the groups."""
    joints = [(link.joint, q[model.q_slice(link.name)], step[model.v_slice(link.name)]) for link in model.links]
    return np.concatenate([np.asarray(joint.retract(x, s), float) for joint, x, s in joints])


@pytest.mark.parametrize("order", [1, 2, 3])
def test_on_groups_they_are_along_body_twists_one_after_the_other(order):
    d = rm.Dynamics(group_scene())
    q, x = d.model.q0, list(np.random.default_rng(order).normal(size=(order, d.model.nv)))
    found = d.jacobian_derivative(q, x, kind="hybrid")
    assert agree(found, rate(lambda h: d.jacobian_derivative(moved(d.model, q, h * x[-1]), x[:-1], kind="hybrid"), 2e-3), 1e-9)
    if order == 2:  # which do not commute: [L_x, L_y] is along [x, y]
        other = d.jacobian_derivative(q, x[::-1], kind="hybrid")
        assert not agree(found, other, 1e-3)


def test_all_partial_derivatives_at_once_and_worlds_one_by_one():
    d = rm.Dynamics("screw-chain")
    q, n = d.model.q0, d.model.nv
    partial = d.jacobian_derivative(q, [np.eye(n)[:, None], np.eye(n)], "body4")
    assert partial.shape == (n, n, 6, n)
    assert_allclose(partial[1, 3], d.jacobian_derivative(q, [1, 3], "body4"), atol=1e-15)
    assert_allclose(partial, np.swapaxes(partial, 0, 1), atol=1e-14)
    many = np.random.default_rng(0).normal(size=(9, n))
    found = d.jacobian_derivative(many, ["body2"])
    assert agree(found[4], d.jacobian_derivative(many[4], ["body2"]), 1e-14)
    assert agree(found, rm.Dynamics(d.model, "interpret").jacobian_derivative(many, [1]), 1e-14)
    assert_allclose(rm.Dynamics(d.model, dtype="float32").jacobian_derivative(many, [1]), found, atol=2e-5)


@pytest.mark.parametrize(("along", "sentence"), [
    (3, r"jacobian_derivative: along is 3, expected a list"), ([7], r"along\[0\] is 7, expected the number of a velocity, from 0 to 3"),
    (["nobody"], "no body or joint 'nobody'"), ([np.zeros(3)], r"along\[0\] must have shape \(\.\.\., 4\)"),
    ([True], r"along\[0\] must have shape"),
])  # fmt: skip
def test_what_is_no_direction_is_refused(along, sentence):
    with pytest.raises(rm.SceneError, match=sentence):
        rm.Dynamics("screw-chain").jacobian_derivative(np.zeros(4), along)
