"""A scene from a file, and from those that it includes."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from typing import Any

from redmax.io.decode import Decoder
from redmax.io.expressions import Expression, Wrong, number
from redmax.io.functions import read_trace
from redmax.io.missing import MISSING
from redmax.io.origin import Origin
from redmax.io.problems import MOST, Problem, SceneFileError, among
from redmax.io.soft import deformable
from redmax.io.source import Item, items, plain, read_text
from redmax.scene import Scene

SECTIONS = (
    "redmax", "title", "units", "gravity", "parameters", "include", "bodies", "wrenches", "forces", "deformables", "twists", "map", "run",
    "functions",
)  # fmt: skip
BODY = [n for n in inspect.signature(Scene.add_body).parameters if n != "self"]
RUN = ["duration", "dt", "integrator", "dynamics", "rtol", "solver", "stabilisation", "halvings", "every"]
FILES, LEVELS = 64, 8  # that one scene may include, and how deeply


class Enough(Exception):
    """So many problems that reading ends."""


@dataclass
class Loading:
    """What the files of one scene share."""

    scene: Scene
    root: Path | None
    origin: Origin
    problems: list[Problem] = field(default_factory=list)
    declared: dict[str, int] = field(default_factory=dict)
    files: int = 0

    def report(self, file: str, line: int, message: str) -> None:
        self.problems.append(Problem(file, line, message))
        if len(self.problems) >= MOST:
            raise Enough


def load(path: str | PathLike[str], parameters: Mapping[str, float | str] | None = None) -> Scene:
    """The scene that a file describes. parameters: other values for those of the file, by name; numbers or expressions such as "pi/4".

    Raises SceneFileError, which has all mistakes with their lines. Nothing in a file is executed, and it may only include files that lie
    beside it or in folders there.
    """
    return opened(Path(path), parameters, whole=True).scene


def loads(text: str, parameters: Mapping[str, float | str] | None = None) -> Scene:
    """The scene that a text describes; it cannot include files."""
    return read(text, "text", None, parameters, whole=True).scene


def parameters(path: str | PathLike[str]) -> dict[str, float]:
    """The parameters that a file declares, with the values it gives them: what `load` takes others for."""
    return opened(Path(path), None, whole=False).origin.parameters


def opened(path: Path, parameters: Mapping[str, Any] | None, whole: bool) -> Loading:
    problems: list[Problem] = []
    text = read_text(path, lambda line, message: problems.append(Problem(path.name, line, message)))
    if text is None:
        raise SceneFileError(problems)
    return read(text, path.name, path.parent, parameters, whole)


def read(text: str, name: str, folder: Path | None, parameters: Mapping[str, Any] | None, whole: bool) -> Loading:
    """A top file. whole: or its parameters alone."""
    loading = Loading(Scene(), folder, Origin(name))
    loading.scene.source = loading.origin
    with suppress(Enough):
        Document(loading, name, folder).read(text, dict(parameters or {}), top=True, whole=whole)
    if loading.problems:
        raise SceneFileError(loading.problems)
    return loading


class Document:
    """One file of a scene. prefix: before the names of its bodies; level: how many files include it."""

    def __init__(self, loading: Loading, name: str, folder: Path | None, prefix: str = "", level: int = 0) -> None:
        self.loading, self.name, self.folder, self.level = loading, name, folder, level
        self.scene = loading.scene
        self.decoder = Decoder(loading.scene, self.report, declared=loading.declared, prefix=prefix)

    def report(self, line: int, message: str) -> None:
        self.loading.report(self.name, line, message)

    def read(self, text: str, overrides: dict[str, Any], top: bool = False, whole: bool = True) -> None:
        document = items(text, self.report)
        if document is None:
            return
        if not isinstance(document.value, dict):
            self.report(document.line, "a scene is a mapping with bodies, forces and so on.")
            return
        content: dict[str, Item] = document.value
        self.decoder.check_names(document, "a scene", content, SECTIONS, ["redmax"] if top else [])
        version = content.get("redmax")
        if version is not None and version.value != 1:
            self.report(version.line, f"redmax is {plain(version)!r}, expected 1, the version of scene files that is known here.")
        self.read_parameters(content.get("parameters"), overrides, document)
        if top:
            self.loading.origin.sections = dict(document.lines or {})
            self.loading.origin.parameters = dict(self.decoder.parameters)
        if not whole:
            return
        for k, given in enumerate(self.entries(content, "include")):
            self.include(given, k)
        if top:
            self.head(content)
        self.read_functions(content.get("functions"))
        self.declare(content)
        for section, read in (
            ("bodies", self.body),
            ("wrenches", self.wrench),
            ("forces", self.force),
            ("deformables", self.deformable),
            ("twists", self.twist),
        ):
            for given in self.entries(content, section):
                read(given)
        if "map" in content:
            self.map(content["map"])
        if "run" in content and top:
            self.run(content["run"])

    def entries(self, content: Mapping[str, Item], section: str) -> list[Item]:
        if section not in content or content[section].value is None:
            return []
        if isinstance(content[section].value, list):
            return content[section].value
        self.report(content[section].line, f"{section} is a list, each entry with a dash before it.")
        return []

    def read_parameters(self, item: Item | None, overrides: dict[str, Any], document: Item) -> None:
        content: dict[str, Item] = {} if item is None or item.value is None else item.value
        if not isinstance(content, dict):
            self.report(document.line if item is None else item.line, "parameters are a mapping of names to numbers, such as mass: 1.0.")
            return
        for name, given in content.items():
            value = overrides.get(name, given.value)
            if not name.isidentifier() or name in ("t", "q", "qdot", "pi"):
                self.report(given.line, f"{name!r} cannot be the name of a parameter. Choose a word of letters, digits and _.")
                continue
            if isinstance(value, str):
                value = self.expression(given, value)
            if isinstance(value, bool | int | float) and abs(value) < float("inf"):
                self.decoder.parameters[name] = value
            elif value is not MISSING:
                self.report(given.line, f"the parameter {name!r} is {value!r}, expected a finite number or an expression.")
        for name in overrides:
            if name not in content:
                self.report(
                    1 if item is None else item.line, f"there is no parameter {name!r} to give another value. {among(name, content)}"
                )

    def expression(self, item: Item, text: str) -> Any:
        try:
            return number(Expression(text, self.decoder.parameters), self.decoder.parameters)
        except Wrong as error:
            return self.decoder.wrong(item, f"{error}.")

    def head(self, content: Mapping[str, Item]) -> None:
        for name in ("title", "units"):
            if name in content and not isinstance(content[name].value, str):
                self.report(content[name].line, f"{name} is {plain(content[name])!r}, expected text.")
        given = {n: self.decoder.value(content[n], "", n) for n in ("gravity", "title", "units") if n in content}
        if any(x is MISSING for x in given.values()):
            return
        made = self.decoder.made(content[next(iter(given))], "Scene", Scene, given) if given else Scene()
        if isinstance(made, Scene):
            self.scene.gravity, self.scene.title, self.scene.units = made.gravity, made.title, made.units

    def include(self, item: Item, k: int) -> None:
        content: Any = item.value
        if isinstance(content, str):
            content = {"file": item}
        if not isinstance(content, dict) or not self.decoder.check_names(
            item, "include", content, ["file", "parameters", "prefix"], ["file"]
        ):
            if not isinstance(content, dict):
                self.report(item.line, "include is a list of files, or of {file, parameters, prefix}.")
            return
        name, prefix = content["file"].value, content["prefix"].value if "prefix" in content else ""
        found = self.found(content["file"], name)
        given = content.get("parameters")
        values = {} if given is None else self.decoder.own_parameters(given, ())
        if found is None or values is MISSING:
            return
        if not isinstance(prefix, str):
            self.report(content["prefix"].line, f"prefix is {prefix!r}, expected text.")
            return
        assert isinstance(values, dict)
        document = Document(self.loading, str(name), found.parent, self.decoder.prefix + prefix, self.level + 1)
        text = read_text(found, lambda line, message: self.report(item.line, f"{name}: {message}"))
        if text is not None:
            document.read(text, values)
        self.loading.declared.update(dict.fromkeys(self.loading.declared, 0))  # lines of other files say nothing here

    def found(self, item: Item, name: Any) -> Path | None:
        """The file to include, where it may be."""
        root, folder = self.loading.root, self.folder
        self.loading.files += 1
        if not isinstance(name, str) or not name:
            self.report(item.line, f"the file to include is {name!r}, expected its name.")
        elif root is None or folder is None:
            self.report(item.line, f"{name!r} cannot be included in a text: save it as a file.")
        elif self.level >= LEVELS or self.loading.files > FILES:
            self.report(
                item.line, f"{name!r} is one file too many: a scene includes at most {FILES}, {LEVELS} deep. Does one include itself?"
            )
        else:
            path = (folder / name).resolve()
            if path.is_relative_to(root.resolve()) and path.is_file():
                return path
            valid = "expected a file beside the scene's or in a folder there"
            self.report(item.line, f"there is no file {name!r} to include, {valid}.")
        return None

    def read_functions(self, item: Item | None) -> None:
        if item is None or item.value is None:
            return
        if not isinstance(item.value, dict):
            self.report(item.line, "functions is a mapping of names to traces.")
            return
        for name, given in item.value.items():
            self.decoder.functions[name] = read_trace(self.decoder, given, name)

    def declare(self, content: Mapping[str, Item]) -> None:
        """The names of the bodies of this file, so that one with a mistake is not called unknown."""
        count = len(self.scene.links)
        for k, given in enumerate(self.entries(content, "bodies")):
            named = given.value.get("name") if isinstance(given.value, dict) else None
            name = self.decoder.prefix + named.value if named is not None and isinstance(named.value, str) else f"body{count + k + 1}"
            self.loading.declared.setdefault(name, given.line)

    def arguments(self, item: Item, owner: str, known: list[str], required: list[str]) -> dict[str, Item] | None:
        if not isinstance(item.value, dict):
            self.report(item.line, f"{owner} is a mapping with {', '.join(known[:6])} and so on.")
            return None
        fits = self.decoder.check_names(item, owner, item.value, known, required)
        return item.value if fits else {name: given for name, given in item.value.items() if name in known} | {"": item}

    def values(self, content: Mapping[str, Item], kind: str) -> dict[str, Any] | None:
        """All arguments, of which every one is looked at; None if one is MISSING or did not belong."""
        found = {name: self.decoder.value(given, kind, name) for name, given in content.items() if name}
        return None if "" in content or any(x is MISSING for x in found.values()) else found

    def body(self, item: Item) -> None:
        content = self.arguments(item, "a body", BODY, ["shape"])
        found = None if content is None else {n: self.body_value(given, n) for n, given in content.items() if n}
        if content is None or found is None or "" in content or any(x is MISSING for x in found.values()):
            return
        self.decoder.made(item, "a body", self.scene.add_body, found)

    def body_value(self, item: Item, name: str) -> Any:
        if name in ("joint", "shape") and not isinstance(item.value, dict):
            if isinstance(item.value, str):
                return self.decoder.object(item, item.value, {})
            return self.decoder.wrong(item, f"the {name} of a body is {plain(item)!r}, expected a kind, such as Revolute: {{axis: y}}.")
        if name == "body" and isinstance(item.value, list | dict):
            return self.decoder.value(item)
        return self.decoder.value(item, "body", name)

    def wrench(self, item: Item) -> None:
        content = self.arguments(item, "a wrench", ["on", "torque", "force", "frame"], ["on"])
        found = None if content is None else self.values(content, "wrench")
        if found is not None:
            self.decoder.made(item, "a wrench", self.scene.add_wrench, found)

    def force(self, item: Item) -> None:
        found = self.decoder.value(item)
        if found is not MISSING:
            self.decoder.made(item, "a force", self.scene.add_force, {"force": found})

    def deformable(self, item: Item) -> None:
        found = deformable(self.decoder, item)
        if found is not MISSING:
            self.decoder.made(item, "a deformable", self.scene.add_deformable, {"deformable": found})

    def twist(self, item: Item) -> None:
        content = self.arguments(item, "a twist", ["body", "rows", "velocity", "acceleration"], ["body", "rows", "velocity"])
        found = None if content is None else self.values(content, "twist")
        if found is not None:
            self.decoder.made(item, "a twist", self.scene.prescribe_twist, found)

    def map(self, item: Item) -> None:
        content = self.arguments(item, "map", ["function", "matrix", "coordinates", "q", "qdot"], [])
        if content is None:
            return
        found = self.values(content, "map")
        if len({"function", "matrix"} & set(content)) != 1:
            self.report(item.line, "map needs either a function of q, with its number of coordinates, or a matrix.")
        elif found is not None:
            given = found.pop("function", None) or found.pop("matrix")
            self.decoder.made(item, "map", self.scene.set_map, {"map": given, **found})

    def run(self, item: Item) -> None:
        content = self.arguments(item, "run", RUN, [])
        found = None if content is None else self.values(content, "run")
        if found is not None:
            self.scene.defaults = found
