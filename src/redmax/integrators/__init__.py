"""Integrators: one method a file. `METHODS` maps the names of the command line to them."""

from redmax.arguments import brief
from redmax.errors import RedmaxError
from redmax.integrators.absolute.method import GENERALIZED_ALPHA
from redmax.integrators.adaptive import ADAPTIVE
from redmax.integrators.base import Method
from redmax.integrators.bdf_methods import BDF1, BDF2
from redmax.integrators.bodies import OF_BODIES
from redmax.integrators.euler import EULER, FORWARD_EULER
from redmax.integrators.implicit import IMPLICIT
from redmax.integrators.lie import ALONG_GROUPS
from redmax.integrators.rk4 import RK4
from redmax.integrators.variational.method import VARIATIONAL

ORDINARY = (FORWARD_EULER, EULER, RK4, ADAPTIVE, IMPLICIT, BDF1, BDF2)
METHODS: dict[str, Method] = {m.name: m for m in (*ORDINARY, *ALONG_GROUPS, *OF_BODIES, VARIATIONAL, GENERALIZED_ALPHA)}


def method(name: str) -> Method:
    """The integrator of this name."""
    if isinstance(name, str) and name in METHODS:
        return METHODS[name]
    raise RedmaxError(f"There is no integrator {brief(name)}. Valid: {', '.join(METHODS)}.")


__all__ = ["METHODS", "Method", "method"]
