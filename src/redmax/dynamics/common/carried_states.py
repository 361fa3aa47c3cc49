"""The coordinates that a constraint carries, at many states at once: from the best of many places, by Newton's method, as runs find them.

As a function of its own over numbers of bodies (program/function.py), beside the stages of runs (closing.py).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from redmax.backends.base import make_runner
from redmax.constraints.carried import Carrying, nearer
from redmax.constraints.motion import Motion, placed
from redmax.forces.law import filled_with
from redmax.program.function import function_plan

TURNS, LITTLE = 30, 1e-9


def carried_states(
    constraint: Carrying, text: str, rows: dict[str, np.ndarray], motion_of: Callable[..., Motion], backend: str
) -> np.ndarray:
    """(states, carries). rows: (states, n) each, as a report has them; text: what tells the constraint from others"""
    n, count = constraint.carries, len(rows["t"])
    given = {name: x for name, x in rows.items() if name in ("t", "constants") or name.startswith("body")}

    def sites(found: Carrying, members: dict[str, Any]) -> list[Any]:
        motions = [motion_of(members[f"body{i}"], np.zeros(6)) for i in range(len(found.bodies))]
        return [site for site, _, _ in placed(found, motions)[0]]

    def begin(t: Any, constants: Any, number: Any, **members: Any) -> list[Any]:
        found = filled_with(constraint, constants)
        q, off = found.beginning(sites(found, members), number[0], t[0])
        return [q, [off]]

    def turn(t: Any, constants: Any, carried: Any, **members: Any) -> list[Any]:
        found = filled_with(constraint, constants)
        q, moved = nearer(found, sites(found, members), carried, t[0])
        return [q, [moved]]

    def made(what: str, function: Any, more: dict[str, int]) -> Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]]:
        widths = {name: x.shape[1] for name, x in given.items()} | more
        plan = function_plan(f"{what} of {text}", widths, {"q": n, "size": 1}, function)
        runner = make_runner(plan, backend, "float64")

        def call(value: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
            q, size = np.empty((1, count, n)), np.empty((1, count, 1))
            runner.run([*given.values(), np.ascontiguousarray(value)], [q, size], count)
            return q[0], size[0, :, 0]

        return call

    start, step = made("starts", begin, {"number": 1}), made("turn", turn, {"carried": n})
    best, least = np.zeros((count, n)), np.full(count, np.inf)
    for number in range(constraint.starts):
        q, off = start(np.full((count, 1), float(number)))
        better = off < least
        best, least = np.where(better[:, None], q, best), np.where(better, off, least)
    for _ in range(TURNS):
        best, moved = step(best)
        if not (moved > LITTLE**2).any():
            break
    return best
