"""Contact adds no energy beyond what overlaps hold.

A step with impulses f and velocities u of its contacts afterwards changes kinetic energy by f . u - f' W f / 2 (W = J M^-1 J'), so f . u is
the most that contacts can add. Without restitution a contact leaves only to undo an overlap, by three tenths of it in a step, so that it
gives back at most three tenths of F d, force times depth, which is what was lost when bodies sank in; sticking contacts give back what
their tangential compliance holds. `contacts.energy` is what they hold (overlaps.py). Bodies fly on between with their energy, however thin
they are and however fast they spin, and trees with theirs (flown_trees.py); weight does g^2 h^2 / 2 too little work in a step on each
kilogram. A contact gives back no more than it holds, whether it was there before or is found inside. So the sum does not grow, but by
roundings: LAW of what has fallen, in every step and on the whole.
"""

from __future__ import annotations

from contextlib import ExitStack
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import redmax as rm
from contact.worlds import DT, ran
from random_examples import examples
from redmax.dynamics.contact import stages
from redmax.dynamics.contact.fields import CONVEX_PROBLEMS
from redmax.dynamics.contact.rows import RETURNED, T_GAP, T_IMPULSE, T_KEY, T_LEAVING, T_NORMAL, T_SLIP, T_STORED
from redmax.dynamics.contact.runner import told_of
from redmax.scenes.stacks import stack

COUNT, STEPS = 6, 400
LAW = 1e-12  # of what bodies have lost by falling and rubbing: what energy may grow by, in roundings
WALLS = {"floor": (0, 0, 0), "east": (0, -np.pi / 2, 0.35), "west": (0, np.pi / 2, -0.35), "north": (np.pi / 2, 0, 0.35),
         "south": (-np.pi / 2, 0, -0.35)}  # fmt: skip


def heap(shapes: list[rm.Body], **material: float) -> rm.Scene:
    """Free bodies over the ground, between four walls."""
    scene, made = rm.Scene(), rm.ContactMaterial(**material)
    for name, (about_x, about_y, place) in WALLS.items():
        R = rm.rotation_about("x", about_x) @ rm.rotation_about("y", about_y)
        scene.add_obstacle(rm.Plane(), at=rm.pose(R, (place if about_y else 0, place if about_x else 0, 0)), contact=made, name=name)
    for k, shape in enumerate(shapes):
        scene.add_body(shape, joint=rm.Free3D(), at=(0, 0, 0.2 + 0.3 * k), contact=made, name=f"body {k + 1}")
    return scene


def started(seed: int, turned: float) -> rm.State:
    """Somewhere, turned by up to so much (rad), and moving."""
    random = np.random.default_rng(seed)
    q, qdot = np.zeros((2, COUNT, 6))
    q[:, :3], q[:, 3:] = random.uniform(-0.12, 0.12, (COUNT, 3)), random.uniform(-turned, turned, (COUNT, 3))
    q[:, 2] *= 0.3
    qdot[:, :3] = random.uniform(-1, 1, (COUNT, 3))
    return rm.State(0.0, q.ravel(), qdot.ravel())


CUBES = [rm.Cuboid((0.16, 0.16, 0.16), mass=1.0) if k % 2 else rm.Sphere(0.08, mass=0.5 + 0.3 * k) for k in range(COUNT)]
BALLS = [rm.Sphere(0.08, mass=0.5 + 0.3 * k) for k in range(COUNT)]


@pytest.fixture(scope="module")
def mixed() -> rm.Simulation:
    return rm.Simulation(heap(CUBES, friction=0.3), dt=DT, integrator="implicit")


@examples(6, 40)
@given(seed=st.integers(0, 10**6))
def test_what_contacts_add_is_what_overlaps_held(mixed, seed):
    """Each contact that presses, in each step."""
    mixed.reset(started(seed, 1.0))
    begin = sum(mixed.energies())
    mixed.advance(1, mixed.torques(), *mixed.room(STEPS))
    told, added = told_of(mixed.runner.notes), 0.0
    for table, held in zip(told.table[:, 0], told.held[:, 0]):
        c = table[: int(held)]
        f, normal, depth = c[:, T_IMPULSE : T_IMPULSE + 3], c[:, T_NORMAL : T_NORMAL + 3], np.maximum(-c[:, T_GAP], 0)
        pressing = (f * normal).sum(axis=1)
        assert (pressing >= -1e-12).all()
        assert (np.linalg.norm(f - pressing[:, None] * normal, axis=1) <= 0.3 * pressing + 1e-9).all()
        leaving = np.where(pressing > 1e-9, c[:, T_LEAVING], 0)
        assert (leaving <= RETURNED * depth / DT + 2e-6).all()
        added += max((pressing * leaving).sum(), 0) + max((f * c[:, T_SLIP : T_SLIP + 3]).sum(), 0)
    assert told.counts[:, 0, 0].max() > COUNT
    assert added < 0.03 * begin
    assert sum(mixed.energies()) < 0.5 * begin


