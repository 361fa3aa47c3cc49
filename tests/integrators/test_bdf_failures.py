"""Steps of backward differences that have no solution: what is said and kept, shorter steps in their place, and other worlds."""

from __future__ import annotations

import numpy as np
import pytest

import redmax as rm
from dynamics.agreement import agree
from integrators.bdf_equations import run_of
from integrators.scenes import conservative
from redmax.integrators.backward_differences import BackwardDifferences
from redmax.integrators.bdf_samples import Clock, Past, Samples
from redmax.solvers.newton import STOPPED


def impossible(t_bad: float) -> rm.Scene:
    """From t_bad on, the force is not a number that any q could balance."""
    scene = rm.Scene()
    scene.add_body(
        rm.Sphere(0.1, mass=1.0), joint=rm.Prismatic("x"), q=0.1,
        torque=lambda t, q, qdot: [-q[0] + 1e6 * rm.math.where(t > t_bad, rm.math.where(q[0] > 0.0, -1.0, 1.0), 0.0)],
    )  # fmt: skip
    return scene


@pytest.mark.parametrize("integrator", ["bdf1", "bdf2"])
def test_a_failure_names_time_and_residual_and_keeps_what_was_computed(integrator):
    with pytest.raises(rm.SimulationError, match=r"Newton's method stopped at t = 0\.0[56]\S* s with a residual of .*smaller dt") as caught:
        rm.simulate(impossible(0.055), 0.1, 0.01, integrator=integrator)
    run = caught.value.trajectory
    assert not run.complete
    assert len(run) == 6
    np.testing.assert_allclose(run.t, 0.01 * np.arange(6))
    assert np.isfinite(run.q).all()


@pytest.mark.parametrize("integrator", ["bdf1", "bdf2"])
def test_coordinates_that_say_the_same_twice(integrator):
    scene = rm.Scene()
    twice = rm.CompositeJoint(rm.Revolute("x"), rm.Revolute("x"))
    scene.add_body(rm.Cuboid((0.1, 0.2, 0.3)), joint=twice, com=(0, 0.1, 0), check_joint=False)
    with pytest.raises(rm.SimulationError, match=r"at t = 0 s: a motion of joint 'body1' moves no inertia .* use other coordinates"):
        rm.simulate(scene, 0.1, 0.01, integrator=integrator)


def test_a_single_step_that_fails_says_where_and_by_how_much():
    model = impossible(-1.0).model()
    method = BackwardDifferences(model, "llvm", False)
    samples = method.attempt(Past.fresh(0.0, np.array([[0.1]]), np.zeros((1, 1))), np.zeros(1), Clock(0.0, 0.01, 0.0), 3, 1)
    failure = samples.failure(0)
    assert failure is not None
    assert (failure.kind, failure.t) == (STOPPED, 0.01)
    assert failure.residual > 1.0
    assert np.isnan(samples.q).all()


def test_a_past_beyond_half_a_turn_ends_the_run():
    """A joint on a group goes as its velocities say below it, and is not where the short way round would lead."""
    scene = rm.Scene(gravity=(0, 0, 0))
    scene.add_body(rm.MassProperties(1, np.array([0.1, 0.2, 0.1])), joint=rm.Spherical("quaternion"), qdot=(0, 100, 0), name="spins")
    run = rm.simulate(scene, 0.3, 0.03, integrator="bdf2")  # 3 rad a step
    np.testing.assert_allclose(run.pose("spins")[-1, :3, :3], rm.rotation_about("y", 30.0), atol=1e-12)
    with pytest.raises(rm.SimulationError, match=r"turned by more than half a turn in the step before t = 0\.08 s: bdf2 .* smaller dt"):
        rm.simulate(scene, 0.4, 0.04, integrator="bdf2")
    assert rm.simulate(scene, 0.4, 0.04, integrator="bdf2", halvings=2).q.shape == (11, 4)


def refusing(longest: float):
    """A method whose steps have no solution if they are longer."""
    attempt = BackwardDifferences.attempt

    def refuse(self, past, tau, clock, count, stride, room=()):
        samples = attempt(self, past, tau, clock, count, stride, room)
        if clock.h <= longest:
            return samples
        marks = samples.marks | {"failed": np.full_like(samples.marks["failed"], STOPPED), "t_failed": samples.marks["t_failed"] + clock.h}
        return Samples(np.full_like(samples.q, np.nan), samples.qdot, samples.older, marks)

    return refuse


