"""Joints on groups for tests: every way to write a configuration, and scenes that are the same but for how their joints are written."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

import redmax as rm

BALLS = ("quaternion", "matrix")
FREES = ("quaternion", "matrix", "pose", "dual-quaternion")
JOINTS: dict[str, rm.Joint] = {
    **{f"ball {form}": rm.Spherical(coordinates=form) for form in BALLS},  # type: ignore[arg-type]
    **{f"free {form}": rm.Free(coordinates=form) for form in FREES},  # type: ignore[arg-type]
    "composite": rm.CompositeJoint(rm.Revolute("x"), (0.0, 0.1, 0.3), rm.Spherical("quaternion")),
    "inverted": rm.Inverted(rm.Spherical("matrix")),
    "inverted pose": rm.Inverted(rm.Free("pose")),
}


def somewhere(joint: rm.Joint, rng: np.random.Generator) -> np.ndarray:
    """A configuration, (nq,)."""
    return np.asarray(joint.retract(joint.home, rng.normal(size=joint.dof)), float)


def written_anew(scene: rm.Scene, form: int) -> rm.Scene:
    """The same scene with its ball joints and free ones as elements of a group, in the same places with the same twists.

    Springs and dampers of these joints act along other things, and are left out of both by `bare`.
    """
    other = scene.copy()
    other.links[:] = [on_group(link, form + i) for i, link in enumerate(scene.links)]
    return other


def bare(scene: rm.Scene) -> rm.Scene:
    """Without springs, dampers and torques in ball joints and free ones."""
    other = scene.copy()
    other.links[:] = [
        replace(link, stiffness=0 * link.stiffness, damping=0 * link.damping, torque=None) if changes(link.joint) else link
        for link in scene.links
    ]
    return other


def changes(joint: rm.Joint) -> bool:
    return type(joint) in (rm.Spherical, rm.SphericalEuler, rm.Free, rm.Free3D)


def on_group(link: Any, form: int) -> Any:
    """A link whose joint is an element of a group."""
    if not changes(link.joint):
        return link
    ball = link.joint.dof == 3
    joint: rm.Joint = rm.Spherical(BALLS[form % 2]) if ball else rm.Free(FREES[form % 4])  # type: ignore[arg-type]
    q, qdot = element_of(joint, link.joint, link.q), link.joint.twist(link.q, link.qdot)[: joint.dof]
    return replace(link, joint=joint, q=q, qdot=qdot, rest=q)


def element_of(joint: rm.Joint, of: rm.Joint, q: np.ndarray) -> np.ndarray:
    """Coordinates (..., nq) of a joint on a group where another is at coordinates of its own."""
    place = () if joint.dof == 3 else (of.position(q),)
    return joint.coordinates(of.quaternion(q), *place)
