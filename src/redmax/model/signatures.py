"""Which joints share their kernels.

A signature is the joint's motion plus the pattern of exact 0, 1 and -1 among a link's constants: those are structure that simplifies the
trace; every other constant is data. A model with very many patterns falls back to kernels whose constants are all data. Of a table only the
shape is structure, whatever its entries.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from redmax.components.data_and_structure import is_known
from redmax.forces.joint_force import JointForce
from redmax.joints.base import Joint
from redmax.lie import Inertia
from redmax.model.link_parameters import count_of, fill_in
from redmax.model.links import Link
from redmax.program.group import Signature
from redmax.program.kernel import CONSTANTS
from redmax.trace import Graph, Table, TableInput, listing
from redmax.trace.vector import vector_of

if TYPE_CHECKING:
    from redmax.model.links import Link

Constants = Mapping[str, "np.ndarray | Table"]
CAP = 32  # distinct patterns in one model; beyond, all constants become data
SPECIAL = {0.0: "0", 1.0: "+", -1.0: "-"}
SELDOM = ("stiffness", "damping", "rest", "gain", "velocity_gain", "armature", "gear")  # zeros that leave out whole terms
FORCE = "force"  # forces within a joint: force0.stiffness; all data, so that a limit at zero shares its kernels with any other
ALWAYS_DATA = ("C", "body_R", "body_p", "gravity")  # used by few sweeps: their zeros would only multiply the kernels


@dataclass(frozen=True, eq=False)
class Description:
    """All that a link's kernels depend on."""

    name: str
    joint: Joint
    constants: Constants
    functions: dict[str, Callable[..., Any]]
    options: dict[str, Any]
    forces: tuple[JointForce, ...] = ()
    parameters: Mapping[str, Any] = field(default_factory=dict)  # what differs from world to world -> its shape, or the constants it is
    moments: str = ""  # how these make its moments (model/parameters.py)

    @cached_property
    def tables(self) -> dict[str, tuple[int, ...]]:
        """Of the joint and its forces, those that are parameters, with their shapes."""
        data = {"joint." + n: v for n, v in self.joint.data().items()}
        data |= {f"{FORCE}{k}.{n}": v for k, f in enumerate(self.forces) for n, v in f.data().items()}
        return {n: v.shape for n, v in data.items() if isinstance(v, Table) and n not in self.constants}

    @property
    def kinds(self) -> tuple[Any, ...]:
        """What its motion and its forces are, apart from their data."""
        return (self.joint.structure(), *(force.structure() for force in self.forces))


def pattern_of(constants: Constants, generic: bool) -> str:
    """One character for each constant: 0, + or - for structure, k for data; for a table its shape."""
    parts: list[str] = []
    for name, value in constants.items():
        if isinstance(value, Table):
            parts.append(f"table {value.shape}")
            continue
        data = name in ALWAYS_DATA or name.startswith(FORCE) or (generic and name not in SELDOM)
        parts.append("".join("k" if data else SPECIAL.get(float(x), "k") for x in np.ravel(value)))
    return "|".join(parts)


def data_of(constants: Constants, pattern: str) -> np.ndarray:
    """The entries that are data, in order: the joint's row of constants."""
    parts: list[np.ndarray] = [np.zeros(0)]
    for value, marks in zip(constants.values(), pattern.split("|"), strict=True):
        parts.append(value.array.ravel() if isinstance(value, Table) else np.ravel(value)[[c == "k" for c in marks]])
    return np.concatenate(parts)


def traced_constants(graph: Graph, constants: Constants, pattern: str) -> dict[str, Any]:
    """The constants with structure as floats, data as inputs constants[i] and tables as stretches of them."""
    number = 0
    result: dict[str, Any] = {}
    for (name, value), marks in zip(constants.items(), pattern.split("|"), strict=True):
        if isinstance(value, Table):
            result[name] = TableInput(graph, CONSTANTS, number, value.shape)
            number += value.array.size
            continue
        entries: list[Any] = []
        for mark in marks:
            if mark == "k":
                entries.append(graph.input(CONSTANTS, number))
                number += 1
            else:
                entries.append({"0": 0.0, "+": 1.0, "-": -1.0}[mark])
        result[name] = vector_of(entries).reshape(np.shape(value))
    return result


