"""Where the numbers of contact materials, asked for by name, have no derivative: at ends of their ranges, and where surfaces are alike.

    mu = sqrt(mu_a mu_b) rises infinitely fast at 0, and so does restitution;  max(d_a, d_b) has a corner where both are the same
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from redmax.contact.shape import ContactShape
from redmax.errors import SceneError
from redmax.model.contact_parameters import PAIR, Feeling, of_material
from redmax.model.model import Model

# parameters that leave bodies where they are
WEIGHING = ("mass", "inertia", "gravity", "stiffness", "damping", "rest", "armature", "gear")
MEANS, LARGER = ("friction", "restitution"), ("damping", "torsional", "rolling")


def check_numbers(model: Model, values: Mapping[str, np.ndarray], owner: str = "gradient") -> None:
    """Raise where one of these has none. values: (...) of each parameter, by name"""
    own = {p.path: p.name for p in model.parameters if of_material(p)} if model.touches else {}
    given = {path: np.asarray(values[name], float) for path, name in own.items() if name in values}
    for (kind, *who, number), value in given.items():
        name = own[(kind, *who, number)]
        if kind == PAIR:
            why = f"{name!r} is 0, the end of its range" if number != "damping" and (value == 0).any() else ""
            fix = "Take another value, however small"
        else:
            why = next((w for a, b in model.contact_pairs if (w := of_two(model, a, b, who[0], number, name, given))), "")
            fix = "Take another value, or give the two a law of their own, scene.set_contact, whose numbers are parameters too"
        if why:
            raise SceneError(f"redmax.{owner} finds no derivative: {why}. {fix}.", owner=owner, argument=name)


def of_two(
    model: Model, a: ContactShape, b: ContactShape, owner: str, number: str, name: str, given: Mapping[tuple[str, ...], np.ndarray]
) -> str:  # fmt: skip
    """Why the usual law of two surfaces, one of this owner, has none by its number; "" if it has."""
    if owner not in (a.owner, b.owner) or model.pair_key(a, b) is not None:
        return ""
    own, other = (a, b) if a.owner == owner else (b, a)

    def of(shape: ContactShape, what: str) -> np.ndarray:
        return given.get(("surface", shape.owner, what), np.asarray(getattr(shape.material, what), float))

    x, y = of(own, number), of(other, number)
    if number in MEANS and ((x == 0) & (y > 0)).any():
        return f"{name!r} is 0, and that of a pair the root of a product, which rises infinitely fast there"
    if number == "compliance" and (x + y == 0).any():
        return f"{name!r} is 0, as that of {other.owner!r}: with some, contact is another law"
    acts = of(own, "compliance") + of(other, "compliance") > 0 if number == "damping" else True
    if number in LARGER and ((x == y) & acts).any():
        return f"{name!r} is that of {other.owner!r}, and the larger of both counts, which has a corner there"
    return ""


def places_bodies(model: Model, name: str) -> bool:
    """Whether bodies, or their shapes, begin elsewhere with another value of a parameter."""
    own = [p for p in model.parameters if p.name == name and not isinstance(p.owner, Feeling)]
    return any(p.what.partition(".")[0] not in WEIGHING for p in own)
