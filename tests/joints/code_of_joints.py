"""What a joint costs in forward dynamics, and which compiled code it uses."""

from __future__ import annotations

import redmax as rm
from redmax.backends.base import make_plan
from redmax.program.plan import Plan


def forward_plan(joint: rm.Joint) -> Plan:
    scene = rm.Scene()
    scene.add_body(rm.Sphere(0.1), joint=joint)
    return make_plan(scene.model(), rm.Dynamics(scene.model()).forward_program, "interpret")


def cost(joint: rm.Joint) -> int:
    """Traced operations."""
    return sum(r.group.meta.operations[r.sweep] for r in forward_plan(joint).rows)


def code(joint: rm.Joint) -> set[str]:
    """What the compiled code is found by."""
    return {g.key("") for g in forward_plan(joint).groups}
