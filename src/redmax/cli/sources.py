"""What a word on the command line names: a scene of the catalogue, a scene file, or the result of a run."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING

from redmax.arguments import brief, flaw
from redmax.cli.outputs import RESULTS, SCENES
from redmax.errors import RedmaxError, near_names

if TYPE_CHECKING:
    from redmax.scenes import Entry

FROM_FILE = ("file",)  # the features of an entry that is a file
HDF5 = b"\x89HDF\r\n\x1a\n"  # how every HDF5 file begins


def is_result(name: str) -> bool:
    """Whether a word names the result of a run, also one that is not there."""
    path = Path(name)
    if path.suffix.lower() in RESULTS:
        return True
    try:
        if not path.is_file():  # a pipe would wait for somebody to write
            return False
        with path.open("rb") as file:
            return file.read(len(HDF5)) == HDF5
    except OSError:
        return False


def is_file(name: str) -> bool:
    """Whether a word names a scene file, also one that is not there."""
    return Path(name).suffix.lower() in SCENES or os.sep in name or Path(name).is_file()


def find_scene(name: str | None, settings: Mapping[str, float] | None = None, budget: float | None = None) -> Entry:
    """The scene of this name or reference id, or in this file with other values for its parameters; without a name the default."""
    from redmax.scenes import DEFAULT, find

    check_name(name or "-")
    try:
        entry = find(DEFAULT if name is None else name)  # which has its name even where a folder or a file has it too
    except RedmaxError:
        if name and (is_result(name) or Path(name).is_dir()):
            check_there(Path(name))
            raise RedmaxError(f"'{name}' is the result of a run, not a scene. Look at it with: redmax view {name}") from None
        if name and (is_file(name) or Path(name).suffix):
            return file_entry(Path(name), settings or {}, budget)
        raise
    if settings:
        advice = f"redmax new --from {entry.name} {entry.name}.yaml writes it as a file to give parameters to"
        raise RedmaxError(f"--set {next(iter(settings))}: the scene '{entry.name}' of the catalogue has no parameters; {advice}.")
    return entry


def file_entry(path: Path, settings: Mapping[str, float], budget: float | None = None) -> Entry:
    """A scene file as an entry: how to run it is what its section `run` says, or what goes with what it holds."""
    from redmax.io import load
    from redmax.run.combinations import filled
    from redmax.run.options import RunOptions
    from redmax.scenes import Entry

    check_settings(path, settings, budget)
    scene = load(path, settings, budget=budget)
    said = {name: value for name, value in scene.defaults.items() if name in ("integrator", "dynamics", "group", "frame")}
    usual = filled(scene.model(), RunOptions(**said))  # as `simulate` has it
    defaults = {
        "duration": 2.0,
        "dt": 0.01,
        "integrator": "implicit" if scene.twists else usual.integrator,
        "dynamics": "redmax" if scene.twists else usual.dynamics,
    }
    chosen = defaults | {name: value for name, value in scene.defaults.items() if name in defaults}
    title, units = scene.title or path.stem, scene.units
    return Entry(path.stem, title, lambda: scene, FROM_FILE, conservative=False, units=units, **chosen)


def check_settings(path: Path, settings: Mapping[str, float], budget: float | None = None) -> None:
    """Raise, naming the option, unless a file has parameters of these names. What is wrong with the file itself, who reads it says."""
    from redmax.io import parameters

    try:
        known = list(parameters(path, budget=budget)) if settings else []
    except RedmaxError:
        return
    for name in settings:
        if name not in known:
            near = " or ".join(map(repr, near_names(name, known)))
            none = f"It has none; a section 'parameters' gives it some, such as parameters: {{{name}: {settings[name]:g}}}."
            has = f"Did you mean {near}?" if near else f"It has: {', '.join(known)}." if known else none
            raise RedmaxError(f"--set {name}: the file '{path}' has no parameter {brief(name)}. {has}")


def check_name(name: str) -> None:
    """Raise if no file can be called so."""
    why = flaw(name)
    if why:
        raise RedmaxError(f"There is no file {brief(name)}, which {why}.")


def check_there(path: Path) -> None:
    """Raise, with the names that are near, unless this is a file."""
    check_name(str(path))
    if path.is_dir():
        raise RedmaxError(f"'{path}' is a folder; name a file in it.")
    if not path.is_file():
        kinds = RESULTS if path.suffix.lower() in RESULTS else SCENES
        beside = [p.name for p in sorted(path.parent.iterdir()) if p.suffix.lower() in kinds] if path.parent.is_dir() else []
        near = get_close_matches(path.name, beside, 3)
        meant = f" Did you mean {' or '.join(repr(str(path.parent / name)) for name in near)}?" if near else ""
        raise RedmaxError(f"There is no file '{path}'.{meant}")
    if not os.access(path, os.R_OK):
        raise RedmaxError(f"'{path}' cannot be read; its permissions do not allow it.")


def parsed_settings(given: Iterable[str] | None) -> dict[str, float]:
    """What --set gives: name=value, where the value may be an expression."""
    from redmax.io.expressions import Expression, Wrong, number

    found: dict[str, float] = {}
    for text in given or ():
        name, equals, value = (part.strip() for part in text.partition("="))
        if not equals or not name or not value:
            raise RedmaxError(f"--set takes a name and a value, such as --set mass=2. Got {text!r}.")
        if name in found:
            raise RedmaxError(f"--set gives '{name}' twice; leave one of them.")
        try:
            found[name] = number(Expression(value, ()), {})
        except Wrong as error:
            raise RedmaxError(f"--set {text}: {error}.".replace("..", ".").replace("?.", "?")) from None
    return found
