"""What an item of a file stands for: numbers, expressions, bodies, objects of the public classes. Every mistake is reported, none ends it.

Where something is wrong the value is MISSING, and whatever is made of it is MISSING too, without a further word.
"""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from itertools import chain
from math import isfinite
from typing import Any

import numpy as np

from redmax.components.given import JointOf
from redmax.components.handles import BodyHandle
from redmax.errors import RedmaxError
from redmax.io import arrays
from redmax.io.budget import Budget, OverBudget
from redmax.io.expressions import Expression, Wrong, number
from redmax.io.handles_by_name import by_joint, frame_named
from redmax.io.kinds import Kind, family, kinds, meaning_of, such_as
from redmax.io.meaning import NOTHING, Meaning, meaning
from redmax.io.missing import MISSING, Missing
from redmax.io.problems import among, shown
from redmax.io.sizes import costs
from redmax.io.source import Item, plain
from redmax.model.scene import Scene
from redmax.trace import Table

OWN = ("joint", "force", "constraint", "law", "material")  # what is made of functions
OF_BODY = {"body", "point", "pose"}
ONE_JOINT = meaning(JointOf)  # of several in a list


@dataclass
class Decoder:
    """The items of one file. report: told of each mistake; declared: the bodies that all files name, made or not."""

    scene: Scene
    report: Callable[[int, str], None]
    budget: Budget
    parameters: dict[str, Any] = field(default_factory=dict)
    functions: dict[str, Any] = field(default_factory=dict)
    declared: dict[str, int] = field(default_factory=dict)
    prefix: str = ""
    unknown: dict[str, None] = field(default_factory=dict)  # parameters that a mistake was found in
    broken: set[int] = field(default_factory=set)  # identities of items that a mistake was found in

    def fits(self, item: Item, model: Any, depth: int = 1, extra: tuple[str, ...] = ()) -> bool:
        """Whether an item has the structure of a model; what is wrong with it is reported."""
        from redmax.io.mistakes import mistakes

        found = mistakes(model, item, depth, extra)
        for mistake in found:
            self.report(mistake.line, mistake.message)
            self.broken |= {id(x) for x in mistake.path}
        return not found

    def charge(self, item: Item, what: str, count: float = 1) -> None:
        """Pay for what an item asks for."""
        self.budget.place = (self.budget.place[0], item.line)
        self.budget.charge(what, count)

    def afford(self, item: Item, kind: str, arguments: Mapping[str, Any]) -> bool:
        """Whether an object of a kind with these arguments could be paid for; otherwise that is a mistake."""
        try:
            for what, count in costs(kind, arguments):
                self.charge(item, what, count)
        except OverBudget as error:
            self.wrong(item, f"{kind}: {error}")
            return False
        return True

    @property
    def known(self) -> ChainMap[str, Any]:
        """The names that an expression may have."""
        return ChainMap(self.parameters, self.unknown)

    def expression(self, item: Item, known: Collection[str]) -> Expression:
        """An expression over these names, which is paid for."""
        self.charge(item, "expressions")
        self.charge(item, "characters of expressions", len(item.value))
        return Expression(item.value, known)

    def wrong(self, item: Item, message: str) -> Missing:
        """Report a mistake; what stands for the value then."""
        self.report(item.line, message)
        return MISSING

    def value(self, item: Item, kind: str = "", argument: str = "", context: Mapping[str, Any] | None = None) -> Any:
        """kind, argument: whose value it is; context: what its function may be called with."""
        meant = meaning_of(kind, argument)
        if meant.called is not None and id(item) not in self.broken:
            from redmax.io.functions import function_value

            return function_value(self, item, argument, meant, context or {})
        return self.read(item, meant, argument)

    def read(self, item: Item, meant: Meaning, argument: str) -> Any:
        """A value that is no function. meant: what it may be."""
        if id(item) in self.broken:
            return MISSING
        if meant.by_joint and isinstance(item.value, dict):
            return by_joint(self, item)
        if isinstance(item.value, dict):
            if meant.body and set(item.value) != {"body"}:
                return self.wrong(item, f"{argument} is {shown(item)}, expected the name of a body.")
            return self.mapping(item)
        if isinstance(item.value, list):
            each = (meant, argument) if meant.unbounded or meant.place else (ONE_JOINT, argument) if meant.joint else (NOTHING, "")
            found = [self.read(x, *each) for x in item.value]
            return MISSING if any(x is MISSING for x in found) else found
        if isinstance(item.value, str):
            return self.text(item, meant, argument)
        if isinstance(item.value, float) and not isfinite(item.value) and not meant.unbounded:
            return self.wrong(item, f"{argument or 'a number'} is {item.value}, expected a finite number.")
        return item.value

    def text(self, item: Item, meant: Meaning, argument: str) -> Any:
        """What a text stands for: itself, a body, or the value of an expression."""
        if meant.text:
            return self.prefixed(item) if argument in ("name", "joint_name") else item.value
        if meant.body:
            return self.body(item, meant.joint)
        if item.value not in self.parameters and (self.prefixed(item) in self.declared or item.value in self.declared):
            return self.body(item)
        if meant.place and item.value not in self.parameters and (frame := frame_named(self, item)) is not None:
            return frame
        try:
            expression = self.expression(item, self.known)
            return MISSING if any(n in self.unknown for n in expression.names) else number(expression, self.parameters)
        except Wrong as error:
            if item.value.isidentifier() and item.value in kinds():
                return self.object(Item({}, item.line), item.value, {})
            if item.value.isidentifier() and meant.place:
                known = chain(self.declared, self.parameters)
                return self.wrong(item, f"there is no body {item.value!r}, and no parameter. {among(item.value, known)}")
            return self.wrong(item, f"{argument}: {error}" if argument else str(error))

    def body(self, item: Item, joint: bool = False) -> BodyHandle | Missing:
        """The handle of a body, by its name, or by that of its joint."""
        if not isinstance(item.value, str):
            return self.wrong(item, f"{shown(item)} is no body, expected its name.")
        for name in dict.fromkeys((self.prefixed(item), item.value)):
            found = self.scene.named(name, joint)
            if found is not None:
                return found
        line = self.declared.get(self.prefixed(item), self.declared.get(item.value))
        if line is None:
            return self.wrong(item, f"there is no body {item.value!r}. {among(item.value, self.declared)}")
        if line >= item.line:
            return self.wrong(item, f"the body {item.value!r} comes only later, in line {line}. Move it up: what is named must be there.")
        return MISSING  # it is there, and its own mistakes are reported

    def prefixed(self, item: Item) -> str:
        """A name of this file, as all files know it."""
        if self.prefix:
            self.charge(item, "characters of names", len(self.prefix))
        return self.prefix + item.value

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
            return self.wrong(item, f"{what}, expected one kind with its arguments, such as {such_as(content)}.")
        name, arguments = next(iter(content.items()))
        if arguments.value is None:
            return self.object(Item({}, item.line), name, {}, among_these)
        if not isinstance(arguments.value, dict):
            return self.object(item, name, None, among_these)
        return self.object(arguments, name, arguments.value, among_these)

    def array(self, item: Item) -> Any:
        """An array written as its type, shape and bytes."""
        from redmax.io.structure import Array

        if not self.fits(item, Array, depth=2):
            return MISSING
        self.charge(item, "numbers of arrays", 0.75 * len(item.value["data"].value) / 8)
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
            return self.wrong(item, f"a {name} is {shown(item)}, expected a kind with its arguments, such as {example}.")
        given = kind_of(item)
        if isinstance(given, str) and given not in family(name) and given in [*kinds(), *OWN]:
            return self.wrong(item, f"{given} is no {name}. {among(given, family(name))}")
        if isinstance(item.value, str):
            return self.object(Item({}, item.line), item.value, {}, family(name))
        return self.mapping(item, family(name))

    def object(self, item: Item, name: Any, arguments: Mapping[str, Item] | None, among_these: Iterable[str] = ()) -> Any:
        """An object of the kind of this name, or one that is made of functions."""
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
        """An object of a known kind, made of these arguments."""
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
        if not self.afford(item, kind.name, found):
            return MISSING
        several = next((n for n, p in kind.parameters.items() if p.kind is p.VAR_POSITIONAL), None)
        if several is None:
            return self.made(item, kind.name, kind.make, found | own)
        given = found.pop(several)
        if not isinstance(given, list):
            return self.wrong(item, f"{several} of {kind.name} is {shown(arguments[several])}, expected a list.")
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
        self.budget.place = (self.budget.place[0], item.line)
        try:
            with np.errstate(all="ignore"):
                return make(**arguments)
        except OverBudget:
            raise
        except RedmaxError as error:
            self.report(item.line_of(error.argument), str(error))
        except Exception as error:  # a constructor that does not expect what a stranger may write
            self.report(item.line, f"{name} cannot be made of these arguments ({shown(str(error))[1:-1]}).")
        return MISSING


def kind_of(item: Item) -> Any:
    """The name of the kind that an item seems to be of."""
    if not isinstance(item.value, dict):
        return item.value
    if "kind" in item.value:
        return item.value["kind"].value
    return next(iter(item.value)) if len(item.value) == 1 else None
