"""How the kernels of a link compute with its parameters, in place of constants.

From a body's mass m, centre c and inertia I about it follow its moments about the joint frame,

    h = m c,   A = I + m (c.c 1 - c c'),

so that derivatives are by the numbers that a user gives. A solid's inertia goes with its mass, unless it is given too: I = m I_1.
Vectors are in the user's frames; kernels turn them into their own (Joint.canonical).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from redmax.bodies.mass_properties import MassProperties
from redmax.joints.frames import exact
from redmax.lie import so3
from redmax.model.joint_inertia import rotors_of
from redmax.model.parameters import UPPER, meant
from redmax.model.remade import MADE, Entry
from redmax.program.kernel import PARAMETERS
from redmax.trace import Graph, Table, TableInput
from redmax.trace.vector import vector_of

if TYPE_CHECKING:
    from redmax.model.links import Link

SPECIAL = ("mass", "com", "inertia", "at", "at_turn", "body_turn")  # what constants are made from; others stand for constants by themselves


def of(what: str, own: Iterable[str]) -> list[str]:
    """Those of the parameters that are this, or one number of it."""
    return [name for name in own if name.partition(".")[0] == what]


def of_frames(own: Mapping[str, Any]) -> bool:
    """Whether frames that a joint moves along are parameters: kernels then read the twists between them, of which they have derivatives."""
    return any(name.rpartition(".")[2] == "screws" for what in of(MADE, own) for name, _ in own[what])


def varied_constants(constants: dict[str, Any], link: Link, body: np.ndarray, frames: tuple[Any, Any], own: Mapping[str, Any]) -> str:
    """Change a link's constants for what the kernels of one with these parameters read; returns how they find its moments.

    frames: C of the parent and of the joint, (4, 4). What a parameter stands for is zero among the constants.
    """
    how = ""
    if any(of(what, own) for what in ("mass", "com", "inertia", "body_turn")):
        how, moments = varied_moments(link, body, own)
        constants |= moments
    if of("com", own):
        constants |= {"own_frame": frames[1][:3, :3], "own_com": without(link.body[:3, 3], "com", own)}
    if of("inertia", own) or of("body_turn", own):
        constants["body_axes"] = body[:3, :3]
    if of("at", own):
        constants |= {"parent_frame": frames[0][:3, :3], "own_at": without(link.at[:3, 3], "at", own), "p0": np.zeros(3)}
    if of("at_turn", own):
        constants |= {"at_axes": exact(frames[0][:3, :3].T @ link.at[:3, :3]), "turned_frame": frames[1][:3, :3], "R0": np.zeros((3, 3))}
    if "stiffness" in own:
        constants["rest"] = link.rest
    if "armature" in own or "gear" in own:
        n = rotors_of(link.joint)
        constants |= {"armature": np.zeros(n) if link.armature is None else link.armature, "gear": np.broadcast_to(link.gear, n).copy()}
    direct = [name for what in own if not any(of(s, [what]) for s in (*SPECIAL, MADE)) for name in meant(what, constants)]
    constants |= {name: np.zeros_like(constants[name]) for name in direct}
    for what in of(MADE, own):
        leave_out(constants, own[what])
    return how


def leave_out(constants: dict[str, Any], entries: Iterable[Entry]) -> None:
    """Zero for each constant that is a parameter; tables are none of the constants then."""
    for name in dict.fromkeys(name for name, _ in entries):
        if isinstance(constants[name], Table):
            del constants[name]
        else:
            chosen, value = [k for n, k in entries if n == name], np.array(constants[name], float)
            value.flat[chosen] = 0.0
            constants[name] = value


def without(vector: np.ndarray, what: str, own: Iterable[str]) -> np.ndarray:
    """A vector with zeros where its numbers are parameters."""
    return np.array([0.0 if what in own or f"{what}.{axis}" in own else x for axis, x in zip("xyz", vector, strict=True)])


def varied_moments(link: Link, body: np.ndarray, own: Iterable[str]) -> tuple[str, dict[str, np.ndarray]]:
    """How kernels find the moments of a body, and the constants that this takes: mass, h, which is the centre c here, and A.

    A is the inertia about the centre, "own", or that for unit mass, "scaled"; "folded": for unit mass about the joint frame, where the
    mass alone is a parameter. It is in the axes of the body, where these turn.
    """
    R, c, m = np.eye(3) if of("body_turn", own) else body[:3, :3], body[:3, 3], link.shape.mass
    scaled = "mass" in own and "inertia" not in own and not isinstance(link.shape, MassProperties)
    how = "own" if not scaled else "scaled" if of("com", own) or of("body_turn", own) else "folded"
    full = R @ link.shape.inertia @ R.T / (m if scaled else 1.0)
    full = full + (c @ c * np.eye(3) - np.outer(c, c)) if how == "folded" else full
    full = np.where(np.abs(full) < 1e-15 * max(np.abs(full).max(), 1e-300), 0.0, full)
    mass = np.array([0.0 if "mass" in own else m])
    return how, {"A": np.zeros(6) if "inertia" in own else full[UPPER], "h": np.zeros(3) if of("com", own) else c, "mass": mass}


def fill_in(values: dict[str, Any], graph: Graph, own: Mapping[str, Any], how: str, tables: Mapping[str, tuple[int, ...]]) -> None:
    """Put parameters[i] where a link's kernels read constants. how: they find its moments; tables: shapes of those that are parameters.

    own: what they stand for -> their shape, or the constants that they are
    """
    given: dict[str, Any] = {}
    number = 0
    for what, shape in own.items():
        size = count_of(what, shape)
        given[what] = vector_of([graph.input(PARAMETERS, number + i) for i in range(size)])
        if of(MADE, [what]):
            put_in(values, graph, shape, number, tables)
        number += size
    for what, value in given.items():
        for name in meant(what, values) if not any(of(s, [what]) for s in (*SPECIAL, MADE)) else ():
            values[name] = value.reshape(np.shape(values[name]))
    if of("at", given):
        values["p0"] = values.pop("parent_frame").T @ filled(values.pop("own_at"), "at", given)
    if of("at_turn", given):
        values["R0"] = values.pop("at_axes") @ turned("at_turn", given) @ values.pop("turned_frame")
    if how:
        fill_moments(values, given, how)


def put_in(values: dict[str, Any], graph: Graph, entries: Iterable[Entry], first: int, tables: Mapping[str, tuple[int, ...]]) -> None:
    """The constants that parameters from `first` on are."""
    for column, (name, k) in enumerate(entries):
        if name in tables and k == 0:
            values[name] = TableInput(graph, PARAMETERS, first + column, tables[name])
        elif name not in tables:
            shape = np.shape(values[name])
            numbers = np.ravel(np.asarray(values[name], object)).copy()
            numbers[k] = graph.input(PARAMETERS, first + column)
            values[name] = vector_of(list(numbers)).reshape(shape)


def count_of(what: str, shape: tuple[Any, ...]) -> int:
    """Columns of a parameter."""
    return 6 if what == "inertia" else len(shape) if of(MADE, [what]) else int(np.prod(shape))


def filled(vector: np.ndarray, what: str, given: Mapping[str, Any]) -> np.ndarray:
    """A vector with its parameters in their places."""
    if what in given:
        return given[what]
    return vector_of([given[name][0] if (name := f"{what}.{axis}") in given else x for axis, x in zip("xyz", vector, strict=True)])


def turned(what: str, given: Mapping[str, Any]) -> np.ndarray:
    """(3, 3): the rotation by a vector, its parameters in their places."""
    return so3.exp(filled(np.zeros(3), what, given))


def fill_moments(values: dict[str, Any], given: Mapping[str, Any], how: str) -> None:
    """mass, h and A of a body some of whose mass, centre and inertia are parameters."""
    m = given["mass"][0] if "mass" in given else values["mass"][0]
    c = values["h"]
    if of("com", given):
        c = values["body_p"] = values.pop("own_frame").T @ filled(values.pop("own_com"), "com", given)
    about = values["A"] * (1.0 if how == "own" else m)
    if "body_axes" in values:
        R = values.pop("body_axes")
        if of("body_turn", given):
            R = values["body_R"] = R @ turned("body_turn", given)
        about = (R @ whole(given.get("inertia", about)) @ R.T)[UPPER]
    if how != "folded":
        about = about + m * (c @ c * np.eye(3) - np.outer(c, c))[UPPER]
    values |= {"mass": vector_of([m]), "h": m * c, "A": about}


def whole(upper: Any) -> np.ndarray:
    """(3, 3) from its upper triangle."""
    a, b, c, d, e, f = upper
    return np.array([[a, b, c], [b, d, e], [c, e, f]], object)
