"""The quantities of a run that are those of forces along paths and of muscles: rows of the table in run/quantities.py.

Their columns in tables are called by the force: "biceps.tension", "biceps.fibre_length", "biceps.moment_arm.forearm.q0". Moment arms are
shown about the coordinates that a path may depend on.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from operator import attrgetter

from redmax.dynamics.common.path_states import muscles_of, paths_of, rates_crossed
from redmax.forces.path import PathForce
from redmax.model.model import Model
from redmax.run.coordinate_units import units_of_rates
from redmax.run.quantity import Heading, Plot, Quantity, in_units

MUSCLES = Plot("muscles", "activation, force and fibres of the muscles", way="muscles")
MOMENT_ARMS = Plot("moment-arms", "moment arms of forces along paths, over time or over a coordinate", way="moment-arms")
FORCE_LENGTH = Plot("force-length", "where the muscles are on their force-length curves", way="force-length")
FORCE_VELOCITY = Plot("force-velocity", "where the muscles are on their force-velocity curves", way="force-velocity")
PLOTS = {"activation": MUSCLES, "normalised_length": FORCE_LENGTH, "normalised_velocity": FORCE_VELOCITY}
OF_PATHS = {  # name: (unit, what it is)
    "length": ("{L}", "length of the paths of forces"),
    "rate": ("{L}/s", "rate of these lengths, positive when lengthening"),
    "tension": ("{F}", "tension along these paths, positive if it pulls"),
    "power": ("{P}", "power that they give to the bodies"),
}
OF_MUSCLES = {
    "activation": ("1", "activation of the muscles, from 0 to 1"),
    "excitation": ("1", "excitation that it follows; where the activation is given, the same"),
    "fibre_length": ("{L}", "length of the muscle fibres"),
    "fibre_velocity": ("{L}/s", "rate of the fibre length, positive when lengthening"),
    "pennation": ("rad", "angle between fibres and tendon"),
    "tendon_length": ("{L}", "length of the tendon, which does not stretch"),
    "tendon_velocity": ("{L}/s", "rate of the tendon length: 0 unless it is slack"),
    "normalised_length": ("1", "fibre length over the optimal one"),
    "normalised_velocity": ("1", "fibre velocity over the largest one"),
    "length_factor": ("1", "active force-length curve at the normalised length"),
    "velocity_factor": ("1", "force-velocity curve at the normalised velocity"),
    "passive_factor": ("1", "passive force-length curve at the normalised length"),
    "fibre_force": ("{F}", "force along the fibres"),
    "active_force": ("{F}", "active part of the tendon force"),
    "passive_force": ("{F}", "passive part of the tendon force"),
    "damping_force": ("{F}", "part of the tendon force that is fibre damping"),
    "tendon_force": ("{F}", "tendon force, which is the tension of the path"),
    "fibre_power": ("{P}", "power of the fibres on the tendon"),
}


def columns(axis: str, name: str, unit: str, model: Model) -> list[tuple[int, Heading]]:
    """One for each path, or muscle."""
    forces: Sequence[PathForce] = muscles_of(model) if axis == "muscle" else paths_of(model)
    return [(k, Heading(None, name, f"{force.name}.{name}", in_units(unit, model))) for k, force in enumerate(forces)]


def arm_columns(model: Model) -> list[tuple[int, Heading]]:
    """One for each path and rate that its length may depend on."""
    names, units = rate_names(model), arm_units(model)
    found: list[tuple[int, Heading]] = []
    for k, force in enumerate(paths_of(model)):
        for rate in rates_crossed(model, force):
            label = f"moment_arm.{names[rate]}"
            found.append((k * model.nv + rate, Heading(None, label, f"{force.name}.{label}", units[rate])))
    return found


def rate_names(model: Model) -> list[str]:
    """(nv,): "elbow.q0", ..., what the rates are of."""
    return [f"{link.joint_name}.q{k}" for link in model.links for k in range(link.joint.dof)]


def arm_units(model: Model) -> list[str]:
    """(nv,) of moment arms: a length about an angle, a pure number along a length."""
    length = model.units.length
    return ["1" if unit == length else length for unit in units_of_rates(model)]


def row(axis: str, name: str, unit: str, about: str) -> Quantity:
    """Of one number for each path or muscle."""
    of, called = ("paths", f"path_{name}") if axis == "path" else ("muscles", name)
    return Quantity(
        called, about, (axis,), unit, attrgetter(f"{of}.{name}"),
        dataset=f"{of}/{name}", store=of, optional=True, table=of, columns=partial(columns, axis, name, unit),
        plot=PLOTS.get(name) if axis == "muscle" else None,
    )  # fmt: skip


PATH_QUANTITIES = (
    *[row("path", name, *said) for name, said in OF_PATHS.items()],
    Quantity(
        "moment_arms", "moment arms of forces along paths: minus the derivatives of their lengths by the coordinates", ("path", "rate"),
        "{L} per unit of the coordinate", attrgetter("paths.moment_arms"), dataset="paths/moment_arms", store="paths", optional=True,
        table="moment-arms", columns=arm_columns, plot=MOMENT_ARMS,
    ),
    *[row("muscle", name, *said) for name, said in OF_MUSCLES.items()],
)  # fmt: skip
