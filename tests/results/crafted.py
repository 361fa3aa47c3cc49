"""Result files as a stranger could make them: each change by a name, to be made to a copy of a good file.

`ELSEWHERE` point out of the file, `DECLARED` claim more than they hold, `MISTYPED` hold something else than a result does. A change takes
the open h5py.File and a folder for what lies outside.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any
from zlib import crc32

import h5py
import numpy as np

Change = Callable[[h5py.File, Path], None]
SECRET = "the other file's own words"
GROWING = ("t", "q", "qdot", "energy/kinetic", "energy/potential", "momentum", "bodies/position", "bodies/rotation", "bodies/twist")
STATUS = ("samples", "bytes", "steps", "wall_s", "compile_s", "complete", "ended")
TEXTS = ("scene", "joints/names", "joints/prescribed", "coordinates/names", "coordinates/rate_names")
DATASETS = (*GROWING, "joints/reaction", *TEXTS, *[f"status/{name}" for name in STATUS])
CHECKS = ("checks/blocks", "checks/commits", "checks/count", "header")
GROUPS = ("energy", "bodies", "joints", "coordinates", "status")
ATTRIBUTES = ("format", "format_version", "id", "batch", "dt", "integrator", "dynamics", "duration", "every", "controller", "dtype")


def version_1(file: h5py.File, folder: Path) -> None:
    """As files were before they had checksums."""
    scene = file["scene"].asstr()[()]
    replaced(file, "scene", lambda file, name, old: file.create_dataset(name, data=scene, dtype=h5py.string_dtype()))
    for name in ("checks", "header"):
        del file[name]
    for name in ("number", "header_check", "scene_check"):
        del file.attrs[name]
    file.attrs["format_version"] = 1
    file["status/bytes"][0] = 1000  # for the file becomes shorter


def reheaded(file: h5py.File, **facts: Any) -> None:
    """Another header, with its checksum."""
    header = json.dumps(json.loads(file["header"][()].tobytes()) | facts).encode()
    replaced(file, "header", lambda file, name, old: file.create_dataset(name, data=np.frombuffer(header, np.uint8)))
    file.attrs["header_check"] = crc32(header)


def crafted(result: Path, target: Path, change: Change) -> Path:
    """A copy of a good file, changed."""
    shutil.copyfile(result, target)
    with h5py.File(target, "r+", libver="v110") as file:
        change(file, target.parent)
    return target


def replaced(file: h5py.File, name: str, make: Callable[[h5py.File, str, Any], Any]) -> None:
    """Another dataset in the place of one, with its attributes. make: takes the file, the name, and what was there."""
    old, attributes = file[name][()], dict(file[name].attrs)
    del file[name]
    make(file, name, old)
    if isinstance(file.get(name, getlink=True), h5py.HardLink) and isinstance(file[name], h5py.Dataset):
        file[name].attrs.update(attributes)


def plain_type(old: Any) -> np.dtype[Any]:
    """Texts cannot lie outside; numbers in their place can."""
    dtype = np.asarray(old).dtype
    return np.dtype("f8") if dtype.kind == "O" else dtype


def external(name: str, file: h5py.File, folder: Path) -> None:
    def make(file: h5py.File, name: str, old: Any) -> None:
        (folder / "secret").write_bytes(SECRET.encode() * 1000)
        file.create_dataset(name, np.shape(old) or (1,), plain_type(old), external=[(str(folder / "secret"), 0, h5py.h5f.UNLIMITED)])

    replaced(file, name, make)


def virtual(name: str, file: h5py.File, folder: Path) -> None:
    """Out of a pipe that nobody writes to: whoever opens it waits for ever."""

    def make(file: h5py.File, name: str, old: Any) -> None:
        if not (folder / "pipe.h5").exists():
            os.mkfifo(folder / "pipe.h5")
        shape = np.shape(old) or (1,)
        whole = h5py.h5s.create_simple(shape, (h5py.h5s.UNLIMITED, *shape[1:]))
        whole.select_hyperslab((0,) * len(shape), (h5py.h5s.UNLIMITED, *[1] * (len(shape) - 1)), block=(1, *shape[1:]))
        plan = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
        plan.set_virtual(whole, os.fsencode(folder / "pipe.h5"), name.encode(), whole)
        links = h5py.h5p.create(h5py.h5p.LINK_CREATE)
        links.set_create_intermediate_group(True)
        space = h5py.h5s.create_simple(shape, (h5py.h5s.UNLIMITED, *shape[1:]))
        h5py.h5d.create(file.id, name.encode(), h5py.h5t.py_create(plain_type(old)), space, plan)

    replaced(file, name, make)


def external_link(name: str, file: h5py.File, folder: Path) -> None:
    shutil.copyfile(file.filename, folder / "secret.h5")
    del file[name]
    file[name] = h5py.ExternalLink(str(folder / "secret.h5"), name)


def soft_link(name: str, file: h5py.File, folder: Path) -> None:
    file.move(name, "moved")
    file[name] = h5py.SoftLink("/moved")


def compressed(name: str, file: h5py.File, folder: Path) -> None:
    replaced(file, name, lambda file, name, old: file.create_dataset(name, data=np.atleast_1d(old), chunks=True, compression="gzip"))


def unknown_filter(name: str, file: h5py.File, folder: Path) -> None:
    """One that HDF5 would look for among its plug-ins."""

    def make(file: h5py.File, name: str, old: Any) -> None:
        plan = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
        plan.set_chunk(np.shape(old))
        plan.set_filter(32015, h5py.h5z.FLAG_OPTIONAL, (1,))
        h5py.h5d.create(file.id, name.encode(), h5py.h5t.py_create(old.dtype), h5py.h5s.create_simple(np.shape(old)), plan)

    replaced(file, name, make)


def committed(name: str, file: h5py.File, folder: Path) -> None:
    file["committed"] = np.dtype("f8")
    replaced(file, name, lambda file, name, old: file.create_dataset(name, np.shape(old) or (1,), file["committed"]))


def reference(name: str, file: h5py.File, folder: Path) -> None:
    refs = np.full((3,), None, object)

    def make(file: h5py.File, name: str, old: Any) -> None:
        refs[:] = file.ref
        file.create_dataset(name, data=refs, dtype=h5py.ref_dtype)

    replaced(file, name, make)


def group(name: str, file: h5py.File, folder: Path) -> None:
    del file[name]
    file.create_group(name)


def attribute(name: str, value: Any, file: h5py.File, folder: Path) -> None:
    made = value(file) if callable(value) else value
    del file.attrs[name]
    file.attrs.create(name, **(made if isinstance(made, dict) else {"data": made}))


def lengths(name: str, samples: int, file: h5py.File, folder: Path) -> None:
    """A dataset, and the counter, that claim more samples than any disk has."""

    def make(file: h5py.File, name: str, old: Any) -> None:
        file.create_dataset(name, (samples, *old.shape[1:]), old.dtype, maxshape=(None, *old.shape[1:]), chunks=(1, *old.shape[1:]))

    replaced(file, name, make)
    file["status/samples"][0] = samples


def all_lengths(samples: int, file: h5py.File, folder: Path) -> None:
    for name in (*GROWING, "joints/reaction"):
        lengths(name, samples, file, folder)


def large_chunks(name: str, file: h5py.File, folder: Path) -> None:
    """One chunk of nearly 4 GB, of which one sample is there."""

    def make(file: h5py.File, name: str, old: Any) -> None:
        rest = old.shape[1:]
        count = (2**32 - 2**16) // (old.dtype.itemsize * int(np.prod(rest)))
        file.create_dataset(name, old.shape, old.dtype, maxshape=(None, *rest), chunks=(count, *rest))

    replaced(file, name, make)


def many_words(name: str, file: h5py.File, folder: Path) -> None:
    replaced(file, name, lambda file, name, old: file.create_dataset(name, (10**12,), h5py.string_dtype()))


def long_text(name: str, file: h5py.File, folder: Path) -> None:
    """The number of bytes that a text claims, changed where HDF5 keeps it."""
    where, path = file[name].id.get_offset(), file.filename
    file.close()
    with open(path, "r+b") as raw:
        raw.seek(where)
        raw.write(b"\xff\xff\xff\xff")


def many_references(name: str, file: h5py.File, folder: Path) -> None:
    """A million texts that are all the same four megabytes."""
    count = 10**6

    def make(file: h5py.File, name: str, old: Any) -> None:
        made = file.create_dataset(name, (count,), h5py.string_dtype())
        made[0] = "a" * 2**22

    replaced(file, name, make)
    where, path = file[name].id.get_offset(), file.filename
    file.close()
    with open(path, "r+b") as raw:
        raw.seek(where)
        one = raw.read(16)
        raw.seek(where)
        raw.write(one * count)


def mostly_holes(size: int, file: h5py.File, folder: Path) -> None:
    """A file that is terabytes long and takes kilobytes."""
    all_lengths(size // 1000, file, folder)
    path = file.filename
    file.close()
    os.truncate(path, size)


def typed(name: str, dtype: Any, shape: tuple[int, ...] | None, file: h5py.File, folder: Path) -> None:
    replaced(file, name, lambda file, name, old: file.create_dataset(name, np.shape(old) if shape is None else shape, dtype))


def value(name: str, number: Any, file: h5py.File, folder: Path) -> None:
    file[name][0] = number


def each(label: str, change: Callable[..., None], names: tuple[str, ...]) -> Iterator[tuple[str, Change]]:
    for name in names:
        yield f"{label} {name}", partial(change, name)


def headed(name: str, fact: Any, file: h5py.File, folder: Path) -> None:
    reheaded(file, **{name: fact})


HEADED = ("id", "batch", "dt", "integrator", "every", "controller", "dtype", "prescribed", "joints", "missing")
ODD_FACTS = (None, -1.5, float("nan"), [[[]]], {"a": 1}, "x" * 10**6, [2**70] * 50)
TABLE = np.dtype([("a", "f8"), ("b", "i4")])
ODD = {  # values that no attribute of a result has
    "reference": lambda file: {"data": file.ref, "dtype": h5py.ref_dtype},
    "region": lambda file: {"data": file["t"].regionref[:2], "dtype": h5py.regionref_dtype},
    "compound": lambda file: {"data": np.zeros((), TABLE)},
    "opaque": lambda file: {"data": np.void(b"abc")},
    "many": lambda file: {"data": np.zeros(5000)},
    "null": lambda file: h5py.Empty("f8"),
}
ELSEWHERE: dict[str, Change] = {
    **dict(each("external", external, DATASETS)),
    **dict(each("virtual", virtual, DATASETS)),
    **dict(each("external link", external_link, (*DATASETS, *GROUPS))),
    **dict(each("soft link", soft_link, (*DATASETS, *GROUPS))),
    **dict(each("reference", reference, DATASETS)),
    **dict(each("unknown filter", unknown_filter, GROWING)),
}
DECLARED: dict[str, Change] = {
    **{f"samples {name} {n:g}": partial(lengths, name, n) for name in GROWING for n in (10**9, 10**15)},
    "samples of all": partial(all_lengths, 10**12),
    **dict(each("large chunks", large_chunks, GROWING)),
    **dict(each("compressed", compressed, GROWING)),
    **dict(each("many words", many_words, TEXTS[1:])),
    **dict(each("long text", long_text, ("scene", "joints/names"))),
    "many references": partial(many_references, "joints/prescribed"),
    **{f"holes {n}": partial(mostly_holes, n) for n in (2**33, 2**42)},
    **{f"batch {n}": partial(attribute, "batch", np.array(n)) for n in ([10**9], [10**6] * 4, [2**62], [1] * 40)},
    **{f"text of {name}": partial(attribute, name, "x" * 2**24) for name in ("id", "integrator", "backend")},
    **{f"counter {n}": partial(value, "status/samples", n) for n in (22, 10**15, 2**63 - 1, -1, 0)},
    **{f"bytes {n}": partial(value, "status/bytes", n) for n in (2**62, -1)},
}
MISTYPED: dict[str, Change] = {
    **dict(each("committed", committed, DATASETS)),
    **dict(each("group", group, DATASETS)),
    **{f"{kind} {name}": partial(typed, name, dtype, None) for name in DATASETS for kind, dtype in (("f2", "f2"), ("table", TABLE))},
    **{f"shape {shape} {name}": partial(typed, name, "f8", shape) for name in GROWING for shape in ((), (1,), (21, 99), (21, 3, 3, 3, 3))},
    **{f"{label} {name}": partial(attribute, name, odd) for name in ATTRIBUTES for label, odd in ODD.items()},
    **{f"{name} {n}": partial(attribute, name, n) for name in ("dt", "duration") for n in (np.nan, np.inf, -1.0)},
    **{f"status {name} {n}": partial(value, f"status/{name}", n) for name in ("wall_s", "compile_s") for n in (np.nan, -1.0)},
    **{f"t {n}": partial(value, "t", n) for n in (np.nan, np.inf, 99.0)},
}
LARGE: dict[str, Change] = {"text of 100 MB": partial(attribute, "id", lambda file: "x" * (100 * 2**20))}  # files that are large themselves
CHANGES = ELSEWHERE | DECLARED | MISTYPED
WITH_CHECKS: dict[str, Change] = {  # of files that have checksums
    f"{label} {name}": partial(change, name)
    for name in CHECKS
    for label, change in (
        ("external", external),
        ("virtual", virtual),
        ("soft link", soft_link),
        ("committed", committed),
        ("group", group),
    )
}
