"""In which order to eliminate the unknowns of a sparse symmetric matrix, and in which dense parts: found once, from its pattern.

Unknowns come in groups (the three of a node). Minimum degree says the order; the groups that a group still meets when it is eliminated are
its *front*, and the first of these owns the front above it. Groups that meet the same others share a front (Duff and Reid 1983, Liu 1992).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

FEW = 24  # unknowns that a front may own, up to which it is worth some zeros to have one front instead of two
ZEROS = 0.35  # which part of the larger front these may be


@dataclass(frozen=True)
class Front:
    """own: the groups that it eliminates; rest: those that they meet and that come later; parent: the front above it, or -1."""

    own: tuple[int, ...]
    rest: tuple[int, ...]
    parent: int


@dataclass(frozen=True, eq=False)
class Fronts:
    """Fronts, each behind those below it. sizes: unknowns of each group."""

    fronts: tuple[Front, ...]
    sizes: Sequence[int]

    @cached_property
    def start(self) -> dict[int, int]:
        """Where the unknowns of each group begin, in the order of elimination."""
        order = [g for f in self.fronts for g in f.own]
        ends = np.cumsum([self.sizes[g] for g in order]).tolist()
        return {g: end - self.sizes[g] for g, end in zip(order, ends, strict=True)}

    @property
    def n(self) -> int:
        """All unknowns."""
        return sum(self.sizes[g] for f in self.fronts for g in f.own)

    @cached_property
    def owner(self) -> dict[int, int]:
        """Which front eliminates a group."""
        return {g: k for k, f in enumerate(self.fronts) for g in f.own}

    @cached_property
    def local(self) -> list[dict[int, int]]:
        """Where each group begins in each front."""
        found: list[dict[int, int]] = []
        for f in self.fronts:
            groups = [*f.own, *f.rest]
            ends = np.cumsum([self.sizes[g] for g in groups]).tolist()
            found.append({g: end - self.sizes[g] for g, end in zip(groups, ends, strict=True)})
        return found

    def widths(self, k: int) -> tuple[int, int]:
        """Unknowns that a front eliminates, and all that it has."""
        f = self.fronts[k]
        own = sum(self.sizes[g] for g in f.own)
        return own, own + sum(self.sizes[g] for g in f.rest)

    @cached_property
    def work(self) -> float:
        """Multiplications of a factorisation, about."""
        pairs = (self.widths(k) for k in range(len(self.fronts)))
        return sum(s * (n * n - n * s + s * s / 3.0) / 2.0 for s, n in pairs)

    @cached_property
    def scalars(self) -> int:
        """Numbers in all fronts."""
        return sum(n * n for _, n in (self.widths(k) for k in range(len(self.fronts))))


def fronts(sizes: Sequence[int], edges: np.ndarray, last: Sequence[int] = ()) -> Fronts:
    """sizes: unknowns of each group; edges (m, 2): the groups that meet; last: those that come behind all others, in one front."""
    count, ends = len(sizes), set(last)
    met: list[set[int]] = [set() for _ in range(count)]
    for a, b in edges.tolist():
        if a != b:
            met[a].add(b)
            met[b].add(a)
    order = [*(g for g in minimum_degree(count, edges) if g not in ends), *last]
    rank = {g: i for i, g in enumerate(order)}
    rest = [set[int]() for _ in range(count)]  # those that a group meets and that come later
    parent = [-1] * count
    for g in order:
        rest[g] |= {x for x in met[g] if rank[x] > rank[g]}
        if rest[g]:
            above = min(rest[g], key=rank.__getitem__)
            parent[g] = above
            rest[above] |= rest[g] - {above}
    return Fronts(tuple(merged(order, rank, rest, parent, sizes, last)), sizes)


def minimum_degree(count: int, edges: np.ndarray) -> Iterable[int]:
    """An order with little fill-in, as the library's factorisation finds it from a matrix of this pattern."""
    from scipy.sparse import coo_array, eye_array
    from scipy.sparse.linalg import splu

    if not count:
        return []
    rows, columns = edges.T if len(edges) else np.zeros((2, 0), int)
    graph = coo_array((-np.ones(len(rows)), (rows, columns)), shape=(count, count)).tocsr()
    graph = graph + graph.T
    dominant = (graph + eye_array(count) * (2.0 + abs(graph).sum(axis=1).max(initial=0.0))).tocsc()
    return np.argsort(splu(dominant, permc_spec="MMD_AT_PLUS_A", options={"SymmetricMode": True}).perm_c).tolist()


def merged(
    order: Sequence[int], rank: dict[int, int], rest: list[set[int]], parent: list[int], sizes: Sequence[int], last: Sequence[int]
) -> Iterable[Front]:
    """The fronts, each behind those below it: a group goes with the one above it where that costs few zeros, and `last` in one."""
    head = list(range(len(order)))  # of the front that a group belongs to: its last group
    own = [[g] for g in range(len(order))]
    owned, behind = list(sizes), [sum(sizes[x] for x in groups) for groups in rest]
    for g in order:
        above = parent[g]
        if above < 0:
            continue
        both = owned[g] + owned[above]
        zeros = owned[g] * (owned[above] + behind[above] - behind[g])
        if zeros == 0 or g in last or (both <= FEW and zeros <= ZEROS * both * (both + behind[above])):
            own[above] = own[g] + own[above]
            head[g], owned[above] = above, both
    heads = [g for g in order if head[g] == g]
    below: dict[int, list[int]] = {g: [] for g in (-1, *heads)}
    front_of = {x: g for g in heads for x in own[g]}
    above_of = {g: front_of[parent[g]] if parent[g] >= 0 else -1 for g in heads}
    for g in heads:
        below[above_of[g]].append(g)
    after: list[int] = []
    waiting = [(g, False) for g in reversed(below[-1])]
    while waiting:
        g, seen = waiting.pop()
        if seen:
            after.append(g)
        else:
            waiting += [(g, True), *[(c, False) for c in reversed(below[g])]]
    number = {g: i for i, g in enumerate(after)}
    place = {x: i for i, x in enumerate(x for g in after for x in own[g])}
    for g in after:
        yield Front(tuple(own[g]), tuple(sorted(rest[g], key=place.__getitem__)), number.get(above_of[g], -1))
