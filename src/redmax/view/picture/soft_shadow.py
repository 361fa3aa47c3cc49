"""How much of the lamp reaches a point, as a compiled routine.

The edge of a shadow is as wide as what casts it is far away: looks into the shadow map around a point find how far, then how much of the
lamp is open (percentage-closer soft shadows, Fernando 2005), turned by another angle at each pixel, which hides the pattern. Where the
first looks all say the same it is believed; more follow at the border of a shadow, so that it has no grain. The map holds 2 - depth.
"""

from __future__ import annotations

from typing import Any

from redmax.math import where
from redmax.program.routines.routine import routine
from redmax.program.routines.views import Matrix, Number, Vector, Whole, whole
from redmax.view.picture.view_facts import CORNER, SCALE, SOFT, STEEP, TEXEL

SEARCH, TAPS, MORE = 8, 12, 44  # looks for what casts a shadow, for how much of the lamp it covers, and at its border
TURNS = 256  # angles that looks are turned by
WIDEST = 0.08  # rim of a shadow, of the box of the lamp


@routine
def shade_of(
    u: Number, v: Number, depth: Number, su: Number, sv: Number, c: Number, s: Number, reach: Number, disc: Matrix, k: Whole,
    shadow: Vector, size: Whole,
) -> Any:  # fmt: skip
    """How far the plane of the surface is behind what the lamp sees, at one place around."""
    du, dv = reach * (c * disc[k, 0] - s * disc[k, 1]), reach * (s * disc[k, 0] + c * disc[k, 1])
    column = min(max(whole((u + du) * float(size)), 0), size - 1)
    row = min(max(whole((v + dv) * float(size)), 0), size - 1)
    return depth + su * du + sv * dv + shadow[row * size + column] - 2.0


@routine
def lamp_reaches(
    view: Vector, wx: Number, wy: Number, wz: Number, nx: Number, ny: Number, nz: Number, turn: Vector, disc: Matrix, shadow: Vector,
    size: Whole,
) -> Any:  # fmt: skip
    """How much of the lamp reaches a point of a surface with this normal, 0 to 1, times how it faces it. turn: cosine and sine."""
    lamp = view[16:]
    facing = nx * lamp[6] + ny * lamp[7] + nz * lamp[8]
    result = 0.0
    if facing > 0.02:
        off = 1.5 * view[TEXEL]
        px, py, pz = wx + off * nx, wy + off * ny, wz + off * nz
        u = (lamp[0] * px + lamp[1] * py + lamp[2] * pz - view[CORNER]) / view[SCALE]
        v = (lamp[3] * px + lamp[4] * py + lamp[5] * pz - view[CORNER + 1]) / view[SCALE + 1]
        depth = (lamp[6] * px + lamp[7] * py + lamp[8] * pz - view[CORNER + 2]) / view[SCALE + 2]
        texel, ratio = 1.0 / float(size), view[SOFT]
        reach = min(max(ratio * depth, 2.0 * texel), WIDEST)
        depth = depth + off / view[SCALE + 2]
        over = view[STEEP] / max(facing, 0.15)
        su, sv = (nx * lamp[0] + ny * lamp[1] + nz * lamp[2]) * over, (nx * lamp[3] + ny * lamp[4] + nz * lamp[5]) * over
        c, s, gaps, found = turn[0], turn[1], 0.0, 0.0
        for k in range(SEARCH):
            above = shade_of(u, v, depth, su, sv, c, s, reach, disc, k, shadow, size)
            gaps, found = gaps + max(above, 0.0), found + where(above > 0.0, 1.0, 0.0)
        result = facing
        if found > 0.0:
            blur, opened = min(max(ratio * gaps / found, 1.3 * texel), reach), 0.0
            for k in range(SEARCH, SEARCH + TAPS):
                above = shade_of(u, v, depth, su, sv, c, s, blur, disc, k, shadow, size)
                opened = opened + where(above > 0.0, 0.0, 1.0)
            looks = float(TAPS)
            if opened > 0.0 and opened < looks:
                looks = float(TAPS + MORE)
                for k in range(SEARCH + TAPS, SEARCH + TAPS + MORE):
                    above = shade_of(u, v, depth, su, sv, c, s, blur, disc, k, shadow, size)
                    opened = opened + where(above > 0.0, 0.0, 1.0)
            result = facing * opened / looks
    return result
