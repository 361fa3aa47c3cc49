"""Loops over the columns of derivatives: what the coordinates above a body do to its row, and what those below do.

A stack holds a column of each coordinate on the path to the body at hand, root first, quantity by quantity: eight columns fill a vector
register. No matrix is multiplied by another.
"""

from __future__ import annotations

from redmax.dynamics.recursive.column_loops import felt, put_rows, times
from redmax.program.routines.routine import routine
from redmax.program.routines.views import Matrix, Vector, Whole, Wholes, beside, dot, matrix

STACK = 24  # rows of a stack: phi by q, phi by qdot, s, and psi by q, of which the angular half may be all
BELOW = 18  # rows of what those below do: N chi + s x* F by q, by qdot, by qddot


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
    C: Matrix, N: Vector, P: Matrix, carried: Matrix, own: Matrix, dof: Whole, few: Whole, B: Matrix, at: Whole, X: Matrix, W: Whole
) -> None:  # fmt: skip
    """Columns of B of a joint's own coordinates: N chi + s x* F by q, N chi by qdot and by qddot.

    X: its own rows by the three, one below the other, and (s' N)'. few: how many coordinates it has, if these are to stay in registers.
    """
    for c in beside(dof):
        phi = [C[k, c] for k in range(6)]
        if W > 9:
            x = felt(N, P, phi, [C[6 + k, c] for k in range(6)], [C[12 + k, c] for k in range(6)], W)
        else:
            x = felt(N, P, phi, [C[6 + k, c] for k in range(3)], phi, W)
        for i in range(few):
            X[i, c] = own[i, c] + dot(C[0:6, 2 * dof + i], x)
        for k in range(6):
            B[k][at:][c] = x[k] + carried[k, c]
    for c in beside(dof):
        phi = [C[k][dof:][c] for k in range(6)]
        if W > 9:
            x = felt(N, P, phi, [C[6 + k][dof:][c] for k in range(6)], [C[12 + k][dof:][c] for k in range(6)], W)
        else:
            x = felt(N, P, phi, [C[6 + k][dof:][c] for k in range(3)], phi, W)
        for i in range(few):
            X[few + i, c] = own[few + i, c] + dot(C[0:6, 2 * dof + i], x)
        for k in range(6):
            B[6 + k][at:][c] = x[k]
    for c in beside(dof):
        t = [C[k][2 * dof :][c] for k in range(6)]
        x = times(N, t)
        for i in range(few):
            X[2 * few + i, c] = own[2 * few + i, c] + dot(C[0:6, 2 * dof + i], x)
        for k in range(6):
            B[12 + k][at:][c] = x[k]
            X[3 * dof + k, c] = x[k]
        for k in range(W - 6):
            X[3 * dof + 6 + k, c] = dot(P[0:6, k], t)
    if few < 1:
        for i in range(dof):
            for c in beside(dof):
                X[i, c] = own[i, c] + dot(C[0:6, 2 * dof + i], [B[k][at:][c] - carried[k, c] for k in range(6)])
                X[dof + i, c] = own[dof + i, c] + dot(C[0:6, 2 * dof + i], [B[6 + k][at:][c] for k in range(6)])
                X[2 * dof + i, c] = own[2 * dof + i, c] + dot(C[0:6, 2 * dof + i], [B[12 + k][at:][c] for k in range(6)])


@routine
def own_column(C: Matrix, N: Vector, P: Matrix, carried: Vector, own: Vector, B: Matrix, at: Whole, X: Vector, Y: Matrix) -> None:
    """The same of a single coordinate, W = 9, with the three side by side."""
    for c in beside(3):
        phi, psi = [C[k, c] for k in range(6)], [C[6 + k, c] for k in range(3)]
        x = felt(N, P, phi, psi, psi, 9)
        X[c] = own[c] + dot(C[0:6, 2], x)
        for k in range(6):
            Y[k, c] = x[k]
    for k in range(6):
        B[k, at] = Y[k, 0] + carried[k]
        B[6 + k, at] = Y[k, 1]
        B[12 + k, at] = Y[k, 2]
        X[3 + k] = Y[k, 2]
    for k in range(3):
        X[9 + k] = dot(P[0:6, k], [C[i, 2] for i in range(6)])


@routine
def bare_columns(
    C: Vector, N: Vector, P: Vector, carried: Vector, own: Vector, dof: Whole, B: Matrix, at: Whole, X: Matrix, Y: Matrix
) -> None:  # fmt: skip
    """W = 9."""
    if dof == 1:
        own_column(matrix(C, 3), N, matrix(P, 3), carried, own, B, at, X[0], Y)
    else:
        if dof == 3:
            own_columns(matrix(C, 9), N, matrix(P, 3), matrix(carried, 3), matrix(own, 3), 3, 3, B, at, matrix(X[0], 4), 9)
        else:
            own_columns(matrix(C, 3 * dof), N, matrix(P, 3), matrix(carried, dof), matrix(own, dof), dof, 0, B, at, X, 9)


@routine
def forced_columns(
    C: Vector, N: Vector, P: Vector, carried: Vector, own: Vector, dof: Whole, B: Matrix, at: Whole, X: Matrix, Y: Matrix
) -> None:  # fmt: skip
    """W = 18."""
    if dof == 1:
        own_columns(matrix(C, 3), N, matrix(P, 12), matrix(carried, 1), matrix(own, 1), 1, 1, B, at, matrix(X[0], 1), 18)
    else:
        if dof == 3:
            own_columns(matrix(C, 9), N, matrix(P, 12), matrix(carried, 3), matrix(own, 3), 3, 3, B, at, matrix(X[0], 4), 18)
        else:
            own_columns(matrix(C, 3 * dof), N, matrix(P, 12), matrix(carried, dof), matrix(own, dof), dof, 0, B, at, X, 18)


