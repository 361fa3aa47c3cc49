"""The cache of compiled code: what is put in comes out, damage is noticed, and nobody else's code is ever loaded."""

from __future__ import annotations

import math
import multiprocessing
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import llvmlite.binding as llvm
import pytest

from backends.entries import META, files, key
from redmax.backends.llvm import cache as cache_module
from redmax.backends.llvm.cache import Cache, decode, encode
from redmax.backends.llvm.target import host, target_machine


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "deep" / "cache"


@pytest.fixture
def cache(folder: Path) -> Cache:
    return Cache(folder)


NOBODY = 65534


def set_age(path: Path, seconds: float) -> None:
    then = time.time() - seconds
    os.utime(path, (then, then))


def put_many(folder: Path, start: int) -> None:
    """Two hundred entries over thirty keys, the same from every process."""
    cache = Cache(folder, limit=40_000)
    for k in range(start, start + 200):
        cache.put(key(k % 30), bytes([k % 30]) * 4000, {"k": k % 30})
        found = cache.get(key((k * 7) % 30))
        assert found is None or found == (bytes([found[1]["k"]]) * 4000, {"k": (k * 7) % 30})


def test_what_is_put_comes_out(cache, folder):
    assert cache.get(key("a")) is None
    for payload in (b"", b"code", os.urandom(200_000)):
        cache.put(key("a"), payload, META)
        assert cache.get(key("a")) == (payload, META)
        assert Cache(folder).get(key("a")) == (payload, META)
    assert len(files(folder)) == 1


def test_the_folder_is_private(cache, folder):
    cache.put(key("a"), b"code", {})
    assert folder.stat().st_mode & 0o777 == 0o700
    assert all(p.stat().st_mode & 0o077 == 0 for p in folder.iterdir())


def test_without_a_folder_entries_live_in_memory():
    cache = Cache(None)
    cache.put(key("a"), b"code", META)
    assert cache.get(key("a")) == (b"code", META)
    assert cache.get(key("b")) is None
    assert cache.clear() == 1
    assert cache.get(key("a")) is None


@pytest.mark.parametrize("wrong", ["", "abc", "../" + "a" * 61, "A" * 64, "a" * 64 + "/x"])
def test_a_key_is_a_hash(cache, wrong):
    with pytest.raises(ValueError, match="SHA-256"):
        cache.get(wrong)
    with pytest.raises(ValueError, match="SHA-256"):
        cache.put(wrong, b"", {})


def test_no_truncation_and_no_flipped_bit_goes_unnoticed():
    data = encode(key("a"), b"some object code", META)
    assert decode(key("a"), data) == (b"some object code", META)
    assert decode(key("a"), data + b"\0") is None
    for n in range(len(data)):
        assert decode(key("a"), data[:n]) is None
        for bit in (0, 7):
            damaged = bytearray(data)
            damaged[n] ^= 1 << bit
            assert decode(key("a"), bytes(damaged)) is None


@pytest.mark.parametrize("damage", [lambda d: b"", lambda d: d[:20], lambda d: d[:-1], lambda d: d[:-1] + b"\xff"])
def test_a_damaged_entry_is_missing_and_goes_away(cache, folder, damage):
    cache.put(key("a"), b"code", META)
    (path,) = folder.iterdir()
    path.write_bytes(damage(path.read_bytes()))
    assert cache.get(key("a")) is None
    assert files(folder) == []
    cache.put(key("a"), b"code", META)
    assert cache.get(key("a")) == (b"code", META)


@pytest.mark.parametrize("how", [shutil.copy, os.replace, os.link])
def test_an_entry_under_the_name_of_another_is_missing_and_goes_away(cache, folder, how):
    """Its code is good, but not for what asked for it."""
    for name in ("a", "b"):
        cache.put(key(name), name.encode(), META)
    (folder / f"{key('b')}.rmo").unlink()
    how(folder / f"{key('a')}.rmo", folder / f"{key('b')}.rmo")
    assert cache.get(key("b")) is None
    assert not (folder / f"{key('b')}.rmo").exists()
    cache.put(key("b"), b"b", META)
    assert cache.get(key("b")) == (b"b", META)


