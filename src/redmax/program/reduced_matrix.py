"""The reduced system as a matrix, for what couples joints beyond the tree: its rows are filled and solved by compiled loops.

    H_ka = U_k . s_a                      for each coordinate k and each of its ancestors a (composite rigid bodies)
    H_ab += s_a' Z s_b                    for each pair of bodies that forces couple, and the coordinates that move them
    H x = b                               by L D L', the coordinates whose x is known kept apart

s_a is the twist of a coordinate and U_k the momentum of all that it moves, both in world axes about the origin of their tree, so that no
frame changes on the way. Coordinates whose acceleration is given come last: x_u = H_uu^-1 (b_u - H_up x_p), and (H x)_p is what they take.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from redmax.program.kernel import Routine
from redmax.program.routine import MEMORY, NUMBER, RoutineKernels

if TYPE_CHECKING:
    from redmax.program.plan import Planner, WideRun

PANEL = 10_000_000  # multiplications
LEADING = (8, 16, 32, 64, 128, 256, 512)


@dataclass(frozen=True)
class Clear:
    """Before anything is added: zero the matrix and the blocks of forces. joints: how many, from the first, the matrix is for."""

    joints: int | None = None


@dataclass(frozen=True)
class Assemble:
    """twist, momentum: fields of 6 numbers per coordinate; block: what the joint adds to its own entries, "vv"; own: (6, 6) of forces.

    without mass, only what forces and joints add.
    """

    twist: str
    momentum: str
    block: str
    own: str
    mass: bool = True


@dataclass(frozen=True)
class Solve:
    """right: field of the right side, given: of known x; x: where the solution goes; product: (H x) of coordinates whose x is known."""

    right: str
    given: str
    x: str
    product: str
    known: tuple[bool, ...]  # for each joint


class MatrixStore:
    """Where a program's matrix lies: H (n, leading), then the vectors b and y."""

    def __init__(self, planner: Planner) -> None:
        self.planner = planner
        stages = planner.program.stages_flat
        begin = [s for s in stages if isinstance(s, Clear)]
        self.used = any(isinstance(s, Assemble) for s in stages)
        solve = [s for s in stages if isinstance(s, Solve)]
        count = len(planner.signatures) if not begin or begin[0].joints is None else begin[0].joints
        known = solve[0].known if solve else (False,) * count
        self.dofs = [s.nv for s in planner.signatures[:count]]
        self.n = sum(self.dofs) if self.used else 0
        self.leading = next((size for size in LEADING if size >= self.n), self.n)
        order = [j for j in range(count) if not known[j]] + [j for j in range(count) if known[j]]
        starts = np.concatenate([[0], np.cumsum([self.dofs[j] for j in order])]).astype(int)
        self.start = dict(zip(order, starts.tolist(), strict=False))  # where each joint's coordinates begin in H
        self.free = sum(d for d, k in zip(self.dofs, known, strict=True) if not k) if self.used else 0
        self.base = planner.reserve(self.size)

    @property
    def size(self) -> int:
        """Scalars of H with its padding, b and y."""
        return self.n * self.leading + 2 * self.n if self.used else 0

    @cached_property
    def vectors(self) -> tuple[int, int]:
        """Where b and y begin in memory."""
        b = self.base + self.n * self.leading
        return b, b + self.n

    def slots(self) -> np.ndarray:
        """Of H, (n, n) by rows, in the order of its coordinates."""
        return (self.base + self.leading * np.arange(self.n)[:, None] + np.arange(self.n)).ravel()

    def field(self, j: int, name: str) -> int:
        """Where a field of joint j begins in memory."""
        planner, key = self.planner, self.planner.keys[j]
        return int(planner.record[j]) + planner.layouts[key].place(name, planner.parked[key])[0]

    def columns(self, j: int, twist: str) -> list[tuple[int, int]]:
        """(place of its twist, its number in H) of each coordinate that moves body j, root first."""
        return [
            (self.field(a, twist) + 6 * c, self.start[a] + c) for a in reversed(self.planner.tree.ancestors(j)) for c in range(self.dofs[a])
        ]

    def run(self, stage: Clear | Assemble | Solve) -> WideRun:
        """The rows of routines that do what a stage asks for."""
        from redmax.program.plan import WideRun

        if isinstance(stage, Clear):
            blocks = self.planner.interactions
            parts = [(self.base, self.size), *([(blocks.base, blocks.size)] if blocks else [])]
            tables = [table(CLEAR, [part for part in parts if part[1]])]
        elif isinstance(stage, Assemble):
            tables = [table(ADD_BLOCK, self.own_blocks(stage)), *self.congruences(stage)]
            tables = [table(MOMENTS, self.moments(stage)), *tables] if stage.mass else tables
        else:
            b, y = self.vectors
            count = len(self.dofs)
            source = [stage.given if known else stage.right for known in stage.known]
            inward = [(self.field(j, source[j]), b + self.start[j], self.dofs[j]) for j in range(count)]
            outward = [(b + self.start[j], self.field(j, stage.x), self.dofs[j]) for j in range(count)]
            found = [(y + self.start[j], self.field(j, stage.product), self.dofs[j]) for j in range(count) if stage.known[j]]
            solve = [(self.base, b, y, self.leading, self.free, self.n)]
            factor = [(self.base, self.leading, start, stop) for start, stop in panels(self.free)]
            tables = [table(COPY, inward), table(FACTOR, factor), table(SOLVE, solve), table(COPY, outward), table(COPY, found)]
        return WideRun(tuple(t for t in tables if len(t.places)))

    def moments(self, stage: Assemble) -> list[tuple[int, ...]]:
        """Rows that fill H_ka = U_k . s_a: momentum's place, count, then (s_a, H_ka, H_ak) for each ancestor's coordinate a."""
        rows: list[tuple[int, ...]] = []
        for j, dof in enumerate(self.dofs):
            columns = self.columns(j, stage.twist)
            for c in range(dof):
                k = self.start[j] + c
                entries = [x for s, a in columns for x in (s, self.base + k * self.leading + a, self.base + a * self.leading + k)]
                rows.append((self.field(j, stage.momentum) + 6 * c, len(columns), *entries))
        return rows

    def own_blocks(self, stage: Assemble) -> list[tuple[int, ...]]:
        """Places of the joints' own entries."""
        step = self.leading + 1
        return [(self.field(j, stage.block), self.base + step * self.start[j], self.leading, d) for j, d in enumerate(self.dofs) if d]

    def congruences(self, stage: Assemble) -> list[Any]:
        """One row for each body that a force touches, and for each pair that one couples."""
        interactions = self.planner.interactions
        if not interactions:
            return []
        joints = sorted({int(m) for a in interactions.acting for m in np.ravel(a.members) if m < len(self.dofs)})
        alone: list[tuple[int, ...]] = []
        for j in joints:
            columns = self.columns(j, stage.twist)
            words = [x for s, a in columns for x in (s, self.base + a * self.leading, a)]
            alone.append((self.field(j, stage.own), len(columns), *words))
        between: list[tuple[int, ...]] = []
        for i, j in interactions.pairs:
            left, right = self.columns(i, stage.twist), self.columns(j, stage.twist)
            words = [x for s, a in (*left, *right) for x in (s, self.base + a * self.leading, a)]
            between.append((interactions.block(i, j), len(left), len(right), *words))
        return [table(OWN, alone), table(BETWEEN, between)]


