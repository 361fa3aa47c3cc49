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
TRACED = ("math.py", "trace", "lie", "program", "backends", "joints", "dynamics", "integrators")
OPTIMISATION = 2


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

    def group_key(self, group: Kernels, ty: str) -> str:
        return content_key("kernels", group.key(source_key()), ty, host().key)

    def describe(self, group: Kernels, ty: str) -> Meta:
        """Sizes of a group, without tracing it if its code is known."""
        key = self.group_key(group, ty)
        if key not in self.meta:
            found = default_cache().get(key)
            if found is not None:
                self.objects[key] = found[0]
                self.meta[key] = read_meta(found[1])
            else:
                self.meta[key] = group.meta
        return self.meta[key]

    def describe_double(self, group: Kernels) -> Meta:
        """Sizes do not depend on the type; scalar code is what most programs need first."""
        return self.describe(group, "double")

    def kernels(self, groups: Sequence[Kernels], ty: str) -> dict[Kernels, list[int]]:
        """The address of each sweep's kernel (0 where a sweep has nothing to do)."""
        keys = {g: self.group_key(g, ty) for g in groups}
        for g in groups:
            self.describe(g, ty)
        missing = {k: g for g, k in keys.items() if k not in self.objects}
        texts = {k: module_text([(f"k{k}_{n}", kernel) for n, kernel in enumerate(g.kernels)], ty) for k, g in missing.items()}
        for key, data in zip(texts, compile_all(list(texts.values())), strict=True):
            self.objects[key] = data
            default_cache().put(key, data, write_meta(self.meta[key]))
        self.compiled += len(texts)
        self.link([k for k in keys.values() if k not in self.addresses])
        return {g: [self.addresses[k].get(f"k{k}_{n}", 0) for n in range(len(self.meta[k].present))] for g, k in keys.items()}

    def function(self, key: str, text_of: Callable[[], str], names: Sequence[str]) -> dict[str, int]:
        """Addresses of the functions of one module; `text_of()` writes it if it is not known."""
        if key not in self.addresses:
            if key not in self.objects:
                found = default_cache().get(key)
                if found is None:
                    text = text_of()
                    self.objects[key] = compile_all([text])[0]
                    default_cache().put(key, self.objects[key], {})
                    self.compiled += 1
                else:
                    self.objects[key] = found[0]
            self.load({key: names})
        return self.addresses[key]

    def link(self, keys: Sequence[str]) -> None:
        """Load objects of kernels that are not loaded yet."""
        names = {k: [f"k{k}_{n}" for n, there in enumerate(self.meta[k].present) if there] for k in dict.fromkeys(keys)}
        self.load(names)

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
    """Each module in its own context; LLVM runs without the interpreter lock, so two cores compile two modules."""
    if len(texts) < 2:
        return [compile_one(t) for t in texts]
    host()
    with ThreadPoolExecutor(max_workers=4) as pool:
        return list(pool.map(compile_one, texts))


@lru_cache(maxsize=1)
def library() -> Library:
    """The process's one library of kernels."""
    return Library()


ENTRY = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_void_p)
