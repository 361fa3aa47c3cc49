"""From points where shapes meet to rows of the solver: axes, J of both bodies, what is asked for, and the impulse of the step before.

gap > 0:  u_n >= -gap / h                         no more than closes it in this step
gap < 0:  u_n >= -beta gap / h - R f              what is overlapped comes back by parts; R = alpha / m of the local mass m, unless the
                                              materials have compliance c and damping tau: R = c / (h (h + tau)), gap / (h + tau);
                                              no faster than what holds the load, and slowly: impacts are not given back. What is new
                                              of a pair that pressed holds a share of that: else pairs sink in that change their points.
                                              Nothing comes back by more energy than the contact holds (overlaps.py).
                                              What is fast gives way less, by some hundredths of the smallest shape in a step, so that
                                              nothing goes through what it strikes
impact:   J x + (1 + e) u0 in place of u          (Moreau 1988), of an approach faster than weight makes in two steps: the impact is of
                                              what moved before the step, and forces of the step act beside it
"""

from __future__ import annotations

from typing import Any

from redmax.dynamics.contact import detect as raw_columns
from redmax.dynamics.contact.detect import FEATURES, RAW
from redmax.dynamics.contact.overlaps import RETURNED, TINY, going_on, paid_back, spring
from redmax.math import sqrt, where
from redmax.program.routines.routine import routine
from redmax.program.routines.views import Matrix, Number, Vector, Whole, whole
from redmax.solvers.contact.columns import (
    AGE,
    ASLEEP,
    BEFORE,
    BIAS,
    BODY_A,
    BODY_B,
    CARRIED,
    FIRST,
    FREE,
    FRICTION,
    GAP,
    IMPULSE,
    J_A,
    J_B,
    KEY,
    MASS,
    NORMAL,
    POINT,
    SECOND,
    SLACK,
    STATE,
    STIFF,
    STILL,
    WORK,
)

FRESH, STRUCK = 0.1, 1e-5  # what a contact gives way that is new in this step: a part of the usual; and of one that bounces, of 1 / m
CALM, WOKEN = 5e-12, 5e-9  # of what weight brings in a step: speeds along normals that may begin, and that end, what is tried at rest
# what is told of a contact, and remembered for the next step: key, impulse on b in world axes, slack, age, bodies a and b, point, normal,
# gap, state, how fast b slides on a (world axes) and leaves it; the energy that it holds (overlaps.py)
T_KEY, T_IMPULSE, T_SLACK, T_AGE, T_BODIES, T_POINT, T_NORMAL, T_GAP, T_STATE, T_SLIP, T_LEAVING = 0, 1, 4, 5, 6, 8, 11, 14, 15, 16, 19
T_STORED = 20
TOLD = 21
RESTED, SOLVED = 1.0, 0.25  # HELD[1]: what rested without a step of Newton's method, and what did not; 0 before the first step
HALF = 0.5 * FEATURES - 0.5  # from the first number of a pair to the middle of them
SETTLED = 1.5  # steps after which what a contact exerts is no impact
R_POINT, R_NORMAL, R_GAP, R_KEY, R_A, R_B = 0, 3, 6, 7, 8, 9
R_FRICTION, R_RESTITUTION, R_EASE_A, R_EASE_B, R_SOFTNESS, R_COMPLIANCE, R_DAMPING = 10, 11, 12, 13, 14, 15, 16
# and in their place, once there is a row: k of `spring`, the energy of the step before, the square of its moments, what it may hold beyond
R_HOLDS, R_HELD, R_BESIDE, R_SPARE = R_SOFTNESS, R_COMPLIANCE, R_DAMPING, R_RESTITUTION
assert raw_columns.DAMPING == R_DAMPING
assert RAW == R_DAMPING + 1


@routine
def axes_of(row: Vector) -> None:
    """Two tangents for the normal, which change as little as it does."""
    x, y, z = row[NORMAL], row[NORMAL + 1], row[NORMAL + 2]
    flat = where(abs(x) < 0.8, 1.0, 0.0)
    a, b = flat, 1.0 - flat
    along = a * x + b * y
    a, b, c = a - along * x, b - along * y, -along * z
    size = 1.0 / sqrt(a * a + b * b + c * c)
    a, b, c = size * a, size * b, size * c
    row[FIRST] = a
    row[FIRST + 1] = b
    row[FIRST + 2] = c
    row[SECOND] = y * c - z * b
    row[SECOND + 1] = z * a - x * c
    row[SECOND + 2] = x * b - y * a


