"""Steps of RedMax dynamics with its dense system, J^T M J qddot = J^T (f - M Jdot qdot) + tau: one world, and worlds in lanes.

An explicit step of a chain of 20 hinges, against the recursion; and one of the same chain on one angle (hyper-reduced: each hinge turns by
a share of it), checked with the accelerations of `Dynamics.forward_R`.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

import redmax as rm
from benchmarks.agreement import agree
from benchmarks.cases import chain, draw
from benchmarks.report import Row, Target
from benchmarks.timing import Contestant, Effort, compete

FIGURE, N, DT = "redmax step", 20, 1e-5
WORLDS, STEPS, BATCH_STEPS = 64, 2_000, 50
DENSE, MAPPED = {1: 12e-6, WORLDS: 6e-6}, {1: 14e-6, WORLDS: 8e-6}  # s a step and world


def measure(effort: Effort) -> Iterator[Row]:
    for worlds in (1, WORLDS):
        yield against_recursion(worlds, effort)
    for worlds in (1, WORLDS):
        yield on_one_angle(worlds, effort)


def against_recursion(worlds: int, effort: Effort) -> Row:
    scene = chain(N)
    states = draw(scene, worlds)
    pair = [Stepping(scene, 0.1 * states.q, 0.1 * states.v, dynamics).contestant(worlds) for dynamics in ("redmax", "recursive")]
    for c in pair:
        c.call()
    error = agree(f"RC{N}: steps of {worlds} worlds", *[c.accelerations() for c in pair], 1e-9)
    mine, other = compete(pair, effort)
    case, note = f"RC{N}, dense, {said(worlds)}", "a step and world"
    return Row(FIGURE, case, mine.best, "redmax recursive", other.best, mine.ratio(other), Target(seconds=DENSE[worlds]), error, note)


def on_one_angle(worlds: int, effort: Effort) -> Row:
    scene, shares = chain(N), 1.0 / np.arange(1.0, N + 1.0)
    scene.set_map(lambda u: [a * u[0] for a in shares], coordinates=1)
    angle, rate = np.linspace(0.1, 0.3, worlds)[:, None], np.linspace(-1.0, 1.0, worlds)[:, None]
    one = Stepping(scene, angle * shares, rate * shares, "redmax")
    single = one.contestant(worlds, 1)
    single.call()
    expected = rate + DT * rm.Dynamics(scene.model()).forward_R(angle, rate)
    error = agree(f"RC{N} on one angle, {worlds} worlds", single.accelerations()[:, :1], expected, 1e-9)
    (mine,) = compete([one.contestant(worlds)], effort)
    return Row(FIGURE, f"RC{N} on one angle, {said(worlds)}", mine.best, target=Target(seconds=MAPPED[worlds]), agreement=error)


def said(worlds: int) -> str:
    return "1 world" if worlds == 1 else f"{worlds} worlds"


class Stepping:
    """Symplectic steps from q, v (worlds, n), each call from where the one before ended; nothing is saved but the end."""

    def __init__(self, scene: rm.Scene, q: np.ndarray, v: np.ndarray, dynamics: str) -> None:
        solver = "direct" if dynamics == "redmax" else "auto"
        self.sim = rm.Simulation(scene, dt=DT, integrator="euler", dynamics=dynamics, solver=solver, initial=rm.State(0.0, q, v))

    def contestant(self, worlds: int, steps: int | None = None) -> Contestant:
        count = steps or (STEPS if worlds == 1 else BATCH_STEPS)
        end, tau = self.sim.room(1), self.sim.torques()
        return Contestant("redmax", lambda: self.sim.advance(count, tau, *end), count * worlds, lambda: end[1][0])
