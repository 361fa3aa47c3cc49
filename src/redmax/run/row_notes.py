"""What is to be known of the rows of a mechanism: how many ways to move they leave, and which of them repeat others.

A row that depends on those before it says what they say already; one that is zero says what the joints do. Both are kept without
harm (solvers/semidefinite.py). The forces of rows that repeat others are not determined by the motion: they are those of least norm.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from redmax.constraints.base import Constraint
from redmax.model.model import Model

DEPENDENT, NOTHING = 1e-6, 1e-9  # what is left of a row when others are taken off, and of one along which nothing moves
MANY = 5  # names, that are not all said


@dataclass(frozen=True)
class RowNotes:
    """mobility: ways to move that are left; zero, repeated: of each constraint by its number, rows counted from 0."""

    mobility: int
    zero: dict[int, list[int]]
    repeated: dict[int, list[int]]

    def sentences(self, model: Model) -> list[str]:
        """One for all constraints of a kind that have the same such rows; those that repeat others first."""
        repeated = [
            sentence(alike, rows, "repeat", "others", ": their forces are those of least norm")
            for alike, rows in same(model, self.repeated)
        ]
        return repeated + [sentence(alike, rows, "say", "what the joints do already", "") for alike, rows in same(model, self.zero)]


def same(model: Model, found: Mapping[int, list[int]]) -> list[tuple[list[Constraint], list[int]]]:
    """Constraints of one class and size that the same is to be said of, with their rows."""
    groups: dict[tuple[type, int, tuple[int, ...]], list[Constraint]] = {}
    for number, rows in found.items():
        c = model.constraints[number]
        groups.setdefault((type(c), c.size, tuple(rows)), []).append(c)
    return [(alike, list(rows)) for (_, _, rows), alike in groups.items()]


def sentence(alike: Sequence[Constraint], rows: Sequence[int], verb: str, what: str, more: str) -> str:
    """On some rows of a constraint, or of several."""
    several, each = len(rows) > 1 or len(alike) > 1, " each" * (len(alike) > 1)
    who = f"Row{'s' * (len(rows) > 1)} {', '.join(map(str, rows))} of {together(alike)} {verb}{'s' * (not several)}"
    size = alike[0].size
    return f"{who} {what}, of {size}{each}{' counted from 0' * (size > 1)}{more}."


def together(alike: Sequence[Constraint]) -> str:
    """Constraints of one class by their names; of many, the first and the last."""
    names = [repr(str(c.name)) for c in alike[1:]]
    if len(names) < MANY:
        return ", ".join([alike[0].label, *names])
    return f"{alike[0].label}, {names[0]}, ... {names[-1]} ({len(alike)} constraints)"


def row_notes(model: Model, G: np.ndarray, size: np.ndarray, unit: np.ndarray, movable: np.ndarray) -> RowNotes:
    """G (m, nv) and size (m,) of all rows at one position; unit (nv,): what is much for a coordinate."""
    owners = [(number, k) for number, c in enumerate(model.constraints) for k in range(c.size)]
    equal = [not (model.constraints[number].bounded or model.constraints[number].compliant) for number, _ in owners]
    zero, repeated, kept = dict[int, list[int]](), dict[int, list[int]](), list[np.ndarray]()
    for (number, k), row, s, counts in zip(owners, G, size, equal, strict=True):
        if not counts:
            continue
        v = row * unit / s
        length = float(np.linalg.norm(v))
        if length <= NOTHING:
            zero.setdefault(number, []).append(k)
            continue
        rest = without(without(v, kept), kept)
        if np.linalg.norm(rest) <= DEPENDENT * length:
            repeated.setdefault(number, []).append(k)
        else:
            kept.append(rest / np.linalg.norm(rest))
    hidden = slice(model.offsets[len(model.bodies)], model.offsets[len(model.bodies) + len(model.hidden)])
    moving = movable.copy()
    moving[hidden] = False
    return RowNotes(int(moving.sum()) - len(kept), zero, repeated)


def without(v: np.ndarray, basis: Sequence[np.ndarray]) -> np.ndarray:
    """What is left of a vector beside an orthonormal basis."""
    for b in basis:
        v = v - (b @ v) * b
    return v
