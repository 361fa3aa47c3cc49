"""Rolling without slip: the material points of two bodies that touch have one velocity. Rows of velocities on a joint's own coordinates.

    s = w1 - Q w2,    w = the velocity of the contact over a surface or curve, in the tangent frame there

w1 and w2 follow from how quickly the contact moves over the one and over the other (joints/surface_contact.py and its like), whose
difference is the slip. Positions are not held: where a body comes to depends on its way (Neimark and Fufaev 1972, Ch. II).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from redmax.components.handles import BodyHandle
from redmax.components.holding import Site
from redmax.constraints.base import Constraint, unused
from redmax.joints.base import Joint
from redmax.types import Value


class RollingRows(Constraint):
    """The rows of one joint that rolls. motion: the joint."""

    of_velocities = True

    def __init__(self, motion: Joint, body: BodyHandle, name: str) -> None:
        self.motion, self.size = motion, motion.rolls
        self.hold((), name, joints=(body,))

    def speed(self, sites: Sequence[Site], t: Value) -> Any:
        q, qdot = self.coordinates[0]
        charts = self.motion.start if len(q) == self.motion.nq else ()  # where only the form of the rows is asked for
        return self.motion.slip(np.array([*q, *charts, None], object)[:-1], qdot)


def rolling_rows(joints: Sequence[tuple[Joint, BodyHandle]], taken: Iterable[str]) -> list[Constraint]:
    """Of the joints that roll, under names that no other constraint has."""
    names = unused([f"rolling of {body.joint}" for _, body in joints], taken)
    return [RollingRows(joint, body, name) for (joint, body), name in zip(joints, names, strict=True)]
