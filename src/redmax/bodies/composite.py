"""Several bodies welded into one (RedMax notes Sec. 1.7.1).

m = sum m_k,  p = sum m_k p_k / m                                   (Eq. 1.25)
I = sum R_k I_k R_k' + m_k (|d_k|^2 1 - d_k d_k'),  d_k = p_k - p   (angular block of Eq. 1.26, M = sum Ad' M_k Ad)

The axes of the new body frame are the principal axes of I.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from redmax.bodies.base import Array, Body, Triangles
from redmax.bodies.principal import principal_axes
from redmax.components.checks import as_pose
from redmax.components.given import Pose
from redmax.errors import Phrase, SceneError, wrong


@dataclass(frozen=True, eq=False, repr=False)
class Composite(Body):
    """Rigid union of bodies, each with the pose (4x4, or a translation (3,) in m) of the frame it is described in.

    `frame` is the pose of the composite's body frame (centre of mass, principal axes) in the frame of those poses.
    Where parts overlap, their masses add.
    """

    parts: Sequence[tuple[Body, Pose]]

    def __post_init__(self) -> None:
        parts = checked_parts(self.parts)
        m = np.array([body.mass for body, _ in parts])
        if not m.sum() > 0:
            raise SceneError(
                "Composite: the parts have no mass together, expected at least one part with a mass.", owner="Composite", argument="parts"
            )
        E = np.array([pose @ body.frame for body, pose in parts])
        p = m @ E[:, :3, 3] / m.sum()
        inertia = np.zeros((3, 3))
        for (body, _), R, d in zip(parts, E[:, :3, :3], E[:, :3, 3] - p):
            inertia += R @ body.inertia @ R.T + body.mass * (d @ d * np.eye(3) - np.outer(d, d))
        frame = np.eye(4)
        frame[:3, :3], moments = principal_axes(inertia)
        frame[:3, 3] = p
        self._set(parts=parts, mass=float(m.sum()), inertia=np.diag(moments), frame=frame)

    def part_poses(self) -> list[Array]:
        """Pose (4, 4) of each part's body frame in the composite's body frame."""
        to_body = np.linalg.inv(self.frame)
        return [to_body @ np.asarray(pose) @ body.frame for body, pose in self.parts]

    def geometry(self) -> dict[str, Any]:
        parts = [{**body.geometry(), "pose": E.tolist()} for (body, _), E in zip(self.parts, self.part_poses())]
        return {"kind": "composite", "parts": parts}

    def mesh(self, segments: int = 24) -> Triangles:
        vertices, faces, offset = [], [], 0
        for (body, _), E in zip(self.parts, self.part_poses()):
            v, f = body.mesh(segments)
            vertices.append(v @ E[:3, :3].T + E[:3, 3])
            faces.append(f + offset)
            offset += len(v)
        return np.concatenate(vertices), np.concatenate(faces)


def checked_parts(parts: Any) -> tuple[tuple[Body, Array], ...]:
    """The parts with their poses as 4x4 matrices, or an error."""
    valid = "a (body, pose) pair, where the pose is a translation or a 4x4 rigid transform"
    if not isinstance(parts, list | tuple) or not parts:
        raise wrong("Composite", "parts", parts, f"a list with at least one entry, each {valid}")
    checked = []
    for k, part in enumerate(parts):
        if not isinstance(part, list | tuple) or len(part) != 2 or not isinstance(part[0], Body):
            raise wrong("Composite", Phrase(f"part {k}", "parts"), part, valid)
        pose = as_pose("Composite", Phrase(f"the pose of part {k}", "parts"), part[1])
        pose.setflags(write=False)
        checked.append((part[0], pose))
    return tuple(checked)
