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
def add_squares(B: Vector, r: Number, x: Number, y: Number, z: Number, a: Number, b: Number, c: Number) -> None:
    """I += r (x y z a b c) (x y z a b c)', the upper half of it."""
    p, q, s, t, u, v = r * x, r * y, r * z, r * a, r * b, r * c
    B[0] += p * x
    B[1] += p * y
    B[2] += p * z
    B[3] += p * a
    B[4] += p * b
    B[5] += p * c
    B[7] += q * y
    B[8] += q * z
    B[9] += q * a
    B[10] += q * b
    B[11] += q * c
    B[14] += s * z
    B[15] += s * a
    B[16] += s * b
    B[17] += s * c
    B[21] += t * a
    B[22] += t * b
    B[23] += t * c
    B[28] += u * b
    B[29] += u * c
    B[35] += v * c


@routine
def slide(row: Vector, B: Vector, m: Number, k: Number, c: Number, s: Number) -> None:
    """I += J' (m g g' + k e e') J of what slides along (c, s): g = (1, mu c, mu s), e = (0, -s, c)."""
    mu = row[FRICTION]
    x, y, z = row[ARM], row[ARM + 1], row[ARM + 2]
    d, e, f = [c * row[AXES + 3 + i] + s * row[AXES + 6 + i] for i in range(3)]
    a, b, g = row[AXES] + mu * d, row[AXES + 1] + mu * e, row[AXES + 2] + mu * f
    add_squares(B, m, y * g - z * b, z * a - x * g, x * b - y * a, a, b, g)
    a, b, g = [c * row[AXES + 6 + i] - s * row[AXES + 3 + i] for i in range(3)]
    add_squares(B, k, y * g - z * b, z * a - x * g, x * b - y * a, a, b, g)


@routine
def stick(row: Vector, B: Vector, r: Number) -> None:
    """I += J' r J, the upper half of it: where nothing slides."""
    x, y, z = r * row[ARM], r * row[ARM + 1], r * row[ARM + 2]
    xx, yy, zz = x * row[ARM], y * row[ARM + 1], z * row[ARM + 2]
    B[0] += yy + zz
    B[1] -= x * row[ARM + 1]
    B[2] -= x * row[ARM + 2]
    B[4] -= z
    B[5] += y
    B[7] += xx + zz
    B[8] -= y * row[ARM + 2]
    B[9] += z
    B[11] -= x
    B[14] += xx + yy
    B[15] -= y
    B[16] += x
    B[21] += r
    B[28] += r
    B[35] += r
