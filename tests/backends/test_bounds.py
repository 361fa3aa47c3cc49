"""Compiled gathers and lookups cannot leave their table, whatever the index: tables lie against pages that end the process when touched,
and the numbers are those of NumPy's clamp."""

from __future__ import annotations

import ctypes
import mmap
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from backends.compiled_kernels import DOUBLES, ENTRY, FLOATS, aligned, compile_kernels, dtype_of, lanes_of_points
from redmax.program.kernel import CONSTANTS, PLACES, RECORD, Kernel, Store
from redmax.trace import Graph, Span, Table, evaluate_numeric
from redmax.trace.logic import gather
from redmax.trace.span import kept_inside

PAGE = mmap.PAGESIZE
HARD = [
    float("nan"), -float("nan"), float("inf"), -float("inf"), 1e300, -1e300, 1.7976931348623157e308, 5e-324, -5e-324, 0.0, -0.0, -1.0, -0.5,
    2.0**24, 2.0**24 + 1, 2.0**31 - 1, 2.0**31, 2.0**31 + 1, -(2.0**31), 2.0**32, 2.0**32 + 3, 2.0**52, 2.0**53, 2.0**63, 2.0**64, 1e18,
]  # fmt: skip


def signalling(dtype: np.dtype) -> np.ndarray:
    """NaNs that signal, of both signs, and one with other bits."""
    if dtype == np.float64:
        return np.array([0x7FF0000000000001, 0xFFF0000000000001, 0x7FFFFFFFFFFFFFFF], np.uint64).view(np.float64)
    return np.array([0x7F800001, 0xFF800001, 0x7FFFFFFF], np.uint32).view(np.float32)


