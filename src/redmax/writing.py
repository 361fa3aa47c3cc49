"""Files are written whole or not at all: beside their place, as a draft, which gets its name when every byte of it is on the disk.

Whatever comes between (a full disk, a kill, an exception, Ctrl-C), the file that was there stays as it was. The name of a draft cannot be
guessed, and it is created exclusively: nobody can have put a link there. Who writes holds a lock on it (flock), which ends with the
process however that ends; drafts that nobody holds are cleared away by the next program that writes into their folder.

A link stays, and the file that it leads to is replaced. A device, a pipe and /dev/stdout have no file to replace: they are written to as
they are.
"""

from __future__ import annotations

import errno
import fcntl
import os
import re
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from os import PathLike
from pathlib import Path
from typing import BinaryIO

from redmax.arguments import as_path
from redmax.errors import RedmaxError

MARK = "redmax-draft"
DRAFT = re.compile(rf"\..*\.[0-9a-f]{{16}}\.{MARK}(\.[^.]*)?", re.DOTALL)
NAME, SUFFIX = 40, 16  # characters of the target's name that a draft's has, so that it is not too long for the file system
LINKS = 40  # that are followed, as the system does
CLEARED: set[tuple[int, int]] = set()  # folders that this process has looked through for drafts: once is enough


def write_text(path: str | PathLike[str], text: str) -> Path:
    """Write a text as UTF-8 and return its path."""
    try:
        data = text.encode("utf-8")
    except UnicodeEncodeError as error:
        what = f"{text[error.start]!r} is in its text, which is half a character"
        raise RedmaxError(f"Cannot write {os.fspath(path)!r}: {what}. Change the name or title that has it.") from error
    return write_bytes(path, data)


def write_bytes(path: str | PathLike[str], data: bytes) -> Path:
    with whole_file(path) as file:
        file.write(data)
    return Path(path)


@contextmanager
def whole_file(path: str | PathLike[str]) -> Iterator[BinaryIO]:
    """A file to write bytes to; it is at its place when the block ends, and nothing has happened if that raises."""
    with sentences(path):
        if not replaceable(as_path(path, "A file", "pendulum.yaml", RedmaxError)):
            with opened(Path(path)) as file:
                yield file
            return
        with Draft(path) as draft, os.fdopen(draft.descriptor, "wb", closefd=False) as file:
            yield file


@contextmanager
def beside(path: str | PathLike[str]) -> Iterator[Path]:
    """Where another program, or one that takes a name, is to write what will be at a path: it ends in the same suffix."""
    with sentences(path):
        if not replaceable(as_path(path, "A file", "pendulum.yaml", RedmaxError)):
            yield Path(path)
            return
        with Draft(path) as draft:
            yield draft.path


@contextmanager
def sentences(path: object) -> Iterator[None]:
    """Errors of the file system as sentences."""
    try:
        yield
    except OSError as error:
        raise RedmaxError(f"Cannot write {str(path)!r}: {error.strerror or error}. Choose another place.") from error


class Draft:
    """A file that is being written. path: where; target: what it will be, links followed."""

    def __init__(self, target: str | PathLike[str]) -> None:
        self.target = followed(target)
        self.old = replaced(self.target)
        clear(self.target.parent)
        mode = 0o666 if self.old is None else stat.S_IMODE(self.old.st_mode) & 0o777 | 0o600
        self.path, self.descriptor = created(self.target, mode)

    def __enter__(self) -> Draft:
        return self

    def __exit__(self, kind: type[BaseException] | None, *rest: object) -> None:
        """Keep it unless something was raised, or keeping it fails."""
        try:
            if kind is None:
                self.keep()
        finally:
            self.discard()

    def keep(self) -> None:
        """Give it its name. It is on the disk before, where some systems only then find that there is no room."""
        self.dress()
        synchronise(self.descriptor)
        os.replace(self.path, self.target)
        self.release()

    def dress(self) -> None:
        """The permissions and the group of the file that is replaced, as far as the system lets one."""
        if self.old is not None:
            with suppress(OSError):
                os.fchown(self.descriptor, -1, self.old.st_gid)
            with suppress(OSError):
                os.fchmod(self.descriptor, stat.S_IMODE(self.old.st_mode) & 0o777)

    def discard(self) -> None:
        """Nothing, if it was kept."""
        if self.descriptor >= 0:
            with suppress(OSError):
                self.path.unlink()
            self.release()

    def release(self) -> None:
        """Let go of the lock: the draft is no longer one."""
        descriptor, self.descriptor = self.descriptor, -1
        if descriptor >= 0:
            os.close(descriptor)


