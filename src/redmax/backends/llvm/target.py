"""The CPU that kernels are compiled for, and the IR types that fill its vector registers.

The lane width is found at run time from the CPU's features: 8 doubles with AVX-512, 4 with AVX, 2 with SSE2 or NEON,
and twice as many floats. REDMAX_LANES = 1, 2, 4 or 8 forces another number of doubles (1: scalar code, floats too).
REDMAX_OPTIMISATION = 0 asks for code that is compiled several times sooner and runs two to three times longer.
Kernels are IR text over one type `ty`: `double`, `<8 x double>`, `float`, `<16 x float>`, ...
"""

from __future__ import annotations

import os
import struct
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

import llvmlite.binding as llvm
import numpy as np
from numpy.typing import DTypeLike

from redmax.errors import RedmaxError

LANES = (1, 2, 4, 8)
OPTIMISATION = 1  # measured: code as fast as at 2 and 3, compiled a fifth faster


@dataclass(frozen=True)
class Target:
    """What compiled code depends on besides its source; `doubles` is the number of double lanes, `optimisation` LLVM's level."""

    triple: str
    cpu: str
    features: str
    doubles: int
    optimisation: int

    def lanes(self, dtype: DTypeLike) -> int:
        """Lanes of a kernel over float64 or float32."""
        size = np.dtype(dtype).itemsize
        return self.doubles if size == 8 or self.doubles == 1 else 2 * self.doubles

    @property
    def key(self) -> str:
        """One string for the cache: object code is only good for the same CPU, compiler and lanes."""
        compiler = ".".join(map(str, llvm.llvm_version_info))
        return f"llvm {compiler}; {self.triple}; {self.cpu}; {self.features}; {self.doubles} lanes; level {self.optimisation}"


def host() -> Target:
    """This machine, with the lanes that REDMAX_LANES asks for and the level of REDMAX_OPTIMISATION."""
    return _host(_forced_lanes(os.environ.get("REDMAX_LANES", "")), _level(os.environ.get("REDMAX_OPTIMISATION", "")))


def target_machine(soon: bool = False) -> llvm.TargetMachine:
    """A code generator for this machine; soon: at level 0, whatever level was asked for.

    Its object files are loadable by any process. They reach constants and C functions at any distance ("jitdefault"):
    with the small code model, loading aborts once a large process has no room left near the code. Measured price: up to
    4 % of a sincos in scalar code, nothing in lanes, and 8 % of the compile time.
    """
    target = host()
    _initialise()
    return llvm.Target.from_triple(target.triple).create_target_machine(
        cpu=target.cpu, features=target.features, opt=0 if soon else target.optimisation, codemodel="jitdefault", jit=True
    )


@cache
def _initialise() -> None:
    """LLVM wants this before anything else is asked of it."""
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()


@cache
def _host(forced: int | None, level: int) -> Target:
    """The target for these choices; the CPU is asked once."""
    _initialise()
    features = _cpu_features()
    flags = [("+" if on else "-") + name for name, on in sorted(features.items())]
    if features.get("avx512f"):
        flags.append("-prefer-256-bit")  # many CPU names imply it, and LLVM would then cut 512-bit vectors in two
    return Target(llvm.get_process_triple(), llvm.get_host_cpu_name(), ",".join(flags), forced or _doubles(features), level)


def _cpu_features() -> Mapping[str, bool]:
    """What this CPU has and has not, by the names that LLVM gives it."""
    try:
        return llvm.get_host_cpu_features()
    except RuntimeError:  # LLVM cannot ask every system; the CPU's name then implies the features
        return {}


def _doubles(features: Mapping[str, bool]) -> int:
    """How many doubles the widest vector registers hold."""
    if features.get("avx512f"):
        return 8
    return 4 if features.get("avx2") or features.get("avx") else 2


def _forced_lanes(text: str) -> int | None:
    """The number in REDMAX_LANES, None if there is none."""
    if not text:
        return None
    if text not in map(str, LANES):
        raise RedmaxError(f"REDMAX_LANES is '{text}', expected 1, 2, 4 or 8; unset it to use what this CPU has")
    return int(text)


def _level(text: str) -> int:
    """The number in REDMAX_OPTIMISATION, or the default."""
    if text not in ("", "0", "1"):
        raise RedmaxError(f"REDMAX_OPTIMISATION is '{text}', expected 0 (compiled sooner) or 1 (runs faster); unset it for 1")
    return int(text or OPTIMISATION)


def ir_type(element: str, lanes: int) -> str:
    """("double", 8) -> "<8 x double>"; one lane is the plain scalar."""
    return element if lanes == 1 else f"<{lanes} x {element}>"


def element_of(ty: str) -> str:
    """The type of one lane: double for <8 x double> and for double."""
    return ty.strip("<>").split()[-1]


def lanes_of(ty: str) -> int:
    """8 for <8 x double>, 1 for double."""
    return int(ty[1:].split()[0]) if ty.startswith("<") else 1


def suffix(ty: str) -> str:
    """The name LLVM gives a type inside an intrinsic's name: "<8 x double>" -> "v8f64", "float" -> "f32"."""
    bits = {"double": "f64", "float": "f32"}.get(element_of(ty), element_of(ty))
    return bits if lanes_of(ty) == 1 else f"v{lanes_of(ty)}{bits}"


def constant(value: float | int, ty: str) -> str:
    """`value` in every lane, written so that no bit is lost (IR writes floats as the double of the same value)."""
    element = element_of(ty)
    if element.startswith("i"):
        text = str(value)
    else:
        rounded = struct.unpack("f", struct.pack("f", value))[0] if element == "float" else float(value)
        text = f"0x{struct.unpack('Q', struct.pack('d', rounded))[0]:016X}"
    return text if lanes_of(ty) == 1 else f"splat ({element} {text})"


def aligned(count: int, dtype: np.dtype) -> np.ndarray:
    """Zeros on a 64-byte boundary."""
    raw = np.zeros(count * dtype.itemsize + 64, np.uint8)
    start = -raw.ctypes.data % 64
    return raw[start : start + count * dtype.itemsize].view(dtype)
