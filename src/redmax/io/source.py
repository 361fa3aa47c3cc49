"""The text of a file as plain items that know their lines. Nothing is constructed but lists, mappings, numbers and text.

Files may come from strangers: how deep they are is bounded, and how large, with what their aliases stand for, is paid for from the
budget while they are read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from sys import getsizeof
from typing import Any

import yaml

from redmax.errors import near_names
from redmax.io.budget import Budget
from redmax.io.scalars import scalar

DEPTH = 40

Report = Callable[[int, str], None]
Loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


@dataclass(frozen=True, slots=True, eq=False)
class Item:
    """value: None, a truth value, a number, a text, a list of items, or a mapping of items by name; line: from 1; lines: of the names."""

    value: Any
    line: int
    lines: dict[str, int] | None = None

    def line_of(self, argument: str) -> int:
        """The line of an argument, or of a parameter of a function; its own where there is none of this name."""
        own = self.value.get("parameters") if isinstance(self.value, dict) else None
        lines = (own.lines or {} if own is not None else {}) | (self.lines or {})
        return lines.get(argument, self.line)


def read_text(path: Path, report: Report, budget: Budget) -> str | None:
    """The text of a file, which is paid for before it is read."""
    try:
        if not path.is_file() and path.exists():
            report(1, "this is no file that can be read. Name a scene file.")
            return None
        budget.charge("bytes of text", path.stat().st_size)
        return decoded(path)
    except FileNotFoundError:
        near = near_names(path.name, [p.name for p in path.parent.glob("*.y*ml")] if path.parent.is_dir() else [])
        report(1, f"there is no such file.{f' Did you mean {near[0]!r}?' if near else ''}")
    except OSError as error:
        report(1, f"the file cannot be read: {error.strerror or error}.")
    except UnicodeDecodeError as error:
        report(error.object.count(b"\n", 0, error.start) + 1, "the file is not UTF-8 text. Save it with that encoding.")
    except ValueError:
        report(1, "the file cannot be read: its name cannot be one of a file.")
    return None


def decoded(path: Path) -> str:
    """No more than the size that was paid for: a file may grow while it is read."""
    with path.open("rb") as file:
        return file.read(path.stat().st_size).decode("utf-8-sig").replace("\r\n", "\n").replace("\r", "\n")


def items(text: str, report: Report, budget: Budget) -> Item | None:
    """The document of a text, or None where it has none that could be read."""
    budget.charge("bytes of text", max(0, getsizeof(text) - len(text)))  # of letters that take more than a byte; the others are paid for
    try:
        return Reader(report, budget).document(yaml.parse(text, Loader=Loader))
    except Unreadable as error:
        report(*error.args)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        what = getattr(error, "problem", None) or getattr(error, "reason", None) or "it cannot be read"
        at = text.count("\n", 0, getattr(error, "position", 0)) if mark is None else min(mark.line, text.count("\n"))
        line = line_at(text, getattr(error, "position", 0) if mark is None else mark.index)
        report(at + 1, f"this is not YAML: {what}. {advice(line, what)}".strip())
    return None


def line_at(text: str, place: int) -> str:
    """The line of a text with a place in it, without taking all of it apart."""
    end = text.find("\n", place)
    return text[text.rfind("\n", 0, place) + 1 : len(text) if end < 0 else end]


class Unreadable(Exception):
    """(line, message): why reading ends."""


def advice(line: str, what: str) -> str:
    """What usually helps."""
    if "\t" in line and ("token" in what or "tab" in what):
        return "The line has a tab: indent it by spaces."
    if "','" in what or "flow" in what:
        return 'Within [ ] and { }, an expression with brackets or commas needs quotes: "q[0]".'
    return "Entries of one list or mapping begin in the same column." if "block" in what or "mapping values" in what else ""


class Reader:
    """Items of the events of a text. anchors: what aliases stand for; weights: how many items each of these has, None while it is read."""

    def __init__(self, report: Report, budget: Budget) -> None:
        self.report, self.budget = report, budget
        self.most = budget.room("items")
        self.anchors: dict[str, Item] = {}
        self.weights: dict[str, int | None] = {}
        self.count = 0

    def document(self, events: Iterator[Any]) -> Item | None:
        """The one document of a file; None if it is empty."""
        found: Item | None = None
        for event in events:
            if isinstance(event, yaml.DocumentStartEvent) and found is not None:
                raise Unreadable(event.start_mark.line + 1, "the file has several documents (---), expected one scene.")
            if isinstance(event, yaml.NodeEvent):
                found = self.item(event, events, 0)
        self.budget.charge("items", self.count)
        if found is None:
            self.report(1, "the file is empty, expected a scene. `redmax new FILE` writes one to begin with.")
        return found

    def item(self, event: Any, events: Iterator[Any], depth: int) -> Item:
        """A value with all that is in it; depth: how many levels are around it."""
        line, anchor, before = event.start_mark.line + 1, event.anchor, self.count
        self.count += 1
        if depth > DEPTH:
            raise Unreadable(line, f"the file has more than {DEPTH} levels.")
        if isinstance(event, yaml.AliasEvent):
            return self.alias(anchor, line)
        if event.tag not in (None, "!"):
            raise Unreadable(line, f"the tag {event.tag[:80]} is not allowed: a scene is made of plain values. Leave it out.")
        if anchor is not None:
            self.weights[anchor] = None
        if isinstance(event, yaml.ScalarEvent):
            found = Item(event.value if event.style else scalar(event.value), line)
        elif isinstance(event, yaml.SequenceStartEvent):
            found = Item(self.entries(events, depth), line)
        else:
            found = Item(*self.mapping(events, depth, line))
        if self.count > self.most:
            self.too_many(line)
        if anchor is not None:
            self.anchors[anchor], self.weights[anchor] = found, self.count - before
        return found

    def entries(self, events: Iterator[Any], depth: int) -> list[Item]:
        """The entries of a list."""
        found: list[Item] = []
        for event in events:
            if isinstance(event, yaml.SequenceEndEvent):
                break
            found.append(self.item(event, events, depth + 1))
        return found

    def mapping(self, events: Iterator[Any], depth: int, line: int) -> tuple[dict[str, Item], int, dict[str, int]]:
        """The entries of a mapping by name, the line that it begins in, and the lines of the names."""
        found: dict[str, Item] = {}
        lines: dict[str, int] = {}
        for event in events:
            if isinstance(event, yaml.MappingEndEvent):
                break
            at, plain_key = event.start_mark.line + 1, isinstance(event, yaml.ScalarEvent) and not event.style
            key = self.item(event, events, depth + 1)
            name = event.value if isinstance(event, yaml.ScalarEvent) else key.value
            if name == "<<" and plain_key:
                raise Unreadable(at, "the key << of YAML, which merges mappings, is not known here. Write the entries out.")
            value = self.item(next(events), events, depth + 1)
            if not isinstance(name, str):
                self.report(at, "a name is a list or a mapping, expected text.")
            elif name in found:
                self.report(at, f"{name[:80]!r} is there twice, the first time in line {lines[name]}. Leave one out.")
            else:
                found[name], lines[name] = value, at
        return found, line, lines

    def too_many(self, line: int) -> None:
        """More than can be paid for; aliases count as what they stand for, long arrays as one item each (arrays.py)."""
        self.budget.place = (self.budget.place[0], line)
        self.budget.charge("items", self.count)

    def alias(self, anchor: str, line: int) -> Item:
        """The item that an alias stands for, counted as if it were written out."""
        if anchor not in self.weights:
            raise Unreadable(line, f"the alias *{anchor[:80]} stands for nothing: there is no &{anchor[:80]} above it.")
        weight = self.weights[anchor]
        if weight is None:
            raise Unreadable(line, f"the alias *{anchor[:80]} stands for something that it lies in itself. Write it out.")
        self.count += weight
        if self.count > self.most:
            self.too_many(line)
        found = self.anchors[anchor]
        return Item(found.value, found.line, found.lines)


def plain(item: Item) -> Any:
    """Values without their lines."""
    if isinstance(item.value, list):
        return [plain(x) for x in item.value]
    return {k: plain(v) for k, v in item.value.items()} if isinstance(item.value, dict) else item.value
