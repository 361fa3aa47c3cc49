"""Packages that bridges lead to: imported when a bridge is, with a sentence where one is missing."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from redmax.errors import RedmaxError

NAMES = {"jax": "JAX", "torch": "PyTorch", "casadi": "CasADi"}


def needed(module: str, part: str = "") -> Any:
    """A package, or a part of it, that an extra of the same name brings."""
    try:
        found = import_module(module)
        return import_module(f"{module}.{part}") if part else found
    except ImportError as error:
        said = f"The bridge to {NAMES[module]} needs the package {module}: pip install 'redmax[{module}]'."
        raise RedmaxError(said) from error
