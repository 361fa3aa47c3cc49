"""Muscles in motion: balance of forces and energy, points that move or come and go, activation as a state."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import redmax as rm
from dynamics.agreement import agree
from forces.differences import derivative
from redmax.math import sin
from redmax.muscles import ActivationDynamics, Muscle

HILL: dict[str, Any] = {"force": 200.0, "optimal_length": 0.3, "tendon_length": 0.15, "curves": "millard"}


def smooth(t: Any) -> Any:
    return 0.4 + 0.3 * sin(5.0 * t)


def arm(make: Any, gravity: Any = (0, 0, -9.81), free: bool = False) -> rm.Scene:
    """Two links, the second on a universal joint; make(first, second) gives the muscle."""
    scene = rm.Scene(gravity=gravity)
    joint = rm.Free() if free else rm.Revolute("y")
    first = scene.add_body(rm.Cuboid((0.4, 0.08, 0.08)), joint=joint, com=(0.2, 0, 0), qdot=[0.3] * joint.dof, name="first")
    second = scene.add_body(
        rm.Cuboid((0.3, 0.06, 0.06)), joint=rm.Universal(), parent=first, at=(0.4, 0, 0), com=(0.15, 0, 0), q=[0.3, -0.4], name="second"
    )
    scene.add_force(make(first, second))
    return scene


def pull(first: Any, second: Any, **options: Any) -> Muscle:
    path = [first.point(-0.15, 0, 0.08), first.point(0.15, 0, 0.09), second.point(-0.05, 0.02, 0.07)]
    return Muscle(path, name="pull", **(HILL | {"activation": smooth} | options))


def test_internal_forces_are_in_balance():
    """A muscle between two bodies that float: its wrenches add up to nothing."""
    scene = arm(pull, (0, 0, 0), free=True)
    model, bare = scene.model(), arm(lambda a, b: pull(a, b, force=1e-30), (0, 0, 0), free=True).model()
    q, qdot, t = model.q0 + 0.1, model.qdot0, 0.3
    a, b = (rm.Dynamics(m).forward(q, qdot, t=t) for m in (model, bare))
    M = rm.Dynamics(model).inertia(q)
    assert np.abs(a - b).max() > 1
    push = (M @ (a - b))[:6]  # on the coordinates of the floating base: nothing from inside
    assert np.abs(push).max() < 1e-12 * np.abs(M @ (a - b)).max()
    run = rm.simulate(scene, 0.3, 0.1, rtol=1e-12, progress=False)
    assert agree(run.momentum[-1], run.momentum[0], 1e-10)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"damping": 0.1},
        {"pennation": 0.3, "curves": "degroote-fregly"},
        {"curves": "redmax"},
        {"activation": None, "excitation": smooth},
    ],
)
def test_work_is_the_change_of_energy(options):
    """What the muscle's tension does along its path, potential of its passive fibres apart."""
    run = rm.simulate(arm(lambda a, b: pull(a, b, **options)), 0.4, 0.0002, rtol=1e-10, progress=False)
    seen = run.force("pull")
    change = (run.energy.total - seen.potential) - (run.energy.total - seen.potential)[0]
    assert np.abs(seen.work).max() > 0.1
    assert np.abs(seen.work - change).max() < 1e-6 * np.abs(seen.work).max()
    assert agree(seen.power, -seen.tension * seen.rate, 1e-11)
    assert agree(np.gradient(seen.length, seen.t, edge_order=2)[1:-1], seen.rate[1:-1], 1e-3)


def sliding(first: Any, second: Any, **options: Any) -> Muscle:
    """Its second point moves over the first body with a coordinate of the second's joint."""

    def over(q: Any) -> Any:
        return [0.12 + 0.05 * sin(q), 0.02 * q, 0.09 + 0.03 * q * q]

    path = [first.point(-0.15, 0, 0.08), rm.MovingPoint(first, over, joint=second, coordinate=1), second.point(-0.05, 0.02, 0.07)]
    return Muscle(path, name="pull", **(HILL | {"activation": smooth} | options))


def path_length(model: rm.Model, q: np.ndarray) -> float:
    """From poses alone."""
    E = rm.Dynamics(model).observe(q, np.zeros(model.nv)).pose
    s = q[2]
    local = [(0, (-0.15, 0, 0.08)), (0, (0.12 + 0.05 * np.sin(s), 0.02 * s, 0.09 + 0.03 * s * s)), (1, (-0.05, 0.02, 0.07))]
    x = np.array([E[i, :3, :3] @ p + E[i, :3, 3] for i, p in local])
    return float(np.linalg.norm(np.diff(x, axis=0), axis=1).sum())


