"""A disk without room, for those who write: files of this process end after so many bytes."""

from __future__ import annotations

import resource
from contextlib import contextmanager


@contextmanager
def full_disk(room=10):
    """The limit of the system on the size of files; what goes beyond fails with EFBIG, as it does with ENOSPC on a full disk."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (room, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
