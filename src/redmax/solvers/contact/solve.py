"""Newton's method as programs call it: compiled for what a model has, so that none pays for moments, limited forces, springs or constraints
that it has not. Where it has any of the first three, programs call `solve_in_full`.
"""

from __future__ import annotations

from redmax.program.routines.routine import routine
from redmax.program.routines.views import Matrix, Vector, Whole, Wholes
from redmax.solvers.contact.newton import solve_in_full

__all__ = ["solve_contacts", "solve_in_full", "solve_sixes", "solve_with_rows"]


@routine
def solve_contacts(
    C: Matrix, counts: Vector, limits: Vector, M: Matrix, E: Matrix, s: Matrix, T: Matrix, x: Vector, V: Matrix, B: Matrix, w: Matrix,
    G: Matrix,
    L: Matrix, p: Vector, G0: Matrix, L0: Matrix, p0: Vector, z: Vector, tau: Vector, y: Vector, W: Matrix, X: Matrix, Y: Matrix,
    A: Matrix, gamma: Vector, known: Vector, sums: Vector, Q: Matrix, H: Vector, P: Vector, Z: Vector, N: Matrix, before: Matrix,
    at: Matrix,
    later: Matrix, order: Vector, place: Vector, degree: Vector, number: Vector, sizes: Vector, widths: Vector, places: Vector,
    starts: Vector, used: Vector, up: Vector, begin: Vector, of: Vector, first: Wholes, parent: Wholes, tree: Wholes, tree_start: Wholes,
    tree_width: Wholes, tree_place: Wholes, always: Wholes, bodies: Whole, coordinates: Whole, trees: Whole, wide: Whole, room: Whole,
    parts: Whole,
) -> None:  # fmt: skip
    """Contacts alone."""
    solve_in_full(
        tau, tau, tau, first, first, first, first, C, counts, limits, M, E, s, T, x, V, B, w, G, L, p, G0, L0, p0, z, tau, y, W, X, Y, A,
        gamma, known, sums, Q, H, P, Z, N, before, at, later, order, place, degree, number, sizes, widths, places, starts, used, up,
        begin, of, M, M, M, M, M, M, tau, tau, tau, tau, tau, tau, tau, tau, tau, tau, tau, tau, tau, tau, tau, tau, tau, tau, first,
        parent, tree, tree_start, tree_width, tree_place, always, bodies, coordinates, trees, wide, room, parts, 0, 0, 0, 0, 0, 0,
    )  # fmt: skip


@routine
def solve_sixes(
    C: Matrix, counts: Vector, limits: Vector, M: Matrix, E: Matrix, s: Matrix, T: Matrix, x: Vector, V: Matrix, B: Matrix, w: Matrix,
    G: Matrix, L: Matrix, p: Vector, G0: Matrix, L0: Matrix, p0: Vector, z: Vector, tau: Vector, y: Vector, W: Matrix, X: Matrix,
    Y: Matrix, A: Matrix, gamma: Vector, known: Vector, sums: Vector, Q: Matrix, H: Vector, P: Vector, Z: Vector, N: Matrix, before: Matrix,
    at: Matrix, later: Matrix, order: Vector, place: Vector, degree: Vector, number: Vector, sizes: Vector, widths: Vector,
    places: Vector, starts: Vector, used: Vector, up: Vector, begin: Vector, of: Vector, turns: Vector, live: Vector,
    island: Vector, awake: Vector, off: Vector, needed: Vector, pivots: Vector, first: Wholes, parent: Wholes, tree: Wholes,
    tree_start: Wholes, tree_width: Wholes, tree_place: Wholes, always: Wholes, bodies: Whole, coordinates: Whole, trees: Whole,
    wide: Whole, room: Whole, parts: Whole,
) -> None:  # fmt: skip
    """Contacts alone, of trees that all have six coordinates, as free bodies have."""
    solve_in_full(
        tau, tau, tau, first, first, first, first, C, counts, limits, M, E, s, T, x, V, B, w, G, L, p, G0, L0, p0, z, tau, y, W, X, Y, A,
        gamma, known, sums, Q, H, P, Z, N, before, at, later, order, place, degree, number, sizes, widths, places, starts, used, up,
        begin, of, M, M, M, M, M, M, tau, tau, tau, tau, tau, tau, tau, tau, tau, tau, tau, turns, live, island, awake, off,
        needed, pivots, first, parent, tree, tree_start, tree_width, tree_place, always, bodies, coordinates, trees, wide, room, parts,
        0, 0, 0, 0, 0, 1,
    )  # fmt: skip


@routine
def solve_with_rows(
    C: Matrix, counts: Vector, limits: Vector, M: Matrix, E: Matrix, s: Matrix, T: Matrix, x: Vector, V: Matrix, B: Matrix, w: Matrix,
    G: Matrix, L: Matrix, p: Vector, G0: Matrix, L0: Matrix, p0: Vector, z: Vector, tau: Vector, y: Vector, W: Matrix, X: Matrix,
    Y: Matrix, A: Matrix, gamma: Vector, known: Vector, sums: Vector, Q: Matrix, H: Vector, P: Vector, Z: Vector, N: Matrix, before: Matrix,
    at: Matrix, later: Matrix, order: Vector, place: Vector, degree: Vector, number: Vector, sizes: Vector, widths: Vector,
    places: Vector, starts: Vector, used: Vector, up: Vector, begin: Vector, of: Vector, R: Matrix, RY: Matrix, RS: Matrix,
    RY0: Matrix, RS0: Matrix, RF: Matrix, Rb: Vector, Rright: Vector, Rl: Vector, Rz: Vector, Rscale: Vector, Ractive: Vector,
    Rorder: Vector, Rrank: Vector, Rwrong: Vector, Rtogether: Vector, Rsoft: Vector, first: Wholes, parent: Wholes, tree: Wholes,
    tree_start: Wholes, tree_width: Wholes, tree_place: Wholes, always: Wholes, bodies: Whole, coordinates: Whole, trees: Whole,
    wide: Whole, room: Whole, parts: Whole, rows: Whole, free: Whole,
) -> None:  # fmt: skip
    """Contacts beside constraints."""
    solve_in_full(
        tau, tau, tau, first, first, first, first, C, counts, limits, M, E, s, T, x, V, B, w, G, L, p, G0, L0, p0, z, tau, y, W, X, Y, A,
        gamma, known, sums, Q, H, P, Z, N, before, at, later, order, place, degree, number, sizes, widths, places, starts, used, up,
        begin, of, R, RY, RS, RY0, RS0, RF, Rb, Rright, Rl, Rz, Rscale, Ractive, Rorder, Rrank, Rwrong, Rtogether, Rsoft, tau, tau, tau,
        tau, tau, tau, tau, first, parent, tree, tree_start, tree_width, tree_place, always, bodies, coordinates, trees, wide, room,
        parts, rows, free, 0, 0, 0, 0,
    )  # fmt: skip
