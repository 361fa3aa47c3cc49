"""The dynamics of one model, as functions of plain arrays: (n,) for one world, (..., n) for many.

q holds coordinates (nq), in the charts in use at first; or whole configurations, see `configuration`.
Each function is compiled when it is first called. `backend="interpret"` runs the same programs with NumPy.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from redmax.components.wrong_call import explained
from redmax.dynamics.body_states import BodyStates
from redmax.dynamics.centroidal import Centroidal
from redmax.dynamics.common import terms
from redmax.dynamics.common.inverse import inverse_dynamics, inverse_fields
from redmax.dynamics.common.observe import Observation
from redmax.dynamics.common.parametrised import check_frames, in_doubles
from redmax.dynamics.common.single_call import SingleCall
from redmax.dynamics.common.state_arrays import beside_columns, with_columns
from redmax.dynamics.constrained_motion import MOMENT, ConstrainedMotion
from redmax.dynamics.held import Held, is_held
from redmax.dynamics.inertia_derivatives import InertiaDerivatives
from redmax.dynamics.momentum_screws import MomentumScrews
from redmax.dynamics.paths import Paths
from redmax.dynamics.programs import Pair
from redmax.dynamics.recursive.solve import product_program
from redmax.dynamics.recursive.system import dynamics_fields, hybrid_dynamics
from redmax.dynamics.system_matrices import SystemFactors
from redmax.program.program import Program
from redmax.types import Given

__all__ = ["Centroidal", "Dynamics", "Observation"]


@explained("__init__", "forward", "forward_one", "forward_many", "inverse", "arrays", "call")
class Dynamics(ConstrainedMotion, BodyStates, Paths, MomentumScrews, InertiaDerivatives, SystemFactors):
    """Equations of motion of a model, as functions of arrays: (n,) for one state, (..., n) for many.

    model: a scene, or what `scene.model()` returns
    backend: "llvm", compiled, or "interpret", the same with NumPy: slow, for debugging
    dtype: "float64" or "float32"
    parameters: name -> (..., its shape), such as {"arm.mass": masses}: what differs from world to world (docs: Parameters)

    Where constraints (tied nodes among them), prescribed twists or a map of coordinates hold the scene, `forward` and `hybrid` solve with
    them, and `inverse` and `reactions` have what constraints exert; the other functions are those of the joints and bodies, whatever holds
    them. With a map, q and qdot must be ones that it gives; `forward_R` takes its own.
    """

    def hybrid_program(self, wrench: bool) -> Program:
        fields = dynamics_fields(wrench, self.model)
        inputs = ("q", "qdot", "tau", "qddot", "t") + (("wrench",) if wrench else ())
        return Program("hybrid dynamics", (hybrid_dynamics,), fields, inputs, ("qddot", "tau"))

    @cached_property
    def forward_program(self) -> Program:
        fields = dynamics_fields(False, self.model)
        return Program("forward dynamics", (hybrid_dynamics,), fields, ("q", "qdot", "tau", "t"), ("qddot",))

    def forward(self, q: ArrayLike, qdot: ArrayLike, tau: Given = None, wrench: Given = None, t: ArrayLike = 0.0) -> np.ndarray:
        """Accelerations (..., nv). tau: (..., nv) joint forces; wrench: (..., bodies, 6) on the bodies, in body frames; t: s."""
        return self.hybrid(q, qdot, tau, None, wrench, t)[0] if self.is_held else self.forward_free(q, qdot, tau, wrench, t)

    def forward_R(self, q_R: ArrayLike, qdot_R: ArrayLike, tau: Given = None, wrench: Given = None, t: ArrayLike = 0.0) -> np.ndarray:
        """Accelerations (..., coordinates) of the coordinates of the scene's map, at q_R and qdot_R, (..., coordinates); see `forward`."""
        if self.model.map is not None and any(c.compliant for c in self.model.constraints):
            q, qdot = self.model.map.coordinates(q_R), self.model.map.rates(q_R, qdot_R)
            _, given, applied = self.with_springs(q, self.of_rows("springs", q, qdot, None, t), tau, wrench, t)
            return self.without_springs.forward_R(q_R, qdot_R, given, applied, t)
        return self.held.accelerations_R(q_R, qdot_R, tau, wrench, t).astype(self.dtype, copy=False)

    @cached_property
    def is_held(self) -> bool:
        """Whether rows or a map hold the motion."""
        return bool(self.model.constraints) or is_held(self.model)

    @cached_property
    def held(self) -> Held:
        """What solves for accelerations where something holds the motion: with doubles."""
        return Held(self if self.dtype == "float64" else in_doubles(self, Dynamics(self.model, self.backend)))

    def forward_free(self, q: ArrayLike, qdot: ArrayLike, tau: Given = None, wrench: Given = None, t: ArrayLike = 0.0) -> np.ndarray:
        """As `forward`, as if nothing held the motion."""
        if wrench is None and not self.has_input_motion:
            if self.parameters is None and tau is not None and isinstance(q, np.ndarray) and q.ndim == 1 and isinstance(t, float):
                return self.forward_one(q, qdot, tau, t)
            return self.forward_many(q, qdot, tau, t)
        return self.hybrid_free(q, qdot, tau, None, wrench, t)[0]

    @cached_property
    def has_input_motion(self) -> bool:
        """Whether a joint's acceleration is given with each call."""
        return any(p and link.motion is None for p, link in zip(self.model.prescribed, self.model.links, strict=True))

    def forward_one(self, q: np.ndarray, qdot: ArrayLike, tau: ArrayLike, t: float) -> np.ndarray:
        """One state with as little overhead as can be."""
        try:
            call = self.single.pop()
        except IndexError:
            call = SingleCall(self)
        try:
            return call(q, qdot, tau, t)
        finally:
            self.single.append(call)

    def forward_many(self, q: ArrayLike, qdot: ArrayLike, tau: Given, t: ArrayLike) -> np.ndarray:
        shape, arrays = self.arrays(q=q, qdot=qdot, tau=tau, t=t)
        return self.call("forward", self.forward_program, arrays, shape, (self.model.nv,))[0]

    def hybrid(
        self, q: ArrayLike, qdot: ArrayLike, tau: Given = None, qddot: Given = None, wrench: Given = None, t: ArrayLike = 0.0
    ) -> Pair:
        """Accelerations and torques (..., nv): for a prescribed joint qddot is given and tau found, for the others the other way round."""
        if not self.is_held:
            return self.hybrid_free(q, qdot, tau, qddot, wrench, t)
        accelerations, torques, _ = self.solve_rows(q, qdot, tau, qddot, wrench, t)
        return accelerations, torques

    def solve_rows(
        self, q: ArrayLike, qdot: ArrayLike, tau: Given, qddot: Given, wrench: Given, t: ArrayLike, within: float = MOMENT
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Accelerations and torques (..., nv) as `hybrid`, and the multipliers of constraints (..., rows)."""
        if not self.is_held:
            accelerations, torques = self.hybrid_free(q, qdot, tau, qddot, wrench, t)
            return accelerations, torques, np.zeros((*accelerations.shape[:-1], 0), self.dtype)
        if not is_held(self.model):
            return self.solve_constraints(q, qdot, tau, qddot, wrench, t, within)
        if any(c.compliant for c in self.model.constraints):
            return self.solve_with_springs(q, qdot, tau, qddot, wrench, t, within)
        found = self.held.accelerations(q, qdot, tau, qddot, wrench, t, within)
        return found[0].astype(self.dtype, copy=False), found[1].astype(self.dtype, copy=False), found[2].astype(self.dtype, copy=False)

    def hybrid_free(
        self, q: ArrayLike, qdot: ArrayLike, tau: Given = None, qddot: Given = None, wrench: Given = None, t: ArrayLike = 0.0
    ) -> Pair:
        """As `hybrid`, as if nothing held the motion."""
        with_wrench = wrench is not None
        shape, arrays = self.arrays(q=q, qdot=qdot, tau=tau, qddot=qddot, t=t, wrench=wrench)
        n, program = self.model.nv, self.once(("hybrid", with_wrench), lambda: self.hybrid_program(with_wrench))
        accelerations, torques = self.call(f"hybrid {with_wrench}", program, arrays, shape, (n,), (n,))
        return accelerations, torques

    def inverse(
        self, q: ArrayLike, qdot: ArrayLike, qddot: ArrayLike, wrench: Given = None, t: ArrayLike = 0.0, *, multipliers: Given = None
    ) -> np.ndarray:
        """The joint forces (..., nv) that, beside springs and torque functions of the scene, produce these accelerations.

        Tied nodes have none: what moves them is what ties them, with its reaction on the bodies.

        multipliers: (..., rows) that constraints exert; unless given, those of the undriven motion at this state, `multipliers(q, qdot)`,
            which leaves the least tau' M^-1 tau. `inverse_driven` finds them where only some joints are driven
        """
        return self.inverse_with_reactions(q, qdot, qddot, wrench, t, multipliers)[0]

    def reactions(
        self, q: ArrayLike, qdot: ArrayLike, qddot: ArrayLike, wrench: Given = None, t: ArrayLike = 0.0, *, multipliers: Given = None
    ) -> np.ndarray:
        """(..., joints, 6): the wrench of parent on child at each joint, in the joint frame, during this motion. multipliers: as of
        `inverse`."""
        return self.inverse_with_reactions(q, qdot, qddot, wrench, t, multipliers)[1]

    def inverse_with_reactions(
        self, q: ArrayLike, qdot: ArrayLike, qddot: ArrayLike, wrench: Given, t: ArrayLike, multipliers: Given = None
    ) -> Pair:
        """Both at once."""
        if self.model.constraints or multipliers is not None:
            return self.inverse_with_rows(q, qdot, qddot, wrench, t, multipliers)
        return self.inverse_free(q, qdot, qddot, wrench, t)

    def inverse_free(self, q: ArrayLike, qdot: ArrayLike, qddot: ArrayLike, wrench: Given, t: ArrayLike) -> Pair:
        """Joint forces and reactions, as if nothing held the motion."""
        with_wrench = wrench is not None
        program = self.once(("inverse", with_wrench), lambda: self.inverse_program(with_wrench))
        shape, arrays = self.arrays(q=q, qdot=qdot, qddot=qddot, t=t, wrench=wrench)
        joints = len(self.model.links)
        tau, reaction = self.call(f"inverse {with_wrench}", program, arrays, shape, (self.model.nv,), (joints, 6))
        return tau, reaction

    def inverse_program(self, wrench: bool) -> Program:
        names = ("q", "qdot", "qddot", "t") + (("wrench",) if wrench else ())
        return Program("inverse dynamics", (inverse_dynamics,), inverse_fields(wrench, self.model), names, ("tau", "reaction"))

    def inverse_inertia_product(
        self, q: ArrayLike, x: ArrayLike, joint_terms: Given = None, body_terms: Given = None, t: ArrayLike = 0.0
    ) -> np.ndarray:
        """(M(q) + J^T blkdiag(P_m) J + P_r)^-1 x in O(n), (..., nv).

        joint_terms: P_r, a symmetric block for each joint, (..., sum of dof^2), or its diagonal, (..., nv); None is zero
        body_terms: P_m, a symmetric matrix for each body, in its frame, (..., bodies, 6, 6); None is zero
        """
        return self.inertia_call(True, q, x, joint_terms, body_terms, t)

    def inertia_product(
        self, q: ArrayLike, x: ArrayLike, joint_terms: Given = None, body_terms: Given = None, t: ArrayLike = 0.0
    ) -> np.ndarray:
        """(M(q) + J^T blkdiag(P_m) J + P_r) x in O(n), with the terms of `inverse_inertia_product`."""
        return self.inertia_call(False, q, x, joint_terms, body_terms, t)

    def held_product(self, q: ArrayLike, x: ArrayLike, t: ArrayLike) -> np.ndarray:
        """M(q)^-1 x over the joints that are not prescribed, with zeros for these, (..., nv)."""
        shape, arrays = self.arrays(q=q, x=x, t=t)
        return self.call("held inverse product", product_program(True, held=True), arrays, shape, (self.model.nv,))[0]

    def inertia_call(self, inverse: bool, q: ArrayLike, x: ArrayLike, joint_terms: Given, body_terms: Given, t: ArrayLike) -> np.ndarray:
        given: dict[str, np.ndarray] = {}
        if joint_terms is not None:
            given["joint_terms"] = terms.joint_terms(self.model, joint_terms)
        if body_terms is not None:
            check_frames(self.model, "body_terms")
            given["body_terms"] = terms.body_terms(self.model, body_terms)
        program = product_program(inverse, tuple(given))
        shape, arrays = self.arrays(q=q, x=x, t=t, **given)
        return self.call(" ".join([program.name, *given]), program, arrays, shape, (self.model.nv,))[0]

    def inverse_inertia(self, q: ArrayLike, t: ArrayLike = 0.0) -> np.ndarray:
        """The dense M(q)^-1 in O(n^2) (RedMax notes Sec. 2.13): one product for each column, the columns side by side in lanes."""
        spread, times = with_columns(self.model, self.dtype, q), beside_columns(t)
        return self.by_columns().inverse_inertia_product(spread, np.eye(self.model.nv), t=times)

    def inertia(self, q: ArrayLike, t: ArrayLike = 0.0) -> np.ndarray:
        """The dense reduced inertia M(q), (..., nv, nv)."""
        spread, times = with_columns(self.model, self.dtype, q), beside_columns(t)
        return self.by_columns().inertia_product(spread, np.eye(self.model.nv), t=times)
