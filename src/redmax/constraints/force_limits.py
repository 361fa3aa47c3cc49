"""Rows whose force is limited: lower <= lambda <= upper, with zero in between. A row is kept as long as that suffices, else it gives way.

    s = gdot + b g, of a constraint on velocities s itself;     s = 0 is asked for
    s = 0: lower <= lambda <= upper,      s > 0: lambda = lower,      s < 0: lambda = upper

As Coulomb's dry friction has it (Pfeiffer and Glocker 1996, Sec. 5.3), for any row: brakes and clutches that slip, motors with so much
torque, ropes that pay out. What has given way is caught where s would pass zero, if the force then suffices. A row on positions goes back
to g = 0 by its gain b, still limited: RETURNING unless given; with b = 0 it holds where it comes to rest. One-sided rows have lower = 0,
and exert nothing where g > 0.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from redmax.components.checks import finite
from redmax.errors import SceneError, wrong

if TYPE_CHECKING:
    from redmax.constraints.base import Constraint
    from redmax.constraints.kept import Kept
    from redmax.constraints.traced_rows import Rows
    from redmax.program.member import KeptView

RETURNING = 5.0  # 1/s: the same for every step length, since it says where what gave way goes
BOTH, PUSHING = "a number from 0 up, (lower, upper) with zero in between, or a pair for each row", "a number from 0 up, or (0, upper)"


def checked_force_limits(constraint: Constraint, given: Any) -> np.ndarray:
    """(lower, upper), or one such pair for each row; of a number, both sides of zero, or the pushing one where only that is there."""
    valid = PUSHING if constraint.one_sided else BOTH
    found = finite(constraint.label, "force_limits", given, ((), (2,), (-1, 2)), valid)
    if not found.ndim:
        found = np.array([0.0 if constraint.one_sided else -found, found])
    lower, upper = found[..., 0], found[..., 1]
    if (lower > 0.0).any() or (upper < 0.0).any() or (constraint.one_sided and lower.any()):
        why = ", of a constraint that only pushes" if constraint.one_sided else ""
        raise wrong(constraint.label, "force_limits", given, valid, but=why)
    if constraint.compliant:
        said = f"{constraint.label} has both compliance and force_limits. Give one of them: a spring that gives way is a force"
        raise SceneError(f"{said} (redmax.force).", owner=constraint.label, argument="force_limits")
    return found + 0.0  # no minus zero


def check_rows(constraint: Constraint) -> None:
    """Raise where pairs are given for another number of rows than there are."""
    pairs = constraint.force_limits
    if pairs is not None and pairs.ndim == 2 and len(pairs) != constraint.size:
        rows = f"{constraint.size} row{'s' * (constraint.size != 1)}"
        said = f"{constraint.label} has {rows}, and force_limits has {len(pairs)} pairs. Give one (lower, upper) for all, or one for each"
        raise SceneError(f"{said}.", owner=constraint.label, argument="force_limits")


def row_limits(constraint: Constraint) -> tuple[list[Any], list[Any]]:
    """lower and upper of each row; numbers, or traced ones."""
    pairs: Any = constraint.force_limits
    each = [pairs] * constraint.size if np.ndim(pairs) == 1 else list(pairs)
    return [pair[0] for pair in each], [pair[1] for pair in each]


def keep_limits(constraint: Constraint, rows: Rows, kept: KeptView, at: Kept) -> None:
    """What lambda is between, and s."""
    lower, upper = row_limits(constraint)
    kept.store(at.lower, lower, "lower")
    kept.store(at.upper, upper, "upper")
    kept.store(at.slip, rows.rate if constraint.of_velocities else rows.rate + constraint.gain * rows.gap, "slip")


def traced_slip(rows: Rows) -> list[Any]:
    """s, traced."""
    if rows.traced_gap is None:
        return list(rows.traced_rate)
    return [rate + rows.constraint.gain * gap for rate, gap in zip(rows.traced_rate, rows.traced_gap, strict=True)]
