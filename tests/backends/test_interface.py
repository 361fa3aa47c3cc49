"""One door: a backend is an entry in the registry, and who has a runner asks for nothing but what `Runner` states."""

from __future__ import annotations

import ast
import pickle
import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import redmax as rm
from redmax.backends.base import BACKENDS, Backend, Entry, Runner
from redmax.backends.interpret import Interpreter
from redmax.scenes import find

SOURCE = Path(__file__).parents[2] / "src" / "redmax"
ASK = {"hasattr", "getattr", "setattr"}
RUNNERS = re.compile(r"runner|inner|workspace|executable|interpreter|walker|hosted", re.IGNORECASE)
INSIDE = {"lowered", "take", "widths"}  # of the compiled runner


class Counting(Interpreter):
    """Runs with NumPy, and counts."""

    calls = 0

    def run(self, *arrays, **options):
        Counting.calls += 1
        return super().run(*arrays, **options)


class Counted(Backend):
    def runner(self, plan, dtype):
        return Counting(plan, dtype)


@pytest.fixture
def counting(monkeypatch):
    monkeypatch.setitem(BACKENDS, "counting", Entry("NumPy, counted", Counted))
    Counting.calls = 0


@pytest.mark.parametrize("integrator", ["rk4", "adaptive", "bdf1"])
def test_a_backend_of_a_few_lines_runs_a_scene(counting, integrator):
    scene = find("double-pendulum").scene()
    run = rm.simulate(scene, 0.02, 0.01, integrator=integrator, backend="counting")
    assert Counting.calls > 0
    np.testing.assert_array_equal(run.q, rm.simulate(scene, 0.02, 0.01, integrator=integrator, backend="interpret").q)


def test_a_backend_of_a_few_lines_evaluates_dynamics(counting):
    model = find("double-pendulum").scene().model()
    q, x = np.array([0.3, -0.2]), np.ones(2)
    expected = rm.Dynamics(model).forward(q, x, x)
    for state in (q, q[None]):
        np.testing.assert_allclose(np.ravel(rm.Dynamics(model, backend="counting").forward(state, x, x)), expected, rtol=1e-13)
    assert Counting.calls == 2


def test_errors_list_the_backends_that_there_are(counting):
    expected = "Valid: 'llvm' (compiled), 'interpret' (NumPy, for debugging) or 'counting' (NumPy, counted)."
    with pytest.raises(rm.RedmaxError, match=re.escape(expected)):
        rm.Dynamics(find("double-pendulum").scene().model(), backend="cuda")
    with pytest.raises(rm.RedmaxError, match=r"There is no backend 'cuda'\. Valid: llvm, interpret, counting\."):
        rm.simulate(find("double-pendulum").scene(), 1.0, backend="cuda")


CASES = {
    "compiled": ("double-pendulum", {"integrator": "rk4"}),
    "adaptive": ("double-pendulum", {"integrator": "adaptive"}),
    "interpreted": ("double-pendulum", {"integrator": "rk4", "backend": "interpret"}),
    "redmax": ("double-pendulum", {"integrator": "rk4", "dynamics": "redmax"}),
    "second order backward differences": ("double-pendulum", {"integrator": "bdf2"}),
    "maximal": ("double-pendulum", {"integrator": "rk4", "dynamics": "maximal"}),
    "maximal, adaptive": ("double-pendulum", {"integrator": "adaptive", "dynamics": "maximal"}),
    "a map": ("gears", {"integrator": "rk4"}),
    "a map and backward differences": ("gears", {"integrator": "bdf2"}),
}


@pytest.mark.parametrize("case", CASES)
def test_every_runner_keeps_to_the_interface(case):
    """Checkpoints go through pickles, and what follows is the same to the last bit; names are those of a program's arrays."""
    name, options = CASES[case]
    sim = rm.Simulation(find(name).scene(), dt=0.005, **options)
    assert isinstance(sim.runner, Runner)
    assert sim.runner.inputs[:3] == ("q", "qdot", "tau")
    sim.step(2)
    mark = pickle.loads(pickle.dumps(sim.checkpoint()))
    after = sim.step(2)
    sim.step(1)
    sim.restore(mark)
    again = sim.step(2)
    np.testing.assert_array_equal(again.q, after.q)
    np.testing.assert_array_equal(again.qdot, after.qdot)


def sources() -> Iterator[tuple[Path, ast.AST]]:
    """The files that speak of runners."""
    for path in sorted(SOURCE.rglob("*.py")):
        text = path.read_text()
        if RUNNERS.search(text):
            yield path.relative_to(SOURCE), ast.parse(text)


def test_nobody_asks_a_runner_what_it_has():
    found = []
    for path, tree in sources():
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and ast.unparse(node.func) in ASK and RUNNERS.search(ast.unparse(node.args[0])):
                found.append(f"{path}:{node.lineno}: {ast.unparse(node)}")
    assert found == []


def test_nobody_reaches_into_a_runner():
    """What only the compiled runner has is used by the backend alone, and a runner's type is stated: no `Any`."""
    found = []
    for path, tree in sources():
        for node in ast.walk(tree) if path.parts[0] != "backends" else ():
            if isinstance(node, ast.Attribute) and node.attr in INSIDE and RUNNERS.search(ast.unparse(node.value)):
                found.append(f"{path}:{node.lineno}: {ast.unparse(node)}")
            if isinstance(node, ast.AnnAssign | ast.arg) and node.annotation is not None and ast.unparse(node.annotation) == "Any":
                named = node.arg if isinstance(node, ast.arg) else ast.unparse(node.target)
                if RUNNERS.search(named):
                    found.append(f"{path}:{node.lineno}: {named}: Any")
    assert found == []
