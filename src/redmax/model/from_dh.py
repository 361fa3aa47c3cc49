"""A mechanism from a table of Denavit and Hartenberg, in both conventions.

    standard   C_i-1,i = Rz(theta) Tz(d) Tx(a) Rx(alpha)      joint i moves along the z axis of frame i-1, frame i is at the end of link i
    modified   C_i-1,i = Rx(alpha) Tx(a) Rz(theta) Tz(d)      joint i moves along the z axis of frame i, which is where link i begins

(Denavit and Hartenberg 1955; Craig, Introduction to robotics, Sec. 3.4, whose row i has alpha_i-1 and a_i-1.) A revolute joint adds q to
theta, a prismatic one to d. In terms of screws the joint is Rz, Tz, seen from the parent in the former, from the body in the latter.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from redmax.components.checks import as_pose, choice, finite
from redmax.errors import wrong
from redmax.lie import Ad, pose, rotation_about, screw
from redmax.model.from_screws import Each, SceneFromScrews, bodies_of, count_of, fill, new_scene, one_each
from redmax.types import Given

if TYPE_CHECKING:
    from redmax.bodies import Body
    from redmax.model.scene import Scene

OWNER = "Scene.from_dh"


class SceneFromDH(SceneFromScrews):
    """The method of Scene that makes one from a table of Denavit and Hartenberg."""

    @classmethod
    def from_dh(
        cls,
        table: Sequence[ArrayLike] | np.ndarray,
        joints: str | Sequence[str],
        shapes: Sequence[Body] | None = None,
        *,
        convention: Literal["standard", "modified"] = "standard",
        base: Given = None,
        tool: Given = None,
        masses: Given = None,
        inertias: Sequence[ArrayLike] | np.ndarray | None = None,
        centers: Given = None,
        parents: Sequence[Any] | None = None,
        names: Sequence[str] | None = None,
        q: Given = None,
        qdot: Given = None,
        gravity: ArrayLike = (0.0, 0.0, -9.81),
        title: str = "",
    ) -> Scene:
        """A scene from parameters of Denavit and Hartenberg, a row for each link.

        table: (n, 4), each row a (m), alpha (rad), d (m), theta (rad), where the joint's coordinate is zero
        joints: "R" (adds its coordinate to theta) or "P" (adds it to d) for each, as in "RRP"
        convention: "standard" (Rz(theta) Tz(d) Tx(a) Rx(alpha)) or "modified", of Craig (Rx(alpha) Tx(a) Rz(theta) Tz(d))
        base: where frame 0 is in the world, a 3-vector or a 4x4; tool: in the frame of the last link, which a frame "tool" is named for
        shapes, masses, inertias, centers, parents, names, q, qdot: as of `from_screws`, in the frames of the table: link i is in frame i
        """
        n = count_of(table, OWNER, "table")
        rows = finite(OWNER, "table", table, ((n, 4),), f"{n} rows of four finite numbers: a, alpha, d, theta")
        kinds = [choice(OWNER, f"joints[{i}]", kind, ("R", "P")) for i, kind in enumerate(checked_letters(joints, n))]
        standard = choice(OWNER, "convention", convention, ("standard", "modified")) == "standard"
        first = np.eye(4) if base is None else as_pose(OWNER, "base", base)
        steps = [step(row, standard) for row in rows]
        above = range(-1, n - 1) if parents is None else [-1 if p is None else p for p in one_each(parents, n, "parents", OWNER)]
        along = [screw("z", pitch=0.0 if kind == "R" else np.inf) for kind in kinds]
        if standard:  # a root's parent is frame 0, wherever that is in the world
            along = [Ad(first) @ x if p == -1 else x for x, p in zip(along, above, strict=True)]
        scene, bodies = new_scene(cls, gravity, title), bodies_of(shapes, masses, inertias, n, OWNER)
        poses = [first @ E if p == -1 else E for E, p in zip(steps, above, strict=True)]
        fill(scene, OWNER, bodies, along, poses, "parent" if standard else "body", True, parents, Each(centers, names, q, qdot))
        if tool is not None:
            last = scene.frames[-1]
            scene.add_frame("tool", last.body, last.matrix @ as_pose(OWNER, "tool", tool), relative_to=last.relative_to)
        return scene


def checked_letters(joints: Any, n: int) -> Sequence[str]:
    if not isinstance(joints, str | Sequence) or len(joints) != n:
        raise wrong(OWNER, "joints", joints, f"'R' or 'P' for each of the {n} rows, as in {'R' * n!r}")
    return joints


def step(row: np.ndarray, standard: bool) -> np.ndarray:
    """C_i-1,i where the joint's coordinate is zero."""
    a, alpha, d, theta = (float(x) for x in row)
    about_z, about_x = pose(rotation_about("z", theta), (0.0, 0.0, d)), pose(rotation_about("x", alpha), (a, 0.0, 0.0))
    return about_z @ about_x if standard else about_x @ about_z
