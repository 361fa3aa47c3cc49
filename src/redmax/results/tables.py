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
from redmax.errors import RedmaxError, SceneError
from redmax.results.layout import body_links, soft_group
from redmax.results.names import coordinate_names, coordinate_units, rate_names, rate_units
from redmax.results.quaternions import quaternions
from redmax.run.trajectory import Trajectory
from redmax.text import one_line
from redmax.writing import whole_file

WHAT = ("q", "qdot", "energy", "position", "quaternion", "twist", "reaction")
BLOCK = 1000  # samples that are written together
FORMULA = ("=", "+", "-", "@")  # how cells begin that a spreadsheet computes


def to_numpy(run: Trajectory) -> dict[str, np.ndarray]:
    """t (time,); q, qdot; kinetic, potential (time, ...); momentum; position, rotation, twist (time, ..., bodies, ...); reaction.

    Names of bodies, joints and coordinates are there too, along the axes of the others; where there are: charts, joint_drift, and the
    nodes of deformables.
    """
    bodies = body_links(run.model)
    names = [run.model.body_names[i] for i in bodies]
    found: dict[str, Any] = {"t": run.t, "q": run.q, "qdot": run.qdot}
    found |= {"kinetic": run.energy.kinetic, "potential": run.energy.potential, "momentum": run.momentum}
    if names:
        poses = np.stack([run.pose(name) for name in names], axis=-3)
        found |= {"position": poses[..., :3, 3], "rotation": poses[..., :3, :3]}
        found |= {"twist": np.stack([run.twist(name) for name in names], axis=-2)}
        found |= {"reaction": np.stack([run.reaction(name) for name in names], axis=-2)}
    found |= {} if run.charts is None or not run.charts.shape[-1] else {"charts": run.charts}
    found |= {} if run.joint_drift is None else {"joint_drift": run.joint_drift}
    found |= {f"{soft_group(k)}/nodes".replace("/", "_"): run.nodes(soft.name) for k, soft in enumerate(run.model.soft)}
    found |= {"body_names": names, "joint_names": [run.model.joint_names[i] for i in bodies]}
    found |= {"coordinate_names": coordinate_names(run.model), "rate_names": rate_names(run.model)}
    return {name: np.array(value, str) if isinstance(value, list) else np.asarray(value) for name, value in found.items()}


def headings(run: Trajectory, what: Collection[str]) -> list[tuple[str, str]]:
    """(name, unit) of each column behind t."""
    names = as_names(what)
    if names is None or not all(name in WHAT for name in names):
        raise SceneError(f"what is a list of {', '.join(map(repr, WHAT))}. Got {brief(what)}.")
    model, u = run.model, run.model.units
    moment, force = f"{u.mass} {u.length}\u00b2/s\u00b2", f"{u.mass} {u.length}/s\u00b2"
    found: list[tuple[str, str]] = []
    if "q" in what:
        found += zip(coordinate_names(model), coordinate_units(model), strict=True)
    if "qdot" in what:
        found += zip(rate_names(model), rate_units(model), strict=True)
    if "energy" in what:
        found += [(name, u.energy) for name in ("kinetic", "potential", "total")]
    for i in body_links(model):
        body, joint = model.body_names[i], model.joint_names[i]
        if "position" in what:
            found += [(f"{body}.{axis}", u.length) for axis in "xyz"]
        if "quaternion" in what:
            found += [(f"{body}.quaternion.{axis}", "1") for axis in "wxyz"]
        if "twist" in what:
            found += [(f"{body}.omega.{axis}", "rad/s") for axis in "xyz"] + [(f"{body}.v.{axis}", f"{u.length}/s") for axis in "xyz"]
        if "reaction" in what:
            found += [(f"{joint}.torque.{axis}", moment) for axis in "xyz"] + [(f"{joint}.force.{axis}", force) for axis in "xyz"]
    return found


def rows(run: Trajectory, what: Collection[str]) -> np.ndarray:
    """(time, ..., columns), as `headings` names them."""
    parts: list[np.ndarray] = []
    parts += [np.asarray(run.q)] if "q" in what else []
    parts += [np.asarray(run.qdot)] if "qdot" in what else []
    parts += [x[..., None] for x in (run.energy.kinetic, run.energy.potential, run.energy.total)] if "energy" in what else []
    for i in body_links(run.model):
        body = run.model.body_names[i]
        parts += [run.pose(body)[..., :3, 3]] if "position" in what else []
        parts += [quaternions(run.pose(body)[..., :3, :3])] if "quaternion" in what else []
        parts += [run.twist(body)] if "twist" in what else []
        parts += [run.reaction(run.model.joint_names[i])] if "reaction" in what else []
    return np.concatenate([np.zeros((*run.q.shape[:-1], 0)), *parts], axis=-1)


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
    frame.attrs["units"] = {"t": "s", **dict(names)}
    return frame


def to_csv(run: Trajectory, path: str | PathLike[str], what: Collection[str]) -> Path:
    """Numbers are written so that reading them gives the same bits."""
    names, target = headings(run, what), Path(path)
    batch = run.q.shape[1:-1]
    worlds = ["world"] if len(batch) == 1 else [f"world{k}" for k in range(len(batch))]
    with whole_file(target) as raw, TextIOWrapper(raw, encoding="utf-8", newline="") as file:
        table = csv.writer(file)
        table.writerow(["t (s)", *worlds, *[cell(f"{name} ({unit})") for name, unit in names]])
        for block in blocks(run):
            for t, values in zip(block.t.tolist(), rows(block, what), strict=True):
                table.writerows([t, *world, *values[world].tolist()] for world in np.ndindex(*batch))
    return target


def cell(text: str) -> str:
    """A text that spreadsheets show: what begins as a formula would be computed, and may fetch or start something, so it gets a quote."""
    shown = one_line(text)
    return f"'{shown}" if shown.startswith(FORMULA) else shown
