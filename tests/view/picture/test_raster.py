"""Which samples a triangle has, and which triangle a sample shows: against the plain definitions, sample by sample."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from redmax.view.picture.compiled import Memory
from redmax.view.picture.raster import SAMPLES, visible
from redmax.view.picture.scan import AHEAD, CLEAR, FRAGMENT, NEAR, NEXT, TRIANGLE, scan

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


def plane(corners, values) -> np.ndarray:
    """(m, 3): of the linear function a x + b y + c with these values (m, 3) at the corners (m, 3, 2), by solving for it."""
    return np.array([np.linalg.lstsq(np.c_[c, np.ones(3)], v, rcond=None)[0] for c, v in zip(corners, values, strict=True)])


def lists(corners, near, nearest=None, room=20_000, size=SIZE) -> tuple[list[list[tuple[float, int]]], float, np.ndarray]:
    """Of each sample, nearness and triangle of all that is there, in the order of its list; how many there are; the reach of rows."""
    count = len(SAMPLES) * size[0] * size[1]
    m = Memory(
        triangles=(len(corners), 9), samples=(4, 2), nearest=(count,), heads=(count,), fragments=(room, FRAGMENT), used=(1,), none=(1, 1),
        reach=(size[1], 2),
    )  # fmt: skip
    m.put(
        triangles=np.concatenate([corners, near[..., None]], axis=2),
        samples=SAMPLES,
        nearest=np.zeros(count) if nearest is None else nearest,
    )
    m.part("reach")[:] = size[0], 0
    rows, none = (size[0], 0, size[1]), ("none", CLEAR, "none", "none")
    m.call(scan, "triangles", len(corners), "samples", 4, *rows, "nearest", *none, room, "heads", "fragments", "used", "reach")
    parts, found = m.part("fragments"), []
    for head in m.part("heads"):
        found.append([])
        while head:
            part = parts[int(head) - 1]
            found[-1].append((float(part[NEAR]), int(part[TRIANGLE])))
            head = part[NEXT]
    return found, float(m.part("used")[0]), m.part("reach")


@given(places, depths)
@settings(max_examples=60, deadline=None)
def test_what_shows_through_is_listed_at_the_samples_inside_from_the_farthest_on(corners, near):
    at = sample_positions()
    found, used, reach = lists(corners, near)
    for k in range(5):
        wanted, clear = inside(corners[k], at)
        there = np.array([sum(i == k for _, i in one) for one in found])
        np.testing.assert_array_equal(there[clear], wanted[clear])
    assert used == sum(map(len, found))
    assert all(one == sorted(one, key=lambda part: part[0]) for one in found)
    for sample in np.flatnonzero([len(one) > 0 for one in found]):
        y, x = divmod(sample // 4, SIZE[0])
        assert reach[y, 0] <= x < reach[y, 1]


@given(places, depths, st.floats(0.25, 4.0, width=16))
@settings(max_examples=30, deadline=None)
def test_what_is_behind_something_solid_is_not_listed(corners, near, solid):
    all_of_them, _, _ = lists(corners, near)
    found, _, _ = lists(corners, near, np.full(len(all_of_them), solid))
    ahead = np.float32(1 + AHEAD)
    expected = [[part for part in one if np.float32(part[0]) * ahead >= np.float32(solid)] for one in all_of_them]
    assert found == expected


def test_more_than_there_is_room_for_is_counted_and_no_more():
    corners = np.tile([[-1.0, -1.0], [40.0, -1.0], [-1.0, 40.0]], (7, 1, 1))
    found, used, _ = lists(corners, np.ones((7, 3)), room=100)
    assert sum(map(len, found)) == 100
    assert used == sum(map(len, lists(corners, np.ones((7, 3)))[0])) > 1000


@given(arrays(float, (5, 6, 2), elements=st.floats(-0.375, 0.375, width=16)))
@settings(max_examples=30, deadline=None)
def test_triangles_with_common_edges_leave_no_gap_and_share_no_sample(shift):
    y, x = np.meshgrid(np.linspace(-2, 18, 5), np.linspace(-2, 26, 6), indexing="ij")
    grid = np.stack([x, y], axis=-1) + 3 * shift
    a, b, c, d = grid[:-1, :-1], grid[1:, :-1], grid[1:, 1:], grid[:-1, 1:]
    corners = np.concatenate([np.stack([a, b, c], axis=2).reshape(-1, 3, 2), np.stack([a, c, d], axis=2).reshape(-1, 3, 2)])
    count = np.array([len(one) for one in lists(corners, np.ones((len(corners), 3)))[0]])
    at = sample_positions()
    middle = (at[:, 0] > 1) & (at[:, 0] < 22) & (at[:, 1] > 1) & (at[:, 1] < 14)
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
