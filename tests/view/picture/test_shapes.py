"""Meshes, tubes, cloth and sheets made ready for drawing: known counts, radii, volumes and normals."""

import numpy as np
import pytest

from redmax.view.geometry.sizes import ARROW_HEAD
from redmax.view.geometry.tubes import SIDES, arrow, beads, rods, tube
from redmax.view.picture.membrane import membrane
from redmax.view.picture.mesh import prepared
from redmax.view.picture.sheets import grid_sheet, growth
from view.picture.stages import CUBE, CUBE_FACES, ball

POLYGON = SIDES / 2 * np.sin(2 * np.pi / SIDES)  # area of the cross-section of a tube, over that of a unit circle times pi


def volume(corners: np.ndarray) -> float:
    """Enclosed by triangles that are counter-clockwise from outside."""
    return float(np.einsum("ij,ij->", corners[:, 0], np.cross(corners[:, 1], corners[:, 2])) / 6)


def test_a_cube_has_twelve_edges_and_flat_faces():
    mesh = prepared(CUBE, CUBE_FACES)
    assert mesh.edges.shape == (12, 2, 3)
    np.testing.assert_allclose(np.linalg.norm(mesh.edges[:, 1] - mesh.edges[:, 0], axis=1), 1.0)  # no diagonals
    assert mesh.is_closed
    assert not mesh.is_round
    np.testing.assert_allclose(np.abs(mesh.normals).max(axis=2), 1.0)
    assert volume(mesh.corners) == pytest.approx(1.0)
    assert mesh.thickness == 1.0


def test_an_open_box_is_not_closed_and_its_border_is_drawn():
    mesh = prepared(CUBE, CUBE_FACES[2:])
    assert not mesh.is_closed
    assert len(mesh.edges) == 12


def test_vertices_at_one_place_are_one():
    split = prepared(CUBE[CUBE_FACES].reshape(-1, 3), np.arange(36).reshape(-1, 3))
    assert split.is_closed
    assert len(split.edges) == 12


def test_a_ball_has_no_edges_and_radial_normals():
    body = ball((0, 0, 0), 2.0, "#ffffff", bands=24)
    mesh = prepared(body.vertices, body.faces)
    assert mesh.is_round
    assert mesh.is_closed
    assert len(mesh.edges) == 0
    np.testing.assert_allclose(mesh.normals, mesh.corners / 2.0, atol=0.01)


def test_a_closed_wire_is_a_torus():
    angle = np.linspace(0, 2 * np.pi, 400)
    R, r = 2.0, 0.1
    corners, normals = tube(R * np.stack([np.cos(angle), np.sin(angle), 0 * angle], axis=1), r).corners
    assert volume(corners) == pytest.approx(2 * np.pi * R * POLYGON * r**2, rel=1e-3)
    off = np.hypot(np.hypot(corners[..., 0], corners[..., 1]) - R, corners[..., 2])
    np.testing.assert_allclose(off, r, rtol=2e-3)
    np.testing.assert_allclose(np.linalg.norm(normals, axis=2), 1.0, atol=1e-9)


def test_an_open_wire_ends_round():
    r, points = 0.25, np.array([[0, 0, 0], [0, 0, 0], [1.0, 0, 0], [3, 0, 0]])  # a repeated point does no harm
    corners, _ = tube(points, r).corners
    assert corners[..., 0].min() == pytest.approx(-r)
    assert corners[..., 0].max() == pytest.approx(3 + r)
    away = np.linalg.norm(corners - np.clip(corners[..., :1], 0, 3) * (1, 0, 0), axis=2)
    np.testing.assert_allclose(away, r, rtol=1e-9)
    assert volume(corners) == pytest.approx(POLYGON * r**2 * 3 + 4 / 3 * np.pi * r**3, rel=0.06)


def test_a_wire_without_length_is_a_ball():
    corners, _ = tube(np.ones((3, 3)), 0.5).corners
    np.testing.assert_allclose(np.linalg.norm(corners - 1, axis=2), 0.5)


def test_rods_go_from_point_to_point():
    points, r = np.array([[0, 0, 0], [0, 0, 2.0], [1, 2, 2]]), 0.1
    corners, normals = rods(points, np.array([[0, 1], [1, 2]]), r).corners
    assert len(corners) == 2 * 2 * SIDES
    axis = points[2] - points[1]
    across = np.cross(corners[2 * SIDES :] - points[1], axis) / np.linalg.norm(axis)
    np.testing.assert_allclose(np.linalg.norm(across, axis=2), r)
    np.testing.assert_allclose(normals[2 * SIDES :] @ axis, 0.0, atol=1e-12)
    flat = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    assert (np.einsum("ij,ikj->ik", flat, normals) > 0).all()  # outside is outside
    assert volume(beads(points[:1], 1.0).corners[0]) == pytest.approx(4 / 3 * np.pi, rel=0.15)


