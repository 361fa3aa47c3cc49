"""The quantities of a run that are those of contacts: rows of the table in run/quantities.py.

Contacts are ragged: how many there are at each sample, where their rows begin, and the rows themselves one after the other, which is no
quantity of the table. In tables each body that touches others has the sum of the forces on it, such as "foot.contact.x".
"""

from __future__ import annotations

from typing import TYPE_CHECKING
from zlib import crc32

import numpy as np

from redmax.model.model import Model
from redmax.model.node_contact import touching_deformables
from redmax.run.contact.records import gathered
from redmax.run.quantity import XYZ, Heading, Plot, Quantity, in_units

if TYPE_CHECKING:
    from redmax.run.trajectory import Trajectory

SOLVER = ("residual", "convex problems", "Newton steps")


def touches(run: Trajectory) -> bool:
    """Whether the run has contacts to tell of."""
    return run.contact_count is not None


def touching_bodies(model: Model) -> list[str]:
    """The names of bodies that touch others, and of deformables."""
    bodies = [link.name for link in model.bodies if link.contact is not None]
    return [*bodies, *touching_deformables(model)] if model.touches else []


def forces_on_bodies(run: Trajectory) -> np.ndarray:
    """(time, ..., bodies that touch others, 3)."""
    parts = [run.contact_force(name) for name in touching_bodies(run.model)]
    return np.stack(parts, axis=-2) if parts else np.zeros((*run.q.shape[:-1], 0, 3))


def checksums(run: Trajectory) -> np.ndarray | None:
    """(time, ...): of the rows of each sample and world (CRC-32)."""
    if run.contact_count is None:
        return None
    count = np.asarray(run.contact_count)
    rows, ends = gathered(run.contact_rows, np.asarray(run.contact_first), count), np.cumsum(count.ravel())
    found = [crc32(rows[end - n : end].tobytes()) for n, end in zip(count.ravel(), ends, strict=True)]
    return np.array(found, np.int64).reshape(count.shape)


def count_columns(model: Model) -> list[tuple[int, Heading]]:
    """One, if anything touches."""
    return [(0, Heading(None, "contacts", "contacts", "1"))] if model.touches else []


def solver_columns(model: Model) -> list[tuple[int, Heading]]:
    """Of each number that the solver says of itself."""
    units = (in_units("{L}/s", model), "1", "1")
    found = [Heading(None, name, f"contact {name}", unit) for name, unit in zip(SOLVER, units, strict=True)]
    return list(enumerate(found)) if model.touches else []


def force_columns(model: Model) -> list[tuple[int, Heading]]:
    """Three for each body that touches others."""
    found = [(name, axis) for name in touching_bodies(model) for axis in XYZ]
    return [(k, Heading(None, f"contact.{axis}", f"{name}.contact.{axis}", in_units("{F}", model))) for k, (name, axis) in enumerate(found)]


def has_impacts(run: Trajectory) -> bool:
    """Whether impacts of the run are located."""
    return run.contact_impulse is not None


def loss_columns(model: Model) -> list[tuple[int, Heading]]:
    """One, if anything touches."""
    return [(0, Heading(None, "loss", "contact loss", in_units("{E}", model)))] if model.touches else []


CONTACT_QUANTITIES = (
    Quantity(
        "contact_count", "how many points of contact there are, open ones among them", (), "1", lambda run: run.contact_count,
        kind="given", dataset="contacts/count", dtype="int64", table="contacts", columns=count_columns, where=touches,
        plot=Plot("contacts", "what pairs exert on each other, how fast they slip, how many points press, residuals", way="contacts"),
    ),
    Quantity(
        "contact_first", "where the rows of a sample begin in contacts/rows", (), "1", lambda run: run.contact_first,
        kind="given", dataset="contacts/first", dtype="int64", array=False, where=touches,
    ),
    Quantity(
        "contact_check", "checksums (CRC-32) of the rows of samples", (), "1", checksums,
        kind="given", dataset="contacts/check", dtype="int64", array=False, where=touches,
    ),
    Quantity(
        "contact_solver", "how far steps since the sample before are from solving contact (the worst, a velocity), and what they took",
        ("residual; convex problems; Newton steps",), "{L}/s; 1; 1", lambda run: run.contact_solver,
        kind="given", dataset="contacts/solver", dtype="float64", table="contacts", columns=solver_columns, where=touches,
    ),
    Quantity(
        "contact_force", "the sum of contact forces on each body that touches others, in world axes", ("touching body", "xyz"), "{F}",
        forces_on_bodies, table="contacts", columns=force_columns, where=touches,
    ),
    Quantity(
        "contact_impulse", "what impacts gave the second of each pair of shapes since the run began, where they are located; and when last",
        ("touching pair", "impulse; time"), "{F} s; {F} s; {F} s; s", lambda run: run.contact_impulse,
        kind="given", dataset="contacts/impulse", dtype="float64", where=has_impacts,
    ),
    Quantity(
        "contact_loss", "the energy that impacts took since the run began, where they are located", (), "{E}", lambda run: run.contact_loss,
        kind="given", dataset="contacts/loss", dtype="float64", table="contacts", columns=loss_columns, where=has_impacts,
    ),
)  # fmt: skip
