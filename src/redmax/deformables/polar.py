"""The rotation R of F = R S, the one nearest to F: S symmetric, det R = +1 also where det F < 0 (S then has a negative eigenvalue).

With s1 >= s2 >= |s3| the eigenvalues of S, s3 having the sign of det F, and i1, i2, i3 the invariants of S,

    i1 = s1 + sqrt(|F|^2 - s1^2 + 2 det F / s1),     s1^2 the largest eigenvalue of C = F'F,
    (i1^2 - |F|^2)^2 = 4 |cof F|^2 + 8 i1 det F,     a quartic of which i1 is the largest root,
    (i1 i2 - i3) R = F ((i1^2 - i2) 1 - C) + i1 cof F.

The last line eliminates S^2 from cof F = R (S^2 - i1 S + i2 1) and F C = R S^3 by the theorem of Cayley and Hamilton. The factor of R is
(s1 + s2)(s2 + s3)(s3 + s1): it vanishes only where R is not unique (F of rank 1 or 0, or s3 = -s2). There some rotation is chosen.
The number of operations is fixed: no iteration has to decide when to stop.
"""

from __future__ import annotations

from typing import Any

from redmax.lie.three import Matrix, Vector, cross, dot, skew, symmetric, times, transpose
from redmax.math import frozen, less, maximum, minimum, sqrt, where

TINY = 1e-100  # keeps a division by nothing finite; F has no unit and is of order 1
LOST = 1e-9  # below it, relative to |F|^3, the factor of R is rounding error
PARALLEL = 1e-6  # squared sine of an angle between columns below which they span no plane
STIFFEST = 1e-6  # and below this, R counts as fixed: its derivative grows without bound where R is not unique


def rotation(F: Matrix) -> tuple[list[list[Any]], Any]:
    """R (3, 3) of F (3, 3), always a rotation to rounding error; and 1 / (i1 i2 - i3), or 0 where R is hardly unique."""
    columns = transpose(F)
    C = symmetric(lambda i, j: dot(columns[i], columns[j]))
    I1 = C[0][0] + C[1][1] + C[2][2]
    squares = sum_of_squares(C)
    cofactors = [cross(columns[1], columns[2]), cross(columns[2], columns[0])]
    i3 = dot(columns[0], cofactors[0])
    i1 = trace_of_stretch(I1, 0.5 * (I1 * I1 - squares), i3)
    i2 = 0.5 * (i1 * i1 - I1)
    a = i1 * i1 - i2
    factor, size = i1 * i2 - i3, I1 * sqrt(I1)
    lost = less(factor, LOST * size)
    chosen = []
    for k in range(2):
        b = [(a - C[k][j] if j == k else 0.0 - C[k][j]) for j in range(3)]
        column = [f + i1 * c for f, c in zip(times(F, b), cofactors[k])]
        chosen.append([where(lost, f, n) for f, n in zip(columns[k], column)])
    unique = less(STIFFEST * size, factor)
    return transpose(orthonormal(*chosen)), where(unique, 1.0 / maximum(factor, TINY), 0.0)


def trace_of_stretch(I1: Any, J2: Any, i3: Any) -> Any:
    """i1 from |F|^2, |cof F|^2 and det F."""
    m = I1 / 3.0
    p = maximum(m * m - J2 / 3.0, 0.0)
    root = sqrt(p)
    r = (m * (m * m - 0.5 * J2) + 0.5 * i3 * i3) / maximum(p * root, TINY)
    s1 = sqrt(maximum(m + 2.0 * root * cosine_of_third(maximum(minimum(r, 1.0), -1.0)), TINY))
    i1 = s1 + sqrt(maximum(I1 - s1 * s1 + 2.0 * i3 / s1, 0.0))
    least = LOST * I1 * sqrt(I1) + TINY
    for _ in range(2):  # Newton on the quartic: s1^2 is good to half the digits where two eigenvalues of C meet
        t = i1 * i1 - I1
        i1 = i1 - (t * t - 4.0 * J2 - 8.0 * i3 * i1) / maximum(4.0 * i1 * t - 8.0 * i3, least)
    return i1


def cosine_of_third(r: Any) -> Any:
    """cos(angle/3) of cos(angle) = r, by h = cos(angle/6) of s = cos(angle/2): s = 4 h^3 - 3 h has no double root for h >= sqrt(3)/2."""
    s = sqrt(0.5 + 0.5 * r)
    h = 0.866 + s * (0.1666 - 0.0326 * s)
    for _ in range(2):
        h2 = h * h
        h = (8.0 * h * h2 + s) / (12.0 * h2 - 3.0)
    return 2.0 * h * h - 1.0


