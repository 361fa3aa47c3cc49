"""From records of joints to the matrices of the solver, and from its result back: bodies tree by tree, coordinates in that order."""

from __future__ import annotations

from redmax.program.routines.routine import routine
from redmax.program.routines.views import Matrix, Places, Vector, Whole, Wholes


@routine
def gather(
    M: Matrix, E: Matrix, s: Matrix, T: Matrix, free: Matrix, now: Matrix, origin: Matrix, of: Vector, x: Vector, tau: Vector,
    inertia: Places, block: Places, twist: Places, after: Places, before: Places, place: Places, rate: Places, first: Wholes, tree: Wholes,
    bodies: Whole, parts: Whole, counts: Vector, h: Vector,
) -> None:  # fmt: skip
    """What the solver needs of bodies and joints, from their records."""
    for b in range(bodies):
        for i in range(6):
            M[6 * b + i, 0:6] = inertia[b][6 * i : 6 * i + 6]
            M[6 * b + i, 6] = 0.0
            M[6 * b + i, 7] = 0.0
        free[b, 0:6] = after[b][0:6]
        now[b, 0:6] = before[b][0:6]
        origin[b, 0:3] = place[b][0:3]
        of[b] = float(tree[b])
        n = first[b + 1] - first[b]
        for k in range(n):
            s[first[b] + k, 0:6] = twist[b][6 * k : 6 * k + 6]
            s[first[b] + k, 6] = 0.0
            s[first[b] + k, 7] = 0.0
            E[first[b] + k, 0:n] = block[b][n * k : n * k + n]
            x[first[b] + k] = -h[0] * rate[b][k]
            tau[first[b] + k] = 0.0
        for e in range(parts):
            for k in range(8):
                if 8 * e + k < n:
                    for i in range(6):
                        T[6 * (parts * b + e) + i, k] = twist[b][48 * e + 6 * k + i]
    free[bodies, 0:6] = 0.0
    now[bodies, 0:6] = 0.0
    origin[bodies, 0:3] = 0.0
    of[bodies] = -1.0
    counts[0] = 0.0
    counts[1] = 0.0
    counts[2] = 0.0
    counts[3] = 0.0
    counts[4] = 0.0


@routine
def leave_untouched(x: Vector, touched: Vector, first: Wholes, tree: Wholes, bodies: Whole) -> None:
    """Where Newton's method begins: at the velocities before the step, of trees that touch something."""
    for b in range(bodies):
        if tree[b] >= 0:
            for k in range(first[b], first[b + 1]):
                x[k] *= touched[tree[b]]


@routine
def number_bodies(
    up: Vector, begin: Vector, starts: Vector, sizes: Vector, widths: Vector, places: Vector, first: Wholes, parent: Wholes, start: Wholes,
    size: Wholes, width: Wholes, place: Wholes, bodies: Whole, trees: Whole, counts: Vector,
) -> None:  # fmt: skip
    """Tables that are looked up with numbers of bodies and trees that contacts have."""
    counts[5] = 0.0
    for b in range(bodies):
        up[b] = float(parent[b])
        begin[b] = float(first[b])
    begin[bodies] = float(first[bodies])
    for t in range(trees):
        starts[t] = float(start[t])
        sizes[t] = float(size[t])
        widths[t] = float(width[t])
        places[t] = float(place[t])


@routine
def apply_changes(x: Vector, rate: Places, first: Wholes, bodies: Whole, h: Vector) -> None:
    """qddot += x / h."""
    for b in range(bodies):
        for k in range(first[b + 1] - first[b]):
            rate[b][k] += x[first[b] + k] / h[0]
