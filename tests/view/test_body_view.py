"""A body that cannot be drawn is refused, by name."""

import numpy as np
import pytest

from redmax.errors import RedmaxError
from redmax.view import BodyView
from view.samples import TETRAHEDRON, TETRAHEDRON_FACES

STILL = np.eye(4)[None]


@pytest.mark.parametrize(
    ("vertices", "faces", "poses", "message"),
    [
        (TETRAHEDRON[:, :2], TETRAHEDRON_FACES, STILL, "vertices of shape"),
        (TETRAHEDRON, TETRAHEDRON_FACES + 1, STILL, "face indices 1 to 4, expected 0 to 3"),
        (TETRAHEDRON, TETRAHEDRON_FACES, np.eye(4), "poses of shape"),
        (TETRAHEDRON, TETRAHEDRON_FACES, 2 * STILL, "not a rigid transform"),
        (TETRAHEDRON, TETRAHEDRON_FACES, np.diag([1.0, 1, -1, 1])[None], "not a rigid transform"),
        (TETRAHEDRON, TETRAHEDRON_FACES, np.stack([np.eye(4), np.full((4, 4), np.nan)]), r"poses\[1\] is not finite"),
    ],
)
def test_bad_body_is_named(vertices, faces, poses, message):
    with pytest.raises(RedmaxError, match=f"'arm': .*{message}"):
        BodyView("arm", vertices, faces, poses)


def test_bad_colour_is_named():
    with pytest.raises(RedmaxError, match="'arm': got colour 'blue'"):
        BodyView("arm", TETRAHEDRON, TETRAHEDRON_FACES, STILL, colour="blue")
