"""Kernels compiled for one type and called on plain arrays, and what they should do: evaluate the values, then store in order."""

from __future__ import annotations

import ctypes
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import llvmlite.binding as llvm
import numpy as np

from redmax.backends.llvm import libm
from redmax.backends.llvm.module import module_text
from redmax.backends.llvm.target import element_of, host, lanes_of, target_machine
from redmax.program.kernel import PLACES, Kernel
from redmax.trace import evaluate_numeric

DOUBLES = ("double", "<2 x double>", "<4 x double>", "<8 x double>")
FLOATS = ("float", "<4 x float>", "<16 x float>")
ENTRY = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * len(PLACES))
Memory = dict[str, np.ndarray]  # place -> (slots, lanes), and constants -> (slots,)


def dtype_of(ty: str) -> np.dtype:
    return np.dtype(np.float64 if element_of(ty) == "double" else np.float32)


def aligned(array: np.ndarray) -> np.ndarray:
    """A copy on a 64-byte boundary, where a workspace would lie."""
    raw = np.empty(array.nbytes + 64, np.uint8)
    start = -raw.ctypes.data % 64
    copy = raw[start : start + array.nbytes].view(array.dtype).reshape(array.shape)
    copy[...] = array
    return copy


@dataclass(eq=False)
class Compiled:
    """Functions of one module by kernel name."""

    ty: str
    engine: llvm.ExecutionEngine

    def __call__(self, name: str, memory: Mapping[str, Any]) -> Memory:
        """The memory after the kernel has run on a copy of it."""
        dtype = dtype_of(self.ty)
        after = {place: aligned(np.atleast_1d(np.asarray(values, dtype))) for place, values in memory.items()}
        pointers = [after[place].ctypes.data if place in after else None for place in PLACES]
        ENTRY(self.engine.get_function_address(name))(*pointers)
        return after


def compile_kernels(kernels: Mapping[str, Kernel], ty: str) -> Compiled:
    libm.bind_symbols()
    module = llvm.parse_assembly(module_text(list(kernels.items()), ty), llvm.create_context())
    module.verify()
    empty = llvm.parse_assembly("")
    empty.triple = host().triple
    engine = llvm.create_mcjit_compiler(empty, target_machine())
    engine.add_object_file(llvm.ObjectFileRef.from_data(target_machine().emit_object(module)))
    engine.finalize_object()
    return Compiled(ty, engine)


def reference(kernel: Kernel, memory: Mapping[str, Any], dtype: Any = np.float64) -> Memory:
    """All values from the memory as it was, then the stores one after the other."""
    before = {place: np.atleast_1d(np.asarray(values, dtype)) for place, values in memory.items()}
    after = {place: values.copy() for place, values in before.items()}
    with np.errstate(all="ignore"):
        values = evaluate_numeric(kernel.values, lambda place, index: before[place][index])
    for s, value in zip(kernel.stores, values, strict=True):
        after[s.base][s.index] = after[s.base][s.index] + value if s.accumulate else value
    return after


def lanes_of_points(points: np.ndarray, ty: str) -> list[np.ndarray]:
    """Points (n, inputs) as blocks (inputs, lanes), the last one filled up by repeating."""
    lanes = lanes_of(ty)
    padded = np.concatenate([points, np.repeat(points[-1:], -len(points) % lanes, axis=0)])
    return [block.T.copy() for block in padded.reshape(-1, lanes, points.shape[1])]
