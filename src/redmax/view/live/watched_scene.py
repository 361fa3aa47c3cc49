"""What is watched, however it was given: a scene, its name or its file, or a function that makes it from parameters."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

from redmax.arguments import brief
from redmax.errors import SceneError
from redmax.model.scene import Scene

MakeScene = Callable[[Mapping[str, float]], Scene]
SUFFIXES = (".yaml", ".yml", ".json")  # of scene files, which may have parameters


@dataclass(frozen=True, eq=False)
class Watched:
    """make: (parameters by name) -> a scene of its own, which the page may change; parameters: those it has, with their first values.

    defaults: what a run of the scene is asked for unless told otherwise, by name
    """

    make: MakeScene
    parameters: Mapping[str, float]
    defaults: Mapping[str, Any]


def watched_scene(scene: Scene | MakeScene | str | PathLike[str], parameters: Mapping[str, float] | None) -> Watched:
    """parameters: values that replace the first ones; of a function, all that it takes."""
    given = dict(parameters or {})
    if isinstance(scene, Scene):
        check_none(given, "A scene")
        return Watched(lambda values: copy.copy(scene), {}, scene.defaults)
    if isinstance(scene, str | PathLike):
        return named(scene, given)
    if not callable(scene):
        valid = "a Scene, the name or the file of one, or a function (parameters by name) -> Scene"
        raise SceneError(f"watch takes {valid}. Got {brief(scene)}.", owner="watch", argument="scene")
    return Watched(scene, given, {})


def named(scene: str | PathLike[str], given: Mapping[str, float]) -> Watched:
    """One in a file, with the parameters that it has, or of the catalogue."""
    from redmax.io import load, parameters
    from redmax.model.named_scene import named_scene

    found = named_scene(scene)
    if Path(scene).suffix.lower() not in SUFFIXES:
        check_none(given, f"The scene {str(scene)!r} of the catalogue")
        return Watched(lambda values: copy.copy(found), {}, found.defaults)
    return Watched(lambda values: load(scene, dict(values)), {**parameters(scene), **given}, found.defaults)


def check_none(given: Mapping[str, float], who: str) -> None:
    if given:
        fix = "Give a function that makes the scene from them, or a scene file that has them"
        raise SceneError(f"{who} has no parameters; got {', '.join(given)}. {fix}.", owner="watch", argument="parameters")
