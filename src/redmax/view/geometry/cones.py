"""Cones of friction: what a force of contact may be, |f_t| <= mu f_n, up to how hard it presses."""

import numpy as np
from numpy.typing import NDArray

from redmax.view.geometry.skins import Skin, joined
from redmax.view.geometry.tubes import bands, circle_points, unit

Array = NDArray[np.float64]
SIDES = 24


def cones(points: Array, pushes: Array, friction: Array) -> Skin:
    """With a tip at each of the points (n, 3), as high as the pushes (n, 3), and mu times as wide; closed."""
    high = np.linalg.norm(pushes, axis=1)[:, None, None]
    axis, mu = unit(pushes), friction[:, None, None]
    side = unit(np.cross(axis, np.where(np.abs(axis[:, 2:]) < 0.9, (0.0, 0.0, 1.0), (1.0, 0.0, 0.0))))
    around = circle_points(side, np.cross(axis, side), SIDES)  # (n, SIDES, 3)
    tip, along = np.broadcast_to(points[:, None], around.shape), np.broadcast_to(axis[:, None], around.shape)
    middle, rim = tip + high * along, tip + high * (along + mu * around)
    slanted = (around - mu * along) / np.sqrt(1.0 + mu * mu)
    mantle = bands(np.stack([tip, rim], axis=1), np.stack([slanted, slanted], axis=1))
    return joined(mantle, bands(np.stack([rim, middle], axis=1), np.stack([along, along], axis=1)))
