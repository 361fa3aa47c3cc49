"""What a result file holds, looked at before it is read: the file may come from a stranger.

Only what the layout names is touched. It has to lie in the file itself, plainly: reached by hard links, not virtual, not external, without
filters (which would load plug-ins, and inflate), of a type that is written here. What it declares is compared with the bytes that the file
really has before anything is made room for.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NoReturn

import numpy as np

from redmax.errors import RedmaxError
from redmax.results.room import unknown_bytes
from redmax.results.storage import check_texts, data_bytes, descriptor_of

CHUNK = 64 * 2**20  # bytes of a chunk, which HDF5 may load whole
TEXT = 32 * 2**20  # bytes of a text, as of a scene file
WORDS = 10**6
ENTRIES = 100  # of an attribute
ATTRIBUTE = 2**16  # characters
KINDS = {"text": ("text",), "i": ("a whole number", "i"), "f": ("a number", "f", "i"), "b": ("true or false", "b")}


@dataclass(frozen=True, eq=False)
class Contents:
    """file: an h5py.File; groups: those that were looked at."""

    path: Path
    file: Any
    groups: dict[str, Any] = field(default_factory=dict)

    @property
    def bytes(self) -> int:
        """How many the file has now, holes not counted: a run that goes on adds some."""
        return data_bytes(descriptor_of(self.file))[1]

    def has(self, name: str) -> bool:
        """Whether the file has a dataset of this name, or something in its place."""
        folder, _, last = name.rpartition("/")
        group = self.group(folder)
        return group is not None and bool(group.links.exists(last.encode()))

    def dataset(self, name: str, dtype: Any, shape: tuple[int | None, ...]) -> Any:
        """The h5py.Dataset of this name, if it is what the layout says.

        dtype: str for texts, bytes for those of a fixed length; shape: None where any length will do.
        """
        import h5py

        if not self.has(name):
            raise KeyError(f"{name!r} is missing")
        folder, _, last = name.rpartition("/")
        found = self.member(self.group(folder), last, name)
        if not isinstance(found, h5py.h5d.DatasetID):
            self.refuse(name, "is no dataset, as it is in result files")
        self.check_storage(name, found)
        got = self.type_of(name, found.get_type())
        if got != dtype and not (dtype is bytes and getattr(got, "kind", "") == "S"):
            self.refuse(name, f"holds {type_text(got)}, expected {type_text(dtype)}")
        if len(found.shape) != len(shape) or any(n is not None and n != m for n, m in zip(shape, found.shape, strict=True)):
            self.refuse(name, f"has the shape {shape_text(found.shape)}, expected {shape_text(shape)}")
        return h5py.Dataset(found)

    def group(self, name: str) -> Any:
        """The low-level group of this name, reached along hard links; None where there is none."""
        import h5py

        if not name:
            return self.file.id
        if name not in self.groups:
            folder, _, last = name.rpartition("/")
            above = self.group(folder)
            found = self.member(above, last, name) if above is not None and above.links.exists(last.encode()) else None
            self.groups[name] = found if isinstance(found, h5py.h5g.GroupID) else None
        return self.groups[name]

    def text(self, name: str) -> str:
        """The text in a dataset without axes."""
        found = self.dataset(name, str, ())
        self.check_texts(name, found, TEXT)
        return str(found.asstr()[()])

    def fixed_text(self, name: str) -> bytes:
        """A text of a fixed length, in UTF-8."""
        found = self.dataset(name, bytes, ())
        if found.dtype.itemsize > min(TEXT, self.bytes):
            self.refuse(name, f"declares a text of {found.dtype.itemsize} bytes, expected at most {min(TEXT, self.bytes)}")
        return bytes(found[()])

    def words(self, name: str) -> list[str]:
        found = self.dataset(name, str, (None,))
        if len(found) > WORDS:
            self.refuse(name, f"has {len(found)} entries, expected at most {WORDS}")
        self.check_texts(name, found, ATTRIBUTE)
        return [str(word) for word in found.asstr()[()]]

    def attribute(self, name: str, kind: str, of: Any = None) -> Any:
        """A value of the file, or of a dataset. kind: "text", or that of NumPy's type: "i", "f", "b"; in capitals, several of them."""
        import h5py

        holder = self.file.id if of is None else of.id
        if not h5py.h5a.exists(holder, name.encode()):
            raise KeyError(f"the attribute {name!r} is missing")
        found = h5py.h5a.open(holder, name.encode())
        got, wanted, many = self.type_of(name, found.get_type()), kind.lower(), kind.isupper()
        if ("text" if got is str else got.kind) not in KINDS[wanted]:
            self.refuse(name, f"holds {type_text(got)}, expected {KINDS[wanted][0]}")
        if len(found.shape) != many or max(found.shape, default=0) > ENTRIES:
            self.refuse(name, f"has the shape {shape_text(found.shape)}, expected {f'up to {ENTRIES} entries' if many else 'one value'}")
        value: Any = np.zeros(found.shape, found.dtype)
        found.read(value)
        if got is str and len(value[()]) > ATTRIBUTE:
            self.refuse(name, f"has {len(value[()])} bytes, expected at most {ATTRIBUTE}")
        return value if many else value[()].decode("utf-8", "surrogateescape") if got is str else value.item()

    def has_attribute(self, name: str) -> bool:
        import h5py

        return bool(h5py.h5a.exists(self.file.id, name.encode()))

    def member(self, group: Any, part: str, name: str) -> Any:
        from h5py import h5l, h5o  # type: ignore[attr-defined]

        if group.links.get_info(part.encode()).type != h5l.TYPE_HARD:
            self.refuse(name, "is a link, which may lead out of the file; result files hold their data themselves")
        return h5o.open(group, part.encode())

    def check_storage(self, name: str, found: Any) -> None:
        """Where the data are, before anything of them is read."""
        import h5py

        plan = found.get_create_plist()
        if plan.get_layout() == h5py.h5d.VIRTUAL or (plan.get_layout() == h5py.h5d.CONTIGUOUS and plan.get_external_count()):
            self.refuse(name, "is taken from another file, which result files never do")
        if plan.get_nfilters():
            advice = f"h5repack -f NONE {self.path.name!r} plain.h5 undoes that"
            self.refuse(name, f"is stored through a filter (compressed), which result files never are; {advice}")
        size = found.get_type().get_size()
        if plan.get_layout() == h5py.h5d.CHUNKED and size * int(np.prod(plan.get_chunk(), dtype=object)) > CHUNK:
            self.refuse(name, f"is stored in chunks of {shape_text(plan.get_chunk())}, expected at most {CHUNK} bytes")

    def type_of(self, name: str, found: Any) -> Any:
        """str, or a NumPy type that is written here."""
        import h5py

        plain = isinstance(found, h5py.h5t.TypeStringID | h5py.h5t.TypeIntegerID | h5py.h5t.TypeFloatID) or is_truth(found)
        if found.committed() or not plain:
            self.refuse(name, "is of a type that result files do not have; they hold numbers and text")
        if isinstance(found, h5py.h5t.TypeStringID) and found.is_variable_str():
            return str
        return found.dtype

    def check_texts(self, name: str, found: Any, most: int) -> None:
        """How long texts are, before they are read."""
        try:
            check_texts(found.id, descriptor_of(self.file), self.bytes, most)
        except ValueError as error:
            self.refuse(name, str(error))

    def refuse(self, name: str, what: str) -> NoReturn:
        raise RedmaxError(f"{str(self.path)!r} was not opened: {name!r} {what}.")


