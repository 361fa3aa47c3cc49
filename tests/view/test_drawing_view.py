"""A drawing that cannot be shown is refused, by name."""

import numpy as np
import pytest

from redmax.errors import RedmaxError
from redmax.view import DrawingView

STILL = np.eye(4)[None]


@pytest.mark.parametrize(
    ("points", "poses", "message"),
    [
        (np.zeros((4, 2)), STILL, r"got points of shape \(4, 2\), expected \(n, 3\) or \(m, n, 3\)"),
        (np.zeros((2, 2, 2, 3)), STILL, r"got points of shape \(2, 2, 2, 3\)"),
        (np.zeros((1, 3)), STILL, r"got \(1,\) points, expected at least 2 along each side"),
        (np.zeros((1, 5, 3)), STILL, r"got \(1, 5\) points"),
        (np.zeros((300, 300, 3)), STILL, r"got \(300, 300\) points, expected .* at most 65,536"),
        (np.full((3, 3), np.nan), STILL, "some points are not finite"),
        (np.zeros((3, 3)), np.eye(4), r"got poses of shape \(4, 4\)"),
    ],
)
def test_bad_drawing_is_named(points, poses, message):
    with pytest.raises(RedmaxError, match=f"Drawing 'rail': {message}"):
        DrawingView("rail", points, poses)


def test_a_function_of_time_is_checked_where_it_is_used():
    view = DrawingView("rail", lambda t: np.zeros((len(t) + 1, 5, 3)), STILL)
    with pytest.raises(RedmaxError, match=r"Drawing 'rail': got points of shape \(4, 5, 3\), expected \(3, n, 3\) or \(3, m, n, 3\) at 3"):
        view.at(np.zeros(3))
