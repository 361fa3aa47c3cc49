"""The bridge to CasADi: dynamics and steps as functions of its expressions, for optimal control and root finding with exact derivatives.

A call reads and fills CasADi's own memory. Jacobians are one call with the columns side by side, and sparse where the tree is; gradients
are products, and so are second derivatives (derivative.py).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from redmax.bridges import arguments, functions
from redmax.bridges.casadi_callback import Computed, Pattern, derivative
from redmax.bridges.casadi_run import Ran
from redmax.bridges.derivative import Derivative
from redmax.bridges.function import Function
from redmax.bridges.functions import SceneLike
from redmax.bridges.packages import needed
from redmax.bridges.whole_run import WholeRun
from redmax.design.gradients import Gradient
from redmax.errors import RedmaxError

casadi = needed("casadi")

__all__ = ["CasadiFunction", "CasadiObjective", "forward_dynamics", "inverse_dynamics", "objective", "step"]


def forward_dynamics(scene: SceneLike, parameters: Sequence[str] = ()) -> CasadiFunction:
    """f(q, qdot, tau, t=, parameters=) -> qddot. parameters: names of those that may be given, such as ["arm.mass"]."""
    return CasadiFunction(functions.forward_dynamics(scene, parameters))


def inverse_dynamics(scene: SceneLike, parameters: Sequence[str] = ()) -> CasadiFunction:
    """f(q, qdot, qddot, t=, parameters=) -> tau."""
    return CasadiFunction(functions.inverse_dynamics(scene, parameters))


def step(
    scene: SceneLike, h: float, integrator: str = "euler", dynamics: str | None = None, parameters: Sequence[str] = ()
) -> CasadiFunction:
    """f(q, qdot, tau, t=, h=, parameters=) -> (q, qdot), h seconds later. integrator, dynamics: as of `redmax.simulate`, of fixed steps."""
    found = functions.step(scene, h, integrator, dynamics, parameters)
    if found.one_way:
        fix = "Take the objective of a whole run, or redmax.linearize"
        raise RedmaxError(f"The {found.name} of this scene {found.one_way.split('.')[0]}, which CasADi does not ask for. {fix}.")
    return CasadiFunction(found)


def objective(gradient: Gradient) -> CasadiObjective:
    """f(q=, qdot=, tau=, parameters=) -> the objective of a whole run, what `redmax.gradient` returns. tau: (nv, steps)"""
    return CasadiObjective(WholeRun(gradient))


class CasadiFunction:
    """Called with expressions or numbers (n, 1); what is not given is held: tau and t at zero, parameters as the scene has them.

    `function("q", "qdot", "tau")` is the casadi.Function of these operands itself.
    """

    def __init__(self, function: Function) -> None:
        self.described, self.pattern = function, Pattern(function)
        self.known: dict[tuple[str, ...], Computed] = {}

    def __repr__(self) -> str:
        return f"<{self.described!r}, for CasADi>"

    def function(self, *names: str) -> Computed:
        """Of some operands, in their own order."""
        given = self.described.named(names)
        if given not in self.known:
            self.known[given] = derivative(Derivative(self.described, given), self.pattern)
        return self.known[given]

    def __call__(self, q: Any, qdot: Any, third: Any = None, *, parameters: Mapping[str, Any] | None = None, **more: Any) -> Any:
        found = arguments.given(self.described, (q, qdot, third), more, parameters)
        return self.function(*found)(*[self.columns(name, value) for name, value in found.items()])

    def columns(self, name: str, value: Any) -> Any:
        """Of one operand, (n, 1)."""
        matrix = value if isinstance(value, casadi.MX | casadi.DM) else casadi.DM(np.asarray(value, float))
        operand = self.described.inputs[name]
        shape = (*operand.shape, 1, 1)[:2]
        if matrix.shape != shape:
            arguments.refuse(self.described, name, tuple(matrix.shape), str(shape))
        flat = matrix if matrix.shape[1] == 1 else casadi.vec(matrix.T)
        return sum(flat[list(take)] for take in operand.takes) / float(len(operand.takes)) if operand.takes else flat


class CasadiObjective:
    """Called with expressions or numbers in place of what the scene has. It has a gradient, and no Hessian: IPOPT takes limited-memory."""

    def __init__(self, run: WholeRun) -> None:
        self.run, self.known = run, dict[tuple[str, ...], Ran]()

    def __repr__(self) -> str:
        return f"<{self.run!r}, for CasADi>"

    def function(self, *names: str) -> Ran:
        """Of some of what the gradient is by, in its order."""
        given = tuple(self.run.given(dict.fromkeys(names, 0.0), None))
        if given not in self.known:
            self.known[given] = Ran(self.run, given)
        return self.known[given]

    def __call__(self, *, parameters: Mapping[str, Any] | None = None, **named: Any) -> Any:
        found = self.run.given(named, parameters)
        return self.function(*found)(*found.values())
