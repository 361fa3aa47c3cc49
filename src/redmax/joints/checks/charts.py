"""Whether `rechart` describes the same motion in other coordinates: the pose stays, and so does the twist."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from redmax.joints.base import Joint
from redmax.joints.checks.finding import Finding
from redmax.joints.checks.subject import Subject

KEPT = 1e-7  # of sizes of the pose and the twist: what rounding leaves near a singularity is less
MOST = 32  # places looked at


def charts(subject: Subject, u: np.ndarray, seen_in: Callable[[tuple[int, ...]], Subject]) -> list[Finding]:
    """u: points (N, m); seen_in: the motion in other charts, by their numbers."""
    if subject.moved is None or not subject.joint.dof or not is_written(subject.joint):
        return []
    n, x = subject.joint.dof, subject.box.x(u[~subject.stays(u)][:MOST])
    found, rates = subject.leave(x), subject.new_rates(x)
    E, V = pose_and_twist(subject, x, np.broadcast_to(subject.rates, rates.shape))
    for i, configuration in enumerate(found):
        inside = all(0 <= k < len(names) for k, names in zip(configuration[n:], subject.joint.discrete, strict=True))
        if not (np.isfinite(E[i]).all() and np.isfinite(V[i]).all() and inside):
            continue
        other = seen_in(tuple(int(k) for k in configuration[n:]))
        there = np.concatenate([configuration[:n], x[i, n:]])[None]
        new_E, new_V = pose_and_twist(other, there, rates[i : i + 1])
        for name, was, now in (("pose", E[i], new_E[0]), ("twist", V[i], new_V[0])):
            off = float(np.abs(now - was).max()) / max(1.0, float(np.abs(was).max()))
            if not off <= KEPT:
                to = other.place(other.box.u(there[0]))
                text = f"rechart does not keep the {name} from {subject.place(subject.box.u(x[i]))} to {to}: it changes by {off:.3g}"
                return [Finding(True, f"{text}. Convert coordinates and rates so that transform(q) and S qdot stay.")]
    return []


def is_written(joint: Joint) -> bool:
    """Whether `rechart`, of the joint or of one in it, is not the library's own, which needs no check."""
    owner = next(c for c in type(joint).__mro__ if "rechart" in vars(c))
    return not owner.__module__.startswith("redmax.") or any(map(is_written, getattr(joint, "parts", ())))


def pose_and_twist(subject: Subject, x: np.ndarray, rates: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(N, 4, 4) and (N, 6), S qdot."""
    values = subject.values(subject.box.u(x))
    return values.E, np.einsum("cij,cj->ci", values.S[..., : subject.joint.dof], rates)
