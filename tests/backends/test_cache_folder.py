"""Which folder the cache of compiled code may use: private ones of the user's own, readable ones for reading, none otherwise."""

from __future__ import annotations

import multiprocessing
import os
import tempfile
import warnings
from pathlib import Path

import pytest

from backends.entries import META, files, key
from redmax.backends.llvm import cache as cache_module
from redmax.backends.llvm.cache import Cache, default_cache, default_folder


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "deep" / "cache"


NOBODY = 65534


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
