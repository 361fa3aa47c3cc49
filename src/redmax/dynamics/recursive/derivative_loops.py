"""Loops over the columns of derivatives: what the coordinates above a body do to its row, and what those below do.

A stack holds a column of each coordinate on the path to the body at hand, root first, quantity by quantity: eight columns fill a vector
register. No matrix is multiplied by another.
"""

from __future__ import annotations

from redmax.program.routines.routine import routine
from redmax.program.routines.views import Matrix, Vector, Whole, Wholes, beside, dot

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
def bare_path(A: Matrix, N: Vector, m: Whole, q: Vector, v: Vector, a: Vector) -> None:
    """d tau of one coordinate by those above it: N = s' N of all that it moves, W = 9."""
    for c in beside(m):
        s = [A[12 + k, c] for k in range(6)]
        q[c] = dot(N[0:6], [A[k, c] for k in range(6)]) + dot(N[6:9], [A[18 + k, c] for k in range(3)])
        v[c] = dot(N[0:6], [A[6 + k, c] for k in range(6)]) + dot(N[6:9], [s[k] for k in range(3)])
        a[c] = dot(N[0:6], s)


@routine
def forced_path(A: Matrix, N: Vector, m: Whole, q: Vector, v: Vector, a: Vector) -> None:
    """The same where forces act on bodies, W = 18."""
    for c in beside(m):
        s = [A[12 + k, c] for k in range(6)]
        carried = dot(N[6:12], [A[18 + k, c] for k in range(6)]) + dot(N[12:18], s)
        q[c] = dot(N[0:6], [A[k, c] for k in range(6)]) + carried
        v[c] = dot(N[0:6], [A[6 + k, c] for k in range(6)]) + dot(N[6:12], s)
        a[c] = dot(N[0:6], s)


@routine
def path_row(A: Matrix, N: Vector, m: Whole, q: Vector, v: Vector, a: Vector, W: Whole) -> None:
    """Either."""
    if W > 9:
        forced_path(A, N, m, q, v, a)
    else:
        bare_path(A, N, m, q, v, a)


@routine
def rest_of_row(B: Matrix, first: Whole, s: Vector, m: Whole, q: Vector, v: Vector, a: Vector) -> None:
    """d tau of one coordinate by m others that hang on it: s . (N chi + s x* F) of each, the columns of B from `first` on."""
    for c in beside(m):
        q[c] = dot(s[0:6], [B[k][first:][c] for k in range(6)])
        v[c] = dot(s[0:6], [B[6 + k][first:][c] for k in range(6)])
        a[c] = dot(s[0:6], [B[12 + k][first:][c] for k in range(6)])


@routine
def inverse_rows(
    A: Matrix, B: Matrix, R: Matrix, m: Whole, dof: Whole, phi_q: Vector, phi_v: Vector, s: Vector, psi: Vector, N: Vector,
    own_q: Vector, own_v: Vector, own_a: Vector, Q: Matrix, V: Matrix, M: Matrix, start: Whole, first: Whole, below: Whole,
    straight: Whole, number: Wholes, W: Whole,
) -> None:  # fmt: skip
    """The rows of one joint: by the m coordinates of its path, on the stack A; its own; and those that hang on it, columns of B."""
    for c in range(dof):
        i = start + c
        if straight > 0:
            path_row(A, N[W * c :], m, Q[i], V[i], M[i], W)
        else:
            path_row(A, N[W * c :], m, R[0], R[1], R[2], W)
            spread(R[0], Q[i], m, number)
            spread(R[1], V[i], m, number)
            spread(R[2], M[i], m, number)
        behind = start + dof
        rest_of_row(B, first + dof, s[6 * c :], below, Q[i][behind:], V[i][behind:], M[i][behind:])
    own_block(own_q, Q, start, start, dof)
    own_block(own_v, V, start, start, dof)
    own_block(own_a, M, start, start, dof)
    put_six(phi_q, A, 0, m, dof)
    put_six(phi_v, A, 6, m, dof)
    put_six(s, A, 12, m, dof)
    put_six(psi, A, 18, m, dof)


@routine
def bare_inverse_rows(
    A: Matrix, B: Matrix, R: Matrix, m: Whole, dof: Whole, phi_q: Vector, phi_v: Vector, s: Vector, psi: Vector, N: Vector,
    own_q: Vector, own_v: Vector, own_a: Vector, Q: Matrix, V: Matrix, M: Matrix, start: Whole, first: Whole, below: Whole,
    straight: Whole, number: Wholes,
) -> None:  # fmt: skip
    """W = 9."""
    inverse_rows(A, B, R, m, dof, phi_q, phi_v, s, psi, N, own_q, own_v, own_a, Q, V, M, start, first, below, straight, number, 9)


@routine
def forced_inverse_rows(
    A: Matrix, B: Matrix, R: Matrix, m: Whole, dof: Whole, phi_q: Vector, phi_v: Vector, s: Vector, psi: Vector, N: Vector,
    own_q: Vector, own_v: Vector, own_a: Vector, Q: Matrix, V: Matrix, M: Matrix, start: Whole, first: Whole, below: Whole,
    straight: Whole, number: Wholes,
) -> None:  # fmt: skip
    """W = 18."""
    inverse_rows(A, B, R, m, dof, phi_q, phi_v, s, psi, N, own_q, own_v, own_a, Q, V, M, start, first, below, straight, number, 18)
