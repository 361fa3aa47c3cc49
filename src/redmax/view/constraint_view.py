"""What constraints look like: rods, ropes and belts as lines, closures and points that are led as small balls, and their forces as arrows.

A rope runs straight between the circles of its pulleys, and along them (constraints/pulley.py). Couplings and limits of coordinates have no
place, and are not drawn.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from redmax.components.holding import Site
from redmax.constraints.base import Constraint
from redmax.constraints.distance import Distance
from redmax.constraints.pulley import Course, Span, wrapped
from redmax.model.look import Look
from redmax.model.model import Model
from redmax.view.arrow_view import ArrowView
from redmax.view.geometry.skins import ball
from redmax.view.joint_marks import THICKEST, size_of, thickness
from redmax.view.mark_view import MarkView
from redmax.view.path_view import PathView

if TYPE_CHECKING:
    from redmax.dynamics.constraints import ConstraintStates
    from redmax.dynamics.dynamics import Dynamics
    from redmax.run.trajectory import Trajectory

Array = NDArray[np.float64]
ARC = 9  # points along each arc of a rope
ROUNDING = 1e-9  # of a wrench: less of it is no force, and no torque
BALL = 0.42  # radius of a mark, of the thickness of the bodies there


def lines_of(model: Model) -> list[Constraint]:
    """The constraints that are lines."""
    return [c for c in model.constraints if isinstance(c, Distance) or isinstance(getattr(c, "course", None), Course)]


def line_points(constraint: Constraint, poses: Array) -> Array:
    """(T, n, 3): where a line runs. poses: (T, links, 4, 4) of the bodies."""
    return np.array([points_at(constraint, sites_at(constraint, E)) for E in poses], float)


def sites_at(constraint: Constraint, poses: Array) -> list[Site]:
    """Its places at one time, which do not move. poses: (links, 4, 4)"""
    found, still = [], np.zeros(3)
    for anchor in constraint.anchors:
        E = np.eye(4) if anchor.member < 0 else poses[constraint.bodies[anchor.member].index]
        found.append(Site(E[:3, :3] @ anchor.position + E[:3, 3], still, E[:3, :3] @ anchor.rotation, still))
    return found


def points_at(constraint: Constraint, sites: Sequence[Site]) -> list[Array]:
    """Through its places or, of a rope, along its spans and arcs."""
    course = getattr(constraint, "course", None)
    if not isinstance(course, Course):
        return [site.x for site in sites]
    spans, found = course.spans(sites), list[Array]()
    for k, ((a, b), span) in enumerate(zip(course.pairs, spans, strict=True)):
        found += [sites[a].x + span.start, sites[b].x + span.end]
        after = spans[(k + 1) % len(spans)] if course.closed or k + 1 < len(spans) else None
        if course.round[b] and after is not None:
            found += arc(course, sites, b, span, after)
    return found


def arc(course: Course, sites: Sequence[Site], k: int, into: Span, out: Span) -> list[Array]:
    """Points of a pulley between two spans."""
    n = np.asarray(course.normal(sites, k), float)
    angle = float(wrapped(into.u, out.u, n, course.senses[k])) * course.senses[k]
    start, side = np.asarray(into.end, float), np.cross(n, np.asarray(into.end, float))
    return [sites[k].x + np.cos(x) * start + np.sin(x) * side for x in np.linspace(0, angle, ARC + 2)[1:-1]]


def constraint_paths(model: Model, look: Look, poses: Array) -> list[PathView]:
    """Lines in pages and pictures."""
    return [
        PathView(str(c.name), line_points(c, poses), colour=look.appearance(str(c.name)).hex, smooth=not isinstance(c, Distance))
        for c in lines_of(model)
    ]


def constraint_marks(model: Model, look: Look, poses: Array) -> list[MarkView]:
    """A ball where a closure is, or a point that is led, on the first body that it holds on to."""
    corners = [np.asarray(link.shape.mesh()[0], float).reshape(-1, 3) for link in model.bodies]
    most, found, drawn = THICKEST * size_of(corners, poses), list[MarkView](), lines_of(model)
    for c in model.constraints:
        first = next((a for a in c.anchors if a.member >= 0 and c.bodies[a.member].index < len(model.bodies)), None)
        if first is None or c in drawn or c.of_velocities:
            continue
        body = c.bodies[first.member].index
        held = [corners[b.index] for b in c.bodies if b.index < len(corners) and len(corners[b.index])]
        radius = BALL * min([most or 1.0, *(thickness(points) for points in held)])
        place = np.eye(4)
        place[:3, 3] = first.position
        colour = look.appearance(str(c.name)).hex
        found.append(MarkView(str(c.name), type(c).__name__, model.links[body].name, *ball(radius), place, poses[:, body], body, colour))
    return found


def reaction_names(model: Model, look: Look) -> list[str]:
    """Of the constraints and joints whose forces a look shows."""
    if isinstance(look.reactions, Sequence):
        return [str(name) for name in look.reactions]
    return [str(c.name) for c in model.constraints] if look.reactions else []


def reaction_arrows(run: Trajectory, look: Look) -> list[ArrowView]:
    """What constraints do to the bodies at their places, and joints to the bodies that they carry, where a look shows it."""
    found, known = list[ArrowView](), {str(c.name): c for c in run.model.constraints}
    for name in reaction_names(run.model, look):
        if name in known:
            found += of_constraint(known[name], run.constraint(name))
        else:
            found += of_joint(name, run.pose(f"{name}.joint"), run.reaction(name))
    return found


def arrows_at(engine: Dynamics, q: Array, qdot: Array, t: float, look: Look) -> list[ArrowView]:
    """The same at one state, without what a controller adds."""
    found, known = list[ArrowView](), {str(c.name): c for c in engine.model.constraints}
    qddot, sizes = engine.forward(q, qdot, t=t), engine.multipliers(q, qdot, t=t)
    for name in reaction_names(engine.model, look):
        if name in known:
            found += of_constraint(known[name], engine.constraint_with(name, q[None], qdot[None], sizes[None], t))
        else:
            wrench = engine.reactions(q, qdot, qddot, t=t, multipliers=sizes)[engine.model.index(name)]
            found += of_joint(name, engine.pose(q, f"{name}.joint", t)[None], wrench[None])
    return found


def of_constraint(constraint: Constraint, seen: ConstraintStates) -> list[ArrowView]:
    """On each place that is on a body."""
    on = [k for k, anchor in enumerate(constraint.anchors) if anchor.member >= 0]
    parts = [(seen.points[:, k], seen.wrenches[:, k, :3], seen.wrenches[:, k, 3:]) for k in on]
    return [arrow for part in parts for arrow in pair(str(constraint.name), *part)]


def of_joint(name: str, E: Array, wrench: Array) -> list[ArrowView]:
    """At the frame (T, 4, 4) of a joint, of a wrench (T, 6) in its axes."""
    torque, force = ((E[:, :3, :3] @ part[..., None])[..., 0] for part in (wrench[:, :3], wrench[:, 3:]))
    return pair(f"reaction of {name}", E[:, :3, 3], torque, force)


def pair(name: str, points: Array, torque: Array, force: Array) -> list[ArrowView]:
    """Arrows of a force and of a torque, (T, 3), where they are not zero all the time, but for rounding."""
    least = ROUNDING * max(abs(force).max(), abs(torque).max())
    return [ArrowView(name, points, x, kind) for kind, x in (("force", force), ("torque", torque)) if abs(x).max() > least]
