"""Random mechanisms of every kind of joint, with ranges, targets and priorities as they come: what holds of all that is found."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import redmax as rm
from design.reach.stationary import frame_error, unheld_gradient
from joints.samples import KINDS
from mechanisms import Mechanism, mechanisms
from random_examples import examples

WORLDS = 3
MOVING = [kind for kind in KINDS if kind != "Fixed"]


def limited(m: Mechanism, q: np.ndarray, rng: np.random.Generator) -> rm.Scene:
    """The scene, some of whose hinges and slides may go only so far as q (count, nv) does."""
    scene = m.scene()
    for i, link in enumerate(m.model.bodies):
        if link.joint.dof == link.joint.nq == 1 and rng.random() < 0.4:
            own = q[:, m.of(i)]
            scene.add_constraint(rm.HardLimit(f"link{i}", float(own.min()), float(own.max()) + 1e-3))
    return scene


def bounded(ik: rm.InverseKinematics, q: np.ndarray) -> np.ndarray:
    conf = ik.model.configurations
    return conf.split(ik.bounds.within(conf.join(q)))[0]


def some_targets(rng: np.random.Generator, links: list[str], several: bool) -> list[Any]:
    """One, or two to three of priorities as they come."""
    found: list[Any] = []
    for k in range(int(rng.integers(2, 4)) if several else 1):
        name, of, priority = f"target{k}", links[-1] if k == 0 else str(rng.choice(links)), int(rng.integers(0, 3)) if several else 0
        kinds: list[Callable[..., Any]] = [rm.PositionTarget, rm.FrameTarget, rm.OrientationTarget, rm.LookAtTarget]
        found.append(kinds[rng.integers(4 if several else 2)](of, name=name, priority=priority))
    return found + [rm.PostureTarget(priority=3)] * bool(several and rng.random() < 0.5)


def goals_at(dynamics: rm.Dynamics, targets: list[Any], q: np.ndarray, off: np.ndarray, rng: np.random.Generator) -> dict[str, np.ndarray]:
    """What the targets see at q (worlds, nv); where off is set, away from there."""
    found: dict[str, np.ndarray] = {}
    for t in targets:
        if isinstance(t, rm.PostureTarget):
            found[t.name] = q
            continue
        E = dynamics.pose(q, t.of)
        E[off, :3, 3] += rng.choice([0.1, 2.0]) * rng.normal(size=(int(off.sum()), 3))
        if isinstance(t, rm.FrameTarget):
            found[t.name] = E
        elif isinstance(t, rm.OrientationTarget):
            found[t.name] = E[:, :3, :3]
        else:
            found[t.name] = E[:, :3, 3] + (2.0 * E[:, :3, 0] if isinstance(t, rm.LookAtTarget) else 0.0)
    return found


@examples(few=4, many=150)
@given(m=mechanisms(MOVING, largest=3, forces=False), seed=st.integers(0, 1000), several=st.booleans())
def test_what_holds_of_all_that_is_found(m, seed, several):
    rng = np.random.default_rng(seed)
    q = m.states(4, seed)[0]
    scene = limited(m, q, rng)
    targets = some_targets(rng, [f"link{i}" for i in range(len(m.links))], several)
    ik, dynamics = rm.InverseKinematics(scene, targets), rm.Dynamics(scene)
    start = bounded(ik, np.repeat(q[:1], WORLDS, axis=0))
    near = bounded(ik, np.array([ik.model.moved(x, 0.05 * d) for x, d in zip(start, rng.normal(size=(WORLDS, m.nv)), strict=True)]))
    off = np.arange(WORLDS) > 0
    goals = goals_at(dynamics, targets, near, off, rng)
    found = ik.solve(goals, start)

    joined = ik.model.configurations.join(found.q)
    np.testing.assert_array_equal(joined, ik.bounds.within(joined))
    assert np.isfinite(found.q).all()
    assert all(reason.endswith((".", "?")) for reason in found.reason)
    assert ik.solve(goals, start, restarts=20).success[0], found.reason[0]
    for k in range(WORLDS):  # one world ends as it does among others
        one = ik.solve({name: goal[k] for name, goal in goals.items()}, start[k])
        assert one.success == found.success[k]
        if one.still and found.still[k]:
            first = [name for name in goals if name in {t.name for t in targets if t.priority == min(x.priority for x in targets)}]
            costs = [sum(np.sum(r[name] ** 2) for name in first) for r in (one.residuals, found.world(k).residuals)]
            assert costs[0] == pytest.approx(costs[1], rel=1e-6, abs=1e-10)
    if several:
        return
    of = targets[0]
    for k in np.flatnonzero(~found.success & found.still):
        goal = goals[of.name][k]
        error = frame_error if isinstance(of, rm.FrameTarget) else lambda E, g: E[:3, 3] - g
        assert unheld_gradient(ik, found.q[k], lambda x, error=error, goal=goal: error(dynamics.pose(x, of.of), goal)) < 1e-5
