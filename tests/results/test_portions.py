"""Fixed steps are the same in whatever portions they are computed; a file of many worlds is written by parts of a portion."""

from __future__ import annotations

import numpy as np
import pytest

import redmax as rm
from random_examples import LONG
from results import scenes


@pytest.mark.parametrize(
    ("scene", "options"),
    [
        (scenes.arm, {"integrator": "rk4"}),
        (scenes.arm, {"integrator": "euler", "every": 2}),
        (scenes.arm, {"integrator": "implicit"}),
        pytest.param(scenes.arm, {"integrator": "bdf1", "dynamics": "redmax"}, marks=pytest.mark.long),
        pytest.param(scenes.arm, {"integrator": "bdf2", "dynamics": "redmax"}, marks=pytest.mark.long),
        (scenes.arm, {"integrator": "rk4", "dynamics": "maximal"}),
        (scenes.tumbling, {"integrator": "bdf2", "dynamics": "redmax"}),
        (scenes.soft, {"integrator": "implicit"}),
        (scenes.rolling, {"integrator": "rk4", "dynamics": "redmax"}),
    ],
)
def test_portions_of_fixed_steps_do_not_show(scene, options, monkeypatch):
    whole = rm.simulate(scene(), 0.1, 0.005, **options)
    sizes = iter([1, 3, 2, 7, 1, 1, 5] * 20)
    monkeypatch.setattr("redmax.run.loop.Portions.next", lambda self, left, most=None: min(next(sizes), left))
    parted = rm.simulate(scene(), 0.1, 0.005, **options)
    np.testing.assert_array_equal(whole.q, parted.q)
    np.testing.assert_array_equal(whole.qdot, parted.qdot)
    if whole.joint_drift is not None:
        np.testing.assert_array_equal(whole.joint_drift, parted.joint_drift)


def test_slow_portions_become_smaller_only_for_fixed_steps(monkeypatch):
    clock = iter(np.arange(0.0, 1e6, 2.0))  # two seconds between two looks at it
    project = [{"integrator": "rk4", "dynamics": "maximal", "stabilisation": "project"}] if LONG else []
    found = []
    for options in ({"integrator": "rk4"}, {}, *project):
        told: list[float] = []
        with monkeypatch.context() as patch:
            patch.setattr("redmax.run.samples.time.perf_counter", lambda: next(clock))
            rm.simulate(scenes.arm(), 1.0, 0.01, progress=lambda t, end, told=told: told.append(t), **options)
        found.append(len(told))
    assert found[0] > 90  # nearly each sample by itself
    assert set(found[1:]) == {50}


WORLDS, MAP = (scenes.arm, {"initial": scenes.batch((5,))}), (scenes.rolling, {"dynamics": "redmax"})


@pytest.mark.parametrize(
    ("module", "kind"),
    [
        ("redmax.results.derive.BYTES", WORLDS),
        ("redmax.results.sink.BYTES", WORLDS),
        ("redmax.results.layout.CHUNK", WORLDS),
        ("redmax.results.derive.BYTES", MAP),
    ],
)
def test_small_blocks_give_the_same_file(module, kind, monkeypatch, tmp_path):
    scene, options = kind
    whole = rm.simulate(scene(), 0.3, 0.01, integrator="rk4", **options)
    monkeypatch.setattr(module, 3000)
    run = rm.simulate(scene(), 0.3, 0.01, integrator="rk4", out=tmp_path / "run.h5", **options)
    for name in ("q", "qdot", "t"):
        np.testing.assert_array_equal(getattr(whole, name), getattr(run, name))
    body = whole.model.body_names[-1]
    np.testing.assert_array_equal(whole.energy.total, run.energy.total)
    np.testing.assert_array_equal(whole.pose(body), run.pose(body))
    np.testing.assert_allclose(run.reaction(body), whole.reaction(body), rtol=1e-12, atol=1e-12)
