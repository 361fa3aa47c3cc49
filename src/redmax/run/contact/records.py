"""A row for each contact of each sample of a run: which bodies, where, how hard, and whether it slides.

The solver tells of contacts by the number of the pair of shapes; rows have the numbers of bodies instead and, behind these, of obstacles,
then of deformables, whose nodes follow from the pair (of_nodes.py).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from redmax.contact.shape import ContactShape
from redmax.dynamics.contact.detect import FEATURES
from redmax.dynamics.contact.pair_laws import detected_pairs
from redmax.dynamics.contact.rows import T_BODIES, T_GAP, T_IMPULSE, T_KEY, T_NORMAL, T_POINT, T_SLIP, T_STATE, T_STORED
from redmax.errors import SceneError, unknown
from redmax.model.model import Model

KEY, FIRST, SECOND, POINT, NORMAL, GAP, FORCE, SLIP, STATE, MOMENT, ENERGY = 0, 1, 2, 3, 6, 9, 10, 13, 16, 17, 20
COLUMNS = 21
STATES = ("open", "sticking", "sliding")


def owner_names(model: Model) -> tuple[str, ...]:
    """Of bodies, of obstacles, then of deformables, by the numbers that rows have."""
    return (*model.body_names[: len(model.bodies)], *[o.name for o in model.obstacles], *[soft.name for soft in model.soft])


def check_touching(model: Model, name: str, other: str | None) -> None:
    """Raise for a body that touches nothing, or a name that nothing has."""
    owners = {s.owner for s in model.contact_shapes}
    for given in (name, other):
        if given is not None and given not in owners:
            if given in owner_names(model):
                raise SceneError(
                    f"{given!r} touches nothing. Give it contact=True (or a friction) where it is added, to read its contacts."
                )
            raise SceneError(unknown("body, obstacle or deformable that touches others", given, sorted(owners)))


def owner_of(model: Model, shape: ContactShape) -> int:
    """The number of its body, obstacle or deformable."""
    if shape.node < 0 <= shape.body:
        return shape.body
    others = [*[o.name for o in model.obstacles], *[soft.name for soft in model.soft]]
    return len(model.bodies) + others.index(shape.owner)


def pair_owners(model: Model) -> tuple[np.ndarray, np.ndarray]:
    """(pairs, 2): numbers of the owners of both shapes, and of their rows in the solver's matrices."""
    pairs, row = detected_pairs(model), model.solver_rows
    owners = [[owner_of(model, s) for s in pair] for pair in pairs]
    return np.array(owners, int).reshape(-1, 2), np.array([[row[s.body] for s in pair] for pair in pairs], int).reshape(-1, 2)


def rows_of(owners: tuple[np.ndarray, np.ndarray], told: np.ndarray, moments: np.ndarray | None, dt: float) -> np.ndarray:
    """(n, COLUMNS) of what the solver told of contacts, (n, TOLD), and of their moments, (n, 3). owners: `pair_owners` of the model."""
    found = np.empty((len(told), COLUMNS))
    pair = (told[:, T_KEY] // FEATURES).astype(int)
    numbers, bodies = owners
    turned = (bodies[pair, 0] != told[:, T_BODIES].astype(int))[:, None]  # the solver has the one that moves as its second
    found[:, KEY] = told[:, T_KEY]
    found[:, FIRST : SECOND + 1] = np.where(turned, numbers[pair, ::-1], numbers[pair])
    for to, of in ((POINT, T_POINT), (NORMAL, T_NORMAL), (SLIP, T_SLIP)):
        found[:, to : to + 3] = told[:, of : of + 3]
    found[:, FORCE : FORCE + 3] = told[:, T_IMPULSE : T_IMPULSE + 3] / dt
    found[:, GAP], found[:, STATE], found[:, ENERGY] = told[:, T_GAP], told[:, T_STATE], told[:, T_STORED]
    found[:, MOMENT : MOMENT + 3] = 0.0 if moments is None else moments / dt
    return found


def gathered(rows: Any, first: np.ndarray, count: np.ndarray) -> np.ndarray:
    """(n, COLUMNS): the rows of all samples and worlds, one after the other. first, count: (time, ...), where those of each are."""
    first, count = np.ravel(first), np.ravel(count)
    if not count.any():
        return np.zeros((0, COLUMNS))
    begin, end = int(first[count > 0].min()), int((first + count)[count > 0].max())
    block = np.asarray(rows[begin:end])
    if len(block) == count.sum() and (np.diff(first[count > 0]) >= 0).all():
        return block
    offsets = np.arange(count.sum()) - np.repeat(np.cumsum(count) - count, count)
    return block[np.repeat(first - begin, count) + offsets]
