"""Residuals of whole scenes, and one step against an interior-point solver.

    minimise over f in K:   1/2 f' (W + R) f + f' (u_free + bias + mu |v_t| n),      W = J M^-1 J'

is the dual of the convex problem that the solver ends a step with, which is Coulomb's law once |v_t| is that of its own solution. Of boxes
with a compliance c and no damping, R = c / h^2 and bias = gap / h on all contacts, whether they overlap or not.
"""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

import redmax as rm
from contact.worlds import DT, G, ran
from redmax.dynamics.contact.rows import T_BODIES, T_GAP, T_IMPULSE, T_NORMAL, T_POINT, T_SLACK, T_SLIP, T_STATE
from redmax.dynamics.contact.runner import told_of
from redmax.scenes import find

TOLERANCE, WORST = 1e-6, 1e-3  # m/s
SCENES = {"slope": 0.6, "stack": 0.4, "pile": 0.9, "card-house": 0.4, "dominoes": 0.8, "wrecking-ball": 1.1, "gripper": 1.0,
          "chain-on-ground": 1.5, "humanoid-falls": 1.0, "marbles": 1.2}  # fmt: skip


@pytest.mark.parametrize(("name", "duration"), SCENES.items())
def test_scenes_are_solved_in_every_step(name, duration):
    run = ran(find(name).scene(), duration)
    residual = run.contacts.residual
    assert (residual <= TOLERANCE).mean() >= 0.999
    assert residual.max() <= WORST
    assert run.contacts.pressing.max() >= 4


MU, COMPLIANCE, SIDE, HIGH = 0.6, 2e-7, np.array([0.3, 0.2, 0.1]), 5


def tower(seed: int) -> tuple[rm.Scene, np.ndarray, np.ndarray]:
    """Boxes on each other that overlap a little, turned and moving somehow; their rotations, and velocities (n, 6), angular first."""
    random, scene = np.random.default_rng(seed), rm.Scene()
    made = rm.ContactMaterial(friction=MU, compliance=COMPLIANCE)
    scene.add_ground(contact=made)
    turns, velocities = [], random.normal(size=(HIGH, 6)) * [0.3, 0.3, 0.3, 0.2, 0.2, 0.2]
    for k in range(HIGH):
        R = rm.rotation_about("z", random.uniform(-0.5, 0.5))
        place = (*random.uniform(-0.02, 0.02, 2), SIDE[2] * (k + 0.5) - 2e-5 * (k + 1))
        omega, v = velocities[k, :3], velocities[k, 3:]
        scene.add_body(
            rm.Cuboid(tuple(SIDE), mass=1.0 + k), joint=rm.Free3D(), at=rm.pose(R, place), qdot=(*(R.T @ v), *(R.T @ omega)), contact=made,
            name=f"box {k + 1}",
        )  # fmt: skip
        turns.append(R)
    return scene, np.array(turns), velocities


