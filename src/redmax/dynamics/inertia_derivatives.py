"""How the inertia M(q) changes with q: the Christoffel symbols, dM/dq and dM^-1/dq.

    C_ij = Gamma_ijk qdot_k,     dM_ij/dq_k = Gamma_ijk + Gamma_jik,     dM^-1/dq_k = -M^-1 (dM/dq_k) M^-1

C is linear in qdot (common/coriolis_matrix.py), so that Gamma is C at the unit velocities, each in a lane of its own. Of coordinates
Gamma_ijk = Gamma_ikj = 1/2 (dM_ij/dq_k + dM_ik/dq_j - dM_jk/dq_i) (Mueller and Terze, Eqs. 85-86). Where velocities of a joint on a group
are body twists, d/dq_k is along the k-th of them, and Gamma_ijk - Gamma_ikj is not zero but what their brackets leave.
"""

from __future__ import annotations

import math
from typing import Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import ArrayLike

from redmax.components.checks import choice
from redmax.dynamics.bias_forces import BiasForces
from redmax.dynamics.common.state_arrays import beside_columns, with_columns
from redmax.memory import check_room

ChristoffelKind: TypeAlias = Literal["first", "second"]
KINDS: tuple[ChristoffelKind, ...] = get_args(ChristoffelKind)


class InertiaDerivatives(BiasForces):
    """The functions of `Dynamics` that differentiate its inertia."""

    def christoffel_symbols(self, q: ArrayLike, t: ArrayLike = 0.0, *, kind: ChristoffelKind = "first") -> np.ndarray:
        """Gamma[..., i, j, k], (..., nv, nv, nv): the i-th Coriolis force is -sum of Gamma_ijk qdot_j qdot_k.

        kind: "first", or "second", Gamma^i_jk = M^-1 Gamma_jk: the i-th acceleration of free motion is -sum of Gamma^i_jk qdot_j qdot_k
        """
        chosen = choice("Dynamics.christoffel_symbols", "kind", kind, KINDS)
        given, n = with_columns(self.model, self.dtype, q), self.model.nv
        check_room(40 * math.prod(given.shape[:-2]) * n**3, f"The Christoffel symbols of {n} coordinates", "Use coriolis_matrix(q, qdot).")
        columns, times = self.by_columns(), beside_columns(t)
        C = columns.coriolis_matrix(given, np.eye(n), times)  # (..., k, i, j)
        if any(link.joint.timed for link in self.model.links):
            C = C - columns.coriolis_matrix(given, np.zeros(n), times)  # what time does is no velocity's
        found = np.moveaxis(C, -3, -1)
        return found if chosen == "first" else np.einsum("...il,...ljk->...ijk", self.inverse_inertia(q, t), found)

    def inertia_derivative(self, q: ArrayLike, t: ArrayLike = 0.0) -> np.ndarray:
        """dM_ij/dq_k at [..., i, j, k], (..., nv, nv, nv); of a joint on a group along the k-th velocity."""
        found = self.christoffel_symbols(q, t)
        return found + np.swapaxes(found, -3, -2)

    def inverse_inertia_derivative(self, q: ArrayLike, t: ArrayLike = 0.0) -> np.ndarray:
        """d(M^-1)_ij/dq_k at [..., i, j, k], (..., nv, nv, nv); of a joint on a group along the k-th velocity."""
        inverse = self.inverse_inertia(q, t)
        return -np.einsum("...ia,...abk,...bj->...ijk", inverse, self.inertia_derivative(q, t), inverse)

    def inverse_inertia(self, q: ArrayLike, t: ArrayLike = 0.0) -> np.ndarray:
        """See `Dynamics`."""
        raise NotImplementedError
