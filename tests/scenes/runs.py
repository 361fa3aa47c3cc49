"""Scenes of the catalogue, built once and run once for all tests that look at them."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import redmax as rm
from random_examples import LONG
from redmax.scenes import Entry, find

# In seconds: what runs must show, they show by then.
SHORTER = {
    "banner": 3.0,
    "cloth-on-sphere": 1.0,
    "globe": 4.0,
    "letters": 6.0,
    "letters-sliding": 2.5,
    "pile": 1.0,
    "scissor-lift": 0.8,
    "soft-lift": 2.4,
    "stewart-platform": 1.5,
    "torus-chain-10": 4.0,
    "torus-chain-20": 2.0,
    "windmill": 5.0,
    "wrecking-ball": 1.0,
}


@cache
def scene_of(name: str) -> rm.Scene:
    """Not to be changed."""
    return find(name).scene()


def built_once(entry: Entry) -> Entry:
    """The same, but that its scene is not built again."""
    return replace(entry, build=lambda: scene_of(entry.name))


@cache
def run_of(name: str) -> rm.Trajectory:
    """The run that the catalogue shows, or its beginning."""
    entry = find(name)
    duration = entry.duration if LONG else SHORTER.get(name, entry.duration)
    return rm.simulate(scene_of(name), duration, entry.dt, integrator=entry.integrator, dynamics=entry.dynamics)
