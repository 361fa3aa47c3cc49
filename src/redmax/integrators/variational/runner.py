"""Runs variational steps: hands the compiled program the momenta that belong to its states, and makes sentences of what failed."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from redmax.integrators.variational.program import BROKEN, GIVEN, ITERATIONS, MARKS, PAST, TURNED, program
from redmax.integrators.variational.step import FARTHEST
from redmax.integrators.with_past import Past, RunnerWithPast
from redmax.model.model import Model

ADVICE = "Try a smaller dt, or integrator 'implicit' or 'bdf2' where dampers or springs are stiff."


class VariationalRunner(RunnerWithPast):
    """States bring along momenta, the ways of the last steps, how many of these are known, and what roundings left of them."""

    what = "A run of variational steps"
    marks, counted = MARKS, "iterations"

    def __init__(self, model: Model, backend: str) -> None:
        super().__init__(model, backend, program(model), (*[model.nv] * len(PAST), 1, 1))

    def numbers(self, past: Past, start: float, h: float, k: float, stride: int) -> np.ndarray:
        given = np.empty((len(past.q), len(GIVEN)))
        given[:, :3] = start, h, k
        known, noise = past.more[-2:]
        given[:, 3:] = np.column_stack([known, noise, np.full(len(known), float(stride)), past.fresh])
        return given

    def beside(self, marks: np.ndarray) -> tuple[np.ndarray, ...]:
        return tuple(marks[:, [MARKS.index(name)]] for name in ("known", "noise"))

    def failure(self, marks: Mapping[str, float]) -> str:
        where = f"the variational step that ends at t = {marks['t_failed']:.6g} s"
        if marks["failed"] == BROKEN:
            return f"The state was no longer finite in {where}. {ADVICE}"
        if marks["failed"] == TURNED:
            return f"A body turned by more than {FARTHEST:g} rad in {where}, expected less than half a turn. Try a smaller dt."
        said = f"Newton's method found no end for {where} in {ITERATIONS} iterations"
        return f"{said}: the last one moved it by {marks['size']:.2g} of its way, expected below 1e-14. {ADVICE}"
