"""A scene by its name: one of the catalogue, as `redmax scenes` lists them, or one in a file."""

from __future__ import annotations

from os import PathLike, sep
from pathlib import Path

from redmax.arguments import as_path, brief, flaw
from redmax.errors import SceneError
from redmax.model.scene import Scene

RESULTS = (".h5", ".hdf5")


def named_scene(name: str | PathLike[str]) -> Scene:
    """The scene, with the step, duration and methods that it runs with unless told otherwise; those of the catalogue come first."""
    from redmax.io import load
    from redmax.scenes import find

    path = as_path(name, "A scene", "windmill' or 'scene.yaml")
    text = str(name)
    if isinstance(name, str) and listed(text):
        entry = find(text)
        scene = entry.scene()
        scene.defaults |= {"duration": entry.duration, "dt": entry.dt, "integrator": entry.integrator, "dynamics": entry.dynamics}
        return scene
    if path.suffix.lower() in RESULTS:
        raise SceneError(f"{brief(text)} is the result of a run, not a scene. redmax.load(path) opens it.", argument="scene")
    if isinstance(name, PathLike) or path.suffix or sep in text or path.is_file():
        return load(path)
    return find(text).scene()  # which says what is near


def listed(name: str) -> bool:
    """Whether the catalogue has a scene of this name or reference id."""
    from redmax.scenes import CATALOGUE

    return bool(name) and any(name in (entry.name, entry.reference) for entry in CATALOGUE)


def check_not_listed(path: object) -> None:
    """Raise where what should be a file is a scene of the catalogue."""
    if isinstance(path, str) and not Path(path).suffix and flaw(path) == "" and not Path(path).exists() and listed(path):
        fix = f"redmax.simulate({path!r}) runs it, and redmax.scenes.find({path!r}).scene() makes it"
        raise SceneError(f"There is no file {path!r}, but the catalogue has a scene of this name: {fix}.", argument="path")
