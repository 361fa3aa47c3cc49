"""Random expressions that are exact have the same bits in every type of compiled code."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import redmax.math as rm
from backends.compiled_kernels import compile_kernels, lanes_of_points, reference
from random_examples import examples
from redmax.backends.llvm.target import lanes_of
from redmax.math import Table
from redmax.program.kernel import PARENT, RECORD, Kernel, Store
from redmax.trace import Graph, is_traced

ENTRIES = Table([3.0, -1.0, 4.0, 1.5, 9.0])

LEAVES = 4
small = st.integers(-3, 3).map(float)


@st.composite
def expressions(draw: st.DrawFn) -> list[Any]:
    """Any expression that is exact on small integers; later steps may use all earlier ones."""
    values: list[Any] = list(Graph().inputs(RECORD, LEAVES))
    binary = [
        lambda a, b: a + b, lambda a, b: a - b, lambda a, b: rm.floor(0.25 * (a * b)), rm.minimum, rm.maximum, rm.less,
        lambda a, b: a <= b, lambda a, b: a == b, lambda a, b: a & b, lambda a, b: a | b, lambda a, b: rm.where(a, b, -1.0),
        lambda a, b: rm.where(a < b, b, a), lambda a, b: abs(a) - b, lambda a, b: rm.logical_not(a < b) * a, lambda a, b: ENTRIES[a] + b,
        lambda a, b: rm.frozen(a) + b, lambda a, b: rm.where(rm.logical_not(a & b), a, 0.5 * b),
    ]  # fmt: skip
    for _ in range(draw(st.integers(1, 24))):
        operate = draw(st.sampled_from(binary))
        value = operate(draw(st.sampled_from(values)), draw(st.sampled_from([*values, draw(small)])))
        values += [value] if is_traced(value) else []
    return values[LEAVES:] or values


@examples(15, 60)
@given(expressions(), st.lists(st.tuples(*[small] * LEAVES), min_size=8, max_size=8))
def test_any_exact_expression_has_the_same_bits_in_every_type(values, points):
    """Stored to a place of their own, and over what they were computed from."""
    count = len(values)
    kernel = Kernel(
        "any", tuple([Store(PARENT, i, v) for i, v in enumerate(values)] + [Store(RECORD, i, v) for i, v in enumerate(values[-LEAVES:])])
    )
    for ty in ("double", "<4 x double>"):
        run = compile_kernels({"f": kernel}, ty)
        for block in lanes_of_points(np.array(points), ty):
            memory = {RECORD: block, PARENT: np.zeros((count, lanes_of(ty)))}
            found, expected = run("f", memory), reference(kernel, memory)
            np.testing.assert_array_equal(found[PARENT], expected[PARENT])
            np.testing.assert_array_equal(found[RECORD], expected[RECORD])
