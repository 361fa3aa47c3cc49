"""A symmetric matrix that has the zeros of a tree: H = L' D L without fill-in (Featherstone, Rigid Body Dynamics Algorithms, Table 6.3).

    H_ij = 0 unless one of i, j is above the other;   parent[i] < i is the unknown above i, -1 at a root

Elimination goes from the leaves to the roots. Each unknown changes the rows of those above it alone, so that L has the zeros of H and the
work is the sum of squared depths. Below the diagonal stands L then, on it D; what is above it is neither read nor written.
"""

from __future__ import annotations

from redmax.program.routines.routine import routine
from redmax.program.routines.views import Matrix, Vector, Whole, Wholes


@routine
def factor_tree(H: Matrix, n: Whole, parent: Wholes) -> None:
    """L and D in place of H."""
    for k in reversed(range(n)):
        i = parent[k]
        while i >= 0:
            a = H[k, i] / H[k, k]
            j = i
            while j >= 0:
                H[i, j] -= a * H[k, j]
                j = parent[j]
            H[k, i] = a
            i = parent[i]


@routine
def solve_tree(H: Matrix, b: Vector, n: Whole, parent: Wholes) -> None:
    """x of L' D L x = b in place of b."""
    for k in reversed(range(n)):
        i = parent[k]
        while i >= 0:
            b[i] -= H[k, i] * b[k]
            i = parent[i]
    for k in range(n):
        b[k] /= H[k, k]
        i = parent[k]
        while i >= 0:
            b[k] -= H[k, i] * b[i]
            i = parent[i]
