"""Why constraints could not be kept: positions where rows lie on each other, and bodies too light for the others; and what to say of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from redmax.errors import RedmaxError
from redmax.model.state import State
from redmax.run.assembly import Assembler
from redmax.run.row_notes import row_notes
from redmax.solvers.semidefinite import DEPENDENT

if TYPE_CHECKING:
    from redmax.run.simulation import Simulation

NEARLY = 1e-6  # eigenvalues of G M^-1 G', with unit diagonals, of rows that nearly repeat others
EXACTLY = 1e-13  # and of those that do


def not_closed(sim: Simulation, state: State) -> str | None:
    """What to say where rows of a run that broke off nearly depend on each other. q of the state is a configuration, (worlds, n)."""
    if not sim.model.constraints or sim.model.map is not None:
        return None
    q, qdot = np.atleast_2d(state.q), np.atleast_2d(state.qdot)
    try:
        world = int(np.flatnonzero(np.isfinite(q).all(axis=1) & np.isfinite(qdot).all(axis=1))[0])
        one = Assembler(sim.model, sim.engine_of(world), tuple(values[world : world + 1] for values in sim.parameters.values()))
        values, vectors = dependence(one, q[world].astype(float), state.t)
    except (RedmaxError, IndexError, np.linalg.LinAlgError):
        return None
    near = np.flatnonzero((values > EXACTLY) & (values < NEARLY))
    lost = independent(one, q[world].astype(float), state.t) - int((values > DEPENDENT).sum())
    if not len(near) and lost <= 0:
        return None
    k = int(near[0]) if len(near) else int((values <= DEPENDENT).sum()) - 1
    share = np.zeros(len(sim.model.constraints))
    np.add.at(share, one.values.owner, vectors[:, k] ** 2)
    labels = [sim.model.constraints[n].label for n in np.argsort(-share) if share[n] > 0.05][:2]
    what = f"rows of {' and '.join(labels)} hardly differ there from what others ask for"
    fix = "Give light bodies more mass, leave out rows that others imply, or keep the mechanism from folding flat"
    where = f"at t = {state.t:.6g} s: its constraints could not be kept, near a singular position, or since a body is very light"
    return f"The run broke off {where}: {what}. {fix}."


def independent(one: Assembler, q: np.ndarray, t: float) -> int:
    """How many rows do not repeat others, whatever the masses."""
    rows = one.at(q, np.zeros(one.model.nv), t)
    found = row_notes(one.model, rows.G[0], rows.size[0], one.unit, one.movable)
    equal = sum(c.size for c in one.model.constraints if not c.one_sided)
    return equal - sum(len(k) for k in (*found.zero.values(), *found.repeated.values()))


def dependence(one: Assembler, q: np.ndarray, t: float) -> tuple[np.ndarray, np.ndarray]:
    """Eigenvalues and vectors of G M^-1 G' of all equalities, with unit diagonals; zero rows have 0 there."""
    rows, free = one.at(q, np.zeros(one.model.nv), t), one.movable
    G = rows.G[0][:, free] / rows.size[0][:, None] * ~one.one_sided[:, None]
    M = np.asarray(one.engine.inertia(q, t), float)[np.ix_(free, free)]
    A = G @ np.linalg.solve(M, G.T)
    d = np.sqrt(np.diag(A))
    scale = np.where(d > 0, 1.0 / np.where(d > 0, d, 1.0), 0.0)
    return np.linalg.eigh(A * np.outer(scale, scale))