def traced_data(graph: Graph, data: Constants) -> dict[str, Any]:
    """A joint's data as inputs under their own names."""
    result: dict[str, Any] = {}
    for name, value in data.items():
        if isinstance(value, Table):
            result[name] = TableInput(graph, name, 0, value.shape)
        else:
            result[name] = vector_of(graph.inputs(name, value.size)).reshape(value.shape)
    return result


def make_signature(d: Description, pattern: str, root: bool, leaf: bool, first: bool) -> Signature:
    def build(graph: Graph) -> tuple[dict[str, Any], dict[str, Any]]:
        values = traced_constants(graph, d.constants, pattern)
        if d.parameters:
            fill_in(values, graph, d.parameters, d.moments, d.tables)
        joint = d.joint.with_data({n: values.pop("joint." + n) for n in d.joint.data()})
        mass, h = values.pop("mass")[0], values.pop("h")
        M = Inertia.rigid(mass, h, symmetric(values.pop("A")))
        forces = tuple(f.with_data({n: values.pop(f"{FORCE}{k}.{n}") for n in f.data()}) for k, f in enumerate(d.forces))
        statics = {"name": d.name, **values, **d.options, **d.functions, "joint": joint, "joint_forces": forces}
        statics |= {"M": M, "mass_value": mass, "first_moment": h}
        fall = np.concatenate([np.zeros(3), -values["gravity"]])
        base = {"Vdot": fall, "c": fall, "R": np.eye(3).ravel().astype(object)}
        return statics, base

    names = " ".join(d.constants)  # they say which of the constants a trace means by a name
    text = "\n".join([motion_text(d.joint, pattern), names, pattern, functions_text(d), forces_text(d), repr(sorted(d.options.items()))])
    text += f"\nparameters {dict(d.parameters)} {d.moments} {d.tables}" if d.parameters else ""
    count = sum(count_of(what, shape) for what, shape in d.parameters.items())
    return Signature(text, d.joint.size, d.joint.dof, root, leaf, first, build, len(data_of(d.constants, pattern)), count)


def moments(link: Link, body: np.ndarray) -> tuple[float, np.ndarray, np.ndarray]:
    """Mass, first moment, and the upper triangle of the rotational inertia, about the joint frame's origin (parallel axes)."""
    R, c, m = body[:3, :3], body[:3, 3], link.shape.mass
    full = R @ link.shape.inertia @ R.T + m * (c @ c * np.eye(3) - np.outer(c, c))
    full = np.where(np.abs(full) < 1e-15 * max(np.abs(full).max(), 1e-300), 0.0, full)
    return m, m * c, full[np.triu_indices(3)]


def on_twist(link: Link, forces: Sequence[JointForce]) -> dict[str, str]:
    """{"on_twist": "own"} where a joint's own damper and torque act along its twist, "forces" where none but forces within it do."""
    if link.acts_on == "twist":
        return {"on_twist": "own"}
    return {"on_twist": "forces"} if any(force.on_twist for force in forces) else {}


def symmetric(upper: np.ndarray) -> list[list[Any]]:
    a, b, c, d, e, f = upper
    return [[a, b, c], [b, d, e], [c, e, f]]


def motion_text(joint: Joint, pattern: str) -> str:
    """What tells one joint's motion from another's. The library's own follow from their class; a user's from its trace."""
    structure = joint.structure()
    if is_known(structure):
        return repr((type(joint).__qualname__, structure[1:]))
    return traced_text(structure, Reference(joint))


class Reference:
    """A joint as a cache argument that compares by nothing: the structure beside it is the key."""

    def __init__(self, joint: Joint) -> None:
        self.joint = joint

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Reference)

    def __hash__(self) -> int:
        return 0


