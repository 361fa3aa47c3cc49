"""Derivatives of curves by their trace."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from redmax.math import derivatives


def slope(curve: Callable[[Any], Any], x: Any) -> Any:
    return derivatives(curve, [x], [(0,)])[0]


def second(curve: Callable[[Any], Any], x: Any) -> Any:
    return derivatives(curve, [x], [(0, 0)])[0]
