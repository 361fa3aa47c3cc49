"""The parameters that a file declares: numbers with names, each an expression of those above it, which others may give values to."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from redmax.io.decode import Decoder
from redmax.io.expressions import is_finite
from redmax.io.meaning import NOTHING
from redmax.io.missing import MISSING
from redmax.io.problems import among, shown
from redmax.io.source import Item

RESERVED = ("t", "q", "qdot", "pi")


def read_parameters(decoder: Decoder, item: Item | None, overrides: Mapping[str, Any]) -> None:
    """Their values, for the decoder. overrides: other ones, by name; item: the section, if there is one."""
    content: dict[str, Item] = item.value if item is not None and isinstance(item.value, dict) else {}
    for name, given in content.items():
        value = MISSING if name not in overrides and comes_later(decoder, name, given, content) else found(decoder, name, given, overrides)
        if value is MISSING:
            decoder.unknown[name] = None
        else:
            decoder.parameters[name] = value
    for name in overrides:
        if name not in content:
            line = 1 if item is None else item.line
            decoder.report(line, f"there is no parameter {shown(name)} to give another value. {among(name, content)}")


def found(decoder: Decoder, name: str, item: Item, overrides: Mapping[str, Any]) -> Any:
    """The value of one parameter: the one given instead of it, or its own; MISSING if that is wrong."""
    value = overrides.get(name, MISSING if id(item) in decoder.broken else item.value)
    if not name.isidentifier() or name in RESERVED:
        return decoder.wrong(item, f"{shown(name)} cannot be the name of a parameter. Choose another word of letters, digits and _.")
    if isinstance(value, str):
        value = decoder.text(Item(value, item.line), NOTHING, name)
    if value is MISSING or (isinstance(value, bool | int | float) and is_finite(value)):
        return value
    return decoder.wrong(item, f"the parameter {name!r} is {shown(value)}, expected a finite number or an expression.")


def comes_later(decoder: Decoder, name: str, item: Item, content: Mapping[str, Item]) -> bool:
    """Whether the expression of a parameter needs one that has no value yet."""
    words = re.findall(r"[^\W\d]\w*", item.value) if isinstance(item.value, str) else []
    for word in words:
        if word in content and word not in decoder.parameters and word not in decoder.unknown:
            what = "is given by itself" if word == name else f"needs {word!r}, which comes only later, in line {content[word].line}"
            decoder.report(item.line, f"the parameter {name!r} {what}. A parameter may use those above it.")
            return True
    return False
