"""The change of charts of surfaces that joints slide on, before their parameters become singular.

A new chart has other axes at the same point, turned about the normal by an angle d: F = F' Rz(d). What a joint adds to its spin
makes up for it, so that the pose stays; rates follow from differentiating the conversion, so that the twist stays too. Angles of earlier
states are those less than half a turn from the present ones, so that differences between them mean something.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from redmax.lie.three import dot, rows, transpose
from redmax.math import array, atan2, floor, less, logical_and, where
from redmax.surfaces.base import ParametricSurface
from redmax.trace import is_traced
from redmax.trace.local import pushforward

TURN = 2 * np.pi
LIMIT = 0.5  # the clearance below which another chart is looked for; of two charts with poles at right angles, one has 0.7


@dataclass(frozen=True)
class Slot:
    """A surface with charts in a joint: `at` is where its u and v are in q; the spin changes by `turn` times d."""

    surface: ParametricSurface
    at: int
    turn: float = 0.0


def better_charts(states: Sequence[tuple[Any, Any]], dof: int, slots: Sequence[Slot], spin: int | None = None) -> list[tuple[Any, Any]]:
    """The states (configuration, rates) in the best charts, decided by the first of them. spin: where it is in q, if the joint has one."""
    new = [(list(q), list(qdot)) for q, qdot in states]
    for i, slot in enumerate(slots):
        now = states[0][0]
        chart = now[dof + i]
        to = chosen(slot, now[slot.at], now[slot.at + 1], chart)
        if not is_traced(to) and to == chart:
            continue  # of numbers: nothing to do, which is known already
        convert, here = conversion(slot.surface, chart, to, spin is not None), slice(slot.at, slot.at + 2)
        present = None
        for q, qdot in new:
            values, rates = pushforward(convert, q[here], qdot[here])
            present = values if present is None else present
            values = [x - p * floor((x - y) / p + 0.5) if p else x for x, y, p in zip(values, present, (*slot.surface.periods, TURN))]
            same = less((to - chart) * (to - chart), 0.5)
            for k in range(2):
                q[slot.at + k] = where(same, q[slot.at + k], values[k])
                qdot[slot.at + k] = where(same, qdot[slot.at + k], rates[k])
            if spin is not None:
                q[spin] = q[spin] + where(same, 0.0, slot.turn * values[2])
                qdot[spin] = qdot[spin] + where(same, 0.0, slot.turn * rates[2])
            q[dof + i] = to
    return [(array(q), array(qdot)) for q, qdot in new]


def chosen(slot: Slot, u: Any, v: Any, chart: Any) -> Any:
    """The number of the chart to use."""
    surface = slot.surface
    most = surface.clearance(u, v, chart)
    low, best = less(most, LIMIT), chart
    for k in range(len(surface.charts)):
        clear = surface.clearance(*surface.convert(u, v, chart, float(k)), float(k))
        better = logical_and(low, less(most, clear))
        best, most = where(better, float(k), best), where(better, clear, most)
    return best


def conversion(surface: ParametricSurface, chart: Any, to: Any, turning: bool) -> Callable[[Any, Any], Any]:
    """(u, v) -> u, v of the other chart, and the angle d from its x axis to the old one, if that counts."""

    def convert(u: Any, v: Any) -> Any:
        new = surface.convert(u, v, chart, to)
        if not turning:
            return array([*new])
        old_axes, new_axes = (transpose(rows(F[..., :3, :3])) for F in (surface.frame(u, v, chart), surface.frame(*new, to)))
        return array([*new, atan2(dot(new_axes[1], old_axes[0]), dot(new_axes[0], old_axes[0]))])

    return convert
