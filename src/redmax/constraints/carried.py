"""Coordinates that a constraint carries: those of a joint that closes a loop, found anew at each evaluation from where its sites are.

A run begins with the best of a table of places where they may begin (SEEK_ROWS, once for each entry); from then on each evaluation goes
on from the last, by Newton's method, until nothing moves (TRACK_ROWS). What comes out depends on where the bodies are alone, but for
the branch.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from redmax.components.holding import Site
from redmax.constraints.base import Constraint
from redmax.constraints.kept import Kept
from redmax.math import where
from redmax.program.member import KeptView
from redmax.program.record import WorldView
from redmax.program.sweep import Part
from redmax.trace import substitute
from redmax.trace.vector import vector_of
from redmax.types import Value

FAR = 1e300  # how far off coordinates are that nobody has looked at


class Carrying(Constraint):
    """carries: how many numbers its coordinates are; slides: how many rates they have; starts: in how many places they may begin."""

    starts: int = 1

    def beginning(self, sites: Sequence[Site], number: Value, t: Value) -> tuple[Any, Any]:
        """The place of this number where its coordinates may begin, and how far off it is there."""
        raise NotImplementedError

    def improved(self, sites: Sequence[Site], q: Any, delta: Any, t: Value) -> tuple[Any, Any]:
        """Its coordinates after one step of Newton's method from q, and the step. delta: inputs, zero, to differentiate by"""
        raise NotImplementedError


def carry(part: Part, constraint: Constraint, sites: Sequence[Site], at: Kept, w: WorldView, kept: KeptView) -> dict[tuple[int, int], Any]:
    """What a constraint does for the coordinates that it carries, if it does."""
    if not isinstance(constraint, Carrying) or not constraint.carries:
        return {}
    now = kept.read(at.carried, constraint.carries)
    if part is Part.SEEK_ROWS:
        best = at.carried + constraint.carries
        least = where(w.closing_start > 0.0, kept.read(best, 1)[0], FAR)
        q, off = constraint.beginning(sites, w.closing_start, w.t)
        kept.store(at.carried, [where(off < least, new, old) for new, old in zip(q, now, strict=True)], "carried")
        kept.store(best, [where(off < least, off, least)], "best")
        return {}
    q, moved = nearer(constraint, sites, now, w.t)
    kept.store(at.carried, q, "carried")
    w.gather("closing_moved", moved)
    return {}


def nearer(constraint: Carrying, sites: Sequence[Site], q: Any, t: Any) -> tuple[Any, Any]:
    """Coordinates that are nearer to where the sites have them, and the square of the step there."""
    delta = vector_of(t.graph.inputs("row.delta", constraint.slides))
    q, step = constraint.improved(sites, q, delta, t)
    still = lambda base, index: 0.0 if base == "row.delta" else t.graph.input(base, index)  # noqa: E731
    found = substitute([*q, sum((x * x for x in step), 0.0)], still)
    return np.array([*found, None], object)[:-2], found[-1]
