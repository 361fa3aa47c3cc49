"""Loops over the columns of derivatives of forward dynamics: how bodies answer to each coordinate, torque by torque, down the tree.

A holds the columns of the path (alpha by q, alpha by qdot, s, psi by q), T the accelerations that each torque of the tree brings to the
body at hand: of all but those below it, which come when it branches. No matrix is multiplied by another.
"""

from __future__ import annotations

from redmax.dynamics.recursive.column_loops import put_rows
from redmax.dynamics.recursive.derivative_loops import own_block, put_six, spread
from redmax.program.routines.routine import routine
from redmax.program.routines.views import Matrix, Vector, Whole, Wholes, beside, dot, matrix

STACK = 24  # rows: alpha by q, alpha by qdot, s, psi by q
AREA = 24  # rows of what a body that branches hands to those that hang on it: both alphas, and T; and how it answers to torques below


@routine
def answered(A: Matrix, Z: Vector, m: Whole, q: Vector, v: Vector, W: Whole) -> None:
    """y of one coordinate for the m columns of its path."""
    if W > 9:
        for c in beside(m):
            s = [A[12 + k, c] for k in range(6)]
            carried = dot(Z[6:12], [A[18 + k, c] for k in range(6)]) + dot(Z[12:18], s)
            q[c] = 0.0 - dot(Z[0:6], [A[k, c] for k in range(6)]) - carried
            v[c] = 0.0 - dot(Z[0:6], [A[6 + k, c] for k in range(6)]) - dot(Z[6:12], s)
    else:
        for c in beside(m):
            q[c] = 0.0 - dot(Z[0:6], [A[k, c] for k in range(6)]) - dot(Z[6:9], [A[18 + k, c] for k in range(3)])
            v[c] = 0.0 - dot(Z[0:6], [A[6 + k, c] for k in range(6)]) - dot(Z[6:9], [A[12 + k, c] for k in range(3)])


@routine
def moved_along(A: Matrix, s: Vector, m: Whole, q: Vector, v: Vector) -> None:
    """alpha += s y."""
    for c in beside(m):
        x, y = q[c], v[c]
        for k in range(6):
            A[k, c] = A[k, c] + s[k] * x
            A[6 + k, c] = A[6 + k, c] + s[k] * y


@routine
def answered_and_moved(A: Matrix, Z: Vector, s: Vector, m: Whole, q: Vector, v: Vector, W: Whole) -> None:
    """Both, of a joint of one coordinate."""
    if W > 9:
        for c in beside(m):
            a, b = [A[k, c] for k in range(6)], [A[6 + k, c] for k in range(6)]
            t = [A[12 + k, c] for k in range(6)]
            carried = dot(Z[6:12], [A[18 + k, c] for k in range(6)]) + dot(Z[12:18], t)
            x = 0.0 - dot(Z[0:6], a) - carried
            y = 0.0 - dot(Z[0:6], b) - dot(Z[6:12], t)
            q[c] = x
            v[c] = y
            for k in range(6):
                A[k, c] = a[k] + s[k] * x
                A[6 + k, c] = b[k] + s[k] * y
    else:
        for c in beside(m):
            a, b = [A[k, c] for k in range(6)], [A[6 + k, c] for k in range(6)]
            x = 0.0 - dot(Z[0:6], a) - dot(Z[6:9], [A[18 + k, c] for k in range(3)])
            y = 0.0 - dot(Z[0:6], b) - dot(Z[6:9], [A[12 + k, c] for k in range(3)])
            q[c] = x
            v[c] = y
            for k in range(6):
                A[k, c] = a[k] + s[k] * x
                A[6 + k, c] = b[k] + s[k] * y


@routine
def reciprocal(T: Matrix, m: Whole, X: Matrix, by_q: Whole, by_v: Whole, q: Vector, v: Vector) -> None:
    """-alpha . p of m torques, p two columns of X."""
    for c in beside(m):
        t = [T[k, c] for k in range(6)]
        q[c] = 0.0 - dot(X[0:6, by_q], t)
        v[c] = 0.0 - dot(X[0:6, by_v], t)


@routine
def torque_row(T: Matrix, first: Whole, m: Whole, Z: Vector, y: Vector) -> None:
    """y of one coordinate for these torques."""
    for c in beside(m):
        y[c] = 0.0 - dot(Z[0:6], [T[k][first:][c] for k in range(6)])


@routine
def torque_moved(T: Matrix, first: Whole, m: Whole, s: Vector, y: Vector) -> None:
    """alpha += s y."""
    for c in beside(m):
        x = y[c]
        for k in range(6):
            T[k][first:][c] = T[k][first:][c] + s[k] * x


