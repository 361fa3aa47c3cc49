"""What can be fitted, but looks as if it were something else, a warning that names it: parameters in degrees, transposed rotations."""

from __future__ import annotations

import numpy as np

from redmax.design.looks import several_by_the_look
from redmax.design.pose_rows import transposed, turns
from redmax.errors import warn
from redmax.lie import so3
from redmax.types import Array

FAR, NEARER = 0.5, 0.3  # rad from the joint; and what share of it is left of a transposed rotation


def warn_of_degrees(owner: str, R: Array, q: Array) -> None:
    """Of parameters (N, dof), whose change by one turns the poses, with rotations (N, 3, 3), by about a degree."""
    for i, turned in several_by_the_look(R, q):
        said = f"{owner}: parameter {i} goes over {np.ptp(q[:, i]):.4g} while the poses turn by {turned:.4g} rad"
        warn(f"{said}: by the look of it in degrees. Give np.radians of it, so that rates of the joint are in rad/s.")


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
