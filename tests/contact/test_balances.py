"""What holds for any contact: momentum comes of weight and the ground, mirror images move as mirror images, both dynamics agree."""

from __future__ import annotations

import numpy as np
import pytest

import redmax as rm
from contact.worlds import DT, G, place, ran
from redmax.dynamics.contact.rows import T_IMPULSE
from redmax.dynamics.contact.runner import told_of
from redmax.scenes import find
from redmax.scenes.falling_chain import build as chain
from redmax.scenes.stacks import pile

BODIES = 8


@pytest.fixture(scope="module")
def heap() -> rm.Trajectory:
    """Boxes that fall on each other in a bin."""
    return ran(pile(BODIES, seed=3), 1.0)


def test_momentum_changes_by_weight_and_what_stands_in_the_world(heap):
    """Impulses between bodies cancel. Forces are those of the steps that end at the samples."""
    outside = [o.name for o in heap.model.obstacles]
    force = -sum(heap.contact_force(name) for name in outside)
    change = np.diff(heap.momentum[:, 3:], axis=0)
    expected = DT * (force[1:] + np.array([0, 0, -BODIES * G]))
    assert change == pytest.approx(expected, abs=1e-9)
    assert np.abs(force).max() > 3 * BODIES * G  # in impacts


def test_of_a_mechanism_too():
    """Of a chain that lands: what links do to each other as they turn leaves no momentum out (dynamics/common/flown_trees.py)."""
    errors = []
    for dt in (DT, DT / 4):
        run = ran(chain(bend=-0.2, height=0.3), 0.4, dt)
        impulse = -dt * run.contact_force("ground")[1:]
        error = np.diff(run.momentum[:, 3:], axis=0) - impulse - dt * np.array([0, 0, -20 * G])
        errors.append(np.abs(error).sum() / np.abs(impulse).sum())
    assert max(errors) < 1e-10


def test_what_the_solver_tells_is_what_a_run_holds(heap):
    """Impulses in world axes, in the table that goes from step to step."""
    sim = rm.Simulation(pile(BODIES, seed=3), dt=DT, integrator="implicit")
    sim.advance(1, sim.torques(), *sim.room(300))
    told = told_of(sim.runner.notes)
    held, table = int(told.held[-1, 0]), told.table[-1, 0]
    assert held == len(heap.contacts[300]) > 0
    assert table[:held, T_IMPULSE : T_IMPULSE + 3] / DT == pytest.approx(heap.contacts[300].force, abs=1e-9)


def test_mirror_images_move_as_mirror_images():
    """A ball falls between two boxes with little friction: it stays in the middle, and what is left goes as far as what is right."""
    scene = rm.Scene()
    scene.add_ground(contact=0.1)
    for name, side in (("left", -1), ("right", 1)):
        scene.add_body(rm.Cuboid((0.2, 0.2, 0.2), mass=1.0), joint=rm.Free3D(), at=(side * 0.16, 0, 0.1), contact=0.1, name=name)
    scene.add_body(rm.Sphere(0.1, mass=3.0), joint=rm.Free3D(), at=(0, 0, 0.5), contact=0.1, name="ball")
    run = ran(scene, 0.8)
    left, right, ball = (place(run, name) for name in ("left", "right", "ball"))
    assert np.abs(ball[:, :2]).max() < 1e-7
    assert np.abs(left + right * [1, -1, -1]).max() < 1e-7
    assert right[-1, 0] > 0.17


@pytest.mark.parametrize(("name", "duration"), [("gripper", 0.8), ("chain-on-ground", 0.3), ("humanoid-falls", 0.3)])
def test_recursive_and_redmax_agree(name, duration):
    scene = find(name).scene()
    one, other = (ran(scene, duration, dynamics=dynamics) for dynamics in ("recursive", "redmax"))
    assert one.contacts.pressing.max() > 3
    assert np.abs(one.q - other.q).max() < 1e-6
    assert (one.contacts.count == other.contacts.count).all()


def test_a_run_that_goes_on_is_as_one_that_never_stopped(heap):
    """With impulses of its contacts kept."""
    scene = pile(BODIES, seed=3)
    sim = rm.Simulation(scene, dt=DT, integrator="implicit")
    for steps in (300, 1, 149):
        sim.step(steps)
    assert np.abs(sim.q[0] - heap.q[450]).max() < 1e-12
