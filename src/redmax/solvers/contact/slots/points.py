"""How a slot sees its body, and what it does to it: velocities of a point, wrenches of impulses, terms of stiffness.

With K = R' D R of a contact at r from the origin of its tree, u = R (v + omega x r) and F = R' f,

    w += (r x F; F),   I += ([r] K [r]'  [r] K;  .  K)
"""

from __future__ import annotations

from typing import Any

from redmax.program.routines.routine import routine
from redmax.program.routines.views import Number, Vector
from redmax.solvers.contact.slots.columns import ARM, AXES, FRICTION


@routine
def moved(row: Vector, v: Vector) -> Any:
    """R (v + omega x r)."""
    x, y, z = row[ARM], row[ARM + 1], row[ARM + 2]
    a, b, c = v[3] + (v[1] * z - v[2] * y), v[4] + (v[2] * x - v[0] * z), v[5] + (v[0] * y - v[1] * x)
    u, s, t = [row[AXES + 3 * k] * a + row[AXES + 3 * k + 1] * b + row[AXES + 3 * k + 2] * c for k in range(3)]
    return u, s, t


@routine
def push(row: Vector, w: Vector, n: Number, s: Number, t: Number) -> None:
    """w += (r x F; F), F = R' f."""
    x, y, z = row[ARM], row[ARM + 1], row[ARM + 2]
    a, b, c = [row[AXES + i] * n + row[AXES + 3 + i] * s + row[AXES + 6 + i] * t for i in range(3)]
    w[0] += y * c - z * b
    w[1] += z * a - x * c
    w[2] += x * b - y * a
    w[3] += a
    w[4] += b
    w[5] += c


@routine
def add_stiffness(row: Vector, B: Vector, m: Number, k: Number, c: Number, s: Number, r: Number) -> None:
    """I += J' D J, the upper half of it, with R' D R = K = r + m g g' + k h h', g = R' (1, mu c, mu s), h = R' (0, -s, c).

    r: of what sticks; m, k: of what slides along (c, s). All worlds take the same way, or roundings would say who is beside whom
    """
    mu = row[FRICTION]
    x, y, z = row[ARM], row[ARM + 1], row[ARM + 2]
    d, e, f = [c * row[AXES + 3 + i] + s * row[AXES + 6 + i] for i in range(3)]
    g0, g1, g2 = row[AXES] + mu * d, row[AXES + 1] + mu * e, row[AXES + 2] + mu * f
    h0, h1, h2 = [c * row[AXES + 6 + i] - s * row[AXES + 3 + i] for i in range(3)]
    p, q = m * g0, k * h0
    xx, xy, xz = r + p * g0 + q * h0, p * g1 + q * h1, p * g2 + q * h2
    p, q = m * g1, k * h1
    yy, yz, zz = r + p * g1 + q * h1, p * g2 + q * h2, r + m * g2 * g2 + k * h2 * h2
    B[21] += xx
    B[22] += xy
    B[23] += xz
    B[28] += yy
    B[29] += yz
    B[35] += zz
    u, v, w = y * xz - z * xy, y * yz - z * yy, y * zz - z * yz  # rows of [r] K
    B[0] += y * w - z * v
    B[1] += z * u - x * w
    B[2] += x * v - y * u
    B[3] += u
    B[4] += v
    B[5] += w
    u, v, w = z * xx - x * xz, z * xy - x * yz, z * xz - x * zz
    B[7] += z * u - x * w
    B[8] += x * v - y * u
    B[9] += u
    B[10] += v
    B[11] += w
    u, v, w = x * xy - y * xx, x * yy - y * xy, x * yz - y * xz
    B[14] += x * v - y * u
    B[15] += u
    B[16] += v
    B[17] += w
