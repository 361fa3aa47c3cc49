"""Where the camera of a look is at every moment: at first as `framing` says, then moved by a vector, turned by two angles, and closer.

Pictures and pages have both from here: pictures ask for any moment, a page gets the moves at its samples. Between key frames the moves
follow a cubic that keeps to their order (Fritsch and Butland 1984), so that a camera that should rest does not overshoot.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from redmax.model.cameras import Camera, as_camera
from redmax.model.look import Look
from redmax.view.followed import Followed
from redmax.view.framing import Framing

Array = NDArray[np.float64]
AROUND = 24  # points of a ring


@dataclass(frozen=True, eq=False)
class CameraPath:
    """framing: what is to be seen, and from where at first; of a camera that follows, around the point; zoom: how many times closer

    target: what it looks at, None for the middle of what is seen; distance: of the eye from there, None where `framing` and `zoom` say it
    moves: (x, y, z, azimuth, elevation, log of how many times closer) at a time, all zero at first; moving: whether they change
    """

    framing: Framing
    zoom: float = 1.0
    target: Array | None = None
    distance: float | None = None
    moves: Callable[[float], Array] = lambda t: np.zeros(6)
    moving: bool = False


def camera_path(look: Look, framing: Framing, times: Array, follow: Followed | None = None) -> CameraPath:
    """framing: of the run, chosen; times: of its samples; follow: what the camera follows."""
    camera = as_camera(look.camera)
    if camera is None:
        return CameraPath(framing)
    frames, start = camera.frames, float(times[0])
    turning = camera.orbit != 0 or bool(frames[1:])
    hull = framing.hull if follow is None else follow.around
    around = ring(hull) if turning and follow is None else hull
    rows = np.array([angles_of(key, framing) for _, key in frames])
    targets = targets_of(frames, hull)
    closer = np.log([1 / separation(key) if key.eye is not None else key.zoom for _, key in frames])
    first = next(key for _, key in frames)
    keyed = np.hstack([targets - targets[0], rows - rows[0], (closer - closer[0])[:, None]])
    moves = moved(np.array([t for t, _ in frames]), keyed, camera, follow, times)
    return CameraPath(
        framing=replace(framing, hull=around, azimuth=float(rows[0, 0]), elevation=float(rows[0, 1])),
        zoom=1.0 if first.eye is not None else first.zoom,
        target=targets[0] if follow is not None or any(key.target is not None for _, key in frames) else None,
        distance=separation(first) if first.eye is not None else None,
        moves=lambda t: moves(t) + spin(camera, t - start),
        moving=turning or follow is not None,
    )


def moved(t: Array, keyed: Array, camera: Camera, follow: Followed | None, times: Array) -> Callable[[float], Array]:
    """The moves of key frames at times t, and with what is followed."""
    from scipy.interpolate import PchipInterpolator

    between = PchipInterpolator(t, keyed) if len(t) > 1 else None

    def moves(now: float) -> Array:
        found = np.zeros(6) if between is None else np.asarray(between(np.clip(now, t[0], t[-1])), float).copy()
        if follow is not None:
            found[:3] += [np.interp(now, times, follow.points[:, k]) for k in range(3)]
        return found

    return moves


def spin(camera: Camera, t: float) -> Array:
    """By how much the camera has gone around, as a move."""
    found = np.zeros(6)
    found[3] = np.radians(camera.orbit) * t
    return found


def angles_of(key: Camera, framing: Framing) -> tuple[float, float]:
    """Azimuth and elevation (rad)."""
    if key.eye is not None and key.target is not None:
        x, y, z = np.subtract(key.eye, key.target)
        return float(np.arctan2(y, x)), float(np.arctan2(z, np.hypot(x, y)))
    chosen = (framing.azimuth, framing.elevation)
    given = (key.azimuth, key.elevation)
    azimuth, elevation = (c if g is None else float(np.radians(g)) for c, g in zip(chosen, given, strict=True))
    return azimuth, elevation


def separation(key: Camera) -> float:
    """Of the eye and the target."""
    return float(np.linalg.norm(np.subtract(key.eye, key.target))) if key.eye is not None and key.target is not None else 1.0


def targets_of(frames: tuple[tuple[float, Camera], ...], hull: Array) -> Array:
    """(k, 3): what each key frame looks at; the middle of the hull where none is given."""
    middle = (hull.min(axis=0) + hull.max(axis=0)) / 2
    return np.array([middle if key.target is None else np.asarray(key.target, float) for _, key in frames])


def ring(hull: Array) -> Array:
    """(2 AROUND, 3): two rings around all points of a hull, which look the same from all sides: who goes around stays as far."""
    low, high = hull.min(axis=0), hull.max(axis=0)
    middle = (low + high) / 2
    radius = np.linalg.norm((hull - middle)[:, :2], axis=1).max()
    angle = 2 * np.pi * np.arange(AROUND) / AROUND
    flat = middle[:2] + radius * np.stack([np.cos(angle), np.sin(angle)], axis=1)
    return np.concatenate([np.column_stack([flat, np.full(AROUND, z)]) for z in (low[2], high[2])])
