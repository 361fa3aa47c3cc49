"""All rotations by three angles about coordinate axes, in any of the 12 orders, changed during a run before they become singular.

Every order is the order x y z seen from other frames: R = A Rx(a) Ry(b) Rz(c) B, with constant rotations A and B and with (a, b, c) =
signs * q + (0, shift, 0). A proper one, such as x y x, has R_x(c) = Ry(pi/2) Rz(c) Ry(-pi/2) in place of its third rotation. So one
kernel serves all charts, with A, B, signs and shift read from tables by the chart's number, and |det S| = |cos b| in each of them:
sin b is an entry of R, up to sign.

The loop changes the chart where |cos b| <= 1/2, to the one in which the rotation, and those before it that a method keeps, are farthest
from singular.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from itertools import product
from typing import Any

import numpy as np

from redmax.arguments import brief
from redmax.components.checks import flag
from redmax.errors import SceneError
from redmax.joints.base import Joint
from redmax.joints.orientation import euler_angles
from redmax.lie import se3, so3
from redmax.math import Table, absolute, array, atan2, cos, floor, maximum, sin, sqrt, where
from redmax.types import Array

ORDERS = tuple("".join(o) for o in product("XYZ", repeat=3) if o[0] != o[1] != o[2])  # the 12
TURN = 2 * np.pi
LEAVE = 0.5  # a chart is left where |det S| is not above this


class SphericalEuler(Joint):
    """Rotation by q = (a, b, c) about the axes of `order`, each of them turned with the rotations before: XYZ is Rx(a) Ry(b) Rz(c).

    order: the chart at first, one of the 12; switching: whether the run may change to another
    """

    dof = 3
    proven = True

    def __init__(self, order: str = "XYZ", *, switching: bool = True) -> None:
        if not isinstance(order, str) or order.upper() not in ORDERS:
            raise SceneError(
                f"SphericalEuler takes one of the orders {', '.join(ORDERS)}. Got {brief(order)}.", owner="SphericalEuler", argument="order"
            )
        self.order, self.switching = order.upper(), flag("SphericalEuler", "switching", switching)

    @property
    def chart(self) -> str:  # type: ignore[override]
        return "" if self.switching else self.order

    @property
    def discrete(self) -> tuple[tuple[str, ...], ...]:
        return (ORDERS,) if self.switching else ()

    @property
    def start(self) -> tuple[int, ...]:
        return (ORDERS.index(self.order),) if self.switching else ()

    def number(self, q: Array) -> Any:
        """The chart that a configuration is in."""
        return q[3] if self.switching else float(ORDERS.index(self.order))

    def transform(self, q: Array) -> Any:
        A, B, signs, shift = frames(self.number(q))
        a, b, c = signs[0] * q[0], signs[1] * q[1] + shift, signs[2] * q[2]
        R = so3.rotation_about("x", a) @ so3.rotation_about("y", b) @ so3.rotation_about("z", c)
        return se3.pose(A @ R @ B, np.zeros(3))

    def jacobian(self, q: Array) -> Any:
        """B^T times that of x y z (RedMax notes Eq. 2.31 in the order x y z), with the signs."""
        _, B, signs, shift = frames(self.number(q))
        b, c = signs[1] * q[1] + shift, signs[2] * q[2]
        sb, cb, sc, cc = sin(b), cos(b), sin(c), cos(c)
        core = array([[cb * cc, sc, 0.0], [-(cb * sc), cc, 0.0], [sb, 0.0, 1.0]])
        turned = B.T @ (core * np.asarray([signs, signs, signs], object))
        return array([*[list(row) for row in turned], *[[0.0] * 3] * 3])

    def located(self, quaternion: np.ndarray, position: np.ndarray, charts: Sequence[int], near: np.ndarray | None) -> np.ndarray:
        order = ORDERS[charts[0]] if charts else self.order
        return euler_angles(quaternion, np.array(chart_numbers(order)), near)

    def rechart(self, states: Sequence[tuple[Any, Any]]) -> list[tuple[Any, Any]] | None:
        if not self.switching:
            return None
        rotations = [self.transform(q)[:3, :3] for q, _ in states]
        now = states[0][0][3]
        worst, best, chosen = [chart_clearance(R) for R in rotations], -1.0, now
        for number in range(len(ORDERS)):
            clear = worst[0][number]
            for others in worst[1:]:
                clear = where(others[number] < clear, others[number], clear)
            better = clear > best
            best, chosen = where(better, clear, best), where(better, float(number), chosen)
        q, shift, sign = states[0][0], frames(now)[3], frames(now)[2][1]
        near = absolute(cos(sign * q[1] + shift)) <= LEAVE
        number = where(near, chosen, now)
        present = angles_of(rotations[0], number)
        return [changed(near, number, present, q, qdot, R) for (q, qdot), R in zip(states, rotations, strict=True)]


def changed(near: Any, number: Any, present: Any, q: Any, qdot: Any, R: Any) -> tuple[Any, Any]:
    """The angles of R in the chart of this number, and rates with the same twist; q and qdot where nothing is near a singularity.

    Of an earlier state the angles are those less than half a turn from the present ones: differences between them mean something.
    """
    angles = angles_of(R, number)
    angles = angles - TURN * floor((angles - present) / TURN + 0.5)
    joint = SphericalEuler()
    twist = joint.jacobian(q)[:3] @ qdot
    rates = solved(joint.jacobian(array([*angles, number]))[:3], twist)
    return array([*where(near, angles, q[:3]), number]), where(near, rates, qdot)


def angles_of(R: Any, number: Any) -> Any:
    """q with transform(q) = R in a chart: of A^T R B^T = Rx(a) Ry(b) Rz(c), with b in [-pi/2, pi/2]."""
    A, B, signs, shift = frames(number)
    T = A.T @ R @ B.T
    flat = sqrt(maximum(T[0, 0] * T[0, 0] + T[0, 1] * T[0, 1], 1e-300))
    a, b, c = atan2(-T[1, 2], T[2, 2]), atan2(T[0, 2], flat), atan2(-T[0, 1], T[0, 0])
    return array([signs[0] * a, signs[1] * (b - shift), signs[2] * c])


def solved(S: Any, twist: Any) -> Any:
    """S^-1 twist, by cofactors: S is a 3 x 3 whose determinant is away from zero."""
    cofactors = array([list(np.cross(S[:, (i + 1) % 3], S[:, (i + 2) % 3])) for i in range(3)])
    det = sum(S[k, 0] * cofactors[0, k] for k in range(3))
    return (cofactors @ twist) / det


def chart_clearance(R: Any) -> list[Any]:
    """|det S|^2 = cos^2 b of a rotation in each chart: 1 - (the entry of R that is sin b, or cos of the second angle)^2."""
    squares = [[1.0 - R[i, k] * R[i, k] for k in range(3)] for i in range(3)]
    return [squares["XYZ".index(o[0])]["XYZ".index(o[2])] for o in ORDERS]


def frames(number: Any) -> tuple[Any, Any, Any, Any]:
    """A, B, the three signs and the shift of a chart."""
    entries = [table[number] for table in tables()]
    return array(entries[0:9]).reshape(3, 3), array(entries[9:18]).reshape(3, 3), entries[18:21], entries[21]


@cache
def tables() -> tuple[Table, ...]:
    """For each number that describes a chart, its values in all charts."""
    rows = np.array([chart_numbers(order) for order in ORDERS])
    return tuple(Table(column) for column in rows.T)


def chart_numbers(order: str) -> list[float]:
    """A, B, signs and shift, (22,).

    A takes x, y, z to the first two axes and their cross product, which is the third axis up to sign: R_-e(c) = R_e(-c).
    """
    first, second, third = (np.eye(3)["XYZ".index(letter)] for letter in order)
    last = np.cross(first, second)
    A = np.column_stack([first, second, last])
    if order[0] == order[2]:
        quarter = np.array([[0.0, 0.0, -1.0], [0.0, 1.0, 0.0], [1.0, 0.0, 0.0]])  # Ry(-pi/2)
        return [*A.ravel(), *(quarter @ A.T).ravel(), 1.0, 1.0, 1.0, np.pi / 2]
    return [*A.ravel(), *A.T.ravel(), 1.0, 1.0, float(last @ third), 0.0]
