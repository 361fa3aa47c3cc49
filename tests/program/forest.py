"""A program small enough to know by heart: numbers counted up and down a forest, in exact integers.

depth: of a joint, 1 for a root;  height: joints in its subtree;  below: the sum over the subtree of weight * depth;  total: over the model.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from hypothesis import strategies as st

from redmax.program.fields import Fields
from redmax.program.group import Signature
from redmax.program.plan import Plan, Planner
from redmax.program.program import Program
from redmax.program.relation import Tree
from redmax.program.sweep import backward, forward, once, recursion


@once
def clear(w: Any) -> None:
    w.total = 0.0


@forward
def descend(j: Any, p: Any) -> None:
    j.depth = p.depth + 1.0
    j.load = j.weight * j.depth  # kept for the next sweep


@backward
def gather(j: Any, p: Any) -> None:
    j.height = j.count + 1.0
    j.below = j.sums + j.load
    p.count += j.height
    p.sums += j.below


@forward
def finish(j: Any, p: Any, w: Any) -> None:
    j.above = p.path + j.load
    j.path = j.above
    w.gather("total", j.below * 0.0 + j.load)


COUNT = Program(
    "count",
    (recursion(clear, name="clear"), recursion(descend, gather, finish, name="count")),
    Fields(
        down={"depth": 1, "path": 1},
        up={"count": 1, "sums": 1},
        state={"weight": "q", "height": 1, "below": 1, "above": 1},
        world={"total": 1},
    ),
    ("weight",),
    ("height", "below", "above", "total"),
)


def signatures(tree: Tree) -> list[Signature]:
    kinds = {
        (root, leaf, first): Signature("counted", 1, 1, root, leaf, first, lambda graph: ({}, {}))
        for root in (True, False)
        for leaf in (True, False)
        for first in (True, False)
    }
    return [kinds[p < 0, leaf, first] for p, leaf, first in zip(tree.parent, tree.leaf, tree.first)]


def plan(tree: Tree) -> Plan:
    return Planner(COUNT, tree, signatures(tree), [np.zeros(0)] * len(tree)).plan()


def expected(parents: Sequence[int], weight: np.ndarray) -> list[np.ndarray]:
    """By walking from each joint to its root; weight: (worlds, joints)."""
    n = len(parents)
    lines = []
    for j in range(n):
        line = [j]
        while parents[line[-1]] >= 0:
            line.append(parents[line[-1]])
        lines.append(line)
    load = weight * np.array([len(line) for line in lines])
    height, below, above = (np.zeros_like(weight) for _ in range(3))
    for j, line in enumerate(lines):
        for i in line:
            height[:, i] += 1
            below[:, i] += load[:, j]
            above[:, j] += load[:, i]
    return [height, below, above, load.sum(1, keepdims=True)]


def run(runner: Any, weight: np.ndarray) -> list[np.ndarray]:
    """Height, below, above, total, each (worlds, columns)."""
    worlds, n = weight.shape
    outputs = [np.full((1, worlds, size), np.nan) for size in (n, n, n, 1)]
    assert runner.run([weight], outputs, worlds) == 0
    return [o[0] for o in outputs]


@st.composite
def forests(draw: st.DrawFn, largest: int = 40) -> tuple[int, ...]:
    """Parents of any forest, from a chain to a star to single joints."""
    reach = draw(st.sampled_from([1, 2, 5, largest]))
    parents = [-1]
    for j in range(1, draw(st.integers(1, largest))):
        parents.append(draw(st.integers(max(j - reach, 0) - 1, j - 1)))
    return tuple(parents)
