"""What a run was asked for, checked before time is spent on it."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from redmax.errors import RedmaxError

if TYPE_CHECKING:
    from redmax.model import Model
    from redmax.scenes import Entry


@dataclass(frozen=True)
class Request:
    """What to run, checked: lengths of time in s; paths are None where nothing is to be written, and `json` may be "-"."""

    entry: Entry
    dynamics: str
    integrator: str
    dt: float
    duration: float
    rtol: float
    html: Path | None
    plot: Path | None
    json: str | None

    @property
    def quiet(self) -> bool:
        """Standard output belongs to the JSON object."""
        return self.json == "-"

    @property
    def files(self) -> dict[str, Path]:
        """What is to be written, by the option that asks for it."""
        files = {"--html": self.html, "--plot": self.plot, "--json": Path(self.json) if self.json and not self.quiet else None}
        return {option: path for option, path in files.items() if path is not None}


def checked_request(
    scene: str | None, dynamics: str | None, integrator: str | None, dt: float | None, duration: float | None, rtol: float | None,
    html: Path | None, plot: Path | None, to_json: str | None,
) -> Request:  # fmt: skip
    """Everything that can be wrong is found here, before time is spent on the run."""
    from redmax.simulate import number_of_steps
    from redmax.simulation import positive

    entry = find_scene(scene)
    dynamics, integrator = choose_methods(entry, dynamics, integrator)
    if rtol is not None and integrator != "adaptive":
        raise RedmaxError(f"--rtol is for --integrator adaptive; {integrator} takes steps of --dt.")
    request = Request(
        entry, dynamics, integrator,
        positive(entry.dt if dt is None else dt, "--dt"), positive(entry.duration if duration is None else duration, "--duration"),
        positive(1e-8 if rtol is None else rtol, "--rtol"), html, plot, to_json,
    )  # fmt: skip
    number_of_steps(request.duration, request.dt, 1)
    check_files(request.files)
    return request


def find_scene(name: str | None) -> Entry:
    from redmax.scenes import DEFAULT, find

    try:
        return find(DEFAULT if name is None else name)
    except RedmaxError:
        if name and (Path(name).suffix or os.sep in name or Path(name).is_file()):
            return file_entry(Path(name))
        raise


def file_entry(path: Path) -> Entry:
    """A scene file as an entry: how to run it is what its section `run` says, or what goes with what it holds."""
    from redmax.io import load
    from redmax.scenes import Entry

    scene = load(path)
    defaults = {
        "duration": 2.0,
        "dt": 0.01,
        "integrator": "implicit" if scene.deformables or scene.twists else "adaptive",
        "dynamics": "redmax" if scene.twists or scene.map is not None else "recursive",
    }
    chosen = defaults | {name: value for name, value in scene.defaults.items() if name in defaults}
    return Entry(path.stem, scene.title or path.stem, lambda: load(path), ("file",), conservative=False, units=scene.units, **chosen)


def choose_methods(entry: Entry, dynamics: str | None, integrator: str | None) -> tuple[str, str]:
    """(dynamics, integrator): as asked for, else the scene's own; explicit integrators go with recursive dynamics where these will do."""
    from redmax.dynamics.systems import system
    from redmax.integrators import method

    explicit = integrator is not None and not method(integrator).implicit
    model = entry.scene().model()
    if dynamics is not None:
        system(dynamics, model)  # says what is wrong with it
    elif explicit and can_do("recursive", model):
        dynamics = "recursive"
    return dynamics or entry.dynamics, integrator or entry.integrator


def can_do(dynamics: str, model: Model) -> bool:
    from redmax.dynamics.systems import system

    try:
        system(dynamics, model)
    except RedmaxError:
        return False
    return True


def check_files(files: dict[str, Path]) -> None:
    """Raise unless each path can be written to, and the plot can be made."""
    for option, path in files.items():
        if path.is_dir():
            raise RedmaxError(f"{option}: '{path}' is a folder; name a file in it.")
        if not path.parent.is_dir():
            raise RedmaxError(f"{option}: there is no folder '{path.parent}' to write '{path.name}' into; create it first.")
        if not os.access(path if path.exists() else path.parent, os.W_OK):
            raise RedmaxError(f"{option}: '{path}' cannot be written to; choose another place.")
    if len({path.resolve() for path in files.values()}) < len(files):
        raise RedmaxError(f"{' and '.join(files)} name the same file; give each its own.")
    if "--plot" in files:
        check_plot(files["--plot"])


def check_plot(path: Path) -> None:
    from importlib.util import find_spec

    from redmax.view.plot import SUFFIXES

    if path.suffix.lower() not in SUFFIXES:
        raise RedmaxError(f"--plot: '{path}' ends in {path.suffix!r}, expected {', '.join(SUFFIXES)}.")
    if find_spec("matplotlib") is None:
        raise RedmaxError('--plot needs matplotlib: pip install "redmax[plot]".')
