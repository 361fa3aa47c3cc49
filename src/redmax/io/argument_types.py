"""The pydantic type of an argument in a file, from what the argument means: loading validates with it, and the JSON schema is made of it.

The schema says more than loading asks: bounds and shapes are for editors, while in loading the constructor tells about these, in its own
words. The description of a type says what is expected, in the sentences about mistakes and in editors.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal, get_args, get_origin

from pydantic import Field

from redmax.components.given import Range, Shape
from redmax.io.kinds import FAMILIES
from redmax.io.meaning import Meaning

LATER = "later"  # in the place of "$ref", which pydantic would look up
BOUNDS = {"above": "exclusiveMinimum", "least": "minimum", "below": "exclusiveMaximum", "most": "maximum"}


class Later:
    """A value that the Decoder looks into; its schema is that of a definition."""

    def __init__(self, definition: str) -> None:
        self.definition = definition

    def __get_pydantic_json_schema__(self, core: Any, handler: Any) -> dict[str, Any]:
        return {LATER: f"#/$defs/{self.definition}"}


def described(types: Any, expected: str, **seen: Any) -> Any:
    """seen: what the schema says of it, beside what loading asks for."""
    return Annotated[types, Field(description=expected, json_schema_extra=seen or None)]


def optional(kind: Any) -> Any:
    """The same or nothing, with the same description."""
    base, *more = get_args(kind) if get_origin(kind) is Annotated else (kind,)
    return Annotated[base | None, *more] if more else base | None


TEXT = described(str, "text")
EXPRESSION = "a number, or an expression such as pi/4"
NUMBER = described(int | float | str, EXPRESSION)
TRUTH = described(bool | str, "true or false")
FUNCTION = described(
    int | float | str | list[Any] | dict[str, Any] | None, "an expression, a list of them, or {function: its name in the section functions}"
)
BODY = described(str | dict[str, Any], "the name of a body")
BY_JOINT = described(dict[str, Any], "joints with a number each, such as {hip: 1, knee: -0.5}")
PLACE = described(
    str | list[Any] | dict[str, Any],
    "the name of a body or a frame, {body, point}, {body, pose}, or a point of the world such as [0, 0, 1]",
)
THINGS = "a number, an expression, an object, or a list of these"
ANYTHING = described(Any, THINGS)
LIST = described(list[Any], "a list")
KIND = {family: Annotated[Any, Later(f"{family}Kind")] for family in FAMILIES}
SIMPLE: dict[Any, Any] = {float: NUMBER, int: NUMBER, bool: TRUTH, str: TEXT}
SIMPLE |= {cls: KIND[family] for family, classes in FAMILIES.items() for cls in classes if len(classes) == 1}


def argument_type(meant: Meaning, default: Any) -> Any:
    """What a file has for an argument; nothing where that is the default."""
    if Shape in meant.members and set(meant.members) <= {Shape, str} and meant.called is None:
        seen = array_schema(meant)
        return described(Any, THINGS, **({"anyOf": [seen, {"type": "null"}]} if default is None else seen))
    found = kind_of(meant)
    return optional(found) if default is None else found


def kind_of(meant: Meaning) -> Any:
    """The type for what an argument means, before bounds and None."""
    if meant.called is not None:
        return LIST if meant.several else FUNCTION
    if meant.words:
        return Literal[meant.words]
    if meant.body:
        return BODY
    if meant.by_joint:
        return BY_JOINT
    if meant.place or meant.joint:
        return LIST if meant.several else PLACE
    found = SIMPLE.get(meant.members[0], ANYTHING) if len(meant.members) == 1 else ANYTHING
    return described(int | float | str, EXPRESSION, **bounded(meant)) if found is NUMBER and (meant.range or meant.unit) else found


def bounds(range: Range | None) -> dict[str, float]:
    """A range as a JSON schema has it."""
    return {} if range is None else {word: value for name, word in BOUNDS.items() if (value := getattr(range, name)) is not None}


def bounded(meant: Meaning) -> dict[str, Any]:
    """Of a number: bounds, which say nothing of expressions."""
    unit = f" ({meant.unit})" if meant.unit else ""
    return {"description": f"a number{unit}, or an expression such as pi/4", **bounds(meant.range)}


def array_schema(meant: Meaning) -> dict[str, Any]:
    """Of an array: lists of numbers or expressions, or {array: ...}, in one of its shapes; or a text, where it may be one."""
    shapes = () if meant.shape is None else meant.shape.shapes
    nothing = ["null"] if meant.unbounded else []
    number = {"type": ["number", "string", *nothing], **bounds(meant.range)}
    found = [nested(shape, number, nothing) for shape in shapes] or [{}]
    found += [{"type": "string"}] if meant.text else []
    words = " or ".join(map(shown_shape, shapes))
    about = {"description": f"{words}{f' ({meant.unit})' if meant.unit else ''}"} if words else {}
    return about | (found[0] if len(found) == 1 else {"anyOf": found})


def nested(shape: tuple[int, ...], number: dict[str, Any], nothing: list[str]) -> dict[str, Any]:
    """The JSON schema of lists of this shape. number: that of an entry; nothing: ["null"] where entries may be left out."""
    if not shape:
        return number
    size = {} if shape[0] < 0 else {"minItems": shape[0], "maxItems": shape[0]}
    return {"type": ["array", "object", *nothing], "items": nested(shape[1:], number, nothing), **size}


def shown_shape(shape: tuple[int, ...]) -> str:
    """A shape in words."""
    return f"{' x '.join('n' if n < 0 else str(n) for n in shape)} numbers" if shape else "a number"
