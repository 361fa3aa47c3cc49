"""Newton's method for the turn of each body, all of them at once: c, the Rodrigues parameters of Q = cay(2 c).

It ends after a step of less than NEAR, beside c and h W / 4: what is left is its square, below the tolerance of 1e-14; or where roundings
let it come no nearer. Without an end after ITERATIONS the turn is no number, and the run breaks off.
"""

from __future__ import annotations

from typing import Any

from redmax.dynamics.common.unsymmetric import solve_unsymmetric
from redmax.integrators.bodies.body import moves
from redmax.lie.three import dot
from redmax.math import array, logical_and, logical_not, logical_or, sqrt, where
from redmax.program.fields import Size
from redmax.program.program import ProgramStage, Repeat
from redmax.program.record import JointView, WorldView
from redmax.program.sweep import Recursion, compiled_together, forward, once, recursion

NEAR, ITERATIONS = 1e-8, 50
ROUNDING = 1e-4  # a step that is no longer, and no shorter than half of the one before, is one of roundings
TINY = 1e-18  # of a turn: its square is a number in single precision too
JOINT: dict[str, Size] = {"c": 3}
WORLD = {"done": 1, "turns": 1, "moved": 1, "last": 1, "lost": 1}


def improved(j: JointView, w: WorldView, residual: Any, slope: Any) -> None:
    """Newton's step of c. slope: (3, 3), of the residual"""
    step = solve_unsymmetric(slope, residual[:, None], nothing=sqrt(-1.0 - w.h))[:, 0]
    j.c = j.c - step
    size = sqrt(j.c @ j.c) + sqrt(0.0625 * w.h * w.h * (j.qdot[:3] @ j.qdot[:3])) + TINY
    w.gather("moved", (step @ step) / (size * size))


def cayley(c: Any) -> Any:
    """The unit quaternion of cay(2 c), (1, c) / sqrt(1 + c.c)."""
    scale = 1.0 / sqrt(1.0 + dot(list(c), list(c)))
    return array([scale, *[scale * x for x in c]])


@once
def begin(w: WorldView) -> None:
    w.turns, w.moved, w.last, w.done, w.lost = 0.0, 0.0, 1.0, 0.0, 0.0


@once
def judge(w: WorldView) -> None:
    size = sqrt(w.moved)
    rounding = logical_and(size <= ROUNDING, size >= 0.5 * w.last)
    found = logical_or(size <= NEAR, rounding)
    over = logical_or(w.turns > ITERATIONS - 1.5, logical_not(size < 1e100))
    w.lost = where(found, 0.0, where(over, 1.0, 0.0))
    w.done = where(logical_or(found, over), 1.0, 0.0)
    w.turns, w.last, w.moved = w.turns + 1.0, size, 0.0


BEGIN, JUDGE = compiled_together(begin, judge, name="turns of bodies")


@forward
def check(j: JointView, w: WorldView) -> None:
    if moves(j):
        j.c = where(w.lost > 0.0, sqrt(-1.0 - w.h), 1.0) * j.c


CHECK = recursion(check, name="turns that were found")


def solved(improve: Recursion) -> tuple[ProgramStage, ...]:
    """From a first c to the last."""
    return BEGIN, Repeat((improve, JUDGE), until="done"), CHECK