SLENDER = [
    rm.Cuboid((0.01, 0.01, 0.3), mass=0.2), rm.Cylinder(0.004, 0.18, mass=0.01), rm.Capsule(0.01, 0.2, mass=0.1),
    rm.Cuboid((0.2, 0.03, 0.005), mass=0.1), rm.Cuboid((0.2, 0.15, 0.005), mass=0.5), rm.Cylinder(0.1, 0.01, mass=0.3),
]  # fmt: skip


@pytest.fixture(scope="module")
def slender() -> rm.Simulation:
    return rm.Simulation(heap(SLENDER, friction=0.5), dt=DT, integrator="implicit")


def risen(run: rm.Trajectory, least: float = 0.3) -> float:
    """How much the energy of bodies and contacts grows, beside what bodies have lost by falling and rubbing.

    From the first step on, in which what overlaps already is given what that holds.
    """
    E = run.energy.total
    assert E[0] - E.min() > least * E[0]
    return rise(run) / (E[0] - E.min())


def rise(run: rm.Trajectory) -> float:
    """The most by which the energy of bodies and contacts is above what it has been before, in J."""
    total = (run.energy.total + run.contacts.energy)[1:]
    return (total - np.minimum.accumulate(total)).max()


@examples(4, 30)
@given(seed=st.integers(0, 10**6))
def test_energy_never_grows_beyond_what_overlaps_held(mixed, seed):
    run = ran(mixed.model, STEPS * DT, initial=started(seed, 0.3))
    E = run.energy.total
    held = np.array([(np.maximum(-c.gap, 0) * c.normal_force).sum() for c in run.contacts])
    assert (E - np.minimum.accumulate(E) <= 0.3 * np.maximum.accumulate(held) + 1e-3 * E[0]).all()
    assert run.contacts.energy.max() > 1e-3 * E[0]
    assert risen(run) < LAW
    held = np.array([c.energy.sum() for c in run.contacts])
    np.testing.assert_allclose(held, run.contacts.energy, atol=1e-15)


@examples(4, 30)
@given(seed=st.integers(0, 10**6), spin=st.sampled_from([0.0, 30.0, 100.0]))
def test_energy_of_slender_things_never_grows_either(slender, seed, spin):
    begin = started(seed, 1.0)
    qdot = np.array(begin.qdot).reshape(COUNT, 6)
    qdot[:, 3:] = spin * np.random.default_rng(seed).standard_normal((COUNT, 3))
    run = ran(slender.model, STEPS * DT, initial=rm.State(0.0, begin.q, qdot.ravel()))
    assert run.contacts.residual[1:].max() < 1e-3
    assert risen(run) < LAW


@pytest.mark.parametrize("stiff", [False, True])
def test_what_a_stack_gives_back_after_it_landed_is_what_contacts_held(stiff):
    """Bodies rise by tenths of a millimetre behind the impact: 67 mJ of ten kilograms."""
    run = ran(stack(stiff=stiff), 0.5)
    E = run.energy.total
    total = E + run.contacts.energy
    assert (E - np.minimum.accumulate(E)).max() > 3e-3
    assert (total - np.minimum.accumulate(total)).max() < 1e-12 * E[0]
    assert run.contacts.energy[-1] < 0.8 * run.contacts.energy.max()


def test_pencils_that_are_dropped_come_to_rest():
    """Thin and light as they are, with hundreds of radians a second on the way."""
    for seed in (3, 8, 17):
        random, scene = np.random.default_rng(seed), rm.Scene()
        scene.add_ground(contact=0.4)
        for k in range(8):
            Q, _ = np.linalg.qr(random.normal(size=(3, 3)))
            at = rm.pose(Q * np.sign(np.linalg.det(Q)), (*random.uniform(-0.1, 0.1, 2), 0.3 + 0.25 * k))
            scene.add_body(rm.Cylinder(0.004, 0.18, mass=0.01), joint=rm.Free3D(), at=at, contact=0.4, name=f"pencil {k}")
        run = ran(scene, 1.5)
        assert risen(run) < LAW
        assert run.contacts.residual[1:].max() < 1e-3


SHAPES = [
    rm.Cuboid((0.16, 0.12, 0.1), mass=1.0), rm.Sphere(0.08, mass=0.6), rm.Capsule(0.05, 0.15, mass=0.7),
    rm.Cylinder(0.06, 0.14, mass=0.8), rm.Cuboid((0.2, 0.15, 0.02), mass=0.5), rm.Cylinder(0.1, 0.03, mass=0.4),
]  # fmt: skip
MADE_OF = {
    "stiff": {"friction": 0.9, "stiff": True}, "slippery": {"friction": 0.0}, "soft": {"friction": 0.5, "compliance": 1e-3},
    "damped": {"friction": 0.5, "compliance": 1e-4, "damping": 0.02}, "rolling": {"friction": 0.5, "torsional": 0.01, "rolling": 0.003},
}  # fmt: skip