def grid(n: int) -> tuple[np.ndarray, np.ndarray]:
    y, x = np.meshgrid(np.arange(n), np.arange(n), indexing="ij")
    points = np.stack([x, y, 0 * x], axis=-1).reshape(-1, 3).astype(float)
    k = np.arange(n * n).reshape(n, n)
    a, b, c, d = k[:-1, :-1].ravel(), k[:-1, 1:].ravel(), k[1:, 1:].ravel(), k[1:, :-1].ravel()
    return points, np.concatenate([np.stack([a, b, c], axis=1), np.stack([a, c, d], axis=1)])


def test_cloth_shows_its_weave_but_not_its_diagonals():
    points, faces = grid(4)
    cloth = membrane(points, faces)
    assert len(cloth.borders) == 12
    lengths = np.linalg.norm(np.roll(points[faces], -1, axis=1) - np.roll(points[faces], 1, axis=1), axis=2)
    np.testing.assert_array_equal(cloth.weave | (cloth.weave == (lengths < 1.2)), True)
    assert not cloth.weave[(lengths > 1.2)].any()
    bent = points + np.stack([0 * points[:, 0], 0 * points[:, 0], 0.1 * points[:, 0] ** 2], axis=1)
    _, normals = cloth.shape(bent)
    np.testing.assert_allclose(np.linalg.norm(normals, axis=2), 1.0)
    assert (normals[..., 2] > 0.7).all()


def test_a_closed_soft_body_keeps_its_sharp_edges():
    cube = membrane(CUBE, CUBE_FACES)
    assert len(cube.borders) == 12
    _, normals = cube.shape(2 * CUBE)
    np.testing.assert_allclose(np.abs(normals).max(axis=2), 1.0)


def test_a_sheet_counts_lines_about_as_far_apart_both_ways():
    y, x = np.meshgrid(np.linspace(0, 1, 5), np.linspace(0, 4, 9), indexing="ij")
    sheet = grid_sheet(np.stack([x, y, x * 0], axis=-1))
    np.testing.assert_allclose(np.abs(sheet.normals), np.broadcast_to((0, 0, 1.0), sheet.normals.shape), atol=1e-12)
    top = sheet.pattern.reshape(-1, 2).max(axis=0)
    np.testing.assert_array_equal(top, (2, 8))
    step = growth(100 * sheet.corners[..., :2], sheet.pattern)
    np.testing.assert_allclose(step, np.broadcast_to((2 / 100, 2 / 100), step.shape))


def test_a_fan_of_very_many_triangles_needs_little_memory():
    count = 3000
    angle = 2 * np.pi * np.arange(count) / count
    vertices = np.vstack([np.stack([np.cos(angle), np.sin(angle), 0 * angle], axis=1), [[0, 0, 0.2]]])
    k = np.arange(count)
    mesh = prepared(vertices, np.stack([k, (k + 1) % count, np.full(count, count)], axis=1))
    assert mesh.normals.shape == (count, 3, 3)
    slope = np.arctan2(1, 0.2)
    np.testing.assert_allclose(mesh.normals[..., 2], np.sin(slope), atol=1e-3)


@pytest.mark.parametrize("vector", [(0, 0, 2.0), (1.0, -1.0, 0.5)])
def test_an_arrow_is_a_shaft_and_a_cone(vector):
    foot, r = np.array([1.0, 2, 3]), 0.02
    corners, normals = arrow(foot, np.array(vector), r, heads=1).corners
    long = np.linalg.norm(vector)
    along = (corners - foot) @ np.array(vector) / long
    assert along.min() == pytest.approx(0, abs=1e-12)
    assert along.max() == pytest.approx(long)
    neck, wide = long - ARROW_HEAD[1] * r, ARROW_HEAD[0] * r
    assert volume(corners - foot) == pytest.approx(POLYGON * (r**2 * neck + wide**2 * (long - neck) / 3), rel=1e-9)
    flat = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    assert (np.einsum("ij,ikj->ik", flat, normals) > -1e-15).all()
    assert volume(arrow(foot, np.array(vector), r, heads=2).corners[0] - foot) > volume(corners - foot)
