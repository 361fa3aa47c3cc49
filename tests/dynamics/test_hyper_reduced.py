"""Hyper-reduced coordinates: what a map of coordinates must give, whichever way it is computed (RedMax notes Sec. 2.6)."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest
from scipy.linalg import null_space

import redmax as rm
from dynamics.agreement import disagreement
from dynamics.differences import rate
from mechanisms import chain
from redmax.backends.base import make_plan, make_runner
from redmax.dynamics.redmax.hyper_reduced import RedmaxDynamics
from redmax.dynamics.redmax.newton import MappedNewton
from redmax.integrators import backward_differences, step_equation
from redmax.program.program import Program
from redmax.scenes import find
from redmax.solvers.pivoted import factor_pivoted

KINDS = ("Revolute", "Universal", "Prismatic", "Spherical")
BEAM = rm.Cuboid((0.5, 0.1, 0.1), mass=100)
EVERY = ("forward-euler", "euler", "rk4", "adaptive", "implicit", "bdf1", "bdf2")


def links(count: int = 3, **options: Any) -> rm.Scene:
    scene, parent = rm.Scene(), None
    for i in range(count):
        at = (0.5, 0, 0) if i else None
        parent = scene.add_body(BEAM, parent=parent, joint=rm.Revolute("y"), at=at, com=(0.25, 0, 0), **options)
    return scene


def curve(u: Any) -> Any:
    """Three angles that follow from one parameter."""
    return [u[0], 0.8 * np.sin(2 * u[0]), 0.3 * u[0] ** 2]


def curved(**options: Any) -> rm.Scene:
    scene = links(**options)
    scene.set_map(curve, coordinates=1, q=0.3, qdot=1.0)
    return scene


def end(scene: rm.Scene, name: str, dt: float, duration: float = 0.5, **options: Any) -> np.ndarray:
    run = rm.simulate(scene, duration, dt, integrator=name, **options)
    return np.concatenate([run.q[-1], run.qdot[-1]])


@pytest.mark.parametrize("name", EVERY)
def test_the_identity_changes_nothing(name):
    plain, mapped = links(stiffness=300.0, damping=20.0), links(stiffness=300.0, damping=20.0)
    mapped.set_map(np.eye(3))
    expected = end(plain, name, 0.01, 0.1, dynamics="redmax")
    assert disagreement(end(mapped, name, 0.01, 0.1), expected) < 1e-9


@pytest.mark.parametrize("seed", range(2))
def test_a_matrix_is_what_constraints_on_the_accelerations_give(seed):
    """M qddot = f + C^T lambda, C qddot = 0, with C P = 0."""
    mechanism = chain(seed, KINDS)
    rng, n, N = np.random.default_rng(seed), mechanism.nv, 3
    P = np.linalg.qr(rng.normal(size=(n, N)))[0]
    scene, engine = mechanism.scene(), rm.Dynamics(mechanism.model)
    scene.set_map(P)
    q_R, qdot_R, tau = 0.3 * rng.normal(size=N), rng.normal(size=N), rng.normal(size=n)
    M = engine.inertia(P @ q_R)
    f = M @ engine.forward(P @ q_R, P @ qdot_R, tau, t=0.4)
    C = null_space(P.T).T
    kkt = np.block([[M, -C.T], [C, np.zeros((len(C), len(C)))]])
    expected = np.linalg.solve(kkt, np.concatenate([f, np.zeros(len(C))]))[:n]
    found = RedmaxDynamics(scene.model())(q_R, qdot_R, tau, 0.4)
    assert disagreement(found.qddot, expected) < 1e-9
    assert disagreement(P @ found.qddot_R, expected) < 1e-9


def test_an_implicit_step_is_a_constrained_one():
    """(M + h D - h^2 K) qdot1 = (M + h D) qdot0 + h f + C^T lambda, C qdot1 = 0."""
    k, d, h, P = 4000.0, 300.0, 0.02, np.array([[1.0, 0.0], [0.5, 1.0], [0.0, -0.7]])
    scene, free = links(stiffness=k, damping=d), links(stiffness=k, damping=d)
    scene.set_map(P, q=(0.4, 0.1), qdot=(1.0, -2.0))
    q, qdot = P @ (0.4, 0.1), P @ (1.0, -2.0)
    engine = rm.Dynamics(free.model())
    M = engine.inertia(q)
    A, b = M + h * d * np.eye(3) + h * h * k * np.eye(3), (M + h * d * np.eye(3)) @ qdot + h * M @ engine.forward(q, qdot)
    C = null_space(P.T).T
    expected = np.linalg.solve(np.block([[A, -C.T], [C, np.zeros((1, 1))]]), np.append(b, 0.0))[:3]
    state = rm.Simulation(scene, dt=h, integrator="implicit").step()
    assert disagreement(state.qdot, expected) < 1e-12
    assert disagreement(state.q, q + h * expected) < 1e-12


@pytest.mark.parametrize("seed", range(2))
def test_constraint_forces_do_no_virtual_work(seed):
    """r, the forces that the motion still misses, is orthogonal to all motions that the map allows; and the motion is one of those."""
    mechanism = chain(seed, KINDS)
    rng, n = np.random.default_rng(seed), mechanism.nv
    a, b, c = (0.5 * rng.normal(size=(n, 2)) for _ in range(3))
    scene = mechanism.scene()
    scene.set_map(lambda u: a @ u + b @ np.sin(u) + c @ (u * u), coordinates=2)
    u, v = rng.normal(size=(2, 2))
    found = RedmaxDynamics(scene.model())(u, v, np.zeros(n), 0.3)
    J = a + b * np.cos(u) + 2 * c * u
    bias = -b @ (np.sin(u) * v * v) + 2 * c @ (v * v)
    assert disagreement(found.qddot, J @ found.qddot_R + bias) < 1e-12
    q, qdot = a @ u + b @ np.sin(u) + c @ (u * u), J @ v
    r = rm.Dynamics(mechanism.model).inverse(q, qdot, found.qddot, t=0.3)
    assert np.abs(J.T @ r).max() < 1e-9 * np.abs(r).max()


def test_energy_is_kept_along_a_curved_map():
    run = rm.simulate(curved(stiffness=200.0), 0.5, 0.01, rtol=1e-10)
    assert run.energy.drift.max() < 1e-9
    assert np.ptp(run.energy.kinetic) > 50.0
    np.testing.assert_allclose(run.q, np.stack(curve(run.q_R.T), axis=-1).reshape(run.q.shape), atol=1e-12)


@cache
def exact_end() -> np.ndarray:
    return end(curved(stiffness=200.0, damping=10.0), "adaptive", 0.08, 0.08, rtol=1e-12)


@pytest.mark.parametrize(("name", "dt", "order"), [
    ("forward-euler", 4e-3, 1), ("euler", 4e-3, 1), ("implicit", 4e-3, 1), ("bdf1", 8e-3, 1), ("bdf2", 8e-3, 2), ("rk4", 2e-2, 4),
])  # fmt: skip
def test_integrators_keep_their_order(name, dt, order, monkeypatch):
    monkeypatch.setattr(backward_differences, "TOLERANCE", 1e-13)  # of Newton's method
    scene = curved(stiffness=200.0, damping=10.0)
    errors = [np.linalg.norm(end(scene, name, dt / 2**k, 0.08) - exact_end()) for k in range(3)]
    assert np.abs(np.log2(errors[:-1]) - np.log2(errors[1:]) - order).max() < 0.15 * order


def coupled(seed: int, bent: bool) -> tuple[rm.Scene, Any]:
    """Joints of several kinds with springs between bodies, on two coordinates; and the map."""
    mechanism = chain(seed, KINDS)
    rng, scene = np.random.default_rng(seed), mechanism.scene()
    a, b, c = (0.5 * rng.normal(size=(mechanism.nv, 2)) for _ in range(3))
    ends = scene.find("link0").point(0.1, 0.0, 0.1), scene.find("link3").point(0.0, 0.2, 0.1)
    scene.add_force(rm.SpringDamper(*ends, stiffness=30.0, damping=2.0, rest=0.1))
    f = (lambda u: a @ u + b @ np.sin(u) + c @ (u * u)) if bent else (lambda u: a @ u)
    scene.set_map(f, coordinates=2, q=(0.2, -0.1), qdot=(0.5, 0.3))
    return scene, f


@pytest.mark.parametrize("bent", [False, True])
def test_newtons_matrix_through_a_map(bent):
    """Against differences of J' (inverse dynamics - tau), in the map's coordinates; and what is missing, at the same place."""
    scene, f = coupled(2, bent)
    model, rates, t = scene.model(), (20.0, 400.0), 0.3
    assert model.map is not None
    mapped, map = MappedNewton(model, model.map), model.map
    assert mapped.bent == bent
    rng = np.random.default_rng(5)
    state, tau, n = rng.normal(size=(3, 2)), rng.normal(size=model.nv), model.nv
    free = coupled(2, bent)[0]
    free.map = None
    engine = rm.Dynamics(free.model())

    def missing(x: np.ndarray) -> np.ndarray:
        q, qdot, qddot = state[0] + x, state[1] + rates[0] * x, state[2] + rates[1] * x
        J = map.evaluate("J", q=q)
        at = f(q), J @ qdot, J @ qddot + map.evaluate("bias", q=q, qdot=qdot)
        return J.T @ (tau - engine.inverse(*at, t=t))

    last = next(i for i, stage in enumerate(mapped.direction()) if getattr(stage, "routine", None) is factor_pivoted)
    inputs = ("q", "qdot", "qddot", "tau", "t", "ah", "whole", "r0", "r1", "r2")
    stages = *mapped.residual(), *mapped.direction()[:last]
    plan = make_plan(
        step_equation.mechanism(model), Program("map", stages, step_equation.fields(model, {}, {}), inputs, ("A_R", "b_R")), "llvm"
    )
    behind = [np.concatenate([np.zeros(n), x]) for x in state]
    found = [np.empty((1, 1, size)) for size in (4, 2)]
    numbers = [np.full(1, x) for x in (t, 1.0 / rates[0], 1.0, 1.0, *rates)]
    make_runner(plan, "llvm", "float64").run([*behind, np.concatenate([tau, np.zeros(2)]), *numbers], found, 1)
    assert disagreement(found[1][0, 0], missing(np.zeros(2))) < 1e-11
    slope = -np.array([rate(lambda e, d=d: missing(e * d), 1e-3) for d in np.eye(2)]).T
    assert disagreement(found[0][0, 0].reshape(2, 2), slope) < 1e-8


@pytest.mark.parametrize("integrator", ["bdf1", "bdf2"])
def test_steps_through_a_map_solve_their_equation(integrator):
    """J' (inverse dynamics) = 0 at the end of each step; in lanes as alone, interpreted as compiled."""
    h, scene = 0.01, coupled(1, True)[0]
    run = rm.simulate(scene, 4 * h, h, integrator=integrator)
    map, free = scene.model().map, coupled(1, True)[0]
    assert map is not None
    free.map = None
    engine, q, v = rm.Dynamics(free.model()), run.q_R, np.array([map.inverse(*x)[1] for x in zip(run.q, run.qdot, strict=True)])
    for n in range(2, 5):
        now, old = v[n], v[n - 1]
        a = (now - old) / h if integrator == "bdf1" else 1.5 / h * (now - 4 / 3 * old + v[n - 2] / 3)
        J = map.evaluate("J", q=q[n])
        left = J.T @ engine.inverse(run.q[n], J @ now, J @ a + map.evaluate("bias", q=q[n], qdot=now), t=n * h)
        assert np.abs(left).max() < 1e-8 * np.abs(J.T @ engine.inverse(run.q[n], run.qdot[n], 0 * run.q[n], t=n * h)).max()
    batch = rm.State(0.0, np.stack([run.q[0], run.q[1], run.q[0]]), np.stack([run.qdot[0], run.qdot[1], run.qdot[0]]))
    together = rm.simulate(scene, 4 * h, h, integrator=integrator, initial=batch)
    np.testing.assert_allclose(together.q[:, 2], run.q, atol=1e-10)
    assert disagreement(rm.simulate(scene, 4 * h, h, integrator=integrator, backend="interpret").q[-1], run.q[-1]) < 1e-10


