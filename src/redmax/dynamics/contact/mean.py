"""What two surfaces are to each other in friction and in restitution."""

from __future__ import annotations

from typing import Any

from redmax.math import sqrt, where
from redmax.program.routines.routine import routine
from redmax.program.routines.views import Number


@routine
def mean(product: Number) -> Any:
    """The geometric mean of two, of their product. Where that is zero its derivative is zero here, not infinite."""
    some = where(product > 0.0, 1.0, 0.0)
    return where(some > 0.5, sqrt(where(some > 0.5, product, 1.0)), 0.0)