def test_a_moving_point_pulls_along_the_gradient_of_the_length():
    """Generalised force = -T dl/dq, with what the point's own motion adds."""
    model, bare = (arm(lambda a, b, f=f: sliding(a, b, force=f)).model() for f in (200.0, 1e-30))
    q, qdot, t = np.array([0.2, 0.4, -0.5]), np.array([0.5, -1.0, 0.8]), 0.2
    dynamics = rm.Dynamics(model)
    found = dynamics.inertia(q) @ (dynamics.forward(q, qdot, t=t) - rm.Dynamics(bare).forward(q, qdot, t=t))
    slope = np.array([derivative(lambda e, d=d: np.array([path_length(model, q + e * d)]))[0] for d in np.eye(3)])
    muscle = model.forces[0]
    T = float(muscle.hill.tension(path_length(model, q), slope @ qdot, float(smooth(t))))
    assert agree(found, -T * slope, 1e-9)
    fixed = arm(pull).model()
    other = dynamics.inertia(q) @ (rm.Dynamics(fixed).forward(q, qdot, t=t) - rm.Dynamics(bare).forward(q, qdot, t=t))
    assert not agree(other, found, 1e-2)


def test_energy_balance_with_a_moving_point():
    run = rm.simulate(arm(sliding), 0.4, 0.0002, rtol=1e-10, progress=False)
    seen = run.force("pull")
    change = (run.energy.total - seen.potential) - (run.energy.total - seen.potential)[0]
    assert agree(seen.power, -seen.tension * seen.rate, 1e-11)
    assert np.abs(seen.work - change).max() < 1e-6 * np.abs(seen.work).max()
    assert agree(seen.length[::200], [path_length(run.model, q) for q in run.q[::200]], 1e-12)


@pytest.mark.parametrize("integrator", ["rk4", "implicit", "bdf2"])
def test_dynamics_agree_with_a_moving_point(integrator):
    """Compiled and interpreted, too."""
    model, others = arm(sliding).model(), [{"dynamics": "redmax"}, {"backend": "interpret"}]
    recursive = rm.simulate(model, 0.005, 0.0005, integrator=integrator, progress=False)
    for other in others[: 2 if integrator == "rk4" else 1]:
        assert agree(rm.simulate(model, 0.005, 0.0005, integrator=integrator, progress=False, **other).q, recursive.q, 1e-9)


def test_a_conditional_point_comes_and_goes():
    """Between its limits the path goes through it; beyond, straight on, as without it."""

    def gated(first: Any, second: Any) -> Muscle:
        via = rm.ConditionalPoint(first.point(0.15, 0, 0.09), joint=second, coordinate=1, between=(-0.5, 0.5))
        return Muscle([first.point(-0.15, 0, 0.08), via, second.point(-0.05, 0.02, 0.07)], name="pull", activation=0.5, **HILL)

    def straight(first: Any, second: Any) -> Muscle:
        return Muscle([first.point(-0.15, 0, 0.08), second.point(-0.05, 0.02, 0.07)], name="pull", activation=0.5, **HILL)

    models = [arm(make).model() for make in (gated, lambda a, b: pull(a, b, activation=0.5), straight)]
    for angle, like, unlike in ((0.3, 1, 2), (-0.4, 1, 2), (0.7, 2, 1), (-0.9, 2, 1)):
        q, qdot = np.array([0.1, 0.5, angle]), np.array([0.3, 0.2, -0.4])
        found = [rm.Dynamics(m).forward(q, qdot) for m in models]
        assert agree(found[0], found[like], 1e-11)
        assert not agree(found[0], found[unlike], 1e-4)
        step = [rm.simulate(m, 0.01, 0.01, integrator="implicit", initial=rm.State(0.0, q, qdot), progress=False).q[-1] for m in models]
        assert agree(step[0], step[like], 1e-11)
    run = rm.simulate(models[0], 0.5, 0.005, integrator="rk4", progress=False)
    points, inside = run.force("pull").points, np.abs(run.q[:, 2]) < 0.5
    assert 0 < inside.sum() < len(inside)
    assert (np.isfinite(points[:, 1, 0]) == inside).all()
    assert np.isfinite(points[:, [0, 2]]).all()


EXCITED: dict[str, Any] = {"activation": None, "excitation": 0.8, "initial": 0.1, "dynamics": ActivationDynamics(rise=0.05, fall=0.2)}


