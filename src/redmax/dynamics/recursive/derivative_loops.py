"""Loops over the columns of derivatives: what the coordinates above a body do to its row, and what those below do.

A stack holds a column of each coordinate on the path to the body at hand, root first, quantity by quantity: eight columns fill a vector
register. No matrix is multiplied by another.
"""

from __future__ import annotations

from redmax.dynamics.recursive.column_loops import felt, put_rows, times
from redmax.program.routines.routine import routine
from redmax.program.routines.views import Matrix, Vector, Whole, Wholes, beside, dot, matrix

STACK = 24  # rows of a stack: phi by q, phi by qdot, s, and psi by q, of which the angular half may be all
BELOW = 18  # rows of what those below do: N chi + s x* F by q, by qdot, by qddot; then come those of (s' [2B + D, -K])'


@routine
def put_six(v: Vector, A: Matrix, first: Whole, column: Whole, dof: Whole) -> None:
    """Six entries each of some columns."""
    for c in range(dof):
        for k in range(6):
            A[first + k, column + c] = v[6 * c + k]


@routine
def own_block(block: Vector, A: Matrix, row: Whole, column: Whole, dof: Whole) -> None:
    """The entries among a joint's own coordinates."""
    for i in range(dof):
        for k in range(dof):
            A[row + i, column + k] = block[dof * i + k]


@routine
def spread(row: Vector, target: Vector, m: Whole, number: Wholes) -> None:
    """Entries of the path go to their numbers."""
    for k in range(m):
        target[number[k]] = row[k]


@routine
def own_columns(
    C: Matrix, N: Vector, P: Matrix, s: Matrix, carried: Matrix, own: Matrix, dof: Whole, few: Whole, B: Matrix, at: Whole, X: Matrix, W: Whole
) -> None:  # fmt: skip
    """Columns of B of a joint's own coordinates: N chi + s x* F by q, N chi by qdot and by qddot, and below them (s' N)' beyond the inertia.

    X: its own rows by the three, one below the other. few: how many coordinates it has, if these are to stay in registers.
    """
    for c in beside(dof):
        phi, psi, t = [C[k, c] for k in range(6)], [C[6 + k, c] for k in range(6)], [C[W - 6 + k, c] for k in range(6)]
        x = felt(N, P, phi, psi, t, W)
        for i in range(few):
            X[i, c] = own[i, c] + dot(s[i, 0:6], x)
        for k in range(6):
            B[k][at:][c] = x[k] + carried[k, c]
    for c in beside(dof):
        phi, psi, t = [C[k][dof:][c] for k in range(6)], [C[6 + k][dof:][c] for k in range(6)], [C[W - 6 + k][dof:][c] for k in range(6)]
        x = felt(N, P, phi, psi, t, W)
        for i in range(few):
            X[few + i, c] = own[few + i, c] + dot(s[i, 0:6], x)
        for k in range(6):
            B[6 + k][at:][c] = x[k]
    for c in beside(dof):
        t = [C[6 + k][dof:][c] for k in range(6)]
        x = times(N, t)
        for i in range(few):
            X[2 * few + i, c] = own[2 * few + i, c] + dot(s[i, 0:6], x)
        for k in range(6):
            B[12 + k][at:][c] = x[k]
        if W > 9:
            for k in range(12):
                B[18 + k][at:][c] = dot(P[0:6, k], t)
        else:
            for k in range(3):
                B[18 + k][at:][c] = dot(P[0:6, k], t)
    if few < 1:
        for i in range(dof):
            for c in beside(dof):
                X[i, c] = own[i, c] + dot(s[i, 0:6], [B[k][at:][c] - carried[k, c] for k in range(6)])
                X[dof + i, c] = own[dof + i, c] + dot(s[i, 0:6], [B[6 + k][at:][c] for k in range(6)])
                X[2 * dof + i, c] = own[2 * dof + i, c] + dot(s[i, 0:6], [B[12 + k][at:][c] for k in range(6)])


@routine
def bare_columns(C: Matrix, N: Vector, P: Matrix, s: Matrix, carried: Matrix, own: Matrix, dof: Whole, B: Matrix, at: Whole, X: Matrix) -> None:
    """W = 9."""
    if dof == 1:
        own_columns(C, N, P, s, carried, own, 1, 1, B, at, X, 9)
    else:
        if dof == 3:
            own_columns(C, N, P, s, carried, own, 3, 3, B, at, X, 9)
        else:
            own_columns(C, N, P, s, carried, own, dof, 0, B, at, X, 9)


@routine
def forced_columns(C: Matrix, N: Vector, P: Matrix, s: Matrix, carried: Matrix, own: Matrix, dof: Whole, B: Matrix, at: Whole, X: Matrix) -> None:
    """W = 18."""
    own_columns(C, N, P, s, carried, own, dof, 0, B, at, X, 18)


