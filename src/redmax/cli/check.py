"""`redmax check`: everything that is wrong with a scene file."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from redmax.cli import completion
from redmax.cli.complain import WRONG_INPUT
from redmax.cli.console import say
from redmax.cli.examples import with_examples
from redmax.cli.options import Budget, Debug, Settings
from redmax.errors import RedmaxError
from redmax.text import one_line

if TYPE_CHECKING:
    from redmax.model.scene import Scene

Files = Annotated[
    list[Path] | None, typer.Argument(metavar="FILE", help="Scene files.", show_default=False, autocompletion=completion.scene_files)
]
Schema = Annotated[bool, typer.Option("--schema", metavar="", help="Print the JSON schema of scene files, for editors.")]


@with_examples(
    ("redmax check mine.yaml", "every mistake, with its line"),
    ("redmax check *.yaml", "several files"),
    ("redmax check mine.yaml --set mass=0", "with another value"),
    ("redmax check --schema > redmax.schema.json", "for editors"),
)
def check(files: Files = None, settings: Settings = None, budget: Budget = None, schema: Schema = False, debug: Debug = False) -> int:
    """Say everything that is wrong with a scene file at once, with lines and suggestions."""
    from redmax.cli.sources import parsed_settings

    if schema and not files:
        from redmax.io import schema as scene_schema

        say(json.dumps(scene_schema(), indent=2))
        return 0
    if schema or not files:
        raise RedmaxError("Name the files to check, or give --schema alone.")
    values = parsed_settings(settings)
    return max([checked(path, values, budget) for path in files])


def checked(path: Path, values: Mapping[str, float], budget: float | None = None) -> int:
    """Say what is wrong with one file, or that it is right; the exit status."""
    from redmax.cli.sources import check_settings
    from redmax.io.check import examined

    check_settings(path, values, budget)
    scene, problems = examined(path, values, budget)
    for problem in problems:
        say(one_line(f"{path.parent / problem.file}:{problem.line}: {problem.message}"), err=True)
    if scene is None:
        return WRONG_INPUT
    counts = {"body": len(scene.links), "force": len(scene.forces) + len(scene.wrenches)}
    others = {"deformable": scene.deformables, "frame": scene.frames, "constraint": scene.constraints}
    counts |= {what: len(found) for what, found in others.items() if found}
    held = scene.constraints or any(shape.ties for shape in scene.deformables)
    about, met = constraint_lines(scene) if held else ([], True)
    if met:
        say(f"{path}: ok, {', '.join(counted(n, what) for what, n in counts.items())}")
    for line in about:
        say(one_line(f"{path}: {line}"), err=not met)
    return 0 if met else WRONG_INPUT


def constraint_lines(scene: Scene) -> tuple[list[str], bool]:
    """What is to be known of the constraints of a scene, and whether they can be met."""
    from redmax.run.assembled_scene import reported

    try:
        return reported(scene), True
    except RedmaxError as error:
        return [str(error)], False


def counted(count: int, what: str) -> str:
    return f"{count} {what}" if count == 1 else f"{count} {what.removesuffix('y') + 'ies' if what.endswith('y') else what + 's'}"
