"""Functions of a file, called once where the scene begins: those that return other than they should are named at their lines.

Functions of a file are arithmetic, so that calling them is safe. What a run would find only while it compiles is found here.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from redmax.constraints.base import Constraint
from redmax.constraints.carried import Carrying
from redmax.contact.rubbing import JointFriction
from redmax.deformables import Law, Material
from redmax.errors import Phrase, SceneError
from redmax.forces import AppliedWrench, Force, JointForce, PointForce
from redmax.forces.base import Site
from redmax.forces.own import FunctionForce, FunctionPath
from redmax.io.expressions import Wrong
from redmax.model.given_functions import sized
from redmax.model.links import Link
from redmax.model.scene import Scene


def probe_body(link: Link) -> None:
    """Call the functions of a body once, at t = 0 and where it begins."""
    for what, function, given in (("torque", link.torque, (0.0, link.q, link.qdot)), ("motion", link.motion, (0.0,))):
        if function is None:
            continue
        try:
            found = sized(function, link, what)(*given)
        except Wrong as error:
            raise Wrong(f"{what} of body {link.name!r}: {error}", what) from None
        if any(np.ndim(x) for x in found):
            raise SceneError(
                f"{what} of body {link.name!r} has a list in the place of a number. Take an entry of it, such as q[0].",
                owner=link.name,
                argument=what,
            )


def probe_wrench(parts: dict[str, Any]) -> None:
    """Call the functions of a wrench once, at t = 0."""
    for name in ("torque", "force"):
        if callable(parts.get(name)):
            three(parts[name](0.0), Phrase(f"the {name} of a wrench", name))


def three(value: Any, what: str) -> None:
    """Raise unless a value is three numbers."""
    if np.shape(value) != (3,):
        raise SceneError(f"{what} has shape {np.shape(value)}, expected three numbers or expressions.", argument=what)


def probe_twist(scene: Scene) -> None:
    """Call the functions of the last prescribed twist once."""
    twist, R = scene.twists[-1], np.eye(3)
    twist.target(0.0, R)
    if twist.acceleration is not None:
        twist.sized(twist.acceleration(0.0, R), "acceleration")


def probe_force(force: Force | JointForce, scene: Scene) -> None:
    """Call the functions of a force once, where the scene begins."""
    if isinstance(force, JointFriction):  # which has none
        return
    if isinstance(force, JointForce):
        link = scene.links[scene.find_joint(force.body).index]
        torque = force.fitted(link.joint, link.joint_name, link.q).torque(link.q, link.qdot, 0.0)
        if np.shape(np.atleast_1d(np.asarray(torque, object))) != (link.joint.dof,):
            got = f"its joint {link.joint_name!r} has {link.joint.dof}"
            raise SceneError(
                f"{force.label} gives torques for {np.size(torque)} coordinates, but {got}. Give one for each.",
                owner=force.label,
                argument="function",
            )
    elif isinstance(force, FunctionPath):
        force.tension(1.0, 0.0, 0.0)
        force.stored(1.0, 0.0)
    elif isinstance(force, FunctionForce | AppliedWrench | PointForce):
        sites = some_sites(len(force.anchors))
        force.wrenches(sites, 0.0)
        force.potential(sites, 0.0)


def probe_constraint(constraint: Constraint, scene: Scene) -> None:
    """Call the functions of a constraint once, with the coordinates where the scene begins."""
    if isinstance(constraint, Carrying):  # its joint or curve has been called by itself
        return
    links = [scene.links[b.index] for b in constraint.joints]
    begun = constraint.replaced(coordinates=[(link.q, np.zeros(link.joint.dof)) for link in links])
    begun.rows(some_sites(len(constraint.anchors)), 0.0)


def some_sites(count: int) -> list[Site]:
    """Places at rest, apart from each other."""
    return [Site(np.array([1.0, 2.0, 3.0]) * (i + 1), np.zeros(3), np.eye(3), np.zeros(3)) for i in range(count)]


def probe_law(law: Law) -> Law:
    """A law of elements, or a material: what its functions return for nodes at the origin, or for no deformation."""
    x, data, k = np.zeros((law.nodes, 3)), np.zeros(law.numbers), (law.nodes, 3)
    if isinstance(law, Material):
        F: Any = np.eye(3)
        shaped(law.own(1.0, 1.0), (2,), Phrase("own of a material", "own"))
        shaped(law.nominal(1.0, 1.0), (2,), Phrase("nominal of a material", "nominal"))
        shaped(law.density(F, 1.0, 1.0), (), Phrase("density of a material", "density"))
        shaped(law.stress(F, 1.0, 1.0), (3, 3), Phrase("stress of a material", "stress"))
        return law
    shaped(law.energy(x, data), (), Phrase("energy of a law", "energy"))
    shaped(law.forces(x, data), k, Phrase("forces of a law", "forces"))
    if law.damped:
        shaped(law.damping(x, x, data), k, Phrase("damping of a law", "damping"))
    return law


def shaped(value: Any, wanted: tuple[int, ...], what: str) -> None:
    """Raise unless a value has this shape."""
    try:
        found = np.shape(np.asarray(value, object))
    except ValueError:  # rows of different lengths
        found = None
    if found != wanted:
        numbers = "one number" if wanted == () else f"numbers in the shape {list(wanted)}"
        raise SceneError(
            f"{what} has {'rows of different lengths' if found is None else f'shape {list(found)}'}, expected {numbers}.", argument=what
        )


def probe_map(scene: Scene) -> None:
    """Evaluate the map and its derivatives once, where the scene begins."""
    if scene.map is not None:
        try:
            scene.map.evaluate("J", q=scene.map.q)  # with what a model asks for, so that it is paid for here
            scene.map.coordinates(scene.map.q)
        except Wrong as error:
            raise Wrong(f"function of the map: {error}", "function") from None
