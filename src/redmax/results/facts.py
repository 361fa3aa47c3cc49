"""What a result file holds, in words and numbers: its run, how far it came, and each quantity with its shape and unit. No samples but
the times are read, however long the run is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from redmax.model.model import Model
from redmax.results import layout
from redmax.results.reader import load
from redmax.results.stored import StoredTrajectory
from redmax.run.coordinate_units import coordinate_units, units_of_rates
from redmax.run.failures import INTERRUPTED
from redmax.run.quantities import store_words

GOES_ON = "it goes on, or its process was killed"


def facts_of(path: Path) -> tuple[StoredTrajectory, dict[str, Any]]:
    """The run of a file, and what there is to know of it, as JSON takes it."""
    run = load(path)
    model, failures = run.model, [run.failure] if run.failure else run.failures
    return run, {
        "file": str(path),
        "bytes": path.stat().st_size,
        "scene": model.title,
        "bodies": len(model.bodies),
        "deformables": len(model.soft),
        "coordinates": model.nq,
        "dynamics": run.dynamics,
        "integrator": run.integrator,
        "dt": run.dt,
        "settings": dict(run.settings),
        "samples": len(run),
        "t": [float(run.t[0]), float(run.t[-1])],
        "steps": run.steps,
        "worlds": list(run.q.shape[1:-1]),
        "complete": run.complete,
        "ended": run.ended or GOES_ON,
        "failures": [asdict(f) for f in failures],
        "wall_s": run.wall_s,
        "compile_s": run.compile_s,
        "quantities": quantities_in(run),
    }


def quantities_in(run: StoredTrajectory) -> list[dict[str, Any]]:
    """Of the datasets that grow, their names, shapes, units and meanings."""
    known = {column.name: column for column in (layout.TIME, *layout.columns(run.model, store_words()))}
    found = []
    for name, (shape, dtype) in run.record.columns.items():
        column = known[name]
        axes = ("time", *["world"] * (len(shape) - 1 - len(column.axes)), *column.axes)
        about = {"axes": list(axes), "unit": unit_of(column, run.model), "about": column.about}
        found.append({"name": name, "shape": [len(run), *shape[1:]], "dtype": str(dtype), **about})
    return found


def unit_of(column: layout.Column, model: Model) -> str:
    """Of coordinates and rates those that occur."""
    if layout.UNITS not in column.unit:
        return column.unit
    units = coordinate_units(model) if column.axes == ("coordinate",) else units_of_rates(model)
    per = "/s" if "per s" in column.unit else ""
    return ", ".join(dict.fromkeys(f"1{per}" if unit == "1" else f"{unit}{per}" for unit in units))


def end_in_words(run: StoredTrajectory) -> str:
    """How the run ended."""
    if run.failure is not None:
        return run.failure.short
    if run.complete:
        return "at its end"
    return "interrupted" if run.ended == INTERRUPTED else GOES_ON


def shape_in_words(shape: Sequence[int]) -> str:
    return " x ".join(f"{n:,}" for n in shape)
