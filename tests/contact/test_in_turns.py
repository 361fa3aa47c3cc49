"""Methods of before on rows of contact: one problem for all forces (RedMax notes Eq. 1.88), turns of normal forces and friction (Alg. 7).

What one problem finds is compared with clarabel on the same quadratic program, of cones as the notes have them; of turns each half is,
with the other's forces as they are, and where turns go on until they change nothing they end on Coulomb's law, as the usual solver has it.
"""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

import redmax as rm
from contact.test_solver import COMPLIANCE, HIGH, MU, jacobian, tower
from contact.worlds import DT, G
from redmax.dynamics.contact.rows import T_GAP, T_IMPULSE
from redmax.dynamics.contact.runner import told_of
from redmax.errors import RedmaxError

TURN = np.array([[1.0, 0, 0], [0, 0, -1], [0, 1, 0]])  # to the tangents that corners of cones are along
SOFT = 2 * COMPLIANCE / DT**2  # of both surfaces


def program(seed: int, **options: object) -> tuple[np.ndarray, np.ndarray, np.ndarray, rm.Simulation]:
    """H, g of 1/2 f' H f + g' f, what a step has found, n, t, t of each contact, and its simulation."""
    scene, turns, velocities = tower(seed)
    scene.set_staggering(tolerance=1e-20, iterations=2000)
    sim = rm.Simulation(scene, dt=DT, integrator="implicit", **options)  # type: ignore[arg-type]
    sim.advance(1, sim.torques(), *sim.room(1))
    told = told_of(sim.runner.notes)
    c = told.table[0, 0, : int(told.held[0, 0])]
    J, axes = jacobian(c, np.array([link.at[:3, 3] for link in scene.links]))
    J, axes = np.kron(np.eye(len(c)), TURN) @ J, TURN @ axes
    easy, free = np.zeros((6 * HIGH, 6 * HIGH)), velocities + DT * np.array([0, 0, 0, 0, 0, -G])
    for k, link in enumerate(scene.links):
        inertia = turns[k] @ link.shape.inertia @ turns[k].T  # w x I w has no part in it: bodies fly on behind contact
        easy[6 * k : 6 * k + 3, 6 * k : 6 * k + 3] = np.linalg.inv(inertia)
        easy[6 * k + 3 : 6 * k + 6, 6 * k + 3 : 6 * k + 6] = np.eye(3) / link.shape.mass
    g = J @ free.ravel()
    g[::3] += c[:, T_GAP] / DT
    found = np.einsum("cij,cj->ci", axes, c[:, T_IMPULSE : T_IMPULSE + 3]).ravel()
    return J @ easy @ J.T + SOFT * np.eye(len(g)), g, found, sim


def within_sides(sides: int) -> np.ndarray:
    """(sides, 3): rows a, a . (f_n, f_t) <= 0 in the pyramid whose edges are (1, mu cos, mu sin), the first along the first tangent."""
    middles = (2 * np.arange(sides) + 1) * np.pi / sides
    return np.stack([np.full(sides, -MU * np.cos(np.pi / sides)), np.cos(middles), np.sin(middles)], axis=1)


def quadratic(H: np.ndarray, g: np.ndarray, A: np.ndarray, b: np.ndarray) -> np.ndarray:
    """The least of 1/2 x' H x + g' x with A x <= b, by clarabel."""
    clarabel = pytest.importorskip("clarabel")
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = 1e-12
    cones = [clarabel.NonnegativeConeT(len(b))]
    return np.array(clarabel.DefaultSolver(sparse.csc_matrix(np.triu(H)), g, sparse.csc_matrix(A), b, cones, settings).solve().x)


@pytest.mark.parametrize(("seed", "sides"), [(0, 4), (1, 4), (0, 3), (2, 8)])
def test_one_problem_is_the_quadratic_program_of_the_notes(seed, sides):
    H, g, found, sim = program(seed, friction="convex", friction_sides=sides)
    n = len(g) // 3
    A = np.kron(np.eye(n), within_sides(sides))
    expected = quadratic(H, g, A, np.zeros(len(A)))
    assert np.abs(found - expected).max() < 1e-7
    assert np.abs(A @ found).min() < 1e-9  # some are on their cones
    # and as the notes write it: f_t = sum of b_k e_k, b_k >= 0, sum of b_k <= mu f_n (Eqs. 1.85, 1.88)
    corners = 2 * np.pi * np.arange(sides) / sides
    edges = np.zeros((3, 1 + sides))
    edges[0, 0], edges[1, 1:], edges[2, 1:] = 1.0, np.cos(corners), np.sin(corners)
    C = np.kron(np.eye(n), edges)
    E = np.kron(np.eye(n), np.concatenate([-np.eye(1 + sides), [[-MU, *np.ones(sides)]]]))
    assert np.abs(C @ quadratic(C.T @ H @ C, C.T @ g, E, np.zeros(len(E))) - expected).max() < 1e-6
    assert told_of(sim.runner.notes).counts[0, 0, 2] < 1e-10


