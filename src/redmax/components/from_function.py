"""What a user gives as a function with named parameters: a joint, a curve, a surface. The parameters are its data."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np

from redmax.arguments import as_array
from redmax.components.data_and_structure import Described, one_line
from redmax.errors import Phrase, SceneError, wrong
from redmax.trace import Table


class FromFunction(Described):
    """function: called with its arguments, then with the parameters by name; names: of the parameters."""

    function: Callable[..., Any]
    names: tuple[str, ...]

    def hold(
        self,
        owner: str,
        function: Callable[..., Any],
        arguments: tuple[str, ...],
        parameters: dict[str, Any],
        hint: str = "",
        argument: str = "function",
        what: str = "the function",
    ) -> None:
        """Keep the function and its parameters.

        arguments: what the function is called with besides them; argument: which it is; what: the function, in a sentence
        """
        check_call(f"{owner}: {what}", function, arguments, parameters, hint, owner=owner, argument=argument)
        self.function, self.names = function, tuple(parameters)
        for name, value in parameters.items():
            setattr(self, "parameter_" + name, value if isinstance(value, Table) else finite_parameter(owner, name, value))

    @property
    def parameters(self) -> dict[str, Any]:
        return {name: getattr(self, "parameter_" + name) for name in self.names}

    def __repr__(self) -> str:
        said = [f"{name}={one_line(value)}" for name, value in self.parameters.items()]
        return f"{super().__repr__()[:-1]}{', ' * bool(said)}{', '.join(said)})"


def check_call(
    what: str,
    function: Callable[..., Any],
    arguments: tuple[str, ...],
    parameters: dict[str, Any],
    hint: str = "",
    *,
    owner: str = "",
    argument: str = "",
) -> None:
    """Raise, with a hint, unless the function takes these arguments by position and these parameters by name.

    what: the function, as the sentence calls it; owner, argument: whose it is, and which argument
    """
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):  # a callable that does not say what it takes
        return
    try:
        signature.bind(*arguments, **parameters)
    except TypeError as error:
        given = ", ".join([*arguments, *(f"{name}=..." for name in parameters)])
        sentence = f"{what} takes {signature}, but would be called with ({given}): {error}.{hint}"
        raise SceneError(sentence, owner=owner, argument=argument, got=str(signature), expected=f"({given})") from None


def finite_parameter(owner: str, name: str, value: Any) -> float | np.ndarray:
    """A parameter as a float or an array of floats."""
    array = as_array(value)
    if array.dtype.kind not in "fiub" or not np.isfinite(array).all():
        valid = "a finite number, an array of them, or a redmax.math.Table"
        raise wrong(owner, Phrase(f"parameter {name}", name), value, valid)
    return array.astype(float) if array.ndim else float(array)
