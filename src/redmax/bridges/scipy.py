"""The bridge to SciPy: dynamics and steps as functions of vectors, for minimize, root and least_squares, with exact derivatives.

    f = forward_dynamics("chain-20")
    rest = f.equations(["q"], qdot=0 * v)                 root(rest.value, rest.start, jac=rest.jacobian)
    least = f.objective(lambda qddot, tau: ..., ["tau"])  minimize(least.value_and_gradient, least.start, jac=True, hessp=least.hessp)

An objective of a whole run is `redmax.gradient`, whose `flat` is such a function too.
"""

from __future__ import annotations

import hashlib
import inspect
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from redmax.arguments import as_numbers
from redmax.backends.base import Runner, make_runner
from redmax.bridges import arguments, functions
from redmax.bridges.derivative import Derivative
from redmax.bridges.function import BACKEND, Function
from redmax.bridges.functions import SceneLike
from redmax.bridges.matrices import Matrices, operands_of
from redmax.errors import Phrase, SceneError
from redmax.forces.given import Given
from redmax.program.cotangent import cotangent
from redmax.program.function import function_plan
from redmax.program.tangent import tangent
from redmax.trace import Graph, listing
from redmax.trace.vector import vector_of

__all__ = ["Equations", "Objective", "ScipyFunction", "forward_dynamics", "inverse_dynamics", "step"]


def forward_dynamics(scene: SceneLike, parameters: Sequence[str] = ()) -> ScipyFunction:
    """f(q, qdot, tau, t=, parameters=) -> qddot. parameters: names of those that may be given, such as ["arm.mass"]."""
    return ScipyFunction(functions.forward_dynamics(scene, parameters))


def inverse_dynamics(scene: SceneLike, parameters: Sequence[str] = ()) -> ScipyFunction:
    """f(q, qdot, qddot, t=, parameters=) -> tau."""
    return ScipyFunction(functions.inverse_dynamics(scene, parameters))


def step(
    scene: SceneLike, h: float, integrator: str = "euler", dynamics: str | None = None, parameters: Sequence[str] = ()
) -> ScipyFunction:
    """f(q, qdot, tau, t=, h=, parameters=) -> (q, qdot), h seconds later. integrator, dynamics: as of `redmax.simulate`, of fixed steps."""
    return ScipyFunction(functions.step(scene, h, integrator, dynamics, parameters))


class ScipyFunction:
    """Called with arrays (n,), or (..., n) of a batch; what is not given is held: tau and t at zero, parameters as the scene has them."""

    def __init__(self, function: Function) -> None:
        self.function = function

    def __repr__(self) -> str:
        return f"<{self.function!r}, for SciPy>"

    def __call__(self, q: Any, qdot: Any, third: Any = None, *, parameters: Mapping[str, Any] | None = None, **more: Any) -> Any:
        found = arguments.given(self.function, (q, qdot, third), more, parameters)
        flat = [arguments.columns(self.function, name, value, np.asarray) for name, value in found.items()]
        lead = np.broadcast_shapes(*[x.shape[:-1] for x in flat])
        worlds = int(np.prod(lead))
        rows = [np.ascontiguousarray(np.broadcast_to(x, (*lead, x.shape[-1])), float).reshape(worlds, -1) for x in flat]
        results = [r.reshape(*lead, -1) for r in Derivative(self.function, tuple(found)).call(*rows, worlds=worlds)]
        return results[0] if len(results) == 1 else tuple(results)

    def equations(self, by: Sequence[str], *, parameters: Mapping[str, ArrayLike] | None = None, **given: ArrayLike) -> Equations:
        """The results as a function of one vector: of the operands `by`, one after the other; the others are as given, or held."""
        return Equations(self.function, by, given, parameters)

    def objective(
        self, cost: Callable[..., Any], by: Sequence[str], *, parameters: Mapping[str, ArrayLike] | None = None, **given: ArrayLike
    ) -> Objective:
        """A number, as a function of one vector. cost: of the results in order, then of operands by name, as in `lambda qddot, tau: ...`

        It is traced once, as forces are: written with Python's operators, NumPy and redmax.math.
        """
        return Objective(self.function, by, given, parameters, cost)