@pytest.fixture(scope="module", params=MADE_OF)
def made_of(request) -> rm.Simulation:
    return rm.Simulation(heap(SHAPES, **MADE_OF[request.param]), dt=DT, integrator="implicit")


@examples(2, 40)
@given(seed=st.integers(0, 10**6))
def test_it_never_grows_whatever_things_are_made_of(made_of, seed):
    """Soft corners without damping used to be pushed out by 9 % of what had fallen, where they were found inside."""
    begin = started(seed, 1.0)
    qdot = np.array(begin.qdot).reshape(COUNT, 6)
    qdot[:, 3:] = 5 * np.random.default_rng(seed).standard_normal((COUNT, 3))
    assert risen(ran(made_of.model, STEPS * DT, initial=rm.State(0.0, begin.q, qdot.ravel()))) < LAW


def mechanisms(kind: str) -> rm.Scene:
    """Two trees of five and four bodies over the ground, on joints of many kinds; the first may be held at its first joint."""
    scene = rm.Scene()
    scene.add_ground(contact=0.5)
    shapes = [rm.Capsule(0.04, 0.2, mass=1.0), rm.Cuboid((0.2, 0.08, 0.05), mass=0.7), rm.Cylinder(0.04, 0.2, mass=0.5)]
    y, z, x = (rm.Revolute(axis) for axis in "yzx")
    joints = {0: [rm.Spherical(), y, rm.Universal(), z], 1: [rm.Universal(), rm.Spherical(), x]}
    for t, others in joints.items():
        first = rm.Revolute("y") if t == 0 and kind == "held" else rm.Free3D()
        last = root = scene.add_body(rm.Cuboid((0.2, 0.1, 0.06), mass=1.0), joint=first, at=(0.9 * t, 0, 0.6), contact=0.5, name=f"a{t}")
        for k, joint in enumerate(others):
            parent, at, com = (root, (0, 0.2, 0), (0, 0.13, 0)) if k == 1 else (last, (0.24, 0, 0), (0.13, 0, 0))
            last = scene.add_body(shapes[k % 3], joint=joint, parent=parent, at=at, com=com, contact=0.5, name=f"b{t}{k}")
    return scene


@pytest.fixture(scope="module", params=["flying", "held"])
def linked(request) -> rm.Model:
    return mechanisms(request.param).model()


@examples(3, 40)
@given(seed=st.integers(0, 10**6), speed=st.sampled_from([3.0, 10.0, 30.0]))
def test_energy_of_mechanisms_that_fly_and_strike_never_grows(linked, seed, speed):
    """With contacts, in steps of implicit; explicit Coriolis terms used to gain up to a quarter of it in half a second."""
    random = np.random.default_rng(seed)
    q = linked.q0 + 0.3 * random.uniform(-1, 1, linked.nq)
    begin = rm.State(0.0, q, speed * random.uniform(-1, 1, linked.nv))
    run = ran(linked, 0.6, initial=begin)
    assert rise(run) < LAW * run.energy.kinetic[0]  # what strikes little loses little, too
    assert run.contacts.pressing.sum() > 10 or speed > 3


