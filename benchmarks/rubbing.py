"""Joints that rub: the contact step of bilateral staggered projections against that of unilateral ones (RedMax notes Alg. 7, 8).

Chains of hinges, all of which rub. What is timed is the contact step alone, as often as a program repeats it, with normal impulses that
begin at zero each time: accelerations with friction, what joints transmit and what each point bears of it, or the problem over all normals
at once. That problem goes to the best solver that is there: daqp, a dual active set, or clarabel, an interior point, from their C and Rust
code, and our own Newton's method; the fastest counts. Beside it: how many turns both take for the same motion. The problem of friction is
the same in both; a whole step is timed too.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import numpy as np

import redmax as rm
from benchmarks.report import Row, Target
from benchmarks.timing import Contestant, Effort, compete
from redmax.backends.base import make_plan, make_runner
from redmax.dynamics.choose import System, redmax_system
from redmax.dynamics.redmax.rubbing import solve_by_matrix
from redmax.dynamics.rubbing import system, terms
from redmax.dynamics.rubbing.beside import Beside
from redmax.dynamics.rubbing.problem import FrictionProblem
from redmax.model.model import Model
from redmax.program.program import Program, ProgramStage, Repeat, Save
from redmax.program.routines.call import Call
from redmax.solvers.reduced_matrix import clear

FIGURE, DT, CHEAPER, TURNS, FEW = "joints that rub", 0.005, 10.0, 40, 5
JOINTS, SHORT = (2, 10, 20, 40), (2, 10)  # of which the contact step, and of which a whole step is timed
PROXIMAL, ENDLESS = 1e-9, 1e30  # of the largest row sum: what makes the problem of normals definite; and no bound


def measure(effort: Effort) -> Iterator[Row]:
    for n in JOINTS:
        yield from contact_steps(n, effort)
    for n in SHORT:
        yield whole_step(n, effort)


def chain(n: int, contact: str = "bilateral", tolerance: float = 1e-6) -> rm.Scene:
    """n links whose hinges are about y and z by turns."""
    scene, link = rm.Scene(), None
    for i in range(n):
        link = scene.add_body(
            rm.Cuboid((0.1, 0.02, 0.02), density=1000), joint=rm.Revolute("zy"[i % 2]), parent=link, at=(0.1, 0, 0) if i else None,
            com=(0.05, 0, 0), q=0.2, name=f"link{i}",
        )  # fmt: skip
        scene.add_force(rm.JointFriction(link, 0.3, radius=0.01, height=0.02))
    scene.set_staggering(tolerance=tolerance, contact=contact)  # type: ignore[arg-type]
    return scene


def contact_steps(n: int, effort: Effort) -> Iterator[Row]:
    """Against each solver; the target is on the fastest."""
    model = chain(n).model()
    own, A, g = contestant(model, "unilateral")
    peers = [own, *solvers(A, g)]
    mine, *others = compete([contestant(model, "bilateral")[0], *peers], effort)
    turns = [mean_turns(n, contact) for contact in ("bilateral", "unilateral")] if n < FEW else []
    note = f"turns a step: {turns[0]:.1f} and {turns[1]:.1f}" if turns else ""
    least = min(others, key=lambda times: times.best)
    for peer, times in zip(peers, others, strict=True):
        target = Target(faster=CHEAPER) if n >= 10 and times is least else None
        yield Row(
            FIGURE, f"contact step, {n} hinges", mine.best, f"unilateral, {peer.name}", times.best, mine.ratio(times), target, None, note
        )


def solvers(A: np.ndarray, g: np.ndarray) -> list[Contestant]:
    """min 1/2 a'A a - g'a, a >= 0, by solvers that are installed."""
    n = len(g)
    H = A + PROXIMAL * np.abs(A).sum(axis=1).max() * np.eye(n)
    scale = 1.0 / np.abs(H).max()
    found: list[Contestant] = []

    def add(name: str, solve: Callable[[], Any]) -> None:
        found.append(Contestant(name, solve, 1, lambda: np.asarray(solve())[None]))

    if find_spec("daqp"):
        daqp: Any = import_module("daqp")
        P, q, none = np.ascontiguousarray(scale * H), np.ascontiguousarray(-scale * g), np.zeros((0, n))
        high, low, sense = np.full(n, ENDLESS), np.zeros(n), np.zeros(n, dtype=ctypes.c_int)
        add("daqp", lambda: daqp.solve(P, q, none, high, low, sense)[0])
    if find_spec("clarabel") and find_spec("scipy"):
        clarabel: Any = import_module("clarabel")
        sparse: Any = import_module("scipy.sparse")
        upper, minus = sparse.csc_matrix(np.triu(scale * H)), sparse.csc_matrix(-np.eye(n))
        settings = clarabel.DefaultSettings()
        settings.verbose = False
        cones = [clarabel.NonnegativeConeT(n)]
        add("clarabel", lambda: clarabel.DefaultSolver(upper, -scale * g, minus, np.zeros(n), cones, settings).solve().x)
    return found


def whole_step(n: int, effort: Effort) -> Row:
    pair = [steps(chain(n), "rubbing"), steps(chain(n, tolerance=1e-3), "at 1e-3")]
    mine, other = compete(pair, effort)
    return Row(FIGURE, f"whole step, {n} hinges", mine.best, "stop at 1e-3", other.best, mine.ratio(other))


def steps(scene: rm.Scene, name: str) -> Contestant:
    sim = rm.Simulation(scene, dt=DT, integrator="implicit")
    tau, end = sim.torques(), sim.room(1)
    return Contestant(name, lambda: sim.advance(TURNS, tau, *end), TURNS, lambda: end[1][0])


def mean_turns(n: int, contact: str) -> float:
    """Of the first steps of a fall."""
    sim = rm.Simulation(chain(n, contact), dt=DT, integrator="implicit", dynamics="redmax")
    return float(np.mean([sim.step() and sim.runner.notes["rub_turns"][-1, 0, 0] for _ in range(TURNS)]))


def contestant(model: Model, contact: str) -> tuple[Contestant, np.ndarray, np.ndarray]:
    """The contact step, again and again: what else a step has is done once, and counts for nothing among so many; and the problem."""
    found, problem, solve = redmax_system(model, None), FrictionProblem(model), solve_by_matrix(model)
    nothing, apart = Beside(model, problem.places), contact == "unilateral"
    first, inside = system.unilateral(problem) if apart else ((), system.bilateral(problem, nothing))
    a = problem.a
    anew = Call(clear, lambda at: [(at[a], a.size)], (a,))
    before = *problem.begun(), *problem.N.begun(), *found.implicit, terms.terms(model.staggering), *problem.T.assembled(), *first
    turn = Repeat((anew, terms.pushed_by_friction, *solve, *inside))
    outputs = ("rub_normal", "rub N A", "rub N g") if apart else ("rub_normal",)
    program = alone(model, found, (*before, terms.begun, turn, Save()), outputs)
    runner = make_runner(make_plan(model, program, "llvm"), "llvm", "float64")
    n, count, m = model.nv, 1 if apart else TURNS, a.rows
    inputs = [model.q0[None], np.ones((1, n)), np.zeros(n), np.zeros(1), np.full(1, DT), np.zeros((1, 6 * n))]
    out = [np.empty((1, 1, m)), *([np.empty((1, 1, m * m)), np.empty((1, 1, m))] if apart else [])]
    runner.run(inputs, out, worlds=1, count=count)
    made = Contestant("Newton", lambda: runner.run(inputs, out, worlds=1, count=count), count, lambda: out[0][0])
    return made, out[1].reshape(m, m) if apart else np.zeros((0, 0)), out[2].ravel() if apart else np.zeros(0)


def alone(model: Model, found: System, stages: tuple[ProgramStage, ...], outputs: tuple[str, ...]) -> Program:
    fields = system.widened(found.implicit_fields or found.fields, model)()
    return Program("contact step", stages, fields, ("q", "qdot", "tau", "t", "h", "rub_b"), outputs)
