"""A run in a few lines: how far it came and by which method, how long that took, and what became of its energy."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from redmax.errors import samples_in_words
from redmax.run.energy_account import energy_account
from redmax.run.progress import pace
from redmax.text import one_line

if TYPE_CHECKING:
    from redmax.run.trajectory import Trajectory

WORLDS = 3  # that broke off and are named
NOTES = 3  # on rows that are said


def summary(run: Trajectory) -> str:
    """What a person wants to know of a run, in a few lines."""
    lines = summary_lines(run) if run.q.ndim == 2 else {**method_lines(run), **world_lines(run, "x".join(map(str, run.q.shape[1:-1])))}
    return "\n".join([one_line(run.model.title) or "A run", *(f"  {label:<13}{text}" for label, text in lines.items())])


def world_lines(run: Trajectory, worlds: str, note: str = "") -> dict[str, str]:
    """How many worlds there are, in words, and which of them broke off. note: what else to say of them."""
    if not run.failures:
        return {"worlds": worlds + note}
    first = sorted(run.failures, key=lambda f: f.t)[:WORLDS]
    said = [f"world {', '.join(map(str, f.world))} {f.short.removeprefix('broke off ')}" for f in first]
    more = f"; and {len(run.failures) - WORLDS:,} more, see run.failures" * (len(run.failures) > WORLDS)
    return {"worlds": f"{worlds}, of which {len(run.failures):,} broke off{note}", "broke off": "; ".join(said) + more}


def summary_lines(run: Trajectory, conservative: bool = False, why: str = "", batch: Mapping[str, str] | None = None) -> dict[str, str]:
    """By their labels, of one world. conservative: whether the scene is known to keep its energy; why: it is known not to.

    batch: the lines of the batch of which it is one
    """
    good = run.good
    energy, lines, unit, shorter = good.energy, {**method_lines(run), **(batch or {})}, run.model.units.energy, len(good) < len(run)
    while_good = " while it was good" * shorter
    if run.failure is not None:
        until = f"; good until t = {good.t[-1]:.6g} s, {samples_in_words(len(good))}, as far as pictures and pages show it" * shorter
        if "broke off" in lines:
            lines["the first"] = run.failure.short + until
        else:
            lines["broke off"] = run.failure.short.removeprefix("broke off ") + until
    account = energy_account(good)
    changed = "energy lost" if " lost " in account or " took " in account else "energy added"
    if conservative:
        apart = f", at the sample where it is largest; '{changed}' is what the method did from the beginning to the end" * bool(account)
        lines["energy drift"] = f"{energy.drift.max():.1e} of the largest kinetic energy{while_good}{apart}"
    else:
        at_end = f", and {run.energy.total[-1]:.6g} {unit} at its end" if shorter else ""
        lines["energy"] = f"from {energy.total[0]:.6g} to {energy.total[-1]:.6g} {unit}{while_good}{at_end}{why}"
    if account:
        lines[changed] = account
    if any(not c.limited for c in run.model.constraints):
        lines["constraints"] = drift_of_constraints(good)
    if run.contact_count is not None:
        lines["contact"] = summary_of_contacts(good)
    if run.joint_drift is not None:
        lines["joint drift"] = f"{np.nanmax(run.joint_drift):.1e}: how far the joints, as constraints, were open at most"
    if run.hidden_rate is not None:
        lines["hidden rate"] = f"{np.nanmax(run.hidden_rate):.1e}: how fast bodies left their joints at most"
    if run.notes:
        more = f" And {len(run.notes) - NOTES} more, see run.notes." * (len(run.notes) > NOTES)
        lines["rows"] = " ".join(run.notes[:NOTES]) + more
    return lines


def drift_of_constraints(run: Trajectory) -> str:
    """How far rows were off at most, those that only push where they were passed; where all are of velocities, how fast they slipped.

    Rows with limited force, which may give way, are left out.
    """
    from redmax.run.quantities import quantity_named

    rows = [c for c in run.model.constraints for _ in range(c.size)]
    name = "constraint_rate" if all(c.of_velocities for c in rows if not c.limited) else "constraint_gap"
    values, pushing = np.asarray(run.quantity(name)), [c.one_sided for c in rows]
    off = np.where(pushing, np.maximum(-values, 0.0), abs(values)).max(axis=0, initial=0.0) * [not c.limited for c in rows]
    worst = int(np.argmax(off)) if len(off) else 0
    heading = quantity_named(run.model, name).headings(run.model)[worst]
    owner = heading.name.rpartition(".")[0]
    return f"off by at most {off[worst]:.1e} {heading.unit} ({owner!r})"


def summary_of_contacts(run: Trajectory) -> str:
    """How many there were at most, and how well they were solved."""
    contacts, speed = run.contacts, f"{run.model.units.length}/s"
    most, residual = int(np.max(contacts.count)), float(np.nanmax(contacts.residual))
    asked = len(run.model.asked_pairs)
    took = "" if run.contact_loss is None else f"; impacts took {float(run.contact_loss[-1]):.6g} {run.model.units.energy}"
    outside = f"; Python was asked for {asked} pair{'s' * (asked != 1)} of shapes in each step, outside compiled code" * bool(asked)
    return f"at most {most} point{'s' * (most != 1)}, residual at most {residual:.1e} {speed}{outside}{took}"


def method_lines(run: Trajectory) -> dict[str, str]:
    """How far, by which method, and how long it took."""
    accuracy = tolerances(run.settings) if run.integrator == "adaptive" else f"dt {run.dt:g} s"
    method = f"{run.integrator}, {accuracy}; {run.dynamics} dynamics"
    counted = f" in {run.steps:,} steps" if run.steps or len(run) == 1 else ""
    found = pace(float(run.t[-1] - run.t[0]), run.wall_s)
    return {
        "simulated": f"{run.t[-1]:g} s{counted} ({method})",
        "took": f"{run.wall_s:.2f} s{f' ({found})' * bool(found)}, and {run.compile_s:.2f} s to compile",
    }


def tolerances(settings: Mapping[str, Any]) -> str:
    """Of adaptive steps, in words."""
    rtol, atol = settings.get("rtol", 1e-8), settings.get("atol")
    absolute = (
        ""
        if atol is None or (isinstance(atol, float) and atol == rtol)
        else f", atol {atol:g}"
        if isinstance(atol, float)
        else ", atol for each rate"
    )
    return f"rtol {rtol:g}{absolute}"
