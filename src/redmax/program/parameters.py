"""Parameters: a third kind of constant beside structure and data, which each world has its own of; programs have derivatives by them.

They lie in memory: those of a joint in its record, between its state and what it parks, those of a force behind all else. A program for
joints or forces that have some takes them as one more input, its last, called "parameters": a column for each number, joint by joint, then
force by force.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from redmax.program.plan import Planner


def parameter_slots(planner: Planner) -> np.ndarray:
    """Where the columns of the input lie in memory."""
    parts = [np.zeros(0, np.int64)]
    for signature, key, start in zip(planner.signatures, planner.keys, planner.record.tolist(), strict=False):
        parts.append(start + planner.layouts[key].parameter + np.arange(signature.parameters))
    if planner.interactions:
        parts.append(planner.interactions.parameter_slots())
    return np.concatenate(parts)
