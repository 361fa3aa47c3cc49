"""Scenes of the catalogue, built once and run once for all tests that look at them."""

from __future__ import annotations

from functools import cache

import redmax as rm
from redmax.scenes import find

SHORTER = {"banner": 3.0, "letters-sliding": 5.0, "torus-chain-20": 5.0}  # s, where the rest takes long and shows no more


@cache
def scene_of(name: str) -> rm.Scene:
    """Not to be changed."""
    return find(name).scene()


@cache
def run_of(name: str) -> rm.Trajectory:
    """The run that the catalogue shows."""
    entry = find(name)
    duration = SHORTER.get(name, entry.duration)
    return rm.simulate(scene_of(name), duration, entry.dt, integrator=entry.integrator, dynamics=entry.dynamics)
