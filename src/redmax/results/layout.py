"""What is where in a result file: names, axes, units and meanings, all of which the file says too.

Datasets grow along their first axis, time. How much of them counts is status/samples, which is written after everything else: a reader
takes so many, whatever has happened to the writer.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np

from redmax.arguments import as_names, brief
from redmax.errors import SceneError
from redmax.model.model import Model
from redmax.run.trajectory import STORE

FORMAT = "redmax results"
VERSION = 2  # 1 had no checksums
CHUNK = 128 * 2**10  # bytes that are read and written together, about
CONVENTIONS = (
    "Right-handed axes. Angles in rad. Frames of bodies have their origins at the centres of mass; rotation and position take points of "
    "the body frame to the world: x = rotation @ y + position. Twists are (angular x y z; linear x y z) in body axes, wrenches (torque; "
    "force). Axes 'worlds' are those of a batch of runs."
)
JOINT_DRIFT = "how far each joint is open, where joints are constraints (dynamics maximal): the norm of its pose error"
SETTINGS = {  # how the run was asked for, by the file's attributes, and the kinds of their values
    "duration": "f",
    "every": "i",
    "rtol": "f",
    "solver": "text",
    "stabilisation": "text",
    "halvings": "i",
    "controller": "b",
    "backend": "text",
    "dtype": "text",
}
ENDED = 1000  # bytes for how a run ended
STATUS = {
    "samples": ("int64", "1", "how many samples there are; what datasets hold behind them does not count"),
    "bytes": ("int64", "1", "how long the file is at least, if nothing was cut off"),
    "steps": ("int64", "1", "steps that the integrator has taken"),
    "wall_s": ("float64", "s", "time spent running"),
    "compile_s": ("float64", "s", "time spent compiling"),
    "complete": ("uint8", "1", "1 if the run reached its end, 0 while it goes on or if it broke off"),
    "ended": (f"S{ENDED}", "", "empty while the run goes on; then 'complete', or what broke it off"),
}


@dataclass(frozen=True)
class Column:
    """A dataset that grows in time. axes, shape: those behind time and worlds; of: what of `store` it belongs to, "" always."""

    name: str
    axes: tuple[str, ...]
    shape: tuple[int, ...]
    unit: str
    about: str
    of: str = ""
    dtype: str = ""  # that of the run, unless given


TIME = Column("t", (), (), "s", "time", dtype="float64")  # has no axes of worlds


def columns(model: Model, store: Collection[str], drift: bool) -> list[Column]:
    """What is kept of a run, without what would be empty. drift: whether its joints are constraints."""
    units = model.units
    L, E = units.length, units.energy
    moment, force = f"{units.mass} {L}\u00b2/s\u00b2", f"{units.mass} {L}/s\u00b2"
    bodies = len(body_links(model))
    wrench = f"{moment}; {force}"
    found = [
        Column("q", ("coordinate",), (model.nq,), "see coordinates/units", "coordinates of the joints, then of free nodes"),
        Column("qdot", ("rate",), (model.nv,), "see coordinates/units, per s", "velocities that go with q"),
        Column("charts", ("choice",), (len(model.configurations.charts),), "1", "numbers of the charts that q is in", dtype="int64"),
        Column("energy/kinetic", (), (), E, "kinetic energy", "energy"),
        Column("energy/potential", (), (), E, "potential energy, of gravity, springs and whatever else stores some", "energy"),
        Column(
            "momentum",
            ("angular; linear",),
            (6,),
            f"{units.mass} {L}\u00b2/s; {units.mass} {L}/s",
            "about the world's origin, in world axes",
            "energy",
        ),
        Column("bodies/position", ("body", "xyz"), (bodies, 3), L, "origins of the body frames in the world", "poses"),
        Column(
            "bodies/rotation", ("body", "row", "column"), (bodies, 3, 3), "1", "axes of the body frames in the world: its columns", "poses"
        ),
        Column("bodies/twist", ("body", "angular; linear"), (bodies, 6), f"rad/s; {L}/s", "of the body frames, in body axes", "twists"),
        Column(
            "joints/reaction",
            ("joint", "torque; force"),
            (bodies, 6),
            wrench,
            "wrench of parent on child, in the joint frame; of a run with a Python controller, without what it added",
            "reactions",
        ),
    ]
    if drift:
        found.append(Column("joint_drift", ("link",), (len(model.links),), f"rad and {L}", JOINT_DRIFT, dtype="float64"))
    for k, soft in enumerate(model.soft):
        shape = (len(soft.shape.nodes), 3)
        found.append(Column(f"{soft_group(k)}/nodes", ("node", "xyz"), shape, L, f"where the nodes of {soft.name!r} are", "poses"))
    return [c for c in found if (not c.of or c.of in store) and 0 not in c.shape]


def soft_group(number: int) -> str:
    """Where a deformable is; its name, which may hold anything, is an attribute there."""
    return f"deformables/{number}"


def body_links(model: Model) -> list[int]:
    """The numbers of the links that are bodies, not nodes or hidden states."""
    return [i for i, link in enumerate(model.links) if link.kind == "body"]


def chunk_shape(shape: tuple[int, ...], itemsize: int, expected: int) -> tuple[int, ...]:
    """How much of (time, *shape) is kept together: samples, or part of one where it is large."""
    sizes = list(shape)
    for axis in range(len(sizes)):
        rest = int(np.prod(sizes)) * itemsize // max(sizes[axis], 1)
        sizes[axis] = max(1, min(sizes[axis], 8 * CHUNK // max(rest, 1)))
    row = int(np.prod(sizes)) * itemsize
    return (max(1, min(CHUNK // max(row, 1), expected, 4096)), *sizes)


def checked_store(store: Collection[str]) -> tuple[str, ...]:
    names = as_names(store)
    if names is None or not all(name in STORE for name in names):
        raise SceneError(f"store is a list of {', '.join(map(repr, STORE))}, or of some of them. Got {brief(store)}.")
    return tuple(name for name in STORE if name in store)
