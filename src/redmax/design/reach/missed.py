"""What a level that was not met leaves to later ones: places where its gradient along what came before it vanishes.

    g_i(x) = P(x) J_i' W^2 r_i(x) = 0,      P: onto the tangent C d = 0 of the equations before level i, in units of coordinates

Without their multipliers, which change from place to place. Of those equations as many count as at the level's least: beside it, ones
that repeat others there do no longer. Derivatives are differences; of what itself has differences in it, with longer steps.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from redmax.design.reach.least_squares import SHIFT, slopes

if TYPE_CHECKING:
    from redmax.design.reach.problem import Level, Rows

NESTED = 1e-3  # steps of differences of what has differences in it
DISTINCT = 1e-6  # of the largest singular value, below which equations repeat others


def left_by(level: Level, which: np.ndarray, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """g (worlds, n) and dg/dx (worlds, n, n)."""
    space, rest = level.problem.space, np.zeros((len(x), len(level.problem.space.unit)))

    def function(which: np.ndarray, x: np.ndarray, d: np.ndarray) -> np.ndarray:
        return falling(level, which, x, d)

    g, step = falling(level, which, x, rest), (NESTED if level.unmet else SHIFT) * space.unit
    H = slopes(function, which, x, g, space.room(x), step)
    return g, np.where(np.isfinite(H), H, 0.0) * (space.movable & ~level.pressed)[which][:, None]


def falling(level: Level, which: np.ndarray, x: np.ndarray, d: np.ndarray) -> np.ndarray:
    """g (worlds, n) at places moved by steps."""
    B, g = tangent(level, which, level.problem.seen(which, x, d))
    if not B.shape[1]:
        return g
    V = np.linalg.svd(np.nan_to_num(B), full_matrices=False)[2] * (np.arange(min(B.shape[1:])) < level.rank[which][:, None])[..., None]
    return g - np.einsum("wkn,wk->wn", V, np.einsum("wkn,wn->wk", V, g))


def tangent(level: Level, which: np.ndarray, seen: Rows) -> tuple[np.ndarray, np.ndarray]:
    """Derivatives of the equations that act, and the gradient of the level's own rows, both in units of coordinates."""
    p = level.problem
    weights = p.weights[which][:, level.own] ** 2
    g = np.einsum("wm,wmn->wn", weights * seen.r[:, level.own], seen.A[:, level.own])
    c, C = level.kept(which, seen)
    moving = p.space.unit * (p.space.movable & ~level.pressed)[which]
    return C * (~level.sided | (c + level.y[which] < 0.0))[..., None] * moving[:, None], g * moving


def ranked(level: Level, x: np.ndarray) -> Level:
    """The level as it is left at its least: how many of the equations before it say something of their own there."""
    every, rest = np.arange(len(x)), np.zeros((len(x), len(level.problem.space.unit)))
    B, _ = tangent(level, every, level.problem.seen(every, x, rest))
    values = np.linalg.svd(np.nan_to_num(B), compute_uv=False) if B.shape[1] else np.zeros((len(x), 0))
    least = DISTINCT * values.max(axis=1, initial=0.0, keepdims=True)
    return replace(level, rank=(values > least).sum(axis=1))
