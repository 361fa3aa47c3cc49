"""From a plan to a function that can be called: kernels from memory, from the disk cache, or compiled now; then linked.

One object file holds the kernels of one recursion for one kind of joint, whatever the model. It is found by the content that made it,
so a second process, or another model with the same kinds of joints, neither traces nor compiles.
"""

from __future__ import annotations

import ctypes
import hashlib
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache, lru_cache
from pathlib import Path

import llvmlite.binding as llvm

from redmax.backends.llvm.cache import default_cache
from redmax.backends.llvm.emit import module_text
from redmax.backends.llvm.libm import bind_symbols
from redmax.backends.llvm.target import host, target_machine
from redmax.program.group import Kernels, Meta

PACKAGE = Path(__file__).resolve().parents[2]
TRACED = (
    "described.py", "made.py", "math.py", "signatures.py", "trace", "lie", "program", "backends", "curves", "surfaces", "joints", "forces",
    "muscles", "deformables", "dynamics", "integrators",
)  # fmt: skip
LONG = 100_000  # characters of a module, which LLVM compiles in a tenth of a second
OPTIMISATION = 1  # measured: code as fast as at 2 and 3, compiled a fifth faster


@cache
def source_key() -> str:
    """A hash of the source that kernels come from: a changed equation never meets old object code."""
    digest = hashlib.sha256()
    for part in TRACED:
        root = PACKAGE / part
        for path in sorted(root.rglob("*.py")) if root.is_dir() else [root]:
            digest.update(path.read_bytes())
    return digest.hexdigest()


def content_key(*parts: str) -> str:
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


class Library:
    """Object code by content, in memory and on disk, linked into this process on demand."""

    def __init__(self) -> None:
        self.meta: dict[str, Meta] = {}
        self.objects: dict[str, bytes] = {}
        self.addresses: dict[str, dict[str, int]] = {}
        self.engines: list[llvm.ExecutionEngine] = []
        self.compiled = 0

    def describe(self, group: Kernels) -> Meta:
        """Sizes of a group, for any type; without tracing it if some process has traced it before."""
        key = content_key("sizes", group.key(source_key()))
        if key not in self.meta:
            found = default_cache().get(key)
            self.meta[key] = read_meta(found[1]) if found else group.meta
            if not found:
                default_cache().put(key, b"", write_meta(self.meta[key]))
        return self.meta[key]

    def kernels(self, groups: Sequence[Kernels], ty: str) -> dict[Kernels, list[int]]:
        """The address of each sweep's kernel (0 where a sweep has nothing to do)."""
        keys = {g: content_key("kernels", g.key(source_key()), ty, host().key) for g in groups}
        missing = {k: g for g, k in keys.items() if not self.known(k)}
        texts = {k: module_text([(f"k{k}_{n}", kernel) for n, kernel in enumerate(g.kernels)], ty) for k, g in missing.items()}
        for key, data in zip(texts, compile_all(list(texts.values())), strict=True):
            self.keep(key, data)
        names = {k: [f"k{k}_{n}" for n, there in enumerate(self.describe(g).present) if there] for g, k in keys.items()}
        self.load({k: n for k, n in names.items() if k not in self.addresses})
        return {g: [self.addresses[k].get(f"k{k}_{n}", 0) for n in range(len(self.describe(g).present))] for g, k in keys.items()}

    def function(self, key: str, text_of: Callable[[], str], names: Sequence[str]) -> dict[str, int]:
        """Addresses of the functions of one module; `text_of()` writes it if it is not known."""
        if key not in self.addresses:
            if not self.known(key):
                self.keep(key, compile_one(text_of()))
            self.load({key: names})
        return self.addresses[key]

    def known(self, key: str) -> bool:
        """Whether the object code with this key is at hand, in memory or on disk."""
        if key not in self.objects:
            found = default_cache().get(key)
            if found is not None:
                self.objects[key] = found[0]
        return key in self.objects

    def keep(self, key: str, data: bytes) -> None:
        self.objects[key] = data
        self.compiled += 1
        default_cache().put(key, data, {})

    def load(self, names: Mapping[str, Sequence[str]]) -> None:
        """Load the objects with these keys together, and note the addresses of the functions named."""
        if not names:
            return
        bind_symbols()
        engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), target_machine(OPTIMISATION))
        for key in names:
            engine.add_object_file(llvm.object_file.ObjectFileRef.from_data(self.objects[key]))
        engine.finalize_object()
        for key, functions in names.items():
            self.addresses[key] = {f: engine.get_function_address(f) for f in functions}
        self.engines.append(engine)  # the code lives as long as its engine


def write_meta(meta: Meta) -> dict[str, object]:
    return {"parked": meta.parked, "operations": list(meta.operations), "present": list(meta.present)}


def read_meta(entry: dict[str, object]) -> Meta:
    return Meta(int(entry["parked"]), tuple(entry["operations"]), tuple(entry["present"]))  # type: ignore[arg-type]


def compile_one(text: str) -> bytes:
    context = llvm.create_context()
    module = llvm.parse_assembly(text, context)
    return target_machine(OPTIMISATION).emit_object(module)


def compile_all(texts: Sequence[str]) -> list[bytes]:
    """Each module in its own context; LLVM runs without the interpreter lock, so two cores compile two modules.

    What may take long is compiled by other threads in any case: this one then hears of Ctrl-C.
    """
    if not texts or (len(texts) == 1 and len(texts[0]) < LONG):
        return [compile_one(t) for t in texts]
    host()
    pool = ThreadPoolExecutor(max_workers=4)
    try:
        return list(pool.map(compile_one, texts))
    finally:
        pool.shutdown(wait=False, cancel_futures=True)  # after Ctrl-C, no more than the modules that are being compiled


@lru_cache(maxsize=1)
def library() -> Library:
    """The process's one library of kernels."""
    return Library()


ENTRY = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_void_p)
