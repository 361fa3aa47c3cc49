"""Points where pairs of shapes meet: stages that fill the raw table, kind by kind; of all pairs, or of those whose balls meet."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from redmax.dynamics.contact.asked import asked_stages
from redmax.dynamics.contact.detect import FINDERS
from redmax.dynamics.contact.fields import COUNTS, HELD, TABLE
from redmax.dynamics.contact.near_pairs import Kind, Pair
from redmax.model.model import Model
from redmax.program.program import ProgramStage
from redmax.program.routines.call import Addresses, Call

if TYPE_CHECKING:
    from redmax.dynamics.contact.stages import ContactSystem

MetByKind: TypeAlias = "Mapping[Kind, tuple[int, Sequence[Pair]]]"  # behind the number of the first


def met_by_kind(model: Model) -> MetByKind:
    """Pairs for which there are routines, in the order of their numbers."""
    pairs: dict[Kind, list[Pair]] = {kind: [] for kind in FINDERS}
    for pair in model.contact_pairs:
        pairs.get((pair[0].kind, pair[1].kind), []).append(pair)
    found: dict[Kind, tuple[int, list[Pair]]] = {}
    first = 0
    for kind, met in pairs.items():
        if met:
            found[kind] = first, met
            first += len(met)
    return found


def found_points(system: ContactSystem) -> list[ProgramStage]:
    """Of all pairs; last of those for which there is no routine."""
    near, result, last = system.near, list[ProgramStage](), 0
    if near is not None:
        result += near.stages(system)
    for kind, (first, met) in system.met_by_kind.items():
        several = 0 if near is None else near.counts.get(kind, 0)
        if near is not None and several:
            result.append(near.met(system, kind))
        if met[several:]:
            result.append(looked_at(system, kind, met[several:], first + several))
        last = first + len(met)
    return result + asked_stages(system, TABLE, HELD, COUNTS, last)


def looked_at(system: ContactSystem, kind: Kind, met: Sequence[Pair], first: int) -> Call:
    """Each pair of a kind."""
    data = system.data["found"], system.data["raw"]

    def rows(at: Addresses) -> list[tuple[Any, ...]]:
        place = system.model.contact_place
        a, b = [at.kept(*place(pair[0])) for pair in met], [at.kept(*place(pair[1])) for pair in met]
        return [(a, b, list(range(first, first + len(met))), len(met), *data, at.world(COUNTS), system.capacity)]

    return Call(FINDERS[kind], rows, data)