def contents(path: Path, file: Any) -> Contents:
    """Of an open file."""
    size, data = data_bytes(descriptor_of(file))
    if data < size // 64:
        advice = "cp --sparse=never writes them as zeros, if that is what it should hold"
        raise RedmaxError(f"{str(path)!r} was not opened: of its {size} bytes, all but {data} are holes; {advice}.")
    return Contents(path, file)


def check_room(file: Contents) -> None:
    """Before attributes are read for the first time."""
    unknown = unknown_bytes(file.file.id, descriptor_of(file.file), file.bytes)
    if unknown:
        advice = "h5repack in.h5 out.h5 leaves out what is not used; keep other data in another file"
        raise RedmaxError(f"{str(file.path)!r} was not opened: {unknown} of its bytes are in no dataset, and not expected; {advice}.")


def is_truth(found: Any) -> bool:
    import h5py

    return isinstance(found, h5py.h5t.TypeEnumID) and found.get_size() == 1 and found.get_nmembers() == 2 and found.dtype == bool


def type_text(dtype: Any) -> str:
    return "text" if dtype in (str, bytes) else str(dtype)


def shape_text(shape: tuple[int | None, ...]) -> str:
    sizes = ["any" if n is None else str(n) for n in shape[:8]]
    return f"({', '.join(sizes + ['...'] * (len(shape) > 8))})"
