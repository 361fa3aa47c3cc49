"""How the configuration of a joint changes: by steps, which need not be differences of coordinates.

Of most joints the velocities are the rates of the coordinates, and a step adds to them. Of a joint whose configuration is an element of a
group (joints/group) there are more coordinates than velocities, nq > dof, and a step goes along the group.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import numpy as np

from redmax.math import array
from redmax.trace import Scalar
from redmax.types import Array

if TYPE_CHECKING:
    from redmax.joints.base import Joint


STEPS = ("nq", "home", "retract", "difference", "rate", "velocity", "tangent", "speeds", "away", "pulled")


class Stepping:
    """What integrators, springs and prescribed motions ask of a configuration."""

    dof: int = 0
    if TYPE_CHECKING:

        @property
        def nq(self) -> int: ...

    def retract(self, q: Array, delta: Array) -> Any:
        """The configuration reached from q by a step delta, (dof,)."""
        return array([*(q[: self.dof] + delta), *q[self.dof :]]) if cast("Joint", self).discrete else q + delta

    def difference(self, q: Array, other: Array) -> Any:
        """The step, (dof,), from one configuration to another: the inverse of `retract`."""
        return other[: self.dof] - q[: self.dof]

    def rate(self, delta: Array, velocity: Array) -> Any:
        """The rate of change of delta that goes with this velocity at retract(q, delta)."""
        return velocity

    def velocity(self, delta: Array, rate: Array) -> Any:
        """The inverse of `rate`."""
        return rate

    def tangent(self, q: Array) -> Any:
        """(nq, dof): the rates of the coordinates that go with each velocity."""
        return np.eye(self.dof)

    def speeds(self, q: Array, rates: Array) -> Any:
        """(dof,): the velocities that go with rates of the coordinates, (nq,)."""
        return rates

    def away(self, rest: Array, q: Array) -> Any:
        """(dof,): how far the coordinates q are from those where a spring is at rest."""
        return q - rest

    def pulled(self, away: Array, force: Array) -> Any:
        """(dof,): what velocities feel of a force along `away`: (d away/dt by velocity)' force."""
        return force

    def off(self, q: np.ndarray) -> np.ndarray:
        """(...): how far coordinates (..., nq) are from being a configuration."""
        return np.zeros(q.shape[:-1])

    def nearest(self, q: np.ndarray) -> np.ndarray:
        """(nq,): the configuration nearest to coordinates that almost are one."""
        return q

    def flat(self, q: Any) -> Any:
        """What somebody gives as a configuration, as numbers one after the other, where it is a matrix that the joint knows."""
        return q

    @property
    def valid(self) -> str:
        """What coordinates are, in words."""
        return f"{self.nq} numbers"


def directions(joint: Stepping, q: Array) -> list[dict[Scalar, Any]]:
    """For each velocity, how the traced coordinates change with it: seeds of `jvp`."""
    coordinates = list(q[: joint.nq])
    if joint.nq == joint.dof:
        return [{x: 1.0} for x in coordinates]
    return [moving(coordinates, column) for column in np.asarray(joint.tangent(q), object).T]


def moving(coordinates: list[Any], rates: Any) -> dict[Scalar, Any]:
    """Traced coordinates with their rates, without those that stay."""
    pairs = zip(coordinates, rates, strict=True)
    return {x: v for x, v in pairs if isinstance(x, Scalar) and (isinstance(v, Scalar) or v != 0.0)}
