"""Links and wrenches: what a scene keeps of each body with its joint, and of each wrench, as checked arrays."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from math import inf
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from redmax.arguments import as_array, as_floats, brief
from redmax.bodies import Body
from redmax.components.appearance import Appearance, appearance_of
from redmax.components.checks import as_pose
from redmax.components.from_function import check_call
from redmax.components.handles import BodyHandle
from redmax.components.one_line import OneLine
from redmax.contact.material import ContactMaterial
from redmax.errors import Phrase, SceneError, called
from redmax.forces.base import Force
from redmax.forces.given import of_time, vector_at
from redmax.forces.joint_force import JointForce
from redmax.joints import Joint
from redmax.types import Given

Function: TypeAlias = Callable[..., Any]  # of the time t, or of what else the argument's description says
OFF = 1e-6  # how far a configuration may be from its group: as far as single precision leaves it, and a little more
NEAR = 1e-14  # and how far it may be to be left as it is: what a file says comes back as it was
LEVELS = ("position", "velocity", "acceleration")  # of what a prescribed motion may give


@dataclass(frozen=True, repr=False)
class Link(OneLine):
    """A body with its joint, as the user placed it. Poses are (4, 4)."""

    name: str
    joint_name: str
    shape: Body
    joint: Joint
    parent: int
    at: np.ndarray  # the joint frame in the parent's joint frame
    body: np.ndarray  # the body frame in the joint frame
    q: np.ndarray
    qdot: np.ndarray
    stiffness: np.ndarray
    damping: np.ndarray
    rest: np.ndarray
    torque: Callable[..., Any] | None = None
    motion: Callable[[Any], Any] | None = None
    gain: float = 0.0
    velocity_gain: float = 0.0
    on_motion: bool = True
    motion_level: str = "position"
    place: np.ndarray | None = None  # the frame that the shape was described in, in the joint frame; None: that of the body
    check_joint: bool = True
    armature: np.ndarray | None = None  # of the rotor that turns with the joint, (dof,), or (1,) of a ball joint; None: it has none
    gear: np.ndarray = field(default_factory=lambda: np.ones(1))  # how many times the rotor turns, likewise
    acts_on: str = "rates"  # of damping and torque
    appearance: Appearance | None = None  # None: as the viewer chooses
    contact: ContactMaterial | None = None  # None: nothing touches it
    contact_group: int = 0


@dataclass(frozen=True)
class Wrench:
    """A wrench (torque; force) on a body at a point of it, in body or world axes; a constant or a function of time."""

    body: int
    value: Callable[[Any], Any]
    frame: str
    point: tuple[float, float, float]


def of_body(argument: str, name: str) -> Phrase:
    """What sentences call an argument of add_body."""
    return Phrase(f"{argument} of body {name!r}", argument)


def body_appearance(name: str, color: Any, opacity: Any, material: Any) -> Appearance | None:
    """How a body looks, if somebody said."""
    is_usual = color is None and type(opacity) is float and opacity == 1.0 and material == "plastic"
    return None if is_usual else appearance_of(called("Body", name), color, opacity, material)


def check_kinds(name: str, shape: Any, joint: Any) -> None:
    if not isinstance(shape, Body):
        hint = " Did you forget the parentheses?" if isinstance(shape, type) and issubclass(shape, Body) else ""
        said = f"Body {name!r} needs a shape such as redmax.Cuboid((1, 1, 1)). Got {brief(shape)}.{hint}"
        raise SceneError(said, owner=name, argument="shape")
    if not isinstance(joint, Joint):
        hint = " Did you forget the parentheses?" if isinstance(joint, type) and issubclass(joint, Joint) else ""
        raise SceneError(
            f"Body {name!r} needs a joint such as redmax.Revolute('y'). Got {brief(joint)}.{hint}", owner=name, argument="joint"
        )


def check_motion(name: str, motion: Any, level: Any, n: int) -> None:
    """n: how many numbers it gives."""
    parts = {"owner": name, "argument": "motion"}
    if motion is not None and n == 0:
        raise SceneError(f"Body {name!r} has a prescribed motion, but its joint has no degree of freedom.", **parts)
    if motion is not None and not callable(motion):
        raise SceneError(f"motion of body {name!r} must be a function t -> q, {n} number{'s' * (n != 1)}. Got {brief(motion)}.", **parts)
    if motion is not None:
        check_call(f"motion of body {name!r}: the function", motion, ("t",), {}, **parts)
    if not isinstance(level, str) or level not in LEVELS:
        got, valid = brief(level), ", ".join(map(repr, LEVELS))
        parts |= {"argument": "motion_level", "got": got, "expected": valid}
        raise SceneError(f"motion_level of body {name!r} is {got}. Valid: {valid}.", **parts)


def check_force(force: Any) -> None:
    """Whether a scene can take it."""
    parts = {"owner": "add_force", "argument": "force"}
    if not isinstance(force, Force | JointForce):
        hint = " Did you forget the parentheses?" if isinstance(force, type) and issubclass(force, Force | JointForce) else ""
        got = brief(force)
        raise SceneError(f"add_force takes a force such as redmax.SpringDamper(a, b, stiffness=...). Got {got}.{hint}", **parts)
    if not hasattr(force, "name") or not hasattr(force, "anchors" if isinstance(force, Force) else "body"):
        kind = type(force).__name__
        raise SceneError(f"{kind} holds on to nothing: let its __init__ call self.hold(...) with where it acts.", **parts)


def check_spring(link: Link) -> None:
    """A spring is a function of coordinates: of those that change during a run there is none that stays the same."""
    joint = link.joint
    if joint.nq != joint.dof and link.stiffness.any() and not joint.has_own("away", of="nq"):
        why = f"is {brief(link.stiffness)}, but {type(joint).__name__} has {joint.nq} coordinates for {joint.dof} velocities"
        fix = "and no away(rest, q) that says how far a spring is stretched. Write it, or leave the stiffness out"
        raise SceneError(f"stiffness of body {link.name!r} {why}, {fix}.", owner=link.name, argument="stiffness")
    for k, (stiffness, changes) in enumerate(zip(link.stiffness, link.joint.changing, strict=True)):
        if stiffness and changes:
            why = f"is {stiffness:g}, but {type(link.joint).__name__} may change that coordinate for another during a run"
            fix = "; SphericalEuler(order, switching=False) keeps its coordinates" if "SphericalEuler" in repr(link.joint) else ""
            raise SceneError(f"stiffness[{k}] of body {link.name!r} {why}. Leave it out{fix}.", owner=link.name, argument="stiffness")


def vector(value: Any, n: int, what: str, owner: str) -> np.ndarray:
    """(n,) floats, or an error. what: in words, a Phrase for the argument; owner: who is given it"""
    count = f"{n} numbers" if n > 1 else "one number" if n else "left out, as the joint has no degree of freedom"
    result = as_floats(value)
    if result is not None and result.shape == (n,) and np.isfinite(result).all():
        return result
    said, shape = brief(value), "" if result is None or result.shape == (n,) else f"shape {result.shape}: "
    valid = count if result is None or shape else "finite"
    raise SceneError(f"{what} must be {valid}. Got {shape}{said}.", owner=owner, argument=what, got=said, expected=valid)


def coordinates(value: Any, n: int, what: str, owner: str) -> np.ndarray:
    """(n,) from None (zeros), a number (for one degree of freedom) or n numbers."""
    if value is None:
        return np.zeros(n)
    return vector([value] if n == 1 and is_alone(value) else value, n, what, owner)


def configuration(value: Any, joint: Joint, what: str, owner: str) -> np.ndarray:
    """(nq,) where a joint may be: where it is unless somebody says otherwise, or the nearest to what almost is one."""
    if value is None:
        return joint.home
    found = coordinates(joint.flat(value), joint.nq, what, owner)
    check_on_group(joint, found, what, owner)
    return found if joint.off(found) < NEAR else joint.nearest(found)


def check_on_group(joint: Joint, q: np.ndarray, what: str, owner: str) -> None:
    """Raise unless coordinates (..., nq), floats, are an element of the joint's group."""
    off = float(np.max(joint.off(q), initial=0.0))
    if not off <= OFF:
        got = f"{brief(q)}, which is off by {off:.2g}"
        given = "quaternion" if joint.dof == 3 else "quaternion, position"
        fix = f"joint.coordinates({given}) makes one" if joint.has_own("located") else "Scale it"
        sentence = f"{what} must be {joint.valid}, to {OFF:g}. Got {got}. {fix}."
        raise SceneError(sentence, owner=owner, argument=what, got=got, expected=joint.valid)


