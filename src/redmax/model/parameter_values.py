"""Values of parameters as a user gives them, by name, with leading axes for worlds: checked as the constructors check them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from inspect import Parameter as Argument
from typing import TYPE_CHECKING, Any

import numpy as np

from redmax.arguments import as_numbers, brief
from redmax.bodies.mass_properties import MassProperties, checked_inertia
from redmax.bodies.valid_inertia import TOLERANCE
from redmax.components.checks import positive
from redmax.components.holding import Holding
from redmax.components.kept_arguments import constructor
from redmax.contact.material import ContactMaterial
from redmax.errors import SceneError
from redmax.forces.joint_force import JointForce
from redmax.forces.motor_limits import MotorForce, MotorLimits
from redmax.model.contact_parameters import of_material
from redmax.model.links import Link, check_spring, nonnegative, of_body
from redmax.model.parameters import LIMITS, Parameter
from redmax.model.soft_parameters import Share
from redmax.trace import Table

if TYPE_CHECKING:
    from redmax.model.model import Model

VAR_KEYWORD = Argument.VAR_KEYWORD


def parameter_columns(model: Model, given: Mapping[str, Any]) -> np.ndarray:
    """(..., columns) of all parameters of a model, in the order in which programs take them; what is not given is as the model has it."""
    for p in model.parameters:
        check_kept(p)
    known = {p.name: checked(p, given[p.name]) for p in model.parameters if p.name in given}
    wholes = {id(x): x for p in model.parameters if isinstance(p.remaking, Share) for x in (p.remaking.whole,)}
    together = {key: whole.columns(known) for key, whole in wholes.items()}
    parts = [columns_of(p, known, together) for p in model.parameters]
    try:
        lead = np.broadcast_shapes(*[part.shape[:-1] for part in parts])
    except ValueError:
        shapes = ", ".join(f"{name} {np.shape(value)}" for name, value in given.items())
        raise SceneError(f"The leading axes of the parameters must agree. Got {shapes}.", owner="parameters") from None
    return np.concatenate([np.broadcast_to(part, (*lead, part.shape[-1])) for part in parts], axis=-1)


def columns_of(p: Parameter, known: Mapping[str, np.ndarray], together: Mapping[int, np.ndarray]) -> np.ndarray:
    """(..., columns) of one parameter. known: the values that are given, by name; together: all that is made of those of deformables"""
    if isinstance(p.remaking, Share):
        return together[id(p.remaking.whole)][..., list(p.remaking.part)]
    if p.path:
        return p.default if p.remaking is None else p.remaking.columns(known)
    return p.columns(known[p.name]) if p.name in known else p.default


def checked(p: Parameter, value: Any) -> np.ndarray:
    """Values (..., *shape) that the constructor would take."""
    array = as_numbers(value, f"The parameter {p.name!r}", "float64")
    if array.shape[array.ndim - len(p.shape) :] != p.shape or array.ndim < len(p.shape):
        shape = f"(..., {', '.join(map(str, p.shape))})" if p.shape else "(...)"
        parts = {"owner": "parameters", "argument": p.name}
        raise SceneError(f"The parameter {p.name!r} must have shape {shape}, with axes for worlds in front. Got {array.shape}.", **parts)
    if not np.isfinite(array).all():
        raise SceneError(f"The parameter {p.name!r} must be finite. Got {brief(value)}.", owner="parameters", argument=p.name)
    if array.size:
        check_values(p, array)
    return array


def check_values(p: Parameter, array: np.ndarray) -> None:
    """Raise the sentence of the constructor where one of the values is none that it takes."""
    owner, flat = p.owner, array.reshape(-1, *p.shape)
    if of_material(p):
        check_material(p, flat)
        return
    if p.path:
        return  # it is made with them
    if isinstance(owner, Link):
        check_of_link(p, owner, flat)
        return
    assert isinstance(owner, Holding | JointForce)
    for extreme in (flat.min(axis=0), flat.max(axis=0)):
        remade(p, owner, extreme)


def check_material(p: Parameter, flat: np.ndarray) -> None:
    """A number of what surfaces are made of; damping may be there where compliance comes to it."""
    gives_way = ContactMaterial(compliance=1.0 if p.path[-1] == "damping" else 0.0)
    for extreme in (flat.min(), flat.max()):
        replace(gives_way, **{p.path[-1]: float(extreme)})


def check_of_link(p: Parameter, link: Link, flat: np.ndarray) -> None:
    """Of a body or its joint; flat: (worlds, *shape)."""
    if p.what == "mass" and isinstance(link.shape, MassProperties):
        replace(link.shape, mass=float(flat.min()), repair=False)
    elif p.what == "mass":
        positive(f"{type(link.shape).__name__} of body {link.name!r}", "mass", float(flat.min()), "kg")
    elif p.what == "inertia":
        effective = isinstance(link.shape, MassProperties) and link.shape.effective
        checked_inertia(flat[worst_inertia(flat, effective)], effective=effective)
    elif p.what in ("stiffness", "damping"):
        least = nonnegative(flat.min(axis=0), link.joint.dof, of_body(p.what, link.name), link.name)
        check_spring(replace(link, stiffness=least + flat.max(axis=0)) if p.what == "stiffness" else link)
    elif p.what == "armature":
        nonnegative(flat.min(axis=0), p.default.size, of_body(p.what, link.name), link.name)


def worst_inertia(flat: np.ndarray, effective: bool) -> int:
    """The number of the first that is no inertia, or of any. effective: of mass alone or not"""
    skew = np.abs(flat - np.swapaxes(flat, -1, -2)).max(axis=(-1, -2))
    low, middle, high = np.linalg.eigvalsh((flat + np.swapaxes(flat, -1, -2)) / 2).T
    scale = TOLERANCE * np.abs(flat).max(axis=(-1, -2))
    return int(np.argmax((skew > scale) | (low < -scale) | ((low + middle < high - scale) & (not effective))))


def remade(p: Parameter, force: Holding | JointForce, value: np.ndarray) -> Any:
    """The force made anew with this value, which raises where it is none; the same force where its constructor does not take it."""
    what = p.name.rpartition(".")[2]
    if isinstance(force, MotorForce) and force.limits is not None and p.name.endswith(f".{LIMITS}{what}"):
        given: dict[str, Any] = force.limits.arguments() | {what: value if p.shape else float(np.ravel(value)[0])}
        return MotorLimits(**given)
    if what not in constructor(type(force)).parameters:
        return force
    arguments: dict[str, Any] = force.arguments() | {what: value if p.shape else float(np.ravel(value)[0])}
    more: dict[str, Any] = {n: v for name, given in arguments.items() if kind_of(force, name) == VAR_KEYWORD for n, v in given.items()}
    return type(force)(**{n: v for n, v in arguments.items() if kind_of(force, n) != VAR_KEYWORD}, **more)


def check_kept(p: Parameter) -> None:
    """Raise unless a force is made from this number as it is: where another number would change nothing else of it.

    A direction becomes one of length one; stiffness per strain is divided by a length; a damping of zero leaves out a term.
    """
    if p.path or not isinstance(p.owner, Holding | JointForce) or p.name.rpartition(".")[2] not in constructor(type(p.owner)).parameters:
        return
    other = np.where(p.default == 0, 0.5, 1.25 * p.default).reshape(p.shape)
    try:
        same, changed = type(p.owner)(**p.owner.arguments()), remade(p, p.owner, other)
    except (SceneError, TypeError):
        return  # a range that these numbers leave, or a function's: values are checked when they are given
    what, now, given = p.name.rpartition(".")[2], plain_data(p.owner), [n for n, v in p.owner.arguments().items() if v is not None]
    kept = all(np.array_equal(np.broadcast_to(v, np.shape(now[n])), now[n]) for n, v in plain_data(same).items() if n in given)
    if not kept or not np.array_equal(np.ravel(plain_data(changed)[what]), np.ravel(other)) or changed.structure() != same.structure():
        why = "keeps something else than the number it is given, or is another force with another number"
        raise SceneError(f"{p.name!r} cannot be a parameter: {p.owner.label} {why}.", owner="parameters", argument=p.name)


def plain_data(force: Holding | JointForce) -> dict[str, np.ndarray]:
    """Its data, but for tables and places, which a model turns into its own frames."""
    return {n: np.asarray(v) for n, v in force.data().items() if not isinstance(v, Table) and not n.startswith("anchors")}


def kind_of(force: Holding | JointForce, argument: str) -> Any:
    """How the constructor takes an argument."""
    return constructor(type(force)).parameters[argument].kind
