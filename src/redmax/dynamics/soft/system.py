"""Implicit steps of a scene with deformables: joints and free nodes are one sparse system (RedMax notes Eqs. 2.83-2.88 with 2.75).

    [ A_rr + J_a' Z_aa J_a    J_a' Z_af  ] [ a_r ]     [ f_r + J_a' h K v ]
    [ Z_fa J_a                M_f + Z_ff ] [ a_f ]  =  [ f_f + h K v      ]       Z = h D - h^2 K of the elements

A_rr is what joints, bodies and forces give (recursive/forces.py), with the masses of attached nodes; J_a takes the joints' rates to the
velocities of attached nodes. Elements add Z and h K v where they act. Coordinates whose acceleration is given come last in A_rr, as in
solvers/reduced_matrix.py, and are moved to the right sides.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from redmax.dynamics.recursive import forces as coupled
from redmax.dynamics.redmax.dense import subtract_given
from redmax.dynamics.soft.borders import (
    add_attached,
    add_border,
    add_diagonal,
    add_part,
    add_products,
    add_transposed,
)
from redmax.dynamics.soft.forces import Pattern
from redmax.dynamics.soft.joints import PointColumns, point_columns
from redmax.dynamics.soft.solve import UNSOLVED, Target, chosen_solver
from redmax.model.model import Model
from redmax.program.fields import Fields
from redmax.program.program import ProgramStage
from redmax.program.routines.call import Addresses, Call, Data
from redmax.solvers.elimination import move_given, multiply
from redmax.solvers.reduced_matrix import ReducedMatrix, clear, copy

Starts = Mapping[int, int] | Sequence[int]


@dataclass(frozen=True, eq=False)
class SoftSystem:
    """The system of one model. solver: "auto", "direct" or "cg"."""

    model: Model
    solver: str = "auto"

    @cached_property
    def pattern(self) -> Pattern:
        """Which nodes meet."""
        return Pattern(self.model)

    @cached_property
    def H(self) -> ReducedMatrix:
        """A_rr, and b: f_r, then a_r."""
        rigid = self.pattern.rigid
        return ReducedMatrix(tuple(link.joint.dof for link in self.model.links[:rigid]), tuple(self.model.prescribed[:rigid]))

    @cached_property
    def columns(self) -> PointColumns:
        """J_a."""
        return PointColumns("J of attached nodes", self.H, self.model, list(self.pattern.carriers.values()))

    @cached_property
    def point(self) -> dict[int, int]:
        """Attached nodes, counted."""
        return {node: k for k, node in enumerate(self.pattern.carriers)}

    @property
    def C(self) -> Data:
        """(3 bordering nodes, coordinates)."""
        return Data("C", 3 * len(self.pattern.bordering), self.H.n)

    @property
    def f(self) -> Data:
        """f_f, (3 free nodes,)."""
        return Data("f of nodes", 3 * self.nodes)

    @property
    def nodes(self) -> int:
        """Free ones."""
        return len(self.pattern.free)

    @property
    def joints(self) -> int:
        """The group of the coordinates whose acceleration is unknown."""
        return self.nodes

    @cached_property
    def sizes(self) -> list[int]:
        """Unknowns of nodes, and of all coordinates together."""
        return [*[3] * self.nodes, *([self.H.free] if self.H.free else [])]

    @cached_property
    def edges(self) -> np.ndarray:
        """The groups that meet."""
        p = self.pattern
        pairs = [(p.group[a], p.group[b]) for a, b in p.between_free if a < b]
        pairs += [(p.group[node], self.joints) for node in dict.fromkeys((*p.bordering, *self.meeting))] if self.H.free else []
        return np.array(pairs, int).reshape(-1, 2)

    @cached_property
    def meeting(self) -> list[int]:
        """Free nodes that may touch bodies, whose coordinates contact borders them with."""
        group = self.pattern.group
        pairs = self.model.contact_pairs if self.model.touches else ()
        return [s.body for pair in pairs for s, other in (pair, pair[::-1]) if s.body in group and s.node >= 0 and other.body >= 0]

    def stages(self) -> tuple[ProgramStage, ...]:
        """Fill the joints' part of the system while the elements add theirs, then the borders, and solve."""
        assemble = self.H.assemble("twist", "momentum", "block", "own")
        solve = chosen_solver(self.solver, self).stages()
        return *self.H.clear(), coupled.fill(), *assemble, *self.attach(), *self.right_sides(), *solve, *self.results()

    def attach(self) -> tuple[Call, ...]:
        """J_a, then what attached nodes add to A and C."""
        p, C, J, H = self.pattern, self.C, self.columns.J, self.H

        def border(at: Addresses) -> list[tuple[Any, ...]]:
            rows: list[tuple[Any, ...]] = []
            for a, b in p.to_attached:
                numbers = self.columns.numbers(at, self.point[b])
                rows.append(((at.block(a, b), 3), self.columns.matrix(at, self.point[b]), self.border(at, a), len(numbers), numbers))
            return rows

        def attached(at: Addresses) -> list[tuple[Any, ...]]:
            rows: list[tuple[Any, ...]] = []
            for a, b in p.between_attached:
                left, right = (self.columns.numbers(at, self.point[i]) for i in (a, b))
                matrices = (self.columns.matrix(at, self.point[i]) for i in (a, b))
                rows.append(((at.block(a, b), 3), *matrices, H.H, len(left), len(right), left, right))
            return rows

        return (
            Call(point_columns, lambda at: [self.columns.row(at, k, at.field(node, "x")) for node, k in self.point.items()], (J,)),
            Call(clear, lambda at: [(at[C], C.size)] if C.size else [], (C,)),
            Call(add_border, border, (C, J)),
            Call(add_attached, attached, (H.H, J)),
        )

    def border(self, at: Addresses, node: int) -> tuple[int, int]:
        """The rows of C of a free node."""
        return at[self.C] + 3 * self.pattern.bordering[node] * self.C.leading, self.C.leading

    def right_sides(self) -> tuple[Call, ...]:
        """b and f, without what is given."""
        H, f, C = self.H, self.f, self.C

        def of_nodes(at: Addresses) -> list[tuple[int, ...]]:
            return [(at.field(node, "right"), at[f] + 3 * g, 3) for node, g in self.pattern.group.items()]

        def known(at: Addresses) -> list[tuple[Any, ...]]:
            nodes = self.pattern.bordering if H.free < H.n else ()
            return [(self.border(at, i), at[H.b], at[f] + 3 * self.pattern.group[i], 3, H.free, H.n) for i in nodes]

        return (
            H.inward("right", "given"),
            Call(copy, of_nodes, (f,)),
            Call(move_given, lambda at: [(H.H, H.b, H.free, H.n)] if H.free < H.n else [], (H.H, H.b)),
            Call(subtract_given, known, (C, H.b, f)),
        )

    def fill(self, target: Target) -> tuple[Call, ...]:
        """All entries of the system."""
        p, H, C = self.pattern, self.H, self.C

        def blocks(at: Addresses) -> list[tuple[Any, ...]]:
            pairs = [(a, b, p.group[a], p.group[b]) for a, b in p.between_free]
            return [((at.block(a, b), 3), target.entry(at, i, k), 3, 3) for a, b, i, k in pairs if target.holds(i, k)]

        def masses(at: Addresses) -> list[tuple[Any, ...]]:
            return [(at.field(node, "momentum") + 3, target.entry(at, g, g)) for node, g in p.group.items()]

        def borders(at: Addresses) -> list[tuple[Any, ...]]:
            nodes = [(node, p.group[node]) for node in (p.bordering if H.free else ())]
            return [(self.border(at, node), target.entry(at, g, self.joints), 3, H.free) for node, g in nodes]

        def transposed(at: Addresses) -> list[tuple[Any, ...]]:
            nodes = [(node, p.group[node]) for node in (p.bordering if H.free else ()) if target.holds(self.joints, p.group[node])]
            return [(self.border(at, node), target.entry(at, self.joints, g), H.free, 3) for node, g in nodes]

        def corner(at: Addresses) -> list[tuple[Any, ...]]:
            return [(H.H, target.entry(at, self.joints, self.joints), H.free, H.free)] if H.free else []

        calls = (Call(add_part, lambda at: [*blocks(at), *borders(at), *corner(at)], (C, H.H)), Call(add_diagonal, masses))
        return *calls, Call(add_transposed, transposed, (C,))

    def inward(self, x: Data, start: Starts) -> tuple[Call, ...]:
        """The right side, group by group."""
        return (Call(copy, lambda at: [(place, at[x] + start[g], n) for g, place, n in self.parts(at)], (x, *self.right)),)

    def outward(self, x: Data, start: Starts) -> tuple[Call, ...]:
        """The solution, in place of the right side."""
        return (Call(copy, lambda at: [(at[x] + start[g], place, n) for g, place, n in self.parts(at)], (x, *self.right)),)

    @property
    def right(self) -> tuple[Data, ...]:
        """Of nodes and coordinates."""
        return self.f, self.H.b

    def parts(self, at: Addresses) -> list[tuple[int, int, int]]:
        """(group, where its right side is, how many numbers)."""
        found = [(g, at[self.f] + 3 * g, 3) for g in range(self.nodes)]
        return found + ([(self.joints, at[self.H.b], self.H.free)] if self.H.free else [])

    def results(self) -> tuple[ProgramStage, ...]:
        """qddot and, of coordinates whose acceleration is given, what they take."""
        H, f, C, held = self.H, self.f, self.C, self.H.free < self.H.n
        group, bordering = self.pattern.group, self.pattern.bordering

        def of_nodes(at: Addresses) -> list[tuple[int, ...]]:
            return [(at[f] + 3 * g, at.field(node, "qddot"), 3) for node, g in group.items()]

        def borders(at: Addresses) -> list[tuple[Any, ...]]:
            return [(self.border(at, i), at[f] + 3 * group[i], H.y, H.free, H.n) for i in bordering]

        found = H.outward("qddot"), Call(copy, of_nodes, (f,))
        if not held:
            return found
        taken = Call(multiply, lambda at: [(H.H, H.b, H.y, H.free, H.n)], (H.H, H.b, H.y)), Call(add_products, borders, (C, f, H.y))
        return *found, *taken, H.products("product"), coupled.torques


def fields(model: Model, **extra: Any) -> Fields:
    """As of coupled forces, with a flag for solvers that may fail."""
    found = coupled.coupled_fields(model, **extra)
    return replace(found, world={**found.world, UNSOLVED: 1})


def stages(model: Model, solver: str) -> tuple[ProgramStage, ...]:
    """An implicit step."""
    return SoftSystem(model, solver).stages()
