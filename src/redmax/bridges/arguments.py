"""What a call of a function across a bridge is given: operands in order and by name, checked, whatever library their arrays are of."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from redmax.arguments import brief
from redmax.bridges.function import Function
from redmax.bridges.operand import PARAMETERS
from redmax.errors import SceneError, unknown


def given(f: Function, first: Sequence[Any], more: Mapping[str, Any], parameters: Mapping[str, Any] | None) -> dict[str, Any]:
    """What is given, by the names of the operands and in their order; None is as good as nothing. first: state and what drives it."""
    found = dict(zip(f.inputs, first, strict=False)) | dict(more)
    if parameters is not None and not isinstance(parameters, Mapping):
        said = f'parameters is a dictionary, name -> value, such as {{"arm.mass": 2.0}}. Got {brief(parameters)}.'
        raise SceneError(said, owner=PARAMETERS)
    known = [o.name for o in f.inputs.values() if o.of == PARAMETERS]
    for name, value in (parameters or {}).items():
        if name not in known:
            how = f"{unknown('parameter', str(name), known)}" if known else f"This {f.name} was made without parameters."
            raise SceneError(f"{how} Name it where the function is made: parameters=[{name!r}].", owner=PARAMETERS, argument=str(name))
        found[name] = value
    for name in list(f.inputs)[:2]:
        if found.get(name) is None:
            raise SceneError(f"{f.name} needs {name}.", argument=name)
    return {name: found[name] for name in f.inputs if found.get(name) is not None}


def columns(f: Function, name: str, value: Any, array: Callable[[Any], Any]) -> Any:
    """(..., columns) of an operand from what is given for it. array: makes an array of the library, of the right type."""
    operand, found = f.inputs[name], array(value)
    shape, trailing = tuple(found.shape), operand.shape
    lead = shape[: len(shape) - len(trailing)]
    if len(shape) < len(trailing) or shape[len(lead) :] != trailing:
        refuse(f, name, shape, f"({', '.join(['...', *map(str, trailing)])})")
    flat = found if len(trailing) == 1 else found.reshape((*lead, -1 if trailing else 1))
    return operand.columns(flat)


def refuse(f: Function, name: str, shape: tuple[int, ...], valid: str) -> None:
    """Raise as an operand has another shape than it must."""
    more = ""
    if name == "q" and len(f.model.configurations.charts) and f.model.nq in shape:
        more = " This scene has joints with charts: give whole configurations, model.configurations.join(q)."
    said = f"{name} must have shape {valid} for this model. Got {shape}.{more}"
    raise SceneError(said, argument=name, got=str(shape), expected=valid)
