"""Mechanisms put together: where the parts go, what is held, what is said where they cannot meet, and rows that repeat others."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest
from tests.constraints.four_bar import LENGTHS, angles, four_bar, gaps, rates

import redmax as rm
from redmax.cli.check import checked
from redmax.run.assembled_scene import reported
from redmax.scenes import find


def pulled_apart(coupler: float = 0.4, crank: float = 0.7, **options: float) -> rm.Scene:
    """Angles of coupler and follower as somebody might sketch them, and no rate but the crank's."""
    scene = four_bar(crank, 6.0, LENGTHS, **options)
    for i, (dq, keeps) in enumerate(((0.0, True), (coupler, False), (-0.2, False))):
        link = scene.links[i]
        scene.links[i] = replace(link, q=link.q + dq, qdot=link.qdot if keeps else np.zeros(1))
    return scene


def bar(length: float) -> rm.Cuboid:
    return rm.Cuboid((length, 0.05, 0.05), density=1000)


def arm(*targets: float) -> rm.Scene:
    """Half a metre long, to be held at these distances from (2, 0, 0)."""
    scene = rm.Scene()
    body = scene.add_body(bar(0.5), joint=rm.Revolute("y"), com=(0.25, 0, 0), name="arm")
    for k, length in enumerate(targets):
        scene.add_constraint(rm.Distance(body.point(0.25, 0, 0), (2, 0, 0), length, name=f"rod{k}"))
    return scene


def test_a_scene_without_constraints_stays_as_it_is():
    scene = rm.Scene()
    scene.add_body(bar(0.5), joint=rm.Spherical("quaternion"), name="arm", q=(0, 1, 0, 0))
    scene.add_body(bar(0.5), parent="arm", joint=rm.Revolute("y"), motion=lambda t: t, name="led")
    found = scene.assemble()
    assert found.mobility == 3
    assert not found.moved["arm"].any()
    assert scene.model().q0.tolist() == [0, 1, 0, 0, 0]
    assert "3 ways to move" in str(found)


@pytest.mark.parametrize("crank", [0.7, 2.0, -1.0])
def test_what_is_fixed_stays_and_the_others_follow(crank):
    """By the law of cosines, on the branch that is nearest; rates by the loop of velocities."""
    scene = pulled_apart(crank=crank)
    found = scene.assemble(fixed=["crank"])
    coupler, follower = angles(crank)
    turns = np.array([-crank, crank - coupler, -follower])
    model = scene.model()
    assert np.abs(model.q0 - turns).max() < 1e-11
    of_coupler, of_follower = rates(crank, 6.0)
    assert np.abs(model.qdot0 - [-6.0, 6.0 - of_coupler, -of_follower]).max() < 1e-10
    assert found.mobility == 1
    assert found.gaps["closure"] > 0.1
    assert found.moved["crank"] == 0
    assert found.moved["coupler"][0] == pytest.approx(-0.4, abs=1e-9)


def test_small_corrections_are_the_least_in_kinetic_energy():
    """Those of the first order: M dq has no part along the motion that the loop allows."""
    scene = four_bar()
    before = scene.model()
    scene.links[1] = replace(scene.links[1], q=scene.links[1].q + 1e-5)
    begun = scene.model().q0
    scene.assemble()
    dq = scene.model().q0 - begun
    M = rm.Dynamics(scene).inertia(before.q0)
    allowed = before.qdot0
    assert np.linalg.norm(dq) > 1e-6
    assert abs(allowed @ M @ dq) < 1e-4 * np.sqrt((allowed @ M @ allowed) * (dq @ M @ dq))


def test_a_linkage_that_is_drawn_straight_finds_its_way():
    scene = rm.Scene()
    first = scene.add_body(bar(1.0), joint=rm.Revolute("y"), com=(0.5, 0, 0))
    second = scene.add_body(bar(1.0), joint=rm.Revolute("y"), parent=first, at=(1, 0, 0), com=(0.5, 0, 0))
    scene.add_constraint(rm.PointClosure(second.point(0.5, 0, 0), (1.2, 0, 0)))
    assert scene.assemble().mobility == 0
    assert np.cos(scene.model().q0[0]) == pytest.approx(0.6, abs=1e-12)