@lru_cache(maxsize=1024)
def traced_text(structure: tuple[Any, ...], reference: Reference) -> str:
    joint = reference.joint
    graph = Graph()
    traced = joint.with_data(traced_data(graph, joint.data()))
    q = vector_of(graph.inputs("q", joint.size))
    v = vector_of(graph.inputs("v", joint.dof))
    outputs: dict[str, Any] = {}
    t = graph.input("t", 0)
    parts = {"E": traced.at("transform", q, t), "next": traced.retract(q, v)}
    parts |= {"S": traced.at("jacobian", q, t)} if joint.has_own("jacobian") else {}
    parts |= {"force": traced.force(q, v)} if joint.has_own("force") else {}
    parts |= {"potential": traced.potential(q)} if joint.has_own("potential") else {}
    delta = vector_of(graph.inputs("delta", joint.dof))
    parts |= {name: getattr(traced, name)(delta, v) for name in ("rate", "velocity") if joint.has_own(name)}
    recharted = traced.rechart([(q, v)]) if joint.has_own("rechart") else None
    parts |= {"chart": recharted[0]} if recharted else {}
    for name, part in parts.items():
        if part is not None:
            flat = np.concatenate([np.ravel(np.asarray(p, object)) for p in (part if isinstance(part, tuple) else (part,))])
            outputs |= {f"{name}{i}": x for i, x in enumerate(flat)}
    return listing(outputs)


def functions_text(d: Description) -> str:
    """The traces of the user's functions of time (and state)."""
    if not d.functions:
        return ""
    graph = Graph()
    t = graph.input("t", 0)
    q = vector_of(graph.inputs("q", d.joint.nq))
    v = vector_of(graph.inputs("v", d.joint.dof))
    outputs: dict[str, Any] = {}
    for name, function in d.functions.items():
        value = function(t, q, v) if name == "torque" else function(t)
        outputs |= {f"{name}{i}": x for i, x in enumerate(np.ravel(np.asarray(value, object)))}
    return listing(outputs)


def forces_text(d: Description) -> str:
    """What tells the forces within a joint apart: the library's own follow from their class; a user's from its trace."""
    return "\n".join(repr(f.structure()) if is_known(f.structure()) else traced_force(f, d.joint) for f in d.forces)


def traced_force(force: JointForce, joint: Joint) -> str:
    graph = Graph()
    traced = force.with_data(traced_data(graph, force.data()))
    q, v = (vector_of(graph.inputs(name, size)) for name, size in (("q", joint.nq), ("v", joint.dof)))
    torques = traced.exerted(q, v, graph.input("t", 0))
    return listing({"V": traced.potential(q)} | {f"tau{i}": x for i, x in enumerate(torques)})


def signatures(descriptions: Sequence[Description], flags: Sequence[tuple[bool, bool, bool]]) -> tuple[list[Signature], list[np.ndarray]]:
    """Each joint's signature, and its row of constants."""
    patterns = [pattern_of(d.constants, generic=False) for d in descriptions]
    structures = [d.kinds for d in descriptions]
    kinds = {(s, p) for s, p in zip(structures, patterns, strict=True)}
    if len(kinds) > CAP:
        patterns = [pattern_of(d.constants, generic=True) for d in descriptions]
    made: dict[tuple[Any, ...], Signature] = {}
    result: list[Signature] = []
    for d, structure, pattern, (root, leaf, first) in zip(descriptions, structures, patterns, flags, strict=True):
        options = repr(sorted(d.options.items()))
        key = (structure, pattern, tuple(map(id, d.functions.values())), options, root, leaf, first, repr(d.parameters), d.moments)
        if key not in made:
            made[key] = make_signature(d, pattern, root, leaf, first)
        result.append(made[key])
    return result, [data_of(d.constants, p) for d, p in zip(descriptions, patterns, strict=True)]


def rest_of(link: Link) -> np.ndarray:
    """Where its spring is relaxed; zero, or home, where it has none, so that kernels are shared."""
    if link.joint.nq == link.joint.dof:
        return np.where(link.stiffness > 0, link.rest, 0.0)
    return link.rest if link.stiffness.any() else link.joint.home
