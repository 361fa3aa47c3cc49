"""States that a user gives, as the arrays that programs run on: one world or many, with what all of them share given once."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from redmax.arguments import as_numbers
from redmax.dynamics.common.on_group import check_configurations
from redmax.errors import SceneError, SimulationError
from redmax.memory import check_room
from redmax.model.model import Model
from redmax.program.program import Program


def state_arrays(model: Model, dtype: str, given: dict[str, Any]) -> tuple[tuple[int, ...], list[np.ndarray]]:
    """The inputs as (worlds, n) or, where all worlds share them, (n,); and the leading axes of the result. None means zero."""
    bodies = len(model.links)
    sizes = {"wrench": (bodies, 6), "y": (bodies, 6), "t": (), "body_terms": (bodies, 21), "share": (bodies,)}
    sizes |= {name: np.shape(given[name])[-1:] for name in ("parameters", "moved parameters", "joint_terms") if name in given}
    found: dict[str, np.ndarray] = {}
    for name, value in given.items():
        trailing = sizes.get(name, (model.configurations.size if name == "q" else model.nv,))
        if value is None and name == "wrench":
            continue
        array = np.zeros(trailing, dtype) if value is None else as_numbers(value, name, dtype)
        if name == "q" and array.shape[-1:] == (model.nq,):
            array = model.configurations.join(array)
        if array.shape[array.ndim - len(trailing) :] != trailing:
            trailing = (model.nq,) if name == "q" else trailing
            got, valid = str(array.shape), f"(..., {', '.join(map(str, trailing))})"
            raise SceneError(f"{name} must have shape {valid} for this model. Got {got}.", argument=name, got=got, expected=valid)
        found[name] = array.reshape(*array.shape[: array.ndim - len(trailing)], math.prod(trailing))
    try:
        shape = np.broadcast_shapes(*[a.shape[:-1] for a in found.values()])
    except ValueError:
        shapes = ", ".join(f"{n} {a.shape}" for n, a in found.items())
        raise SceneError(f"The leading axes of the inputs must agree. Got {shapes}.") from None
    worlds = math.prod(shape)
    check_room(24 * worlds * sum(a.shape[-1] for a in found.values()), f"The dynamics of {worlds:,} states", "Ask for fewer at a time.")
    spread = [a if a.ndim == 1 or a.shape[:-1] == shape else np.broadcast_to(a, (*shape, a.shape[-1])) for a in found.values()]
    return shape, [np.ascontiguousarray(a if a.ndim == 1 else a.reshape(worlds, a.shape[-1])) for a in spread]


def with_columns(model: Model, dtype: str, q: Any) -> np.ndarray:
    """q with an axis for the columns of a matrix, (..., 1, n)."""
    array = as_numbers(q, "q", dtype)
    if not array.ndim:
        got, valid = str(array.shape), f"(..., {model.nq})"
        raise SceneError(f"q must have shape {valid} for this model. Got {got}.", argument="q", got=got, expected=valid)
    return array[..., None, :]


def beside_columns(t: Any) -> np.ndarray:
    """Times with an axis for the columns of a matrix, (..., 1)."""
    return as_numbers(t, "t", "float64")[..., None]


def explain(model: Model, program: Program, inputs: Sequence[np.ndarray], outputs: Sequence[np.ndarray]) -> None:
    """Say what is not finite: an input, or a result."""
    check_inputs(model, program, inputs)
    if "q" in program.inputs:
        given = inputs[program.inputs.index("q")]
        check_configurations(model, model.configurations.split(given)[0], program.name)
    for label, array in zip(program.outputs, outputs, strict=True):
        bad = np.argwhere(~np.isfinite(array[0]))
        if len(bad):
            value, where = array[0][tuple(bad[0])], label_of(model, label, int(bad[0][-1]))
            raise SimulationError(f"{program.name} gave {value} for {label}{where}: the state is singular or too large.")


def check_inputs(model: Model, program: Program, inputs: Sequence[np.ndarray]) -> None:
    """Raise unless all inputs of a program are finite."""
    for label, array in zip(program.inputs, inputs, strict=True):
        bad = np.argwhere(~np.isfinite(array))
        if len(bad):
            where = label_of(model, label, int(bad[0][-1]))
            said = f"{label} must be finite. Got {array[tuple(bad[0])]} at {list(map(int, bad[0]))}{where}."
            raise SceneError(said, argument=label, got=str(array[tuple(bad[0])]), expected="finite numbers")


def label_of(model: Model, field: str, column: int) -> str:
    if field == "q":
        return f" (joint {model.joint_names[int(np.searchsorted(model.configurations.offsets, column, 'right')) - 1]!r})"
    if field in ("qdot", "tau", "qddot", "x", "y"):
        return f" (joint {model.joint_of(column)!r})"
    return ""
