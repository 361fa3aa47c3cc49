"""A scene from a file, and from those that it includes."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from os import PathLike
from pathlib import Path
from typing import Any

from redmax.arguments import as_path, brief
from redmax.errors import SceneError
from redmax.io.budget import Budget, OverBudget
from redmax.io.document import Document, Enough, Loading
from redmax.io.foreign import foreign
from redmax.io.origin import Origin
from redmax.io.problems import Problem, SceneFileError
from redmax.io.source import read_text
from redmax.model.scene import Scene
from redmax.trace.meter import metered


def load(path: str | PathLike[str], parameters: Mapping[str, float | str] | None = None, *, budget: float | None = None) -> Scene:
    """The scene that a file describes. parameters: other values for those of the file, by name; numbers or expressions such as "pi/4".

    budget: how many times the usual work and memory reading may take, for large files that one trusts; what REDMAX_BUDGET says, or 1

    Raises SceneFileError, which has all mistakes with their lines. Nothing in a file is executed, and it may only include files that lie
    beside it or in folders there.
    """
    return opened(as_path(path, "A scene file", "scene.yaml"), parameters, True, budget).scene


def loads(text: str, parameters: Mapping[str, float | str] | None = None, *, budget: float | None = None) -> Scene:
    """The scene that a text describes; it cannot include files. budget: as of `load`."""
    return read(text, "text", None, parameters, True, Budget(budget)).scene


def parameters(path: str | PathLike[str], *, budget: float | None = None) -> dict[str, float]:
    """The parameters that a file declares, with the values it gives them: what `load` takes others for. budget: as of `load`."""
    return opened(as_path(path, "A scene file", "scene.yaml"), None, False, budget).origin.parameters


def opened(path: Path, parameters: Mapping[str, Any] | None, whole: bool, factor: float | None) -> Loading:
    """A file read into a scene, with its mistakes. whole: or its parameters alone; factor: of the budget."""
    problems: list[Problem] = []
    budget = Budget(factor)
    if path.is_file() and (sentence := foreign(path)):
        raise SceneFileError([Problem(path.name, 1, sentence)])
    try:
        text = read_text(path, lambda line, message: problems.append(Problem(path.name, line, message)), budget)
    except OverBudget as error:
        raise SceneFileError([Problem(path.name, 1, str(error))]) from None
    if text is None:
        raise SceneFileError(problems)
    return read(text, path.name, path, parameters, whole, budget)


def read(text: str, name: str, path: Path | None, parameters: Mapping[str, Any] | None, whole: bool, budget: Budget) -> Loading:
    """A top file. whole: or its parameters alone."""
    if not isinstance(text, str):
        raise SceneError(f"A scene is read from a text. Got {brief(text)}.")
    if parameters is not None and not isinstance(parameters, Mapping):
        raise SceneError(f"parameters is a dictionary, name -> number or expression. Got {brief(parameters)}.")
    folder = None if path is None else path.parent
    loading = Loading(Scene(), folder, Origin(name, budget, path, dict(parameters or {})), budget)
    loading.scene.source = loading.origin
    document = Document(loading, name, folder, chain=() if path is None else (path.resolve(),))
    try:
        with metered(budget.operations), suppress(Enough):
            budget.charge("bytes of text", len(text) if path is None else 0)
            document.read(text, dict(parameters or {}), top=True, whole=whole)
    except OverBudget as error:
        loading.problems.append(Problem(budget.place[0] or name, budget.place[1], str(error)))
    if loading.problems:
        raise SceneFileError(loading.problems)
    return loading
