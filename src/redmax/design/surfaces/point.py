"""Control values as a point to go down from: the objective there, with the parameters of the poses at their nearest."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from redmax.design.surfaces.bands import Band
from redmax.design.surfaces.nearest import nearest
from redmax.design.surfaces.problem import Problem, State
from redmax.types import Array


@dataclass(frozen=True)
class AtControl:
    """control: (size, 6); near: (N, dof), parameters from which to look for the nearest ones, where they are not known."""

    problem: Problem
    control: Array
    near: Array

    @cached_property
    def state(self) -> State:
        q = self.near if self.problem.known else nearest(self.problem, self.control, self.near)
        return State(self.control, q)

    @cached_property
    def objective(self) -> float:
        found = self.problem.value(self.state)
        return found if np.isfinite(found) else np.inf

    @property
    def value(self) -> float:
        return self.objective

    @cached_property
    def slope(self) -> Array:
        return self.problem.bands.vector(self.problem.gradient(self.state))

    def gradient(self) -> Array:
        return self.slope

    def derivatives(self, exact: bool) -> tuple[Array, Band]:
        gradient, band = self.problem.derivatives(self.state, exact)
        return self.problem.bands.vector(gradient), Band(band)

    def moved(self, u: Array) -> AtControl:
        return AtControl(self.problem, self.control + self.problem.bands.control(u), self.state.q)
