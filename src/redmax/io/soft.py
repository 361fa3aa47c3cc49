"""A deformable of a file: its kind, then what keeps its nodes and where they start."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from redmax.io.looks import appearance
from redmax.io.missing import MISSING
from redmax.io.source import Item
from redmax.io.touching import contact

if TYPE_CHECKING:
    from redmax.io.decode import Decoder

STEPS = ("hold", "attach", "tie", "touching", "positions", "velocities", "explicit", "painted")
EXAMPLE = "Cloth: {size: [1, 1], cells: [4, 4], density: 0.2, stretch: 50}"


def deformable(decoder: Decoder, item: Item) -> Any:
    """A deformable with what is done to it behind its kind (STEPS), or MISSING."""
    from redmax.io.structure import Steps

    if not isinstance(item.value, dict):
        return decoder.member(item, "deformable", EXAMPLE)
    kind = {name: given for name, given in item.value.items() if name not in STEPS}
    more = {name: given for name, given in item.value.items() if name in STEPS}
    made: Any = decoder.member(Item(kind, item.line, item.lines), "deformable", EXAMPLE)
    fits = decoder.fits(Item(more, item.line, item.lines), Steps, depth=3)
    steps = {name: decoder.value(given) for name, given in more.items() if name not in ("attach", "tie", "painted", "touching")}
    steps |= {"painted": appearance(decoder, more["painted"])} if "painted" in more else {}
    steps |= {"touching": touching(decoder, more["touching"])} if "touching" in more else {}
    kept = [(name, group, keeper(decoder, group)) for name in ("attach", "tie") if name in more for group in groups(more[name])]
    if not fits or made is MISSING or any(x is MISSING for x in steps.values()) or any(x is MISSING for _, _, x in kept):
        return MISSING
    if "hold" in steps:
        lines: dict[str, int] = item.lines or {}
        made = decoder.made(Item(None, lines.get("hold", item.line)), "hold", made.hold, {"nodes": steps["hold"]})
    for name, group, arguments in kept:
        decoder.charge(group, "objects")
        decoder.charge(group, "nodes kept before", 0 if made is MISSING else len(made.attachments) + len(made.ties))
        made = MISSING if made is MISSING else decoder.made(group, name, getattr(made, name), arguments)
    if "touching" in steps and made is not MISSING:
        made = decoder.made(more["touching"], "touching", made.touching, steps["touching"])
    moved = {name: steps[name] for name in ("positions", "velocities") if name in steps}
    if moved and made is not MISSING:
        made = decoder.made(item, "positions", made.moved, moved)
    if "painted" in steps and made is not MISSING:
        made = decoder.made(more["painted"], "painted", made.painted, steps["painted"])
    return made.explicit() if steps.get("explicit") and made is not MISSING else made


def touching(decoder: Decoder, item: Item) -> Any:
    """Arguments of `touching`: all of them, or the first alone."""
    from redmax.io.structure import TouchingEntry

    if not isinstance(item.value, dict):
        alone = contact(decoder, item)
        return MISSING if alone is MISSING else {"contact": alone}
    if not decoder.fits(item, TouchingEntry):
        return MISSING
    found = {n: contact(decoder, x) if n == "contact" else decoder.value(x, "touching", n) for n, x in item.value.items()}
    return MISSING if any(x is MISSING for x in found.values()) else found


def groups(item: Item) -> list[Item]:
    """The entries of a list of kept nodes."""
    return item.value if isinstance(item.value, list) else []


def keeper(decoder: Decoder, item: Item) -> Any:
    """Arguments of `attach` or `tie`."""
    if id(item) in decoder.broken:
        return MISSING
    found = {name: decoder.value(given, "keeper", name) for name, given in item.value.items()}
    return MISSING if any(x is MISSING for x in found.values()) else found
