"""A force as the kernels of a program: what it adds to the bodies it touches, to energy, and to the system of an implicit step.

Wrenches are gathered in world axes about each body's joint frame. In an implicit step (integrators/implicit.py) a force adds f + h K phi to
the right side and h D - h^2 K to the left, block by block between the bodies it touches, in world axes about the origins `o`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeVar

import numpy as np

from redmax.components.data_and_structure import is_array, is_known
from redmax.components.holding import Holding
from redmax.forces.base import Anchor, Force, Site, Wrench
from redmax.forces.following import following_blocks, following_pairs
from redmax.forces.frames import Frame, crossed, member_frame, world_site
from redmax.forces.linear import impedance, linearised
from redmax.forces.path import PathForce
from redmax.forces.points import Mover
from redmax.program.kernel import CONSTANTS
from redmax.program.member import MemberView
from redmax.program.record import WorldView
from redmax.program.sweep import Part
from redmax.trace import Graph, Scalar, Table, TableInput, jvp, listing
from redmax.trace.vector import vector_of

Held = TypeVar("Held", bound=Holding)
MOST = 12  # coordinates of one joint, where only the text of a law is wanted


@dataclass(frozen=True, eq=False)
class ForceLaw:
    """What all forces that differ only in their data have in common."""

    force: Force

    @property
    def text(self) -> str:
        return self.written

    @cached_property
    def written(self) -> str:
        structure = self.force.structure()
        return repr(structure) if is_known(structure) else traced_text(self)

    @property
    def data(self) -> dict[str, Any]:
        return self.force.data()

    def constants(self, force: Force) -> np.ndarray:
        """A force's row of constants."""
        return row_of_constants(force)

    def pairs(self, part: Part) -> Sequence[tuple[int, int]]:
        n = len(self.force.bodies)
        if part is Part.NEWTON:
            first = n + len(self.force.joints)  # of hidden states
            others = [(i, j) for i in range(n) for j in (*range(n), *range(first, first + len(self.force.hidden()))) if i != j]
            return [*others, *following_pairs(self.force)]
        if not part.implicitly or not self.force.implicit:
            return ()
        return [(i, j) for i in range(n) for j in range(n) if i < j or (part is Part.UNSYMMETRIC and i != j)]

    @property
    def of_bodies(self) -> bool:
        """Forces may follow coordinates."""
        return False

    def block_size(self, part: Part) -> int:
        """Between two bodies, as every force has it."""
        return part.block

    def act(self, part: Part, members: Sequence[MemberView], constants: np.ndarray, w: WorldView) -> dict[tuple[int, int], Any]:
        force = self.filled(constants)
        bodies, joints = len(force.bodies), len(force.bodies) + len(force.joints)
        frames = [member_frame(b) for b in members[:bodies]]
        read = members[bodies:joints]
        force = force.replaced(coordinates=[(b.q, b.qdot) for b in read], states=[b.V[2] for b in members[joints:]])
        sites = sites_of(force, frames)
        if part is Part.POTENTIAL:
            V = force.potential(sites, w.t)
            if V is not None:
                w.gather("potential", V)
            return {}
        if part is Part.NEWTON:
            return self.act_linearised(force, members, frames, sites, w)
        for k, torque in pushes(force, frames, sites, w.t):
            read[k].pushed += torque
        if part.implicitly and force.implicit:
            return self.act_implicitly(force, part, members, frames, sites, w)
        for b, wrench in zip(members, member_wrenches(force, frames, sites, w.t), strict=False):
            b.applied += wrench
        return {}

    def act_implicitly(
        self, force: Force, part: Part, members: Sequence[MemberView], frames: Sequence[Frame], sites: Sequence[Site], w: WorldView
    ) -> dict[tuple[int, int], Any]:
        """f + h K phi on the bodies, and h D - h^2 K as blocks: a body's own, and those between two."""
        origins = [b.o if "o" in b else b.x for b in members[: len(frames)]]
        linear = impedance(force, frames, origins, sites, w.t)
        phi = [np.concatenate([f.omega, f.v + crossed(f.omega, o - f.x)]) for f, o in zip(frames, origins, strict=True)]
        totals = linear.pushed(phi, w.h)
        for i, (b, f, o, total) in enumerate(zip(members, frames, origins, totals, strict=False)):
            b.applied += np.concatenate([total[:3] - crossed(f.x - o, total[3:]), total[3:]])
            own = linear.block(i, i, w.h)
            b.own += (own if part is Part.UNSYMMETRIC else np.triu(own)).ravel()  # of a symmetric one, the half that is read
        return {(i, j): linear.block(i, j, w.h) for i, j in self.pairs(part)}

    def act_linearised(
        self, force: Force, members: Sequence[MemberView], frames: Sequence[Frame], sites: Sequence[Site], w: WorldView
    ) -> dict[tuple[int, int], Any]:
        """[D, -K] as blocks; a hidden state is the turning of its own link about z."""
        n, first = len(frames), len(frames) + len(force.joints)
        origins = [b.o for b in members[:n]]
        linear = linearised(force, frames, origins, sites, w.t)
        for i, b in enumerate(members[:n]):
            b.own_damping += linear.D[i, i].ravel()
            b.own_stiffness += (-linear.K[i, i]).ravel()
        blocks = {(i, j): np.concatenate([linear.D[i, j], -linear.K[i, j]], axis=1) for i in range(n) for j in range(n) if i != j}
        for k, b in enumerate(members[first:]):
            axis = np.concatenate([np.asarray(b.R, object).reshape(3, 3)[:, 2], np.zeros(9)])
            for i, total in enumerate(linear.wrenches):
                blocks[i, first + k] = -np.outer(vector_of(jvp(list(total), {force.states[k]: 1.0})), axis)
        return blocks | following_blocks(force, members, origins, linear.wrenches, pushes(force, frames, sites, w.t))

    def filled(self, constants: np.ndarray) -> Force:
        """The force over traced constants."""
        return filled_with(self.force, constants)


