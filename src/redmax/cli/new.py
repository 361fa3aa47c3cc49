"""`redmax new`: a scene file to begin with."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from redmax.cli import completion
from redmax.cli.console import say
from redmax.cli.examples import with_examples
from redmax.cli.options import Debug
from redmax.cli.outputs import SCENES, check_place, ending
from redmax.errors import RedmaxError
from redmax.writing import write_text

File = Annotated[Path, typer.Argument(metavar="FILE.yaml", help="Where to write it.", show_default=False)]
From = Annotated[
    str | None,
    typer.Option(
        "--from", metavar="SCENE", help="A scene of the catalogue instead of a commented starter.", autocompletion=completion.scene_names
    ),
]
Force = Annotated[bool, typer.Option("--force", metavar="", help="Overwrite a file that is there.")]


@with_examples(
    ("redmax new mine.yaml", "write a commented starter"),
    ("redmax check mine.yaml", "see whether it is right"),
    ("redmax run mine.yaml --set angle=pi/2", "run it, with another value"),
    ("redmax new --from helix helix.yaml", "begin with a scene of the catalogue"),
)
def new(file: File, scene: From = None, force: Force = False, debug: Debug = False) -> None:
    """Write a scene file to begin with: a small mechanism with comments, or any scene of the catalogue."""
    check_place("redmax new", file)
    if file.suffix.lower() not in SCENES:
        raise RedmaxError(f"{ending(file)}, expected {' or '.join(SCENES)}.")
    if file.exists() and not force:
        raise RedmaxError(f"'{file}' is there already; choose another name, or overwrite it with --force.")
    if scene is None:
        from redmax.io import starter

        write_text(file, starter())
    else:
        save_entry(scene, file)
    say(f"Wrote {file}. Run it with: redmax run {file}")


def save_entry(name: str, file: Path) -> None:
    """A scene of the catalogue, with how it is run there."""
    from redmax.cli.sources import find_scene

    entry = find_scene(name)
    scene = entry.scene()
    scene.defaults = {"duration": entry.duration, "dt": entry.dt, "integrator": entry.integrator, "dynamics": entry.dynamics}
    scene.save(file)