@routine
def place_row(J: Vector, d: Vector, x: Number, y: Number, z: Number, sign: Number) -> None:
    """sign (r x d; d): how a direction at r moves with a twist about the origin."""
    J[0] = sign * (y * d[2] - z * d[1])
    J[1] = sign * (z * d[0] - x * d[2])
    J[2] = sign * (x * d[1] - y * d[0])
    J[3] = sign * d[0]
    J[4] = sign * d[1]
    J[5] = sign * d[2]
    J[6] = 0.0
    J[7] = 0.0


@routine
def rate_of_point(V: Vector, x: Number, y: Number, z: Number) -> Any:
    """v + omega x r, of a twist about the origin."""
    return V[3] + V[1] * z - V[2] * y, V[4] + V[2] * x - V[0] * z, V[5] + V[0] * y - V[1] * x


@routine
def place_before(number: Number, old: Matrix, olds: Vector, begin: Number) -> Any:
    """Where the contact with this number is among those of the step before, or behind all of them. They are ordered by pairs.

    begin: where it is if contacts are the same as before
    """
    k, last = begin, olds[0] - 0.5
    here = where(k < last, k, 0.0)
    if last < 0.0 or k > last or abs(old[whole(here), T_KEY] - number) > 0.5:
        low = FEATURES * float(whole(number / FEATURES)) - 0.5
        k = where(k < last, k, last + 0.5)
        going = where(k > 0.5, 1.0, 0.0)
        while going > 0.0:  # back to before the pair
            k -= 1.0
            going = where(k > 0.5, where(old[whole(k), T_KEY] > low, 1.0, 0.0), 0.0)
        going = where(k < last, 1.0, 0.0)
        while going > 0.0:
            key = old[whole(k), T_KEY]
            going = where(abs(key - number) < 0.5, 0.0, where(key < low + FEATURES, 1.0, 0.0))
            k = where(going > 0.5, k + 1.0, where(abs(key - number) < 0.5, k, last + 0.5))
            going = where(k < last, going, 0.0)
    return k


@routine
def take_before(row: Vector, seen: Vector) -> None:
    """The impulse of the same contact in the step before, if that was no impact."""
    kept = where(seen[T_AGE] > SETTLED, 1.0, 0.0)
    x, y, z = seen[T_IMPULSE], seen[T_IMPULSE + 1], seen[T_IMPULSE + 2]
    pressed = x * row[NORMAL] + y * row[NORMAL + 1] + z * row[NORMAL + 2]
    row[CARRIED + 1] = kept * (x * row[FIRST] + y * row[FIRST + 1] + z * row[FIRST + 2])
    row[CARRIED + 2] = kept * (x * row[SECOND] + y * row[SECOND + 1] + z * row[SECOND + 2])
    row[IMPULSE] = kept * pressed
    row[IMPULSE + 1] = row[CARRIED + 1]
    row[IMPULSE + 2] = row[CARRIED + 2]
    row[SLACK] = seen[T_SLACK]
    row[AGE] = where(pressed > 0.0, seen[T_AGE] + 1.0, 0.0)
    row[STATE] = where(kept * pressed > 0.0, seen[T_STATE], 0.0)


