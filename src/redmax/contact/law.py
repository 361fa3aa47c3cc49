"""Shapes as kernels of a program: where each is in the world, how far it may move in a step, and how easily its body gives way there.

Pairs read what is kept: axes R and centre x, size, radius and reach, the centre of mass of the body, 1 / m and I^-1 about it in world axes,
the numbers of its material, and the row of its body. (1 / m and I^-1 are those of the body alone: they set how much contacts give way.)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from redmax.contact.material import NUMBERS
from redmax.math import frozen, sqrt
from redmax.program.member import KeptView, MemberView
from redmax.program.record import WorldView
from redmax.program.sweep import Part

AXES, CENTRE, SIZE, RADIUS, REACH = 0, 9, 12, 15, 16
MASS_CENTRE, INVERSE_MASS, INVERSE_INERTIA, MATERIAL, BODY = 17, 20, 21, 27, 32
KEPT = BODY + 1
CONSTANTS = 9 + 3 + 3 + 1 + 3 + 1 + 6 + len(NUMBERS) + 1
OWN_MOMENTS = range(19, 26)  # of the constants: 1 / m and I^-1, or m and I


def symmetric(numbers: Sequence[Any]) -> Any:
    """(3, 3) of xx xy xz yy yz zz."""
    a, b, c, d, e, f = numbers
    return np.array([[a, b, c], [b, d, e], [c, e, f]], object)


def entries(matrix: Any) -> list[Any]:
    """The other way."""
    return [matrix[i, j] for i in range(3) for j in range(i, 3)]


def inverse(A: Any) -> Any:
    """Of a symmetric matrix, (3, 3)."""
    a, b, c = (np.cross(A[(k + 1) % 3], A[(k + 2) % 3]) for k in range(3))
    return np.array([a, b, c]) / (A[0] @ a)


def norm(v: Any) -> Any:
    return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2])


@dataclass(frozen=True, eq=False)
class ShapeLaw:
    """Of all shapes on bodies, or of all that are fixed in the world.

    inverted: whether its constants are 1 / m and I^-1, or m and I, of which parameters have derivatives
    """

    fixed: bool
    inverted: bool = True

    @property
    def text(self) -> str:
        """All that its kernels depend on."""
        return f"contact shape {'fixed' if self.fixed else 'moving'}{'' if self.inverted else ' with mass and inertia'}"

    @property
    def of_bodies(self) -> bool:
        """Coordinates do not matter."""
        return True

    def pairs(self, part: Part) -> Sequence[tuple[int, int]]:
        return ()

    def block_size(self, part: Part) -> int:
        return part.block

    def act(self, part: Part, members: Sequence[MemberView], constants: Any, w: WorldView, kept: KeptView) -> dict[tuple[int, int], Any]:
        """Place the shape."""
        if part is not Part.SHAPES:
            return {}
        R, p, size, radius = np.asarray(constants[:9], object).reshape(3, 3), constants[9:12], constants[12:15], constants[15]
        centre, inverse_mass, inertia, rest = constants[16:19], constants[19], symmetric(constants[20:26]), constants[26:]
        if not self.inverted:
            inverse_mass, inertia = 1.0 / inverse_mass, inverse(inertia)
        reach: Any = 0.0
        if not self.fixed:
            (b,) = members
            A, V, a = np.asarray(b.row_R, object).reshape(3, 3), b.row_V, b.row_A
            speed = norm(V[3:]) + w.h * norm(a[3:]) + (norm(V[:3]) + w.h * norm(a[:3])) * (radius + norm(p))
            reach = frozen(w.h * speed)  # it says what is looked at, and no more
            R, p, centre, inertia = A @ R, b.row_x + A @ p, b.row_x + A @ centre, A @ inertia @ A.T
        numbers = [*R.ravel(), *p, *size, radius, reach, *centre, inverse_mass, *entries(inertia), *rest]
        kept.store(0, numbers, "shape")
        return {}
