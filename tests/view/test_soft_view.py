"""A soft body that cannot be shown is refused, by name."""

import numpy as np
import pytest

from redmax.errors import RedmaxError
from redmax.view import SoftView

STILL = np.zeros((1, 4, 3))
FACES = np.array([(0, 1, 2)])


@pytest.mark.parametrize(
    ("vertices", "more", "message"),
    [
        (np.zeros((4, 3)), {"faces": FACES}, r"got vertices of shape \(4, 3\), expected \(T, n, 3\)"),
        (np.zeros((0, 4, 3)), {"faces": FACES}, r"got vertices of shape \(0, 4, 3\)"),
        (np.where(np.arange(3)[:, None, None] == 1, np.nan, np.zeros((3, 4, 3))), {"faces": FACES}, r"vertices\[1\] are not finite"),
        (STILL, {}, "got neither faces nor lines"),
        (STILL, {"faces": [(0, 1, 4)]}, "got indices 0 to 4 in faces, expected 0 to 3"),
        (STILL, {"lines": [(-1, 2)]}, "got indices -1 to 2 in lines, expected 0 to 3"),
        (STILL, {"lines": FACES}, r"got lines of shape \(1, 3\) and type int64, expected whole numbers \(m, 2\)"),
        (STILL, {"faces": [(0.0, 1.0, 2.0)]}, "got faces of shape .* type float64"),
        (STILL, {"lines": [(0, 1)], "radius": -1}, "got radius -1, expected a positive length"),
        (STILL, {"faces": FACES, "colour": "green"}, "got colour 'green'"),
    ],
)
def test_bad_soft_body_is_named(vertices, more, message):
    with pytest.raises(RedmaxError, match=f"Soft body 'cloth': {message}"):
        SoftView("cloth", vertices, **more)
