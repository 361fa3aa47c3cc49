"""How a scene is run where nobody says: as the section `run` of its file does."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import wraps
from typing import Any, ParamSpec, TypeVar

from redmax.model.scene import Scene

P = ParamSpec("P")
R = TypeVar("R")


def with_defaults(function: Callable[P, R]) -> Callable[P, R]:
    """The function of a scene, with the scene's defaults for what its caller leaves out."""
    signature = inspect.signature(function)

    @wraps(function)
    def filled(*arguments: P.args, **options: P.kwargs) -> R:
        given = signature.bind_partial(*arguments, **options).arguments
        scene = given.get("scene")
        defaults = scene.defaults if isinstance(scene, Scene) else {}
        more: Any = {name: value for name, value in defaults.items() if name not in given}
        return function(*arguments, **{**more, **options})

    return filled
