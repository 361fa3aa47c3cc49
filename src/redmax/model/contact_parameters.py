"""Numbers of contact as parameters: materials by name, and what shapes and pairs feel of materials, masses and centres.

    name.contact.friction, restitution, compliance, damping, torsional, rolling      of a body or an obstacle
    first-second.contact.friction, ...                                               of two with a law of their own (Scene.set_contact)

Shapes keep numbers of their surface and of their body (contact/law.py), pairs with a law of their own those of the law (pair_law.py). They
are made again with the values of each world, as other components are (remade.py).
"""

from __future__ import annotations

import copy
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from redmax.bodies.mass_properties import MassProperties
from redmax.components.numbers import Path, Values, inside
from redmax.contact.law import CONSTANTS, OWN_MOMENTS
from redmax.contact.material import ContactMaterial
from redmax.contact.pair_law import PAIR_NUMBERS
from redmax.contact.shape import ContactShape
from redmax.errors import SceneError
from redmax.model.made_again import moved_frames
from redmax.model.remade import MADE, Constants, Entry, Maker, Remaking, flat, nudged

if TYPE_CHECKING:
    from redmax.model.model import Model
    from redmax.model.parameters import Parameter

SURFACE, PAIR = "surface", "pair"  # how paths to numbers of materials begin
OF_MATERIALS = ("friction", "restitution", "compliance", "damping", "torsional", "rolling")
OF_BODIES = ("mass", "inertia")
NUMBERS = "numbers"  # what is kept of a shape or a pair, as a constant of its kernel
Moments = Mapping[int, tuple[float, np.ndarray]]


@dataclass(frozen=True)
class Feeling:
    """What reads parameters of contact. kind: "shape" or "pair"; number: among the shapes of a model, or the rows of its pairs' laws"""

    kind: str
    number: int


@dataclass(frozen=True, eq=False)
class Felt:
    """What a shape feels of bodies, where that is not as in the model: mass and inertia, body frames in joint frames, and its material.

    inverted: whether 1 / m and I^-1 are its numbers, or m and I, which its kernel inverts
    """

    moments: Moments = field(default_factory=dict)
    frames: Mapping[int, np.ndarray] = field(default_factory=dict)
    material: ContactMaterial | None = None
    inverted: bool = True


AS_IT_IS = Felt()


def materials(model: Model) -> Iterator[tuple[tuple[str, ...], Path, ContactMaterial]]:
    """(what it may be called, where it is, it) of each surface, and of each pair with its own."""
    if not model.touches:
        return
    surfaces = {o.name: o.contact for o in model.obstacles} | {k.name: k.contact for k in model.bodies if k.contact is not None}
    for name, material in surfaces.items():
        yield (name,), (SURFACE, name), material
    for pair, material in model.contact_laws.items():
        a, b = sorted(map(str, pair)) if len(pair) > 1 else [str(x) for x in pair] * 2
        yield (f"{a}-{b}", f"{b}-{a}"), (PAIR, a, b), material


def of_contact(model: Model) -> list[Parameter]:
    """The numbers of all materials, by name."""
    from redmax.model.parameters import Parameter

    return [
        Parameter(f"{name}.contact.{number}", None, MADE, (), np.array([getattr(material, number)], float), material, (*path, number))
        for names, path, material in materials(model)
        for name in dict.fromkeys(names)
        for number in OF_MATERIALS
    ]


def of_material(p: Parameter) -> bool:
    """Whether a parameter is a number of a material."""
    return p.path[:1] in ((SURFACE,), (PAIR,))


def changed(material: ContactMaterial, values: Values) -> ContactMaterial:
    """The same with other numbers, which are checked elsewhere."""
    other = copy.copy(material)
    for (name,), value in values.items():
        object.__setattr__(other, name, float(value))
    return other


def within(values: Values, path: Path) -> Values:
    """Those behind a path."""
    for part in path:
        values = inside(values, part)
    return values