def replaceable(path: Path) -> bool:
    """Whether another file can get the name: not that of a device or a pipe, nor what a process has open, such as /dev/stdout."""
    try:
        found = os.stat(path)
    except FileNotFoundError:
        return True
    return (stat.S_ISREG(found.st_mode) or stat.S_ISDIR(found.st_mode)) and open_file(path) is None


def opened(path: Path) -> BinaryIO:
    """A device or a pipe to write to; or what this process has open, where that stands: a log that is appended to is not cut off."""
    own = open_file(path)
    if own is not None and own.parent in (Path("/dev/fd"), Path(f"/proc/{os.getpid()}/fd")) and own.name.isdecimal():
        sys.stdout.flush()
        return os.fdopen(os.dup(int(own.name)), "wb")
    return path.open("wb")


def open_file(path: Path) -> Path | None:
    """The descriptor of a process that a path leads to, by links such as /dev/stdout -> /proc/self/fd/1; None if it does not."""
    for _ in range(LINKS):
        folder = os.path.realpath(path.parent)
        if folder == "/dev/fd" or folder.startswith("/proc/"):
            return Path(folder, path.name)
        if not path.is_symlink():
            return None
        path = Path(folder, os.readlink(path))
    return None


def followed(path: str | PathLike[str]) -> Path:
    """The file that a path leads to. It is asked for by its links first: some systems refuse those that strangers leave in /tmp."""
    with suppress(FileNotFoundError):
        os.stat(path)
    return Path(os.path.realpath(path))


def replaced(target: Path) -> os.stat_result | None:
    """The file that is there, if one is and may be replaced."""
    try:
        found = os.lstat(target)
    except FileNotFoundError:
        return None
    wrong = errno.EISDIR if stat.S_ISDIR(found.st_mode) else errno.ELOOP if stat.S_ISLNK(found.st_mode) else 0
    wrong = wrong or (0 if os.access(target, os.W_OK) else errno.EACCES)  # one that is protected from writing is not replaced either
    if wrong:
        raise OSError(wrong, os.strerror(wrong), str(target))
    return found


def created(target: Path, mode: int) -> tuple[Path, int]:
    """A new draft and its descriptor, which holds the lock; begun again if somebody cleared it away before it was locked."""
    while True:
        suffix = target.suffix if len(target.suffix) <= SUFFIX else ""
        path = target.with_name(f".{target.name[:NAME]}.{token()}.{MARK}{suffix}")
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, mode)
        try:
            if locked(descriptor) is not False and is_at(path, descriptor):
                return path, descriptor
        except BaseException:
            os.close(descriptor)
            raise
        os.close(descriptor)


def token() -> str:
    """What nobody can guess, from the system's source of chance."""
    return os.urandom(8).hex()


def locked(descriptor: int) -> bool | None:
    """Whether the lock could be had; None where the file system has none."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return None
    return True


def is_at(path: Path, descriptor: int) -> bool:
    """Whether the open file still has its name."""
    try:
        return os.path.samestat(os.lstat(path), os.fstat(descriptor))
    except FileNotFoundError:
        return False


def clear(folder: Path) -> None:
    """Remove the drafts of this user that nobody is writing any more, as killed programs leave them."""
    with suppress(OSError):
        found = os.stat(folder)
        if (found.st_dev, found.st_ino) not in CLEARED:
            CLEARED.add((found.st_dev, found.st_ino))
            with os.scandir(folder) as entries:
                names = [entry.name for entry in entries if DRAFT.fullmatch(entry.name) and entry.is_file(follow_symlinks=False)]
            for name in names:
                with suppress(OSError):
                    remove_left(folder / name)


def remove_left(path: Path) -> None:
    """Remove a draft, unless it is in use, somebody else's, or not even a file."""
    descriptor = os.open(path, os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        found = os.fstat(descriptor)
        ours = stat.S_ISREG(found.st_mode) and found.st_uid == os.geteuid()
        if ours and locked(descriptor) and is_at(path, descriptor):
            path.unlink()
    finally:
        os.close(descriptor)


def synchronise(descriptor: int) -> None:
    """Have the bytes on the disk, on file systems that can say so."""
    try:
        os.fsync(descriptor)
    except OSError as error:
        if error.errno not in (errno.EINVAL, errno.ENOTSUP):
            raise
