"""A step of Newton's method for heaps of free bodies: trees of six coordinates each, all written out, in two passes over contacts.

    A = H + J' r D J,   g = J' (f + r D J V)        |  A x = g (six_factors.py)  |        u += J (x - V),   f = P_K(y),   D = dP/dy

Blocks are those of tree_blocks.py, (6, 8) each; of the two trees that a contact moves, J of the one that is eliminated first stands first.
What islands have ended (islands.py) is left out: contacts are asleep there, and trees are a list of those that go on.
"""

from __future__ import annotations

from redmax.program.routines.routine import routine
from redmax.program.routines.views import Matrix, Vector, Whole, dot, matrix, whole
from redmax.solvers.contact.columns import (
    ASLEEP,
    BIAS,
    BLOCK_A,
    BLOCK_AB,
    BLOCK_B,
    BODY_A,
    BODY_B,
    CARRIED,
    DU,
    FREE,
    FRICTION,
    IMPULSE,
    ISLAND,
    J_A,
    J_B,
    MASS,
    SLACK,
    SLOPE,
    START_A,
    START_B,
    STATE,
    STIFF,
    TREE_A,
    TREE_B,
    U,
    Y,
)
from redmax.solvers.contact.cone import cone_slope, on_cone
from redmax.solvers.contact.islands import TREES
from redmax.solvers.contact.six_factors import WIDE
from redmax.solvers.contact.tree_blocks import MISSING
from redmax.solvers.contact.tree_rows import reduce_side


@routine
def find_trees(C: Matrix, count: Whole, of: Vector) -> None:
    """TREE_A and TREE_B."""
    for c in range(count):
        row = C[c]
        row[TREE_A] = of[whole(row[BODY_B])]  # b always moves
        row[TREE_B] = of[whole(row[BODY_A])]
        if abs(row[TREE_A] - row[TREE_B]) < 0.5:
            row[TREE_B] = MISSING


@routine
def begin_sixes(
    C: Matrix, count: Whole, T: Matrix, up: Vector, begin: Vector, of: Vector, starts: Vector, at: Matrix, place: Vector, island: Vector,
    x: Vector, Q: Matrix, parts: Whole,
) -> None:  # fmt: skip
    """J of all contacts in coordinates, and u at x; where their blocks lie."""
    for c in range(count):
        row = C[c]
        a, b = whole(row[BODY_A]), whole(row[BODY_B])
        t = whole(of[b])
        J, side = matrix(Q[c], WIDE), 0
        row[TREE_A] = of[b]
        row[START_A] = starts[t]
        row[START_B] = starts[t]
        row[ISLAND] = island[t]
        if row[TREE_B] > MISSING + 0.5:
            u = whole(of[a])
            if place[t] < place[u]:
                row[TREE_B] = of[a]
                row[START_B] = starts[u]
                row[BLOCK_AB] = at[t, u]
                row[BLOCK_B] = at[u, u]
                row[BLOCK_A] = at[t, t]
            else:
                side = 3
                row[TREE_A] = of[a]
                row[TREE_B] = of[b]
                row[START_A] = starts[u]
                row[BLOCK_AB] = at[u, t]
                row[BLOCK_B] = at[t, t]
                row[BLOCK_A] = at[u, u]
            place_side(row[J_A:], T, a, up, begin, whole(starts[u]), matrix(Q[c][(3 - side) * WIDE :], WIDE), parts)
            place_side(row[J_B:], T, b, up, begin, whole(starts[t]), matrix(Q[c][side * WIDE :], WIDE), parts)
        else:
            row[BLOCK_A] = at[t, t]
            place_side(row[J_B:], T, b, up, begin, whole(starts[t]), J, parts)
            Q[c, 3 * WIDE : 6 * WIDE] = 0.0
            if of[a] > MISSING + 0.5:
                reduce_side(row[J_A:], T, a, up, begin, whole(starts[t]), J, parts)
        move_rows(row, J, x, row[U:])
        for k in range(3):
            row[U + k] += row[FREE + k]


@routine
def place_side(J: Vector, T: Matrix, body: Whole, up: Vector, begin: Vector, start: Whole, out: Matrix, parts: Whole) -> None:
    """out = J s (tree_rows.py), of a body that is alone or one of several."""
    if up[body] < -0.5 and parts == 1:
        for r in range(3):
            i = 6 * body
            first = J[8 * r] * T[i, 0:8] + J[8 * r + 1] * T[i + 1, 0:8] + J[8 * r + 2] * T[i + 2, 0:8]
            out[r, 0:8] = first + (J[8 * r + 3] * T[i + 3, 0:8] + J[8 * r + 4] * T[i + 4, 0:8] + J[8 * r + 5] * T[i + 5, 0:8])
    else:
        for r in range(3):
            out[r, 0:8] = 0.0
        reduce_side(J, T, body, up, begin, start, out, parts)


@routine
def move_rows(row: Vector, J: Matrix, x: Vector, out: Vector) -> None:
    """J x."""
    a, b = whole(row[START_A]), whole(row[START_B])
    for k in range(3):
        out[k] = dot(J[k, 0:6], x[a : a + 6]) + dot(J[3 + k, 0:6], x[b : b + 6])


@routine
def project_sixes(C: Matrix, count: Whole) -> None:
    """y, f and D of all contacts at u."""
    for c in range(count):
        project_one(C[c])


