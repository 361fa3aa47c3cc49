"""How inverse dynamics changes with q, qdot and qddot, for all coordinates at once: O(n) along the tree, and a few sums for each pair.

    d tau_a / dx_c = s_a . (N chi_c + s_c x* F)     a: coordinates of ancestors of c's joint        (N, F: of all that c moves)
    d tau_k / dx_c = (s_k' N) . chi_c               k: coordinates of descendants                   (N: of all that k moves)
    M_ak = s_a . I s_k

(after Singh, Russell and Wensing, IEEE RA-L 7, 2022; chi by q and by qdot from state_columns.py, of any joint as it is traced.) A force
between bodies i and j adds s_a' [D, -K] (psi_c; s_c) for all that move them.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

import numpy as np

from redmax.dynamics.common.kinematics import passive_torque, pushed, rotor_torque, with_rotor
from redmax.dynamics.recursive.derivative_layout import EIGHT, Entries, Layout, Rows, TreeColumns, rounded
from redmax.dynamics.recursive.derivative_loops import BELOW, STACK, bare_columns, bare_inverse_rows, forced_columns, forced_inverse_rows
from redmax.dynamics.recursive.derivative_pairs import Coupled
from redmax.dynamics.recursive.linearised import BARE, changes
from redmax.dynamics.recursive.state_columns import (
    beside,
    body_terms,
    carried_columns,
    chi_rest,
    move_in_world,
    phi_columns,
    row_slopes,
    state_fields,
    width,
)
from redmax.lie import Inertia
from redmax.model.model import Model
from redmax.program.fields import Fields
from redmax.program.program import Program, ProgramStage
from redmax.program.record import JointView, ParentView, WorldView
from redmax.program.routines.call import Addresses, Call, Data
from redmax.program.sweep import Part, Recursion, backward, forward, interactions, recursion

PARTS = ("d tau by q", "d tau by qdot", "d tau by qddot")
SCRATCH = Rows("columns of a hinge", 6, 3)


@lru_cache(maxsize=8)
def composed(W: int) -> Recursion:
    """s, chi, N and s x* F of each coordinate, in world axes about the origins of trees; and what is the joints' own."""

    @forward
    def move(j: JointView, p: ParentView, w: WorldView) -> None:
        j.S = move_in_world(j, p, w).S
        j.Vdot = p.Vdot + j.eta_w + j.s @ j.qddot
        phi_q, phi_v = phi_columns(j, p, w, j.Vdot)
        none = 0.0 * j.s
        j.columns = beside([phi_q, *chi_rest(j.psi_w, j.s, W)], [phi_v, *chi_rest(j.s, none, W)], [j.s, *chi_rest(none, none, W)])
        if "psi" in j:
            j.twist, j.psi = j.s.T.ravel(), j.psi_w.T.ravel()
        if changes(j):
            j.own_damping, j.own_stiffness = np.zeros(36), np.zeros(36)

    @backward
    def compose(j: JointView, p: ParentView, w: WorldView) -> None:
        s, n, own = j.s, j.joint.dof, body_terms(j, w, W)
        inertia, P = own.inertia + Inertia.from_flat(j.M_hat), own.P + j.P_hat.reshape(6, W - 6)
        F = (own.inertia @ j.Vdot) + own.B + j.F_hat
        p.M_hat += inertia
        p.P_hat += P.ravel()
        p.F_hat += F
        j.tau = s.T @ F - passive_torque(j, w) - pushed(j) + rotor_torque(j, j.S, j.qddot)
        slopes_q, slopes_v = row_slopes(j, w, F)
        j.own = np.concatenate([slopes_q, slopes_v, with_rotor(np.zeros((n, n)).astype(object), j, j.S)]).ravel()
        j.carried, j.M_kept, j.P_kept = carried_columns(s, F).ravel(), inertia, P.ravel()

    return recursion(move, interactions(Part.WRENCH), interactions(Part.NEWTON), compose, name=f"inverse derivatives {W}")


