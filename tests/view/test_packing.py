"""Positions and quaternions give back the poses, without jumps of sign."""

import numpy as np

from redmax.view.packing import pose_rows
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
