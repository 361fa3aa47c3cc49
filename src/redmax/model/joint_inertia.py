"""Rotors of the motors that drive joints, as a scene keeps them: the inertia that a joint feels of them.

A rotor of inertia J behind a gear of ratio g turns g times as fast as its joint, so that its kinetic energy is 1/2 J (g qdot)^2 and the
joint feels the inertia g^2 J beside that of the bodies (Featherstone, Rigid Body Dynamics Algorithms, Sec. 9.6). That the rotor is carried
about by a body is part of the body: its mass is that of both.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from redmax.arguments import brief
from redmax.errors import SceneError, called
from redmax.joints.base import Joint
from redmax.joints.turning import check_on_twist, has_lasting_rates, is_ball
from redmax.model.links import Link, is_alone, nonnegative, of_body, vector


def rotors_of(joint: Joint) -> int:
    """How many inertias a joint may have: one for each coordinate that lasts; one for all directions of a ball joint; else none."""
    return joint.dof if has_lasting_rates(joint) else int(is_ball(joint))


def with_drive(link: Link, armature: Any, gear: Any) -> Link:
    """The link with a rotor, and with what acts on it along what it says, both checked."""
    if link.acts_on == "twist":
        check_on_twist(link.joint, link.name, called("Body", link.name))
    if armature is None and gear is not None:
        said = f"gear of body {link.name!r} is {brief(gear)}, but there is no rotor that it turns. Give its inertia, armature, too."
        raise SceneError(said, owner=link.name, argument="gear")
    if armature is None:
        return link
    inertia, ratio = rotor_of(armature, 1.0 if gear is None else gear, link.joint, link.name)
    return replace(link, armature=inertia, gear=ratio)


def rotor_of(armature: Any, gear: Any, joint: Joint, name: str) -> tuple[np.ndarray, np.ndarray]:
    """(armature, gear), (rotors,) each."""
    n = rotors_of(joint)
    if n == 0:
        kind = type(joint).__name__
        why = f"{kind} has no axis for it" if joint.dof else f"{kind} has no degree of freedom"
        raise SceneError(
            f"armature of body {name!r} is {brief(armature)}, but {why}, so that no rotor turns with it. Leave it out.",
            owner=name,
            argument="armature",
        )
    inertia = nonnegative(armature, n, of_body("armature", name), name)
    ratio = vector([gear] * n if is_alone(gear) else gear, n, of_body("gear", name), name)
    if not ratio.all():
        raise SceneError(
            f"gear of body {name!r} is {brief(gear)}: a rotor turns so many times as fast as the joint, never zero. Leave both out "
            "where there is no rotor.",
            owner=name, argument="gear", got=brief(gear), expected="a number that is not zero",
        )  # fmt: skip
    return inertia, ratio


def is_rotor(link: Link) -> bool:
    """Whether its joint has inertia of its own along every coordinate."""
    return link.armature is not None and bool((link.armature * link.gear != 0).all())
