"""All pairs of a model that are asked for from Python, in a step: where they meet, with numbers that stay."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from redmax.contact.asked.choose import numbered, spread, without_doubles
from redmax.contact.asked.library import Library, coal_for
from redmax.contact.asked.on_field import Ground
from redmax.contact.asked.on_plane import plane_mesh
from redmax.contact.asked.placed import MARGIN, Placed, Points
from redmax.contact.law import CENTRE, REACH
from redmax.contact.shape import ContactShape

Pair = tuple[ContactShape, ContactShape]
Meets = Callable[[Placed, Placed, float], Points]
NEAR = 0.1  # of a radius, and the margin: how far a point may move in a step and keep its number
COLUMNS = 9  # of what is given: the number of the pair among those asked for; then as compiled pairs find it (pairs/placed.py)


class Asker:
    """pairs: those that are asked for; shapes: all of these, each once."""

    def __init__(self, pairs: Sequence[Pair]) -> None:
        self.pairs = tuple(pairs)
        self.shapes = list(dict.fromkeys(s for pair in pairs for s in pair))
        place = {id(s): k for k, s in enumerate(self.shapes)}
        self.places = np.array([(place[id(a)], place[id(b)]) for a, b in self.pairs])
        self.radii = np.array([s.radius for s in self.shapes])[self.places]
        self.smaller = np.where(self.radii > 0, self.radii, np.inf).min(axis=1)
        self.grounds: dict[ContactShape, Ground] = {}
        a, b = self.pairs[0]
        self.library = Library(coal_for(f"{a.owner!r} ({a.kind}) and {b.owner!r} ({b.kind})"))

    def way(self, pair: Pair) -> Meets:
        """How a pair is asked for."""
        first = pair[0]
        if first.kind == "field":
            if first not in self.grounds:
                self.grounds[first] = Ground(first, self.library)
            return self.grounds[first].meet
        return plane_mesh if first.kind == "plane" else self.library.meet

    def ask(self, numbers: np.ndarray, keys: np.ndarray, points: np.ndarray) -> np.ndarray:
        """(n, COLUMNS). numbers (shapes, KEPT): what kernels keep of shapes; keys (m,), points (m, 3): of contacts in the step before.

        keys: 64 times the number of the pair, and that of the point
        """
        pair_before, (margin, near) = np.floor(keys / 64.0), self.near(numbers)
        placed = {i: Placed.of(self.shapes[i], numbers[i]) for i in np.unique(self.places[near]).tolist()}
        rows: list[np.ndarray] = []
        for k in near.tolist():
            (i, j), far = self.places[k].tolist(), float(margin[k])
            found = self.way(self.pairs[k])(placed[i], placed[j], far)
            within = found.gap < far
            if not within.any():
                continue
            size, same = float(self.smaller[k]), pair_before == k
            found = spread(without_doubles(found if within.all() else found.some(within), size))
            number = numbered(found.point, points[same], keys[same] - 64.0 * k, NEAR * size + far)
            rows.append(np.column_stack([np.full(len(found), float(k)), found.point, found.normal, found.gap, number])[np.argsort(number)])
        return np.concatenate(rows) if rows else np.zeros((0, COLUMNS))

    def near(self, numbers: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """How far apart surfaces of each pair may be to be looked at, and the pairs whose balls come as near; planes always do."""
        x, reach = numbers[:, CENTRE : CENTRE + 3][self.places], numbers[:, REACH][self.places]
        margin = reach.sum(axis=1) + MARGIN * self.smaller
        away = np.linalg.norm(x[:, 1] - x[:, 0], axis=1) - self.radii.sum(axis=1)
        return margin, np.flatnonzero((away < margin) | (self.radii <= 0).any(axis=1))
