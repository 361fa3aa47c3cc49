"""The exponential of a spline surface of twists: one to three degrees of freedom without gimbal lock.

    G(q) = H exp(xi(q))      xi(q) = (w; v) = sum_ab.. N_a(q_1) N_b(q_2) .. C[a, b, ..]
    S(q) = dexp_right(xi) d xi / d q

In place of the six exponentials of Lee & Terzopoulos Eq. 25 there is one (RedMax supplement Eq. 8; dexp: Mueller, screw and Lie group
theory, Eq. 21). dexp_right is invertible wherever |w| < 2 pi, so that S has full rank wherever the splines have: turns by less than a
whole one from H have no singular orientation, which three angles have at a quarter of one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from redmax.components.given import ControlValues, FromZeroEach, Knots, Outside, Pose
from redmax.errors import SceneError
from redmax.joints.spline_grid import SplineGrid
from redmax.lie import se3
from redmax.lie.three import transpose
from redmax.math import array

WHOLE = 2.0 * np.pi  # rad


class TwistSurface(SplineGrid):
    """On the exponential of a tensor-product B-spline surface (or volume, or curve) of twists: no gimbal lock.

    values: (n1, 6), (n1, n2, 6) or (n1, n2, n3, 6) for one, two or three parameters; axis i of the grid goes with coordinate i of q.
        In the last axis a twist: a rotation vector (rad), shorter than 2 pi, then v (m). The pose is base exp(twist).
    order, cyclic: as for SplineCurve, for all parameters or one for each.
    knots: as for SplineSurface.
    base: H, a pose (4, 4) or a translation, from which the twists lead on; best amid the poses of the joint.
    outside, limit_stiffness, limit_damping: as for SplineCurve, for the parameters that are not cyclic.

    The cost does not depend on the size of the grid; a column that is zero everywhere costs nothing.
    """

    columns = "twists: a rotation vector (rad), then v (m)"

    def __init__(
        self,
        values: ControlValues,
        *,
        order: int | Sequence[int] = 4,
        knots: Knots | None = None,
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
            base=base,
            cyclic=cyclic,
            outside=outside,
            limit_stiffness=limit_stiffness,
            limit_damping=limit_damping,
        )
        check_short(np.asarray(values, float))

    def at_time(self, layers: np.ndarray) -> np.ndarray:  # pyright: ignore[reportIncompatibleMethodOverride]
        return layers[..., 0, :]

    def posed(self, phi: list[Any]) -> np.ndarray:
        return self.base @ se3.exp(array(phi))

    def twists(self, phi: list[Any], slopes: list[list[Any]]) -> np.ndarray:
        return se3.dexp_right(array(phi)) @ array(transpose(slopes))


def check_short(values: np.ndarray) -> None:
    """Basis functions are not negative and add up to one: no rotation vector in the range is longer than the longest one given."""
    turns = np.linalg.norm(values[..., :3], axis=-1)
    at = np.unravel_index(int(np.argmax(turns)), turns.shape)
    if turns[at] >= WHOLE:
        said = f"the control value at {tuple(map(int, at))} turns by {turns[at]:.6g} rad"
        why = "expected less than a whole turn (2 pi), where the exponential is singular"
        raise SceneError(f"TwistSurface: {said}, {why}. Put base amid the poses.", owner="TwistSurface", argument="values")
