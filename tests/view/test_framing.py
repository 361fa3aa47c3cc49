"""The camera and the ground see the whole motion, with all curves and surfaces."""

import numpy as np

from redmax.view import BodyView, DrawingView, PathView, SoftView
from redmax.view.framing import HIGH, LOW, TURN, Framing, body_points, drawing_points, frame, path_points, soft_points
from view.samples import TETRAHEDRON, TETRAHEDRON_FACES, turning_body, turning_poses


def line_along(axis: int) -> BodyView:
    poses = np.tile(np.eye(4), (50, 1, 1))
    poses[:, axis, 3] = np.linspace(-20, 20, 50)
    return BodyView("shuttle", TETRAHEDRON, TETRAHEDRON_FACES, poses)


def framed(body: BodyView, ground: float | None = None) -> Framing:
    return frame([body_points(body, np.arange(len(body.poses)))], [], ground)


def test_hull_reaches_every_extreme_of_the_motion():
    times = np.linspace(0, 3, 200)
    body = turning_body(times)
    points = np.concatenate([body.vertices @ E[:3, :3].T + E[:3, 3] for E in body.poses])
    hull = framed(body).hull
    np.testing.assert_allclose(hull.min(axis=0), points.min(axis=0))
    np.testing.assert_allclose(hull.max(axis=0), points.max(axis=0))


def test_ground_is_a_bit_below_unless_given():
    body = line_along(0)
    assert -2 < framed(body).ground < 0
    assert framed(body, -5.0).ground == -5.0


def test_view_is_from_the_side_of_the_motion():
    along_x, along_y = (framed(line_along(k)).azimuth for k in (0, 1))
    np.testing.assert_allclose(along_x, -np.pi / 2 + TURN, atol=0.01)
    np.testing.assert_allclose(along_y, TURN, atol=0.01)


def test_hull_holds_a_carried_curve_and_a_growing_surface():
    times = np.linspace(0, 2, 100)
    poses = turning_poses(times)
    curve = DrawingView("curve", np.array([(0, 0, 0), (0, 0, -3.0)]), poses)
    square = np.stack(np.meshgrid([-1.0, 1.0], [-1.0, 1.0], [0.0], indexing="ij"), axis=-1)[:, :, 0]
    sheet = DrawingView("sheet", lambda t: (1 + t)[:, None, None, None] * square, np.eye(4)[None])
    hull = frame([], [drawing_points(view, times, np.arange(100)) for view in (curve, sheet)], None).hull
    np.testing.assert_allclose(hull.min(axis=0), (-3, -3, -3))
    np.testing.assert_allclose(hull.max(axis=0), (3, 3, 0))


def test_hull_holds_paths_and_soft_bodies_at_their_farthest():
    times = np.linspace(0, 2, 201)
    muscle = np.zeros((201, 3, 3))
    muscle[:, 1, 0], muscle[:, 2, 2] = -times, 3 * np.sin(np.pi * times)
    muscle[:100, 0] = np.nan
    cloth = np.zeros((201, 4, 3))
    cloth[:, 3, 1] = 5 * np.exp(-(((times - 1) / 0.02) ** 2))  # a short excursion
    paths = [PathView("muscle", muscle), PathView("still", np.array([[(0, 0, 0), (0, 0, -4.0)]]))]
    soft = SoftView("cloth", cloth, np.array([(0, 1, 3)]))
    frames = np.arange(201)
    hull = frame([*(path_points(view, frames) for view in paths), soft_points(soft, frames)], [], None).hull
    np.testing.assert_allclose(hull.min(axis=0), (-2, 0, -4), atol=1e-12)
    np.testing.assert_allclose(hull.max(axis=0), (0, 5, 3), atol=1e-12)


def test_flat_drawings_are_seen_from_farther_above_than_upright_ones():
    angle = np.linspace(0, 6, 50)
    flat, upright = (np.zeros((50, 3)) for _ in range(2))
    flat[:, 0], flat[:, 1] = upright[:, 0], upright[:, 2] = np.cos(angle), np.sin(angle)
    heights = [frame([flat], drawings, None).elevation for drawings in ([], [upright], [flat])]
    np.testing.assert_allclose(heights, [LOW, LOW, HIGH], atol=0.01)
