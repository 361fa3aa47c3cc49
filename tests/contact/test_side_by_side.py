"""Many worlds with contact side by side are as each of them alone: all shapes, fixed obstacles, mechanisms, remainders, threads, types."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import redmax as rm
from redmax.backends.base import make_plan, make_runner
from redmax.dynamics.choose import system
from redmax.dynamics.contact.detect import FEATURES
from redmax.dynamics.contact.rows import TOLD
from redmax.dynamics.contact.slots import regroup
from redmax.dynamics.contact.slots import runner as side_by_side
from redmax.dynamics.contact.slots.fits import slot_system
from redmax.integrators import METHODS

DT = 0.002
SHAPES = {
    "ball": rm.Sphere(0.1, mass=1.0),
    "capsule": rm.Capsule(0.06, 0.2, mass=1.0),
    "cylinder": rm.Cylinder(0.1, 0.15, mass=1.0),
    "box": rm.Cuboid((0.2, 0.16, 0.12), mass=1.0),
}


FIXED = {
    "ground": (0.0, 0.0),
    "ramp": (4.0, 0.0),
    "sphere": (-4.0, 0.0),
    "rod": (-4.0, 4.0),
    "drum": (0.0, 4.0),
    "block": (0.0, 8.0),
}  # where, x and y


def course() -> rm.Scene:
    """A body of each shape, which pass through each other, and fixed ones of each shape."""
    scene = rm.Scene()
    scene.add_ground(contact=0.5)
    scene.add_obstacle(rm.Plane(), at=rm.pose(rm.rotation_about("y", -0.3), (4.0, 0, 0)), contact=0.3, name="ramp")
    round_ones = rm.Sphere(1.0, mass=1.0), rm.Capsule(0.5, 1.0, mass=1.0)
    flat_ones = rm.Cylinder(0.8, 1.0, mass=1.0), rm.Cuboid((2.0, 2.0, 1.0), mass=1.0)
    for name, shape in zip(list(FIXED)[2:], (*round_ones, *flat_ones), strict=True):
        scene.add_obstacle(shape, at=rm.pose(rm.rotation_about("x", 0.05), (*FIXED[name], 0)), contact=0.4, name=name)
    for name, shape in SHAPES.items():
        scene.add_body(shape, joint=rm.Free3D(), at=(0, 0, 1.3), contact=0.6, contact_group=1, name=name)
    return scene


def over(worlds: int, shift: float) -> rm.State:
    """Of the course: each body over another of the fixed ones in each world."""
    rng, places = np.random.default_rng(1), list(FIXED.values())
    q, qdot = np.zeros((2, worlds, 6 * len(SHAPES)))
    for w in range(worlds):
        for k in range(len(SHAPES)):
            q[w, 6 * k : 6 * k + 2] = np.array(places[(w + k) % len(places)]) + 0.1
            q[w, 6 * k + 2] = {0: -1.0, 1: -1.0}.get((w + k) % len(places), -0.2 if (w + k) % len(places) == 2 else -0.5)
            q[w, 6 * k + 3 : 6 * k + 6] = 0.3 * rng.standard_normal(3)
            qdot[w, 6 * k : 6 * k + 6] = 0.3 * rng.standard_normal(6)
    return rm.State(0.0, q + shift, qdot)


JOINTS = (rm.Revolute("y"), rm.Revolute("x"), rm.Universal(), rm.Spherical(), rm.Prismatic("z"), rm.Fixed())


def mechanism(seed: int) -> rm.Scene:
    """Two trees of random joints and shapes; a ball beside them."""
    rng, scene = np.random.default_rng(seed), rm.Scene()
    scene.add_ground(contact=rm.ContactMaterial(friction=0.6))
    shapes = list(SHAPES.values())
    for tree in range(2):
        made: list[Any] = []
        for k in range(4):
            parent = made[rng.integers(len(made))] if made else None
            joint = JOINTS[rng.integers(len(JOINTS))] if made else rm.Free3D()
            hinge = {"damping": 0.1, "stiffness": 3.0} if made and joint.dof == 1 else {}
            at = rng.uniform(-0.3, 0.3, 3) if made else (3.0 * tree, 0.0, 0.45)
            shape, rest = shapes[rng.integers(len(shapes))], {"contact": 0.5, "contact_group": 1, **hinge}
            made.append(scene.add_body(shape, joint=joint, parent=parent, at=at, name=f"{tree} {k}", **rest))
    scene.add_body(rm.Sphere(0.1, mass=1.0), joint=rm.Free3D(), at=(0, 3, 2.0), contact=0.5, contact_group=1, name="ball")
    return scene


def begun(scene: rm.Scene | rm.Model, worlds: int, shift: float = 0.0, **options: Any) -> rm.Simulation:
    """So many worlds, each with velocities of its own."""
    model = rm.Simulation(scene, dt=DT).model
    qdot = 0.5 * np.random.default_rng(0).standard_normal((worlds, model.nv))
    return rm.Simulation(model, dt=DT, initial=rm.State(0.0, np.full((worlds, model.nq), shift), qdot), **options)


def ran(sim: rm.Simulation, samples: int, stride: int = 1) -> dict[str, np.ndarray]:
    """q, qdot, and what is told of contacts: (samples, worlds, n)."""
    tau, (q, qdot) = sim.torques(), sim.room(samples)
    sim.advance(stride, tau, q, qdot)
    return {"q": np.array(q), "qdot": np.array(qdot)} | {name: np.array(a) for name, a in sim.runner.notes.items()}


def assert_alike(monkeypatch, make: Any, samples: int, least: float = 1e-11, shift: float = 1e-12) -> dict[str, np.ndarray]:
    """Worlds side by side are as worlds one after the other, to what those change if they begin 1e-12 elsewhere.

    Where forces are not determined, as of boxes on their faces, slack is found by nearly dependent differences, which roundings move.
    make(shift): the worlds, begun that far off
    """
    monkeypatch.setattr(side_by_side, "FEWEST", 10**9)
    alone, shifted = ran(make(0.0), samples), ran(make(shift), samples)
    monkeypatch.setattr(side_by_side, "FEWEST", 1)
    together = ran(make(0.0), samples)
    for name in ("q", "qdot"):
        off, allowed = (np.abs(alone[name] - other[name]).max(axis=(0, 2)) for other in (together, shifted))
        assert (off < least + 2.0 * allowed).all()
    touching = alone["contact_counts"][..., 0] > 0
    assert (touching == (together["contact_counts"][..., 0] > 0)).all()
    turns = np.array([run["contact_counts"][touching][:, (0, 3, 4)] for run in (alone, together)])
    rolls = (turns[:, :, 2].min(axis=0) == 0) & (turns[:, :, 2].max(axis=0) == 1)  # at rest for one of them: alone, forces turn with a body
    assert (turns[0] == turns[1]).all(axis=1)[~rolls].mean() > 0.98
    for run in (alone, together):
        assert (run["contact_counts"][touching][rolls, 2] < 1e-6).all()
    assert (alone["contact_held"] == together["contact_held"])[..., 0].mean() > 0.999
    rows = [run["contact_table"].reshape(*touching.shape, -1, TOLD)[0] for run in (alone, together)]
    there = np.arange(rows[0].shape[1]) < alone["contact_held"][0, :, :1]
    np.testing.assert_allclose(*[r[there] for r in rows], rtol=1e-6, atol=1e-9)
    return together


def test_each_shape_on_each_fixed_one(monkeypatch):
    model, worlds = rm.Simulation(course(), dt=DT).model, 13
    slots = slot_system(model)
    assert slots is not None
    together = assert_alike(monkeypatch, lambda shift: rm.Simulation(model, dt=DT, initial=over(worlds, shift)), 200)
    keys = together["contact_table"].reshape(200, worlds, -1, TOLD)[..., 0]
    seen = set((keys[np.arange(keys.shape[2]) < together["contact_held"][..., :1]] // FEATURES).astype(int).tolist())
    assert seen == set(range(len(model.contact_pairs)))


@pytest.mark.parametrize("seed", range(3))
def test_random_mechanisms_fall_as_alone(monkeypatch, seed):
    scene = mechanism(seed)
    together = assert_alike(monkeypatch, lambda shift: begun(scene, 9, shift), 150)
    assert together["contact_counts"][..., 2].max() < 1e-6
    assert together["contact_held"][..., 0].max() > 4


def rolling() -> rm.Scene:
    """A ball and a rod, on ground that takes a law of its own for the ball."""
    scene = rm.Scene()
    scene.add_ground(contact=0.5, name="ground")
    bouncing = rm.ContactMaterial(restitution=0.5)
    scene.add_body(SHAPES["ball"], joint=rm.Free3D(), at=(0, 0, 0.1), contact=0.6, contact_group=1, name="ball")
    scene.add_body(SHAPES["capsule"], joint=rm.Free3D(), at=(1, 0, 0.3), contact=bouncing, contact_group=1, name="rod")
    scene.set_contact("ball", "ground", rm.ContactMaterial(friction=0.1))
    return scene


@pytest.mark.parametrize("options", [{}, {"friction": "convex"}, {"integrator": "euler"}, {"dtype": "float32"}], ids=str)
def test_options_and_types(monkeypatch, options):
    scene = rolling()
    single = "dtype" in options
    together = assert_alike(monkeypatch, lambda shift: begun(scene, 10, shift, **options), 120, *((1e-6, 1e-6) if single else ()))
    assert together["contact_held"][..., 0].max() >= 2


@pytest.mark.filterwarnings("ignore:.*(overlap|broke off)")
def test_who_is_beside_whom_and_on_which_thread_makes_no_difference(monkeypatch):
    """One that never touches, one that lies deep in the ground, and one that is lost at once: the others do not notice."""
    model = rm.Simulation(rolling(), dt=DT).model
    q, qdot = np.zeros((21, model.nq)), 0.5 * np.random.default_rng(2).standard_normal((21, model.nv))
    ran_with: list[np.ndarray] = []
    for odd, threads in ((False, "1"), (True, "2"), (True, "1")):
        monkeypatch.setenv("REDMAX_THREADS", threads)
        q[3, (2, 8)], q[4, 2], qdot[5, 3] = (100.0, -0.06, 1e200) if odd else (0.0, 0.0, 0.0)
        ran_with.append(rm.simulate(model, 0.2, DT, initial=rm.State(0.0, q, qdot)).q)
    others = np.r_[0:3, 6:21]
    assert (ran_with[0][:, others] == ran_with[1][:, others]).all()
    assert np.array_equal(ran_with[1], ran_with[2], equal_nan=True)
    assert np.isfinite(ran_with[1][:, 3:5]).all()
    assert not np.isfinite(ran_with[1][-1, 5]).all()


def test_a_run_goes_on_where_it_ended():
    """Contacts are handed from run to run as of one world: the same to the last bit, and alone as well as side by side."""
    scene = rolling()
    whole, parts = begun(scene, 6), begun(scene, 6)
    expected = ran(whole, 4, 30)
    found = [ran(parts, 1, 30) for _ in range(4)]
    for k, part in enumerate(found):
        assert (part["q"][0] == expected["q"][k]).all()
        assert (part["contact_counts"][0] == expected["contact_counts"][k]).all()
    assert expected["contact_held"][-1, :, 0].min() > 0


def test_where_friction_is_hard_to_solve_worlds_take_what_they_take_alone(monkeypatch):
    """Of much friction some steps take many turns, which are the same; and where none of them ends, worlds go on alone, to the same end."""
    scene, hard = mechanism(0), rm.ContactMaterial(friction=3.0)
    scene.links[:] = [replace(link, contact=hard) for link in scene.links]
    runs = []
    for fewest in (10**9, 1):
        monkeypatch.setattr(side_by_side, "FEWEST", fewest)
        runs.append(ran(begun(scene, 9), 150))
    alone, together = (run["contact_counts"] for run in runs)
    assert together[..., 2].max() < 1e-6
    assert (alone[..., 3] > 20).any(axis=0).sum() > 1
    unmet = alone[..., 3].max(axis=0) > 145
    assert 0 < unmet.sum() < 9
    np.testing.assert_array_equal(runs[0]["q"][:, unmet], runs[1]["q"][:, unmet])
    assert (alone[:, ~unmet, 3] == together[:, ~unmet, 3]).mean() > 0.99
    np.testing.assert_allclose(runs[0]["q"], runs[1]["q"], rtol=0, atol=1e-6)


@pytest.mark.filterwarnings("ignore:.*(overlap|broke off)")
@pytest.mark.parametrize(("samples", "stride"), [(60, 1), (9, 7), (3, 23)])
def test_worlds_that_change_places_are_as_those_that_stay(monkeypatch, samples, stride):
    """To the last bit, in all that is told, with torques of each world's own and one that is lost on the way; and they do change places."""
    model, worlds = rm.Simulation(rolling(), dt=DT).model, 21
    rng = np.random.default_rng(4)
    qdot, tau = 0.5 * rng.standard_normal((2, worlds, model.nv))
    qdot[6, 4] = 1e160
    runs, orders = [], set()
    arranged = regroup.arranged
    monkeypatch.setattr(regroup, "arranged", lambda took, lanes: orders.add(tuple(o := arranged(took, lanes))) or o)
    for fewest in (10**9, 1):
        monkeypatch.setattr(regroup, "FEWEST", fewest)
        monkeypatch.setattr(regroup, "PORTION", 5)
        monkeypatch.setattr(regroup, "LONGEST", 40)
        sim = rm.Simulation(model, dt=DT, initial=rm.State(0.0, np.zeros_like(qdot), qdot), controller=lambda t, q, v: tau)
        q, v = sim.room(samples)
        with suppress(rm.RedmaxError):
            sim.advance(stride, sim.torques(), q, v)
        runs.append({"q": q, "qdot": v, **sim.runner.notes})
        assert (len(orders) > 3) == (fewest == 1)
    for name, values in runs[0].items():
        np.testing.assert_array_equal(values, runs[1][name], err_msg=name)
    assert np.isfinite(runs[0]["q"]).all(axis=(0, 2)).sum() == worlds - 1


