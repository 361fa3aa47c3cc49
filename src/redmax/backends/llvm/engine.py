"""From a plan to a function that can be called: kernels from memory, from the disk cache, or compiled now; then linked.

One object file holds the kernels of one recursion for one kind of joint, whatever the model. It is found by the content that made it,
so a second process, or another model with the same kinds of joints, neither traces nor compiles.
"""

from __future__ import annotations

import ctypes
import hashlib
import os
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import cache, lru_cache
from itertools import chain
from pathlib import Path

import llvmlite.binding as llvm

from redmax.backends.llvm.cache import default_cache
from redmax.backends.llvm.code import Code, Shelf
from redmax.backends.llvm.module import module_text
from redmax.backends.llvm.target import Target, host, target_machine
from redmax.program.blocks import Block, BranchRuns, FedRun, RepeatRuns, Run, WideRun
from redmax.program.group import Kernels, Meta
from redmax.program.plan import Plan
from redmax.program.program import Save
from redmax.program.written import Stores, stores_of

PACKAGE = Path(__file__).resolve().parents[2]
BESIDE = frozenset({"bodies", "bridges", "cli", "design", "results", "run", "scenes", "view"})  # what no kernel comes from
LONG = 100_000  # characters of modules, which LLVM compiles in a tenth of a second
VERY_LONG = 500_000  # characters, for which LLVM would take time that grows with their square, unless it only translates
PART = 10_000  # characters from branch to branch: routines of many short loops may be as long as they are
BRANCHES = 40  # of a routine, from which on LLVM's passes are worth the time that they take
DESCRIBED = 2048  # groups whose sizes are remembered, half a kilobyte each


@cache
def source_key(package: Path = PACKAGE) -> str:
    """A hash of the source that kernels come from, which is all but what is BESIDE: a changed equation never meets old object code."""
    digest = hashlib.sha256()
    for name, path in source_files(str(package)):
        with open(path, "rb", buffering=0) as file:
            digest.update(f"{name}\n".encode() + file.read())
    return digest.hexdigest()


def source_files(folder: str, above: str = "") -> Iterator[tuple[str, str]]:
    """Name within the package, and path, of each file that kernels may come from. Every process asks, so that it may not take long."""
    with os.scandir(folder) as entries:
        found = sorted(entries, key=lambda entry: entry.name)
    for entry in found:
        if entry.name.endswith(".py"):
            yield above + entry.name, entry.path
        elif entry.is_dir() and entry.name not in (BESIDE if not above else {"__pycache__"}):
            yield from source_files(entry.path, f"{above}{entry.name}/")


def content_key(*parts: str) -> str:
    """The name, in the cache, of what is made from these parts and nothing else."""
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


def shape_of(plan: Plan) -> str:
    """What the driver depends on: the nesting of blocks and the number of arrays."""

    def text(blocks: Sequence[Block]) -> str:
        return " ".join(
            "run" if isinstance(b, Run)
            else f"wide({b.count})" if isinstance(b, WideRun)
            else f"repeat({b.until}: {text(b.body)})" if isinstance(b, RepeatRuns)
            else f"branch({b.flag}: {text(b.body)})" if isinstance(b, BranchRuns)
            else f"save({b.strided})" if isinstance(b, Save)
            else f"feed{b.inputs}" if isinstance(b, FedRun)
            else "host"
            for b in blocks
        )  # fmt: skip

    return f"{text(plan.blocks)} inputs={len(plan.inputs)} outputs={len(plan.outputs)} straight={plan.program.straight}"


