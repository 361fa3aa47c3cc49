"""Torsional and rolling friction: closed forms, one step against an interior-point solver, energy, and both ways to run a program.

Of a ball that rolls, m v' = -F and I w' = F r - d m g with v = w r, so that v' = -5/7 g d / r; on a slope of the angle a it holds while
m g r sin(a) <= d m g cos(a). One that spins in place has I w' = -c m g.
"""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

import redmax as rm
from contact.test_energy import BALLS, CUBES, STEPS, heap, started
from contact.worlds import DT, G, ran
from random_examples import examples
from redmax.dynamics.contact.fields import CONVEX_PROBLEMS
from redmax.dynamics.contact.rows import T_BODIES, T_GAP, T_IMPULSE, T_NORMAL, T_POINT, T_SLACK, T_STATE
from redmax.dynamics.contact.runner import told_of

R, MASS = 0.1, 2.0
INERTIA = 0.4 * MASS * R * R


def ball(angle: float = 0.0, speed: float = 0.0, spin: float = 0.0, both: bool = False, **material: float) -> rm.Scene:
    """On a plane that falls towards x, rolling along x and spinning about the normal; the plane has these materials too, or has none."""
    scene, turn = rm.Scene(), rm.rotation_about("y", angle)
    made = rm.ContactMaterial(friction=0.8, **material)
    scene.add_obstacle(rm.Plane(), at=rm.pose(turn, (0, 0, 0)), contact=made if both else 0.8, name="plane")
    moves = (speed, 0, 0, 0, speed / R, spin)
    scene.add_body(rm.Sphere(R, mass=MASS), joint=rm.Free3D(), at=rm.pose(turn, turn @ (0, 0, R)), qdot=moves, contact=made, name="ball")
    return scene


@pytest.mark.parametrize("both", [False, True])
def test_a_ball_that_rolls_comes_to_rest(both):
    run = ran(ball(speed=0.4, rolling=0.005, both=both), 1.4)
    slower = 5 / 7 * G * 0.005 / R
    rolling = run.t < 0.4 / slower - 0.01
    np.testing.assert_allclose(run.qdot[rolling, 0], 0.4 - slower * run.t[rolling], atol=2e-4)
    assert np.abs(run.twist("ball")[run.t > 0.4 / slower + 0.06]).max() < 1e-9
    assert run.q[-1, 0] == pytest.approx(0.4**2 / 2 / slower, abs=1e-3)
    assert run.contacts.residual.max() < 1e-6


def test_a_ball_that_spins_in_place_stops_after_its_time():
    run = ran(ball(spin=5.0, torsional=0.005), 0.5)
    slower = 0.005 * MASS * G / INERTIA
    spin, spinning = run.twist("ball")[:, 2], run.t < 5.0 / slower - 0.01
    np.testing.assert_allclose(spin[spinning], 5.0 - slower * run.t[spinning], atol=0.01)
    assert np.abs(run.twist("ball")[run.t > 5.0 / slower + 0.06]).max() < 1e-9
    wrench = run.contact_wrench("ball")[1:]
    np.testing.assert_allclose(INERTIA * np.diff(spin) / DT, wrench[:, 2], atol=1e-9)
    assert wrench[50, 2] == pytest.approx(-0.005 * MASS * G, rel=1e-6)
    assert run.contacts[50][0].moment == pytest.approx(wrench[49, :3])
    assert {c.state[0] for c in run.contacts if len(c)} <= {"sticking", "open"}  # the point does not slide


@pytest.mark.parametrize("share", [0.5, 0.98, 1.02, 1.2])
def test_a_ball_holds_on_a_slope_up_to_the_limit(share):
    angle = np.arctan(share * 0.01 / R)
    run = ran(ball(angle, rolling=0.01), 1.0)
    if share < 1:
        assert np.abs(run.twist("ball")[run.t > 0.1]).max() < 1e-9
    else:
        gain = 5 / 7 * G * (np.sin(angle) - np.cos(angle) * 0.01 / R)
        assert run.qdot[-1, 0] == pytest.approx(gain, abs=5e-4)  # which weighs more or less while it sinks in


