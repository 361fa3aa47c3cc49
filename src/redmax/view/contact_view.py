"""What a viewer needs to know about points of contact: where they are, whether they stick or slide, how hard they press, and friction."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from redmax.dynamics.contact.detect import FEATURES
from redmax.model.look import Look
from redmax.run.contact.records import FORCE, KEY, NORMAL, POINT, STATE

if TYPE_CHECKING:
    from redmax.run.trajectory import Trajectory

Array = NDArray[np.float64]
HIGHEST = 3.0  # times as long as most arrows are the longest, which impacts have


@dataclass(frozen=True, eq=False)
class ContactsView:
    """Points of all samples, one behind the other.

    begin: (T + 1,), where those of each sample begin, and the end; points: (n, 3); states: (n,), numbers of STATES
    pushes: (n, 3), normal forces on the second of both bodies (N), those of impacts cut; friction: (n,), mu; strongest: force, so cut (N)
    cones: whether cones of friction are shown
    """

    begin: NDArray[np.int64]
    points: Array
    states: NDArray[np.int64]
    pushes: Array
    friction: Array
    strongest: float
    cones: bool = False

    def at(self, sample: int) -> slice:
        """The rows of a sample."""
        return slice(int(self.begin[sample]), int(self.begin[sample + 1]))

    def kept(self, samples: NDArray[np.int64]) -> ContactsView:
        """Those of some samples."""
        rows = [np.arange(own.start, own.stop) for own in map(self.at, samples.tolist())]
        own, begin = np.concatenate([np.zeros(0, np.int64), *rows]), np.cumsum([0, *map(len, rows)])
        return ContactsView(begin, self.points[own], self.states[own], self.pushes[own], self.friction[own], self.strongest, self.cones)


def contacts_view(run: Trajectory, look: Look) -> ContactsView | None:
    """Of a run of one world, where a look shows contacts."""
    if not (look.reactions is True or look.cones) or run.contact_count is None:
        return None
    rows, begin = run.contacts.all_rows[0], np.concatenate([[0], np.cumsum(run.contacts.count)])
    return view_of(rows, begin, run.contacts.friction, usual_force(rows), look.cones)


def view_of(rows: Array, begin: NDArray[np.int64], friction: Array, longest: float, cones: bool = True) -> ContactsView:
    """Of rows as of records.py. friction: (pairs,), mu of each; longest: force that is shown as it is."""
    force, normal = cut_forces(rows, longest), rows[:, NORMAL : NORMAL + 3]
    pushes = (force * normal).sum(axis=1)[:, None] * normal
    strongest, mu = float(np.linalg.norm(force, axis=1).max(initial=0.0)), friction[(rows[:, KEY] // FEATURES).astype(int)]
    return ContactsView(begin, rows[:, POINT : POINT + 3], rows[:, STATE].astype(int), pushes, mu, strongest, cones)


def cut_forces(rows: Array, longest: float) -> Array:
    """(n, 3): on the second bodies, none longer than that (N)."""
    force = rows[:, FORCE : FORCE + 3]
    return force * np.minimum(1.0, longest / np.maximum(np.linalg.norm(force, axis=1), 1e-300))[:, None]


def usual_force(rows: Array) -> float:
    """The longest that is shown as it is: impacts are short, and would leave all others too small to see."""
    strength = np.linalg.norm(rows[:, FORCE : FORCE + 3], axis=1)
    return HIGHEST * float(np.percentile(strength[strength > 0], 90)) if strength.any() else 0.0