@routine
def share_of_pair(low: Number, raw: Matrix, counts: Vector, c: Whole, old: Matrix, olds: Vector, begin: Number) -> Any:
    """Of the pair whose numbers begin at `low`, and whose points now begin at c: what each of these bears, if together they bear as much as
    the points of the step before; for how long the pair has pressed; where the next pair begins among these; and what points held that are
    no more there, for the square of each depth that was not there before.

    What has pressed for less than two steps may be an impact, and bears nothing.
    """
    k, load, age, held, at = begin, 0.0, 0.0, 0.0, olds[0]
    going = where(k < olds[0] - 0.5, 1.0, 0.0)
    while going > 0.0:
        seen = old[whole(k)]
        same = where(abs(seen[T_KEY] - low - HALF) < HALF + 0.5, 1.0, 0.0)
        own = where(seen[T_AGE] > SETTLED, same, 0.0)
        n, f = T_NORMAL, T_IMPULSE
        load += own * (seen[n] * seen[f] + seen[n + 1] * seen[f + 1] + seen[n + 2] * seen[f + 2])
        age = max(age, own * seen[T_AGE])
        held += same * seen[T_STORED]
        at = where(same > 0.5, min(at, k), at)
        within = where(seen[T_KEY] < low + FEATURES - 0.5, 1.0, 0.0)
        k += within
        going = where(k < olds[0] - 0.5, within, 0.0)
    points, squares, going = 0.0, 0.0, 1.0
    while going > 0.0:
        p = raw[whole(float(c) + points)]
        at = place_before(p[R_KEY], old, olds, at)
        if at < olds[0] - 0.5:
            held -= old[whole(at), T_STORED]
            at += 1.0
        else:
            depth = min(p[R_GAP], 0.0)
            squares += depth * depth
        points += 1.0
        here = float(c) + points
        going = where(here < counts[0] - 0.5, where(abs(raw[whole(here), R_KEY] - low - HALF) < HALF + 0.5, 1.0, 0.0), 0.0)
    return load / points, age, k, where(squares > 0.0, max(held, 0.0) / max(squares, TINY), 0.0)


