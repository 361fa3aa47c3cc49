"""Whether a motion is twice continuously differentiable at the places where it might not be (Lee & Terzopoulos Sec. 5, requirement 1).

On both sides of a suspect, pose, S and dS/dq are followed towards it: values at 1, 2 and 3 steps extrapolate to the limit with an error of
the third order. Limits that differ, and do so with short steps as with long ones, are a jump: of the pose (the body would be somewhere else
at once), of S (a corner: passing it takes an impulse) or of dS/dq (the acceleration jumps). A value that grows towards it has no limit.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from redmax.joints.checks.box import Box
from redmax.joints.checks.finding import Finding
from redmax.joints.checks.scale import Scale
from redmax.joints.checks.subject import Subject, Values
from redmax.joints.checks.switches import Suspects

DISTANCES = np.outer([1e-9, 1e-5], [1.0, 2.0, 3.0]).ravel()  # of the size of the box; the short ones to see what is narrow
NEAR, FAR = slice(0, 3), slice(3, 6)
LIMIT = np.array([3.0, -3.0, 1.0])  # f(1), f(2), f(3) -> f(0)
JUMP = (1e-7, 1e-6, 1e-4)  # what counts, of pose, S and dS/dq without units: above what rounding leaves of each
SMALL = 1e-3  # less than this is a blemish: a warning
GROWTH = 5.0  # from the longest step to the shortest: as the power -1/6 does
KINDS = ("angular", "linear")
NAMES = ("pose", "S", "dS/dq")


@dataclass(frozen=True, eq=False)
class Sides:
    """A part of the motion around C suspects: below and above (C, distances, ...), and at (C, ...) them."""

    below: np.ndarray
    above: np.ndarray
    at: np.ndarray

    def jump(self, part: slice = NEAR) -> np.ndarray:
        """By how much the limits differ, (C, ...), from these three distances."""
        return np.tensordot(self.above[:, part] - self.below[:, part], LIMIT, (1, 0))

    def jumps(self, least: float) -> np.ndarray:
        """The size of the jumps that count and that do not come from long steps, (C, ...); 0 elsewhere."""
        size = np.abs(self.jump())
        usual = np.maximum(1.0, np.maximum(np.abs(self.below[:, 0]), np.abs(self.above[:, 0])))
        return np.where((size > least * usual) & (size > 0.5 * np.abs(self.jump(FAR))), size, 0.0)

    def undefined(self) -> np.ndarray:
        return ~np.all([np.isfinite(part).reshape(len(self.at), -1).all(axis=1) for part in (self.below, self.above, self.at)], axis=0)

    def unbounded(self) -> np.ndarray:
        """Where it grows towards the suspect without end, (C,)."""
        size = [np.abs(part).reshape(len(self.at), len(DISTANCES), -1).max(axis=2) for part in (self.below, self.above)]
        return np.any([(s[:, 0] > GROWTH * s[:, 5]) & (s[:, 0] > 1.1 * s[:, 2]) & (s[:, 0] > 10.0) for s in size], axis=0)


def corners(subject: Subject, suspects: Suspects, scale: Scale) -> list[Finding]:
    u, d = suspects.u, suspects.d
    stays = subject.stays(u)
    u, d = u[stays], d[stays]
    if not len(u):
        return []
    parts = sides_of(subject, u, d, scale)
    blemishes: list[Finding] = []
    for kind, sides in enumerate(parts):
        for wrong, what in ((sides.undefined(), "is not finite"), (sides.unbounded(), "grows without end")):
            if wrong.any():
                place = subject.place(exact(subject.box, u[np.argmax(wrong)]))
                return [Finding(True, f"its {NAMES[kind]} {what} at {place}. {UNDEFINED}")]
        sizes = sides.jumps(JUMP[kind])
        if sizes.any():
            which, *entry = (int(i) for i in np.unravel_index(np.argmax(sizes), sizes.shape))
            text = DESCRIBE[kind](subject.place(exact(subject.box, u[which])), sides.jump()[which], entry, subject, scale)
            if kind < 2 and sizes.max() > SMALL:
                return [Finding(True, text)]
            blemishes.append(Finding(False, text))
    return blemishes[:1]  # a jump of the pose is one of its derivatives too


UNDEFINED = (
    "Write transform so that it and its derivatives are defined there (redmax.math.stumpff and redmax.lie stay smooth at zero), "
    "or state a domain that leaves the point out."
)


def exact(box: Box, u: np.ndarray) -> np.ndarray:
    """The round number that a place within rounding of it stands for."""
    return box.u(np.round(box.x(u), 12))


def sides_of(subject: Subject, u: np.ndarray, d: np.ndarray, scale: Scale) -> tuple[Sides, ...]:
    offsets = np.concatenate([-DISTANCES, DISTANCES])
    around = subject.values((u[:, None] + offsets[:, None] * d[:, None]).reshape(-1, u.shape[1]))
    at = subject.values(exact(subject.box, u))
    there = without_units(around, scale)
    k = len(DISTANCES)
    result: list[Sides] = []
    for part, centre in zip(there, without_units(at, scale), strict=True):
        part = part.reshape(len(u), 2 * k, *part.shape[1:])
        result.append(Sides(part[:, :k], part[:, k:], centre))
    return tuple(result)


def without_units(values: Values, scale: Scale) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    E = np.concatenate([values.E[:, :3, :3], values.E[:, :3, 3:] / scale.spread], axis=2)
    return E, scale.S(values.S), scale.dS(values.dS)


def pose_jump(place: str, jump: np.ndarray, entry: list[int], subject: Subject, scale: Scale) -> str:
    distance = np.linalg.norm(jump[:, 3]) * scale.spread
    angle = 2 * np.arcsin(min(np.linalg.norm(jump[:, :3]) / 8**0.5, 1.0))
    return (
        f"its pose jumps at {place}: by {distance:.6g} in position and by {angle:.6g} rad in rotation. The body would be somewhere else "
        "at once. Make transform continuous, or state a domain that ends there."
    )


def corner(place: str, jump: np.ndarray, entry: list[int], subject: Subject, scale: Scale) -> str:
    row, column = entry
    size = norm_of(jump[:, column], row) * scale.divisors[column] / scale.weights[row]
    return (
        f"its motion has a corner at {place}: the {KINDS[row // 3]} velocity for {subject.coordinate(column)} jumps by {size:.6g} per "
        "unit. Passing it would take an impulse. Round the corner off, or state a domain that ends there."
    )


def curvature_jump(place: str, jump: np.ndarray, entry: list[int], subject: Subject, scale: Scale) -> str:
    row, column, by = entry
    size = norm_of(jump[:, column, by], row) * scale.divisors[column] / scale.weights[row] / scale.width[by]
    return (
        f"its motion is not twice continuously differentiable at {place}: the derivative by {subject.coordinate(by)} of the "
        f"{KINDS[row // 3]} velocity for {subject.coordinate(column)} jumps by {size:.6g}, and accelerations with it. Integrators lose "
        "their order there. Join the pieces with equal second derivatives, as cubic splines do."
    )


def norm_of(twist: np.ndarray, row: int) -> float:
    """The length of the angular or the linear part, the one with this row."""
    return float(np.linalg.norm(twist[:3] if row < 3 else twist[3:]))


DESCRIBE = (pose_jump, corner, curvature_jump)
