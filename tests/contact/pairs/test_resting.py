"""Shapes that rest on each other: enough points, which hold the centre, stay where they are, and keep their numbers."""

from __future__ import annotations

import numpy as np
import pytest

from contact.pairs.oracle import placed
from contact.pairs.pair_runs import meet

MARGIN, DEPTH = 0.01, 1e-5
UP, LYING = np.eye(3), np.array([[0.0, 0.0, 1.0], [0.0, 1.0, 0.0], [-1.0, 0.0, 0.0]])  # the axis z of what lies is x


def yaw(angle: float) -> np.ndarray:
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])


def shape(R: np.ndarray, x: tuple[float, ...], size: tuple[float, ...]) -> np.ndarray:
    return placed(R[None], np.array(x), np.array(size))[0]


# kind, its pose with the top at z = 0, how far it reaches to the sides
BELOW = {
    "plane": ("plane", shape(UP, (0, 0, 0), (0, 0, 0))),
    "large cuboid": ("cuboid", shape(UP, (0.1, 0, -0.5), (1.0, 1.0, 0.5))),
    "cuboid": ("cuboid", shape(UP, (0.0, 0, -0.2), (0.2, 0.3, 0.2))),
    "large cylinder": ("cylinder", shape(UP, (0, 0.1, -0.3), (1.0, 0.3, 0))),
    "cylinder": ("cylinder", shape(yaw(0.4), (0, 0, -0.3), (0.25, 0.3, 0))),
    "cylinder upside down": ("cylinder", shape(np.diag([1.0, -1.0, -1.0]), (0, 0, -0.3), (0.25, 0.3, 0))),
}
ABOVE = {
    "cuboid": ("cuboid", UP, (0.2, 0.3, 0.2), 0.2),
    "slim cuboid": ("cuboid", UP, (0.05, 0.04, 0.3), 0.3),
    "cylinder": ("cylinder", UP, (0.25, 0.3, 0), 0.3),
    "slim cylinder": ("cylinder", UP, (0.05, 0.3, 0), 0.3),
}
LAID = {
    "capsule": ("capsule", LYING, (0.05, 0.1, 0), 0.05),
    "cylinder": ("cylinder", LYING, (0.05, 0.1, 0), 0.05),
}
ORDER = ("plane", "sphere", "capsule", "cylinder", "cuboid")


def pair(below: str, above: tuple, turn: float, x: float = 0.0, y: float = 0.0, tilt: float = 0.0) -> np.ndarray:
    """Contacts whose normals look up."""
    kind, low = BELOW[below]
    name, R, size, height = above
    c, s = np.cos(tilt), np.sin(tilt)
    high = shape(np.array([[1, 0, 0], [0, c, -s], [0, s, c]]) @ yaw(turn) @ R, (x, y, height - DEPTH), size)
    if ORDER.index(kind) <= ORDER.index(name):
        return meet((kind, name), low, high, MARGIN)[0]
    found = meet((name, kind), high, low, MARGIN)[0]
    found[:, 3:6] *= -1
    return found


def holds(points: np.ndarray, x: np.ndarray) -> bool:
    """Whether x lies within the hull of points of a plane: no line through x has all of them on one side."""
    angles = np.sort(np.arctan2(*(points - x).T[::-1]))
    return np.diff(np.append(angles, angles[0] + 2 * np.pi)).max() < np.pi


@pytest.mark.parametrize("below", BELOW)
@pytest.mark.parametrize("above", ABOVE)
@pytest.mark.parametrize("turn", [0.0, 0.3, np.pi / 4, np.pi / 2, 3.0])
def test_what_stands_has_points_around_its_centre(below, above, turn):
    found = pair(below, ABOVE[above], turn)
    assert 3 <= len(found) <= 8
    assert np.allclose(found[:, 3:6], [0, 0, 1], atol=1e-9)
    assert np.allclose(found[:, 6], -DEPTH, atol=1e-9)
    assert np.allclose(found[:, 2], -DEPTH / 2, atol=1e-9)
    assert holds(found[:, :2], np.zeros(2))
    assert len(set(found[:, 7])) == len(found)