def moments_with(model: Model, values: Values, apart: Collection[str]) -> Moments:
    """Mass and inertia of the bodies of which these are given: of a solid the inertia goes with its mass, unless it is apart."""
    found: dict[int, tuple[float, np.ndarray]] = {}
    for i in {int(path[1]) for path in values if path[0] in OF_BODIES}:
        shape, place = model.links[i].shape, str(i)
        mass, inertia = float(shape.mass), np.asarray(shape.inertia, float)
        given = values.get(("mass", place))
        if given is not None:
            inertia = inertia if isinstance(shape, MassProperties) or place in apart else inertia * (float(given) / mass)
            mass = float(given)
        own = values.get(("inertia", place))
        found[i] = mass, inertia if own is None else (own + own.T) / 2
    return found


def shape_maker(model: Model, k: int, inverted: bool, apart: Collection[str]) -> Maker:
    """The numbers of a shape."""
    shape = model.contact_shapes[k]

    def make(values: Values) -> Constants:
        material = changed(shape.material, within(values, (SURFACE, shape.owner)))
        felt = Felt(moments_with(model, values, apart), moved_frames(model, inside(values, "frame")), material, inverted)
        return {NUMBERS: model.shape_constants(shape, felt)}

    return make


def pair_maker(model: Model, row: int, apart: Collection[str]) -> Maker:
    """The numbers of a pair with a law of its own."""
    a, b = model.lawful_pairs[row]
    own = model.pair_key(a, b)
    place = None if own is None else next(path for _, path, m in materials(model) if path[0] == PAIR and m is model.contact_laws[own])

    def make(values: Values) -> Constants:
        law = model.pair_material(a, b)
        law = None if law is None or place is None else changed(law, within(values, place))
        surfaces = [changed(s.material, within(values, (SURFACE, s.owner))) for s in (a, b)]
        return {NUMBERS: np.array(model.numbers_of_pair(a, b, surfaces, law, moments_with(model, values, apart)), float)}

    return make


def path_of(p: Parameter) -> Path | None:
    """Where a parameter that is given stands among what contact is made with; None where it does not matter there."""
    if of_material(p):
        return p.path
    if p.moves_body:
        return ("frame", str(p.place), p.what)
    return (p.what, str(p.place)) if p.place is not None and p.what in OF_BODIES else None


def felt_parameters(model: Model, chosen: Sequence[Parameter]) -> list[Parameter]:
    """For each shape and each pair that feels some of these, what it feels, in the order in which programs keep them."""
    if not model.touches or not (paths := {path: p for p in chosen if (path := path_of(p)) is not None}):
        return []
    inverted = not any(path[0] in OF_BODIES for path in paths)
    apart = [path[1] for path in paths if path[0] == "inertia"]
    found: list[Parameter] = []
    for fixed in (False, True):
        numbers = [k for k, s in enumerate(model.contact_shapes) if (s.body < 0) == fixed]
        makers = {k: shape_maker(model, k, inverted or fixed, apart) for k in numbers}
        own = {k: concerning(makers[k], paths) for k in numbers}
        moved = np.any([np.zeros(CONSTANTS, bool), *[e for e, _ in own.values()]], axis=0)
        entries = tuple((NUMBERS, int(c)) for c in np.flatnonzero(moved))
        for k in numbers:
            found += feeling(Feeling("shape", k), makers[k], own[k][1], entries) if own[k][1] else []
    rows = range(len(model.lawful_pairs))
    makers, every = {k: pair_maker(model, k, apart) for k in rows}, tuple((NUMBERS, c) for c in range(PAIR_NUMBERS))
    own = {k: concerning(makers[k], paths) for k in rows}
    if any(by for _, by in own.values()):
        for k in rows:
            found += feeling(Feeling("pair", k), makers[k], own[k][1] or dict(list(paths.items())[:1]), every)
    told = {p.name for p in found}
    for p in chosen:
        if of_material(p) and p.name not in told:
            why = "no contact of the scene has such friction, or all that have it have laws of their own"
            raise SceneError(f"{p.name!r} cannot be a parameter: {why}. Begin with a number.", owner="parameters", argument=p.name)
    return found


