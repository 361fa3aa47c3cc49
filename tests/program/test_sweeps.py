"""Sweeps over forests, in exact integers: order of visits, what parents gather, what is kept between sweeps, sums over the model."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given

from program.forest import expected, forests, plan, run
from random_examples import examples
from redmax.backends.interpret import Interpreter
from redmax.backends.llvm.executable import Executable
from redmax.program.fuse import fuse
from redmax.program.relation import Tree


def weights(worlds: int, n: int) -> np.ndarray:
    return np.random.default_rng([worlds, n]).integers(-9, 10, (worlds, n)).astype(float)


def check(runner, parents, worlds=3):
    weight = weights(worlds, len(parents))
    for found, wanted in zip(run(runner, weight), expected(parents, weight), strict=True):
        assert np.array_equal(found, wanted)


@examples(25, 100)
@given(parents=forests())
def test_interpreted(parents):
    check(Interpreter(plan(Tree(parents))), parents)


@examples(25, 100)
@given(parents=forests(largest=80))
def test_compiled_row_by_row(parents):
    """Compiled once: the kernels are the same for every forest."""
    check(Executable(plan(Tree(parents))), parents, worlds=1)
    check(Executable(plan(Tree(parents))), parents, worlds=11)


@examples(8, 30)
@given(parents=forests(largest=12))
def test_compiled_as_straight_line(parents):
    straight = fuse(plan(Tree(parents)), lambda g: g.meta, limit=10**9)
    assert len(straight.rows) == 1
    check(Interpreter(straight), parents)
    check(Executable(straight), parents, worlds=9)


def test_a_limit_on_straight_lines_is_kept():
    rolled = plan(Tree((-1, 0, 1, 1)))
    assert fuse(rolled, lambda g: g.meta, limit=0, longest=0).rows == rolled.rows
    cost = sum(r.group.meta.operations[r.sweep] for r in rolled.rows)
    assert len(fuse(rolled, lambda g: g.meta, limit=cost).rows) == 1
    assert len(fuse(rolled, lambda g: g.meta, limit=cost - 1, longest=0).rows) > 1


@examples(25, 100)
@given(parents=forests(largest=60))
def test_slots_are_given_back_but_never_too_early(parents):
    """What each joint gathers through shared slots is the size of its subtree."""
    tree = Tree(parents)
    own, parent_slot, count = tree.accumulators
    slots: list[float] = [np.nan] * count
    sizes = [0.0] * len(parents)
    for j in reversed(range(len(parents))):
        sizes[j] = 1.0 + (0.0 if tree.leaf[j] else slots[own[j]])
        if parents[j] >= 0:
            slots[parent_slot[j]] = sizes[j] + (0.0 if tree.first[j] else slots[parent_slot[j]])
    assert sizes == [float(sum(j in tree.ancestors(k) for k in range(len(parents)))) for j in range(len(parents))]


def test_a_chain_needs_two_slots_and_a_star_one():
    assert Tree(tuple(range(-1, 99))).accumulators[2] <= 2
    assert Tree((-1, *[0] * 99)).accumulators[2] == 1


@pytest.mark.parametrize("parents", [(0,), (-2,), (-1, 2, 1), (-1, 0, 5)])
def test_children_come_after_their_parents(parents):
    with pytest.raises(ValueError, match="before children"):
        Tree(parents)


EXTREMES = {"one": (-1,), "many roots": (-1,) * 50, "chain": tuple(range(-1, 199)), "star": (-1, *[0] * 150)}


@pytest.mark.parametrize("parents", EXTREMES.values(), ids=EXTREMES.keys())
def test_extreme_forests(parents):
    check(Interpreter(plan(Tree(parents))), parents)
    check(Executable(plan(Tree(parents))), parents, worlds=1)
