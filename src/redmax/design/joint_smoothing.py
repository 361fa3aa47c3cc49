"""The samples of one joint, smoothed: coordinates as they are, or on the group of joints that turn freely.

A rotation is a point of the sphere of unit quaternions u. A spline s through these points leaves the sphere a little, and is put back:

    u = s / |s|,    omega = 2 Im(s* sdot) / |s|^2,    omegadot = 2 Im(s* sddot) / |s|^2 - 2 omega (s . sdot) / |s|^2

Turns of either frame are isometries of the sphere, so that the result does not depend on the frames that samples are given in; nor on the
coordinates of the joint. Positions are smoothed in the parent's axes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np

from redmax.design.smoothing_spline import LEAST, Smoother, SmoothingSpline
from redmax.errors import SceneError
from redmax.joints.base import Joint
from redmax.lie import quaternions, so3

ANGULAR, LINEAR = "angular", "linear"
QUARTER = 0.5 * np.pi  # of turns less than that, the other rotation vector is longer than 1.5 pi


@dataclass(frozen=True, eq=False)
class SmoothedJoint:
    """splines: by the name of what they smooth, "" for the coordinates themselves; rest: (nq,), where a joint is that has no samples"""

    joint: Joint
    splines: Mapping[str, SmoothingSpline]
    rest: np.ndarray
    span: tuple[float, float] | None = None
    start: np.ndarray = field(default_factory=lambda: np.zeros(0))  # the first sample, (nq,)

    def at(self, t: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """q (n, nq), qdot and qddot (n, dof)."""
        if not self.splines:
            still = np.zeros((len(t), self.joint.dof))
            return np.tile(self.rest, (len(t), 1)), still, still
        if "" in self.splines:
            return tuple(self.splines[""].at(t, k) for k in range(3))  # type: ignore[return-value]
        return self.on_group(t)

    def on_group(self, t: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        s, sdot, sddot = (self.splines[ANGULAR].at(t, k) for k in range(3))
        square = (s * s).sum(axis=-1, keepdims=True)
        omega = 2.0 * quaternions.product(quaternions.conjugate(s), sdot)[..., 1:] / square
        growth = 2.0 * (s * sdot).sum(axis=-1, keepdims=True) / square
        rate = 2.0 * quaternions.product(quaternions.conjugate(s), sddot)[..., 1:] / square - growth * omega
        u, position, twist, twist_rate = s / np.sqrt(square), None, omega, rate
        if LINEAR in self.splines:
            position, velocity, acceleration = (self.splines[LINEAR].at(t, k) for k in range(3))
            R = np.asarray(so3.from_quaternion(u), float)
            v, a = ((x[:, None] @ R)[:, 0] for x in (velocity, acceleration))
            twist, twist_rate = np.hstack([omega, v]), np.hstack([rate, a - np.cross(omega, v)])
        q = self.continued(u, position)
        qdot = self.joint.rates(q, twist)
        return q, qdot, self.joint.accelerations(q, qdot, twist_rate)

    def continued(self, u: np.ndarray, position: np.ndarray | None) -> np.ndarray:
        """(n, nq): of coordinates that say the same, those nearest to the ones before; of rotation vectors none longer than 1.5 pi."""
        places = (u,) if position is None else (u, position)
        found = self.joint.coordinates(*places)
        if self.joint.chart in ("matrix", "pose"):  # which say it in one way only
            return found
        small = (self.joint.chart == "exp") & (2.0 * np.arccos(np.minimum(np.abs(u[:, 0]), 1.0)) < QUARTER)
        near = self.start
        for k in range(len(u)):
            if not small[k]:
                found[k] = self.joint.coordinates(*(x[k] for x in places), near=near)
            near = found[k]
        return found


def smoothed_joint(
    joint: Joint, name: str, t: np.ndarray, q: np.ndarray, rest: np.ndarray, cutoff: Callable[[str], float | None],
    smoothers: dict[bytes, Smoother],
) -> tuple[SmoothedJoint, dict[str, float]]:  # fmt: skip
    """Of samples q (n, nq) at times t (n,), not numbers where there are none; and the cut-off frequency of each part."""
    known = np.isfinite(q).all(axis=1)
    if not joint.dof or not known.any():
        return SmoothedJoint(joint, {}, rest), {}
    if known.sum() < LEAST:
        said = f"Joint {name!r} has {known.sum()} samples that are numbers; smoothing takes at least {LEAST}."
        raise SceneError(said, owner=name, argument="q")
    times, values = t[known], q[known]
    smoother = smoothers.setdefault(known.tobytes(), Smoother(times))
    parts = {"": values}
    if joint.has_own("located"):
        parts = {ANGULAR: one_sign(joint.quaternion(values))}
        parts |= {LINEAR: joint.position(values)} if joint.dof > 3 else {}
    names = {part: f"{name}.{part}" if LINEAR in parts else name for part in parts}
    splines = {part: smoother.smoothed(y, cutoff(names[part])) for part, y in parts.items()}
    span = float(times[0]), float(times[-1])
    return SmoothedJoint(joint, splines, rest, span, values[0]), {names[part]: s.cutoff for part, s in splines.items()}


def one_sign(u: np.ndarray) -> np.ndarray:
    """Of unit quaternions (n, 4) and their opposites, which are the same rotations, those nearest to the ones before."""
    turned = np.where((u[1:] * u[:-1]).sum(axis=1) < 0, -1.0, 1.0)
    return u * np.concatenate([[1.0], np.cumprod(turned)])[:, None]
