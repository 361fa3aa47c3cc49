"""What sank into something else in a run: said once, since no force was wrong, and what is seen means little.

A contact gives way in proportion to how easily the bodies do at that point, which the lighter one decides, and to what it bears: under a
load of some hundred times its own weight a light body is some hundredths of its size deep, and under a million it is passed through.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from redmax.dynamics.contact.detect import FEATURES
from redmax.errors import warn
from redmax.run.contact.records import FORCE, GAP, KEY, NORMAL, detected_pairs

if TYPE_CHECKING:
    from redmax.model.model import Model
    from redmax.run.trajectory import Trajectory

SUNK, LOOKS = 0.05, 16  # of the smaller shape's radius; samples that are looked at
APART = 100.0  # how many times as heavy as others some bodies are, where it is loads that bodies sink by, and not fast impacts


def warn_of_sinking(run: Trajectory) -> None:
    """Of a run of one world: the first pair that is deep at one of some samples, where it presses, beyond how deep it began."""
    light, heavy = masses(run.model)
    if run.q.ndim > 2 or len(run) < 3 or heavy < APART * light:
        return
    pairs, began = detected_pairs(run.model), dict(deep(run, 1))
    sizes = [min((s.radius for s in pair if s.radius > 0), default=np.inf) for pair in pairs]
    soft = any(law.compliance > 0 for law in run.model.contact_laws.values())
    given = [soft or any(s.material.compliance > 0 or s.node >= 0 for s in pair) for pair in pairs]  # which may be deep
    for k in np.unique(np.linspace(2, len(run) - 1, LOOKS).astype(int)):
        shares = {p: (d - began.get(p, 0.0)) / sizes[p] for p, d in deep(run, int(k)) if not given[p]}
        worst = max(shares, key=shares.__getitem__, default=-1)
        if worst >= 0 and shares[worst] > SUNK:
            a, b = (s.owner for s in pairs[worst])
            depth = dict(deep(run, int(k)))[worst]
            said = f"{a!r} and {b!r} have sunk into each other by {depth:.3g} at t = {run.t[k]:g} s"
            weigh = f"what touches weighs from {light:.3g} to {heavy:.3g} {run.model.units.mass}"
            why = f"{weigh}, and contact gives way as easily as the lighter body"
            fix = "contact with stiff=True is a tenth as deep, half of dt a quarter, and masses less far apart need neither"
            warn(f"{said}: {why}. If that is too much, {fix}.")
            return


def deep(run: Trajectory, k: int) -> Iterator[tuple[int, float]]:
    """The pairs that press at a sample, by their numbers, and how deep the deepest of their points is."""
    contacts = run.contacts
    first, count = int(contacts.begin[k]), int(contacts.count[k])
    rows = np.asarray(contacts.rows[first : first + count])
    if count:
        presses = (rows[:, FORCE : FORCE + 3] * rows[:, NORMAL : NORMAL + 3]).sum(axis=1) > 0
        numbers = (rows[:, KEY] // FEATURES).astype(int)
        for p in np.unique(numbers[presses & (rows[:, GAP] < 0)]):
            yield int(p), float(-rows[presses & (numbers == p), GAP].min())


def masses(model: Model) -> tuple[float, float]:
    """The least and the largest of bodies that touch."""
    found = [link.shape.mass for link in model.bodies if link.contact is not None]
    return (min(found), max(found)) if found else (1.0, 1.0)