@routine
def project_one(row: Vector) -> None:
    """y, f and D of a contact at u, as cone.py has them."""
    r, mu = row[STIFF], row[FRICTION]
    n = row[CARRIED] - r * (row[U] + row[BIAS] + row[SLACK])
    a = row[CARRIED + 1] - r * (row[U + 1] + row[BIAS + 1])
    b = row[CARRIED + 2] - r * (row[U + 2] + row[BIAS + 2])
    row[Y] = n
    row[Y + 1] = a
    row[Y + 2] = b
    row[STATE] = on_cone(mu, n, a, b, row[IMPULSE:])
    cone_slope(mu, n, a, b, row)


@routine
def assemble_sixes(
    C: Matrix, count: Whole, live: Vector, Q: Matrix, H: Vector, A: Vector, X: Vector, g: Matrix, at: Matrix, later: Matrix,
    turns: Vector, degree: Vector, places: Vector,
) -> None:  # fmt: skip
    """A = H + J' r D J and g = J' (f + r D J V), of what goes on."""
    for n in range(whole(live[TREES])):
        k = whole(turns[n])
        g[k, 0:8] = 0.0
        source, target = whole(places[k]), whole(at[k, k])
        A[target : target + 48] = H[source : source + 48]
        for q in range(whole(degree[k])):
            target = whole(at[k, whole(later[k, q])])
            A[target : target + 48] = 0.0
    Z = matrix(X, WIDE)
    for c in range(count):
        row = C[c]
        if row[STATE] * (1.0 - row[ASLEEP]) > 0.5:
            J, r = matrix(Q[c], WIDE), row[STIFF]
            nn, na, nb = r * row[SLOPE], r * row[SLOPE + 1], r * row[SLOPE + 2]
            aa, ab, bb = r * row[SLOPE + 3], r * row[SLOPE + 4], r * row[SLOPE + 5]
            x, y, z = row[U] - row[FREE], row[U + 1] - row[FREE + 1], row[U + 2] - row[FREE + 2]
            fn = row[IMPULSE] + (nn * x + na * y + nb * z)
            fa = row[IMPULSE + 1] + (na * x + aa * y + ab * z)
            fb = row[IMPULSE + 2] + (nb * x + ab * y + bb * z)
            a = whole(row[TREE_A])
            g[a, 0:8] += fn * J[0, 0:8] + fa * J[1, 0:8] + fb * J[2, 0:8]
            Z[0, 0:8] = nn * J[0, 0:8] + na * J[1, 0:8] + nb * J[2, 0:8]
            Z[1, 0:8] = na * J[0, 0:8] + aa * J[1, 0:8] + ab * J[2, 0:8]
            Z[2, 0:8] = nb * J[0, 0:8] + ab * J[1, 0:8] + bb * J[2, 0:8]
            K = matrix(A[whole(row[BLOCK_A]) :], WIDE)
            for i in range(6):
                K[i, 0:8] += J[0, i] * Z[0, 0:8] + J[1, i] * Z[1, 0:8] + J[2, i] * Z[2, 0:8]
            if row[TREE_B] > MISSING + 0.5:
                b = whole(row[TREE_B])
                g[b, 0:8] += fn * J[3, 0:8] + fa * J[4, 0:8] + fb * J[5, 0:8]
                Z[3, 0:8] = nn * J[3, 0:8] + na * J[4, 0:8] + nb * J[5, 0:8]
                Z[4, 0:8] = na * J[3, 0:8] + aa * J[4, 0:8] + ab * J[5, 0:8]
                Z[5, 0:8] = nb * J[3, 0:8] + ab * J[4, 0:8] + bb * J[5, 0:8]
                K = matrix(A[whole(row[BLOCK_B]) :], WIDE)
                for i in range(6):
                    K[i, 0:8] += J[3, i] * Z[3, 0:8] + J[4, i] * Z[4, 0:8] + J[5, i] * Z[5, 0:8]
                K = matrix(A[whole(row[BLOCK_AB]) :], WIDE)
                for i in range(6):
                    K[i, 0:8] += J[0, i] * Z[3, 0:8] + J[1, i] * Z[4, 0:8] + J[2, i] * Z[5, 0:8]


@routine
def move_sixes(C: Matrix, count: Whole, Q: Matrix, y: Vector, off: Vector, sums: Vector) -> float:
    """u += DU, what that projects to, and f . DU there; sums: f . DU before, and DU . r D DU.

    off: the square, of the most of each island, of how far f is from f - r D DU, with which momentum is balanced; in m/s
    """
    work, curve, after = 0.0, 0.0, 0.0
    for c in range(count):
        row = C[c]
        if row[ASLEEP] < 0.5:
            move_rows(row, matrix(Q[c], WIDE), y, row[DU:])
            x, s, t, r = row[DU], row[DU + 1], row[DU + 2], row[STIFF]
            fn, fa, fb = row[IMPULSE], row[IMPULSE + 1], row[IMPULSE + 2]
            work += fn * x + fa * s + fb * t
            dn = r * (row[SLOPE] * x + row[SLOPE + 1] * s + row[SLOPE + 2] * t)
            da = r * (row[SLOPE + 1] * x + row[SLOPE + 3] * s + row[SLOPE + 4] * t)
            db = r * (row[SLOPE + 2] * x + row[SLOPE + 4] * s + row[SLOPE + 5] * t)
            curve += dn * x + da * s + db * t
            row[U] += x
            row[U + 1] += s
            row[U + 2] += t
            project_one(row)
            after += row[IMPULSE] * x + row[IMPULSE + 1] * s + row[IMPULSE + 2] * t
            fn, fa, fb = row[IMPULSE] - fn + dn, row[IMPULSE + 1] - fa + da, row[IMPULSE + 2] - fb + db
            square, i = (fn * fn + fa * fa + fb * fb) / (row[MASS] * row[MASS]), whole(row[ISLAND])
            if square > off[i]:
                off[i] = square
    sums[0] = work
    sums[1] = curve
    return after
