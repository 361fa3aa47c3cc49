"""Forces between bodies beside contact, in implicit steps: an impulse on one body moves the others through them within the step.

    (M + h D - h^2 K) (v1 - v0) = h (f + h K v0) + J' (impulses)

One step against an interior-point solver, with a spring between two boxes of a tower that is at rest where the step begins, so that
K = -k g g' and D = c g g' of its direction g = C' u. The damper turns, where it pulls: K has -T C' (1 - u u') C / l of its tension T too.
Then whole runs against small steps of `euler`, whose forces are explicit.
"""

from __future__ import annotations

import numpy as np
import pytest

import redmax as rm
from contact.test_solver import COMPLIANCE, HIGH, MU, cone_program, jacobian, tower
from contact.worlds import DT, G, ran
from redmax.dynamics.contact.rows import T_GAP, T_IMPULSE, T_SLACK
from redmax.dynamics.contact.runner import told_of

STIFFNESS, DAMPING = 5e4, 30.0


@pytest.mark.parametrize("pair", [(0, 1), (0, 3), (2, 4)])
def test_a_step_is_the_solution_of_a_cone_program(pair):
    scene, turns, velocities = tower(1)
    places = np.array([link.at[:3, 3] for link in scene.links])
    ends = [scene.find(f"box {k + 1}").point(*offset) for k, offset in zip(pair, ((0.1, 0.05, 0.0), (-0.1, 0.02, 0.03)))]
    scene.add_force(rm.SpringDamper(*ends, stiffness=STIFFNESS, damping=DAMPING))
    sim = rm.Simulation(scene, dt=DT, integrator="implicit")
    sim.advance(1, sim.torques(), *sim.room(1))
    told = told_of(sim.runner.notes)
    c = told.table[0, 0, : int(told.held[0, 0])]

    H, f = np.zeros((6 * HIGH, 6 * HIGH)), np.zeros((HIGH, 6))
    for k, link in enumerate(scene.links):
        inertia = turns[k] @ link.shape.inertia @ turns[k].T  # w x I w has no part in it: bodies fly on behind contact
        H[6 * k : 6 * k + 3, 6 * k : 6 * k + 3], H[6 * k + 3 : 6 * k + 6, 6 * k + 3 : 6 * k + 6] = inertia, link.shape.mass * np.eye(3)
        f[k, 5] = -G * link.shape.mass
    arms = [turns[k] @ offset for k, offset in zip(pair, ((0.1, 0.05, 0.0), (-0.1, 0.02, 0.03)))]
    along = places[pair[1]] + arms[1] - places[pair[0]] - arms[0]
    length, v0 = np.linalg.norm(along), velocities.ravel()
    along /= length
    C = np.zeros((3, 6 * HIGH))
    for k, (x, y, z), sign in zip(pair, arms, (-1, 1)):
        C[:, 6 * k : 6 * k + 3], C[:, 6 * k + 3 : 6 * k + 6] = -sign * np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]]), sign * np.eye(3)
    g = C.T @ along
    turning = max(DAMPING * (g @ v0), 0.0) / length * C.T @ (np.eye(3) - np.outer(along, along)) @ C
    H += (DT * DAMPING + DT**2 * STIFFNESS) * np.outer(g, g) + DT**2 * turning
    right = DT * f.ravel() - DT * (DAMPING + DT * STIFFNESS) * (g @ v0) * g - DT**2 * turning @ v0
    free = v0 + np.linalg.solve(H, right)

    J, axes = jacobian(c, places)
    easy = np.linalg.inv(H)
    u = J @ free
    u[::3] += c[:, T_GAP] / DT + c[:, T_SLACK]
    found = np.einsum("cij,cj->ci", axes, c[:, T_IMPULSE : T_IMPULSE + 3]).ravel()
    expected = cone_program(J @ easy @ J.T + 2 * COMPLIANCE / DT**2 * np.eye(len(u)), u, MU)
    assert np.abs(found - expected).max() < 5e-7
    after = free + easy @ J.T @ found
    twists = np.array([np.hstack([turns[k].T @ x for x in (after[6 * k : 6 * k + 3], after[6 * k + 3 : 6 * k + 6])]) for k in range(HIGH)])
    for twist, link in zip(twists, scene.links):  # what they do by themselves comes behind
        twist[:3] -= DT * np.linalg.solve(link.shape.inertia, np.cross(twist[:3], link.shape.inertia @ twist[:3]))
    np.testing.assert_allclose(sim.qdot[0].reshape(HIGH, 6)[:, [3, 4, 5, 0, 1, 2]], twists, atol=2e-6)
    assert told.counts[0, 0, 2] < 1e-6


def towed() -> rm.Scene:
    """A box that slides away pulls another one by a spring, both on the ground."""
    scene = rm.Scene()
    scene.add_ground(contact=0.4)
    a = scene.add_body(rm.Cuboid((0.2, 0.2, 0.2), mass=1.0), joint=rm.Free3D(), at=(0, 0, 0.1), contact=0.4, name="a")
    b = scene.add_body(
        rm.Cuboid((0.2, 0.2, 0.2), mass=2.0), joint=rm.Free3D(), at=(0.5, 0, 0.1), qdot=(2, 0, 0, 0, 0, 0), contact=0.4, name="b"
    )
    scene.add_force(rm.SpringDamper(a.point(0.1, 0, 0.02), b.point(-0.1, 0, 0), stiffness=400.0, damping=10.0))
    return scene


