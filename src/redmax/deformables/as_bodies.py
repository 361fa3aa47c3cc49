"""Nodes as bodies: what elements add to Newton's matrix of a fully implicit step (dynamics/recursive/newton_matrix.py).

A node is a point at the origin of a joint frame, f the forces on nodes. A shift delta and a turn theta of body b about its origin o, in
world axes, move its node by delta + theta x arm, arm = x - o, and turn its velocity; the wrench (arm x f; f) is seen from the turning body:

    K_ab =  ([arm_a]; 1) (df_a/dx_b (-[arm_b], 1) + df_a/dv_b (-[v_b], 0)),       K_aa += ([arm]; 1) ([f], 0)
    D_ab = -([arm_a]; 1)  df_a/dv_b (-[arm_b], 1)

as forces/linear.py has it for points of bodies; all derivatives are exact.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from redmax.forces.frames import skew
from redmax.program.member import MemberView


@dataclass(frozen=True, eq=False)
class Slopes:
    """Of forces (k, 3) on nodes: by their places and by their velocities, (3k, 3k) each."""

    force: Any
    by_place: Any
    by_velocity: Any

    def part(self, matrix: Any, a: int, b: int) -> Any:
        """What node a feels of node b."""
        return matrix[3 * a : 3 * a + 3, 3 * b : 3 * b + 3]


def act_linearised(members: Sequence[MemberView], v: Any, slopes: Slopes) -> dict[tuple[int, int], Any]:
    """Add to the members' own D and -K; returns the blocks [D, -K] between two."""
    arms, blocks = [b.x - b.o for b in members], dict[tuple[int, int], Any]()
    for a, left in enumerate(members):
        lever = np.concatenate([skew(arms[a]), np.eye(3)])
        for b, arm in enumerate(arms):
            moved = np.concatenate([-skew(arm), np.eye(3)], axis=1)
            turned = np.concatenate([-skew(v[b]), np.zeros((3, 3))], axis=1)
            by_velocity = slopes.part(slopes.by_velocity, a, b)
            D = -(lever @ (by_velocity @ moved))
            K = lever @ (slopes.part(slopes.by_place, a, b) @ moved + by_velocity @ turned)
            if a == b:
                K[:, :3] = K[:, :3] + lever @ skew(slopes.force[a])
                left.own_damping += D.ravel()
                left.own_stiffness += (-K).ravel()
            else:
                blocks[a, b] = np.concatenate([D, -K], axis=1)
    return blocks
