"""Gradients by the parameters that a scene file declares, through the expressions that use them (dynamics/declared.py).

dP/dn = sum over what n changes in the model:  dP/dp dp/dn  +  dP/dq dq0/dn  +  dP/dqdot dqdot0/dn
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any

import numpy as np

from redmax.design.gradients.run_gradient import Gradient
from redmax.dynamics.declared import Declared, File, checked, values_in


class FileGradient(Gradient):
    """A Gradient by parameters of a file too."""

    def __init__(self, file: File, *given: Any) -> None:
        super().__init__(*given)
        self._file = file

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
        own = {name: outer[name] for name in self._own}
        self._at = Declared(self._file, {name: checked(name, outer[name]) for name in self._file.names}, own)
        return {name: np.asarray(x, float) for name, x in self._at.parameters.items()}

    def _begin(self, q: Any, qdot: Any, tau: Any, values: Mapping[str, np.ndarray], exactly: bool = False) -> np.ndarray:
        """From where the file begins, unless somebody says otherwise."""
        begin = {name: self._at.follows[name] if x is None else x for name, x in (("q", q), ("qdot", qdot))}
        self._free = [name for name, x in (("q", q), ("qdot", qdot)) if x is None and not exactly]  # through the assembly, otherwise
        return super()._begin(begin["q"], begin["qdot"], tau, values, exactly)

    def _by(self, found: Any, begin: np.ndarray, values: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
        """With the slopes by the file's parameters."""
        by = super()._by(found, begin, values)
        return by | self._at.slopes(by, 0, self._free)
