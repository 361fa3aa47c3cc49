"""What of a model may differ from world to world: masses, springs, lengths, numbers of forces, each called by a name such as "arm.mass".

    body    name.mass (kg), name.inertia (3, 3) about the centre of mass in body axes, name.com (3,) in the joint frame
            name.body.turn (3,), how its frame, and its inertia with it, is turned from where the scene has it
    joint   name.stiffness, name.damping, name.rest, name.armature, name.gear, a number for each coordinate;
            name.at (3,), where it is in the parent's joint frame; name.at.turn (3,), how it is turned from where the scene has it
    force, constraint   name.argument, every number that its constructor takes
    any     name.argument of the constructor of a joint, a shape, a force, a constraint or a deformable, and of the curves and the like
            within, as in name.curve.radius
    gravity (3,)

name.com.x, name.at.y and so on are one number of these, so that the others stay what they are, zeros above all. Turns are rotation vectors
(rad) in the axes of the frame that is turned, E exp(turn): zero in the scene, where their derivative is that along a twist.
What is named becomes a parameter: kernels of its joint or force read it from memory (model/link_parameters.py, remade.py), others stay as
they are.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from redmax.components.holding import Holding
from redmax.components.kept_arguments import Made, constructor
from redmax.components.numbers import Path, numbers_in
from redmax.contact.material import ContactMaterial
from redmax.deformables.elements import Elements
from redmax.errors import SceneError, unknown
from redmax.forces.base import Force
from redmax.model.contact_parameters import Feeling, felt_parameters, of_contact, of_material
from redmax.model.deformable_nodes import Soft
from redmax.model.joint_inertia import rotors_of
from redmax.model.made_again import completed, with_free_axes
from redmax.model.remade import MADE, Entry, Remaking, places
from redmax.model.soft_parameters import SOFT, numbers_of_soft, soft_shares
from redmax.trace import Table

if TYPE_CHECKING:
    from redmax.forces.joint_force import JointForce
    from redmax.model.links import Link
    from redmax.model.model import Model

UPPER = np.triu_indices(3)
GRAVITY = "gravity"
LIMITS = "limits."  # of a motor, among the data of what it exerts
MOVES_BODY = ("com", "body_turn")  # what kernels call the parameters by which a body frame is elsewhere in its joint frame
OWN = "parameter_"  # what the parameters of a function are called among the data of what it was made into


@dataclass(frozen=True, eq=False)
class Parameter:
    """One that is named. place: the number of its joint, or None for a force; what: the constant that it stands for, or is part of.

    shape: of its values in one world; default: as the model has them, by columns (an inertia has the 6 of its upper triangle)
    owner: the force or the constraint that it is of, or the body's link
    path: where it stands among the arguments of a component, which is made again with it; remaking: how, unless another does it with this
    """

    name: str
    place: int | None
    what: str
    shape: tuple[int, ...]
    default: np.ndarray
    owner: Link | Holding | JointForce | Soft | Elements | ContactMaterial | Feeling
    path: Path = ()
    remaking: Remaking | None = None

    @property
    def moves_body(self) -> bool:
        """Whether the frame of a body is elsewhere in that of its joint."""
        return self.place is not None and self.what.partition(".")[0] in MOVES_BODY

    @property
    def constants(self) -> tuple[int, ...] | tuple[Entry, ...]:
        """What says how kernels read it: its shape, or the constants that follow from it."""
        return self.shape if self.remaking is None else self.remaking.entries

    @property
    def value(self) -> np.ndarray:
        """(its shape): as the model has it."""
        if self.what != "inertia":
            return self.default.reshape(self.shape)
        found = np.zeros((3, 3))
        found[UPPER] = self.default
        return found + found.T - np.diag(np.diag(found))

    def columns(self, values: np.ndarray) -> np.ndarray:
        """(..., columns) from values (..., *shape)."""
        lead = values.shape[: values.ndim - len(self.shape)]
        return values[..., UPPER[0], UPPER[1]] if self.what == "inertia" else values.reshape(*lead, self.default.size)


def default_columns(model: Model) -> list[np.ndarray]:
    """[(columns,) as the model has them], what a program of one world takes for its parameters; [] where there are none."""
    return [np.concatenate([p.default for p in model.parameters]).astype(float)] if model.parameters else []


def known_parameters(model: Model) -> dict[str, Parameter]:
    """All that may be named, by name; where a body and its joint, or a force, share a name, the body comes first."""
    found: dict[str, Parameter] = {}
    for constraint in model.constraints:
        given = of_arguments(constraint, "force", str(constraint.name), None, constraint)
        own = [p for p in given if p.path[1] != "force_limits"]  # these are kept below and above, for each row, however they were given
        found |= {p.name: p for p in (*of_force(constraint), *own)}
    for force in model.forces:
        found |= {p.name: p for p in (*of_force(force), *of_arguments(force, "force", str(force.name), None, force))}
    for soft in model.soft:
        found |= {p.name: p for p in of_soft(soft)}
    for i, link in enumerate(model.bodies):
        for k, within in enumerate(model.within_joint(i)):
            found |= {p.name: p for p in of_joint_force(within, i, k)}
        for name in dict.fromkeys((link.joint_name, link.name)):
            found |= {p.name: p for p in of_arguments(link.joint, "joint", name, i, link)}
        found |= {p.name: p for p in of_arguments(link.shape, "shape", link.name, i, link)}
        found |= {p.name: p for p in of_link(link, i)}
    found = {p.name: p for p in of_contact(model)} | found
    return found | ({GRAVITY: gravity_of(model, 0)} if model.links else {})


def of_arguments(made: Made, kind: str, name: str, place: int | None, owner: Link | Holding) -> list[Parameter]:
    """The numbers of a component: a joint, a shape, or a force or constraint."""
    found = {(kind, *path): value for path, value in numbers_in(made).items() if kind != "force" or "parameters" not in path}
    return [
        Parameter(".".join([name, *[part for part in path[1:] if part != "parameters"]]), place, MADE, v.shape, np.ravel(v), owner, path)
        for path, v in found.items()
    ]


def of_soft(soft: Soft) -> list[Parameter]:
    """The numbers of a deformable."""
    return [
        Parameter(".".join([soft.name, *path]), None, MADE, np.shape(v), np.ravel(v).astype(float), soft, (SOFT, *path))
        for path, v in numbers_of_soft(soft.shape).items()
    ]


def gravity_of(model: Model, i: int) -> Parameter:
    """Gravity, which each link has in its record."""
    return Parameter(GRAVITY, i, GRAVITY, (3,), model.gravity.copy(), model.links[i])


def of_link(link: Link, i: int) -> list[Parameter]:
    """Those of a body, called by its name, and of its joint, called by either."""
    n = link.joint.dof
    made = [
        Parameter(f"{link.name}.mass", i, "mass", (), np.array([link.shape.mass]), link),
        Parameter(f"{link.name}.inertia", i, "inertia", (3, 3), link.shape.inertia[UPPER], link),
        *of_vector(link.name, "com", link.body[:3, 3], i, link),
        *of_turn(link.name, "body", i, link),
    ]
    springs = [("stiffness", link.stiffness), ("damping", link.damping), ("rest", link.rest)] if n else []
    if n and (rotors := rotors_of(link.joint)):
        inertia = np.zeros(rotors) if link.armature is None else link.armature
        springs += [("armature", inertia), ("gear", np.broadcast_to(link.gear, rotors))]
    for name in dict.fromkeys((link.joint_name, link.name)):
        made += of_vector(name, "at", link.at[:3, 3], i, link) + of_turn(name, "at", i, link)
        made += [
            Parameter(f"{name}.{what}", i, what, () if len(value) == 1 else (len(value),), np.array(value), link) for what, value in springs
        ]
    return made


def of_vector(name: str, what: str, value: np.ndarray, i: int, link: Link) -> list[Parameter]:
    """A vector, and each of its numbers."""
    parts = [Parameter(f"{name}.{what}.{axis}", i, f"{what}.{axis}", (), value[[k]], link) for k, axis in enumerate("xyz")]
    return [Parameter(f"{name}.{what}", i, what, (3,), value.copy(), link), *parts]


def of_turn(name: str, what: str, i: int, link: Link) -> list[Parameter]:
    """How a frame is turned, and each number of it."""
    parts = of_vector("", f"{what}_turn", np.zeros(3), i, link)
    return [replace(p, name=f"{name}{p.name.replace('_', '.')}") for p in parts]


def numbers_of(force: Holding | JointForce) -> dict[str, np.ndarray]:
    """What its constructor takes and keeps as it is, and what a function that it was made from takes; but for tables."""
    taken = constructor(type(force)).parameters
    found: dict[str, np.ndarray] = {}
    for name, value in force.data().items():
        last = name.rpartition(".")[2]
        known = name if name in taken or name.startswith(LIMITS) else last.removeprefix(OWN) if last.startswith(OWN) else None
        if known is not None and not isinstance(value, Table):
            found[known] = np.asarray(value)
    return found


def meant(what: str, names: Iterable[str]) -> list[str]:
    """Of these names of data, those that a number of a force stands for: the one called so, or those of the functions that take it."""
    head, dot, last = what.rpartition(".")
    return [n for n in names if n == what or (n.startswith(head + dot) and n.endswith(f".{OWN}{last}"))]


def of_force(force: Holding) -> list[Parameter]:
    """The numbers of a force between bodies, or of a constraint."""
    return [Parameter(f"{force.name}.{n}", None, n, v.shape, np.ravel(v), force) for n, v in numbers_of(force).items()]


def of_joint_force(force: JointForce, i: int, k: int) -> list[Parameter]:
    """The numbers of the k-th force within joint i."""
    shapes = {n: () if v.shape == (1,) else v.shape for n, v in numbers_of(force).items()}
    return [
        Parameter(f"{force.name}.{n}", i, f"force{k}.{n}", shapes[n], np.ravel(v).astype(float), force)
        for n, v in numbers_of(force).items()
    ]


def with_named(model: Model, names: Iterable[str]) -> Model:
    """The model with these as parameters, in the order of their columns: joint by joint, then force by force."""
    if isinstance(names, str):
        said = f"with_parameters takes a list of names, such as [{names!r}]. Got {names!r}."
        raise SceneError(said, owner="parameters", got=repr(names), expected="a list of names")
    known, names = known_parameters(model), list(dict.fromkeys(names))
    for name in names:
        if name not in known:
            raise SceneError(unknown("parameter", name, list(known)), owner="parameters", argument=str(name))
    chosen = [known[name] for name in names if name != GRAVITY]
    chosen += [gravity_of(model, i) for i in range(len(model.links))] if GRAVITY in names else []
    check_distinct(chosen)
    model = with_free_axes(model, chosen)
    felt = felt_parameters(model, chosen)
    soft = [p for p in chosen if p.path[:1] == (SOFT,)]
    chosen = completed(model, [p for p in chosen if p not in soft and not of_material(p)])
    chosen += soft_shares(model, soft)
    joints = sorted((p for p in chosen if p.place is not None), key=lambda p: (p.place, p.what, p.remaking is None))
    of_forces = sorted((p for p in chosen if p.place is None), key=lambda p: p.what)
    holding: list[object] = [f for kind in force_kinds(model.forces, of_forces) for f in kind]
    holding += [owner for soft in model.soft for owner in soft.owners]
    holding += [model.constraints[k] for kind in model.constraint_kinds(of_forces) for k in kind]
    order = {id(held): n for n, held in enumerate(holding)}
    return replace(model, parameters=(*joints, *sorted(of_forces, key=lambda p: (order[id(p.owner)], p.what)), *felt))


def check_distinct(chosen: Sequence[Parameter]) -> None:
    """Raise where a parameter is there twice, as by the name of a body and that of its joint, or as a vector and one of its numbers."""
    met: dict[tuple[Any, ...], str] = {}
    for p in chosen:
        whole, dot, _ = p.what.partition(".") if p.place is not None and not p.what.startswith("force") else (p.what, "", "")
        same = [(p.place, p.what, id(p.owner), *p.path), *([(p.place, whole, id(p.owner))] if dot else [])]
        same += [(p.place, f"{p.what}.{axis}", id(p.owner)) for axis in "xyz"]
        for key in same:
            if key in met:
                raise SceneError(f"The parameters {met[key]!r} and {p.name!r} overlap. Give one of them.", owner="parameters")
        met[same[0]] = p.name


def indices(p: Parameter) -> list[tuple[int, int]]:
    """(constant, column): which constants of its force a parameter stands for, each with the number among its columns."""
    found: list[tuple[int, int]] = []
    if p.path:
        return [] if p.remaking is None else [(c, k) for k, c in enumerate(places(p.remaking.make({}), p.remaking.entries))]
    data = p.owner.data() if isinstance(p.owner, Holding) else {}
    chosen, start = meant(p.what, data), 0
    for name, value in data.items():
        size = value.array.size if isinstance(value, Table) else np.size(value)
        found += [(start + i, i) for i in range(size)] if name in chosen else []
        start += size
    return found


def constants_of(force: Holding, parameters: Sequence[Parameter]) -> tuple[tuple[int, int], ...]:
    """(constant, column) of a force or a constraint whose parameters these are, in the order of their columns."""
    found: list[tuple[int, int]] = []
    start = 0
    for p in parameters:
        if p.owner is force:
            found += [(i, start + k) for i, k in indices(p)]
            start += p.default.size
    return tuple(found)


def force_kinds(forces: Sequence[Force], parameters: Sequence[Parameter]) -> list[list[Force]]:
    """The forces, those together that differ in nothing but data, and of which the same data are parameters."""
    kinds: dict[Any, list[Force]] = {}
    for force in forces:
        kinds.setdefault((force.structure(), constants_of(force, parameters)), []).append(force)
    return list(kinds.values())
