"""What contacts say at velocities V, and what Newton's method takes of it: impulses, their slopes, wrenches and terms of bodies.

u = u_free + J V,   f = P_K(f0 - r (u + bias + slack n)),   D = dP/dy
(M + J' r D J) V1 = J' (f + r D J V)
"""

from __future__ import annotations

from redmax.math import where
from redmax.program.routines.routine import routine
from redmax.program.routines.views import Matrix, Number, Vector, Whole, dot, whole
from redmax.solvers.contact.columns import (
    BEFORE,
    BIAS,
    BODY_A,
    BODY_B,
    CARRIED,
    DU,
    FREE,
    FRICTION,
    IMPULSE,
    J_A,
    J_B,
    MASS,
    SLACK,
    SLOPE,
    STATE,
    STIFF,
    STILL,
    TWIN,
    WORK,
    U,
    Y,
)
from redmax.solvers.contact.cone import cone_slope, length, on_cone

SETTLING, RETURNING = 0.25, 0.5  # of the local mass: what is taken off for changes of velocities, and for these


@routine
def moved(row: Vector, V: Matrix, world: Whole, out: Vector) -> None:
    """J V of a contact; what touches the world asks for one body alone."""
    b = whole(row[BODY_B])
    n, s, t = [dot(row[J_B + 8 * k : J_B + 8 * k + 6], V[b, 0:6]) for k in range(3)]
    if row[BODY_A] < float(world) - 0.5:
        a = whole(row[BODY_A])
        n += dot(row[J_A : J_A + 6], V[a, 0:6])
        s += dot(row[J_A + 8 : J_A + 14], V[a, 0:6])
        t += dot(row[J_A + 16 : J_A + 22], V[a, 0:6])
    out[0] = n
    out[1] = s
    out[2] = t


@routine
def at_rest(C: Matrix, count: Whole) -> float:
    """1 if all contacts have lasted and none closes or opens: then the impulses of the step before may do; 2 if they did then too."""
    resting = 2.0
    for c in range(count):
        resting = min(resting, C[c, STILL])
    return resting


@routine
def begin_at(C: Matrix, count: Whole, V: Matrix, world: Whole) -> None:
    """u at V."""
    for c in range(count):
        row = C[c]
        moved(row, V, world, row[U:])
        for k in range(3):
            row[U + k] += row[FREE + k]


@routine
def project(C: Matrix, count: Whole) -> None:
    """y and f of all contacts at u."""
    for c in range(count):
        row = C[c]
        r = row[STIFF]
        row[Y] = row[CARRIED] - r * (row[U] + row[BIAS] + row[SLACK])
        for k in range(1, 3):
            row[Y + k] = row[CARRIED + k] - r * (row[U + k] + row[BIAS + k])
        row[STATE] = on_cone(row[FRICTION], row[Y], row[Y + 1], row[Y + 2], row[IMPULSE:])


@routine
def linearise(C: Matrix, count: Whole) -> None:
    """D of all contacts, whose y and state are known."""
    for c in range(count):
        row = C[c]
        cone_slope(row[FRICTION], row[Y], row[Y + 1], row[Y + 2], row)


@routine
def slopes_of(row: Vector) -> None:
    """WORK = r D J_b."""
    r = row[STIFF]
    nn, na, nb = r * row[SLOPE], r * row[SLOPE + 1], r * row[SLOPE + 2]
    aa, ab, bb = r * row[SLOPE + 3], r * row[SLOPE + 4], r * row[SLOPE + 5]
    row[WORK : WORK + 8] = nn * row[J_B : J_B + 8] + na * row[J_B + 8 : J_B + 16] + nb * row[J_B + 16 : J_B + 24]
    row[WORK + 8 : WORK + 16] = na * row[J_B : J_B + 8] + aa * row[J_B + 8 : J_B + 16] + ab * row[J_B + 16 : J_B + 24]
    row[WORK + 16 : WORK + 24] = nb * row[J_B : J_B + 8] + ab * row[J_B + 8 : J_B + 16] + bb * row[J_B + 16 : J_B + 24]


@routine
def add_body_terms(C: Matrix, count: Whole, B: Matrix) -> None:
    """I += J' r D J of contacts of one body, b, with what does not move."""
    for c in range(count):
        row = C[c]
        if row[STATE] > 0.5:
            b = whole(row[BODY_B])
            slopes_of(row)
            for i in range(6):
                J0, J1, J2 = row[J_B + i], row[J_B + 8 + i], row[J_B + 16 + i]
                B[6 * b + i, 0:8] += J0 * row[WORK : WORK + 8] + J1 * row[WORK + 8 : WORK + 16] + J2 * row[WORK + 16 : WORK + 24]


