"""Products with the derivatives of forward and inverse dynamics, of first and second order, without their matrices; contracted Hessians.

jvp: (dy/dx) dx         the tangent of the program (program/tangent.py), at about twice its cost
vjp: (dy/dx)' w         its cotangent (program/cotangent.py): the gradient of w . y by everything at once
hvp: d/ds of the vjp    the tangent of the cotangent; with a direction in each lane, the Hessian of w . y (Nganga and Wensing 2021)
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from redmax.dynamics import undriven
from redmax.dynamics.contractions import Contractions
from redmax.program.program import Program
from redmax.types import Given


class ForwardGradient(NamedTuple):
    """The gradient of weights . qddot: (..., nv) by q, qdot and tau each, along body twists of joints on groups; (...) by t.

    wrench: (..., bodies, 6), or None where none was given;  parameters: name -> (..., its shape);  value: (..., nv) the accelerations
    """

    q: np.ndarray
    qdot: np.ndarray
    tau: np.ndarray
    t: np.ndarray
    wrench: np.ndarray | None
    parameters: Mapping[str, np.ndarray]
    value: np.ndarray


class InverseGradient(NamedTuple):
    """The gradient of weights . tau: (..., nv) by q, qdot and qddot each, along body twists of joints on groups; (...) by t.

    wrench: (..., bodies, 6), or None where none was given;  parameters: name -> (..., its shape);  value: (..., nv) the joint forces
    """

    q: np.ndarray
    qdot: np.ndarray
    qddot: np.ndarray
    t: np.ndarray
    wrench: np.ndarray | None
    parameters: Mapping[str, np.ndarray]
    value: np.ndarray


class DerivativeProducts(Contractions):
    """The functions of `Dynamics` that multiply with its derivatives."""

    def forward_jvp(
        self,
        q: ArrayLike,
        qdot: ArrayLike,
        tau: Given = None,
        wrench: Given = None,
        t: ArrayLike = 0.0,
        *,
        along: Mapping[str, ArrayLike],
    ) -> np.ndarray:
        """How accelerations change, (..., nv), as all that `along` names changes: {"q": (..., nv), "qdot": ..., "tau": ..., "t": 1.0}.

        "wrench" is (..., bodies, 6); parameters by name, (..., shape of their slopes). Of constraints, as of `forward_derivatives`.
        """
        owner = "Dynamics.forward_jvp"
        self.refuse_map(owner)
        given = {"q": q, "qdot": qdot, "tau": tau, "wrench": wrench, "t": t}
        return self.product_along(owner, *self.motion_program(wrench is not None), given, along)

    def inverse_jvp(
        self,
        q: ArrayLike,
        qdot: ArrayLike,
        qddot: ArrayLike,
        wrench: Given = None,
        t: ArrayLike = 0.0,
        *,
        along: Mapping[str, ArrayLike],
    ) -> np.ndarray:
        """How joint forces change, (..., nv), as all that `along` names changes: {"q": (..., nv), "qdot": ..., "qddot": ..., "t": 1.0}."""
        owner = "Dynamics.inverse_jvp"
        self.refuse_map(owner)
        given = {"q": q, "qdot": qdot, "qddot": qddot, "wrench": wrench, "t": t}
        if self.model.constraints:
            return undriven.along(self, owner, given, along)
        return self.product_along(owner, *self.forces_program(wrench is not None), given, along)

    def forward_vjp(
        self, q: ArrayLike, qdot: ArrayLike, tau: Given, weights: ArrayLike, wrench: Given = None, t: ArrayLike = 0.0
    ) -> ForwardGradient:
        """The gradient of weights . qddot by everything at once. weights: (..., nv)"""
        owner = "Dynamics.forward_vjp"
        self.refuse_map(owner)
        given = {"q": q, "qdot": qdot, "tau": tau, "wrench": wrench, "t": t}
        return ForwardGradient(*self.gradient_of(owner, *self.motion_program(wrench is not None), given, weights))

    def inverse_vjp(
        self, q: ArrayLike, qdot: ArrayLike, qddot: ArrayLike, weights: ArrayLike, wrench: Given = None, t: ArrayLike = 0.0
    ) -> InverseGradient:
        """The gradient of weights . tau by everything at once. weights: (..., nv)"""
        owner = "Dynamics.inverse_vjp"
        self.refuse_map(owner)
        given = {"q": q, "qdot": qdot, "qddot": qddot, "wrench": wrench, "t": t}
        if self.model.constraints:
            return undriven.gradient(self, owner, given, weights)
        return InverseGradient(*self.gradient_of(owner, *self.forces_program(wrench is not None), given, weights))

    def forward_hessian(
        self, q: ArrayLike, qdot: ArrayLike, tau: Given, weights: ArrayLike, wrench: Given = None, t: ArrayLike = 0.0
    ) -> np.ndarray:
        """(..., 3 nv, 3 nv): the second derivatives of weights . qddot by (q, qdot, tau). weights: (..., nv)

        [..., i, k] is how the i-th entry of the gradient changes along the k-th; symmetric but along twists of joints on groups.
        """
        owner = "Dynamics.forward_hessian"
        self.refuse_map(owner)
        given = {"q": q, "qdot": qdot, "tau": tau, "wrench": wrench, "t": t}
        return self.contracted(owner, *self.motion_program(wrench is not None), given, weights)

    def inverse_hessian(
        self, q: ArrayLike, qdot: ArrayLike, qddot: ArrayLike, weights: ArrayLike, wrench: Given = None, t: ArrayLike = 0.0
    ) -> np.ndarray:
        """(..., 3 nv, 3 nv): the second derivatives of weights . tau by (q, qdot, qddot). weights: (..., nv)

        [..., i, k] is how the i-th entry of the gradient changes along the k-th; symmetric but along twists of joints on groups.
        """
        owner = "Dynamics.inverse_hessian"
        self.refuse_map(owner)
        given = {"q": q, "qdot": qdot, "qddot": qddot, "wrench": wrench, "t": t}
        if self.model.constraints:
            return undriven.hessian(self, owner, given, weights)
        return self.contracted(owner, *self.forces_program(wrench is not None), given, weights)

    def forward_hvp(
        self,
        q: ArrayLike,
        qdot: ArrayLike,
        tau: Given,
        weights: ArrayLike,
        wrench: Given = None,
        t: ArrayLike = 0.0,
        *,
        along: Mapping[str, ArrayLike],
    ) -> np.ndarray:
        """(..., 3 nv): how the gradient of weights . qddot by (q, qdot, tau) changes along {"q": (..., nv), "qdot": ..., "tau": ...}."""
        owner = "Dynamics.forward_hvp"
        self.refuse_map(owner)
        given = {"q": q, "qdot": qdot, "tau": tau, "wrench": wrench, "t": t}
        return self.second_along(owner, *self.motion_program(wrench is not None), given, weights, along)

    def inverse_hvp(
        self,
        q: ArrayLike,
        qdot: ArrayLike,
        qddot: ArrayLike,
        weights: ArrayLike,
        wrench: Given = None,
        t: ArrayLike = 0.0,
        *,
        along: Mapping[str, ArrayLike],
    ) -> np.ndarray:
        """(..., 3 nv): how the gradient of weights . tau by (q, qdot, qddot) changes along {"q": (..., nv), "qdot": ..., "qddot": ...}."""
        owner = "Dynamics.inverse_hvp"
        self.refuse_map(owner)
        given = {"q": q, "qdot": qdot, "qddot": qddot, "wrench": wrench, "t": t}
        if self.model.constraints:
            return undriven.second_along(self, owner, given, weights, along)
        return self.second_along(owner, *self.forces_program(wrench is not None), given, weights, along)

    def forces_program(self, wrench: bool) -> tuple[str, Program]:
        """Its name and the program of joint forces."""
        return f"inverse {wrench}", self.program_of("inverse", wrench)
