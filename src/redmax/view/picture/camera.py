"""The eye of a picture: where it is so that the whole motion is seen, and where points of the world appear.

A point p with p - eye = x right + y up - z back appears at (1 + x / (z tx)) / 2 of the width and (1 - y / (z ty)) / 2 of the height. Its
nearness 1 / z is a linear function on the picture of a plane in the world, which is why depth is kept so.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from redmax.view.camera_path import CameraPath
from redmax.view.framing import Framing

Array = NDArray[np.float64]
TAN_HALF_VIEW = np.tan(np.radians(17))
MARGIN = 1.1  # of free space around the motion
CLOSEST = 0.3  # distance of the eye from the hull, over its size: what lies along the line of sight looks small from everywhere
NEAREST = 1e-3  # of the distance to the target: what is closer to the eye is not drawn


@dataclass(frozen=True, eq=False)
class Camera:
    """eye, target: (3,) in the world; size: width and height, pixels. Looks from one to the other with z up."""

    eye: Array
    target: Array
    size: tuple[int, int]

    @cached_property
    def axes(self) -> Array:
        """(3, 3): rows right, up and back."""
        return view_axes(self.eye - self.target)

    @property
    def distance(self) -> float:
        return float(np.linalg.norm(self.eye - self.target))

    @property
    def slopes(self) -> Array:
        """(2,): tangents of half the angles of view, across and up."""
        return TAN_HALF_VIEW * np.array([self.size[0] / self.size[1], 1.0])

    @property
    def pixel(self) -> float:
        """The size of a pixel, seen from the eye: of what is at distance 1."""
        return 2 * TAN_HALF_VIEW / self.size[1]

    def project(self, points: Array) -> tuple[Array, Array]:
        """Places (..., 2) in the picture, pixels from its upper left corner, and nearness (...) of points (..., 3).

        nearness: 1 over the depth along the line of sight; zero for points beside or behind the eye, whose place has no meaning
        """
        seen = along_axes(points - self.eye, self.axes)
        depth = -seen[..., 2]
        ahead = depth > NEAREST * self.distance
        nearness = np.where(ahead, 1 / np.where(ahead, depth, 1.0), 0.0)
        across = seen[..., :2] * nearness[..., None] / self.slopes
        return (1 + across * (1.0, -1.0)) / 2 * self.size, nearness

    def rays(self, places: NDArray) -> NDArray:
        """(..., 3): the direction in the world seen at places (..., 2), as long as to advance by 1 along the line of sight."""
        across = (2 * places / np.array(self.size) - 1) * (1.0, -1.0) * self.slopes
        right, up, back = self.axes
        return across[..., :1] * right + across[..., 1:] * up - back

    def world(self, place: NDArray, near: NDArray) -> NDArray:
        """(n, 3): points of the world at places (n, 2) and nearness (n,), of single precision."""
        return (self.eye + self.rays(place.astype(np.float64)) / near[:, None]).astype(np.float32)

    def moved(self, moves: Array) -> "Camera":
        """Shifted by x, y, z, turned by an azimuth and an elevation (rad), and closer by a factor, of which the logarithm is given."""
        x, y, z = self.eye - self.target
        far, flat = self.distance, np.hypot(x, y)
        azimuth, elevation = np.arctan2(y, x) + moves[3], np.clip(np.arctan2(z, flat) + moves[4], -np.pi / 2, np.pi / 2)
        target = self.target + moves[:3]
        return Camera(target + far * np.exp(-moves[5]) * direction(azimuth, elevation), target, self.size)


def camera_at(path: CameraPath, t: float, size: tuple[int, int]) -> Camera:
    """The camera of a path at time t, s."""
    if path.distance is None:
        first = fitted(path.framing, size, zoom=path.zoom) if path.target is None else fitted_at(path.target, path.framing, size, path.zoom)
    else:
        target = np.zeros(3) if path.target is None else path.target
        first = Camera(target + path.distance * direction(path.framing.azimuth, path.framing.elevation), target, size)
    return first.moved(path.moves(t)) if path.moving else first


def fitted(framing: Framing, size: tuple[int, int], *, zoom: float = 1.0) -> Camera:
    """The nearest place in the direction of the framing from which every point of its hull is in the picture; zoom: times closer.

    With the eye at (x, y, z) along right, up and back, a point p is in the picture if |p_x - x| <= t_x (z - p_z), and so for y: two
    bounds on z + x / t_x and z - x / t_x, whose sum is the least z, and whose difference puts x in the middle.
    """
    axes = view_axes(direction(framing.azimuth, framing.elevation))
    x, y, z = along_axes(framing.hull, axes).T
    tx, ty = TAN_HALF_VIEW * np.array([size[0] / size[1], 1.0]) / MARGIN
    bounds = np.array([[(z + x / tx).max(), (z - x / tx).max()], [(z + y / ty).max(), (z - y / ty).max()]])
    least = bounds.mean(axis=1).max()
    away = max(least, z.max() + CLOSEST * (framing.size or 1.0))
    across = (bounds[:, 0] - bounds[:, 1]) / 2 * (tx, ty)
    eye, target = np.array([*across, away]), np.array([*across, z.mean()])
    return Camera((target + (eye - target) / zoom) @ axes, target @ axes, size)


def fitted_at(target: Array, framing: Framing, size: tuple[int, int], zoom: float) -> Camera:
    """The nearest place from which all points of the hull are in a picture that has the target in its middle."""
    axes = view_axes(direction(framing.azimuth, framing.elevation))
    x, y, z = along_axes(framing.hull - target, axes).T
    tx, ty = TAN_HALF_VIEW * np.array([size[0] / size[1], 1.0]) / MARGIN
    away = max(float((z + np.maximum(np.abs(x) / tx, np.abs(y) / ty)).max()), z.max() + CLOSEST * (framing.size or 1.0))
    return Camera(target + away / zoom * axes[2], target, size)


def direction(azimuth: float, elevation: float) -> Array:
    """(3,): the unit vector at an azimuth about z and an elevation above the xy plane, rad."""
    flat = np.cos(elevation)
    return np.array([flat * np.cos(azimuth), flat * np.sin(azimuth), np.sin(elevation)])


def along_axes(vectors: NDArray, axes: NDArray) -> NDArray:
    """(..., k): components of vectors (..., 3) along axes (k, 3). Not `@`: its threads only get in each other's way in arrays so thin."""
    return np.einsum("...x,kx->...k", vectors, axes)


def view_axes(back: Array) -> Array:
    """(3, 3): rows right, up and back of someone who looks along -back with z up; from straight above, with y up."""
    back = back / np.linalg.norm(back)
    right = np.cross((0.0, 0.0, 1.0), back)
    right = right / np.linalg.norm(right) if np.linalg.norm(right) > 1e-9 else np.array([1.0, 0.0, 0.0])
    return np.array([right, np.cross(back, right), back])
