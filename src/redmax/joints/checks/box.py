"""Where a motion is looked at: a box of its coordinates (and of time), and points and lines that fill it evenly.

Points are in unit coordinates u, each from 0 to 1 across the box, so that "near" means the same for metres, radians and seconds.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from redmax.arguments import as_floats
from redmax.errors import wrong
from redmax.joints.base import Joint

TURN = (-3.2, 3.2)  # of a coordinate that states no domain: a turn, and what happens where it closes
TIMES = (0.0, 10.0)  # s, of a motion that depends on time
EDGE = 1e-4  # domains are open: a singularity on the very border is outside


@dataclass(frozen=True, eq=False)
class Box:
    """lower, width: (m,), of the coordinates and then of time; stated: whether the joint says so itself."""

    lower: np.ndarray
    width: np.ndarray
    stated: bool

    @property
    def m(self) -> int:
        return len(self.lower)

    def x(self, u: np.ndarray) -> np.ndarray:
        """Coordinates and time (..., m) at unit coordinates."""
        return self.lower + self.width * u

    def u(self, x: np.ndarray) -> np.ndarray:
        return (x - self.lower) / self.width


def box_of(joint: Joint) -> Box:
    domain = checked_domain(joint.extent, joint.dof, f"Joint {type(joint).__name__}")
    sides = [TURN] * joint.dof if domain is None else [finite_side(*side) for side in domain]
    lower, upper = np.array([*sides, *([TIMES] if joint.timed else [])], float).reshape(-1, 2).T
    return Box(lower, upper - lower, domain is not None)


def checked_domain(domain: Any, dof: int, who: str) -> tuple[tuple[float, float], ...] | None:
    """`domain` as (lower, upper) for each coordinate, or an error."""
    if domain is None:
        return None
    sides = as_floats(domain)
    sides = sides.reshape(0, 2) if sides is not None and not sides.size else sides
    if sides is None or sides.shape != (dof, 2):
        raise wrong(who, "domain", domain, f"{dof} pairs (lower, upper), one for each coordinate")
    if not (sides[:, 0] < sides[:, 1]).all():
        raise wrong(who, "domain", domain, "lower < upper in each of its pairs")
    return tuple((float(a), float(b)) for a, b in sides)


def finite_side(lower: float, upper: float) -> tuple[float, float]:
    """A turn's length of a side without end."""
    if np.isfinite(lower) and np.isfinite(upper):
        return lower, upper
    if np.isfinite(lower):
        return lower, lower + 2 * np.pi
    return (upper - 2 * np.pi, upper) if np.isfinite(upper) else TURN


def inside(u: np.ndarray) -> np.ndarray:
    return np.clip(u, EDGE, 1 - EDGE)


def kronecker(count: int, dimension: int) -> np.ndarray:
    """A low-discrepancy sequence (count, dimension): multiples, modulo 1, of powers of the root of x^(d+1) = x + 1."""
    root = 2.0
    for _ in range(40):
        root = (1 + root) ** (1 / (dimension + 1))
    steps = root ** -np.arange(1.0, dimension + 1)
    return (0.5 + np.arange(1, count + 1)[:, None] * steps) % 1.0


def points(box: Box, count: int) -> np.ndarray:
    """The origin, as far as it is inside; the centre; and points all over the box: (count + 2, m)."""
    origin = box.u(np.zeros(box.m))
    centre = np.full(box.m, 0.5)
    return np.vstack([np.where((origin > 0) & (origin < 1), origin, centre), centre, inside(kronecker(count, box.m))])


def lines(m: int) -> tuple[np.ndarray, np.ndarray]:
    """Starts and ends (lines, m): the box itself in one dimension; in more, along each coordinate, and across from side to side."""
    if m == 1:
        return np.array([[EDGE]]), np.array([[1 - EDGE]])
    starts, ends = inside(kronecker(5 * m, m)), inside(kronecker(10 * m, m)[5 * m :])
    for i in range(5 * m):
        axis = i % m
        if i < 3 * m:
            ends[i] = starts[i]
        starts[i, axis], ends[i, axis] = EDGE, 1 - EDGE
    return starts, ends
