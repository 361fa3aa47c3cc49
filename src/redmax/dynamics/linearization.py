"""Forward and inverse dynamics, linearised about states (..., n), in closed form by brackets; and how joint forces change with the jerk.

    tau = sum over bodies of J' F + taken,     F = M A - ad(V)' M V,     A = J qddot + Jdot qdot + rest
    d tau = sum of (dJ)' F + J' (M dA - ad(dV)' M V - ad(V)' M dV) + d taken
    dV/dq_k = (D_k J) qdot,       dA/dq_k = (D_k J) qddot + (D_k Jdot) qdot - ad(J_k) rest,       rest = -Ad(E^-1) (0; g)
    dV/dqdot_k = J_k,             dA/dqdot_k = (D_k J) qdot + Jdot_k

D_k are brackets (dynamics/brackets; Mueller and Terze, Eqs. 70 and 80; Sohl and Bobrow 2001). What is beside inertia and gravity, such as
springs, dampers, torque functions, forces and rotors, is differentiated as it was traced. Where joints depend on time all of it is.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from redmax.arguments import as_numbers
from redmax.dynamics.brackets.bodies import BODIES, taken_program
from redmax.dynamics.common.inverse import inverse_dynamics, inverse_fields
from redmax.dynamics.common.twist_kinds import cross
from redmax.dynamics.frames import PORTION
from redmax.dynamics.jacobian_derivatives import JacobianDerivatives
from redmax.dynamics.programs import Pair
from redmax.dynamics.slopes import Slopes
from redmax.errors import SceneError
from redmax.program.program import Program
from redmax.types import Given


class InverseLinearization(NamedTuple):
    """d tau of inverse dynamics, (..., nv, nv) each.

    q: by q, where a joint is on a group along its body twists; qdot: by qdot; qddot: by qddot, M
    """

    q: np.ndarray
    qdot: np.ndarray
    qddot: np.ndarray


class ForwardLinearization(NamedTuple):
    """d qddot of forward dynamics, (..., nv, nv) each.

    q: by q, where a joint is on a group along its body twists; qdot: by qdot; tau: by tau, M^-1
    """

    q: np.ndarray
    qdot: np.ndarray
    tau: np.ndarray


class Linearization(JacobianDerivatives, Slopes):
    """The functions of `Dynamics` that linearise it."""

    def linearize_inverse(
        self, q: ArrayLike, qdot: ArrayLike, qddot: ArrayLike, wrench: Given = None, t: ArrayLike = 0.0
    ) -> InverseLinearization:
        """How the joint forces of `inverse` change with q, qdot and qddot, (..., nv, nv) each; column k: along the k-th velocity.

        Exact, with springs, dampers and forces of the scene. In O(n^3), the closed form that faster ways are held to.
        """
        self.refuse_what_holds("linearize_inverse")
        state = self.spread(q=q, qdot=qdot, qddot=qddot, wrench=wrench, t=t)
        columns = self.by_columns()
        M = columns.slope_of("inverse", state, "qddot")
        if any(link.joint.timed for link in self.model.links):
            return InverseLinearization(columns.slope_of("inverse", state, "q"), columns.slope_of("inverse", state, "qdot"), M)
        by_q, by_qdot = columns.by_brackets(state)
        return InverseLinearization(by_q + columns.slope_of("taken", state, "q"), by_qdot + columns.slope_of("taken", state, "qdot"), M)

    def linearize_forward(
        self, q: ArrayLike, qdot: ArrayLike, tau: Given = None, wrench: Given = None, t: ArrayLike = 0.0
    ) -> ForwardLinearization:
        """How the accelerations of `forward` change with q, qdot and tau, (..., nv, nv) each; column k: along the k-th velocity.

        -M^-1 times what `linearize_inverse` finds at these accelerations; M^-1.
        """
        self.refuse_what_holds("linearize_forward")
        driven = [link.joint_name for link, p in zip(self.model.links, self.model.prescribed, strict=True) if p]
        if driven:
            why = f"is of joints that forces move, but the joint {driven[0]!r} follows a motion"
            said = f"Dynamics.linearize_forward {why}. Use linearize_inverse, or leave out its motion."
            raise SceneError(said, owner="Dynamics.linearize_forward", argument="scene")
        found = self.linearize_inverse(q, qdot, self.forward(q, qdot, tau, wrench, t), wrench, t)
        inverse = self.inverse_inertia(q, t)
        return ForwardLinearization(-inverse @ found.q, -inverse @ found.qdot, np.broadcast_to(inverse, found.qddot.shape).copy())

    def inverse_rate(
        self,
        q: ArrayLike,
        qdot: ArrayLike,
        qddot: ArrayLike,
        qdddot: ArrayLike,
        wrench: Given = None,
        wrench_rate: Given = None,
        t: ArrayLike = 0.0,
    ) -> np.ndarray:
        """d tau/dt of `inverse`, (..., nv), where accelerations change at the rates qdddot, the jerk. Exact, with all that acts.

        wrench_rate: (..., bodies, 6), how fast the wrenches on the bodies change, in body frames
        """
        self.refuse_what_holds("inverse_rate")
        wrench = np.zeros((len(self.model.links), 6)) if wrench is None and wrench_rate is not None else wrench
        rates = {"q": qdot, "qdot": qddot, "qddot": qdddot} | ({} if wrench is None else {"wrench": wrench_rate})
        given = {"q": q, "qdot": qdot, "qddot": qddot, "wrench": wrench, "t": t}
        return self.slope(f"slope of inverse {wrench is not None}", self.program_of("inverse", wrench is not None), given, rates, time=1.0)

    def forward(self, q: ArrayLike, qdot: ArrayLike, tau: Given = None, wrench: Given = None, t: ArrayLike = 0.0) -> np.ndarray:
        """See `Dynamics`."""
        raise NotImplementedError

    def inverse_inertia(self, q: ArrayLike, t: ArrayLike = 0.0) -> np.ndarray:
        """See `Dynamics`."""
        raise NotImplementedError

    def refuse_what_holds(self, name: str) -> None:
        """Raise where more than joints holds the motion."""
        owner, held = f"Dynamics.{name}", ""
        if self.model.map is not None:
            held = "a map of coordinates holds"
        elif self.model.twists:
            held = "prescribed twists hold"
        elif self.model.constraints:
            held = f"constraints ({self.model.constraints[0].name!r}) hold"
        if held:
            said = f"{owner} is of joints and bodies, but {held} the scene. Leave out what holds it."
            raise SceneError(said, owner=owner, argument="scene")

    def spread(self, **given: Any) -> dict[str, Any]:
        """A state with an axis for columns behind those of the worlds."""
        axes = {"wrench": 2, "t": 0}
        found: dict[str, Any] = {}
        for name, value in given.items():
            if value is None:
                found[name] = None
                continue
            array = as_numbers(value, name, self.dtype)
            found[name] = np.expand_dims(array, max(array.ndim - axes.get(name, 1), 0))
        return found

    def program_of(self, name: str, wrench: bool) -> Program:
        """Of inverse dynamics, or of what of it is beside inertia and gravity."""
        return self.once(("forces", name, wrench), lambda: self.new_program_of(name, wrench))

    def new_program_of(self, name: str, wrench: bool) -> Program:
        """The same, put together."""
        if name == "taken":
            return taken_program(self.model, wrench)
        names = ("q", "qdot", "qddot", "t", *(("wrench",) * wrench))
        return Program("inverse dynamics", (inverse_dynamics,), inverse_fields(wrench, self.model), names, ("tau",))

    def slope_of(self, name: str, state: dict[str, Any], by: str) -> np.ndarray:
        """(..., nv, nv): d tau by one of the inputs."""
        wrench = state["wrench"] is not None
        moved = {by: np.eye(self.model.nv)}
        return np.swapaxes(self.slope(f"slope of {name} {wrench}", self.program_of(name, wrench), state, moved), -1, -2)

    def by_brackets(self, state: dict[str, Any]) -> Pair:
        """d tau of inertia and gravity by q and by qdot, (..., nv, nv) each, so many columns at a time that they take little memory."""
        n, links, states = self.model.nv, len(self.model.links), [state[name].shape[:-2] for name in ("q", "qdot", "qddot")]
        together = max(1, PORTION // max(1, 24 * n * links * math.prod(np.broadcast_shapes(*states))))
        parts = [self.columns_by_brackets(state, np.arange(k, min(k + together, n))) for k in range(0, max(n, 1), together)]
        by_q, by_qdot = (np.concatenate(x, axis=-1) for x in zip(*parts, strict=True))
        return by_q, by_qdot

    def columns_by_brackets(self, state: dict[str, Any], columns: np.ndarray) -> Pair:
        """Some columns of both, (..., nv, columns)."""
        qdot, qddot, directions = state["qdot"], state["qddot"], np.eye(self.model.nv, dtype=self.dtype)[columns]
        found = self.derived(state["q"], [qdot, directions], state["t"], timed=False)
        J, Jdot, DJ, DJdot = (found.J[w] for w in ((), (0,), (1,), (0, 1)))  # (..., columns, links, nv, 6)
        V, Jk, dV = (found.V[w] for w in ((0,), (1,), (0, 1)))
        M, rest = self.bodies(state["q"], state["t"])
        A = times(J, qddot) + times(Jdot, qdot) + rest
        dA = times(DJ, qddot) + times(DJdot, qdot) - bracket(Jk, rest)
        F, dF = force(M, A, V), changed_force(M, dA, V, dV)
        by_q = np.einsum("...lnc,...lc->...n", DJ, F) + np.einsum("...lnc,...lc->...n", J, dF)
        own = np.moveaxis(Jdot[..., np.arange(len(columns)), :, columns, :], 0, -3)  # Jdot_k
        by_qdot = np.einsum("...lnc,...lc->...n", J, changed_force(M, times(DJ, qdot) + own, V, Jk))
        return np.swapaxes(by_q, -1, -2), np.swapaxes(by_qdot, -1, -2)

    def bodies(self, q: ArrayLike, t: ArrayLike) -> Pair:
        """Inertias in joint frames, (..., links, 6, 6), and -g as an acceleration, (..., links, 6)."""
        links = len(self.model.links)
        shape, arrays = self.arrays(q=q, t=t)
        inertia, rest = self.call("inertias of bodies", BODIES, arrays, shape, (links, 6, 6), (links, 6))
        return inertia, rest


def times(columns: np.ndarray, x: np.ndarray) -> np.ndarray:
    """(..., links, 6): columns (..., links, nv, 6) times rates (..., nv)."""
    return np.einsum("...lnc,...n->...lc", columns, x)


def bracket(V: np.ndarray, W: np.ndarray) -> np.ndarray:
    """ad(V) W of twists (..., 6)."""
    return np.concatenate([cross(V[..., :3], W[..., :3]), cross(V[..., :3], W[..., 3:]) + cross(V[..., 3:], W[..., :3])], axis=-1)


def swung(V: np.ndarray, P: np.ndarray) -> np.ndarray:
    """-ad(V)' P of twists V and momenta P, (..., 6)."""
    return np.concatenate([cross(V[..., :3], P[..., :3]) + cross(V[..., 3:], P[..., 3:]), cross(V[..., :3], P[..., 3:])], axis=-1)


def force(M: np.ndarray, A: np.ndarray, V: np.ndarray) -> np.ndarray:
    """M A - ad(V)' M V."""
    return weighed(M, A) + swung(V, weighed(M, V))


def changed_force(M: np.ndarray, dA: np.ndarray, V: np.ndarray, dV: np.ndarray) -> np.ndarray:
    """Its change."""
    return weighed(M, dA) + swung(dV, weighed(M, V)) + swung(V, weighed(M, dV))


def weighed(M: np.ndarray, V: np.ndarray) -> np.ndarray:
    """M V."""
    return (M @ V[..., None])[..., 0]
