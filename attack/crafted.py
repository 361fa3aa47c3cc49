"""Result files that are made to do harm. Each way takes a good file and replaces something in it, as anyone with h5py can."""

from __future__ import annotations

import os
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from attack import hostile

DATASETS = ("q", "qdot", "t", "charts", "energy/kinetic", "bodies/position", "scene", "joints/names", "coordinates/names", "status/samples")
STATUS = ("samples", "bytes", "steps", "wall_s", "compile_s", "complete", "ended")
ATTRIBUTES = ("format_version", "id", "batch", "integrator", "dynamics", "dt", "dtype", "backend", "every", "duration", "solver")
VALUES = (
    -1, 0, 2**62, 10**9, 1e300, float("nan"), "", "x" * 10_000, "\x1b[31m", b"\xff\xfe", np.zeros(5), np.zeros((0,)), [1, 2], "../../x",
)  # fmt: skip


def craft(path: Path, number: int, rng: random.Random, outside: Path) -> str:
    """Do the one of this number; what was done, in words."""
    import h5py

    way = WAYS[number % len(WAYS)]
    if way in BESIDE:
        return f"{way.__name__}: {way(path, rng, outside)}"
    with h5py.File(path, "r+", locking=False) as file:
        return f"{way.__name__}: {way(file, rng, outside)}"


def there(file: Any, rng: random.Random) -> str:
    return rng.choice([name for name in DATASETS if name in file])


def replaced(file: Any, name: str, **given: Any) -> Any:
    """A new dataset in the place of one, with its attributes."""
    kept = dict(file[name].attrs)
    del file[name]
    made = file.create_dataset(name, **given)
    made.attrs.update(kept)
    return made


def external_link(file: Any, rng: random.Random, outside: Path) -> str:
    import h5py

    name = there(file, rng)
    del file[name]
    file[name] = h5py.ExternalLink(str(outside / "secret.h5" if rng.random() < 0.5 else outside / "secret.txt"), "/x")
    return name


def soft_link(file: Any, rng: random.Random, outside: Path) -> str:
    import h5py

    name = there(file, rng)
    del file[name]
    file[name] = h5py.SoftLink(rng.choice(("/", name, "/nowhere", "/status")))
    return name


def external_storage(file: Any, rng: random.Random, outside: Path) -> str:
    name = there(file, rng)
    shape, target = file[name].shape, outside / rng.choice(("secret.raw", "secret.txt"))
    kind = file[name].dtype if file[name].dtype.kind in "fi" else np.dtype("S64")
    replaced(file, name, shape=shape or (1,), dtype=kind, external=[(str(target), 0, 2**20)])
    return name


def external_text(file: Any, rng: random.Random, outside: Path) -> str:
    """The scene or the names as fixed text that lies in another file, so that an error may quote it."""
    name = rng.choice(("scene", "joints/names", "coordinates/names", "status/ended", "bodies/names"))
    replaced(file, name, shape=(1,), dtype="S20", external=[(str(outside / "secret.txt"), 0, 20)])
    return name


def virtual(file: Any, rng: random.Random, outside: Path) -> str:
    import h5py

    name = there(file, rng)
    shape = file[name].shape or (1,)
    layout = h5py.VirtualLayout(shape, "f8")
    layout[...] = h5py.VirtualSource(str(outside / "secret.h5"), "x", shape)
    kept = dict(file[name].attrs)
    del file[name]
    file.create_virtual_dataset(name, layout, fillvalue=1.0).attrs.update(kept)
    return name


def references(file: Any, rng: random.Random, outside: Path) -> str:
    import h5py

    name = there(file, rng)
    made = replaced(file, name, shape=(len(file["t"]) if "t" in file else 1,), dtype=h5py.ref_dtype)
    made[0] = file["status"].ref
    file.attrs["id"] = file["status"].ref
    return name


def huge_shape(file: Any, rng: random.Random, outside: Path) -> str:
    """Many samples declared, none written."""
    name = there(file, rng)
    rows, columns = rng.choice((10**6, 10**9, 10**12)), file[name].shape[1:]
    kind = file[name].dtype if file[name].dtype.kind in "fi" else np.dtype("f8")
    replaced(file, name, shape=(rows, *columns), dtype=kind, chunks=(1024, *columns), maxshape=(None, *columns))
    if rng.random() < 0.7:
        file["status/samples"][0] = rows
    return f"{name} of {rows}"


