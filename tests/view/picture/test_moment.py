"""Between two samples: positions go straight, rotations at a constant rate."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.spatial.transform import Rotation

from redmax.view.picture.moment import moment_at

TIMES = np.array([0.0, 0.5, 2.0])
unit = st.floats(-1, 1, allow_nan=False)


def test_the_sample_before_and_the_share_after():
    assert [moment_at(TIMES, t).index for t in (-1, 0, 0.25, 0.5, 1.9, 2.0, 3.0)] == [0, 0, 0, 1, 1, 2, 2]
    assert moment_at(TIMES, 0.25).share == 0.5
    assert moment_at(TIMES, 1.25).share == 0.5
    assert moment_at(TIMES, 2.0).share == 0.0
    assert moment_at(TIMES, -1.0).share == 0.0


@given(arrays(float, 3, elements=unit), arrays(float, 3, elements=unit), st.floats(0, 1))
def test_a_turn_is_as_steady_as_its_rotation_vector(start, turn, share):
    first = Rotation.from_rotvec(start)
    poses = np.tile(np.eye(4), (2, 1, 1))
    poses[0, :3, :3], poses[1, :3, :3] = first.as_matrix(), (first * Rotation.from_rotvec(turn)).as_matrix()
    poses[1, :3, 3] = turn
    pose = moment_at(np.array([0.0, 1.0]), share).pose(poses)
    np.testing.assert_allclose(pose[:3, :3], (first * Rotation.from_rotvec(share * turn)).as_matrix(), atol=1e-7)
    np.testing.assert_allclose(pose[:3, 3], share * turn, atol=1e-12)


def test_what_never_moves_has_one_row():
    moment = moment_at(TIMES, 1.0)
    pose = np.diag([1.0, 1, 1, 1])[None]
    assert moment.pose(pose) is not None
    np.testing.assert_array_equal(moment.pose(pose), np.eye(4))
    np.testing.assert_array_equal(moment.mix(np.array([[3.0]])), [3.0])
    assert moment.mix(np.array([0.0, 3.0, 6.0])) == pytest.approx(4.0)
    assert moment.pick(np.array([1, 2, 3])) == 2
