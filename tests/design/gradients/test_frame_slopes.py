"""Slopes by the frames of splines: of each by itself, though those that have nothing in common are moved together."""

from __future__ import annotations

import numpy as np
import pytest

import redmax as rm
from redmax.dynamics.common.parameter_slopes import WEIGHTS
from redmax.joints.frame_product import by_twists
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


@pytest.mark.parametrize("given", [{}, {"cyclic": True}, {"order": 5}, {"knots": [0, 0, 0, 0, 1, 2, 2.5, 3.5, 5, 6, 6, 6, 6]}])
def test_joints_know_what_frames_do(given):
    """To the twists between frames: against differences of order 8 of the tables, whatever has slopes by these."""
    rng = np.random.default_rng(2)
    frames = np.asarray(rm.lie.se3.exp(np.cumsum(0.4 * rng.normal(size=(FRAMES, 6)), axis=0)), float)

    def tables(C: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        data = by_twists(rm.SplineCurve(C, **given)).data()
        return data["frames"].array, data["screws"].array

    weights = [rng.normal(size=(2, *x.shape)) for x in tables(frames)]
    found = rm.SplineCurve(frames, **given).slopes_by_frames(frames, weights[0].reshape(2, -1, 3, 4), weights[1].reshape(2, -1, 6))
    steps = rng.normal(size=(FRAMES, 6))

    def value(s: float) -> np.ndarray:
        moved = tables(frames @ np.asarray(rm.lie.se3.exp(s * steps), float))
        return sum((w * x).reshape(2, -1).sum(axis=1) for w, x in zip(weights, moved, strict=True))

    e = 2.0**-7
    rate = sum(w * (value(k * e) - value(-k * e)) for k, w in enumerate(WEIGHTS, 1)) / e
    assert np.allclose((found * steps).sum(axis=(1, 2)), rate, rtol=1e-9)
