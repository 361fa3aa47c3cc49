"""Between the coordinates of a joint and what does not depend on them: poses and quaternions, twists and their rates, wrenches.

    twist = S qdot + s,    its rate = S qddot + Sdot qdot + sdot,    tau = S' wrench

Twists and wrenches are (angular; linear) of the child's joint frame, at its origin and in its axes, relative to the parent. Where S has six
columns, or three of a ball joint, all this can be inverted; else the inverse takes the part along the joint. Arrays are (..., n), as many
states as one likes; what is given once goes with all. Coordinates are in the chart in use at first, or in one that is named.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import ArrayLike

from redmax.arguments import as_numbers, brief
from redmax.errors import SceneError, unknown
from redmax.trace import Graph
from redmax.trace.vector import vector_of

if TYPE_CHECKING:
    from redmax.joints.base import Joint
    from redmax.joints.checks.batch import Batch


class Conversions:
    """What every joint can convert. chart: the name of the coordinates, where a joint has a choice; t: time, where it depends on it (s)."""

    def pose(self, q: ArrayLike, *, chart: str | None = None, t: ArrayLike = 0.0) -> np.ndarray:
        """(..., 4, 4): the child's joint frame in the parent's, at coordinates q (..., nq)."""
        rows = evaluated(self, ("E",), chart, t, q=q)[0]
        E = np.zeros((*rows.shape[:-1], 4, 4))
        E[..., :3, :], E[..., 3, 3] = rows.reshape(*rows.shape[:-1], 3, 4), 1.0
        return E

    def position(self, q: ArrayLike, *, chart: str | None = None, t: ArrayLike = 0.0) -> np.ndarray:
        """(..., 3): where the child's joint frame is in the parent's (m)."""
        return self.pose(q, chart=chart, t=t)[..., :3, 3]

    def quaternion(self, q: ArrayLike, *, chart: str | None = None, t: ArrayLike = 0.0) -> np.ndarray:
        """(..., 4): how the child's joint frame is turned, a unit quaternion w, x, y, z with w >= 0."""
        from redmax.lie import so3

        return so3.to_quaternion(self.pose(q, chart=chart, t=t)[..., :3, :3])

    def coordinates(
        self, quaternion: ArrayLike = (1.0, 0.0, 0.0, 0.0), position: ArrayLike = (0.0, 0.0, 0.0), *, chart: str | None = None,
        near: ArrayLike | None = None,
    ) -> np.ndarray:  # fmt: skip
        """(..., nq) with that orientation (..., 4), of any length but zero, and position (..., 3).

        Of Spherical, SphericalEuler, Free and Free3D, which reach every orientation.
        near: of angles that differ by whole turns, those nearest to these coordinates (..., nq); the smallest unless given
        """
        from redmax.joints.orientation import coordinates_of

        return coordinates_of(cast("Joint", self), quaternion, position, chart, near)

    def moved(self, q: ArrayLike, step: ArrayLike, *, chart: str | None = None) -> np.ndarray:
        """(..., nq): the coordinates a step (..., dof) further: q + step, or of an element of a group q exp(step)."""
        return evaluated(self, ("moved",), chart, 0.0, q=q, qdot=given(self, "step", step, dof_of(self)))[0]

    def twist(self, q: ArrayLike, qdot: ArrayLike, *, chart: str | None = None, t: ArrayLike = 0.0) -> np.ndarray:
        """(..., 6): the twist that goes with rates qdot (..., dof)."""
        S, s = columns(self, ("S", "s"), chart, t, q=q)
        return times(S, given(self, "qdot", qdot, dof_of(self))) + s

    def rates(self, q: ArrayLike, twist: ArrayLike, *, chart: str | None = None, t: ArrayLike = 0.0) -> np.ndarray:
        """(..., dof): the rates that go with a twist (..., 6), or of a ball joint with an angular velocity (..., 3); inverts `twist`."""
        S, s = columns(self, ("S", "s"), chart, t, q=q)
        return solved(S, given_twist(self, "twist", twist) - s)

    def twist_rate(self, q: ArrayLike, qdot: ArrayLike, qddot: ArrayLike, *, chart: str | None = None, t: ArrayLike = 0.0) -> np.ndarray:
        """(..., 6): how fast the twist changes, in axes that move with the child, with the accelerations qddot (..., dof)."""
        S, bias = columns(self, ("S", "bias"), chart, t, q=q, qdot=qdot)
        return times(S, given(self, "qddot", qddot, dof_of(self))) + bias

    def accelerations(
        self, q: ArrayLike, qdot: ArrayLike, twist_rate: ArrayLike, *, chart: str | None = None, t: ArrayLike = 0.0
    ) -> np.ndarray:
        """(..., dof): qddot that goes with the rate of a twist (..., 6), or (..., 3) of a ball joint; the inverse of `twist_rate`."""
        S, bias = columns(self, ("S", "bias"), chart, t, q=q, qdot=qdot)
        return solved(S, given_twist(self, "twist_rate", twist_rate) - bias)

    def generalised_force(self, q: ArrayLike, wrench: ArrayLike, *, chart: str | None = None, t: ArrayLike = 0.0) -> np.ndarray:
        """(..., dof): tau that does the work of a wrench (..., 6) (torque; force) on the child, or of a torque (..., 3) of a ball joint."""
        (S,) = columns(self, ("S",), chart, t, q=q)
        return times(np.swapaxes(S, -1, -2), given_twist(self, "wrench", wrench))

    def wrench(self, q: ArrayLike, tau: ArrayLike, *, chart: str | None = None, t: ArrayLike = 0.0) -> np.ndarray:
        """(..., 6): the smallest wrench (torque; force) on the child that does the work of tau (..., dof); inverts `generalised_force`."""
        (S,) = columns(self, ("S",), chart, t, q=q)
        transposed = np.swapaxes(S, -1, -2)
        return times(S, np.linalg.solve(transposed @ S, given(self, "tau", tau, dof_of(self))[..., None])[..., 0])


