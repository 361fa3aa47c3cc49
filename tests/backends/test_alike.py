"""Modules of the same text under different keys: compiled once, and each has functions of its own name that do what they say."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np

from backends.small_programs import make_plan, stage
from redmax.backends.llvm import engine
from redmax.backends.llvm.engine import Library, content_key


def test_what_is_alike_is_compiled_once_and_found_under_each_name(tmp_path, monkeypatch):
    monkeypatch.setenv("REDMAX_CACHE_DIR", str(tmp_path))

    def double(w: Any) -> None:
        w.y = 2.0 * w.x

    def triple(w: Any) -> None:
        w.y = 3.0 * w.x

    groups = [make_plan([stage(f)], {"x": 1, "y": 1}, ("x",), ("y",)).groups[0] for f in (double, triple)]
    texts: list[str] = []
    compile_one = engine.compile_one
    monkeypatch.setattr(engine, "compile_one", lambda text: texts.append(text) or compile_one(text))
    library, keys = Library(), [content_key("alike", str(k)) for k in range(4)]
    first = library.objects({keys[0]: groups[0], keys[1]: groups[1], keys[2]: groups[0]}, "double")
    later = library.objects({keys[3]: groups[0]}, "double")  # this one was compiled before
    assert len(texts) == 2
    assert library.compiled == 4

    names = {key: [f"k{key}_{n}" for n, k in enumerate(groups[0].kernels) if k.stores] for key in keys}
    code = library.shelf.load(first | later, names)
    for key, factor in zip(keys, (2.0, 3.0, 2.0, 2.0), strict=True):
        memory, constants = np.array([5.0, 0.0]), np.zeros(1)
        at = [a.ctypes.data for a in (constants, memory, memory, memory, memory, memory)]
        (name,) = names[key]
        ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 6)(code.addresses[name])(*at)
        assert memory[1] == factor * 5.0
