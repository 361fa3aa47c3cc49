"""Opening a result file: whatever it is, a Trajectory or a sentence."""

from __future__ import annotations

from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from redmax.dynamics.system import Dynamics
from redmax.errors import RedmaxError
from redmax.model import Model
from redmax.results import layout
from redmax.results.provenance import this_version
from redmax.results.record import Record
from redmax.results.scene_text import model_from
from redmax.results.source import Source, damaged, open_file, text_of
from redmax.results.stored import StoredTrajectory
from redmax.scene import Scene


def load(path: str | PathLike[str], scene: Scene | Model | None = None) -> StoredTrajectory:
    """The run of a result file, complete or not, even while another process is writing it.

    scene: the scene that ran, where the file could not hold it (it says so), as with joints of a class of your own
    Arrays are read when they are used: run[a:b] is a part of a run that is longer than memory.
    """
    return opened(as_path(path), scene.model() if isinstance(scene, Scene) else scene)


def as_path(path: Any) -> Path:
    try:
        return Path(path)
    except TypeError:
        raise RedmaxError(f"A result file is named by a path such as 'run.h5'. Got {path!r}.") from None


def opened(path: Path, model: Model | None = None, engine: Dynamics | None = None) -> StoredTrajectory:
    """model, engine: of the run, if known."""
    with open_file(path) as file:
        try:
            check_format(path, file)
            if model is None:
                model = model_of(path, file)
            check_model(path, file, model)
            return trajectory(path, file, model, engine)
        except RedmaxError:
            raise
        except Exception as error:  # HDF5 finds many ways to say that bytes are wrong
            raise damaged(path, error) from error


def check_format(path: Path, file: Any) -> None:
    if text_of(file.attrs.get("format")) != layout.FORMAT:
        raise RedmaxError(f"{str(path)!r} is an HDF5 file, but not a result file of redmax. Open it with h5py.")
    version = int(file.attrs["format_version"])
    if version > layout.VERSION:
        by = f"redmax {file.attrs.get('redmax_version', '')} wrote it"
        here = f"redmax {this_version()} reads up to version {layout.VERSION}. Update redmax: pip install -U redmax"
        raise RedmaxError(f"{str(path)!r} has version {version} of the format ({by}); {here}.")


def model_of(path: Path, file: Any) -> Model:
    """From the scene in the file."""
    from redmax.io import SceneFileError

    text = file["scene"].asstr()[()]
    if not text:
        why = file["scene"].attrs.get("missing", "")
        raise RedmaxError(f"{str(path)!r} does not hold its scene ({why}). Give it: redmax.load(path, scene=...).")
    try:
        return model_from(text, list(file["joints/prescribed"].asstr()[()]))
    except SceneFileError as error:
        raise RedmaxError(f"The scene in {str(path)!r} cannot be read: {error} Give it: redmax.load(path, scene=...).") from error


def check_model(path: Path, file: Any, model: Model) -> None:
    """Whether the file is of this model."""
    ran, given = list(file["joints/names"].asstr()[()]), [model.joint_names[i] for i in layout.body_links(model)]
    sizes = [len(file["coordinates/names"]), len(file["coordinates/rate_names"])]
    if ran != given or sizes != [model.nq, model.nv]:
        what = f"joints {', '.join(ran[:8])} with {sizes[0]} coordinates"
        raise RedmaxError(f"{str(path)!r} is of another scene: it has {what}; the scene has {', '.join(given[:8])} with {model.nq}.")


def columns_of(path: Path, file: Any, count: int) -> dict[str, tuple[tuple[int, ...], Any]]:
    """The datasets that grow, with their shapes and types."""
    found: dict[str, tuple[tuple[int, ...], Any]] = {}

    def look(name: str, item: Any) -> None:
        if "axes" not in item.attrs:
            return
        if item.is_virtual or item.external:  # files from strangers do not make other files be read (links are not followed)
            raise RedmaxError(f"{str(path)!r} takes {name!r} from another file, which result files never do. It was not opened.")
        if len(item) < count:
            raise ValueError(f"{name} has {len(item)} samples of {count}")
        found[name] = item.shape, item.dtype

    file.visititems(look)
    return found


def trajectory(path: Path, file: Any, model: Model, engine: Dynamics | None) -> StoredTrajectory:
    status = {name: file[f"status/{name}"][0] for name in ("samples", "steps", "wall_s", "compile_s", "complete", "ended")}
    count, attrs = int(status["samples"]), file.attrs
    if count < 1:
        raise RedmaxError(f"{str(path)!r} holds no sample: its run was killed as it began. Run it again.")
    if path.stat().st_size < int(file["status/bytes"][0]):
        raise ValueError(f"it has {path.stat().st_size} of at least {int(file['status/bytes'][0])} bytes")
    columns = columns_of(path, file, count)
    for name, size in (("t", None), ("q", model.nq), ("qdot", model.nv)):
        if size != 0 and (name not in columns or (size and columns[name][0][-1] != size)):
            raise ValueError(f"{name} is missing, or has not {size} columns")
    settings = {name: value_of(attrs[name]) for name in layout.SETTINGS if name in attrs}
    sizes = model.nq, model.nv, len(model.configurations.charts)
    source, batch = Source(path.absolute(), text_of(attrs["id"])), tuple(int(n) for n in attrs["batch"])
    record = Record(source, columns, range(count), batch, sizes, str(settings.get("dtype", "float64")), text_of(status["ended"]))
    return StoredTrajectory(
        model=model,
        t=file["t"][:count],
        q=record.q,
        qdot=record.qdot,
        charts=record.charts,
        integrator=text_of(attrs["integrator"]),
        dynamics=text_of(attrs["dynamics"]),
        dt=float(attrs["dt"]),
        steps=int(status["steps"]),
        wall_s=float(status["wall_s"]),
        compile_s=float(status["compile_s"]),
        complete=bool(status["complete"]),
        joint_drift=record.array("joint_drift"),
        settings=settings,
        engine=engine or Dynamics(model, str(settings.get("backend", "llvm")), record.dtype),
        record=record,
    )


def value_of(attribute: Any) -> Any:
    """An attribute as the Python value that was written."""
    return attribute.item() if isinstance(attribute, np.generic) else attribute
