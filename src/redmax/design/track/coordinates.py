"""What splines of a motion are of: coordinates of joints as they are, and of joints that turn freely a quaternion, and a position.

u = q, or (s, p): any s but zero is the turn s / |s| (joint_smoothing.py). Steps of u move a joint by

    omega = 2 Im(s* ds) / |s|^2,    v = R' dp,    dq = S^-1 (omega; v)
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from redmax.design.joint_smoothing import ANGULAR, LINEAR, SmoothedJoint, one_sign
from redmax.design.smoothing_spline import SmoothingSpline
from redmax.joints.base import Joint
from redmax.lie import quaternions, so3
from redmax.model.model import Model


@dataclass(frozen=True, eq=False)
class Part:
    """A joint that moves. own, rates, columns: where its coordinates, velocities and columns of u are."""

    link: int
    joint: Joint
    own: slice
    rates: slice
    columns: slice

    @property
    def turns(self) -> bool:
        """Whether it turns freely, so that u begins with a quaternion."""
        return self.joint.has_own("located")

    def begun(self, q: np.ndarray) -> np.ndarray:
        """u of its coordinates (frames, nq)."""
        if not self.turns:
            return q
        s = one_sign(self.joint.quaternion(q))
        return s if self.joint.dof == 3 else np.hstack([s, self.joint.position(q)])

    def coordinates(self, u: np.ndarray, near: np.ndarray) -> np.ndarray:
        """Those of u."""
        if not self.turns:
            return u
        places = (u[:, :4],) if self.joint.dof == 3 else (u[:, :4], u[:, 4:])
        return self.joint.coordinates(*places, near=None if self.joint.chart in ("matrix", "pose") else near)

    def slopes(self, u: np.ndarray, q: np.ndarray) -> np.ndarray:
        """(frames, dof, columns): how velocities follow from steps of u."""
        if not self.turns:
            return np.broadcast_to(np.eye(self.joint.dof), (len(u), self.joint.dof, self.joint.dof))
        s = u[:, :4]
        back = quaternions.conjugate(s)[:, None]
        omega = 2.0 * quaternions.product(np.broadcast_to(back, (len(u), 4, 4)), np.broadcast_to(np.eye(4), (len(u), 4, 4)))[..., 1:]
        twist = omega / (s * s).sum(axis=1)[:, None, None]
        if self.joint.dof > 3:
            R = np.asarray(so3.from_quaternion(s / np.linalg.norm(s, axis=1, keepdims=True)), float)
            none = np.zeros((len(u), 4, 3)), np.zeros((len(u), 3, 3))
            twist = np.concatenate([np.concatenate([twist, none[0]], axis=2), np.concatenate([none[1], R], axis=2)], axis=1)
        return np.swapaxes(self.joint.rates(q[:, None], twist), 1, 2)


@dataclass(frozen=True, eq=False)
class SplineCoordinates:
    """Of the joints of a model that may move. movable: (nv,); rest: (nq,), where the others are"""

    model: Model
    movable: np.ndarray
    rest: np.ndarray

    @cached_property
    def parts(self) -> list[Part]:
        """In the order of the joints."""
        found: list[Part] = []
        n = 0
        for i, link in enumerate(self.model.bodies):
            rates, joint = slice(*self.model.offsets[i : i + 2].tolist()), link.joint
            if not joint.dof or not self.movable[rates].any():
                continue
            columns = (4 if joint.dof == 3 else 7) if joint.has_own("located") else joint.dof
            found.append(Part(i, joint, slice(*self.model.q_offsets[i : i + 2].tolist()), rates, slice(n, n + columns)))
            n += columns
        return found

    @property
    def size(self) -> int:
        """Columns of u."""
        return self.parts[-1].columns.stop if self.parts else 0

    def begun(self, q: np.ndarray) -> np.ndarray:
        """u (frames, columns) of coordinates (frames, nq)."""
        return np.hstack([part.begun(q[:, part.own]) for part in self.parts])

    def coordinates(self, u: np.ndarray, near: np.ndarray) -> np.ndarray:
        """(frames, nq)."""
        q = np.tile(self.rest, (len(u), 1))
        for part in self.parts:
            q[:, part.own] = part.coordinates(u[:, part.columns], near[:, part.own])
        return q

    def slopes(self, u: np.ndarray, q: np.ndarray) -> np.ndarray:
        """(frames, nv, columns)."""
        T = np.zeros((len(u), self.model.nv, self.size))
        for part in self.parts:
            T[:, part.rates, part.columns] = part.slopes(u[:, part.columns], q[:, part.own])
        return T

    def lengths(self, u: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(|s|^2 - 1) / 2 of each quaternion, (frames, quaternions), and how it changes with u: nothing else holds it."""
        starts = [part.columns.start for part in self.parts if part.turns]
        off, slopes = np.zeros((len(u), len(starts))), np.zeros((len(u), len(starts), self.size))
        for k, first in enumerate(starts):
            s = u[:, first : first + 4]
            off[:, k], slopes[:, k, first : first + 4] = 0.5 * ((s * s).sum(axis=1) - 1.0), s
        return off, slopes

    def groups(self) -> list[tuple[str, slice]]:
        """Columns of u that have one cut-off frequency, with its name."""
        found: list[tuple[str, slice]] = []
        for part in self.parts:
            name, columns = self.model.bodies[part.link].joint_name, part.columns
            if part.turns and part.joint.dof > 3:
                found.append((f"{name}.{ANGULAR}", slice(columns.start, columns.start + 4)))
                found.append((f"{name}.{LINEAR}", slice(columns.start + 4, columns.stop)))
            else:
                found.append((name, columns))
        return found

    def joints(self, knots: np.ndarray, C: np.ndarray, cutoff: np.ndarray, span: tuple[float, float], q: np.ndarray) -> list[SmoothedJoint]:
        """All joints of bodies, as splines with these coefficients (n, columns)."""
        moving = {part.link: part for part in self.parts}
        found: list[SmoothedJoint] = []
        for i, link in enumerate(self.model.bodies):
            part = moving.get(i)
            own = slice(*self.model.q_offsets[i : i + 2].tolist())
            if part is None:
                found.append(SmoothedJoint(link.joint, {}, self.rest[own]))
                continue
            first, last = part.columns.start, part.columns.stop
            cuts = {"": (first, last)} if not part.turns else {ANGULAR: (first, first + 4)}
            cuts |= {LINEAR: (first + 4, last)} if part.turns and part.joint.dof > 3 else {}
            splines = {name: SmoothingSpline(knots, C[:, a:b], float(cutoff[a])) for name, (a, b) in cuts.items()}
            found.append(SmoothedJoint(link.joint, splines, self.rest[own], span, q[0, own]))
        return found
