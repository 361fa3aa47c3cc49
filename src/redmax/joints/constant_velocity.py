"""A coupling of two shafts that bends and never twists: the constant-velocity joint.

Its rotations are R = exp([w]) with w across the shaft. They are no group, but closed under the triple bracket: a Lie triple system
(Mueller, Screw and Lie group theory, Sec. 4.1). Let the shafts lie in bearings, the second bent by a fixed b across the first, and
turned by the angles alpha and beta. The joint between them is

    Rz(-alpha) exp([b]) Rz(beta) = exp([Rz(-alpha) b]) Rz(beta - alpha)

and this is an exp([w]) with w across z only for beta = alpha: one shaft turns as fast as the other, at every bend. (For the universal
joint Rx Ry bent about x, tan beta = cos |b| tan alpha: the ratio of speeds swings between cos |b| and 1 / cos |b| twice a turn.)
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from redmax.joints.along_axis import AlongAxis
from redmax.joints.base import Joint
from redmax.joints.spherical import rewind, stack_rows
from redmax.lie import se3, so3
from redmax.math import array


class ConstantVelocityZ(Joint):
    """With the shaft along z. S is two columns of dexp: regular for |q| < 2 pi, and kept from there as Spherical is."""

    dof = 2
    proven = True
    chart = "exp"

    def transform(self, q: Any) -> Any:
        return se3.pose(so3.exp(array([q[0], q[1], 0.0])), np.zeros(3))

    def jacobian(self, q: Any) -> Any:
        return stack_rows(so3.dexp_right(array([q[0], q[1], 0.0]))[:, :2], np.zeros((3, 2)))

    def rechart(self, states: Sequence[tuple[Any, Any]]) -> list[tuple[Any, Any]]:
        """A bend by more than half a turn is one to the other side, about the same line: still across the shaft."""
        turned = rewind([(array([*q, 0.0]), array([*qdot, 0.0])) for q, qdot in states])
        return [(w[:2], wdot[:2]) for w, wdot in turned]


class ConstantVelocity(AlongAxis):
    """Bending by the vector with entries q1, q2 (rad) along the joint's two `directions`, across the shaft `axis`.

    The angle of the bend is |q|, about an axis that lies across both shafts. axis: "x", "y", "z" or any 3-vector
    """

    dof = 2
    proven = True
    chart = "exp"

    def along_z(self) -> Joint:
        return ConstantVelocityZ()