class Equations:
    """y(x): results of a function by some of its operands. start: the vector that is what was given, or held."""

    def __init__(self, f: Function, by: Sequence[str], given: Mapping[str, Any], parameters: Mapping[str, Any] | None) -> None:
        if isinstance(by, str) or not by:
            raise SceneError(f'by is a list of operands, such as ["q"]. Valid: {", ".join(f.inputs)}.', argument="by")
        f.named(by)
        self.function, self.by = f, tuple(dict.fromkeys(by))
        both = {**given, **(parameters or {})}
        for name in f.named(list(both)):
            array = as_numbers(both[name], name, "float64")
            if array.shape != f.inputs[name].shape:
                arguments.refuse(f, name, array.shape, str(f.inputs[name].shape))
        self.given = f.named([*both, *self.by])
        self.numbers = {name: np.ravel(np.asarray(both[name], float)) for name in both}
        self.start = np.concatenate([self.numbers.get(name, f.inputs[name].numbers) for name in self.by])
        self.ends = np.cumsum([int(np.prod(f.inputs[name].shape)) for name in self.by])[:-1]
        self.at = Derivative(f, self.given)

    def parts(self, x: ArrayLike) -> dict[str, np.ndarray]:
        """What a vector stands for: the columns of each operand `by`."""
        vector = as_numbers(x, "x", "float64")
        if vector.shape != self.start.shape:
            raise SceneError(f"x is a vector of {len(self.start)} numbers, {', '.join(self.by)}. Got shape {vector.shape}.", argument="x")
        split = zip(self.by, np.split(vector, self.ends), strict=True)
        return {name: self.function.inputs[name].columns(part) for name, part in split}

    def point(self, x: ArrayLike) -> list[np.ndarray]:
        """All operands that are given."""
        parts, inputs = self.parts(x), self.function.inputs
        return [parts[name] if name in parts else inputs[name].columns(self.numbers[name]) for name in self.given]

    def joined(self, slopes: Mapping[str, np.ndarray]) -> np.ndarray:
        """(..., numbers of x) from slopes by the columns of operands."""
        return np.concatenate([self.function.inputs[name].slopes(slopes[name]) for name in self.by], axis=-1)

    def value(self, x: ArrayLike) -> np.ndarray:
        """All results, one after the other."""
        return np.concatenate(self.at.call(*self.point(x)), axis=-1)[0]

    def jacobian(self, x: ArrayLike) -> np.ndarray:
        """(results, numbers of x): in one call, directions side by side."""
        point, unit = self.point(x), np.eye(len(self.start))
        if set(self.by) <= set(operands_of(self.at)):
            found = Matrices(self.function, self.given, self.by).call(*point)
            return np.concatenate([block.reshape(self.function.model.nv, -1) for block in found], axis=1)
        parts = zip(self.by, np.split(unit, self.ends, axis=1), strict=True)
        moves = {name: self.function.inputs[name].columns(part) for name, part in parts}
        by = self.function.named(self.by)
        along = [np.ascontiguousarray(moves[name]) for name in by]
        return np.concatenate(self.at.moved(by).call(*point, *along, worlds=len(unit)), axis=-1).T


class Cost(Given):
    """A user's function of results and operands."""

    family = "bridge"