def test_only_plain_files_of_the_users_own_are_read(cache, folder, tmp_path, monkeypatch):
    """No pipe (which would be waited for), no link, nothing that others could have written, nothing huge, no folder."""
    cache.put(key("a"), b"code", META)
    path = folder / f"{key('a')}.rmo"
    good = path.read_bytes()
    (tmp_path / "elsewhere").write_bytes(good)

    def put_back(make):
        path.unlink(missing_ok=True)
        make()
        assert cache.get(key("a")) is None
        assert not path.exists()

    put_back(lambda: os.mkfifo(path))
    put_back(lambda: [path.write_bytes(good), path.chmod(0o666)])
    path.symlink_to(tmp_path / "elsewhere")
    assert cache.get(key("a")) is None
    assert (tmp_path / "elsewhere").read_bytes() == good
    path.unlink()
    with path.open("wb") as file:
        file.truncate(10 * cache_module.LARGEST)  # takes no room on the disk
    assert cache.get(key("a")) is None
    path.write_bytes(good)
    path.chmod(0o600)
    assert cache.get(key("a")) == (b"code", META)
    monkeypatch.setattr(os, "geteuid", lambda: NOBODY)
    assert cache.get(key("a")) is None


def test_what_no_folder_holds_is_bounded():
    cache = Cache(None)
    size = cache_module.IN_MEMORY // 4
    for k in range(9):
        cache.put(key(k), bytes(size), {})
    assert [k for k in range(9) if cache.get(key(k))] == [5, 6, 7, 8]


def test_clear_removes_entries_and_nothing_else(cache, folder):
    for k in range(5):
        cache.put(key(k), b"code", {})
    (folder / "notes.rmo").write_text("the user's own file")
    assert cache.clear() == 5
    assert files(folder) == ["notes.rmo"]
    assert cache.clear() == 0


def test_the_longest_unused_entries_make_room(folder):
    cache = Cache(folder, limit=20_000)
    for k in range(40):
        cache.put(key(k), bytes(1000), {})
        path = folder / f"{key(k)}.rmo"
        if path.exists():
            set_age(path, 10 * 86400 - k)
        cache.get(key(0))  # in use all the time
    total = sum(p.stat().st_size for p in folder.iterdir())
    assert 10_000 < total <= 20_000 * (1 + 1 / 16) + 1100
    assert cache.get(key(0)) is not None
    assert cache.get(key(1)) is None
    assert cache.get(key(39)) is not None


def test_what_a_killed_writer_left_goes_away(cache, folder):
    for name, age in ((key(1) + "x.tmp", 7200), (key(2) + "y.tmp", 1), ("mine.tmp", 7200)):
        (folder / name).write_bytes(b"half")
        set_age(folder / name, age)
    cache.put(key("a"), b"code", {})
    assert files(folder) == sorted([key(2) + "y.tmp", "mine.tmp", key("a") + ".rmo"])


def test_processes_write_and_read_at_the_same_time(folder):
    context = multiprocessing.get_context("fork")  # which need not load the library again
    workers = [context.Process(target=put_many, args=(folder, k)) for k in (0, 11, 23)]
    for w in workers:
        w.start()
    for w in workers:
        w.join(30)
    assert [w.exitcode for w in workers] == [0, 0, 0]
    assert all(decode(p.stem, p.read_bytes()) for p in folder.iterdir())
    assert all(name.endswith(".rmo") for name in files(folder))


def test_an_entry_is_read_in_a_fraction_of_a_millisecond(cache):
    cache.put(key("a"), os.urandom(60_000), META)
    times = []
    for _ in range(50):
        start = time.perf_counter()
        cache.get(key("a"))
        times.append(time.perf_counter() - start)
    assert min(times) < 3e-4


LOAD = """
import ctypes, sys
import llvmlite.binding as llvm
from redmax.backends.llvm import libm
from redmax.backends.llvm.cache import Cache
from redmax.backends.llvm.target import host, target_machine
libm.bind_symbols()
code, meta = Cache(sys.argv[1]).get(sys.argv[2])
machine, empty = target_machine(), llvm.parse_assembly("")
empty.triple = host().triple
engine = llvm.create_mcjit_compiler(empty, machine)
engine.add_object_file(llvm.ObjectFileRef.from_data(code))
engine.finalize_object()
f = ctypes.CFUNCTYPE(ctypes.c_double, ctypes.c_double)(engine.get_function_address(meta["entry"]))
print(repr(f(0.5)))
"""


def test_code_kept_by_one_process_runs_in_another(cache, folder):
    """With constants and calls of the C library, the two things that have to be found again."""
    text = """
    declare double @atan2(double, double)
    declare double @tanh(double)
    define double @f(double %x) {
      %a = call double @atan2(double %x, double 3.25)
      %b = call double @tanh(double %x)
      %c = fadd double %a, %b
      %d = fmul double %c, 1.75
      ret double %d
    }"""
    cache.put(key("f"), target_machine().emit_object(llvm.parse_assembly(text)), {"entry": "f", "target": host().key})
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-c", LOAD, str(folder), key("f")]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=True)
    assert float(done.stdout) == pytest.approx(1.75 * (math.atan2(0.5, 3.25) + math.tanh(0.5)), rel=1e-14)
