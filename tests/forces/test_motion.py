"""Forces in motion: the same in all dynamics and backends, energy kept where it should be, the published numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import redmax as rm
from dynamics.agreement import agree
from forces.samples import SAMPLES
from forces.scenes import mechanism, redmax_accelerations, with_force


def state(model: rm.Model, seed: int = 1):
    rng = np.random.default_rng([seed, 31])
    return 0.4 * rng.normal(size=model.nq), rng.normal(size=model.nv), float(rng.uniform(0, 2))


@pytest.mark.parametrize("name", SAMPLES)
def test_recursive_is_redmax_and_compiled_is_interpreted(name):
    model = with_force(SAMPLES[name].make).model()
    q, qdot, t = state(model)
    expected = rm.Dynamics(model, "interpret").forward(q, qdot, t=t)
    alone = rm.Dynamics(mechanism()[0].model(), "interpret").forward(q, qdot, t=t)
    assert agree(rm.Dynamics(model).forward(q, qdot, t=t), expected, 1e-11)
    assert agree(redmax_accelerations(model, q, qdot, t), expected, 1e-10)
    assert agree(redmax_accelerations(model, q, qdot, t, "interpret"), expected, 1e-10)
    if name != "slack cable":
        assert not agree(expected, alone, 1e-6)
    seen = [rm.Dynamics(model, backend).observe(q, qdot, t=t).potential for backend in ("interpret", "llvm")]
    assert agree(seen[0], seen[1], 1e-13)


@pytest.mark.parametrize("name", [n for n, s in SAMPLES.items() if s.conservative])
def test_conservative_forces_keep_the_energy(name):
    run = rm.simulate(with_force(SAMPLES[name].make), 1.0, 0.1, rtol=1e-11, progress=False)
    assert np.ptp(run.energy.potential) > 1e-2
    assert np.abs(run.energy.total - run.energy.total[0]).max() < 1e-8 * run.energy.kinetic.max()


@pytest.mark.parametrize("name", [n for n, s in SAMPLES.items() if s.dissipative])
def test_dampers_lose_energy(name):
    run = rm.simulate(with_force(SAMPLES[name].make), 1.0, 0.1, rtol=1e-9, progress=False)
    assert np.diff(run.energy.total).max() < 1e-8 * run.energy.kinetic.max()
    assert run.energy.total[-1] < run.energy.total[0] - 1e-4 * run.energy.kinetic.max()


@pytest.mark.parametrize("name", [n for n, s in SAMPLES.items() if s.internal and n != "own tension"])
def test_internal_forces_keep_the_momentum(name):
    scene, handles = mechanism(gravity=(0, 0, 0))
    scene.add_force(SAMPLES[name].make(*handles))
    run = rm.simulate(scene, 0.5, 0.1, rtol=1e-11, progress=False)
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


@pytest.mark.parametrize(("method", "published"), [("bdf1", -22145.412057327565), ("bdf2", -8988.7693524038732)])
def test_published_spring_dampers(method, published):
    """redmax-diff:12: two links held by two stiff spring-dampers, k and d per strain; T + V - V(0) after 1 s."""
    scene = rm.Scene(gravity=(0, 0, -980), units="cm g s")
    link = rm.Cuboid((10, 1, 1), density=1)
    first = scene.add_body(link, joint=rm.Revolute("y"), com=(5, 0, 0))
    second = scene.add_body(link, joint=rm.Revolute("y"), parent=first, at=(10, 0, 0), com=(5, 0, 0))
    for a, b in (((-5, 0, -5), second.point(0, 0, -2)), (first.point(0, 0, 2), second.point(0, 0, 2))):
        scene.add_force(rm.SpringDamper(a, b, stiffness=1e6, damping=1e3, per="strain"))
    run = rm.simulate(scene, 1.0, 0.01, integrator=method, progress=False)
    assert run.energy.total[-1] - run.energy.potential[0] == pytest.approx(published, rel=1e-10)


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
    for row, a, b in zip(together, q, qdot, strict=True):
        assert agree(row, interpreted.forward(a, b, t=0.4), 1e-10)


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
        runs = [rm.simulate(scene(inside, tied), 0.2, 0.01, integrator=integrator, progress=False) for inside in (True, False)]
        assert agree(runs[0].q[-1], runs[1].q[-1], 1e-9)
        assert agree(runs[0].energy.total, runs[1].energy.total, 1e-9)
    solved = [
        rm.simulate(scene(True, False), 0.05, 0.01, integrator="implicit", dynamics="redmax", solver=s, progress=False)
        for s in ("cg", "direct")
    ]
    assert agree(solved[0].q[-1], solved[1].q[-1], 1e-8)
