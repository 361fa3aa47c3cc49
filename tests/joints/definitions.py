"""The motion of every joint from its definition, in arithmetic that works on floats, hyper-dual and multiprecision numbers alike.

None of it is the library's: rotations by Rodrigues' formula, exponential coordinates by squaring a Taylor series of the matrix exponential.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

Motion = Callable[[Any], np.ndarray]  # coordinates (dof,) -> pose (4, 4)


def pose(R: Any, p: Any) -> np.ndarray:
    E = np.zeros((4, 4), object)
    E[:3, :3], E[:3, 3], E[3, 3] = R, p, 1.0
    return E


def bracket(w: Any) -> np.ndarray:
    return np.array([[0.0, -w[2], w[1]], [w[2], 0.0, -w[0]], [-w[1], w[0], 0.0]], object)


def about(axis: Any, angle: Any) -> np.ndarray:
    """I + sin [n] + (1 - cos) [n]^2."""
    n = bracket(np.asarray(axis, np.longdouble) / np.sqrt(np.sum(np.asarray(axis, np.longdouble) ** 2)))
    return np.eye(3) + np.sin(angle) * n + (1.0 - np.cos(angle)) * (n @ n)


def exponential(w: Any) -> np.ndarray:
    """exp([w]) = (exp([w] / 64))^64."""
    W = bracket([x * (1.0 / 64.0) for x in w])
    R = np.eye(3).astype(object)
    for k in range(14, 0, -1):
        R = np.eye(3) + W @ R * (1.0 / np.longdouble(k))
    for _ in range(6):
        R = R @ R
    return R


ZERO = np.zeros(3)


def fixed(q: Any) -> np.ndarray:
    return np.eye(4)


def revolute(axis: Any) -> Motion:
    return lambda q: pose(about(axis, q[0]), ZERO)


def prismatic(axis: Any) -> Motion:
    n = np.asarray(axis, np.longdouble) / np.sqrt(np.sum(np.asarray(axis, np.longdouble) ** 2))
    return lambda q: pose(np.eye(3), [q[0] * x for x in n])


def combined(directions: Any, lengths: Any) -> list[Any]:
    """The sum of lengths along directions."""
    return [sum((n[i] * x for n, x in zip(directions, lengths)), 0.0) for i in range(3)]


def unit(axis: Any) -> np.ndarray:
    axis = np.asarray(axis, np.longdouble)
    return axis / np.sqrt(np.sum(axis**2))


def helical(axis: Any, pitch: float) -> Motion:
    return lambda q: pose(about(axis, q[0]), combined([unit(axis)], [pitch * q[0]]))


def cylindrical(axis: Any) -> Motion:
    return lambda q: pose(about(axis, q[0]), combined([unit(axis)], [q[1]]))


def planar(first: Any, second: Any) -> Motion:
    return lambda q: pose(np.eye(3), combined([unit(first), unit(second)], q))


def planar_screw(axis: Any, directions: Any, pitch: float = 0.0) -> Motion:
    """Along two directions, then a screw about the axis."""
    return lambda q: pose(about(axis, q[2]), combined([*directions, unit(axis)], [q[0], q[1], pitch * q[2]]))


def free2d(q: Any) -> np.ndarray:
    return pose(about((0, 0, 1), q[2]), [q[0], q[1], 0.0])


def schoenflies(axis: Any) -> Motion:
    return lambda q: pose(about(axis, q[3]), [q[0], q[1], q[2]])


def constant_velocity(directions: Any) -> Motion:
    return lambda q: pose(exponential(combined(directions, q)), ZERO)


def translational(q: Any) -> np.ndarray:
    return pose(np.eye(3), [q[0], q[1], q[2]])


def inverse(E: Any) -> np.ndarray:
    R, p = E[:3, :3].T, E[:3, 3]
    return pose(R, [-(R[i, 0] * p[0] + R[i, 1] * p[1] + R[i, 2] * p[2]) for i in range(3)])


def inverted(motion: Motion) -> Motion:
    return lambda q: inverse(np.asarray(motion(q), object))


def in_turn(motions: Sequence[Motion], dofs: Sequence[int], poses: Sequence[Any]) -> Motion:
    """A constant pose before each motion, and one after the last."""
    ends = np.cumsum([0, *dofs])

    def whole(q: Any) -> np.ndarray:
        E = np.asarray(poses[0], object)
        for motion, a, b, place in zip(motions, ends[:-1], ends[1:], poses[1:]):
            E = E @ np.asarray(motion(q[a:b]), object) @ np.asarray(place, object)
        return E

    return whole


def universal(q: Any) -> np.ndarray:
    return pose(about((1, 0, 0), q[0]) @ about((0, 1, 0), q[1]), ZERO)


def spherical(q: Any) -> np.ndarray:
    return pose(exponential(q), ZERO)


def free(q: Any) -> np.ndarray:
    """Rotation first, then translation along the rotated axes."""
    R = exponential(q[:3])
    return pose(R, R @ np.array([q[3], q[4], q[5]], object))


def free3d(q: Any) -> np.ndarray:
    """Translation first, then rotation."""
    return pose(exponential(q[3:]), [q[0], q[1], q[2]])