def test_runs_begin_on_the_constraints_and_say_so():
    with pytest.warns(
        rm.RedmaxWarning, match=r"off its constraints, PointClosure 'closure' by .* m, and was assembled: joint 'coupler' moved"
    ):
        run = rm.simulate(pulled_apart(), 0.02, 0.01)
    assert gaps(run).max() < 1e-12
    assert run.qdot[0, 0] == -6.0  # which the scene gives
    digits = four_bar()
    digits.links[1] = replace(digits.links[1], q=np.round(digits.links[1].q, 6))
    assert gaps(rm.simulate(digits, 0.02, 0.01)).max() < 1e-12  # without a word


def test_a_run_goes_on_from_where_fixed_steps_left_it():
    """Within `drift` a state that is given is taken as it is; beyond, it is assembled."""
    scene, how = four_bar(), {"dt": 0.01, "integrator": "euler"}
    whole = rm.simulate(scene, 0.2, **how)
    part = rm.simulate(scene, 0.1, **how)
    assert gaps(part)[-1] > 1e-7
    rest = rm.simulate(scene, 0.1, initial=part.state(), **how)
    assert np.abs(rest.q[-1] - whole.q[-1]).max() < 1e-12
    with pytest.warns(rm.RedmaxWarning, match="The initial state is off its constraints"):
        moved = rm.simulate(scene, 0.01, initial=rm.State(0.0, part.q[-1] + [0, 0.1, 0], part.qdot[-1]), **how)
    assert gaps(moved)[0] < 1e-12
    sim = rm.Simulation(scene, **how)
    sim.step(10)
    sim.restore(sim.checkpoint())
    assert np.array_equal(sim.q[0], part.q[-1])


def test_rates_that_cannot_be_kept_are_named():
    scene = four_bar()
    scene.links[2] = replace(scene.links[2], qdot=2 * scene.links[2].qdot)
    with pytest.warns(rm.RedmaxWarning, match="the rate of joint 'follower'"):
        rm.Simulation(scene, integrator="euler")


def test_loops_that_cannot_meet_are_named_with_their_gaps():
    with pytest.raises(rm.SceneError, match=r"Distance 'rod0' is off by .* the nearest one leaves Distance 'rod0' by 0\.5 m\. Move"):
        rm.Simulation(arm(1.0), integrator="euler")
    with pytest.raises(
        rm.SceneError,
        match=r"'rod\d' and Distance 'rod\d' cannot be met together: .* leaves Distance 'rod\d' by .* m, .* by .* m\. Leave one",
    ):
        rm.Simulation(arm(1.6, 1.8), integrator="euler")
    with pytest.raises(rm.SceneError, match="Held were the coordinates of 'crank', 'follower'"):
        pulled_apart(0.4, crank=0.7).assemble(fixed=["crank", "follower"])
    with pytest.raises(rm.SceneError, match="There is no body or joint 'crnk'"):
        four_bar().assemble(fixed=["crnk"])
    with pytest.raises(rm.SceneError, match=r"fixed must be a list of names .* Got 'crank'"):
        four_bar().assemble(fixed="crank")


def test_constraints_with_gains_of_their_own_begin_as_they_are():
    scene = pulled_apart(gain=5.0)
    assert np.array_equal(rm.Simulation(scene, integrator="euler").q[0], scene.model().q0)


def closed_by(kind: str) -> rm.Scene:
    """The four-bar linkage with its loop closed by 3, 5 or 6 rows; by a weld the follower is cut in two halves."""
    model, scene, (a, b, c, d), hinge = four_bar().model(), rm.Scene(), LENGTHS, rm.Revolute("y")
    (q1, q2, q3), (v1, v2, v3) = model.q0, model.qdot0
    crank = scene.add_body(bar(a), joint=hinge, com=(a / 2, 0, 0), q=q1, qdot=v1)
    coupler = scene.add_body(bar(b), joint=hinge, parent=crank, at=(a, 0, 0), com=(b / 2, 0, 0), q=q2, qdot=v2)
    length = c / 2 if kind == "weld" else c
    follower = scene.add_body(bar(length), joint=hinge, at=(d, 0, 0), com=(length / 2, 0, 0), q=q3, qdot=v3)
    ends = coupler.point(b / 2, 0, 0), follower.point(length / 2, 0, 0)
    if kind == "weld":
        turn = {"q": q3 - q1 - q2, "qdot": v3 - v1 - v2}
        dummy = scene.add_body(bar(c / 2), parent=coupler, joint=hinge, at=(b, 0, 0), com=(-c / 4, 0, 0), **turn)
        scene.add_constraint(rm.WeldClosure(dummy.point(-c / 4, 0, 0), ends[1], name="loop"))
    elif kind == "hinge":
        scene.add_constraint(rm.HingeClosure(*ends, axis="y", name="loop"))
    else:
        scene.add_constraint(rm.PointClosure(*ends, name="loop"))
    return scene


