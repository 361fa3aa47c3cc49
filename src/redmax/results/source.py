"""A result file as something to read from: opened for each look, so that nobody else is kept from it, and looked at each time."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from redmax.errors import RedmaxError
from redmax.results.contents import Contents, contents
from redmax.results.header import identity

SIGNATURE = b"\x89HDF\r\n\x1a\n"
LOCKING = ("best-effort", False)  # locks are not asked for where there are none
ATTEMPTS = 24  # to read metadata that a writer may be changing; HDF5 waits between them, in all some 20 ms
AGAIN = "Run the scene again, or take an older copy"


@dataclass(frozen=True)
class FileSource:
    """id: of the run that is expected in the file."""

    path: Path
    id: str

    @contextmanager
    def open(self) -> Iterator[Contents]:
        with open_contents(self.path) as file:
            if identity(file) != self.id:
                raise RedmaxError(f"{str(self.path)!r} has been replaced by another run since it was opened. Open it again: redmax.load.")
            yield file


@contextmanager
def open_contents(path: Path) -> Iterator[Contents]:
    """What is in a file, of which everything that cannot be read is a sentence."""
    with open_file(path) as file:
        try:
            yield contents(path, file)
        except (RedmaxError, IndexError):  # IndexError: of an index of the user's
            raise
        except Exception as error:  # HDF5 finds many ways to say that bytes are wrong
            raise damaged(path, error) from error


def open_file(path: Path) -> Any:
    """An h5py.File for reading."""
    import h5py

    start = read_start(path)
    ways: list[Callable[[], Any]] = [partial(h5py.File, path, "r", locking=locking) for locking in LOCKING]
    if start[11:12].strip(b"\0"):  # a writer has it, or was killed
        ways = [partial(beside, path, locking) for locking in LOCKING] + ways
    errors: list[Exception] = []
    for way in ways:
        try:
            return way()
        except Exception as error:  # HDF5 finds many ways to say that bytes are wrong
            errors.append(error)
    raise damaged(path, errors[0]) from errors[0]


def beside(path: Path, locking: str | bool) -> Any:
    """An h5py.File for reading beside a writer. Of a damaged file, HDF5 would wait a hundred times for bytes to become good, each time
    twice as long, which is for ever: so this asks it not to, by the one function for it, that h5py does not have."""
    import ctypes

    import h5py

    access = h5py.h5p.create(h5py.h5p.FILE_ACCESS)
    access.set_fclose_degree(h5py.h5f.CLOSE_STRONG)
    access.set_file_locking(bool(locking), locking == "best-effort")
    limit = ctypes.CDLL(h5py.h5f.__file__).H5Pset_metadata_read_attempts
    limit.argtypes = [ctypes.c_int64, ctypes.c_uint]
    limit(access.id, ATTEMPTS)
    return h5py.File(h5py.h5f.open(os.fsencode(path), h5py.h5f.ACC_RDONLY | h5py.h5f.ACC_SWMR_READ, fapl=access))


def read_start(path: Path) -> bytes:
    """The first bytes of a file that is HDF5. What is no file is not waited for."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        try:
            kind = os.fstat(descriptor).st_mode
            start = os.read(descriptor, 12) if stat.S_ISREG(kind) else b""
        finally:
            os.close(descriptor)
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or str(error)
        raise RedmaxError(f"Cannot read {str(path)!r}: {why}. Name a result file, as simulate(..., out=path) writes.") from None
    if not stat.S_ISREG(kind):
        what, where = ("a folder", " in it") if stat.S_ISDIR(kind) else ("a device or a pipe, not a file", "")
        raise RedmaxError(f"Cannot read {str(path)!r}: it is {what}. Name a result file{where}.")
    if not start.startswith(SIGNATURE):
        hint = " For a scene file there is redmax.Scene.load." if path.suffix.lower() in (".yaml", ".yml") else ""
        raise RedmaxError(f"{str(path)!r} is not a result file (HDF5), which simulate(..., out=path) writes.{hint}")
    return start


def damaged(path: Path, error: BaseException) -> RedmaxError:
    why = quoted(str(error), 200).strip("'\"").removesuffix(".") or type(error).__name__
    return RedmaxError(f"{str(path)!r} is damaged, or was cut off ({why}). {AGAIN}.")


def quoted(text: str, most: int) -> str:
    """Text out of a file, or of HDF5, for a sentence: on one line, printable, not long."""
    line = "".join(c if c.isprintable() else " " for c in text[: 2 * most])
    line = " ".join(line.split())
    return line if len(line) <= most else f"{line[:most]}..."
