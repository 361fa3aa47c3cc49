"""A later level that goes along what earlier ones keep: steps within their tangent, each followed by the way back to them.

    (H + lambda 1) d = -g    with    C d = 0,  low <= d <= high;      x <- restored(x + d),   where that is better

Where a mechanism is nearly singular the set that is kept bends sharply: a search that sees it as a stiff valley gets along slowly. Steps
that are put back each time do not mind.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from redmax.design.reach.least_squares import TINY, bounded_step
from redmax.design.reach.problem import Level

TURNS, FIRST, MOST = 40, 1e-3, 1e6  # lambda, relative to |J|^2 of the level's own rows
STIFF, LONGEST = 1e4, 0.3  # of C d = 0, beside H; rad, or parts of the mechanism's size, of a step
CLOSED, SAME = 1e-10, 1e-12  # gaps after a step; of |e|^2, what is too little to go on for


def slid(level: Level, x: np.ndarray) -> np.ndarray:
    """Places (worlds, ...) on what is kept, as far along it as makes the level better."""
    p = level.problem
    unit, x = p.space.unit, x.copy()
    every, movable = np.arange(len(x)), p.space.movable & ~level.pressed
    flat = replace(level, y=np.zeros_like(level.y), stiff=np.full_like(level.stiff, STIFF))
    bare = replace(flat, bare=True, stiff=np.ones_like(level.stiff))
    damping, live = np.full(len(x), FIRST), every
    for _ in range(TURNS):
        if not len(live):
            break
        some, back, rest = flat.of(live), bare.of(live), np.zeros((len(live), len(unit)))
        here = np.arange(len(live))
        at = some.look(here, x[live], rest)
        own = len(level.own)
        H = np.swapaxes(at.J, 1, 2) @ at.J
        largest = (at.J[:, :own] ** 2).sum(axis=(1, 2))
        diagonal = np.einsum("wii->wi", H)  # beside the stiff C'C, roundings are larger than a damping that has become small
        diagonal += (damping[live] * largest + TINY * diagonal.max(axis=1, initial=0.0) + 1e-300)[:, None]
        d = bounded_step(H, np.einsum("wmn,wm->wn", at.J[:, :own], at.e[:, :own]), *p.space.room(x[live]), movable[live])
        d *= np.minimum(1.0, LONGEST / np.maximum(np.abs(d / unit).max(axis=1), 1e-300))[:, None]
        near = back.search(False).least(back.look(here, x[live], d).x)[0]
        then = some.look(here, near.x, rest)
        before, after = (0.5 * (a.e[:, :own] ** 2).sum(axis=1) for a in (at, then))
        better = (after < before) & (back.gap(back.equations_at(near.x)) <= CLOSED)
        x[live[better]] = near.x[better]
        damping[live] = np.where(better, damping[live] / 8, damping[live] * 8)
        over = (better & (before - after <= SAME * before)) | (damping[live] > MOST)
        live = live[~over]
    return x
