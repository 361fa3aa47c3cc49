"""What rests does not creep: boxes on slopes up to the angle of friction, stacks, a house of cards, a box in a grip."""

from __future__ import annotations

from math import atan, cos, degrees, radians, sin

import numpy as np
import pytest

import redmax as rm
from contact.worlds import DT, G, moved_since, on_ramp, place, ran, speed
from redmax.math import where
from redmax.scenes import find
from redmax.scenes.gripper import UP
from redmax.scenes.stacks import pile, stack

MU = 0.8
LIMIT = atan(MU)
CREEP = 1e-9  # m/s


@pytest.mark.parametrize("share", [0.5, 0.98])
def test_a_box_within_the_angle_of_friction_does_not_creep(share):
    run = ran(on_ramp(share * LIMIT, MU), 2.0)
    assert moved_since(run, 1.0) < 1.0 * CREEP
    assert np.abs(speed(run)[run.t > 1]).max() < CREEP
    assert (run.contacts[-1].state == "sticking").all()


def test_it_sticks_and_slides_within_a_twentieth_of_a_degree_of_the_angle_of_friction():
    below, beyond = (ran(on_ramp(LIMIT + radians(x), MU), 1.0) for x in (-0.05, 0.05))
    assert np.abs(speed(below)[-100:]).max() < CREEP
    angle = LIMIT + radians(0.05)
    expected = G * (sin(angle) - MU * cos(angle))
    assert np.diff(speed(beyond)[[250, -1], 3]) / 0.5 == pytest.approx(expected, rel=1e-6)  # once its weight is carried
    assert degrees(LIMIT) == pytest.approx(38.66, abs=0.01)


@pytest.mark.parametrize(("stiff", "deepest"), [(False, 250e-6), (True, 25e-6)])
def test_ten_boxes_stand_still_and_sink_in_little(stiff, deepest):
    run = ran(stack(stiff=stiff), 1.0)
    assert run.contacts[-1].gap.min() > -deepest
    assert run.contacts[-1].gap.min() < -0.5 * deepest
    assert moved_since(run, 0.6) < 0.4 * CREEP
    assert np.abs(run.qdot[-1]).max() < CREEP


def test_a_stack_at_rest_is_carried_by_the_impulses_of_the_step_before_and_does_not_drift():
    run = ran(stack(), 60.0, every=500)
    assert run.contacts.newton_steps[2:].max() == 0
    assert run.contacts.residual[2:].max() < 1e-10
    assert moved_since(run, 10.0) < 1e-13
    assert run.contact_force("box 1", "ground")[-1] == pytest.approx([0, 0, 10 * G], abs=1e-9)


@pytest.mark.long
@pytest.mark.parametrize("stiff", [False, True])
def test_a_stack_does_not_drift_in_a_million_steps(stiff):
    run = ran(stack(stiff=stiff), 2000.0, every=50_000)
    assert moved_since(run, 100.0) < 1e-12
    assert np.abs(run.qdot[-1]).max() < CREEP
    assert run.contacts.residual.max() <= 1e-6


def test_what_rests_wakes_when_something_falls_on_it():
    scene = rm.Scene()
    scene.add_ground()
    for name, z in (("lower", 0.1), ("upper", 1.3)):
        scene.add_body(rm.Cuboid((0.2, 0.2, 0.2), mass=1.0), joint=rm.Free3D(), at=(0, 0, z), contact=True, name=name)
    run = ran(scene, 1.5)
    lands = run.contact_force("upper")[:, 2] > 0
    k = int(np.argmax(lands))
    assert run.t[k] == pytest.approx(np.sqrt(2 * 1.0 / G), abs=2.5 * DT)
    assert run.contacts.newton_steps[k - 10] == 0
    assert run.contacts.newton_steps[k] > 0
    assert run.contact_force("lower", "ground")[k, 2] > 50 * G
    assert run.contacts.residual.max() <= 1e-6
    assert run.contact_force("lower", "ground")[-1] == pytest.approx([0, 0, 2 * G], abs=1e-7)


