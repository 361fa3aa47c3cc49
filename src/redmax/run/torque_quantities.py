"""The quantities of a run that say what drove it: rows of the table in run/quantities.py.

Their columns in tables are called by the joint, "elbow.tau0", or by the source, "elbow servo.tau0", with N m along angles and N along
lengths.
"""

from __future__ import annotations

from functools import partial

from redmax.dynamics.common.joint_torques import driven_rates
from redmax.model.model import Model
from redmax.run.coordinate_units import units_of_torques
from redmax.run.driving import is_driven, torques_by_source
from redmax.run.quantity import Heading, Plot, Quantity

WORK = "work per unit of the coordinate"


def rate_columns(name: str, model: Model) -> list[tuple[int, Heading]]:
    """One for each rate of a joint; hidden states of forces, which have rates too, are driven by nothing."""
    places = [(i, k) for i, link in enumerate(model.links) for k in range(link.joint.dof)]
    found = enumerate(zip(places, units_of_torques(model), strict=True))
    bodies = len(model.bodies)
    return [(n, Heading(i, f"{name}{k}", f"{model.joint_names[i]}.{name}{k}", unit)) for n, ((i, k), unit) in found if i < bodies]


def source_columns(model: Model) -> list[tuple[int, Heading]]:
    """One for each source and rate of its joint."""
    units = units_of_torques(model)
    names = [(source.link, f"{source.name}.tau{k}", units[column]) for source, k, column in driven_rates(model)]
    return [(n, Heading(link, name, name, unit)) for n, (link, name, unit) in enumerate(names)]


TORQUE_QUANTITIES = (
    Quantity(
        "tau", "what drives the joints from within: servos and other forces in them, springs and dampers, what the run was given, and "
        "what prescribed joints need", ("rate",), WORK, lambda run: run.driving["total"],
        dataset="torques/total", store="reactions", table="torques", columns=partial(rate_columns, "tau"), where=is_driven,
        plot=Plot("torques", "what drives the joints from within, their sum and source by source", r"\tau", way="torques"),
    ),
    Quantity(
        "torques", "of that, what each source does, along the rates of its joint; torques/names says which", ("driven rate",), WORK,
        torques_by_source, dataset="torques/sources", store="reactions", table="torques", columns=source_columns,
    ),
    Quantity(
        "controls", "torques that the run was given (simulate(controls=), or a Python controller), as they are held from each sample on",
        ("rate",), WORK, lambda run: run.controls,
        kind="given", dataset="controls", table="torques", columns=partial(rate_columns, "controls"),
    ),
)  # fmt: skip
