"""Six tensor-product B-splines of one to three parameters: what `SplineSurface` and `DeformingSplineSurface` are made of.

    phi_c(q) = sum_ab.. N_a(q_1) N_b(q_2) .. C_c[a, b, ..]       c = x, y, z, and three angles
    G(q) = H T(phi_x, phi_y, phi_z) R(phi_a) R(phi_b) R(phi_c)   (Lee & Terzopoulos Eq. 25; RedMax supplement Eqs. 60-63)

S follows from the rates of the six splines: the angular part by the axes of the three rotations, the linear part in the body's axes. It
equals the recursion of the papers (Lee & Terzopoulos App. B) and takes fewer operations than differentiating the pose.

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
from redmax.joints.base import Joint
from redmax.joints.drawing import Drawing
from redmax.joints.spline_axis import Axis, breaks_of, checked_limits, domain_of, limit_force, limit_potential, make_axis, range_of
from redmax.joints.swept import swept
from redmax.lie import se3, so3
from redmax.lie.three import plus, product, rows, times, transpose
from redmax.math import array
from redmax.trace import Table
from redmax.types import Array, Value

AXES = "xyz"
Weights = list[tuple[Any, list[Any], list[Any]]]  # for each parameter: the piece, N, dN/dq


class SplineGrid(Joint):
    """The grid, its parameters and what comes of them; subclasses say which control values act at a time."""

    axes: tuple[Axis, ...]

    def __init__(
        self,
        layers: Sequence[Any],
        *,
        order: int | Sequence[int] = 4,
        knots: Knots | None = None,
        rotation_order: str = "xyz",
        base: Pose | None = None,
        cyclic: bool | Sequence[bool] = False,
        outside: Outside = "error",
        limit_stiffness: FromZeroEach | None = None,
        limit_damping: FromZeroEach | None = None,
    ) -> None:
        """layers: control values (n_1, .., n_dof, 6) of one grid, or of several that are combined later."""
        owner = type(self).__name__
        values = checked_values(owner, layers)
        self.dof = values.ndim - 2
        self.order_of_turns = checked_turns(owner, rotation_order)
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

    def turns(self, phi: list[Any]) -> tuple[list[Any], list[Any], list[Any]]:
        """The three rotations one after the other."""
        return tuple(rows(so3.rotation_about(axis, angle)) for axis, angle in zip(self.order_of_turns, phi[3:]))  # type: ignore[return-value]

    def posed(self, phi: list[Any]) -> np.ndarray:
        a, b, c = self.turns(phi)
        H = [list(row) for row in self.base]
        R = product([row[:3] for row in H[:3]], product(a, product(b, c)))
        return se3.pose(array(R), array(plus(times([row[:3] for row in H[:3]], phi[:3]), [row[3] for row in H[:3]])))

    def twists(self, phi: list[Any], slopes: list[list[Any]]) -> np.ndarray:
        """S, (6, dof): the rates of the angles about axes that the later rotations turn, and those of the position in the body's axes."""
        a, b, c = self.turns(phi)
        later = product(b, c)
        first, second, third = (AXES.index(axis) for axis in self.order_of_turns)
        unit = [float(i == third) for i in range(3)]
        about = transpose([later[first], c[second], unit])  # R^T e = row of R
        back = transpose(product(a, later))
        return array(transpose([[*times(about, rate[3:]), *times(back, rate[:3])] for rate in slopes]))

    def force(self, q: Array, qdot: Array) -> Any | None:
        if self.limits is None:
            return None
        return limit_force(self.axes, q, qdot, self.limits, self.limit_stiffness, self.limit_damping)

    def potential(self, q: Array) -> Any:
        return 0.0 if self.limits is None else limit_potential(self.axes, q, self.limits, self.limit_stiffness)

    def __repr__(self) -> str:
        size = " x ".join(str(axis.count) for axis in self.axes)
        return f"{type(self).__name__}({size} control values, order={tuple(axis.order for axis in self.axes)})"


def checked_values(owner: str, layers: Sequence[Any]) -> np.ndarray:
    """(layers, n_1, .., n_dof, 6)."""
    valid = "control values (n1, 6), (n1, n2, 6) or (n1, n2, n3, 6), in the last axis x, y, z (m) and three angles (rad)"
    found = [finite(owner, "values", v, ((-1, 6), (-1, -1, 6), (-1, -1, -1, 6)), valid) for v in layers]
    for v in found[1:]:
        if v.shape != found[0].shape:
            raise SceneError(
                f"{owner}: the control values of a mode have shape {v.shape}, expected that of `values`, {found[0].shape}.",
                owner=owner,
                argument="modes",
            )
    return np.stack(found)


def checked_turns(owner: str, order: Any) -> str:
    valid = "three of x, y, z with neighbours that differ, as 'xyz' or 'zxz'"
    turns = order.lower() if isinstance(order, str) else ""
    if len(turns) != 3 or not set(turns) <= set(AXES) or turns[0] == turns[1] or turns[1] == turns[2]:
        raise wrong(owner, "rotation_order", order, valid)
    return turns


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