@routine
def path_rows(A: Matrix, N: Matrix, at: Whole, m: Whole, Q: Matrix, V: Matrix, M: Matrix, start: Whole, dof: Whole, W: Whole) -> None:
    """d tau of some coordinates by those above them: (s' N)' of all that each moves is a column of N, from `at` on."""
    for c in beside(m):
        phi, rates, s = [A[k, c] for k in range(6)], [A[6 + k, c] for k in range(6)], [A[12 + k, c] for k in range(6)]
        if W > 9:
            psi = [A[18 + k, c] for k in range(6)]
            for i in range(dof):
                carried = dot(N[6:12, at + i], psi) + dot(N[12:18, at + i], s)
                Q[start + i, c] = dot(N[0:6, at + i], phi) + carried
                V[start + i, c] = dot(N[0:6, at + i], rates) + dot(N[6:12, at + i], s)
                M[start + i, c] = dot(N[0:6, at + i], s)
        else:
            psi, omega = [A[18 + k, c] for k in range(3)], [s[k] for k in range(3)]
            for i in range(dof):
                Q[start + i, c] = dot(N[0:6, at + i], phi) + dot(N[6:9, at + i], psi)
                V[start + i, c] = dot(N[0:6, at + i], rates) + dot(N[6:9, at + i], omega)
                M[start + i, c] = dot(N[0:6, at + i], s)


@routine
def rest_of_rows(
    B: Matrix, first: Whole, s: Matrix, at: Whole, m: Whole, Q: Matrix, V: Matrix, M: Matrix, start: Whole, behind: Whole, dof: Whole
) -> None:  # fmt: skip
    """d tau of some coordinates, columns of s from `at` on, by m others that hang on them: s . (N chi + s x* F) of each, the columns of B
    from `first` on."""
    for c in beside(m):
        q, v, a = [B[k][first:][c] for k in range(6)], [B[6 + k][first:][c] for k in range(6)], [B[12 + k][first:][c] for k in range(6)]
        for i in range(dof):
            Q[start + i][behind:][c] = dot(s[0:6, at + i], q)
            V[start + i][behind:][c] = dot(s[0:6, at + i], v)
            M[start + i][behind:][c] = dot(s[0:6, at + i], a)


@routine
def some_rows(
    A: Matrix, B: Matrix, X: Matrix, m: Whole, own: Whole, C: Matrix, Q: Matrix, V: Matrix, M: Matrix, start: Whole, at: Whole,
    below: Whole, dof: Whole, few: Whole, W: Whole,
) -> None:  # fmt: skip
    """Rows of `few` coordinates of a joint, from the own-th on."""
    path_rows(A, matrix(X[3 * dof], X.leading), own, m, Q, V, M, start + own, few, W)
    put_rows(X, own, 0, few, dof, Q, start + own, start)
    put_rows(X, dof + own, 0, few, dof, V, start + own, start)
    put_rows(X, 2 * dof + own, 0, few, dof, M, start + own, start)
    if below > 0:
        rest_of_rows(B, at + dof, C, 2 * dof + own, below, Q, V, M, start + own, start + dof, few)


@routine
def onto_path(A: Matrix, m: Whole, C: Matrix, dof: Whole, below: Whole, W: Whole) -> None:
    """A joint's own columns are the last of the path, for those below."""
    if below > 0:
        put_rows(C, 0, 0, 6, dof, A, 0, m)
        put_rows(C, 0, dof, 6, dof, A, 6, m)
        put_rows(C, 0, 2 * dof, 6, dof, A, 12, m)
        if W > 9:
            put_rows(C, 6, 0, 6, dof, A, 18, m)
        else:
            put_rows(C, 6, 0, 3, dof, A, 18, m)


@routine
def inverse_rows(
    A: Matrix, B: Matrix, X: Matrix, m: Whole, dof: Whole, C: Vector, Q: Matrix, V: Matrix, M: Matrix, start: Whole, at: Whole,
    below: Whole, W: Whole,
) -> None:  # fmt: skip
    """The rows of one joint: by the m coordinates of its path, on the stack A; its own, X; and those that hang on it, columns of B."""
    if dof == 1:
        some_rows(A, B, matrix(X[0], 1), m, 0, matrix(C, 3), Q, V, M, start, at, below, 1, 1, W)
        onto_path(A, m, matrix(C, 3), 1, below, W)
    else:
        if dof == 3:
            some_rows(A, B, matrix(X[0], 4), m, 0, matrix(C, 9), Q, V, M, start, at, below, 3, 3, W)
            onto_path(A, m, matrix(C, 9), 3, below, W)
        else:
            for i in range(dof):
                some_rows(A, B, X, m, i, matrix(C, 3 * dof), Q, V, M, start, at, below, dof, 1, W)
            onto_path(A, m, matrix(C, 3 * dof), dof, below, W)


@routine
def bare_inverse_rows(
    A: Matrix, B: Matrix, X: Matrix, m: Whole, dof: Whole, C: Vector, Q: Matrix, V: Matrix, M: Matrix, start: Whole, at: Whole,
    below: Whole,
) -> None:  # fmt: skip
    """W = 9."""
    inverse_rows(A, B, X, m, dof, C, Q, V, M, start, at, below, 9)


@routine
def forced_inverse_rows(
    A: Matrix, B: Matrix, X: Matrix, m: Whole, dof: Whole, C: Vector, Q: Matrix, V: Matrix, M: Matrix, start: Whole, at: Whole,
    below: Whole,
) -> None:  # fmt: skip
    """W = 18."""
    inverse_rows(A, B, X, m, dof, C, Q, V, M, start, at, below, 18)