@routine
def add_wrenches(C: Matrix, count: Whole, w: Matrix, linear: Number, world: Whole) -> None:
    """w += J' (f + linear r D J V); linear: 1 for a step of Newton's method, 0 for what impulses do."""
    for c in range(count):
        row = C[c]
        if row[STATE] > 0.5:
            b, r = whole(row[BODY_B]), linear * row[STIFF]
            x, y, z = row[U] - row[FREE], row[U + 1] - row[FREE + 1], row[U + 2] - row[FREE + 2]
            n = row[IMPULSE] + r * (row[SLOPE] * x + row[SLOPE + 1] * y + row[SLOPE + 2] * z)
            s = row[IMPULSE + 1] + r * (row[SLOPE + 1] * x + row[SLOPE + 3] * y + row[SLOPE + 4] * z)
            t = row[IMPULSE + 2] + r * (row[SLOPE + 2] * x + row[SLOPE + 4] * y + row[SLOPE + 5] * z)
            if row[BODY_A] < float(world) - 0.5:
                a = whole(row[BODY_A])
                w[a, 0:8] += n * row[J_A : J_A + 8] + s * row[J_A + 8 : J_A + 16] + t * row[J_A + 16 : J_A + 24]
            w[b, 0:8] += n * row[J_B : J_B + 8] + s * row[J_B + 8 : J_B + 16] + t * row[J_B + 16 : J_B + 24]


@routine
def changes(C: Matrix, count: Whole, W: Matrix, world: Whole, sums: Vector) -> float:
    """DU = J W; the largest of them. sums: f . DU, and DU . r D DU, of all contacts."""
    most, work, curve = 0.0, 0.0, 0.0
    for c in range(count):
        row = C[c]
        moved(row, W, world, row[DU:])
        n, s, t = row[DU], row[DU + 1], row[DU + 2]
        for k in range(3):
            most = max(most, abs(row[DU + k]))
        work += row[IMPULSE] * n + row[IMPULSE + 1] * s + row[IMPULSE + 2] * t
        across = n * (row[SLOPE + 1] * s + row[SLOPE + 2] * t) + row[SLOPE + 4] * s * t
        curve += row[STIFF] * (row[SLOPE] * n * n + row[SLOPE + 3] * s * s + row[SLOPE + 5] * t * t + 2.0 * across)
    sums[0] = work
    sums[1] = curve
    return most


@routine
def move_on(C: Matrix, count: Whole, way: Number) -> None:
    """u += way DU."""
    for c in range(count):
        row = C[c]
        for k in range(3):
            row[U + k] += way * row[DU + k]


@routine
def power(C: Matrix, count: Whole, way: Number) -> float:
    """f . DU of all contacts, with f at V + way W."""
    total = 0.0
    for c in range(count):
        row = C[c]
        k = way * row[STIFF]
        on_cone(row[FRICTION], row[Y] - k * row[DU], row[Y + 1] - k * row[DU + 1], row[Y + 2] - k * row[DU + 2], row[WORK:])
        total += row[WORK] * row[DU] + row[WORK + 1] * row[DU + 1] + row[WORK + 2] * row[DU + 2]
    return total


@routine
def residual(C: Matrix, count: Whole, V: Matrix, exact: Number, world: Whole, moments: Whole) -> float:
    """The square of the largest |f - P_K(f - m (u + mu |v_t| n + bias + R (f - f0)))| / m, m the local mass. exact: 0 leaves |v_t| out.

    u at V goes into DU; moments: 0, or contacts that have some are left to moments.py
    """
    most = 0.0
    for c in range(count):
        row = C[c]
        m, soft = row[MASS], 1.0 / row[STIFF]
        moved(row, V, world, row[DU:])
        for k in range(3):
            row[DU + k] += row[FREE + k]
        n = row[DU] + row[BIAS] + (row[IMPULSE] - row[CARRIED]) * soft
        s = row[DU + 1] + row[BIAS + 1] + (row[IMPULSE + 1] - row[CARRIED + 1]) * soft
        t = row[DU + 2] + row[BIAS + 2] + (row[IMPULSE + 2] - row[CARRIED + 2]) * soft
        n += exact * row[FRICTION] * length(s, t)
        on_cone(row[FRICTION], row[IMPULSE] - m * n, row[IMPULSE + 1] - m * s, row[IMPULSE + 2] - m * t, row[WORK:])
        x, y, z = row[IMPULSE] - row[WORK], row[IMPULSE + 1] - row[WORK + 1], row[IMPULSE + 2] - row[WORK + 2]
        square = (x * x + y * y + z * z) / (m * m)
        if moments > 0:
            square = where(row[TWIN] < -0.5, square, 0.0)
        most = where(square > most, square, most)
    return most


@routine
def end_at(C: Matrix, count: Whole) -> None:
    """u that the residual was taken at."""
    for c in range(count):
        row = C[c]
        for k in range(3):
            row[U + k] = row[DU + k]


@routine
def settle(C: Matrix, count: Whole) -> None:
    """What impulses at rest leave of motion is taken off those that the next step tries: else it would add up.

    By velocities and their changes alone: positions would make slow modes of a stack swing
    """
    for c in range(count):
        row = C[c]
        for k in range(3):
            changed = row[U + k] - row[BEFORE + k]
            row[IMPULSE + k] -= SETTLING * row[MASS] * (changed + RETURNING * row[U + k])