def test_rolling_does_not_slow_a_spin_nor_torsion_a_ball_that_rolls():
    assert ran(ball(spin=5.0, rolling=0.01), 0.2).twist("ball")[-1, 2] == pytest.approx(5.0, abs=1e-9)
    assert ran(ball(speed=0.4, torsional=0.01), 0.2).qdot[-1, 0] == pytest.approx(0.4, abs=1e-3)


COUNT, MU, TORSIONAL, ROLLING, COMPLIANCE = 6, 0.5, 0.02, 0.01, 2e-7


def string(seed: int) -> tuple[rm.Scene, np.ndarray, np.ndarray]:
    """Balls on each other that overlap a little, moving somehow; where they are, and velocities (n, 6), angular first."""
    random, scene = np.random.default_rng(seed), rm.Scene()
    made = rm.ContactMaterial(friction=MU, compliance=COMPLIANCE, torsional=TORSIONAL, rolling=ROLLING)
    scene.add_ground(contact=made)
    velocities = random.normal(size=(COUNT, 6)) * [2, 2, 2, 0.1, 0.1, 0.1]
    velocities[:, 5] -= 0.2 * np.arange(COUNT)
    places = np.array([[*random.uniform(-0.02, 0.02, 2), R + 1.95 * R * k] for k in range(COUNT)])
    places[0, 2] -= 2e-5
    for k in range(1, COUNT):
        flat = np.linalg.norm(places[k, :2] - places[k - 1, :2])
        places[k, 2] = places[k - 1, 2] + np.sqrt((2 * R - 2e-5) ** 2 - flat**2)
    for k in range(COUNT):
        omega, v = velocities[k, :3], velocities[k, 3:]
        scene.add_body(rm.Sphere(R, mass=1.0 + k), joint=rm.Free3D(), at=places[k], qdot=(*v, *omega), contact=made, name=f"ball {k + 1}")
    return scene, places, velocities


