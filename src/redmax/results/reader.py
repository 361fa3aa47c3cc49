"""Opening a result file: whatever it is, a Trajectory or a sentence."""

from __future__ import annotations

import math
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from redmax.arguments import as_path, brief
from redmax.dynamics.system import Dynamics
from redmax.errors import RedmaxError
from redmax.model import Model
from redmax.results import layout
from redmax.results.contents import Contents
from redmax.results.provenance import this_version
from redmax.results.record import Record
from redmax.results.scene_text import model_from
from redmax.results.source import Source, open_contents, quoted
from redmax.results.stored import StoredTrajectory
from redmax.scene import Scene
from redmax.trajectory import STORE


def load(path: str | PathLike[str], scene: Scene | Model | None = None) -> StoredTrajectory:
    """The run of a result file, complete or not, even while another process is writing it.

    scene: the scene that ran, where the file could not hold it (it says so), as with joints of a class of your own
    Arrays are read when they are used: run[a:b] is a part of a run that is longer than memory.
    """
    if scene is not None and not isinstance(scene, Scene | Model):
        raise RedmaxError(f"scene is the scene that ran, or its model, where the file could not hold it. Got {brief(scene)}.")
    file = as_path(path, "A result file", "run.h5", RedmaxError)
    return opened(file, scene.model() if isinstance(scene, Scene) else scene)


def opened(path: Path, model: Model | None = None, engine: Dynamics | None = None) -> StoredTrajectory:
    """model, engine: of the run, if known."""
    with open_contents(path) as file:
        check_format(file)
        if model is None:
            model = model_of(file)
        check_model(file, model)
        return trajectory(file, model, engine)


def check_format(file: Contents) -> None:
    if "format" not in file.file.attrs or file.attribute("format", "text") != layout.FORMAT:
        raise RedmaxError(f"{str(file.path)!r} is an HDF5 file, but not a result file of redmax. Open it with h5py.")
    version = file.attribute("format_version", "i")
    if version > layout.VERSION:
        by = f"redmax {quoted(file.attribute('redmax_version', 'text'), 20)} wrote it"
        here = f"redmax {this_version()} reads up to version {layout.VERSION}. Update redmax: pip install -U redmax"
        raise RedmaxError(f"{str(file.path)!r} has version {version} of the format ({by}); {here}.")


def model_of(file: Contents) -> Model:
    """From the scene in the file."""
    from redmax.io import SceneFileError

    text, path = file.text("scene"), str(file.path)
    if not text:
        why = quoted(file.attribute("missing", "text", file.file["scene"]), 300)
        raise RedmaxError(f"{path!r} does not hold its scene ({why}). Give it: redmax.load(path, scene=...).")
    try:
        return model_from(text, file.words("joints/prescribed"))
    except SceneFileError as error:
        raise RedmaxError(f"The scene in {path!r} cannot be read: {error} Give it: redmax.load(path, scene=...).") from error


def check_model(file: Contents, model: Model) -> None:
    """Whether the file is of this model."""
    ran, given = file.words("joints/names"), [model.joint_names[i] for i in layout.body_links(model)]
    sizes = [len(file.dataset(f"coordinates/{name}", str, (None,))) for name in ("names", "rate_names")]
    if ran != given or sizes != [model.nq, model.nv]:
        has, wants = (", ".join(quoted(name, 40) for name in names[:8]) for names in (ran, given))
        what = f"it has joints {has} with {sizes[0]} coordinates; the scene has {wants} with {model.nq}"
        raise RedmaxError(f"{str(file.path)!r} is of another scene: {what}.")


def columns_of(file: Contents, model: Model, batch: tuple[int, ...], dtype: str, count: int) -> dict[str, tuple[tuple[int, ...], Any]]:
    """The datasets that grow, with their shapes and types, as the layout has them for this model."""
    known = [layout.TIME, *layout.columns(model, STORE, drift=True)]
    needed, found, size = ("t", "q", "qdot", "charts"), {}, 0
    for column in known:
        if column.name not in needed and not file.has(column.name):
            continue
        kind, shape = np.dtype(column.dtype or dtype), (*(() if column is layout.TIME else batch), *column.shape)
        length = len(file.dataset(column.name, kind, (None, *shape)))
        if length < count:
            raise ValueError(f"{column.name} has {length} samples of {count}")
        found[column.name], size = ((length, *shape), kind), size + count * math.prod(shape) * kind.itemsize
    if size > file.bytes:
        raise ValueError(f"its {count} samples would have {size} bytes, and the file has {file.bytes}")
    return found


def status_of(file: Contents) -> dict[str, Any]:
    found = {name: file.dataset(f"status/{name}", np.dtype(kind), (1,))[0] for name, (kind, _, _) in layout.STATUS.items()}
    for name, value in found.items():
        if name != "ended" and not 0 <= value < math.inf:
            raise ValueError(f"status/{name} is {value}")
    return {name: text_of(value) if name == "ended" else value.item() for name, value in found.items()}


def settings_of(file: Contents) -> dict[str, Any]:
    found = {name: file.attribute(name, kind) for name, kind in layout.SETTINGS.items() if name in file.file.attrs}
    for name, value in found.items():
        if not isinstance(value, str) and not 0 <= value < math.inf:
            raise ValueError(f"{name} is {value}")
    return found


def batch_of(file: Contents) -> tuple[int, ...]:
    found = tuple(int(n) for n in file.attribute("batch", "I"))
    if any(n < 1 for n in found):
        raise ValueError(f"batch is {found}")
    return found


def times(file: Contents, count: int) -> np.ndarray:
    t = file.dataset("t", np.dtype(float), (None,))[:count]
    if not np.isfinite(t).all() or (np.diff(t) < 0).any():
        raise ValueError("t is not ascending")
    return t


def trajectory(file: Contents, model: Model, engine: Dynamics | None) -> StoredTrajectory:
    status, path = status_of(file), file.path
    count = status["samples"]
    if count < 1:
        raise RedmaxError(f"{str(path)!r} holds no sample: its run was killed as it began. Run it again.")
    if path.stat().st_size < status["bytes"]:
        raise ValueError(f"it has {path.stat().st_size} of at least {status['bytes']} bytes")
    settings, batch, dt = settings_of(file), batch_of(file), float(file.attribute("dt", "f"))
    if not 0 < dt < math.inf:
        raise ValueError(f"dt is {dt}")
    engine = engine or Dynamics(model, settings.get("backend", "llvm"), settings.get("dtype", "float64"))
    columns = columns_of(file, model, batch, engine.dtype, count)
    sizes = model.nq, model.nv, len(model.configurations.charts)
    source = Source(path.absolute(), file.attribute("id", "text"))
    record = Record(source, columns, range(count), batch, sizes, engine.dtype, status["ended"])
    return StoredTrajectory(
        model=model,
        t=times(file, count),
        q=record.q,
        qdot=record.qdot,
        charts=record.charts,
        integrator=file.attribute("integrator", "text"),
        dynamics=file.attribute("dynamics", "text"),
        dt=dt,
        steps=status["steps"],
        wall_s=status["wall_s"],
        compile_s=status["compile_s"],
        complete=bool(status["complete"]),
        joint_drift=record.array("joint_drift"),
        settings=settings,
        engine=engine,
        record=record,
    )


def text_of(value: bytes) -> str:
    return value.decode("utf-8", "replace")