def panels(n: int) -> list[tuple[int, int]]:
    """The rows of a matrix that one call eliminates, so many that it takes at most a few hundredths of a second."""
    found, start, work = [], 0, 0
    for i in range(n):
        work += i * i // 2
        if work > PANEL or i == n - 1:
            found.append((start, i + 1))
            start, work = i + 1, 0
    return found


def table(group: RoutineKernels, rows: Sequence[tuple[int, ...]]) -> Any:
    """Rows of a routine, filled up to the longest."""
    from redmax.program.plan import Rows

    width = max((len(r) for r in rows), default=0)
    places = np.zeros((len(rows), width), np.int64)
    for row, given in zip(places, rows, strict=True):
        row[: len(given)] = given
    return Rows(group, places)


def clear(memory: np.ndarray, row: Sequence[int]) -> None:
    """Row (start, size): zeros."""
    start, size = row
    memory[start : start + size] = 0.0


def copy(memory: np.ndarray, row: Sequence[int]) -> None:
    """Row (source, target, count)."""
    source, target, count = row
    memory[target : target + count] = memory[source : source + count]


def add_block(memory: np.ndarray, row: Sequence[int]) -> None:
    """Row (source, target, leading, n): adds a dense (n, n) to a part of a matrix with rows of `leading`."""
    source, target, leading, n = row
    for i in range(n):
        memory[target + i * leading : target + i * leading + n] += memory[source + i * n : source + (i + 1) * n]


