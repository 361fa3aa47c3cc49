"""What an item of a file stands for: numbers, expressions, bodies, objects of the public classes. Every mistake is reported, none ends it.

Where something is wrong the value is MISSING, and whatever is made of it is MISSING too, without a further word.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from math import isfinite
from typing import Any

import numpy as np

from redmax.errors import RedmaxError
from redmax.handles import BodyHandle
from redmax.io import arrays
from redmax.io.expressions import Expression, Wrong, number
from redmax.io.kinds import BODIES, FUNCTIONS, JOINTS, TEXT, UNBOUNDED, Kind, kinds
from redmax.io.missing import MISSING, Missing
from redmax.io.problems import among
from redmax.io.source import Item, plain
from redmax.scene import Scene
from redmax.trace import Table

LARGEST = 1_000_000  # nodes that a file may ask for by a number
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

    def wrong(self, item: Item, message: str) -> Missing:
        self.report(item.line, message)
        return MISSING

    # Values

    def value(self, item: Item, kind: str = "", argument: str = "", context: Mapping[str, Any] | None = None) -> Any:
        """kind, argument: whose value it is; context: what its function may be called with."""
        if (kind, argument) in FUNCTIONS:
            from redmax.io.functions import function_value

            return function_value(self, item, kind, argument, context or {})
        if isinstance(item.value, dict):
            return self.mapping(item)
        if isinstance(item.value, list):
            found = [self.value(x, "", argument if argument in UNBOUNDED else "") for x in item.value]
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
            return number(Expression(item.value, self.parameters), self.parameters)
        except Wrong as error:
            return self.wrong(item, f"{argument}: {error}." if argument else f"{error}.")

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

    def mapping(self, item: Item) -> Any:
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
            return self.object(item, name, arguments)
        if len(content) != 1:
            return self.wrong(item, f"this has {sorted(content)}, expected one kind with its arguments, such as Revolute: {{axis: y}}.")
        name, arguments = next(iter(content.items()))
        if arguments.value is None:
            return self.object(item, name, {})
        if not isinstance(arguments.value, dict):
            return self.object(item, name, None)
        return self.object(arguments, name, arguments.value)

    def array(self, item: Item) -> Any:
        content = plain(item)
        if not isinstance(content, dict) or set(content) != {"type", "shape", "data"}:
            return self.wrong(item, "an array has type, shape and data.")
        try:
            return arrays.decoded(kind=content["type"], shape=content["shape"], data=content["data"])
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
            return self.wrong(content["point"], f"the point of body {handle.name!r} is {point!r}, expected three numbers (m).")
        return handle.point(*point)

    def object(self, item: Item, name: Any, arguments: Mapping[str, Item] | None) -> Any:
        from redmax.io.functions import OWN, own_object

        if name in OWN:
            return own_object(self, item, name, arguments or {})
        kind = kinds().get(name) if isinstance(name, str) else None
        if kind is None:
            return self.wrong(item, f"there is no kind {name!r}. {among(name, [*kinds(), *OWN])}")
        if arguments is None:
            return self.wrong(item, f"{name} has no names for its arguments, expected such as {name}: {{{', '.join(kind.parameters)}}}.")
        return self.of_kind(item, kind, arguments)

    def of_kind(self, item: Item, kind: Kind, arguments: Mapping[str, Item]) -> Any:
        known = [*kind.parameters, *(["parameters"] if kind.own else [])]
        fits = self.check_names(item, kind.name, arguments, known, kind.required)
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
                return self.wrong(arguments[argument], f"{argument} of {kind.name} asks for more than {LARGEST} nodes.")
        several = next((n for n, p in kind.parameters.items() if p.kind is p.VAR_POSITIONAL), None)
        if several is None:
            return self.made(item, kind.name, kind.type, found | own)
        given = found.pop(several)
        if not isinstance(given, list):
            return self.wrong(item, f"{several} of {kind.name} is a list.")
        return self.made(item, kind.name, lambda **named: kind.type(*given, **named), found | own)

    def check_names(self, item: Item, owner: str, given: Mapping[str, Item], known: Iterable[str], required: Iterable[str]) -> bool:
        names = list(known)
        wrong = [name for name in given if name not in names]
        for name in wrong:
            self.report((item.lines or {}).get(name, item.line), f"{owner} has no {name!r}. {among(name, names)}")
        missing = [name for name in required if name not in given]
        if missing:
            self.report(item.line, f"{owner} needs {' and '.join(map(repr, missing))}.")
        return not wrong and not missing

    def own_parameters(self, item: Item, taken: Iterable[str]) -> dict[str, Any] | Missing:
        """Those of a user's function."""
        if not isinstance(item.value, dict):
            return self.wrong(item, "parameters are a mapping of names to numbers.")
        found = {name: self.value(given) for name, given in item.value.items()}
        for name in found:
            if not name.isidentifier() or name in taken:
                return self.wrong(item, f"{name!r} cannot be the name of a parameter here. Choose another.")
        return MISSING if any(x is MISSING for x in found.values()) else found

    def made(self, item: Item, name: str, make: Callable[..., Any], arguments: Mapping[str, Any]) -> Any:
        """What a constructor makes, or its error at the item's line."""
        try:
            with np.errstate(all="ignore"):
                return make(**arguments)
        except RedmaxError as error:
            return self.wrong(item, str(error))
        except Exception as error:  # a constructor that does not expect what a stranger may write
            return self.wrong(item, f"{name} cannot be made of these arguments: {type(error).__name__}: {error}.")


def is_moderate(value: Any) -> bool:
    try:
        return float(np.prod(np.asarray(value, float) + 1.0)) <= LARGEST
    except (TypeError, ValueError):
        return True  # not a number: its constructor says so
