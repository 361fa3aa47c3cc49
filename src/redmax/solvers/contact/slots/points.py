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
def stick(row: Vector, r: Number) -> Any:
    """J' r J of what sticks: six numbers of its upper left, and r times the arm."""
    a, b, c = row[ARM], row[ARM + 1], row[ARM + 2]
    x, y, z = r * a, r * b, r * c
    return y * b + z * c, -x * b, -x * c, x * a + z * c, -y * c, x * a + y * b, x, y, z


@routine
def add_stuck(
    B: Vector, r: Number, xx: Number, xy: Number, xz: Number, yy: Number, yz: Number, zz: Number, x: Number, y: Number, z: Number
) -> None:
    """I += J' r J, the upper half of it."""
    B[0] += xx
    B[1] += xy
    B[2] += xz
    B[4] -= z
    B[5] += y
    B[7] += yy
    B[8] += yz
    B[9] += z
    B[11] -= x
    B[14] += zz
    B[15] -= y
    B[16] += x
    B[21] += r
    B[28] += r
    B[35] += r


@routine
def add_sliding(
    row: Vector, B: Vector, m: Number, k: Number, c: Number, s: Number, r: Number, xx: Number, xy: Number, xz: Number, yy: Number,
    yz: Number, zz: Number, u: Number, v: Number, w: Number,
) -> None:  # fmt: skip
    """The same where some slide along (c, s): and J' (m g g' + k h h') J, g = (1, mu c, mu s), h = (0, -s, c)."""
    mu = row[FRICTION]
    x, y, z = row[ARM], row[ARM + 1], row[ARM + 2]
    d, e, f = [c * row[AXES + 3 + i] + s * row[AXES + 6 + i] for i in range(3)]
    g3, g4, g5 = row[AXES] + mu * d, row[AXES + 1] + mu * e, row[AXES + 2] + mu * f
    g0, g1, g2 = y * g5 - z * g4, z * g3 - x * g5, x * g4 - y * g3
    h3, h4, h5 = [c * row[AXES + 6 + i] - s * row[AXES + 3 + i] for i in range(3)]
    h0, h1, h2 = y * h5 - z * h4, z * h3 - x * h5, x * h4 - y * h3
    p, q = m * g0, k * h0
    B[0] += xx + (p * g0 + q * h0)
    B[1] += xy + (p * g1 + q * h1)
    B[2] += xz + (p * g2 + q * h2)
    B[3] += p * g3 + q * h3
    B[4] += (p * g4 + q * h4) - w
    B[5] += v + (p * g5 + q * h5)
    p, q = m * g1, k * h1
    B[7] += yy + (p * g1 + q * h1)
    B[8] += yz + (p * g2 + q * h2)
    B[9] += w + (p * g3 + q * h3)
    B[10] += p * g4 + q * h4
    B[11] += (p * g5 + q * h5) - u
    p, q = m * g2, k * h2
    B[14] += zz + (p * g2 + q * h2)
    B[15] += (p * g3 + q * h3) - v
    B[16] += u + (p * g4 + q * h4)
    B[17] += p * g5 + q * h5
    p, q = m * g3, k * h3
    B[21] += r + (p * g3 + q * h3)
    B[22] += p * g4 + q * h4
    B[23] += p * g5 + q * h5
    p, q = m * g4, k * h4
    B[28] += r + (p * g4 + q * h4)
    B[29] += p * g5 + q * h5
    B[35] += r + (m * g5 * g5 + k * h5 * h5)
