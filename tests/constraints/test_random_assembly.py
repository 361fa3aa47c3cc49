"""Random mechanisms of all joints, pulled apart: what a run begins with meets the constraints, and is the nearest that does.

The oracle knows nothing of rows: gaps and G come from poses and Jacobians of points in the mechanism without constraints.
"""

from __future__ import annotations

import warnings
from dataclasses import replace

import numpy as np
import pytest

import redmax as rm
from constraints.test_dynamics_agree import point_of, rows
from joints.samples import KINDS
from mechanisms import Mechanism, chain, every_kind


def rods(m: Mechanism, rng: np.random.Generator, count: int) -> rm.Scene:
    """Rods between random points of random bodies, or of a body and the world, as long as they are where the mechanism begins."""
    scene, start = m.scene(), m.state(int(rng.integers(2**16))).q
    parts = np.split(start, np.cumsum([link.joint.nq for link in scene.links])[:-1])
    scene.links[:] = [replace(link, q=part) for link, part in zip(scene.links, parts, strict=True)]
    for _ in range(count):
        a, b = rng.choice(np.arange(-1, len(m.links)), 2, replace=False)
        ends = [scene.find(f"link{i}").point(*rng.normal(size=3)) if i >= 0 else rng.normal(size=3) for i in (a, b)]
        scene.add_constraint(rm.Distance(ends[0], ends[1]))
    return scene


def check_assembly(m: Mechanism, seed: int, count: int) -> None:
    rng = np.random.default_rng(seed)
    model, free = rods(m, rng, count).model(), m.model
    q, qdot = model.q0 + rng.normal(0, 1e-3, model.nq), rng.normal(size=model.nv)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", rm.RedmaxWarning)
        begin = rm.State(0.0, q, qdot)
        sim = rm.Simulation(model, integrator="rk4", stabilisation="project", initial=begin, backend="interpret")
    found = sim.state
    dynamics = rm.Dynamics(free, "interpret")
    for c in model.constraints:
        assert isinstance(c, rm.Distance)
        at = [np.asarray(a.position) if a.member < 0 else place(dynamics, free, c, a, found.q) for a in c.anchors]
        assert abs(np.linalg.norm(at[0] - at[1]) - c.length) < 1e-9 * max(c.length, 1.0)
    G, _ = rows(free, model, found.q, found.qdot, 0.0)
    assert np.abs(G @ found.qdot).max() <= 1e-9 * np.abs(G).max() * max(np.abs(found.qdot).max(), 1.0)
    pushed = dynamics.inertia(found.q) @ (found.qdot - qdot)  # by forces of the constraints alone
    rest = pushed - G.T @ np.linalg.lstsq(G.T, pushed, rcond=1e-12)[0]
    assert np.abs(rest).max() <= 1e-6 * max(np.abs(pushed).max(), 1e-9)


def place(dynamics: rm.Dynamics, free: rm.Model, c: rm.Distance, anchor: object, q: np.ndarray) -> np.ndarray:
    """Where a place of a constraint is."""
    return dynamics.pose(q, point_of(free, c.bodies[anchor.member].name, anchor.position))[:3, 3]  # type: ignore[attr-defined]


@pytest.mark.parametrize("seed", [0, *[pytest.param(n, marks=pytest.mark.long) for n in range(1, 30)]])
def test_random_mechanisms_begin_at_the_nearest_state_that_meets_their_constraints(seed):
    rng = np.random.default_rng(seed)
    check_assembly(chain(seed, [str(kind) for kind in rng.choice(KINDS, 4)], forces=False), seed, 2)


@pytest.mark.long
def test_every_kind_of_joint_does():
    check_assembly(every_kind(3, forces=False), 5, 4)