def test_published_numbers_of_coupled_angles():
    entry = find("redmax:7")
    run = rm.simulate(entry.scene(), entry.duration, entry.dt, integrator="implicit", dynamics="redmax")
    assert disagreement(run.q[-1], [0.370826581854, 0.185413290927, 0.0927066454634]) < 1e-9
    assert disagreement(run.qdot[-1], [-5.6262643621, -2.81313218105, -1.40656609053]) < 1e-9
    assert run.energy.total[-1] - run.energy.potential[0] == pytest.approx(42645.15414209897, rel=1e-9)


def test_gears_turn_as_one_body_of_their_joint_inertia():
    """redmax:34: one pendulum with the sum of both inertias and the difference of both weights' moments."""
    entry = find("redmax:34")
    run = rm.simulate(entry.scene(), 0.2 * entry.duration, entry.dt, rtol=1e-10)
    np.testing.assert_allclose(run.q[:, 0], -run.q[:, 1], atol=1e-13)
    assert run.energy.drift.max() < 1e-8
    free = entry.scene()
    free.map = None
    engine = rm.Dynamics(free.model())
    M, P = engine.inertia(run.q[-1]), np.array([1.0, -1.0])
    weight = M @ engine.forward(run.q[-1], np.zeros(2))
    assert run.qddot[-1, 0] == pytest.approx(P @ weight / (P @ M @ P), rel=1e-9)