def orthonormal(a: Vector, b: Vector) -> list[list[Any]]:
    """Three unit vectors: along a; along b as far as it is perpendicular to a; and their cross product."""
    square = dot(a, a)
    u = unit(a, square, TINY, [1.0, 0.0, 0.0])
    along = dot(u, b)
    rest = [y - along * x for x, y in zip(u, b)]
    v = unit(rest, dot(rest, rest), PARALLEL * square + TINY, perpendicular(u))
    return [u, v, cross(u, v)]


def unit(a: Vector, square: Any, least: Any, otherwise: Vector) -> list[Any]:
    """a / |a|, or another unit vector if |a|^2 is below the least."""
    over = 1.0 / sqrt(maximum(square, least))
    none = less(square, least)
    return [where(none, o, x * over) for x, o in zip(a, otherwise)]


def perpendicular(u: Vector) -> list[Any]:
    """A unit vector perpendicular to the unit vector u (Duff et al. 2017)."""
    x, y, z = u
    sign = where(less(z, 0.0), -1.0, 1.0)
    a = -1.0 / (sign + z)
    return [1.0 + sign * x * x * a, sign * x * y * a, 0.0 - sign * x]


def sum_of_squares(C: Matrix) -> Any:
    off = C[0][1] * C[0][1] + C[0][2] * C[0][2] + C[1][2] * C[1][2]
    return C[0][0] * C[0][0] + C[1][1] * C[1][1] + C[2][2] * C[2][2] + 2.0 * off


def differentiable(F: Matrix) -> tuple[list[list[Any]], list[list[Any]]]:
    """R, whose first derivative is exact, and R0'F with the same rotation R0 held fixed to differentiation.

    dR = R [w] with (tr(S) 1 - S) w = axial(R'dF - dF'R). Here w is written for F itself: it is zero but for the rounding error of
    R0, which it removes, and its derivative is the right one. Second derivatives of R are not right: `turned` has the first ones, which
    may be differentiated.
    """
    R, over = rotation(F)
    R0 = [[frozen(x) for x in row] for row in R]
    A = [[dot(r, f) for f in transpose(F)] for r in transpose(R0)]
    S = symmetric(lambda i, j: frozen(A[i][i] if i == j else 0.5 * (A[i][j] + A[j][i])))
    w = times(inverse_of_complement(S, frozen(over)), [A[2][1] - A[1][2], A[0][2] - A[2][0], A[1][0] - A[0][1]])
    W = skew(w)
    return [[r + dot_sparse(row, c) for r, c in zip(row, transpose(W))] for row in R0], A


def turned(F: Matrix, R: Matrix) -> list[list[Matrix]]:
    """dR/dF_jb (3, 3) at [j][b], of an R as `differentiable` has it: R [w], (tr(S) 1 - S) w = axial(R'dF - dF'R), S = R'F.

    Nothing is held fixed, so that derivatives of it are right. Zero where R is hardly unique.
    """
    columns = transpose(F)
    A = [[dot(r, f) for f in columns] for r in transpose(R)]
    S = symmetric(lambda i, j: A[i][i] if i == j else 0.5 * (A[i][j] + A[j][i]))
    trace = S[0][0] + S[1][1] + S[2][2]
    M = symmetric(lambda i, j: trace - S[i][i] if i == j else 0.0 - S[i][j])
    determinant, unique = dot(M[0], [minor(M, 0, j) for j in range(3)]), less(0.0, frozen(rotation(F)[1]))
    inverse = inverse_of_complement(S, where(unique, 1.0 / where(unique, determinant, 1.0), 0.0))

    def moved(j: int, b: int) -> Matrix:
        """R'dF has one column, b: a row of R."""
        x, y, z = R[j]
        w = times(inverse, [[0.0, 0.0 - z, y], [z, 0.0, 0.0 - x], [0.0 - y, x, 0.0]][b])
        return [[dot_sparse(row, c) for c in transpose(skew(w))] for row in R]

    return [[moved(j, b) for b in range(3)] for j in range(3)]


def dot_sparse(a: Vector, b: Vector) -> Any:
    """a . b without the terms whose b is a structural zero."""
    terms = [x * y for x, y in zip(a, b) if not (isinstance(y, float) and y == 0.0)]
    return terms[0] + terms[1] if len(terms) == 2 else dot(a, b)


def inverse_of_complement(S: Matrix, over: Any) -> list[list[Any]]:
    """(tr(S) 1 - S)^-1 of a symmetric S, given 1 / det(tr(S) 1 - S)."""
    trace = S[0][0] + S[1][1] + S[2][2]
    M = symmetric(lambda i, j: trace - S[i][i] if i == j else 0.0 - S[i][j])
    return symmetric(lambda i, j: minor(M, i, j) * over)


def minor(M: Matrix, i: int, j: int) -> Any:
    """Cofactor of the entry (i, j), with its sign."""
    a, b, c, d = (i + 1) % 3, (i + 2) % 3, (j + 1) % 3, (j + 2) % 3
    return M[a][c] * M[b][d] - M[a][d] * M[b][c]
