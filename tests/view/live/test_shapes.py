"""Meshes for the picture: sharp edges stay sharp, round things stay round, and rods go where they should."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import redmax as rm
from redmax.view.geometry.creases import face_normals, split_at_creases
from redmax.view.geometry.sheets import grid_lines
from redmax.view.geometry.skins import ball, cylinder, turned_profile
from redmax.view.geometry.tubes import CAP_RINGS, tube
from redmax.view.live.lines import ROD_PROFILE, rod_places

directions = st.tuples(*[st.floats(-1, 1)] * 3).filter(lambda d: np.linalg.norm(d) > 0.1).map(lambda d: np.array(d) / np.linalg.norm(d))


def averaged(vertices, faces):
    """Normals at the vertices, as a browser finds them: the sum over the triangles there."""
    total = np.zeros_like(vertices)
    for k in range(3):
        np.add.at(total, faces[:, k], face_normals(vertices[faces]))
    return total / np.linalg.norm(total, axis=1, keepdims=True)


def test_a_box_has_flat_sides():
    vertices, faces = rm.Cuboid((1, 2, 3)).mesh()
    origin, doubled = split_at_creases(vertices, faces)
    smooth = averaged(vertices[origin], doubled)
    for k in range(3):
        np.testing.assert_allclose(smooth[doubled[:, k]], face_normals(vertices[faces]), atol=1e-12)
    assert len(origin) == 24


def test_a_ball_is_round():
    vertices, faces = rm.Sphere(0.5).mesh()
    origin, doubled = split_at_creases(vertices, faces)
    outward = vertices[origin] / 0.5
    assert np.sum(averaged(vertices[origin], doubled) * outward, axis=1).min() > 0.97
    np.testing.assert_array_equal(vertices[origin][doubled], vertices[faces])


@given(directions)
def test_rods_point_from_end_to_end(direction):
    start = np.array([0.3, -0.2, 0.7])
    turned, place, scale = rod_places(np.array([[start, start + 2.5 * direction]]), np.array([0.1]))
    w, x, y, z = turned[0]
    R = np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )
    tip = R @ (np.array([0, 0, 1.0]) * scale[0]) + place[0]
    np.testing.assert_allclose(tip, start + 2.5 * direction, atol=1e-6)


@given(directions)
def test_a_tube_is_as_thick_as_it_should_be(direction):
    t = np.linspace(0, 3, 60)[:, None]
    points = np.hstack([np.cos(t), np.sin(t), 0.2 * t]) + direction
    skin = tube(points, 0.05, sides=8)
    rings = skin.vertices.reshape(-1, 8, 3)[CAP_RINGS:-CAP_RINGS]
    np.testing.assert_allclose(np.linalg.norm(rings - points[:, None], axis=2), 0.05, atol=1e-12)
    assert skin.faces.max() == len(skin.vertices) - 1


def test_closed_shapes_face_outwards():
    for vertices, faces in (cylinder(1.0, 0.0, 1.0), turned_profile(ROD_PROFILE), ball(1.0), ball(1.0, 14, 7)):
        a, b, c = (vertices[faces[:, k]] for k in range(3))
        volume = np.sum(np.cross(a, b) * c) / 6
        assert volume > 0
    vertices, faces = ball(1.0, 40, 40)
    a, b, c = (vertices[faces[:, k]] for k in range(3))
    assert 0.9 < np.sum(np.cross(a, b) * c) / 6 / (4 / 3 * np.pi) < 1


@given(st.integers(9, 40), st.integers(9, 40), st.floats(0.3, 1.0))
def test_lines_over_a_sheet_lie_on_it_and_run_along_its_edges(m, n, ratio):
    x, y = np.meshgrid(np.linspace(0, 1, m), np.linspace(0, ratio, n), indexing="ij")
    points = np.stack([x, y, x * y], axis=-1)
    pieces = grid_lines(points)
    np.testing.assert_allclose(pieces[..., 2], pieces[..., 0] * pieces[..., 1], atol=1e-12)
    ends = {tuple(p) for p in pieces.reshape(-1, 3)}
    assert {tuple(p) for p in np.concatenate([points[0], points[-1], points[:, 0], points[:, -1]])} <= ends
    across = pieces[pieces[:, 0, 0] == pieces[:, 1, 0]]
    assert len(np.unique(across[:, 0, 0])) == 9  # along the longer side