def test_batches_controllers_and_checkpoints():
    """Each world goes its own way, torques act on the joints, and a run goes on from a checkpoint to the last bit."""
    scene = curved()
    q_R = np.array([0.1, 0.3, -0.4])
    q = np.stack(curve(q_R[None]), axis=-1)
    batch = rm.State(0.0, q, np.zeros((3, 3)))
    for name in ("adaptive", "rk4", "bdf2"):
        options: dict[str, Any] = {"integrator": name, "controller": lambda t, q, qdot: -q}
        together = rm.simulate(scene, 0.1, 0.02, initial=batch, **options)
        for w in (0, 2):
            alone = rm.simulate(scene, 0.1, 0.02, initial=rm.State(0.0, q[w], np.zeros(3)), **options)
            np.testing.assert_allclose(together.q[:, w], alone.q, atol=1e-7)
    for name in ("rk4", "bdf2"):
        sim = rm.Simulation(scene, dt=0.02, integrator=name)
        sim.step(2)
        mark = sim.checkpoint()
        first = sim.step(3)
        for other in (sim, rm.Simulation(scene, dt=0.02, integrator=name)):
            other.restore(mark)
            again = other.step(3)
            assert np.array_equal(first.q, again.q)
            assert np.array_equal(first.qdot, again.qdot)


