"""Functions in a file: expressions that a person writes, and traces from the section of functions; and what is made of such a function."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from redmax.forces.own import force
from redmax.io import trace_text
from redmax.io.expressions import Expression, Written, Wrong, number
from redmax.io.kinds import ALWAYS, FUNCTIONS
from redmax.io.missing import MISSING
from redmax.io.own import made_law, made_material
from redmax.io.problems import among, shown
from redmax.io.source import Item, plain
from redmax.io.traces import SITE, Recorded, TableShape, Trace, leaves
from redmax.joints.base import joint

if TYPE_CHECKING:
    from redmax.io.decode import Decoder

VECTORS = {("body", "torque"), ("body", "motion"), ("Actuator", "function"), ("Servo", "target"), ("map", "function"), ("force", "torque")}
LAWS = {
    "law": {"energy": ["x", "data"], "forces": ["x", "data"], "damping": ["x", "v", "data"]},
    "material": {"own": ["mu", "lam"], "nominal": ["mu", "lam"], "density": ["F", "mu", "lam"], "stress": ["F", "mu", "lam"]},
}
SIZE = 10_000  # entries of an argument


def function_value(decoder: Decoder, item: Item, kind: str, argument: str, context: Mapping[str, Any]) -> Any:
    """A function, or numbers where constants may stand in its place."""
    if argument == "modes":
        return modes(decoder, item)
    if item.value is None or ((kind, argument) == ("CurveJoint", "frame") and item.value in ("tangent", "fixed")):
        return item.value
    names = list(FUNCTIONS[kind, argument])
    return called_with(decoder, item, names, context.get("parameters", {}), argument in ALWAYS, (kind, argument) in VECTORS)


def modes(decoder: Decoder, item: Item) -> Any:
    if not isinstance(item.value, list) or not all(isinstance(x.value, list) and len(x.value) == 2 for x in item.value):
        return decoder.wrong(item, "modes are a list of pairs [control values, function of t].")
    found = [(decoder.value(values), called_with(decoder, f, ["t"], {}, True, False)) for values, f in (x.value for x in item.value)]
    return MISSING if any(x is MISSING for pair in found for x in pair) else found


def called_with(
    decoder: Decoder, item: Item, names: list[str], parameters: Mapping[str, Any], always: bool, vector: bool, empty: bool = False
) -> Any:
    """A function of these arguments, by position, and of these parameters, by name. always: also where it is constant.

    empty: whether parts of it may be left empty, as the torque of a wrench
    """
    if isinstance(item.value, dict):
        if set(item.value) == {"function"}:
            return traced(decoder, item.value["function"], names, parameters)
        if set(item.value) == {"array"}:
            return decoder.value(item)
        return decoder.wrong(item, "a function is an expression, a list of them, or {function: its name in the section functions}.")
    parts = expressions(decoder, item, {*decoder.parameters, *decoder.unknown, *names, *parameters}, empty)
    if parts is MISSING:
        return MISSING
    used = {name for e in leaves(parts) if isinstance(e, Expression) for name in e.names}
    if used & (decoder.unknown - {*names, *parameters}):
        return MISSING
    used &= {*names, *parameters}
    if not used and not always:
        try:
            return numbers(parts, decoder.parameters)
        except Wrong as error:
            return decoder.wrong(item, str(error))
    constants = {n: v for n, v in decoder.parameters.items() if n not in names and n not in parameters}
    return Written(parts, names, parameters, constants, vector)


def expressions(decoder: Decoder, item: Item, known: Collection[str], empty: bool) -> Any:
    """Expressions and numbers, in nested lists."""
    if isinstance(item.value, list):
        found = [expressions(decoder, x, known, empty) for x in item.value]
        return MISSING if any(x is MISSING for x in found) else found
    if isinstance(item.value, str):
        try:
            return Expression(item.value, known)
        except Wrong as error:
            return decoder.wrong(item, str(error))
    if (item.value is None and empty) or (isinstance(item.value, int | float) and np.isfinite(item.value)):
        return item.value
    return decoder.wrong(item, f"{shown(plain(item))} is no number and no expression.")


def numbers(parts: Any, parameters: Mapping[str, Any]) -> Any:
    if isinstance(parts, list):
        return [numbers(p, parameters) for p in parts]
    return number(parts, parameters) if isinstance(parts, Expression) else parts


def traced(decoder: Decoder, item: Item, names: list[str], parameters: Mapping[str, Any]) -> Any:
    """A function of the section, checked to take what it will be called with."""
    if not isinstance(item.value, str) or item.value not in decoder.functions:
        return decoder.wrong(item, f"there is no function {item.value!r}. {among(item.value, decoder.functions)}")
    function = decoder.functions[item.value]
    if function is MISSING:
        return MISSING
    takes = list(function.trace.arguments), set(function.trace.parameters)
    with_time = [*names, "t"]  # what depends on time takes it as its last argument
    if takes[0] not in (names, with_time) or takes[1] != set(parameters):
        wanted = ", ".join([*names, *parameters])
        return decoder.wrong(item, f"the function {item.value!r} takes {', '.join([*takes[0], *sorted(takes[1])])}, expected {wanted}.")
    return function


def read_trace(decoder: Decoder, item: Item, name: str) -> Any:
    """An entry of the section of functions."""
    if id(item) in decoder.broken:
        return MISSING
    content: dict[str, Item] = item.value
    shapes: list[dict[str, Any]] = []
    for part in ("arguments", "parameters"):
        given = plain(content[part]) if part in content else {}
        if not all(n.replace(".", "_").isidentifier() and is_shape(s) for n, s in given.items()):
            return decoder.wrong(content[part], f"{part} of function {name!r} are names with shapes, such as q: [3].")
        shapes.append({n: shape_of(s) for n, s in given.items()})
    text, returns = content["operations"], plain(content["returns"])
    wrong: list[int] = []

    def problem(number: int, message: str) -> None:
        wrong.append(number)
        decoder.report(text.line + 1 + number, f"{message}.")

    operations = trace_text.parsed(text.value, shapes[0], shapes[1], problem)
    count = len(operations)
    if not all(x is None or (type(x) is int and 0 <= x < count) for x in leaves(returns)):
        return decoder.wrong(content["returns"], f"function {name!r} returns other things than numbers of its {count} operations.")
    return MISSING if wrong else Recorded(Trace(name, shapes[0], shapes[1], operations, returns))


def is_shape(given: Any) -> bool:
    if given == SITE:
        return True
    sizes = given.get("table") if isinstance(given, dict) and set(given) == {"table"} else given
    return isinstance(sizes, list) and len(sizes) <= 4 and all(type(n) is int and 0 <= n <= SIZE for n in sizes)


def shape_of(given: Any) -> Any:
    return SITE if given == SITE else TableShape(tuple(given["table"])) if isinstance(given, dict) else tuple(given)


def own_object(decoder: Decoder, item: Item, name: str, arguments: Mapping[str, Item]) -> Any:
    """A joint or a force from a function, as `redmax.joint` and `redmax.force` make them."""
    from redmax.io.structure import OWN

    fits, known = decoder.fits(item, OWN[name]), OWN[name].model_fields
    if name == "force" and len(arguments.keys() & {"bodies", "path", "joint"}) != 1:
        return decoder.wrong(item, "force needs one of bodies (a list), path (a list of points) or joint, which its function is about.")
    if name in LAWS:
        return own_law(decoder, item, name, arguments) if fits else MISSING
    parameters: Any = decoder.own_parameters(arguments["parameters"], known) if "parameters" in arguments else {}
    if parameters is MISSING:
        return MISSING
    found: dict[str, Any] = {}
    for argument, given in arguments.items():
        if given.value is None:
            continue
        if argument in ("function", "potential", "tension", "torque"):
            found[argument] = own_function(decoder, given, name, argument, arguments, parameters)
        elif argument != "parameters" and argument in known:
            found[argument] = decoder.value(given, "", argument)
    if not fits or any(x is MISSING for x in found.values()):
        return MISSING
    return decoder.made(item, name, joint if name == "joint" else force, found | parameters)


def own_law(decoder: Decoder, item: Item, name: str, arguments: Mapping[str, Item]) -> Any:
    """The law of an element, or a material."""
    found: dict[str, Any] = {}
    for argument, given in arguments.items():
        called = LAWS[name].get(argument)
        found[argument] = given.value if called is None else called_with(decoder, given, called, {}, True, False)
    if any(x is MISSING for x in found.values()):
        return MISSING
    return decoder.made(item, name, made_law if name == "law" else made_material, found)


def own_function(
    decoder: Decoder, item: Item, kind: str, argument: str, arguments: Mapping[str, Item], parameters: Mapping[str, Any]
) -> Any:
    bodies = arguments["bodies"].value if "bodies" in arguments else []
    sites = [f"site{i + 1}" for i in range(len(bodies) if isinstance(bodies, list) else 0)]
    names = {"tension": ["length", "rate"], "torque": ["t", "q", "qdot"], "function": ["q"] if kind == "joint" else sites}.get(argument)
    if names is None:
        names = ["length"] if "path" in arguments else ["q"] if "joint" in arguments else sites
    timed = argument != "torque" and mentions_time(item)
    return called_with(decoder, item, [*names, "t"] if timed else names, parameters, True, (kind, argument) in VECTORS, kind == "force")


def mentions_time(item: Item) -> bool:
    """Whether an expression of the item has the name t; a trace says by itself."""
    if isinstance(item.value, list):
        return any(map(mentions_time, item.value))
    if not isinstance(item.value, str):
        return False
    return re.search(r"(?<![\w.])t(?!\w)", item.value) is not None
