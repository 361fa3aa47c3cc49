"""Functions in a file: expressions that a person writes, and traces from the section of functions; and what is made of such a function."""

from __future__ import annotations

import re
from collections import ChainMap
from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, Any

from redmax.constraints.own import constraint
from redmax.forces.own import force
from redmax.io import trace_text
from redmax.io.expressions import Expression, Written, Wrong, is_finite, number
from redmax.io.kinds import STATE
from redmax.io.meaning import Meaning
from redmax.io.missing import MISSING
from redmax.io.own import made_law, made_material
from redmax.io.probe import probe_law
from redmax.io.problems import among, shown
from redmax.io.recorded import InvalidTrace, Recorded
from redmax.io.source import Item, plain
from redmax.io.traces import SITE, TableShape, Trace, leaves
from redmax.io.valid_trace import worded, wrong_parameter
from redmax.joints.base import joint

if TYPE_CHECKING:
    from redmax.io.decode import Decoder

Shapes = Mapping[str, Any]  # what a function is called with, by name; a text within a shape stands for a number that is not known here
NODES, LAME = {"x": ("nodes", 3), "data": ("numbers",)}, {"mu": (), "lam": ()}
LAWS: dict[str, dict[str, Shapes]] = {
    "law": {"energy": NODES, "forces": NODES, "damping": {"x": ("nodes", 3), "v": ("nodes", 3), "data": ("numbers",)}},
    "material": {"own": LAME, "nominal": LAME, "density": {"F": (3, 3), **LAME}, "stress": {"F": (3, 3), **LAME}},
}


def function_value(decoder: Decoder, item: Item, argument: str, meant: Meaning, context: Mapping[str, Any]) -> Any:
    """A function, or numbers where constants may stand in its place, or one of the words that may."""
    assert meant.called is not None
    if meant.several:
        return modes(decoder, item)
    if item.value is None or item.value in meant.words:
        return item.value
    return called_with(decoder, item, meant.called.arguments, context.get("parameters", {}), meant.always, meant.called.each)


def modes(decoder: Decoder, item: Item) -> Any:
    """The modes of a surface that changes in time: pairs of control values and a function of time."""
    if not isinstance(item.value, list) or not all(isinstance(x.value, list) and len(x.value) == 2 for x in item.value):
        return decoder.wrong(item, "modes are a list of pairs [control values, function of t].")
    found = [(decoder.value(values), called_with(decoder, f, {"t": ()}, {}, True, False)) for values, f in (x.value for x in item.value)]
    return MISSING if any(x is MISSING for pair in found for x in pair) else found


