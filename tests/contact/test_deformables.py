"""Nodes of deformables against rigid shapes: closed forms, balances, rest, and what is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import redmax as rm
from contact.worlds import DT, G, ran
from random_examples import examples
from redmax.deformables import Deformable

STRAY = 1e-12  # 1/s: damping that no closed form notices, since a node on which nothing acts is refused


def point(height: float, velocity: Any = (0, 0, 0), **material: float) -> rm.Scene:
    """A node of 0.3 kg and 1 cm radius over the ground."""
    scene, made = rm.Scene(), rm.ContactMaterial(**material)
    scene.add_ground(contact=made)
    node = Deformable(np.array([[0, 0, height + 0.01]]), np.array([0.3]), (), (STRAY, 0.0), name="node")
    scene.add_deformable(node.moved(velocities=[velocity]).touching(made, radius=0.01))
    return scene


def block(angle: float, friction: float, youngs: float = 2e5, velocity: float = 0.0) -> rm.Scene:
    """A soft cube of 1 kg on a plane that falls towards x."""
    scene, R = rm.Scene(), rm.rotation_about("y", angle)
    scene.add_obstacle(rm.Plane(), at=rm.pose(R, (0, 0, 0)), contact=friction, name="ramp")
    cube = rm.Tetrahedra.box(
        (0.2, 0.2, 0.2), (2, 2, 2), density=125.0, youngs=youngs, poisson=0.3, rayleigh=(0, 0.02),
        at=rm.pose(R, R @ (0, 0, 0.102)), name="cube",
    )  # fmt: skip
    cube = cube.moved(velocities=np.tile(R @ (velocity, 0, 0), (len(cube.nodes), 1)))
    scene.add_deformable(cube.touching(friction, radius=0.002))
    return scene


def centre(run: rm.Trajectory, name: str = "cube") -> np.ndarray:
    """(time, 3): of its mass."""
    return np.average(run.nodes(name), axis=1, weights=run.model.soft[0].shape.masses)


def momentum(run: rm.Trajectory) -> np.ndarray:
    """(time, 3): of all nodes, and of bodies that only move along lengths."""
    model, found = run.model, np.zeros((len(run.t), 3))
    for j, link in enumerate(model.links):
        if link.joint.dof:
            found += link.shape.mass * np.asarray(run.qdot)[:, model.offsets[j] : model.offsets[j + 1]]
    return found


def solved(run: rm.Trajectory) -> bool:
    return bool((run.contacts.residual <= 1e-6).mean() >= 0.999 and run.contacts.residual.max() <= 1e-3)


def test_a_node_slides_as_far_as_friction_lets_it():
    run = ran(point(0.0, (2, 0, 0), friction=0.4), 0.7)
    x = run.nodes("node")[-1, 0]
    assert x[0] == pytest.approx(2**2 / (2 * 0.4 * G), abs=2 * DT)  # v^2 / 2 mu g, and a step of first order
    assert np.abs(run.qdot[-1]).max() < 1e-12
    assert run.contact_force("node")[50] == pytest.approx([-0.4 * 0.3 * G, 0, 0.3 * G], abs=1e-6)


def test_a_node_bounces_to_e_squared_of_its_height():
    run = ran(point(0.5, friction=0.5, restitution=0.8), 0.9, 0.0005)
    height, fall = run.nodes("node")[:, 0, 2] - 0.01, np.sqrt(2 * 0.5 / G)
    assert height[run.t > 1.1 * fall].max() == pytest.approx(0.8**2 * 0.5, rel=5e-3)
    assert height[run.t < fall].min() > -1e-9


def test_a_soft_block_sticks_below_the_angle_of_friction_and_slides_above_it():
    """By 0.05 degrees."""
    angle, little = np.arctan(0.5), np.radians(0.05)
    holds, slides = ran(block(angle - little, 0.5), 1.2), ran(block(angle + little, 0.5), 1.6)
    assert np.abs(holds.qdot[-1]).max() < 1e-9
    assert set(holds.contacts[-1].state) <= {"sticking", "open"}
    assert holds.contact_force("cube", "ramp")[-1] == pytest.approx([0, 0, G], abs=1e-9)  # its weight
    assert holds.contacts[-1].gap.min() > -2e-5
    early, late = (np.linalg.norm(centre(slides)[k] - centre(slides)[k - 1]) / DT for k in (500, 800))
    expected = G * (np.sin(angle + little) - 0.5 * np.cos(angle + little))  # 0.0096 m/s^2
    assert (late - early) / (300 * DT) == pytest.approx(expected, rel=1e-5)
    assert solved(holds)
    assert solved(slides)


def test_a_stiff_block_slides_as_far_as_a_rigid_one():
    soft = ran(block(0.0, 0.4, 1e8, 1.5), 0.5)
    rigid = rm.Scene()
    rigid.add_ground(contact=0.4)
    rigid.add_body(
        rm.Cuboid((0.2, 0.2, 0.2), mass=1.0), joint=rm.Free3D(), at=(0, 0, 0.1), qdot=(1.5, 0, 0, 0, 0, 0), contact=0.4, name="box"
    )
    far = ran(rigid, 0.5).pose("box")[-1, 0, 3]
    assert centre(soft)[-1, 0] - centre(soft)[0, 0] == pytest.approx(far, rel=0.01)
    assert far == pytest.approx(1.5**2 / (2 * 0.4 * G), rel=0.01)


@pytest.fixture(scope="module")
def pressed() -> rm.Scene:
    """Rigid shapes of four kinds on a soft pad, and two rigid boxes on each other beside it."""
    scene = rm.Scene()
    scene.add_ground(contact=0.6)
    pad = rm.Tetrahedra.box(
        (0.3, 0.3, 0.06), (3, 3, 1), density=200.0, youngs=5e4, poisson=0.3, rayleigh=(0, 0.01), at=(0, 0, 0.035), name="pad"
    )
    scene.add_deformable(pad.touching(0.6, radius=0.005))
    shapes = {
        "ball": (rm.Sphere(0.06, mass=0.5), -0.05, 0.14), "rod": (rm.Capsule(0.03, 0.08, mass=0.3), 0.05, 0.16),
        "tin": (rm.Cylinder(0.05, 0.08, mass=0.3), 0.05, 0.12), "brick": (rm.Cuboid((0.12, 0.12, 0.05), mass=0.4), -0.05, 0.1),
    }  # fmt: skip
    for k, (name, (shape, x, z)) in enumerate(shapes.items()):
        place = (x, 0.05 if k % 2 else -0.05, z)
        scene.add_body(shape, joint=rm.Translational(), at=place, contact=0.5, contact_group=1, name=name)
    for name, z in (("below", 0.03), ("above", 0.09)):
        scene.add_body(rm.Cuboid((0.06, 0.06, 0.06), mass=0.2), joint=rm.Translational(), at=(0.4, 0, z), contact=0.5, name=name)
    return scene


@pytest.fixture(scope="module")
def heap(pressed) -> rm.Trajectory:
    return ran(pressed, 0.6)


def test_momentum_of_nodes_and_bodies_changes_by_weight_and_the_ground(heap):
    mass = sum(link.shape.mass for link in heap.model.links)
    change = np.diff(momentum(heap), axis=0) / DT
    assert change == pytest.approx(-heap.contact_force("ground")[1:] - [0, 0, mass * G], abs=1e-10)
    felt = sum(heap.contact_force(name, "pad") for name in ("ball", "rod", "tin", "brick"))
    assert heap.contact_force("pad") == pytest.approx(heap.contact_force("pad", "ground") - felt, abs=1e-12)
    assert np.abs(felt[-1]).max() > 0.9 * 1.5 * G
    assert solved(heap)


@examples(4, 30)
@given(seed=st.integers(0, 10**6))
def test_energy_never_grows_beyond_what_overlaps_held(heap, seed):
    """Thrown: the pad and all that is above it."""
    thrown = np.random.default_rng(seed).normal(size=heap.qdot[0].shape) * 0.5
    thrown[: 3 * len(heap.model.bodies)] *= 2
    run = ran(heap.model, 0.3, initial=rm.State(0.0, heap.q[0], thrown))
    E = run.energy.total
    held = np.array([(np.maximum(-c.gap, 0) * c.normal_force).sum() for c in run.contacts])
    assert (E - np.minimum.accumulate(E) <= 0.3 * np.maximum.accumulate(held) + 1e-9).all()
    assert E[-1] < E[0]
    assert solved(run)


def test_the_convex_problem_lifts_a_node_that_slides():
    """By mu |v| in each step, as it does what is rigid (Anitescu 2006)."""
    exact, convex = (ran(point(0.0, (2, 0, 0), friction=0.4), 0.1, friction=friction) for friction in ("exact", "convex"))
    assert exact.nodes("node")[:, 0, 2].max() <= 0.01 < 0.0105 < convex.nodes("node")[:, 0, 2].max()
    assert convex.contacts.residual.max() < 1e-6


def test_a_pair_may_have_a_law_of_its_own():
    scene = point(0.0, (2, 0, 0), friction=0.4)
    scene.set_contact("node", "ground", 0.1)
    assert ran(scene, 0.1).qdot[-1, 0] == pytest.approx(2 - 0.1 * G * 0.1, abs=1e-6)


def test_a_node_and_a_body_share_an_impact():
    """Of equal masses that meet head on with e = 1, one goes on with what the other had."""
    scene, steel = rm.Scene(gravity=(0, 0, 0)), rm.ContactMaterial(friction=0.0, restitution=1.0)
    scene.add_body(rm.Cuboid((0.1, 0.1, 0.1), mass=0.3), joint=rm.Translational(), contact=steel, name="box")
    node = Deformable(np.array([[0.2, 0, 0]]), np.array([0.3]), (), (STRAY, 0.0), name="node")
    scene.add_deformable(node.moved(velocities=[[-1, 0, 0]]).touching(steel, radius=0.01))
    run = ran(scene, 0.3)
    assert run.qdot[-1] == pytest.approx([-1, 0, 0, 0, 0, 0], abs=1e-4)  # 1e-5 of it gives way
    assert momentum(run) == pytest.approx(np.tile([-0.3, 0, 0], (len(run.t), 1)), abs=1e-10)


def test_a_sample_names_the_node_that_touches(heap):
    now = heap.contacts[-1]
    soft = now.node >= 0
    assert set(now.first[~soft]) | set(now.second[~soft]) == {"ground", "below", "above"}
    for k in np.flatnonzero(soft):
        mine = now[k]
        assert "pad" in (mine.first, mine.second)
        assert np.linalg.norm(mine.point - heap.nodes("pad")[-2, mine.node]) < 0.0051  # where the step began


def test_it_is_the_same_interpreted_in_batches_in_single_precision_in_files_and_when_a_run_goes_on(heap, pressed, tmp_path):
    pushed = rm.State(0.0, heap.q[100], heap.qdot[100])
    slow, fast = (ran(pressed, 2 * DT, backend=backend, initial=pushed) for backend in ("interpret", "llvm"))
    assert np.abs(slow.q - fast.q).max() < 1e-12
    assert len(fast.contacts[-1]) > 20
    initial = rm.State(0.0, np.tile(heap.q[0], (2, 1)), np.tile(heap.qdot[0], (2, 1)))
    assert np.abs(ran(pressed, 0.1, initial=initial).q[:, 1] - heap.q[:51]).max() < 1e-12
    assert np.abs(ran(pressed, 0.1, dtype="float32").q - heap.q[:51]).max() < 1e-6
    assert np.abs(ran(pressed, 0.1, dynamics="redmax").q - heap.q[:51]).max() < 1e-12
    sim = rm.Simulation(pressed, dt=DT, integrator="implicit")
    for _ in range(150):
        sim.step()
    assert np.abs(sim.q - heap.q[150]).max() < 1e-12
    assert sim.contacts.node.tolist() == heap.contacts[150].node.tolist()
    heap.save(tmp_path / "heap.h5")
    again = rm.load(tmp_path / "heap.h5")
    assert again.contact_force("pad") == pytest.approx(heap.contact_force("pad"), abs=0)
    assert again.contacts[-1].node.tolist() == heap.contacts[-1].node.tolist()


def test_an_attached_node_pushes_its_body():
    scene = rm.Scene()
    scene.add_ground(contact=0.5)
    body = scene.add_body(rm.Cuboid((0.1, 0.1, 0.1), mass=1.0), joint=rm.Translational(), at=(0, 0, 0.3), name="body")
    feet = rm.Tetrahedra.box((0.1, 0.1, 0.1), (1, 1, 1), density=100.0, youngs=1e5, poisson=0.3, at=(0, 0, 0.2), name="feet")
    scene.add_deformable(feet.attach(body, lambda x: x[:, 2] > -1).touching(radius=0.01))
    run = ran(scene, 0.5)
    assert run.contact_force("feet")[-1] == pytest.approx([0, 0, 1.1 * G], abs=1e-9)
    assert run.pose("body")[-1, 2, 3] == pytest.approx(0.16, abs=1e-4)


def test_pairs_that_the_scene_lets_pass_pass():
    scene = rm.Scene()
    scene.add_ground()
    scene.add_deformable(rm.Cloth((1, 1), (2, 2), density=0.2, stretch=50, at=(0, 0, 0.1), name="sheet").touching())
    scene.ignore_contact("sheet", "ground")
    assert not scene.model().touches
    assert ran(scene, 0.3).nodes("sheet")[-1, :, 2].max() < -0.1


def test_files_say_what_touches(tmp_path):
    scene = rm.Scene()
    scene.add_ground()
    cloth = rm.Cloth((1, 1), (2, 2), density=0.2, stretch=50, name="sheet")
    made = rm.ContactMaterial(friction=0.3, restitution=0.1)
    scene.add_deformable(cloth.touching(made, radius=0.02, nodes=[1, 2], group=3))
    scene.add_deformable(cloth.renamed("other").touching())
    scene.save(tmp_path / "scene.yaml")
    again = rm.Scene.load(tmp_path / "scene.yaml")
    assert [d.contact for d in again.deformables] == [d.contact for d in scene.deformables]
    assert "touching: true" in (tmp_path / "scene.yaml").read_text()


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"contact": "soft"}, "contact is 'soft', expected True, a friction"),
        ({"radius": 0}, "radius of its nodes is 0, expected a number greater than 0"),
        ({"nodes": [99]}, "nodes is [99], expected node numbers from -9 to 8"),
        ({"group": 0.5}, "contact group is 0.5, expected a whole number"),
    ],
)
def test_what_is_wrong_is_said(given, said):
    with pytest.raises(rm.SceneError, match=r"Cloth 'sheet'") as error:
        rm.Cloth((1, 1), (2, 2), density=0.2, stretch=50, name="sheet").touching(**given)
    assert said in str(error.value)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"integrator": "euler"}, "contact beside deformables: that goes with integrator 'implicit' only"),
        ({"integrator": "bdf1"}, "contact: that goes with integrator 'euler', 'implicit' or 'adaptive' only"),
        ({"solver": "cg"}, "contact beside deformables: that does not go with solver 'cg'"),
        ({"dynamics": "maximal"}, "does not go with dynamics 'maximal'"),
    ],
)
def test_what_does_not_go_together_is_refused(pressed, options, said):
    with pytest.raises(rm.RedmaxError) as error:
        rm.simulate(pressed, 0.1, DT, **options)
    assert said in str(error.value)


def mechanism(held: bool, beside: bool) -> rm.Trajectory:
    """Boxes and an arm that fall on the ground, with constraints, and with a chain that hangs far away."""
    scene = rm.Scene()
    scene.add_ground(contact=0.5)
    for k in range(2):
        cube = rm.Cuboid((0.1, 0.1, 0.1), mass=0.5)
        scene.add_body(cube, joint=rm.Free3D(), at=(0.01 * k, 0, 0.06 + 0.11 * k), contact=0.5, name=f"box {k}")
    rod, down = rm.Capsule(0.03, 0.3, mass=0.4), (0, 0, -0.2)
    upper = scene.add_body(rod, joint=rm.Revolute("y"), at=(1, 0, 0.5), com=down, q=1.0, contact=0.5, name="upper")
    lower = scene.add_body(rod, joint=rm.Revolute("y"), parent=upper, at=(0, 0, -0.4), com=down, q=0.3, contact=0.5, name="lower")
    if held:
        scene.add_constraint(rm.HardLimit(lower, -0.5, 0.6))
        scene.add_constraint(rm.Distance(scene.find("box 1"), scene.find("box 0")))
    if beside:
        scene.add_deformable(rm.SpringChain((5, 0, 1), (6, 0, 1), 3, mass=0.1, stiffness=10.0, name="far").hold([0]))
    return ran(scene, 0.5)


@pytest.mark.parametrize("held", [False, True])
def test_what_is_rigid_moves_as_without_deformables(held):
    """Two solvers of one problem: along trees and between them, and by fronts."""
    alone, beside = (mechanism(held, far) for far in (False, True))
    assert np.abs(beside.q[:, : alone.q.shape[1]] - alone.q).max() < 1e-6
    assert alone.contacts.count.max() > 8
    assert solved(beside)
    if held:
        assert beside.q[:, 13].max() < 0.6 + 1e-9


def test_balls_beside_deformables_are_slowed_as_without_them():
    """Torsional and rolling friction, by the same two solvers; on nodes, which are points, they do nothing."""
    runs = []
    for beside in (False, True):
        scene, felt = rm.Scene(), rm.ContactMaterial(friction=0.6, torsional=0.01, rolling=0.004)
        scene.add_ground(contact=felt)
        ball, forward = rm.Sphere(0.1, mass=1.0), (1, 0, 0, 0, 3, 5)
        scene.add_body(ball, joint=rm.Free3D(), at=(0, 0, 0.1), qdot=forward, contact=felt, name="ball")
        scene.add_body(rm.Cuboid((0.2, 0.2, 0.1), mass=1.0), joint=rm.Free3D(), at=(2, 0, 0.05), contact=felt, name="base")
        scene.add_body(rm.Sphere(0.05, mass=0.3), joint=rm.Free3D(), at=(2, 0, 0.15), qdot=(0.1, 0, 0, 0, 0, 6), contact=felt, name="top")
        if beside:
            chain = rm.SpringChain((5, 0, 0.02), (6, 0, 0.02), 3, mass=0.1, stiffness=10.0, name="chain")
            scene.add_deformable(chain.touching(felt, radius=0.02))
        runs.append(ran(scene, 0.4))
    alone, with_chain = runs
    assert np.abs(with_chain.q[:, :18] - alone.q).max() < 1e-6
    assert np.abs(with_chain.contacts[100].moment).max() == pytest.approx(np.abs(alone.contacts[100].moment).max(), rel=1e-5)
    assert not with_chain.contacts[100].moment[with_chain.contacts[100].node >= 0].any()
    assert solved(with_chain)


def test_ties_are_held_beside_contact():
    scene = rm.Scene()
    scene.add_obstacle(rm.Sphere(0.25), contact=0.5, name="sphere")
    cloth = rm.Cloth((0.8, 0.8), (6, 6), density=0.2, stretch=60, shear=10, bend=0.3, rayleigh=(8, 0.005), at=(0, 0, 0.28), name="sheet")
    scene.add_deformable(cloth.touching(0.5, radius=0.01).tie(None, [0, 6], gain=None))
    run = ran(scene, 3.0, 0.005)
    ties = [run.constraint(f"tie of sheet node {k}") for k in (0, 6)]
    assert max(np.abs(tie.gap).max() for tie in ties) < 1e-9
    carried = run.contact_force("sheet")[-1] + sum(tie.multipliers[-1] for tie in ties)
    assert carried == pytest.approx([0, 0, G * cloth.masses.sum()], abs=1e-3)
    assert run.contact_force("sheet")[-1, 2] > 0.5 * G * cloth.masses.sum()
    assert solved(run)


def test_limited_forces_beside_it_and_equal_names_are_refused():
    cloth = rm.Cloth((1, 1), (2, 2), density=0.2, stretch=50, name="sheet")
    limited = rm.Scene()
    ball = limited.add_body(rm.Sphere(0.1), joint=rm.Translational(), contact=True, name="ball")
    limited.add_constraint(rm.Distance(ball, (0, 0, 1), force_limits=5.0))
    limited.add_deformable(cloth.touching())
    with pytest.raises(rm.RedmaxError, match=r"contact beside deformables, and a constraint with limited force .*Leave force_limits out"):
        rm.simulate(limited, 0.1, DT)
    named = rm.Scene()
    named.add_ground(name="sheet")
    named.add_deformable(cloth.touching())
    with pytest.raises(rm.SceneError, match=r"'sheet' touches others, and a body or an obstacle has the same name"):
        rm.simulate(named, 0.1, DT)
