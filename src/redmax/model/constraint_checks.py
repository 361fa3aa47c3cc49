"""Constraints that a scene cannot have: rows that nothing can move, and two that ask for one coordinate's motion.

What depends on where the mechanism is (rows that contradict each other, a loop that cannot meet) is found where rows are solved.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from redmax.components.holding import Site
from redmax.constraints.base import Constraint
from redmax.constraints.prescribed_coordinate import PrescribedCoordinate
from redmax.errors import SceneError
from redmax.model.links import Link

WORLD = -1


def check_constraints(constraints: Sequence[Constraint], links: Sequence[Link]) -> None:
    """Raise for the first that asks for nothing, or for what another decides."""
    part = rigid_parts(links)
    moved = [link.joint.dof > 0 and link.motion is None for link in links]
    known: dict[tuple[int, int], str] = {}
    for c in constraints:
        check_joints(c, links)
        if c.anchors and not c.joints:
            check_places(c, links, part)
        reach = {b.index for b in (*c.bodies, *c.joints)}
        if not any(moved[a] for i in reach for a in up_from(i, links)):
            check_movable(c, links)
        if isinstance(c, PrescribedCoordinate):
            check_once(c, links, known)


def up_from(i: int, links: Sequence[Link]) -> list[int]:
    """A link and those above it."""
    found = [i]
    while links[found[-1]].parent >= 0:
        found.append(links[found[-1]].parent)
    return found


def rigid_parts(links: Sequence[Link]) -> list[int]:
    """Of each link the first that it is rigidly fixed to; WORLD where it cannot move at all."""
    found: list[int] = []
    for i, link in enumerate(links):
        fixed = link.joint.dof == 0 and not link.joint.timed
        found.append((found[link.parent] if link.parent >= 0 else WORLD) if fixed else i)
    return found


def check_joints(c: Constraint, links: Sequence[Link]) -> None:
    """Raise where all joints that a constraint reads follow a motion of their own."""
    given = [links[b.index] for b in c.joints if links[b.index].motion is not None]
    if given and len(given) == len(c.joints) and not c.bodies:
        names = " and ".join(repr(link.joint_name) for link in given)
        what = f"{c.label} asks for the motion of {names}, which is prescribed already, by motion= of add_body"
        raise SceneError(f"{what}. Leave out one of them.", owner=c.label, argument=c.place_argument(0))


def check_places(c: Constraint, links: Sequence[Link], part: Sequence[int]) -> None:
    """Raise where all places are on what moves as one."""
    parts = {WORLD if a.member < 0 else part[c.bodies[a.member].index] for a in c.anchors}
    if len(parts) > 1 or (len(c.anchors) == 1 and WORLD not in parts) or (c.sees_world and WORLD not in parts):
        return
    where = " and ".join(dict.fromkeys(repr(b.name) for b in c.bodies))
    rest = "the world" if WORLD in parts else f"{links[next(iter(parts))].name!r}"
    what = f"{c.label} acts between places that never move against each other: {where}, by Fixed joints, is one with {rest}"
    raise SceneError(f"{what}, so that its rows are zero. Leave it out, or let one of them move.", owner=c.label)


def check_movable(c: Constraint, links: Sequence[Link]) -> None:
    """Raise: nothing that it acts on has a degree of freedom left."""
    names = ", ".join(dict.fromkeys(repr(b.name) for b in (*c.bodies, *c.joints)))
    above = [links[a] for b in (*c.bodies, *c.joints) for a in up_from(b.index, links)]
    given = sorted({link.joint_name for link in above if link.motion is not None})
    why = f" ({', '.join(map(repr, given))} has a prescribed motion)" if given else ""
    what = f"{c.label} acts on {names} alone, which no joint can move{why}: its rows are zero"
    raise SceneError(f"{what}. Leave it out, or give the body a joint.", owner=c.label, argument=c.place_argument(0))


def check_once(c: PrescribedCoordinate, links: Sequence[Link], known: dict[tuple[int, int], str]) -> None:
    """Raise where another prescribes the same coordinate."""
    link = c.joints[0].index
    chosen = range(c.size) if c.coordinate is None else [c.coordinate]
    for k in chosen:
        if (link, k) in known:
            what = f"Coordinate {k} of the joint {links[link].joint_name!r} is prescribed twice, by {known[link, k]!r} and {c.name!r}"
            raise SceneError(f"{what}. Leave out one of them.", owner=c.label, argument="joint")
        known[link, k] = c.name or ""


def check_finite(c: Constraint, sites: Sequence[Site]) -> None:
    """Raise where a constraint is no number where the scene begins."""
    if c.carries:  # of which only a run finds its own coordinates, or calls functions
        return
    with np.errstate(all="ignore"):
        found = np.array(c.replaced(carried=(np.zeros(0), np.zeros(c.slides))).rows(sites, 0.0), float)
    if not np.isfinite(found).all():
        row = int(np.argmin(np.isfinite(found)))
        what = f"{c.label} gives {found[row]} in row {row} (from 0) where the scene begins"
        raise SceneError(f"{what}. Begin where its function is a finite number (q=), or write one that is.", owner=c.label)