@routine
def torques_at_once(T: Matrix, m: Whole, Z: Vector, s: Vector, X: Matrix, q: Vector, v: Vector, y: Vector) -> None:
    """All three, of a joint of one coordinate."""
    for c in beside(m):
        t = [T[k, c] for k in range(6)]
        q[c] = 0.0 - dot(X[0:6, 0], t)
        v[c] = 0.0 - dot(X[0:6, 1], t)
        x = 0.0 - dot(Z[0:6], t)
        y[c] = x
        for k in range(6):
            T[k, c] = t[k] + s[k] * x


@routine
def torque_columns(
    T: Matrix, m: Whole, Z: Vector, s: Vector, X: Matrix, q: Matrix, v: Matrix, y: Matrix, start: Whole, dof: Whole, W: Whole
) -> None:
    """A joint's rows by the first m torques; q, v: transposed; X: p of its coordinates."""
    if dof == 1:
        torques_at_once(T, m, Z, s, X, q[start], v[start], y[start])
    else:
        for i in range(dof):
            reciprocal(T, m, X, i, dof + i, q[start + i], v[start + i])
            torque_row(T, 0, m, Z[W * i :], y[start + i])
        for i in range(dof):
            torque_moved(T, 0, m, s[6 * i :], y[start + i])


@routine
def path_columns(
    A: Matrix, R: Matrix, m: Whole, Z: Vector, s: Vector, Q: Matrix, V: Matrix, start: Whole, dof: Whole, straight: Whole,
    number: Wholes, W: Whole,
) -> None:  # fmt: skip
    """A joint's rows by the coordinates of its path."""
    if straight > 0:
        if dof == 1:
            answered_and_moved(A, Z, s, m, Q[start], V[start], W)
        else:
            for i in range(dof):
                answered(A, Z[W * i :], m, Q[start + i], V[start + i], W)
            for i in range(dof):
                moved_along(A, s[6 * i :], m, Q[start + i], V[start + i])
    else:
        for i in range(dof):
            answered(A, Z[W * i :], m, R[2 * i], R[2 * i + 1], W)
        for i in range(dof):
            moved_along(A, s[6 * i :], m, R[2 * i], R[2 * i + 1])
            spread(R[2 * i], Q[start + i], m, number)
            spread(R[2 * i + 1], V[start + i], m, number)


@routine
def some_columns(A: Matrix, first: Whole, B: Matrix, row: Whole, column: Whole, m: Whole) -> None:
    """Six rows of A from B, and what lies behind them there."""
    for k in range(6):
        for c in beside(m):
            A[first + k][column:][c] = B[row + k][column:][c]


@routine
def own_places(
    A: Matrix, m: Whole, C: Matrix, X: Matrix, dof: Whole, Q: Matrix, V: Matrix, start: Whole, end: Whole, W: Whole
) -> None:  # fmt: skip
    """What a joint answers to its own columns goes into its rows, and onto the path for those below."""
    put_rows(X, 12, 0, dof, dof, Q, start, start)
    put_rows(X, 12, dof, dof, dof, V, start, start)
    if end > start + dof:
        put_rows(X, 6, 0, 6, dof, A, 0, m)
        put_rows(X, 6, dof, 6, dof, A, 6, m)
        if W > 9:
            put_rows(C, 6, 0, 6, dof, A, 18, m)
            put_rows(C, 6, dof, 6, dof, A, 12, m)
        else:
            put_rows(C, 6, 0, 3, dof, A, 18, m)
            put_rows(C, 6, dof, 3, dof, A, 12, m)


@routine
def forward_rows(
    A: Matrix, T: Matrix, R: Matrix, m: Whole, dof: Whole, C: Vector, X: Matrix, Z: Vector, s: Vector, alpha_t: Vector, own_t: Vector,
    Q: Matrix, V: Matrix, M: Matrix, Tq: Matrix, Tv: Matrix, start: Whole, end: Whole, n: Whole, reach: Whole, straight: Whole,
    taken: Whole, given: Matrix, kept: Whole, area: Matrix, number: Wholes, W: Whole,
) -> None:  # fmt: skip
    """The rows of one joint, and what those that hang on it begin with. reach: how many torques count, or
    all; taken: whether A and T are those that its parent has kept."""
    if taken > 0:
        some_columns(A, 0, given, 0, 0, m)
        some_columns(A, 6, given, 6, 0, m)
        some_columns(T, 0, given, 12, 0, n)
    path_columns(A, R, m, Z, s, Q, V, start, dof, straight, number, W)
    torque_columns(T, reach, Z, s, X, Tq, Tv, M, start, dof, W)
    own_block(own_t, M, start, start, dof)
    if dof == 1:
        own_places(A, m, matrix(C, 2), X, 1, Q, V, start, end, W)
    else:
        if dof == 3:
            own_places(A, m, matrix(C, 6), X, 3, Q, V, start, end, W)
        else:
            own_places(A, m, matrix(C, 2 * dof), X, dof, Q, V, start, end, W)
    put_six(alpha_t, T, 0, start, dof)
    if kept > 0:
        behind = start + dof
        some_columns(area, 0, A, 0, 0, m + dof)
        some_columns(area, 6, A, 6, 0, m + dof)
        some_columns(area, 12, T, 0, 0, n)
        some_columns(T, 0, area, 18, behind, end - behind)
        some_columns(T, 0, area, 12, end, n - end)
        some_columns(area, 12, T, 0, behind, n - behind)