class Objective(Equations):
    """c(y(x), x), its gradient, and its Hessian times a vector."""

    def __init__(
        self, f: Function, by: Sequence[str], given: Mapping[str, Any], parameters: Mapping[str, Any] | None, cost: Callable[..., Any]
    ) -> None:
        names = list(inspect.signature(cost).parameters) if callable(cost) else []
        self.cost, self.sees = Cost("objective", cost, tuple(names), {}, "cost"), f.named(names[len(f.outputs) :])
        held = {name: f.inputs[name].numbers.reshape(f.inputs[name].shape) for name in self.sees}
        super().__init__(f, by, held | dict(given), parameters)
        asked = names[len(f.outputs) :]
        self.sizes = {f"result {name}": n for name, n in f.outputs.items()} | {name: f.inputs[name].size for name in asked}
        graph = Graph()
        traced = self.number({name: vector_of([graph.input(name, i) for i in range(n)]) for name, n in self.sizes.items()})
        text = hashlib.sha256(listing({"cost": traced}).encode()).hexdigest()
        self.back = cotangent(function_plan(f"cost {text}", self.sizes, {"value": 1}, lambda **arrays: [[self.number(arrays)]]))

    def number(self, arrays: Mapping[str, Any]) -> Any:
        """The cost, traced."""
        return self.cost.number(*arrays.values(), t=None, what=Phrase("the cost", "cost"))

    @cached_property
    def slopes(self) -> Runner:
        """Of the cost by all that it sees."""
        return make_runner(self.back, BACKEND, "float64")

    @cached_property
    def rates(self) -> Runner:
        """Of those slopes."""
        return make_runner(tangent(self.back), BACKEND, "float64")

    @cached_property
    def pulled(self) -> Derivative:
        """From slopes by results to slopes by operands."""
        return self.at.pulled(0, self.function.named(self.by))[0]

    def seen(self, point: Sequence[np.ndarray], results: Sequence[np.ndarray]) -> list[np.ndarray]:
        """What the cost sees."""
        own = dict(zip(self.given, point, strict=True))
        return [np.ravel(x) for x in (*results, *[own[name] for name in list(self.sizes)[len(self.function.outputs) :]])]

    def parted(self, found: Sequence[np.ndarray]) -> tuple[list[np.ndarray], dict[str, np.ndarray]]:
        """Numbers for what the cost sees: those of results, and of operands by name."""
        count, rows = len(self.function.outputs), [x[0, 0] for x in found]
        return rows[:count], dict(zip(list(self.sizes)[count:], rows[count:], strict=True))

    def summed(self, *terms: Mapping[str, np.ndarray]) -> np.ndarray:
        """Slopes by x."""
        zero = {name: np.zeros(self.function.inputs[name].size) for name in self.by}
        return self.joined({name: sum((term[name] for term in terms if name in term), zero[name]) for name in self.by})

    def through(self, derivative: Derivative, *operands: np.ndarray) -> dict[str, np.ndarray]:
        """Slopes by operands, by name."""
        return dict(zip(derivative.by or (), (x[0] for x in derivative.call(*operands)), strict=True))

    def value_and_gradient(self, x: ArrayLike) -> tuple[float, np.ndarray]:
        """Both at once, for jac=True."""
        point = self.point(x)
        seen = self.seen(point, self.at.call(*point))
        out = [np.empty((1, 1, n)) for n in (1, *self.sizes.values())]
        self.slopes.run([*seen, np.ones(1)], out, 1)
        by_results, by_operands = self.parted(out[1:])
        return float(out[0][0, 0, 0]), self.summed(self.through(self.pulled, *point, *by_results), by_operands)

    def hessp(self, x: ArrayLike, p: ArrayLike) -> np.ndarray:
        """The Hessian at x times p: d/ds of the gradient at x + s p."""
        point, moves, by = self.point(x), self.parts(p), self.function.named(self.by)
        along = [moves[name] for name in by]
        results = self.at.call(*point)
        rates = self.at.moved(by).call(*point, *along)
        seen, still = self.seen(point, results), [np.zeros(self.function.inputs[name].size) for name in self.given]
        moving = self.seen([moves.get(name, zero) for name, zero in zip(self.given, still, strict=True)], rates)
        out = [np.empty((1, 1, n)) for _ in range(2) for n in (1, *self.sizes.values())]
        self.rates.run([*seen, np.ones(1), *moving, np.zeros(1)], out, 1)
        half = len(out) // 2
        weights, (weights_rate, by_operands) = self.parted(out[1:half])[0], self.parted(out[half + 1 :])
        return self.summed(
            self.through(self.pulled, *point, *weights_rate), self.through(self.pulled.moved(by), *point, *weights, *along), by_operands
        )
