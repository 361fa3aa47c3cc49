"""What attached nodes add to the system of free nodes and coordinates: C = Z_fa J_a and J_a' Z_aa J_a."""

from __future__ import annotations

from redmax.program.routines.routine import routine
from redmax.program.routines.views import Matrix, Vector, Whole, Wholes, dot


@routine
def add_border(Z: Matrix, J: Matrix, C: Matrix, count: Whole, number: Wholes) -> None:
    """C += Z J of a free node and an attached one."""
    for k in range(count):
        for i in range(3):
            C[i, number[k]] += dot(Z[i, 0:3], J[0:3, k])


@routine
def add_attached(Z: Matrix, J: Matrix, K: Matrix, H: Matrix, left: Whole, right: Whole, rows: Wholes, columns: Wholes) -> None:
    """H += J' Z K of two attached nodes."""
    for b in range(right):
        force = [dot(Z[i, 0:3], K[0:3, b]) for i in range(3)]
        for a in range(left):
            H[rows[a], columns[b]] += dot(J[0:3, a], force)


@routine
def add_part(source: Matrix, target: Matrix, n: Whole, m: Whole) -> None:
    """target += source, (n, m)."""
    for i in range(n):
        target[i, 0:m] += source[i, 0:m]


@routine
def add_transposed(source: Matrix, target: Matrix, n: Whole, m: Whole) -> None:
    """target += source', (n, m) of the target."""
    for i in range(n):
        for k in range(m):
            target[i, k] += source[k, i]


@routine
def add_diagonal(m: Vector, target: Matrix) -> None:
    """The mass of a node."""
    for i in range(3):
        target[i, i] += m[0]


@routine
def add_products(C: Matrix, x: Vector, y: Vector, free: Whole, n: Whole) -> None:
    """y_p += C_p' x of one node, of the coordinates from `free` on."""
    for i in range(3):
        y[free:n] += x[i] * C[i, free:n]