def stepped(link: Link, step: np.ndarray) -> np.ndarray:
    """Where a joint is a step, (dof,), from where it begins."""
    return link.q + step if link.joint.nq == link.joint.dof else np.asarray(link.joint.retract(link.q, step), float)


def is_alone(value: Any) -> bool:
    """Whether it is one thing, not several."""
    return isinstance(value, float | int) or (not isinstance(value, list | tuple) and as_array(value).ndim == 0)


def nonnegative(value: Any, n: int, what: str, owner: str) -> np.ndarray:
    if type(value) is float and 0.0 <= value < inf:  # as most are
        return np.full(n, value)
    spread = [value] * n if is_alone(value) else value
    result = vector(spread, n, what, owner)
    if (result < 0).any():
        got = brief(value)
        raise SceneError(f"{what} must not be negative. Got {got}.", owner=owner, argument=what, got=got)
    return result


def torque_function(torque: Any, n: int, name: str) -> Callable[..., Any] | None:
    if callable(torque):
        check_call(f"torque of body {name!r}: the function", torque, ("t", "q", "qdot"), {}, owner=name, argument="torque")
    if torque is None or callable(torque):
        return torque
    value = coordinates(torque, n, of_body("torque", name), name)
    return lambda t, q, qdot: value


def wrench_on(
    handle: BodyHandle, point: tuple[float, float, float], torque: Function | ArrayLike, force: Function | ArrayLike, frame: str
) -> Wrench:
    """A wrench at a point of a body. torque, force: 3-vectors or functions of time, in "body" or "world" axes."""
    if not isinstance(frame, str) or frame not in ("body", "world"):
        raise SceneError(
            f"The wrench on {handle.name!r} has frame {brief(frame)}. Valid: 'body' or 'world'.", owner=handle.name, argument="frame"
        )
    owner = called("The wrench on", handle.name)
    words = {name: Phrase(f"{name} of the wrench on {handle.name!r}", name) for name in ("torque", "force")}
    parts = [
        (name, of_time(owner, name, part) if callable(part) else vector(part, 3, words[name], handle.name).astype(object))
        for name, part in (("torque", torque), ("force", force))
    ]

    def value(t: Any) -> Any:
        return np.concatenate([vector_at(owner, name, part, t) for name, part in parts])

    return Wrench(handle.index, value, frame, point)


def place_of(name: str, com: Given, body: Given) -> np.ndarray:
    """(4, 4): where a body's shape is described, in its joint frame, by one of the two."""
    if com is not None and body is not None:
        raise SceneError(f"Body {name!r} got both com and body. Give one: com=v is short for body=v.", owner=name, argument="com")
    given = com if body is None else body
    return np.eye(4) if given is None else as_pose(Phrase("Scene", name), of_body("com" if body is None else "body", name), given)
