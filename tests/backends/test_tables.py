"""Joints that carry tables: every way of running them gives the same numbers, and what is in a table compiles nothing."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.interpolate import CubicSpline

import redmax as rm
from dynamics.agreement import agree
from dynamics.differences import rate
from redmax.backends.base import make_plan, make_runner, rolled_plan
from redmax.backends.interpret import Interpreter
from redmax.backends.llvm.engine import library
from redmax.backends.llvm.executable import Executable
from redmax.dynamics.common.inverse import inverse_dynamics, inverse_fields
from redmax.errors import TraceError
from redmax.math import Table, floor, locate, maximum, minimum
from redmax.program.fuse import fuse
from redmax.program.program import Program
from redmax.program.tangent import tangent
from redmax.trace import Graph, TableInput

rng = np.random.default_rng(11)


def cubic(a: Any, u: Any) -> Any:
    """a0 + a1 u + ..., with a row of a table for a."""
    return a[0] + u * (a[1] + u * (a[2] + u * a[3]))


class Rail(rm.Joint):
    """Along x over a natural cubic spline: row i of `shape` holds its polynomials in y and z from x = i to i + 1."""

    dof = 1

    def __init__(self, heights: Any, offset: float = 0.3) -> None:
        self.shape, self.offset = Table(pieces(np.arange(float(len(heights))), heights)), float(offset)

    def transform(self, q: Any) -> Any:
        i = minimum(maximum(floor(q[0]), 0.0), len(self.shape) - 1.0)
        y, z = cubic(self.shape[i], q[0] - i)
        return rm.pose(np.eye(3), np.array([q[0] + self.offset, y, z], object))


class Searched(rm.Joint):
    """The same between given stations."""

    dof = 1

    def __init__(self, heights: Any, stations: Any) -> None:
        self.shape, self.stations = Table(pieces(stations, heights)), Table(stations)

    def transform(self, q: Any) -> Any:
        i = locate(self.stations, q[0])
        y, z = cubic(self.shape[i], q[0] - self.stations[i])
        return rm.pose(np.eye(3), np.array([q[0], y, z], object))


def pieces(stations: Any, heights: Any) -> np.ndarray:
    """(rows, powers, 2)."""
    return np.moveaxis(CubicSpline(stations, heights, bc_type="natural").c[::-1], 1, 0)


def heights_of(rows: int) -> np.ndarray:
    return rng.normal(size=(rows + 1, 2))


def searched(rows: int) -> Searched:
    return Searched(heights_of(rows), np.concatenate([[0.0], np.cumsum(rng.uniform(0.5, 1.5, rows))]))


def scene_of(*joints: rm.Joint) -> rm.Scene:
    """A chain with a hinge before, between and behind, so that tables begin at any place among the constants."""
    scene = rm.Scene()
    body = None
    for joint in joints:
        body = scene.add_body(rm.Cuboid((0.3, 0.2, 0.1), mass=1.7), joint=rm.Revolute("y"), parent=body, at=(0.1, 0.2, 0.3))
        body = scene.add_body(rm.Cuboid((0.2, 0.2, 0.1), mass=1.3), joint=joint, parent=body, at=(0.2, 0.0, 0.1), com=(0.1, 0.05, 0))
    return scene


def lifted(q: Any, heights: Any) -> Any:
    """Four neighbours of a table at once, as a uniform cubic spline wants them."""
    i = minimum(maximum(floor(q[0]), 0.0), len(heights) - 4.0)
    u = q[0] - i
    N = [(1 - u) ** 3, 4 - 6 * u**2 + 3 * u**3, 1 + 3 * u + 3 * u**2 - 3 * u**3, u**3]
    near = heights.near(i, range(4))
    return rm.pose(np.eye(3), np.array([q[0], 0.0, sum(n * h for n, h in zip(N, near)) / 6], object))


SCENES = {
    "rails": lambda: scene_of(Rail(heights_of(5)), Rail(heights_of(5), 0.7), Rail(heights_of(40))),
    "searched": lambda: scene_of(searched(5), searched(9)),
    "function": lambda: scene_of(rm.joint(lifted, 1, heights=Table(rng.normal(size=8)))),
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
    program = Program("slopes", (inverse_dynamics,), inverse_fields(False, model), ("q", "qdot", "qddot", "t"), ("tau",))
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

    def answer(heights):
        return rm.Dynamics(scene_of(Rail(heights)).model()).forward(q, qdot)

    first, second = heights_of(6), heights_of(6)
    second[:, 0], second[2] = 0.0, 1.0
    before = library().compiled
    answer(first)
    compiled = library().compiled
    assert compiled > before
    different = answer(second)
    assert library().compiled == compiled
    assert agree(different, rm.Dynamics(scene_of(Rail(second)).model(), backend="interpret").forward(q, qdot), 1e-12)
    texts = {rows: {s.text for s in scene_of(Rail(heights_of(rows))).model().kernels_of[0]} for rows in (6, 7)}
    assert texts[6] == {s.text for s in scene_of(Rail(second)).model().kernels_of[0]}
    assert texts[6] != texts[7]


def test_joints_whose_parameters_have_other_names_do_not_share_their_kernels():
    """The traces are alike, and so are the constants, but in another order."""

    def first(q, *, a, b):
        return rm.pose(np.eye(3), np.array([a * q[0], 0.0, 0.0], object))

    def second(q, *, Z, a):
        return rm.pose(np.eye(3), np.array([a * q[0], 0.0, 0.0], object))

    for made in (rm.joint(first, 1, a=2.0, b=3.0), rm.joint(second, 1, Z=3.0, a=2.0)):
        scene = rm.Scene(gravity=(1.0, 0.0, 0.0))
        scene.add_body(rm.Sphere(0.1, mass=1.0), joint=made)
        assert rm.Dynamics(scene.model()).forward([0.0], [0.0]) == pytest.approx([0.5], rel=1e-14)


def test_a_plan_whose_tables_are_not_those_of_its_kernels_is_not_made():
    """A kernel knows of a table only where it begins."""

    class Sly(Rail):
        proven = True

        def transform(self, q: Any) -> Any:
            table = self.shape
            if isinstance(table, TableInput):
                table = TableInput(table.graph, table.base, table.start, (10**6, *table.shape[1:]))
            y, z = cubic(table[1e5 * q[0]], q[0])
            return rm.pose(np.eye(3), np.array([q[0], y, z], object))

    scene = scene_of(Rail(heights_of(3)))
    scene.add_body(rm.Sphere(0.1), joint=Sly(heights_of(4)))
    for backend in ("llvm", "interpret"):
        with pytest.raises(TraceError, match="reads constant"):
            rm.Dynamics(scene.model(), backend=backend).forward(np.zeros(3), np.ones(3))


def test_a_table_is_not_read_beyond_its_end_while_tracing():
    table = TableInput(Graph(), "K", 5, (4, 2))
    for offset, column, count in ((0, 0, 5), (1, 0, 4), (0, 2, 1), (-1, 0, 1), (0, 0, 0), (4, 0, 1)):
        with pytest.raises(TraceError, match="beyond its end"):
            table.entry(offset, column, count, table.graph.input("q", 0))
    for index in (-1, 8):
        with pytest.raises(TraceError, match="beyond its end"):
            table.number(index)
    assert table.number(7).args == ("K", 12)


def test_four_and_four_thousand_rows_cost_the_same():
    counts = []
    for rows in (4, 4000):
        model = scene_of(Rail(heights_of(rows))).model()
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

    two, three = np.tile([1.0, 2.0], (3, 1)), np.tile([3.0, 4.0, 5.0], (2, 1))  # rows alike, so that the motion has no jump
    scene = scene_of(Either(two), Either(three))
    poses = rm.Dynamics(scene.model()).observe([0.0, 1.5, 0.0, 1.5], np.zeros(4)).pose
    alone = rm.Dynamics(scene.model(), backend="interpret").observe([0.0, 1.5, 0.0, 1.5], np.zeros(4)).pose
    assert agree(poses, alone, 1e-14)
    assert len({s.text for s in scene.model().kernels_of[0]}) == 3  # and the hinges
