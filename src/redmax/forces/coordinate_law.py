"""How a force on coordinates acts: it pushes joints, and its stiffness and damping stand between the coordinates of any two of them.

    tau_i,    K_ij = d tau_i/dq_j,    D_ij = -d tau_i/d qdot_j        blocks (~i, ~j): of coordinates, not of bodies

Linearly implicit steps take h D - h^2 K as blocks and tau + h K qdot on the right side, Newton's method [D, -K], all exact.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

import numpy as np

from redmax.forces.fixed_tendon import FixedTendon
from redmax.forces.following import coordinate_seeds, minus_slopes
from redmax.forces.law import ForceLaw
from redmax.program.member import MemberView
from redmax.program.record import WorldView
from redmax.program.sweep import Part


class CoordinateLaw(ForceLaw):
    """What all forces on coordinates of one kind have in common."""

    force: FixedTendon

    def pairs(self, part: Part) -> Sequence[tuple[int, int]]:
        """Any two joints, in both orders, and each with itself."""
        n = len(self.force.joints) if part is Part.NEWTON or part.implicitly else 0
        return [(~i, ~j) for i in range(n) for j in range(n)]

    def act(self, part: Part, members: Sequence[MemberView], constants: np.ndarray, w: WorldView) -> dict[tuple[int, int], Any]:
        """Of one part."""
        force = cast(FixedTendon, self.filled(constants)).replaced(coordinates=[(b.q, b.qdot) for b in members])
        if part is Part.POTENTIAL:
            w.gather("potential", force.potential((), w.t))
            return {}
        torques = force.torques(w.t)
        if part is Part.WRENCH:
            push(members, torques)
            return {}
        slopes = {(i, j): minus_slopes(torque, coordinate_seeds(force, j)) for i, torque in enumerate(torques) for j in range(len(members))}
        if part is Part.NEWTON:
            return {(~i, ~j): block for (i, j), block in slopes.items()}
        push(members, [torque + self.carried(force, slopes, i, w.h) for i, torque in enumerate(torques)])
        return {(~i, ~j): w.h * block[:, :6] + (w.h * w.h) * block[:, 6:] for (i, j), block in slopes.items()}

    def carried(self, force: FixedTendon, slopes: dict[tuple[int, int], np.ndarray], i: int, h: Any) -> Any:
        """h K qdot of the i-th joint."""
        total: Any = 0.0
        for j, (_, qdot) in enumerate(force.coordinates):
            total = total - h * (slopes[i, j][: len(force.weights[i]), 6 : 6 + len(qdot)] @ qdot)
        return total


def push(members: Sequence[MemberView], torques: Sequence[Any]) -> None:
    """Torques on the coordinates of joints."""
    for b, torque in zip(members, torques, strict=True):
        b.pushed += torque


def law_of(force: Any) -> ForceLaw:
    """The law of a force between bodies, or on coordinates."""
    return CoordinateLaw(force) if isinstance(force, FixedTendon) else ForceLaw(force)