def called_with(
    decoder: Decoder, item: Item, names: Shapes, parameters: Mapping[str, Any], always: bool, vector: bool, empty: bool = False
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
    own = dict.fromkeys((*names, *parameters))
    parts = expressions(decoder, item, ChainMap(own, *decoder.known.maps), empty)
    if parts is MISSING:
        return MISSING
    used = {name for e in leaves(parts) if isinstance(e, Expression) for name in e.names}
    if any(name in decoder.unknown and name not in own for name in used):
        return MISSING
    if not any(name in own for name in used) and not always:
        try:
            return evaluated(parts, decoder.parameters)
        except Wrong as error:
            return decoder.wrong(item, str(error))
    return Written(parts, names, parameters, decoder.parameters, vector)


def expressions(decoder: Decoder, item: Item, known: Collection[str], empty: bool) -> Any:
    """Expressions and numbers, in nested lists."""
    if isinstance(item.value, list):
        found = [expressions(decoder, x, known, empty) for x in item.value]
        return MISSING if any(x is MISSING for x in found) else found
    if isinstance(item.value, str):
        try:
            return decoder.expression(item, known)
        except Wrong as error:
            return decoder.wrong(item, str(error))
    if (item.value is None and empty) or (isinstance(item.value, int | float) and is_finite(item.value)):
        return item.value
    return decoder.wrong(item, f"{shown(item)} is no number and no expression.")


def evaluated(parts: Any, parameters: Mapping[str, Any]) -> Any:
    """Nested lists with each expression as a number."""
    if isinstance(parts, list):
        return [evaluated(p, parameters) for p in parts]
    return number(parts, parameters) if isinstance(parts, Expression) else parts


def traced(decoder: Decoder, item: Item, arguments: Shapes, parameters: Mapping[str, Any]) -> Any:
    """A function of the section, checked to take what it will be called with."""
    if not isinstance(item.value, str) or item.value not in decoder.functions:
        return decoder.wrong(item, f"there is no function {item.value!r}. {among(item.value, decoder.functions)}")
    function = decoder.functions[item.value]
    if function is MISSING:
        return MISSING
    decoder.charge(item, "operations of functions", function.trace.size)  # it is called where the scene begins
    takes: Trace = function.trace
    timed = {**arguments, "t": ()}  # what depends on time takes it as its last argument
    if list(takes.arguments) not in (list(arguments), list(timed)) or set(takes.parameters) != set(parameters):
        wanted, found = ", ".join([*arguments, *parameters]), ", ".join([*takes.arguments, *sorted(takes.parameters)])
        return decoder.wrong(item, f"the function {item.value!r} takes {found}, expected {wanted}.")
    for name, shape in takes.arguments.items():
        if not alike(shape, timed[name]):
            return decoder.wrong(item, f"the function {item.value!r} takes {worded(shape)} as {name!r}, but is given {given(timed[name])}.")
    for name, shape in takes.parameters.items():
        why = wrong_parameter(name, parameters[name], shape)
        if why is not None:
            return decoder.wrong(item, f"the function {item.value!r}: {why}.")
    return function


def alike(shape: Any, wanted: Any) -> bool:
    """Whether two shapes may be the same, as far as they are known."""
    if SITE in (shape, wanted) or len(shape) != len(wanted):
        return shape == wanted
    return all(n == m or isinstance(m, str) for n, m in zip(shape, wanted))


def given(shape: Any) -> str:
    """A shape in words."""
    return worded(tuple(n if isinstance(n, int) else f"the {n}" for n in shape) if isinstance(shape, tuple) else shape)


def read_trace(decoder: Decoder, item: Item, name: str) -> Any:
    """An entry of the section of functions."""
    if id(item) in decoder.broken:
        return MISSING
    content: dict[str, Item] = item.value
    shapes: list[dict[str, Any]] = []
    for part in ("arguments", "parameters"):
        named = plain(content[part]) if part in content else {}
        strange = next((n for n, s in named.items() if not is_shape(s)), None)
        if strange is not None:
            return decoder.wrong(content[part], f"{part} of function {name!r} are names with shapes, such as q: [3]; {strange!r} is not.")
        shapes.append({n: shape_of(s) for n, s in named.items()})
    text, unread = content["operations"], set[int]()
    decoder.charge(text, "operations of functions", text.value.count("\n") + 1)
    decoder.charge(text, "numbers of tables", text.value.count(","))
    lines = text.value.splitlines()

    def problem(number: int, message: str) -> None:
        if number not in unread:
            decoder.report(text.line + 1 + number, f"{lines[number][:60]!r} is no operation: {message}.")
        unread.add(number)

    operations = trace_text.parsed(text.value, problem)
    try:
        found = Recorded(Trace(name, shapes[0], shapes[1], operations, plain(content["returns"])))
    except InvalidTrace as error:
        for part, number, message in error.mistakes:
            if part == "operations" and number >= 0:
                problem(number, message)
            else:
                decoder.report(content[part].line, f"{part} of function {name!r}: {message}.")
        return MISSING
    return MISSING if unread else found


def is_shape(given: Any) -> bool:
    """Whether this may be the shape of an argument: sizes, those of a table, or a site."""
    sizes = given.get("table") if isinstance(given, dict) and set(given) == {"table"} else given
    return given == SITE or isinstance(sizes, list)


def shape_of(given: Any) -> Any:
    """A shape as traces have it."""
    return SITE if given == SITE else TableShape(tuple(given["table"])) if isinstance(given, dict) else tuple(given)


def own_object(decoder: Decoder, item: Item, name: str, arguments: Mapping[str, Item]) -> Any:
    """A joint, a force or a constraint from a function, as `redmax.joint`, `redmax.force` and `redmax.constraint` make them."""
    from redmax.io.structure import OWN

    fits, known = decoder.fits(item, OWN[name]), OWN[name].model_fields
    if name == "force" and len(arguments.keys() & {"bodies", "path", "joint"}) != 1:
        return decoder.wrong(item, "force needs one of bodies (a list), path (a list of points) or joint, which its function is about.")
    if name == "constraint" and not arguments.keys() & {"bodies", "joints"}:
        return decoder.wrong(item, "constraint needs bodies (a list), joints (a list) or both, which its function is about.")
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
            found[argument] = decoder.value(given, name, argument)
    if not fits or any(x is MISSING for x in found.values()):
        return MISSING
    if not decoder.afford(item, name, found):
        return MISSING
    return decoder.made(item, name, {"joint": joint, "force": force, "constraint": constraint}[name], found | parameters)


def own_law(decoder: Decoder, item: Item, name: str, arguments: Mapping[str, Item]) -> Any:
    """The law of an element, or a material."""
    found: dict[str, Any] = {}
    for argument, given in arguments.items():
        called = LAWS[name].get(argument)
        sizes = {n: arguments[n].value for n in ("nodes", "numbers") if n in arguments}
        found[argument] = given.value if called is None else called_with(decoder, given, known(called, sizes), {}, True, False)
    if any(x is MISSING for x in found.values()):
        return MISSING
    made = made_law if name == "law" else made_material
    return decoder.made(item, name, lambda **given: probe_law(made(**given)), found)


def own_function(
    decoder: Decoder, item: Item, kind: str, argument: str, arguments: Mapping[str, Item], parameters: Mapping[str, Any]
) -> Any:
    """A function of a joint, force or law that is made of functions, with the arguments that such a one is called with."""
    bodies = arguments["bodies"].value if "bodies" in arguments else []
    sites: Shapes = {f"site{i + 1}": SITE for i in range(len(bodies) if isinstance(bodies, list) else 0)}
    coordinates = {"q": (arguments["dof"].value,)} if "dof" in arguments else {"q": ("nq",)}
    sites = {**sites, **read_coordinates(arguments)} if kind == "constraint" else sites
    called: Shapes | None = {
        "tension": {"length": (), "rate": ()},
        "torque": STATE.arguments,
        "function": coordinates if kind == "joint" else sites,
    }.get(argument)
    if called is None:
        called = {"length": ()} if "path" in arguments else coordinates if "joint" in arguments else sites
    timed = argument != "torque" and mentions_time(item)
    called = {**called, "t": ()} if timed else called
    return called_with(decoder, item, called, parameters, True, (kind, argument) == ("force", "torque"), kind == "force")


def read_coordinates(arguments: Mapping[str, Item]) -> Shapes:
    """What the function of a constraint is called with for its joints: q1, q2, ..., each with its rates where velocities are asked for."""
    joints = arguments["joints"].value if "joints" in arguments else []
    moving = "velocities" in arguments and arguments["velocities"].value is True
    each = ("q", "qdot") if moving else ("q",)
    return {f"{name}{k + 1}": ("dof",) for k in range(len(joints) if isinstance(joints, list) else 0) for name in each}


def known(shapes: Shapes, sizes: Mapping[str, Any]) -> Shapes:
    """Shapes with these numbers for the texts within them."""
    return {name: tuple(sizes.get(n, n) if isinstance(n, str) else n for n in shape) for name, shape in shapes.items()}


def mentions_time(item: Item) -> bool:
    """Whether an expression of the item has the name t; a trace says by itself."""
    if isinstance(item.value, list):
        return any(map(mentions_time, item.value))
    if not isinstance(item.value, str):
        return False
    return re.search(r"(?<![\w.])t(?!\w)", item.value) is not None
