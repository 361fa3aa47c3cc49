"""Newton's method with a line search, as stages of a program: the x at which r(x) = 0, whatever x and r are.

    dr/dx dx = -r,      x <- retract(x, dx / 2^k),   k the first of 0, 1, 2, ... that makes |r| smaller     (Nocedal and Wright, Ch. 11)

A caller hands over an `Equation`: what tries a place and what finds a direction there. Before, it sets the base and, in dx, a first guess
beyond it, which is taken unless |r| is smaller at the base. It is over where |r| <= beyond tolerance min(1, scale): beyond is 1, or less
where guesses are so good that they would end at the tolerance, and steps from further away far below it. What stages say to each other
are fields of the world (`WORLD`):

    an attempt reads     lost: whether the base is the place last tried, from now on;  fraction: of dx, to go from the base
                         whole: 1, or 0 where only the terms that cancel in r are to be weighed
    an attempt adds up   square: |r|^2 (with whole = 0: of those terms);  base_square: |r|^2 as if x went on as it goes;  and `tally`
    it ends with         failed: 0, STOPPED or SINGULAR;  size: |r|;  iterations: counted from where the caller set them to 0
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from redmax.math import logical_and, logical_not, logical_or, minimum, sqrt, where
from redmax.program.program import Branch, Derived, Found, ProgramStage, Repeat
from redmax.program.record import WorldView
from redmax.program.sweep import compiled_together, once

TOLERANCE, ITERATIONS, HALVINGS = 1e-9, 50, 30  # of |r|; the first is an input of the program, `tolerance`
CLOSE, ROUNDING = 1e-5, 1e-11  # a Newton step so small beside what the forces do, or beside x, is the last: the next is its square
HUGE = 1e300
STOPPED, SINGULAR = 1.0, 2.0  # what `failed` says

SUMS = ("square", "base_square", "dx_square", "way_square", "place_square")
WORLD = dict.fromkeys(
    ("tolerance", "beyond", "whole", "fraction", *SUMS, "size", "scale", "tries", "turns", "looked", "lost", "done", "doubtful", "near",
     "failed", "iterations"), 1,
)  # fmt: skip


@dataclass(frozen=True)
class Equation:
    """r(x) = 0.

    attempt: x becomes retract(base, fraction dx), and the sums say what r is there
    direction: at the place last tried: dx with dr/dx dx = -r
    before: what is done once, before the first attempt
    solved: at a solution: one more step from there, x becomes retract(x, -H^-1 r) with H = dr/dx held. Then the solution is differentiated
        by the equation, otherwise by the iterations that lead to it
    """

    attempt: tuple[ProgramStage, ...]
    direction: tuple[ProgramStage, ...]
    before: tuple[ProgramStage, ...] = ()
    solved: tuple[ProgramStage, ...] = ()


def tally(w: WorldView, dx: Any, way: Any, place: Any) -> None:
    """Add up |dx|^2, |way|^2 and |x|^2. way: how far x is from where it would be without r."""
    for name, vector in (("dx_square", dx), ("way_square", way), ("place_square", place)):
        if len(vector):
            w.gather(name, vector @ vector)


def clear_sums(w: WorldView) -> None:
    """Before an attempt."""
    for name in SUMS:
        setattr(w, name, 0.0)


def norm(square: Any) -> Any:
    """Of a sum that may not be a number: infinite then."""
    return sqrt(where(square <= HUGE, square, np.inf))


def enough(w: WorldView) -> Any:
    """|r| at which it is over."""
    return w.beyond * w.tolerance * minimum(1.0, w.scale)


@once
def weigh(w: WorldView) -> None:
    """How large the terms are that cancel in r, at the base."""
    w.whole, w.fraction, w.turns, w.failed, w.near, w.looked, w.lost, w.doubtful = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    clear_sums(w)


@once
def guess(w: WorldView) -> None:
    """Keep what was weighed, and |r| at the base; then all of the guess is tried."""
    w.scale, w.size = sqrt(w.square), norm(w.base_square)
    w.whole, w.fraction = 1.0, 1.0
    clear_sums(w)


@once
def first_look(w: WorldView) -> None:
    """At the guess, or else at the base. At least one step is taken, without which x would have the derivatives of the guess."""
    size = norm(w.square)
    taken = logical_or(size <= w.size, logical_or(w.fraction < 0.5, w.dx_square <= 0.0))
    w.size, w.looked = size, where(taken, 1.0, 0.0)
    w.done, w.fraction, w.tries, w.lost = 0.0, w.looked, 0.0, w.looked
    clear_sums(w)


@once
def compare(w: WorldView) -> None:
    """Whether this fraction of dx is taken; if not, half of it is tried, up to HALVINGS times."""
    size = norm(w.square)
    better = size < w.size
    w.turns, w.iterations = w.turns + w.lost, w.iterations + w.lost
    w.tries = w.tries + 1.0
    w.size = where(better, size, w.size)
    near = sqrt(w.dx_square) <= CLOSE * sqrt(w.way_square) + ROUNDING * (1.0 + sqrt(w.place_square))
    singular = logical_not(logical_or(w.dx_square <= HUGE, logical_not(w.size <= HUGE)))
    searched = logical_or(logical_or(better, logical_and(near, w.size < w.tolerance)), logical_or(w.tries >= float(HALVINGS), singular))
    decide(w, better, near, singular, searched)
    clear_sums(w)


def decide(w: WorldView, better: Any, near: Any, singular: Any, searched: Any) -> None:
    """After a search: solved; or at an end, perhaps at the limit of rounding, which the terms' size at this place will tell."""
    solved = logical_or(w.size <= enough(w), logical_and(near, w.size < w.tolerance))
    over = logical_or(logical_not(better), w.turns >= float(ITERATIONS))
    doubtful = logical_and(searched, logical_and(over, logical_not(logical_or(solved, singular))))
    w.near, w.failed, w.doubtful = where(near, 1.0, 0.0), where(singular, SINGULAR, 0.0), where(doubtful, 1.0, 0.0)
    w.done = where(logical_and(searched, logical_or(solved, over)), 1.0, 0.0)
    w.whole, w.lost = where(doubtful, 0.0, 1.0), where(searched, 1.0, 0.0)
    w.fraction = where(searched, where(doubtful, 0.0, 1.0), 0.5 * w.fraction)
    w.tries = where(searched, 0.0, w.tries)


@once
def judge(w: WorldView) -> None:
    """Of an end that is not a solution: as near as rounding allows, or stopped."""
    rounding = logical_or(logical_and(w.near > 0.0, w.size < 1e3 * w.tolerance), w.size < 1e-12 * sqrt(w.square))
    w.failed = where(rounding, 0.0, STOPPED)


STAGES = compiled_together(weigh, guess, first_look, compare, judge, name="newton")


def newton(equation: Equation) -> tuple[ProgramStage, ...]:
    """From the base, and dx beyond it as a first guess: x with |r| below beyond tolerance min(1, scale), or `failed`."""
    begin, begin_guess, end_guess, end_attempt, end = STAGES
    attempt = equation.attempt
    guessed = Repeat((*attempt, end_guess), until="looked")
    search = Repeat((Branch("lost", equation.direction), *attempt, end_attempt), until="done")
    found = *equation.before, begin, *attempt, begin_guess, guessed, search, Branch("doubtful", (*attempt, end))
    return (Found(found), Derived(equation.solved)) if equation.solved else found
