"""sin, cos, Stumpff functions and C functions in compiled code, against mpmath, for every type a kernel can have."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from functools import cache
from math import factorial

import llvmlite.binding as llvm
import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from random_examples import examples
from redmax.backends.llvm import libm
from redmax.backends.llvm.stumpff import emit_stumpff
from redmax.backends.llvm.target import element_of, host, lanes_of, target_machine
from redmax.backends.llvm.vector_math import FAR, HALF_PI, emit_sincos, prelude
from redmax.trace.stumpff import stumpff, stumpff_all

DOUBLES = ["double", "<2 x double>", "<4 x double>", "<8 x double>"]
FLOATS = ["float", "<4 x float>", "<8 x float>", "<16 x float>"]
NUMPY = {"asin": "arcsin", "acos": "arccos", "atan": "arctan", "atan2": "arctan2", "pow": "power"}
Lines = list[str]
Emit = Callable[[Lines, list[str]], tuple[Sequence[str], str]]


def loop(ty: str, inputs: int, emit: Emit, module: dict[str, str]) -> str:
    """A module whose `f(in, out, n)` runs what `emit` writes on n rows of `inputs` values of type `ty`."""
    align = f"align {8 if element_of(ty) == 'double' else 4}"
    lines = ["entry:", "br label %loop", "loop:", "%i = phi i64 [0, %entry], [%next, %LAST]"]
    for k in range(inputs):
        lines += [f"%j{k} = mul i64 %i, {inputs}", f"%k{k} = add i64 %j{k}, {k}"]
        lines += [f"%p{k} = getelementptr {ty}, ptr %in, i64 %k{k}", f"%x{k} = load {ty}, ptr %p{k}, {align}"]
    values, last = emit(lines, [f"%x{k}" for k in range(inputs)])
    for k, value in enumerate(values):
        lines += [f"%l{k} = mul i64 %i, {len(values)}", f"%m{k} = add i64 %l{k}, {k}"]
        lines += [f"%q{k} = getelementptr {ty}, ptr %out, i64 %m{k}", f"store {ty} {value}, ptr %q{k}, {align}"]
    lines += ["%next = add i64 %i, 1", "%more = icmp ult i64 %next, %n", "br i1 %more, label %loop, label %done"]
    body = "\n".join([*lines, "done:", "ret void"]).replace("%LAST", f"%{last}")
    return "\n".join([*module.values(), f"define void @f(ptr %in, ptr %out, i64 %n) {{\n{body}\n}}"])


def compiled(ty: str, text: str, outputs: int) -> Callable[..., list[np.ndarray]]:
    """The function of a module made by `loop`, on arrays whose length is a multiple of the lanes."""
    libm.bind_symbols()
    machine, module, empty = target_machine(), llvm.parse_assembly(text), llvm.parse_assembly("")
    empty.triple = host().triple
    module.verify()
    code = machine.emit_object(module)
    engine = llvm.create_mcjit_compiler(empty, machine)
    engine.add_object_file(llvm.ObjectFileRef.from_data(code))
    engine.finalize_object()
    call = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64)(engine.get_function_address("f"))
    lanes, dtype = lanes_of(ty), np.float64 if element_of(ty) == "double" else np.float32

    def run(*arrays: np.ndarray) -> list[np.ndarray]:
        keep_alive = engine  # noqa: F841
        rows = np.stack([np.asarray(a, dtype).reshape(-1, lanes) for a in arrays], axis=1)
        out = np.empty((len(rows), outputs, lanes), dtype)
        call(rows.ctypes.data, out.ctypes.data, len(rows))
        return [out[:, k].ravel() for k in range(outputs)]

    return run


@cache
def sincos(ty: str) -> Callable[..., list[np.ndarray]]:
    def emit(lines: Lines, x: list[str]) -> tuple[Sequence[str], str]:
        s, c, block = emit_sincos(lines, x[0], "t", ty, "loop")
        return (s, c), block

    return compiled(ty, loop(ty, 1, emit, prelude(ty)), 2)


@cache
def compiled_stumpff(ty: str, kmin: int, kmax: int) -> Callable[..., list[np.ndarray]]:
    def emit(lines: Lines, x: list[str]) -> tuple[Sequence[str], str]:
        return emit_stumpff(lines, x[0], kmax, "t", ty, "loop", kmin)

    return compiled(ty, loop(ty, 1, emit, prelude(ty)), kmax - kmin + 1)


def compiled_libm(name: str, ty: str) -> Callable[..., list[np.ndarray]]:
    def emit(lines: Lines, x: list[str]) -> tuple[Sequence[str], str]:
        return [libm.emit_call(lines, name, x, "%y", ty)], "loop"

    return compiled(ty, loop(ty, libm.ARITY[name], emit, libm.declarations([name], ty)), 1)


def exact(function: Callable, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The function to twice the precision of double: nearest double, and what is left."""
    with mpmath.workprec(160):
        values = [function(mpmath.mpf(float(v))) for v in x]
        near = np.array([float(v) for v in values])
        return near, np.array([float(v - mpmath.mpf(n)) for v, n in zip(values, near)])


