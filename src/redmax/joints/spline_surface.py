"""Joints on spline surfaces: one to three degrees of freedom (Lee & Terzopoulos Sec. 5.2; RedMax supplement Sec. 5.3).

    G(q) = H T(phi_x, phi_y, phi_z) R(phi_a) R(phi_b) R(phi_c)   (Lee & Terzopoulos Eq. 25; RedMax supplement Eqs. 60-63)

The angular part of S is by the axes of the three rotations, the linear part in the body's axes. It equals the recursion of the papers
(Lee & Terzopoulos App. B).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from redmax.arguments import brief
from redmax.components.from_function import check_call
from redmax.components.given import ControlValues, FromZeroEach, Knots, Modes, Outside, Pose
from redmax.errors import Phrase, SceneError, wrong
from redmax.joints.spline_grid import SplineGrid
from redmax.lie import se3, so3
from redmax.lie.three import plus, product, rows, times, transpose
from redmax.math import array
from redmax.types import Value

AXES = "xyz"
MODE = "(control values, function of time)"


class AngleGrid(SplineGrid):
    """Six splines that are a position and three angles."""

    columns = "x, y, z (m) and three angles (rad)"

    def __init__(self, layers: Sequence[Any], *, rotation_order: str = "xyz", **options: Any) -> None:
        self.order_of_turns = checked_turns(type(self).__name__, rotation_order)
        super().__init__(layers, **options)

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


class SplineSurface(AngleGrid):
    """On a tensor-product B-spline surface (or volume, or curve): position and three angles from a grid of control values.

    values: (n1, 6), (n1, n2, 6) or (n1, n2, n3, 6) for one, two or three parameters; axis i of the grid goes with coordinate i of q.
        In the last axis x, y, z (m), then three angles (rad) about the axes of rotation_order, one after the other, each about axes that
        those before have turned.
    order, cyclic: as for SplineCurve, for all parameters or one for each.
    knots: None for uniform ones (parameter i runs from 0 to n_i - order + 1), or for each parameter None or its knots, as for SplineCurve.
    rotation_order: "xyz" and the other eleven. Near the singular value of the second angle the other two turn about one axis.
    base: H, a pose (4, 4) or a translation in front of it all.
    outside, limit_stiffness, limit_damping: as for SplineCurve, for the parameters that are not cyclic.

    The cost does not depend on the size of the grid; a column that is zero everywhere costs nothing.
    """

    def __init__(
        self,
        values: ControlValues,
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
        super().__init__(
            [values],
            order=order,
            knots=knots,
            rotation_order=rotation_order,
            base=base,
            cyclic=cyclic,
            outside=outside,
            limit_stiffness=limit_stiffness,
            limit_damping=limit_damping,
        )

    def at_time(self, layers: np.ndarray) -> np.ndarray:  # pyright: ignore[reportIncompatibleMethodOverride]
        return layers[..., 0, :]


class DeformingSplineSurface(AngleGrid):
    """A spline surface whose control values change with time: values + sum_k f_k(t) values_k.

    modes: pairs (values_k, f_k) of control values with the shape of `values` and a function of time, written with redmax.math or NumPy.
    The rest is as for SplineSurface. A mode costs as much as reading the control values once more, whatever the size of the grid.
    """

    def __init__(self, values: ControlValues, modes: Modes, **options: Any) -> None:
        if not isinstance(modes, Sequence) or isinstance(modes, str):
            raise wrong("DeformingSplineSurface", "modes", modes, f"a list of pairs {MODE}")
        for k, mode in enumerate(modes):
            check_mode(k, mode)
        self.functions = tuple(f for _, f in modes)
        super().__init__([values, *[v for v, _ in modes]], **options)

    @property
    def timed(self) -> bool:
        return self.has_own("timed") or super().timed  # a subclass may have another transform

    def at_time(self, layers: np.ndarray, t: Value) -> np.ndarray:  # pyright: ignore[reportIncompatibleMethodOverride]
        total = layers[..., 0, :]
        for k, f in enumerate(self.functions):
            total = total + f(t) * layers[..., 1 + k, :]
        return total


def checked_turns(owner: str, order: Any) -> str:
    valid = "three of x, y, z with neighbours that differ, as 'xyz' or 'zxz'"
    turns = order.lower() if isinstance(order, str) else ""
    if len(turns) != 3 or not set(turns) <= set(AXES) or turns[0] == turns[1] or turns[1] == turns[2]:
        raise wrong(owner, "rotation_order", order, valid)
    return turns


def check_mode(k: int, mode: Any) -> None:
    if not isinstance(mode, Sequence) or len(mode) != 2 or not callable(mode[1]):
        raise wrong("DeformingSplineSurface", Phrase(f"mode {k}", "modes"), mode, f"a pair {MODE}")
    said = f"DeformingSplineSurface: mode {k}"
    check_call(f"{said}: the function", mode[1], ("t",), {}, owner="DeformingSplineSurface", argument="modes")
    with np.errstate(all="ignore"):
        value: Any = mode[1](0.0)
    if np.shape(value) != () or np.asarray(value).dtype.kind not in "fiub":
        sentence = f"{said} has a function that gives {brief(value)} at t = 0, expected a number."
        raise SceneError(sentence, owner="DeformingSplineSurface", argument="modes")
