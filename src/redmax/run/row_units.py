"""Whether the rows of a constraint are lengths or angles, which follows from what they move with.

A row that moves with the velocity of a place, or of a coordinate that is a length, is a length; one that moves with angular velocities and
angles alone is an angle.
"""

from __future__ import annotations

from typing import Any

from redmax.constraints.base import Constraint
from redmax.constraints.motion import MOTION, Motion
from redmax.constraints.traced_rows import Rows
from redmax.model.model import Model
from redmax.run.coordinate_units import units_of_directions
from redmax.trace import Graph, gradient
from redmax.trace.vector import vector_of


def row_units(model: Model, constraint: Constraint) -> list[bool]:
    """Of each row, whether it is an angle."""
    graph, links = Graph(), [model.links[b.index] for b in constraint.joints]
    motions = [
        Motion(*(vector_of(graph.inputs(f"{n}{i}", size)).reshape(3, -1).squeeze() for n, size in MOTION))
        for i in range(len(constraint.bodies))
    ]
    joints = [
        tuple(
            vector_of(graph.inputs(f"{n}{k}", size))
            for n, size in (("q", link.joint.nq), ("qdot", link.joint.dof), ("qddot", link.joint.dof))
        )
        for k, link in enumerate(links)
    ]
    rows = Rows(constraint, motions, joints, graph.input("t", 0))
    linear = [x for site in rows.local for x in site.v]
    for qdot, link in zip(rows.qdot, links, strict=True):
        linear += [x for x, unit in zip(qdot, units_of_directions(link, "length"), strict=True) if unit == "length"]
    return [not depends(row, linear) for row in rows.traced_rate]


def depends(row: Any, inputs: list[Any]) -> bool:
    """Whether a traced number changes with some of these."""
    return hasattr(row, "graph") and bool(inputs) and any(hasattr(x, "graph") or x != 0.0 for x in gradient(row, inputs))
