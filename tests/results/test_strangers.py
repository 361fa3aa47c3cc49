"""A result file from a stranger reads nothing but itself, takes no more than it holds, and is a run or a sentence."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys

import h5py
import numpy as np
import pytest

import redmax as rm
from results import crafted, scenes

LOAD = """
import json, sys, time
import redmax as rm
found = []
for path in json.load(sys.stdin):
    begin = time.process_time()
    try:
        run = rm.load(path)
        says = ["", float(run.t.sum()), run.q[-1].tolist(), run.energy.total[-1], run.momentum[-1].tolist(), run.steps, run.dt]
    except rm.RedmaxError as error:
        says = str(error)
    peak = next(line for line in open("/proc/self/status") if line.startswith("VmHWM")).split()[1]  # of this program alone, in kB
    found.append((says, time.process_time() - begin, int(peak) / 1024))
print(json.dumps(found))
"""


@pytest.fixture(scope="module")
def result(tmp_path_factory):
    path = tmp_path_factory.mktemp("results") / "run.h5"
    rm.simulate(scenes.arm(), 0.2, 0.01, integrator="rk4", out=path)
    return path


def loaded_elsewhere(paths):
    """What each gives, the processor time (s), and the memory (MB) up to then, in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-c", LOAD], input=json.dumps([str(p) for p in paths]), capture_output=True, text=True, timeout=100, check=False
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return json.loads(done.stdout)


def prepared(result, folder, version):
    """A result as this version of the format has it."""
    folder.mkdir()
    return crafted.crafted(result, folder / "base.h5", crafted.version_1 if version == 1 else lambda file, folder: None)


def test_files_of_strangers_are_sentences_that_take_no_time_and_no_memory(result, tmp_path):
    """Some of each kind; `make attack` goes through all of them. One process reads them all, and with them a file with notes that lead
    out of it, a text of 100 MB, and heaps of texts that would be read for ever."""
    bases = [prepared(result, tmp_path / str(version), version) for version in (1, 2)]
    changed, names = [], []
    for version, base, every in ((1, bases[0], crafted.CHANGES), (2, bases[1], crafted.CHANGES | crafted.WITH_CHECKS)):
        for k, name in enumerate(list(every)[version::13]):
            changed.append(crafted.crafted(base, base.parent / f"{k}.h5", every[name]))
            names.append((version, name))
    notes = crafted.crafted(result, tmp_path / "notes.h5", add_notes)
    long = crafted.crafted(bases[0], tmp_path / "long.h5", crafted.LARGE["text of 100 MB"])  # only these are read by their attributes
    heaps = [with_damaged_heaps(base, tmp_path / f"heaps {k}.h5") for k, base in enumerate(bases)]
    found = loaded_elsewhere([*bases, result, *changed, notes, long, *heaps])
    (first, *_), (second, *_), (whole, *_) = found[:3]
    assert first[0] == second[0] == whole[0] == ""
    for (version, name), (says, seconds, megabytes) in zip(names, found[3:-4], strict=True):
        assert isinstance(says, str) or (version == 2 and says == second), name  # with checksums, a wrong status for others is no harm
        assert crafted.SECRET not in says, name
        assert len(says) < 600, name
        assert seconds < 2, name
        assert megabytes < 500, name
    said = [says for says, *_ in found[-4:]]
    assert said[0] == whole
    assert "are in no dataset" in said[1]
    assert found[-3][1] < 2
    assert found[-3][2] < 500
    assert "a heap that is damaged" in said[2]
    assert said[3] == second


def add_notes(file, folder):
    """Of one's own, which may be in a file; whatever they are, nobody opens them."""
    os.mkfifo(folder / "pipe.h5")
    file["notes"] = "mine"
    file["linked"] = h5py.ExternalLink(str(folder / "pipe.h5"), "/")


def with_damaged_heaps(result, path):
    """HDF5 goes through a heap object by object; where one of no length follows, it stays there."""
    content = bytearray(result.read_bytes())
    for found in re.finditer(b"GCOL", bytes(content)):
        content[found.start() + 16 : found.start() + 64] = bytes(48)
    path.write_bytes(content)
    return path


def test_what_points_elsewhere_is_named(result, tmp_path):
    for name, says in (
        ("external scene", "'scene' is taken from another file"),
        ("virtual bodies/twist", "'bodies/twist' is taken from another file"),
        ("external link joints", "'joints' is a link"),
        ("soft link q", "'q' is a link"),
        ("unknown filter q", "'q' is stored through a filter"),
    ):
        with pytest.raises(rm.RedmaxError, match=says):
            rm.load(crafted.crafted(result, tmp_path / "x.h5", crafted.CHANGES[name]))


@pytest.mark.parametrize("name", ["pipe.h5", "pipe", "/dev/zero", "/dev/null"])
def test_pipes_and_devices_are_refused_without_waiting(tmp_path, name):
    path = tmp_path / name
    if not path.exists():
        os.mkfifo(path)
    with pytest.raises(rm.RedmaxError, match="a device or a pipe, not a file"):
        rm.load(path)
    with pytest.raises(rm.RedmaxError, match="exists and is not a result file"):
        rm.simulate(scenes.arm(), 0.1, 0.01, out=path)


def test_data_of_ones_own_beside_a_result_are_no_reason_to_refuse_it(result, tmp_path):
    def add(file, folder):
        file.create_dataset("mine/numbers", data=np.ones(8 * 2**20))
        file["mine"].attrs["about"] = "notes"

    path = crafted.crafted(result, tmp_path / "x.h5", add)
    assert path.stat().st_size > 60 * 2**20
    assert len(rm.load(path)) == 21
