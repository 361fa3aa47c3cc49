"""A result file with a flipped bit gives the numbers that were written, or says which of them it has lost."""

from __future__ import annotations

import os
import random
import re

import h5py
import numpy as np
import pytest

import redmax as rm
from redmax.results.checks import division
from results import crafted, scenes


@pytest.fixture(scope="module")
def long(tmp_path_factory):
    """A run of several blocks."""
    path = tmp_path_factory.mktemp("results") / "run.h5"
    rm.simulate(scenes.arm(), 1.0, 0.001, integrator="rk4", out=path)
    return path


def with_flip(path, target, name, sample):
    """A copy of a file with one bit of a sample flipped, where HDF5 keeps it."""
    with h5py.File(path, "r") as file:
        dataset = file[name]
        row, inside = divmod(sample, dataset.chunks[0])
        start = dataset.id.get_chunk_info_by_coord((row * dataset.chunks[0], *[0] * (dataset.ndim - 1))).byte_offset
        where = start + inside * dataset.dtype.itemsize * int(np.prod(dataset.shape[1:])) + 3
    content = bytearray(path.read_bytes())
    content[where] ^= 1 << 4
    target.write_bytes(content)
    return target


def same(run, whole):
    for (name, array), (again, found) in zip(whole.to_numpy().items(), run.to_numpy().items(), strict=True):
        assert name == again
        np.testing.assert_array_equal(found, array)
    facts = ("dt", "steps", "wall_s", "compile_s", "complete", "ended", "settings", "integrator", "dynamics")
    assert [getattr(run, name) for name in facts] == [getattr(whole, name) for name in facts]


@pytest.mark.parametrize("name", ["t", "q", "qdot", "energy/kinetic", "momentum", "bodies/rotation", "joints/reaction"])
def test_the_samples_of_a_flipped_bit_are_named_and_the_others_are_read(long, tmp_path, name):
    run, whole = rm.load(with_flip(long, tmp_path / "x.h5", name, 600)), rm.load(long)
    with pytest.raises(rm.RedmaxError, match=rf"'{name}' is not as it was written in the samples 512 to 767") as caught:
        run.to_numpy(), np.asarray(run.qdot), run.momentum, run.reaction("bob")
    assert ("t = 0.512 to 0.767 s" in str(caught.value)) == (name != "t")
    good = [slice(*map(int, numbers)) for numbers in re.findall(r"run\[(\d+):(\d+)\]", str(caught.value))]
    assert good == [slice(0, 512), slice(768, 1001)]
    for part in good:
        for column in ("t", "q", "qdot", "momentum"):
            np.testing.assert_array_equal(getattr(run[part], column), getattr(whole[part], column))
        np.testing.assert_array_equal(run[part].reaction("bob"), whole[part].reaction("bob"))
        np.testing.assert_array_equal(run[part].pose("bob"), whole[part].pose("bob"))


@pytest.mark.parametrize("sample", [0, 255, 256, 1000])
def test_parts_of_an_array_are_checked_too(long, tmp_path, sample):
    run, whole = rm.load(with_flip(long, tmp_path / "x.h5", "q", sample)), rm.load(long)
    for index in (sample, slice(sample, sample + 1), slice(None, None, -1), slice(sample % 7, None, 7), (slice(None), 1)):
        with pytest.raises(rm.RedmaxError, match="'q' is not as it was written"):
            run.q[index]
    other = (sample + 500) % 1001
    np.testing.assert_array_equal(run.q[other], whole.q[other])


def test_any_way_of_indexing_reads_what_was_written(long):
    run, memory = rm.load(long), rm.simulate(scenes.arm(), 1.0, 0.001, integrator="rk4")
    draw = random.Random(5)
    for _ in range(60):
        first = slice(draw.randrange(-1100, 1100), draw.randrange(-1100, 1100), draw.choice([1, 2, 3, 255, 256, 300, -1, -7, -400]))
        index = (first, draw.choice([slice(None), slice(1, 4, 2), 2, -1]))
        np.testing.assert_array_equal(run.q[index], memory.q[index])
        if len(memory.t[first]):
            np.testing.assert_array_equal(run[first].t, memory.t[first])


