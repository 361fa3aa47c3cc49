"""Configurations that are off their group: forward and inverse dynamics give no numbers of them, and an error says by how much.

A step of nothing leads what is off by more than 1e-9 towards the group (lie/long_products.py): by a half of R'R - 1, or by |q| - 1. It is
looked at in the compiled program, at the price of a step for each joint.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from redmax.errors import Phrase
from redmax.math import where
from redmax.model.links import OFF, check_on_group
from redmax.model.model import Model
from redmax.program.program import Program
from redmax.program.record import JointView
from redmax.program.sweep import forward, recursion

FAR = 1.5 * OFF  # of all numbers together, so that one of them is off by more than OFF


@forward
def look(j: JointView) -> None:
    if j.joint.nq != j.joint.dof:
        moved = j.joint.retract(j.q, np.zeros(j.joint.dof)) - j.q
        j.q = where(sum(x * x for x in moved) > FAR**2, np.nan, j.q)


LOOK = recursion(look, name="look at groups")


def guarded(model: Model, program: Program) -> Program:
    """The same, which gives no numbers where a joint is off its group; itself where none has one."""
    some = any(link.joint.nq != link.joint.dof for link in model.links)
    return replace(program, name=f"{program.name} on groups", stages=(LOOK, *program.stages)) if some else program


def check_configurations(model: Model, q: np.ndarray, owner: str) -> None:
    """Raise unless coordinates (..., nq) are on the groups that joints have."""
    for link in model.links:
        if link.joint.nq != link.joint.dof:
            own = q[..., model.q_slice(link.joint_name)].astype(float)
            check_on_group(link.joint, own, Phrase(f"q of joint {link.joint_name!r}", "q"), owner)
