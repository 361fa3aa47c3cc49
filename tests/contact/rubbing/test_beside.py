"""Joints that rub beside constraints and contact: loads in closed form, loops that may be cut anywhere, energy, batches."""

from __future__ import annotations

from math import atan2, cos, pi, sin

import numpy as np
import pytest

import redmax as rm
from redmax.scenes.linkages import across, bar, meeting, rates

HINGE, PIN = rm.Revolute("y"), {"radius": 0.02, "height": 0.03}


def leaning(support: str, friction: float = 0.02, ground: float = 0.0) -> rm.Scene:
    """A bar on a hinge, whose other end lies on the ground: each bears half of it."""
    scene = rm.Scene()
    beam = scene.add_body(rm.Cuboid((1, 0.05, 0.05), mass=2), joint=HINGE, at=(0, 0, 0.1), com=(0.5, 0, 0), name="bar")
    tip = scene.add_body(
        rm.Sphere(0.1, mass=0.5), parent=beam, at=(1, 0, 0), name="tip", **({"contact": ground} if support == "contact" else {})
    )
    if support == "contact":
        scene.add_ground(contact=rm.ContactMaterial(friction=ground, stiff=True))
    else:
        scene.add_constraint(rm.constraint(lambda tip: tip.x[2] - 0.1, bodies=[tip], one_sided=True, name="floor"))
    scene.add_force(rm.JointFriction(beam, friction, **PIN, name="rub"))
    return scene


@pytest.mark.parametrize("dynamics", ["redmax", "recursive"])
@pytest.mark.parametrize("support", ["contact", "row"])
def test_a_hinge_bears_what_the_ground_leaves(support, dynamics):
    run = rm.simulate(leaning(support), 0.1, 0.002, dynamics=dynamics)
    assert np.isclose(np.abs(run.rubbing("rub").normals[-1]).sum(), 9.81, rtol=3e-3)
    assert np.allclose(run.reaction("bar")[-1, 3:], [0, 0, 9.81], atol=0.03)
    assert abs(run.qdot[-1, 0]) < 1e-9


def test_what_leans_is_alike_in_batches_single_precision_and_interpreted():
    scene, q = leaning("contact", ground=0.5), np.array([[0.0], [-0.05], [-0.1]])
    batch = rm.simulate(scene, 0.1, 0.004, initial=rm.State(0.0, q, 0 * q))
    for k in range(3):
        alone = rm.simulate(scene, 0.1, 0.004, initial=rm.State(0.0, q[k], 0 * q[k]))
        assert np.allclose(batch.q[:, k], alone.q, atol=1e-12)
    single = rm.simulate(scene, 0.1, 0.004, initial=rm.State(0.0, q[1], 0 * q[1]), dtype="float32")
    assert single.q.dtype == np.float32
    assert np.allclose(single.q, batch.q[:, 1], atol=1e-6)  # impulses and friction go on from step to step, as in doubles
    assert np.allclose(single.qdot, batch.qdot[:, 1], atol=1e-4)
    read = rm.simulate(scene, 0.02, 0.004, initial=rm.State(0.0, q[1], 0 * q[1]), backend="interpret")
    assert np.allclose(read.q, batch.q[:6, 1], atol=1e-12)


def four_bar(cut: str, friction: float, speed: float = 6.0) -> rm.Scene:
    """The same linkage with its loop closed at the end of the coupler, or at the base. Points go with the rocker in both."""
    scene, (l1, l2, l3), start = rm.Scene(), (0.25, 0.7, 0.6), pi / 3
    tip, pivot = l1 * np.array([cos(start), sin(start)]), np.array([0.9, 0.0])
    end = meeting(tip, l2, pivot, l3)
    lean, rock = -atan2(*(end - tip)[::-1]), -atan2(*(end - pivot)[::-1])
    turning, rocking = rates(speed * across(tip), across(end - tip), -across(end - pivot))
    base = scene.add_body(bar(0.9), com=(0.45, 0, 0), name="base")
    crank = scene.add_body(bar(l1), joint=HINGE, parent=base, com=(l1 / 2, 0, 0), q=-start, qdot=-speed, name="crank")
    coupler = scene.add_body(
        bar(l2), joint=HINGE, parent=crank, at=(l1, 0, 0), com=(l2 / 2, 0, 0), q=lean + start, qdot=speed - turning, name="coupler"
    )
    if cut == "coupler":
        rocker = scene.add_body(bar(l3), joint=HINGE, parent=base, at=(0.9, 0, 0), com=(l3 / 2, 0, 0), q=rock, qdot=-rocking, name="rocker")
        closure = rm.HingeClosure(coupler.point(l2 / 2, 0, 0), rocker.point(l3 / 2, 0, 0), "y", name="closure")
    else:
        turn = {"q": rock - lean, "qdot": turning - rocking}
        rocker = scene.add_body(bar(l3), joint=HINGE, parent=coupler, at=(l2, 0, 0), com=(-l3 / 2, 0, 0), name="rocker", **turn)
        closure = rm.HingeClosure(base.point(0.45, 0, 0), rocker.point(-l3 / 2, 0, 0), "y", name="closure")
    for body in (crank, coupler, rocker):
        scene.add_force(rm.JointFriction(body, friction, **PIN))
    scene.add_force(rm.ConstraintFriction(scene.add_constraint(closure), friction, **PIN, name="pin"))
    scene.set_staggering(tolerance=1e-10, iterations=300)
    return scene