@routine
def path_rows(A: Matrix, B: Matrix, at: Whole, m: Whole, Q: Matrix, V: Matrix, M: Matrix, start: Whole, dof: Whole, W: Whole) -> None:
    """d tau of some coordinates by those above them: s' N of all that each moves is a column of B, from `at` on."""
    for c in beside(m):
        phi, rates, s = [A[k, c] for k in range(6)], [A[6 + k, c] for k in range(6)], [A[12 + k, c] for k in range(6)]
        if W > 9:
            psi = [A[18 + k, c] for k in range(6)]
            for i in range(dof):
                carried = dot(B[18:24, at + i], psi) + dot(B[24:30, at + i], s)
                Q[start + i, c] = dot(B[12:18, at + i], phi) + carried
                V[start + i, c] = dot(B[12:18, at + i], rates) + dot(B[18:24, at + i], s)
                M[start + i, c] = dot(B[12:18, at + i], s)
        else:
            psi, omega = [A[18 + k, c] for k in range(3)], [s[k] for k in range(3)]
            for i in range(dof):
                Q[start + i, c] = dot(B[12:18, at + i], phi) + dot(B[18:21, at + i], psi)
                V[start + i, c] = dot(B[12:18, at + i], rates) + dot(B[18:21, at + i], omega)
                M[start + i, c] = dot(B[12:18, at + i], s)


@routine
def rest_of_rows(B: Matrix, first: Whole, s: Matrix, m: Whole, Q: Matrix, V: Matrix, M: Matrix, start: Whole, behind: Whole, dof: Whole) -> None:
    """d tau of some coordinates by m others that hang on them: s . (N chi + s x* F) of each, the columns of B from `first` on."""
    for c in beside(m):
        q, v, a = [B[k][first:][c] for k in range(6)], [B[6 + k][first:][c] for k in range(6)], [B[12 + k][first:][c] for k in range(6)]
        for i in range(dof):
            Q[start + i][behind:][c] = dot(s[i, 0:6], q)
            V[start + i][behind:][c] = dot(s[i, 0:6], v)
            M[start + i][behind:][c] = dot(s[i, 0:6], a)


@routine
def some_rows(
    A: Matrix, B: Matrix, X: Matrix, m: Whole, own: Whole, C: Matrix, s: Matrix, Q: Matrix, V: Matrix, M: Matrix, start: Whole, at: Whole,
    behind: Whole, below: Whole, dof: Whole, few: Whole, W: Whole,
) -> None:  # fmt: skip
    """Rows of `few` coordinates of a joint, from the own-th on."""
    path_rows(A, B, at + own, m, Q, V, M, start + own, few, W)
    put_rows(X, own, 0, few, dof, Q, start + own, start)
    put_rows(X, dof + own, 0, few, dof, V, start + own, start)
    put_rows(X, 2 * dof + own, 0, few, dof, M, start + own, start)
    rest_of_rows(B, at + dof, matrix(s[own], 6), below, Q, V, M, start + own, behind, few)


@routine
def inverse_rows(
    A: Matrix, B: Matrix, X: Matrix, m: Whole, dof: Whole, C: Matrix, s: Matrix, Q: Matrix, V: Matrix, M: Matrix, start: Whole, at: Whole,
    below: Whole, W: Whole,
) -> None:  # fmt: skip
    """The rows of one joint: by the m coordinates of its path, on the stack A; its own, X; and those that hang on it, columns of B."""
    behind = start + dof
    if dof == 1:
        some_rows(A, B, X, m, 0, C, s, Q, V, M, start, at, behind, below, 1, 1, W)
    else:
        if dof == 3:
            some_rows(A, B, X, m, 0, C, s, Q, V, M, start, at, behind, below, 3, 3, W)
        else:
            for i in range(dof):
                some_rows(A, B, X, m, i, C, s, Q, V, M, start, at, behind, below, dof, 1, W)
    put_rows(C, 0, 0, 6, dof, A, 0, m)
    put_rows(C, 0, dof, 6, dof, A, 6, m)
    put_rows(C, 6, dof, 6, dof, A, 12, m)
    put_rows(C, 6, 0, 6, dof, A, 18, m)


@routine
def bare_inverse_rows(
    A: Matrix, B: Matrix, X: Matrix, m: Whole, dof: Whole, C: Matrix, s: Matrix, Q: Matrix, V: Matrix, M: Matrix, start: Whole, at: Whole,
    below: Whole,
) -> None:  # fmt: skip
    """W = 9."""
    inverse_rows(A, B, X, m, dof, C, s, Q, V, M, start, at, below, 9)


@routine
def forced_inverse_rows(
    A: Matrix, B: Matrix, X: Matrix, m: Whole, dof: Whole, C: Matrix, s: Matrix, Q: Matrix, V: Matrix, M: Matrix, start: Whole, at: Whole,
    below: Whole,
) -> None:  # fmt: skip
    """W = 18."""
    inverse_rows(A, B, X, m, dof, C, s, Q, V, M, start, at, below, 18)
