"""A deformable of a file: its kind, then what keeps its nodes and where they start."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from redmax.deformables import Deformable
from redmax.io.missing import MISSING
from redmax.io.source import Item

if TYPE_CHECKING:
    from redmax.io.decode import Decoder

STEPS = ("hold", "attach", "tie", "positions", "velocities", "explicit")


def deformable(decoder: Decoder, item: Item) -> Any:
    if not isinstance(item.value, dict):
        return decoder.wrong(item, "a deformable is a kind with its arguments, such as Cloth: {size: [1, 1], ...}.")
    rest = {name: given for name, given in item.value.items() if name not in STEPS}
    made: Any = decoder.mapping(Item(rest, item.line, item.lines))
    steps = {name: decoder.value(item.value[name]) for name in ("hold", "positions", "velocities", "explicit") if name in item.value}
    kept = [(name, group, keeper(decoder, group)) for name in ("attach", "tie") for group in groups(decoder, item, name)]
    if made is MISSING or any(x is MISSING for x in steps.values()) or any(x is MISSING for _, _, x in kept):
        return MISSING
    if not isinstance(made, Deformable):
        return decoder.wrong(item, f"{type(made).__name__} is no deformable.")
    if "hold" in steps:
        made = decoder.made(item, "hold", made.hold, {"nodes": steps["hold"]})
    for name, group, arguments in kept:
        made = MISSING if made is MISSING else decoder.made(group, name, getattr(made, name), arguments)
    moved = {name: steps[name] for name in ("positions", "velocities") if name in steps}
    if moved and made is not MISSING:
        made = decoder.made(item, "positions", made.moved, moved)
    return made.explicit() if steps.get("explicit") and made is not MISSING else made


def groups(decoder: Decoder, item: Item, name: str) -> list[Item]:
    given = item.value.get(name)
    if given is None:
        return []
    if isinstance(given.value, list):
        return given.value
    decoder.report(given.line, f"{name} is a list of {{body, nodes, at}}.")
    return []


def keeper(decoder: Decoder, item: Item) -> Any:
    """Arguments of `attach` or `tie`."""
    if not isinstance(item.value, dict):
        return decoder.wrong(item, "what keeps nodes is {body, nodes, at}.")
    fits = decoder.check_names(item, "what keeps nodes", item.value, ["body", "nodes", "at"], ["body", "nodes"])
    found = {name: decoder.value(given, "", name) for name, given in item.value.items()}
    return MISSING if not fits or any(x is MISSING for x in found.values()) else found