@contextmanager
def fenced(values: np.ndarray, at_end: bool) -> Iterator[int]:
    """The address of a copy that touches a page which may not be read, behind its end or before its beginning."""
    size = -(-values.nbytes // PAGE) * PAGE
    room = mmap.mmap(-1, size + 2 * PAGE)
    view = (ctypes.c_char * len(room)).from_buffer(room)
    base = ctypes.addressof(view)
    protect = ctypes.CDLL(None, use_errno=True).mprotect
    protect.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
    start = PAGE + (size - values.nbytes if at_end else 0)
    room[start : start + values.nbytes] = values.tobytes()
    for page in (base, base + PAGE + size):
        assert protect(page, PAGE, 0) == 0
    try:
        yield base + start
    finally:
        for page in (base, base + PAGE + size):
            protect(page, PAGE, mmap.PROT_READ | mmap.PROT_WRITE)
        del view
        room.close()


def reads(span: Span) -> Kernel:
    """record[1] = the entry of a table among the constants at record[0]."""
    graph = Graph()
    return Kernel("read", (Store(RECORD, 1, gather(span, graph.input(RECORD, 0))),))


def looks_up(table: Table) -> Kernel:
    return Kernel("read", (Store(RECORD, 1, table[Graph().input(RECORD, 0)]),))


def run(compiled, indices: np.ndarray, constants: int) -> np.ndarray:
    """The entries at these indices, lanes at a time; constants: their address."""
    found = []
    for block in lanes_of_points(indices[:, None], compiled.ty):
        memory = aligned(np.concatenate([block, np.zeros_like(block)]).astype(dtype_of(compiled.ty), copy=False))
        memory.view(np.uint8)[: block.nbytes] = block.view(np.uint8).ravel()  # signalling NaNs as they are
        pointers = {CONSTANTS: constants, RECORD: memory.ctypes.data}
        ENTRY(compiled.engine.get_function_address("read"))(*[pointers.get(p) for p in PLACES])
        found.append(memory[1].copy())
    return np.concatenate(found)[: len(indices)]


def inside(indices: np.ndarray, rows: int) -> np.ndarray:
    with np.errstate(invalid="ignore"):  # NaNs that signal do
        return kept_inside(indices, rows)


def indices_for(ty: str, count: int, more=()) -> np.ndarray:
    dtype = dtype_of(ty)
    near = [f(count + d) for d in (-2, -1, 0, 1) for f in (float, lambda x: x - 0.5, lambda x: np.nextafter(float(x), 0.0))]
    with np.errstate(over="ignore"):
        return np.concatenate([np.array([*HARD, *near, *more]).astype(dtype), signalling(dtype)])


@pytest.mark.parametrize("at_end", [True, False])
@pytest.mark.parametrize("ty", [*DOUBLES, *FLOATS])
def test_no_index_takes_a_gather_out_of_its_table(ty, at_end):
    for rows, width, start in ((1, 1, 0), (7, 1, 0), (5, 3, 2), (1000, 4, 1)):
        entries = np.arange(1.0, rows * width + 1).astype(dtype_of(ty))
        compiled = compile_kernels({"read": reads(Span(CONSTANTS, start, width, rows))}, ty)
        indices = indices_for(ty, rows)
        with fenced(entries, at_end) as constants:
            found = run(compiled, indices, constants)
        assert found.tolist() == entries.reshape(rows, width)[inside(indices, rows), start].tolist()


@pytest.mark.parametrize("ty", [*DOUBLES, *FLOATS])
def test_no_index_takes_a_lookup_out_of_its_table(ty):
    for rows in (1, 5, 300):
        table = Table(np.arange(1.0, rows + 1))
        indices = indices_for(ty, rows)
        found = run(compile_kernels({"read": looks_up(table)}, ty), indices, 0)
        assert found.tolist() == table.array[inside(indices, rows)].tolist()


@pytest.mark.parametrize("ty", ["double", DOUBLES[-1], "float", FLOATS[-1]])
@pytest.mark.parametrize(("rows", "width"), [(2**24 + 4, 1), (2**28 + 10, 16), (2**31 - 1, 1), (2**31 + 7, 3), (2**36 + 1, 2)])
def test_tables_whose_last_row_no_float_is_or_whose_offsets_need_more_bits(ty, rows, width):
    """The table itself is not there, but for the two rows that are read: its room is reserved, and may not be touched elsewhere."""
    dtype = dtype_of(ty)
    compiled = compile_kernels({"read": reads(Span(CONSTANTS, 0, width, rows))}, ty)
    size = rows * width * dtype.itemsize
    with reserved(size) as (base, allow):
        last = base + (rows - 1) * width * dtype.itemsize
        for address, value in ((base, 11.0), (last, 22.0)):
            allow(address, dtype.itemsize)
            ctypes.memmove(address, np.array([value], dtype).tobytes(), dtype.itemsize)
        beyond = np.array([float("inf"), 1e300, 2.0**40, 2.0**63, -1.0, float("nan"), 0.5], float)
        with np.errstate(over="ignore"):
            found = run(compiled, beyond.astype(dtype), base)
    assert found.tolist() == [22.0, 22.0, 22.0, 22.0, 11.0, 11.0, 11.0]


@contextmanager
def reserved(size: int):
    """Addresses that no memory belongs to, between others that may not be touched either; allow(address, count) gives some of it."""
    libc = ctypes.CDLL(None, use_errno=True)
    libc.mmap.restype = ctypes.c_void_p
    libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long]
    libc.mprotect.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
    libc.munmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
    whole = (-(-size // PAGE) + 2) * PAGE
    flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | getattr(mmap, "MAP_NORESERVE", 0x4000)
    start = libc.mmap(None, whole, 0, flags, -1, 0)
    assert start not in (None, ctypes.c_void_p(-1).value)

    def allow(address: int, count: int) -> None:
        first = address // PAGE * PAGE
        assert libc.mprotect(first, address + count - first, mmap.PROT_READ | mmap.PROT_WRITE) == 0

    try:
        yield start + whole - PAGE - size, allow
    finally:
        libc.munmap(start, whole)


COMPILED: dict = {}


@settings(max_examples=60, deadline=None)
@given(
    st.sampled_from([*DOUBLES, *FLOATS]),
    st.sampled_from([(1, 1, 0), (2, 3, 1), (9, 2, 0), (64, 1, 0)]),
    st.lists(st.one_of(st.floats(), st.floats(-3, 70), st.sampled_from(HARD)), min_size=1, max_size=20),
    st.integers(0, 2**32 - 1),
)
def test_compiled_interpreted_and_numpys_clamp_agree_on_random_tables(ty, shape, indices, seed):
    rows, width, start = shape
    dtype = dtype_of(ty)
    span = Span(CONSTANTS, start, width, rows)
    if (ty, shape) not in COMPILED:
        COMPILED[ty, shape] = reads(span), compile_kernels({"read": reads(span)}, ty)
    kernel, compiled = COMPILED[ty, shape]
    entries = np.random.default_rng(seed).normal(size=rows * width).astype(dtype)
    with np.errstate(over="ignore"):
        points = np.array(indices).astype(dtype)
    with fenced(entries, True) as constants:
        found = run(compiled, points, constants)
    interpreted = evaluate_numeric(kernel.values, lambda place, i: entries[i] if place == CONSTANTS else points)[0]
    clamped = np.clip(np.nan_to_num(np.floor(points), nan=0.0), 0, rows - 1).astype(int)
    assert found.tobytes() == np.asarray(interpreted).tobytes() == entries.reshape(rows, width)[clamped, start].tobytes()
