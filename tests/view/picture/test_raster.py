"""Which samples a triangle has, and which triangle a sample shows: against the plain definitions, sample by sample."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from redmax.view.picture import raster
from redmax.view.picture.raster import SAMPLES, fragments, plane, portions, ranks, visible

SIZE = (24, 16)
places = arrays(float, (5, 3, 2), elements=st.floats(-8, 30, width=32))
depths = arrays(float, (5, 3), elements=st.floats(0.25, 4.0, width=16))


def sample_positions(size=SIZE) -> np.ndarray:
    """(y, x, samples) flattened: where they are."""
    x, y = np.meshgrid(np.arange(size[0]), np.arange(size[1]))
    return (np.stack([x, y], axis=-1)[:, :, None] + SAMPLES).reshape(-1, 2)


def cross(a, b):
    return a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0]


def inside(triangle, at) -> tuple[np.ndarray, np.ndarray]:
    """Whether points are inside by the signs of three areas, and whether that is clear in spite of rounding."""
    areas = np.stack([cross(triangle[(k + 1) % 3] - triangle[k], at - triangle[k]) for k in range(3)])
    clear = (np.abs(areas) > 1e-6).all(axis=0)
    return (areas > 0).all(axis=0) | (areas < 0).all(axis=0), clear


@given(places)
@settings(max_examples=80, deadline=None)
def test_fragments_are_the_samples_inside(corners):
    at = sample_positions()
    planes = plane(corners, np.ones((5, 3)))
    found = np.zeros((5, len(at)), int)
    for owner, sample, _ in fragments(corners, planes, SIZE):
        np.add.at(found, (owner, sample), 1)
    for k in range(5):
        wanted, clear = inside(corners[k], at)
        np.testing.assert_array_equal(found[k][clear], wanted[clear])
        assert found.max() <= 1


@given(arrays(float, (5, 6, 2), elements=st.floats(-0.375, 0.375, width=16)))
@settings(max_examples=40, deadline=None)
def test_triangles_with_common_edges_leave_no_gap_and_share_no_sample(shift):
    y, x = np.meshgrid(np.linspace(-2, 18, 5), np.linspace(-2, 26, 6), indexing="ij")
    grid = np.stack([x, y], axis=-1) + 3 * shift
    a, b, c, d = grid[:-1, :-1], grid[1:, :-1], grid[1:, 1:], grid[:-1, 1:]
    corners = np.concatenate([np.stack([a, b, c], axis=2).reshape(-1, 3, 2), np.stack([a, c, d], axis=2).reshape(-1, 3, 2)])
    count = np.zeros(len(SAMPLES) * SIZE[0] * SIZE[1], int)
    for _, sample, _ in fragments(corners, plane(corners, np.ones((len(corners), 3))), SIZE):
        np.add.at(count, sample, 1)
    at = sample_positions()
    within = (at[:, 0] > 0) & (at[:, 0] < 24) & (at[:, 1] > 0) & (at[:, 1] < 16)
    middle = within & (at[:, 0] > 1) & (at[:, 0] < 22) & (at[:, 1] > 1) & (at[:, 1] < 14)
    assert (count[middle] == 1).all()


@given(places, depths)
@settings(max_examples=60, deadline=None)
def test_the_nearest_triangle_is_seen(corners, near):
    at = sample_positions()
    seen = visible(corners, near, SIZE)
    planes = plane(corners, near)
    values = np.full((5, len(at)), -np.inf)
    clear = np.ones(len(at), bool)
    for k in range(5):
        is_in, is_clear = inside(corners[k], at)
        area = abs(cross(corners[k, 1] - corners[k, 0], corners[k, 2] - corners[k, 0]))
        clear &= is_clear & (area > 1e-3)
        values[k, is_in] = (at @ planes[k, :2] + planes[k, 2])[is_in]
    best = values.max(axis=0)
    first_two = np.sort(values, axis=0)[-2:]
    clear &= ~(np.isfinite(first_two).all(axis=0) & (first_two[0] > first_two[1] * (1 - 1e-5)))  # no two about as near
    expected = np.where(np.isfinite(best), values.argmax(axis=0), -1)
    np.testing.assert_array_equal(seen.owner[clear], expected[clear])
    there = clear & (expected >= 0)
    np.testing.assert_allclose(seen.nearness[there], best[there], rtol=1e-5)


@given(places, depths, st.permutations(range(5)))
@settings(max_examples=60, deadline=None)
def test_the_order_of_triangles_does_not_matter(corners, near, order):
    near = near + np.arange(5)[:, None] * 1e-3  # no two planes are the same
    a, b = visible(corners, near, SIZE), visible(corners[order], near[order], SIZE)
    np.testing.assert_array_equal(a.nearness, b.nearness)
    named = np.where(b.owner >= 0, np.array(order)[b.owner], -1)
    assert (named != a.owner).mean() < 0.01  # but where two are equally near


@given(places, depths)
@settings(max_examples=10, deadline=None)
def test_bands_of_rows_show_what_the_whole_picture_shows(corners, near):
    whole = visible(corners, near, SIZE)
    lower = visible(corners - (0.0, 8.0), near, (SIZE[0], 8))
    found = whole.owner.reshape(16, -1)[8:].ravel()
    assert (lower.owner != found).mean() < 0.01  # rounding at the edges


@given(places)
@settings(max_examples=20, deadline=None)
def test_fragments_in_portions_are_the_same(corners):
    def found():
        parts = list(fragments(corners, plane(corners, np.ones((5, 3))), SIZE))
        return sorted(zip(*(np.concatenate([part[k] for part in parts] or [[]]).tolist() for k in (0, 1)), strict=True))

    whole = found()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(raster.portions, "__defaults__", (7,))
        patch.setattr(raster, "ROWS", 5)
        assert found() == whole


@given(places, arrays(float, (5, 3), elements=st.floats(-4, 4, width=16)))
@settings(max_examples=40, deadline=None)
def test_a_plane_has_its_values_at_the_corners(corners, values):
    area = np.abs(cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]))
    found = np.einsum("mkx,mx->mk", np.concatenate([corners, np.ones((5, 3, 1))], axis=2), plane(corners, values))
    good = area > 1.0
    np.testing.assert_allclose(found[good], values[good], atol=1e-8)


def test_counting_and_cutting():
    np.testing.assert_array_equal(ranks(np.array([2, 0, 3])), [0, 1, 0, 1, 2])
    assert ranks(np.zeros(0, int)).size == 0
    assert list(portions(np.array([3, 3, 9, 1, 1]), 6)) == [slice(0, 2), slice(2, 3), slice(3, 5)]
