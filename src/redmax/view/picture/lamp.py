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
COARSEST, LONGEST = 8, 1.25  # slices are so many texels to one, and as wide in those, at least
UNSEEN = 2e-3  # shade that is too faint to be seen
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

    def on_ground(self, u: Array, v: Array) -> Array:
        """(n, 3): points of the ground at u, v (n,)."""
        right, up, back = self.axes
        across, along = self.corner[0] + u * self.width, self.corner[1] + v * self.width
        return np.outer(across, right) + np.outer(along, up) + np.outer((self.ground - along * up[2]) / back[2], back)

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
        gap = np.maximum((ground - 2) * (part > 0) + part, 0)  # where there is something; times the depth of the box
        covered = halved((gap > 0).view(np.uint8)).astype(np.float32) / 4
        reach = halved(gap) / np.maximum(covered, np.float32(0.25)) * np.float32(SOFTNESS * self.depth / self.width / 4)
        blur = np.clip(reach * count / 2, SHARPEST, WIDEST * count).astype(np.float32)  # of the same variance as a disc
        margin = int(3 * blur.max()) + 2
        soft = blurred(np.pad(covered, margin), np.pad(blur, margin, constant_values=SHARPEST))
        low = [max(margin - a, 0) for a in first]
        high = [soft.shape[k] - max(last[k] + margin - count, 0) for k in (0, 1)]
        inside = soft[low[0] : high[0], low[1] : high[1]]
        at = [first[k] - margin + low[k] for k in (0, 1)]
        shade[at[0] : at[0] + inside.shape[0], at[1] : at[1] + inside.shape[1]] = inside
        return shade


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
    """What casts a shadow, each place with its own width of blur (texels): cut into slices of about one width, each blurred by it.

    A wide blur leaves only long waves: its slice is first made coarser, n by n texels one, which are at (n - 1) / 2 off the first of them
    and are a blur of the variance (n^2 - 1) / 12 themselves; its waves are added to those of the others.
    """
    from scipy.fft import irfft2, next_fast_len, rfft2

    widths = np.geomspace(SHARPEST, max(float(blur.max()), 1.01 * SHARPEST), SLICES)
    place = np.log(blur * np.float32(1 / SHARPEST)) * np.float32(1 / np.log(widths[1] / widths[0]))
    size: Any = tuple(COARSEST * (next_fast_len(-(-n // COARSEST), real=True) or 1) for n in covered.shape)
    total = np.zeros((size[0], size[1] // 2 + 1), np.complex64)
    for k, width in enumerate(widths):
        part = covered * np.maximum(1 - np.abs(place - np.float32(k)), 0)
        if part.any():
            n = next(n for n in (8, 4, 2, 1) if width > LONGEST * n or n == 1)
            waves: Any = rfft2(coarser(part, n), (size[0] // n, size[1] // n))
            rows, columns = (waves.shape[0] + 1) // 2, waves.shape[1]
            kept = [fall(np.fft.fftfreq(size[0] // n, n), width, n), fall(np.fft.rfftfreq(size[1] // n, n), width, n)]
            waves *= kept[0][:, None]
            waves *= kept[1]
            total[:rows, :columns] += waves[:rows]
            total[size[0] - len(waves) + rows :, :columns] += waves[rows:]
    soft: Any = irfft2(total, size)
    soft = np.minimum(soft[: covered.shape[0], : covered.shape[1]], 1)
    return np.where(soft > UNSEEN, soft, 0)


def coarser(values: Single, n: int) -> Single:
    """Sums of n by n, of which the last may be fewer."""
    if n == 1:
        return values
    rows, columns = (-(-m // n) * n for m in values.shape)
    padded = np.zeros((rows, columns), np.float32)
    padded[: values.shape[0], : values.shape[1]] = values
    along = padded.reshape(rows // n, n, columns).sum(axis=1)
    return along.reshape(rows // n, columns // n, n).sum(axis=2)


def fall(waves: NDArray, width: float, n: int) -> NDArray[np.complex64]:
    """What a blur of this width leaves of waves (per texel) of a slice that was made coarser by n."""
    left = np.exp(-2 * (np.pi * waves) ** 2 * (width**2 - (n**2 - 1) / 12) - 1j * np.pi * (n - 1) * waves)
    return left.astype(np.complex64)


def disc_points(count: int) -> Array:
    """(count, 2) points spread over the unit disc."""
    i = np.arange(count)
    radius, angle = np.sqrt((0.5 + i * 0.61803399) % 1), 2.39996323 * i
    return np.stack([radius * np.cos(angle), radius * np.sin(angle)], axis=1)


def halved(values: NDArray) -> NDArray:
    """Sums of two by two."""
    rows = values[::2] + values[1::2]
    return rows[:, ::2] + rows[:, 1::2]
