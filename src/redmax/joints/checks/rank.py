"""Whether the columns of S stay independent (Lee & Terzopoulos Sec. 5, requirement 2, for any number of coordinates).

Measured is the smallest singular value of S without units (`scale`). Where it is zero, some velocity of the coordinates moves nothing, and
the equations of motion have no solution. Its zeros are found by Newton's method from the lowest samples: its slope by a coordinate is
u^T dS v, with u and v the singular vectors.
"""

from __future__ import annotations

import numpy as np

from redmax.joints.checks.approach import approach, distance
from redmax.joints.checks.box import Box
from redmax.joints.checks.finding import Finding
from redmax.joints.checks.scale import NOTHING, Scale
from redmax.joints.checks.subject import Subject, Values

DEPENDENT = 1e-10  # of columns of length 1, everywhere
SINGULAR = 1e-7
STARTS = 10


def rank(subject: Subject, u: np.ndarray, values: Values, scale: Scale) -> list[Finding]:
    n = subject.joint.dof
    if n == 0:
        return []
    idle = [subject.coordinate(i) for i in range(n) if scale.columns[i] == 0]
    if idle:
        what, zero = ("moves nothing: its column", "is zero") if len(idle) == 1 else ("move nothing: their columns", "are zero")
        return [Finding(True, f"{' and '.join(idle)} {what} of S {zero} everywhere. Use all coordinates in transform, or lower dof.")]
    independence = local(np.where(still(values, subject.box)[:, None, :], 0.0, scale.S(values.S))[..., :n])
    if (independence < DEPENDENT).all():
        return [dependent(subject, u, values, scale)]
    return singular(subject, u, values, scale, independence)


def still(values: Values, box: Box) -> np.ndarray:
    """Where a coordinate moves nothing but rounding, (N, m)."""
    turn, way = (np.linalg.norm(part, axis=1) * box.width for part in (values.S[:, :3], values.S[:, 3:]))
    return (turn < NOTHING) & (way <= NOTHING * np.linalg.norm(values.E[:, :3, 3], axis=1)[:, None])


def local(S: np.ndarray) -> np.ndarray:
    """The smallest singular value of S (N, 6, n) with columns of length 1; those that vanish stay zero."""
    return np.linalg.svd(unit_columns(S), compute_uv=False)[:, -1]


def unit_columns(S: np.ndarray) -> np.ndarray:
    """S (..., 6, n) with columns of length 1; those that vanish, or whose length is no number, are zero."""
    norms = np.linalg.norm(S, axis=-2, keepdims=True)
    columns = S / np.where(norms > 0, norms, 1.0)
    return np.where(np.isfinite(columns), columns, 0.0)


def dependent(subject: Subject, u: np.ndarray, values: Values, scale: Scale) -> Finding:
    """Which coordinates do the same: those that take part in a velocity that moves nothing."""
    S = scale.S(values.S)[-1, :, : subject.joint.dof]
    idle = np.linalg.svd(unit_columns(S))[2][-1]
    names = [subject.coordinate(i) for i, part in enumerate(idle) if abs(part) > 1e-3]
    return Finding(
        True,
        f"{', '.join(names[:-1])} and {names[-1]} do not move independently: their columns of S depend on each other everywhere, so that "
        f"some of their motions cancel. Lower dof, or use each coordinate for a motion of its own.",
    )


def singular(subject: Subject, u: np.ndarray, values: Values, scale: Scale, independence: np.ndarray) -> list[Finding]:
    n = subject.joint.dof

    def smallest(values: Values) -> tuple[np.ndarray, np.ndarray]:
        S, dS = scale.S(values.S)[..., :n], scale.dS(values.dS)[..., :n, :]
        good = np.asarray(np.isfinite(S).all(axis=(1, 2)) & np.isfinite(dS).all(axis=(1, 2, 3)))
        left, sigma, right = np.linalg.svd(np.where(good[:, None, None], S, 1.0), full_matrices=False)
        slope = np.einsum("ci,cijk,cj->ck", left[:, :, -1], np.where(good[:, None, None, None], dS, 0.0), right[:, -1])
        return np.where(good, sigma[:, -1], np.nan), slope

    sigma, slope = smallest(values)
    order = np.argsort(distance(sigma, slope))[:STARTS]
    zeros, _ = approach(lambda u, _: smallest(subject.values(u)), u[order])
    zeros = np.vstack([zeros, u[independence < SINGULAR]])
    zeros = zeros[subject.stays(zeros)]
    if not len(zeros):
        return []
    place = zeros[0]
    sizes = np.linalg.svd(scale.S(subject.values(place[None]).S)[0, :, :n], compute_uv=False)
    share = np.mean(independence < DEPENDENT)
    where = f"in {100 * share:.0f} % of its domain, for example at" if share > 0.05 else "at"
    return [
        Finding(
            False,
            f"S is singular {where} {subject.place(place)}: its smallest singular value, without units, is {sizes[-1]:.3g}, while its "
            "columns are usually of size 1. At it the equations of motion have no solution; near it accelerations of the coordinates grow. "
            "Use coordinates that are regular there (another chart), or state a domain that leaves it out and stay within.",
        )
    ]