@routine
def bare_rows(
    A: Matrix, T: Matrix, R: Matrix, m: Whole, dof: Whole, C: Vector, X: Matrix, Z: Vector, s: Vector, alpha_t: Vector, own_t: Vector,
    Q: Matrix, V: Matrix, M: Matrix, Tq: Matrix, Tv: Matrix, start: Whole, end: Whole, n: Whole, reach: Whole, straight: Whole,
    taken: Whole, given: Matrix, kept: Whole, area: Matrix, number: Wholes,
) -> None:  # fmt: skip
    """W = 9."""
    forward_rows(
        A, T, R, m, dof, C, X, Z, s, alpha_t, own_t,
        Q, V, M, Tq, Tv, start, end, n, reach, straight, taken, given, kept, area, number, 9,
    )  # fmt: skip


@routine
def forced_rows(
    A: Matrix, T: Matrix, R: Matrix, m: Whole, dof: Whole, C: Vector, X: Matrix, Z: Vector, s: Vector, alpha_t: Vector, own_t: Vector,
    Q: Matrix, V: Matrix, M: Matrix, Tq: Matrix, Tv: Matrix, start: Whole, end: Whole, n: Whole, reach: Whole, straight: Whole,
    taken: Whole, given: Matrix, kept: Whole, area: Matrix, number: Wholes,
) -> None:  # fmt: skip
    """W = 18."""
    forward_rows(
        A, T, R, m, dof, C, X, Z, s, alpha_t, own_t,
        Q, V, M, Tq, Tv, start, end, n, reach, straight, taken, given, kept, area, number, 18,
    )  # fmt: skip


@routine
def answered_by(Om: Vector, B: Matrix, column: Whole, m: Whole, G: Matrix) -> None:
    """Six rows of G = -Omega B, Omega symmetric by its 21 numbers (lie/inertia.py)."""
    for c in beside(m):
        w = [B[k][column:][c] for k in range(6)]
        G[18][column:][c] = 0.0 - (Om[0] * w[0] + Om[1] * w[1] + Om[2] * w[2] + Om[6] * w[3] + Om[7] * w[4] + Om[8] * w[5])
        G[19][column:][c] = 0.0 - (Om[1] * w[0] + Om[3] * w[1] + Om[4] * w[2] + Om[9] * w[3] + Om[10] * w[4] + Om[11] * w[5])
        G[20][column:][c] = 0.0 - (Om[2] * w[0] + Om[4] * w[1] + Om[5] * w[2] + Om[12] * w[3] + Om[13] * w[4] + Om[14] * w[5])
        G[21][column:][c] = 0.0 - (Om[6] * w[0] + Om[9] * w[1] + Om[12] * w[2] + Om[15] * w[3] + Om[16] * w[4] + Om[17] * w[5])
        G[22][column:][c] = 0.0 - (Om[7] * w[0] + Om[10] * w[1] + Om[13] * w[2] + Om[16] * w[3] + Om[18] * w[4] + Om[19] * w[5])
        G[23][column:][c] = 0.0 - (Om[8] * w[0] + Om[11] * w[1] + Om[14] * w[2] + Om[17] * w[3] + Om[19] * w[4] + Om[20] * w[5])


@routine
def torques_up(
    B: Matrix, R: Matrix, Z: Vector, s: Vector, dof: Whole, W: Whole, start: Whole, below: Whole,
    kept: Whole, Omega: Vector, area: Matrix, onward: Whole,
) -> None:  # fmt: skip
    """B: what each torque below a joint does to its body; then the same of its parent. A body that branches keeps how it answers."""
    behind = start + dof
    if kept > 0:
        answered_by(Omega, B, behind, below, area)
    if onward > 0:
        for i in range(dof):
            torque_row(B, behind, below, s[6 * i :], R[i])
            R[i, below : below + 8] = 0.0  # what lies behind is others'
        for i in range(dof):
            torque_moved(B, behind, below, Z[W * i :], R[i])
        for i in range(dof):
            for k in range(6):
                B[k, start + i] = Z[W * i + k]


@routine
def copied_panel(A: Matrix, column: Whole, B: Matrix, first: Whole, m: Whole) -> None:
    """A[i, column ...] = B[column ..., i] of eight columns, for m rows i from `first` on."""
    for i in range(first, first + m):
        for k in range(8):
            A[i, column + k] = B[column + k, i]


@routine
def copied_run(A: Matrix, column: Whole, B: Matrix, first: Whole, m: Whole) -> None:
    """The same of one column."""
    for i in range(first, first + m):
        A[i, column] = B[column, i]
