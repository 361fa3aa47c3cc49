"""Equality rows of prescribed twists (RedMax notes Sec. 2.9), as stages that fill G and g of the system that holds them.

    G = rows of J_i:   G qddot = d/dt target - Gdot qdot;   in an implicit step G qdot1 = target(t1), with G and R_i at its start

lambda is then the wrench on the body along these rows, in body axes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from redmax.constraints.prescribed_twist import PrescribedTwist
from redmax.dynamics.redmax.joints import to_body_frames
from redmax.model.model import Model
from redmax.program.program import Host, ProgramStage
from redmax.program.routines.call import Addresses, Call, Data
from redmax.program.routines.formula import Formula
from redmax.program.routines.routine import routine
from redmax.program.routines.views import Matrix, Whole, Wholes, dot
from redmax.solvers.reduced_matrix import clear

TWIST_STATE = {"twist": 6, "rate": 6, "orientation": 9}  # what rows read of their bodies
ColumnsOf = Callable[[Addresses, int], tuple[int, int]]  # the matrix of the columns that move a body
NumbersOf = Callable[[Addresses, int], list[int]]  # where they stand in A


@routine
def take_rows(axes: Matrix, J: Matrix, G: Matrix, rows: Whole, count: Whole, number: Wholes) -> None:
    """Rows of J_i: products of axes (rows, 6), in the joint frame, with the columns that move the body."""
    for k in range(rows):
        for a in range(count):
            G[k, number[a]] = dot(axes[k, 0:6], J[0:6, a])


@dataclass(frozen=True, eq=False)
class TwistRows:
    """G and g for one model. implicit: of an implicit step."""

    model: Model
    implicit: bool

    @property
    def m(self) -> int:
        """How many rows."""
        return sum(len(twist.rows) for twist in self.model.called_twists)

    @property
    def G(self) -> Data:
        """(m, nv), its columns in the order of A."""
        return Data("G", self.m, self.model.nv)

    @property
    def g(self) -> Data:
        """(m,), and then lambda."""
        return Data("g", self.m)

    @property
    def axes(self) -> Data:
        """(m, 6): what each row measures of a twist in the joint frame."""
        return Data("axes", self.m, 6)

    def fill(self, J: ColumnsOf, numbers: NumbersOf) -> tuple[ProgramStage, ...]:
        """g and the axes of each twist, then the products with J."""
        stages: list[ProgramStage] = [Call(clear, lambda at: [(at[self.G], self.G.size)], (self.G,))]
        first, frames = 0, to_body_frames(self.model)
        for twist in self.model.called_twists:
            stages += self.fill_twist(twist, first, frames[twist.body], J, numbers)
            first += len(twist.rows)
        return tuple(stages)

    def fill_twist(
        self, twist: PrescribedTwist, first: int, frame: np.ndarray, J: ColumnsOf, numbers: NumbersOf
    ) -> tuple[ProgramStage, ...]:
        """The rows of one body, from `first` on. frame: (6, 6), from the joint frame to the body frame."""
        axes, G, m, leading = self.axes, self.G, len(twist.rows), self.axes.leading
        kept = np.zeros((m, leading))
        kept[:, :6] = frame[list(twist.rows)]

        def products(at: Addresses) -> list[tuple[Any, ...]]:
            number = numbers(at, twist.body)
            rows = (at[axes] + first * leading, leading), J(at, twist.body), (at[G] + first * G.leading, G.leading)
            return [(*rows, m, len(number), number)]

        return (
            Call(Formula({}, {"axes": kept.size}, lambda: [kept]), lambda at: [(at[axes] + first * leading,)], (axes,)),
            self.right_side(twist, first, frame),
            Call(take_rows, products, (axes, G)),
        )

    def right_side(self, twist: PrescribedTwist, first: int, frame: np.ndarray) -> ProgramStage:
        """g of one twist: a formula or, where the user's function cannot be traced, a call of it."""
        g, implicit, m = self.g, self.implicit, len(twist.rows)
        rows = frame[list(twist.rows)]

        def evaluate(t: Any, h: Any, orientation: Any, V: Any, rate: Any) -> list[Any]:
            R = orientation.reshape(3, 3)
            if implicit:
                return [(twist.traced(t[0], R) - rows @ V) / h[0]]
            return [twist.differentiated(t[0], R, frame[:3] @ V) - rows @ rate]

        def places(at: Addresses) -> list[tuple[int, ...]]:
            fields = [at.field(twist.body, name) for name in ("orientation", "twist", "rate")]
            return [(at.world("t"), at.world("h"), *fields, at[g] + first)]

        def call(view: Any) -> None:
            R, V, rate = (view[name].reshape(-1, n)[twist.body] for name, n in (("orientation", 9), ("twist", 6), ("rate", 6)))
            R, t, found = R.reshape(3, 3), float(view["t"][0]), view["g"]
            if implicit:
                found[first : first + m] = (twist.target(t, R) - rows @ V) / float(view["h"][0])
            else:
                found[first : first + m] = twist.target_rate(t, R, frame[:3] @ V) - rows @ rate
            view["g"] = found

        formula = Formula({"t": 1, "h": 1, "orientation": 9, "twist": 6, "rate": 6}, {"g": m}, evaluate)
        return Call(formula, places, (g,)) if formula.traceable else Host(f"twist of {twist.name}", call)
