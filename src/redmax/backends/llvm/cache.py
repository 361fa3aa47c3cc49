"""Compiled object code kept on disk, so that a model is compiled once per machine and not once per run.

An entry is one file named by its key (a SHA-256 of everything the code depends on): magic, format version, SHA-256 of
the key and the rest, length of the description, description (JSON), object code. It is written beside its place and
moved there in one step, so that processes may write and read at the same time. What does not match its hash, or bears
the name of another key, is missing, and removed.

Loading an entry means running it. So a folder that others could write to is not used, nor an entry that is not a plain
file of this user's own; entries then live in memory. The hash finds accidents (a broken disk, a file moved or half
copied); it is no defence against somebody who may write to the folder, who could run code as this user anyway.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import stat
import struct
import sys
import tempfile
import time
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import suppress
from functools import cache as memoise
from pathlib import Path
from typing import Any

from redmax.errors import warn

Entry = tuple[bytes, dict[str, Any]]

LIMIT = 512 * 2**20
LARGEST = 64 * 2**20  # bytes of one entry; those of a large function of a user's have about one
IN_MEMORY = 32 * 2**20  # bytes of the entries that no folder holds
MAGIC, VERSION = b"redmax\0o", 2
HEAD = struct.Struct("<8sI32s")
LENGTH = struct.Struct("<I")
KEY, SUFFIX = re.compile(r"[0-9a-f]{64}"), ".rmo"
DAY, HOUR = 86400.0, 3600.0


class Cache:
    """Entries by key, in `folder` or, without one (None, or not safe to use), in memory.

    `limit` bounds the bytes in the folder: from time to time the entries that were not used for longest are removed.
    """

    def __init__(self, folder: str | os.PathLike[str] | None, limit: int = LIMIT) -> None:
        self.folder = _usable(Path(folder)) if folder is not None else None
        self.limit = limit
        self._memory: OrderedDict[str, Entry] = OrderedDict()
        self._until_prune = 0  # bytes; the first put looks at what earlier processes left

    def get(self, key: str) -> Entry | None:
        """(object code, description) of `key`, or None."""
        path = self._path(key)
        if path is None or key in self._memory:
            return self._memory.get(key)
        try:
            data, written = _read(path)
        except OSError:
            return None
        entry = decode(key, data)
        with suppress(OSError):
            if entry is None:
                path.unlink()
            elif time.time() - written > DAY:
                os.utime(path)  # used: prune others first; one write a day is enough to know
        return entry

    def put(self, key: str, payload: bytes, meta: dict[str, Any]) -> None:
        """Keep `payload` and its description `meta` (what JSON can hold) under `key`, a SHA-256 in hexadecimal."""
        path, data = self._path(key), encode(key, payload, meta)
        if path is None:
            self._remember(key, payload, meta)
            return
        try:
            _replace(path, data)
        except OSError as error:
            self._remember(key, payload, meta)
            _warn(f"Compiled code cannot be kept in '{path.parent}' ({error.strerror}); it is kept for this run only")
            return
        self._until_prune -= len(data)
        if self._until_prune < 0:
            self._until_prune = self.limit // 16
            _prune(path.parent, self.limit)

    def _remember(self, key: str, payload: bytes, meta: dict[str, Any]) -> None:
        """For this run only, and the latest alone if they are many."""
        self._memory[key] = payload, meta
        while len(self._memory) > 1 and sum(len(p) for p, _ in list(self._memory.values())) > IN_MEMORY:
            with suppress(KeyError):  # another thread did it
                self._memory.popitem(last=False)

    def clear(self) -> int:
        """Remove every entry; the number of entries removed."""
        keys = set(self._memory)
        self._memory.clear()
        for path in _entries(self.folder) if self.folder else ():
            with suppress(OSError):
                path.unlink()
                keys.add(path.stem)
        return len(keys)

    def _path(self, key: str) -> Path | None:
        """The file of an entry, None without a folder. What is not a key is refused: it could lead out of the folder."""
        if not KEY.fullmatch(key):
            raise ValueError(f"Got cache key '{key}', expected a SHA-256 in hexadecimal (64 digits)")
        return self.folder / f"{key}{SUFFIX}" if self.folder else None


def default_cache() -> Cache:
    """The cache in REDMAX_CACHE_DIR (empty: none on disk), or in the place this system has for such files."""
    return _cache_in(default_folder())


def default_folder() -> Path | None:
    """Where `default_cache` keeps its entries; None for nowhere."""
    chosen = os.environ.get("REDMAX_CACHE_DIR")
    if chosen is not None:
        return Path(chosen).expanduser().absolute() if chosen else None
    xdg = Path(os.environ.get("XDG_CACHE_HOME", ""))
    if xdg.is_absolute():  # its specification has relative paths ignored
        return xdg / "redmax"
    try:
        home = Path.home()
    except RuntimeError:
        return None
    return home / ("Library/Caches" if sys.platform == "darwin" else ".cache") / "redmax"


def encode(key: str, payload: bytes, meta: dict[str, Any]) -> bytes:
    """The bytes of an entry's file."""
    text = json.dumps(meta, separators=(",", ":")).encode()
    body = LENGTH.pack(len(text)) + text + payload
    return HEAD.pack(MAGIC, VERSION, _digest(key, body)) + body


