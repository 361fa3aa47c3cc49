"""A scene from a file, and from those that it includes."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from os import PathLike
from pathlib import Path
from typing import Any

from redmax.arguments import as_path, brief
from redmax.errors import SceneError
from redmax.io.document import Document, Enough, Loading
from redmax.io.origin import Origin
from redmax.io.problems import Problem, SceneFileError
from redmax.io.source import read_text
from redmax.scene import Scene


def load(path: str | PathLike[str], parameters: Mapping[str, float | str] | None = None) -> Scene:
    """The scene that a file describes. parameters: other values for those of the file, by name; numbers or expressions such as "pi/4".

    Raises SceneFileError, which has all mistakes with their lines. Nothing in a file is executed, and it may only include files that lie
    beside it or in folders there.
    """
    return opened(as_path(path, "A scene file", "scene.yaml"), parameters, whole=True).scene


def loads(text: str, parameters: Mapping[str, float | str] | None = None) -> Scene:
    """The scene that a text describes; it cannot include files."""
    return read(text, "text", None, parameters, whole=True).scene


def parameters(path: str | PathLike[str]) -> dict[str, float]:
    """The parameters that a file declares, with the values it gives them: what `load` takes others for."""
    return opened(as_path(path, "A scene file", "scene.yaml"), None, whole=False).origin.parameters


def opened(path: Path, parameters: Mapping[str, Any] | None, whole: bool) -> Loading:
    problems: list[Problem] = []
    text = read_text(path, lambda line, message: problems.append(Problem(path.name, line, message)))
    if text is None:
        raise SceneFileError(problems)
    return read(text, path.name, path, parameters, whole)


def read(text: str, name: str, path: Path | None, parameters: Mapping[str, Any] | None, whole: bool) -> Loading:
    """A top file. whole: or its parameters alone."""
    if not isinstance(text, str):
        raise SceneError(f"A scene is read from a text. Got {brief(text)}.")
    if parameters is not None and not isinstance(parameters, Mapping):
        raise SceneError(f"parameters is a dictionary, name -> number or expression. Got {brief(parameters)}.")
    folder = None if path is None else path.parent
    loading = Loading(Scene(), folder, Origin(name))
    loading.scene.source = loading.origin
    with suppress(Enough):
        Document(loading, name, folder, chain=() if path is None else (path.resolve(),)).read(
            text, dict(parameters or {}), top=True, whole=whole
        )
    if loading.problems:
        raise SceneFileError(loading.problems)
    return loading
