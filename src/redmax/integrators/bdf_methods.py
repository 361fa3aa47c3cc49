"""BDF1 and BDF2 as methods that a user chooses: what runs them is imported when somebody does."""

from __future__ import annotations

from redmax.backends.base import Runner
from redmax.integrators.base import Method
from redmax.model.model import Model

LARGEST = 5000  # coordinates: a Jacobian of 200 MB, where forces couple bodies


def method(name: str, second_order: bool) -> Method:
    """BDF1 or BDF2."""

    def runner(model: Model, backend: str, halvings: int, dynamics: str) -> Runner:
        from redmax.integrators.backward_differences import backward_differences

        return backward_differences(model, backend, second_order, halvings, dynamics)

    return Method(name, 2 if second_order else 1, False, None, runner, implicit=True, reads_rows=True)


BDF1, BDF2 = method("bdf1", False), method("bdf2", True)
