"""Where joints touch: pendulums on journals, universal joints as two pins, points of one's own, polygons and discs."""

from __future__ import annotations

from math import cos, pi

import numpy as np
import pytest

import redmax as rm

MASS, LEVER, RADIUS = 1.0, 0.5, 0.05


def pendulum(joint: rm.Joint, friction: float, q: object, **shape: object) -> rm.Scene:
    scene = rm.Scene()
    bob = scene.add_body(rm.Sphere(0.05, mass=MASS), joint=joint, com=(0, 0, -LEVER), q=q, name="bob")
    scene.add_force(rm.JointFriction(bob, friction, **(shape or {"radius": RADIUS, "height": 0.1}), name="rub"))  # type: ignore[arg-type]
    return scene


def test_a_pendulum_on_a_journal_loses_as_much_in_each_swing_and_stops_within_the_bound():
    """A torque mu r m g takes 2 mu r / l of the angle in each half swing (Coulomb's damping), and holds it below mu r / l."""
    friction, start = 0.05, 0.12
    scene = pendulum(rm.Revolute("y"), friction, start)
    scene.set_staggering(tolerance=1e-14)
    run = rm.simulate(scene, 14, 0.001)
    q, v = run.q[:, 0], run.qdot[:, 0]
    turns = np.flatnonzero(v[1:-1] * v[2:] < 0) + 1
    peaks = np.abs(q[turns])
    step = friction * RADIUS / LEVER
    assert len(peaks) > 4
    assert np.allclose(-np.diff(peaks[:5]), 2 * step, rtol=0.06)  # steps are implicit, and take a little too
    assert abs(q[-1]) <= step * 1.001
    assert abs(v[-1]) < 1e-10
    rub = run.rubbing("rub")
    assert np.all(np.abs(rub.torque[1:, 0]) <= friction * RADIUS * np.abs(rub.normals[1:]).sum(axis=-1) * (1 + 1e-6))


def test_the_work_of_friction_is_the_energy_that_it_takes():
    """Of one step from the same state, with friction and without: h x'(v + v1) / 2 is the difference of kinetic energies."""
    states = rm.simulate(pendulum(rm.Revolute("y"), 0.3, 1.0), 0.5, 0.01)
    h = 0.01
    for k in (5, 20, 40):
        ends = []
        for friction in (0.3, 0.0):
            sim = rm.Simulation(pendulum(rm.Revolute("y"), friction, 1.0), dt=h, initial=states.state(k))
            sim.step()
            ends.append(sim)
        v1, v = ends[0].state.qdot[0], ends[1].state.qdot[0]
        inertia = rm.Dynamics(pendulum(rm.Revolute("y"), 0.0, 1.0)).inertia(states.q[k])[0, 0]
        torque = -ends[0].runner.notes["rub_torque"][-1, 0, 0] * -1.0
        assert np.isclose(0.5 * inertia * (v1**2 - v**2), h * torque * (v + v1) / 2, rtol=1e-9)


def test_the_first_pin_of_a_universal_joint_is_a_hinge():
    hinge = rm.simulate(pendulum(rm.Revolute("x"), 0.3, 0.8), 1, 0.005)
    cross = rm.simulate(pendulum(rm.Universal(), 0.3, (0.8, 0.0)), 1, 0.005)
    assert np.allclose(cross.q[:, 0], hinge.q[:, 0], atol=1e-8)
    assert np.allclose(cross.q[:, 1], 0.0, atol=1e-9)


