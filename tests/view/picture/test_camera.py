"""Where points appear: against homogeneous matrices, and back along the rays; a fitted camera sees the whole hull and no more."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from redmax.view.framing import Framing
from redmax.view.picture.camera import CLOSEST, MARGIN, TAN_HALF_VIEW, Camera, fitted, view_axes

SIZES = [(960, 600), (200, 300), (64, 64)]
coordinates = st.floats(-2, 2).map(lambda x: round(x, 9))  # squares of much smaller ones are zero
points = arrays(float, (7, 3), elements=coordinates)
eyes = st.tuples(st.floats(0, 6.28), st.floats(-1.4, 1.4), st.floats(5, 40))


def camera_at(eye, size) -> Camera:
    azimuth, elevation, distance = eye
    flat = np.cos(elevation)
    back = np.array([flat * np.cos(azimuth), flat * np.sin(azimuth), np.sin(elevation)])
    return Camera(distance * back, np.zeros(3), size)


@given(points, eyes, st.sampled_from(SIZES))
@settings(max_examples=60, deadline=None)
def test_projection_is_that_of_homogeneous_matrices(p, eye, size):
    camera = camera_at(eye, size)
    view = np.eye(4)
    view[:3, :3] = camera.axes
    view[:3, 3] = -camera.axes @ camera.eye
    ty = TAN_HALF_VIEW
    clip = np.diag([1 / (ty * size[0] / size[1]), 1 / ty, 0.0, 0.0])
    clip[2, 3], clip[3, 2] = 1.0, -1.0  # depth is not needed; w is the distance along the line of sight
    x, y, _, w = clip @ view @ np.vstack([p.T, np.ones(len(p))])
    places, nearness = camera.project(p)
    np.testing.assert_allclose(nearness, 1 / w, rtol=1e-12)
    np.testing.assert_allclose(places[:, 0], (x / w + 1) / 2 * size[0], rtol=1e-10, atol=1e-8)
    np.testing.assert_allclose(places[:, 1], (1 - y / w) / 2 * size[1], rtol=1e-10, atol=1e-8)


@given(points, eyes, st.sampled_from(SIZES))
@settings(max_examples=60, deadline=None)
def test_rays_lead_back_to_the_points(p, eye, size):
    camera = camera_at(eye, size)
    places, nearness = camera.project(p)
    np.testing.assert_allclose(camera.eye + camera.rays(places) / nearness[:, None], p, atol=1e-10)


def test_what_is_behind_the_eye_is_not_near():
    camera = Camera(np.array([10.0, 0, 0]), np.zeros(3), (100, 100))
    _, nearness = camera.project(np.array([[11.0, 0, 0], [10.0, 3, 0], [9.0, 0, 0]]))
    np.testing.assert_array_equal(nearness > 0, [False, False, True])


@given(points, st.floats(-3, 3), st.floats(-0.2, 1.5), st.sampled_from(SIZES))
@settings(max_examples=60, deadline=None)
def test_a_fitted_camera_sees_all_of_the_hull_and_little_more(p, azimuth, elevation, size):
    hull = p * (1, 2, 3)
    camera = fitted(Framing(hull, -9.0, azimuth, elevation), size)
    places, nearness = camera.project(hull)
    assert (nearness > 0).all()
    off = np.abs(places / size * 2 - 1).max(axis=0)  # 1 at the border
    assert off.max() <= 1 / MARGIN + 1e-9
    distance = (camera.eye - hull) @ camera.axes[2]
    if distance.min() > 1.001 * CLOSEST * (np.linalg.norm(np.ptp(hull, axis=0)) or 1.0):
        np.testing.assert_allclose(off.max(), 1 / MARGIN)  # from any closer it would not fit


def test_zoom_is_a_ratio_of_distances():
    framing = Framing(np.array([[1.0, 0, 0], [-1, 1, 0], [0, 0, 2]]), 0.0, 0.4, 0.3)
    near, far = fitted(framing, (300, 200), zoom=2.0), fitted(framing, (300, 200))
    np.testing.assert_allclose(near.target, far.target)
    np.testing.assert_allclose(2 * near.distance, far.distance)


def test_axes_are_a_right_handed_frame_even_from_straight_above():
    for back in ([0, 0, 1.0], [0, 0, -2.0], [1.0, 2.0, 0.5]):
        axes = view_axes(np.array(back))
        np.testing.assert_allclose(axes @ axes.T, np.eye(3), atol=1e-12)
        assert np.linalg.det(axes) > 0
