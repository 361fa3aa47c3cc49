"""Muscle activations of least effort: conditions of the optimum, other solvers, and what is said where torques cannot be met."""

from __future__ import annotations

import clarabel
import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import sparse
from scipy.optimize import minimize

import redmax as rm
from redmax.design.least_effort import least_effort
from redmax.scenes import find


def problem(frames: int = 30, m: int = 5, n: int = 18, strength: float = 1.0, seed: int = 0):
    rng = np.random.default_rng(seed)
    A = 40 * rng.normal(size=(frames, m, n)) * (rng.random((m, n)) < 0.5)
    b = strength * (A @ rng.random((frames, n, 1)) ** 2)[..., 0]
    return A, b, np.diag(rng.uniform(0.3, 1.0, m) ** 2)


@pytest.mark.parametrize("strength", [1.0, 4.0])
@pytest.mark.parametrize("exponent", [1.5, 2.0, 3.0, 4.5])
def test_conditions_of_the_optimum_hold(exponent, strength):
    """Karush, Kuhn and Tucker's: the slope of effort is A' lambda inside, below it at 1, above it at 0; equations hold with reserves."""
    A, b, S = problem(strength=strength)
    found = least_effort(A, b, S, exponent)
    a, c = found.activations, (found.multipliers[:, None, :] @ A)[:, 0]
    assert found.converged.all()
    slope, size = exponent * a ** (exponent - 1), np.abs(c).max()
    inside, zero, one = (a > 0) & (a < 1), a == 0, a == 1
    assert_allclose(slope[inside], c[inside], atol=1e-10 * size)
    assert (c[zero] <= 1e-10 * size).all()
    assert (c[one] >= exponent - 1e-10 * size).all()
    reserves = 0.5 * found.multipliers @ S
    assert_allclose((A @ a[..., None])[..., 0] + reserves, b, atol=1e-8 * np.abs(b).max())


@pytest.mark.parametrize("strength", [1.0, 4.0])
def test_clarabel_finds_the_same(strength):
    A, b, S = problem(8, strength=strength)
    found = least_effort(A, b, S)
    n, m = A.shape[2], A.shape[1]
    P = sparse.csc_matrix(np.diag(np.concatenate([np.full(n, 2.0), 2 / np.diag(S)])))
    bounds = np.hstack([np.vstack([np.eye(n), -np.eye(n)]), np.zeros((2 * n, m))])
    settings = clarabel.DefaultSettings()
    settings.verbose, settings.tol_gap_abs, settings.tol_gap_rel, settings.tol_feas = False, 1e-11, 1e-11, 1e-11
    cones = [clarabel.ZeroConeT(m), clarabel.NonnegativeConeT(2 * n)]
    for k in range(len(A)):
        rows = sparse.csc_matrix(np.vstack([np.hstack([A[k], np.eye(m)]), bounds]))
        right = np.concatenate([b[k], np.ones(n), np.zeros(n)])
        other = clarabel.DefaultSolver(P, np.zeros(n + m), rows, right, cones, settings).solve()
        assert_allclose(found.activations[k], np.array(other.x)[:n], atol=1e-6)


def test_scipy_finds_no_less_effort_with_cubes():
    A, b, S = problem(3, 3, 8)
    found = least_effort(A, b, S, 3.0)
    weights = 1 / np.diag(S)
    for k in range(len(A)):

        def effort(a: np.ndarray, k: int = k) -> float:
            return float((np.abs(a) ** 3).sum() + (weights * (b[k] - A[k] @ a) ** 2).sum())

        other = minimize(effort, np.full(8, 0.4), method="SLSQP", bounds=[(0, 1)] * 8, options={"ftol": 1e-14, "maxiter": 500})
        assert effort(found.activations[k]) <= other.fun * (1 + 1e-9)


def elbow(**muscles) -> rm.Scene:
    """Two flexors and an extensor of a forearm that holds a load."""
    scene = rm.Scene()
    humerus = scene.add_body(rm.Capsule(0.02, 0.3, mass=2), com=(0, 0, -0.15), name="humerus")
    ulna = scene.add_body(
        rm.Capsule(0.015, 0.25, mass=1.5), parent=humerus, joint=rm.Revolute((0, -1, 0)), at=(0, 0, -0.3), com=(0, 0, -0.125), name="ulna"
    )
    scene.add_body(rm.Sphere(0.05, mass=4), parent=ulna, at=(0, 0, -0.28), name="load")
    for name, x, insertion, force in (("biceps", 0.03, 0.085, 700), ("brachialis", 0.025, 0.095, 900), ("triceps", -0.03, 0.145, 800)):
        path = [humerus.point(x, 0, 0.0), ulna.point(0.6 * x, 0, insertion)]
        scene.add_force(rm.Muscle(path, force=force, optimal_length=0.12, tendon_length=0.03, **muscles, name=name))
    return scene


def curl(scene: rm.Scene, far: float = 1.6) -> rm.SmoothedMotion:
    t = np.linspace(0, 1, 101)
    return rm.smoothed_motion(scene, t, (0.3 + 0.5 * far * (1 - np.cos(2 * np.pi * t)))[:, None], np.inf)


