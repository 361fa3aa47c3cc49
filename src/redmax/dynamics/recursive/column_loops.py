"""Loops over the columns of one joint, by its coordinates and then by their rates: what its body feels of them, and how it answers.

C holds them as the joint keeps them, quantity by quantity: phi, then psi of which the angular half may be all, then s where forces act.
They lie side by side, so that those of a joint of several coordinates fill a vector register.
"""

from __future__ import annotations

from redmax.program.routines.routine import routine
from redmax.program.routines.views import Matrix, Number, Vector, Whole, beside, dot, matrix


@routine
def times(M: Vector, x: Number) -> Number:
    """M x, M symmetric by its 21 numbers (lie/inertia.py)."""
    return (
        M[0] * x[0] + M[1] * x[1] + M[2] * x[2] + (M[6] * x[3] + M[7] * x[4] + M[8] * x[5]),
        M[1] * x[0] + M[3] * x[1] + M[4] * x[2] + (M[9] * x[3] + M[10] * x[4] + M[11] * x[5]),
        M[2] * x[0] + M[4] * x[1] + M[5] * x[2] + (M[12] * x[3] + M[13] * x[4] + M[14] * x[5]),
        M[6] * x[0] + M[9] * x[1] + M[12] * x[2] + (M[15] * x[3] + M[16] * x[4] + M[17] * x[5]),
        M[7] * x[0] + M[10] * x[1] + M[13] * x[2] + (M[16] * x[3] + M[18] * x[4] + M[19] * x[5]),
        M[8] * x[0] + M[11] * x[1] + M[14] * x[2] + (M[17] * x[3] + M[19] * x[4] + M[20] * x[5]),
    )


@routine
def felt(M: Vector, P: Matrix, phi: Number, psi: Number, s: Number, W: Whole) -> Number:
    """[M, P] chi of one column."""
    x = times(M, phi)
    if W > 9:
        found = [x[k] + (dot(P[k, 0:6], psi) + dot(P[k, 6:12], s)) for k in range(6)]
    else:
        omega = [psi[i] for i in range(3)]
        found = [x[k] + dot(P[k, 0:3], omega) for k in range(6)]
    return found


@routine
def felt_columns(C: Matrix, m: Whole, M: Vector, P: Matrix, X: Matrix, W: Whole) -> None:
    """Six rows of X = [M, P] chi and what is behind chi."""
    for c in beside(m):
        phi = [C[k, c] for k in range(6)]
        if W > 9:
            x = felt(M, P, phi, [C[6 + k, c] for k in range(6)], [C[12 + k, c] for k in range(6)], W)
        else:
            x = felt(M, P, phi, [C[6 + k, c] for k in range(3)], phi, W)
        for k in range(6):
            X[k, c] = x[k] + C[W + k, c]


@routine
def own_answers(C: Matrix, own: Matrix, Omega: Vector, hung: Whole, Z: Vector, s: Vector, dof: Whole, X: Matrix, W: Whole) -> None:
    """Below p: alpha = phi - Omega p, and below that y = own - Z (alpha; psi; s); then alpha += s y.

    hung: whether there is a parent that answers.
    """
    m = 2 * dof
    if hung > 0:
        for c in beside(m):
            x = times(Omega, [X[k, c] for k in range(6)])
            for k in range(6):
                X[6 + k, c] = C[k, c] - x[k]
    else:
        for c in beside(m):
            for k in range(6):
                X[6 + k, c] = C[k, c]
    for i in range(dof):
        z = Z[W * i :]
        if W > 9:
            for c in beside(m):
                carried = dot(z[6:12], [C[6 + k, c] for k in range(6)]) + dot(z[12:18], [C[12 + k, c] for k in range(6)])
                X[12 + i, c] = own[i, c] - dot(z[0:6], [X[6 + k, c] for k in range(6)]) - carried
        else:
            for c in beside(m):
                omega = [C[6 + k, c] for k in range(3)]
                X[12 + i, c] = own[i, c] - dot(z[0:6], [X[6 + k, c] for k in range(6)]) - dot(z[6:9], omega)
    for i in range(dof):
        for c in beside(m):
            y = X[12 + i, c]
            for k in range(6):
                X[6 + k, c] = X[6 + k, c] + s[6 * i + k] * y


@routine
def few_answers(
    C: Matrix, own: Matrix, M: Vector, P: Matrix, Omega: Vector, Z: Matrix, s: Matrix, dof: Whole, X: Matrix,
) -> None:  # fmt: skip
    """All of it in registers, W = 9, of as many coordinates as the text says."""
    for c in beside(2 * dof):
        phi, omega = [C[k, c] for k in range(6)], [C[6 + k, c] for k in range(3)]
        x = felt(M, P, phi, omega, omega, 9)
        p = [x[k] + C[9 + k, c] for k in range(6)]
        z = times(Omega, p)
        alpha = [phi[k] - z[k] for k in range(6)]
        y = [own[i, c] - (dot(Z[i, 0:6], alpha) + dot(Z[i, 6:9], omega)) for i in range(dof)]
        for k in range(6):
            X[k, c] = p[k]
        for k in range(6):
            X[6 + k, c] = alpha[k] + dot([s[i, k] for i in range(dof)], y)
        for i in range(dof):
            X[12 + i, c] = y[i]


@routine
def bare_answers(
    C: Vector, own: Vector, M: Vector, P: Vector, Omega: Vector, hung: Whole, Z: Vector, s: Vector, dof: Whole, X: Matrix
) -> None:
    """W = 9."""
    if hung * dof == 1:
        few_answers(matrix(C, 2), matrix(own, 2), M, matrix(P, 3), Omega, matrix(Z, 9), matrix(s, 6), 1, X)
    else:
        if hung * dof == 3:
            few_answers(matrix(C, 6), matrix(own, 6), M, matrix(P, 3), Omega, matrix(Z, 9), matrix(s, 6), 3, X)
        else:
            felt_columns(matrix(C, 2 * dof), 2 * dof, M, matrix(P, 3), X, 9)
            own_answers(matrix(C, 2 * dof), matrix(own, 2 * dof), Omega, hung, Z, s, dof, X, 9)


@routine
def forced_answers(
    C: Vector, own: Vector, M: Vector, P: Vector, Omega: Vector, hung: Whole, Z: Vector, s: Vector, dof: Whole, X: Matrix
) -> None:
    """W = 18."""
    felt_columns(matrix(C, 2 * dof), 2 * dof, M, matrix(P, 12), X, 18)
    own_answers(matrix(C, 2 * dof), matrix(own, 2 * dof), Omega, hung, Z, s, dof, X, 18)


@routine
def put_rows(X: Matrix, row: Whole, first: Whole, rows: Whole, dof: Whole, A: Matrix, top: Whole, column: Whole) -> None:
    """Some rows of X, from a column on, to A: what lies behind them there comes later, or is nobody's."""
    for k in range(rows):
        for c in beside(dof):
            A[top + k][column:][c] = X[row + k][first:][c]