def test_many_sides_are_round():
    """64 of them lose a part of 1 - cos(pi / 64) = 0.0012 of friction, at most."""
    round_one, many = (program(0, friction="convex", friction_sides=sides)[2] for sides in (0, 64))
    assert np.abs(round_one - many).max() < 1e-2 * np.abs(round_one).max()
    assert np.abs(round_one - many).max() > 1e-6


@pytest.mark.parametrize(("seed", "sides"), [(0, 4), (2, 8)])
def test_of_turns_each_half_is_a_quadratic_program(seed, sides):
    H, g, found, _ = program(seed, friction="staggered", friction_sides=sides)
    n = len(g) // 3
    normal = np.arange(0, 3 * n, 3)
    beside = np.setdiff1d(np.arange(3 * n), normal)
    pushes = quadratic(H[np.ix_(normal, normal)], g[normal] + H[np.ix_(normal, beside)] @ found[beside], -np.eye(n), np.zeros(n))
    assert np.abs(pushes - found[normal]).max() < 1e-7
    A = within_sides(sides)
    most = -(A[:, 0] * found[normal][:, None]).ravel()
    own = g[beside] + H[np.ix_(beside, normal)] @ found[normal]
    rubs = quadratic(H[np.ix_(beside, beside)], own, np.kron(np.eye(n), A[:, 1:]), most)
    assert np.abs(rubs - found[beside]).max() < 1e-7
    assert np.abs(np.kron(np.eye(n), A[:, 1:]) @ rubs - most).min() < 1e-9


@pytest.mark.parametrize("seed", [0, 1])
def test_turns_that_change_nothing_end_on_coulombs_law(seed):
    _, _, exact, sim = program(seed)
    _, _, found, turns = program(seed, friction="staggered")
    assert told_of(turns.runner.notes).counts[0, 0, 2] < 1e-8
    assert np.abs(turns.qdot - sim.qdot).max() < 1e-5  # the usual solver ends at 1e-6 m/s
    assert np.abs(found - exact).max() < 1e-5


def sled(direction: float = 0.0, **options: object) -> rm.Trajectory:
    scene = rm.Scene()
    scene.add_ground(contact=0.5)
    forward = 2 * np.cos(direction), 2 * np.sin(direction), 0, 0, 0, 0
    scene.add_body(rm.Cuboid((0.2, 0.2, 0.2)), joint=rm.Free3D(), at=(0, 0, 0.1), qdot=forward, contact=0.5, name="sled")
    scene.set_staggering(tolerance=1e-16)
    return rm.simulate(scene, 0.2, dt=0.002, progress=False, **options)  # type: ignore[arg-type]


def test_one_problem_lifts_what_slides_and_turns_do_not():
    """By about mu |v| dt above the ground, whatever sides its cones have."""
    one, turns = sled(friction="convex", friction_sides=4), sled(friction="staggered", friction_sides=4)
    assert one.pose("sled")[:, 2, 3].max() > 0.101
    assert turns.pose("sled")[:, 2, 3].max() <= 0.1
    assert turns.qdot[-1, 0] == pytest.approx(2 - 0.5 * 9.81 * 0.2, abs=1e-7)


@pytest.mark.parametrize(("sides", "direction", "part"), [(4, 0.0, 1.0), (4, np.pi / 4, np.sqrt(0.5)), (6, np.pi / 6, np.cos(np.pi / 6)),
                                                          (0, np.pi / 4, 1.0)])  # fmt: skip
def test_towards_corners_of_a_cone_there_is_more_friction_than_towards_sides(sides, direction, part):
    run = sled(direction, friction="staggered", friction_sides=sides)
    speed = run.qdot[-1, :2] @ (np.cos(direction), np.sin(direction))
    assert speed == pytest.approx(2 - part * 0.5 * 9.81 * 0.2, abs=1e-7)


METHODS = [{"friction": "convex", "friction_sides": 4}, {"friction": "staggered"}, {"friction": "staggered", "friction_sides": 5}]


@pytest.mark.parametrize("options", METHODS)
def test_interpreted_is_compiled(options):
    found = []
    for backend in ("llvm", "interpret"):
        sim = rm.Simulation(tower(1)[0], dt=DT, integrator="implicit", backend=backend, **options)
        sim.step()
        found.append(sim.qdot.copy())
    assert found[0] == pytest.approx(found[1], abs=1e-11)


