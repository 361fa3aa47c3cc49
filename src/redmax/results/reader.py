"""Opening a result file: whatever it is, a Trajectory or a sentence."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict
from os import PathLike
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np

from redmax.arguments import as_path, brief
from redmax.dynamics import programs
from redmax.dynamics.dynamics import Dynamics
from redmax.errors import RedmaxError, SceneError
from redmax.model.model import Model
from redmax.model.scene import Scene
from redmax.results import layout
from redmax.results.checks import BROKE_OFF, COMPLETE, Commit
from redmax.results.contact_rows import contact_fields
from redmax.results.contents import Contents
from redmax.results.header import header_of, identity
from redmax.results.parameters import stored_parameters
from redmax.results.record import Record
from redmax.results.scene_text import model_from
from redmax.results.source import FileSource, open_contents, quoted
from redmax.results.stored import StoredTrajectory
from redmax.results.verified import DamagedSamples, last_commit, read, sums_of
from redmax.results.worlds_lost import stored_failures
from redmax.run.failures import failure_of_run
from redmax.run.good_samples import counted
from redmax.run.options import ABSOLUTE
from redmax.run.quantities import QUANTITIES, store_words
from redmax.run.quantity import body_links
from redmax.run.rubbing_quantities import RUBBING
from redmax.run.step_histories import STEP_HISTORIES

NEEDED = ("t", *[row.dataset for row in QUANTITIES if row.kind == "state"])  # of a model that has them
AXES = 16  # of a batch


def load(path: str | PathLike[str], scene: Scene | Model | str | PathLike[str] | None = None) -> StoredTrajectory:
    """The run of a result file, complete or not, even while another process is writing it.

    scene: the scene that ran, where the file could not hold it (it says so), as with joints of a class of your own
    Arrays are read when they are used: run[a:b] is a part of a run that is longer than memory.
    """
    if scene is not None and not isinstance(scene, Scene | Model | str | PathLike):
        raise RedmaxError(f"scene is the scene that ran, or its model, where the file could not hold it. Got {brief(scene)}.")
    file = as_path(path, "A result file", "run.h5", RedmaxError)
    return opened(file, None if scene is None else programs.model_of(scene))


def opened(path: Path, model: Model | None = None, engine: Dynamics | None = None) -> StoredTrajectory:
    """model, engine: of the run, if known."""
    with open_contents(path) as file:
        header = header_of(file)
        if model is None:
            model = model_of(file, header)
        check_model(file, header, model)
        return trajectory(file, header, model, engine)


def model_of(file: Contents, header: Mapping[str, Any]) -> Model:
    """From the scene in the file."""
    from redmax.io import SceneFileError

    text, path = scene_of(file, header["version"]), str(file.path)
    if not text:
        why = quoted(header["missing"], 300)
        raise RedmaxError(f"{path!r} does not hold its scene ({why}). Give it: redmax.load(path, scene=...).")
    try:
        return model_from(text, header["prescribed"])
    except SceneFileError as error:
        raise RedmaxError(f"The scene in {path!r} cannot be read: {error} Give it: redmax.load(path, scene=...).") from error


def scene_of(file: Contents, version: int) -> str:
    if version == 1:
        return file.text("scene")
    found = file.fixed_text("scene")
    if crc32(found) != file.attribute("scene_check", "i"):
        raise ValueError("its scene is not as it was written; redmax.load(path, scene=...) takes another")
    return found.decode("utf-8", "surrogateescape")


def check_model(file: Contents, header: Mapping[str, Any], model: Model) -> None:
    """Whether the file is of this model."""
    ran, given = header["joints"], [model.joint_names[i] for i in body_links(model)]
    sizes = [len(file.dataset(f"coordinates/{name}", str, (None,))) for name in ("names", "rate_names")]
    if ran != given or sizes != [model.nq, model.nv]:
        has, wants = (", ".join(quoted(name, 40) for name in names[:8]) for names in (ran, given))
        what = f"it has joints {has} with {sizes[0]} coordinates; the scene has {wants} with {model.nq}"
        raise RedmaxError(f"{str(file.path)!r} is of another scene: {what}.")


def columns_of(file: Contents, model: Model, batch: tuple[int, ...], dtype: str) -> dict[str, tuple[tuple[int, ...], Any]]:
    """The datasets that grow, with their shapes and types, as the layout has them for this model."""
    found: dict[str, tuple[tuple[int, ...], Any]] = {}
    for column in (layout.TIME, *layout.columns(model, store_words())):
        if column.name in NEEDED or file.has(column.name):
            kind, shape = np.dtype(column.dtype or dtype), (*(() if column is layout.TIME else batch), *column.shape)
            found[column.name] = (len(file.dataset(column.name, kind, (None, *shape))), *shape), kind
    return found


def check_lengths(file: Contents, columns: Mapping[str, tuple[tuple[int, ...], Any]], count: int) -> None:
    """Whether the samples that count can be in the file."""
    for name, (shape, _) in columns.items():
        if shape[0] < count:
            raise ValueError(f"{name} has {shape[0]} samples of {count}")
    size = sum(count * math.prod(shape[1:]) * dtype.itemsize for shape, dtype in columns.values())
    if size > file.bytes:
        raise ValueError(f"its {count} samples would have {size} bytes, and the file has {file.bytes}")


def status_of(file: Contents) -> dict[str, Any]:
    """As it is in the datasets for everybody."""
    found = {name: file.dataset(f"status/{name}", np.dtype(kind), (1,))[0] for name, (kind, _, _) in layout.STATUS.items()}
    return {name: text_of(value) if name == "ended" else value.item() for name, value in found.items()}


def checked_status(file: Contents, commit: Commit) -> dict[str, Any]:
    """As it was written last, with its checksum; what the datasets for everybody say need not be right."""
    return asdict(commit) | {"complete": commit.state == COMPLETE, "ended": ended(file, commit)}


def ended(file: Contents, commit: Commit) -> str:
    if commit.state != BROKE_OFF:
        return "complete" if commit.state == COMPLETE else ""
    found = file.dataset("status/ended", np.dtype(layout.STATUS["ended"][0]), (1,))[0]
    return text_of(found) if crc32(found) == commit.ended else "broke off; the file does not say any more how"


def check_status(file: Contents, status: Mapping[str, Any]) -> None:
    for name in ("samples", "bytes", "steps", "wall_s", "compile_s"):
        if not 0 <= status[name] < math.inf:
            raise ValueError(f"status/{name} is {status[name]}")
    if status["samples"] < 1:
        raise RedmaxError(f"{str(file.path)!r} holds no sample: its run was killed as it began. Run it again.")
    size = file.path.stat().st_size
    if size < status["bytes"]:
        raise ValueError(f"it has {size} of at least {status['bytes']} bytes")


def batch_of(header: Mapping[str, Any]) -> tuple[int, ...]:
    found = tuple(int(n) for n in header["batch"])
    if len(found) > AXES or any(n < 1 for n in found):
        raise ValueError(f"batch is {found[:AXES]}")
    return found


def times(file: Contents, record: Record) -> Any:
    """t; where it is damaged, an array that says so when it is read, for a part of the run may be good."""
    try:
        t = read(file, file.dataset("t", np.dtype(float), (None,)), "t", record.checks, record.rows)
    except DamagedSamples:
        return record.times
    if not np.isfinite(t).all() or (np.diff(t) < 0).any():
        raise ValueError("t is not ascending")
    return t


def trajectory(file: Contents, header: Mapping[str, Any], model: Model, engine: Dynamics | None) -> StoredTrajectory:
    settings, batch = settings_of(header), batch_of(header)
    engine = engine or engine_of(file, header, model, batch)
    commit, tails = last_commit(file) if header["version"] > 1 else (None, [])
    status = checked_status(file, commit) if commit else status_of(file)
    check_status(file, status)
    columns = columns_of(file, model, batch, engine.dtype)  # only now, for those of a run that goes on grow
    check_lengths(file, columns, status["samples"])
    checks = sums_of(file, columns, commit, tails) if commit else {}
    sizes = model.nq, model.nv, len(model.configurations.charts)
    source, rows = FileSource(file.path.absolute(), identity(file)), range(status["samples"])
    record = Record(source, columns, rows, batch, sizes, engine.dtype, status["ended"], checks=checks)
    t = times(file, record)
    return StoredTrajectory(
        model=engine.model,
        t=t,
        q=record.q,
        qdot=record.qdot,
        charts=record.charts,
        integrator=header["integrator"],
        dynamics=header["dynamics"],
        dt=float(header["dt"]),
        steps=status["steps"],
        wall_s=status["wall_s"],
        compile_s=status["compile_s"],
        complete=bool(status["complete"]),
        joint_drift=record.array("joint_drift"),
        controls=record.array("controls"),
        impulse=record.array("constraints/impulse"),
        impulse_time=record.array("constraints/impulse_time"),
        **contact_fields(record),
        **{name: record.array(dataset) for name, dataset in (RUBBING | STEP_HISTORIES).items()},
        settings=settings,
        failures=counted(stored_failures(file, batch), t),
        failure=None if status["complete"] else failure_of_run(engine.model, t, status["ended"]),
        engine=engine,
        record=record,
    )


def settings_of(header: Mapping[str, Any]) -> dict[str, Any]:
    """What the run was asked for; atol is a number, or one for each rate."""
    nothing: dict[str, Any] = dict.fromkeys(ABSOLUTE)  # of runs that have no such option
    found = nothing | {name: header[name] for name in layout.SETTINGS if name in header}
    return found | ({"atol": found["atol"][0]} if len(found.get("atol", ())) == 1 else {})


def engine_of(file: Contents, header: Mapping[str, Any], model: Model, batch: tuple[int, ...]) -> Dynamics:
    """The dynamics of the run, with the parameters of its worlds."""
    try:
        own = stored_parameters(file, header, model, batch)
        return Dynamics(model, header.get("backend", "llvm"), header.get("dtype", "float64"), own or None)
    except SceneError as error:
        raise RedmaxError(f"The parameters in {str(file.path)!r} do not fit the scene: {error}") from error


def text_of(value: bytes) -> str:
    return value.decode("utf-8", "replace")
