"""Where values live: no two fields share a slot unless one says so, and a kernel touches its own record, its parent's and the world's."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import redmax as rm
from mechanisms import every_kind
from program.forest import plan as count_plan
from redmax.errors import TraceError
from redmax.program.fields import Fields
from redmax.program.kernel import CONSTANTS, GATHERED, PARENT, RECORD, UPWARD, WORLD
from redmax.program.plan import Planner
from redmax.program.relation import Tree
from redmax.program.routines.call import Addresses, Data


@cache
def planner() -> Planner:
    m = every_kind(1)
    return Planner(rm.Dynamics(m.model).hybrid_program(True), m.model.tree, *m.model.kernels_of)


def test_fields_that_outlive_a_run_have_slots_of_their_own():
    p = planner()
    plan = p.plan()
    fields = p.program.fields
    taken = np.concatenate([p.slots(n) for n in (*fields.state, *fields.world)])
    assert len(set(taken.tolist())) == len(taken)
    assert taken.min() >= 0
    assert taken.max() < plan.workspace
    down = np.concatenate([p.slots(n) for n in fields.down if n not in fields.reuse])
    assert not set(down.tolist()) & set(taken.tolist())
    assert set(taken.tolist()) == set(plan.kept)


def test_a_name_is_that_of_one_field():
    """Of a joint or of the world: outputs, and what outlives a run, are found by name."""
    with pytest.raises(TraceError, match="have the same name, 'error'"):
        Fields(state={"q": "q", "error": 6}, clock={"error": 1})


def test_data_has_a_name_of_its_own():
    with pytest.raises(TraceError, match="a field and data of the same name, 'qddot'"):
        Addresses(planner(), [Data("qddot", 3)])


def test_kernels_stay_in_their_places():
    p = planner()
    plan = p.plan()
    record = dict(zip(p.record.tolist(), np.diff(p.record).tolist()))
    for row in plan.rows:
        k, w, parent, i, j = row.places
        kernel = row.group.kernels[row.sweep]
        for s in kernel.stores:
            assert s.base in (RECORD, UPWARD), "a kernel writes its own record and what its parent gathers"
            assert s.index < (record[w] if s.base == RECORD else p.program.fields.up_size)
        for base, index in kernel.reads():
            limit = {CONSTANTS: len(plan.constants) - k, RECORD: record[w], PARENT: record[parent], WORLD: p.program.fields.world_size}
            assert 0 <= index < limit.get(base, plan.accumulators - (i if base == GATHERED else j))


def test_what_is_read_was_written():
    """Every slot a row reads is an input, or was stored by a row before it."""
    p = planner()
    plan = p.plan()
    known = {(RECORD, int(s)) for slots in plan.inputs for s in slots}
    for row in plan.rows:
        _, w, parent, i, j = row.places
        start = {
            RECORD: (RECORD, w),
            PARENT: (RECORD, parent),
            WORLD: (RECORD, 0),
            GATHERED: ("accumulators", i),
            UPWARD: ("accumulators", j),
        }
        kernel = row.group.kernels[row.sweep]
        for base, index in kernel.reads():
            if base != CONSTANTS:
                assert (start[base][0], start[base][1] + index) in known
        for s in kernel.stores:
            at = (start[s.base][0], start[s.base][1] + s.index)
            assert at in known or not s.accumulate
            known.add(at)
    assert {(RECORD, int(s)) for slots in plan.outputs for s in slots} <= known


def test_joints_of_one_kind_share_their_kernels():
    rows = count_plan(Tree(tuple(range(-1, 50)))).rows
    assert len({id(r.group) for r in rows}) <= 5  # the world; root, leaf and inner joints, first child or not
