"""Parameters of deformables: what one was made with, such as a mass, a density, Young's modulus, a stiffness or a shape at rest.

    masses of the nodes | data of the elements, with beta behind them | alpha m of each node

follow from these numbers; the deformable is made again with others, as joints and forces are (remade.py), and its nodes begin where they
did. What programs take lies in several places: the mass of a node in its record, the data of elements in those of each. So what follows is
computed once, and each place has its share of it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from redmax.components.numbers import Path, Values, made_with, numbers_in
from redmax.deformables.base import Deformable
from redmax.deformables.elements import Elements
from redmax.errors import SceneError
from redmax.model.deformable_nodes import Soft
from redmax.model.remade import MADE, Constants, Maker, Refused, Remaking, flat, places, remaking

if TYPE_CHECKING:
    from redmax.model.model import Model
    from redmax.model.parameters import Parameter

SOFT = "soft"  # how the paths of their numbers begin
MASSES, ELEMENTS, DRAG = "masses", "elements", "drag"  # what follows


@dataclass(frozen=True, eq=False)
class Share(Remaking):
    """What of all that is made lies in one place. part: which of the entries of the whole"""

    whole: Remaking
    part: tuple[int, ...]

    def columns(self, given: Mapping[str, np.ndarray]) -> np.ndarray:
        """(..., entries) from values by name."""
        return self.whole.columns(given)[..., list(self.part)]


def numbers_of_soft(shape: Deformable) -> dict[Path, np.ndarray]:
    """What a deformable was made with, but for which nodes are joined; of one that was given elements, their data."""
    found = {path: x for path, x in numbers_in(shape).items() if path[0] not in ("tets", "surface", "lines")}
    given = shape.arguments().get(ELEMENTS, ())
    return found | {(ELEMENTS, str(k)): e.data for k, e in enumerate(given)}


def soft_again(shape: Deformable, values: Values) -> Deformable:
    """It, with other numbers and no node that is held."""
    own = {path: x for path, x in values.items() if path[0] != ELEMENTS}
    data = {int(path[1]): x for path, x in values.items() if path[0] == ELEMENTS}
    made = made_with(shape, own)
    again = tuple(Elements(e.law, e.nodes, data[k]) if k in data else e for k, e in enumerate(made.elements))
    return made._changed(elements=again) if data else made


def soft_constants(shape: Deformable) -> Constants:
    """All that programs know of it."""
    alpha, beta = shape.rayleigh
    data = [np.column_stack([e.data, np.full(len(e), beta)]) if beta else e.data for e in shape.elements]
    found = {MASSES: shape.masses} | {f"{ELEMENTS}{k}": x for k, x in enumerate(data)}
    return found | ({DRAG: alpha * shape.masses} if alpha else {})


def soft_maker(soft: Soft) -> Maker:
    """The constants of a deformable with other numbers."""

    def make(values: Values) -> Constants:
        found = soft_again(soft.shape, {path[1:]: x for path, x in values.items()}) if values else soft.shape
        now, before = found.elements, soft.shape.elements
        alike = len(now) == len(before) and all(
            a.law == b.law and np.array_equal(a.nodes, b.nodes) for a, b in zip(now, before, strict=True)
        )
        if not alike or any(bool(a) != bool(b) for a, b in zip(found.rayleigh, soft.shape.rayleigh, strict=True)):
            raise Refused("other elements are needed for it with other numbers, as where one of them is zero in the scene")
        return soft_constants(found)

    return make


def soft_shares(model: Model, chosen: Sequence[Parameter]) -> list[Parameter]:
    """Parameters of deformables, as many times as there are places that follow from them."""
    done: list[Parameter] = []
    for soft in model.soft:
        own = [p for p in chosen if p.owner is soft]
        if own:
            whole = followed(soft, own)
            done += [replace(p, default=np.zeros(0)) for p in own[1:]] + shared(soft, own[0], whole)
    return done


def followed(soft: Soft, own: Sequence[Parameter]) -> Remaking:
    """What changes with these numbers of a deformable: of elements of one kind, the same of all."""
    make = soft_maker(soft)
    values, names = {p.path: p.default.reshape(p.shape) for p in own}, {p.path: p.name for p in own}
    try:
        for p in own:
            remaking(make, {p.path: values[p.path]}, {p.path: p.name})
        found = remaking(make, values, names)
    except Refused as why:
        said = f"{' and '.join(map(repr, names.values()))} cannot be a parameter: {why}."
        raise SceneError(said, owner="parameters", argument=own[0].name) from None
    base, entries = make({}), list[tuple[str, int]]()
    for name, value in base.items():
        changed = {k for n, k in found.entries if n == name}
        width = np.shape(value)[-1] if name.startswith(ELEMENTS) else 1
        columns = {k % width for k in changed}
        entries += [(name, k) for k in range(np.size(value)) if k % width in columns]
    return replace(found, entries=tuple(entries), same=False)


def shared(soft: Soft, p: Parameter, whole: Remaking) -> list[Parameter]:
    """One for the mass of each node, and one for the elements of each kind and for damping by mass."""
    done: list[Parameter] = []
    numbered = [(name, k, at) for at, (name, k) in enumerate(whole.entries)]
    base = whole.make({})
    values = flat(base)[places(base, whole.entries)]
    for name in dict.fromkeys(name for name, _, _ in numbered):
        own = [(k, at) for n, k, at in numbered if n == name]
        if name == MASSES:
            for k, at in own:
                share = Share(whole.make, whole.values, whole.names, (("mass", 0),), False, whole.owner, whole, (at,))
                done.append(replace(p, place=soft.first + k, what=MADE, default=values[[at]], remaking=share))
            continue
        entries, part = tuple((name, k) for k, _ in own), tuple(at for _, at in own)
        share = Share(whole.make, whole.values, whole.names, entries, False, whole.owner, whole, part)
        owner = soft if name == DRAG else soft.shape.elements[int(name.removeprefix(ELEMENTS))]
        done.append(replace(p, what=MADE, default=values[[at for _, at in own]], owner=owner, remaking=share))
    return done