@pytest.mark.parametrize("below", BELOW)
@pytest.mark.parametrize("above", LAID)
@pytest.mark.parametrize("turn", [0.0, 0.3, np.pi / 2])
def test_what_lies_has_two_points(below, above, turn):
    found = pair(below, LAID[above], turn)
    assert len(found) == 2
    assert np.allclose(found[:, 3:6], [0, 0, 1], atol=1e-9)
    assert np.allclose(found[:, 6], -DEPTH, atol=1e-9)
    assert np.isclose(np.linalg.norm(found[1, :2] - found[0, :2]), 0.2, atol=1e-3)


@pytest.mark.parametrize("below", BELOW)
@pytest.mark.parametrize("above", [*ABOVE, *(f"lying {name}" for name in LAID)])
def test_points_stay_when_bodies_tremble(below, above):
    what = LAID[above.removeprefix("lying ")] if above.startswith("lying") else ABOVE[above]
    rng = np.random.default_rng(0)
    for turn in (0.0, 0.3, 1.0):
        first = pair(below, what, turn, 0.011, 0.007)
        for _ in range(20):
            d = rng.uniform(-1e-7, 1e-7, 4)
            again = pair(below, what, turn + d[0], 0.011 + d[1], 0.007 + d[2], d[3])
            assert list(again[:, 7]) == list(first[:, 7])
            assert np.allclose(again[:, :3], first[:, :3], atol=1e-5)


@pytest.mark.parametrize("below", ["large cuboid", "cuboid", "cylinder"])
@pytest.mark.parametrize("above", ABOVE)
def test_what_hangs_over_has_points_on_the_face_alone(below, above):
    low = BELOW[below][1]
    edge = low[9] + low[12]
    found = pair(below, ABOVE[above], 0.2, x=edge - 0.01)
    assert len(found) >= 2
    assert (found[:, 0] < edge + 1.001e-3 * low[12]).all()
    assert np.allclose(found[:, 3:6], [0, 0, 1], atol=1e-9)


def test_capsules_and_cylinders_side_by_side_have_two_points():
    for kinds in (("capsule", "capsule"), ("capsule", "cylinder"), ("cylinder", "cylinder")):
        for turned in (1.0, -1.0):
            a = shape(UP, (0, 0, 0), (0.1, 0.5, 0))
            b = shape(np.diag([1.0, turned, turned]), (0.3 - DEPTH, 0, 0.2), (0.2, 0.5, 0))
            (found,) = meet(kinds, a, b, MARGIN)
            assert len(found) == 2, kinds
            assert np.allclose(found[:, 3:6], [1, 0, 0], atol=1e-5)
            assert np.allclose(np.sort(found[:, 2]), [-0.3, 0.5], atol=1e-3)
            assert np.allclose(found[:, 6], -DEPTH, atol=1e-9)


def test_a_cuboid_on_its_edge_and_on_its_corner():
    side = 0.2
    c = np.sqrt(0.5)
    edge = np.array([[c, 0, c], [0, 1, 0], [-c, 0, c]])
    low = BELOW["large cuboid"][1]
    (found,) = meet(("cuboid", "cuboid"), low, shape(edge, (0, 0, side * np.sqrt(2) - DEPTH), (side,) * 3), MARGIN)
    assert len(found) == 2
    assert np.allclose(found[:, 6], -DEPTH)
    assert np.allclose(np.sort(found[:, 1]), [-side, side])


def test_parallel_edges_that_are_apart_have_two_points():
    a, b = shape(UP, (0, 0, 0), (0.2, 0.3, 0.2)), shape(UP, (0.403, 0.1, 0.404), (0.2, 0.3, 0.2))
    (found,) = meet(("cuboid", "cuboid"), a, b, MARGIN)
    assert len(found) == 2
    assert np.allclose(found[:, 6], 0.005)
    assert np.allclose(found[:, 3:6], [0.6, 0, 0.8])
