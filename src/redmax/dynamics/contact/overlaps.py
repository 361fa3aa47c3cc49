"""The energy that contacts hold, and give back: of overlaps, as springs with dampers do, and of friction that gives way.

An overlap d comes back by beta d in a step, of which the load takes R f, u = beta d / h - R f, with u = -d' / h: a spring beside a damper,

    F = f / h = k d - u / (h R),   k = beta / (h^2 R)          so that   d (k d^2 / 2) <= -f . u   in each step

(of a material with compliance, 1 / (h + tau) stands for beta / h, so that 1 / k is the compliance). Where d comes back slower, as behind
an impact, F is less than that. So a contact holds what bodies spent on it, and never more than k d^2 / 2 + R f^2 / 2:

    E1 = max(0, min(E0 - f . u, k d1^2 / 2 + R f_t^2 / 2))        (and for a while what steps lose, lost.py)

The work f . u is the most by which impulses change the energy of bodies. It is never more than E0, so that energy of both together does not
grow: by f = f0_t - (u + b n) / R in the cone (where slacks of friction only take),

    f . u = f_t . f0_t - R |f|^2 - b f_n <= R |f0_t|^2 / 4 + b^2 / 4 R          (b < 0: what is asked for to undo the overlap)

and b and f0 are such that this is at most E0: friction goes on with what it stored, R |f0_t|^2 / 2, and what else is held pays for b. What
is found inside, and was not there before, as where a box tips over from its edge, holds what points of its pair held that are no more
there, and is not pushed out by more than that: it has to be pressed in first. Overlaps where a run begins hold what they would cost.
"""

from __future__ import annotations

from typing import Any

from redmax.math import sqrt, where
from redmax.program.routines.routine import routine
from redmax.program.routines.views import Number

RETURNED = 0.3  # beta: of an overlap, in each step
PAID = 3.0  # of the 4 above: what is held pays for all that it can but for a part, which roundings and the ends of iterations are within
LITTLE = 0.1  # of what a contact gives way at rest: |b| below which it is in proportion to what is held
FADING = 1.0  # s: in which what is held beyond that fades
TINY = 1e-30  # J: keeps the slope of roots finite


@routine
def spring(stiff: Number, soft: Number, period: Number, h: Number) -> Any:
    """k. stiff: 1 / R; soft: 1 where the material has compliance; period: h + tau"""
    return stiff / h * where(soft > 0.0, 1.0 / period, RETURNED / h)


@routine
def held_by(
    before: Number, work: Number, k: Number, gap: Number, u: Number, h: Number, beside: Number, stiff: Number, spare: Number
) -> Any:
    """E1. work: f . u; beside: the square of friction; spare: the most beyond what the overlap holds"""
    d = min(gap + h * u, 0.0)
    left, most = before - work, 0.5 * (k * d * d + beside / stiff)
    return max(min(left, most + min(max(1.0 - h / FADING, 0.0) * max(left - most, 0.0), spare)), 0.0)


@routine
def going_on(held: Number, beside: Number, stiff: Number) -> Any:
    """What of f0 goes on in this step. beside: its square"""
    stored = 0.5 * beside / stiff
    return where(stored > held, sqrt(held / max(stored, TINY) + TINY), 1.0)


@routine
def paid_back(held: Number, beside: Number, stiff: Number, bears: Number, slow: Number) -> Any:
    """The most that overlaps may ask for, |b|, beside friction that goes on with the square `beside`.

    In proportion to what is held where that is next to nothing beside what the contact bears: a root would make roundings large.
    """
    square = PAID * max(held - 0.5 * beside / stiff, 0.0) / stiff
    return min(sqrt(square + TINY), square / max(LITTLE * bears / stiff, LITTLE * LITTLE * slow))
