"""Edges that may meet: all that do are among them, and of many there are few."""

from __future__ import annotations

import numpy as np
import pytest

from redmax.bodies.near_edges import Shadows, edges_of
from redmax.bodies.polygons import segment_distance


@pytest.mark.parametrize("seed", range(20))
def test_every_two_edges_that_meet_are_found(seed):
    rng = np.random.default_rng(seed)
    loops = [rng.normal(size=(int(rng.integers(3, 30)), 2)) * rng.uniform(0.1, 3) + rng.normal(size=2) * 1e3 for _ in range(4)]
    start, end = edges_of(loops)
    found = {(int(i), int(j)) for some in Shadows(start, end, 1e-9).pairs() for i, j in zip(*some, strict=True)}
    assert all(i < j for i, j in found)
    for i in range(len(start) - 1):
        rest = np.arange(i + 1, len(start))
        gap = segment_distance(start[i], end[i], start[rest], end[rest])
        assert {(i, int(j)) for j in rest[gap <= 1e-9]} <= found


@pytest.mark.parametrize("turn", np.linspace(0, np.pi, 7))
def test_a_ring_and_a_comb_have_few(turn):
    """Also where the teeth are long and lie in any direction."""
    angle = np.linspace(0, 2 * np.pi, 1000, endpoint=False)
    ring = np.stack([np.cos(angle), np.sin(angle)], axis=1)
    teeth = np.array([corner for i in range(500) for corner in ((0.0, i), (50.0, i + 0.5))])
    c, s = np.cos(turn), np.sin(turn)
    for loop in (ring, teeth @ [[c, s], [-s, c]]):
        assert Shadows(*edges_of([loop]), 0.0).count < 50_000