def all_huge(file: Any, rng: random.Random, outside: Path) -> str:
    """Every dataset that grows, as long as the file says."""
    rows = rng.choice((10**7, 10**9, 10**12))
    names: list[str] = []
    file.visititems(lambda n, item: names.append(n) if "axes" in item.attrs else None)
    for name in names:
        columns = file[name].shape[1:]
        replaced(file, name, shape=(rows, *columns), dtype=file[name].dtype, chunks=(1024, *columns), maxshape=(None, *columns))
    file["status/samples"][0] = rows
    return f"{rows} samples"


def squeezed(file: Any, rng: random.Random, outside: Path) -> str:
    """Much that was compressed to little."""
    name = rng.choice([n for n in ("q", "qdot", "t", "scene") if n in file])
    if name == "scene":
        replaced(file, name, data=np.array([b" " * 2**26]), compression="gzip", chunks=(1,))
        return "64 MB of scene"
    columns = file[name].shape[1:]
    replaced(file, name, data=np.zeros((1_000_000, *columns)), chunks=(100_000, *columns), compression="gzip")
    file["status/samples"][0] = 1_000_000
    return name


def wrong_type(file: Any, rng: random.Random, outside: Path) -> str:
    import h5py

    name = there(file, rng)
    shape = file[name].shape or (1,)
    plain = ("S8", "i1", "c16", "f2", "V16", "u8", ">f4", np.dtype([("a", "f8"), ("b", "S4")]), np.dtype(("f8", (3,))))
    kind = rng.choice((*plain, h5py.vlen_dtype(np.dtype("f8")), h5py.string_dtype(), h5py.enum_dtype({"x": 1})))
    replaced(file, name, shape=shape, dtype=kind)
    return f"{name} as {kind}"


def wrong_rank(file: Any, rng: random.Random, outside: Path) -> str:
    name = there(file, rng)
    kind = file[name].dtype
    shape = rng.choice(((), (0,), (1,), (41, 1, 1, 1), (1,) * 30, (41, 0), (41, 10**6)))
    replaced(file, name, shape=shape, dtype=kind)
    return f"{name} of {shape}"


def charts(file: Any, rng: random.Random, outside: Path) -> str:
    """Numbers of charts, which choose what compiled code does."""
    if "charts" not in file:
        return wrong_rank(file, rng, outside)
    value = rng.choice((-1, 2, 7, 10**6, 2**62, -(2**63)))
    file["charts"][...] = value
    for name in ("energy", "momentum", "bodies/position", "bodies/rotation"):  # so that they are computed from the states
        if name in file:
            del file[name]
    return str(value)


def not_finite(file: Any, rng: random.Random, outside: Path) -> str:
    name = rng.choice([n for n in ("q", "qdot", "t", "energy/kinetic") if n in file])
    file[name][rng.randrange(len(file[name]))] = rng.choice((np.nan, np.inf, 1e308))
    return name


def status(file: Any, rng: random.Random, outside: Path) -> str:
    name = rng.choice(STATUS)
    value = rng.choice((-1, 0, 1, 10**6, 2**62, -(2**63)))
    file[f"status/{name}"][0] = str(value).encode() * 100 if name == "ended" else value % 256 if name == "complete" else value
    return f"{name} = {value}"


def attribute(file: Any, rng: random.Random, outside: Path) -> str:
    name, value = rng.choice(ATTRIBUTES), rng.choice(VALUES)
    file.attrs[name] = value
    return f"{name} = {str(value)[:40]!r}"


