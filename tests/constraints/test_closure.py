"""Loops closed by joints: a joint between two bodies is the same whether the tree has it or a loop is closed by it."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import redmax as rm
from joints.samples import KINDS, Sample, make
from mechanisms import placement, random_shape
from random_examples import examples
from redmax.constraints.closure import Closure
from redmax.lie import se3

STEP = 2.0**-8
USUAL = ("torus", "SplineCurve")  # one's own, and one with tables
CLOSING = [kind for kind in KINDS if make(kind, np.random.default_rng(0)).joint.dof < 6]


class Pair:
    """A body on a ball joint, and one that moves relative to it by a joint; the first hangs on the world, the other on nothing."""

    def __init__(self, sample: Sample, seed: int) -> None:
        rng = np.random.default_rng([seed, 5])
        self.joint, self.q, self.rng = sample.joint, sample.coordinates(rng), rng
        self.qdot = rng.normal(size=sample.joint.dof)
        self.first, self.second = random_shape(rng, "general"), random_shape(rng, "general")
        self.place, self.body = placement(rng, "general", 0.4)[1], placement(rng, "general", 0.2)[1]
        self.first_q, self.first_qdot = rng.uniform(-0.5, 0.5, 3), rng.normal(size=3)

    def begun(self) -> tuple[rm.Scene, rm.BodyHandle]:
        scene = rm.Scene(gravity=(1.0, 2.0, -9.0))
        hung = {"joint": rm.Spherical(), "q": self.first_q, "qdot": self.first_qdot}
        return scene, scene.add_body(self.first, com=(0.1, 0.3, 0.2), name="first", **hung)

    def tree(self) -> rm.Scene:
        scene, first = self.begun()
        at = se3.pose(np.eye(3), np.array([0.1, 0.3, 0.2])) @ self.place
        moved = {"q": self.q, "qdot": self.qdot, "check_joint": False}
        scene.add_body(self.second, parent=first, joint=self.joint, at=at, body=self.body, name="second", **moved)
        return scene

    def loop(self) -> rm.Scene:
        """The second body is free, where the tree has it, and moves as it does there."""
        tree = rm.Dynamics(self.tree())
        model = tree.model
        pose, twist = tree.pose(model.q0, "second"), tree.twist(model.q0, model.qdot0, "second")
        scene, first = self.begun()
        second = scene.add_body(self.second, joint=rm.Free3D(), at=pose, qdot=[*twist[3:], *twist[:3]], name="second")
        scene.add_constraint(Closure(self.joint, (first, self.place), (second, np.linalg.inv(self.body)), name="closing"))
        return scene


def accelerations(scene: rm.Scene, **options: Any) -> np.ndarray:
    """Of the twists of both bodies, (12,)."""
    run = rm.simulate(scene, STEP, dt=STEP, integrator="forward-euler", progress=False, **options)
    dynamics, (q, qdot) = rm.Dynamics(scene), (run.model.q0, run.model.qdot0)
    qddot = (run.qdot[1] - run.qdot[0]) / STEP
    return np.concatenate([dynamics.acceleration(q, qdot, qddot, name) for name in ("first", "second")])


@pytest.mark.parametrize("kind", [kind if kind in USUAL else pytest.param(kind, marks=pytest.mark.long) for kind in CLOSING])
def test_a_joint_of_a_loop_does_what_it_does_in_a_tree(kind: str) -> None:
    pair = Pair(make(kind, np.random.default_rng(3)), 1)
    wanted, found = accelerations(pair.tree()), accelerations(pair.loop())
    assert np.abs(found - wanted).max() <= 1e-9 * np.abs(wanted).max()


@pytest.mark.parametrize("kind", ["torus"])
def test_reports_of_a_closed_loop_are_those_of_the_joint_in_a_tree(kind: str) -> None:
    pair = Pair(make(kind, np.random.default_rng(3)), 1)
    tree, loop = rm.Dynamics(pair.tree()), rm.Dynamics(pair.loop())
    (q, qdot), model = (tree.model.q0, tree.model.qdot0), loop.model
    reaction = tree.reactions(q, qdot, tree.forward(q, qdot))[1]
    assert np.abs(loop.constraint_gap(model.q0)).max() <= 1e-12
    np.testing.assert_allclose(loop.closing_coordinates(model.q0, "closing"), pair.q, atol=1e-9)
    exerted = loop.constraint("closing", model.q0, model.qdot0)
    np.testing.assert_allclose(np.linalg.norm(exerted.wrenches[0, 3:]), np.linalg.norm(reaction[3:]), rtol=1e-9)


@pytest.mark.long
@examples(20, 60)
@given(st.sampled_from(CLOSING), st.integers(0, 10**6))
def test_any_joint_at_any_place_closes_a_loop(kind: str, seed: int) -> None:
    pair = Pair(make(kind, np.random.default_rng(seed), aligned=bool(seed % 2)), seed)
    if pair.joint.dof > 5:
        return
    tree, loop = rm.Dynamics(pair.tree(), "interpret"), rm.Dynamics(pair.loop(), "interpret")
    (q, qdot), (q2, qdot2) = [(d.model.q0, d.model.qdot0) for d in (tree, loop)]
    wanted = tree.acceleration(q, qdot, tree.forward(q, qdot), "second")
    found = loop.acceleration(q2, qdot2, loop.forward(q2, qdot2), "second")
    assert np.abs(found - wanted).max() <= 1e-8 * np.abs(wanted).max()


SHORT = {
    "Revolute": lambda j, a, b: rm.HingeClosure(a, b, j.axis, name="closing"),
    "Spherical": lambda j, a, b: rm.PointClosure(a, b, name="closing"),
    "Universal": lambda j, a, b: rm.UniversalClosure(a, b, "x", "y", name="closing"),
    "Fixed": lambda j, a, b: rm.WeldClosure(a, b, name="closing"),
}


@pytest.mark.parametrize("kind", SHORT)
def test_short_names_ask_for_the_same(kind: str) -> None:
    """Accelerations, and forces where the places are."""
    pair = Pair(make(kind, np.random.default_rng(2), aligned=kind == "Fixed"), 2)
    one, two = pair.loop(), pair.loop()
    c = two.constraints.pop()
    first, second = (two.find("first"), pair.place), (two.find("second"), np.linalg.inv(pair.body))
    two.add_constraint(SHORT[kind](pair.joint, first, second))
    assert c.size == two.constraints[0].size
    engines = [rm.Dynamics(scene, "interpret") for scene in (one, two)]
    states = [(d.model.q0, d.model.qdot0) for d in engines]
    a, b = (d.forward(*state) for d, state in zip(engines, states, strict=True))
    np.testing.assert_allclose(a, b, rtol=1e-9, atol=1e-9 * np.abs(a).max())
    wrenches = [d.constraint("closing", *state).wrenches[0, 3:] for d, state in zip(engines, states, strict=True)]
    np.testing.assert_allclose(wrenches[0], wrenches[1], atol=1e-9 * np.abs(wrenches[0]).max())


def wound() -> rm.Scene:
    """A nut on a screw and a bead on a helix, both many turns away from where they begin: further than any search reaches."""
    scene = rm.Scene()
    nut = scene.add_body(rm.Cuboid((0.3, 0.2, 0.1), mass=1), joint=rm.Free3D(), name="nut")
    scene.add_constraint(Closure(rm.Helical("z", pitch=0.02), (0, 0, 0), nut))
    bead = scene.add_body(rm.Sphere(0.02, mass=0.1), joint=rm.Translational(), q=(0.3, 0, 0), name="bead")
    scene.add_constraint(rm.PointOnCurve(bead, rm.curves.Helix(0.3, 0.1)))
    return scene


def test_closing_coordinates_go_on_from_portion_to_portion() -> None:
    whole = rm.simulate(wound(), 2.0, dt=0.01, integrator="rk4", progress=False)
    turn = -0.5 * 9.81 * 0.02 / (0.13 / 12 + 0.02**2) * whole.t**2
    np.testing.assert_allclose(whole.q[:, 2], 0.02 * turn, atol=1e-4)
    np.testing.assert_allclose(whole.q[:, 8], -0.5 * 9.81 * 0.01 / 0.1 * whole.t**2, atol=1e-4)
    sim = rm.Simulation(wound(), dt=0.01, integrator="rk4")
    for _ in range(20):
        sim.step(5)
    begun = sim.checkpoint()
    sim.step(100)
    assert (sim.state.q == whole.q[-1]).all()
    other = copy.copy(sim)
    other.restore(begun)
    other.step(100)
    assert (other.state.q == sim.state.q).all()


def test_worlds_of_a_batch_close_their_loops_by_themselves() -> None:
    scene = wound()
    angle = np.array([0.0, 0.4, 2.0, -2.5, 3.0])
    q, qdot = np.zeros((5, 9)), np.zeros((5, 9))
    q[:, 2], q[:, 5], q[:, 6:] = 0.02 * angle, angle, np.stack([0.3 * np.cos(angle), 0.3 * np.sin(angle), 0.1 * angle], axis=-1)
    many = rm.simulate(scene, 0.5, dt=0.01, integrator="rk4", initial=rm.State(0.0, q, qdot), progress=False)
    for k in range(5):
        one = rm.simulate(scene, 0.5, dt=0.01, integrator="rk4", initial=rm.State(0.0, q[k], qdot[k]), progress=False)
        np.testing.assert_allclose(many.q[:, k], one.q, rtol=1e-11, atol=1e-12)
