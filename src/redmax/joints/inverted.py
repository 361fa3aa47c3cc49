"""A joint seen from the child: what the parent does relative to the child.

Q^-1,    S = -Ad(Q) S_Q        since  (Q^-1)^-1 d(Q^-1) = -dQ Q^-1 = -Q (Q^-1 dQ) Q^-1
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from redmax.arguments import brief
from redmax.errors import SceneError
from redmax.joints.base import Joint
from redmax.joints.compound import Compound
from redmax.joints.drawing import Drawing
from redmax.joints.swept import drawings
from redmax.lie import se3
from redmax.lie.three import by_columns, cross, plus, rows, split, times


class Inverted(Compound):
    """The inverse motion of `joint`, with its coordinates: for a chain that is described from its tip."""

    held = "joint"

    def __init__(self, joint: Joint) -> None:
        if not isinstance(joint, Joint):
            raise SceneError(
                f"Inverted takes a joint such as Inverted(Universal()). Got {brief(joint)}.", owner="Inverted", argument="joint"
            )
        super().__init__([joint])

    def __repr__(self) -> str:
        return f"Inverted({self.parts[0]!r})"

    def pose_from(self, E: list[np.ndarray]) -> Any:
        return se3.inverse(E[0])

    def jacobian_from(self, E: list[np.ndarray], S: list[np.ndarray]) -> Any:
        R, p = rows(se3.rotation(E[0])), split(se3.translation(E[0]))

        def carried(V: list[Any]) -> list[Any]:
            w = times(R, V[:3])
            return [0.0 - x for x in [*w, *plus(times(R, V[3:]), cross(p, w))]]

        return by_columns(carried, S[0])

    def drawing(self) -> Sequence[Drawing]:
        """What the parent of the inner joint carries, the child of this one does, and the other way round."""
        return [replace(d, on="child" if d.on == "parent" else "parent") for d in drawings(self.parts[0])]

    def needs_check(self) -> bool:
        """An inverse is as sound as the motion."""
        return self.parts[0].needs_check() or not self.has_own("needs_check", of="pose_from")

    def canonical(self) -> tuple[Joint, np.ndarray]:
        """(C Q C^-1)^-1 = C Q^-1 C^-1; inverted twice, a joint is itself."""
        (inner,) = self.parts
        if type(inner) is Inverted:
            return inner.parts[0].core()
        core, C = inner.core()
        return Inverted(core), C
