"""How records of arrays say what they are: on a line, however many numbers they hold."""

from __future__ import annotations

from dataclasses import fields

import numpy as np

from redmax.arguments import brief

MOST = 8  # numbers of an array that are shown


class OneLine:
    """A dataclass (with repr=False) that shows its short arrays whole and long ones by their shapes; what is empty is left out."""

    def __repr__(self) -> str:
        values = {f.name: getattr(self, f.name) for f in fields(self) if f.repr}  # type: ignore[arg-type]
        said = [
            f"{name}={shown(value)}" for name, value in values.items() if value is not None and not (isinstance(value, dict) and not value)
        ]
        return f"{type(self).__name__}({', '.join(said)})"


def shown(value: object) -> str:
    """A value on a line."""
    if isinstance(value, np.ndarray) and value.size > MOST:
        return f"array of {'x'.join(map(str, value.shape))}"
    return np.array2string(value, precision=6, separator=", ").replace("\n", "") if isinstance(value, np.ndarray) else brief(value)
