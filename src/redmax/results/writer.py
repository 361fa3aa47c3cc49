"""A result file that grows while a run goes on (HDF5, one writer and many readers)."""

from __future__ import annotations

import os
from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Any
from zlib import crc32

import numpy as np

from redmax.dynamics.common.path_states import muscles_of, paths_of
from redmax.errors import RedmaxError, warn
from redmax.results import layout, parameters, worlds_lost
from redmax.results.check_writer import CheckWriter
from redmax.results.checks import BROKE_OFF, COMPLETE, GOING_ON, Commit
from redmax.results.contact_rows import ContactWriter
from redmax.results.derive import derived, last_mapped
from redmax.results.header import ABOUT, HEADER, header_bytes
from redmax.results.layout import ENDED, STATUS, Column, chunk_shape, deformable_group
from redmax.results.provenance import provenance
from redmax.results.reserve import SPARE, reserved
from redmax.results.scene_text import prescribed, scene_text
from redmax.results.target import check_target, put_in_place, writing
from redmax.run.constraint_quantities import place_names, row_names
from redmax.run.failures import Failure
from redmax.run.quantities import quantity_named
from redmax.run.quantity import body_links
from redmax.run.trajectory import Trajectory
from redmax.writing import Draft, synchronise


class ResultWriter:
    """like: a run, or a part of it, of the same model, batch and method; expected: how many samples there will be, about.

    growing: whether others may read the file from its first sample on; else it gets its name when it is closed, whole
    """

    def __init__(self, path: Any, like: Trajectory, store: Collection[str], expected: int, growing: bool = True) -> None:
        import h5py

        self.path = check_target(path, store)
        self.batch = like.q.shape[1:-1]
        if 0 in self.batch:
            raise RedmaxError(f"A result file holds at least one world, but the batch of this run is {self.batch}. Leave out the file.")
        self.columns = layout.columns(like.model, store, like)
        self.names = ("t", *[c.name for c in self.columns])
        self.nearby: np.ndarray | None = None
        self.last: Commit | None = None
        self.lost = 0  # worlds that are noted to have broken off
        self.growing = growing
        with writing(self.path, False):
            # under another name until it has a sample, so that nobody meets a file that does not say yet what it is
            self.draft: Draft | None = Draft(self.path)
            try:
                text, missing = scene_text(like.model)
                self.reserve = reserved(self.draft.path, start_size(like, text))  # before HDF5, which empties the file again
                self.file: Any = h5py.File(self.draft.path, "w", libver="v110", locking=False)  # the lock is the draft's
                self.begin(like, store, expected, text, missing)
            except BaseException:
                self.draft.discard()
                raise

    def begin(self, like: Trajectory, store: Collection[str], expected: int, text: str, missing: str) -> None:
        try:
            self.reserve = reserved(self.reserve.path, self.reserve.size - SPARE)
            self.describe(like, store, text, missing)
            self.make_columns(like, expected)
            self.contacts = ContactWriter(self.file) if like.contact_count is not None else None
            self.make_status()
            self.datasets = {name: self.file[name] for name in self.names}
            self.status = {name: self.file[f"status/{name}"] for name in STATUS}
            self.checks = CheckWriter(self.file, list(self.datasets.values()))
            self.file.swmr_mode = True  # from here on nothing new can be named
        except BaseException:
            self.file.close()
            raise

    def describe(self, like: Trajectory, store: Collection[str], text: str, missing: str) -> None:
        """The attributes of the file, the scene, and what bodies, joints, coordinates and deformables are called."""
        model, root = like.model, self.file
        facts = {"format": layout.FORMAT, "format_version": layout.VERSION, "about": "A run of redmax: open it with redmax.load(path)."}
        facts |= {
            "id": os.urandom(16).hex(),
            "batch": np.array(self.batch, int),
            "conventions": layout.CONVENTIONS,
            **provenance(str(like.q.dtype)),
            "title": model.title,
        }
        facts |= {"units": f"{model.units.length} {model.units.mass} {model.units.time}"}
        facts |= {"integrator": like.integrator, "dynamics": like.dynamics, "dt": like.dt, "store": list(store)}
        facts |= {name: like.settings[name] for name in layout.SETTINGS if like.settings.get(name) is not None}
        facts |= {"atol": np.atleast_1d(np.asarray(like.settings["atol"], float))} if "atol" in like.settings else {}
        values = parameters.values_of(like)
        facts |= parameters.facts_of(values)
        joints, scene = [model.joint_names[i] for i in body_links(model)], text.encode("utf-8", "surrogateescape")
        header = header_bytes(facts, missing, prescribed(model), joints)
        facts |= {"number": int(str(facts["id"])[:15], 16), "header_check": crc32(header), "scene_check": crc32(scene)}
        root.attrs.update(facts)
        self.fixed(HEADER, np.frombuffer(header, np.uint8), "1", ABOUT)
        if missing:
            advice = "Open it with redmax.load(path, scene=...), giving the scene again"
            warn(f"The result file will not hold the scene: {missing} {advice}.")
        self.fixed(
            "scene", np.array(scene, f"S{max(1, len(scene))}"), "YAML", "the scene that ran, as redmax.Scene.save writes it", "utf-8"
        )
        root["scene"].attrs["missing"] = missing
        for k, (name, value) in enumerate(values.items()):
            self.fixed(parameters.dataset_of(k), value, "", parameters.ABOUT.format(name=name))
        bodies = body_links(model)
        self.words("bodies/names", [model.body_names[i] for i in bodies], "names of the bodies, along their axis in other datasets")
        self.words("joints/names", joints, "names of the joints that carry these bodies")
        for group, forces in (("paths", paths_of(model)), ("muscles", muscles_of(model))):
            if any(column.of == group for column in self.columns):
                self.words(
                    f"{group}/names", [str(force.name) for force in forces], "names of the forces, along their axis in other datasets"
                )
        self.words("joints/prescribed", prescribed(model), "joints whose accelerations are given from outside")
        q, qdot = (quantity_named(model, name).headings(model) for name in ("q", "qdot"))
        self.words("coordinates/names", [h.name for h in q], "of q: joint and number of the coordinate")
        self.words("coordinates/units", [h.unit for h in q], "of q; 1 for a coordinate that is neither an angle nor a length")
        self.words("coordinates/rate_names", [h.name for h in qdot], "of qdot")
        self.words("coordinates/rate_units", [h.unit for h in qdot], "of qdot")
        if "torques/sources" in self.names:
            about = "of torques/sources: source and number of the rate in its joint"
            self.words("torques/names", [h.name for h in quantity_named(model, "torques").headings(model)], about)
        if "constraints/multipliers" in self.names:
            self.words("constraints/names", [str(c.name) for c in model.constraints], "names of the constraints")
            self.words("constraints/rows", row_names(model), "of the rows: constraint and number of the row in it")
            self.words("constraints/places", place_names(model), "of the places: constraint and number of the place in it")
        choices = [" ".join(options) for link in model.links for options in link.joint.discrete]
        self.words("coordinates/charts", choices, "along the axis of charts: the names that the numbers stand for, from 0")
        for k, soft in enumerate(model.soft):
            self.file.create_group(deformable_group(k)).attrs["name"] = soft.name
            self.fixed(f"{deformable_group(k)}/faces", soft.shape.surface, "1", "triangles of nodes, counterclockwise from outside")
            self.fixed(f"{deformable_group(k)}/lines", soft.shape.lines, "1", "lines between nodes")

    def words(self, name: str, values: list[str], about: str) -> None:
        self.fixed(name, np.array(values, object), "", about, "utf-8")

    def fixed(self, name: str, value: np.ndarray, unit: str, about: str, text: str = "") -> None:
        """A dataset that stays as it is. text: how it is encoded, if it is one."""
        import h5py

        dtype = h5py.string_dtype(text, value.dtype.itemsize if value.dtype.kind == "S" else None) if text else value.dtype
        made = self.file.create_dataset(name, data=value.astype(dtype), dtype=dtype)
        made.attrs.update({"unit": unit, "about": about})

    def make_columns(self, like: Trajectory, expected: int) -> None:
        self.grown("t", (), layout.TIME.dtype, layout.TIME, expected)
        for column in self.columns:
            self.grown(column.name, (*self.batch, *column.shape), column.dtype or str(like.q.dtype), column, expected)

    def grown(self, name: str, shape: tuple[int, ...], dtype: str, column: Column, expected: int) -> None:
        chunks = chunk_shape(shape, np.dtype(dtype).itemsize, expected)
        made = self.file.create_dataset(name, (0, *shape), dtype, maxshape=(None, *shape), chunks=chunks)
        worlds = [] if name == "t" else ["worlds"] * len(self.batch)
        made.attrs.update({"unit": column.unit, "about": column.about, "axes": ["time", *worlds, *column.axes]})

    def make_status(self) -> None:
        for name, (dtype, unit, about) in STATUS.items():
            made = self.file.create_dataset(f"status/{name}", (1,), dtype, chunks=(1,), maxshape=(1,))
            made.attrs.update({"unit": unit, "about": about})
        if self.batch:
            blocks = worlds_lost.blocks_of(self.batch)
            made = self.file.create_dataset(worlds_lost.NAME, (blocks,), worlds_lost.DTYPE, chunks=(1,), maxshape=(blocks,))
            made.attrs.update({"unit": "", "about": worlds_lost.ABOUT})

    def write(self, first: int, block: Trajectory) -> None:
        """Samples from number `first` on; they count once `commit` says so."""
        block = replace(block, nearby=self.nearby)
        for offset, part, found in derived(block, self.columns):
            with writing(self.path, self.draft is None):
                ragged = 0 if self.contacts is None else self.contacts.growth(part)
                self.reserve.ensure(self.file.id.get_filesize() + self.growth(len(part)) + ragged)
                now = slice(first + offset, first + offset + len(part))
                self.put("t", now, part.t)
                if self.contacts is not None:
                    part = self.contacts.write(first + offset, part)
                for c in self.columns:
                    self.put(c.name, now, found[c.name] if c.of else c.values(part))
                self.checks.write()
            self.nearby = last_mapped(part)
        self.note_failures(block.failures)

    def note_failures(self, failures: Sequence[Failure], anew: bool = False) -> None:
        """Which worlds have broken off; anew: also those that were noted before."""
        if len(failures) > self.lost * (not anew):
            with writing(self.path, self.draft is None):
                blocks = worlds_lost.encoded(failures, worlds_lost.blocks_of(self.batch))
                self.reserve.ensure(self.file.id.get_filesize() + (len(blocks) + 2) * worlds_lost.BYTES)
                for k, block in enumerate([*blocks, b""][: worlds_lost.blocks_of(self.batch)]):  # none of before may stay behind them
                    self.file[worlds_lost.NAME][k] = block
                self.lost = len(failures)

    def growth(self, samples: int) -> int:
        """Bytes that so many samples may add: whole chunks, at either end of what they fill."""
        data = sum(
            (samples // d.chunks[0] + 2) * d.chunks[0] * int(np.prod(d.shape[1:])) * d.dtype.itemsize for d in self.datasets.values()
        )
        return data + self.checks.growth(samples)

    def put(self, name: str, now: slice, values: np.ndarray) -> None:
        dataset = self.datasets[name]
        if len(dataset) < now.stop:
            dataset.resize(now.stop, axis=0)
        stored = np.ascontiguousarray(values, dataset.dtype)
        dataset[now] = stored
        self.checks.add(self.names.index(name), stored)

    def commit(self, samples: int, steps: int, wall_s: float, compile_s: float) -> None:
        """All samples before this number are good, for every reader and whatever happens next."""
        facts = {"steps": steps, "wall_s": wall_s, "compile_s": compile_s, "samples": samples}  # the last makes the others count
        with writing(self.path, self.draft is None):
            self.file.flush()
            size = self.file.id.get_filesize()
            self.seal(Commit(0, samples, size, steps, float(wall_s), float(compile_s), GOING_ON, crc32(b""), len(self.checks.blocks)))
            for name, value in {"bytes": size, **facts}.items():
                self.status[name][0] = value
                self.status[name].flush()
            if self.draft is not None and self.growing:
                put_in_place(self.draft)
                self.draft, self.reserve.path = None, self.draft.target

    def seal(self, commit: Commit) -> None:
        """Let this be what counts."""
        self.last = replace(commit, number=self.last.number + 1 if self.last else 1)
        self.checks.commit(self.last)

    def close(self, complete: bool, ended: str) -> None:
        if not self.file:
            return
        with writing(self.path, self.draft is None):
            try:
                text = clipped(ended)
                self.status["complete"][0] = complete
                self.status["ended"][0] = text
                if self.last is not None:
                    self.seal(replace(self.last, state=COMPLETE if complete else BROKE_OFF, ended=crc32(text)))
                self.finish()
                if self.draft is not None and not self.growing:
                    synchronise(self.draft.descriptor)
                    put_in_place(self.draft)
            finally:
                self.discard()

    def finish(self) -> None:
        if self.file:
            self.file.close()
            self.reserve.give_back()

    def discard(self) -> None:
        """Close the file, and remove it if it has not got its name."""
        try:
            self.finish()
        finally:
            if self.draft is not None:
                self.draft.discard()


def start_size(like: Trajectory, text: str) -> int:
    """Bytes of a file that holds no sample yet, at most: the scene, names, parameters, and the surfaces of deformables."""
    surfaces = sum(soft.shape.surface.nbytes + soft.shape.lines.nbytes for soft in like.model.soft)
    own = sum(value.nbytes + 1000 for value in parameters.values_of(like).values())
    return 2 * (len(text.encode("utf-8", "replace")) + surfaces + own) + 1000 * (
        4 + len(like.model.links) + len(like.model.forces) + like.q.shape[-1]
    )


def clipped(text: str) -> bytes:
    return text.encode("utf-8", "backslashreplace")[:ENDED].decode("utf-8", "ignore").encode("utf-8")
