"""sin and cos as IR text, written inline into a kernel of any type `ty`.

For |x| < 1e5: n = round(2|x|/pi) and r = |x| - n pi/2, with pi/2 cut into three doubles (Cody & Waite, Software
Manual for the Elementary Functions, 1980). Fused multiply-add makes the first subtraction exact: the difference is
below 1 and a multiple of 2^-53. On |r| <= pi/4 follow the minimax polynomials of fdlibm (k_sin.c and k_cos.c, Sun
Microsystems 1993), whose own error is below 2^-57; the quadrant n mod 4 swaps the two and sets their signs. The sign of
x is put on sin last, so that sin(-0.0) = -0.0. Measured error: below 1.5 ulp, the same bits for any number of lanes.

A lane with any other x (far, infinite, NaN) takes both values from the C library, in a branch that is otherwise not
taken; the remaining lanes keep theirs, so that the numbers of one world do not depend on its neighbours in the batch.
Floats are widened to double and the results rounded.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import count
from typing import NamedTuple

from redmax.backends.llvm.libm import c_function, lane_function, return_type
from redmax.backends.llvm.target import constant, element_of, ir_type, lanes_of, suffix

FAR = 1e5

HALF_PI = (1.5707963267948966, 6.123233995736766e-17, -1.4973849048591698e-33)
TWO_OVER_PI = 0.6366197723675814
ROUNDER = 2.0**52  # the sum with it is rounded to an integer, whose low bits are those of the sum
SIGN = -(2**63)

# sin r = r + r^3 (S[0] + S[1] r^2 + ...),  cos r = 1 + r^2 (C[0] + C[1] r^2 + ...)
S = (
    -1.66666666666666324348e-01,
    8.33333333332248946124e-03,
    -1.98412698298579493134e-04,
    2.75573137070700676789e-06,
    -2.50507602534068634195e-08,
    1.58969099521155010221e-10,
)
C = (
    -0.5,
    4.16666666666666019037e-02,
    -1.38888888888741095749e-03,
    2.48015872894767294178e-05,
    -2.75573143513906633035e-07,
    2.08757232129817482790e-09,
    -1.13596475577881948265e-11,
)


class SinCos(NamedTuple):
    """Names of the two values, and the label of the block that the code after them is in."""

    sin: str
    cos: str
    block: str


def prelude(ty: str) -> dict[str, str]:
    """What a module that uses `emit_sincos` on `ty` needs once: IR by symbol, so that such dicts can be merged."""
    ty = ir_type("double", lanes_of(ty))
    far_lane = [
        "%xi = load double, ptr %x.at",
        "%size = call double @llvm.fabs.f64(double %xi)",
        f"%near = fcmp olt double %size, {constant(FAR, 'double')}",
        "br i1 %near, label %next, label %far",
        "far:",
        "%si = call double @sin(double %xi)",
        "store double %si, ptr %s.at",
        "%ci = call double @cos(double %xi)",
        "store double %ci, ptr %c.at",
    ]
    # `cold` tells LLVM to move the blocks that call it, and what they spill, out of the kernel's way
    cold = lane_function(_cold_name(ty), ty, ("x", "s", "c"), ("s", "c"), far_lane, "noinline cold")
    return {**c_function("sin"), **c_function("cos"), _cold_name(ty): cold}


def emit_sincos(lines: list[str], x: str, prefix: str, ty: str, block: str) -> SinCos:
    """Append sin and cos of the value `x`; `block` is the label of the block that `lines` is in.

    New names and labels are `prefix`, which must be unique in the kernel, a dot and more.
    """
    w = Writer(lines, prefix, ty)
    if element_of(ty) == "float":
        double = ir_type("double", lanes_of(ty))
        s, c, block = _sincos(w.over(double), w.cast("fpext", x, double), block)
        s, c = (w.over(double).cast("fptrunc", v, ty) for v in (s, c))
        return SinCos(s, c, block)
    return _sincos(w, x, block)


class Writer:
    """Appends instructions on values of one type; each result gets a name that starts with `prefix` and a dot."""

    def __init__(self, lines: list[str], prefix: str, ty: str, numbers: Iterator[int] | None = None) -> None:
        self.lines, self.prefix, self.ty = lines, prefix, ty
        self._numbers = numbers or count()

    def over(self, ty: str) -> Writer:
        """The same writer for another type."""
        return Writer(self.lines, self.prefix, ty, self._numbers)

    def put(self, text: str) -> str:
        """Append `name = text` and return the name."""
        name = f"%{self.prefix}.{next(self._numbers)}"
        self.lines.append(f"{name} = {text}")
        return name

    def op(self, name: str, a: str, b: str) -> str:
        """An instruction with two operands: op("fmul", a, b), op("fcmp olt", a, b)."""
        return self.put(f"{name} {self.ty} {a}, {b}")

    def intrinsic(self, name: str, *args: str) -> str:
        """One of LLVM's own functions: intrinsic("fma", a, b, c)."""
        return self.put(f"call {self.ty} @llvm.{name}.{suffix(self.ty)}({', '.join(f'{self.ty} {a}' for a in args)})")

    def select(self, mask: str, a: str, b: str) -> str:
        """`a` in the lanes where the mask is set, `b` in the others."""
        return self.put(f"select {ir_type('i1', lanes_of(self.ty))} {mask}, {self.ty} {a}, {self.ty} {b}")

    def cast(self, how: str, value: str, to: str) -> str:
        """A value of this type as one of another: cast("fpext", x, "double")."""
        return self.put(f"{how} {self.ty} {value} to {to}")

    def constant(self, value: float) -> str:
        """A number in every lane, as an operand of the instructions above."""
        return constant(value, self.ty)

    def polynomial(self, x: str, coefficients: Sequence[float]) -> str:
        """coefficients[0] + coefficients[1] x + ... by Horner's rule."""
        value = self.constant(coefficients[-1])
        for c in reversed(coefficients[:-1]):
            value = self.intrinsic("fma", value, x, self.constant(c))
        return value


