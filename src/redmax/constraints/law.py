"""A constraint as the kernels of a program: where it is, how fast it moves, what it asks for, and its rows, all from its trace.

    g, gdot = G qdot + dg/dt, gddot = G qddot + Gdot qdot + ...      by differentiation along the motion of the bodies
    W = d gdot/d twist of each body, D = d gdot/d qdot of each joint: G, body by body

What is asked for (right), of accelerations, of the velocities at the end of a step, or of positions:

    G a = -(gddot - G a) - 2 b gdot - b^2 g        (Baumgarte 1972; RedMax notes Eq. 2.103)
    G a = -(gdot + b g) / h                         a = (qdot1 - qdot0) / h
    G dq = -g

Each less what the accelerations that are there without the constraint have of it already. A row that gives way asks for nothing of
accelerations: what it exerts is known there, lambda = -g / c, of velocities -s / c, and stands in place of what is asked for. In steps it
is that of their end. Wrenches are in world axes, about the origin of the tree that their body is in.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, reduce
from typing import Any

import numpy as np

from redmax.components.data_and_structure import is_known
from redmax.constraints.base import Constraint
from redmax.constraints.carried import carry
from redmax.constraints.force_limits import keep_limits
from redmax.constraints.kept import Kept, kept_of
from redmax.constraints.motion import MOTION, Motion, member_motion, moving, placed
from redmax.forces.frames import crossed
from redmax.forces.law import filled_with, row_of_constants
from redmax.forces.local import localised
from redmax.math import maximum, minimum, where
from redmax.program.kernel import CONSTANTS
from redmax.program.member import KeptView, MemberView
from redmax.program.record import WorldView
from redmax.program.sweep import Part
from redmax.trace import Graph, gradient, jvp, listing, substitute
from redmax.trace.vector import vector_of

AUTOMATIC = 0.2  # of what is off, that a step takes back where no gain is given
FAR = 1e30  # what a row that says nothing asks for: less than anything
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
            return part.of_limits == self.constraint.waits
        return part.of_rows

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
        joints = [(b.q, b.qdot, b.qddot) for b in members[n:]]
        motions = [member_motion(b, part) for b in members[:n]]
        if part.of_carried:
            return carry(part, constraint, [site for site, _, _ in placed(constraint, motions)[0]], at, w, kept)
        if constraint.carries:
            constraint = constraint.replaced(carried=(kept.read(at.carried, constraint.carries), None))
        near, part = part is Part.LIMITS_NEAR, Part.VELOCITY_ROWS if part.of_limits else part
        rows, h, usual = Rows(constraint, motions, joints, w.t, w.row_ahead if part is Part.VELOCITY_ROWS else 0.0), w.h, w.row_gain
        if near:
            w.row_passed = where(rows.nearest(h) <= 0.0, 1.0, w.row_passed)
            return {}
        gap, rate = rows.gap, rows.rate
        if not (constraint.one_sided and part is Part.VELOCITY_ROWS):  # where nothing reads them, of rows that hardly ever act
            kept.store(at.gap, gap, "gap")
            kept.store(at.rate, rate, "rate")
        else:
            kept.store(at.rate, rate + rows.gain(part, h, usual) * gap, "rate")  # with which they are approached, in this step
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


class Rows:
    """The rows of one constraint, over traced numbers. motions: of its bodies; joints: (q, qdot, qddot) of those that it reads.

    ahead: by how much t is later than the positions, as in implicit steps
    """

    def __init__(
        self, constraint: Constraint, motions: Sequence[Motion], joints: Sequence[Sequence[Any]], t: Any, ahead: Any = 0.0
    ) -> None:
        self.constraint, self.motions, self.joints, self.ahead = constraint, motions, joints, ahead
        sites, self.of_anchor = placed(constraint, motions)
        self.sites, self.accelerations = [s for s, _, _ in sites], [(a, alpha) for _, a, alpha in sites]
        self.local, leaf = localised(self.sites) if sites else ([], None)
        graph = t.graph
        given = {f"joint{k}.{n}": x for k, parts in enumerate(joints) for n, x in zip(("q", "qdot"), parts, strict=False)} | {"row.t": [t]}
        self.q = [vector_of(graph.inputs(f"joint{k}.q", len(q))) for k, (q, _, _) in enumerate(joints)]
        self.qdot = [vector_of(graph.inputs(f"joint{k}.qdot", len(v))) for k, (_, v, _) in enumerate(joints)]
        self.t = graph.input("row.t", 0)
        self.delta = vector_of(graph.inputs("row.delta", constraint.slides))
        given |= {"row.delta": np.zeros(constraint.slides)}
        self.leaf = lambda base, index: given[base][index] if base in given else leaf(base, index) if leaf else graph.input(base, index)
        known = constraint.carried[0] if constraint.carried else vector_of(graph.inputs("carried", constraint.carries))
        carried = (known, self.delta)
        seen = constraint.replaced(coordinates=list(zip(self.q, self.qdot, strict=True)), carried=carried)
        found = seen.rows(self.local, self.t)
        self.sliding = seen.sliding(self.local, self.t)
        self.traced_gap = None if constraint.of_velocities else found
        self.traced_rate = found if constraint.of_velocities else jvp(found, self.moving())

    def back(self, values: Sequence[Any]) -> Any:
        """What local inputs stand for, put back."""
        return vector_of(substitute(list(values), self.leaf))

    def moving(self) -> dict[Any, Any]:
        """How positions change, by velocities that are inputs as well."""
        return moving(self.local, zip(self.q, self.qdot, strict=True), self.t) | dict(zip(self.delta, self.sliding, strict=True))

    def speeding(self, carried: bool) -> dict[Any, Any]:
        """How velocities change. carried: by J a alone."""
        seeds: dict[Any, Any] = {}
        for site, m, anchor, full in zip(self.local, self.of_anchor, self.constraint.anchors, self.accelerations, strict=True):
            a, alpha = m.carried(anchor) if carried else full
            seeds |= dict(zip(site.v, a, strict=True)) | dict(zip(site.omega, alpha, strict=True))
        for qdot, (_, _, qddot) in zip(self.qdot, self.joints, strict=True):
            seeds |= dict(zip(qdot, qddot, strict=True))
        return seeds

    @cached_property
    def gap(self) -> Any:
        """g at the time of the positions, as far as gains are the run's; of a constraint on velocities, zeros."""
        if self.traced_gap is None:
            return np.zeros(self.constraint.size).astype(object)
        found = self.back(self.traced_gap)
        if not (self.constraint.automatic or self.constraint.compliant or self.constraint.limited):
            return found
        return found - self.ahead * self.back(jvp(self.traced_gap, {self.t: 1.0}))

    @cached_property
    def rate(self) -> Any:
        """gdot, or s."""
        return self.back(self.traced_rate)

    def right(self, part: Part, h: Any, usual: Any) -> Any:
        """What is asked for, less what is there without the constraint. usual: the gain of accelerations, of rows that have none."""
        gap, rate, gain = self.gap, self.rate, self.gain(part, h, usual)
        if part is Part.POSITION_ROWS:
            return -gap
        if part is Part.VELOCITY_ROWS:
            right = -(rate + gain * gap) / h - self.back(jvp(self.traced_rate, self.speeding(carried=True)))
            return self.if_passed(gap, right)
        if self.constraint.compliant:
            return self.spring
        second = self.back(jvp(self.traced_rate, self.moving() | self.speeding(carried=False)))
        if self.constraint.of_velocities:
            return -second - gain * rate
        return -second - 2.0 * gain * rate - (gain * gain) * gap

    def nearest(self, h: Any) -> Any:
        """The least gap of a limit at the end of a step, g + h (gdot + h G a); where it has a gain of its own, or now."""
        own = not (self.constraint.automatic or self.constraint.compliant)
        way = h * (self.rate + h * self.back(jvp(self.traced_rate, self.speeding(carried=True))))
        return reduce(minimum, [*(self.gap if own else ()), *(self.gap + way)])

    @property
    def spring(self) -> Any:
        """lambda of a row that gives way; one that only pushes pushes from zero up."""
        away, c = self.rate if self.constraint.of_velocities else self.gap, self.constraint.compliance
        return vector_of([maximum(-g / c, 0.0) if self.constraint.one_sided else -g / c for g in away])

    @property
    def stored(self) -> Any:
        """g^2 / 2c, the energy of rows that give way; those of velocities are dampers, and store none."""
        if not self.constraint.compliant or self.constraint.of_velocities:
            return 0.0
        return 0.5 * self.constraint.compliance * sum(x * x for x in self.spring)

    def softness(self, h: Any) -> Any:
        """What a unit of lambda leaves of what is asked for of the velocities at the end of a step."""
        return self.constraint.compliance / (h if self.constraint.of_velocities else h * h)

    def if_passed(self, gap: Any, right: Any) -> Any:
        """A limit with a gain of its own says nothing before it is passed; others see to it that it is not."""
        if not self.constraint.one_sided or self.constraint.automatic or self.constraint.compliant:
            return right
        return vector_of([where(g > 0.0, -FAR, x) for g, x in zip(gap, right, strict=True)])

    def gain(self, part: Part, h: Any, usual: Any) -> Any:
        """Baumgarte's: as given; else as the run says of accelerations, and of velocities a part of what is off in each step.

        A limit that is not passed yet may be reached at the end of the step: all of what is left counts.
        """
        if self.constraint.compliant:
            return 1.0 / h if part is Part.VELOCITY_ROWS else 0.0
        if not self.constraint.automatic:
            return self.constraint.gain
        if part is not Part.VELOCITY_ROWS:
            return usual
        if self.constraint.one_sided:
            return vector_of([where(g > 0.0, 1.0, AUTOMATIC) / h for g in self.gap])
        return AUTOMATIC / h

    def wrenches(self, body: int) -> Any:
        """W of a body, (size, 6): d gdot/d twist."""
        m = self.motions[body]
        result: list[Any] = []
        held = [(s, real) for s, real, a in zip(self.local, self.sites, self.constraint.anchors, strict=True) if a.member == body]
        for row in self.traced_rate:
            total: Any = np.zeros(6).astype(object)
            inputs = [x for site, _ in held for x in (*site.v, *site.omega)]
            slopes = self.back(gradient(row, inputs)).reshape(-1, 6) if hasattr(row, "graph") else np.zeros((len(held), 6))
            for (_, real), slope in zip(held, slopes, strict=True):
                pull, torque = slope[:3], slope[3:]
                total = total + np.concatenate([torque + crossed(real.x - m.o, pull), pull])
            result.append(total)
        return np.array(result, object)

    def slopes(self, joint: int, dof: int) -> Any:
        """D of a joint, (size, dof): d gdot/d qdot."""
        qdot = list(self.qdot[joint])
        rows = [self.back(gradient(row, qdot)) if hasattr(row, "graph") else np.zeros(dof) for row in self.traced_rate]
        return np.array(rows, object).reshape(len(rows), dof)


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
