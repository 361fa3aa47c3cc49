"""Programs of one model, run on plain arrays: what the functions of `Dynamics` have in common, whichever file they are in."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from os import PathLike
from typing import Any, Self, TypeAlias, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from redmax.arguments import brief
from redmax.backends.base import Runner, check_backend, make_plan, make_runner
from redmax.bodies import Body
from redmax.dynamics.common.on_group import guarded
from redmax.dynamics.common.parametrised import parametrised, with_rows
from redmax.dynamics.common.single_call import SingleCall
from redmax.dynamics.common.state_arrays import explain, state_arrays
from redmax.dynamics.declared import Declared, with_declared
from redmax.errors import SceneError
from redmax.model.model import Model
from redmax.model.parameter_values import parameter_columns
from redmax.model.scene import Scene
from redmax.program.kernel import PARAMETERS
from redmax.program.program import Program
from redmax.trace.blame import blamed

ON_GROUPS = ("forward dynamics", "hybrid dynamics", "inverse dynamics")  # which want configurations that are
Pair: TypeAlias = tuple[np.ndarray, np.ndarray]
T = TypeVar("T")


class Programs:
    """Each program is compiled when it is first called, and kept by its name."""

    def __init__(
        self,
        model: Model | Scene | str | PathLike[str],
        backend: str = "llvm",
        dtype: str = "float64",
        parameters: Mapping[str, ArrayLike] | None = None,
    ) -> None:
        check_backend(backend, dtype)
        self.model, parameters, self.declared = model_with(model, parameters)
        self.backend, self.dtype = backend, dtype
        self.given: dict[str, Any] = dict(parameters or {})
        self.parameters = parameter_columns(self.model, self.given).astype(dtype) if self.model.parameters else None
        self.runners: dict[str, Runner] = {}
        self.put_together: dict[Any, Any] = {}
        self.single: list[SingleCall] = []

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.model!r}, {self.backend}, {self.dtype})"

    def __reduce__(self) -> Any:
        made = type(self), (self.model, self.backend, self.dtype, self.given)
        return made if self.declared is None else (*made, {"declared": self.declared})

    def __copy__(self) -> Self:
        """Of the same model, with the same compiled programs: only calls into buffers are its own, since they hold its parameters."""
        other = object.__new__(type(self))
        vars(other).update(vars(self))
        other.single = []
        return other

    @property
    def own(self) -> dict[str, np.ndarray]:
        """{"parameters": (..., columns)}, the last input of every program; nothing where there are none."""
        return {} if self.parameters is None else {PARAMETERS: self.parameters}

    def runner(self, name: str, program: Program) -> Runner:
        if name not in self.runners:
            looked_at = program.name in ON_GROUPS and self.dtype == "float64"  # single precision is off by roundings that are as large
            made = guarded(self.model, program) if looked_at else program
            self.runners[name] = make_runner(make_plan(self.model, made, self.backend), self.backend, self.dtype)
        return self.runners[name]

    def once(self, key: Any, make: Callable[[], T]) -> T:
        """What is made once for this model, such as a program: to put one together takes longer than a state in it."""
        if key not in self.put_together:
            self.put_together[key] = make()
        return self.put_together[key]

    def by_columns(self) -> Self:
        """The same with an axis for the columns of a matrix behind those of the worlds."""
        return self if self.parameters is None else with_rows(self, self.parameters[..., None, :])

    def named_slopes(self, found: Mapping[str, np.ndarray], rows: int) -> Mapping[str, np.ndarray]:
        """By parameters as they were given, those of a file among them, of slopes (..., *rows, shape) by those of the model."""
        return found if self.declared is None else self.declared.slopes(found, rows)

    def arrays(self, **given: Any) -> tuple[tuple[int, ...], list[np.ndarray]]:
        """The inputs of a program, and the leading axes of its result (common/state_arrays.py)."""
        return state_arrays(self.model, self.dtype, given | self.own)

    def call(
        self, name: str, program: Program, inputs: list[np.ndarray], shape: tuple[int, ...], *widths: tuple[int, ...]
    ) -> list[np.ndarray]:
        """Run a program on all worlds; the results have the leading axes `shape` and these widths."""
        worlds, outputs = math.prod(shape), [np.empty((1, math.prod(shape), math.prod(w)), self.dtype) for w in widths]
        try:
            failed = worlds and self.runner(name, program).run(inputs, outputs, worlds)
        except ArithmeticError as error:  # of a user's function, while it is traced
            raise blamed(error) from error
        if failed:
            explain(self.model, program, inputs[: len(program.inputs)], outputs)
        return [o.reshape(*shape, *w) for o, w in zip(outputs, widths, strict=True)]


def model_of(given: Model | Scene | str | PathLike[str]) -> Model:
    """Of a scene, or of one that is named, the one that it makes."""
    if isinstance(given, str | PathLike):
        from redmax.model.named_scene import named_scene

        given = named_scene(given)
    if isinstance(given, Scene):
        return given.model()
    if not isinstance(given, Model):
        wanted, got = "a redmax.Scene, its name in the catalogue or its file, or what its model() returns", brief(given)
        raise SceneError(f"Expected {wanted}. Got {got}.{mistaken(given)}", argument="scene", got=got, expected=wanted)
    return given


def model_with(
    given: Model | Scene | str | PathLike[str], parameters: Mapping[str, ArrayLike] | None
) -> tuple[Model, Mapping[str, ArrayLike] | None, Declared | None]:
    """The model with what is named as its parameters, their values, and those of the scene's file among them."""
    scene, values, declared = (given, None, None) if parameters is None else with_declared(given, parameters)
    found = model_of(scene)
    return found if values is None and not found.parameters else parametrised(found, values), values, declared


def mistaken(given: object) -> str:
    """What helps who gave something else for a scene."""
    if isinstance(given, type):
        return " Did you forget the parentheses?"
    if callable(given):
        return " Did you forget to call it?"
    return " Make a scene and add bodies to it: scene = redmax.Scene(); scene.add_body(...)." if isinstance(given, Body) else ""
