"""What can be fitted, but looks as if it were something else, a warning that names it: parameters in degrees, transposed rotations."""

from __future__ import annotations

import numpy as np

from redmax.design.looks import DEGREES
from redmax.design.pose_rows import transposed, turns
from redmax.errors import warn
from redmax.lie import so3
from redmax.types import Array

SPAN, NEARLY = 6.0, 1.25  # of a parameter, from which on it may be in degrees; by what factor from a degree for each unit
FAR, NEARER = 0.5, 0.3  # rad from the joint; and what share of it is left of a transposed rotation


def warn_of_degrees(owner: str, rotation: Array, q: Array) -> None:
    """Of parameters (N, dof), whose change by one turns the poses by a degree. rotation: (N, 3) of the poses, rad."""
    centred = q - q.mean(axis=0)
    rates = np.linalg.norm(np.linalg.lstsq(centred, rotation - rotation.mean(axis=0), rcond=None)[0], axis=1)
    for i, (rate, span) in enumerate(zip(DEGREES * rates, np.ptp(q, axis=0), strict=True)):
        if span > SPAN and 1.0 / NEARLY < rate < NEARLY:
            turned = f"while the poses turn by {rate * span / DEGREES:.4g} rad"
            fix = "Give np.radians of it, so that rates of the joint are in rad/s"
            warn(f"{owner}: parameter {i} goes over {span:.4g} {turned}: by the look of it in degrees. {fix}.")


def warn_of_transposed(owner: str, E: Array, residuals: Array) -> None:
    """Of a pose (N, 4, 4) far from the fitted joint that is near it when its rotation is transposed."""
    far = np.flatnonzero(np.nan_to_num(np.linalg.norm(residuals[:, :3], axis=1)) > FAR)
    if not len(far):
        return
    R = E[far, :3, :3]
    fitted, back = np.zeros((len(far), 4, 4)), np.zeros((len(far), 4, 4))
    fitted[:, :3, :3], back[:, :3, :3] = R @ so3.exp(-residuals[far, :3]), transposed(R)
    given, other = np.linalg.norm(residuals[far, :3], axis=1), turns(fitted, back)
    for k in np.flatnonzero(other < NEARER * given)[:1]:
        said = f"turned by {np.degrees(given[k]):.3g} degrees from the joint, but not when it is transposed"
        warn(f"{owner}: poses[{far[k]}] is {said}. Transpose its rotation, or leave it out.")
