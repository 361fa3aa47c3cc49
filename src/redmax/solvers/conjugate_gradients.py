"""Conjugate gradients for a sparse symmetric positive definite matrix of nodes and a few coordinates, as a routine.

    z = P r,  p = z;   alpha = r'z / p'A p,   x += alpha p,   r -= alpha A p,   z = P r,   p = z + (r'z / old r'z) p

Until r'z <= tolerance^2 b'P b (Hestenes and Stiefel 1952). P are the inverses of the nodes' own blocks (3, 3) and of the coordinates'
corner. r'z measures the error of x in A's norm, up to how good P is, and adds no forces to torques. Each world stops by itself. Where A or
P turns out not to be positive definite, or the turns do not suffice, a flag says so, and x is of no use. Its derivatives are those of the
turns that are made, as good as x is where b is not zero; where b is zero there is no turn, and only elimination has them.
"""

from __future__ import annotations

from redmax.math import where
from redmax.program.routines.routine import routine
from redmax.program.routines.views import Matrix, Vector, Whole, Wholes, dot, matrix
from redmax.solvers import elimination

TOLERANCE = 1e-9


@routine
def multiply(S: Vector, x: Vector, y: Vector, n: Whole, m: Whole, base: Wholes, first: Wholes, column: Wholes, border: Wholes) -> None:
    """y = A x of n nodes and m coordinates (solvers/sparse_rows.py).

    base: where the rows of each node begin, behind the last those of the coordinates; first, column: the nodes that each meets, behind
    the last those that the coordinates meet; border: 1 of nodes that meet the coordinates
    """
    u = x[3 * n :]
    for i in range(n):
        k = first[i]
        count = first[i + 1] - k
        A = matrix(S[base[i] :], 3 * count + m * border[i])
        a = 0.0
        b = 0.0
        c = 0.0
        for j in range(count):
            t = x[3 * column[k + j] :]
            a += A[0, 3 * j] * t[0] + A[0, 3 * j + 1] * t[1] + A[0, 3 * j + 2] * t[2]
            b += A[1, 3 * j] * t[0] + A[1, 3 * j + 1] * t[1] + A[1, 3 * j + 2] * t[2]
            c += A[2, 3 * j] * t[0] + A[2, 3 * j + 1] * t[1] + A[2, 3 * j + 2] * t[2]
        if border[i] > 0:
            a += dot(A[0, 3 * count : 3 * count + m], u[0:m])
            b += dot(A[1, 3 * count : 3 * count + m], u[0:m])
            c += dot(A[2, 3 * count : 3 * count + m], u[0:m])
        y[3 * i] = a
        y[3 * i + 1] = b
        y[3 * i + 2] = c
    met = first[n + 1] - first[n]
    B = matrix(S[base[n] :], 3 * met + m)
    for r in range(m):
        d = dot(B[r, 3 * met : 3 * met + m], u[0:m])
        for q in range(met):
            s = x[3 * column[first[n] + q] :]
            d += B[r, 3 * q] * s[0] + B[r, 3 * q + 1] * s[1] + B[r, 3 * q + 2] * s[2]
        y[3 * n + r] = d


@routine
def invert(A: Matrix, B: Matrix) -> None:
    """B = A^-1 of a symmetric (3, 3), by its cofactors."""
    a = A[1, 1] * A[2, 2] - A[1, 2] * A[1, 2]
    b = A[0, 2] * A[1, 2] - A[0, 1] * A[2, 2]
    c = A[0, 1] * A[1, 2] - A[0, 2] * A[1, 1]
    d = 1.0 / (A[0, 0] * a + A[0, 1] * b + A[0, 2] * c)
    e = A[0, 1] * A[0, 2] - A[0, 0] * A[1, 2]
    B[0, 0] = d * a
    B[0, 1] = d * b
    B[1, 0] = d * b
    B[0, 2] = d * c
    B[2, 0] = d * c
    B[1, 1] = d * (A[0, 0] * A[2, 2] - A[0, 2] * A[0, 2])
    B[1, 2] = d * e
    B[2, 1] = d * e
    B[2, 2] = d * (A[0, 0] * A[1, 1] - A[0, 1] * A[0, 1])


@routine
def precondition(inverse: Vector, corner: Matrix, r: Vector, z: Vector, n: Whole, m: Whole) -> None:
    """z = P r. corner: factors of the coordinates' part."""
    for i in range(n):
        B = matrix(inverse[9 * i :], 3)
        t = r[3 * i :]
        for k in range(3):
            z[3 * i + k] = dot(B[k, 0:3], t[0:3])
    z[3 * n : 3 * n + m] = r[3 * n : 3 * n + m]
    elimination.solve(corner, z[3 * n :], m)


@routine
def iterate(
    S: Vector, inverse: Vector, corner: Matrix, x: Vector, r: Vector, p: Vector, y: Vector, z: Vector, failed: Vector,
    n: Whole, m: Whole, most: Whole, base: Wholes, first: Wholes, column: Wholes, border: Wholes,
) -> None:  # fmt: skip
    """x of A x = b from x = 0; b stands in r. p, y, z: room for the search; failed: 1 where there is no solution, else 0."""
    size = 3 * n + m
    x[0:size] = 0.0
    precondition(inverse, corner, r, z, n, m)
    p[0:size] = z[0:size]
    rz = dot(r[0:size], z[0:size])
    enough = TOLERANCE * TOLERANCE * rz
    turns = 0
    while rz > enough and turns < most:
        multiply(S, p, y, n, m, base, first, column, border)
        pAp = dot(p[0:size], y[0:size])
        alpha = rz / where(pAp > 0.0, pAp, 0.0)
        x[0:size] += alpha * p[0:size]
        r[0:size] -= alpha * y[0:size]
        precondition(inverse, corner, r, z, n, m)
        before = rz
        rz = dot(r[0:size], z[0:size])
        beta = rz / before
        p[0:size] = z[0:size] + beta * p[0:size]
        turns += 1
    failed[0] = where(rz >= 0.0 and rz <= enough, 0.0, 1.0)
