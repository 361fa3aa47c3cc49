"""Machine code in this process, for as long as somebody holds it.

Who calls code holds its `Code`: a lowered plan does, and through it each thread that runs the plan. The shelf knows codes by weak
references and holds only the most recent ones itself, so that a model that is made again and again loads nothing, and a thousand different
ones leave nothing behind.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping, Sequence
from contextlib import suppress
from weakref import WeakValueDictionary, finalize

import llvmlite.binding as llvm

from redmax.backends.llvm.libm import bind_symbols
from redmax.backends.llvm.target import target_machine

RECENT = 64  # codes that are held though nobody else does, about 0.1 MB each


class Code:
    """Some objects that were loaded together. addresses: of their functions, by name."""

    def __init__(self, engine: llvm.ExecutionEngine, addresses: Mapping[str, int], retired: list[llvm.ExecutionEngine]) -> None:
        self.addresses = addresses
        finalize(self, retired.append, engine).atexit = False


class Shelf:
    """Codes by the keys of their objects."""

    def __init__(self) -> None:
        self.codes: WeakValueDictionary[str, Code] = WeakValueDictionary()
        self.recent: OrderedDict[Code, None] = OrderedDict()
        self.retired: list[llvm.ExecutionEngine] = []

    def find(self, key: str) -> Code | None:
        """The code with this object, if it is loaded; it counts as used now."""
        code = self.codes.get(key)
        if code is not None:
            self.use(code)
        return code

    def use(self, code: Code) -> None:
        """Count a code as used now, and let go of those that were not used for longest."""
        self.recent.pop(code, None)  # each of these is one step, so that threads may share the shelf
        self.recent[code] = None
        while len(self.recent) > RECENT:
            with suppress(KeyError):
                self.recent.popitem(last=False)

    def load(self, objects: Mapping[str, bytes], names: Mapping[str, Sequence[str]]) -> Code:
        """Load objects together, by key; names: the functions of each. What was released in the meantime goes first."""
        self.clear_retired()
        bind_symbols()
        engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), target_machine())
        for data in objects.values():
            engine.add_object_file(llvm.object_file.ObjectFileRef.from_data(data))
        engine.finalize_object()
        code = Code(engine, {f: engine.get_function_address(f) for key in objects for f in names[key]}, self.retired)
        for key in objects:
            self.codes[key] = code
        self.use(code)
        return code

    def clear_retired(self) -> None:
        """Free the memory of codes that nobody holds: here, never where the garbage collector happens to find them."""
        with suppress(IndexError):  # another thread had the last
            while self.retired:
                self.retired.pop().close()
