"""What forces add to the system of an implicit step: J^T (h D - h^2 K) J (RedMax notes Eq. 2.75)."""

from __future__ import annotations

from redmax.program.routines.routine import routine
from redmax.program.routines.views import Matrix, Whole, Wholes, dot


@routine
def add_impedance(
    Z: Matrix, R: Matrix, J: Matrix, Q: Matrix, K: Matrix, A: Matrix, left: Whole, right: Whole, rows: Wholes, columns: Wholes
) -> None:
    """J' Z K of two bodies, with Z in world axes; R and Q: their axes in the world, J and K: their columns."""
    for b in range(right):
        w = [dot(Q[i, 0:3], K[0:3, b]) for i in range(3)]
        v = [dot(Q[i, 0:3], K[3:6, b]) for i in range(3)]
        n = [dot(Z[i, 0:3], w) + dot(Z[i, 3:6], v) for i in range(3)]
        f = [dot(Z[3 + i, 0:3], w) + dot(Z[3 + i, 3:6], v) for i in range(3)]
        torque = [dot(R[0:3, i], n) for i in range(3)]
        force = [dot(R[0:3, i], f) for i in range(3)]
        for a in range(left):
            A[rows[a], columns[b]] += dot(J[0:3, a], torque) + dot(J[3:6, a], force)
