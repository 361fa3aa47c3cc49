"""Elementwise functions that kernels leave to the C library: tan, atan2, exp, pow, ...

A scalar kernel calls the C function itself. A kernel over lanes, or over floats, calls an internal function of its
module that goes through the lanes in a loop: the kernel stays small, and so does what has to be compiled. The C
functions are those of double; floats are widened and the result is rounded.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterable, Sequence
from functools import cache

import llvmlite.binding as llvm

from redmax.backends.llvm.target import element_of, lanes_of, suffix

ARITY = {
    "tan": 1,
    "asin": 1,
    "acos": 1,
    "atan": 1,
    "atan2": 2,
    "exp": 1,
    "log": 1,
    "pow": 2,
    "sinh": 1,
    "cosh": 1,
    "tanh": 1,
}

# Compiled code also refers to these: far arguments of sin and cos, and fused multiply-add on a CPU without it.
OTHER_SYMBOLS = ("sin", "cos", "fma", "fmaf")


def emit_call(lines: list[str], name: str, args: Sequence[str], out: str, ty: str) -> str:
    """Append `out = name(args)` for values of type `ty`; return `out`."""
    function = name if ty == "double" else _lane_name(name, ty)
    lines.append(f"{out} = call {ty} @{function}({', '.join(f'{ty} {a}' for a in args)})")
    return out


def declarations(names: Iterable[str], ty: str) -> dict[str, str]:
    """What a module with calls of `names` on `ty` needs once: IR by symbol, so that such dicts can be merged."""
    found = {}
    for name in names:
        found |= c_function(name)
        if ty != "double":
            found[_lane_name(name, ty)] = _lane_definition(name, ty)
    return found


def c_function(name: str) -> dict[str, str]:
    """The declaration of one function of the C library, by symbol."""
    arguments = ", ".join(["double"] * ARITY.get(name, 1))
    return {name: f"declare double @{name}({arguments})"}


@cache
def bind_symbols() -> None:
    """Tell LLVM where this process has the C functions; call it before any code is loaded.

    Python may have loaded the library in a way that keeps its names from LLVM's own search.
    """
    library = ctypes.CDLL(None)
    if not hasattr(library, "atan2"):
        library = ctypes.CDLL("libm.so.6")
    for name in (*ARITY, *OTHER_SYMBOLS):
        address = ctypes.cast(getattr(library, name), ctypes.c_void_p).value
        assert address is not None
        llvm.add_symbol(name, address)


def lane_function(
    symbol: str,
    ty: str,
    arguments: Sequence[str],
    results: Sequence[str],
    body: Sequence[str],
    attributes: str = "noinline",
) -> str:
    """An internal function that runs `body` for one lane after the other.

    The arguments lie in memory; inside `body`, `%<argument>.at` points to the entry of the current lane. The arguments
    named in `results` are what the function returns afterwards, as {ty, ty, ...} or plain ty if there is one.
    """
    element, pointers = element_of(ty), [(f"%{a}", f"%{a}.all", f"%{a}.at") for a in arguments]
    lines = [
        "entry:",
        *(f"{all_} = alloca {ty}" for _, all_, _ in pointers),
        *(f"store {ty} {value}, ptr {all_}" for value, all_, _ in pointers),
        "br label %lane",
        "lane:",
        "%i = phi i64 [0, %entry], [%i.next, %next]",
        *(f"{at} = getelementptr {element}, ptr {all_}, i64 %i" for _, all_, at in pointers),
        *body,
        "br label %next",
        "next:",
        "%i.next = add i64 %i, 1",
        f"%more = icmp ult i64 %i.next, {lanes_of(ty)}",
        "br i1 %more, label %lane, label %done",
        "done:",
        *_return_lines(ty, results),
    ]
    typed = ", ".join(f"{ty} %{a}" for a in arguments)
    text = "\n".join(lines)
    return f"define internal {return_type(ty, len(results))} @{symbol}({typed}) {attributes} {{\n{text}\n}}"


def return_type(ty: str, count: int) -> str:
    """What a lane function with `count` results returns."""
    return ty if count == 1 else f"{{{', '.join([ty] * count)}}}"


def _return_lines(ty: str, results: Sequence[str]) -> list[str]:
    """Load what the lanes have left in memory, and return it."""
    lines = [f"%{r}.new = load {ty}, ptr %{r}.all" for r in results]
    if len(results) == 1:
        return [*lines, f"ret {ty} %{results[0]}.new"]
    together, value = return_type(ty, len(results)), "poison"
    for k, r in enumerate(results):
        lines.append(f"%together.{k} = insertvalue {together} {value}, {ty} %{r}.new, {k}")
        value = f"%together.{k}"
    return [*lines, f"ret {together} {value}"]


def _lane_name(name: str, ty: str) -> str:
    """The symbol of a C function that goes through the lanes."""
    return f"rm.{name}.{suffix(ty)}"


def _lane_definition(name: str, ty: str) -> str:
    """The function that calls a C function for one lane after the other."""
    element, arguments, body = element_of(ty), ["a", "b"][: ARITY[name]], []
    wide = [f"%{a}.wide" for a in arguments]
    for a, w in zip(arguments, wide):
        body += [f"%{a}.x = load {element}, ptr %{a}.at", _convert(w, "fpext", element, f"%{a}.x", "double")]
    emit_call(body, name, wide, "%y", "double")
    body += [_convert("%y.x", "fptrunc", "double", "%y", element), f"store {element} %y.x, ptr %a.at"]
    return lane_function(_lane_name(name, ty), ty, arguments, ["a"], body)


def _convert(out: str, how: str, source: str, value: str, to: str) -> str:
    """Between float and double; from double to double nothing happens, but the value gets its name."""
    how = "bitcast" if source == to else how
    return f"{out} = {how} {source} {value} to {to}"
