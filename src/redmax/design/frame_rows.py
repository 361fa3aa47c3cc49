"""Poses as rows that a person can read and change: x, y, z (m), then a rotation vector (rad), which may be any three numbers."""

from __future__ import annotations

import numpy as np

from redmax.components.given import Frames
from redmax.joints.frame_product import checked_frames
from redmax.lie import so3


def frame_rows(poses: Frames) -> np.ndarray:
    """(n, 6) of poses (n, 4, 4), which SplineCurve and BasisCurve take as their frames; scene files then have these rows.

    A scene file gives back the same rows to the last bit, and so the same joint. A row of six numbers is the pose
    rm.pose(rm.lie.so3.exp(row[3:]), row[:3]), whatever the numbers are.
    """
    E = checked_frames("frame_rows", poses)
    return np.concatenate([E[:, :3, 3], so3.log(E[:, :3, :3])], axis=1)