def dof_of(joint: Any) -> int:
    return cast("Joint", joint).dof


def times(A: np.ndarray, x: np.ndarray) -> np.ndarray:
    """A x of matrices and vectors, state by state."""
    return (A @ x[..., None])[..., 0]


def solved(S: np.ndarray, twist: np.ndarray) -> np.ndarray:
    """S+ twist. The columns are orthogonalised, not squared, so that no digits are lost near a singularity of the coordinates."""
    Q, R = np.linalg.qr(S)
    return np.linalg.solve(R, np.swapaxes(Q, -1, -2) @ twist[..., None])[..., 0]


def given(joint: Any, name: str, value: Any, size: int) -> np.ndarray:
    """(..., size) numbers, or an error."""
    found = as_numbers(value, name, "float64")
    found = found[None] if size == 1 and not found.ndim else found
    if found.shape[-1:] != (size,):
        kind = type(joint).__name__
        said = f"{kind}: {name} must have shape (..., {size}). Got {found.shape}."
        raise SceneError(said, owner=kind, argument=name, got=str(found.shape), expected=f"(..., {size})")
    return found


def given_twist(joint: Any, name: str, value: Any) -> np.ndarray:
    """(..., 6), of a ball joint from (..., 3) too."""
    from redmax.joints.turning import is_ball

    found = as_numbers(value, name, "float64")
    if found.shape[-1:] == (3,) and is_ball(joint):
        return np.concatenate([found, np.zeros(found.shape)], axis=-1)
    return given(joint, name, found, 6)


def columns(joint: Any, names: tuple[str, ...], chart: str | None, t: Any, **state: Any) -> list[np.ndarray]:
    """S (..., 6, dof) and what else is asked for, (..., 6)."""
    S, *others = evaluated(joint, names, chart, t, **state)
    return [S.reshape(*S.shape[:-1], 6, dof_of(joint)), *others]


def evaluated(joint: Any, names: tuple[str, ...], chart: str | None, t: Any, q: Any, qdot: Any = None) -> list[np.ndarray]:
    """E (12 numbers), S, s, bias (Sdot qdot + sdot) or q moved by qdot at states, (..., as many as it has)."""
    subject = cast("Joint", joint)
    rates = np.zeros(subject.dof) if qdot is None else given(joint, "qdot", qdot, subject.dof)
    parts = [configuration(subject, q, chart), rates, as_numbers(t, "t", "float64")[..., None]]
    lead = np.broadcast_shapes(*[part.shape[:-1] for part in parts])
    rows = np.concatenate([np.broadcast_to(part, (*lead, part.shape[-1])) for part in parts], axis=-1)
    batch, sizes = traced(subject, names)
    found = batch(rows.reshape(-1, rows.shape[-1]))
    return [part.reshape(*lead, part.shape[-1]) for part in np.split(found, np.cumsum(sizes)[:-1], axis=1)]


@lru_cache(maxsize=64)
def traced(joint: Joint, names: tuple[str, ...]) -> tuple[Batch, list[int]]:
    """These of a joint as functions of (configuration, qdot, t), with how many numbers each has."""
    from redmax.joints.checks.batch import Batch
    from redmax.joints.motion import traced_motion

    x = vector_of(Graph().inputs("x", joint.size + joint.dof + 1))
    qdot = x[joint.size : -1]
    if names == ("moved",):
        parts = {"moved": joint.retract(x[: joint.size], qdot)[: joint.nq]}
    else:
        m = traced_motion(joint, x[: joint.size], qdot, x[-1])
        parts = {"E": m.E[:3], "S": m.S, "s": m.s, "bias": m.bias(qdot)}
    flat = [np.ravel(np.asarray(parts[name], object)) for name in names]
    return Batch([value for part in flat for value in part]), [len(part) for part in flat]


def configuration(joint: Joint, q: Any, chart: str | None) -> np.ndarray:
    """(..., nq and charts): coordinates with the numbers of the charts that they are in; or as they are, with these behind them."""
    found = as_numbers(q, "q", "float64")
    found = found[None] if joint.nq == 1 and not found.ndim else found
    if joint.discrete and chart is None and found.shape[-1:] == (joint.size,):
        return found
    found = given(joint, "q", found, joint.nq)
    numbers = np.array(joint.start if chart is None else chart_numbers(joint, chart), float)
    return np.concatenate([found, np.broadcast_to(numbers, (*found.shape[:-1], len(numbers)))], axis=-1)


def chart_numbers(joint: Joint, chart: str) -> tuple[int, ...]:
    """Of the chart of this name."""
    kind = type(joint).__name__
    if len(joint.discrete) != 1:
        if chart == joint.chart and chart:
            return ()
        said = f"{kind} has no charts to choose from. Got chart={brief(chart)}. Leave it out."
        raise SceneError(said, owner=kind, argument="chart")
    if not isinstance(chart, str) or chart not in joint.discrete[0]:
        raise SceneError(unknown("chart", chart, list(joint.discrete[0])), owner=kind, argument="chart")
    return (joint.discrete[0].index(chart),)
