"""Room on the disk, asked for before HDF5 writes: a write that fails leaves it unable to close the file."""

from __future__ import annotations

import errno
import os
from pathlib import Path

SPARE = 2**20  # bytes beyond what is about to be written: indices of chunks, and what closing the file takes
STEP = 8 * 2**20  # at least so many bytes are asked for at once
UNABLE = (errno.EINVAL, errno.EOPNOTSUPP, errno.ENOSYS, errno.ENODEV)


def reserved(path: Path, size: int) -> Reserve:
    """Of a file that is about to get so many bytes."""
    found = Reserve(path)
    found.allocate(size + SPARE)
    return found


class Reserve:
    """Bytes of a file that are known to be there."""

    def __init__(self, path: Path) -> None:
        self.path, self.size = path, 0

    def ensure(self, size: int) -> None:
        """Raises OSError (disk full, quota) if the file cannot have so many bytes, and SPARE."""
        if size + SPARE <= self.size:
            return
        try:
            self.allocate(size + SPARE + STEP)
        except OSError:  # perhaps less will do
            self.allocate(size + SPARE)

    def give_back(self) -> None:
        """Cut off what the closed file does not use: HDF5 notes where its data end in the superblock (its version 3), at byte 28."""
        with self.path.open("r+b") as file:
            head = file.read(36)
            end = int.from_bytes(head[28:36], "little")
            if head[8] == 3 and 36 < end < self.path.stat().st_size:
                file.truncate(end)

    def allocate(self, size: int) -> None:
        descriptor = os.open(self.path, os.O_RDWR)
        try:
            os.posix_fallocate(descriptor, 0, size)
        except OSError as error:
            if error.errno not in UNABLE:
                raise
            free = os.fstatvfs(descriptor)
            if os.fstat(descriptor).st_size + free.f_bavail * free.f_frsize < size:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)) from None
        finally:
            os.close(descriptor)
        self.size = size