def leg(contact: bool = True) -> rm.Scene:
    """Two links on hinges with a spring across the knee, and one between their coordinates, falling on the ground."""
    scene, touch = rm.Scene(), 0.6 if contact else None
    scene.add_ground(-0.62, contact=0.6)
    rail = scene.add_body(rm.Sphere(0.05, mass=2.0), joint=rm.Prismatic("z"), name="hip")
    upper = scene.add_body(rm.Capsule(0.04, 0.3, mass=1.0), joint=rm.Revolute("y"), parent=rail, com=(0, 0, -0.15), q=0.6, name="thigh")
    lower = scene.add_body(
        rm.Capsule(0.04, 0.3, mass=0.5), joint=rm.Revolute("y"), parent=upper, at=(0, 0, -0.3), com=(0, 0, -0.15), q=-1.2, contact=touch,
        name="shin",
    )  # fmt: skip
    scene.add_force(rm.SpringDamper(rail.point(-0.05, 0, 0), lower.point(-0.05, 0, 0), stiffness=2000.0, damping=20.0))
    scene.add_force(rm.FixedTendon({"thigh": 1.0, "shin": 0.5}, stiffness=30.0, damping=0.5))
    return scene


def held() -> rm.Scene:
    """The same boxes, of which one is tied to the world, and a ball with rolling friction that a cart pulls."""
    scene = towed()
    scene.add_constraint(rm.Distance(scene.find("a"), (-0.5, 0, 0.1)))
    ball = scene.add_body(
        rm.Sphere(0.1, mass=1.0), joint=rm.Free3D(), at=(0, 1, 0.1), qdot=(0.5, 0, 0, 0, 5, 0), name="ball",
        contact=rm.ContactMaterial(0.5, rolling=0.01),
    )  # fmt: skip
    cart = scene.add_body(rm.Cuboid((0.1, 0.1, 0.1), mass=1.0), joint=rm.Prismatic("x"), at=(0, 1, 0.6), name="cart")
    scene.add_force(rm.SpringDamper(ball, cart, stiffness=50.0, damping=2.0))
    return scene


@pytest.mark.parametrize("make", [towed, leg, held])
def test_steps_tend_to_what_small_explicit_ones_do(make):
    """To the first order; and what springs exert cancels between bodies."""
    fine = rm.simulate(make(), 0.3, 2.5e-5, integrator="euler")
    off = [np.abs(ran(make(), 0.3, dt).q[-1] - fine.q[-1]).max() for dt in (1e-3, 2.5e-4)]
    assert off[1] < 0.45 * off[0] < 0.01
    run = ran(make(), 0.3)
    assert run.contacts.pressing.max() > 0
    assert run.contacts.residual.max() < 1e-6


def test_momentum_changes_by_what_contact_exerts():
    run = ran(towed(), 0.3)
    momentum = run.qdot[:, [0, 6]] @ [1.0, 2.0]
    np.testing.assert_allclose(np.diff(momentum) / DT, -run.contact_force("ground")[1:, 0], atol=1e-9)
    assert np.abs(run.contact_force("ground")[50, :2]).max() > 1


@pytest.mark.parametrize(("make", "duration"), [(held, 0.016), (leg, 0.15)])
def test_interpreted_steps_are_those_that_are_compiled(make, duration):
    run = ran(make(), duration)
    assert run.contacts.pressing.max() > 0
    for more, within in (({"backend": "interpret"}, 1e-9), ({"dynamics": "redmax"}, 1e-9), ({"dtype": "float32"}, 1e-4)):
        np.testing.assert_allclose(ran(make(), duration, **more).q, run.q, rtol=0, atol=within)


def test_what_hangs_between_springs_rests():
    """A box on the ground that a stiff spring lifts by half its weight: sticking, and no creep on a slope."""
    scene, turn = rm.Scene(), rm.rotation_about("y", 0.3)
    scene.add_obstacle(rm.Plane(), at=rm.pose(turn, (0, 0, 0)), contact=0.6, name="ramp")
    box = scene.add_body(
        rm.Cuboid((0.2, 0.2, 0.2), mass=2.0), joint=rm.Free3D(), at=rm.pose(turn, turn @ (0, 0, 0.1)), contact=0.6, name="box"
    )
    beam = scene.add_body(
        rm.Cuboid((0.1, 0.1, 0.1), mass=1.0), joint=rm.Prismatic("z"), at=(0, 0, 1.0), name="beam", stiffness=1e4, damping=50.0
    )
    scene.add_force(rm.SpringDamper(box, beam, stiffness=1e4, damping=50.0))
    run = ran(scene, 1.0)
    assert np.abs(run.qdot[-1]).max() < 1e-9


def test_stiffness_that_is_not_symmetric_is_refused_in_a_sentence():
    scene = towed()
    scene.add_force(rm.SpringDamper(scene.find("a"), scene.find("b"), stiffness=10.0, stiffness_kind="exact"))
    with pytest.raises(rm.RedmaxError, match=r"stiffness_kind='exact'.*'euler'"):
        ran(scene, 0.1)


def test_springs_beside_contact_and_joints_that_rub_are_refused_in_a_sentence():
    scene = leg()
    scene.add_force(rm.JointFriction(scene.find("shin"), friction=0.3, radius=0.02, height=0.04))
    with pytest.raises(rm.RedmaxError, match=r"friction in a joint .* beside contact and forces between bodies"):
        ran(scene, 0.1)