@pytest.mark.parametrize(("worlds", "lanes"), [(8, 8), (21, 4), (64, 8), (1027, 8)])
def test_groups_are_of_neighbours_in_work_and_threads_get_as_much_each(worlds, lanes):
    took = np.random.default_rng(0).uniform(size=worlds)
    order = regroup.arranged(took, lanes)
    assert sorted(order) == list(range(worlds))
    full = worlds // lanes * lanes
    groups = took[order[:full]].reshape(-1, lanes)
    groups_in_order = groups[np.argsort(groups[:, 0])]
    assert (groups_in_order[:-1].max(axis=1) <= groups_in_order[1:].min(axis=1)).all()
    halves = [part.sum() for part in np.array_split(groups.max(axis=1), 2)]
    assert len(groups) < 100 or abs(halves[0] - halves[1]) < 0.05 * sum(halves)


def hinged(**options: Any) -> rm.Scene:
    scene = rm.Scene()
    scene.add_ground(contact=options.pop("ground", 0.5))
    scene.add_body(SHAPES["capsule"], joint=rm.Revolute("y"), at=(0, 0, 0.2), contact=0.5, contact_group=1, name="arm")
    if options:
        scene.add_body(SHAPES["ball"], joint=rm.Free3D(), at=(1, 0, 0.2), contact=0.5, name="ball", **options)
    return scene


