"""Positions and quaternions give back the poses, without jumps of sign; small numbers come back from few bytes."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import redmax as rm
from redmax.view.packing import corners, pose_rows, short_bytes
from view.player import played
from view.samples import matrices, turning_poses


def random_poses(count: int) -> np.ndarray:
    generator = np.random.default_rng(1)
    q = generator.normal(size=(count, 4))
    q[:8] = np.vstack([np.eye(4), -np.eye(4)])  # half turns, where three of the four formulas fail
    return matrices(np.hstack([generator.normal(size=(count, 3)), q / np.linalg.norm(q, axis=1, keepdims=True)]))


def test_rows_give_back_the_poses():
    poses = random_poses(500)
    np.testing.assert_allclose(matrices(pose_rows(poses)), poses, atol=1e-12)


def test_quaternions_are_continuous_over_many_turns():
    rows = pose_rows(turning_poses(np.linspace(0, 20, 2000), rate=5.0))
    assert np.abs(np.diff(rows[:, 3:], axis=0)).max() < 0.05


@given(st.lists(st.integers(-(2**27), 2**27 - 1), min_size=1))
def test_whole_numbers_come_back_from_few_bytes(numbers):
    packed = short_bytes(np.array(numbers))
    assert len(packed) == sum(1 + sum(not -(64 << k) <= n < 64 << k for k in (0, 7, 14, 21)) for n in numbers)
    assert (packed < 128).sum() == len(numbers)


def test_the_player_reads_what_was_packed():
    numbers = np.concatenate([np.arange(-20_000, 20_000, 7), [63, 64, -64, -65, 2**26, -(2**26)]])
    assert played(["points"], "shortNumbers(Uint8Array.from(data))", short_bytes(numbers).tolist()) == numbers.tolist()


def test_the_page_reads_the_corners_of_faces_in_few_bytes():
    ball = rm.Sphere(1.0).mesh()[1]
    jumps = np.random.default_rng(0).integers(0, 2**29, (200, 3))
    read = played(["scene", "points"], "data.map(decodeCorners)", [corners(ball), corners(jumps)])
    assert read == [ball.ravel().tolist(), jumps.ravel().tolist()]
    assert len(corners(ball)) < 2.8 * ball.size  # characters, of which plain numbers take 5.3
