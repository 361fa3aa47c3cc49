"""The examples run, and each meets its closed form."""

from __future__ import annotations

import importlib.util
import json
import runpy
import sys
from contextlib import redirect_stdout
from functools import cache
from io import StringIO
from math import radians
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.stats import chi2

from redmax.integrators import METHODS

FOLDER = Path(__file__).parents[2] / "examples"
SCRIPTS = sorted(FOLDER.glob("*.py"))


def load(name: str):
    spec = importlib.util.spec_from_file_location(name, FOLDER / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@cache
def ran(name: str) -> tuple[SimpleNamespace, str]:
    """What is in a script after it ran from the command line, with what it keeps of its results; and what it printed."""
    path, said = FOLDER / f"{name}.py", StringIO()
    with pytest.MonkeyPatch.context() as patch, redirect_stdout(said):
        patch.setattr(sys, "argv", [str(path)])
        return SimpleNamespace(**runpy.run_path(str(path), run_name="__main__")), said.getvalue()


@pytest.mark.parametrize("name", [path.stem for path in SCRIPTS])
def test_script_runs_and_explains_itself(name):
    script, said = ran(name)
    assert len(script.__doc__.splitlines()) > 5
    assert said


def test_pendulum_is_back_after_its_period():
    pendulum = load("pendulum_period")
    for degrees in (1, 60, 120, 175):
        assert pendulum.miss(radians(degrees)) < 1e-9


def test_free_top_follows_eulers_equations():
    top = load("free_top")
    errors = top.errors(top.spin())
    assert errors["angular velocity"] < 1e-9
    assert errors["angular momentum"] < 1e-10
    assert errors["energy"] < 1e-10


def test_controlled_arm_deviates_in_proportion_to_the_step():
    arm = load("computed_torque")
    coarse, fine = arm.deviation(4e-3), arm.deviation(2e-3)
    assert fine < 5e-3
    assert coarse / fine == pytest.approx(2, rel=0.05)


def test_the_study_of_geometric_methods_shows_their_orders_and_what_they_keep():
    study = load("geometric_study")
    for method in ("cf4", "energy-momentum", "generalized-alpha SE3"):
        assert study.order(study.errors(method)) == pytest.approx(METHODS[method.split()[0]].order, abs=0.1)
    _, energy, momentum = study.drifts(study.TOP, "energy-momentum", 3000)
    assert max(energy[-1], momentum[-1]) < 1e-12
    _, energy, momentum = study.drifts(study.TOP, "mk3", 3000)
    assert min(energy[-1], momentum[-1]) > 1e-3
    assert study.wandering("body", 2e-3) < 1e-13 < 1e-5 < study.wandering("mixed", 2e-3)
    assert study.hidden("SE3", 1e-3) < 1e-10 < 1e-3 < study.hidden("SO3xR3", 1e-3)


def test_the_study_draws_its_picture(tmp_path, monkeypatch):
    study = load("geometric_study")
    monkeypatch.setattr(study, "methods", lambda scene: ["cf4", "variational"])
    monkeypatch.setattr(study, "STEPS", (4e-3, 2e-3))
    study.picture(str(tmp_path / "study.png"), 1000)
    assert (tmp_path / "study.png").stat().st_size > 20_000


def test_cubic_muscle_has_its_largest_power_at_a_quarter_of_its_velocity():
    power = load("muscle_power")
    v, most = power.fastest_work("redmax")
    assert v == pytest.approx(-1 / 4, abs=1e-6)
    assert most == pytest.approx(0.25 * 0.75**3 * power.curves.redmax.velocity().coefficients[0, 3], rel=1e-9)
    for name in ("millard", "degroote-fregly"):
        assert -0.4 < power.fastest_work(name)[0] < -0.25


@pytest.mark.parametrize("number", [100, 101])
def test_adjoint_tasks(number, capsys, monkeypatch, tmp_path):
    """Task 100 as it is published; the gradient of 101 is that of P itself, whose differences are of order 4."""
    monkeypatch.setattr(sys, "argv", ["adjoint_task.py", str(number), "--json", "-"])
    task = load("adjoint_task")
    task.main()
    found = json.loads(capsys.readouterr().out)
    if number == 100:
        assert found["P0"] == pytest.approx(11041.05815, rel=1e-9)
        assert found["tip"] == pytest.approx([-1.08913898, 0, -19.89202505], rel=1e-8, abs=1e-12)
        assert found["gradient"] == pytest.approx([8438.55366, 9545.73760], rel=1e-9)
        assert found["p"] == pytest.approx([-0.480855, -0.783025], abs=5e-7)
        assert found["P"] == pytest.approx(0.00422175, abs=5e-9)
        assert task.places(100, [0, 0])[-1, 2] == pytest.approx(np.array(found["tip"])[[0, 2]], abs=1e-8)
        task.picture(str(tmp_path / "tasks.webp"))
        assert (tmp_path / "tasks.webp").stat().st_size > 10_000
        return
    of, e = task.Task(number), 1e-3
    for k, along in enumerate(np.eye(2)):
        rise = [of(s * e * along)[0] - of(-s * e * along)[0] for s in (1, 2)]
        assert found["gradient"][k] == pytest.approx((8 * rise[0] - rise[1]) / (12 * e), rel=1e-8)
    assert np.abs(of(np.array(found["p"]))[1]).max() < 1e-6
    assert found["P0"] == pytest.approx(8943.98554619504, rel=1e-10)
    assert found["P"] == pytest.approx(0.010867647, rel=1e-7)


def draws(script: SimpleNamespace, folder: Path) -> bool:
    """Whether what it found can be drawn."""
    script.picture(str(folder / "found.webp"))
    return (folder / "found.webp").stat().st_size > 10_000


def test_a_throw_leaves_as_the_slowest_that_hits_does(tmp_path):
    throw = ran("throw")[0]
    found = throw.solve()
    assert np.linalg.norm(throw.miss(found.x, found.v)) < 1e-4
    assert found.speed == pytest.approx(found.least_speed, rel=1e-5)
    up = (throw.HOOP - found.x) / np.linalg.norm(throw.HOOP - found.x) + [0, 0, 1]
    assert found.v / found.speed == pytest.approx(up / np.linalg.norm(up), abs=1e-5)
    assert throw.flight(found).pose("ball")[-1, :3, 3] == pytest.approx(throw.HOOP, abs=1e-4)
    assert throw.motion(found.tau).q[:, 0].min() < throw.BEGIN[0] - 0.5  # it swings back first
    assert draws(throw, tmp_path)


def test_a_wire_shaped_by_gradient_is_a_cycloid(tmp_path):
    """And no wire is better than that."""
    wire = ran("fastest_wire")[0]
    found = wire.solve()
    assert found.far[0] == pytest.approx(wire.G / 4, rel=1e-9)  # down a slope of 45 degrees
    assert 0.9999 * wire.FARTHEST < found.far[-1] < wire.FARTHEST
    assert (np.diff(found.far) > 0).all()
    assert np.abs(wire.motion(found.phi[-1]) - wire.cycloid()).max() < 2e-3
    assert draws(wire, tmp_path)


def test_masses_come_out_exactly_without_noise_and_at_the_bound_with_it(tmp_path):
    masses = ran("identify_masses")[0]
    clean, noisy = masses.identify(0.0), masses.identify()
    assert clean.errors[-1] < 3e-7 < 0.5 < clean.errors[0]
    assert clean.errors[5] < 100 * clean.errors[4] ** 2 < 1e-3  # quadratically
    assert (np.sqrt(np.diag(masses.bound(noisy))) < 0.01 * masses.TRUE).all()
    off = noisy.p[-1] - masses.TRUE
    assert chi2.cdf(off @ np.linalg.solve(masses.bound(noisy), off), 4) == pytest.approx(0.5, abs=0.499)
    assert chi2.cdf(noisy.left @ noisy.left / masses.NOISE**2, len(noisy.left) - 4) == pytest.approx(0.5, abs=0.499)
    assert draws(masses, tmp_path)


def test_ilqr_and_ddp_swing_up_to_the_same_optimum(tmp_path):
    swing = ran("swing_up")[0]
    ilqr, ddp = (swing.solve(method) for method in swing.METHODS)
    assert ddp.costs[-1] == pytest.approx(ilqr.costs[-1], rel=1e-12)
    assert np.abs(ddp.x[-1] - swing.GOAL).max() < 3e-3
    value, slope = swing.of_the_run(ddp.u)
    assert value == pytest.approx(ddp.costs[-1], rel=1e-12)
    assert np.abs(slope).max() < 1e-8
    assert ddp.slopes[-1] < ddp.slopes[-2] ** 1.5 < ddp.slopes[-3] ** 2  # quadratically
    assert min(np.diff(np.log10(ilqr.slopes[-10:]))) > -0.5  # and linearly
    x, u, e = ddp.x[10:11], ddp.u[10:11], 1e-5
    across = [swing.slopes(x + s * e * np.eye(4)[[1]], u)[0, swing.NV :] for s in (1, -1)]
    assert swing.curvature(x, u)[0, :, 1] == pytest.approx((across[0] - across[1]) / (2 * e * swing.DT), abs=1e-6)
    assert draws(swing, tmp_path)


def test_muscles_reach_as_arms_do_at_the_least_effort(tmp_path):
    reach = ran("reach_with_muscles")[0]
    found = reach.solve()
    assert np.abs(found.slope[found.u > 0]).max() < 1e-3 * np.abs(found.slope).max()  # nothing is to be gained
    assert (found.slope[found.u == 0] > -1e-6).all()
    run = reach.motion(found.u, rtol=1e-9)  # another integrator comes to the same place
    off, speed = np.linalg.norm(reach.hand(run) - reach.TARGET, axis=1), np.linalg.norm(np.diff(reach.hand(run), axis=0), axis=1) / reach.DT
    assert off[reach.ARRIVAL :].max() < 1e-3 < 0.2 < off[0]
    assert run.qdot[:, 2:] == pytest.approx(reach.followed(found.u), abs=1e-9)
    slopes = np.diff(speed[: reach.ARRIVAL])
    assert (np.diff(np.sign(slopes)) != 0).sum() == 1  # a single bell
    assert draws(reach, tmp_path)
