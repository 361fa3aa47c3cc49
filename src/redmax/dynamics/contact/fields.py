"""What a world with contact keeps beside its bodies: counts and limits of the solver, and what goes on from step to step."""

from __future__ import annotations

from redmax.dynamics.contact.rows import TOLD
from redmax.model.model import Model

COUNTS = "contact_counts"  # contacts, between trees, residual, convex problems, Newton steps, points without room
LIMITS = "contact_limits"
TABLE, HELD = "contact_table", "contact_held"  # what is told of each contact, and of how many
MOMENTS, XYZ = "contact_moments", 3  # of each contact, where some have torsional or rolling friction


def carried(model: Model) -> dict[str, int]:
    """What goes on from step to step."""
    return {HELD: 1, TABLE: TOLD * model.contact_capacity} | ({MOMENTS: XYZ * model.contact_capacity} if model.turning else {})


def world(model: Model) -> dict[str, int]:
    """The fields of the world."""
    return {COUNTS: 6, LIMITS: 6, **carried(model)}
