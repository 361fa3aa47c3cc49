"""Files that are to be written: every path is checked before time is spent on what goes into it."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from redmax.errors import RedmaxError

RESULTS, SCENES, PLOTS = (".h5", ".hdf5"), (".yaml", ".yml"), (".png", ".svg", ".pdf")
KINDS: dict[str, tuple[str, ...]] = {
    "--out": RESULTS, "--plot": PLOTS, "--html": (".html", ".htm"), "--mp4": (".mp4",), "--gif": (".gif",), "--png": (".png",),
    "--csv": (".csv",),
}  # fmt: skip
TAKEN = {suffix for suffixes in KINDS.values() for suffix in suffixes} | {*SCENES, ".json"}  # by one kind of file or another
STRICT = {"--out", "--plot", "--mp4", "--gif", "--png"}  # where the suffix says what to write; elsewhere any does that is not taken


def check_files(files: Mapping[str, Path], source: Path | None = None, kinds: Mapping[str, tuple[str, ...]] = KINDS) -> None:
    """Raise unless each path, by the option that names it, can be written to. source: what is read, and must stay as it is."""
    for option, path in files.items():
        check_place(option, path)
    seen: dict[Path, str] = {} if source is None else {source.resolve(): ""}
    for option, path in files.items():
        other = seen.setdefault(path.resolve(), option)
        if other != option:
            what = f"{other} and {option} name the same file" if other else f"{option} names the file that is read, '{path}'"
            raise RedmaxError(f"{what}; give each its own.")
    for option, path in files.items():
        check_suffix(option, path, kinds.get(option, ()))


def check_place(option: str, path: Path) -> None:
    if path.is_dir():
        raise RedmaxError(f"{option}: '{path}' is a folder; name a file in it.")
    if not path.parent.is_dir():
        raise RedmaxError(f"{option}: there is no folder '{path.parent}' to write '{path.name}' into; create it first.")
    if not os.access(path if path.exists() else path.parent, os.W_OK):
        raise RedmaxError(f"{option}: '{path}' cannot be written to; choose another place.")


def check_suffix(option: str, path: Path, kinds: tuple[str, ...]) -> None:
    suffix = path.suffix.lower()
    wrong = suffix not in kinds if option in STRICT else suffix in TAKEN
    if kinds and wrong and suffix not in kinds:
        raise RedmaxError(f"{option}: {ending(path)}, expected {', '.join(kinds)}.")


def ending(path: Path) -> str:
    return f"'{path}' ends in {path.suffix!r}" if path.suffix else f"'{path}' has no ending"
