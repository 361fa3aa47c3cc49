"""What a constraint keeps in the memory of a world: its rows, what they ask for, and its multipliers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from redmax.constraints.base import Constraint


@dataclass(frozen=True)
class Kept:
    """Where a constraint keeps what: (start, size) of g, gdot, right and lambda, then of W of each body and D of each joint.

    carries: how many coordinates of its own it carries; behind them stands how far the best that was found is off.
    of_velocities: before these, ds/d pose of each body, and ds/dq of each joint, of a constraint on velocities
    limited: behind all, what lambda is between, s, and whether s is caught, of rows whose force is limited
    ranges: how many coordinates it keeps between a lower and an upper bound, of a limit that says nothing else; behind all, too
    """

    size: int
    bodies: int
    dofs: tuple[int, ...]
    carries: int = 0
    of_velocities: bool = False
    limited: bool = False
    ranges: int = 0

    @property
    def gap(self) -> int:
        """Where g begins."""
        return 0

    @property
    def rate(self) -> int:
        """Where gdot begins."""
        return self.size

    @property
    def right(self) -> int:
        """Where what is asked for begins."""
        return 2 * self.size

    @property
    def multipliers(self) -> int:
        """Where lambda begins."""
        return 3 * self.size

    @property
    def softness(self) -> int:
        """Where what compliance adds to the diagonal of the system stands."""
        return 4 * self.size

    @property
    def mode(self) -> int:
        """Where it stands which rows act, of those that only push."""
        return 4 * self.size + 1

    def wrench(self, body: int) -> int:
        """Where W of a body begins, row after row of 6."""
        return 5 * self.size + 1 + 6 * self.size * body

    def slope(self, joint: int) -> int:
        """Where D of a joint begins, row after row of as many as it has rates."""
        return self.wrench(self.bodies) + self.size * sum(self.dofs[:joint])

    @property
    def on_rates(self) -> bool:
        """Whether rates alone are held: s = 0 is asked for, whatever g is."""
        return self.of_velocities or self.limited

    @property
    def moved(self) -> int:
        """How far behind W, or D, the derivatives by poses, or by q, lie."""
        return self.size * (6 * self.bodies + sum(self.dofs)) if self.on_rates else 0

    @property
    def carried(self) -> int:
        """Where the coordinates that it carries begin."""
        return self.slope(len(self.dofs)) + self.moved

    @property
    def lower(self) -> int:
        """Where the least lambda of each row begins."""
        return self.carried + (self.carries + 1 if self.carries else 0)

    @property
    def upper(self) -> int:
        """Where the most begins."""
        return self.lower + self.size

    @property
    def slip(self) -> int:
        """Where s = gdot + b g begins."""
        return self.lower + 2 * self.size

    @property
    def caught(self) -> int:
        """Where it stands which rows may be held: those with s = 0."""
        return self.lower + 3 * self.size

    @property
    def bounds(self) -> int:
        """Where the bounds of coordinates begin, lower and upper in turn."""
        return self.lower + (4 * self.size if self.limited else 0)

    @property
    def total(self) -> int:
        """Numbers in all."""
        return self.bounds + 2 * self.ranges


def kept_of(c: Constraint, dofs: tuple[int, ...]) -> Kept:
    """Where a constraint keeps what. dofs: of the joints it reads."""
    return Kept(c.size, len(c.bodies), dofs, c.carries, c.of_velocities, c.limited, len(c.ranges))
