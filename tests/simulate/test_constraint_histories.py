"""What a run tells of its constraints: reactions against differences of the run's own momenta, drift, tables, plots.

A body's momentum, from its pose and twist, changes by what joints, constraints and gravity do to it: nothing of the library's equations of
motion is in that sum.
"""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose

import redmax as rm
from dynamics.closed_scenes import BAR, closed, parallelogram, tangle
from redmax.run.constraint_quantities import place_names, row_names


def balance(run: rm.Trajectory) -> float:
    """How far d(momentum)/dt is from the sum of what acts, at most, relative to the largest force and torque: central differences."""
    model, worst, largest = run.model, 0.0, 0.0
    seen = {str(c.name): run.constraint(str(c.name)) for c in model.constraints}
    reactions = {name: world_wrench(run.pose(f"{name}.joint"), run.reaction(name)) for name in model.joint_names}
    for i, (name, link) in enumerate(zip(model.body_names, model.links, strict=True)):
        E, V = run.pose(name), run.twist(name)
        R, x = E[:, :3, :3], E[:, :3, 3]
        turning = np.einsum("tij,jk,tk->ti", R, link.shape.inertia, V[:, :3])
        momenta = np.concatenate([turning, link.shape.mass * np.einsum("tij,tj->ti", R, V[:, 3:])], axis=1)
        total = np.broadcast_to(np.concatenate([np.zeros(3), link.shape.mass * model.gravity]), momenta.shape).copy()
        for k, other in enumerate(model.joint_names):
            sign = 1.0 if k == i else -1.0 if model.links[k].parent == i else 0.0
            total += sign * about(x, *reactions[other])
        for c in model.constraints:
            for k, anchor in enumerate(c.anchors):
                if anchor.member >= 0 and c.bodies[anchor.member].index == i:
                    total += about(x, seen[str(c.name)].points[:, k], seen[str(c.name)].wrenches[:, k])
        h = run.t[1] - run.t[0]
        worst = max(worst, abs((momenta[2::2] - momenta[:-2:2]) / (2 * h) - total[1:-1:2]).max())  # between changes of torques
        largest = max([largest, *[abs(w).max() for _, w in reactions.values()]])
    return worst / largest


