"""Gradients by the parameters that a scene file declares, through the expressions that use them.

    dP/dn = sum over what n changes in the model:  dP/dp dp/dn  +  dP/dq dq0/dn  +  dP/dqdot dqdot0/dn

The file is read again with values beside n; dp/dn are differences of order 8. What changes that is no parameter of the model is refused.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property, lru_cache
from typing import Any

import numpy as np

from redmax.arguments import as_float, brief
from redmax.design.gradients.run_gradient import Gradient, values_in
from redmax.dynamics.common.parameter_slopes import STEP, WEIGHTS
from redmax.dynamics.dynamics import Dynamics
from redmax.errors import SceneError
from redmax.model.model import Model
from redmax.model.parameters import known_parameters
from redmax.model.scene import Scene


class File:
    """A scene file, whose parameters have other values. names: of those that a gradient is by."""

    def __init__(self, scene: Scene, names: Sequence[str]) -> None:
        self.source, self.names = scene.source, tuple(names)
        self.start = {name: float(self.source.parameters[name]) for name in names}
        self.model = lru_cache(maxsize=64)(self.read)

    def read(self, *values: float) -> Model:
        """The model with these values, in the order of the names."""
        return self.source.again(dict(zip(self.names, values, strict=True))).model()

    @cached_property
    def moved(self) -> tuple[str, ...]:
        """The parameters of the model that follow from those of the file."""
        first, found = self.model(*self.start.values()), dict[str, None]()
        known = {name: p for name, p in known_parameters(first).items() if p.path[:1] != ("shape",) and name[-2:] not in (".x", ".y", ".z")}
        before = values_in(first, known)
        for k in range(len(self.names)):
            after = values_in(self.beside(self.start, k, 1), known)
            found |= {name: None for name in known if not np.array_equal(before[name], after[name])}
        own = {(known[name].place, known[name].what, id(known[name].owner), known[name].path): name for name in reversed(found)}
        return tuple(name for name in found if name in own.values())

    def check(self) -> None:
        """Raise where something else follows from them: then another force is missing than the model's parameters account for."""
        first, rng = self.model(*self.start.values()), np.random.default_rng(0)
        state = first.q0 + 0.1 * rng.normal(size=first.nq), rng.normal(size=first.nv), rng.normal(size=first.nv)
        for k, name in enumerate(self.names):
            other = self.beside(self.start, k, 1)
            found = Dynamics(first, parameters=values_in(other, self.moved)), Dynamics(other)
            torques, places = ([f(d) for d in found] for f in (lambda d: d.inverse(*state), lambda d: d.observe(*state[:2]).pose))
            if not all(np.allclose(*pair, rtol=1e-9, atol=1e-9 * np.abs(pair[1]).max(initial=0.0)) for pair in (torques, places)):
                why = "changes more than numbers that may differ from world to world, such as one within a function"
                fix = "Give derivatives by parameters of the model instead, such as 'arm.mass'"
                raise SceneError(f"The file's parameter {name!r} {why}. {fix}.", owner="gradient", argument="by")

    def beside(self, values: Mapping[str, float], k: int, steps: int) -> Model:
        """The model with one of the values a little away."""
        others = list(values.values())
        others[k] += steps * STEP * size(others[k])
        return self.model(*others)

    def slope(self, values: Mapping[str, float], k: int, of: Any) -> Any:
        """The derivative of what is `of` a model, by one of the values."""
        ends = [(c, of(self.beside(values, k, n)), of(self.beside(values, k, -n))) for n, c in enumerate(WEIGHTS, 1)]
        unit = STEP * size(list(values.values())[k])
        return {name: sum(c * (up[name] - down[name]) for c, up, down in ends) / unit for name in ends[0][1]}


def size(x: float) -> float:
    """Of a value, as differences take it."""
    return abs(x) or 1.0


class FileGradient(Gradient):
    """A Gradient by parameters of a file too."""

    def __init__(self, file: File, *given: Any) -> None:
        super().__init__(*given)
        self._file, self._at = file, dict(file.start)

    @property
    def _own(self) -> tuple[str, ...]:
        """Those of its parameters that are the model's."""
        return tuple(name for name in self.parameters if name not in self._file.names)

    @cached_property
    def defaults(self) -> Mapping[str, np.ndarray]:
        """The values that the scene has of what it is by, and the file of its own."""
        return {**values_in(self.model, self._own), **{name: np.array(x) for name, x in self._file.start.items()}}

    def _values(self, given: Any) -> dict[str, np.ndarray]:
        """Of all parameters of the model, those that follow from the file's among them."""
        outer = super()._values(given)
        for name in self._file.names:
            if (value := as_float(outer[name])) is None or not np.isfinite(value):
                said = f"The file's parameter {name!r} is a number, the same for all worlds. Got {brief(outer[name])}."
                raise SceneError(said, owner="gradient", argument=name)
            self._at[name] = value
        own = {name: outer[name] for name in self._own}
        return {**values_in(self._file.model(*self._at.values()), self._file.moved), **own}

    def _begin(self, q: Any, qdot: Any, tau: Any, values: Mapping[str, np.ndarray]) -> np.ndarray:
        """From where the file begins, unless somebody says otherwise."""
        begin = states(self._file.model(*self._at.values()))
        self._free = [name for name, x in (("q", q), ("qdot", qdot)) if x is None]
        return super()._begin(begin["q"] if q is None else q, begin["qdot"] if qdot is None else qdot, tau, values)

    def _by(self, found: Any, begin: np.ndarray, values: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
        """With the slopes by the file's parameters."""
        by = super()._by(found, begin, values)
        lead = by["qdot"].ndim - 1
        for k, name in enumerate(self._file.names):
            moves = self._file.slope(self._at, k, lambda m: {**values_in(m, self._file.moved), **states(m)})
            total: Any = 0.0
            for other in (*self._file.moved, *self._free):
                slope = by[other]
                total = total + (slope * moves[other]).sum(axis=tuple(range(lead, slope.ndim)))
            by[name] = np.asarray(total)
        return by


def states(model: Model) -> dict[str, np.ndarray]:
    """Where a model begins."""
    return {"q": model.q0, "qdot": model.qdot0}