@dataclass(frozen=True, eq=False)
class InverseProgram:
    """The program of one model. Its outputs are tau, and (n, n) each by q, by qdot and by qddot."""

    model: Model
    wrench: bool

    @cached_property
    def layout(self) -> Layout:
        """Where the entries lie."""
        return Layout(self.model, related=True)

    @cached_property
    def W(self) -> int:
        """Of state_columns.py."""
        return width(self.model)

    @cached_property
    def matrices(self) -> list[Entries]:
        """By q, by qdot, by qddot."""
        return [self.layout.matrix(name) for name in PARTS]

    @cached_property
    def coupled(self) -> Coupled | None:
        """The same of all coordinates, where forces couple bodies."""
        return Coupled(self.layout, self.matrices, forward=False) if self.layout.coupled else None

    @property
    def stack(self) -> Rows:
        """The columns of the path."""
        return Rows("columns of the path", STACK, max((tree.depth for tree in self.layout.trees), default=0))

    @property
    def below(self) -> Rows:
        """What derivative_loops.own_columns finds, of all coordinates, tree by tree."""
        return Rows("columns of the tree", BELOW, sum(rounded(tree.n) for tree in self.layout.trees))

    @cached_property
    def program(self) -> Program:
        """All of it."""
        inputs = ("q", "qdot", "qddot", "t", *(("wrench",) * self.wrench))
        return Program(f"inverse derivatives {self.wrench}", self.all_stages, self.fields, inputs, ("tau", *PARTS))

    @property
    def all_stages(self) -> tuple[ProgramStage, ...]:
        """From the state to the matrices."""
        if self.coupled is None:
            return composed(self.W), *self.stages
        return *self.coupled.before(), composed(self.W), *self.stages, *self.coupled.stages()

    @property
    def fields(self) -> Fields:
        """What joints keep."""
        kept: dict[str, Any] = {"columns": f"{3 * self.W}v", "carried": "6v", "own": "3vv", "M_kept": 21, "P_kept": 6 * (self.W - 6)}
        kept |= {"twist": "6v", "psi": "6v"} if self.coupled else {}
        up = {"F_hat": 6, "M_hat": 21, "P_hat": 6 * (self.W - 6)}
        return state_fields(self.model, kept, up, {}, self.wrench)

    @cached_property
    def stages(self) -> tuple[ProgramStage, ...]:
        """From what joints keep to the matrices."""
        data = (*self.matrices, self.stack, self.below, self.own, SCRATCH)
        columns, rows = (bare_columns, bare_inverse_rows) if self.W == BARE else (forced_columns, forced_inverse_rows)
        return Call(columns, self.columns_below, data), Call(rows, self.joint_rows, data)

    def moving(self) -> list[tuple[int, int, TreeColumns, int]]:
        """Each joint with its tree, where its matrix begins, and where its columns among those of all trees."""
        found: list[tuple[int, int, TreeColumns, int]] = []
        first = 0
        for tree, at in zip(self.layout.trees, self.layout.first, strict=False):
            found += [(j, at, tree, first) for j in tree.joints if tree.dofs[j]]
            first += rounded(tree.n)
        return found

    def columns_below(self, at: Addresses) -> list[tuple[Any, ...]]:
        """What all that hangs on a coordinate does to it, and the joints' own rows."""
        rows: list[tuple[Any, ...]] = []
        for j, _, tree, first in self.moving():
            dof = tree.dofs[j]
            fields = [at.field(j, name) for name in ("columns", "M_kept", "P_kept", "carried", "own")]
            rows.append((*fields, dof, self.below, first + tree.start[j], self.own_rows(at, j), SCRATCH))
        return rows

    def joint_rows(self, at: Addresses) -> list[tuple[Any, ...]]:
        """Depth first, as the stack asks."""
        rows: list[tuple[Any, ...]] = []
        for j, begin, tree, first in self.moving():
            dof, start = tree.dofs[j], tree.start[j]
            columns = at.field(j, "columns")
            matrices = [(at[x] + begin, self.layout.leading(tree)) for x in self.matrices]
            places = start, first + start, tree.end[j] - start - dof
            rows.append((self.stack, self.below, self.own_rows(at, j), len(tree.path[j]), dof, columns, *matrices, *places))
        return rows

    @cached_property
    def owned(self) -> dict[int, tuple[int, int]]:
        """Where each joint's own rows begin among those of all, and how far they are apart.

        The text knows that of hinges and of balls. A store of a wide register goes over the rows that follow, which come later.
        """
        found: dict[int, tuple[int, int]] = {}
        end = 0
        for j, _, tree, _ in self.moving():
            dof = tree.dofs[j]
            found[j] = end, {1: 1, 3: 4}.get(dof, rounded(dof))
            end += (3 * dof + self.W) * found[j][1]
        return found

    @property
    def own(self) -> Data:
        """The own rows of all joints, and their (s' N)'."""
        return Data("rows of joints", sum((3 * tree.dofs[j] + self.W) * self.owned[j][1] for j, _, tree, _ in self.moving()) + EIGHT)

    def own_rows(self, at: Addresses, j: int) -> tuple[int, int]:
        """Those of one joint."""
        return at[self.own] + self.owned[j][0], self.owned[j][1]
