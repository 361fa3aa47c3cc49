"""One file of a scene: its sections in order, and the files that it includes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from redmax.io.budget import Budget
from redmax.io.declared import read_parameters
from redmax.io.decode import Decoder
from redmax.io.entries import Entries
from redmax.io.functions import read_trace
from redmax.io.looks import read_look
from redmax.io.missing import MISSING
from redmax.io.origin import Origin
from redmax.io.problems import MOST, Problem, shown
from redmax.io.source import Item, items, read_text
from redmax.model.scene import Scene

LONGEST = 500  # characters of a sentence, which may repeat what the file says
FILES, LEVELS = 64, 8  # that one scene may include, and how deeply


class Enough(Exception):
    """So many problems that reading ends."""


@dataclass
class Loading:
    """What the files of one scene share."""

    scene: Scene
    root: Path | None
    origin: Origin
    budget: Budget
    problems: list[Problem] = field(default_factory=list)
    declared: dict[str, int] = field(default_factory=dict)
    files: int = 0

    def report(self, file: str, line: int, message: str) -> None:
        """Keep a mistake, cut if it is long. Raises Enough once there are more than anybody reads."""
        short = message if len(message) <= LONGEST else f"{message[: LONGEST - 100]} ... {message[-90:]}"
        self.problems.append(Problem(file, line, short))
        if len(self.problems) >= MOST or not self.budget.room("mistakes"):
            raise Enough
        self.budget.charge("mistakes")


def inside(root: Path, folder: Path, name: str) -> Path | None:
    """The path of a file, if it is one within the root, links followed."""
    try:
        path = (folder / name).resolve()
        return path if path.is_relative_to(root.resolve()) and path.is_file() else None
    except (OSError, ValueError, RuntimeError):  # no name that a file can have
        return None


class Document:
    """One file of a scene. prefix: before the names of its bodies; chain: those that include it, and itself."""

    def __init__(self, loading: Loading, name: str, folder: Path | None, prefix: str = "", chain: tuple[Path, ...] = ()) -> None:
        self.loading, self.name, self.folder, self.chain = loading, name, folder, chain
        self.scene = loading.scene
        self.decoder = Decoder(loading.scene, self.report, loading.budget, declared=loading.declared, prefix=prefix)

    def report(self, line: int, message: str) -> None:
        """A mistake of this file."""
        self.loading.report(self.name, line, message)

    def read(self, text: str, overrides: dict[str, Any], top: bool = False, whole: bool = True) -> None:
        """The sections of a text, in order, into the scene. top: whether it is no part of another; whole: or its parameters alone."""
        from redmax.io.structure import Part, SceneFile

        self.loading.budget.place = (self.name, 1)
        document = items(text, self.report, self.loading.budget)
        if document is None:
            return
        self.decoder.fits(document, SceneFile if top else Part, depth=4)
        if not isinstance(document.value, dict):
            return
        content: dict[str, Item] = document.value
        read_parameters(self.decoder, content.get("parameters"), overrides)
        if top:
            self.loading.origin.sections = dict(document.lines or {})
            self.loading.origin.parameters = dict(self.decoder.parameters)
        if not whole:
            return
        for given in self.entries(content, "include"):
            self.include(given)
        if top:
            self.head(content)
        self.read_functions(content.get("functions"))
        self.declare(content)
        reader = Entries(self.decoder, self.place)
        for section, read in reader.sections.items():
            for given in self.entries(content, section):
                read(given)
        if "map" in content:
            reader.map(content["map"])
        if "staggering" in content:
            reader.staggering(content["staggering"])
        if "look" in content and top:
            read_look(self.decoder, content["look"])
        if "run" in content and top:
            self.run(content["run"])

    def entries(self, content: Mapping[str, Item], section: str) -> list[Item]:
        """The entries of a section that is a list; none if there is no such section."""
        found = content[section].value if section in content else None
        return found if isinstance(found, list) else []  # anything else is reported

    def head(self, content: Mapping[str, Item]) -> None:
        """Gravity, title and units, as the constructor of a scene takes them."""
        given = {n: self.decoder.value(content[n], "scene", n) for n in ("gravity", "title", "units") if n in content}
        if any(x is MISSING for x in given.values()):
            return
        lines = {name: content[name].line for name in given}
        made = self.decoder.made(Item(None, min(lines.values(), default=1), lines), "Scene", Scene, given)
        if isinstance(made, Scene):
            self.scene.gravity, self.scene.title, self.scene.units = made.gravity, made.title, made.units

    def include(self, item: Item) -> None:
        """The scene of another file, as a part of this one."""
        if id(item) in self.decoder.broken:
            return
        content: dict[str, Item] = {"file": item} if isinstance(item.value, str) else item.value
        name, prefix = content["file"].value, content["prefix"].value if "prefix" in content else ""
        found = self.found(content["file"], name)
        given = content.get("parameters")
        values = {} if given is None else self.decoder.own_parameters(given, ())
        if found is None or values is MISSING:
            return
        assert isinstance(values, dict)
        document = Document(self.loading, str(name), found.parent, self.decoder.prefix + prefix, (*self.chain, found))
        budget = self.loading.budget
        budget.place = (self.name, item.line)
        text = read_text(found, lambda line, message: self.report(item.line, f"{name}: {message}"), budget)
        if text is not None:
            document.read(text, values)
        budget.place = (self.name, item.line)
        self.loading.declared.update(dict.fromkeys(self.loading.declared, 0))  # lines of other files say nothing here

    def found(self, item: Item, name: Any) -> Path | None:
        """The file to include, where it may be."""
        root, folder = self.loading.root, self.folder
        self.loading.files += 1
        if root is None or folder is None:
            self.report(item.line, f"{name!r} cannot be included in a text: save it as a file.")
        elif len(self.chain) > LEVELS or self.loading.files > FILES:
            self.report(item.line, f"{name!r} is one file too many: a scene includes at most {FILES}, {LEVELS} deep.")
        elif (path := inside(root, folder, name)) is None:
            self.report(item.line, f"there is no file {shown(name)} to include, expected one beside the scene's file or in a folder there.")
        elif path in self.chain:
            self.report(item.line, f"{name!r} includes itself: {' -> '.join(p.name for p in (*self.chain, path))}. Leave one of these out.")
        else:
            return path
        return None

    def read_functions(self, item: Item | None) -> None:
        """The traces of the section of functions, by name."""
        if item is None or not isinstance(item.value, dict):
            return
        for name, given in item.value.items():
            self.decoder.functions[name] = read_trace(self.decoder, given, name)

    def declare(self, content: Mapping[str, Item]) -> None:
        """The names of the bodies of this file, so that one with a mistake is not called unknown."""
        count = len(self.scene.links)
        for k, given in enumerate(self.entries(content, "bodies")):
            named = given.value.get("name") if isinstance(given.value, dict) else None
            name = self.decoder.prefixed(named) if named is not None and isinstance(named.value, str) else f"body{count + k + 1}"
            self.loading.declared.setdefault(name, given.line)
            self.place(name, given)

    def place(self, name: str | None, item: Item) -> None:
        """Keep where something with a name is."""
        if name is not None:
            self.loading.origin.places.setdefault(name, (self.name, item.line))

    def run(self, item: Item) -> None:
        """The section that says how to run the scene, checked by itself; what does not go together is found later."""
        from redmax.io.running import Run, contradictions

        if item.value is None:
            return
        content: dict[str, Item] = dict(item.value) if isinstance(item.value, dict) else {}
        if "parameters" in content and self.decoder.fits(Item({"parameters": content["parameters"]}, item.line, item.lines), Run, depth=2):
            self.run_parameters(content.pop("parameters"))
        found = {
            name: self.decoder.value(given, "run", name) if name in Run.model_fields else given.value for name, given in content.items()
        }
        known = {n: v.tolist() if isinstance(v, np.ndarray) else v for n, v in found.items() if v is not MISSING}
        simple = {n: v if isinstance(v, bool | int | float | str) else content[n].value for n, v in known.items()}
        simple |= {n: [Item(x, content[n].line) for x in v] for n, v in known.items() if isinstance(v, list)}
        decoded = Item({n: Item(v, content[n].line) for n, v in simple.items()}, item.line, item.lines) if content else item
        if self.decoder.fits(decoded, Run, depth=2) and len(known) == len(content):
            wrong = list(contradictions(known, self.scene))
            for name, message in wrong:
                self.report((item.lines or {}).get(name, item.line), message)
            self.scene.defaults = known

    def run_parameters(self, item: Item) -> None:
        """What differs from world to world in runs of the scene: numbers, or lists with one for each world."""
        from redmax.io.running import wrong_parameters

        content: dict[str, Item] = item.value or {}
        found = {name: self.decoder.value(given) for name, given in content.items()}
        if any(value is MISSING for value in found.values()):
            return
        for value in found.values():
            self.decoder.charge(item, "bodies", np.shape(value)[0] if np.ndim(value) else 1)  # something is made in each world
        wrong = list(wrong_parameters(found, self.scene))
        for name, message in wrong:
            self.report(content[name].line, message)
        self.scene.parameters = {} if wrong else found
