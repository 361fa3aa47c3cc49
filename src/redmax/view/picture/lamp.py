"""The lamp: a distant light from above that looks into a box, in which u, v and depth run from 0 to 1.

The shadow map holds the depth of what the lamp sees first at u, v, as 2 - depth, 0 where it sees nothing. The edge of a shadow is as wide
as what casts it is far away, as with a lamp of some size. On the ground the map is cut into slices by that distance, each blurred by as
much; the lamp is so far away that the shadow of a slice on any plane is the slice itself, in u and v.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from redmax.view.framing import Framing
from redmax.view.picture.camera import along_axes, direction, view_axes
from redmax.view.picture.raster import visible

Array = NDArray[np.float64]
Single = NDArray[Any]  # of single precision
SOFTNESS = 0.036  # tangent of the half angle of the lamp
MARGIN = 1.25  # of the box around the motion, so that the rims of shadows fit in
WIDEST = 0.08  # rim of a shadow, of the box
SLICES = 7  # of the shadow on the ground
SHARPEST = 0.6  # blur, texels
SEARCH, TAPS = 6, 10  # places looked at for what casts a shadow, and for how much of the lamp it covers
CENTRE = np.array([[0.5, 0.5]])


@dataclass(frozen=True, eq=False)
class Lamp:
    """axes: (3, 3) rows right, up, back; corner: of the box along them; width, depth: of the box; fill: direction of a second light."""

    axes: Array
    corner: Array
    width: float
    depth: float
    fill: Array
    ground: float
    pixels: int

    @property
    def texel(self) -> float:
        return self.width / self.pixels

    def inside(self, points: NDArray) -> NDArray:
        """(..., 3): u, v and depth of points (..., 3)."""
        scale = np.array([self.width, self.width, -self.depth], points.dtype)
        return (along_axes(points, self.axes.astype(points.dtype)) - self.corner.astype(points.dtype)) / scale

    def shadow_map(self, corners: Array) -> Single:
        """(pixels, pixels), v by u: 2 - depth of the first of the triangles (m, 3, 3) that light meets, 0 where there is none."""
        at = self.inside(corners)
        return visible(at[..., :2] * self.pixels, 2 - at[..., 2], (self.pixels, self.pixels), CENTRE).nearness.reshape(self.pixels, -1)

    def ground_depth(self, v: NDArray) -> NDArray:
        """Depth of the plane of the ground at v; it is level along u."""
        rise = self.axes[1, 2] / self.axes[2, 2]
        return (self.corner[2] + (self.corner[1] + v * self.width) * rise - self.ground / self.axes[2, 2]) / self.depth

    def ground_shade(self, shadow_map: Single) -> Single:
        """(pixels / 2, pixels / 2), v by u: how much of the lamp is hidden from the ground, 0 to 1."""
        count = self.pixels // 2
        shade = np.zeros((count, count), np.float32)
        rows, columns = (np.flatnonzero(shadow_map.any(axis=k)) // 2 for k in (1, 0))
        if not len(rows):
            return shade
        first, last = (rows[0], columns[0]), (rows[-1] + 1, columns[-1] + 1)
        part = shadow_map[2 * first[0] : 2 * last[0], 2 * first[1] : 2 * last[1]]
        ground = self.ground_depth((np.arange(2 * first[0], 2 * last[0]) + 0.5) / self.pixels)[:, None].astype(np.float32)
        gap = np.maximum((ground - 2 + part) * np.float32(self.depth), 0) * (part > 0)
        covered = halved((gap > 0).astype(np.float32))
        reach = halved(gap) / np.maximum(covered, np.float32(0.25)) * np.float32(SOFTNESS / self.width)
        blur = np.clip(reach * count / 2, SHARPEST, WIDEST * count).astype(np.float32)  # of the same variance as a disc
        margin = int(3 * blur.max()) + 2
        soft = blurred(np.pad(covered, margin), np.pad(blur, margin, constant_values=SHARPEST))
        low = [max(margin - a, 0) for a in first]
        high = [soft.shape[k] - max(last[k] + margin - count, 0) for k in (0, 1)]
        inside = soft[low[0] : high[0], low[1] : high[1]]
        at = [first[k] - margin + low[k] for k in (0, 1)]
        shade[at[0] : at[0] + inside.shape[0], at[1] : at[1] + inside.shape[1]] = inside
        return shade

    def reaches(self, shadow_map: Single, world: Single, normals: Single, angle: Single) -> Single:
        """(n,): how much of the lamp reaches points (n, 3) of surfaces with these normals, 0 to 1, times how they face it.

        angle: (n,) rad, by which the places looked at are turned: different ones at neighbouring samples hide the pattern
        """
        right, up, facing = along_axes(normals, self.axes.astype(np.float32)).T
        facing = np.maximum(facing, 0)
        lit = facing > 0.02
        n, texel = normals[lit], np.float32(self.texel)
        at = self.inside(world[lit] + n * (1.5 * texel))
        slope = np.stack([right[lit], up[lit]], axis=1) / np.maximum(facing[lit], 0.15)[:, None] * np.float32(self.width / self.depth)
        facing[lit] *= self._open(shadow_map, at, slope, angle[lit])
        return np.where(lit, facing, 0)

    def _open(self, shadow_map: Single, at: Single, slope: Single, angle: Single) -> Single:
        ratio, texel = np.float32(SOFTNESS * self.depth / self.width), 1 / self.pixels
        depth = at[:, 2] - np.float32(1.5 * self.texel / self.depth)
        reach = np.clip(ratio * at[:, 2], 2 * texel, WIDEST)
        gaps, found = np.zeros_like(depth), np.zeros_like(depth)
        for above in self._looks(shadow_map, at, slope, angle, reach, depth, SEARCH):
            gaps += np.maximum(above, 0)
            found += above > 0
        opened = np.ones_like(depth)
        some = np.flatnonzero(found)
        blur = np.clip(ratio * gaps[some] / found[some], 1.3 * texel, reach[some])
        looks = self._looks(shadow_map, at[some], slope[some], angle[some], blur, depth[some], TAPS)
        opened[some] = sum((above <= 0).astype(np.float32) for above in looks) / np.float32(TAPS)
        return opened

    def _looks(self, shadow_map: Single, at: Single, slope: Single, angle: Single, reach: Single, depth: Single, count: int):
        """How far the plane of the surface is behind what the lamp sees, at `count` places around."""
        cosine, sine, flat, last = np.cos(angle) * reach, np.sin(angle) * reach, shadow_map.ravel(), self.pixels - 1
        for x, y in disc_points(count).astype(np.float32):
            u, v = cosine * x - sine * y, sine * x + cosine * y
            column = np.clip((at[:, 0] + u) * self.pixels, 0, last).astype(np.int32)
            row = np.clip((at[:, 1] + v) * self.pixels, 0, last).astype(np.int32)
            yield depth + slope[:, 0] * u + slope[:, 1] * v + flat[row * self.pixels + column] - 2


def lamp_for(framing: Framing, pixels: int) -> Lamp:
    """The box holds the whole motion and the part of the ground that it can shade."""
    axes = view_axes(direction(framing.azimuth - 0.65, 0.86))
    u, v, w = axes @ framing.hull.T
    on_ground = w - np.maximum(framing.hull[:, 2] - framing.ground, 0) / axes[2, 2]
    width = MARGIN * float(max(np.ptp(u), np.ptp(v))) or 1.0
    top = w.max() + 0.02 * width
    depth = float(top - min(on_ground.min(), w.min()) + 0.02 * width)
    corner = np.array([(u.min() + u.max() - width) / 2, (v.min() + v.max() - width) / 2, top])
    return Lamp(axes, corner, width, depth, direction(framing.azimuth + 1.3, 0.35), framing.ground, pixels)


def blurred(covered: Single, blur: Single) -> Single:
    """What casts a shadow, each place with its own width of blur (texels): cut into slices of about one width, each blurred by it."""
    from scipy.fft import irfft2, next_fast_len, rfft2

    widths = np.geomspace(SHARPEST, max(float(blur.max()), 1.01 * SHARPEST), SLICES)
    place = np.log(blur / SHARPEST) / np.log(widths[1] / widths[0])
    size: Any = tuple(next_fast_len(n, real=True) for n in covered.shape)
    f, g = np.fft.fftfreq(size[0]), np.fft.rfftfreq(size[1])
    total = np.zeros((size[0], len(g)), np.complex64)
    for k, width in enumerate(widths):
        part = covered * np.maximum(1 - np.abs(place - k), 0)
        if part.any():
            fall = [np.exp(-2 * (np.pi * width * x) ** 2).astype(np.float32) for x in (f, g)]
            total += rfft2(part.astype(np.float32), size) * fall[0][:, None] * fall[1]
    soft: Any = irfft2(total, size)
    return np.clip(soft[: covered.shape[0], : covered.shape[1]], 0, 1)


def disc_points(count: int) -> Array:
    """(count, 2) points spread over the unit disc."""
    i = np.arange(count)
    radius, angle = np.sqrt((0.5 + i * 0.61803399) % 1), 2.39996323 * i
    return np.stack([radius * np.cos(angle), radius * np.sin(angle)], axis=1)


def halved(values: Single) -> Single:
    """Means of two by two."""
    return (values[::2, ::2] + values[1::2, ::2] + values[::2, 1::2] + values[1::2, 1::2]) / np.float32(4)
