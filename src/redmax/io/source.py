"""The text of a file as plain items that know their lines. Nothing is constructed but lists, mappings, numbers and text.

Files may come from strangers: how large they are, how deep, and how much their aliases stand for is bounded before anything is built.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from redmax.io.scalars import scalar

BYTES = 64 * 2**20
DEPTH = 40
ITEMS = 1_000_000  # with aliases written out
ALIASES = 1000

Report = Callable[[int, str], None]
Loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


@dataclass(frozen=True)
class Item:
    """value: None, a truth value, a number, a text, a list of items, or a mapping of items by name; line: from 1; lines: of the names."""

    value: Any
    line: int
    lines: dict[str, int] | None = None


def read_text(path: Path, report: Report) -> str | None:
    try:
        if path.stat().st_size > BYTES:
            report(1, f"the file has {path.stat().st_size} bytes, expected at most {BYTES}.")
            return None
        return path.read_text(encoding="utf-8")
    except OSError as error:
        report(1, f"the file cannot be read: {error.strerror}.")
    except UnicodeDecodeError:
        report(1, "the file is not UTF-8 text.")
    return None


def items(text: str, report: Report) -> Item | None:
    """The document of a text, or None where it has none that could be read."""
    if len(text) > BYTES:
        report(1, f"the text has {len(text)} characters, expected at most {BYTES}.")
        return None
    try:
        if not is_bounded(text, report):
            return None
        node = yaml.compose(text, Loader=Loader)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        what = getattr(error, "problem", None) or getattr(error, "reason", None) or "it cannot be read"
        report(
            1 if mark is None else min(mark.line + 1, text.count("\n") + 1),
            f'this is not YAML: {what}. Within [ ] and {{ }}, an expression with brackets or commas needs quotes: "q[0]".',
        )
        return None
    if node is None:
        report(1, "the file is empty, expected a scene.")
        return None
    reader = Reader(report)
    return reader.item(node, 0)


def is_bounded(text: str, report: Report) -> bool:
    """Whether the text may be composed: this looks at one event after the other, and keeps none."""
    depth = aliases = documents = 0
    event: Any
    for count, event in enumerate(yaml.parse(text, Loader=Loader)):
        line = event.start_mark.line + 1
        if isinstance(event, yaml.DocumentStartEvent):
            documents += 1
        elif isinstance(event, yaml.CollectionStartEvent):
            depth += 1
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1
        elif isinstance(event, yaml.AliasEvent):
            aliases += 1
        tag = getattr(event, "tag", None)
        if tag not in (None, "!"):
            report(line, f"the tag {tag} is not allowed: a scene is made of plain values. Leave it out.")
            return False
        for what, number, most in (
            ("levels", depth, DEPTH),
            ("items", count, 2 * ITEMS),
            ("aliases", aliases, ALIASES),
            ("documents", documents, 1),
        ):
            if number > most:
                report(line, f"the file has more than {most} {what}.")
                return False
    return True


class Reader:
    """left: how many items may still be made."""

    def __init__(self, report: Report) -> None:
        self.report, self.left = report, ITEMS

    def item(self, node: Any, depth: int) -> Item:
        line = node.start_mark.line + 1
        self.left -= 1
        if self.left < 0 or depth > DEPTH:
            if self.left >= -1 or depth > DEPTH:
                what = f"more than {ITEMS} items" if self.left < 0 else f"more than {DEPTH} levels"
                self.report(line, f"with its aliases written out, the file has {what}.")
            self.left = min(self.left, -2)
            return Item(None, line)
        if isinstance(node, yaml.ScalarNode):
            return Item(scalar(node.value) if not node.style else node.value, line)
        if isinstance(node, yaml.SequenceNode):
            return Item([self.item(child, depth + 1) for child in node.value if self.left >= 0], line)
        found: dict[str, Item] = {}
        lines: dict[str, int] = {}
        for key, child in node.value:
            if self.left < 0:
                break
            at = key.start_mark.line + 1
            if not isinstance(key, yaml.ScalarNode):
                self.report(at, "a name is a list or a mapping, expected text.")
            elif key.value in found:
                self.report(at, f"{key.value!r} is there twice, the first time in line {lines[key.value]}.")
            else:
                found[key.value], lines[key.value] = self.item(child, depth + 1), at
        return Item(found, line, lines)


def plain(item: Item) -> Any:
    """Values without their lines."""
    if isinstance(item.value, list):
        return [plain(x) for x in item.value]
    return {k: plain(v) for k, v in item.value.items()} if isinstance(item.value, dict) else item.value
