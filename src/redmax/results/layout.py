"""What is where in a result file: names, axes, units and meanings, all of which the file says too.

Datasets grow along their first axis, time. How much of them counts is status/samples, which is written after everything else: a reader
takes so many, whatever has happened to the writer.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from operator import attrgetter
from typing import Any

import numpy as np

from redmax.arguments import Named, OneOf, OneOfWhole, Positive, PositiveEach, Share, Whole, as_names, brief
from redmax.errors import SceneError
from redmax.model.model import Model
from redmax.run.options import VALID
from redmax.run.quantities import quantities, store_words
from redmax.run.quantity import Quantity
from redmax.run.trajectory import Trajectory

FORMAT = "redmax results"
VERSION = 2  # 1 had no checksums
CHUNK = 128 * 2**10  # bytes that are read and written together, about
CONVENTIONS = (
    "Right-handed axes. Angles in rad. Frames of bodies have their origins at the centres of mass; rotation and position take points of "
    "the body frame to the world: x = rotation @ y + position. Twists are (angular x y z; linear x y z) in body axes, wrenches (torque; "
    "force). Axes 'worlds' are those of a batch of runs."
)
UNITS = "see coordinates/units"
KINDS = {Positive: "f", PositiveEach: "F", Whole: "i", OneOf: "text", OneOfWhole: "i", Share: "f", Named: "text"}
# How the run was asked for, by the file's attributes, and the kinds of their values; integrator, dynamics and dt are kept by themselves.
SETTINGS = {name: KINDS[type(valid)] for name, valid in VALID.items() if name not in ("dt", "integrator", "dynamics")} | {"controller": "b"}
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
    """A dataset that grows in time: the row of a quantity, for one model. of: what of `store` it belongs to, "" always."""

    name: str
    axes: tuple[str, ...]
    shape: tuple[int, ...]
    unit: str
    about: str
    of: str = ""
    dtype: str = ""  # that of the run, unless given
    values: Callable[..., Any] = attrgetter("t")  # of a run


TIME = Column("t", (), (), "s", "time", dtype="float64")  # has no axes of worlds


def columns(model: Model, store: Collection[str], like: Trajectory | None = None) -> list[Column]:
    """What is kept of a run, without what would be empty. like: a run, which need not have all that some runs are given."""
    rows = [row for row in quantities(model) if row.dataset and (not row.store or row.store in store)]
    if like is not None:
        rows = [row for row in rows if (row.kind == "derived" or row.values(like) is not None) and (row.where is None or row.where(like))]
    found = [Column(r.dataset, r.axes, r.shape(model), unit_text(r, model), r.about, r.store, r.dtype, r.values) for r in rows]
    return [column for column in found if 0 not in column.shape]


def unit_text(row: Quantity, model: Model) -> str:
    """Coordinates have one each."""
    return row.unit.replace("{unit}", UNITS).replace(f"{UNITS}/", f"{UNITS}, per ") if row.by_coordinate else row.unit_of(model)


def deformable_group(number: int) -> str:
    """Where a deformable is; its name, which may hold anything, is an attribute there."""
    return f"deformables/{number}"


def chunk_shape(shape: tuple[int, ...], itemsize: int, expected: int) -> tuple[int, ...]:
    """How much of (time, *shape) is kept together: samples, or part of one where it is large."""
    sizes = list(shape)
    for axis in range(len(sizes)):
        rest = int(np.prod(sizes)) * itemsize // max(sizes[axis], 1)
        sizes[axis] = max(1, min(sizes[axis], 8 * CHUNK // max(rest, 1)))
    row = int(np.prod(sizes)) * itemsize
    return (max(1, min(CHUNK // max(row, 1), expected, 4096)), *sizes)


def checked_store(store: Collection[str]) -> tuple[str, ...]:
    names, known = as_names(store), store_words()
    if names is None or not all(name in known for name in names):
        raise SceneError(f"store is a list of {', '.join(map(repr, known))}, or of some of them. Got {brief(store)}.")
    return tuple(name for name in known if name in store)