def ulps(y: np.ndarray, true: tuple[np.ndarray, np.ndarray]) -> float:
    """The largest error in units of the last place of the true value."""
    near, rest = true
    return float(np.max(np.abs((y - near) - rest) / np.spacing(np.abs(near))))


@cache
def angles() -> dict[str, np.ndarray]:
    random = np.random.default_rng(7)
    quarter = random.integers(-63661, 63661, 800) * (np.pi / 2)
    quarter = np.concatenate([quarter, np.arange(-128, 128) * (np.pi / 2)])
    ends = [np.nextafter(FAR, 0), np.pi / 4, np.nextafter(np.pi / 4, 1), 3 * np.pi / 4, 5e-324, 2.3e-308, 1e-200, 1e-8]
    return {
        "first turn": random.uniform(-6.4, 6.4, 4096),
        "all": random.uniform(-FAR, FAR, 4096),
        "around quarter turns": np.concatenate([quarter, np.nextafter(quarter, 1e9), np.nextafter(quarter, -1e9)]),
        "tiny": np.geomspace(1e-300, 1e-3, 512) * random.choice([-1, 1], 512),
        "special": np.concatenate([ends, np.negative(ends)]),
        "far": np.geomspace(FAR, 1e300, 512) * random.choice([-1, 1], 512),
    }


@cache
def true_sincos(which: str) -> tuple[tuple[np.ndarray, np.ndarray], tuple[np.ndarray, np.ndarray]]:
    return exact(mpmath.sin, angles()[which]), exact(mpmath.cos, angles()[which])


def test_three_doubles_hold_half_pi():
    with mpmath.workprec(400):
        assert abs(mpmath.pi / 2 - sum(map(mpmath.mpf, HALF_PI))) < 2.0**-160


@pytest.mark.parametrize("which", angles())
def test_sin_and_cos_are_within_two_ulp_and_the_same_in_every_number_of_lanes(which):
    alone = sincos("double")(angles()[which])
    for y, true in zip(alone, true_sincos(which)):
        assert ulps(y, true) < (1.0 if which == "far" else 1.6)
    for ty in DOUBLES[1:]:
        np.testing.assert_array_equal(sincos(ty)(angles()[which]), alone, err_msg=ty)


@pytest.mark.parametrize("ty", FLOATS)
@pytest.mark.parametrize("which", ["first turn", "all", "tiny"])
def test_sin_and_cos_of_floats_are_rounded_right(ty, which):
    x = angles()[which].astype(np.float32)
    for y, f in zip(sincos(ty)(x), (np.sin, np.cos)):
        np.testing.assert_array_equal(y, f(x.astype(np.float64)).astype(np.float32))


@pytest.mark.parametrize("ty", DOUBLES + FLOATS)
def test_sin_of_minus_zero_is_minus_zero(ty):
    s, c = sincos(ty)(np.resize([-0.0, 0.0], 16))
    assert np.all(s == 0)
    assert np.all(np.signbit(s) == np.resize([True, False], 16))
    assert np.all(c == 1)


@pytest.mark.parametrize("ty", DOUBLES + FLOATS)
def test_infinity_and_nan_give_nan_in_their_own_lane_only(ty):
    x = np.linspace(-3, 3, 48)
    for k, bad in ((3, np.inf), (18, -np.inf), (33, np.nan), (34, np.nan)):
        x[k] = bad
    s, c = sincos(ty)(x)
    np.testing.assert_array_equal(np.isnan(s), ~np.isfinite(x))
    np.testing.assert_array_equal(np.isnan(c), ~np.isfinite(x))


@pytest.mark.parametrize("ty", DOUBLES[1:] + FLOATS[1:])
def test_a_lane_does_not_depend_on_its_neighbours(ty):
    x = angles()["first turn"].copy()
    alone = sincos(ty)(x)
    x[::5] = 1e17
    among_far = sincos(ty)(x)
    for a, b in zip(alone, among_far):
        np.testing.assert_array_equal(np.delete(a, np.s_[::5]), np.delete(b, np.s_[::5]))


@examples(100, 300)
@given(st.floats(width=64))
def test_sin_and_cos_of_any_double(x):
    for y, f in zip(sincos("<8 x double>")(np.full(8, x)), (mpmath.sin, mpmath.cos)):
        assert np.all(y == y[0]) or np.all(np.isnan(y))
        assert ulps(y[:1], exact(f, np.array([x]))) < 1.6 if np.isfinite(x) else np.isnan(y[0])


