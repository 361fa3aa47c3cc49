"""What is wrong with a file: every mistake at once, each with its line."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

from redmax.errors import SceneError, brief
from redmax.text import one_line

MOST = 200  # after so many, reading ends


@dataclass(frozen=True, order=True)
class Problem:
    """file: its name; line: from 1; message: a sentence."""

    file: str
    line: int
    message: str

    def __str__(self) -> str:
        return one_line(f"{self.file}:{self.line}: {self.message}")


class SceneFileError(SceneError):
    """A file that is no scene; `problems` has all that is wrong with it."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = tuple(sorted(set(problems)))
        count = len(self.problems)
        head = "The scene file has a mistake" if count == 1 else f"The scene file has {count} mistakes"
        super().__init__((" " if count == 1 else "\n  ").join([f"{head}:", *map(str, self.problems)]))


def shown(value: object) -> str:
    """A value as a sentence says it: short, and as a file has it."""
    text = " ".join(written(value).split())
    return text if len(text) <= 80 else f"{text[:77]}..."


def written(value: Any) -> str:
    if value is None or isinstance(value, bool):
        return {None: "empty", True: "true", False: "false"}[value]
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(written, value[:50]))}]"
    if isinstance(value, dict):
        return f"{{{', '.join(f'{k}: {written(v)}' for k, v in list(value.items())[:50])}}}"
    if isinstance(value, int):
        return brief(value)  # which may have more digits than Python writes
    return repr(value) if isinstance(value, str) else str(value)


def among(name: object, known: Iterable[str]) -> str:
    """What was meant, or what there is."""
    words = list(known)
    near = get_close_matches(str(name), words, 3)
    if near:
        return f"Did you mean {' or '.join(map(repr, near))}?"
    return f"Valid: {', '.join(words[:24])}{', ...' if len(words) > 24 else ''}." if words else "There are none."
