"""An unsymmetric system with the zeros of a tree, bordered by what couples members of it: O(joints) a right side, on kept factors.

    leaves to root:   z = D^-1 (y - s' b),   b_p += b + Y z
    root to leaves:   x = z - Z chi_p,       chi = chi_p + chi_j x                                   T x = y
    (1 + Z R T^-1 J') w = Z R T^-1 y,        x = T^-1 (y - J' w)                                      with the border

b of a body begins as a wrench that it feels beside, chi (18,) is how it moves (dynamics/maximal/newton.py). Of coordinates that count by
themselves, chi is (-, r1 x, r0 x). Blocks [D, -K] lie row after row of 12.
"""

from __future__ import annotations

from redmax.program.routines.routine import routine
from redmax.program.routines.views import Matrix, Places, Vector, Whole, Wholes, dot
from redmax.solvers.pivoted import solve_transposed


@routine
def solve_tree(
    x: Vector, b: Matrix, chi: Matrix, r: Vector, joints: Whole, first: Wholes, parent: Wholes,
    inverse: Places, s: Places, Y: Places, Z: Places, column: Places,
) -> None:  # fmt: skip
    """T^-1 x in place of x, and chi; b is spent. Coordinates first[j] to first[j + 1] are those of joint j."""
    for j in reversed(range(joints)):
        d = first[j + 1] - first[j]
        for a in range(d):
            r[a] = x[first[j] + a] - dot(s[first[j] + a][0:6], b[j, 0:6])
        for a in range(d):
            x[first[j] + a] = dot(inverse[j][d * a : d * a + d], r[0:d])
        if parent[j] >= 0:
            b[parent[j], 0:6] += b[j, 0:6]
            for k in range(first[j], first[j + 1]):
                b[parent[j], 0:6] += x[k] * Y[k][0:6]
    for j in range(joints):
        if parent[j] >= 0:
            for k in range(first[j], first[j + 1]):
                x[k] -= dot(Z[k][0:18], chi[parent[j], 0:18])
            chi[j, 0:18] = chi[parent[j], 0:18]
        else:
            chi[j, 0:18] = 0.0
        for k in range(first[j], first[j + 1]):
            chi[j, 0:18] += x[k] * column[k][0:18]


@routine
def feel(
    x: Vector, chi: Matrix, r0: Vector, r1: Vector, units: Whole, begin: Wholes, count: Wholes, unit: Wholes,
    w: Vector, p: Whole, pairs: Whole, blocks: Places, right: Wholes, left: Wholes, size: Wholes,
) -> None:  # fmt: skip
    """w = Z R x, at the chi of x."""
    for k in range(units):
        chi[unit[k], 0:18] = 0.0
        for c in range(count[k]):
            chi[unit[k], 6 + c] = r1[0] * x[begin[k] + c]
            chi[unit[k], 12 + c] = r0[0] * x[begin[k] + c]
    w[0:p] = 0.0
    for k in range(pairs):
        for a in range(size[k]):
            w[left[k] + a] += dot(blocks[k][12 * a : 12 * a + 12], chi[right[k], 6:18])


@routine
def solve_and_feel(
    x: Vector, body: Whole, entry: Whole, b: Matrix, chi: Matrix, r: Vector, joints: Whole, first: Wholes, parent: Wholes,
    inverse: Places, s: Places, Y: Places, Z: Places, column: Places, r0: Vector, r1: Vector, units: Whole, begin: Wholes, count: Wholes,
    unit: Wholes, w: Vector, p: Whole, pairs: Whole, blocks: Places, right: Wholes, left: Wholes, size: Wholes,
) -> None:  # fmt: skip
    """T^-1 x in place of x, and w = Z R of that. A body feels a unit of wrench beside, in this entry; none where it is -1."""
    for j in range(joints):
        b[j, 0:6] = 0.0
    if body >= 0:
        b[body, entry] = 1.0
    solve_tree(x, b, chi, r, joints, first, parent, inverse, s, Y, Z, column)
    feel(x, chi, r0, r1, units, begin, count, unit, w, p, pairs, blocks, right, left, size)


@routine
def push_back(x: Vector) -> None:
    """What a coordinate feels by itself."""
    x[0] = -1.0


@routine
def complete_border(E: Matrix, p: Whole) -> None:
    """E = 1 - E."""
    for k in range(p):
        for i in range(p):
            E[k, i] = -E[k, i]
        E[k, k] += 1.0


@routine
def add_border(x: Vector, X: Matrix, E: Matrix, exchanges: Vector, w: Vector, n: Whole, p: Whole) -> None:
    """x += X' w, with w of E' w = Z R T^-1 y in its place. E: eliminated (solvers/pivoted.py); X: -T^-1 J', transposed."""
    solve_transposed(E, exchanges, w, p)
    for k in range(p):
        x[0:n] += w[k] * X[k, 0:n]
