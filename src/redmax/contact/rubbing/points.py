"""Where the parts of a joint touch: points with normals and tangents, as constant rows over the twist of child against parent.

    row = d' Gamma(x),   Gamma(x) = (-[x], 1)       the velocity of the point x along d (RedMax notes Eqs. 1.12, 1.76), in the joint frame

No collision is looked for: the points are where the shape of the joint has them, and go with the child (Sec. 2.11). The wrench w that a
joint transmits is shared by its normals, N'a = w, by the a of least norm,

    a = pinv(N') w = U s,   Q' s = w        with N = U Q,  U'U = 1,  Q (rank, 6)

so that U and Q are constant (Eq. 2.114 without its epsilon, whatever the masses are; see Staggering for the one with it).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import pi, tan

import numpy as np

RANK = 1e-9  # of the largest singular value: normals that add less than this say what others do


@dataclass(frozen=True, eq=False)
class RubbingPoints:
    """positions: (points, 3); N: (normals, 6) and T: (tangents, 6), rows; normal_of, tangent_of: the point of each

    share: (tangents,), what of friction times the point's normal force bounds each tangent; discs: whether two tangents share a disc
    """

    positions: np.ndarray
    N: np.ndarray
    T: np.ndarray
    normal_of: tuple[int, ...]
    tangent_of: tuple[int, ...]
    share: np.ndarray
    discs: bool = False

    @cached_property
    def factors(self) -> tuple[np.ndarray, np.ndarray]:
        """U (normals, rank) and Q (rank, 6)."""
        U, sizes, V = np.linalg.svd(self.N, full_matrices=False)
        rank = int((sizes > RANK * sizes[0]).sum())
        return U[:, :rank], sizes[:rank, None] * V[:rank]

    def turned(self, R: np.ndarray) -> RubbingPoints:
        """The same over twists of a frame with these axes, R (3, 3) in the joint frame."""
        both = np.kron(np.eye(2), R)
        return RubbingPoints(self.positions @ R, self.N @ both, self.T @ both, self.normal_of, self.tangent_of, self.share, self.discs)


def row(x: np.ndarray, d: np.ndarray) -> np.ndarray:
    """(6,): d' Gamma(x) = (x x d; d)."""
    return np.concatenate([np.cross(x, d), d])


def axes_about(axis: np.ndarray) -> np.ndarray:
    """(3, 3), in rows: two directions across an axis, and the axis."""
    helper = np.eye(3)[int(np.argmin(np.abs(axis)))]
    second = np.cross(axis, helper)
    second /= np.linalg.norm(second)
    return np.array([np.cross(second, axis), second, axis])


def cylinder(axis: np.ndarray, radius: float, height: float) -> RubbingPoints:
    """A hinge: four points at each end of a cylinder, with a radial and an axial normal, and one tangent about the axis."""
    e1, e2, e3 = axes_about(axis)
    positions, N, T = [], [], []
    for side in (-1.0, 1.0):
        for c, s in ((1, 0), (0, 1), (-1, 0), (0, -1)):
            out = c * e1 + s * e2
            x = radius * out + 0.5 * side * height * e3
            positions.append(x)
            N += [row(x, out), row(x, side * e3)]
            T.append(row(x, c * e2 - s * e1))
    return with_one_tangent(positions, N, T)


def box(axis: np.ndarray, size: Sequence[float]) -> RubbingPoints:
    """A slide: the corners of a box, with normals across and the tangent along the axis. size: along the axis, and across."""
    along = int(np.argmax(np.abs(axis)))
    straight = abs(axis[along]) > 1 - 1e-12
    e2, e3 = (np.eye(3)[(along + k) % 3] for k in (1, 2)) if straight else axes_about(axis)[:2]
    positions, N, T = [], [], []
    for sides in np.ndindex(2, 2, 2):
        a, b, c = 2.0 * np.array(sides) - 1.0
        x = 0.5 * (a * size[0] * axis + b * size[1] * e2 + c * size[2] * e3)
        positions.append(x)
        N += [row(x, b * e2), row(x, c * e3)]
        T.append(row(x, axis))
    return with_one_tangent(positions, N, T)


def with_one_tangent(positions: list[np.ndarray], N: list[np.ndarray], T: list[np.ndarray]) -> RubbingPoints:
    """Points of two normals each, which share the tangent: what it bears is the sum of both."""
    k = len(positions)
    return RubbingPoints(np.array(positions), np.array(N), np.array(T), tuple(i // 2 for i in range(2 * k)), tuple(range(k)), np.ones(k))


def surface(
    positions: np.ndarray, normals: np.ndarray, sides: int | None = 4, tangents: np.ndarray | None = None
) -> RubbingPoints:  # fmt: skip
    """Points with normals, (points, n, 3); friction along one tangent of each, or in any direction across its one normal.

    The latter is bounded by a disc, or by a polygon of so many sides about it: one of 2k sides is what k intervals add up to, each as long
    as a side, so that tangents stay by themselves.
    """
    n, count = normals.shape[1], len(positions)
    k = 1 if tangents is not None else 2 if sides is None else sides // 2
    N = [row(x, d) for x, each in zip(positions, normals, strict=True) for d in each]
    T: list[np.ndarray] = []
    for i, x in enumerate(positions):
        e1, e2, _ = axes_about(normals[i, 0]) if tangents is None else (tangents[i], tangents[i], None)
        T += [row(x, np.cos(a) * e1 + np.sin(a) * e2) for a in (pi * m / k for m in range(k))]
    discs = sides is None and tangents is None
    share = np.full(k * count, 1.0 if discs or tangents is not None else tan(pi / (2 * k)))
    normal_of, tangent_of = tuple(i // n for i in range(n * count)), tuple(i // k for i in range(k * count))
    return RubbingPoints(positions, np.array(N), np.array(T), normal_of, tangent_of, share, discs)


def ball(radius: float, sides: int | None) -> RubbingPoints:
    """A ball: its six poles."""
    poles = np.concatenate([np.eye(3), -np.eye(3)])
    return surface(radius * poles, poles[:, None], sides)


def pins(radius: float, height: float) -> tuple[RubbingPoints, RubbingPoints]:
    """A universal joint: the two pins of its cross, about x and y of that.

    The cross has no mass, so that each pin bears all that the joint transmits, and friction in one has no torque about the other.
    """
    found: list[RubbingPoints] = []
    for k in range(2):
        pin = cylinder(np.eye(3)[k], radius, height)
        T = pin.T.copy()
        T[:, 1 - k] = 0.0
        found.append(replace(pin, T=T))
    return found[0], found[1]
