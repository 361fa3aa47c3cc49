"""Generalised forces of gravity and of velocities, of states (..., n): M qddot = tau + gravity_forces + coriolis_forces + ..."""

from __future__ import annotations

from typing import Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import ArrayLike

from redmax.components.checks import choice
from redmax.dynamics.common.bias_forces import CORIOLIS, GRAVITY
from redmax.dynamics.common.coriolis_matrix import COLUMNS, assembled, coriolis_program
from redmax.dynamics.programs import Programs

CoriolisForm: TypeAlias = Literal["christoffel", "skew"]
FORMS: tuple[CoriolisForm, ...] = get_args(CoriolisForm)


class BiasForces(Programs):
    """The functions of `Dynamics` that say what acts on the coordinates without torques, springs and forces of the scene."""

    def gravity_forces(self, q: ArrayLike, t: ArrayLike = 0.0) -> np.ndarray:
        """What gravity does to the coordinates, (..., nv): -dV/dq of V = -sum m g . c. Torques of the opposite sign hold the mechanism up.

        Pinocchio's computeGeneralizedGravity, and g in M qddot + C qdot + g = tau, have the opposite sign.
        """
        shape, arrays = self.arrays(q=q, t=t)
        return self.call("gravity forces", GRAVITY, arrays, shape, (self.model.nv,))[0]

    def coriolis_forces(self, q: ArrayLike, qdot: ArrayLike, t: ArrayLike = 0.0) -> np.ndarray:
        """What velocities do to the coordinates, (..., nv): -C(q, qdot) qdot, Coriolis, centrifugal and gyroscopic forces.

        Joints that depend on time add to it what their motion takes.
        """
        shape, arrays = self.arrays(q=q, qdot=qdot, t=t)
        return self.call("Coriolis forces", CORIOLIS, arrays, shape, (self.model.nv,))[0]

    def nonlinear_effects(self, q: ArrayLike, qdot: ArrayLike, t: ArrayLike = 0.0) -> np.ndarray:
        """C(q, qdot) qdot + g(q), (..., nv), on the left of M qddot + C qdot + g = tau: -coriolis_forces - gravity_forces.

        Pinocchio's nonLinearEffects, MuJoCo's qfrc_bias. `inverse` at qddot = 0 has springs, dampers and forces of the scene as well.
        """
        return -self.coriolis_forces(q, qdot, t) - self.gravity_forces(q, t)

    def coriolis_matrix(self, q: ArrayLike, qdot: ArrayLike, t: ArrayLike = 0.0, *, form: CoriolisForm = "christoffel") -> np.ndarray:
        """C, (..., nv, nv): C qdot = -coriolis_forces, unless joints depend on time, and Mdot = C + C', so that Mdot - 2C is skew.

        form: both hold for either, which differ only beside qdot: "christoffel", Gamma_ijk qdot_k of `christoffel_symbols`, as Pinocchio
            has it; or "skew", the sum of J' (M Jdot - N J), N = [[mu~, f~], [f~, 0]] of the momentum (mu; f) of each body
        """
        model, chosen = self.model, choice("Dynamics.coriolis_matrix", "form", form, FORMS)
        shape, arrays = self.arrays(q=q, qdot=qdot, t=t)
        sizes = [(model.nv, 6)] * len(COLUMNS) + ([(sum(link.joint.dof**2 for link in model.links),)] if model.has_rotors else [])
        found = self.call(f"Coriolis matrix, {chosen}", coriolis_program(model, chosen), arrays, shape, *sizes)
        return assembled(model, found[: len(COLUMNS)], found[-1] if model.has_rotors else None).astype(self.dtype, copy=False)
