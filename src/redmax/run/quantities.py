"""Quantities of a Trajectory: one table that says how each is computed, stored, exported and plotted.

A new quantity is one row of QUANTITIES. `run.quantity(name)` computes it, or reads it from the file that the run is in; result files,
`to_numpy`, `to_pandas`, `to_csv`, `plot`, the command line and the documentation follow the table.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from redmax.errors import SceneError, unknown
from redmax.lie import to_quaternion
from redmax.model.model import Model
from redmax.run.centroidal import CENTROIDAL_QUANTITIES
from redmax.run.constraint_quantities import CONSTRAINT_QUANTITIES
from redmax.run.contact.quantities import CONTACT_QUANTITIES
from redmax.run.frame_quantities import FRAME_QUANTITIES
from redmax.run.momentum_screws import MOMENTUM_QUANTITIES
from redmax.run.path_quantities import PATH_QUANTITIES
from redmax.run.quantity import TWIST, WRENCH, XYZ, Plot, Quantity, body_links
from redmax.run.rubbing_quantities import RUBBING_QUANTITIES
from redmax.run.step_histories import STEP_QUANTITIES
from redmax.run.torque_quantities import TORQUE_QUANTITIES

if TYPE_CHECKING:
    from redmax.run.trajectory import Trajectory


def of_bodies(run: Trajectory, array: Any) -> Any:
    """(time, ..., bodies, ...) of (time, ..., links, ...)."""
    return array[(slice(None),) * (run.q.ndim - 1) + (body_links(run.model),)]


ENERGY = Plot("energy", "kinetic, potential and total energy, and the drift", way="energy")
QUANTITIES = (
    Quantity(
        "q", "coordinates of the joints, then of free nodes", ("coordinate",), "{unit}", lambda run: run.q,
        kind="state", dataset="q", table="q", plot=Plot("coordinates", "the coordinates of the joints", "q"),
    ),
    Quantity(
        "qdot", "velocities that go with q", ("rate",), "{unit}/s", lambda run: run.qdot,
        kind="state", dataset="qdot", table="qdot", plot=Plot("rates", "the rates of the coordinates", r"\dot{q}"),
    ),
    Quantity(
        "charts", "numbers of the charts that q is in", ("choice",), "1", lambda run: run.charts,
        kind="state", dataset="charts", dtype="int64",
    ),
    Quantity(
        "qddot", "accelerations", ("rate",), "{unit}/s\u00b2", lambda run: run.qddot,
        array=False, table="qddot", plot=Plot("accelerations", "the accelerations of the coordinates", r"\ddot{q}"),
    ),
    Quantity(
        "kinetic", "kinetic energy", (), "{E}", lambda run: run.observed.kinetic,
        dataset="energy/kinetic", store="energy", table="energy", labels=("kinetic",), plot=ENERGY,
    ),
    Quantity(
        "potential", "potential energy, of gravity, springs and whatever else stores some", (), "{E}", lambda run: run.observed.potential,
        dataset="energy/potential", store="energy", table="energy", labels=("potential",), plot=ENERGY,
    ),
    Quantity(
        "total", "kinetic and potential energy", (), "{E}", lambda run: run.energy.total,
        array=False, table="energy", labels=("total",),
    ),
    Quantity(
        "momentum", "about the world's origin, in world axes", ("angular; linear",), "{M} {L}\u00b2/s; {M} {L}/s",
        lambda run: run.observed.momentum, dataset="momentum", store="energy",
    ),
    Quantity(
        "position", "origins of the body frames in the world", ("body", "xyz"), "{L}",
        lambda run: of_bodies(run, run.observed.pose)[..., :3, 3], dataset="bodies/position", store="poses", table="position", labels=XYZ,
    ),
    Quantity(
        "rotation", "axes of the body frames in the world: its columns", ("body", "row", "column"), "1",
        lambda run: of_bodies(run, run.observed.pose)[..., :3, :3], dataset="bodies/rotation", store="poses",
    ),
    Quantity(
        "quaternion", "of the rotation, w >= 0", ("body", "wxyz"), "1", lambda run: to_quaternion(run.quantity("rotation")),
        array=False, table="quaternion", labels=tuple(f"quaternion.{axis}" for axis in "wxyz"),
    ),
    Quantity(
        "twist", "of the body frames, in body axes", ("body", "angular; linear"), "rad/s; {L}/s",
        lambda run: of_bodies(run, run.observed.twist), dataset="bodies/twist", store="twists", table="twist", labels=TWIST,
    ),
    Quantity(
        "reaction", "wrench of parent on child, in the joint frame", ("joint", "torque; force"),
        "{T}; {F}", lambda run: of_bodies(run, run.reactions),
        dataset="joints/reaction", store="reactions", table="reaction", labels=WRENCH,
        plot=Plot("reactions", "the wrenches of parents on children", way="wrenches"),
    ),
    Quantity(
        "joint_drift", "how far each joint is open, where joints are constraints (dynamics maximal): the norm of its pose error",
        ("link",), "rad and {L}", lambda run: run.joint_drift, kind="given", dataset="joint_drift", dtype="float64",
    ),
    *TORQUE_QUANTITIES,
    *CONSTRAINT_QUANTITIES,
    *CONTACT_QUANTITIES,
    *RUBBING_QUANTITIES,
    *STEP_QUANTITIES,
    Quantity(
        "deformables_{k}_nodes", "where the nodes of {of!r} are", ("node", "xyz"), "{L}",
        lambda run, k: run.observed.pose[..., run.model.soft[k].links, :3, 3],
        dataset="deformables/{k}/nodes", store="poses", each="deformable",
    ),
    *CENTROIDAL_QUANTITIES,
    *MOMENTUM_QUANTITIES,
    *FRAME_QUANTITIES,
    *PATH_QUANTITIES,
)  # fmt: skip
STORE = tuple(dict.fromkeys(row.store for row in QUANTITIES if row.store and not row.optional))  # what files hold beside the states


def quantities(model: Model) -> list[Quantity]:
    """The rows for a model, with one for each deformable where there is one of each."""
    found: list[Quantity] = []
    for row in QUANTITIES:
        found += [for_deformable(row, k, soft.name) for k, soft in enumerate(model.soft)] if row.each else [row]
    return found


def for_deformable(row: Quantity, k: int, of: str) -> Quantity:
    name, about, dataset = (text.format(k=k, of=of) for text in (row.name, row.about, row.dataset))
    return replace(row, name=name, about=about, dataset=dataset, values=partial(row.values, k=k), number=k)


def quantity_named(model: Model, name: str) -> Quantity:
    rows = quantities(model)
    found = [row for row in rows if row.name == name]
    if not found:
        raise SceneError(unknown("quantity", name, [row.name for row in rows]))
    return found[0]


def held() -> list[str]:
    """The names of those that a Trajectory holds, by which it has fields for them."""
    return [row.name for row in QUANTITIES if row.kind != "derived"]


def store_words() -> list[str]:
    """What is valid for `store=`."""
    return list(dict.fromkeys(row.store for row in QUANTITIES if row.store))


def table_words() -> list[str]:
    """What is valid for `what=` of tables."""
    return list(dict.fromkeys(row.table for row in QUANTITIES if row.table))


def plots() -> dict[str, Plot]:
    """What is valid for `what=` of plots, the energy first."""
    found = [row.plot for row in QUANTITIES if row.plot]
    return {plot.name: plot for plot in sorted(found, key=lambda plot: plot is not ENERGY)}


def table_word(name: str) -> str:
    """What tables call it: "q" of "coordinates", as plots do; any other name as it is."""
    return name if name in table_words() else next((row.table for row in called(name) if row.table), name)


def plot_word(name: str) -> str:
    """What plots call it: "coordinates" of "q", as tables do; any other name as it is."""
    return name if name in plots() else next((row.plot.name for row in called(name) if row.plot), name)


def called(name: str) -> list[Quantity]:
    """The rows that tables or plots call so."""
    return [row for row in QUANTITIES if name and name in (row.table, row.plot.name if row.plot else "")]


def plots_by_joint() -> list[str]:
    """Those of `plots` that show joints of which some can be chosen."""
    return list(dict.fromkeys(row.plot.name for row in QUANTITIES if row.plot and row.by_joint))
