"""How far a point is from a cylinder or a cuboid, in its axes, and in which direction: outward from the surface, also from inside."""

from __future__ import annotations

from typing import Any

from redmax.contact.pairs.placed import clamp, unit_or
from redmax.math import sqrt, where
from redmax.program.routines.routine import routine
from redmax.program.routines.views import Number


@routine
def sign_of(x: Number) -> Any:
    """-1 or 1."""
    return where(x < 0.0, -1.0, 1.0)


@routine
def from_cylinder(x: Number, y: Number, z: Number, r: Number, h: Number, _: Number) -> Any:
    """(distance, outward direction) of a point; negative inside, to the cap or side that is nearest. The third size says nothing."""
    around = sqrt(x * x + y * y)
    scale = 1.0 / where(around > 0.0, around, 1.0)
    ux, uy = where(around > 0.0, x * scale, 1.0), y * scale
    side, cap, up = around - r, abs(z) - h, sign_of(z)
    out, over = max(side, 0.0), max(cap, 0.0)
    beside, above, _, away = unit_or(out, over, 0.0, where(side > cap, 1.0, 0.0), where(side > cap, 0.0, 1.0), 0.0)
    gap = where(away > 0.0, away, max(side, cap))
    return gap, beside * ux, beside * uy, above * up


@routine
def from_cuboid(x: Number, y: Number, z: Number, hx: Number, hy: Number, hz: Number) -> Any:
    """(distance, outward direction) of a point; negative inside, to the face that is nearest."""
    dx, dy, dz = x - clamp(x, -hx, hx), y - clamp(y, -hy, hy), z - clamp(z, -hz, hz)
    fx, fy, fz = abs(x) - hx, abs(y) - hy, abs(z) - hz
    wider = max(fx, fy)
    nearest = max(wider, fz)
    ex = where(fx >= nearest, sign_of(x), 0.0)
    ey = where(abs(ex) > 0.0, 0.0, where(fy >= nearest, sign_of(y), 0.0))
    ez = where(abs(ex) + abs(ey) > 0.0, 0.0, sign_of(z))
    nx, ny, nz, away = unit_or(dx, dy, dz, ex, ey, ez)
    return where(away > 0.0, away, nearest), nx, ny, nz
