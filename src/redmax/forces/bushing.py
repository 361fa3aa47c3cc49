"""Bushing: a spring and a damper in all six directions between two frames."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from redmax.components.checks import as_pose
from redmax.components.given import Frame, Impedance3, Impedance6, Pose, StiffnessKind
from redmax.errors import SceneError
from redmax.forces.base import Anchor, Force, Site, Wrench
from redmax.forces.checks import impedance
from redmax.forces.frames import crossed
from redmax.lie import so3
from redmax.types import Value


class Bushing(Force):
    """Six springs and dampers between two frames.

    V = 1/2 z' K z of the deviation z = (r; e) of frame b from its place at rest, seen from frame a. Here
    r = log(Ra' Rb R0'), the rotation vector (rad, below pi); e = Ra' (xb - xa) - d0 (m); (R0, d0) the pose of b in a at rest. The
    forces are the exact gradient of V, so that energy is conserved, and act on both bodies in opposite directions, at b. The dampers
    resist the motion of b seen from a: the difference of angular velocities, and the rate of e.

    a, b: bodies, points of them, (body, pose in its body frame), or a pose or point of the world
    translational, rotational: stiffness (N/m, N m/rad); translational_damping, rotational_damping: (N s/m, N m s/rad)
        Each a number, three, or a symmetric 3x3 matrix, in the axes of frame a
    stiffness, damping: instead, symmetric 6x6 matrices over (rotation; translation)
    rest: the pose of b in a, (4, 4) or a translation (3,); where the scene begins unless given
    """

    oriented = True

    held = ("a", "b")

    def __init__(
        self,
        a: Frame,
        b: Frame,
        *,
        translational: Impedance3 | None = None,
        rotational: Impedance3 | None = None,
        translational_damping: Impedance3 | None = None,
        rotational_damping: Impedance3 | None = None,
        stiffness: Impedance6 | None = None,
        damping: Impedance6 | None = None,
        rest: Pose | None = None,
        name: str | None = None,
        stiffness_kind: StiffnessKind = "definite",
    ) -> None:
        self.hold_apart([a, b], name, stiffness_kind)
        self.K = self.blocks("stiffness", stiffness, rotational=rotational, translational=translational)
        self.D = self.blocks("damping", damping, rotational_damping=rotational_damping, translational_damping=translational_damping)
        self.rest = None if rest is None else as_pose(self.label, "rest", rest)
        self.offset = np.zeros(3)

    def blocks(self, name: str, whole: ArrayLike | None, **parts: ArrayLike | None) -> tuple[np.ndarray, ...]:
        """(rotational, translational), each (3,) or (3, 3); and what couples them, (3, 3), if anything does."""
        if whole is None:
            return tuple(impedance(self.label, part, 0.0 if value is None else value) for part, value in parts.items())
        if any(value is not None for value in parts.values()):
            raise SceneError(f"{self.label} takes either {name}, a 6x6 matrix, or {' and '.join(parts)}.", owner=self.label, argument=name)
        full = impedance(self.label, name, whole, 6)
        full = np.diag(full) if full.ndim == 1 else full
        return full[:3, :3], full[3:, 3:], full[:3, 3:]

    def settled(self, sites: Sequence[Site]) -> Self:
        """The axes of b turned so that they are those of a at rest."""
        a, b = sites
        E = np.eye(4) if self.rest is None else self.rest
        R0, d0 = (a.R.T @ b.R, a.R.T @ (b.x - a.x)) if self.rest is None else (E[:3, :3], E[:3, 3])
        held = self.anchors[1]
        turned = Anchor(held.member, held.position, held.rotation @ R0.T)
        return self.replaced(anchors=(self.anchors[0], turned), offset=d0, rest=None)

    def deviation(self, sites: Sequence[Site]) -> tuple[Any, Any]:
        """r and e."""
        a, b = sites
        to_a = np.asarray(a.R, object).T
        return so3.log(to_a @ b.R), to_a @ (b.x - a.x) - self.offset

    def potential(self, sites: Sequence[Site], t: Value) -> Any:
        r, e = self.deviation(sites)
        n, f = product(self.K, r, e)
        return 0.5 * (r @ n + e @ f)

    def strains(self, sites: Sequence[Site], t: Value) -> list[tuple[Any, Any]]:
        z = np.concatenate([np.asarray(part, object) for part in self.deviation(sites)])
        K = np.zeros((6, 6)).astype(object)
        for part, k in zip((slice(0, 3), slice(3, 6)), self.K[:2], strict=True):
            K[part, part] = np.diag(k) if np.ndim(k) == 1 else k
        if len(self.K) > 2:
            K[:3, 3:], K[3:, :3] = self.K[2], np.transpose(self.K[2])
        return [(z, K)]

    def wrenches(self, sites: Sequence[Site], t: Value) -> list[Wrench]:
        a, b = sites
        r, e = self.deviation(sites)
        n, f = product(self.K, r, e)
        arm, R = b.x - a.x, np.asarray(a.R, object)
        # rdot = dexp_left(r)^-1 (omega_b - omega_a), in the axes of a
        n = so3.dexp_left_inverse(r).T @ n
        resisted = product(self.D, R.T @ (b.omega - a.omega), R.T @ (b.v - a.v - crossed(a.omega, arm)))
        torque, force = R @ (n + resisted[0]), R @ (f + resisted[1])
        return [(torque + crossed(arm, force), force), (-torque, -force)]


def product(blocks: tuple[np.ndarray, ...], r: Any, e: Any) -> tuple[Any, Any]:
    """K (r; e), in two parts."""
    K, r, e = [np.asarray(k, object) for k in blocks], np.asarray(r, object), np.asarray(e, object)
    n, f = (k * x if k.ndim == 1 else k @ x for k, x in zip(K[:2], (r, e), strict=True))
    return (n, f) if len(K) == 2 else (n + K[2] @ e, f + K[2].T @ r)