def test_no_flipped_bit_is_a_silent_wrong_number(tmp_path):
    rm.simulate(scenes.arm(), 0.1, 0.01, integrator="rk4", out=tmp_path / "run.h5")
    content, whole, target = (tmp_path / "run.h5").read_bytes(), rm.load(tmp_path / "run.h5"), tmp_path / "x.h5"
    draw, said = random.Random(7), 0
    for _ in range(30):
        flipped = bytearray(content)
        flipped[draw.randrange(len(content))] ^= 1 << draw.randrange(8)
        target.write_bytes(flipped)
        try:
            same(rm.load(target), whole)
        except rm.RedmaxError as error:
            said += "is damaged" in str(error)
    assert said > 10


def flipped_text(path, text):
    """One bit of each place where a text is in a file."""
    content = bytearray(path.read_bytes())
    for found in re.finditer(re.escape(text), bytes(content)):
        content[found.start() + 1] ^= 2
    return content


@pytest.mark.parametrize("text", [b"mass: 0.8", b"shoulder", b"recursive", b"rk4"])
def test_texts_that_are_read_have_a_checksum(long, tmp_path, text):
    (tmp_path / "x.h5").write_bytes(flipped_text(long, text))
    with pytest.raises(rm.RedmaxError, match=r"not as (it was|they were) written|of another scene"):
        rm.load(tmp_path / "x.h5")


@pytest.mark.parametrize("row", [0, 1])
def test_the_status_counts_as_it_was_written_last(long, tmp_path, row):
    """Of its two rows one is older, and no answer if the other is lost."""
    path = crafted.crafted(long, tmp_path / "x.h5", lambda file, folder: file["checks/commits"].__setitem__((row, 1), 7))
    with h5py.File(path, "r") as file:
        counts = int(file["checks/count"][0]) % 2 == row
    if not counts:
        assert len(rm.load(path)) == 1001
        return
    with pytest.raises(rm.RedmaxError, match="its status is not as it was written"):
        rm.load(path)


def test_files_from_before_there_were_checksums_are_read(long, tmp_path):
    same(rm.load(crafted.crafted(long, tmp_path / "x.h5", crafted.version_1)), rm.load(long))


def test_large_samples_are_checked_part_by_part(tmp_path, monkeypatch):
    """One world of a large batch takes no more than its part of each sample."""
    monkeypatch.setattr("redmax.results.checks.PART", 400)
    whole = rm.simulate(scenes.arm(), 0.1, 0.01, integrator="rk4", initial=scenes.batch((30,)), out=tmp_path / "run.h5")
    assert division((30, 5), 8).parts == 3
    memory = rm.simulate(scenes.arm(), 0.1, 0.01, integrator="rk4", initial=scenes.batch((30,)))
    for index in ((slice(None), 12), (3, slice(5, 25, 3)), (slice(None, None, -2), -1), (slice(2, 9), slice(20, 4), 0)):
        np.testing.assert_array_equal(whole.q[index], memory.q[index])
    last, first = (slice(None), 29), (slice(None), 0)
    np.testing.assert_array_equal(whole.part(last).energy.total, memory.part(last).energy.total)
    run = rm.load(with_flip(tmp_path / "run.h5", tmp_path / "x.h5", "q", 4))  # of world 0
    np.testing.assert_array_equal(run.part(last).q, memory.part(last).q)
    with pytest.raises(rm.RedmaxError, match="'q' is not as it was written in the samples 4 to 4"):
        np.asarray(run.part(first).q)


def test_a_file_that_was_cut_off_says_so(long, tmp_path):
    content = long.read_bytes()
    for size in (13, 100, 5_000, len(content) // 2, len(content) - 1):
        (tmp_path / "x.h5").write_bytes(content[:size])
        with pytest.raises(rm.RedmaxError, match=r"damaged|cut off"):
            rm.load(tmp_path / "x.h5").to_numpy()
    assert os.path.getsize(long) == len(content)


def test_what_is_damaged_is_not_saved_as_if_it_were_not_known(long, tmp_path):
    run = rm.load(with_flip(long, tmp_path / "x.h5", "momentum", 600))
    with pytest.raises(rm.RedmaxError, match="'momentum' is not as it was written"):
        run.save(tmp_path / "y.h5")
    assert not (tmp_path / "y.h5").exists()
