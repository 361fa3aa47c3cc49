"""Meshes over planes: all corners that are near, in closed form."""

from __future__ import annotations

import numpy as np

from redmax.contact.asked.placed import NONE, Placed, Points


def plane_mesh(a: Placed, b: Placed, margin: float) -> Points:
    """a: the plane, whose normal is the third of its axes."""
    n = a.R[:, 2]
    if n @ (b.x - a.x) > b.shape.radius + margin:
        return NONE
    corners = b.world(b.shape.solid.vertices)
    gap = (corners - a.x) @ n
    low = gap < margin
    return Points(corners[low] - 0.5 * gap[low, None] * n, np.broadcast_to(n, (int(low.sum()), 3)), gap[low])
