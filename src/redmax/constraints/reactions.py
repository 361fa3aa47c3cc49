"""What the multipliers of a constraint do, where a step solves for them: the forces of the step's end, and how these change.

    f = G' lambda: on each body W' lambda, on the coordinates of each joint D' lambda        (+: RedMax notes Eq. 2.119, corrected)
    off:  g + c lambda, of a constraint on velocities or with limited force (s + c lambda) / r1, a length or an angle as g is
    K = d(W' lambda)/d pose,  D = -d(W' lambda)/d twist       exact, at fixed lambda, as those of a force with the power lambda . gdot

A row changes by W s of a coordinate that moves with the twist s; of a constraint on velocities by W psi + (ds/d pose) s, its twist changing
by psi (dynamics/recursive/linearised.py).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from redmax.components.holding import Site
from redmax.constraints.base import Constraint
from redmax.constraints.force_limits import keep_limits, traced_slip
from redmax.constraints.kept import Kept
from redmax.constraints.motion import Motion, moving
from redmax.constraints.traced_rows import FAR, Rows
from redmax.forces.following import body_seeds, coordinate_seeds, minus_slopes
from redmax.forces.frames import Frame, crossed, member_frame, world_site
from redmax.forces.linear import Linear, Moved, by_differentiation
from redmax.math import minimum
from redmax.program.member import KeptView, MemberView
from redmax.program.record import WorldView
from redmax.program.sweep import Part
from redmax.trace import gradient, jvp
from redmax.trace.vector import vector_of

STILL = np.zeros(3)


class MovedWithCarried(Moved):
    """How the sites of a reaction change with its bodies, and the coordinates that its constraint carries with these."""

    force: Any

    def pose(self, j: int, k: int) -> dict[Any, Any]:
        slid = jvp(list(self.force.sliding(self.local)), self.twist(j, k)) if self.force.delta else []
        return super().pose(j, k) | dict(zip(self.force.delta, slid, strict=True))


class Reaction:
    """A constraint with given multipliers, seen as a force: what moves along its rows feels lambda."""

    oriented = True

    def __init__(self, rows: Rows, coordinates: Sequence[tuple[Any, Any]], multipliers: Any, t: Any) -> None:
        carried = (rows.constraint.carried[0] if rows.constraint.carries else (), rows.delta)
        self.constraint = rows.constraint.replaced(coordinates=coordinates, carried=carried)
        self.coordinates, self.multipliers, self.delta, self.t = coordinates, multipliers, list(rows.delta), t
        self.anchors = rows.constraint.anchors

    def sliding(self, sites: Sequence[Site]) -> Any:
        """The rates of the coordinates that the constraint carries; sites: inputs."""
        return self.constraint.sliding(sites, self.t)

    def power(self, sites: Sequence[Site], t: Any) -> Any:
        """lambda . gdot; sites: inputs."""
        rates = self.constraint.rows(sites, t)
        if not self.constraint.of_velocities:
            rates = jvp(rates, moving(sites, self.coordinates, t) | dict(zip(self.delta, self.sliding(sites), strict=True)))
        return sum((x * rate for x, rate in zip(self.multipliers, rates, strict=True)), 0.0)

    def wrenches(self, sites: Sequence[Site], t: Any) -> list[tuple[Any, Any]]:
        """(torque, force) at each site."""
        inputs = [x for site in sites for x in (*site.v, *site.omega)]
        slopes = vector_of(gradient(self.power(sites, t), inputs)).reshape(-1, 6)
        return [(slope[3:], slope[:3]) for slope in slopes]


def act(
    part: Part, constraint: Constraint, members: Sequence[MemberView], w: WorldView, kept: KeptView, at: Kept
) -> dict[tuple[int, int], Any]:
    """Add reactions to the members, or fill rows and give the blocks of how reactions change."""
    n = len(constraint.bodies)
    frames = [member_frame(b) for b in members[:n]]
    motions = [Motion(f.R, f.x, f.omega, f.v, STILL, STILL, b.o) for f, b in zip(frames, members, strict=False)]
    coordinates = [(b.q, b.qdot) for b in members[n:]]
    if constraint.carries:
        constraint = constraint.replaced(carried=(kept.read(at.carried, constraint.carries), None))
    rows = Rows(constraint, motions, [(q, qdot, qdot) for q, qdot in coordinates], w.t)
    reaction = Reaction(rows, coordinates, kept.read(at.multipliers, at.size), w.t)
    if part is Part.REACTIONS:
        react(reaction, rows, members, w, kept, at)
        return {}
    fill(reaction, rows, kept, at)
    return blocks(reaction, rows, members, frames, w)


def react(reaction: Reaction, rows: Rows, members: Sequence[MemberView], w: WorldView, kept: KeptView, at: Kept) -> None:
    """How far each row is off, and the forces of multipliers: about the joint frame of each body."""
    constraint = rows.constraint
    gap, rate = rows.gap, rows.rate
    kept.store(at.gap, gap, "gap")
    kept.store(at.rate, rate, "rate")
    if constraint.one_sided:
        gap = vector_of([minimum(g, FAR) for g in gap])  # of limits that are not there
    softness = constraint.compliance / w.r1 if constraint.compliant and constraint.of_velocities else constraint.compliance
    soft = softness * reaction.multipliers if constraint.compliant else 0.0
    lost = w.closing_lost if constraint.carries else 0.0
    if constraint.limited:
        keep_limits(constraint, rows, kept, at)
        gap = rows.back(traced_slip(rows)) / w.r1
    kept.store(at.right, (rate / w.r1 if constraint.of_velocities else gap) + soft + lost, "right")
    kept.store(at.softness, [softness], "softness")
    for i, b in enumerate(members[: len(rows.motions)]):
        total = reaction.multipliers @ rows.wrenches(i)
        b.row_wrench += np.concatenate([total[:3] - crossed(b.x - b.o, total[3:]), total[3:]])
    for k, b in enumerate(members[len(rows.motions) :]):
        b.row_push += reaction.multipliers @ rows.slopes(k, at.dofs[k])


def fill(reaction: Reaction, rows: Rows, kept: KeptView, at: Kept) -> None:
    """W and D; and of a constraint on velocities or with limited force, how s changes with poses and coordinates."""
    for i in range(len(rows.motions)):
        kept.store(at.wrench(i), rows.wrenches(i), "wrench")
    for k, dof in enumerate(at.dofs):
        kept.store(at.slope(k), rows.slopes(k, dof), "slope")
    if not at.on_rates:
        return
    moved = MovedWithCarried(reaction, rows.local, rows.sites, [m.o for m in rows.motions])  # type: ignore[arg-type]
    for i in range(len(rows.motions)):
        columns = [rows.back(jvp(traced_slip(rows), moved.pose(i, k))) for k in range(6)]
        kept.store(at.wrench(i) + at.moved, np.array(columns, object).T, "wrench moved")
    for k, dof in enumerate(at.dofs):
        columns = [rows.back(jvp(traced_slip(rows), {q: 1.0})) for q in rows.q[k][:dof]]
        kept.store(at.slope(k) + at.moved, np.array(columns, object).T, "slope moved")


def blocks(
    reaction: Reaction, rows: Rows, members: Sequence[MemberView], frames: Sequence[Frame], w: WorldView
) -> dict[tuple[int, int], Any]:
    """[D, -K] between bodies, and of coordinates that are read, which take the place of a body's six directions."""
    n, origins = len(frames), [b.o for b in members[: len(frames)]]
    wrenches, found = [], {}
    if n:
        sites = [world_site(a) if a.member < 0 else frames[a.member].site(a) for a in reaction.anchors]
        linear = at_rest(by_differentiation(reaction, frames, origins, sites, w.t, MovedWithCarried), rows)  # type: ignore[arg-type]
        wrenches = linear.wrenches
        for i, b in enumerate(members[:n]):
            b.own_damping += linear.D[i, i].ravel()
            b.own_stiffness += (-linear.K[i, i]).ravel()
        found = {(i, j): np.concatenate([linear.D[i, j], -linear.K[i, j]], axis=1) for i, j in linear.K if i != j}
    seeds = [coordinate_seeds(reaction, k) for k in range(len(members) - n)]  # type: ignore[arg-type]
    for k, seed in enumerate(seeds):
        push = reaction.multipliers @ rows.slopes(k, len(reaction.coordinates[k][1]))
        own = ~(n + k)
        found |= {(i, own): minus_slopes(wrench, seed) for i, wrench in enumerate(wrenches)}
        found |= {(own, j): minus_slopes(push, body_seeds(members[j], o)) for j, o in enumerate(origins)}
        found |= {(own, ~(n + c)): minus_slopes(push, other) for c, other in enumerate(seeds)}
    return found


def at_rest(linear: Linear, rows: Rows) -> Linear:
    """With the changes of carried coordinates that they were differentiated by put to zero."""
    if not rows.constraint.carries:
        return linear
    arrays = [*linear.wrenches, *linear.K.values(), *linear.D.values()]
    values = iter(rows.back([x for a in arrays for x in np.ravel(a)]))
    found = [np.array([next(values) for _ in range(np.size(a))], object).reshape(np.shape(a)) for a in arrays]
    n, pairs = len(linear.wrenches), list(linear.K)
    return Linear(found[:n], dict(zip(pairs, found[n:], strict=False)), dict(zip(pairs, found[n + len(pairs) :], strict=True)))