def test_mechanisms_that_fly_keep_their_energy_and_momenta():
    """Without weight, and nothing to strike within reach, a tree of five bodies at some 10 rad/s."""
    scene = mechanisms("flying")
    scene.gravity = (0, 0, 0)
    model = scene.model()
    random = np.random.default_rng(2)
    q, qdot = np.array(model.q0), 6 * random.uniform(-1, 1, model.nv)
    q[[2, 2 + model.nq // 2 + 1]] = 0
    q[2] += 40.0
    qdot[model.nv // 2 + 2 :] = 0.0
    run = ran(scene, 0.5, initial=rm.State(0.0, q, qdot))
    E = run.energy.total
    assert np.abs(E - E[0]).max() < 1e-12 * E[0]


def limbs() -> rm.Scene:
    """Two bodies and three, linked, the latter to the world, which touch each other and the ground."""
    scene, made = rm.Scene(), rm.ContactMaterial(friction=0.7)
    scene.add_ground(contact=made)
    links = [(rm.Cuboid((0.2, 0.08, 0.06), mass=1.0), rm.Spherical()), (rm.Cylinder(0.05, 0.2, mass=0.7), rm.Universal())]
    for k, (x, joint) in enumerate([(0.0, rm.Free3D()), (0.6, rm.Revolute("y"))]):
        body = rm.Capsule(0.04, 0.2, mass=1.0)
        last = scene.add_body(body, joint=joint, at=(x, 0, 0.4), com=(0.12 * k, 0, 0), contact=made, name=f"a{k}")
        for m, (shape, other) in enumerate(links[: k + 1]):
            last = scene.add_body(shape, joint=other, parent=last, at=(0.25, 0, 0), com=(0.12, 0, 0), contact=made, name=f"b{k}{m}")
    return scene


@pytest.fixture(scope="module", params=[1.0, 2.0, CONVEX_PROBLEMS])
def cut_short(request) -> list[rm.Simulation]:
    """A heap and a mechanism whose steps end after so many convex problems."""
    others = () if request.param == CONVEX_PROBLEMS else (patch.object(stages, "at_once", lambda system: ()),)
    with ExitStack() as patched:
        for each in (patch.object(stages, "CONVEX_PROBLEMS", request.param), *others):
            patched.enter_context(each)
        return [rm.Simulation(scene, dt=DT, integrator="implicit") for scene in (heap(CUBES, friction=0.9), limbs())]


@examples(3, 40)
@given(seed=st.integers(0, 10**6))
def test_no_contact_adds_more_than_it_held_also_where_iterations_are_cut_short(cut_short, seed):
    """f . u of each contact in each step, against what it stored by giving way, and three tenths of its overlap times what presses."""
    random = np.random.default_rng(seed)
    for sim, steps in zip(cut_short, (STEPS, STEPS // 2), strict=True):
        start = sim.model.q0 + 0.2 * random.uniform(-1, 1, sim.model.nq)
        sim.reset(started(seed, 1.0) if steps == STEPS else rm.State(0.0, start, 2 * random.uniform(-1, 1, sim.model.nv)))
        sim.advance(1, sim.torques(), *sim.room(steps))
        told, stored = told_of(sim.runner.notes), {}
        for table, held in zip(told.table[:, 0], told.held[:, 0]):
            c = table[: int(held)]
            f, normal, depth = c[:, T_IMPULSE : T_IMPULSE + 3], c[:, T_NORMAL : T_NORMAL + 3], np.maximum(-c[:, T_GAP], 0)
            pressing = (f * normal).sum(axis=1)
            work = pressing * c[:, T_LEAVING] + (f * c[:, T_SLIP : T_SLIP + 3]).sum(axis=1)
            before = np.array([stored.get(key, 0.0) for key in c[:, T_KEY]])
            assert (work <= pressing * RETURNED * depth / DT + before + 1e-9).all()
            stored = dict(zip(c[:, T_KEY], c[:, T_STORED]))
        assert told.counts[:, 0, 0].max() > 0
        assert np.nanmax(told.counts[:, 0, 2]) < 1e-6 or np.nanmax(told.counts[:, 0, 3]) <= 2


@pytest.mark.parametrize("most", [1.0, 2.0])
def test_energy_never_grows_where_iterations_are_cut_short(monkeypatch, most):
    """Of a heap and of two mechanisms, whose contacts end far from Coulomb's law."""
    monkeypatch.setattr(stages, "CONVEX_PROBLEMS", most)
    monkeypatch.setattr(stages, "at_once", lambda system: ())
    off = 0.0
    for scene, begin in ((heap(CUBES, friction=0.9), started), (limbs(), None)):
        model = scene.model()
        for seed in range(3):
            random = np.random.default_rng(seed)
            q, qdot = model.q0 + 0.2 * random.uniform(-1, 1, model.nq), 2 * random.uniform(-1, 1, model.nv)
            run = ran(model, STEPS * DT, initial=begin(seed, 1.0) if begin else rm.State(0.0, q, qdot))
            assert risen(run, 0.01) < LAW
            off = max(off, run.contacts.residual[1:].max())
    assert off > 0.1


def test_steps_that_take_many_convex_problems_end():
    """Differences of slacks that lead nowhere are forgotten: where more than thirty were needed, all is met."""
    sim = rm.Simulation(heap(CUBES, friction=0.9), dt=DT, integrator="implicit")
    most = []
    for seed in range(60):
        sim.reset(started(seed, 1.0))
        sim.advance(1, sim.torques(), *sim.room(STEPS))
        counts = told_of(sim.runner.notes).counts[:, 0]
        assert np.nanmax(counts[:, 2]) <= 1e-6
        most.append(np.nanmax(counts[:, 3]))
    assert np.sum(np.array(most) > 30) >= 2


@pytest.mark.parametrize("e", [0.5, 0.8, 1.0])
def test_moreaus_restitution_adds_no_energy(e):
    """Of balls without friction, which do not begin to spin, several of which meet at once."""
    run = ran(heap(BALLS, friction=0.0, restitution=e), STEPS * DT, initial=started(5, 0.0))
    E = run.energy.total
    assert (E - np.minimum.accumulate(E)).max() < 1e-12 * E[0]
    assert run.contacts.pressing.sum() > 10
