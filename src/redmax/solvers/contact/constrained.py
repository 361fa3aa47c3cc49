"""Rows of constraints beside contact: G x = b of those that hold, G x >= b of those that only push, in every step of Newton's method.

    y = K^-1 g + Y' l,   Y = K^-1 G',   (G Y' + c) l = b - G K^-1 g      l free, or l >= 0 and complementary (solvers/complementarity.py)

Where some rows have limited forces, all l live between bounds (box_complementarity.py), and s = G x - b is how fast rows give way. Then
l . s is part of what Newton's method makes least, with l that of the side: |s| times a bound, convex, which the line search has to see; and
so is s^2 / 2 c of rows that give way, of which l = -s / c is known anywhere.

K is what contact makes of the masses in this step of Newton's method, or the masses alone where impulses are balanced; c is compliance.
"""

from __future__ import annotations

from redmax.math import where
from redmax.program.routines.routine import routine
from redmax.program.routines.views import Matrix, Number, Places, Vector, Whole, Wholes, dot
from redmax.solvers.box_complementarity import BOUNDLESS, in_box
from redmax.solvers.complementarity import complementary
from redmax.solvers.contact.along_tree import load_inward, outward
from redmax.solvers.contact.tree_blocks import solve_trees

LOWER, UPPER, SLIP, CHANGE, BOUND, LEFT, MORE, TAKEN = 0, 1, 2, 3, 4, 5, 6, 7  # parts of a box: each as long as there are rows; then TURNS
BOX = TAKEN
STANDING = 1e-9  # of how a row's slip changes: less is none


@routine
def clear_rows(R: Matrix, rows: Whole, n: Whole) -> None:
    """R = 0."""
    for r in range(rows):
        R[r, 0:n] = 0.0


@routine
def put_body(W: Vector, s: Matrix, R: Matrix, first: Whole, rows: Whole, which: Wholes, count: Whole) -> None:
    """R += W s of one constraint and one body: of the coordinates that move it."""
    for r in range(rows):
        wrench = W[6 * r :]
        for k in range(count):
            R[first + r, which[k]] += dot(wrench[0:6], s[which[k], 0:6])


@routine
def put_joint(D: Vector, R: Matrix, first: Whole, rows: Whole, coordinate: Whole, dof: Whole) -> None:
    """R += D of one constraint and the coordinates of one joint."""
    for r in range(rows):
        for c in range(dof):
            R[first + r, coordinate + c] += D[dof * r + c]


@routine
def ask(b: Vector, right: Vector, h: Vector, first: Whole, rows: Whole) -> None:
    """b = h right: what rows ask of the change of rates in a step."""
    for r in range(rows):
        b[first + r] = h[0] * right[r]


@routine
def give_back(found: Vector, multipliers: Places, first: Wholes, size: Wholes, h: Vector, constraints: Whole) -> None:
    """Multipliers, as forces, to each constraint."""
    for c in range(constraints):
        for r in range(size[c]):
            multipliers[c][r] = found[first[c] + r] / h[0]


@routine
def along_columns(
    R: Matrix, Y: Matrix, S: Matrix, soft: Vector, w: Matrix, s: Matrix, G: Matrix, L: Matrix, p: Vector, z: Vector, V: Matrix,
    first: Wholes, parent: Wholes, bodies: Whole, rows: Whole, n: Whole,
) -> None:  # fmt: skip
    """Y and S by factors along the tree."""
    for r in range(rows):
        for b in range(bodies):
            w[b, 0:8] = 0.0
        load_inward(w, s, R[r], G, L, p, z, first, parent, bodies)
        outward(s, G, L, p, z, Y[r], V, first, parent, bodies)
    fill_schur(R, Y, S, soft, rows, n)


@routine
def block_columns(
    R: Matrix, Y: Matrix, S: Matrix, soft: Vector, P: Vector, p: Vector, at: Matrix, later: Matrix, order: Vector, degree: Vector,
    number: Vector, sizes: Vector, widths: Vector, starts: Vector, rows: Whole, n: Whole,
) -> None:  # fmt: skip
    """Y and S by factors of blocks between trees."""
    for r in range(rows):
        Y[r, 0:n] = R[r, 0:n]
        solve_trees(P, p, Y[r], at, later, order, degree, number, sizes, widths, starts)
    fill_schur(R, Y, S, soft, rows, n)