def _sincos(w: Writer, x: str, block: str) -> SinCos:
    """Of a double: all lanes as if they were near, then those that are far once more."""
    size = w.intrinsic("fabs", x)
    s, c = _near(w, x, size)
    far = w.op("fcmp uge", size, w.constant(FAR))  # unordered: true for NaN
    return _branch_if_far(w, x, s, c, _any(w, far), block)


def _near(w: Writer, x: str, size: str) -> tuple[str, str]:
    """sin and cos of x, where `size` is |x| < FAR."""
    shifted = w.intrinsic("fma", size, w.constant(TWO_OVER_PI), w.constant(ROUNDER))
    n = w.op("fsub", shifted, w.constant(ROUNDER))
    r = size
    for part in HALF_PI:
        r = w.intrinsic("fma", n, w.constant(-part), r)
    z = w.op("fmul", r, r)
    sin_r = w.intrinsic("fma", w.op("fmul", r, z), w.polynomial(z, S), r)
    cos_r = w.intrinsic("fma", z, w.polynomial(z, C), w.constant(1.0))
    return _turn(w, sin_r, cos_r, shifted, x)


def _turn(w: Writer, sin_r: str, cos_r: str, shifted: str, x: str) -> tuple[str, str]:
    """From the angle r in the first quadrant to n quadrants on; the low bits of `shifted` are n.

    On integers, because a selection between scalar doubles would become a branch that no CPU can predict.
    """
    i = w.over(ir_type("i64", lanes_of(w.ty)))
    sin_r, cos_r, n, x = (w.cast("bitcast", v, i.ty) for v in (sin_r, cos_r, shifted, x))
    odd = i.op("icmp ne", i.op("and", n, i.constant(1)), i.constant(0))
    half_turn = i.op("shl", n, i.constant(62))
    sin_sign = i.op("and", i.op("xor", half_turn, x), i.constant(SIGN))
    cos_sign = i.op("and", i.op("shl", i.op("add", n, i.constant(1)), i.constant(62)), i.constant(SIGN))
    s = i.op("xor", i.select(odd, cos_r, sin_r), sin_sign)
    c = i.op("xor", i.select(odd, sin_r, cos_r), cos_sign)
    return i.cast("bitcast", s, w.ty), i.cast("bitcast", c, w.ty)


def _any(w: Writer, mask: str) -> str:
    """One bit: is the mask set in any lane?"""
    lanes = lanes_of(w.ty)
    if lanes == 1:
        return mask
    bits = w.over(f"<{lanes} x i1>").cast("bitcast", mask, f"i{lanes}")
    return w.put(f"icmp ne i{lanes} {bits}, 0")


def _branch_if_far(w: Writer, x: str, s: str, c: str, condition: str, block: str) -> SinCos:
    """If a lane is far, call the C library for those lanes; both ways meet in the block that the result names."""
    cold, end, both = f"{w.prefix}.cold", f"{w.prefix}.end", return_type(w.ty, 2)
    w.lines += [f"br i1 {condition}, label %{cold}, label %{end}", f"{cold}:"]
    pair = w.put(f"call {both} @{_cold_name(w.ty)}({w.ty} {x}, {w.ty} {s}, {w.ty} {c})")
    far_s, far_c = (w.put(f"extractvalue {both} {pair}, {k}") for k in (0, 1))
    w.lines += [f"br label %{end}", f"{end}:"]
    s, c = (w.put(f"phi {w.ty} [{near}, %{block}], [{far}, %{cold}]") for near, far in ((s, far_s), (c, far_c)))
    return SinCos(s, c, end)


def _cold_name(ty: str) -> str:
    """The symbol of the function that takes the far lanes."""
    return f"rm.sincos.cold.{suffix(ty)}"
