"""The cache of compiled code: what is put in comes out, damage is noticed, and nobody else's code is ever loaded."""

from __future__ import annotations

import hashlib
import math
import multiprocessing
import os
import shutil
import subprocess
import sys
import tempfile
import time
import warnings
from pathlib import Path

import llvmlite.binding as llvm
import pytest

from redmax.backends.llvm import cache as cache_module
from redmax.backends.llvm.cache import Cache, decode, default_cache, default_folder, encode
from redmax.backends.llvm.target import host, target_machine

META = {"entry": "f", "sizes": [1, 2, 3], "nested": {"a": 0.1, "b": None}}
NOBODY = 65534


def key(name: object) -> str:
    return hashlib.sha256(str(name).encode()).hexdigest()


def files(folder: Path) -> list[str]:
    return sorted(p.name for p in folder.iterdir())


def set_age(path: Path, seconds: float) -> None:
    then = time.time() - seconds
    os.utime(path, (then, then))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "deep" / "cache"


@pytest.fixture
def cache(folder: Path) -> Cache:
    return Cache(folder)


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


@pytest.mark.parametrize("mode", [0o777, 0o770, 0o702])
def test_a_folder_that_others_can_write_to_is_not_used(folder, mode):
    folder.mkdir(parents=True)
    folder.chmod(mode)
    with pytest.warns(UserWarning, match="others can write to it"):
        cache = Cache(folder)
    cache.put(key("a"), b"code", META)
    assert cache.get(key("a")) == (b"code", META)
    assert files(folder) == []


def test_a_folder_of_someone_else_is_not_used(folder, monkeypatch):
    folder.mkdir(parents=True, mode=0o700)
    monkeypatch.setattr(os, "geteuid", lambda: NOBODY)
    with pytest.warns(UserWarning, match="belongs to another user"):
        assert Cache(folder).folder is None


def test_a_link_is_judged_by_what_it_points_to(tmp_path):
    safe, unsafe = tmp_path / "safe", tmp_path / "unsafe"
    safe.mkdir(mode=0o700)
    unsafe.mkdir()
    unsafe.chmod(0o777)
    for name, to in (("a", safe), ("b", unsafe), ("c", tmp_path / "nowhere")):
        (tmp_path / name).symlink_to(to)
    assert Cache(tmp_path / "a").folder == tmp_path / "a"
    with pytest.warns(UserWarning, match="others can write to it"):
        assert Cache(tmp_path / "b").folder is None
    with pytest.warns(UserWarning, match="cannot be used"):
        assert Cache(tmp_path / "c").folder is None


def test_a_folder_that_cannot_be_made_is_not_used(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.warns(UserWarning, match="cannot be used"):
        cache = Cache(tmp_path / "file" / "cache")
    cache.put(key("a"), b"code", META)
    assert cache.get(key("a")) == (b"code", META)


def write_where_not_allowed(folder: Path) -> None:
    """As an ordinary user, for whom permissions hold."""
    if os.geteuid() == 0:
        os.seteuid(NOBODY)
    cache = Cache(folder)
    assert cache.folder == folder
    assert cache.get(key("old")) == (b"old code", META)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        cache.put(key("a"), b"code", META)
        cache.put(key("b"), b"code", META)
    assert len(caught) == 1
    assert "cannot be kept" in str(caught[0].message)
    assert cache.get(key("a")) == (b"code", META)


def test_a_folder_that_is_only_readable_is_read():
    with tempfile.TemporaryDirectory() as base:
        Path(base).chmod(0o755)  # unlike tmp_path, which ordinary users cannot enter when root runs the tests
        folder = Path(base) / "cache"
        Cache(folder).put(key("old"), b"old code", META)
        if os.geteuid() == 0:
            for path in (folder, *folder.iterdir()):
                os.chown(path, NOBODY, NOBODY)
        folder.chmod(0o500)
        worker = multiprocessing.get_context("fork").Process(target=write_where_not_allowed, args=(folder,))
        worker.start()
        worker.join(20)
        folder.chmod(0o700)
        assert worker.exitcode == 0


def test_the_environment_chooses_the_folder(monkeypatch, tmp_path):
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    monkeypatch.setenv("REDMAX_CACHE_DIR", str(tmp_path / "mine"))
    assert default_folder() == tmp_path / "mine"
    assert default_cache().folder == tmp_path / "mine"
    assert default_cache() is default_cache()
    monkeypatch.setenv("REDMAX_CACHE_DIR", "")
    assert default_cache().folder is None
    monkeypatch.delenv("REDMAX_CACHE_DIR")
    assert default_folder() == tmp_path / "xdg" / "redmax"
    monkeypatch.setenv("XDG_CACHE_HOME", "relative/path")
    monkeypatch.setattr(cache_module.sys, "platform", "linux")
    assert default_folder() == tmp_path / "home" / ".cache" / "redmax"
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setattr(cache_module.sys, "platform", "darwin")
    assert default_folder() == tmp_path / "home" / "Library" / "Caches" / "redmax"


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
