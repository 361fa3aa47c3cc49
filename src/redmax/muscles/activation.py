"""First-order activation dynamics: the activation a follows the excitation u, faster upwards than downwards.

    a' = (u - a) / tau(u, a),    tau = rise where u > a, fall elsewhere                                          (form="linear")
                                 tau = rise (0.5 + 1.5 a) where u > a, fall / (0.5 + 1.5 a) elsewhere            (form="thelen")

The second form is from Winters 1995, as in Thelen 2003 and Millard et al. 2013: calcium is released more slowly, and taken up faster, the
more active the muscle is. Either rate is continuous at u = a and keeps a between 0 and 1 if u is.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from redmax.components.checks import positive
from redmax.components.data_and_structure import Described
from redmax.components.given import Seconds
from redmax.errors import wrong
from redmax.math import less, where
from redmax.types import ValueOrArray

FORMS = ("linear", "thelen")


@dataclass(frozen=True, eq=False, repr=False)
class ActivationDynamics(Described):
    """How activation follows excitation: a' = (u - a) / tau.

    rise, fall: time constants (s), 10 and 40 ms unless given (Millard et al. 2013);  form: "linear" or "thelen"."""

    rise: Seconds = 0.01
    fall: Seconds = 0.04
    form: Literal["linear", "thelen"] = "linear"

    def __post_init__(self) -> None:
        object.__setattr__(self, "rise", positive("ActivationDynamics", "rise", self.rise, "s"))
        object.__setattr__(self, "fall", positive("ActivationDynamics", "fall", self.fall, "s"))
        if not isinstance(self.form, str) or self.form not in FORMS:
            raise wrong("ActivationDynamics", "form", self.form, " or ".join(map(repr, FORMS)))

    def rate(self, u: ValueOrArray, a: ValueOrArray) -> Any:
        """da/dt (1/s) at the excitation u and the activation a, each from 0 to 1."""
        slow = 1.0 if self.form == "linear" else 0.5 + 1.5 * a
        return (u - a) / where(less(a, u), self.rise * slow, self.fall / slow)
