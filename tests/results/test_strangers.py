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


@pytest.mark.parametrize("version", [1, 2])
def test_crafted_files_are_sentences_that_take_no_time_and_no_memory(result, tmp_path, version):
    """Some of each kind; `make attack` goes through all of them. With checksums, a file whose status for others is wrong is read well."""
    base = crafted.crafted(result, tmp_path / "base.h5", crafted.version_1 if version == 1 else lambda file, folder: None)
    every = crafted.CHANGES if version == 1 else crafted.CHANGES | crafted.WITH_CHECKS
    changes = {name: every[name] for name in list(every)[version::13]}
    (whole, *_), *found = loaded_elsewhere(
        [base, *[crafted.crafted(base, tmp_path / f"{k}.h5", c) for k, c in enumerate(changes.values())]]
    )
    assert whole[0] == ""
    for name, (says, seconds, megabytes) in zip(changes, found, strict=True):
        assert isinstance(says, str) or (version == 2 and says == whole), name
        assert crafted.SECRET not in says, name
        assert len(says) < 600, name
        assert seconds < 2, name
        assert megabytes < 500, name


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


def test_what_is_not_read_is_not_followed(result, tmp_path):
    """Notes of one's own may be in a file; whatever they are, nobody opens them."""

    def add(file, folder):
        os.mkfifo(folder / "pipe.h5")
        file["notes"] = "mine"
        file["linked"] = h5py.ExternalLink(str(folder / "pipe.h5"), "/")

    (says, _, _), (again, _, _) = loaded_elsewhere([result, crafted.crafted(result, tmp_path / "x.h5", add)])
    assert says == again
    assert says[0] == ""


@pytest.mark.parametrize("name", ["pipe.h5", "pipe", "/dev/zero", "/dev/null"])
def test_pipes_and_devices_are_refused_without_waiting(tmp_path, name):
    path = tmp_path / name
    if not path.exists():
        os.mkfifo(path)
    with pytest.raises(rm.RedmaxError, match="a device or a pipe, not a file"):
        rm.load(path)
    with pytest.raises(rm.RedmaxError, match="exists and is not a result file"):
        rm.simulate(scenes.arm(), 0.1, 0.01, out=path)


def test_a_long_text_in_an_attribute_takes_no_memory(result, tmp_path):
    old = crafted.crafted(result, tmp_path / "old.h5", crafted.version_1)  # only these are read by their attributes
    path = crafted.crafted(old, tmp_path / "x.h5", crafted.LARGE["text of 100 MB"])
    ((says, seconds, megabytes),) = loaded_elsewhere([path])
    assert "are in no dataset" in says
    assert seconds < 2
    assert megabytes < 500


def test_data_of_ones_own_beside_a_result_are_no_reason_to_refuse_it(result, tmp_path):
    def add(file, folder):
        file.create_dataset("mine/numbers", data=np.ones(8 * 2**20))
        file["mine"].attrs["about"] = "notes"

    path = crafted.crafted(result, tmp_path / "x.h5", add)
    assert path.stat().st_size > 60 * 2**20
    assert len(rm.load(path)) == 21


@pytest.mark.parametrize("version", [1, 2])
def test_damaged_heaps_of_texts_are_not_read_for_ever(result, tmp_path, version):
    """HDF5 goes through a heap object by object; where one of no length follows, it stays there."""
    path = crafted.crafted(result, tmp_path / "x.h5", crafted.version_1 if version == 1 else lambda file, folder: None)
    content = bytearray(path.read_bytes())
    for found in re.finditer(b"GCOL", bytes(content)):
        content[found.start() + 16 : found.start() + 64] = bytes(48)
    path.write_bytes(content)
    (whole, *_), (says, *_) = loaded_elsewhere([result, path])
    assert ("a heap that is damaged" in says) if version == 1 else (says == whole)