def test_three_five_or_six_rows_close_one_loop_alike():
    runs = {kind: rm.simulate(closed_by(kind), 0.5, 0.05, rtol=1e-11) for kind in ("point", "hinge", "weld")}
    for kind in ("hinge", "weld"):
        assert np.abs(runs[kind].q[:, :3] - runs["point"].q).max() < 1e-9, kind
    assert [len(run.notes) for run in runs.values()] == [2, 2, 2]
    assert all(run.notes[0] == "1 way to move is left." for run in runs.values())
    assert runs["point"].notes[1] == "Row 1 of PointClosure 'loop' says what the joints do already, of 3 counted from 0."
    assert runs["hinge"].notes[1].startswith("Rows ")


def test_rows_that_repeat_others_are_named_and_change_nothing(tmp_path, capsys):
    once, twice = four_bar(), four_bar()
    twice.add_constraint(rm.PointClosure(twice.find("coupler").point(1, 0, 0), twice.find("follower").point(0.6, 0, 0), name="again"))
    runs = [rm.simulate(scene, 0.3, 0.1, rtol=1e-10) for scene in (once, twice)]
    assert np.abs(runs[0].q - runs[1].q).max() < 1e-9
    assert "Rows 0, 2 of PointClosure 'again' repeat others, of 3 counted from 0: their forces are those of least norm." in runs[1].notes
    assert "repeat others" in runs[1].summary()
    twice.save(tmp_path / "twice.yaml")
    assert checked(tmp_path / "twice.yaml", {}) == 0
    said = capsys.readouterr().out
    assert "1 way to move is left" in said
    assert "Rows 0, 2 of PointClosure 'again' repeat others" in said
    arm(1.0).save(tmp_path / "short.yaml")
    assert checked(tmp_path / "short.yaml", {}) == 2
    assert "the nearest one leaves Distance 'rod0' by 0.5 m" in capsys.readouterr().err


@pytest.mark.parametrize("integrator", ["implicit", "adaptive"])
def test_a_parallelogram_that_folds_flat_goes_on(integrator):
    """Its rows lie on each other there; its energy does not notice."""
    scene = four_bar(crank=0.5 * np.pi, speed=8.0, lengths=(1.0, 2.0, 1.0, 2.0))
    run = rm.simulate(scene, 1.0, 0.005, integrator=integrator, rtol=1e-9, every=5)
    flat = np.abs(np.sin(run.q[:, 0])).min()
    assert flat < 0.2
    assert np.ptp(run.q[:, 0]) > 3.0
    assert gaps(run, (1.0, 2.0, 1.0, 2.0)).max() < 1e-4
    if integrator == "adaptive":
        assert run.energy.drift.max() < 1e-6


def test_worlds_of_a_batch_are_assembled_each_by_itself():
    """One warning for all; lengths that differ from world to world have starts that do."""
    ball = rm.Scene()
    held = ball.add_body(rm.Sphere(0.1, mass=1), joint=rm.Translational(), at=(1, 0, 0), name="ball")
    ball.add_constraint(rm.Distance(held, (0, 0, 0), name="rod"))
    with pytest.warns(rm.RedmaxWarning, match=r"'rod' by 0\.\d+ m, .* So was 1 other world\.") as said:
        run = rm.simulate(ball, 0.1, 0.05, integrator="rk4", parameters={"rod.length": np.array([1.0, 1.2, 0.8])})
    assert len(said) == 1
    assert np.abs(run.q[0][:, 0] - [0.0, 0.2, -0.2]).max() < 1e-12


def test_many_closures_are_told_of_in_few_lines() -> None:
    """A lift of twenty loops, each of which is a little open: one line for all gaps, and one for rows of the same kind."""
    scene = find("scissor-lift").scene()
    lines = reported(scene)
    assert len(lines) <= 6
    assert any("constraints)" in line and "what the joints do already" in line for line in lines)
    for k, link in enumerate(scene.links):
        scene.links[k] = replace(link, q=link.q + 1e-3 * np.sin(k))
    assert re.match(r"(19|20) constraints are off where the scene begins, most PointClosure .*, by ", reported(scene)[0])
