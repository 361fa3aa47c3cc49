"""Where the camera and the ground go: found from the extreme points of the whole motion."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from redmax.view.body_view import BodyView

GROUND_GAP = 0.04  # of the size of the motion
TURN = np.radians(24)  # from the broadside view, so that depth can be seen


@dataclass(frozen=True)
class Framing:
    """hull: (k, 3) extreme points of the motion; ground: height z; azimuth: direction of the eye about z, rad."""

    hull: NDArray[np.float64]
    ground: float
    azimuth: float


def frame(bodies: Sequence[BodyView], frames: NDArray[np.int64], ground: float | None) -> Framing:
    """Fit the motion at the sample indices `frames`; `ground` is found when it is None."""
    directions = np.vstack([np.eye(3), -np.eye(3), sphere_directions(42)])
    best, hull = np.full(len(directions), -np.inf), np.zeros((len(directions), 3))
    moments = []
    for body in bodies:
        points = world_points(body, frames)
        height = directions @ points.T  # long rows: several times faster to search than long columns
        top = np.argmax(height, axis=1)
        reach = height[np.arange(len(top)), top]
        better = reach > best
        best[better], hull[better] = reach[better], points[top[better]]
        moments.append((points[:, :2].mean(axis=0), np.cov(points[:, :2].T, bias=True)))
    hull = np.unique(hull, axis=0)
    size = np.linalg.norm(np.ptp(hull, axis=0))
    height = hull[:, 2].min() - GROUND_GAP * size if ground is None else ground
    return Framing(hull, float(height), broadside_azimuth(moments) + TURN)


def world_points(body: BodyView, frames: NDArray[np.int64]) -> NDArray[np.float64]:
    """(T k, 3): the outermost vertices of the body at every frame."""
    outer = np.unique(np.argmax(body.vertices @ sphere_directions(160).T, axis=0))
    poses = body.poses[frames]
    points = body.vertices[outer] @ poses[:, :3, :3].transpose(0, 2, 1) + poses[:, None, :3, 3]
    return points.reshape(-1, 3)


def sphere_directions(count: int) -> NDArray[np.float64]:
    """(count, 3) unit vectors spread evenly: a Fibonacci spiral."""
    i = np.arange(count) + 0.5
    z, angle = 1 - 2 * i / count, np.pi * (1 + 5**0.5) * i
    r = np.sqrt(1 - z * z)
    return np.stack([r * np.cos(angle), r * np.sin(angle), z], axis=1)


def broadside_azimuth(moments: Sequence[tuple[NDArray[np.float64], NDArray[np.float64]]]) -> float:
    """The eye looks across the longer horizontal extent of the motion; from -y when there is none."""
    means = np.array([mean for mean, _ in moments])
    spread = np.cov(means.T, bias=True) + np.mean([covariance for _, covariance in moments], axis=0)
    (small, large), axes = np.linalg.eigh(spread)
    if large < 2 * small:
        return -np.pi / 2
    x, y = axes[:, 1]
    return np.arctan2(y, x) % np.pi - np.pi / 2 if abs(x) < abs(y) else np.arctan(y / x) - np.pi / 2