@pytest.mark.parametrize(("halvings", "longest", "pieces"), [(1, 0.006, 2), (2, 0.003, 4), (3, 0.0026, 4)])
def test_a_step_that_fails_is_made_of_shorter_ones(monkeypatch, halvings, longest, pieces):
    model = conservative().model()
    monkeypatch.setattr(BackwardDifferences, "attempt", refusing(longest))
    zero = np.zeros(model.nv)
    q, v = run_of(BackwardDifferences(model, "llvm", False, halvings=halvings), model.q0, model.qdot0, zero, 0.0, 0.01, 3)
    monkeypatch.undo()
    fine_q, fine_v = run_of(BackwardDifferences(model, "llvm", False), model.q0, model.qdot0, zero, 0.0, 0.01 / pieces, 3 * pieces)
    assert agree(q, fine_q[::pieces], 1e-10)
    assert agree(v, fine_v[::pieces], 1e-9)


@pytest.mark.parametrize("stride", [1, 2])
def test_after_a_step_in_halves_the_rest_is_one_call_again(monkeypatch, stride):
    """Each row of torques is held in its own step, whichever way that is taken; other worlds go on as they are."""
    model, attempt, broken = conservative().model(), BackwardDifferences.attempt, []

    def refuse_the_fourth(self, past, tau, clock, count, stride, room=()):
        """In world 1, once, as if it had no solution."""
        samples = attempt(self, past, tau, clock, count, stride, room)
        w = min(1, len(samples.q[0]) - 1)
        if clock.h == 0.01 and clock.k < 4 <= clock.k + count and len(broken) < 2:
            broken.append(count)
            first = min(3 // stride, len(samples.q) - 1)
            samples.marks["failed"][first:, w], samples.q[first:, w] = STOPPED, np.nan
        return samples

    tau = np.random.default_rng(0).normal(size=(8, 3, model.nv))
    q, v = np.tile(model.q0, (3, 1)), np.tile(model.qdot0, (3, 1))
    clock = [np.full(1, x) for x in (0.0, 0.0, 0.01, 0.0)]
    whole, halved = ([np.empty((8 // stride, 3, model.nv)) for _ in range(2)] for _ in range(2))
    BackwardDifferences(model, "llvm", False).run([q, v, tau, *clock], whole, 3, 8, stride)
    monkeypatch.setattr(BackwardDifferences, "attempt", refuse_the_fourth)
    BackwardDifferences(model, "llvm", False, halvings=1).run([q, v, tau, *clock], halved, 3, 8, stride)
    assert broken == [8, 1]
    np.testing.assert_array_equal(halved[0][:, [0, 2]], whole[0][:, [0, 2]])
    assert np.isfinite(halved[0]).all()
    assert 0 < np.abs(halved[0][-1, 1] - whole[0][-1, 1]).max() < 1e-2  # one step of eight is made of two


def test_halving_ends(monkeypatch):
    model = conservative().model()
    monkeypatch.setattr(BackwardDifferences, "attempt", refusing(0.0))
    with pytest.raises(rm.SimulationError, match=r"stopped at t = 0\.0025 s .* halvings"):
        run_of(BackwardDifferences(model, "llvm", True, halvings=2), model.q0, model.qdot0, np.zeros(model.nv), 0.0, 0.01, 1)


@pytest.mark.parametrize("backend", ["llvm", "interpret"])
def test_a_world_that_fails_leaves_the_others_alone(backend):
    scene = rm.Scene(gravity=(0, 0, 0))
    walled = lambda t, q, qdot: [-q[0] + 1e6 * rm.math.where(q[0] * q[0] < 0.1, rm.math.where(q[0] > 0.0, -1.0, 1.0), 0.0)]  # noqa: E731
    scene.add_body(rm.Sphere(0.1, mass=1.0), joint=rm.Prismatic("x"), torque=walled)
    model = scene.model()
    q, h = np.array([[2.0], [0.1], [-3.0]]), 0.01
    method = BackwardDifferences(model, backend, False)
    samples = method.attempt(Past.fresh(0.0, q, np.zeros((3, 1))), np.zeros(1), Clock(0.0, h, 0.0), 4, 2)
    assert [samples.failure(w) is not None for w in range(3)] == [False, True, False]
    assert np.isnan(samples.q[:, 1]).all()
    x, v = q[[0, 2]], np.zeros((2, 1))
    for _ in range(4):
        x = (x + h * v) / (1 + h * h)
        v = v - h * x
    np.testing.assert_allclose(samples.q[-1, [0, 2]], x, rtol=1e-9)
    out = [np.empty((2, 3, 1)) for _ in range(2)]
    with pytest.raises(rm.SimulationError, match=r"stopped at t = 0\.01 s"):
        method.run([q, np.zeros((3, 1)), np.zeros(1), *[np.full(1, x) for x in (0.0, 0.0, h, 0.0)]], out, 3, 4, 2)
    np.testing.assert_array_equal(out[0][:, [0, 2]], samples.q[:, [0, 2]])
