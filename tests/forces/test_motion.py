"""Forces in motion: the same in all dynamics and backends, energy kept where it should be, the published numbers."""

from __future__ import annotations

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


def test_applied_wrench_is_add_wrench():
    for frame in ("body", "world"):
        scene, (_, b, _) = mechanism()
        scene.add_wrench(b.point(0.1, 0.2, 0.3), torque=(1, 2, 3), force=lambda t: [t, 1, -2], frame=frame)
        model = scene.model()
        q, qdot, t = state(model)
        made = with_force(
            lambda a, b, c, f=frame: rm.AppliedWrench(b.point(0.1, 0.2, 0.3), torque=(1, 2, 3), force=lambda t: [t, 1, -2], frame=f)
        )
        assert agree(rm.Dynamics(made.model()).forward(q, qdot, t=t), rm.Dynamics(model).forward(q, qdot, t=t), 1e-11)


def test_two_points_of_one_body_and_world_axes_share_nothing_by_accident():
    """A potential of two sites on one body, whose axes are the same numbers: each gets its own slope."""

    def both(a, b):
        return a.R[0, 1] + 2.0 * b.R[0, 1] + a.x @ b.x

    def apart(a, b):
        zero, one = np.array([0.0, 0.0, 1.0]), np.array([0.0, 1.0, 0.0])
        turn = [-np.cross(s.R @ one, np.array([1.0, 0, 0])) for s in (a, b)]
        return [(turn[0] + 0 * zero, -b.x), (2.0 * turn[1], -a.x)]

    def place(a):
        return [a, a.point(0.3, 0.1, 0)]

    models = [with_force(lambda a, b, c: rm.force(potential=both, bodies=place(a))).model()]
    models.append(with_force(lambda a, b, c: rm.force(lambda s, r: apart(s, r), bodies=place(a))).model())
    q, qdot, t = state(models[0])
    found = [rm.Dynamics(m, "interpret").forward(q, qdot, t=t) for m in models]
    alone = rm.Dynamics(mechanism()[0].model(), "interpret").forward(q, qdot, t=t)
    # the slope of R[0, 1] along a turn theta is (theta x y)_x: minus it is the torque -(y x e_x)
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
