"""What keeps a node of a deformable: nothing, the world, or a body; and the ways to say which nodes are meant."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from redmax.arguments import as_array, brief
from redmax.components.from_function import check_call
from redmax.components.handles import BodyHandle
from redmax.errors import SceneError
from redmax.trace.blame import Blaming

BAUMGARTE = 5.0  # gain of ties (1/s) unless given, as the published scenes have it


@dataclass(frozen=True)
class Attachment:
    """Where a node is kept.

    body: the body that carries it, or None: the world holds it
    point: its place in the body's frame (m), or None: where the node starts, seen from the body's initial pose
    gain, compliance: of the constraint rows of a node that is tied, as of other constraints
    """

    body: BodyHandle | None = None
    point: tuple[float, float, float] | None = None
    gain: float | None = BAUMGARTE
    compliance: float = 0.0


@Blaming()
def selected(owner: str, which: Any, positions: NDArray[np.float64]) -> list[int]:
    """Node numbers, in order, from one or several numbers (negative ones count from the end), a mask, or a function of positions (N, 3)."""
    count = len(positions)
    valid = f"node numbers from {-count} to {count - 1}, a mask of {count} truth values, or a function of the positions ({count}, 3)"
    if callable(which):
        check_call(f"{owner}: the function for nodes", which, ("positions",), {}, owner=owner, argument="nodes")
    given = which(positions.copy()) if callable(which) else which
    array = as_array(given)
    shown = f"{brief(given)}, from {getattr(which, '__name__', 'a function')}" if callable(which) else brief(given)
    if array.dtype == bool:
        fits = array.shape == (count,)
    else:
        fits = array.dtype.kind in "iu" and array.ndim <= 1 and not callable(which)
        fits = fits and not ((array < -count) | (array >= count)).any()
    if not fits:
        raise SceneError(f"{owner}: nodes is {shown}, expected {valid}.", owner=owner, argument="nodes")
    chosen = np.flatnonzero(array) if array.dtype == bool else np.atleast_1d(array) % count
    if not len(chosen):
        raise SceneError(
            f"{owner}: nodes selects none of the {count} nodes, expected at least one; {valid}.", owner=owner, argument="nodes"
        )
    if len(set(chosen.tolist())) < len(chosen):
        raise SceneError(f"{owner}: nodes is {shown}, expected each node once.", owner=owner, argument="nodes")
    return [int(i) for i in chosen]
