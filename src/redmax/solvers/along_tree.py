"""M^-1 G' of rows along trees, on kept factors of articulated bodies: O(n) a row (Featherstone 2008, Sec. 7.3; RedMax notes Alg. 10).

    u = D - s' P_b,    P_p += P_b + U u        leaves to root: what each row does to the coordinates of a joint, and to its parent
    G M^-1 G' = sum over joints of u' Psi u    (M^-1 = T' Psi T with u = T G')
    y = Psi u lambda - U' a_p,   a_b = a_p + s y           root to leaves: the accelerations that multipliers bring

s are the twists of a joint's coordinates in world axes about the origin of their tree, U = M^ S Psi, Psi = (S' M^ S)^-1: all kept by the
sweep that reduces joints. P_b begins as minus the wrenches that rows have on body b, D as what they have on coordinates. Columns of rows
lie side by side, so that they fill vector registers.
"""

from __future__ import annotations

from redmax.program.routines.routine import routine
from redmax.program.routines.views import Matrix, Places, Vector, Whole, Wholes, dot


@routine
def put_wrench(W: Vector, P: Matrix, body: Whole, first: Whole, rows: Whole) -> None:
    """P_b -= W' of one constraint, whose rows begin with `first`."""
    for k in range(rows):
        for i in range(6):
            P[6 * body + i, first + k] -= W[6 * k + i]


@routine
def put_slope(D: Vector, X: Matrix, coordinate: Whole, dof: Whole, first: Whole, rows: Whole) -> None:
    """X += D' of one constraint and the coordinates of one joint."""
    for k in range(rows):
        for c in range(dof):
            X[coordinate + c, first + k] += D[dof * k + c]


@routine
def inward(X: Matrix, P: Matrix, m: Whole, s: Places, U: Places, first: Wholes, parent: Wholes, bodies: Whole) -> None:
    """u in place of D; coordinates first[b] to first[b + 1] are those of body b."""
    for b in reversed(range(bodies)):
        for k in range(first[b], first[b + 1]):
            for i in range(6):
                X[k, 0:m] -= s[k][i] * P[6 * b + i, 0:m]
        if parent[b] >= 0:
            for i in range(6):
                P[6 * parent[b] + i, 0:m] += P[6 * b + i, 0:m]
            for k in range(first[b], first[b + 1]):
                for i in range(6):
                    P[6 * parent[b] + i, 0:m] += U[k][i] * X[k, 0:m]


@routine
def weigh(X: Matrix, Y: Matrix, m: Whole, psi: Places, first: Wholes, bodies: Whole) -> None:
    """Y = Psi u."""
    for b in range(bodies):
        d = first[b + 1] - first[b]
        for k in range(d):
            Y[first[b] + k, 0:m] = psi[b][d * k] * X[first[b], 0:m]
            for c in range(1, d):
                Y[first[b] + k, 0:m] += psi[b][d * k + c] * X[first[b] + c, 0:m]


@routine
def gram(X: Matrix, Y: Matrix, A: Matrix, n: Whole, m: Whole) -> None:
    """A = X' Y."""
    for i in range(m):
        A[i, 0:m] = 0.0
    for k in range(n):
        for i in range(m):
            A[i, 0:m] += X[k, i] * Y[k, 0:m]


@routine
def outward(
    Y: Matrix, x: Vector, m: Whole, a: Matrix, s: Places, U: Places, y: Places, alone: Places,
    first: Wholes, row: Wholes, parent: Wholes, bodies: Whole,
) -> None:  # fmt: skip
    """alone = and y += what multipliers x bring. row: of Y of each coordinate, or -1 where no row reaches; a: (bodies, 6)."""
    for b in range(bodies):
        if parent[b] >= 0:
            a[b, 0:6] = a[parent[b], 0:6]
        else:
            a[b, 0:6] = 0.0
        for k in range(first[b], first[b + 1]):
            v = 0.0
            if parent[b] >= 0:
                v -= dot(U[k][0:6], a[parent[b], 0:6])
            if row[k] >= 0:
                v += dot(Y[row[k], 0:m], x[0:m])
            alone[k][0] = v
            y[k][0] += v
            a[b, 0:6] += v * s[k][0:6]


@routine
def transmit(P: Matrix, U: Matrix, s: Matrix, x: Vector, a: Vector, tau: Vector, body: Whole, dof: Whole, m: Whole, held: Whole) -> None:
    """tau of a joint whose motion is given += S' (M^ a + P x), what it then takes beside. U = M^ S; held: whether rows reach its body."""
    for k in range(dof):
        tau[k] += dot(U[k, 0:6], a[0:6])
        if held > 0:
            for i in range(6):
                tau[k] += s[k, i] * dot(P[6 * body + i, 0:m], x[0:m])


@routine
def take_from(D: Matrix, x: Vector, tau: Vector, m: Whole, dof: Whole) -> None:
    """tau -= D' x: what rows do on the coordinates themselves."""
    for k in range(m):
        for c in range(dof):
            tau[c] -= D[k, c] * x[k]


@routine
def carry(a: Matrix, s: Places, y: Places, first: Wholes, parent: Wholes, bodies: Whole) -> None:
    """a_b = a_p + s y: accelerations of bodies, in world axes about the origin of their tree."""
    for b in range(bodies):
        if parent[b] >= 0:
            a[b, 0:6] = a[parent[b], 0:6]
        else:
            a[b, 0:6] = 0.0
        for k in range(first[b], first[b + 1]):
            a[b, 0:6] += y[k][0] * s[k][0:6]