def test_what_goes_side_by_side():
    """Not where bodies touch each other, beside constraints, nor with moments."""
    limited = hinged()
    limited.add_constraint(rm.HardLimit("arm", -0.5, 0.6))
    turning = hinged(ground=rm.ContactMaterial(friction=0.5, rolling=0.01))
    for scene, fits in (
        (hinged(), True), (hinged(contact_group=1), True), (hinged(contact_group=0), False), (limited, False), (turning, False)
    ):  # fmt: skip
        sim = begun(scene, 5)
        assert (slot_system(sim.model) is not None) == fits
        assert ("SideBySide" in type(sim.runner.inner).__name__) == fits


def test_interpreted_is_compiled():
    sim = begun(rolling(), 5)
    sim.advance(150, sim.torques(), *sim.room(1))
    inner = sim.runner.inner
    found = system("recursive", sim.model, side_by_side=True)
    slow = make_runner(make_plan(sim.model, METHODS["implicit"].program(found), "interpret"), "interpret", "float64")
    compiled, outs = inner.many(), []

    class Both:
        """What both make of the same inputs."""

        width = compiled.width

        def run(self, given, wanted, worlds, count, stride, lanes):
            outs.append({name: np.full(a.shape, np.nan) for name, a in wanted.items()})
            slow.run(given, outs[0], worlds, count, stride)
            status = compiled.run(given, wanted, worlds, count, stride, lanes=lanes)
            outs.append({name: a.copy() for name, a in wanted.items()})
            return status

    inner.together = Both()
    sim.advance(1, sim.torques(), *sim.room(2))
    assert outs[1]["contact_counts"][..., 0].max() > 1
    for name, values in outs[1].items():
        np.testing.assert_allclose(values, outs[0][name], rtol=1e-9, atol=1e-12)
