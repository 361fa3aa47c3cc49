"""Which steps with contact have no derivative: of scenes, what is not differentiated yet; of runs, where a contact is at the edge of two
states, and where Coulomb's law was not solved."""

from __future__ import annotations

import numpy as np

from redmax.dynamics.contact.constraint_rows import contact_rows
from redmax.dynamics.contact.detect import FEATURES
from redmax.dynamics.contact.pair_laws import detected_pairs
from redmax.errors import RedmaxError
from redmax.run.simulation import Simulation
from redmax.solvers.contact.converged import BOUNDED, LEVEL, OPENING, UNSOLVED

STATES = ("open", "sticking", "sliding")


def refused(sim: Simulation) -> str:
    """What beside contact, or of it, is not differentiated, and what helps; "" if there is nothing."""
    model, o = sim.model, sim.options
    if str(o.integrator) not in ("euler", "implicit"):
        return f"contact in steps of {str(o.integrator)!r}. Take integrator 'euler' or 'implicit'"
    if model.soft:
        return "contact beside deformables. Leave contact out"
    if model.turning and o.friction != "exact":
        return "torsional or rolling friction in convex steps. Take friction='exact'"
    if model.asked_pairs:
        a, b = model.asked_pairs[0]
        return f"contact between {a.owner!r} ({a.kind}) and {b.owner!r} ({b.kind}), asked for from Python. Take other shapes"
    if o.friction == "staggered" or o.friction_sides:
        return "friction in turns or of cones with sides. Take friction='exact' or 'convex'"
    return ""


def check_doubts(sim: Simulation, doubts: np.ndarray, first: int, begins: bool) -> None:
    """Raise at the first of some steps that has none. doubts: (steps, worlds, DOUBTS), of converged.py; first: which step they begin with

    begins: whether the derivative is by where the run begins; else points of its first step do not move
    """
    doubtful = doubts[..., 0] > 0.5
    if first == 0 and not begins:
        doubtful[0] &= doubts[0, :, 0] != LEVEL
    found = np.argwhere(doubtful)
    if len(found):
        step, world = found[0]
        kind, key, state = doubts[step, world].tolist()
        said = sentence(sim, kind, key, state, sim.t + (first + int(step)) * sim.dt)
        raise RedmaxError(said, owner="gradient", argument="scene")


def sentence(sim: Simulation, kind: float, key: float, state: float, t: float) -> str:
    """What is wrong with a step, and what helps."""
    when = f"The step from t = {t:.6g} s to {t + sim.dt:.6g} s has no derivative"
    if kind == UNSOLVED:
        return f"{when}: the solver of contact did not come to an end there. Take a shorter step: dt={sim.dt / 2:g}."
    if kind == BOUNDED:
        row = next(r for r in contact_rows(sim.model).rows if r.first <= key < r.first + r.kept.size)
        told = f"{sim.model.constraints[row.number].label} is at the edge of holding and letting go, or of what its force is limited to"
        return f"{when}: {told}, and it differs on both sides. Begin beside it, end before it, or take another dt."
    a, b = (shape.owner for shape in detected_pairs(sim.model)[int(key // FEATURES)])
    if kind == LEVEL:
        fix = "Begin a little above or below, or take derivatives by 'qdot' and 'tau' alone"
        return f"{when} by where bodies are: {a!r} and {b!r} are {STATES[int(state)]} with a gap of exactly zero, a corner. {fix}."
    between = "open and touching without force" if kind == OPENING else "sticking and sliding"
    told = f"{a!r} and {b!r} are at the edge between {between} (they are {STATES[int(state)]} there)"
    return f"{when}: {told}, and it differs on both sides. Begin beside it, end before it, or take another dt."
