"""Points that move freely, packed as whichever is shorter: modes with weights, or every place at every time in 16 bits.

Modes are shorter for anything smooth with more than a few points; a short path, or a crumpling sheet, may need nearly as many of them
as it has coordinates.
"""

import numpy as np
from numpy.typing import NDArray

from redmax.view.modes import modes
from redmax.view.packing import encode
from redmax.view.path_view import PathView

Array = NDArray[np.float64]
STEPS = 65_535  # of 16 bits


def moving(points: Array) -> dict[str, object]:
    """Fields of the page that hold the finite points (T, n, 3); a single one of what never moves."""
    if (points == points[0]).all():
        return {"points": encode(points[0], "<f4")}
    mean, weights, basis = modes(lambda i: points[i.astype(int)], np.arange(len(points), dtype=float))
    if 4 * (mean.size + weights.size + basis.size) <= 2 * points.size:
        return {"points": encode(mean, "<f4"), "weights": encode(weights, "<f4"), "modes": encode(basis, "<f4")}
    return sampled(points)


def sampled(points: Array) -> dict[str, object]:
    """Places as whole numbers of steps from the lowest corner of the box of the motion."""
    low, high = points.min(axis=(0, 1)), points.max(axis=(0, 1))
    step = np.where(high > low, (high - low) / STEPS, 1.0)
    return {"low": low.tolist(), "step": step.tolist(), "samples": encode(np.rint((points - low) / step), "<u2")}


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
    somewhere = points[active].mean(axis=0)
    for i, now in enumerate(active.T):
        for k in range(3):
            filled[~now, i, k] = np.interp(instants[~now], instants[now], points[now, i, k]) if now.any() else somewhere[k]
    return filled