def world_wrench(E: np.ndarray, wrench: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Where the wrench in a joint frame acts, and the same in world axes."""
    return E[:, :3, 3], np.concatenate([np.einsum("tij,tj->ti", E[:, :3, :3], wrench[:, k : k + 3]) for k in (0, 3)], axis=1)


def about(x: np.ndarray, point: np.ndarray, wrench: np.ndarray) -> np.ndarray:
    """A wrench that acts at a point, about another."""
    return np.concatenate([wrench[:, :3] + np.cross(point - x, wrench[:, 3:]), wrench[:, 3:]], axis=1)


@pytest.fixture(scope="module")
def run() -> rm.Trajectory:
    """One joint is prescribed, and torques on the others change at each second sample."""
    scene = tangle(lambda t: 0.2 + 0.3 * t + 0.1 * t * t)
    controls = np.repeat(2.0 * np.sin(np.arange(20 * 11).reshape(20, 11)), 2, axis=0)
    start = closed(scene)
    return rm.simulate(scene, 0.01, 0.00025, integrator="rk4", stabilisation="baumgarte", controls=controls, initial=start)


def test_momenta_change_by_reactions_of_joints_and_constraints(run: rm.Trajectory) -> None:
    assert balance(run) < 2e-5
    assert max(abs(run.constraint(name).wrenches).max() for name in ("loop", "stay", "leading")) > 1.0


@pytest.mark.long
def test_reactions_do_not_depend_on_how_the_run_was_found() -> None:
    """Of a frictionless loop by implicit steps: the reactions are those of the motion at each sample, which the steps only approach."""
    runs = [rm.simulate(parallelogram(), 0.02, h, integrator="implicit", every=round(0.002 / h)) for h in (0.0005, 0.00025)]
    exact = rm.simulate(parallelogram(), 0.02, 0.002, integrator="rk4")
    off = [abs(r.constraint("loop").wrench - exact.constraint("loop").wrench).max() for r in runs]
    assert 1.7 < off[0] / off[1] < 2.4
    assert abs(exact.reactions - runs[1].reactions).max() < 0.05 * abs(exact.reactions).max()


def test_accelerations_are_those_of_the_rates_and_gaps_stay_closed(run: rm.Trajectory) -> None:
    h, v = run.t[1] - run.t[0], run.qdot
    forward = (-3 * v[:-2:2] + 4 * v[1:-1:2] - v[2::2]) / (2 * h)  # while torques are held
    assert_allclose(run.qddot[:-2:2], forward, rtol=0, atol=1e-4 * abs(forward).max())
    for name in ("loop", "stay", "leading"):
        seen = run.constraint(name)
        assert abs(seen.gap).max() < 1e-7
        assert_allclose(seen.rate[1:-1], (seen.gap[2:] - seen.gap[:-2]) / (2 * h), rtol=0, atol=1e-6)


def test_constraints_give_the_energy_that_the_run_gains_beside_its_torques(run: rm.Trajectory) -> None:
    """Only "leading" works, whose gap depends on time; and torques, and the prescribed joint, while damping takes some."""
    lost = 0.1 * run.qdot[:, run.model.v_slice("b")][:, 0] ** 2
    given = ((run.torque + run.torques["controls"]) * run.qdot).sum(axis=1)
    gained = sum(run.constraint(name).power for name in ("loop", "stay", "leading")) + given - lost
    h, E = run.t[1] - run.t[0], run.energy.total
    assert_allclose((E[2::2] - E[:-2:2]) / (2 * h), gained[1:-1:2], rtol=0, atol=1e-4 * abs(gained).max())
    assert_allclose(run.constraint("loop").power, 0, rtol=0, atol=1e-6)
    assert abs(run.constraint("leading").work[-1]) > 1e-4


def test_tables_and_arrays_have_them_by_name(run: rm.Trajectory, tmp_path: Path) -> None:
    table, seen = run.to_pandas(["constraints"]), run.constraint("loop")
    assert_allclose(table[["loop.lambda0", "loop.lambda1", "loop.lambda2"]], seen.multipliers, rtol=0, atol=0)
    assert_allclose(table["loop.place1.force.y"], seen.wrenches[:, 1, 4], rtol=0, atol=0)
    assert_allclose(table["leading.gap1"], run.constraint("leading").gap[:, 1], rtol=0, atol=0)
    units = table.attrs["units"]
    assert [units[n] for n in ("loop.lambda0", "stay.gap0", "leading.rate0", "loop.place0.torque.x", "stay.power")] == [
        "N", "m", "m/s", "N m", "W",
    ]  # fmt: skip
    assert row_names(run.model)[2:5] == ["loop.2", "stay.0", "leading.0"]
    assert run.quantity("constraint_wrench").shape == (41, len(place_names(run.model)), 6)
    with pytest.raises(rm.SceneError, match=r"'lop'.*'loop'"):
        run.constraint("lop")
    assert run.plot(tmp_path / "c.png", what="constraints", constraints=["stay"]) is not None
    with pytest.raises(rm.RedmaxError, match="'sty'"):
        run.plot(tmp_path / "c.png", what="constraints", constraints=["sty"])


@pytest.mark.long
def test_worlds_of_a_batch_and_other_dynamics_tell_the_same(run: rm.Trajectory) -> None:
    scene = parallelogram()
    start = scene.model()
    both = rm.State(0.0, np.stack([start.q0, start.q0]), np.stack([start.qdot0, 0.5 * start.qdot0]))
    batch = rm.simulate(scene, 0.02, 0.002, integrator="rk4", initial=both)
    alone = rm.simulate(scene, 0.02, 0.002, integrator="rk4")
    assert_allclose(batch.world(0).constraint("loop").wrenches, alone.constraint("loop").wrenches, rtol=1e-9, atol=1e-9)
    assert_allclose(batch.constraint("loop").multipliers[:, 1], batch.world(1).constraint("loop").multipliers, rtol=1e-12, atol=1e-12)
    other = rm.simulate(scene, 0.02, 0.002, integrator="rk4", dynamics="redmax", backend="interpret")
    assert_allclose(other.constraint("loop").wrenches, alone.constraint("loop").wrenches, rtol=1e-8, atol=1e-8)


def test_the_summary_says_the_largest_drift_and_rows_that_repeat_others(run: rm.Trajectory) -> None:
    assert re.search(r"constraints +off by at most [\d.]+e-\d+ r?a?d?m? \('", run.summary())
    flat = rm.simulate(parallelogram(), 0.01, 0.005, integrator="euler", backend="interpret").summary()
    assert "1 way to move is left." in flat
    assert "of PointClosure 'loop'" in flat
    several = rm.Scene()
    for k in range(3):
        arms = [several.add_body(BAR, joint=rm.Revolute("y"), at=(x, k, 0), com=(0.2, 0, 0), q=-1.2) for x in (0.0, 0.4)]
        for _ in range(2):
            several.add_constraint((rm.EqualAngles(arms), rm.Gear(*arms, 1), rm.Coupling({arms[0]: 1, arms[1]: -1}))[k])
    assert "And 1 more, see run.notes." in rm.simulate(several, 0.001, 0.001, integrator="euler", backend="interpret").summary()
