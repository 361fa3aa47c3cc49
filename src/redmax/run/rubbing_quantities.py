"""The quantities of a run with joints that rub: rows of the table in run/quantities.py."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from redmax.model.model import Model
from redmax.run.quantity import Heading, Quantity
from redmax.run.torque_quantities import WORK, rate_columns

if TYPE_CHECKING:
    from redmax.run.trajectory import Trajectory

RUBBING = {"friction": "rubbing/friction", "friction_torque": "rubbing/torque", "normal_force": "rubbing/normal"}  # in result files
PARTS = ("torque.x", "torque.y", "torque.z", "force.x", "force.y", "force.z")


def rubs(run: Trajectory) -> bool:
    """Whether joints rub."""
    return run.friction is not None


def wrench_columns(model: Model) -> list[tuple[int, Heading]]:
    """Six for each joint that rubs."""
    names = [(r.body, r.name, c, part) for r in model.rubbings for c, part in enumerate(PARTS)]
    units = [model.units.torque if c < 3 else model.units.force for _, _, c, _ in names]
    return [(n, Heading(i, part, f"{name}.{part}", u)) for n, ((i, name, _, part), u) in enumerate(zip(names, units, strict=True))]


def normal_columns(model: Model) -> list[tuple[int, Heading]]:
    """One for each normal."""
    names = [(r.body, f"{r.name}.normal{k}") for r in model.rubbings for k in range(r.normals)]
    return [(n, Heading(i, name.rsplit(".", 1)[1], name, model.units.force)) for n, (i, name) in enumerate(names)]


GIVEN = {"kind": "given", "dtype": "float64", "table": "friction", "where": rubs}
RUBBING_QUANTITIES = (
    Quantity(
        "friction", "wrench of friction in joints by parent on child, in the joint frame, in the step before",
        ("rubbing joint", "torque; force"), "{T}; {F}", lambda run: run.friction,
        dataset=RUBBING["friction"], columns=wrench_columns, **GIVEN,
    ),
    Quantity(
        "friction_torque", "the same along the coordinates", ("rate",), WORK, lambda run: run.friction_torque,
        dataset=RUBBING["friction_torque"], columns=partial(rate_columns, "friction"), **GIVEN,
    ),
    Quantity(
        "normal_force", "what the points of joints that rub bore along each of their normals", ("normal",), "{F}",
        lambda run: run.normal_force, dataset=RUBBING["normal_force"], columns=normal_columns, **GIVEN,
    ),
)  # fmt: skip