def mechanism() -> rm.Scene:
    """Two links that fall on the ground and on each other's ball."""
    scene = rm.Scene()
    scene.add_ground(-0.3, contact=0.6)
    upper = scene.add_body(rm.Capsule(0.04, 0.3), joint=rm.Revolute("y"), com=(0, 0, -0.2), q=1.2, contact=0.6, name="upper")
    scene.add_body(rm.Capsule(0.04, 0.3), joint=rm.Spherical(), parent=upper, at=(0, 0, -0.4), com=(0, 0, -0.2), q=(0.3, 0.5, 0.1),
                   contact=0.6, name="lower")  # fmt: skip
    scene.add_body(rm.Sphere(0.06, mass=0.5), joint=rm.Free3D(), at=(0.5, 0, -0.2), contact=0.6, name="ball")
    return scene


@pytest.mark.parametrize("options", METHODS)
@pytest.mark.parametrize("integrator", ["implicit", "euler"])
def test_dynamics_agree_and_worlds_of_a_batch_are_worlds_alone(options, integrator):
    scene = mechanism()
    settings = {"dt": DT, "integrator": integrator, "progress": False, **options}
    one, other = (rm.simulate(scene, 0.4, dynamics=dynamics, **settings) for dynamics in ("recursive", "redmax"))
    assert one.contacts.pressing.max() >= 2
    assert one.q == pytest.approx(other.q, abs=1e-7)
    start = rm.Simulation(scene).state
    q = np.stack([start.q, start.q + 0.01])
    batch = rm.simulate(scene, 0.2, initial=rm.State(0.0, q, np.zeros((2, len(start.qdot)))), **settings)
    assert (batch.q[:, 0] == one.q[: len(batch.t)]).all()


def test_balls_on_the_ground_side_by_side_are_solved_as_asked():
    """Where lanes would take worlds, and have no such method."""
    scene = rm.Scene()
    scene.add_ground(contact=0.5)
    scene.add_body(rm.Sphere(0.1, mass=1.0), joint=rm.Free3D(), at=(0, 0, 0.1), qdot=(2, 0, 0, 0, 0, 0), contact=0.5, name="ball")
    q, qdot = np.zeros((8, 6)), np.tile([1.5, 1.5, 0, 0, 0, 0], (8, 1))
    run = rm.simulate(scene, 0.05, dt=0.002, initial=rm.State(0.0, q, qdot), friction="convex", friction_sides=4, progress=False)
    expected = rm.simulate(scene, 0.05, dt=0.002, initial=rm.State(0.0, q[0], qdot[0]), friction="convex", friction_sides=4, progress=False)
    assert (run.q == expected.q[:, None]).all()


def test_joints_that_rub_go_beside_them():
    scene = rm.Scene()
    scene.add_ground(contact=0.5)
    beam = scene.add_body(rm.Cuboid((1, 0.05, 0.05), mass=2), joint=rm.Revolute("y"), at=(0, 0, 0.1), com=(0.5, 0, 0), name="beam")
    scene.add_body(rm.Sphere(0.1, mass=0.5), parent=beam, at=(1, 0, 0), contact=0.5, name="tip")
    scene.add_force(rm.JointFriction(beam, 0.02, radius=0.02, height=0.03, name="pin"))
    held = [rm.simulate(scene, 0.1, dt=0.002, progress=False, **options).contact_force("tip")[-1] for options in ({}, *METHODS)]
    assert held[0][2] == pytest.approx(9.81 * (0.5 + 1.0) - 0.1 * held[0][0], rel=1e-2)  # the ground rubs 0.1 below the pin
    for other in held[1:]:
        assert other == pytest.approx(held[0], rel=1e-3, abs=1e-9)


def pin(scene: rm.Scene) -> None:
    scene.add_constraint(rm.PointInPlane(scene.find("ball").point(0, 0, 0), (0.5, 0, 0), "x", name="rail"))


def spring(scene: rm.Scene) -> None:
    scene.add_force(rm.SpringDamper(scene.find("ball").point(0, 0, 0), scene.find("lower").point(0, 0, 0), stiffness=10, damping=1))


@pytest.mark.parametrize(("change", "options", "words"), [
    (None, {"friction_sides": 4}, ["friction_sides=4", "'exact'", "'convex'", "'staggered'"]),
    (None, {"friction": "staggered", "friction_sides": 2}, ["friction_sides", "from 3 to 64", "Got 2"]),
    (None, {"friction": "staggered", "integrator": "adaptive"}, ["'adaptive'", "'exact'", "'staggered'"]),
    (pin, {"friction": "staggered"}, ["friction='staggered'", "PointInPlane", "rail", "'convex'"]),
    (spring, {"friction": "convex", "friction_sides": 4}, ["friction_sides=4", "forces between bodies", "'exact'"]),
])  # fmt: skip
def test_what_does_not_go_together_is_said(change, options, words):
    scene = mechanism()
    if change is not None:
        change(scene)
    with pytest.raises(RedmaxError) as caught:
        rm.simulate(scene, 0.1, dt=0.002, progress=False, **options)
    for word in words:
        assert word in str(caught.value)
