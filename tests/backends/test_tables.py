"""Joints that carry tables: every way of running them gives the same numbers, and what is in a table compiles nothing."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import redmax as rm
from dynamics.agreement import agree
from dynamics.differences import rate
from redmax.backends.interpret import Interpreter
from redmax.backends.llvm.engine import library
from redmax.backends.llvm.executable import Executable
from redmax.dynamics.inverse import inverse_dynamics, inverse_fields
from redmax.dynamics.runners import make_plan, make_runner, rolled_plan
from redmax.math import Table, floor, locate
from redmax.program.fuse import fuse
from redmax.program.program import Program
from redmax.program.tangent import tangent

rng = np.random.default_rng(11)


class Rail(rm.Joint):
    """Along x over parabolas: row i of `shape` holds the heights y, z at i, their slopes and half their curvatures, to i + 1."""

    dof = 1

    def __init__(self, shape: Any, offset: float = 0.3) -> None:
        self.shape, self.offset = Table(shape), float(offset)

    def transform(self, q: Any) -> Any:
        i = floor(q[0])
        a, u = self.shape[i], q[0] - i
        y, z = (a[k] + u * (a[2 + k] + u * a[4 + k]) for k in (0, 1))
        return rm.pose(np.eye(3), np.array([q[0] + self.offset, y, z], object))


class Searched(Rail):
    """The same between given stations."""

    def __init__(self, shape: Any, stations: Any) -> None:
        super().__init__(shape)
        self.stations = Table(stations)

    def transform(self, q: Any) -> Any:
        i = locate(self.stations, q[0])
        a, u = self.shape[i], q[0] - self.stations[i]
        y, z = (a[k] + u * (a[2 + k] + u * a[4 + k]) for k in (0, 1))
        return rm.pose(np.eye(3), np.array([q[0] + self.offset, y, z], object))


def shape_of(rows: int) -> np.ndarray:
    return rng.normal(size=(rows, 6))


def searched(rows: int) -> Searched:
    return Searched(shape_of(rows), np.concatenate([[0.0], np.cumsum(rng.uniform(0.5, 1.5, rows))]))


def scene_of(*joints: rm.Joint) -> rm.Scene:
    """A chain with a hinge before, between and behind, so that tables begin at any place among the constants."""
    scene = rm.Scene()
    body = None
    for joint in joints:
        body = scene.add_body(rm.Cuboid((0.3, 0.2, 0.1), mass=1.7), joint=rm.Revolute("y"), parent=body, at=(0.1, 0.2, 0.3))
        body = scene.add_body(rm.Cuboid((0.2, 0.2, 0.1), mass=1.3), joint=joint, parent=body, at=(0.2, 0.0, 0.1), com=(0.1, 0.05, 0))
    return scene


def lifted(q: Any, heights: Any) -> Any:
    return rm.pose(np.eye(3), np.array([q[0], 0.0, q[0] * heights[q[0]]], object))


SCENES = {
    "rails": lambda: scene_of(Rail(shape_of(5)), Rail(shape_of(5), 0.7), Rail(shape_of(40))),
    "searched": lambda: scene_of(searched(5), searched(9)),
    "function": lambda: scene_of(rm.joint(lifted, 1, heights=Table([1.0, 2.0, 3.0]))),
}


@pytest.mark.parametrize("name", SCENES)
def test_interpreted_compiled_in_lanes_rolled_and_straight_agree(name):
    model = SCENES[name]().model()
    worlds = 11
    q, qdot, tau = rng.uniform(0.1, 4.9, (worlds, model.nv)), *rng.normal(size=(2, worlds, model.nv))
    inputs = [q, qdot, tau, np.zeros(1)]
    rolled = make_plan(model, rm.Dynamics(model).forward_program, "interpret")
    straight = fuse(rolled, lambda g: g.meta, limit=10**9)
    assert len(straight.rows) == 1 < len(rolled.rows)
    found = {}
    for kind, plan in (("rolled", rolled), ("straight", straight)):
        for how, runner in (("interpreted", Interpreter(plan)), ("compiled", Executable(plan))):
            found[kind, how] = out = np.empty((1, worlds, model.nv))
            assert runner.run(inputs, [out], worlds) == 0
        one = found[kind, "one world"] = np.empty((1, worlds, model.nv))
        for w in range(worlds):
            assert Executable(plan).run([x[w : w + 1] if x.ndim == 2 else x for x in inputs], [one[:, w : w + 1]], 1, lanes=1) == 0
    for out in found.values():
        assert agree(out, found["rolled", "interpreted"], 1e-11)


@pytest.mark.parametrize("name", SCENES)
def test_a_table_is_the_same_as_its_numbers_written_into_the_joint(name):
    """Against the constants of a user's function, and of inverse dynamics against forward."""
    scene = SCENES[name]()
    baked = rm.Scene()
    body = None
    for link in scene.links:
        own = link.joint
        hinge = isinstance(own, rm.Revolute)
        fixed = own if hinge else rm.joint(lambda q, own=own: own.transform(q), own.dof)  # what is in its tables is written out
        body = baked.add_body(link.shape, joint=fixed, parent=body, at=link.at, body=link.body)
    q, qdot, tau = rng.uniform(0.1, 3.9, (7, len(scene.links))), *rng.normal(size=(2, 7, len(scene.links)))
    d, b = rm.Dynamics(scene.model()), rm.Dynamics(baked.model())
    qddot = d.forward(q, qdot, tau)
    assert agree(qddot, b.forward(q, qdot, tau), 1e-12)
    assert agree(d.inverse(q, qdot, qddot), tau, 1e-10)


