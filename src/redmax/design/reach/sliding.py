"""A later level that goes along what earlier ones keep: steps within their tangent, each followed by the way back to them.

    (H + lambda 1) d = -g    with    C d = 0,  low <= d <= high;      x <- restored(x + d),   where that is better

Where a mechanism is nearly singular the set that is kept bends sharply: a search that sees it as a stiff valley gets along slowly. Steps
that are put back each time do not mind.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from redmax.design.reach.least_squares import TINY, bounded_step
from redmax.design.reach.problem import STRETCHED, Level

TURNS, FIRST, MOST = 400, 1e-3, 1e6  # lambda, relative to |J|^2 of the level's own rows
STIFF, LONGEST = 1e4, 0.3  # of C d = 0, beside H; rad, or parts of the mechanism's size, of a step
CLOSED, SAME = 1e-10, 1e-14  # gaps after a step; of |e|^2, what is too little to go on for
ROUGHLY, ROUGH_RANK = 1e-7, 1e-5  # the same where equations are known by differences of differences
NEAR, RANK = 1e-9, 1e-9  # of bounds and one-sided equations that hold; of the largest singular value of C, below which rows say the same


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
        change = np.einsum("wmn,wn->wm", at.J, d)
        promised = before - 0.5 * ((at.e + change)[:, :own] ** 2).sum(axis=1) - (change[:, own:] ** 2).sum(axis=1)  # C d is nearly 0 only
        better = (after < before) & (back.gap(back.equations_at(near.x)) <= (ROUGHLY if level.nested else CLOSED))
        x[live[better]] = near.x[better]
        kept = np.where(before - after > 0.75 * promised, 1 / 8, np.where(before - after > 0.25 * promised, 1.0, 4.0))
        damping[live] *= np.where(better, kept, 8.0)
        over = (better & ((before - after <= SAME * before) | then.enough)) | (damping[live] > MOST)
        live = live[~over]
    return x


def left_over(level: Level, x: np.ndarray) -> np.ndarray:
    """(worlds,): the level's gradient along what is kept, C d = 0, and what no bound holds, relative to |J| |e|; 0 where it is met."""
    p, unit, every = level.problem, level.problem.space.unit, np.arange(len(x))
    seen, w = p.seen(every, x, np.zeros((len(x), len(unit)))), p.weights[:, level.own]
    c, C = level.kept(every, seen)
    low, high = p.space.room(x)
    free = p.space.movable & ~level.pressed & (low < -NEAR) & (high > NEAR)
    C = np.nan_to_num(C * (unit * free)[:, None] * (~level.sided | (c < NEAR))[..., None])
    e, J = w * seen.r[:, level.own], w[..., None] * seen.A[:, level.own] * unit
    g = np.einsum("wmn,wm->wn", J, e) * free
    along = g - np.einsum(
        "wmn,wm->wn", C, np.einsum("wmn,wn->wm", np.linalg.pinv(np.swapaxes(C, 1, 2), rcond=ROUGH_RANK if level.nested else RANK), g)
    )
    size = np.maximum(np.linalg.norm(J, axis=(1, 2)), STRETCHED * np.linalg.norm(w * p.rows.lengths[level.own], axis=1))
    left = np.abs(along).max(axis=1, initial=0.0) / (size * np.linalg.norm(e, axis=1) + 1e-300)
    return np.where(level.enough(every, seen, c), 0.0, left)