@pytest.mark.parametrize(
    ("integrator", "order"), [("forward-euler", 1), ("euler", 1), ("rk4", 4), ("implicit", 1), ("bdf1", 1), ("bdf2", 2), ("adaptive", 0)]
)
def test_activation_follows_its_closed_form(integrator, order):
    """a(t) = u + (a0 - u) exp(-t / rise), to the order of each method."""
    scene = arm(lambda a, b: pull(a, b, **EXCITED))
    errors = []
    for dt in (0.01, 0.005):
        seen = rm.simulate(scene, 0.1, dt, integrator=integrator, rtol=1e-10, progress=False).force("pull")
        errors.append(np.abs(seen.activation - (0.8 - 0.7 * np.exp(-seen.t / 0.05)))[-1])
    if order:
        assert np.log2(errors[0] / errors[1]) == pytest.approx(order, abs=0.35)
    else:
        assert max(errors) < 1e-8


def test_activation_falls_more_slowly():
    scene = arm(lambda a, b: pull(a, b, **(EXCITED | {"excitation": 0.1, "initial": 0.9})))
    seen = rm.simulate(scene, 0.2, 0.01, rtol=1e-10, progress=False).force("pull")
    assert agree(seen.activation, 0.1 + 0.8 * np.exp(-seen.t / 0.2), 1e-8)


def test_a_hidden_state_has_no_part_in_energy_or_momentum():
    """The state's rotor moves, and neither energy nor momentum know of it."""
    scenes = [arm(lambda a, b, o=o: pull(a, b, force=1e-30, **o), (0, 0, 0), free=True) for o in ({}, EXCITED)]
    runs = [rm.simulate(s, 0.2, 0.02, rtol=1e-10, progress=False) for s in scenes]
    assert runs[1].model.nv == runs[0].model.nv + 1
    assert agree(runs[1].q[:, :-1], runs[0].q, 1e-8)
    assert agree(runs[1].energy.kinetic, runs[0].energy.kinetic, 1e-8)
    assert agree(runs[1].momentum, runs[0].momentum, 1e-8)
    assert np.abs(runs[1].energy.total - runs[1].energy.total[0]).max() < 1e-8


def test_bdf2_converges_to_the_adaptive_method():
    for options in ({}, EXCITED):
        scene = arm(lambda a, b, o=options: pull(a, b, **o))
        exact = rm.simulate(scene, 0.1, 0.1, rtol=1e-11, progress=False).q[-1, :3]
        errors = [np.abs(rm.simulate(scene, 0.1, h, integrator="bdf2", progress=False).q[-1, :3] - exact).max() for h in (0.002, 0.001)]
        assert np.log2(errors[0] / errors[1]) == pytest.approx(2, abs=0.3)


def test_a_batch_of_initial_states():
    """Also of activations, which are rates of hidden coordinates."""
    model = arm(lambda a, b: pull(a, b, **EXCITED)).model()
    rng = np.random.default_rng(1)
    q, qdot = model.q0 + 0.1 * rng.normal(size=(3, model.nq)), model.qdot0 + 0.1 * rng.normal(size=(3, model.nv))
    qdot[:, -1] = [0.1, 0.5, 0.9]
    for integrator in ("rk4", "implicit"):
        together = rm.simulate(model, 0.1, 0.005, integrator=integrator, initial=rm.State(0.0, q, qdot), progress=False)
        assert agree(together.force("pull").activation[0], [0.1, 0.5, 0.9], 1e-14)
        for i in range(3):
            single = rm.simulate(model, 0.1, 0.005, integrator=integrator, initial=rm.State(0.0, q[i], qdot[i]), progress=False)
            assert agree(together.q[:, i], single.q, 1e-11)
            assert agree(together.force("pull").tension[:, i], single.force("pull").tension, 1e-10)


def test_errors_name_the_muscle():
    with pytest.raises(rm.SceneError, match=r"'pull'.*tendon is longer than the path"):
        arm(lambda a, b: pull(a, b, tendon_length=3.0)).model()
    with pytest.raises(rm.SceneError, match=r"'pull'.*both an activation and an excitation"):
        arm(lambda a, b: pull(a, b, excitation=0.5))
    with pytest.raises(rm.SceneError, match=r"'pull'.*no excitation"):
        arm(lambda a, b: pull(a, b, initial=0.5))
    with pytest.raises(rm.SceneError, match=r"'pull'.*1.5"):
        arm(lambda a, b: pull(a, b, activation=1.5))
