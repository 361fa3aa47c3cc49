"""The screw axis of a motion at each moment: where a body turns about and slides along.

Of a twist (w; v) of the body's frame: direction w/|w|, a point w x v / |w|^2 in the body's axes, pitch w.v / |w|^2.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

STILL = 1e-6  # of the largest turn of all: with less there is no axis


@dataclass(frozen=True)
class ScrewAxes:
    """direction, point: (N, 3) in the parent's frame, the point nearest to the frame's origin (m); pitch: (N,) m/rad; NaN without a turn"""

    direction: np.ndarray
    point: np.ndarray
    pitch: np.ndarray


def screw_axes(E: np.ndarray, S: np.ndarray) -> ScrewAxes:
    """Of poses (N, 4, 4) and twists (N, 6) in the axes of the body."""
    w, v = S[:, :3], S[:, 3:]
    square = np.sum(w * w, axis=1)
    square = np.where(square > (STILL**2) * max(float(square.max()), 1e-30), square, np.nan)[:, None]
    R = E[:, :3, :3]
    direction = np.einsum("nij,nj->ni", R, w / np.sqrt(square))
    point = np.einsum("nij,nj->ni", R, np.cross(w, v) / square) + E[:, :3, 3]
    return ScrewAxes(direction, point, np.sum(w * v, axis=1) / square[:, 0])
