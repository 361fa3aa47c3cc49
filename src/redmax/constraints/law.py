"""A constraint as the kernels of a program: its rows (traced_rows.py), and where what they hold is kept (kept.py)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from redmax.components.data_and_structure import is_known
from redmax.constraints.base import Constraint
from redmax.constraints.carried import carry
from redmax.constraints.force_limits import keep_limits
from redmax.constraints.kept import Kept, kept_of
from redmax.constraints.motion import MOTION, Motion, member_motion, placed
from redmax.constraints.traced_rows import Rows
from redmax.forces.law import filled_with, row_of_constants
from redmax.program.kernel import CONSTANTS
from redmax.program.member import KeptView, MemberView
from redmax.program.record import WorldView
from redmax.program.sweep import Part
from redmax.trace import Graph, listing
from redmax.trace.vector import vector_of

DOWN = {"row_R": 9, "row_x": 3, "row_o": 3, "row_V": 6, "row_A": 6}  # of each body: frame, origin of its tree, twist and its rate


@dataclass(frozen=True, eq=False)
class RowsLaw:
    """What all constraints that differ only in their data have in common. dofs: of the joints it reads."""

    constraint: Constraint
    dofs: tuple[int, ...]

    @property
    def kept(self) -> Kept:
        """Where what it finds is kept."""
        return kept_of(self.constraint, self.dofs)

    @property
    def text(self) -> str:
        """All that its kernels depend on."""
        return self.written

    @cached_property
    def written(self) -> str:
        structure = self.constraint.structure()
        return f"rows {self.dofs} " + (repr(structure) if is_known(structure) else traced_text(self))

    @property
    def of_bodies(self) -> bool:
        """Whether coordinates do not matter."""
        return not self.constraint.joints

    def constants(self, constraint: Constraint) -> np.ndarray:
        """A constraint's row of constants."""
        return row_of_constants(constraint)

    def pairs(self, part: Part) -> Sequence[tuple[int, int]]:
        return reaction_pairs(self.constraint) if part is Part.NEWTON_ROWS else ()

    def block_size(self, part: Part) -> int:
        return part.block

    def takes_part(self, part: Part) -> bool:
        """Whether it has something to do: rows of limits that wait are filled by a part of their own."""
        if part.of_limits or part is Part.VELOCITY_ROWS:
            ranged = bool(self.constraint.ranges)
            looks = {Part.LIMIT_BOUNDS: ranged, Part.LIMITS_NEAR: not ranged}.get(part, True)
            return part.of_limits == self.constraint.waits and looks
        return part.of_rows and part is not Part.SHAPES

    def act(
        self, part: Part, members: Sequence[MemberView], constants: np.ndarray, w: WorldView, kept: KeptView
    ) -> dict[tuple[int, int], Any]:
        """Fill the rows."""
        if not self.takes_part(part):
            return {}
        n = len(self.constraint.bodies)
        constraint, at = filled_with(self.constraint, constants), self.kept
        if part in (Part.REACTIONS, Part.NEWTON_ROWS):
            from redmax.constraints.reactions import act

            return act(part, constraint, members, w, kept, at)
        if part is Part.LIMIT_BOUNDS:
            kept.store(at.bounds, [x for ends in constraint.ranges for x in ends], "bounds")
            return {}
        joints = [(b.q, b.qdot, b.qddot) for b in members[n:]]
        motions = [member_motion(b, part) for b in members[:n]]
        if part.of_carried:
            return carry(part, constraint, [site for site, _, _ in placed(constraint, motions)[0]], at, w, kept)
        if constraint.carries:
            constraint = constraint.replaced(carried=(kept.read(at.carried, constraint.carries), None))
        near, part = part is Part.LIMITS_NEAR, Part.VELOCITY_ROWS if part.of_limits else part
        rows, h, usual = Rows(constraint, motions, joints, w.t, w.row_ahead if part is Part.VELOCITY_ROWS else 0.0), w.h, w.row_gain
        if near:
            kept.store(at.gap, [rows.nearest(h)], "nearest")  # its place: nothing reads g of limits that wait
            return {}
        gap, rate = rows.gap, rows.rate
        if not (constraint.one_sided and part is Part.VELOCITY_ROWS):  # where nothing reads them, of rows that hardly ever act
            kept.store(at.gap, gap, "gap")
            kept.store(at.rate, rate, "rate")
        else:
            kept.store(at.rate, rows.approach(part, h, usual), "rate")
        kept.store(at.right, rows.right(part, h, usual) + (w.closing_lost if constraint.carries else 0.0), "right")
        if constraint.compliant:
            kept.store(at.softness, [rows.softness(h) if part is Part.VELOCITY_ROWS else 0.0], "softness")
        if constraint.limited:
            keep_limits(constraint, rows, kept, at)
        for i in range(n):
            kept.store(at.wrench(i), rows.wrenches(i), "wrench")
        for k in range(len(self.dofs)):
            kept.store(at.slope(k), rows.slopes(k, self.dofs[k]), "slope")
        return {}


def reaction_pairs(constraint: Constraint) -> list[tuple[int, int]]:
    """The members between which reactions have a block: bodies, and coordinates that are read (~ of their number)."""
    n, own = len(constraint.bodies), [~(len(constraint.bodies) + k) for k in range(len(constraint.joints))]
    members = [*range(n), *own]
    return [(i, j) for i in members for j in members if i != j or i < 0]


def traced_text(law: RowsLaw) -> str:
    """A user's constraint, told apart by its trace."""
    graph = Graph()
    constraint = filled_with(law.constraint, vector_of(graph.inputs(CONSTANTS, len(law.constants(law.constraint)))))
    motions = [
        Motion(*(np.array(graph.inputs(f"{n}{i}", size), object).reshape(3, -1).squeeze() for n, size in MOTION))
        for i in range(len(constraint.bodies))
    ]
    joints = [tuple(vector_of(graph.inputs(f"{n}{k}", dof)) for n in ("q", "qdot", "qddot")) for k, dof in enumerate(law.dofs)]
    rows = Rows(constraint, motions, joints, graph.input("t", 0))
    kinds = constraint.one_sided, constraint.of_velocities, constraint.automatic, constraint.compliant
    kind = f"{kinds} {[a.member for a in constraint.anchors]}"
    kind += " limited" * constraint.limited
    return listing({f"g{k}": x for k, x in enumerate([*rows.gap, *rows.rate])}) + kind