@pytest.mark.parametrize("integrator", ["implicit", "euler"])
def test_what_rests_and_is_pushed_moves_as_where_the_solver_is_asked_in_every_step(integrator):
    scene = rm.Scene()
    scene.add_ground()
    box = scene.add_body(rm.Cuboid((0.2, 0.2, 0.1), mass=1.0), joint=rm.Free3D(), at=(0, 0, 0.05), contact=True, name="box")
    arm = rm.Capsule(0.02, 0.2, mass=0.3)
    scene.add_body(arm, joint=rm.Revolute("y"), parent=box, at=(0, 0, 0.05), com=(0, 0, 0.1), stiffness=5.0, damping=0.5, name="arm")
    pull = lambda t: (where(t > 0.2, 1.0, 0.0) + where(t > 0.4, 19.0, 0.0), 0.0, 0.0)  # noqa: E731
    scene.add_force(rm.AppliedWrench(box.point(0, 0, 0), force=pull, frame="world"))
    runs = [rm.simulate(scene, duration=0.6, dt=DT, integrator=integrator, dynamics=d, progress=False) for d in ("recursive", "redmax")]
    alone, asked = runs
    still, pushed, slides = (int(np.searchsorted(alone.t, t)) for t in (0.19, 0.39, 0.59))
    assert np.abs(alone.q - asked.q).max() < 1e-9
    assert alone.contacts.newton_steps[still] == 0
    assert alone.contacts.residual.max() < 1e-6
    assert alone.contact_force("box", "ground")[still] == pytest.approx(asked.contact_force("box", "ground")[still], abs=1e-8)
    assert alone.contact_force("box", "ground")[pushed] == pytest.approx([-1.0, 0, 1.3 * G], abs=1e-6)
    assert alone.q[slides, 0] > 1e-3


def test_the_ground_carries_the_weight_of_a_stack():
    run = ran(stack(), 1.0)
    assert run.contact_force("box 1", "ground")[-1] == pytest.approx([0, 0, 10 * G], abs=1e-6)
    assert run.contact_force("box 6", "box 5")[-1] == pytest.approx([0, 0, 5 * G], abs=1e-6)


def test_a_house_of_cards_stands():
    run = ran(find("card-house").scene(), 60.0, every=100)
    assert moved_since(run, 1.4) < 0.2 * CREEP
    assert moved_since(run, 2.0) < 1e-13
    assert moved_since(run, 0.0) < 2e-3
    assert run.contacts.residual.max() <= 1e-6


@pytest.mark.parametrize("seed", [0, 3])
def test_boxes_in_a_heap_lie_still_and_sink_in_little(seed):
    """Whichever of their points bear them from step to step: a pair that pressed goes on with what it bore."""
    run = ran(pile(seed=seed), 6.0, every=50)
    assert run.contacts[-1].gap.min() > -1e-3  # of boxes of 20 cm, at most six on each other
    assert np.abs(run.qdot[-1]).max() < CREEP
    assert run.contacts.residual.max() <= 1e-6
    assert run.contacts.count[-1] > 200


def test_dominoes_lie_still_once_they_have_fallen():
    """On edges and faces of each other that are nearly parallel, where points are far more sensitive than bodies move.

    Roundings may grow there to a tremble of 1e-5 m/s for a tenth of a second, which leads nowhere: bodies stay within nanometres.
    """
    run = ran(find("dominoes").scene(), 2.0)
    assert np.abs(run.qdot[-1]).max() < CREEP
    assert moved_since(run, 1.9) < 0.1 * CREEP
    run = ran(find("dominoes").scene(), 6.0, every=5)
    late = run.t > 1.7
    places = np.array([run.pose(name)[late, :3, 3] for name in run.model.body_names])
    assert np.abs(places - places[:, :1]).max() < (6.0 - 1.7) * CREEP
    assert np.abs(run.qdot[late]).max() < 1e-4


def test_a_gripper_lifts_a_box_that_does_not_slip():
    entry = find("gripper")
    run = ran(entry.scene(), entry.duration)
    k = int(np.searchsorted(run.t, UP[0]))
    lifted = place(run, "box")[:, 2] - place(run, "box")[k, 2]
    followed = place(run, "palm")[:, 2] - place(run, "palm")[k, 2]
    assert lifted[-1] == pytest.approx(0.25, abs=2e-3)
    assert np.abs(lifted - followed)[k:].max() < 1e-4
    late = run.t > 1.7
    assert np.ptp((lifted - followed)[late]) < 0.3 * CREEP
    assert run.contact_force("box", "left finger")[-1] == pytest.approx([15, 0, G / 2], rel=1e-3)


def test_what_overlaps_where_a_run_begins_is_named_and_comes_apart_slowly():
    scene = rm.Scene()
    scene.add_ground()
    scene.add_body(rm.Cuboid((0.2, 0.2, 0.2), mass=1.0), joint=rm.Free3D(), at=(0, 0, 0.02), contact=True, name="sunk")
    with pytest.warns(rm.RedmaxWarning, match=r"'ground' and 'sunk' overlap by 0\.08 where the run begins"):
        run = rm.simulate(scene, 0.4, dt=0.002, progress=False)
    assert np.abs(run.qdot).max() < 0.01
    assert run.pose("sunk")[-1, 2, 3] > 0.021
