"""Runs as tables: the numbers of the run under names that say what they are."""

from __future__ import annotations

import csv
import sys

import numpy as np
import pytest

import redmax as rm
from redmax.results import tables
from results import scenes

ALL = ("q", "qdot", "energy", "position", "quaternion", "twist", "reaction")


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    return rm.simulate(scenes.arm(), 0.2, 0.01, out=tmp_path_factory.mktemp("results") / "run.h5")


@pytest.fixture(scope="module")
def worlds():
    return rm.simulate(scenes.arm(), 0.1, 0.05, initial=scenes.batch((2, 3)))


def test_pandas_has_columns_by_name(run):
    frame = run.to_pandas(ALL)
    assert frame.index.name == "t"
    np.testing.assert_array_equal(frame.index, run.t)
    np.testing.assert_array_equal(frame["elbow.q0"], run.coordinates("elbow")[:, 0])
    np.testing.assert_array_equal(frame["shoulder.qdot2"], run.qdot[:, 2])
    np.testing.assert_array_equal(frame["total"], run.energy.total)
    np.testing.assert_array_equal(frame[["lower.x", "lower.y", "lower.z"]], run.pose("lower")[:, :3, 3])
    np.testing.assert_array_equal(frame[["bob.v.x", "bob.v.y", "bob.v.z"]], run.twist("bob")[:, 3:])
    np.testing.assert_array_equal(frame[["elbow.torque.x", "elbow.torque.y", "elbow.torque.z"]], run.reaction("elbow")[:, :3])
    units = frame.attrs["units"]
    assert [units[n] for n in ("t", "shoulder.q0", "bob.q0", "bob.qdot0", "total", "elbow.force.x")] == [
        "s",
        "rad",
        "m",
        "m/s",
        "J",
        "N",
    ]
    assert list(run.to_pandas().columns)[-3:] == ["kinetic", "potential", "total"]


def test_pandas_of_a_batch_is_over_time_and_worlds(worlds):
    frame = worlds.to_pandas()
    assert frame.index.names == ["t", "world0", "world1"]
    np.testing.assert_array_equal(frame["elbow.q0"].to_numpy().reshape(3, 2, 3), worlds.coordinates("elbow")[..., 0])
    assert frame.loc[(worlds.t[1], 1, 2), "bob.q0"] == worlds.q[1, 1, 2, 4]


@pytest.mark.parametrize("what", [("q",), ALL])
def test_csv_gives_the_same_bits_back(run, what, tmp_path):
    path = run.to_csv(tmp_path / "run.csv", what)
    with path.open(encoding="utf-8") as file:
        head, *rows = csv.reader(file)
    assert head[0] == "t (s)"
    assert head[1:5] == ["shoulder.q0 (rad)", "shoulder.q1 (rad)", "shoulder.q2 (rad)", "elbow.q0 (rad)"]
    found = np.array(rows, float)
    np.testing.assert_array_equal(found[:, 0], run.t)
    np.testing.assert_array_equal(found[:, 1:], run.to_pandas(what).to_numpy())


def test_csv_of_a_batch_has_a_line_for_each_world(worlds, tmp_path, monkeypatch):
    import pandas  # late: every process that collects tests would wait for it

    monkeypatch.setattr(tables, "BLOCK", 2)
    frame = pandas.read_csv(worlds.to_csv(tmp_path / "run.csv"))
    assert list(frame.columns[:4]) == ["t (s)", "world0", "world1", "shoulder.q0 (rad)"]
    np.testing.assert_array_equal(frame.iloc[:, 3:].to_numpy(), worlds.to_pandas().to_numpy())
    np.testing.assert_array_equal(frame["world1"], [0, 1, 2] * 6)


def test_numpy_arrays_survive_savez(run, worlds, tmp_path):
    for source in (run, worlds):
        found = source.to_numpy()
        np.savez(tmp_path / "run.npz", **found)
        with np.load(tmp_path / "run.npz") as again:
            for name, array in found.items():
                assert type(array) is np.ndarray
                np.testing.assert_array_equal(again[name], array)
        k = found["body_names"].tolist().index("lower")
        np.testing.assert_array_equal(found["position"][..., k, :], source.pose("lower")[..., :3, 3])
        np.testing.assert_array_equal(found["reaction"][..., k, :], source.reaction("elbow"))
        np.testing.assert_array_equal(found["q"][..., found["coordinate_names"] == "elbow.q0"], source.coordinates("elbow"))


def test_what_is_not_there(run, tmp_path):
    for wrong in ("q", ["q", "colour"]):
        with pytest.raises(rm.SceneError, match="what is a list of 'q'"):
            run.to_pandas(wrong)
    with pytest.raises(rm.RedmaxError, match=r"Cannot write .*No such file"):
        run.to_csv(tmp_path / "no" / "run.csv")


def test_pandas_is_asked_for_only_when_needed(run, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(rm.RedmaxError, match=r"to_pandas needs the package pandas: pip install 'redmax\[table\]'"):
        run.to_pandas()
    run.to_csv(tmp_path / "run.csv")


def test_units_follow_from_the_motion():
    from redmax.run.coordinate_units import coordinate_units

    scene = rm.Scene(units="cm g s")
    for joint in (rm.Revolute("z"), rm.Prismatic((1, 1, 0)), rm.Helical("x", 0.3), rm.Planar(), rm.Cylindrical("z"), rm.Elliptic(1, 2)):
        scene.add_body(rm.Sphere(1.0), joint=joint)
    assert coordinate_units(scene.model())[:7] == ["rad", "cm", "rad", "cm", "cm", "rad", "cm"]
