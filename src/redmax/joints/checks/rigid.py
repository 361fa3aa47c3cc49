"""Whether `transform` is finite and rigid at the samples, and `jacobian`, where there is one, its derivative."""

from __future__ import annotations

import numpy as np

from redmax.joints.checks.batch import Batch
from redmax.joints.checks.finding import Finding
from redmax.joints.checks.scale import Scale
from redmax.joints.checks.subject import ROWS, Subject, Values
from redmax.trace import reachable

RIGID = 1e-8  # the same as for poses that the user gives
CLOSED = 1e-7  # of the usual size of a column


def finite(subject: Subject, u: np.ndarray, values: Values) -> list[Finding]:
    hint = "a smaller one" if subject.box.stated else "the one where it is defined, domain=((lower, upper), ...): (-3.2, 3.2) is assumed"
    for name, part in (("pose", values.E), ("S", values.S), ("dS/dq", values.dS)):
        wrong = ~np.isfinite(part).reshape(len(u), -1).all(axis=1)
        if wrong.any():
            text = f"its {name} is not finite at {subject.place(u[np.argmax(wrong)])}. Write transform so that it and its derivatives are "
            return [Finding(True, f"{text}defined on all of its domain, or state {hint}.")]
    return []


def rigid(subject: Subject, u: np.ndarray, values: Values) -> list[Finding]:
    R, row = values.E[:, :3, :3], values.E[:, 3]
    for off, least, message in (
        (np.abs(row - [0.0, 0.0, 0.0, 1.0]).max(axis=1), RIGID, LAST_ROW),
        (np.abs(np.swapaxes(R, 1, 2) @ R - np.eye(3)).max(axis=(1, 2)), RIGID, ORTHONORMAL),
        (1.0 - np.linalg.det(R), 1.0, REFLECTION),
    ):
        i = int(np.argmax(off))
        if off[i] > least:
            return [Finding(True, message.format(place=subject.place(u[i]), off=off[i], row=", ".join(f"{x:.6g}" for x in row[i])))]
    return []


LAST_ROW = "the last row of its pose is ({row}) at {place}, off (0, 0, 0, 1) by {off:.3g}. Use redmax.pose(R, p)."
ORTHONORMAL = (
    "its rotation is not orthonormal at {place}: R^T R differs from 1 by {off:.3g}. Build R from redmax.rotation_about or redmax.lie, "
    "or make its columns perpendicular and of length 1."
)
REFLECTION = "its rotation is a reflection at {place}: det R = -1. Make the axes right-handed, for example by changing the sign of one."


def closed_form(subject: Subject, u: np.ndarray, values: Values, scale: Scale) -> list[Finding]:
    """`jacobian` against differentiation of `transform`, where that is finite."""
    if subject.S is subject.D:
        return []
    found = Batch(list(subject.D.ravel()))(subject.box.x(u)).reshape(values.S.shape)
    with np.errstate(invalid="ignore"):
        off = np.nan_to_num(np.abs(scale.S(values.S - found)) / np.maximum(1.0, np.abs(scale.S(found))))
    i, row, column = (int(k) for k in np.unravel_index(np.argmax(off), off.shape))
    if off[i, row, column] <= CLOSED:
        return []
    given, true = values.S[i, row, column], found[i, row, column]
    return [
        Finding(
            True,
            f"jacobian(q) is not the derivative of transform(q) at {subject.place(u[i])}: the {ROWS[row]} entry of column {column} is "
            f"{given:.9g}, differentiation finds {true:.9g} (off by {abs(given - true):.3g}). Correct it, or leave it out.",
        )
    ]


def differences(subject: Subject, u: np.ndarray, values: Values, scale: Scale) -> list[Finding]:
    """S against differences of the pose, where `frozen` keeps differentiation from seeing all of it."""
    if not any(e.op == "frozen" for e in reachable(subject.E.ravel())):
        return []
    pose = Batch(list(subject.E.ravel()))
    for column, step in enumerate(1e-5 * np.eye(subject.box.m)):
        ahead, behind = (pose(subject.box.x(u + side * step)).reshape(-1, 4, 4) for side in (0.5, -0.5))
        change = np.swapaxes(values.E[:, :3, :3], 1, 2) @ (ahead - behind)[:, :3] / (1e-5 * subject.box.width[column])
        rates = np.stack([change[:, 2, 1], change[:, 0, 2], change[:, 1, 0], *change[:, :, 3].T], axis=1)
        off = np.abs(rates - values.S[:, :, column]) * scale.weights / scale.divisors[column]
        i, row = (int(k) for k in np.unravel_index(np.argmax(off), off.shape))
        if off[i, row] > 1e-3:
            text = f"{rates[i, row]:.6g}, but S has {values.S[i, row, column]:.6g}: redmax.math.frozen hides a part of its motion from"
            where = f"the {ROWS[row]} velocity for {subject.coordinate(column)} at {subject.place(u[i])} is {text}"
            return [Finding(True, f"{where} differentiation. Leave it out.")]
    return []
