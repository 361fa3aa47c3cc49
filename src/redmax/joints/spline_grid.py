"""Six tensor-product B-splines of one to three parameters: what `SplineSurface`, `DeformingSplineSurface` and `TwistSurface` are made of.

    phi_c(q) = sum_ab.. N_a(q_1) N_b(q_2) .. C_c[a, b, ..]       c = 1, .., 6   (Lee & Terzopoulos Eq. 25; RedMax supplement Eq. 61)

What pose six numbers stand for is said by the joints. S follows from the rates of the six splines, in fewer operations than from
differentiating the pose.

On one piece of each parameter k^n control values act, whatever the size of the grid, which is one table with the rows one after the other.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product as tuples
from typing import Any

import numpy as np

from redmax.arguments import brief
from redmax.components.checks import as_pose, finite, flag
from redmax.components.given import FromZeroEach, Knots, Outside, Pose
from redmax.errors import SceneError, wrong
from redmax.joints import bspline
from redmax.joints.base import EVERYWHERE, Joint
from redmax.joints.drawing import Drawing
from redmax.joints.spline_axis import Axis, breaks_of, checked_limits, domain_of, limit_force, limit_potential, make_axis, range_of
from redmax.joints.swept import swept
from redmax.trace import Table
from redmax.types import Array, Value

Weights = list[tuple[Any, list[Any], list[Any]]]  # for each parameter: the piece, N, dN/dq


class SplineGrid(Joint):
    """The grid, its parameters and what comes of them; subclasses say what the six numbers are, and which control values act at a time."""

    axes: tuple[Axis, ...]
    columns = ""  # what the six numbers of a control value are

    def __init__(
        self,
        layers: Sequence[Any],
        *,
        order: int | Sequence[int] = 4,
        knots: Knots | None = None,
        base: Pose | None = None,
        cyclic: bool | Sequence[bool] = False,
        outside: Outside = "error",
        limit_stiffness: FromZeroEach | None = None,
        limit_damping: FromZeroEach | None = None,
    ) -> None:
        """layers: control values (n_1, .., n_dof, 6) of one grid, or of several that are combined later."""
        owner = type(self).__name__
        values = checked_values(owner, layers, self.columns)
        self.dof = values.ndim - 2
        self.base = as_pose(owner, "base", (0, 0, 0) if base is None else base)
        closed = [flag(owner, "cyclic", each) for each in per_axis(owner, "cyclic", cyclic, self.dof)]
        if all(closed) and not (isinstance(outside, str) and outside == "error"):
            raise SceneError(
                f"{owner}: outside is {brief(outside)}, but a cyclic spline has no outside. Leave it out.", owner=owner, argument="outside"
            )
        orders = per_axis(owner, "order", order, self.dof)
        axes: list[Axis] = []
        for i, own in enumerate(per_axis_knots(owner, knots, self.dof)):
            axis, given = make_axis(owner, values.shape[1 + i], orders[i], own, closed[i], "error" if closed[i] else outside, "values")
            axes.append(axis)
            setattr(self, f"breaks{i}", breaks_of(axis, given))
            setattr(self, f"basis{i}", None if given is None else Table(bspline.polynomials(given, axis.order)))
            values = axis.wrapped(values, axis=1 + i)
        self.axes = tuple(axes)
        self.present = tuple(bool(values[..., c].any()) for c in range(6))  # what is zero everywhere costs nothing
        used = np.moveaxis(values[..., [c for c in range(6) if self.present[c]]], 0, -2)
        if not used.shape[-1]:
            raise SceneError(
                f"{owner}: all control values are zero, so that nothing moves. Use redmax.Fixed().", owner=owner, argument="values"
            )
        self.grid_shape = used.shape[: self.dof]
        self.grid = Table(used.reshape(-1, *used.shape[self.dof :]))
        limits = checked_limits(owner, outside, self.dof, limit_stiffness, limit_damping)
        self.limits = None if limits is None else np.array(self.range)
        self.limit_stiffness, self.limit_damping = (None, None) if limits is None else limits

    @property
    def range(self) -> tuple[tuple[float, float], ...]:
        """For each parameter its values from the first piece to the end of the last one; for a cyclic one, one period."""
        return tuple(range_of(axis, getattr(self, f"breaks{i}")) for i, axis in enumerate(self.axes))

    @property
    def extent(self) -> tuple[tuple[float, float], ...]:
        return self.range

    @property
    def domain(self) -> tuple[tuple[float, float], ...] | None:
        """For each parameter where the motion is defined; None for everywhere."""
        if not any(axis.outside == "error" for axis in self.axes):
            return None
        return tuple(domain_of(axis, getattr(self, f"breaks{i}")) for i, axis in enumerate(self.axes))

    @property
    def free_range(self) -> tuple[tuple[float, float], ...] | None:
        if self.limits is None:
            return None
        return tuple(EVERYWHERE if axis.cyclic else ends for axis, ends in zip(self.axes, self.range, strict=True))

    def at_time(self, layers: np.ndarray, *t: Value) -> np.ndarray:
        """The control values that act, (.., columns), of those in all layers, (.., layers, columns)."""
        raise NotImplementedError(f"{type(self).__name__} does not define at_time(layers, *t)")

    def transform(self, q: Array, *t: Value) -> Any:
        weights = self.weights(q)
        return self.posed(self.spline(self.at_time(self.control(weights), *t), weights))

    def jacobian(self, q: Array, *t: Value) -> Any:
        weights = self.weights(q)
        control = self.at_time(self.control(weights), *t)
        return self.twists(self.spline(control, weights), [self.spline(control, weights, i) for i in range(self.dof)])

    def drawing(self) -> Sequence[Drawing]:
        return swept(self, self.range)

    def weights(self, q: Array) -> Weights:
        """For each parameter the piece, the basis functions on it and their slopes."""
        found: Weights = []
        for i, axis in enumerate(self.axes):
            k, basis = axis.order, getattr(self, f"basis{i}")
            j, u = axis.place(q[i], getattr(self, f"breaks{i}"))
            N = bspline.uniform_polynomials(k) if basis is None else basis[j]
            used = [*N[: k - 1], [*[0.0] * (k - 1), N[k - 1][-1]]]  # the last one has only u^(k-1)
            found.append((j, [bspline.value(c, u) for c in used], [bspline.value(c, u, 1) for c in used]))
        return found

    def control(self, weights: Weights) -> np.ndarray:
        """The control values that act here, (k_1, .., k_dof, layers, columns)."""
        index: Any = 0.0
        for (j, _, _), size in zip(weights, self.grid_shape):
            index = index * float(size) + j
        sizes = [axis.order for axis in self.axes]
        offsets = [int(np.ravel_multi_index(a, self.grid_shape)) for a in tuples(*map(range, sizes))]
        near = self.grid.near(index, offsets)
        return near.reshape(*sizes, *near.shape[1:])

    def spline(self, control: np.ndarray, weights: Weights, slope: int = -1) -> list[Any]:
        """phi, or its derivative by the parameter `slope`, (6,); control: (k_1, .., k_dof, columns)."""
        for i, (_, N, dN) in enumerate(weights):
            factors = dN if i == slope else N
            total = control[0] * factors[0]
            for value, factor in zip(control[1:], factors[1:]):
                total = total + value * factor
            control = total
        entries = iter(control)
        return [next(entries) if there else 0.0 for there in self.present]

    def posed(self, phi: list[Any]) -> np.ndarray:
        """The pose (4, 4) that six numbers stand for."""
        raise NotImplementedError(f"{type(self).__name__} does not define posed(phi)")

    def twists(self, phi: list[Any], slopes: list[list[Any]]) -> np.ndarray:
        """S, (6, dof), from the six numbers and, for each parameter, their rates."""
        raise NotImplementedError(f"{type(self).__name__} does not define twists(phi, slopes)")

    def force(self, q: Array, qdot: Array) -> Any | None:
        if self.limits is None:
            return None
        return limit_force(self.axes, q, qdot, self.limits, self.limit_stiffness, self.limit_damping)

    def potential(self, q: Array) -> Any:
        return 0.0 if self.limits is None else limit_potential(self.axes, q, self.limits, self.limit_stiffness)

    def __repr__(self) -> str:
        size = " x ".join(str(axis.count) for axis in self.axes)
        return f"{type(self).__name__}({size} control values, order={tuple(axis.order for axis in self.axes)})"


def checked_values(owner: str, layers: Sequence[Any], columns: str) -> np.ndarray:
    """(layers, n_1, .., n_dof, 6)."""
    valid = f"control values (n1, 6), (n1, n2, 6) or (n1, n2, n3, 6), in the last axis {columns}"
    found = [finite(owner, "values", v, ((-1, 6), (-1, -1, 6), (-1, -1, -1, 6)), valid) for v in layers]
    for v in found[1:]:
        if v.shape != found[0].shape:
            raise SceneError(
                f"{owner}: the control values of a mode have shape {v.shape}, expected that of `values`, {found[0].shape}.",
                owner=owner,
                argument="modes",
            )
    return np.stack(found)


def per_axis(owner: str, name: str, value: Any, dof: int) -> tuple[Any, ...]:
    """One value for each parameter from one for all, or from a sequence of them."""
    if not isinstance(value, Sequence | np.ndarray) or isinstance(value, str) or (isinstance(value, np.ndarray) and not value.ndim):
        return (value,) * dof
    if len(value) != dof:
        raise wrong(owner, name, value, f"one value, or one for each of the {dof} parameters")
    return tuple(value)


def per_axis_knots(owner: str, knots: Any, dof: int) -> tuple[Any, ...]:
    """The knots of each parameter; those of the only one need not be in a list of their own."""
    single = knots.shape[:1] == (1,) if isinstance(knots, np.ndarray) else isinstance(knots, Sequence) and len(knots) == 1
    alone = dof == 1 and not single
    if knots is None or alone:
        return (knots,) * dof
    return per_axis(owner, "knots", knots, dof)