def test_it_does_not_matter_where_a_loop_that_rubs_is_cut():
    """What friction takes is the same; steps differ by their size, with friction as without."""
    apart, taken = {}, {}
    for friction in (0.0, 0.4):
        ends = []
        for cut, pins in (("coupler", ("rocker", "pin")), ("base", ("pin", "rocker"))):
            run = rm.simulate(four_bar(cut, friction), 0.2, 0.001, dynamics="recursive")
            ends.append((run.q[-1, 0], run.energy.total[-1], [np.abs(run.rubbing(p).wrench[100, 1]) for p in pins]))
        apart[friction], taken[friction] = ends[0][0] - ends[1][0], ends
    assert np.isclose(apart[0.0], apart[0.4], atol=2e-4)
    lost = [taken[0.0][k][1] - taken[0.4][k][1] for k in range(2)]
    assert lost[0] > 0.03
    assert np.isclose(*lost, rtol=0.01)
    assert np.allclose(taken[0.4][0][2], taken[0.4][1][2], rtol=0.02)  # in each of the two pins, wherever the cut is


def test_dynamics_agree_where_a_loop_rubs():
    runs = [rm.simulate(four_bar("coupler", 0.4), 0.05, 0.002, dynamics=name) for name in ("redmax", "recursive")]
    assert np.allclose(runs[0].q, runs[1].q, atol=1e-9)


@pytest.mark.parametrize("seed", [0, 3])
def test_energy_never_grows_beside_contact_and_limits(seed):
    """A chain that falls on the ground, also where turns end too early: by no more than steps of such chains do without friction."""
    rng, scene, last = np.random.default_rng(seed), rm.Scene(), None
    scene.add_ground(contact=0.5)
    for k in range(3):
        joint = rm.Revolute(rng.normal(size=3))
        last = scene.add_body(
            rm.Capsule(0.04, 0.2, mass=1), joint=joint, parent=last, at=(0, 0, 0.4) if k == 0 else (0.2, 0, 0), com=(0.1, 0, 0),
            qdot=2 * rng.normal(), contact=0.5, contact_group=1, name=f"b{k}",
        )  # fmt: skip
        scene.add_force(rm.JointFriction(last, 0.8, radius=0.02, height=0.05))
    scene.add_constraint(rm.HardLimit(last, -1.0, 1.0))
    scene.set_staggering(tolerance=1e-2, iterations=3)
    energy = rm.simulate(scene, 0.6, 0.002).energy.total
    assert np.diff(energy).max() < 5e-4 * np.ptp(energy)
    assert energy[-1] < energy[0]


def test_a_weight_on_a_slope_of_rows_slides_as_coulomb_says():
    """A block that a row keeps on a slope, with friction there: points of one's own, exact bound."""

    def slide(angle: float, friction: float, sides: int | None) -> float:
        scene, normal = rm.Scene(), np.array([sin(angle), 0, cos(angle)])
        block = scene.add_body(rm.Sphere(0.1, mass=2), joint=rm.Translational(), name="block")
        plane = scene.add_constraint(rm.PointInPlane(block, rm.pose(rm.rotation_about("y", angle), (0, 0, 0)), "z", name="plane"))
        scene.add_force(rm.ConstraintFriction(plane, friction, points=[(0, 0, 0)], normals=[(0, 0, 1)], sides=sides))
        run = rm.simulate(scene, 0.5, 0.005)
        assert abs(run.q[-1] @ normal) < 1e-9
        return float(np.linalg.norm(run.qdot[-1]) / 0.5)

    assert np.isclose(slide(0.5, 0.2, None), 9.81 * (sin(0.5) - 0.2 * cos(0.5)), rtol=1e-6)
    assert np.isclose(slide(0.5, 0.2, 4), 9.81 * (sin(0.5) - 0.2 * cos(0.5)), rtol=1e-6)
    assert slide(0.3, 0.32, None) < 1e-9


def test_what_a_constraint_rubs_with_is_checked():
    scene = rm.Scene()
    link = scene.add_body(rm.Cuboid((1, 0.1, 0.1)), joint=HINGE, name="link")
    with pytest.raises(rm.SceneError, match="give the constraint that add_constraint returned"):
        rm.ConstraintFriction(3, 0.2)  # type: ignore[arg-type]
    limit = scene.add_constraint(rm.HardLimit(link, -1, 1, name="stop"))
    for wrong, said in (("closer", "There is no constraint 'closer'"), (limit, "does not hold one place at another")):
        scene.forces.clear()
        scene.add_force(rm.ConstraintFriction(wrong, 0.2, points=[(0, 0, 0)], normals=[(0, 0, 1)]))
        with pytest.raises(rm.SceneError, match=said):
            scene.model()


def test_dynamics_agree_beside_contact_a_spring_and_a_limit():
    scene, last = rm.Scene(), None
    scene.add_ground(contact=0.4)
    for k, q in enumerate((0.2, 0.3)):
        last = scene.add_body(
            rm.Capsule(0.04, 0.3, mass=1), joint=HINGE, parent=last, at=(0.3, 0, 0) if k else (0, 0, 0.35), com=(0.15, 0, 0), q=q,
            contact=0.4, contact_group=1, name=f"b{k}",
        )  # fmt: skip
        scene.add_force(rm.JointFriction(last, 0.4, radius=0.02, height=0.05))
    assert last
    scene.add_force(rm.JointSpring(last, 5.0))
    scene.add_constraint(rm.HardLimit(last, 0.1, 0.4))
    runs = [rm.simulate(scene, 0.3, 0.002, dynamics=name) for name in ("redmax", "recursive")]
    assert np.allclose(runs[0].q, runs[1].q, atol=1e-8)
    assert runs[0].contact_count.max() > 0
    assert runs[0].contacts.residual[1:].max() < 1e-6
