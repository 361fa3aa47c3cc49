"""The quantities of a run that are those of constraints: rows of the table in run/quantities.py.

Their columns in tables are called by the constraint: "loop.lambda0", "loop.gap0", "loop.rate0", "loop.place0.force.x", "loop.power".
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from redmax.model.model import Model
from redmax.run.constraint_histories import gap_of, multipliers_of, powers_of, rate_of, wrenches_of
from redmax.run.quantity import WRENCH, Heading, Plot, Quantity, in_units
from redmax.run.row_units import row_units

if TYPE_CHECKING:
    from redmax.run.trajectory import Trajectory

UNITS = {  # of a row whose gap is a length, and of one whose gap is an angle
    "lambda": ("{F}", "{T}"),
    "gap": ("{L}", "rad"),
    "rate": ("{L}/s", "rad/s"),
    "impulse": ("{F} s", "{T} s"),
}


def row_columns(label: str, model: Model) -> list[tuple[int, Heading]]:
    """One for each row."""
    found: list[Heading] = []
    for c in model.constraints:
        for k, angular in enumerate(row_units(model, c)):
            found.append(Heading(None, f"{label}{k}", f"{c.name}.{label}{k}", in_units(UNITS[label][angular], model)))
    return list(enumerate(found))


def place_columns(model: Model) -> list[tuple[int, Heading]]:
    """One for each place, torque and force along each axis."""
    units = [in_units("{T}", model)] * 3 + [in_units("{F}", model)] * 3
    labels = [(f"{place}.{label}", unit) for place in place_names(model) for label, unit in zip(WRENCH, units, strict=True)]
    return [(n, Heading(None, label, label, unit)) for n, (label, unit) in enumerate(labels)]


def power_columns(model: Model) -> list[tuple[int, Heading]]:
    """One for each constraint."""
    return [(k, Heading(None, "power", f"{c.name}.power", in_units("{P}", model))) for k, c in enumerate(model.constraints)]


def row_names(model: Model) -> list[str]:
    """Of all rows: the constraint, and the number of the row in it."""
    return [f"{c.name}.{k}" for c in model.constraints for k in range(c.size)]


def place_names(model: Model) -> list[str]:
    """Of all places: the constraint, and the number of the place in it."""
    return [f"{c.name}.place{k}" for c in model.constraints for k in range(len(c.anchors))]


def is_constrained(run: Trajectory) -> bool:
    """Whether the scene has constraints."""
    return bool(run.model.constraints)


def has_impulses(run: Trajectory) -> bool:
    """Whether the run has recorded impacts."""
    return run.impulse is not None


OF_ROWS, BEHIND = ("constraint row",), {"store": "reactions", "table": "constraints", "where": is_constrained}
CONSTRAINT_QUANTITIES = (
    Quantity(
        "multipliers", "of the rows of constraints: what each exerts along its gap; of redundant rows, those of least norm", OF_ROWS,
        "{F} along lengths, {T} along angles", multipliers_of, dataset="constraints/multipliers", columns=partial(row_columns, "lambda"),
        plot=Plot("constraints", "multipliers of constraints, and how far they are off", way="constraints"), **BEHIND,
    ),
    Quantity(
        "constraint_gap", "how far each row of a constraint is off: zero where it is kept", OF_ROWS, "{L} or rad",
        gap_of, dataset="constraints/gap", columns=partial(row_columns, "gap"), **BEHIND,
    ),
    Quantity(
        "constraint_rate", "how fast it goes off", OF_ROWS, "{L}/s or rad/s", rate_of,
        dataset="constraints/rate", columns=partial(row_columns, "rate"), **BEHIND,
    ),
    Quantity(
        "constraint_wrench", "of constraints on their places, at each place, in world axes", ("constraint place", "torque; force"),
        "{T}; {F}", wrenches_of, dataset="constraints/wrench", columns=place_columns, **BEHIND,
    ),
    Quantity(
        "constraint_power", "that constraints give to bodies and joints", ("constraint",), "{P}", powers_of,
        dataset="constraints/power", columns=power_columns, **BEHIND,
    ),
    Quantity(
        "impulse", "what impacts gave each row of a constraint since the run began, beside the multipliers, where some only push", OF_ROWS,
        "{F} s along lengths, {T} s along angles", lambda run: run.impulse, kind="given", dataset="constraints/impulse", dtype="float64",
        columns=partial(row_columns, "impulse"), table="impulses", where=has_impulses,
    ),
    Quantity(
        "impulse_time", "when the last impact of each row of a constraint was; not a number before the first", OF_ROWS, "s",
        lambda run: run.impulse_time, kind="given", dataset="constraints/impulse_time", dtype="float64", where=has_impulses,
    ),
)  # fmt: skip