def test_muscles_with_these_activations_give_the_torques():
    scene = elbow()
    motion = curl(scene)
    found = rm.static_optimisation(scene, motion)
    given = found.muscles.torques.sum(axis=1) + found.reserves
    assert_allclose(given, found.torques, atol=1e-9)
    assert found.exact.all()
    assert np.abs(found.reserves).max() < 2e-3 * np.abs(found.torques).max()
    assert found.unmet == ()
    assert found.of("biceps").max() > 0.1
    assert found.of("triceps").max() < 0.05


def test_strong_muscles_share_more_evenly_with_larger_exponents():
    scene = elbow()
    motion = curl(scene)
    largest = [rm.static_optimisation(scene, motion, exponent=p).activation.max() for p in (1.5, 2, 3, 5)]
    assert largest == sorted(largest, reverse=True)


def test_scenes_whose_muscles_follow_excitations_show_the_activations_in_their_run():
    scene = elbow(excitation=0.1)
    found = rm.static_optimisation(scene, curl(scene))
    run = found.run()
    assert_allclose(run.muscles.activation, found.activation)
    assert_allclose(run.qddot[:, 0], curl(scene).qddot[:, 0], atol=1e-6)


def parallelogram(muscles: bool) -> rm.Scene:
    scene, hinge = rm.Scene(), rm.Revolute("y")
    side, top = rm.Cuboid((0.3, 0.02, 0.02), mass=1), rm.Cuboid((0.5, 0.02, 0.02), mass=1)
    crank = scene.add_body(side, joint=hinge, com=(0.15, 0, 0), q=-1.2, name="crank")
    coupler = scene.add_body(top, joint=hinge, parent=crank, at=(0.3, 0, 0), com=(0.25, 0, 0), q=1.2, name="coupler")
    rocker = scene.add_body(side, joint=hinge, at=(0.5, 0, 0), com=(0.15, 0, 0), q=-1.2, name="rocker")
    scene.add_constraint(rm.HingeClosure(coupler.point(0.25, 0, 0), rocker.point(0.15, 0, 0), "y"))
    for x in (-0.3, 1.0) if muscles else ():
        path = [(x, 0, 0.2), coupler.point(0, 0, 0)]
        scene.add_force(rm.Muscle(path, force=30, optimal_length=0.6, name=f"at {x}"))
    return scene


def test_loops_take_what_acts_across_them():
    """With muscles and reserves, the loop moves as it did when a motor drove it."""
    bare = parallelogram(muscles=False)
    run = rm.simulate(bare, duration=0.12, dt=0.01, integrator="rk4", controls=np.tile((3.0, 0, 0), (12, 1)))
    found = rm.static_optimisation(parallelogram(muscles=True), run)
    assert found.activation.max() > 0.1
    given = found.muscles.torques.sum(axis=1) + found.reserves
    qddot = rm.Dynamics(bare).forward(run.q, run.qdot, given)
    assert_allclose(qddot, run.qddot, atol=1e-7 * np.abs(run.qddot).max())


def test_what_muscles_cannot_do_is_said():
    scene = elbow()
    motion = curl(scene)
    weight = {"load": (0, 0, 0, 0, 0, -300.0)}
    found = rm.static_optimisation(scene, motion, wrenches=weight)
    (said,) = found.unmet
    assert "ulna: at t = " in said
    assert "left to the reserve; fully active: biceps, brachialis" in said
    with pytest.raises(rm.SceneError, match=r"without reserves the muscles cannot meet the motion\. ulna"):
        rm.static_optimisation(scene, motion, wrenches=weight, reserves=0)
    light = rm.static_optimisation(scene, motion, reserves={"ulna": 0})
    assert np.abs(light.reserves).max() < 1e-8 * np.abs(light.torques).max()


def test_a_joint_without_muscles_is_left_to_its_reserve():
    scene = elbow()
    scene.add_body(rm.Sphere(0.03, mass=1), joint=rm.Revolute("y"), com=(0.3, 0, 0), name="free")
    t = np.linspace(0, 1, 21)
    motion = rm.smoothed_motion(scene, t, np.tile([0.5, 0.0], (21, 1)), np.inf)
    (said,) = rm.static_optimisation(scene, motion).unmet
    assert "free" in said
    assert "no muscle has a moment arm there" in said


def test_bad_options_are_named():
    scene = elbow()
    motion = curl(scene)
    with pytest.raises(rm.SceneError, match=r"exponent is 1, expected a number from 1\.5 to 5"):
        rm.static_optimisation(scene, motion, exponent=1)
    with pytest.raises(rm.SceneError, match="reserves are -2"):
        rm.static_optimisation(scene, motion, reserves=-2)
    with pytest.raises(rm.SceneError, match="unla"):
        rm.static_optimisation(scene, motion, reserves={"unla": 1})
    with pytest.raises(rm.SceneError, match="no muscles"):
        rm.static_optimisation(find("windmill").scene(), rm.simulate("windmill", duration=0.02, dt=0.01))