@pytest.mark.parametrize("backend", ["interpret", "llvm"])
def test_tangents_of_programs_with_tables(backend):
    model = SCENES["searched"]().model()
    program = Program("slopes", (inverse_dynamics,), inverse_fields(False, False), ("q", "qdot", "qddot", "t"), ("tau",))
    n = model.nv
    q, qdot, qddot, direction = rng.uniform(1.1, 1.4, n), *rng.normal(size=(3, n))
    tau, slope = np.empty((1, 1, n)), np.empty((1, 1, n))
    runner = make_runner(tangent(rolled_plan(model, program, backend)), backend, "float64")
    still = np.zeros(n)
    assert runner.run([q, qdot, qddot, np.zeros(1), direction, still, still, np.zeros(1)], [tau, slope], 1) == 0
    d = rm.Dynamics(model, backend=backend)
    assert agree(tau[0, 0], d.inverse(q, qdot, qddot), 1e-12)
    assert agree(slope[0, 0], rate(lambda h: d.inverse(q + h * direction, qdot, qddot), 1e-4), 1e-8)


def test_joints_that_differ_in_the_entries_of_a_table_share_their_kernels(monkeypatch):
    """Zeros and ones among the entries too; another number of rows is another kernel."""
    monkeypatch.setenv("REDMAX_CACHE_DIR", "")
    q, qdot = np.array([0.4, 1.7]), np.array([0.2, -0.3])

    def answer(shape):
        return rm.Dynamics(scene_of(Rail(shape)).model()).forward(q, qdot)

    first, second = shape_of(6), shape_of(6)
    second[:, 0], second[2] = 0.0, 1.0
    before = library().compiled
    answer(first)
    compiled = library().compiled
    assert compiled > before
    different = answer(second)
    assert library().compiled == compiled
    assert agree(different, rm.Dynamics(scene_of(Rail(second)).model(), backend="interpret").forward(q, qdot), 1e-12)
    texts = {rows: {s.text for s in scene_of(Rail(shape_of(rows))).model().kernels_of[0]} for rows in (6, 7)}
    assert texts[6] == {s.text for s in scene_of(Rail(second)).model().kernels_of[0]}
    assert texts[6] != texts[7]


def test_four_and_four_thousand_rows_cost_the_same():
    counts = []
    for rows in (4, 4000):
        model = scene_of(Rail(shape_of(rows))).model()
        plan = make_plan(model, rm.Dynamics(model).forward_program, "interpret")
        counts.append([r.group.meta.operations[r.sweep] for r in plan.rows])
    assert counts[0] == counts[1]


def test_shapes_that_hold_as_many_numbers_stay_apart():
    class Either(rm.Joint):
        dof = 1

        def __init__(self, table: Any) -> None:
            self.table = Table(table)

        def transform(self, q: Any) -> Any:
            row = self.table[q[0]]
            return rm.pose(np.eye(3), np.array([q[0], row[0] * q[0], row[-1] * q[0]], object))

    numbers = np.arange(6.0)
    scene = scene_of(Either(numbers.reshape(3, 2)), Either(numbers.reshape(2, 3)))
    poses = rm.Dynamics(scene.model()).observe([0.0, 1.5, 0.0, 1.5], np.zeros(4)).pose
    alone = rm.Dynamics(scene.model(), backend="interpret").observe([0.0, 1.5, 0.0, 1.5], np.zeros(4)).pose
    assert agree(poses, alone, 1e-14)
    assert len({s.text for s in scene.model().kernels_of[0]}) == 3  # and the hinges
