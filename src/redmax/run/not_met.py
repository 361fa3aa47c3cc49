"""What to say where constraints cannot be met: which of them, by how much, and what to change.

The nearest position that was found leaves r of the rows, with G' r = 0 over what can move: rows that r has are those in conflict, each
kept off by the others.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from redmax.errors import SceneError
from redmax.run.gap_words import gap_words, listed

if TYPE_CHECKING:
    from redmax.dynamics.common.row_values import RowsAt
    from redmax.run.assembly import Assembler

ENOUGH = 1e-10  # gaps relative to the mechanism's size, small enough
NAMED = 3  # constraints in conflict that are named
FROM_ZERO = "(counted from 0)"


def in_conflict(one: Assembler, off: np.ndarray) -> list[int]:
    """The numbers of the constraints that are off, (m,) relative to the mechanism's size, the worst first."""
    each = np.zeros(len(one.model.constraints))
    np.maximum.at(each, one.values.owner, np.abs(off))
    return [int(n) for n in np.argsort(-each, kind="stable") if each[n] > max(ENOUGH, 1e-3 * each.max())]


def off_by(one: Assembler, number: int, gap: np.ndarray) -> str:
    """A constraint and how far it is off, in words; gap: of all rows."""
    return f"{one.model.constraints[number].label} by {gap_words(one.model, number, gap[one.values.owner == number])}"


def open_error(one: Assembler, q: np.ndarray, nearest: np.ndarray, t: float, free: np.ndarray) -> SceneError:
    """No position was found."""
    rest = np.zeros(one.n)
    begin, end = one.at(q, rest, t), one.at(nearest, rest, t)
    gap = np.where(one.gaps(end)[0] != 0.0, end.gap[0], 0.0)
    names = in_conflict(one, one.gaps(end)[0])
    first = one.model.constraints[names[0]]
    was = gap_words(one.model, names[0], begin.gap[0][one.values.owner == names[0]])
    left = ", ".join(off_by(one, n, gap) for n in names[:NAMED])
    if len(names) > 1:
        labels = listed([one.model.constraints[n].label for n in names[:NAMED]])
        what = f"{labels} cannot be met together: no position was found that meets all constraints"
        fix = "Leave one of them out or change it"
    else:
        what = f"{first.label} is off by {was} where its bodies were put, and no position was found that meets all constraints"
        fix = "Move its places or change the bodies between them"
    return SceneError(
        f"{what}: the nearest one leaves {left}.{held_words(one, nearest, t, names[0], free)} {fix}, or begin nearer (q=).",
        owner=first.name or "",
        argument="constraint",
        got=was,
    )


def held_words(one: Assembler, q: np.ndarray, t: float, number: int, free: np.ndarray) -> str:
    """Why a constraint cannot be met, where that is known: rows that nothing moves near there, or coordinates that were held."""
    shake = 0.1 * one.unit * np.random.default_rng(1).uniform(-1, 1, (2, one.n)) * free
    near = [one.at(q, step, t, step) for step in shake]
    own = one.values.owner == number
    off = np.abs(one.gaps(near[0])[0][own]) > ENOUGH
    still = np.all([np.abs(rows.G[0][own][:, free]).max(axis=1, initial=0.0) <= 1e-9 * rows.size[0][own] for rows in near], axis=0)
    if len(rows := np.flatnonzero(off & still)):
        which = f"row{'s' * (len(rows) > 1)} {', '.join(map(str, rows))} {FROM_ZERO}" if one.model.constraints[number].size > 1 else "row"
        return f" No joint that is free moves along its {which}."
    fixed = sorted({one.called(int(k)) for k in np.flatnonzero(~free & one.movable)})
    return f" Held were the coordinates of {', '.join(map(repr, fixed))}." if fixed else ""


def beside(one: Assembler, rows: RowsAt, row: int, free: np.ndarray) -> list[str]:
    """The constraints whose rows together move what a row of another does, so that both cannot ask for what they like."""
    G = (rows.G[0] * one.unit / rows.size[0][:, None])[:, free]
    owner, own = one.values.owner, one.values.owner[row]
    others = owner != own
    weights = np.linalg.lstsq(G[others].T, G[row], rcond=1e-9)[0]
    length = float(np.linalg.norm(G[row]))
    if not length or np.linalg.norm(G[others].T @ weights - G[row]) > 1e-6 * length:
        return []
    share = np.zeros(len(one.model.constraints))
    np.maximum.at(share, owner[others], np.abs(weights) * np.linalg.norm(G[others], axis=1))
    return [one.model.constraints[n].label for n in np.argsort(-share, kind="stable") if share[n] > 0.05 * length][:NAMED]


def rate_error(one: Assembler, rows: RowsAt, left: np.ndarray, free: np.ndarray) -> SceneError:
    """No rates were found. rows: where the run begins; left: what remains of their rates."""
    row = int(np.argmax(np.abs(left)))
    worst = int(one.values.owner[row])
    c, others = one.model.constraints[worst], beside(one, rows, row, free)
    fixed = sorted({one.called(int(k)) for k in np.flatnonzero(~free)})
    held = f" The rates of {', '.join(map(repr, fixed))} are given." if fixed else ""
    speed = gap_words(one.model, worst, left[one.values.owner == worst], "/s")
    together = f" beside {listed(others)}" if others else ""
    said = f"{c.label} cannot be kept{together} where the run begins: it opens at {speed} whatever the rates"
    return SceneError(
        f"{said} of the joints that are free.{held} Give rates (qdot) that go together, or leave one of them out.",
        owner=c.name or "",
        argument="qdot",
    )
