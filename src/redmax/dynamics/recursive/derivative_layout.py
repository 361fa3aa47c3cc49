"""Where derivatives by coordinates lie: matrices of each tree, its coordinates numbered depth first, in whatever order joints were made.

Depth first, all that a coordinate moves is a run of numbers, start[j] ... end[j]. The coordinates that move a body, those of its ancestors,
are its path: they lie one behind the other in a stack, root first. Rows end at multiples of eight, as many as loops take at a time.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from redmax.model.model import Model
from redmax.program.interaction import coupled_pairs
from redmax.program.routines.call import Data
from redmax.program.sweep import Part

EIGHT = 8  # columns that are taken at a time: what lies behind the last of a row is nobody's


def rounded(n: int) -> int:
    """The next multiple of eight, at least one."""
    return max(EIGHT, -(-n // EIGHT) * EIGHT)


def wide(n: int) -> int:
    """How far rows of n are apart that begin at multiples of eight and have room behind them, and do not share a place in the cache."""
    width = rounded(n) + EIGHT
    return width + EIGHT if width % 64 == 0 else width


@dataclass(frozen=True)
class Rows(Data):
    """A matrix whose rows have room behind them."""

    @property
    def leading(self) -> int:
        return wide(self.columns or 1)


@dataclass(frozen=True, eq=False)
class TreeColumns:
    """The coordinates of the joints of one tree. joints: depth first; dofs, parent: of all joints of the model."""

    joints: tuple[int, ...]
    dofs: tuple[int, ...]
    parent: tuple[int, ...]

    @cached_property
    def start(self) -> dict[int, int]:
        """The number of each joint's first coordinate."""
        starts = np.concatenate([[0], np.cumsum([self.dofs[j] for j in self.joints])]).tolist()
        return dict(zip(self.joints, starts, strict=False))

    @property
    def n(self) -> int:
        """Coordinates."""
        return sum(self.dofs[j] for j in self.joints)

    @cached_property
    def end(self) -> dict[int, int]:
        """The number behind the last coordinate that hangs on each joint, its own among them."""
        found = {j: self.start[j] + self.dofs[j] for j in self.joints}
        for j in reversed(self.joints):
            if self.parent[j] >= 0:
                found[self.parent[j]] = max(found[self.parent[j]], found[j])
        return found

    @cached_property
    def children(self) -> dict[int, list[int]]:
        """Of each joint, in order."""
        found: dict[int, list[int]] = {j: [] for j in self.joints}
        for j in self.joints[1:]:
            found[self.parent[j]].append(j)
        return found

    @cached_property
    def path(self) -> dict[int, list[int]]:
        """The numbers of the coordinates of each joint's proper ancestors, root first."""
        found: dict[int, list[int]] = {}
        for j in self.joints:
            p = self.parent[j]
            found[j] = [*found[p], *range(self.start[p], self.start[p] + self.dofs[p])] if p in found else []
        return found

    @property
    def depth(self) -> int:
        """The longest path, with the last joint's own coordinates."""
        return max((len(self.path[j]) + self.dofs[j] for j in self.joints), default=0)

    def straight(self, j: int) -> bool:
        """Whether the path has the numbers 0, 1, 2, ..."""
        return self.path[j] == list(range(len(self.path[j])))

    @cached_property
    def relation(self) -> np.ndarray:
        """(n, n): whether one of two coordinates moves the other, or both are of one joint."""
        below = np.zeros((self.n, self.n), bool)
        for j in self.joints:
            below[self.start[j] : self.start[j] + self.dofs[j], self.start[j] : self.end[j]] = True
        return below | below.T

    def columns(self, i: int) -> np.ndarray:
        """Where the entries of row i lie in it: those of the path of its joint one behind the other at its beginning."""
        found = np.arange(self.n)
        joint = next(j for j in self.joints if self.start[j] <= i < self.start[j] + self.dofs[j])
        found[self.path[joint]] = np.arange(len(self.path[joint]))
        return found

    @cached_property
    def branching(self) -> list[int]:
        """The joints that several hang on which move, or have joints that move below."""
        return [j for j in self.joints if sum(self.end[c] > self.start[c] for c in self.children[j]) > 1]


def trees(model: Model) -> list[TreeColumns]:
    """The trees of a model that move, each depth first."""
    parent, dofs = model.tree.parent, tuple(link.joint.dof for link in model.links)
    children: list[list[int]] = [[] for _ in parent]
    for j, p in enumerate(parent):
        if p >= 0:
            children[p].append(j)
    found: list[TreeColumns] = []
    for root in (j for j, p in enumerate(parent) if p < 0):
        joints, waiting = [], [root]
        while waiting:
            j = waiting.pop()
            joints.append(j)
            waiting += reversed(children[j])
        found.append(TreeColumns(tuple(joints), dofs, parent))
    return [tree for tree in found if tree.n]


@dataclass(frozen=True, eq=False)
class Layout:
    """The derivatives of one model: a square matrix for each tree, or where forces couple bodies beyond it one of all coordinates.

    related: whether entries are zero where neither coordinate moves the other; then rows begin with those of the path
    """

    model: Model
    related: bool

    @cached_property
    def trees(self) -> list[TreeColumns]:
        """Those that move."""
        return trees(self.model)

    @property
    def n(self) -> int:
        """Coordinates of all trees."""
        return self.model.nv

    @cached_property
    def coupled(self) -> bool:
        """Whether forces act between bodies, or read the states of others."""
        return bool(coupled_pairs(self.model.acting, Part.NEWTON))

    @cached_property
    def first(self) -> list[int]:
        """Where each tree's matrix begins, then the zeros behind all of them."""
        return [0, *np.cumsum([(tree.n + EIGHT) * wide(tree.n) for tree in self.trees]).tolist()]

    def numbers(self, tree: TreeColumns) -> np.ndarray:
        """The user's numbers of a tree's coordinates, in the tree's order."""
        offsets = self.model.offsets
        return np.concatenate([np.arange(offsets[j], offsets[j] + tree.dofs[j]) for j in tree.joints])

    def columns(self, tree: TreeColumns) -> np.ndarray:
        """(n, n): where entries of a tree lie in their rows."""
        return np.array([tree.columns(i) if self.related else np.arange(tree.n) for i in range(tree.n)])

    def entries(self) -> np.ndarray:
        """Where each entry of the (n, n) in the user's order lies behind the first one: those that are always zero among the zeros."""
        found = self.first[-1] + np.tile(np.arange(self.n), (self.n, 1))
        for tree, first in zip(self.trees, self.first, strict=False):
            numbers = self.numbers(tree)
            own = first + wide(tree.n) * np.arange(tree.n)[:, None] + self.columns(tree)
            if self.related:
                own = np.where(tree.relation, own, found[np.ix_(numbers, numbers)])
            found[np.ix_(numbers, numbers)] = own
        return found.ravel()

    def matrix(self, name: str) -> Entries:
        """One of its matrices; of trees alone, where those of all coordinates are made of them."""
        return Entries(f"{name} of trees" if self.coupled else name, self.n, self.n, layout=self)

    def leading(self, tree: TreeColumns) -> int:
        """How far the rows of its matrix are apart."""
        return wide(tree.n)


@dataclass(frozen=True)
class Entries(Data):
    """The derivatives by one quantity."""

    layout: Layout | None = None

    @property
    def size(self) -> int:
        """Of all trees, with the zeros."""
        assert self.layout
        return self.layout.first[-1] + rounded(self.rows)

    def entries(self) -> np.ndarray:
        assert self.layout
        return self.layout.entries()
