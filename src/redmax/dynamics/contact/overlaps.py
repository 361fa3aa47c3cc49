"""The energy that contacts hold, and give back: of overlaps, as springs with dampers do, and of friction that gives way.

An overlap d comes back by beta d in a step, of which the load takes R f, u = beta d / h - R f, with u = -d' / h: a spring beside a damper,

    F = f / h = k d - u / (h R),   k = beta / (h^2 R)          so that   d (k d^2 / 2) <= -f . u   in each step

(of a material with compliance, 1 / (h + tau) stands for beta / h, so that 1 / k is the compliance). Where d comes back slower, as behind
an impact, F is less than that. So a contact holds what bodies spent on it, and never more than k d^2 / 2 + R f^2 / 2:

    E1 = max(0, min(E0 - f . u, k d1^2 / 2 + R f_t^2 / 2))

The work f . u is the most by which impulses change the energy of bodies. Energy of both together grows only where a contact gives more
than it took, as where points are found inside each other that were not found before.
"""

from __future__ import annotations

from typing import Any

from redmax.math import where
from redmax.program.routines.routine import routine
from redmax.program.routines.views import Number

RETURNED = 0.3  # beta: of an overlap, in each step


@routine
def spring(stiff: Number, soft: Number, period: Number, h: Number) -> Any:
    """k. stiff: 1 / R; soft: 1 where the material has compliance; period: h + tau"""
    return stiff / h * where(soft > 0.0, 1.0 / period, RETURNED / h)


@routine
def held_by(before: Number, work: Number, k: Number, gap: Number, u: Number, h: Number, beside: Number, stiff: Number) -> Any:
    """E1. work: f . u; beside: the square of friction"""
    d = min(gap + h * u, 0.0)
    return max(min(before - work, 0.5 * (k * d * d + beside / stiff)), 0.0)