def moments(memory: np.ndarray, row: Sequence[int]) -> None:
    """Row (momentum, count, entries): U . s_a into both halves of H."""
    momentum, count, *entries = row
    U = memory[momentum : momentum + 6]
    for k in range(count):
        s, lower, upper = entries[3 * k : 3 * k + 3]
        memory[lower] = memory[upper] = (U * memory[s : s + 6]).sum(axis=0)


def own(memory: np.ndarray, row: Sequence[int]) -> None:
    """s_a' Z s_b of one body's coordinates; Z is symmetric, and its upper triangle is read."""
    place, count, *words = row
    Z = memory[place : place + 36].reshape(6, 6, -1).copy()
    for i, j in zip(*np.tril_indices(6, -1), strict=True):
        Z[i, j] = Z[j, i]
    columns = [words[3 * k : 3 * k + 3] for k in range(count)]
    for s_b, _, b in columns:
        force = (Z * memory[s_b : s_b + 6]).sum(axis=1)
        for s_a, row_a, _ in columns:
            memory[row_a + b] += (memory[s_a : s_a + 6] * force).sum(axis=0)


def between(memory: np.ndarray, row: Sequence[int]) -> None:
    """s_a' Z s_b of the coordinates of two bodies, and its transpose."""
    place, left, right, *words = row
    Z = memory[place : place + 36].reshape(6, 6, -1)
    columns = [words[3 * k : 3 * k + 3] for k in range(left + right)]
    for s_b, row_b, b in columns[left:]:
        force = (Z * memory[s_b : s_b + 6]).sum(axis=1)
        for s_a, row_a, a in columns[:left]:
            value = (memory[s_a : s_a + 6] * force).sum(axis=0)
            memory[row_a + b] += value
            memory[row_b + a] += value


def factor(memory: np.ndarray, row: Sequence[int]) -> None:
    """Rows of L D L' in place of those of H; with NumPy, `solve` does it all."""


def solve(memory: np.ndarray, row: Sequence[int]) -> None:
    """Row (H, b, y, leading, free, n): x in place of b, its first `free` entries unknown; y = H x of the others."""
    H, b, y, leading, free, n = row
    for world in range(memory.shape[1]):
        A = np.array([memory[H + i * leading : H + i * leading + n, world] for i in range(n)]).reshape(n, n)
        x = memory[b : b + n, world].copy()
        if np.isfinite(A).all():
            try:
                x[:free] = np.linalg.solve(A[:free, :free], x[:free] - A[:free, free:] @ x[free:])
            except np.linalg.LinAlgError:
                x[:free] = np.nan
        else:
            x[:free] = np.nan
        memory[b : b + n, world], memory[y + free : y + n, world] = x, A[free:] @ x


CLEAR = RoutineKernels(Routine("clear", clear), (MEMORY, NUMBER))
COPY = RoutineKernels(Routine("copy", copy), (MEMORY, MEMORY, NUMBER))
ADD_BLOCK = RoutineKernels(Routine("add block", add_block), (MEMORY, MEMORY, NUMBER, NUMBER))
MOMENTS = RoutineKernels(Routine("moments", moments), (MEMORY, NUMBER), MEMORY)
OWN = RoutineKernels(Routine("own", own), (MEMORY, NUMBER), MEMORY)
BETWEEN = RoutineKernels(Routine("between", between), (MEMORY, NUMBER, NUMBER), MEMORY)
FACTOR = RoutineKernels(Routine("factor", factor), (MEMORY, NUMBER, NUMBER, NUMBER))
SOLVE = RoutineKernels(Routine("solve", solve), (MEMORY, MEMORY, MEMORY, NUMBER, NUMBER, NUMBER))
