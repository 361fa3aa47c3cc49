"""Derivatives of inverse dynamics where constraints hold the motion, beside those of the motion y that nothing drives.

    tau = M qddot - f - G' lambda(q, qdot),     M y = f + p + G' lambda     (p: what prescribed joints take; it is tau there)
        = b(x, qddot) - b(x, y(x)) + p(x),      b = M a - f, inverse dynamics without constraints, x = (q, qdot, time, parameters)

    d tau = d_x b(x, qddot) - d_x b(x, y) - M dy + dp + M dqddot

lambda are those of `Dynamics.inverse` unless it is told others. Second derivatives follow by the chain rule once more, b being linear in a.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from redmax.errors import SceneError
from redmax.model.deformable_nodes import node_ties
from redmax.program.program import Program

if TYPE_CHECKING:
    from redmax.dynamics.derivative_products import DerivativeProducts, InverseGradient
    from redmax.dynamics.derivatives import Derivatives, InverseDerivatives

Given = dict[str, Any]  # q, qdot, qddot, wrench, t


def refuse_ties(dynamics: Derivatives, owner: str) -> None:
    """Raise where nodes are tied: they have no tau, so that what ties them pulls by what their motion takes."""
    if node_ties(dynamics.model):
        said = f"{owner} is of joints, bodies and constraints between them, but nodes of a deformable are tied in the scene"
        raise SceneError(f"{said}. Use forward_derivatives, or leave out what ties them.", owner=owner, argument="scene")


def undriven(dynamics: Derivatives, owner: str, given: Given) -> tuple[Given, Given]:
    """What forward dynamics takes here, with no torques, and inverse dynamics at the accelerations that follow."""
    refuse_ties(dynamics, owner)
    free: Given = {"q": given["q"], "qdot": given["qdot"], "tau": None, "wrench": given["wrench"], "t": given["t"]}
    name, program = dynamics.motion_program(given["wrench"] is not None)
    shape, arrays = dynamics.arrays(**{k: free[k] for k in program.inputs})
    (y,) = dynamics.call(name, program, arrays, shape, (dynamics.model.nv,))
    return free, given | {"qddot": y}


def driving(dynamics: Derivatives, wrench: bool) -> list[tuple[str, Program]]:
    """The program of what prescribed joints take, with its name, if there are some."""
    name, program = dynamics.motion_program(wrench)
    return [(f"driving of {name}", replace(program, outputs=("tau",)))] if any(dynamics.model.prescribed) else []


def matrices(dynamics: Derivatives, owner: str, given: Given) -> InverseDerivatives:
    """See `Dynamics.inverse_derivatives`."""
    wrench = given["wrench"] is not None
    free, there = undriven(dynamics, owner, given)
    at, beside = dynamics.inverse_matrices(owner, given), dynamics.inverse_matrices(owner, there)
    M = at.qddot
    parts = [(beside.value, beside.q, beside.qdot, beside.t, beside.parameters, -1.0)]
    for (name, program), by in [(dynamics.motion_program(wrench), -M), *((x, 1.0) for x in driving(dynamics, wrench))]:
        value, by_q, by_qdot = dynamics.by_directions(owner, name, program, free, ("q", "qdot"))
        by_time, parameters = dynamics.beside(name, program, free, value.shape)
        if isinstance(by, float):
            parts.append((value, by_q, by_qdot, by_time, parameters, by))
        else:
            own = {k: applied(by, x) for k, x in parameters.items()}
            parts.append((0.0 * value, by @ by_q, by @ by_qdot, (by @ by_time[..., None])[..., 0], own, 1.0))
    found: dict[str, Any] = at._asdict() | {"parameters": dict(at.parameters)}
    for value, by_q, by_qdot, by_time, parameters, sign in parts:
        for name, x in {"value": value, "q": by_q, "qdot": by_qdot, "t": by_time}.items():
            found[name] = found[name] + sign * x
        found["parameters"] = {k: x + sign * parameters[k] for k, x in found["parameters"].items()}
    return type(at)(**found)


def applied(matrix: np.ndarray, slopes: np.ndarray) -> np.ndarray:
    """A matrix (..., n, n) times slopes (..., n, shape)."""
    lead = matrix.ndim - 1
    flat = slopes.reshape((*slopes.shape[:lead], -1))
    return (matrix @ flat).reshape(slopes.shape)


def along(dynamics: DerivativeProducts, owner: str, given: Given, rates: Mapping[str, ArrayLike]) -> np.ndarray:
    """See `Dynamics.inverse_jvp`."""
    wrench = given["wrench"] is not None
    free, there = undriven(dynamics, owner, given)
    program = dynamics.forces_program(wrench)
    found = dynamics.product_along(owner, *program, given, rates)
    kept = {name: x for name, x in rates.items() if name != "qddot"}
    if not kept:
        return found
    dy = dynamics.product_along(owner, *dynamics.motion_program(wrench), free, kept)
    found = found - dynamics.product_along(owner, *program, there, kept | {"qddot": dy})
    for own in driving(dynamics, wrench):
        found = found + dynamics.product_along(owner, *own, free, kept)
    return found


def gradient(dynamics: DerivativeProducts, owner: str, given: Given, weights: ArrayLike) -> InverseGradient:
    """See `Dynamics.inverse_vjp`."""
    from redmax.dynamics.derivative_products import InverseGradient

    wrench = given["wrench"] is not None
    free, there = undriven(dynamics, owner, given)
    program = dynamics.forces_program(wrench)
    found = InverseGradient(*dynamics.gradient_of(owner, *program, given, weights))
    less = InverseGradient(*dynamics.gradient_of(owner, *program, there, weights))
    through = dynamics.gradient_of(owner, *dynamics.motion_program(wrench), free, less.qddot)
    parts = [(less, -1.0), (InverseGradient(*through)._replace(value=0.0 * less.value), -1.0)]
    parts += [(InverseGradient(*dynamics.gradient_of(owner, *own, free, weights)), 1.0) for own in driving(dynamics, wrench)]
    total = found._asdict()
    for part, sign in parts:
        for name in ("q", "qdot", "t", "value", *(("wrench",) * wrench)):
            total[name] = total[name] + sign * getattr(part, name)
        total["parameters"] = {k: x + sign * part.parameters[k] for k, x in total["parameters"].items()}
    return InverseGradient(**total)


def second_along(dynamics: DerivativeProducts, owner: str, given: Given, weights: ArrayLike, rates: Mapping[str, ArrayLike]) -> np.ndarray:
    """See `Dynamics.inverse_hvp`."""
    wrench, n = given["wrench"] is not None, dynamics.model.nv
    free, there = undriven(dynamics, owner, given)
    program, motion = dynamics.forces_program(wrench), dynamics.motion_program(wrench)
    found = dynamics.second_along(owner, *program, given, weights, rates)
    kept = {name: x for name, x in rates.items() if name != "qddot"}
    if not kept:
        return found
    dy = dynamics.product_along(owner, *motion, free, kept)
    less = dynamics.second_along(owner, *program, there, weights, kept | {"qddot": dy})
    w_y = dynamics.gradient_of(owner, *program, there, weights)[2]  # M w
    parts = [less[..., : 2 * n]]
    pulled = dynamics.gradient_of(owner, *motion, free, less[..., 2 * n :])
    parts += [np.concatenate(pulled[:2], axis=-1), dynamics.second_along(owner, *motion, free, w_y, kept)[..., : 2 * n]]
    total = found - np.concatenate([sum(parts), np.zeros_like(found[..., 2 * n :])], axis=-1)
    for own in driving(dynamics, wrench):
        total[..., : 2 * n] += dynamics.second_along(owner, *own, free, weights, kept)[..., : 2 * n]
    return total


def hessian(dynamics: DerivativeProducts, owner: str, given: Given, weights: ArrayLike) -> np.ndarray:
    """See `Dynamics.inverse_hessian`."""
    wrench, n = given["wrench"] is not None, dynamics.model.nv
    free, there = undriven(dynamics, owner, given)
    program, motion = dynamics.forces_program(wrench), dynamics.motion_program(wrench)
    total = dynamics.contracted(owner, *program, given, weights)
    less = dynamics.contracted(owner, *program, there, weights)
    w_y = dynamics.gradient_of(owner, *program, there, weights)[2]
    _, by_q, by_qdot = dynamics.by_directions(owner, *motion, free, ("q", "qdot"))
    Y = np.concatenate([by_q, by_qdot], axis=-1)
    x, y = slice(0, 2 * n), slice(2 * n, 3 * n)
    curved = dynamics.contracted(owner, *motion, free, w_y)[..., x, x]
    through = less[..., x, y] @ Y + np.swapaxes(Y, -1, -2) @ less[..., y, x]
    total[..., x, x] -= less[..., x, x] + through + curved
    for own in driving(dynamics, wrench):
        total[..., x, x] += dynamics.contracted(owner, *own, free, weights)[..., x, x]
    return total
