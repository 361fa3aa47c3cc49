"""Joints as a user would write them: two classes and two functions, with parameters, in plain NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np

import redmax as rm


class Screw(rm.Joint):
    """Along z: `pitch` metres a radian."""

    dof = 1

    def __init__(self, pitch: float) -> None:
        self.pitch = float(pitch)

    def transform(self, q: Any) -> Any:
        c, s = np.cos(q[0]), np.sin(q[0])
        return np.array([[c, -s, 0.0, 0.0], [s, c, 0.0, 0.0], [0.0, 0.0, 1.0, self.pitch * q[0]], [0.0, 0.0, 0.0, 1.0]])


class Elliptic(rm.Joint):
    """Along an ellipse in the xy plane, x axis along its tangent (after Lee and Terzopoulos Eq. 17)."""

    dof = 1

    def __init__(self, a: float, b: float) -> None:
        self.a, self.b = float(a), float(b)

    def transform(self, q: Any) -> Any:
        c, s = np.cos(q[0]), np.sin(q[0])
        x, y = -self.a * s, self.b * c
        length = np.sqrt(x * x + y * y)
        x, y = x / length, y / length
        return np.array([[x, -y, 0.0, self.a * c], [y, x, 0.0, self.b * s], [0.0, 0.0, 1.0, 0.0], [0.0, 0.0, 0.0, 1.0]])


def paraboloid(q: Any, curvature: Any) -> Any:
    """Sliding on z = k/2 (x^2 + y^2) and spinning about its normal."""
    x, y, k = q[0], q[1], curvature
    one, all_ = np.sqrt(1.0 + k * k * x * x), np.sqrt(1.0 + k * k * (x * x + y * y))
    t = np.array([1.0 / one, 0.0, k * x / one], object)
    n = np.array([-k * x / all_, -k * y / all_, 1.0 / all_], object)
    b = np.array([n[1] * t[2] - n[2] * t[1], n[2] * t[0] - n[0] * t[2], n[0] * t[1] - n[1] * t[0]], object)
    c, s = np.cos(q[2]), np.sin(q[2])
    E = np.zeros((4, 4), object)
    E[:3, 0], E[:3, 1], E[:3, 2], E[3, 3] = c * t + s * b, c * b - s * t, n, 1.0
    E[:3, 3] = [x, y, 0.5 * k * (x * x + y * y)]
    return E


def torus(q: Any, radii: Any) -> Any:
    """Around and along a torus with radii (major, minor)."""
    c, s, d, e = np.cos(q[0]), np.sin(q[0]), np.cos(q[1]), np.sin(q[1])
    r = radii[0] + radii[1] * d
    return np.array([
        [c * d, -s, -c * e, r * c],
        [s * d, c, -s * e, r * s],
        [e, 0.0, d, radii[1] * e],
        [0.0, 0.0, 0.0, 1.0],
    ])  # fmt: skip