def concerning(make: Maker, paths: Mapping[Path, Parameter]) -> tuple[np.ndarray, dict[Path, Parameter]]:
    """Which numbers follow from these parameters, and from which of them some do."""
    base, found = flat(make({})), dict[Path, Any]()
    moved = np.zeros(len(base), bool)
    for path, p in paths.items():
        own = np.any([flat(make({path: other})) != base for other in nudged(p.value)], axis=0)
        moved |= own
        found |= {path: p} if own.any() else {}
    return moved, found


def feeling(owner: Feeling, make: Maker, by: Mapping[Path, Parameter], entries: tuple[Entry, ...]) -> list[Parameter]:
    """The parameters of one that feels these: the first has its numbers."""
    values = {path: p.value for path, p in by.items()}
    places, base = [c for _, c in entries], flat(make({}))
    same = len(values) == len(entries) == 1 and all(
        np.array_equal(flat(make({path: x}))[places], np.ravel(x)) for path, value in values.items() for x in nudged(value)
    )
    remaking = Remaking(make, values, {path: p.name for path, p in by.items()}, entries, same, owner)
    path, first = next(iter(by.items()))
    found = [replace(first, place=None, what=MADE, owner=owner, path=path, remaking=remaking, default=base[places])]
    rest = list(by.items())[1:]
    return [*found, *[replace(p, place=None, what=MADE, owner=owner, path=at, remaking=None, default=np.zeros(0)) for at, p in rest]]


def columns_of(parameters: Sequence[Parameter], kind: str) -> dict[int, tuple[tuple[int, int], ...]]:
    """(constant, column) of each shape or pair that feels parameters, by its number."""
    own = {p.owner.number: p.remaking.entries for p in parameters if isinstance(p.owner, Feeling) and p.owner.kind == kind and p.remaking}
    return {k: tuple((c, i) for i, (_, c) in enumerate(entries)) for k, entries in own.items()}


def of_moments(columns: Sequence[tuple[int, int]]) -> bool:
    """Whether mass or inertia are among what differs of a shape."""
    return any(c in OWN_MOMENTS for c, _ in columns)


def shapes_apart(
    shapes: Sequence[ContactShape], parameters: Sequence[Parameter]
) -> Iterator[tuple[bool, tuple[tuple[int, int], ...], list[int]]]:
    """(fixed in the world, what differs, which shapes): those of one kernel together."""
    own = columns_of(parameters, "shape")
    for fixed in (False, True):
        for differs in (False, True):
            numbers = [k for k, s in enumerate(shapes) if (s.body < 0) == fixed and (k in own) == differs]
            if numbers:
                yield fixed, own[numbers[0]] if differs else (), numbers


def contact_follows(first: Model, other: Model, given: Mapping[str, np.ndarray]) -> bool:
    """Whether contact of another model is that of the first with these values of its parameters."""
    from redmax.model.node_contact import smallest

    kinds = [[(s.owner, s.body, s.kind, s.group, s.radius, *s.size) for s in m.contact_shapes] for m in (first, other)]
    pairs = [[(a.owner, b.owner, m.pair_key(a, b)) for a, b in m.contact_pairs] for m in (first, other)]
    if kinds[0] != kinds[1] or pairs[0] != pairs[1] or smallest(first.contact_shapes) != smallest(other.contact_shapes):
        return False
    felt = [p for p in first.with_parameters(list(given)).parameters if isinstance(p.owner, Feeling)]
    made = {p.owner: flat(p.remaking.make({path: given[n] for path, n in p.remaking.names.items()})) for p in felt if p.remaking}
    for k, (mine, its) in enumerate(zip(first.contact_shapes, other.contact_shapes, strict=True)):
        numbers = made.get(Feeling("shape", k), first.shape_constants(mine))
        if not any(np.allclose(numbers, other.shape_constants(its, Felt(inverted=i)), rtol=1e-9) for i in (True, False)):
            return False
    laws = [[m.numbers_of_pair(a, b, (a.material, b.material), m.pair_material(a, b)) for a, b in m.lawful_pairs] for m in (first, other)]
    mine = [made.get(Feeling("pair", k), numbers) for k, numbers in enumerate(laws[0])]
    return len(mine) == len(laws[1]) and all(np.allclose(a, b, rtol=1e-9) for a, b in zip(mine, laws[1], strict=True))