def series(k: int) -> Callable:
    """c_k from its definition."""

    def c(x):
        total, term, j = mpmath.mpf(0), 1 / mpmath.factorial(k), 0
        while abs(term) > mpmath.mpf(2) ** -150:
            total, j = total + term, j + 1
            term *= -x / ((2 * j + k - 1) * (2 * j + k))
        return total

    return c


@cache
def squared_angles() -> np.ndarray:
    near_switches = np.array([k * (k - 1) / 2 for k in range(2, 11)])
    switches = np.concatenate([near_switches, np.nextafter(near_switches, 0), np.nextafter(near_switches, 99)])
    small = np.geomspace(1e-300, 1.0, 60)
    x = np.concatenate([[0.0], small, -np.geomspace(1e-300, 1e-9, 20), np.linspace(0, 50, 150), switches])
    return np.concatenate([x, np.linspace(0, 50, -len(x) % 16)])


@cache
def true_stumpff(k: int) -> tuple[np.ndarray, np.ndarray]:
    return exact(series(k), squared_angles())


def scaled_error(y: np.ndarray, k: int) -> float:
    """Relative to c_k(0) = 1/k!."""
    near, rest = true_stumpff(k)
    return float(np.max(np.abs((y - near) - rest))) * factorial(k)


def test_stumpff_functions_of_arrays():
    for k, y in enumerate(stumpff_all(12, squared_angles())):
        assert scaled_error(y, k) < 6e-16
        np.testing.assert_allclose(stumpff(k, squared_angles()), y, rtol=0, atol=6e-16 / factorial(k))
        assert stumpff(k, 2.5) == pytest.approx(float(series(k)(mpmath.mpf(2.5))), rel=1e-15)


ORDERS = [(0, 0), (1, 1), (0, 1), (1, 3), (2, 3), (5, 5), (0, 6), (3, 8), (0, 12), (12, 12)]


@pytest.mark.parametrize("ty", DOUBLES)
def test_compiled_stumpff_functions(ty):
    for kmin, kmax in ORDERS:
        for k, y in enumerate(compiled_stumpff(ty, kmin, kmax)(squared_angles()), start=kmin):
            assert scaled_error(y, k) < 7e-16, (kmin, kmax, k)


@pytest.mark.parametrize("ty", FLOATS)
def test_compiled_stumpff_functions_of_floats(ty):
    x = squared_angles().astype(np.float32)
    for y, true in zip(compiled_stumpff(ty, 0, 5)(x), stumpff_all(5, x.astype(np.float64))):
        np.testing.assert_allclose(y, true, rtol=6e-8, atol=1e-15)


def test_stumpff_functions_beyond_the_range_of_the_polynomials():
    x = np.array([51.0, 1e3, 1e6, 9.9e9, 1.1e10, 1e14, 1e300, 1e308])
    root = np.sqrt(x)
    for y, true in ((compiled_stumpff("<8 x double>", 0, 3)(x), None), (stumpff_all(3, x), None)):
        true = [np.cos(root), np.sin(root) / root, (1 - np.cos(root)) / x, (1 - np.sin(root) / root) / x]
        np.testing.assert_allclose(y, true, rtol=1e-14, atol=1e-15)
    for y in (compiled_stumpff("double", 0, 3)(np.array([np.nan, np.inf])), stumpff_all(3, np.array([np.nan, np.inf]))):
        assert np.all(np.isnan(y))


def test_stumpff_emits_nothing_that_is_not_used():
    for kmin, kmax in ORDERS:
        lines: Lines = []
        used = set(emit_stumpff(lines, "%x", kmax, "t", "double", "entry", kmin).values)
        for line in reversed(lines):
            name = line.split(" = ")[0]
            if " = " in line and "phi" not in line and "extractvalue" not in line:
                assert name in used, line
            used |= {word.strip(",()[]{}") for word in line.split(" = ")[-1].split()}


ARGUMENTS = {"acos": (-1, 1), "asin": (-1, 1), "log": (1e-3, 50), "pow": (0, 9), "exp": (-9, 9)}


@pytest.mark.parametrize("ty", ["double", "<2 x double>", "<8 x double>", "float", "<16 x float>"])
def test_c_functions_lane_by_lane(ty: str):
    dtype = np.float64 if "double" in ty else np.float32
    for name in libm.ARITY:
        low, high = ARGUMENTS.get(name, (-3, 3))
        args = np.random.default_rng(3).uniform(low, high, (libm.ARITY[name], 64)).astype(dtype)
        (y,) = compiled_libm(name, ty)(*args)
        true = getattr(np, NUMPY.get(name, name))(*args.astype(np.float64))
        np.testing.assert_allclose(y, true, rtol=1e-15 if dtype == np.float64 else 6e-8, err_msg=name)