@routine
def make_rows(
    raw: Matrix, counts: Vector, limits: Vector, h: Vector, C: Matrix, old: Matrix, olds: Vector, origin: Matrix, now: Matrix, free: Matrix,
    of: Vector, touched: Vector, world: Whole, trees: Whole,
) -> None:  # fmt: skip
    """Rows of all points of which one body can move; counts: of rows, and of those between two that can."""
    n, at, low, load, age, behind, left = 0.0, 0.0, -2.0 * FEATURES, 0.0, 0.0, 0.0, 0.0
    begins = where(abs(olds[1]) < 0.5 * SOLVED, 1.0, 0.0)
    rested = where(olds[1] > 0.5, 2.0, where(olds[1] < -0.5, 0.0, 1.0))  # 0: it was tried before (rest.py)
    still = 0.5 * limits[4] * where(olds[1] > 0.5, WOKEN, CALM)
    counts[1] = 0.0
    for t in range(trees):
        touched[t] = 0.0
    for c in range(whole(counts[0])):
        p = raw[c]
        moves_a, moves_b = where(of[whole(p[R_A])] > -0.5, 1.0, 0.0), where(of[whole(p[R_B])] > -0.5, 1.0, 0.0)
        if moves_a + moves_b > 0.5:
            row = C[whole(n)]
            sign = where(moves_b > 0.5, 1.0, -1.0)  # b is one that moves
            row[BODY_A] = where(moves_b > 0.5, p[R_A], p[R_B])
            row[BODY_B] = where(moves_b > 0.5, p[R_B], p[R_A])
            a, b = whole(row[BODY_A]), whole(row[BODY_B])
            touched[whole(of[b])] = 1.0
            if moves_a + moves_b > 1.5:
                counts[1] += 1.0
                touched[whole(of[a])] = 1.0
            row[FRICTION] = p[R_FRICTION]
            row[KEY] = p[R_KEY]
            row[GAP] = p[R_GAP]
            for k in range(3):
                row[POINT + k] = p[R_POINT + k]
                row[NORMAL + k] = sign * p[R_NORMAL + k]
            axes_of(row)
            x, y, z = p[0] - origin[b, 0], p[1] - origin[b, 1], p[2] - origin[b, 2]
            for k in range(3):
                place_row(row[J_B + 8 * k :], row[NORMAL + 3 * k :], x, y, z, 1.0)
                row[CARRIED + k] = 0.0
                row[IMPULSE + k] = 0.0
            # how fast b leaves a at the point: without contact, and before the step; not by J, which memory has not got yet
            ux, uy, uz = rate_of_point(free[b], x, y, z)
            vx, vy, vz = rate_of_point(now[b], x, y, z)
            if row[BODY_A] < float(world) - 0.5:
                x, y, z = p[0] - origin[a, 0], p[1] - origin[a, 1], p[2] - origin[a, 2]
                for k in range(3):
                    place_row(row[J_A + 8 * k :], row[NORMAL + 3 * k :], x, y, z, -1.0)
                ax, ay, az = rate_of_point(free[a], x, y, z)
                ux, uy, uz = ux - ax, uy - ay, uz - az
                ax, ay, az = rate_of_point(now[a], x, y, z)
                vx, vy, vz = vx - ax, vy - ay, vz - az
            for k in range(3):
                row[FREE + k] = row[NORMAL + 3 * k] * ux + row[NORMAL + 3 * k + 1] * uy + row[NORMAL + 3 * k + 2] * uz
                row[BEFORE + k] = row[NORMAL + 3 * k] * vx + row[NORMAL + 3 * k + 1] * vy + row[NORMAL + 3 * k + 2] * vz
            approach = row[BEFORE]
            eased = moves_a * p[R_EASE_A] + moves_b * p[R_EASE_B]
            row[MASS] = 1.0 / eased
            soft = where(p[R_COMPLIANCE] > 0.0, 1.0, 0.0)
            period = h[0] + p[R_DAMPING]
            row[STIFF] = where(soft > 0.0, h[0] * period / where(soft > 0.0, p[R_COMPLIANCE], 1.0), row[MASS] / p[R_SOFTNESS])
            holds = spring(row[STIFF], soft, period, h[0])
            row[AGE] = 0.0
            row[SLACK] = 0.0
            row[STATE] = 0.0
            if abs(row[KEY] - low - HALF) > HALF + 0.5:
                low = FEATURES * float(whole(row[KEY] / FEATURES))
                load, age, behind, left = share_of_pair(low, raw, counts, c, old, olds, behind)
            depth = min(row[GAP], 0.0)
            costs = 0.5 * holds * depth * depth
            held_before = where(begins > 0.5, costs, min(left * depth * depth, costs))
            at = place_before(row[KEY], old, olds, at)
            if at < olds[0] - 0.5:
                take_before(row, old[whole(at)])
                held_before = old[whole(at), T_STORED]
                at += 1.0
            bears = row[IMPULSE]
            if row[AGE] < 0.5 and approach > -limits[4]:
                row[AGE] = age  # new of a pair that pressed: a point of its own, not an impact
                bears = load
            held = bears / row[STIFF] + limits[5]  # so that what leaves faster is asked for less in the next step
            back = where(soft > 0.0, row[GAP] / period, max(RETURNED * row[GAP] / h[0], -held))
            row[BIAS] = where(row[GAP] > 0.0, row[GAP] / h[0], back)
            row[BIAS + 1] = 0.0
            row[BIAS + 2] = 0.0
            strikes = where(approach < -limits[4], where(row[GAP] + h[0] * approach <= 0.0, p[R_RESTITUTION], 0.0), 0.0)
            hit = where(row[AGE] < 0.5, where(soft > 0.0, 0.0, 1.0), 0.0)
            row[STIFF] = where(hit > 0.0, where(strikes > 0.0, row[MASS] / STRUCK, row[STIFF] / FRESH), row[STIFF])
            fast = min(-row[FREE] / limits[6], 1.0 / STRUCK)
            row[STIFF] = where(soft > 0.0, row[STIFF], max(row[STIFF], fast * row[MASS]))
            kept = row[CARRIED + 1] * row[CARRIED + 1] + row[CARRIED + 2] * row[CARRIED + 2]
            on = going_on(held_before, kept, row[STIFF])
            row[CARRIED + 1] *= on
            row[CARRIED + 2] *= on
            most = paid_back(held_before, on * on * kept, row[STIFF], bears, limits[5])
            row[BIAS] = where(row[GAP] < 0.0, max(row[BIAS], -most), row[BIAS])
            if strikes > 0.0:
                row[BIAS] = (1.0 + strikes) * approach - row[FREE]
                for k in range(1, 3):
                    row[BIAS + k] = (1.0 + strikes) * row[BEFORE + k] - row[FREE + k]
            row[AGE] = where(strikes > 0.0, 0.0, row[AGE])
            row[STILL] = where(row[AGE] > SETTLED, where(row[STATE] < 1.5, where(abs(approach) < still, rested, 0.0), 0.0), 0.0)
            row[WORK] = strikes  # for moments.py
            row[ASLEEP] = 0.0
            raw[whole(n), R_HOLDS] = holds  # in the place of a point that is read no more
            raw[whole(n), R_HELD] = held_before
            raw[whole(n), R_BESIDE] = 0.0
            raw[whole(n), R_SPARE] = 0.0
            n += 1.0
    counts[0] = n
