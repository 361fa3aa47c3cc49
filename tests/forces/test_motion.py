"""Forces in motion: the same in all dynamics and backends, energy kept where it should be."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pytest

import redmax as rm
from dynamics.agreement import agree
from forces.samples import SAMPLES, Sample
from forces.scenes import mechanism, redmax_accelerations, with_force


def state(model: rm.Model, seed: int = 1):
    rng = np.random.default_rng([seed, 31])
    return 0.4 * rng.normal(size=model.nq), rng.normal(size=model.nv), float(rng.uniform(0, 2))


def with_all(which: Callable[[Sample], bool], gravity: Any = (0.3, -0.5, -2.0)) -> rm.Scene:
    """All such forces at once: one mechanism to compile. What each does by itself is in test_laws, without motion."""
    scene, handles = mechanism(gravity=gravity)
    for made in SAMPLES.values():
        if which(made):
            scene.add_force(made.make(*handles))
    return scene


@cache
def without_forces(q: tuple[float, ...], qdot: tuple[float, ...], t: float) -> np.ndarray:
    return rm.Dynamics(mechanism()[0].model(), "interpret").forward(q, qdot, t=t)


@pytest.mark.parametrize("name", SAMPLES)
def test_recursive_is_redmax(name):
    model = with_force(SAMPLES[name].make).model()
    q, qdot, t = state(model)
    expected = rm.Dynamics(model, "interpret").forward(q, qdot, t=t)
    assert agree(redmax_accelerations(model, q, qdot, t, "interpret"), expected, 1e-10)
    if name != "slack cable":
        assert not agree(expected, without_forces(tuple(q), tuple(qdot), t), 1e-6)


def test_compiled_is_interpreted():
    """All forces at once."""
    model = with_all(lambda s: True).model()
    q, qdot, t = state(model)
    expected = rm.Dynamics(model, "interpret").forward(q, qdot, t=t)
    assert agree(rm.Dynamics(model).forward(q, qdot, t=t), expected, 1e-11)
    assert agree(redmax_accelerations(model, q, qdot, t), expected, 1e-10)
    seen = [rm.Dynamics(model, backend).observe(q, qdot, t=t).potential for backend in ("interpret", "llvm")]
    assert agree(seen[0], seen[1], 1e-13)


def test_conservative_forces_keep_the_energy():
    run = rm.simulate(with_all(lambda s: s.conservative), 0.3, 0.05, rtol=1e-11, progress=False)
    assert np.ptp(run.energy.potential) > 1e-2
    assert np.abs(run.energy.total - run.energy.total[0]).max() < 1e-8 * run.energy.kinetic.max()


def test_dampers_lose_energy():
    run = rm.simulate(with_all(lambda s: s.dissipative), 1.0, 0.1, rtol=1e-9, progress=False)
    assert np.diff(run.energy.total).max() < 1e-8 * run.energy.kinetic.max()
    assert run.energy.total[-1] < run.energy.total[0] - 1e-4 * run.energy.kinetic.max()


def test_internal_forces_keep_the_momentum():
    run = rm.simulate(with_all(lambda s: s.internal, gravity=(0, 0, 0)), 0.5, 0.1, rtol=1e-11, progress=False)
    assert agree(run.momentum[-1], run.momentum[0], 1e-9)


@pytest.mark.parametrize("frame", ["body", "world"])
def test_applied_wrench_is_add_wrench(frame):
    wrench: Any = {"torque": (1, 2, 3), "force": lambda t: [t, 1, -2], "frame": frame}
    scene, (_, b, _) = mechanism()
    scene.add_wrench(b.point(0.1, 0.2, 0.3), **wrench)
    made = with_force(lambda a, b, c: rm.AppliedWrench(b.point(0.1, 0.2, 0.3), **wrench)).model()
    q, qdot, t = state(made)
    assert agree(rm.Dynamics(made).forward(q, qdot, t=t), rm.Dynamics(scene.model()).forward(q, qdot, t=t), 1e-11)


def test_two_places_on_one_body_get_their_own_slopes():
    """A potential of two sites on one body, whose axes are the same numbers: each gets its own slope."""

    def both(a, b):
        return a.R[0, 1] + 2.0 * b.R[0, 1] + a.x @ b.x

    def apart(a, b):
        # the slope of R[0, 1] along a turn theta is (theta x y)_x, with y the second axis: minus it is the torque -(y x e_x)
        turn = [-np.cross(s.R[:, 1], np.array([1.0, 0, 0])) for s in (a, b)]
        return [(turn[0], -b.x), (2.0 * turn[1], -a.x)]

    def place(a):
        return [a, a.point(0.3, 0.1, 0)]

    models = [with_force(lambda a, b, c: rm.force(potential=both, bodies=place(a))).model()]
    models.append(with_force(lambda a, b, c: rm.force(apart, bodies=place(a))).model())
    q, qdot, t = state(models[0])
    found = [rm.Dynamics(m, "interpret").forward(q, qdot, t=t) for m in models]
    alone = rm.Dynamics(mechanism()[0].model(), "interpret").forward(q, qdot, t=t)
    assert agree(found[0] - alone, found[1] - alone, 1e-10)


def test_forces_that_differ_in_numbers_share_a_kernel():
    scene, (a, b, _) = mechanism()
    for k in (1.0, 2.0, 0.0):
        scene.add_force(rm.Bushing(a, b, translational=k, rotational=3 * k, rest=(0.1 * k, 0, 0)))
        scene.add_force(rm.force(lambda s, k: -k * s.x, bodies=[a], k=k) if k == 1.0 else rm.Cable([a, (k, 0, 0)], stiffness=k, rest=1 + k))
    assert len(scene.model().acting) == 3


def test_many_worlds_side_by_side():
    """All forces at once, in lanes, as in one world at a time."""
    scene, handles = mechanism()
    for made in SAMPLES.values():
        scene.add_force(made.make(*handles))
    scene.add_force(rm.JointLimit(handles[1], -0.1, None, stiffness=20, damping=1))
    model = scene.model()
    rng = np.random.default_rng(8)
    q, qdot = 0.4 * rng.normal(size=(19, model.nq)), rng.normal(size=(19, model.nv))
    together = rm.Dynamics(model).forward(q, qdot, t=0.4)
    interpreted = rm.Dynamics(model, "interpret")
    for w in (0, 7, 8, 18):
        assert agree(together[w], interpreted.forward(q[w], qdot[w], t=0.4), 1e-10), w


@pytest.mark.parametrize("integrator", ["rk4", "implicit", "bdf1", "bdf2"])
def test_joint_forces_are_the_joints_own_springs(integrator):
    """JointSpring and JointDamper as stiffness and damping of add_body: in coordinates of joints, and in fewer."""

    def scene(inside: bool, tied: bool) -> rm.Scene:
        scene, parent = rm.Scene(), None
        for i in range(2):
            own: Any = {} if inside else {"stiffness": 30.0, "damping": 0.5, "rest": 0.2 * i}
            parent = scene.add_body(
                rm.Cuboid((0.3, 0.05, 0.05)), joint=rm.Revolute("y"), parent=parent, at=(0.3, 0, 0), com=(0.15, 0, 0), **own
            )
            if inside:
                scene.add_force(rm.JointSpring(parent, 30.0, 0.2 * i))
                scene.add_force(rm.JointDamper(parent, 0.5))
        if tied:
            scene.set_map([1.0, 2.0], q=[0.1], qdot=[0.3])
        return scene

    for tied in (False, True):
        runs = [rm.simulate(scene(inside, tied), 0.1, 0.01, integrator=integrator, progress=False) for inside in (True, False)]
        assert agree(runs[0].q[-1], runs[1].q[-1], 1e-9)
        assert agree(runs[0].energy.total, runs[1].energy.total, 1e-9)
    if integrator != "implicit":
        return
    solved = [
        rm.simulate(scene(True, False), 0.05, 0.01, integrator="implicit", dynamics="redmax", solver=s, progress=False)
        for s in ("cg", "direct")
    ]
    assert agree(solved[0].q[-1], solved[1].q[-1], 1e-8)
