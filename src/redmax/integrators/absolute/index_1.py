"""Generalized-alpha of index 1: rows of joints and constraints ask for accelerations, B v' = -Bdot v - 2 b B v - b^2 Phi.

    v1' = the accelerations that dynamics "maximal" finds at (t1, q1, v1),    q1, v1 by the difference formulas of method.py

Nothing holds positions and velocities but these rows: bodies drift off their joints, as far as errors of order 2 take them. Baumgarte's
terms take that back, b = 5/s in joints; with stabilisation="none" there are none, and "project" does so at the end of each step. Solved by
iterating v1', which converges where dt is short beside all that moves (stiff springs ask for index 2 or 3); the end is where it changes by
less than 1e-14 of itself, or no longer becomes less.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from redmax.backends.base import Runner
from redmax.dynamics.choose import System
from redmax.dynamics.common.continued import ContinuedRunner
from redmax.integrators.base import FIXED_STEP_INPUTS, FIXED_STEP_OUTPUTS, fixed_step_program
from redmax.math import logical_and, logical_or, sqrt, where
from redmax.program.program import Program, Repeat
from redmax.program.record import JointView, WorldView
from redmax.program.sweep import Recursion, Sweep, forward, once, recursion

TOLERANCE, ROUNDING, ITERATIONS = 1e-14, 1e-11, 100.0
CARRIED, FRESH = "alpha_a", "alpha_fresh"
WORLD = {FRESH: 1, **dict.fromkeys(("alpha_turns", "alpha_done", "alpha_square", "alpha_change", "alpha_before", "alpha_lost"), 1)}


def own(sweep: Sweep) -> Recursion:
    return recursion(sweep, name=f"index 1 {sweep.name}", core=False)


@forward
def begin_bodies(j: JointView, w: WorldView) -> None:
    """v' where the step begins is the first guess of that where it ends."""
    j.q_start, j.v_start, j.rate_start, j.rate_now = j.q, j.qdot, j.qddot, j.qddot
    j.alpha_a = where(w.alpha_fresh > 0.0, j.qddot, j.alpha_a)


@once
def begin_turns(w: WorldView) -> None:
    w.alpha_turns, w.alpha_done, w.alpha_before, w.alpha_lost, w.alpha_fresh = 0.0, 0.0, np.inf, 0.0, 0.0
    w.alpha_square, w.alpha_change = 0.0, 0.0
    w.t = w.t0 + (w.k + 1.0) * w.h


@forward
def compare(j: JointView, w: WorldView) -> None:
    change = j.qddot - j.rate_now
    w.gather("alpha_change", change @ change)
    w.gather("alpha_square", j.qddot @ j.qddot)
    j.rate_now = j.qddot


@once
def judge(w: WorldView) -> None:
    change, size = sqrt(w.alpha_change), sqrt(w.alpha_square)
    least = logical_and(change <= ROUNDING * size, change >= 0.5 * w.alpha_before)
    found = logical_or(change <= TOLERANCE * size, least)
    w.alpha_turns = w.alpha_turns + 1.0
    over = logical_or(w.alpha_turns >= ITERATIONS, logical_or(size >= 1e100, size != size))
    w.alpha_lost = where(found, 0.0, where(over, np.nan, 0.0))
    w.alpha_done = where(logical_or(found, over), 1.0, 0.0)
    w.alpha_before, w.alpha_change, w.alpha_square = change, 0.0, 0.0


@forward
def end_bodies(j: JointView, w: WorldView) -> None:
    """A step without an end leaves no numbers, which ends the run."""
    j.alpha_a = j.a_end
    j.qdot = j.qdot + w.alpha_lost


def difference_sweep(rho: float) -> Sweep:
    """Where v1' leads."""
    am, af = (2.0 * rho - 1.0) / (rho + 1.0), rho / (rho + 1.0)
    gamma = 0.5 + af - am
    beta = 0.25 * (gamma + 0.5) ** 2

    @forward
    def go(j: JointView, w: WorldView) -> None:
        a, h = j.alpha_a, w.h
        j.a_end = ((1.0 - af) * j.rate_now + af * j.rate_start - am * a) / (1.0 - am)
        j.q = j.joint.retract(j.q_start, h * (j.v_start + h * ((0.5 - beta) * a + beta * j.a_end)))
        j.qdot = j.v_start + h * ((1.0 - gamma) * a + gamma * j.a_end)

    return go


def program(system: System, rho: float) -> Program:
    """`count` steps. alpha_a goes in and out with the state."""
    extra: dict[str, Any] = {"q_start": "q", **dict.fromkeys(("v_start", "rate_start", "rate_now", "a_end", CARRIED), "v")}
    turn = (own(difference_sweep(rho)), *system.accelerations, own(compare), own(judge))
    stages = (*system.accelerations, own(begin_bodies), own(begin_turns), Repeat(turn, until="alpha_done"), own(end_bodies))
    made = fixed_step_program("generalized-alpha of index 1", system, stages, extra, clock=WORLD)
    behind = made.inputs[len(FIXED_STEP_INPUTS) :], made.outputs[len(FIXED_STEP_OUTPUTS) :]
    inputs, outputs = (*FIXED_STEP_INPUTS, CARRIED, FRESH, *behind[0]), (*FIXED_STEP_OUTPUTS, CARRIED, *behind[1])
    return replace(made, inputs=inputs, outputs=outputs)


class IndexOne(ContinuedRunner):
    """Goes on with the a of bodies where the last run ended."""

    run_of = "A run of generalized-alpha of index 1"

    def __init__(self, bodies: int, inner: Runner) -> None:
        super().__init__(inner, {CARRIED: 6 * bodies}, fresh=FRESH)
