"""What a run's energy lost or gained by the integrator, apart from what forces did.

At every sample the motion that the equations ask for, q(t + h) = q + h qdot + h^2/2 qddot and its rates, changes the total energy at the
rate P = dE/dt, the power of all that is not conservative: dampers, drives, prescribed motions. What E(end) - E(0) has beyond the
integral of P (by Simpson's rule) is the integrator's doing, but for the samples between which something struck: impacts take energy, and
so may the first step of a run whose rates are not those that its constraints ask for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from redmax.errors import RedmaxError
from redmax.integrators import METHODS
from redmax.run.known_samples import where_known

if TYPE_CHECKING:
    from redmax.run.trajectory import Trajectory

NOTICED = 0.1  # of the largest kinetic energy
STEP = 1e-3  # of the interval between samples
UNSPRUNG = "implicit, without springs"
SMALL = 0.3  # of the largest kinetic energy: what is lost or added is in proportion to a power of the step, up to about there
TOO_LONG = "its step is too long for the fastest motion"
LOSES = {  # why an integrator takes energy; the others, and those that add some, take steps that are too long
    "implicit": "linearly implicit Euler damps what springs move, the faster the more",
    UNSPRUNG: "linearly implicit Euler takes weights and gyroscopic forces from the beginning of its steps, long for this motion",
    "bdf1": "implicit Euler damps every motion, the fast ones most",
    "bdf2": "BDF2 damps motions that are fast for its step",
    "adaptive": "its tolerance is too loose",
}
ADDS = {
    "forward-euler": "forward Euler feeds energy into every motion",
    "implicit": LOSES[UNSPRUNG],
    "adaptive": "its tolerance is too loose",
}


def energy_account(run: Trajectory) -> str:
    """Why the energy of a run of one world changed, and what keeps it, where the integrator changed it by much; otherwise nothing."""
    if not run.complete or run.q.ndim != 2 or len(run) < 3:  # one that broke off has an account of its own
        return ""
    if run.contact_count is not None:  # impacts and friction take energy at once, between samples
        return ""
    energy = run.energy
    largest = float(np.max(energy.kinetic))
    if not float(np.max(energy.drift)) > NOTICED or not np.isfinite(largest):
        return ""
    given = power(run)
    if given is None:
        return ""
    from scipy.integrate import cumulative_simpson

    made = np.diff(energy.total - cumulative_simpson(given, x=run.t, initial=0)) / largest
    struck = impacts_between(run)
    own, taken = float(made[~struck].sum()), -float(made[struck].sum())
    return " ".join(said for said in (sentence(run, own) if abs(own) > NOTICED else "", of_impacts(run, taken)) if said)


def impacts_between(run: Trajectory) -> np.ndarray:
    """(time - 1,): whether something was stopped at once between a sample and the next."""
    struck = np.zeros(len(run) - 1, bool)
    struck[0] = bool(run.model.constraints)
    if run.impulse is not None:
        struck |= (np.diff(run.impulse, axis=0) != 0.0).any(axis=-1)
    return struck


def of_impacts(run: Trajectory, taken: float) -> str:
    """taken: what they took, in units of the largest kinetic energy."""
    names = [c.label for c in run.model.constraints if run.impulse is not None and c.name and run.constraint(c.name).impacts]
    if not names or not taken > NOTICED:
        return ""
    return f"Impacts of {' and of '.join(names)} took about {taken:.0%} of the largest kinetic energy: what they catch does not bounce."


def sentence(run: Trajectory, own: float) -> str:
    """own: what the integrator changed, in units of the largest kinetic energy."""
    done, reasons = ("lost", LOSES) if own < 0 else ("added", ADDS)
    why = UNSPRUNG if done == "lost" and run.integrator == "implicit" and not has_springs(run) else run.integrator
    much = f"{abs(own):.0%} of" if abs(own) < 1 else f"{abs(own):.2g} times"
    said = f"{run.integrator} itself {done} about {much} the largest kinetic energy: {reasons.get(why, TOO_LONG)}"
    if run.integrator == "adaptive":
        return f"{said}. A smaller rtol keeps it."
    less = {1: "half", 2: "a quarter"}.get(METHODS[run.integrator].order, "a sixteenth")
    keeps = "; integrator 'adaptive' keeps it" if fits_adaptive(run) else ""
    shorter = f"Half the dt leaves about {less} of it" if abs(own) < SMALL else f"Less is {done} with a shorter dt"
    return f"{said}. {shorter}{keeps}."


def has_springs(run: Trajectory) -> bool:
    """Whether anything in the scene may pull back."""
    model = run.model
    return bool(model.forces) or bool(model.soft) or any(np.any(link.stiffness) for link in model.links)


def fits_adaptive(run: Trajectory) -> bool:
    """Whether the scene may be run with steps of chosen lengths."""
    from redmax.run.combinations import chosen
    from redmax.run.options import RunOptions

    try:
        chosen(run.model, RunOptions(integrator="adaptive"))
    except RedmaxError:
        return False
    return True


def power(run: Trajectory) -> np.ndarray | None:
    """(time,): P, the power of what is not conservative; None where it is not known, as with a Python controller."""
    if run.engine.dtype != "float64" or (run.settings.get("controller") and run.controls is None):
        return None
    h = STEP * float(np.diff(run.t).min())
    try:
        ahead, behind = (total_after(run, step) for step in (h, -h))
    except RedmaxError:
        return None
    found = (ahead - behind) / (2 * h)
    return found if np.isfinite(found).all() else None


def total_after(run: Trajectory, h: float) -> np.ndarray:
    """(time,): the total energy a moment after each sample, as the equations of motion go on."""
    model, qddot = run.model, np.asarray(run.qddot)
    q = model.configurations.join(run.q + model.configurations.rates(run.q, h * run.qdot + 0.5 * h**2 * qddot), run.charts)
    seen = where_known(run, lambda _, rates, t, configuration: run.engine.observe(configuration, rates + h * qddot, t + h), q)
    return seen.kinetic + seen.potential
