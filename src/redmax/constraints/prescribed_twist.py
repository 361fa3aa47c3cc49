"""A body some of whose twist is prescribed: rows of phi_i = target(t, R_i), in body axes (RedMax notes Sec. 2.9, with rows of J as G).

Nothing holds its position: a velocity is prescribed, and its time integral follows. The rate of the target is exact: it is differentiated
along time and along Rdot = R [w], unless the user gives it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from redmax.arguments import as_array, as_floats, as_objects, brief
from redmax.components.from_function import check_call
from redmax.errors import SceneError
from redmax.forces.given import are_numbers
from redmax.trace import Graph, evaluate_numeric, jvp
from redmax.trace.vector import vector_of

Target = Callable[[Any, Any], Any]  # (t, R (3, 3) of the body in the world) -> one number for each row


@dataclass(frozen=True, eq=False)
class PrescribedTwist:
    """body: its number; rows: which of (angular; linear), 0 to 5; velocity and its rate, each a function (t, R) -> (rows,)."""

    body: int
    name: str
    rows: tuple[int, ...]
    velocity: Target
    acceleration: Target | None = None

    def target(self, t: float, R: np.ndarray) -> np.ndarray:
        return self.sized(self.velocity(t, R), "velocity")

    def target_rate(self, t: float, R: np.ndarray, w: np.ndarray) -> np.ndarray:
        """d/dt of the target while the body turns with w (rad/s, body axes)."""
        if self.acceleration is not None:
            return self.sized(self.acceleration(t, R), "acceleration")
        given = {"t": [t], "R": R.ravel(), "w": w}
        return np.array([float(x) for x in evaluate_numeric(self.traced_rate, lambda base, index: given[base][index])])

    @cached_property
    def traced_rate(self) -> list[Any]:
        graph = Graph()
        R = vector_of(graph.inputs("R", 9)).reshape(3, 3)
        return list(self.differentiated(graph.input("t", 0), R, graph.inputs("w", 3)))

    def traced(self, t: Any, R: Any) -> np.ndarray:
        """The target at traced t and R (3, 3)."""
        return self.sized(self.velocity(t, R), "velocity", object)

    def differentiated(self, t: Any, R: Any, w: Any) -> np.ndarray:
        """The rate of the target at inputs t, R of a trace, while the body turns with w; as the user gives it, or found from the target."""
        if self.acceleration is not None:
            return self.sized(self.acceleration(t, R), "acceleration", object)
        bracket = np.array([[0.0, -w[2], w[1]], [w[2], 0.0, -w[0]], [-w[1], w[0], 0.0]], object)
        directions = dict(zip(R.ravel(), (R @ bracket).ravel(), strict=True)) | {t: 1.0}
        return vector_of(jvp(list(self.traced(t, R)), directions))

    def sized(self, value: Any, what: str, kind: Any = float) -> np.ndarray:
        array = as_objects(value)
        if array.shape != (len(self.rows),) or not are_numbers(array):
            got = f"shape {array.shape}" if array.shape != (len(self.rows),) else brief(value)
            raise SceneError(
                f"The {what} of the twist of {self.name!r} must be {len(self.rows)} numbers. Got {got}.", owner=self.name, argument=what
            )
        return array.astype(kind)


def prescribed_twist(body: int, name: str, rows: Any, velocity: Any, acceleration: Any) -> PrescribedTwist:
    """A checked one; a constant velocity may be given as numbers."""
    numbers = tuple(rows) if isinstance(rows, list | tuple) or as_array(rows).ndim else (rows,)
    if not numbers or not all(isinstance(r, int | np.integer) and 0 <= r < 6 for r in numbers) or len(set(numbers)) < len(numbers):
        valid = "distinct numbers from 0 to 5 (angular x y z, linear x y z)"
        raise SceneError(f"The rows of the twist of {name!r} are {valid}. Got {brief(rows)}.", owner=name, argument="rows")
    if not callable(velocity):
        constant = as_floats(velocity)
        if constant is None or np.atleast_1d(constant).shape != (len(numbers),) or not np.isfinite(constant).all():
            valid = f"{len(numbers)} finite numbers, or a function of (t, R)"
            raise SceneError(
                f"The velocity of the twist of {name!r} must be {valid}. Got {brief(velocity)}.", owner=name, argument="velocity"
            )
        held = np.atleast_1d(constant)
        velocity = lambda t, R: held  # noqa: E731
    if acceleration is not None and not callable(acceleration):
        raise SceneError(
            f"The acceleration of the twist of {name!r} must be a function of (t, R). Got {brief(acceleration)}.",
            owner=name,
            argument="acceleration",
        )
    for what, function in (("velocity", velocity), ("acceleration", acceleration)):
        if function is not None:
            check_call(f"The {what} of the twist of {name!r}: the function", function, ("t", "R"), {}, owner=name, argument=what)
    return PrescribedTwist(body, name, tuple(map(int, numbers)), velocity, acceleration)
