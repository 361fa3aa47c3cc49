"""Where a result file may be written: a folder that exists, and no file but an earlier result."""

from __future__ import annotations

import os
import time
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from redmax.arguments import as_path
from redmax.errors import RedmaxError
from redmax.results.header import header_of
from redmax.results.layout import STATUS, checked_store
from redmax.results.provenance import began
from redmax.results.source import open_contents
from redmax.writing import Draft, locked

PATIENCE = 2.0  # s: who holds off others is soon done, unless it was stopped in between


def check_target(path: Any, store: Collection[str] = ()) -> Path:
    """The path, if a result can be written there. Raises before anything is computed or lost."""
    checked_store(store)
    target = as_path(path, "A result file", "run.h5", RedmaxError)
    if target.is_dir():
        raise RedmaxError(f"Cannot write {str(target)!r}: it is a folder. Name a file in it, such as {str(target / 'run.h5')!r}.")
    if not target.parent.is_dir():
        raise RedmaxError(f"Cannot write {str(target)!r}: there is no folder {str(target.parent)!r}. Make it, or choose another.")
    if not os.access(os.path.dirname(os.path.realpath(target)), os.W_OK | os.X_OK):
        raise RedmaxError(f"Cannot write {str(target)!r}: the folder may not be written to. Choose another.")
    if target.exists():
        check_replaceable(target)
        if not os.access(target, os.W_OK):
            raise RedmaxError(f"Cannot write {str(target)!r}: it is protected from writing. Choose another name.")
    return target


def check_replaceable(target: Path) -> None:
    """Only results are replaced, and none that a run is still writing; a file without any content is no loss either."""
    if target.is_file() and not target.stat().st_size:  # as mktemp makes it
        return
    try:
        with open_contents(target) as file:
            header, ours = header_of(file), True
            writer = header.get("writer_host", ""), header.get("writer_pid", 0), header.get("writer_began", "")
            running = ours and not file.dataset("status/ended", np.dtype(STATUS["ended"][0]), (1,))[0]
    except Exception:  # whatever it is, it is not a result that can be read
        ours, running, writer = False, False, ("", 0, "")
    if not ours:
        kind = "exists and is not a result file of redmax that can be read"
        raise RedmaxError(f"Cannot write {str(target)!r}: it {kind}. Remove it, or choose another name.")
    if running and is_alive(*writer):
        raise RedmaxError(f"Cannot write {str(target)!r}: process {writer[1]} is writing a run to it. Choose another name.")


def is_alive(host: str, pid: int, since: str) -> bool:
    """Whether the process is there, and is not another one that has its number now, as happens in containers."""
    if host != os.uname().nodename or pid <= 0 or (since and began(pid) not in ("", since)):
        return False
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:  # it is somebody else's
        return True
    return True


def put_in_place(draft: Draft) -> None:
    """Give a file that has begun its name, unless another run has taken that in the meantime: of two that start together one goes on."""
    with alone(draft.target.parent):
        draft.dress()
        try:
            os.link(draft.path, draft.target)  # fails where something has the name, also where there are no locks
            os.unlink(draft.path)
        except FileExistsError:
            check_replaceable(draft.target)
            os.replace(draft.path, draft.target)
        except OSError:  # a file system without links
            os.replace(draft.path, draft.target)
        draft.release()


@contextmanager
def alone(folder: Path) -> Iterator[None]:
    """Hold off others who put a result into the folder, between a look at what is there and a new name; for as long as that may take."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
    try:
        end = time.monotonic() + PATIENCE
        while locked(descriptor) is False and time.monotonic() < end:
            time.sleep(0.01)
        yield
    finally:
        os.close(descriptor)


@contextmanager
def writing(path: Path, begun: bool) -> Iterator[None]:
    """Errors of the file system and of HDF5 as sentences. begun: whether the file has its name, and samples."""
    try:
        yield
    except (OSError, RuntimeError, ValueError) as error:
        number = getattr(error, "errno", None)
        why = os.strerror(number) if number else reason(error)
        advice = "What was written before can still be read with redmax.load" if begun else "Choose another place"
        raise RedmaxError(f"Cannot write {str(path)!r}: {why}. {advice}.") from error


def reason(error: BaseException) -> str:
    """What HDF5 says of the file system, within one of its long messages; or the message."""
    text = " ".join(str(error).split())
    quoted = text.split("error message = '")
    return quoted[1].split("'")[0] if len(quoted) > 1 else text.removesuffix(".") or type(error).__name__
