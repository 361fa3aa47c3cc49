"""Points that move freely, packed as whichever is shorter: modes with weights, or their places at every time in whole steps.

Modes are shorter for most of what is smooth; a path of a few points, or a sheet that flutters, needs nearly as many modes as it has
coordinates. Places are steps from the corner of the box of the motion, as second differences in time: x(t) - 2 x(t-1) + x(t-2) is
acceleration, which at the rate of pictures is a few steps, so that most of them take one byte.
"""

import numpy as np
from numpy.typing import NDArray

from redmax.view.modes import PRECISION, modes
from redmax.view.packing import encode, short_bytes
from redmax.view.path_view import PathView

Array = NDArray[np.float64]
SMALLEST = 0.01  # size that matters, of the box of the whole motion


def moving(points: Array) -> dict[str, object]:
    """Fields of the page that hold the finite points (T, n, 3); a single one of what never moves."""
    if (points == points[0]).all():
        return {"points": encode(points[0], "<f4")}
    size = size_of(points)
    mean, weights, basis = modes(lambda i: points[i.astype(int)], np.arange(len(points), dtype=float), size)
    low, differences = stepped(points, step := PRECISION / 2 * size)
    if 4 * (mean.size + weights.size + basis.size) <= len(differences):
        return {"points": encode(mean, "<f4"), "weights": encode(weights, "<f4"), "modes": encode(basis, "<f4")}
    return {"low": low.tolist(), "step": step, "differences": encode(differences, "u1")}


def size_of(points: Array) -> float:
    """The largest side of the box around the points (T, n, 3) at any one time: what goes far is seen as sharp as what stays."""
    return max(float(np.ptp(points, axis=1).max()), SMALLEST * float(np.ptp(points, axis=(0, 1)).max()))


def stepped(points: Array, step: float) -> tuple[Array, NDArray[np.uint8]]:
    """The lowest corner (3,) of the motion, and the second differences of the places as bytes."""
    low = points.min(axis=(0, 1))
    places = np.rint((points - low) / step).astype(np.int64).reshape(len(points), -1)
    before = np.concatenate([np.zeros((2, places.shape[1]), np.int64), places])
    return low, short_bytes((before[2:] - 2 * before[1:-1] + before[:-2]).ravel())


def path_motion(view: PathView, keep: NDArray[np.int64]) -> dict[str, object]:
    """Points, what takes part when, and the colour of a path at the samples `keep`, as fields of the page."""
    active = view.active[keep] if len(view.points) > 1 else view.active
    packed = moving(bridged(view.points[keep] if len(view.points) > 1 else view.points, active))
    if not active.all():
        packed["active"] = encode(np.broadcast_to(active, (len(keep), active.shape[1])), "u1")
    if view.level is not None:
        low, high = view.range
        level = view.level[keep] if len(view.level) > 1 else np.broadcast_to(view.level, len(keep))
        packed |= {"range": [float(low), float(high)], "levels": encode(np.rint(255 * ((level - low) / (high - low)).clip(0, 1)), "u1")}
    return packed


def bridged(points: Array, active: NDArray[np.bool_]) -> Array:
    """Points (T, n, 3) with straight motion where they take no part, so that nothing jumps where they begin or cease to."""
    if active.all():
        return points
    filled, instants = points.copy(), np.arange(len(points))
    somewhere = points[active].mean(axis=0) if active.any() else np.zeros(3)
    for i, now in enumerate(active.T):
        for k in range(3):
            filled[~now, i, k] = np.interp(instants[~now], instants[now], points[now, i, k]) if now.any() else somewhere[k]
    return filled
