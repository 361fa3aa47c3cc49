"""Files that are to be written: every path is checked before time is spent on what goes into it."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from types import MappingProxyType

from redmax.errors import RedmaxError
from redmax.writing import replaceable

RESULTS, SCENES, PLOTS = (".h5", ".hdf5"), (".yaml", ".yml"), (".png", ".svg", ".pdf")
KINDS: dict[str, tuple[str, ...]] = {
    "--out": RESULTS, "--plot": PLOTS, "--html": (".html", ".htm"), "--mp4": (".mp4",), "--gif": (".gif",), "--webp": (".webp",),
    "--png": (".png",), "--csv": (".csv",),
}  # fmt: skip
TAKEN = {suffix for suffixes in KINDS.values() for suffix in suffixes} | {*SCENES, ".json"}  # by one kind of file or another
NO_MORE: Mapping[str, Callable[[Path], object]] = MappingProxyType({})
STRICT = {"--out", "--plot", "--mp4", "--gif", "--webp", "--png"}  # where the suffix says what to write; elsewhere any not taken does


class WrongOutputs(RedmaxError):
    """Paths that cannot be written to, with a sentence for each."""

    def __init__(self, sentences: Iterable[str]) -> None:
        self.sentences = tuple(sentences)
        super().__init__("\n".join(self.sentences))


def check_files(
    files: Mapping[str, Path],
    source: Path | None = None,
    kinds: Mapping[str, tuple[str, ...]] = KINDS,
    further: Mapping[str, Callable[[Path], object]] = NO_MORE,
) -> None:
    """Raise unless each path, by the option that names it, can be written to; all that is wrong is said at once.

    source: what is read, and must stay as it is; further: checks of some options that raise what is wrong
    """
    wrong = same_files(files, source)
    for option, path in files.items():
        if option not in wrong:
            try:
                check_place(option, path)
                check_suffix(option, path, kinds.get(option, ()))
                further.get(option, bool)(path)
            except RedmaxError as error:
                wrong[option] = str(error)
    if wrong:
        raise WrongOutputs(sentence for sentence in wrong.values() if sentence)


def same_files(files: Mapping[str, Path], source: Path | None) -> dict[str, str]:
    """What is wrong with options that name one file, or the one that is read; of two that do, one has the sentence."""
    wrong: dict[str, str] = {}
    seen: dict[str, str] = {} if source is None else {os.path.realpath(source): ""}
    for option, path in files.items():
        other = seen.setdefault(os.path.realpath(path), option)
        if other != option:
            what = f"{other} and {option} name the same file" if other else f"{option} names the file that is read, '{path}'"
            wrong |= {other: wrong.get(other, "")} if other else {}
            wrong[option] = f"{what}; give each its own."
    return wrong


def check_place(option: str, path: Path) -> None:
    if os.path.isdir(path):
        raise RedmaxError(f"{option}: '{path}' is a folder; name a file in it.")
    if not os.path.isdir(path.parent):
        raise RedmaxError(f"{option}: there is no folder '{path.parent}' to write '{path.name}' into; create it first.")
    why = refusal(path)
    if why:
        raise RedmaxError(f"{option}: '{path}' cannot be written to ({why}); choose another place.")


def refusal(path: Path) -> str:
    """Why a file cannot be made or replaced, as far as one sees before; else nothing."""
    try:
        direct = not replaceable(path)
        os.stat(path) if path.is_symlink() else os.lstat(path)
        if not os.access(path, os.W_OK):
            return "it is protected from writing"
    except FileNotFoundError:
        direct = False
    except OSError as error:
        return error.strerror or str(error)
    allowed = direct or os.access(os.path.dirname(os.path.realpath(path)), os.W_OK | os.X_OK)
    return "" if allowed else "its folder is protected from writing, and files are replaced by whole ones"


def check_suffix(option: str, path: Path, kinds: tuple[str, ...]) -> None:
    suffix = path.suffix.lower()
    wrong = suffix not in kinds if option in STRICT else suffix in TAKEN
    if kinds and wrong and suffix not in kinds:
        raise RedmaxError(f"{option}: {ending(path)}, expected {', '.join(kinds)}.")


def ending(path: Path) -> str:
    return f"'{path}' ends in {path.suffix!r}" if path.suffix else f"'{path}' has no ending"