@pytest.mark.parametrize("dynamics", ["redmax", "recursive"])
def test_each_pin_of_a_universal_joint_bears_all_of_it(dynamics):
    """And turns with as much as its own points bear; the points of both are in the frame of the cross."""
    scene = rm.Scene()
    bob = scene.add_body(
        rm.Sphere(0.05, mass=MASS), joint=rm.Universal(), com=(0.2, 0.1, -LEVER), q=(0.5, 0.4), qdot=(1.0, -2.0), name="bob"
    )  # fmt: skip
    friction = scene.add_force(rm.JointFriction(bob, 0.3, radius=RADIUS, height=0.1))
    scene.set_staggering(tolerance=1e-14, iterations=400)
    run = rm.simulate(scene, 0.1, 0.001, dynamics=dynamics)
    rub, k = run.rubbing("bob"), 50
    turned = np.kron(np.eye(2), rm.rotation_about("y", run.q[k - 1, 1]))  # from the bob to the cross, where the step began
    friction_there, pins = turned @ rub.wrench[k], friction.on(scene.links[0].joint, "")
    for n, pin in enumerate(pins):
        bears = rub.normals[k, 16 * n : 16 * n + 16]
        force = pin.N.T @ bears
        total = turned @ run.reaction("bob")[k]
        assert np.allclose(force[3:], (total - friction_there)[3:], rtol=0.02, atol=0.02)
        assert np.isclose(abs(friction_there[n]), 0.3 * RADIUS * np.abs(bears).sum(), rtol=1e-6)
        assert friction_there[n] * run.qdot[k, n] < 0


def test_points_of_ones_own_are_those_of_a_hinge():
    """The same eight points, with two normals and a tangent each."""
    points, normals, tangents = [], [], []
    for side in (-0.05, 0.05):
        for k in range(4):
            out = np.array([np.cos(k * pi / 2), 0, np.sin(k * pi / 2)])
            points.append(RADIUS * out + [0, side, 0])
            normals.append([out, [0, np.sign(side), 0]])
            tangents.append(np.cross([0, 1, 0], out))
    own = rm.simulate(pendulum(rm.Revolute("y"), 0.3, 1.0, points=points, normals=normals, tangents=tangents), 0.3, 0.005)
    usual = rm.simulate(pendulum(rm.Revolute("y"), 0.3, 1.0), 0.3, 0.005)
    assert np.allclose(own.q, usual.q, atol=1e-10)


@pytest.mark.parametrize("sides", [4, 8, 12])
def test_polygons_lie_about_the_disc(sides):
    """A puck that slides: across a side friction is that of the disc, towards a corner 1 / cos(pi / sides) of it."""

    def slowed(angle: float, sides: int | None) -> float:
        scene = rm.Scene()
        puck = scene.add_body(rm.Cylinder(0.1, 0.02, mass=1), joint=rm.Planar(), qdot=(np.cos(angle), np.sin(angle)), name="puck")
        feet = [(0.1, 0, 0), (-0.05, 0.08, 0), (-0.05, -0.08, 0)]
        scene.add_force(rm.JointFriction(puck, 0.3, points=feet, normals=[(0, 0, 1)] * 3, sides=sides))
        run = rm.simulate(scene, duration=0.1, dt=0.01)
        return float((1 - np.linalg.norm(run.qdot[-1])) / 0.1)

    k = sides // 2
    corner = 0.0 if k % 2 else pi / sides  # tangents are at pi i / k, and a corner is where all of them add up
    found = sorted([slowed(corner, sides), slowed(corner + pi / sides, sides)])
    assert np.allclose(found, [0.3 * 9.81, 0.3 * 9.81 / cos(pi / sides)], rtol=1e-6)
    assert np.isclose(slowed(0.2, None), 0.3 * 9.81, rtol=1e-6)


def test_arguments_of_points_are_checked():
    scene = rm.Scene()
    bob = scene.add_body(rm.Sphere(0.1), joint=rm.Revolute("x"), name="a")
    with pytest.raises(rm.SceneError, match="give tangents"):
        rm.JointFriction(bob, 0.1, points=[(0, 0, 0)], normals=[[(0, 0, 1), (1, 0, 0)]])
    with pytest.raises(rm.SceneError, match="tangents"):
        rm.JointFriction(bob, 0.1, points=[(0, 0, 0)], normals=[(0, 0, 1)], tangents=[(0, 0, 0)])
    with pytest.raises(rm.SceneError, match="takes points and normals together"):
        rm.JointFriction(bob, 0.1, tangents=[(0, 0, 1)])
    with pytest.raises(rm.SceneError, match="at least one"):
        rm.JointFriction(bob, 0.1, points=np.zeros((0, 3)), normals=np.zeros((0, 3)))