@routine
def fill_schur(R: Matrix, Y: Matrix, S: Matrix, soft: Vector, rows: Whole, n: Whole) -> None:
    """S = G Y' + c."""
    for i in range(rows):
        for j in range(rows):
            S[i, j] = dot(R[i, 0:n], Y[j, 0:n])
        S[i, i] += soft[i]


@routine
def hold_rows(
    R: Matrix, Y: Matrix, S: Matrix, F: Matrix, b: Vector, right: Vector, x: Vector, zz: Vector, scale: Vector, active: Vector,
    ordered: Vector, rank: Vector, wrong: Vector, together: Vector, box: Vector, y: Vector, free: Whole, rows: Whole, n: Whole,
    limited: Whole,
) -> None:  # fmt: skip
    """y += Y' l, so that all rows are kept, as far as limited forces suffice."""
    for r in range(rows):
        right[r] = b[r] - dot(R[r, 0:n], y[0:n])
    if limited > 0:
        in_box(
            S, F, right, x, box[LEFT * rows :], box[MORE * rows :], zz, scale, active, box[BOUND * rows :], box[LOWER * rows :],
            box[UPPER * rows :], ordered, rank, wrong, box[TAKEN * rows :], free, rows,
        )  # fmt: skip
    else:
        complementary(S, F, right, x, zz, scale, active, ordered, rank, wrong, together, free, rows)
    for r in range(rows):
        y[0:n] += x[r] * Y[r, 0:n]


@routine
def bound_rows(
    box: Vector, b: Vector, right: Vector, lower: Vector, upper: Vector, h: Vector, first: Whole, count: Whole, rows: Whole
) -> None:
    """Impulses of a constraint with limited force, and what it asks for, which is nothing where it is open."""
    for r in range(count):
        box[LOWER * rows + first + r] = h[0] * lower[r]
        box[UPPER * rows + first + r] = h[0] * upper[r]
        b[first + r] = where(right[r] > -BOUNDLESS, h[0] * right[r], right[r])


@routine
def push_rows(box: Vector, first: Whole, count: Whole, rows: Whole) -> None:
    """Rows that push without limit."""
    for r in range(count):
        box[LOWER * rows + first + r] = 0.0
        box[UPPER * rows + first + r] = 10.0 * BOUNDLESS


@routine
def note_slips(R: Matrix, b: Vector, box: Vector, x: Vector, y: Vector, free: Whole, rows: Whole, n: Whole) -> None:
    """How fast rows with bounds give way at x, and how that changes with y."""
    for r in range(free, rows):
        box[SLIP * rows + r] = dot(R[r, 0:n], x[0:n]) - b[r]
        box[CHANGE * rows + r] = dot(R[r, 0:n], y[0:n])


@routine
def note_soft(
    R: Matrix, b: Vector, box: Vector, slips: Vector, turns: Vector, x: Vector, y: Vector, free: Whole, rows: Whole, n: Whole,
    limited: Whole,
) -> None:  # fmt: skip
    """s = R x - b of all rows, and how it changes with y."""
    if limited > 0:
        note_slips(R, b, box, x, y, free, rows, n)
    for r in range(rows):
        slips[r] = dot(R[r, 0:n], x[0:n]) - b[r]
        turns[r] = dot(R[r, 0:n], y[0:n])


@routine
def soft_power(
    box: Vector, soft: Vector, slips: Vector, turns: Vector, way: Number, free: Whole, rows: Whole, limited: Whole
) -> float:
    """l . change of rows that give way, l = -s / c between its bounds, at x + way y."""
    total = 0.0
    for r in range(rows):
        if soft[r] > 0.0:
            force = -(slips[r] + way * turns[r]) / soft[r]
            if r >= free:
                if limited > 0:
                    force = min(max(force, box[LOWER * rows + r]), box[UPPER * rows + r])
                else:
                    force = max(force, 0.0)
            total += force * turns[r]
    return total


@routine
def slip_power(box: Vector, found: Vector, soft: Vector, way: Number, free: Whole, rows: Whole) -> float:
    """l . change of rows with limited forces at x + way y: at a bound where they give way, else what the step has found."""
    total = 0.0
    for r in range(free, rows):
        change = box[CHANGE * rows + r]
        s = box[SLIP * rows + r] + way * change
        side = where(s > 0.0, box[LOWER * rows + r], box[UPPER * rows + r])
        force = where(abs(s) > STANDING * (abs(change) + abs(box[SLIP * rows + r])), side, found[r])
        total += where(box[UPPER * rows + r] < BOUNDLESS, where(soft[r] > 0.0, 0.0, force * change), 0.0)
    return total