def decode(key: str, data: bytes) -> Entry | None:
    """What `encode` was given, or None if it was another key, or if a single bit of `data` is not as it was written."""
    if len(data) < HEAD.size + LENGTH.size:
        return None
    magic, version, digest = HEAD.unpack_from(data)
    body = memoryview(data)[HEAD.size :]
    if magic != MAGIC or version != VERSION or _digest(key, body) != digest:
        return None
    (length,) = LENGTH.unpack_from(body)
    start = LENGTH.size + length
    return bytes(body[start:]), json.loads(bytes(body[LENGTH.size : start]))


def _digest(key: str, body: bytes | memoryview) -> bytes:
    """What tells an entry from a damaged one, and from one that bears the name of another key."""
    digest = hashlib.sha256(key.encode())
    digest.update(body)
    return digest.digest()


def _read(path: Path) -> tuple[bytes, float]:
    """The bytes of an entry's file, and when it was last used. Nothing but a plain file of this user's is read, and no link followed."""
    handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        status = os.fstat(handle)
        own = status.st_uid == os.geteuid() and not status.st_mode & (stat.S_IWGRP | stat.S_IWOTH)
        if not stat.S_ISREG(status.st_mode) or not own or status.st_size > LARGEST:
            return b"", 0.0  # as one that is damaged
        return os.read(handle, status.st_size), status.st_mtime
    finally:
        os.close(handle)


@memoise
def _cache_in(folder: Path | None) -> Cache:
    """One cache per folder in this process, so that all share the entries that live in memory."""
    return Cache(folder)


def _usable(folder: Path) -> Path | None:
    """`folder`, created if need be, or None (with a warning) if it cannot be had or others could write to it."""
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        link, target = folder.lstat(), folder.stat()
    except OSError as error:
        _warn(f"Compiled code is kept for this run only: '{folder}' cannot be used as a cache ({error.strerror})")
        return None
    fault = None
    if {link.st_uid, target.st_uid} != {os.geteuid()}:
        fault = "it belongs to another user; set REDMAX_CACHE_DIR to a folder of yours"
    elif target.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        fault = f"others can write to it; empty it and run: chmod 700 '{folder}'"
    if fault:
        _warn(f"Compiled code is kept for this run only: '{folder}' is not safe as a cache, {fault}")
        return None
    return folder


def _replace(path: Path, data: bytes) -> None:
    """Write a file beside its place and move it there in one step; nothing is left behind if that fails."""
    handle, temporary = tempfile.mkstemp(suffix=".tmp", prefix=path.stem, dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        os.replace(temporary, path)
    except BaseException:
        with suppress(OSError):
            os.unlink(temporary)
        raise


def _entries(folder: Path, suffix: str = SUFFIX) -> Iterator[Path]:
    """The files this module wrote, and no others: the user may have chosen a folder with more in it."""
    with suppress(OSError), os.scandir(folder) as files:
        for file in files:
            if file.name.endswith(suffix) and KEY.match(file.name):
                yield Path(file.path)


def _prune(folder: Path, limit: int) -> None:
    """Above `limit` bytes, remove the longest unused entries down to three quarters of it, beside others that do so."""
    now, found = time.time(), []
    for path in _entries(folder):
        with suppress(OSError):
            status = path.stat()
            found.append((status.st_mtime, status.st_size, path))
    total = sum(size for _, size, _ in found)
    if total > limit:
        for _, size, path in sorted(found):
            if total <= limit * 3 // 4:
                break
            with suppress(OSError):
                path.unlink()
            total -= size
    for path in _entries(folder, ".tmp"):  # left by a process that was killed while it wrote
        with suppress(OSError):
            if now - path.stat().st_mtime > HOUR:
                path.unlink()


@memoise
def _warn(message: str) -> None:
    """Once per message."""
    warn(message)
