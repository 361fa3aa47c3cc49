"""Why constraints could not be kept, and what to say of it: what is prescribed is out of reach, the position is singular, a body is light.

A position is singular where rows hold fewer motions than near it: the least singular value of G, of rows that hold something elsewhere,
fades. There a mechanism may go on in several ways, as a parallelogram that is folded flat.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from redmax.errors import RedmaxError
from redmax.model.state import State
from redmax.run.assembly import Assembler, assembler_of
from redmax.run.gap_words import listed
from redmax.run.not_met import ENOUGH, NAMED, in_conflict, off_by

if TYPE_CHECKING:
    from redmax.run.simulation import Simulation

NEARLY = 1e-6  # eigenvalues of G M^-1 G', with unit diagonals, of rows that nearly repeat others
EXACTLY = 1e-13  # and of those that do
FADED = 0.15  # of the least singular value elsewhere
HOLDS = 1e-6  # of the largest, that a row holds something with
SHAKES, FAR = 5, 0.7  # positions elsewhere that are looked at, and how far away (rad, parts of the mechanism's size)
LATER = (1.0, 2.0, 5.0)  # intervals after the last sample, at which it is looked whether constraints can be met
OUT_OF_REACH = 1e-7  # what the nearest position leaves, relative to the mechanism's size


@dataclass(frozen=True, eq=False)
class Where:
    """A world of a run where it broke off: the coordinates that were last, and their rates, and how long after it there were none (s)."""

    one: Assembler
    q: np.ndarray
    qdot: np.ndarray
    t: float
    interval: float


def last_of(sim: Simulation, state: State, interval: float) -> Where | None:
    """The first world whose last state is known. q of the state is a configuration, (worlds, n)."""
    q, qdot = np.atleast_2d(state.q), np.atleast_2d(state.qdot)
    known = np.flatnonzero(np.isfinite(q).all(axis=1) & np.isfinite(qdot).all(axis=1))
    if not len(known):
        return None
    world = int(known[0])
    one = assembler_of(sim.model, sim.engine_of(world), tuple(values[world : world + 1] for values in sim.parameters.values()))
    return Where(one, *one.own_state(q[world].astype(float), qdot[world].astype(float)), state.t, interval)


def not_closed(sim: Simulation, state: State, interval: float) -> str | None:
    """What to say where the constraints of a run that broke off are the reason; interval: of its samples (s)."""
    if not sim.model.constraints:
        return None
    try:
        at = last_of(sim, state, interval)
        return at and (out_of_reach(at) or singular(at) or too_light(at))
    except (RedmaxError, np.linalg.LinAlgError):
        return None


def out_of_reach(at: Where) -> str | None:
    """What to say where constraints that change with time cannot be met soon after."""
    one, rest = at.one, np.zeros(at.one.n)
    now = one.at(at.q, rest, at.t)
    for later in (at.t + n * at.interval for n in LATER):
        then = one.at(at.q, rest, later)
        if np.allclose(now.gap, then.gap, rtol=0.0, atol=ENOUGH):
            continue
        nearest, off = one.approach(at.q, later, one.movable)
        if off > OUT_OF_REACH:
            return unmet_sentence(at, nearest, later)
    return None


def unmet_sentence(at: Where, nearest: np.ndarray, t: float) -> str:
    """Which constraints stay open at a time, and by how much."""
    one = at.one
    rows = one.at(nearest, np.zeros(one.n), t)
    gaps = one.gaps(rows)[0]
    names, gap = in_conflict(one, gaps)[:NAMED], np.where(gaps != 0.0, rows.gap[0], 0.0)
    labels, left = [one.model.constraints[n].label for n in names], ", ".join(off_by(one, n, gap) for n in names)
    if len(names) > 1:
        what, fix = f"{listed(labels)} cannot be met together", "Change what is prescribed, or leave one of them out"
    else:
        what, fix = f"{labels[0]} asks for what is out of reach", "Keep what is prescribed within reach of the bodies between its places"
    return f"The run broke off at t = {at.t:.6g} s: {what}. At t = {t:.6g} s the nearest position leaves {left}. {fix}."


def singular(at: Where) -> str | None:
    """What to say where the position is singular."""
    held = faded_rows(at.one, at.q, at.t)
    if not held:
        return None
    what = f"rows of {listed(held)} hold fewer motions there than elsewhere, and it may go on in several ways"
    fix = "A HardLimit keeps a mechanism from such positions; smaller steps, or another integrator, may lead through them"
    return f"The run broke off at t = {at.t:.6g} s, near a singular position of the mechanism: {what}. {fix}."


def faded_rows(one: Assembler, q: np.ndarray, t: float) -> list[str]:
    """The constraints whose rows hold less at a position than at others, where they hold something; none where it is not singular."""
    here, vectors = holding(one, q, t)
    elsewhere, rng = np.zeros_like(here), np.random.default_rng(0)
    for _ in range(SHAKES):
        shake = FAR * one.unit * rng.uniform(-1, 1, one.n) * one.movable
        near, off = one.approach(one.at(q, shake, t, shake).q[0], t, one.movable)
        if off <= ENOUGH:
            elsewhere = np.maximum(elsewhere, holding(one, near, t)[0])
    rank = int((elsewhere > HOLDS * max(elsewhere.max(initial=0.0), 1e-300)).sum())
    if not rank or here[rank - 1] > FADED * elsewhere[rank - 1]:
        return []
    share = np.zeros(len(one.model.constraints))
    np.add.at(share, one.values.owner, vectors[:, rank - 1] ** 2)
    return [one.model.constraints[n].label for n in np.argsort(-share) if share[n] > 0.05][:NAMED]


def holding(one: Assembler, q: np.ndarray, t: float) -> tuple[np.ndarray, np.ndarray]:
    """Singular values and left vectors of G, the largest first, of equalities: of rows and coordinates without units."""
    rows = one.at(q, np.zeros(one.n), t)
    G = rows.G[0] * one.unit / rows.size[0][:, None] * one.equal[:, None]
    vectors, values, _ = np.linalg.svd(G[:, one.movable], full_matrices=False)
    return values, vectors


def too_light(at: Where) -> str | None:
    """What to say where rows nearly repeat others by the masses that they move."""
    values, vectors = dependence(at.one, at.q, at.t)
    near = np.flatnonzero((values > EXACTLY) & (values < NEARLY))
    if not len(near):
        return None
    share, constraints = np.zeros(len(at.one.model.constraints)), at.one.model.constraints
    np.add.at(share, at.one.values.owner, vectors[:, int(near[0])] ** 2)
    labels = [constraints[n].label for n in np.argsort(-share) if share[n] > 0.05][:NAMED]
    what = f"its constraints could not be kept, since rows of {listed(labels)} hardly differ there from what others ask for"
    fix = "Give light bodies more mass, or leave out rows that others imply"
    return f"The run broke off at t = {at.t:.6g} s: {what}. {fix}."


def dependence(one: Assembler, q: np.ndarray, t: float) -> tuple[np.ndarray, np.ndarray]:
    """Eigenvalues and vectors of G M^-1 G' of all equalities, with unit diagonals; zero rows have 0 there."""
    rows = one.at(q, np.zeros(one.n), t)
    free = one.movable & (rows.G[0].any(axis=0) | ~one.of_nodes)
    G = rows.G[0][:, free] / rows.size[0][:, None] * one.equal[:, None]
    A = G @ np.linalg.solve(one.inertia(q, t, free), G.T)
    d = np.sqrt(np.diag(A))
    scale = np.where(d > 0, 1.0 / np.where(d > 0, d, 1.0), 0.0)
    return np.linalg.eigh(A * np.outer(scale, scale))