def jacobian(contacts: np.ndarray, centres: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """J (3n, 6 bodies) along the normal and two tangents of each contact; and these axes (n, 3, 3)."""
    J, axes = np.zeros((3 * len(contacts), 6 * HIGH)), np.zeros((len(contacts), 3, 3))
    for i, c in enumerate(contacts):
        n = c[T_NORMAL : T_NORMAL + 3]
        first = np.cross(n, [1.0, 0, 0] if abs(n[0]) < 0.8 else [0, 1.0, 0])
        first /= np.linalg.norm(first)
        axes[i] = [n, first, np.cross(n, first)]
        for body, sign in zip(c[T_BODIES : T_BODIES + 2].astype(int), (-1, 1)):
            if body < HIGH:
                arm = c[T_POINT : T_POINT + 3] - centres[body]
                J[3 * i : 3 * i + 3, 6 * body : 6 * body + 6] = sign * np.hstack([np.cross(arm, axes[i]), axes[i]])
    return J, axes


def cone_program(H: np.ndarray, g: np.ndarray, friction: float) -> np.ndarray:
    """The least of 1/2 f' H f + g' f with |f_t| <= mu f_n of all contacts, by clarabel."""
    clarabel = pytest.importorskip("clarabel")
    n = len(g) // 3
    A = sparse.csc_matrix(-np.kron(np.eye(n), np.diag([friction, 1.0, 1.0])))
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = 1e-12
    cones = [clarabel.SecondOrderConeT(3)] * n
    return np.array(clarabel.DefaultSolver(sparse.csc_matrix(np.triu(H)), g, A, np.zeros(3 * n), cones, settings).solve().x)


def improved(f: np.ndarray, H: np.ndarray, g: np.ndarray, friction: float) -> np.ndarray:
    """The same by projected gradients, accelerated (Nesterov 1983), to rounding: interior points end at some 1e-8 N s."""
    rate, ahead, weight = 1 / np.linalg.eigvalsh(H)[-1], f, 1.0
    for _ in range(3000):
        step = on_cones(ahead - rate * (H @ ahead + g), friction)
        if (ahead - step) @ (step - f) > 0:  # it goes up: begin anew
            ahead, weight, f = step, 1.0, step
            continue
        further = 0.5 * (1 + np.sqrt(1 + 4 * weight * weight))
        ahead, weight, f = step + (weight - 1) / further * (step - f), further, step
    return f


def on_cones(y: np.ndarray, friction: float) -> np.ndarray:
    """The nearest place of all cones."""
    n, t = y.reshape(-1, 3)[:, 0], y.reshape(-1, 3)[:, 1:]
    size = np.linalg.norm(t, axis=1)
    p = np.maximum((n + friction * size) / (1 + friction**2), 0.0)
    p = np.where(size <= friction * n, n, p)
    return np.column_stack([p, t * np.minimum(friction * p / np.maximum(size, 1e-300), 1.0)[:, None]]).ravel()


@pytest.mark.parametrize(("friction", "near"), [("exact", 3e-8), ("convex", 2e-9)])
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_a_step_is_the_solution_of_a_cone_program(seed, friction, near):
    """To 1e-7 N s of an interior point, and nearer to what that comes to where it goes on; impulses are tenths."""
    scene, turns, velocities = tower(seed)
    sim = rm.Simulation(scene, dt=DT, integrator="implicit", friction=friction)
    sim.advance(1, sim.torques(), *sim.room(1))
    told = told_of(sim.runner.notes)
    c = told.table[0, 0, : int(told.held[0, 0])]
    J, axes = jacobian(c, np.array([link.at[:3, 3] for link in scene.links]))
    easy = np.zeros((6 * HIGH, 6 * HIGH))
    for k, link in enumerate(scene.links):
        easy[6 * k : 6 * k + 3, 6 * k : 6 * k + 3] = turns[k] @ np.linalg.inv(link.shape.inertia) @ turns[k].T
        easy[6 * k + 3 : 6 * k + 6, 6 * k + 3 : 6 * k + 6] = np.eye(3) / link.shape.mass
    free = velocities + DT * np.array([0, 0, 0, 0, 0, -G])  # w x I w has no part in it: bodies fly on behind contact
    g = J @ free.ravel()
    g[::3] += c[:, T_GAP] / DT + c[:, T_SLACK]
    found = np.einsum("cij,cj->ci", axes, c[:, T_IMPULSE : T_IMPULSE + 3]).ravel()
    soft = 2 * COMPLIANCE / DT**2  # of both surfaces
    H = J @ easy @ J.T + soft * np.eye(len(g))
    interior = cone_program(H, g, MU)
    expected = improved(interior, H, g, MU)
    assert np.abs(found - interior).max() < 1e-7
    assert np.abs(found - expected).max() < near
    assert np.abs(easy @ J.T @ (found - expected)).max() < 30 * near
    force, normal = c[:, T_IMPULSE : T_IMPULSE + 3], c[:, T_NORMAL : T_NORMAL + 3]
    beside = force - (force * normal).sum(axis=1, keepdims=True) * normal
    slid = np.linalg.norm(c[:, T_SLIP : T_SLIP + 3] + soft * beside, axis=1)  # beyond what gives way
    if friction == "exact":
        assert np.abs(c[:, T_SLACK] - MU * slid)[c[:, T_STATE] > 1.5].max() < 2 * TOLERANCE
    else:
        assert (c[:, T_SLACK] == 0).all()
    assert {1.0, 2.0} <= set(c[:, T_STATE])
    assert len(c) >= 4 * HIGH


def test_the_convex_problem_lifts_what_slides_and_exact_friction_does_not():
    """By about mu |v| dt above the ground (Anitescu 2006), while the law of sliding is the same."""
    found = {}
    for friction in ("exact", "convex"):
        scene = rm.Scene()
        scene.add_ground(contact=0.5)
        box, forward = rm.Cuboid((0.2, 0.2, 0.2), mass=1.0), (2, 0, 0, 0, 0, 0)
        scene.add_body(box, joint=rm.Free3D(), at=(0, 0, 0.1), qdot=forward, contact=0.5, name="box")
        found[friction] = rm.simulate(scene, 0.2, dt=0.002, friction=friction, progress=False)
    assert found["exact"].pose("box")[:, 2, 3].max() <= 0.1
    assert found["convex"].pose("box")[:, 2, 3].max() > 0.101
    assert found["convex"].contacts.residual.max() < 1e-6  # the convex problem itself is solved all the same
    assert found["exact"].qdot[-1, 0] == pytest.approx(2 - 0.5 * 9.81 * 0.2, abs=1e-6)
