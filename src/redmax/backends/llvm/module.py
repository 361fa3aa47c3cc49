"""The module that LLVM compiles: the functions of some kernels and routines, and what these need."""

from __future__ import annotations

from collections.abc import Sequence

from redmax.backends.llvm.emit import KernelWriter
from redmax.backends.llvm.loops import routine_text
from redmax.program.kernel import Kernel
from redmax.program.routines.routine import Looped


def module_text(kernels: Sequence[tuple[str, Kernel | Looped]], ty: str) -> str:
    """The module that holds these kernels (name, kernel)."""
    needs: dict[str, str] = {}
    functions = [
        routine_text(k, name, ty, needs) if isinstance(k, Looped) else KernelWriter(k, name, ty, needs).write()
        for name, k in kernels
        if isinstance(k, Looped) or k.stores
    ]
    return "\n".join([*needs.values(), *functions])
