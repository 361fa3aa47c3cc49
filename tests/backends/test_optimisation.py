"""Both levels of LLVM's optimisation: the same motion, each with an entry of its own in the cache, or a sentence."""

from __future__ import annotations

import numpy as np
import pytest

import redmax as rm
from mechanisms import chain
from redmax.backends.llvm.target import host


def test_both_levels_move_alike(monkeypatch):
    m = chain(3, ["Spherical", "Revolute", "Helical"])
    s = m.state(1)
    runs, keys = [], []
    for level in ("0", "1"):
        monkeypatch.setenv("REDMAX_OPTIMISATION", level)
        keys.append(host().key)
        q = np.tile(s.q, (9, 1))  # lanes, and one world alone
        runs.append(rm.simulate(m.model, 0.1, 0.01, integrator="rk4", initial=rm.State(0.0, q, np.tile(s.qdot, (9, 1)))).q)
        alone = rm.simulate(m.model, 0.1, 0.01, integrator="rk4", initial=rm.State(0.0, s.q, s.qdot)).q
        np.testing.assert_allclose(runs[-1][:, 8], alone, rtol=0, atol=1e-11)
    assert keys[0] != keys[1]
    np.testing.assert_allclose(runs[0], runs[1], rtol=0, atol=1e-11)


def test_another_level_gets_a_sentence(monkeypatch):
    monkeypatch.setenv("REDMAX_OPTIMISATION", "fast")
    with pytest.raises(rm.RedmaxError, match=r"REDMAX_OPTIMISATION is 'fast', expected 0 \(compiled sooner\) or 1"):
        rm.Dynamics(chain(3, ["Revolute"]).model).forward([0.1], [0.0])
