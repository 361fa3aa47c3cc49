"""Everything that is wrong with a file, without running it."""

from __future__ import annotations

from collections.abc import Mapping
from os import PathLike
from pathlib import Path

import numpy as np

from redmax.io.load import load
from redmax.io.problems import Problem, SceneFileError
from redmax.model.scene import Scene


def check(path: str | PathLike[str], parameters: Mapping[str, float | str] | None = None, *, budget: float | None = None) -> list[Problem]:
    """All mistakes of a scene file, in order; none if it is one that can be run.

    Never raises for what is in the file, or for a file that is not there. parameters: other values for those of the file, by name;
    budget: how many times the usual work and memory reading may take, as of `load`
    """
    return examined(path, parameters, budget)[1]


def examined(
    path: str | PathLike[str], parameters: Mapping[str, float | str] | None, budget: float | None
) -> tuple[Scene | None, list[Problem]]:
    """The scene, and no mistakes; or the mistakes."""
    try:
        scene = load(path, parameters, budget=budget)
        with np.errstate(all="ignore"):
            scene.model()
    except SceneFileError as error:
        return None, list(error.problems)
    return scene, []


def starter() -> str:
    """The text of a scene file to begin with, with comments."""
    return (Path(__file__).parent / "starter.yaml").read_text(encoding="utf-8")
