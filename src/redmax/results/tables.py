"""A run as arrays by name, as a table of pandas, and as a text file of numbers."""

from __future__ import annotations

import csv
import math
from collections.abc import Collection, Iterator
from io import TextIOWrapper
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from redmax.arguments import as_names, brief
from redmax.dynamics.common.path_states import muscles_of, paths_of
from redmax.errors import RedmaxError, SceneError
from redmax.run.constraint_quantities import place_names, row_names
from redmax.run.known_samples import known_of
from redmax.run.quantities import quantities, quantity_named, table_word, table_words
from redmax.run.quantity import Quantity, body_links
from redmax.run.trajectory import Trajectory
from redmax.text import one_line
from redmax.writing import whole_file

BLOCK = 1000  # samples that are written together
FORMULA = ("=", "+", "-", "@")  # how cells begin that a spreadsheet computes


def to_numpy(run: Trajectory) -> dict[str, np.ndarray]:
    """t (time,), and the quantities of the table that are arrays, (time, ..., own axes), without those that the run or the scene has not.

    Names of bodies, joints, coordinates and rates are there too, along the axes of the others.
    """
    model, bodies = run.model, body_links(run.model)
    rows = [row for row in quantities(model) if row.array and (row.by_coordinate or 0 not in row.shape(model))]
    found: dict[str, Any] = {"t": run.t}
    found |= {row.name: values for row in rows if (values := run.quantity(row.name)) is not None}
    found |= {"body_names": [model.body_names[i] for i in bodies], "joint_names": [model.joint_names[i] for i in bodies]}
    found |= {"path_names": [str(f.name) for f in paths_of(model)], "muscle_names": [str(f.name) for f in muscles_of(model)]}
    found |= {"coordinate_names": quantity_named(model, "q").coordinate_names(model)}
    found |= {"rate_names": quantity_named(model, "qdot").coordinate_names(model)}
    found |= {"torque_names": [heading.name for heading in quantity_named(model, "torques").headings(model)]}
    found |= {"constraint_names": [str(c.name) for c in model.constraints]}
    found |= {"constraint_row_names": row_names(model), "constraint_place_names": place_names(model)}
    return {name: np.array(value, str) if isinstance(value, list) else np.asarray(value) for name, value in found.items()}


def chosen_rows(run: Trajectory, what: Collection[str]) -> tuple[list[Quantity], list[Quantity]]:
    """The rows of the table: those that come first, and those of which each body has its own."""
    given, known = as_names(what), table_words()
    names = None if given is None else [table_word(name) for name in given]
    if names is None or not all(name in known for name in names):
        raise SceneError(f"what is a list of {', '.join(map(repr, known))}. Got {brief(what)}.")
    rows = [row for row in quantities(run.model) if row.table in names and (row.kind != "given" or row.values(run) is not None)]
    return [row for row in rows if not row.by_body], [row for row in rows if row.by_body]


def headings(run: Trajectory, what: Collection[str]) -> list[tuple[str, str]]:
    """(name, unit) of each column behind t."""
    first, own = chosen_rows(run, what)
    found = [heading for row in first for heading in row.headings(run.model)]
    columns = [row.headings(run.model) for row in own]
    found += [heading for i in body_links(run.model) for column in columns for heading in column if heading.link == i]
    return [(heading.name, heading.unit) for heading in found]


def rows(run: Trajectory, what: Collection[str]) -> np.ndarray:
    """(time, ..., columns), as `headings` names them."""
    first, own = chosen_rows(run, what)
    parts = [np.zeros((*run.q.shape[:-1], 0))]
    parts += [row.in_tables(run.model, flat(run, run.quantity(row.name))) for row in first]
    arrays = [np.asarray(run.quantity(row.name)) for row in own]
    parts += [flat(run, array[(slice(None),) * (run.q.ndim - 1) + (k,)]) for k in range(len(body_links(run.model))) for array in arrays]
    return np.concatenate(parts, axis=-1)


def flat(run: Trajectory, values: Any) -> np.ndarray:
    """(time, ..., columns): what a quantity has at a sample, in a row."""
    shape = run.q.shape[:-1]
    return np.reshape(values, (*shape, math.prod(np.shape(values)[len(shape) :])))


def blocks(run: Trajectory) -> Iterator[Trajectory]:
    for first in range(0, len(run), BLOCK):
        yield run[first : first + BLOCK]


def to_pandas(run: Trajectory, what: Collection[str]) -> Any:
    """Columns such as "elbow.q0", with their units in `frame.attrs["units"]`; over t or, of a batch, over t and the world's numbers."""
    try:
        import pandas
    except ImportError as error:
        raise RedmaxError("to_pandas needs the package pandas: pip install 'redmax[table]'.") from error
    names = headings(run, what)
    values = np.concatenate([rows(block, what).reshape(len(block) * math.prod(run.q.shape[1:-1]), len(names)) for block in blocks(run)])
    index: Any = pandas.Index(run.t, name="t")
    if batch := run.q.shape[1:-1]:
        levels = ["world"] if len(batch) == 1 else [f"world{k}" for k in range(len(batch))]
        index = pandas.MultiIndex.from_product([run.t, *map(range, batch)], names=["t", *levels])
    frame = pandas.DataFrame(values, index, [name for name, _ in names])
    if run.failures:  # a world has the rows that it has samples
        frame = frame[known_of(run).ravel()]
    frame.attrs["units"] = {"t": "s", **dict(names)}
    return frame


def to_csv(run: Trajectory, path: str | PathLike[str], what: Collection[str]) -> Path:
    """Numbers are written so that reading them gives the same bits; rows of a world that broke off end where it did."""
    names, target = headings(run, what), Path(path)
    batch = run.q.shape[1:-1]
    worlds = ["world"] if len(batch) == 1 else [f"world{k}" for k in range(len(batch))]
    with whole_file(target) as raw, TextIOWrapper(raw, encoding="utf-8", newline="") as file:
        table = csv.writer(file)
        table.writerow(["t (s)", *worlds, *[cell(f"{name} ({unit})") for name, unit in names]])
        for block in blocks(run):
            known = known_of(block) if run.failures else np.full(block.q.shape[:-1], True)
            for t, values, there in zip(block.t.tolist(), rows(block, what), known, strict=True):
                table.writerows([t, *world, *values[world].tolist()] for world in np.ndindex(*batch) if there[world])
    return target


def cell(text: str) -> str:
    """A text that spreadsheets show: what begins as a formula would be computed, and may fetch or start something, so it gets a quote."""
    line = one_line(text)
    return f"'{line}" if line.startswith(FORMULA) else line
