"""How far constraints are off, in words with units: lengths and angles of one constraint are two numbers, never one."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from redmax.model.model import Model
from redmax.run.row_units import row_units


def gap_words(model: Model, number: int, values: np.ndarray, per: str = "") -> str:
    """|g| of a constraint by its number, values (size,) of its rows: "0.1 m", "0.2 rad", or "0.1 m and 0.2 rad". per: "/s" of rates."""
    angles = np.array(row_units(model, model.constraints[number]), bool)
    lengths = [(float(np.linalg.norm(values[~angles])), model.units.length)] if not angles.all() else []
    turns = [(float(np.linalg.norm(values[angles])), "rad")] if angles.any() else []
    both = [*lengths, *turns]
    largest = max((size for size, _ in both), default=0.0)
    said = [f"{size:.3g} {unit}{per}" for size, unit in both if size > 1e-9 * largest]
    return " and ".join(said) or f"0 {both[0][1]}{per}"


def listed(names: Sequence[str]) -> str:
    """Names one after the other: "a", "a and b", "a, b and c"."""
    return " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))
