"""The camera and the ground see the whole motion."""

import numpy as np

from redmax.view import BodyView
from redmax.view.framing import TURN, frame
from view.samples import TETRAHEDRON, TETRAHEDRON_FACES, turning_body


def line_along(axis: int) -> BodyView:
    poses = np.tile(np.eye(4), (50, 1, 1))
    poses[:, axis, 3] = np.linspace(-20, 20, 50)
    return BodyView("shuttle", TETRAHEDRON, TETRAHEDRON_FACES, poses)


def test_hull_reaches_every_extreme_of_the_motion():
    times = np.linspace(0, 3, 200)
    body = turning_body(times)
    points = np.concatenate([body.vertices @ E[:3, :3].T + E[:3, 3] for E in body.poses])
    hull = frame([body], np.arange(200), None).hull
    np.testing.assert_allclose(hull.min(axis=0), points.min(axis=0))
    np.testing.assert_allclose(hull.max(axis=0), points.max(axis=0))


def test_ground_is_a_bit_below_unless_given():
    body = line_along(0)
    assert -2 < frame([body], np.arange(50), None).ground < 0
    assert frame([body], np.arange(50), -5.0).ground == -5.0


def test_view_is_from_the_side_of_the_motion():
    along_x, along_y = (frame([line_along(k)], np.arange(50), None).azimuth for k in (0, 1))
    np.testing.assert_allclose(along_x, -np.pi / 2 + TURN, atol=0.01)
    np.testing.assert_allclose(along_y, TURN, atol=0.01)