class Library:
    """Object code by content, on disk and in this process, linked on demand and released when nobody holds it."""

    def __init__(self) -> None:
        self.meta: OrderedDict[str, Meta] = OrderedDict()
        self.known_stores: OrderedDict[str, Stores] = OrderedDict()
        self.written: OrderedDict[str, str] = OrderedDict()  # the text of a module -> the key of one that has been compiled
        self.shelf = Shelf()
        self.compiled = 0

    def describe(self, group: Kernels) -> Meta:
        """Sizes of a group, for any type; without tracing it if some process has traced it before."""
        key = content_key("sizes", group.key(source_key()))
        meta = self.meta.get(key)
        if meta is None:
            found = default_cache().get(key)
            meta = self.meta[key] = read_meta(found[1]) if found else group.meta
            if not found:
                default_cache().put(key, b"", write_meta(meta))
            while len(self.meta) > DESCRIBED:
                with suppress(KeyError):  # another thread did it
                    self.meta.popitem(last=False)
        return meta

    def stores(self, group: Kernels) -> Stores:
        """Where the kernels of a group store to; without tracing it if some process has traced it before."""
        key = content_key("stores", group.key(source_key()))
        if key not in self.known_stores:
            found = default_cache().get(key)
            if not found:
                default_cache().put(key, b"", {"stores": stores_of(group)})
            self.known_stores[key] = found[1]["stores"] if found else stores_of(group)
            while len(self.known_stores) > DESCRIBED:
                with suppress(KeyError):
                    self.known_stores.popitem(last=False)
        return self.known_stores[key]

    def kernels(self, groups: Sequence[Kernels], ty: str) -> tuple[dict[Kernels, list[int]], list[Code]]:
        """The address of each sweep's kernel (0 where a sweep has nothing to do), good for as long as the codes are held."""
        keys = {g: content_key("kernels", g.key(source_key()), ty, host().key) for g in groups}
        present = {k: self.describe(g).present for g, k in keys.items()}
        codes = {k: self.shelf.find(k) for k in keys.values()}
        objects = self.objects({k: g for g, k in keys.items() if codes[k] is None}, ty)
        names = {k: [f"k{k}_{n}" for n, there in enumerate(present[k]) if there] for k in objects}
        loaded = self.shelf.load(objects, names) if objects else None
        used = {k: code or loaded for k, code in codes.items()}
        addresses = {g: [address_in(used[k], f"k{k}_{n}") for n in range(len(present[k]))] for g, k in keys.items()}
        return addresses, [code for code in set(used.values()) if code is not None]

    def objects(self, groups: Mapping[str, Kernels], ty: str) -> dict[str, bytes]:
        """The object code of groups, by key: from the disk, or compiled together."""
        objects = {k: found for k in groups if (found := stored_object(k)) is not None}
        alike: dict[str, list[str]] = {}  # those of limbs on both sides, and of other kinds of joints that one sweep treats alike

        def texts() -> Iterator[str]:
            for key in [k for k in groups if k not in objects]:
                text = module_text([(f"k{key}_{n}", kernel) for n, kernel in enumerate(groups[key].kernels)], ty)
                same = content_key(text.replace(key, ""), host().key)
                before = self.written.get(same, key)
                data = stored_object(before) if before != key else None
                if data is not None:
                    objects[key] = self.keep(key, renamed(data, before, key))
                    continue
                self.written[same] = key
                alike.setdefault(same, []).append(key)
                if len(alike[same]) == 1:
                    yield text

        for data, keys in zip(compile_all(texts()), alike.values(), strict=True):
            objects |= {key: self.keep(key, renamed(data, keys[0], key)) for key in keys}
        while len(self.written) > DESCRIBED:
            with suppress(KeyError):  # another thread did it
                self.written.popitem(last=False)
        return objects

    def function(self, key: str, text_of: Callable[[], str], names: Sequence[str]) -> Code:
        """The functions of one module; `text_of()` writes it if it is not known."""
        code = self.shelf.find(key)
        if code is None:
            data = stored_object(key)
            data = self.keep(key, compile_one(text_of(), passes=False)) if data is None else data
            code = self.shelf.load({key: data}, {key: names})
        return code

    def keep(self, key: str, data: bytes) -> bytes:
        """Put new object code into the cache, count it, and hand it on."""
        self.compiled += 1
        default_cache().put(key, data, {})
        return data


def stored_object(key: str) -> bytes | None:
    """The object code with this key, if some process has compiled it before."""
    found = default_cache().get(key)
    return None if found is None else found[0]


def address_in(code: Code | None, name: str) -> int:
    """Where a function of loaded code is; 0 if it is not there, as where a sweep has nothing to do."""
    return 0 if code is None else code.addresses.get(name, 0)


def write_meta(meta: Meta) -> dict[str, object]:
    """Sizes of a group as JSON can hold them, for the cache."""
    return {"parked": meta.parked, "operations": list(meta.operations), "present": list(meta.present)}


def read_meta(entry: dict[str, object]) -> Meta:
    """The sizes that `write_meta` wrote."""
    return Meta(int(entry["parked"]), tuple(entry["operations"]), tuple(entry["present"]))  # type: ignore[arg-type]


def compile_one(text: str, passes: bool = True) -> bytes:
    """The object code of one module; a very long one without loops is only translated, or LLVM would take minutes.

    passes: whether routines of many loops may be simplified. What runs them is left as it is written: its functions within each other would
    take three times as long to compile, and gain nothing.
    """
    context = llvm.create_context()
    module = llvm.parse_assembly(text, context)
    branches = text.count("br i1")
    code = emitter(host(), len(text) > max(VERY_LONG, PART * branches))
    if passes and branches > BRANCHES and host().optimisation:
        simplify(module, code)
    return code.emit_object(module)


def simplify(module: llvm.ModuleRef, code: llvm.TargetMachine) -> None:
    """LLVM's passes over a routine of many loops: a seventh less time in the solver of contacts. Loops stay as they are written."""
    options = llvm.create_pipeline_tuning_options(speed_level=1)
    options.loop_unrolling = options.loop_vectorization = options.slp_vectorization = False
    passes = llvm.create_pass_builder(code, options)
    passes.getModulePassManager().run(module, passes)


@cache
def emitter(target: Target, soon: bool) -> llvm.TargetMachine:
    """A code generator that is kept: what it finds out about the CPU at its first module takes as long as a small module."""
    return target_machine(soon)


def renamed(data: bytes, key: str, other: str) -> bytes:
    """Object code whose functions are named by one key, with those of another, which is as long."""
    return data.replace(key.encode(), other.encode())


def compile_all(texts: Iterable[str]) -> list[bytes]:
    """Each module in its own context. What may take long is compiled by another thread: this one then hears of Ctrl-C, and writes the next.

    By one, as llvmlite lets no two into LLVM at a time.
    """
    texts, first = iter(texts), list[str]()
    while sum(map(len, first)) < LONG:
        text = next(texts, None)
        if text is None:
            return [compile_one(t) for t in first]
        first.append(text)
    host()
    pool = ThreadPoolExecutor(max_workers=1)
    try:
        return [found.result() for found in [pool.submit(compile_one, t) for t in chain(first, texts)]]
    finally:
        pool.shutdown(wait=False, cancel_futures=True)  # after Ctrl-C, no more than the module that is being compiled


@lru_cache(maxsize=1)
def library() -> Library:
    """The process's one library of kernels."""
    return Library()


ENTRY = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_void_p)