def test_the_interpreter_agrees():
    scene = curved()
    for name in ("adaptive", "implicit"):
        assert disagreement(end(scene, name, 0.02, 0.04, backend="interpret"), end(scene, name, 0.02, 0.04)) < 1e-10


@pytest.mark.parametrize(("options", "column", "message"), [
    ({}, [1, 2], r"must give the 3 coordinates of its joints\. Got 2"),
    ({"motion": lambda t: [t]}, [1, 1, 1], "has a prescribed motion, but the scene's map moves it"),
    ({"q": 0.1}, [1, 1, 1], "Leave out its q"),
])  # fmt: skip
def test_what_does_not_fit_the_map_is_named(options, column, message):
    scene = links(**options)
    scene.set_map(column)
    with pytest.raises(rm.SceneError, match=message):
        scene.model()


def test_wrong_maps_are_answered():
    with pytest.raises(rm.SceneError, match="needs coordinates=N"):
        links().set_map(curve)
    with pytest.raises(rm.SceneError, match=r"The map of set_map: the function takes \(a, b.*would be called with \(q_R\)"):
        links().set_map(lambda a, b: [a, b], coordinates=1)
    with pytest.raises(rm.SceneError, match="q of set_map must be 1 finite numbers"):
        links().set_map([1, 2, 3], q=(1, 2))
    with pytest.raises(rm.SceneError, match="is not one that the scene's map gives"):
        rm.simulate(curved(), 0.1, initial=rm.State(0.0, np.array([0.3, 0.0, 2.0]), np.zeros(3)))
    with pytest.raises(rm.RedmaxError, match="The scene has no map"):
        _ = rm.simulate(links(), 0.1).q_R


@pytest.mark.parametrize("dynamics", ["recursive", "maximal"])
def test_other_dynamics_refuse_a_map(dynamics):
    with pytest.raises(rm.RedmaxError, match="a map of coordinates: that goes with dynamics 'redmax' only"):
        rm.simulate(curved(), 0.1, dynamics=dynamics)
