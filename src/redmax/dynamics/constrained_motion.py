"""Forward and inverse dynamics where constraints hold the motion, as functions of states (..., n).

    M qddot = f + tau + G' lambda,    G qddot = right

Inverse dynamics has no unique answer there: tau + G' lambda is what a motion takes. Unless they are told, lambda are those of the undriven
motion at the same state, which leaves the tau with the least tau' M^-1 tau; a tied node has no tau, but what its tie exerts. lambda of
redundant rows are those of least norm. A constraint that gives way exerts lambda = -g / c, of velocities -s / c. One that only pushes takes
part where its gap is closed and it is not being left, by more than steps of `within` seconds leave it. One with limited force is at a
limit where it slips, faster than it could stop `within` seconds, and else holds as far as that suffices.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from typing import Self

import numpy as np
from numpy.typing import ArrayLike

from redmax.arguments import as_names, brief
from redmax.dynamics.common.parametrised import in_doubles
from redmax.dynamics.constraint_derivatives import ConstraintDerivatives
from redmax.dynamics.constraints import RANK, ConstraintStates, weighed
from redmax.dynamics.programs import Pair
from redmax.errors import SceneError
from redmax.model.deformable_nodes import node_ties
from redmax.types import Given

MOMENT = 1e-7  # s


class ConstrainedMotion(ConstraintDerivatives):
    """The functions of `Dynamics` that solve with constraints."""

    def multipliers(
        self, q: ArrayLike, qdot: ArrayLike, tau: Given = None, wrench: Given = None, t: ArrayLike = 0.0, name: str | None = None
    ) -> np.ndarray:
        """(..., rows): lambda of forward dynamics, with the joint forces tau (..., nv) and wrenches on the bodies (..., bodies, 6)."""
        found = self.solve_rows(q, qdot, tau, None, wrench, t)[2]
        return found if name is None else found[..., self.model.row_slice(name)]

    def solve_rows(
        self, q: ArrayLike, qdot: ArrayLike, tau: Given, qddot: Given, wrench: Given, t: ArrayLike, within: float = MOMENT
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Accelerations and torques (..., nv), and multipliers (..., rows): see `Dynamics`, which knows what else may hold the motion."""
        return self.solve_constraints(q, qdot, tau, qddot, wrench, t, within)

    def solve_constraints(
        self, q: ArrayLike, qdot: ArrayLike, tau: Given, qddot: Given, wrench: Given, t: ArrayLike, within: float = MOMENT
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The same where nothing but constraints holds it."""
        if self.dtype != "float64":
            found = self.double.solve_constraints(q, qdot, tau, qddot, wrench, t, within)
            return found[0].astype(self.dtype), found[1].astype(self.dtype), found[2].astype(self.dtype)
        from redmax.dynamics.common.forward_with_rows import constrained_program

        shape, arrays = self.arrays(q=q, qdot=qdot, tau=tau, qddot=qddot, t=t, wrench=wrench)
        n, rows, named = self.model.nv, self.model.row_count, f"constrained {wrench is not None}"
        if any(c.bounded for c in self.model.constraints):
            named += f" {within}"
        program = self.once((named, within), lambda: constrained_program(self.model, wrench is not None, within))
        accelerations, torques, multipliers = self.call(named, program, arrays, shape, (n,), (n,), (rows,))
        return accelerations, torques, multipliers

    @cached_property
    def double(self) -> Self:
        """The same with doubles: which rows repeat others is told by roundings."""
        return in_doubles(self, type(self)(self.model, self.backend))

    def solve_with_springs(
        self, q: ArrayLike, qdot: ArrayLike, tau: Given, qddot: Given, wrench: Given, t: ArrayLike, within: float = MOMENT
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """As `solve_rows` where some give way beside what else holds it: g + c lambda = 0 says what they exert, and the others see it."""
        soft = np.repeat([c.compliant for c in self.model.constraints], [c.size for c in self.model.constraints])
        multipliers = self.of_rows("springs", q, qdot, None, t)
        coordinates, given, applied = self.with_springs(q, multipliers, tau, wrench, t)
        accelerations, torques, rest = self.without_springs.solve_rows(q, qdot, given, qddot, applied, t, within)
        multipliers = np.broadcast_to(multipliers, (*accelerations.shape[:-1], len(soft))).astype(self.dtype)
        multipliers[..., ~soft] = rest
        return accelerations, (torques - coordinates).astype(self.dtype, copy=False), multipliers

    def with_springs(self, q: ArrayLike, multipliers: np.ndarray, tau: Given, wrench: Given, t: ArrayLike) -> tuple[np.ndarray, ...]:
        """What constraints that give way do to coordinates, (..., nv), and tau and wrenches with that."""
        bodies, coordinates = self.row_forces(q, multipliers, t)
        given, applied = (x if more is None else x + np.asarray(more) for x, more in ((coordinates, tau), (bodies, wrench)))
        return coordinates, given, applied

    @cached_property
    def without_springs(self) -> Self:
        """The same without constraints that give way."""
        rigid = tuple(c for c in self.model.constraints if not c.compliant)
        return type(self)(replace(self.model, constraints=rigid), self.backend, self.dtype, self.given)

    def inverse_with_rows(self, q: ArrayLike, qdot: ArrayLike, qddot: ArrayLike, wrench: Given, t: ArrayLike, multipliers: Given) -> Pair:
        """Joint forces and reactions, with multipliers (..., rows) that are given, or those of the undriven motion."""
        found = self.multipliers(q, qdot, None, wrench, t) if multipliers is None else multipliers
        tau, reaction = self.inverse_with_multipliers(q, qdot, qddot, wrench, t, found)
        ties = node_ties(self.model) if multipliers is None else []
        if not ties:
            return tau, reaction
        pulls = np.broadcast_to(found, (*tau.shape[:-1], self.model.row_count)).astype(float)
        for rows, node in ties:  # whose coordinates are its place in the world, as the rows of its tie are
            pulls[..., rows] += tau[..., node]
        return self.inverse_with_multipliers(q, qdot, qddot, wrench, t, pulls)

    def inverse_with_multipliers(
        self, q: ArrayLike, qdot: ArrayLike, qddot: ArrayLike, wrench: Given, t: ArrayLike, multipliers: ArrayLike
    ) -> Pair:
        """The same with those that are given."""
        bodies, coordinates = self.row_forces(q, multipliers, t)
        tau, reaction = self.inverse_free(q, qdot, qddot, bodies if wrench is None else bodies + wrench, t)
        return (tau - coordinates).astype(self.dtype, copy=False), reaction

    def inverse_free(self, q: ArrayLike, qdot: ArrayLike, qddot: ArrayLike, wrench: Given, t: ArrayLike) -> Pair:
        """Joint forces and reactions without constraints: see `Dynamics`."""
        raise NotImplementedError

    def inverse_driven(
        self, q: ArrayLike, qdot: ArrayLike, qddot: ArrayLike, driven: Sequence[str], wrench: Given = None, t: ArrayLike = 0.0
    ) -> Pair:
        """Joint forces (..., nv) of which only those of some joints are not zero, and the multipliers (..., rows) that go with them.

        driven: the joints that can be driven, by their names or their bodies'. Where these are more than the mechanism can move, the
        multipliers have the least norm; where they are fewer, what the others need is left, as little as can be.
        """
        model = self.model
        chosen = np.zeros(model.nv, bool)
        names = as_names(driven)
        if names is None:
            said = f"driven is a list of joints, by their names or their bodies'. Got {brief(driven)}."
            raise SceneError(said, owner="Dynamics.inverse_driven", argument="driven", expected="a list of names")
        for name in names:
            chosen[model.v_slice(name)] = True
        chosen |= np.repeat(model.prescribed, np.diff(model.offsets))
        none = np.zeros(model.row_count)
        needed = self.inverse_with_rows(q, qdot, qddot, wrench, t, none)[0]
        G = self.constraint_jacobian(q, None, t)
        rest = np.linalg.pinv(np.swapaxes(G[..., ~chosen], -1, -2).astype(float), rcond=RANK)
        multipliers = (rest @ needed[..., ~chosen, None].astype(float))[..., 0]
        tau = needed - weighed(multipliers, G)
        return tau.astype(self.dtype, copy=False), multipliers.astype(self.dtype, copy=False)

    def constraint(
        self, name: str, q: ArrayLike, qdot: Given = None, tau: Given = None, wrench: Given = None, t: ArrayLike = 0.0
    ) -> ConstraintStates:
        """One constraint at states (..., n): gap, rate, multipliers, wrenches on its places. qdot is zero unless given."""
        still = np.zeros(self.model.nv) if qdot is None else qdot
        return self.constraint_with(name, q, still, self.multipliers(q, still, tau, wrench, t), t)
