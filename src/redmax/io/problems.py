"""What is wrong with a file: every mistake at once, each with its line."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice
from typing import Any

from redmax.errors import MOST as MOST_NAMES
from redmax.errors import SceneError, brief, near_names
from redmax.io.source import Item
from redmax.text import one_line

MOST = 200  # after so many, reading ends
SHOWN, LONG = 80, 200  # characters of a value in a sentence, and of its parts before they are cut


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
    """A value (or the item of a file that has it) as a sentence says it: short, and as a file has it."""
    text = " ".join(written(value).split())
    return text if len(text) <= SHOWN else f"{text[: SHOWN - 3]}..."


def written(value: Any) -> str:
    """As much of it as is shown, and no more: it may be long."""
    if isinstance(value, Item):
        return written(value.value)
    if value is None or isinstance(value, bool):
        return {None: "empty", True: "true", False: "false"}[value]
    if isinstance(value, list | tuple):
        return f"[{listed(map(written, value))}]"
    if isinstance(value, dict):
        return f"{{{listed(f'{str(k)[:LONG]}: {written(v)}' for k, v in value.items())}}}"
    if isinstance(value, int):
        return brief(value)  # which may have more digits than Python writes
    return repr(value[:LONG]) if isinstance(value, str) else str(value)


def listed(parts: Iterable[str]) -> str:
    """Names in a sentence, as many as fit."""
    found: list[str] = []
    length = 0
    for part in parts:
        found.append(part)
        length += len(part) + 2
        if length > LONG:
            break
    return ", ".join(found)


def among(name: object, known: Iterable[str]) -> str:
    """What was meant, or what there is."""
    words = list(islice(known, MOST_NAMES))
    near = near_names(str(name)[:LONG], words)
    if near:
        return f"Did you mean {' or '.join(map(repr, near))}?"
    return f"Valid: {', '.join(word[:LONG] for word in words[:24])}{', ...' if len(words) > 24 else ''}." if words else "There are none."
