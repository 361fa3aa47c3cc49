"""A scene from a file, and from those that it includes."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from typing import Any

from redmax.io.decode import Decoder
from redmax.io.functions import read_trace
from redmax.io.missing import MISSING
from redmax.io.origin import Origin
from redmax.io.problems import MOST, Problem, SceneFileError, among, shown
from redmax.io.soft import deformable
from redmax.io.source import Item, items, read_text
from redmax.scene import Scene

RESERVED = ("t", "q", "qdot", "pi")
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
        from redmax.io.structure import Part, SceneFile

        document = items(text, self.report)
        if document is None or (
            not self.decoder.fits(document, SceneFile if top else Part, depth=4) and not isinstance(document.value, dict)
        ):
            return
        content: dict[str, Item] = document.value
        self.read_parameters(content.get("parameters"), overrides)
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
        found = content[section].value if section in content else None
        return found if isinstance(found, list) else []  # anything else is reported

    def read_parameters(self, item: Item | None, overrides: dict[str, Any]) -> None:
        content: dict[str, Item] = item.value if item is not None and isinstance(item.value, dict) else {}
        for name, given in content.items():
            value = overrides[name] if name in overrides else self.plain_value(given)
            if not name.isidentifier() or name in RESERVED:
                self.report(given.line, f"{name!r} cannot be the name of a parameter. Choose another word of letters, digits and _.")
                continue
            if isinstance(value, str):
                value = self.expression(given, value)
            if isinstance(value, bool | int | float) and abs(value) < float("inf"):
                self.decoder.parameters[name] = value
                continue
            self.decoder.unknown.add(name)
            if value is not MISSING:
                self.report(given.line, f"the parameter {name!r} is {shown(value)}, expected a finite number or an expression.")
        for name in overrides:
            if name not in content:
                self.report(
                    1 if item is None else item.line, f"there is no parameter {name!r} to give another value. {among(name, content)}"
                )

    def plain_value(self, item: Item) -> Any:
        return MISSING if id(item) in self.decoder.broken else item.value

    def expression(self, item: Item, text: str) -> Any:
        return self.decoder.text(Item(text, item.line), "")

    def head(self, content: Mapping[str, Item]) -> None:
        given = {n: self.decoder.value(content[n], "", n) for n in ("gravity", "title", "units") if n in content}
        if any(x is MISSING for x in given.values()):
            return
        made = self.decoder.made(content[next(iter(given))], "Scene", Scene, given) if given else Scene()
        if isinstance(made, Scene):
            self.scene.gravity, self.scene.title, self.scene.units = made.gravity, made.title, made.units

    def include(self, item: Item, k: int) -> None:
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
        document = Document(self.loading, str(name), found.parent, self.decoder.prefix + prefix, self.level + 1)
        text = read_text(found, lambda line, message: self.report(item.line, f"{name}: {message}"))
        if text is not None:
            document.read(text, values)
        self.loading.declared.update(dict.fromkeys(self.loading.declared, 0))  # lines of other files say nothing here

    def found(self, item: Item, name: Any) -> Path | None:
        """The file to include, where it may be."""
        root, folder = self.loading.root, self.folder
        self.loading.files += 1
        if root is None or folder is None:
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
        if item is None or not isinstance(item.value, dict):
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

    def values(self, item: Item, kind: str, model: Any) -> dict[str, Any] | None:
        """All arguments, of which every one is looked at; None if one is MISSING, or if something did not belong."""
        if not isinstance(item.value, dict):
            return None
        known = {name: given for name, given in item.value.items() if name in model.model_fields}
        found = {name: self.decoder.value(given, kind, name) for name, given in known.items()}
        return None if id(item) in self.decoder.broken or any(x is MISSING for x in found.values()) else found

    def body(self, item: Item) -> None:
        from redmax.io.structure import BodyEntry

        if not isinstance(item.value, dict):
            return
        known = {name: given for name, given in item.value.items() if name in BodyEntry.model_fields}
        found = {name: self.body_value(given, name) for name, given in known.items()}
        if id(item) not in self.decoder.broken and not any(x is MISSING for x in found.values()):
            self.decoder.made(item, "a body", self.scene.add_body, found)

    def body_value(self, item: Item, name: str) -> Any:
        if name in ("joint", "shape"):
            example = {"joint": "Revolute: {axis: y}", "shape": "Sphere: {radius: 0.1}"}[name]
            return None if name == "joint" and item.value is None else self.decoder.member(item, name, example)
        if name == "body" and isinstance(item.value, list | dict):
            return self.decoder.value(item)
        return self.decoder.value(item, "body", name)

    def wrench(self, item: Item) -> None:
        from redmax.io.structure import WrenchEntry

        found = self.values(item, "wrench", WrenchEntry)
        if found is not None:
            self.decoder.made(item, "a wrench", self.scene.add_wrench, found)

    def force(self, item: Item) -> None:
        found = self.decoder.member(item, "force", "JointDamper: {joint: arm, damping: 0.1}")
        if found is not MISSING:
            self.decoder.made(item, "a force", self.scene.add_force, {"force": found})

    def deformable(self, item: Item) -> None:
        found = deformable(self.decoder, item)
        if found is not MISSING:
            self.decoder.made(item, "a deformable", self.scene.add_deformable, {"deformable": found})

    def twist(self, item: Item) -> None:
        from redmax.io.structure import TwistEntry

        found = self.values(item, "twist", TwistEntry)
        if found is not None:
            self.decoder.made(item, "a twist", self.scene.prescribe_twist, found)

    def map(self, item: Item) -> None:
        from redmax.io.structure import MapEntry

        if item.value is None:
            return
        found = self.values(item, "map", MapEntry)
        if isinstance(item.value, dict) and len({"function", "matrix"} & set(item.value)) != 1:
            self.report(item.line, "map needs either a function of q, with its number of coordinates, or a matrix.")
        elif found is not None:
            given = found.pop("function") if "function" in found else found.pop("matrix")
            self.decoder.made(item, "map", self.scene.set_map, {"map": given, **found})

    def run(self, item: Item) -> None:
        from redmax.io.running import Run, contradictions

        if item.value is None:
            return
        content: dict[str, Item] = item.value if isinstance(item.value, dict) else {}
        found = {
            name: self.decoder.value(given, "run", name) if name in Run.model_fields else given.value for name, given in content.items()
        }
        known = {name: value for name, value in found.items() if value is not MISSING}
        decoded = Item({n: Item(v, content[n].line) for n, v in known.items()}, item.line, item.lines) if content else item
        if self.decoder.fits(decoded, Run) and len(known) == len(content):
            wrong = list(contradictions(known, self.scene))
            for name, message in wrong:
                self.report((item.lines or {}).get(name, item.line), message)
            self.scene.defaults = known
