"""Sites as inputs of their own, by which one can differentiate.

What a site is made of (a frame and an anchor) may have been simplified away, and two sites may share it. Derivatives by a site are
therefore taken over fresh inputs, and the real ones put back afterwards.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from redmax.trace import Graph, Scalar

PARTS = ("x", "v", "R", "omega")


def localised(sites: Sequence[Any], prefix: str = "site") -> tuple[list[Any], Callable[[str, int], Any]]:
    """The sites over fresh inputs called by the prefix; and what puts the real ones back, for `trace.substitute`."""
    graph = graph_of(sites)
    given: dict[str, Any] = {}

    def fresh(name: str, value: Any) -> Any:
        if value is None:
            return None
        given[name] = np.ravel(np.asarray(value, object))
        return np.array(graph.inputs(name, given[name].size), object).reshape(np.shape(value))

    local = [replace(s, **{part: fresh(f"{prefix}{i}.{part}", getattr(s, part)) for part in PARTS}) for i, s in enumerate(sites)]

    def leaf(base: str, index: int) -> Any:
        return given[base][index] if base in given else graph.input(base, index)

    return local, leaf


def graph_of(sites: Sequence[Any]) -> Graph:
    """The graph they are traced in; a new one for sites of numbers."""
    for site in sites:
        for part in PARTS:
            for x in np.ravel(np.asarray(getattr(site, part), object)):
                if isinstance(x, Scalar):
                    return x.graph
    return Graph()
