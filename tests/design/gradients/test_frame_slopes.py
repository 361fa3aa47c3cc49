"""Slopes by the frames of splines: of each by itself, though those that have nothing in common are moved together."""

from __future__ import annotations

import numpy as np
import pytest

import redmax as rm
from redmax.model.remade import Remaking

FRAMES = 9


def wire(cyclic: bool) -> rm.Scene:
    rng = np.random.default_rng(5)
    turns = 2 * np.pi / FRAMES * np.arange(FRAMES)
    frames = [
        rm.pose(rm.rotation_about("z", a) @ rm.rotation_about("x", 0.2 * x), (np.cos(a), np.sin(a), 0.3 * x))
        for a, x in zip(turns, rng.normal(size=FRAMES), strict=True)
    ]
    scene = rm.Scene()
    joint = rm.SplineCurve(np.array(frames), cyclic=cyclic)
    scene.add_body(rm.Cuboid((0.2, 0.1, 0.05), mass=1.0), joint=joint, com=(0, 0.1, 0), q=[2.3], qdot=[1.5], name="bead")
    return scene


@pytest.mark.parametrize("cyclic", [False, True])
def test_each_frame_has_its_own(cyclic, monkeypatch):
    g = rm.gradient(wire(cyclic), lambda now: now.point("bead", (0.1, 0, 0)) @ [1, 2, 3], 0.4, 0.02, by=["bead.frames"], integrator="rk4")
    made, columns = [], Remaking.columns
    monkeypatch.setattr(Remaking, "columns", lambda self, given: made.append(1) or columns(self, given))
    slope = g().by["bead.frames"]
    assert len(made) <= FRAMES + 3 * 6 * 8 + 2
    start = g.defaults["bead.frames"]
    for i in (0, 3, FRAMES - 1):
        for k in (1, 5):
            rates = []
            for e in (1e-3, -1e-3):
                moved = start.copy()
                moved[i] = moved[i] @ np.asarray(rm.lie.se3.exp(e * np.eye(6)[k]), float)
                rates.append(g.value(parameters={"bead.frames": moved}))
            assert slope[i, k] == pytest.approx((rates[0] - rates[1]) / 2e-3, rel=1e-4, abs=1e-6), (i, k)
