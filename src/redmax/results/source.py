"""A result file as something to read from: opened for each look, so that nobody else is kept from it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from redmax.errors import RedmaxError

SIGNATURE = b"\x89HDF\r\n\x1a\n"
# As an ordinary reader; or beside a writer, which also opens what a killed process left. Locks are not asked for where there are none.
PLAIN: tuple[dict[str, Any], ...] = ({"locking": "best-effort"}, {"locking": False})
BESIDE: tuple[dict[str, Any], ...] = tuple({"swmr": True, **way} for way in PLAIN)
AGAIN = "Run the scene again, or take an older copy"


@dataclass(frozen=True)
class Source:
    """id: of the run that is expected in the file."""

    path: Path
    id: str

    @contextmanager
    def open(self) -> Iterator[Any]:
        with open_file(self.path) as file:
            if text_of(file.attrs.get("id")) != self.id:
                raise RedmaxError(f"{str(self.path)!r} has been replaced by another run since it was opened. Open it again: redmax.load.")
            try:
                yield file
            except (OSError, RuntimeError, KeyError, ValueError) as error:
                raise damaged(self.path, error) from error


def open_file(path: Path) -> Any:
    """An h5py.File for reading."""
    import h5py

    start = read_start(path)
    errors: list[Exception] = []
    # Whether a writer has it, or was killed, is in byte 11. Only then beside it: there, HDF5 waits long for damaged bytes to become good.
    for way in (*BESIDE, *PLAIN) if start[11:12].strip(b"\0") else PLAIN:
        try:
            return h5py.File(path, "r", **way)
        except Exception as error:  # HDF5 finds many ways to say that bytes are wrong
            errors.append(error)
    raise damaged(path, errors[0]) from errors[0]


def read_start(path: Path) -> bytes:
    """The first bytes of a file that is HDF5."""
    if path.is_dir():
        raise RedmaxError(f"Cannot read {str(path)!r}: it is a folder. Name a result file in it.")
    try:
        with path.open("rb") as raw:
            start = raw.read(12)
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or str(error)
        raise RedmaxError(f"Cannot read {str(path)!r}: {why}. Name a result file, as simulate(..., out=path) writes.") from None
    if not start.startswith(SIGNATURE):
        hint = " For a scene file there is redmax.Scene.load." if path.suffix.lower() in (".yaml", ".yml") else ""
        raise RedmaxError(f"{str(path)!r} is not a result file (HDF5), which simulate(..., out=path) writes.{hint}")
    return start


def damaged(path: Path, error: BaseException) -> RedmaxError:
    why = " ".join(str(error).split()).strip("'\"").removesuffix(".") or type(error).__name__
    return RedmaxError(f"{str(path)!r} is damaged, or was cut off ({why}). {AGAIN}.")


def text_of(value: Any) -> str:
    """An attribute or entry that is text."""
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)
