"""Every traced operation as machine code, for every type a kernel can have, against the interpreter of traces."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from math import factorial
from typing import Any

import llvmlite.binding as llvm
import numpy as np
import pytest

import redmax.math as rm
from backends.compiled_kernels import DOUBLES, FLOATS, compile_kernels, dtype_of, lanes_of_points, reference
from random_examples import LONG
from redmax.backends.llvm.module import module_text
from redmax.backends.llvm.target import host, lanes_of, target_machine
from redmax.program.kernel import CONSTANTS, GATHERED, PARENT, RECORD, UPWARD, WORLD, Kernel, Store, added_at
from redmax.trace import Graph, Span, Table, TableInput, locate

TYPES = (*DOUBLES, *FLOATS)
INF, NAN = float("inf"), float("nan")
KNOTS = [-2.0, -0.5, -0.5, 0.25, 1.0, 1.5, 4.0]
ENTRIES = Table([3.0, -1.0, 4.0, 1.5, 9.0])
RNG = np.random.default_rng(4)
NUMBERS = RNG.normal(size=12).astype(np.float32).astype(float)

ANY = np.concatenate([RNG.normal(size=(40, 3)) * 2.0, RNG.integers(-2, 3, (24, 3)).astype(float)])
POSITIVE = 10.0 ** RNG.uniform(-3, 2, (40, 3))
UNIT = np.concatenate([RNG.uniform(-1, 1, (30, 3)), [[1.0, -1.0, 0.0]]])
SQUARES = np.concatenate([10.0 ** RNG.uniform(-12, 3, (60, 1)), [[0.0], [1.0], [3.0], [6.0], [15.0], [28.0]]]).repeat(3, axis=1)


@dataclass(frozen=True, eq=False)
class Case:
    """outputs: what to trace, from three inputs; ulps: allowed rounding of the value or of `scale`, 0 for the same bits; points: (n, 3)."""

    outputs: Callable[[Any, Any, Any], list[Any]]
    ulps: float = 0
    points: Any = None
    scale: float = 1.0


CASES: dict[str, Case] = {
    "add sub mul neg": Case(lambda x, y, z: [x + y, x - y, x * y, -x, x + 2.5, 3.0 - x, 0.5 * x, x * -1.5]),
    "inverse and quotient": Case(lambda x, y, z: [1.0 / x, x / y, 2.0 / x, x / 3.0], 1),
    "polynomial": Case(lambda x, y, z: [x * y + z, x * y - z, z - x * y, (x + y) * (y - z) + x * z], 8),
    "integer powers": Case(lambda x, y, z: [x**2, x**3, x**7, x**-1, x**-2, x**0.5, x**-0.5], 8, POSITIVE),
    "comparisons as numbers": Case(lambda x, y, z: [x < y, x <= y, x > y, x >= y, x == y, x != y, (x < y) + z, (x <= y) * z, -(x < y)]),
    "comparisons as conditions": Case(lambda x, y, z: [rm.where(c, x, z) for c in (x < y, x <= y, x > y, x >= y, x == y, x != y)]),
    "numbers as conditions": Case(lambda x, y, z: [rm.where(x, y, z), rm.where(~x, y, z), rm.where(x - y, 1.0, 2.0), ~x, ~(x - y)]),
    "and or not": Case(
        lambda x, y, z: [
            (x < y) & (y < z),
            (x < y) | (y < z),
            ~(x < y),
            (x < y) & z,
            x & y,
            x | y,
            ~(x & (y < z)) | z,
            rm.where((x < y) & ~(y < z), x, y),
            rm.where(x & y, y, z),
            rm.where((x < 0.0) | y, y, z),
            ((x < y) | (y == z)) * x,
        ]
    ),
    "truth of truth": Case(lambda x, y, z: [(x < y) == (y < z), rm.where((x < y) < (y < z), x, y), (x < y) <= (y <= z)]),
    "select of truth": Case(lambda x, y, z: [rm.where(x < 0.0, x < y, y < z), rm.where(rm.where(x < 0.0, x < y, y < z), x, y)]),
    "floor abs": Case(lambda x, y, z: [rm.floor(x), abs(x), rm.floor(-x), abs(x - y), rm.floor(x + 0.5), rm.floor(x < y)]),
    "minimum maximum": Case(lambda x, y, z: [rm.minimum(x, y), rm.maximum(x, y), rm.minimum(rm.maximum(x, -1.0), 1.0), rm.maximum(x, z)]),
    "remainder": Case(lambda x, y, z: [x % 0.75, x % -0.75, y % 2.0], 4),
    "sqrt": Case(lambda x, y, z: [rm.sqrt(x), 1.0 / rm.sqrt(y), rm.sqrt(x * y)], 2, POSITIVE),
    "sin cos": Case(lambda x, y, z: [rm.sin(x), rm.cos(x), rm.cos(y), rm.sin(x + z), rm.sin(x < y), rm.cos(-z)], 16),
    "far sin cos": Case(lambda x, y, z: [rm.sin(x), rm.cos(x), rm.cos(y)], 4, ANY * 1e5),
    "exp tan atan sinh cosh tanh": Case(lambda x, y, z: [rm.exp(x), rm.tan(x), rm.atan(x), rm.sinh(x), rm.cosh(x), rm.tanh(x)], 4),
    "asin acos": Case(lambda x, y, z: [rm.asin(x), rm.acos(y)], 4, UNIT),
    "log pow": Case(lambda x, y, z: [rm.log(x), rm.power(x, y), x**0.3, x**-1.7, 2.0**x], 4, np.minimum(POSITIVE, 20.0)),
    "atan2": Case(lambda x, y, z: [rm.atan2(x, y), rm.atan2(x, 2.0), rm.atan2(-1.0, y), rm.atan2(x - y, z)], 4),
    "frozen": Case(lambda x, y, z: [rm.frozen(x * y), rm.frozen(x < y), rm.frozen(x < y) + z, rm.where(rm.frozen(x < y), x, z)]),
    "lookup": Case(lambda x, y, z: [ENTRIES[x], ENTRIES[2.0 * y], ENTRIES[x + y], ENTRIES[x < y], ENTRIES[1e9 * z]]),
    "gather": Case(lambda x, y, z: [table_of(x)[i] for i in (x, 2.0 * y, x + y, x < y, 1e9 * z)] + list(table_of(x, 3)[y])),
    "locate": Case(lambda x, y, z: [locate(KNOTS, x), locate(KNOTS, 2.0 * y), locate([0.0, 1.0], z)]),
    "spline": Case(
        lambda x, y, z: [(lambda i: ENTRIES[i] + (ENTRIES[i + 1.0] - ENTRIES[i]) * (x - Table(KNOTS)[i]))(locate(KNOTS[:5], x))], 8
    ),
    "constants": Case(lambda x, y, z: [1.0, -0.1, INF, rm.where(x < y, 1e300, -1e-300), rm.where(x < y, INF, -INF), x + 1e30]),
    **{f"stumpff {k}": Case(lambda x, y, z, k=k: [rm.stumpff(k, x)], 16, SQUARES, 1 / factorial(k)) for k in range(9)},
    "stumpff together": Case(lambda x, y, z: [rm.stumpff(k, x) for k in (7, 0, 3, 8, 1)], 32, SQUARES),
    "stumpff of two": Case(lambda x, y, z: [rm.stumpff(2, x), rm.stumpff(3, 2.0 * x), rm.sin(x), rm.stumpff(5, x)], 32, SQUARES),
}


def table_of(x: Any, columns: int = 0) -> TableInput:
    """A table among the constants, of 5 numbers or of 3 rows."""
    return TableInput(x.graph, CONSTANTS, 1, (3, columns) if columns else (5,))


def traced(case: Case) -> Kernel:
    x = Graph().inputs(RECORD, 3)
    return Kernel("case", tuple(Store(PARENT, i, value) for i, value in enumerate(case.outputs(*x))))


KERNELS = {name: traced(case) for name, case in CASES.items()}


WHOLE = ("double", "<4 x double>", "float", "<16 x float>")  # types in which every operation is tried, and in one of the others too
BETWEEN = [ty for ty in TYPES if ty not in WHOLE]


@pytest.mark.parametrize("ty", TYPES)
def test_an_operation_gives_the_interpreters_value(ty):
    dtype = dtype_of(ty)
    chosen = list(CASES) if LONG or ty in WHOLE else list(CASES)[BETWEEN.index(ty) :: len(BETWEEN)]
    run = compile_kernels({f"k{n}": KERNELS[name] for n, name in enumerate(chosen)}, ty)
    for number, name in enumerate(chosen):
        kernel, case = KERNELS[name], CASES[name]
        points = (ANY if case.points is None else np.asarray(case.points)).astype(dtype)
        blocks = lanes_of_points(points, ty)
        for block in blocks[:: 1 if LONG else -(-len(blocks) // 16)]:  # some of a scalar's many
            memory = {CONSTANTS: NUMBERS, RECORD: block, PARENT: np.zeros((len(kernel.stores), lanes_of(ty)))}
            found = run(f"k{number}", memory)[PARENT].astype(float)
            with np.errstate(over="ignore"):
                expected = reference(kernel, memory, dtype if case.ulps == 0 else np.float64)[PARENT].astype(dtype).astype(float)
            unit = case.ulps * float(np.finfo(dtype).eps)
            np.testing.assert_allclose(found, expected, rtol=unit, atol=unit * case.scale, err_msg=name)


def test_every_operation_of_a_trace_is_among_the_cases():
    from redmax.trace.evaluate import NUMERIC

    met = {e.op for kernel in KERNELS.values() for e in kernel.nodes}
    assert met >= set(NUMERIC) - {"scatter"}  # which is tried below: by itself it is no number


@np.errstate(all="ignore")
@pytest.mark.parametrize("ty", WHOLE)
def test_sums_at_computed_places(ty):
    """Each lane adds to the entries of its own, wherever the index is."""
    x, y, z = Graph().inputs(RECORD, 3)
    span, other = Span(PARENT, 1, 2, 4), Span(PARENT, 3, 2, 3)  # which share three of their entries
    kernel = Kernel("sums", (added_at(span, x, y), Store(PARENT, 1, z, accumulate=True), added_at(other, x + y, z)))
    run, lanes = compile_kernels({"k": kernel}, ty), lanes_of(ty)
    for block in lanes_of_points(np.concatenate([ANY[:64], PAIRS]).astype(dtype_of(ty)), ty):
        found = run("k", {CONSTANTS: NUMBERS, RECORD: block, PARENT: np.ones((9, lanes))})[PARENT]
        expected = np.ones((9, lanes), dtype_of(ty))
        for lane, (a, b, c) in enumerate(block.T):
            row, other_row = (int(np.fmin(np.fmax(np.floor(i), 0), n)) for i, n in ((a, 3), (a + b, 2)))
            expected[1 + 2 * row, lane] += b
            expected[1, lane] += c
            expected[3 + 2 * other_row, lane] += c
        np.testing.assert_array_equal(found, expected)


SPECIAL = [0.0, -0.0, 1.0, -1.0, INF, -INF, NAN, 1e-310, 1e308]
PAIRS = np.array([(a, b, 2.0) for a in SPECIAL for b in SPECIAL])
SPECIAL_CASES: dict[str, Callable[[Any, Any, Any], list[Any]]] = {
    "arithmetic": lambda x, y, z: [x + y, x - y, x * y, -x, 1.0 / x, abs(x), z + 0.0 * x],
    "rounding": lambda x, y, z: [rm.floor(x), rm.sqrt(x)],
    "comparisons": lambda x, y, z: [x < y, x <= y, x == y, x != y, x > y, x >= y],
    "logic": lambda x, y, z: [x & y, x | y, ~x, (x < y) & y],
    "choices": lambda x, y, z: [rm.where(x, z, 3.0), rm.where(x < y, x, z), rm.minimum(x, y), rm.maximum(x, y)],
    "unselected": lambda x, y, z: [
        rm.where(x > 0.0, rm.log(x), -5.0), rm.where(x == 0.0, 1.0, 1.0 / x), rm.where(x < 0.0, 0.0, rm.sqrt(x)),
        rm.where(abs(x) <= 1.0, rm.asin(x), z),
    ],
    "functions": lambda x, y, z: [rm.exp(x), rm.log(x), rm.atan(x), rm.tanh(x), rm.atan2(x, y), rm.power(x, y), rm.sinh(x), rm.cosh(x)],
    "sin cos": lambda x, y, z: [rm.sin(x), rm.cos(x), rm.tan(x)],
    "tables": lambda x, y, z: [ENTRIES[x], ENTRIES[x + y], table_of(x)[x], table_of(x)[y * z], table_of(x, 2)[x][1]],
    "squared angles": lambda x, y, z: [rm.stumpff(0, abs(x)), rm.stumpff(3, abs(x))],
}  # fmt: skip


@pytest.mark.parametrize("ty", ["double", "<8 x double>"])
def test_special_values(ty):
    """Infinities, NaN, signed zeros and subnormals come out as in NumPy, signs of zero included; an unselected NaN harms nobody."""
    kernels = {f"k{n}": traced(Case(outputs)) for n, outputs in enumerate(SPECIAL_CASES.values())}
    run = compile_kernels(kernels, ty)
    for name, (number, kernel) in zip(SPECIAL_CASES, kernels.items(), strict=True):
        for block in lanes_of_points(PAIRS, ty):
            memory = {CONSTANTS: NUMBERS, RECORD: block, PARENT: np.zeros((len(kernel.stores), lanes_of(ty)))}
            found, expected = run(number, memory)[PARENT], reference(kernel, memory)[PARENT]
            np.testing.assert_allclose(found, expected, rtol=1e-15, atol=0, equal_nan=True, err_msg=name)
            known = ~np.isnan(expected)
            np.testing.assert_array_equal(np.signbit(found)[known], np.signbit(expected)[known], err_msg=name)


def test_a_world_does_not_see_its_neighbours():
    """What one lane holds (NaN, infinity, a far angle) changes no bit in the others."""
    kernel = traced(Case(lambda x, y, z: [rm.sin(x), rm.cos(x), rm.stumpff(2, x * x), rm.atan2(x, y), ENTRIES[x], rm.where(x < y, x, z)]))
    run = compile_kernels({"f": kernel}, "<8 x double>")
    quiet = RNG.normal(size=(3, 8))
    calm = run("f", {RECORD: quiet, PARENT: np.zeros((6, 8))})[PARENT]
    for lane in range(8):
        for bad in (NAN, INF, 1e9):
            loud = quiet.copy()
            loud[0, lane] = bad
            found = run("f", {RECORD: loud, PARENT: np.zeros((6, 8))})[PARENT]
            others = np.arange(8) != lane
            np.testing.assert_array_equal(found[:, others], calm[:, others])


@pytest.mark.parametrize("ty", TYPES)
def test_constants_are_the_same_in_all_lanes(ty):
    graph = Graph()
    K, W = graph.inputs(CONSTANTS, 3), graph.inputs(RECORD, 1)
    kernel = Kernel(
        "constants", tuple(Store(PARENT, i, v) for i, v in enumerate([K[0], K[1] * W[0], K[2] + K[1], rm.where(K[0], W[0], 0.0)]))
    )
    memory = {CONSTANTS: np.array([0.1, -3.5, 7.25]), RECORD: RNG.normal(size=(1, lanes_of(ty))), PARENT: np.zeros((4, lanes_of(ty)))}
    found = compile_kernels({"f": kernel}, ty)("f", memory)
    x, same = memory[RECORD][0], np.ones(lanes_of(ty))
    np.testing.assert_allclose(found[PARENT], [0.1 * same, -3.5 * x, 3.75 * same, x], rtol=1e-6 if "float" in ty else 1e-15)
    np.testing.assert_array_equal(found[CONSTANTS], np.asarray(memory[CONSTANTS], found[CONSTANTS].dtype))


def scratch(lanes: int) -> dict[str, np.ndarray]:
    return {p: RNG.integers(-9, 10, (4, lanes)).astype(float) for p in (RECORD, PARENT, GATHERED, UPWARD, WORLD)} | {
        CONSTANTS: np.array([2.0, 3.0])
    }


def stores_kernel(make: Callable[[dict[str, list[Any]]], list[Store]]) -> Kernel:
    graph = Graph()
    inputs = {place: graph.inputs(place, 4) for place in (RECORD, PARENT, GATHERED, UPWARD, WORLD, CONSTANTS)}
    return Kernel("stores", tuple(make(inputs, inputs[RECORD])))


STORES: dict[str, Callable[[dict[str, list[Any]]], list[Store]]] = {
    "to every place": lambda m, w: [Store(p, 3, w[0] + i) for i, p in enumerate((RECORD, PARENT, GATHERED, UPWARD, WORLD))],
    "of constants": lambda m, w: [Store(RECORD, 0, 1.5), Store(PARENT, 1, -0.0), Store(UPWARD, 2, 4.0, True)],
    "of inputs": lambda m, w: [Store(RECORD, 0, m[CONSTANTS][1]), Store(PARENT, 1, w[2]), Store(WORLD, 2, m[GATHERED][0])],
    "accumulate": lambda m, w: [Store(UPWARD, 0, w[0] * w[1], True), Store(UPWARD, 1, m[GATHERED][0], True), Store(UPWARD, 2, w[3])],
    "accumulate twice": lambda m, w: [Store(UPWARD, 0, w[0], True), Store(UPWARD, 0, w[1] * w[2], True)],
    "accumulate what is read": lambda m, w: [Store(UPWARD, 0, m[UPWARD][0] * m[UPWARD][1], True), Store(UPWARD, 1, m[UPWARD][0], True)],
    "swap": lambda m, w: [Store(RECORD, 0, w[1]), Store(RECORD, 1, w[0])],
    "cycle": lambda m, w: [Store(RECORD, i, w[(i + 1) % 4] * w[i]) for i in range(4)],
    "read, modify, write": lambda m, w: [Store(RECORD, 0, w[0] + 1.0), Store(PARENT, 0, w[0] * 2.0), Store(RECORD, 1, w[0] * w[1])],
    "late read": lambda m, w: [Store(RECORD, 0, 2.0 * w[1]), Store(RECORD, 1, w[1] * w[0] * w[2] + w[3])],
    "twice, the simpler last": lambda m, w: [Store(PARENT, 0, w[0] * w[1] + w[2] * w[3]), Store(PARENT, 0, w[0])],
    "twice, the simpler first": lambda m, w: [Store(PARENT, 0, w[0]), Store(PARENT, 0, w[0] * w[1] + w[2])],
    "twice, a constant first": lambda m, w: [Store(PARENT, 0, 1.0), Store(PARENT, 0, w[0] * w[1])],
    "set, then add": lambda m, w: [Store(UPWARD, 0, w[0] * w[1]), Store(UPWARD, 0, w[2], True)],
}  # fmt: skip


@pytest.mark.parametrize("ty", ["double", "<4 x double>", "<8 x double>", "<16 x float>"])
def test_stores_happen_after_all_reads_and_in_order(ty):
    """On small integers, where every type is exact. Nothing but the named slots changes."""
    kernels = {f"k{n}": stores_kernel(stores) for n, stores in enumerate(STORES.values())}
    run = compile_kernels(kernels, ty)
    for name, (number, kernel) in zip(STORES, kernels.items(), strict=True):
        memory = scratch(lanes_of(ty))
        found = run(number, memory)
        for place, expected in reference(kernel, memory).items():
            np.testing.assert_array_equal(found[place], expected, err_msg=name)


def test_a_kernel_without_stores_has_no_code():
    assert module_text([("f", Kernel("nothing", ()))], "double").strip() == ""


def test_tables_that_hash_alike_stay_apart():
    """In Python hash(-1.0) == hash(-2.0), and so of tuples of them."""
    x = Graph().input(RECORD, 0)
    one, two = Table([-1.0, 5.0]), Table([-2.0, 5.0])
    assert hash(one.values) == hash(two.values)
    kernel = Kernel("tables", (Store(PARENT, 0, one[x]), Store(PARENT, 1, two[x])))
    for ty in ("double", "<4 x float>"):
        found = compile_kernels({"f": kernel}, ty)("f", {RECORD: np.zeros((1, lanes_of(ty))), PARENT: np.zeros((2, lanes_of(ty)))})
        np.testing.assert_array_equal(found[PARENT][:, 0], [-1.0, -2.0])


def test_the_rows_of_a_table_share_the_work_on_the_index():
    x = Graph().input(RECORD, 0)
    text = [
        module_text([("f", Kernel("f", tuple(Store(PARENT, i, v) for i, v in enumerate(table_of(x, n)[x]))))], "double") for n in (1, 9)
    ]
    assert [t.count("call double @llvm.floor") for t in text] == [1, 1]
    assert [t.count("= load") for t in text] == [2, 10]


@pytest.mark.parametrize("ty", TYPES)
def test_each_world_reads_its_own_table(ty):
    x, lanes = Graph().input(RECORD, 0), lanes_of(ty)
    kernel = Kernel("f", (Store(PARENT, 0, TableInput(x.graph, RECORD, 1, (3,))[x]),))
    record = np.vstack([np.arange(lanes) % 3, np.arange(3 * lanes).reshape(3, lanes)]).astype(float)
    found = compile_kernels({"f": kernel}, ty)("f", {RECORD: record, PARENT: np.zeros((1, lanes))})
    np.testing.assert_array_equal(found[PARENT][0], [record[1 + k % 3, k] for k in range(lanes)])


def test_an_unknown_operation_is_refused():
    graph = Graph()
    with pytest.raises(NotImplementedError, match="'erf'"):
        module_text([("f", Kernel("unknown", (Store(PARENT, 0, graph.node("erf", graph.input(RECORD, 0))),)))], "double")


@pytest.mark.skipif("+avx," not in host().features, reason="a CPU whose registers are no wider than what stacks are aligned to")
def test_what_a_kernel_in_lanes_puts_aside_lies_within_lines_of_the_cache():
    graph = Graph()
    x = graph.inputs(RECORD, 60)
    values = [x[i] * x[(7 * i + 1) % 60] + x[(11 * i + 3) % 60] * x[-1 - i] for i in range(60)]
    kernel = Kernel("k", tuple(Store(RECORD, i, v) for i, v in enumerate(values)))
    module = llvm.parse_assembly(module_text([("k", kernel)], "<4 x double>"), llvm.create_context())
    aside = re.findall(r"(vmov\w+)\s+%ymm\d+, -?\d*\(%r[sb]p\)", target_machine().emit_assembly(module))
    assert aside, "too few values to put any aside"
    assert set(aside) <= {"vmovapd", "vmovaps", "vmovdqa"}, "moves of aligned values alone"
