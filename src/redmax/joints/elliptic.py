"""Along an ellipse, with the x axis along its tangent (Lee & Terzopoulos Eqs. 17-20, the last row of Eq. 17 read as (0, 1)):

    G(q) = H (Rz(phi), (a sin q, -b cos q, 0)),    phi = atan2(b sin q, a cos q)

With l = (a^2 cos^2 q + b^2 sin^2 q)^(1/2), the length of the tangent, Rz(phi) has the sine b sin q / l and the cosine a cos q / l, and
Eq. 19 is S = (0, 0, a b / l^2;  l, 0, 0).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from redmax.components.checks import as_pose, positive
from redmax.components.given import Length, Pose
from redmax.joints.base import Joint
from redmax.joints.drawing import Drawing
from redmax.joints.swept import swept
from redmax.math import array, cos, sin, sqrt
from redmax.types import Array


class Elliptic(Joint):
    """Along an ellipse, with the child's x axis along its tangent (Lee & Terzopoulos 2008, Eq. 17).

    a, b: semi-axes (m), along x and y; base: the ellipse's frame H in the parent's, (3,) or (4, 4), the parent's own unless given
    """

    dof = 1
    proven = True

    def __init__(self, a: Length, b: Length, base: Pose | None = None) -> None:
        self.a, self.b = positive("Elliptic", "a", a, "m"), positive("Elliptic", "b", b, "m")
        self.base = as_pose("Elliptic", "base", (0.0, 0.0, 0.0) if base is None else base)

    def transform(self, q: Array) -> Any:
        x, y = self.a * cos(q[0]), self.b * sin(q[0])
        over = 1.0 / sqrt(x * x + y * y)
        c, s = x * over, y * over
        place = [self.a * sin(q[0]), 0.0 - self.b * cos(q[0]), 0.0]
        local = array([[c, 0.0 - s, 0.0, place[0]], [s, c, 0.0, place[1]], [0.0, 0.0, 1.0, 0.0], [0.0, 0.0, 0.0, 1.0]])
        return np.asarray(self.base) @ local

    def drawing(self) -> Sequence[Drawing]:
        return swept(self, [(0.0, 2 * np.pi)])

    def jacobian(self, q: Array) -> Any:
        x, y = self.a * cos(q[0]), self.b * sin(q[0])
        square = x * x + y * y
        return array([[0.0], [0.0], [self.a * self.b / square], [sqrt(square)], [0.0], [0.0]])
