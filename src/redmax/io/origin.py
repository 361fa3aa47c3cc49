"""Where a scene comes from: the file and the line of everything in it that has a name, so that later mistakes can be found there too."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from redmax.errors import RedmaxError
from redmax.io.budget import Budget
from redmax.io.problems import Problem, SceneFileError, shown
from redmax.model.scene import Scene


@dataclass
class Origin:
    """file: the top one; path: where it lies, if it is a file; given: the values that it was loaded with

    places: (file, line) of each name; sections, parameters: lines and values of the top file's; budget: with what reading took of it
    """

    file: str
    budget: Budget
    path: Path | None = None
    given: Mapping[str, Any] = field(default_factory=dict)
    places: dict[str, tuple[str, int]] = field(default_factory=dict)
    sections: dict[str, int] = field(default_factory=dict)
    parameters: dict[str, float] = field(default_factory=dict)

    def again(self, values: Mapping[str, float]) -> Scene:
        """The scene of the same file with other values of its parameters, beside those that it was loaded with."""
        from redmax.io.load import load

        assert self.path is not None
        return load(self.path, {**self.given, **values})

    def problem(self, error: Exception, empty: bool = False) -> Problem:
        """A mistake that shows only when the model is built, at the line of its owner, or of the section that it is about."""
        if empty:
            return Problem(
                self.file,
                self.sections.get("bodies", next(iter(self.sections.values()), 1)),
                "the scene has no bodies. Give the section bodies an entry.",
            )
        message = str(error) if isinstance(error, RedmaxError) else f"the scene cannot be built ({shown(str(error))[1:-1]})."
        owner, argument = (error.owner, error.argument) if isinstance(error, RedmaxError) else ("", "")
        if owner in self.places:
            return Problem(*self.places[owner], message)
        return Problem(self.file, self.sections.get(argument, self.sections.get("bodies", 1)), message)

    def error(self, error: Exception, empty: bool = False) -> SceneFileError:
        """The error, with the file and the line of what it is about."""
        return SceneFileError([self.problem(error, empty)])
