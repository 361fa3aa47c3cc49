"""Stumpff functions of a squared angle as IR text, written inline into a kernel.

The method, its thresholds and its coefficients are those of `redmax.trace.stumpff`. Both sides are computed, on
arguments that keep them finite, and each order takes one of them. Only what the orders asked for need is emitted:
nothing removes dead code afterwards.
"""

from __future__ import annotations

from math import factorial
from typing import NamedTuple

from redmax.backends.llvm.target import element_of, ir_type, lanes_of
from redmax.backends.llvm.vector_math import Writer, emit_sincos
from redmax.trace.stumpff import series, switch


class Stumpff(NamedTuple):
    """Names of c_kmin ... c_kmax, and the label of the block that the code after them is in."""

    values: list[str]
    block: str


def emit_stumpff(lines: list[str], x: str, kmax: int, prefix: str, ty: str, block: str, kmin: int = 0) -> Stumpff:
    """Append c_kmin(x) ... c_kmax(x); `block` is the label of the block that `lines` is in.

    New names and labels are `prefix`, which must be unique in the kernel, a dot and more. The module needs
    `prelude(ty)` of `vector_math`.
    """
    w, orders = Writer(lines, prefix, ty), range(kmin, kmax + 1)
    if element_of(ty) == "double":
        return _stumpff(w, x, orders, block)
    double = w.over(ir_type("double", lanes_of(ty)))
    values, block = _stumpff(double, w.cast("fpext", x, double.ty), orders, block)
    return Stumpff([double.cast("fptrunc", v, ty) for v in values], block)


def _stumpff(w: Writer, x: str, orders: range, block: str) -> Stumpff:
    """Of a double: each order takes the way that is stable at x."""
    limits = sorted({switch(k) for k in orders})
    below = {limit: w.op("fcmp olt", x, w.constant(limit)) for limit in limits}
    low = _downwards(w, w.select(below[limits[-1]], x, w.constant(limits[-1])), orders)
    high, block = _upwards(w, w.select(below[limits[0]], w.constant(limits[0]), x), orders, block)
    return Stumpff([w.select(below[switch(k)], low[k], high[k]) for k in orders], block)


def _downwards(w: Writer, x: str, orders: range) -> dict[int, str]:
    """From the series of the two highest orders, for x up to the switch of the highest."""
    minus_x = w.put(f"fneg {w.ty} {x}")
    c: dict[int, str] = {}
    for k in reversed(orders):
        if k + 2 in c:
            c[k] = w.intrinsic("fma", minus_x, c[k + 2], w.constant(1 / factorial(k)))
        else:
            c[k] = w.polynomial(minus_x, series(k, switch(orders[-1])))
    return c


def _upwards(w: Writer, x: str, orders: range, block: str) -> tuple[dict[int, str], str]:
    """From sin and cos, for x not below the lowest switch; a single order needs the steps of its own parity only."""
    root = w.intrinsic("sqrt", x)
    s, c0, block = emit_sincos(w.lines, root, f"{w.prefix}.root", w.ty, block)
    c = {0: c0}
    if orders[-1] > 0:
        inverse = w.op("fdiv", w.constant(1.0), x)
        for k in sorted({k for last in orders[-2:] for k in range(last, 0, -2)}):
            factor = w.op("fmul", s, root) if k == 1 else w.op("fsub", w.constant(1 / factorial(k - 2)), c[k - 2])
            c[k] = w.op("fmul", factor, inverse)
    return c, block
