"""The passive walker, whose hip rubs, and the track of sixty links."""

from __future__ import annotations

import numpy as np

import redmax as rm
from redmax.scenes import find
from redmax.scenes.passive_walker import SLOPE
from redmax.scenes.track import BALL, SPEED, SPROCKET


def test_the_walker_walks_and_its_hip_takes_energy():
    entry = find("passive-walker")
    run = rm.simulate(entry.scene(), entry.duration, entry.dt)
    hip = run.pose("hip")[:, :3, 3]
    height = hip[:, 2] * np.cos(SLOPE) + hip[:, 0] * np.sin(SLOPE)
    legs = run.q[:, 3]
    passed = np.flatnonzero(np.diff(np.sign(legs)))
    lengths = np.diff(run.q[passed, 0])
    assert height.min() > 0.75  # it has not fallen
    assert len(lengths) >= 8
    assert np.ptp(lengths[4:]) < 0.06  # and goes on evenly, by turns
    assert run.contacts.residual[1:].max() < 1e-3
    assert np.quantile(run.contacts.residual[1:], 0.999) < 1e-6
    rub = run.rubbing("rub").torque[1:, 0] * run.qdot[1:, 3]
    assert np.sum(rub) * entry.dt < -0.05
    assert rub.max() < 1e-6


def test_a_track_moves_as_its_sprocket_turns():
    entry = find("track")
    run = rm.simulate(entry.scene(), 2.0, entry.dt)
    speed = (run.q[-1, 0] - run.q[250, 0]) / (run.t[-1] - run.t[250])
    assert np.isclose(speed, SPEED * (SPROCKET + BALL), rtol=0.02)
    assert run.contacts.residual[1:].max() < 1e-6
    assert np.abs(run.constraint("closure").gap).max() < 2e-3
