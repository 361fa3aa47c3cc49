"""What an item of a file stands for: numbers, expressions, bodies, objects of the public classes. Every mistake is reported, none ends it.

Where something is wrong the value is MISSING, and whatever is made of it is MISSING too, without a further word.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from math import isfinite
from typing import Any

import numpy as np

from redmax.errors import RedmaxError
from redmax.handles import BodyHandle
from redmax.io import arrays
from redmax.io.expressions import Expression, Wrong, number
from redmax.io.kinds import BODIES, FUNCTIONS, JOINTS, KINDS_WITHIN, PLACES, TEXT, UNBOUNDED, Kind, family, kinds
from redmax.io.missing import MISSING, Missing
from redmax.io.problems import among, shown
from redmax.io.source import Item, plain
from redmax.scene import Scene
from redmax.trace import Table

LARGEST = 250_000  # nodes that a file may ask for by a number
OWN = ("joint", "force", "law", "material")  # what is made of functions
OF_BODY = {"body", "point", "pose"}


@dataclass
class Decoder:
    """The items of one file. report: told of each mistake; declared: the bodies that all files name, made or not."""

    scene: Scene
    report: Callable[[int, str], None]
    parameters: dict[str, Any] = field(default_factory=dict)
    functions: dict[str, Any] = field(default_factory=dict)
    declared: dict[str, int] = field(default_factory=dict)
    prefix: str = ""
    unknown: set[str] = field(default_factory=set)  # parameters that a mistake was found in
    broken: set[int] = field(default_factory=set)  # identities of items that a mistake was found in

    def fits(self, item: Item, model: Any, depth: int = 1, extra: tuple[str, ...] = ()) -> bool:
        """Whether an item has the structure of a model; what is wrong with it is reported."""
        from redmax.io.mistakes import mistakes

        found = mistakes(model, item, depth, extra)
        for mistake in found:
            self.report(mistake.line, mistake.message)
            self.broken |= {id(x) for x in mistake.path}
        return not found

    def wrong(self, item: Item, message: str) -> Missing:
        self.report(item.line, message)
        return MISSING

    # Values

    def value(self, item: Item, kind: str = "", argument: str = "", context: Mapping[str, Any] | None = None) -> Any:
        """kind, argument: whose value it is; context: what its function may be called with."""
        if id(item) in self.broken:
            return MISSING
        if (kind, argument) in FUNCTIONS:
            from redmax.io.functions import function_value

            return function_value(self, item, kind, argument, context or {})
        if isinstance(item.value, dict):
            if argument in BODIES | JOINTS and kind not in KINDS_WITHIN and set(item.value) != {"body"}:
                return self.wrong(item, f"{argument} is {shown(plain(item))}, expected the name of a body.")
            return self.mapping(item)
        if isinstance(item.value, list):
            found = [self.value(x, "", argument if argument in UNBOUNDED | PLACES else "") for x in item.value]
            return MISSING if any(x is MISSING for x in found) else found
        if isinstance(item.value, str):
            return self.text(item, argument)
        if isinstance(item.value, float) and not isfinite(item.value) and argument not in UNBOUNDED:
            return self.wrong(item, f"{argument or 'a number'} is {item.value}, expected a finite number.")
        return item.value

    def text(self, item: Item, argument: str) -> Any:
        if argument in TEXT:
            return self.prefix + item.value if argument in ("name", "joint_name") else item.value
        if argument in BODIES | JOINTS:
            return self.body(item, argument in JOINTS)
        if item.value not in self.parameters and (self.prefix + item.value in self.declared or item.value in self.declared):
            return self.body(item)
        try:
            expression = Expression(item.value, {*self.parameters, *self.unknown})
            return MISSING if expression.names & self.unknown else number(expression, self.parameters)
        except Wrong as error:
            if item.value.isidentifier() and item.value in kinds():
                return self.object(Item({}, item.line), item.value, {})
            if item.value.isidentifier() and argument in PLACES:
                known = [*self.declared, *self.parameters]
                return self.wrong(item, f"there is no body {item.value!r}, and no parameter. {among(item.value, known)}")
            return self.wrong(item, f"{argument}: {error}" if argument else str(error))

    def body(self, item: Item, joint: bool = False) -> BodyHandle | Missing:
        """The handle of a body, by its name, or by that of its joint."""
        if not isinstance(item.value, str):
            return self.wrong(item, f"{plain(item)!r} is no body, expected its name.")
        for name in dict.fromkeys((self.prefix + item.value, item.value)):
            try:
                return self.scene.find_joint(name) if joint else self.scene.find(name)
            except RedmaxError:
                continue
        line = self.declared.get(self.prefix + item.value, self.declared.get(item.value))
        if line is None:
            return self.wrong(item, f"there is no body {item.value!r}. {among(item.value, self.declared)}")
        if line >= item.line:
            return self.wrong(item, f"the body {item.value!r} comes only later, in line {line}. Move it up: what is named must be there.")
        return MISSING  # it is there, and its own mistakes are reported

    # Mappings

    def mapping(self, item: Item, among_these: Iterable[str] = ()) -> Any:
        """among_these: the kinds that were to be expected."""
        content: dict[str, Item] = item.value
        if set(content) == {"array"}:
            return self.array(content["array"])
        if set(content) == {"Table"}:
            values = self.value(content["Table"])
            return MISSING if values is MISSING else self.made(item, "Table", Table, {"values": values})
        if "body" in content and set(content) <= OF_BODY and "kind" not in content:
            return self.place(item)
        if "kind" in content:
            name, arguments = content["kind"].value, {k: v for k, v in content.items() if k != "kind"}
            return self.object(Item(arguments, item.line, item.lines), name, arguments, among_these)
        if len(content) != 1:
            what = f"this has {shown(sorted(content))}" if content else "this is empty"
            return self.wrong(item, f"{what}, expected one kind with its arguments, such as Revolute: {{axis: y}}.")
        name, arguments = next(iter(content.items()))
        if arguments.value is None:
            return self.object(Item({}, item.line), name, {}, among_these)
        if not isinstance(arguments.value, dict):
            return self.object(item, name, None, among_these)
        return self.object(arguments, name, arguments.value, among_these)

    def array(self, item: Item) -> Any:
        from redmax.io.structure import Array

        if not self.fits(item, Array, depth=2):
            return MISSING
        try:
            return arrays.decoded(*(plain(item.value[part]) for part in ("type", "shape", "data")))
        except ValueError as error:
            return self.wrong(item, f"{error}.")

    def place(self, item: Item) -> Any:
        """A body, a point of it, or a pose on it."""
        content: dict[str, Item] = item.value
        handle = self.body(content["body"], joint=True)
        if len(content) > 2:
            return self.wrong(item, "a place on a body has a point or a pose, not both.")
        found = {name: self.value(content[name]) for name in ("point", "pose") if name in content}
        if handle is MISSING or any(x is MISSING for x in found.values()):
            return MISSING
        assert isinstance(handle, BodyHandle)
        if "pose" in found:
            return handle, found["pose"]
        if "point" not in found:
            return handle
        point = found["point"]
        if not isinstance(point, list) or len(point) != 3 or not all(isinstance(x, int | float) for x in point):
            return self.wrong(content["point"], f"the point of body {handle.name!r} is {shown(point)}, expected three numbers (m).")
        return self.made(content["point"], "a point", handle.point, dict(zip("xyz", point)))

    def member(self, item: Item, name: str, example: str) -> Any:
        """An object of a family: of a kind with its arguments, or the name alone of one that needs none."""
        if not isinstance(item.value, dict | str):
            return self.wrong(item, f"a {name} is {shown(plain(item))}, expected a kind with its arguments, such as {example}.")
        given = kind_of(item)
        if isinstance(given, str) and given not in family(name) and given in [*kinds(), *OWN]:
            return self.wrong(item, f"{given} is no {name}. {among(given, family(name))}")
        if isinstance(item.value, str):
            return self.object(Item({}, item.line), item.value, {}, family(name))
        return self.mapping(item, family(name))

    def object(self, item: Item, name: Any, arguments: Mapping[str, Item] | None, among_these: Iterable[str] = ()) -> Any:
        from redmax.io.functions import own_object

        kind = kinds().get(name) if isinstance(name, str) else None
        if kind is None and name not in OWN:
            return self.wrong(item, f"there is no kind {shown(name)}. {among(name, among_these or [*kinds(), *OWN])}")
        if kind is None:
            return own_object(self, item, name, arguments or {})
        if arguments is None:
            return self.wrong(item, f"{name} has no names for its arguments, expected such as {name}: {{{', '.join(kind.parameters)}}}.")
        return self.of_kind(item, kind, arguments)

    def of_kind(self, item: Item, kind: Kind, arguments: Mapping[str, Item]) -> Any:
        from redmax.io.structure import kind_model

        known = [*kind.parameters, *(["parameters"] if kind.own else [])]
        fits = self.fits(item, kind_model(kind.name))
        own = self.own_parameters(arguments["parameters"], known) if kind.own and "parameters" in arguments else {}
        context: dict[str, Any] = {"parameters": own if isinstance(own, dict) else {}}
        found: dict[str, Any] = {}
        for argument, given in arguments.items():
            if argument in kind.parameters:
                found[argument] = self.value(given, kind.name, argument, context | found)
        if not fits or own is MISSING or any(x is MISSING for x in found.values()):
            return MISSING
        assert isinstance(own, dict)
        for argument in ("cells", "count"):
            if argument in found and np.size(found[argument]) and not is_moderate(found[argument]):
                return self.wrong(arguments[argument], f"{argument} of {kind.name} asks for more than {LARGEST} nodes. Choose fewer.")
        several = next((n for n, p in kind.parameters.items() if p.kind is p.VAR_POSITIONAL), None)
        if several is None:
            return self.made(item, kind.name, kind.make, found | own)
        given = found.pop(several)
        if not isinstance(given, list):
            return self.wrong(item, f"{several} of {kind.name} is {shown(plain(arguments[several]))}, expected a list.")
        return self.made(item, kind.name, lambda **named: kind.make(*given, **named), found | own)

    def own_parameters(self, item: Item, taken: Iterable[str]) -> dict[str, Any] | Missing:
        """Those of a user's function."""
        if item.value is None:
            return {}
        if not isinstance(item.value, dict):
            return MISSING
        found = {name: self.value(given) for name, given in item.value.items()}
        for name in found:
            if not name.isidentifier() or name in taken:
                return self.wrong(item, f"{name!r} cannot be the name of a parameter here. Choose another.")
        return MISSING if any(x is MISSING for x in found.values()) else found

    def made(self, item: Item, name: str, make: Callable[..., Any], arguments: Mapping[str, Any]) -> Any:
        """What a constructor makes, or its error at the line of the argument that it names."""
        try:
            with np.errstate(all="ignore"):
                return make(**arguments)
        except (RedmaxError, Wrong) as error:
            message = str(error)
        except Exception as error:  # a constructor that does not expect what a stranger may write
            message = f"{name} cannot be made of these arguments ({shown(str(error))[1:-1]})."
        self.report(line_of(item, message), message)
        return MISSING


def line_of(item: Item, message: str) -> int:
    """The line of the first argument that a sentence names, or that of the item."""
    lines = item.lines or {}
    named = re.search(rf"(?<![\w'])({'|'.join(map(re.escape, lines))})(?![\w']| most| least)", message) if lines else None
    return lines[named[1]] if named else item.line


def kind_of(item: Item) -> Any:
    """The name of the kind that an item seems to be of."""
    if not isinstance(item.value, dict):
        return item.value
    if "kind" in item.value:
        return item.value["kind"].value
    return next(iter(item.value)) if len(item.value) == 1 else None


def is_moderate(value: Any) -> bool:
    try:
        return float(np.prod(np.asarray(value, float) + 1.0)) <= LARGEST
    except (TypeError, ValueError, OverflowError):
        return True  # not a number: its constructor says so
