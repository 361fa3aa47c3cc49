"""The reduced system of RedMax as a matrix, filled from J and solved by routines over the relation (body, columns that move it).

    A_ab = sum over bodies of J_a . M J_b = J_a . I S_b,    f_a = S_a . F             (RedMax supplement Eq. 12; F = f - M Jdot qdot)
    A += h D - h^2 K of the joints themselves, and J_i' (h D - h^2 K)_ij J_j of forces between bodies (RedMax notes Eq. 2.75)

J_a is zero but for the bodies below coordinate a. Those below b, if a is b or above it, move as one, with the inertia I and the force F of
them all: J_a is taken where b is. Coordinates whose acceleration is given come last: x_u = A_uu^-1 (f_u - A_up x_p), and (A x - f)_p is the
torque that they take.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from redmax.dynamics.redmax.forces import add_impedance
from redmax.model.model import Model
from redmax.program.program import ProgramStage
from redmax.program.routines.call import Addresses, Call, Data
from redmax.program.routines.routine import routine
from redmax.program.routines.views import Matrix, Vector, Whole, Wholes, dot
from redmax.solvers.elimination import move_given, multiply
from redmax.solvers.pivoted import eliminate
from redmax.solvers.reduced_matrix import ReducedMatrix, add_block, add_entries, clear, copy


@routine
def put_inertia(
    J: Matrix, IS: Vector, A: Matrix, dof: Whole, count: Whole, runs: Whole, number: Wholes, first: Wholes, stop: Wholes
) -> None:
    """The rows and columns of A of one joint's coordinates, with those of all that move it. Columns of J: those of its own are the last.

    runs: of columns, from first to stop, whose numbers in A follow each other
    """
    for d in range(dof):
        row, c = number[count - dof + d], [IS[6 * d + k] for k in range(6)]
        for r in range(runs):
            i, n = first[r], stop[r] - first[r]
            k = number[i]
            A[row, k : k + n] = (
                c[0] * J[0, i : i + n] + c[1] * J[1, i : i + n] + c[2] * J[2, i : i + n]
                + c[3] * J[3, i : i + n] + c[4] * J[4, i : i + n] + c[5] * J[5, i : i + n]
            )  # fmt: skip
        for a in range(count - dof):
            A[number[a], row] = A[row, number[a]]


@routine
def add(source: Vector, target: Vector, n: Whole) -> None:
    """target += source."""
    target[0:n] += source[0:n]


@routine
def subtract(source: Vector, target: Vector, n: Whole) -> None:
    """target -= source."""
    target[0:n] -= source[0:n]


@routine
def subtract_product(A: Matrix, x: Vector, y: Vector, n: Whole, m: Whole) -> None:
    """y -= A x."""
    for i in range(n):
        y[i] -= dot(A[i, 0:m], x[0:m])


@routine
def subtract_given(G: Matrix, x: Vector, g: Vector, m: Whole, free: Whole, n: Whole) -> None:
    """g -= G_p x_p, of the unknowns from `free` on."""
    for k in range(m):
        g[k] -= dot(G[k, free:n], x[free:n])


@dataclass(frozen=True, eq=False)
class DenseSystem:
    """A x = f + given for one model, in fields that `terms` has filled. columns: the name of J; implicit: with forces' impedance."""

    model: Model
    implicit: bool
    columns: str

    @cached_property
    def matrix(self) -> ReducedMatrix:
        """The order of its unknowns."""
        return ReducedMatrix(tuple(link.joint.dof for link in self.model.links), tuple(self.model.prescribed))

    @property
    def n(self) -> int:
        """Coordinates of the joints."""
        return self.matrix.n

    @property
    def free(self) -> int:
        """Those whose acceleration is to be found."""
        return self.matrix.free

    @property
    def symmetric(self) -> bool:
        """Whether A is: an exact stiffness need not be."""
        return not (self.implicit and any(f.implicit and f.stiffness_kind == "exact" for f in self.model.forces))

    @property
    def stiff(self) -> bool:
        """Whether forces add to A."""
        return self.implicit and bool(self.model.acting)

    @property
    def A(self) -> Data:
        """(n, n)."""
        return Data("A", self.n, self.n)

    @property
    def f(self) -> Data:
        """J' F."""
        return Data("f", self.n)

    @property
    def x(self) -> Data:
        """The right side, and then the accelerations."""
        return Data("accelerations", self.n)

    @property
    def y(self) -> Data:
        """A x, of the coordinates whose x is given."""
        return Data("y", self.n)

    def assemble(self, bias: Data | None = None) -> tuple[ProgramStage, ...]:
        """A and f. bias: what accelerations are without those that are sought, (n,)."""
        A, f, n = self.A, self.f, self.n
        stages: list[ProgramStage] = [
            Call(clear, lambda at: [(at[A], A.size)] if n else [], (A,)),
            Call(put_inertia, self.inertia_rows, (A,)),
            Call(copy, lambda at: self.field_rows(at, "generalised", f), (f,)),
            *([Call(add_block, lambda at: self.block_rows(at, "rotor"), (A,))] if self.model.has_rotors else []),
        ]
        if bias is not None:
            stages.append(Call(subtract_product, lambda at: [(A, bias, f, n, n)], (A, bias, f)))
        if self.implicit:
            stages.append(Call(add_block, lambda at: self.block_rows(at, "block"), (A,)))
        if self.stiff:
            stages.append(Call(add_impedance, self.impedance_rows, (A,)))
            stages.append(Call(add_entries, self.coordinate_rows, (A,)))
        return tuple(stages)

    def right_side(self) -> tuple[Call, ...]:
        """x = f + the joints' own forces, and the accelerations that are given."""
        f, x = self.f, self.x
        given = Call(copy, lambda at: self.field_rows(at, "given", x), (x,))
        return given, Call(add, lambda at: [(f, x, self.free)], (x, f))

    def solve(self) -> tuple[Call, ...]:
        """qddot and, of coordinates whose acceleration is given, A qddot - f as `product`."""
        A, x, n, free = self.A, self.x, self.n, self.free
        held = free < n
        calls = [*self.right_side(), Call(move_given, lambda at: [(A, x, free, n)] if held else [], (A, x))]
        calls += eliminate(A, x, free, self.symmetric)
        calls.append(Call(copy, lambda at: [(b, a, d) for a, b, d in self.field_rows(at, "qddot", x)], (x,)))
        return (*calls, *(self.products() if held else ()))

    def products(self) -> tuple[Call, ...]:
        """What the coordinates take whose acceleration is given."""
        A, f, x, y, n, free = self.A, self.f, self.x, self.y, self.n, self.free
        return (
            Call(multiply, lambda at: [(A, x, y, free, n)], (A, x, y)),
            Call(subtract, lambda at: [(at[f] + free, at[y] + free, n - free)], (f, y)),
            Call(copy, lambda at: [(b, a, d) for a, b, d in self.field_rows(at, "product", y, given=True)], (y,)),
        )

    def numbers(self, at: Addresses, i: int) -> list[int]:
        """Where the columns that move body i stand in A, in the order in which they are stored."""
        start, dofs = self.matrix.start, self.matrix.dofs
        return [start[a] + c for a in reversed(at.tree.ancestors(i)) for c in range(dofs[a])]

    def J(self, at: Addresses, i: int) -> tuple[int, int]:
        """The matrix of the columns that move body i."""
        return at.columns(self.columns, i)

    def inertia_rows(self, at: Addresses) -> list[tuple[Any, ...]]:
        """One row for each joint that moves."""
        rows: list[tuple[Any, ...]] = []
        for i, dof in enumerate(self.matrix.dofs):
            number = self.numbers(at, i)
            cuts = [k for k in range(1, len(number)) if number[k] != number[k - 1] + 1]
            first, stop = [0, *cuts], [*cuts, len(number)]
            if dof:
                rows.append((self.J(at, i), at.field(i, "IS_columns"), self.A, dof, len(number), len(first), number, first, stop))
        return rows

    def block_rows(self, at: Addresses, field: str) -> list[tuple[Any, ...]]:
        """One row for each joint that moves; of a field of its own block."""
        start, leading = self.matrix.start, self.A.leading
        dofs = enumerate(self.matrix.dofs)
        return [(at.field(j, field), (at[self.A] + (leading + 1) * start[j], leading), d) for j, d in dofs if d]

    def impedance_rows(self, at: Addresses) -> list[tuple[Any, ...]]:
        """One row for each body that a force touches, and for each pair that one couples."""
        own = [(i, i, at.field(i, "own")) for i in at.touched]
        rows: list[tuple[Any, ...]] = []
        for i, j, Z in [*own, *[(i, j, at.block(i, j)) for i, j in at.pairs if min(i, j) >= 0]]:
            left, right = self.numbers(at, i), self.numbers(at, j)
            bodies = [matrix for k in (i, j) for matrix in ((at.field(k, "R"), 3), self.J(at, k))]
            rows.append(((Z, 6), *bodies, self.A, len(left), len(right), left, right))
        return rows

    def coordinate_rows(self, at: Addresses) -> list[tuple[Any, ...]]:
        """Of `add_entries`, in A."""
        return [(Z, self.A, *rest) for Z, _, *rest in self.matrix.coordinate_rows(at)]

    def field_rows(self, at: Addresses, name: str, vector: Data, given: bool = False) -> list[tuple[int, int, int]]:
        """(field, place in a vector, how many) of each joint. given: of those alone whose acceleration is."""
        m = self.matrix
        joints = [j for j, d in enumerate(m.dofs) if d and (m.known[j] or not given)]
        return [(at.field(j, name), at[vector] + m.start[j], m.dofs[j]) for j in joints]
