"""Poses as rows that a person can read and change: x, y, z (m), then a rotation vector (rad), which may be any three numbers."""

from __future__ import annotations

import numpy as np

from redmax.design.poses import checked_poses
from redmax.lie import so3
from redmax.types import Array


def frame_rows(poses: Array) -> np.ndarray:
    """(n, 6) of poses (n, 4, 4), which SplineCurve and BasisCurve take as their frames; scene files then have these rows.

    A scene file gives back the same rows to the last bit, and so the same joint. A row of six numbers is the pose
    rm.pose(rm.lie.so3.exp(row[3:]), row[:3]), whatever the numbers are.
    """
    E = checked_poses(poses, name="poses", owner="frame_rows", least=1, sequence=False)
    return np.concatenate([E[:, :3, 3], so3.log(E[:, :3, :3])], axis=1)
