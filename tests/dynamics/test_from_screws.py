"""Trees from screws move as the product of exponentials says, however the screws are written; so do tables of Denavit and Hartenberg."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.linalg import expm

import redmax as rm
from random_examples import examples
from redmax.lie import Ad, inverse, screw, se3


def random_tree(seed: int, n: int) -> tuple[list[np.ndarray], np.ndarray, list[int], dict]:
    """Spatial screws of every pitch, reference poses in the world, parents, and the bodies."""
    rng = np.random.default_rng(seed)
    pitches = [0.0, 0.0, np.inf, float(rng.normal())]
    Y = [screw(rng.normal(size=3), rng.normal(size=3), pitches[rng.integers(4)]) for _ in range(n)]
    A = se3.exp(rng.normal(size=(n, 6)))
    parents = [int(rng.integers(-1, i)) if i else -1 for i in range(n)]
    bodies = {"masses": rng.uniform(0.5, 2, n), "inertias": rng.uniform(0.2, 0.3, (n, 3)), "centers": rng.normal(size=(n, 3)) / 5}
    return Y, A, parents, bodies


@examples(8, 60)
@given(st.integers(0, 2**31), st.integers(1, 7))
def test_all_three_ways_are_the_product_of_exponentials(seed, n):
    Y, A, parents, bodies = random_tree(seed, n)
    q = np.random.default_rng([seed, 1]).normal(size=n)
    moved, C = [], []
    for i, p in enumerate(parents):
        before = moved[p] if p >= 0 else np.eye(4)
        moved.append(before @ expm(se3.bracket(Y[i]) * q[i]))  # Eq. 55, along the way from the root
        C.append(moved[i] @ A[i])
    X = [Ad(inverse(A[i])) @ Y[i] for i in range(n)]
    Xbar = [Ad(inverse(A[p])) @ Y[i] if p >= 0 else Y[i] for i, p in enumerate(parents)]
    B = [inverse(A[p]) @ A[i] if p >= 0 else A[i] for i, p in enumerate(parents)]
    scenes = [
        rm.Scene.from_screws(Y, A, parents=parents, **bodies),
        rm.Scene.from_screws(X, B, parents=parents, seen_from="body", relative=True, **bodies),
        rm.Scene.from_screws(Xbar, A, parents=parents, seen_from="parent", **bodies),
    ]
    for scene in scenes:
        d = rm.Dynamics(scene, backend="interpret")
        seen = d.observe(q, np.zeros(n)).pose
        for i in range(n):
            frame = scene.find_frame(f"body{i + 1}.frame")
            centre = C[i][:3, :3] @ bodies["centers"][i] + C[i][:3, 3]
            assert_allclose(seen[i, :3, :3], C[i][:3, :3], atol=1e-12)
            assert_allclose(seen[i, :3, 3], centre, atol=1e-12)
        assert_allclose(d.pose(q, frame), C[-1], atol=1e-12)


def test_bodies_may_be_fixed_and_scenes_are_saved(tmp_path):
    scene = rm.Scene.from_screws(
        [screw("y"), None, screw("x", pitch=np.inf)], [(0, 0, 0), (0.5, 0, 0), (1, 0, 0)],
        [rm.Cuboid((1, 0.1, 0.1)), rm.Sphere(0.1), rm.Sphere(0.2)], names=["bar", "ball", "bead"], qdot=(1, 0, 2), title="A bead",
    )  # fmt: skip
    assert [type(link.joint).__name__ for link in scene.links] == ["Revolute", "Fixed", "Prismatic"]
    assert scene.model().qdot0.tolist() == [1, 2]
    scene.save(tmp_path / "bead.yaml")
    again = rm.Dynamics(rm.Scene.load(tmp_path / "bead.yaml"))
    assert_allclose(again.pose([0.3, 0.4], "bead.frame"), rm.Dynamics(scene).pose([0.3, 0.4], "bead.frame"), atol=1e-15)


def turned(axis: str, angle: float) -> np.ndarray:
    return rm.pose(rm.rotation_about(axis, angle), np.zeros(3))


def moved(*p: float) -> np.ndarray:
    return rm.pose(np.eye(3), p)


@pytest.mark.parametrize("convention", ["standard", "modified"])
def test_tables_of_denavit_and_hartenberg(convention):
    rng = np.random.default_rng(3)
    table, joints, q = rng.normal(size=(6, 4)), "RPRRPR", rng.normal(size=6)
    base, tool = se3.exp(rng.normal(size=(2, 6)))
    parents = [-1, 0, 1, 2, 1, -1]
    scene = rm.Scene.from_dh(
        table, joints, [rm.Sphere(0.1)] * 6, convention=convention, base=base, tool=tool, parents=parents, centers=rng.normal(size=(6, 3))
    )
    d, C = rm.Dynamics(scene, backend="interpret"), []
    for i, (a, alpha, length, theta) in enumerate(table):
        theta, length = (theta + q[i], length) if joints[i] == "R" else (theta, length + q[i])
        steps = [turned("z", theta), moved(0, 0, length), moved(a, 0, 0), turned("x", alpha)]
        steps = steps if convention == "standard" else [turned("x", alpha), moved(a, 0, 0), turned("z", theta), moved(0, 0, length)]
        C.append((C[parents[i]] if parents[i] >= 0 else base) @ np.linalg.multi_dot(steps))
        assert_allclose(d.pose(q, f"body{i + 1}.frame"), C[i], atol=1e-13)
    assert_allclose(d.pose(q, "tool"), C[-1] @ tool, atol=1e-13)


def test_a_planar_arm_reaches_where_two_links_do():
    arm = rm.Scene.from_dh([(0.6, 0, 0, 0), (0.4, 0, 0, 0)], "RR", [rm.Sphere(0.05)] * 2, names=["upper", "lower"])
    E = rm.Dynamics(arm).pose([0.3, 0.5], "lower.frame")
    assert_allclose(E[:3, 3], [0.6 * np.cos(0.3) + 0.4 * np.cos(0.8), 0.6 * np.sin(0.3) + 0.4 * np.sin(0.8), 0], atol=1e-15)


GOOD = {"screws": [screw("z"), screw("x")], "poses": [(0, 0, 0), (1, 0, 0)], "shapes": [rm.Sphere(0.1)] * 2}
BAD = [
    ({"screws": [screw("z")]}, "screws"), ({"screws": [2 * screw("z"), screw("x")]}, "has the length 2, expected 1"),
    ({"screws": [np.zeros(6), screw("x")]}, "length 0"), ({"screws": [(1, 2), screw("x")]}, r"screws\[0\]"),
    ({"poses": []}, "poses"), ({"poses": [(0, 0), (1, 0, 0)]}, r"poses\[0\]"), ({"parents": [-1, 1]}, r"parents\[1\] is 1"),
    ({"parents": [-1]}, "parents"), ({"seen_from": "world"}, "'spatial', 'body', 'parent'"), ({"masses": [1, 1]}, "leave out masses"),
    ({"shapes": None}, "masses"), ({"shapes": [1, 2]}, "body1"), ({"centers": [(0, 0, 0)]}, "centers"), ({"q": [1]}, "q is"),
    ({"names": "ab"}, "names"), ({"relative": "no"}, "relative"),
    ({"shapes": None, "masses": [1, 1], "inertias": [(1, 1, 9), (1, 1, 1)]}, "inertia"),
]  # fmt: skip


@pytest.mark.parametrize(("change", "said"), BAD)
def test_what_makes_no_tree_is_refused(change, said):
    with pytest.raises(rm.SceneError, match=said):
        rm.Scene.from_screws(**{**GOOD, **change})


@pytest.mark.parametrize(("change", "said"), [
    ({"joints": "R"}, "Scene.from_dh: joints is 'R', expected 'R' or 'P' for each of the 2 rows"), ({"joints": "RX"}, "'R', 'P'"),
    ({"table": [(1, 2, 3), (1, 2, 3)]}, "a, alpha, d, theta"), ({"convention": "craig"}, "'standard', 'modified'"),
    ({"base": 3}, "base"), ({"masses": [1]}, "Scene.from_dh takes shapes"), ({"parents": [0, 0]}, r"Scene.from_dh: parents\[0\]"),
])  # fmt: skip
def test_what_is_no_table_is_refused(change, said):
    with pytest.raises(rm.SceneError, match=said):
        rm.Scene.from_dh(**{"table": np.zeros((2, 4)), "joints": "RR", "shapes": [rm.Sphere(0.1)] * 2, **change})