def jacobian(contacts: np.ndarray, places: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """J (6n, 6 bodies): of each contact its point along the normal and two tangents, then turning about these axes; axes; arms (n,)."""
    J, axes, arms = np.zeros((6 * len(contacts), 6 * COUNT)), np.zeros((len(contacts), 3, 3)), np.zeros(len(contacts))
    for i, c in enumerate(contacts):
        n = c[T_NORMAL : T_NORMAL + 3]
        first = np.cross(n, [1.0, 0, 0] if abs(n[0]) < 0.8 else [0, 1.0, 0])
        first /= np.linalg.norm(first)
        axes[i], easy, turns = [n, first, np.cross(n, first)], 0.0, 0.0
        for body, sign in zip(c[T_BODIES : T_BODIES + 2].astype(int), (-1, 1)):
            if body < COUNT:
                arm, mass = c[T_POINT : T_POINT + 3] - places[body], 1.0 + body
                J[6 * i : 6 * i + 3, 6 * body : 6 * body + 6] = sign * np.hstack([np.cross(arm, axes[i]), axes[i]])
                J[6 * i + 3 : 6 * i + 6, 6 * body : 6 * body + 3] = sign * axes[i]
                easy += 1 / mass + 2 / 3 * (arm @ arm) / (0.4 * mass * R * R)
                turns += 1 / (0.4 * mass * R * R)
        arms[i] = np.sqrt(easy / turns)
    return J, axes, arms


def cone_program(H: np.ndarray, g: np.ndarray) -> np.ndarray:
    """The least of 1/2 f' H f + g' f with |t| <= mu n, |m_n| <= c n, |m_t| <= d n of all contacts, by clarabel. Moments in N s dm."""
    clarabel = pytest.importorskip("clarabel")
    rows, cones = [], []
    for i in range(len(g) // 6):
        for k, at in ((MU, (1, 2)), (10 * TORSIONAL, (3,)), (10 * ROLLING, (4, 5))):
            part = np.zeros((1 + len(at), len(g)))
            part[0, 6 * i] = -k
            part[np.arange(1, 1 + len(at)), 6 * i + np.array(at)] = -1.0
            rows.append(part)
            cones.append(clarabel.SecondOrderConeT(1 + len(at)))
    A = sparse.csc_matrix(np.vstack(rows))
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = 1e-11
    unit = np.where(np.arange(len(g)) % 6 < 3, 1.0, 0.1)
    P = sparse.csc_matrix(np.triu(unit[:, None] * H * unit))
    solution = clarabel.DefaultSolver(P, unit * g, A, np.zeros(A.shape[0]), cones, settings).solve()
    assert str(solution.status) == "Solved"
    return unit * np.array(solution.x)


@pytest.mark.parametrize("friction", ["exact", "convex"])
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_a_step_is_the_solution_of_a_cone_program(seed, friction):
    """With slack fixed; and that is mu |v_t| + c |w_n| + d |w_t| of the solution, beyond what gives way."""
    scene, places, velocities = string(seed)
    sim = rm.Simulation(scene, dt=DT, integrator="implicit", friction=friction)
    sim.advance(1, sim.torques(), *sim.room(1))
    told = told_of(sim.runner.notes)
    held = int(told.held[0, 0])
    c, moments = told.table[0, 0, :held], told.moments[0, 0, :held]
    assert held == COUNT
    J, axes, arms = jacobian(c, places)
    masses = 1.0 + np.repeat(np.arange(COUNT), 6)
    easy = np.where(np.arange(6 * COUNT) % 6 < 3, 1 / (0.4 * masses * R * R), 1 / masses)
    free = velocities + DT * np.array([0, 0, 0, 0, 0, -G])
    g = J @ free.ravel()
    g[::6] += c[:, T_GAP] / DT + c[:, T_SLACK]
    found = np.hstack([np.einsum("cij,cj->ci", axes, x) for x in (c[:, T_IMPULSE : T_IMPULSE + 3], moments)]).ravel()
    soft = 2 * COMPLIANCE / DT**2 * np.repeat(np.stack([np.ones(held), 1 / arms**2], axis=1), 3)
    expected = cone_program(J * easy @ J.T + np.diag(soft), g)
    assert np.abs(found - expected).max() < 5e-7  # N s, of tenths: steps end at 1e-6 m/s
    assert np.abs(easy[:, None] * J.T @ (found - expected)).max() < 5e-6  # rad/s
    u = (g + (J * easy @ J.T + np.diag(soft)) @ found).reshape(-1, 6)
    slack = MU * np.hypot(u[:, 1], u[:, 2]) + TORSIONAL * abs(u[:, 3]) + ROLLING * np.hypot(u[:, 4], u[:, 5])
    pressed = c[:, T_STATE] > 0.5
    assert np.abs(c[:, T_SLACK] - (slack if friction == "exact" else 0.0))[pressed].max() < 3e-6
    f = found.reshape(-1, 6)[pressed]
    assert (np.hypot(f[:, 4], f[:, 5]) > 0.999 * ROLLING * f[:, 0]).any()
    assert pressed.sum() >= 3
    assert sim.contacts.moment[0] == pytest.approx(moments[0] / DT)


@pytest.fixture(scope="module")
def slowed() -> rm.Simulation:
    return rm.Simulation(heap(CUBES, friction=0.4, torsional=0.01, rolling=0.004), dt=DT, integrator="implicit")


@examples(4, 30)
@given(seed=st.integers(0, 10**6))
def test_energy_never_grows_beyond_what_overlaps_held(slowed, seed):
    run = ran(slowed.model, STEPS * DT, initial=started(seed, 0.3))
    E = run.energy.total
    held = np.array([(np.maximum(-c.gap, 0) * c.normal_force).sum() for c in run.contacts])
    assert (E - np.minimum.accumulate(E) <= 0.3 * np.maximum.accumulate(held) + 1e-3 * E[0]).all()
    assert (run.contacts.residual <= 1e-6).mean() >= 0.999
    assert run.contacts.residual.max() <= 1e-3
    all_of_it = run.contacts.to_numpy()
    pressing = (all_of_it["force"] * all_of_it["normal"]).sum(axis=1)
    about = (all_of_it["moment"] * all_of_it["normal"]).sum(axis=1)
    beside = np.linalg.norm(all_of_it["moment"] - about[:, None] * all_of_it["normal"], axis=1)
    assert (abs(about) <= 0.01 * pressing + 1e-6).all()
    assert (beside <= 0.004 * pressing + 1e-6).all()
    assert beside.max() > 1e-3


MATERIALS = [
    {"friction": 0.6, "restitution": 0.5, "rolling": 0.01, "torsional": 0.01},
    {"friction": 0.9, "restitution": 0.3, "torsional": 0.02},
    {"friction": 0.9, "stiff": True, "rolling": 0.005},
    {"friction": 0.9, "stiff": True, "rolling": 0.02, "torsional": 0.02, "restitution": 0.7},
]


@pytest.mark.parametrize("material", MATERIALS, ids=str)
def test_heaps_of_all_laws_are_solved_in_every_step(material):
    sim = rm.Simulation(heap(CUBES, **material), dt=DT, integrator="implicit")
    counts = [counts_of(sim, started(seed, 0.3)) for seed in range(25)]
    residuals = np.concatenate([c[:, 2] for c in counts])
    assert len(residuals) == 25 * STEPS
    assert np.nanmean(residuals > 1e-6) <= 1e-3
    assert np.nanmax(residuals) <= 1e-3
    assert any(np.nanmax(c[:, 3]) >= CONVEX_PROBLEMS or np.nanmax(c[:, 4]) >= 150 for c in counts)  # the outer iteration did not do


def counts_of(sim: rm.Simulation, start: rm.State) -> np.ndarray:
    """What the solver says of each step."""
    sim.reset(start)
    sim.advance(1, sim.torques(), *sim.room(STEPS))
    return told_of(sim.runner.notes).counts[:, 0]


def test_restitution_with_moments_adds_no_energy():
    run = ran(heap(BALLS, friction=0.3, restitution=0.8, torsional=0.01, rolling=0.004), 0.4, initial=started(5, 0.0))
    E = run.energy.total
    assert (E - np.minimum.accumulate(E)).max() < 2e-3 * E[0]


def tied() -> rm.Scene:
    """Two balls on each other and on the ground, one of them tied to the world, and one that rolls around a post."""
    scene, made = rm.Scene(), rm.ContactMaterial(friction=0.5, torsional=0.01, rolling=0.005)
    scene.add_ground(contact=0.5)
    for k, place in enumerate([(0, 0, 0.1), (0.1, 0.02, 0.272)]):
        scene.add_body(rm.Sphere(0.1, mass=1.0), joint=rm.Free3D(), at=place, qdot=(0.3, 0, 0, 0, 0, 4), contact=made, name=f"ball {k}")
    scene.add_constraint(rm.Distance(scene.find("ball 0"), (0, 0.5, 0.1)))
    arm = scene.add_body(rm.Sphere(0.05, mass=0.1), joint=rm.Revolute("z"), at=(0, 1, 0.1), com=(0.3, 0, 0), qdot=2.0, name="arm")
    scene.add_body(rm.Sphere(0.1, mass=0.5), joint=rm.Revolute("x"), parent=arm, at=(0.3, 0, 0), contact=made, name="wheel")
    return scene


def test_interpreted_steps_are_those_that_are_compiled():
    run = ran(tied(), 0.016)
    assert run.contacts.pressing.max() == 3
    assert run.contacts.residual.max() < 1e-6
    for more, within in (({"backend": "interpret"}, 1e-9), ({"dynamics": "redmax"}, 1e-9), ({"dtype": "float32"}, 1e-4)):
        np.testing.assert_allclose(ran(tied(), 0.016, **more).q, run.q, rtol=0, atol=within)


def test_runs_that_go_on_and_files_have_the_moments(tmp_path):
    whole = ran(ball(speed=0.4, spin=2.0, rolling=0.005, torsional=0.005), 0.2)
    sim = rm.Simulation(ball(speed=0.4, spin=2.0, rolling=0.005, torsional=0.005), dt=DT, integrator="implicit")
    for _ in range(2):
        sim.step(50)
    np.testing.assert_array_equal(sim.qdot[0], whole.qdot[-1])
    np.testing.assert_array_equal(sim.contacts.moment, whole.contacts[-1].moment)
    whole.save(tmp_path / "run.h5")
    again = rm.load(tmp_path / "run.h5")
    np.testing.assert_array_equal(again.contacts[-1].moment, whole.contacts[-1].moment)
    assert np.abs(whole.contacts[-1].moment).max() > 1e-3
