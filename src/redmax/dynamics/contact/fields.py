"""What a world with contact keeps beside its bodies: counts and limits of the solver, and what goes on from step to step."""

from __future__ import annotations

from functools import lru_cache

from redmax.dynamics.contact.rows import TOLD
from redmax.model.model import Model
from redmax.program.record import WorldView
from redmax.program.sweep import Recursion, once, recursion

TOLERANCE, CONVEX_PROBLEMS, NEWTON_STEPS = 1e-6, 150.0, 400.0
SLOW, SHALLOW = 1e-3, 1e-2  # of the smallest shape: overlaps that come back in a second, and depth that an approach leaves in a step
COUNTS = "contact_counts"  # contacts, between trees, residual, convex problems, Newton steps, points without room
SINCE, EVERY = "contact_since", "contact_every"  # worst residual, sums of the next two and steps since a sample; steps between samples
LIMITS = "contact_limits"
RESTS, AWAKE = "contact_rests", "contact_awake"  # whether impulses of the step before are tried; whether the solver is asked
TREES_MOVE, TREES_STAY = "trees_move", "trees_stay"  # whether some tree turns, or none, so that there is nothing to look after
PRESSED = "contact_pressed"  # wrenches of impulses that the next step tries, of each joint, in its axes
TABLE, HELD = "contact_table", "contact_held"  # what is told of each contact, and of how many; and whether they rest
IMPULSES, LOSS = "contact_impulses", "contact_loss"  # of impacts that are located: of each pair of shapes, and of all
MOMENTS, XYZ = "contact_moments", 3  # of each contact, where some have torsional or rolling friction


def carried(model: Model, rests: bool = False) -> dict[str, int]:
    """What goes on from step to step. rests: whether what rests is tried before anything is solved (rest.py)"""
    more = {MOMENTS: XYZ * model.contact_capacity} if model.turning else {}
    more |= {PRESSED: 6 * len(model.links)} if rests else {}
    return {HELD: 2, TABLE: TOLD * model.contact_capacity} | more


def world(model: Model, rests: bool = False) -> dict[str, int]:
    """The fields of the world."""
    more = {RESTS: 1, AWAKE: 1, TREES_MOVE: 1, TREES_STAY: 1} if rests else {}
    return {COUNTS: 6, LIMITS: 7, SINCE: 4, EVERY: 1, **carried(model, rests), **more}


@lru_cache(maxsize=16)
def limits(tolerance: float, most: float, exact: bool, gravity: float, size: float) -> Recursion:
    """Numbers of the solver, the last three: how fast an approach is that bounces, how fast overlaps come back that nothing presses, and
    beyond what approach contacts give way less (rows.py). size: of the smallest shape."""

    @once
    def set_limits(w: WorldView) -> None:
        weight = gravity * w.h
        law = 2.0 * weight, 0.25 * weight + SLOW * size, SHALLOW * size / w.h
        w.contact_limits = [tolerance, most, NEWTON_STEPS, 1.0 if exact else 0.0, *law]

    return recursion(set_limits, name="limits of contact")
