"""Where a constraint is, how fast it moves, what it asks for, and its rows, all from its trace.

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
from functools import cached_property, reduce
from typing import Any

import numpy as np

from redmax.constraints.base import Constraint
from redmax.constraints.motion import Motion, moving, placed
from redmax.forces.frames import crossed
from redmax.forces.local import localised
from redmax.math import maximum, minimum, sqrt, where
from redmax.program.sweep import Part
from redmax.trace import gradient, jvp, substitute
from redmax.trace.vector import vector_of

AUTOMATIC = 0.2  # of what is off, that a step takes back where no gain is given
FAR = 1e30  # what a row that says nothing asks for: less than anything


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

    def approach(self, part: Part, h: Any, usual: Any) -> Any:
        """With how much of gdot rows that only push are met in this step: nothing of those that were, and have turned by no more since."""
        own = self.back(jvp(self.traced_rate, self.moving()))
        turned = (2.0 * h) * vector_of([abs(k) + swung for k, swung in zip(own, self.swung, strict=True)])
        way = self.rate + self.gain(part, h, usual) * vector_of([where(g > 0.0, g, 0.0) for g in self.gap])
        return vector_of([where(x < 0.0 - k, x, 0.0) for x, k in zip(way, turned, strict=True)])

    @property
    def swung(self) -> list[Any]:
        """By how much gddot of each row may be off because joints turn the velocities of its places: |dgdot/dv| |omega| |v|."""
        total: list[Any] = [0.0] * self.constraint.size
        for i in range(len(self.motions)):
            places = [s for s, a in zip(self.sites, self.constraint.anchors, strict=True) if a.member == i]
            swing = sum((sqrt((s.omega @ s.omega) * (s.v @ s.v)) for s in places), 0.0)
            pulls = self.wrenches(i)[:, 3:]
            total = [x + swing * sqrt(pull @ pull) for x, pull in zip(total, pulls, strict=True)]
        return total

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