def large_attribute(file: Any, rng: random.Random, outside: Path) -> str:
    name = rng.choice(ATTRIBUTES)
    file.attrs.create(name, np.zeros(8 * 2**20 // 8) if rng.random() < 0.5 else "y" * 2**22)
    return name


def missing(file: Any, rng: random.Random, outside: Path) -> str:
    name = rng.choice([*DATASETS, "status", "joints", "coordinates", "bodies", "status/ended", "status/bytes"])
    if name in file:
        del file[name]
    return name


def group_instead(file: Any, rng: random.Random, outside: Path) -> str:
    name = there(file, rng)
    kept = dict(file[name].attrs)
    del file[name]
    file.create_group(name).attrs.update(kept)
    return name


def cycle(file: Any, rng: random.Random, outside: Path) -> str:
    file["bodies/up"] = file["/"]
    file["status/up"] = file["/"]
    return "hard links to the root"


def many_groups(file: Any, rng: random.Random, outside: Path) -> str:
    deep = file
    for _ in range(2000):
        deep = deep.create_group("x")
    for k in range(20_000):
        file.create_group(f"many/{k}")
    return "22,000 groups"


def unknown_filter(file: Any, rng: random.Random, outside: Path) -> str:
    """A filter that HDF5 would look for among its plugins, which are libraries."""
    import h5py

    name = rng.choice([n for n in ("q", "qdot", "t") if n in file])
    shape, kept = file[name].shape, dict(file[name].attrs)
    del file[name]
    plan = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    plan.set_chunk(shape)
    plan.set_filter(rng.choice((32000, 32015, 300)), h5py.h5z.FLAG_OPTIONAL, (1, 2, 3))
    space = h5py.h5s.create_simple(shape)
    h5py.Dataset(h5py.h5d.create(file.id, name.encode(), h5py.h5t.IEEE_F64LE, space, plan)).attrs.update(kept)
    return name


def scene_text(file: Any, rng: random.Random, outside: Path) -> str:
    """The scene in the file as a stranger's scene file."""
    way = rng.choice((hostile.table, hostile.table, hostile.inputs, hostile.sizes, hostile.operations, hostile.bomb, hostile.numbers))
    text = way(rng, outside)
    replaced(file, "scene", data=text)
    return way.__name__


STOLEN = """redmax: 1
bodies:
  - name: upper
    shape: {Sphere: {radius: 1}}
    joint: {joint: {function: {function: f}, dof: 1, parameters: {tab: {Table: [0.5]}}}}
functions:
  f:
    arguments: {q: [1]}
    parameters: {tab: {table: [10000, 10000, 1000]}}
    returns: [[0, 1, 1, 6], [1, 0, 1, 5], [1, 1, 0, 1], [1, 1, 1, 0]]
    operations: |
      const 1.0
      const 0.0
      input q 0
      const 1e11
      mul 2 3
      gather tab 0 1 100000000000 4
      add 2 5
"""


def hostile_text(file: Any, rng: random.Random, outside: Path) -> str:
    """A scene whose function reads at computed places of a table that it does not have, with the rest made to fit, so that it is run."""
    import h5py

    replaced(file, "scene", data=STOLEN)
    names = {"joints/names": "upper", "bodies/names": "upper", "coordinates/names": "a", "coordinates/rate_names": "a"}
    for name, word in names.items():
        replaced(file, name, data=np.array([word], object), dtype=h5py.string_dtype())
    for name in ("q", "qdot"):
        if name in file:
            replaced(file, name, data=np.linspace(0, 1, len(file["t"]))[:, None])
    for name in ("charts", "energy", "momentum", "bodies/position", "bodies/rotation", "bodies/twist", "joints/reaction"):
        if name in file:
            del file[name]
    file.attrs["batch"] = np.zeros(0, int)
    return "a table that it does not have"


def pipe(path: Path, rng: random.Random, outside: Path) -> str:
    path.unlink()
    os.mkfifo(path)
    return "a pipe"


def device(path: Path, rng: random.Random, outside: Path) -> str:
    path.unlink()
    target = rng.choice(("/dev/zero", "/dev/urandom", "/dev/full", "/dev/stdin"))
    path.symlink_to(target)
    return target


def sparse(path: Path, rng: random.Random, outside: Path) -> str:
    """A file that says that it is long, of which nothing is on the disk."""
    with path.open("r+b") as raw:
        raw.truncate(400 * 2**20)
    return "400 MB"


def marked_open(path: Path, rng: random.Random, outside: Path) -> str:
    """As a writer that was killed leaves it, so that it is read beside one."""
    with path.open("r+b") as raw:
        raw.seek(11)
        raw.write(bytes([rng.choice((1, 4, 5, 255))]))
    return "the byte that says so"


BESIDE = (pipe, device, sparse, marked_open)
WAYS: tuple[Callable[[Any, random.Random, Path], str], ...] = (
    external_link, soft_link, external_storage, external_text, virtual, references, huge_shape, all_huge, squeezed, wrong_type, wrong_rank,
    charts, not_finite, status, attribute, large_attribute, missing, group_instead, cycle, many_groups, unknown_filter, scene_text,
    hostile_text, pipe, device, sparse, marked_open,
)  # fmt: skip
