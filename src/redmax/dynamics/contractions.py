"""What products with derivatives of a program are made of: its tangent, its cotangent, and the tangent of that, at states (..., n).

Coordinates of joints on groups are along their body twists. There gradients are T' g, T how configurations change with velocities, and they
change as T does too: the order of two directions counts, as rotations do not commute.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from redmax.arguments import as_numbers, brief
from redmax.backends.base import make_runner, rolled_plan
from redmax.dynamics.common.closing import from_places, places_alone, world
from redmax.dynamics.common.parameter_slopes import by_name
from redmax.dynamics.common.state_arrays import explain
from redmax.dynamics.derivatives import Derivatives
from redmax.dynamics.slopes import MOVED
from redmax.errors import SceneError, SimulationError, unknown
from redmax.joints.group_rates import pulled, pulled_rates
from redmax.memory import check_room
from redmax.program.cotangent import cotangent
from redmax.program.kernel import PARAMETERS
from redmax.program.program import Program
from redmax.program.tangent import tangent


class Contractions(Derivatives):
    """What `DerivativeProducts` is made of."""

    def checked(self, owner: str, along: Mapping[str, ArrayLike], given: Mapping[str, Any]) -> dict[str, Any]:
        """What changes, of what is given; of parameters the numbers that programs take."""
        known = [name for name, value in given.items() if value is not None or name in ("tau", "t")]
        slopes = {} if self.parameters is None or not isinstance(along, Mapping) or along.keys() <= {*known} else self.parameter_moves()
        known += slopes
        if not isinstance(along, Mapping):
            said = f'{owner}: along is a dictionary, such as {{"q": dq}}, of {", ".join(known)}. Got {brief(along)}.'
            raise SceneError(said, owner=owner, argument="along")
        for name in along:
            if name not in known:
                raise SceneError(f"{owner}: {unknown('input', name, known)}", owner=owner, argument="along")
        rates: dict[str, Any] = {name: x for name, x in along.items() if name not in slopes}
        batch = 0 if self.parameters is None else self.parameters.ndim - 1
        moves = [moved_by(owner, name, slopes[name], batch, along[name]) for name in along if name in slopes]
        return rates | ({PARAMETERS: sum(moves)} if moves else {})

    def parameter_moves(self) -> Mapping[str, np.ndarray]:
        """(..., columns, its shape), by name: how the numbers that programs take change with each parameter."""
        assert self.parameters is not None
        (names, values), columns = self.parameter_values(), self.parameters.shape[-1]
        each = np.broadcast_to(np.eye(columns), (*self.parameters.shape[:-1], columns, columns))
        return self.named_slopes(by_name(self.model, names, each, values, (columns,), "Dynamics"), 1)

    def product_along(self, owner: str, name: str, program: Program, given: dict[str, Any], along: Mapping[str, ArrayLike]) -> np.ndarray:
        """The derivative along what changes."""
        rates = self.checked(owner, along, given)
        if "q" in rates:
            self.refuse_corners(owner, given)
        time = rates.pop("t", 0.0)
        if np.ndim(time):
            parts = self.slope(f"slope of {name}", program, given, {}, time=1.0) * np.asarray(time)[..., None]
            return parts + self.slope(f"slope of {name}", program, given, rates) if rates else parts
        return self.slope(f"slope of {name}", program, given, rates, time=float(np.asarray(time)))

    def gradient_of(self, owner: str, name: str, program: Program, given: dict[str, Any], weights: ArrayLike) -> tuple[Any, ...]:
        """By the three, the time, wrenches and parameters; and the value."""
        self.refuse_corners(owner, given)
        third = next(k for k in program.inputs if k in ("tau", "qddot"))
        by = [*program.inputs, *self.own]
        shape, arrays = self.arrays(**{k: given[k] for k in program.inputs}, weights=weights)
        plain = [*arrays[: len(program.inputs)], *arrays[len(program.inputs) + 1 :], arrays[len(program.inputs)]]
        value, *found = self.run_reversed(f"gradient of {name}", program, plain, shape, by, second=False)
        slopes = {k: x.reshape(*shape, x.shape[-1]) for k, x in zip(by, found, strict=True)}
        q = np.broadcast_to(arrays[0], (math.prod(shape), arrays[0].shape[-1])).reshape(*shape, -1)
        slopes["q"] = pulled(self.model.configurations, q, slopes["q"])
        wrench = slopes["wrench"].reshape(*shape, -1, 6) if "wrench" in slopes else None
        parameters: Mapping[str, np.ndarray] = {}
        if self.own:
            names, values = self.parameter_values()
            parameters = self.named_slopes(by_name(self.model, names, slopes[PARAMETERS], values, owner="Dynamics"), 0)
        value = value.reshape(*shape, self.model.nv)
        return slopes["q"], slopes["qdot"], slopes[third], slopes["t"][..., 0], wrench, parameters, value

    def contracted(self, owner: str, name: str, program: Program, given: dict[str, Any], weights: ArrayLike) -> np.ndarray:
        """The Hessian, a direction in each lane: none by the third, in which all is linear."""
        self.refuse_corners(owner, given)
        n = self.model.nv
        columns, state = self.by_columns(), self.spread(**given, weights=weights)
        each = np.eye(2 * n, dtype=self.dtype)
        states = [np.shape(x)[:-1] for k, x in state.items() if x is not None and k not in ("t", "wrench")]
        worlds = math.prod(np.broadcast_shapes(*states))
        check_room(150 * n * n * worlds, f"Second derivatives of {worlds:,} states", "Ask for fewer at a time.")
        along = {"q": each[:, :n], "qdot": each[:, n:]}
        found = columns.second(name, program, {k: x for k, x in state.items() if k != "weights"}, state["weights"], along)
        H = np.zeros((*found.shape[:-2], 3 * n, 3 * n), self.dtype)
        H[..., :, : 2 * n] = np.swapaxes(found, -1, -2)
        H[..., : 2 * n, 2 * n :] = np.swapaxes(H[..., 2 * n :, : 2 * n], -1, -2)
        return H

    def second_along(
        self, owner: str, name: str, program: Program, given: dict[str, Any], weights: ArrayLike, along: Mapping[str, ArrayLike]
    ) -> np.ndarray:
        """(..., 3 nv): how the gradient changes along what a user names."""
        rates = self.checked(owner, along, given)
        self.refuse_corners(owner, given)
        return self.second(name, program, given, weights, rates)

    def second(self, name: str, program: Program, given: dict[str, Any], weights: Any, along: Mapping[str, Any]) -> np.ndarray:
        """(..., 3 nv): how the gradient changes."""
        third, k = next(k for k in program.inputs if k in ("tau", "qddot")), len(program.inputs)
        rates = {x: v for x, v in along.items() if x != "t"}
        moved = {MOVED[x]: v for x, v in rates.items()}
        shape, arrays = self.arrays(**{x: given[x] for x in program.inputs}, weights=weights, **moved)
        values = dict(zip(program.inputs, arrays[:k], strict=True))
        changes = {x: np.zeros_like(v) for x, v in values.items()} | dict(zip(rates, arrays[k + 1 : k + 1 + len(rates)], strict=True))
        if "q" in rates:
            changes["q"] = self.change_of_configuration(values["q"], changes["q"])
        changes["t"] = np.broadcast_to(np.asarray(along.get("t", 0.0), self.dtype)[..., None], np.shape(changes["t"])).copy()
        own, varied = arrays[k + 1 + len(rates) :], [changes.pop(PARAMETERS)] if PARAMETERS in rates else []
        varied = varied or [np.zeros_like(x) for x in own]
        inputs = [*values.values(), *own, arrays[k], *changes.values(), *varied, np.zeros_like(arrays[k])]
        by = ["q", "qdot", third]
        found = self.run_reversed(f"second of {name}", program, inputs, shape, by, second=True)
        worlds = math.prod(shape)
        q, dq = (np.broadcast_to(x, (worlds, x.shape[-1])) for x in (values["q"], changes["q"]))
        _, g, _, _, _, dg, d_qdot, d_third = found
        rate = pulled_rates(self.model.configurations, q, dq, g, dg)
        return np.concatenate([rate, d_qdot, d_third], axis=-1).reshape(*shape, -1)

    def run_reversed(
        self, name: str, program: Program, inputs: list[np.ndarray], shape: tuple[int, ...], by: list[str], second: bool
    ) -> list[np.ndarray]:
        """The outputs of a program, and the cotangents of some inputs, (worlds, n) each; second: then how they change."""
        if not program.straight:
            program, inputs = self.from_places(name, program, inputs, second)
        if name not in self.runners:
            plan = cotangent(rolled_plan(self.model, program, self.backend, keep=True), by=by)
            self.runners[name] = make_runner(tangent(plan) if second else plan, self.backend, self.dtype)
        runner, worlds = self.runners[name], math.prod(shape)
        kept = [k for k, label in enumerate(runner.outputs) if not label.endswith("turns")]  # of loops, where there are some
        outputs = [np.zeros((1, worlds, self.size_of(label)), self.dtype) for label in runner.outputs]
        if worlds and runner.run([np.ascontiguousarray(a) for a in inputs], outputs, worlds):
            explain(self.model, program, inputs[: len(program.inputs)], outputs[:1])
            bad = next((k for k, n in zip(by, kept[1:], strict=False) if not np.isfinite(outputs[n]).all()), by[0])
            said = f"{program.name} has no derivative by {bad} at this state: a force has a corner there, or a length of zero"
            raise SimulationError(f"{said}. Take a state beside it.")
        return [outputs[k][0] for k in kept]

    def from_places(self, name: str, program: Program, inputs: list[np.ndarray], second: bool) -> tuple[Program, list[np.ndarray]]:
        """A program whose constraints look for where their joints are closed, or where on curves they are, from where that is."""
        k, n, worlds = len(program.inputs), len(self.own), max(len(x) if x.ndim > 1 else 1 for x in inputs)
        sizes = (world(self.model)["closing_q"],), (1,)
        found, lost = self.call(f"places of {name}", places_alone(self.model, program), inputs[: k + n], (worlds,), *sizes)
        if not np.isfinite(lost).all():
            raise SimulationError(f"{program.name}: constraints do not find where their loops close. Take a state nearer to that.")
        within = [*inputs[:k], found, *inputs[k:]]
        if second:
            half = len(inputs) // 2 + 1 + k
            within = [*within[:half], np.zeros_like(found), *within[half:]]
        return from_places(self.model, program), within

    def size_of(self, label: str) -> int:
        """Columns of an output of such a program."""
        sizes = {"q": self.model.configurations.size, "t": 1, "turns": 1, "wrench": 6 * len(self.model.links)}
        sizes |= {PARAMETERS: 0 if self.parameters is None else self.parameters.shape[-1]}
        return sizes.get(label.rpartition(" of ")[2], self.model.nv)


def moved_by(owner: str, name: str, slope: np.ndarray, batch: int, direction: ArrayLike) -> np.ndarray:
    """(..., columns), of slopes (*batch, columns, its shape), along a direction (..., its shape). batch: how many axes that has"""
    own, found = slope.shape[batch + 1 :], as_numbers(direction, f"along {name!r}", "float64")
    if found.shape[found.ndim - len(own) :] != own or found.ndim < len(own):
        valid = f"(..., {', '.join(map(str, own))})" if own else "(...)"
        said = f"{owner}: along {name!r} has shape {valid}, as its slopes. Got {found.shape}."
        raise SceneError(said, owner=owner, argument="along", got=str(found.shape), expected=valid)
    flat = found.reshape((*found.shape[: found.ndim - len(own)], -1))
    return np.einsum("...cm,...m->...c", slope.reshape((*slope.shape[: batch + 1], -1)), flat)
