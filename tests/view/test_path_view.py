"""A path that cannot be shown is refused, by name; points that take no part are allowed."""

import numpy as np
import pytest

from redmax.errors import RedmaxError
from redmax.view import PathView

LINE = np.zeros((3, 4, 3))


@pytest.mark.parametrize(
    ("points", "more", "message"),
    [
        (np.zeros((4, 3)), {}, r"got points of shape \(4, 3\), expected \(T, n, 3\), T > 0, n > 1"),
        (np.zeros((3, 4, 2)), {}, r"got points of shape \(3, 4, 2\)"),
        (np.zeros((3, 1, 3)), {}, r"got points of shape \(3, 1, 3\)"),
        (np.zeros((0, 4, 3)), {}, r"got points of shape \(0, 4, 3\)"),
        (np.full((3, 4, 3), np.inf), {}, "some points are infinite"),
        (np.full((3, 4, 3), np.nan), {}, "all points are NaN at all times"),
        (LINE, {"radius": 0.0}, "got radius 0.0, expected a positive length"),
        (LINE, {"radius": np.nan}, "got radius nan"),
        (LINE, {"level": np.zeros((3, 1))}, r"got level of shape \(3, 1\), expected finite numbers \(T,\)"),
        (LINE, {"level": [0, np.nan, 1]}, r"got level of shape \(3,\), expected finite numbers"),
        (LINE, {"level": [0, 1, 1], "range": (1.0, 1.0)}, r"got range \(1.0, 1.0\), expected two finite numbers, the lower one first"),
    ],
)
def test_bad_path_is_named(points, more, message):
    with pytest.raises(RedmaxError, match=f"Path 'biceps': {message}"):
        PathView("biceps", points, **more)


def test_a_point_takes_part_where_all_of_it_is_known():
    points = LINE.copy()
    points[1, 2] = np.nan
    points[2, 0, 1] = np.nan
    expected = np.ones((3, 4), bool)
    expected[1, 2] = expected[2, 0] = False
    np.testing.assert_array_equal(PathView("biceps", points).active, expected)
