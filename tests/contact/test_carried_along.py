"""What lies on bodies that move as they are told goes along with them: on belts, turntables and lifts that start late, too."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import redmax as rm
from contact.worlds import DT, G, place
from redmax.math import where

MU, START = 0.8, 0.5
BOX = rm.Cuboid((0.1, 0.1, 0.1), mass=1.0)
ALONE, SOLVER = {"dynamics": "recursive"}, {"dynamics": "redmax"}  # with what rests tried first, and with the solver asked in every step


def carried(
    joint: rm.Joint, motion: Callable[[Any], Any], at: tuple[float, float] = (0.0, 0.0), boxes: int = 1, held: bool = False
) -> rm.Scene:
    """Boxes on each other on a table of its own joint. held: on a plate that is fixed to it"""
    scene = rm.Scene()
    table = scene.add_body(rm.Cuboid((2, 2, 0.1), mass=5.0), joint=joint, at=(0, 0, 0.5), motion=motion, contact=MU, name="table")
    if held:
        scene.add_body(rm.Cuboid((1, 1, 0.1), mass=1.0), joint=rm.Fixed(), parent=table, at=(0, 0, 0.1), contact=MU, name="plate")
    for k in range(boxes):
        scene.add_body(BOX, joint=rm.Free3D(), at=(*at, 0.6 + 0.1 * held + 0.1 * k), contact=MU, name=f"box {k}")
    return scene


def ran_on(scene: rm.Scene | rm.Model, duration: float, integrator: str = "implicit", **options: Any) -> rm.Trajectory:
    return rm.simulate(scene, duration, DT, integrator=integrator, **options)


def gathers(rate: float, limit: float = 100.0) -> Callable[[Any], Any]:
    """From START on with constant acceleration, until the velocity `limit`."""
    until = limit / rate
    return lambda t: [where(t > START, where(t > START + until, limit * (t - START - 0.5 * until), 0.5 * rate * (t - START) ** 2), 0.0)]


def asleep_at_start(run: rm.Trajectory) -> bool:
    return run.contacts.newton_steps[int(START / DT) - 20] == 0


@pytest.mark.parametrize("integrator", ["implicit", "euler"])
@pytest.mark.parametrize("options", [ALONE, SOLVER, {"friction": "convex"}, {"dtype": "float32"}], ids=str)
def test_a_box_asleep_on_a_belt_that_starts_gains_mu_g_until_it_goes_along(integrator, options):
    rate, limit = 4 * MU * G, 3.0
    run = ran_on(carried(rm.Prismatic("x"), gathers(rate, limit)), 1.2, integrator, **options)
    v, reached = run.twist("box 0", "hybrid")[:, 3], run.twist("table", "hybrid")[-1, 3]  # the latter to the first order in dt
    assert asleep_at_start(run)
    assert reached == pytest.approx(limit, abs=rate * DT)
    assert np.abs(v - np.clip(MU * G * (run.t - START), 0.0, reached)).max() < 2.5 * MU * G * DT
    distance = reached * (run.t[-1] - START) - 0.5 * reached**2 / (MU * G)
    assert place(run, "box 0")[-1, 0] == pytest.approx(distance, abs=2 * limit * DT)
    assert v[-1] == pytest.approx(reached, abs=1e-5)
    assert run.contacts.newton_steps[-1] == 0  # at rest on the belt, which is tried first again


def test_a_belt_that_moves_at_once_takes_a_box_along_by_friction_alone():
    belt = carried(rm.Prismatic("x"), lambda t: [where(t > START, 0.3 * (t - START), 0.0)])
    run, asked = ran_on(belt, 1.0, **ALONE), ran_on(belt, 1.0, **SOLVER)
    lag = 0.3**2 / (2 * MU * G)
    assert place(run, "table")[-1, 0] - place(run, "box 0")[-1, 0] == pytest.approx(lag, abs=0.3 * DT)
    assert np.abs(run.q - asked.q).max() < 1e-9


@pytest.mark.parametrize("integrator", ["implicit", "euler"])
@pytest.mark.parametrize("boxes", [1, 2])
@pytest.mark.parametrize("joint", ["turntable", "lift", "swing", "plate"])
def test_what_rests_on_bodies_that_are_told_moves_as_where_the_solver_is_asked_in_every_step(joint, boxes, integrator):
    kinds = {"turntable": rm.Revolute("z"), "lift": rm.Prismatic("z"), "swing": rm.Revolute("x"), "plate": rm.Prismatic("y")}
    motion = gathers(0.6 if joint == "swing" else 2.0)
    scene = carried(kinds[joint], motion, (0.3, 0.0), boxes, held=joint == "plate")
    alone, asked = (ran_on(scene, 1.2, integrator, **o) for o in (ALONE, SOLVER))
    assert asleep_at_start(alone)
    assert np.abs(alone.q - asked.q).max() < 1e-8
    assert alone.contacts.residual.max() < 1e-6


def test_a_box_on_a_turntable_stays_where_it_is_on_the_table():
    run = ran_on(carried(rm.Revolute("z"), gathers(2.0), (0.5, 0.0)), 1.5)
    angle = run.q[-1, 0]
    assert angle == pytest.approx(1.0, abs=3 * DT)
    assert place(run, "box 0")[-1, :2] == pytest.approx(0.5 * np.array([np.cos(angle), np.sin(angle)]), abs=1e-3)


def test_worlds_of_a_batch_go_along_with_their_belts():
    model = carried(rm.Prismatic("x"), gathers(1.0)).model()
    one = ran_on(model, 1.0)
    start = rm.State(0.0, np.stack([model.q0] * 3), np.stack([model.qdot0] * 3))
    batch = ran_on(model, 1.0, initial=start)
    assert np.abs(batch.q - one.q[:, None]).max() < 1e-12
    assert batch.pose("box 0")[-1, :, 0, 3] == pytest.approx(0.125, abs=1e-2)
