"""What contact needs of bodies and joints: inertias and twists in world axes about the origin of each tree, and the blocks of joints.

M_w = Y' (M + P) Y,  Y = Ad^-1 of the joint frame seen from there;   E = h D - h^2 K and the rotor's inertia;   V_free = V + h J a
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from redmax.dynamics.common.kinematics import with_rotor
from redmax.dynamics.common.row_terms import place_body
from redmax.dynamics.recursive.forces import turned
from redmax.dynamics.recursive.joints import implicit_block, own_impedance
from redmax.lie import Adjoint
from redmax.program.record import JointView, ParentView, WorldView
from redmax.program.sweep import Part, Recursion, forward, interactions, recursion

STATE: dict[str, Any] = {"touch_M": 36, "touch_E": "vv", "touch_V": 6, "touch_V0": 6, "touch_o": 3, "row_s": "6v"}


@lru_cache(maxsize=4)
def contact_terms(implicit: bool, rows: bool = False) -> Recursion:
    """Places bodies and shapes. implicit: with what springs and dampers add to the system of an implicit step; rows: of constraints too."""

    @forward
    def place(j: JointView, p: ParentView, w: WorldView) -> None:
        place_body(j, p, w, Part.VELOCITY_ROWS)
        R, arm = np.asarray(j.row_R, object).reshape(3, 3), j.row_x - j.row_o
        together = implicit and "own" in j and "o" in j  # forces couple bodies: what they add is about the origin of the tree
        impedance = own_impedance(j) if implicit and "own" in j and not together else None
        M = j.M if impedance is None else j.M + impedance
        touch_M = M.congruence(Adjoint(R, arm)).matrix()
        if together and j.touched:
            upper = np.triu(np.asarray(j.own, object).reshape(6, 6))
            touch_M = touch_M + upper + np.triu(upper, 1).T
        j.touch_M = touch_M.ravel()
        j.touch_V = turned(R, arm, (j.row_V + w.h * j.row_A)[:, None])
        j.touch_V0 = turned(R, arm, np.asarray(j.row_V, object)[:, None])
        j.touch_o = j.row_o
        n = j.joint.dof
        if n:
            block = implicit_block(j, w) if implicit else np.zeros((n, n)).astype(object)
            j.touch_E = with_rotor(block, j, j.S).ravel()

    parts = (Part.SHAPES, Part.VELOCITY_ROWS, Part.LIMIT_ROWS) if rows else (Part.SHAPES,)
    name = f"contact terms{' with rows' if rows else ''}{' of implicit steps' if implicit else ''}"
    return recursion(place, *[interactions(part) for part in parts], name=name)