def row_of_constants(holding: Holding) -> np.ndarray:
    """The data of a force or a constraint, one number behind the other."""
    parts = [np.ravel(v.array if isinstance(v, Table) else v) for v in holding.data().values()]
    return np.concatenate([np.zeros(0), *parts])


def filled_with(holding: Held, constants: np.ndarray) -> Held:
    """A force or a constraint over traced constants."""
    values: dict[str, Any] = {}
    start = 0
    for name, value in holding.data().items():
        shape = value.shape if isinstance(value, Table) else np.shape(value)
        size = int(np.prod(shape))
        if isinstance(value, Table):
            first: Scalar = constants[start]
            values[name] = TableInput(first.graph, first.args[0], first.args[1], shape)
        else:
            values[name] = constants[start : start + size].reshape(shape) if is_array(value) or shape else constants[start]
        start += size
    return holding.with_data(values)


def sites_of(force: Force, frames: Sequence[Frame]) -> list[Site]:
    """Where the anchors are."""
    result: list[Site] = []
    movers: Sequence[Any] = force.movers or [None] * len(force.anchors)
    for a, mover in zip(force.anchors, movers, strict=True):
        if a.member < 0:
            result.append(world_site(a))
        elif mover is not None:
            result.append(moved_site(frames[a.member], a, mover, *force.coordinates[mover.joint]))
        else:
            frame = frames[a.member]
            result.append(frame.site(a) if force.oriented else frame.point(a.position))
    return result


def moved_site(frame: Frame, anchor: Anchor, mover: Mover, q: Any, qdot: Any) -> Site:
    """A point that moves over its body with a coordinate of a joint."""
    offset, slope = mover.offset(q[mover.coordinate])
    at = frame.point(anchor.position + anchor.rotation @ offset)
    return Site(at.x, at.v + frame.R @ (anchor.rotation @ slope) * qdot[mover.coordinate], None, None)


def pushes(force: Force, frames: Sequence[Frame], sites: Sequence[Site], t: Any) -> list[tuple[int, Any]]:
    """(joint that the force reads, torques on its coordinates): moving a point along with a joint does work on the joint."""
    result: list[tuple[int, Any]] = []
    if not any(force.movers):
        return result
    wrenches: Sequence[Wrench] = force.wrenches(sites, t)
    for a, mover, (_, pull) in zip(force.anchors, force.movers, wrenches, strict=True):
        if mover is not None:
            q, qdot = force.coordinates[mover.joint]
            _, slope = mover.offset(q[mover.coordinate])
            torque = np.zeros(len(qdot)).astype(object)
            torque[mover.coordinate] = pull @ (frames[a.member].R @ (a.rotation @ slope))
            result.append((mover.joint, torque))
    return result


def to_floats(site: Site) -> Site:
    """A site of numbers."""
    return Site(*(None if part is None else np.asarray(part, float) for part in (site.x, site.v, site.R, site.omega)))


def member_wrenches(force: Force, frames: Sequence[Frame], sites: Sequence[Site], t: Any) -> list[Any]:
    """(torque; force) on each body, in world axes about its joint frame."""
    totals: list[Any] = [np.zeros(6).astype(object) for _ in frames]
    for anchor, site, (torque, pull) in zip(force.anchors, sites, force.exerted(sites, t), strict=True):
        if anchor.member < 0:
            continue
        arm = site.x - frames[anchor.member].x
        moment = crossed(arm, pull)
        totals[anchor.member] = totals[anchor.member] + np.concatenate([moment if torque is None else moment + torque, pull])
    return totals


def traced_text(law: ForceLaw) -> str:
    """A user's force, told apart by its trace."""
    graph = Graph()
    force = law.filled(vector_of(graph.inputs(CONSTANTS, len(law.constants(law.force)))))
    frames = [
        Frame(*(np.array(graph.inputs(f"{name}{i}", size), object) for name, size in (("R", 9), ("x", 3), ("omega", 3), ("v", 3))))
        for i in range(len(force.bodies))
    ]
    frames = [Frame(f.R.reshape(3, 3), f.x, f.omega, f.v) for f in frames]
    q = [tuple(np.array(graph.inputs(f"{name}{k}", MOST), object) for name in ("q", "qdot")) for k in range(len(force.joints))]
    force = force.replaced(coordinates=q, states=[graph.input("state", k) for k in range(len(force.hidden()))])
    sites, t = sites_of(force, frames), graph.input("t", 0)
    V = force.potential(sites, t)
    outputs: dict[str, Any] = {} if V is None else {"V": V}
    for i, wrench in enumerate(member_wrenches(force, frames, sites, t)):
        outputs |= {f"F{i}.{k}": x for k, x in enumerate(wrench)}
    return f"{listing(outputs)} {force.stiffness_kind} {[a.member for a in force.anchors]} {isinstance(force, PathForce)}"
