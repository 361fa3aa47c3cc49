"""Joints one after the other, as one joint without bodies between (RedMax supplement Sec. 5.1).

Q = P0 Q1 P1 Q2 P2 ...,    S = (Ad((Q2 P2)^-1) Ad(P1^-1) S1, Ad(P2^-1) S2, ...)        (Eq. 45, with constant poses P between)
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from redmax.components.checks import as_pose
from redmax.components.data_and_structure import one_line
from redmax.components.given import Pose
from redmax.errors import Phrase, SceneError
from redmax.joints.base import Joint
from redmax.joints.compound import Compound
from redmax.joints.drawing import Drawing
from redmax.joints.fixed import Fixed
from redmax.joints.frames import cleaned
from redmax.joints.swept import drawings
from redmax.lie import to_child


class CompositeJoint(Compound):
    """Joints, each on the frame that the one before carries; q is the coordinates of the first, then those of the next, and so on.

    sequence: joints, with constant poses (4x4, or a translation (3,) in m) anywhere between: Revolute("x"), (0, 0, 1), Prismatic("z")
    At most 6 degrees of freedom in all; where some of the motions coincide, as in two hinges about one axis, the dynamics is singular.
    """

    held = "sequence"

    def __init__(self, *sequence: Joint | Pose) -> None:
        parts, places = flattened(sequence)
        super().__init__(parts)
        self.places = tuple(cleaned(P) for P in places)  # before each part, and after the last
        if self.dof > 6:
            counts = " + ".join(str(part.dof) for part in parts)
            raise SceneError(
                f"CompositeJoint has {counts} = {self.dof} degrees of freedom; a rigid motion has at most 6. Leave some out.",
                owner="CompositeJoint",
                argument="sequence",
            )

    def pose_from(self, E: list[np.ndarray]) -> Any:
        whole: Any = self.places[0]
        for pose, place in zip(E, self.places[1:], strict=True):
            whole = whole @ pose @ place
        return whole

    def jacobian_from(self, E: list[np.ndarray], S: list[np.ndarray]) -> Any:
        whole: Any = np.zeros((6, 0))
        for pose, columns, place in zip(E, S, self.places[1:], strict=True):
            carried = to_child(pose) @ whole
            whole = to_child(place) @ np.concatenate([carried.astype(object), columns], axis=1)
        return whole

    def __repr__(self) -> str:
        said = [place_said(self.places[0])]
        for part, place in zip(self.parts, self.places[1:], strict=True):
            said += [repr(part), place_said(place)]
        return f"CompositeJoint({', '.join(filter(None, said))})"

    def drawing(self) -> Sequence[Drawing]:
        """What the first part's parent and the last part's child carry; between them is nothing that it could be fixed to."""
        if not self.parts:
            return []
        first = [d.placed(self.places[0]) for d in drawings(self.parts[0]) if d.on == "parent"]
        return first + [d.placed(np.linalg.inv(self.places[-1])) for d in drawings(self.parts[-1]) if d.on == "child"]

    def canonical(self) -> tuple[Joint, np.ndarray]:
        """The parts' cores, with their frames between them; C such that nothing is turned after the last, where it would fill S."""
        if not self.parts:
            return self, np.eye(4)
        cores, frames = zip(*[part.core() for part in self.parts], strict=True)
        C = np.eye(4)
        C[:3, :3] = self.places[-1][:3, :3].T @ frames[-1][:3, :3]
        sequence: list[Any] = []
        for before, place, frame, core in zip((C, *frames), self.places, frames, cores, strict=False):
            sequence += [before.T @ place @ frame, core]
        return CompositeJoint(*sequence, frames[-1].T @ self.places[-1] @ C), cleaned(C)


def flattened(sequence: tuple[Any, ...]) -> tuple[list[Joint], list[np.ndarray]]:
    """The joints that move, and the constant poses before each and after the last; composites within are taken apart."""
    parts: list[Joint] = []
    places = [np.eye(4)]
    for k, item in enumerate(sequence):
        if isinstance(item, type) and issubclass(item, Joint):
            raise SceneError(
                f"CompositeJoint takes joints such as {item.__name__}(). Got the class {item.__name__}: add parentheses.",
                owner="CompositeJoint",
                argument="sequence",
            )
        if isinstance(item, list | tuple) and any(isinstance(each, Joint) for each in item):
            what = "takes joints and poses one after the other"
            raise SceneError(
                f"CompositeJoint {what}. Got several in one as item {k}: put an asterisk before it, CompositeJoint(*joints).",
                owner="CompositeJoint",
                argument="sequence",
            )
        if type(item) is CompositeJoint:
            parts += item.parts
            places = [*places[:-1], places[-1] @ item.places[0], *item.places[1:]]
        elif isinstance(item, Joint):
            if type(item) is not Fixed:
                parts.append(item)
                places.append(np.eye(4))
        else:
            places[-1] = places[-1] @ as_pose("CompositeJoint", Phrase(f"item {k}", "sequence"), item)
    if not any(isinstance(item, Joint) for item in sequence):
        raise SceneError(
            'CompositeJoint needs at least one joint, such as CompositeJoint(Revolute("x"), Prismatic("x")). Got none.',
            owner="CompositeJoint",
            argument="sequence",
        )
    return parts, places


def place_said(place: np.ndarray) -> str:
    """A constant pose in words: a translation if it is one, nothing if it does nothing."""
    if np.array_equal(place, np.eye(4)):
        return ""
    return one_line(place[:3, 3]) if np.array_equal(place[:3, :3], np.eye(3)) else one_line(place)
