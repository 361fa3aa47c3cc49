"""What flies, spins and rolls by itself among things that touch: momenta stay in the world, whatever the coordinates of its joint."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import redmax as rm
from contact.worlds import DT, G, place, ran
from random_examples import examples
from redmax.dynamics.common.flight import flight
from redmax.lie import so3

BOX = rm.Cuboid((0.2, 0.1, 0.05), mass=1.0)
JOINTS = {"Free": rm.Free(), "Free3D": rm.Free3D(), "quaternion": rm.Free("quaternion"), "dual": rm.Free("dual-quaternion")}
FAR = pytest.mark.filterwarnings("ignore:Free, the joint .*from its frame")
SPIN, SPEED = np.array([15.0, 40.0, 10.0]), np.array([3.0, 0.5, 1.0])  # of the body, in its axes: rad/s and m/s


def rates(joint: rm.Joint, omega: Any, v: Any) -> np.ndarray:
    """The velocities of a joint at home that go with this twist."""
    return np.array([*v, *omega] if isinstance(joint, rm.Free3D) else [*omega, *v])


def thrown(name: str, com: Any = (0.0, 0.0, 0.0), height: float = 1e3, gravity: float = 0.0, **options: Any) -> rm.Trajectory:
    """A box, with its centre of mass at com of its joint, so high above the ground."""
    scene, joint = rm.Scene(gravity=(0, 0, -gravity)), JOINTS[name]
    scene.add_ground(-height, contact=0.4)
    qdot = rates(joint, SPIN, SPEED - np.cross(SPIN, com))
    scene.add_body(BOX, joint=joint, com=com, qdot=qdot, contact=0.4, name="body")
    return rm.simulate(scene, 1.0, DT, **options)


def about_centre(run: rm.Trajectory) -> np.ndarray:
    """(time, 3): angular momentum about the centre of mass, in world axes."""
    R, omega = run.pose("body")[:, :3, :3], run.twist("body")[:, :3]
    return np.einsum("tij,tj->ti", R, omega @ BOX.inertia)


@FAR
@pytest.mark.parametrize("name", JOINTS)
@pytest.mark.parametrize("com", [(0.0, 0.0, 0.0), (0.1, -0.2, 0.3)])
def test_what_tumbles_keeps_its_momenta_in_the_world(name, com):
    """Rates of exponential coordinates that are added up would break off before half a second."""
    run = thrown(name, com, integrator="euler" if com[0] else "implicit")
    L, x = about_centre(run), place(run)
    assert np.abs(L - L[0]).max() < 1e-10 * np.linalg.norm(L[0])
    assert np.abs(x - x[0] - run.t[:, None] * SPEED).max() < 1e-10
    assert run.energy.drift.max() < 1e-10


SLENDER = {
    "rod": rm.Cuboid((0.01, 0.01, 0.3), mass=0.2), "pencil": rm.Cylinder(0.004, 0.18, mass=0.01), "cube": rm.Cuboid((0.1, 0.1, 0.1)),
    "blade": rm.Cuboid((0.3, 0.03, 0.005), mass=0.1), "plate": rm.Cuboid((0.3, 0.2, 0.005), mass=1.0), "ball": rm.Sphere(0.1, mass=1.0),
}  # fmt: skip
RATES = [(20.0, 100.0, 10.0), (60.0, 10.0, 20.0), (100.0, 30.0, 1400.0), (300.0, 500.0, 100.0), (0.0, 0.0, 800.0)]  # to 2.8 rad a step


@FAR
@examples(6, 60)
@given(
    name=st.sampled_from(sorted(JOINTS)),
    shape=st.sampled_from(sorted(SLENDER)),
    omega=st.sampled_from(RATES),
    seed=st.integers(0, 1000),
    integrator=st.sampled_from(["implicit", "euler"]),
)
def test_slender_things_keep_their_energy_however_fast_they_spin(name, shape, omega, seed, integrator):
    """The axial momentum of a rod is a hundredth of the other: an angle of 1e-3 between them and the body would multiply its energy."""
    scene, joint, random = rm.Scene(gravity=(0, 0, 0)), JOINTS[name], np.random.default_rng(seed)
    scene.add_ground(-1e3)
    given_rates = rates(joint, random.permutation(omega), (1.0, 2.0, 3.0))
    scene.add_body(SLENDER[shape], joint=joint, qdot=given_rates, contact=True, name="body")
    run = rm.simulate(scene, 1.0, DT, integrator=integrator, every=5, progress=False)
    R, w, inertia = run.pose("body")[:, :3, :3], run.twist("body")[:, :3], SLENDER[shape].inertia
    L, energy = np.einsum("tij,tj->ti", R, w @ inertia), 0.5 * np.einsum("ti,ij,tj->t", w, inertia, w)
    assert (energy <= energy[0] * (1 + 1e-9)).all()
    if np.linalg.norm(omega) * DT < 0.3:  # beyond, where no turn near the one taken has that energy, some of the momentum is lost
        assert np.abs(energy - energy[0]).max() < 1e-9 * energy[0]
        assert np.abs(L - L[0]).max() < 1e-6 * np.linalg.norm(L[0])


def test_a_symmetric_top_turns_as_in_closed_form():
    """About its axis as ever, while the axis goes around the angular momentum at L / I: to second order, in a step of 0.2 rad."""
    rod, omega = SLENDER["rod"], np.array([20.0, 100.0, 10.0])
    scene = rm.Scene(gravity=(0, 0, 0))
    scene.add_ground(-1e3)
    scene.add_body(rod, joint=rm.Free("quaternion"), qdot=rates(rm.Free(), omega, (0, 0, 0)), contact=True, name="body")
    L = rod.inertia @ omega

    def off(dt: float) -> float:
        run = rm.simulate(scene, 0.5, dt, progress=False)
        axes = np.array([so3.exp(t * L / rod.inertia[0, 0]) for t in run.t])[:, :, 2]
        assert np.abs(run.twist("body")[:, 2] - omega[2]).max() < 1e-5 * omega[2]
        return float(np.abs(run.pose("body")[:, :3, 2] - axes).max())

    errors = [off(dt) for dt in (0.002, 0.001)]
    assert errors[0] < 0.03
    assert 3.5 < errors[0] / errors[1] < 4.5


@pytest.mark.parametrize("name", SLENDER)
def test_roundings_turn_a_body_by_no_more_than_roundings(name):
    """However near an axis it turns about, where energies of two turns are next to the same; what is kept is kept to them, too."""
    inertia, random = SLENDER[name].inertia / np.trace(SLENDER[name].inertia), np.random.default_rng(3)

    def flown(w: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return tuple(np.array([float(x) for x in part]) for part in flight(inertia.astype(object), w.astype(object), 0.01, "body"))

    for off in (1.0, *10.0 ** -np.arange(1.0, 10.0)):
        for about in np.eye(3):
            w = 10.0 * (about + off * random.uniform(-1, 1, 3))
            turn, spin = flown(w)
            for rounded in (w * (1 + 2e-16 * random.choice([-1, 0, 1], 3)) for _ in range(5)):
                for a, b, unit in zip((turn, spin), flown(rounded), (1.0, 10.0), strict=True):
                    np.testing.assert_allclose(a, b, rtol=0, atol=1e-14 * unit)
            np.testing.assert_allclose(so3.from_quaternion(turn) @ inertia @ spin, inertia @ w, rtol=0, atol=1e-14)
            np.testing.assert_allclose(spin @ inertia @ spin, w @ inertia @ w, rtol=1e-14)


@pytest.mark.parametrize("speed", [100.0, 10.0])
def test_a_rod_that_strikes_a_plate_never_gains_energy(speed):
    """However it spins, up to 1.5 of a radian in a step: what it has, and what contacts hold by giving way, to roundings."""
    scene = rm.Scene(gravity=(0, 0, 0))
    scene.add_obstacle(rm.Cuboid((0.01, 1, 1), mass=1), at=(1, 0, 0), name="plate")
    scene.add_body(SLENDER["rod"], joint=rm.Free3D(), at=(0, 0, 0), contact=0.3, name="body")
    model, random, met = scene.model(), np.random.default_rng(4), 0
    for _ in range(12):
        turned = so3.log(so3.exp(random.normal(size=3)) @ so3.exp(random.normal(size=3)))
        q, qdot = np.array([*(-random.uniform(0, 0.2), 0, 0), *turned]), np.array([speed, 0, 0, *(30 * random.normal(size=3))])
        run = rm.simulate(model, 0.1 if speed > 20 else 0.5, DT, initial=rm.State(0.0, q, qdot), progress=False)
        held = run.energy.total + run.contacts.energy
        assert (held - np.minimum.accumulate(held)).max() < 1e-12 * held[0]
        assert run.contacts.residual[1:].max() < 1e-6
        met += run.contacts.pressing.max() > 0
    assert met > 6


def test_coordinates_make_no_difference():
    """Through the air, onto the ground, and along it."""
    runs = [thrown(name, height=0.6, gravity=G, dynamics=d) for name, d in zip(JOINTS, ("recursive", "redmax", "recursive", "redmax"))]
    assert runs[0].contacts.pressing.max() > 2
    for run in runs[1:]:
        early = run.t < 0.45  # from impact to impact roundings grow
        assert run.contacts.pressing[early].max() > 0
        assert np.abs(run.pose("body") - runs[0].pose("body"))[early].max() < 1e-8
    for run in runs:
        total = run.energy.total + run.contacts.energy
        assert (total - np.minimum.accumulate(total)).max() < 2e-3 * (total[0] + G * 0.6)


def test_compiled_is_interpreted():
    runs = [thrown("Free3D", (0.1, 0.0, 0.2), backend=backend, every=100) for backend in ("llvm", "interpret")]
    assert np.abs(runs[0].q - runs[1].q).max() < 1e-9


def test_a_step_is_of_first_order():
    """Against steps without contact, chosen for a tolerance."""
    scene = rm.Scene()
    scene.add_body(BOX, joint=rm.Free3D(), com=(0.1, 0.0, 0.2), qdot=(1, 0, 0, 2, 5, 1), name="body")
    exact = rm.simulate(scene, 0.4, 0.1, rtol=1e-11).pose("body")[-1]
    touching = rm.Scene()
    touching.add_ground(-10, contact=0.4)
    touching.add_body(BOX, joint=rm.Free3D(), com=(0.1, 0.0, 0.2), qdot=(1, 0, 0, 2, 5, 1), contact=0.4, name="body")
    off = [np.abs(ran(touching, 0.4, dt).pose("body")[-1] - exact).max() for dt in (2e-3, 1e-3, 5e-4)]
    assert np.abs(np.log2(np.divide(off[:-1], off[1:])) - 1).max() < 0.1, off


@pytest.mark.parametrize("form", ["exp", "matrix"])
def test_what_turns_about_a_fixed_point_keeps_its_angular_momentum(form):
    scene = rm.Scene(gravity=(0, 0, 0))
    scene.add_ground(-10)
    scene.add_body(BOX, joint=rm.Spherical(form), com=(0.05, 0.1, -0.1), qdot=SPIN, contact=True, name="body")
    run = ran(scene, 1.0)
    R, twist, x = run.pose("body")[:, :3, :3], run.twist("body"), place(run)
    L = np.einsum("tij,tj->ti", R, twist[:, :3] @ BOX.inertia) + np.cross(x, np.einsum("tij,tj->ti", R, twist[:, 3:]) * BOX.mass)
    assert np.abs(L - L[0]).max() < 1e-10 * np.linalg.norm(L[0])
    assert np.abs(np.linalg.norm(x, axis=1) - 0.15).max() < 1e-12


@FAR
@pytest.mark.parametrize("name", JOINTS)
def test_a_ball_that_rolls_fast_stays_on_the_ground(name):
    """At 4 m/s, 40 rad/s: a twenty-fifth of a turn of its axes in 2 ms, by which a body twist would be turned into the ground."""
    scene, joint = rm.Scene(), JOINTS[name]
    scene.add_ground(contact=0.5)
    scene.add_body(
        rm.Sphere(0.1, mass=1.0), joint=joint, at=(0, 0, 0.1), qdot=rates(joint, (0, 40, 0), (4, 0, 0)), contact=0.5, name="body"
    )
    run = ran(scene, 1.0)
    assert place(run)[-1] == pytest.approx([4.0, 0, 0.1], abs=1e-3)
    assert run.twist("body", "hybrid")[-1] == pytest.approx([0, 40, 0, 4, 0, 0], abs=0.01)
    assert np.abs(run.contact_force("body")[5:, 2] - G).max() < 0.5


def flail(name: str, spin: float) -> rm.Trajectory:
    """A box that tumbles, and a bar on it that swings."""
    scene, joint = rm.Scene(gravity=(0, 0, 0)), JOINTS[name]
    scene.add_ground(-1e3)
    qdot = rates(joint, np.array([0.5, 0.7, 1.0]) * spin, (3.0, 0.5, -1.0))
    box = scene.add_body(BOX, joint=joint, qdot=qdot, contact=True, name="body")
    bar = rm.Cuboid((0.02, 0.1, 0.02), mass=0.2)
    scene.add_body(bar, parent=box, joint=rm.Revolute("x"), at=(0, 0.05, 0), com=(0, 0.05, 0), damping=1e-4, name="bar")
    return ran(scene, 1.0)


@FAR
def test_trees_that_tumble_gain_next_to_nothing_whatever_their_coordinates():
    runs = [flail(name, 10.0) for name in JOINTS]
    for run in runs[1:]:
        assert np.abs(run.pose("bar") - runs[0].pose("bar")).max() < 1e-8
    for spin in (10.0, 20.0):
        energy = flail("Free3D", spin).energy.kinetic
        assert 0.97 * energy[0] < energy[-1] < 1.03 * energy[0]


@FAR
@pytest.mark.parametrize("name", JOINTS)
def test_a_ball_with_a_pendulum_in_it_rolls_on_the_ground(name):
    scene, joint = rm.Scene(), JOINTS[name]
    scene.add_ground(contact=0.5)
    qdot = rates(joint, (0, 40, 0), (4, 0, 0))
    ball = scene.add_body(rm.Sphere(0.1, mass=1.0), joint=joint, at=(0, 0, 0.1), qdot=qdot, contact=0.5, name="body")
    pin = rm.Revolute("y")
    scene.add_body(rm.Sphere(0.02, mass=0.1), parent=ball, joint=pin, com=(0, 0, -0.05), damping=0.001, name="pendulum")
    run = ran(scene, 1.0)
    assert np.abs(place(run)[:, 2] - 0.1).max() < 2e-4
    assert run.energy.total.max() < 1.005 * run.energy.total[0]
    assert place(run)[-1, 0] == pytest.approx(3.857, abs=0.03)


def test_what_constraints_hold_and_what_steps_in_a_way_of_its_own_is_as_ever():
    class Own(rm.Free3D):
        def retract(self, q, delta):
            return q + delta

    scene = rm.Scene()
    scene.add_ground()
    for k, joint in enumerate((rm.Free3D(), rm.Free3D(), Own(), rm.Free3D(), rm.Spherical(), rm.Revolute("x"))):
        scene.add_body(BOX, joint=joint, at=(k, 0, 1), contact=True, name=f"body {k}")
    scene.add_body(BOX, parent="body 1", joint=rm.Revolute("x"), at=(0, 0.3, 0), name="arm")
    scene.add_constraint(rm.PointClosure(scene.find("body 3").point(0, 0, 0.1), (3, 0, 1.1)))
    model = scene.model()
    assert model.flying == [True, True, False, False, True, False, False]
    assert model.aloft == [True, True, False, False, True, False, True]
