"""Measurements in and out of files, and sentences that say the line and the column of what is wrong."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.spatial.transform import Rotation

import redmax as rm
from redmax.lie import se3, so3

FLEXION = np.linspace(0, 2.0, 6)
POSES = np.array([rm.pose(rm.rotation_about("y", a) @ rm.rotation_about("x", 0.1 * a), (0.02 * a, 0, 0.3 - 0.01 * a)) for a in FLEXION])


def written(path, text):
    path.write_text(text)
    return path


def csv_of(columns, unit=1.0):
    """A file's text from {name: (N,)}."""
    rows = np.column_stack(list(columns.values()))
    return "\n".join([",".join(columns), *[",".join(map(repr, row)) for row in rows.tolist()]])


def place(unit=1.0, names=("x", "y", "z")):
    return dict(zip(names, unit * POSES[:, :3, 3].T))


QUATERNIONS = Rotation.from_matrix(POSES[:, :3, :3]).as_quat()  # x, y, z, w
VECTORS = Rotation.from_matrix(POSES[:, :3, :3]).as_rotvec()
ANGLES = Rotation.from_matrix(POSES[:, :3, :3]).as_euler("XYZ")


def vector(unit=1.0):
    return dict(zip(("rx", "ry", "rz"), unit * VECTORS.T))


def matrix(by=1.0):
    return {f"r{i}{j}": (np.eye(3) * by @ POSES[:, :3, :3])[:, i - 1, j - 1] for i in (1, 2, 3) for j in (1, 2, 3)}


def quaternion(values):
    return dict(zip(("qw", "qx", "qy", "qz"), values.T))


@pytest.mark.parametrize("rotation", ["vector", "quaternion", "matrix"])
@pytest.mark.parametrize("suffix", [".csv", ".sto", ".mot", ".npz"])
def test_what_is_written_is_read_back(tmp_path, suffix, rotation):
    path = tmp_path / f"knee{suffix}"
    poses = POSES.copy()
    poses[2] = np.nan
    rm.write_poses(path, poses, FLEXION, name="flexion", times=FLEXION / 10, rotation=rotation)
    found = rm.read_poses(path)
    assert_allclose(found.poses, poses, rtol=0, atol=0 if rotation == "matrix" or suffix == ".npz" else 4e-15)
    assert np.array_equal(found.parameters, FLEXION)
    assert np.array_equal(found.times, FLEXION / 10)
    assert found.names == (("flexion",) if suffix != ".npz" else ("parameter",))
    rm.write_poses(path, found)
    assert_allclose(rm.read_poses(path).poses, poses, rtol=0, atol=4e-15)


def test_rows_that_are_edited_by_hand_are_what_is_read(tmp_path):
    path = tmp_path / "knee.csv"
    rm.write_poses(path, POSES[:2])
    lines = path.read_text().splitlines()
    assert lines[0] == "x,y,z,rx,ry,rz"
    lines[2] = "0.1, 0.2, 0.3, 0, 1.5, 0   "
    found = rm.read_poses(written(path, "# edited\n" + "\n".join(lines))).poses
    assert_allclose(found[1], rm.pose(rm.rotation_about("y", 1.5), (0.1, 0.2, 0.3)), atol=1e-15)


@pytest.mark.parametrize("columns", [
    {"flexion": FLEXION, **place(), **dict(zip(("qx", "qy", "qz", "qw"), QUATERNIONS.T))},
    {"flexion [deg]": np.degrees(FLEXION), **place(1000, ("x [mm]", "y [mm]", "z [mm]")), **vector()},
    {"flexion": FLEXION, **place(100, ("px (cm)", "py (cm)", "pz (cm)")), **matrix()},
    {"flexion": FLEXION, **place(), **dict(zip(("ox [deg]", "oy [deg]", "oz [deg]"), np.degrees(ANGLES).T))},
], ids=["quaternion", "vector", "matrix", "angles"])  # fmt: skip
def test_columns_say_what_they_are(tmp_path, columns):
    found = rm.read_poses(written(tmp_path / "knee.csv", csv_of(columns)))
    assert_allclose(found.poses, POSES, rtol=0, atol=1e-14)
    assert_allclose(found.parameters, FLEXION, rtol=1e-14)
    assert found.names == ("flexion",)


def test_what_they_do_not_say_is_said(tmp_path):
    columns = {"t": FLEXION, "a": FLEXION, "b": 2 * FLEXION, **place(1000, "ijk"), **dict(zip("defg", QUATERNIONS.T))}
    path = written(tmp_path / "knee.csv", csv_of(columns))
    columns = {"position": list("ijk"), "quaternion": list("defg")}
    found = rm.read_poses(path, columns=columns, parameters=("a", "b"), lengths="mm", quaternions="xyzw")
    assert_allclose(found.poses, POSES, rtol=0, atol=1e-14)
    assert_allclose(found.parameters, np.column_stack([FLEXION, 2 * FLEXION]))
    assert_allclose(found.times, FLEXION)


def test_semicolons_and_decimal_commas(tmp_path):
    text = csv_of({"flexion": FLEXION, **place(), **vector()}).replace(",", ";").replace(".", ",")
    assert_allclose(rm.read_poses(written(tmp_path / "knee.csv", text)).poses, POSES, rtol=0, atol=1e-14)


def test_bodies_of_opensim_in_degrees(tmp_path):
    """As BodyKinematics writes them: positions and body-fixed angles of several bodies."""
    names = [f"femur_r_{c}" for c in ("X", "Y", "Z", "Ox", "Oy", "Oz")] + ["tibia_r_X"]
    rows = np.column_stack([FLEXION, POSES[:, :3, 3], np.degrees(ANGLES), FLEXION])
    text = "Positions\nversion=1\nnRows=6\nnColumns=8\ninDegrees=yes\nendheader\n" + "\t".join(["time", *names]) + "\n"
    text += "\n".join("\t".join(f"{x:.17g}" for x in row) for row in rows)
    path = written(tmp_path / "all.sto", text)
    assert_allclose(rm.read_poses(path, body="femur_r").poses, POSES, rtol=0, atol=1e-14)
    with pytest.raises(rm.SceneError, match=r"all\.sto has no columns of a body 'femur_l'\. Bodies by the look of it: femur_r, tibia_r"):
        rm.read_poses(path, body="femur_l")
    motion = rm.read_motion(path)
    assert motion.degrees
    assert_allclose(motion.angle("femur_r_Ox"), ANGLES[:, 0], rtol=1e-13)


def test_quaternions_of_opensense(tmp_path):
    rows = ["\t".join([str(i), ",".join(f"{x:.17g}" for x in q)]) for i, q in enumerate(QUATERNIONS[:, [3, 0, 1, 2]])]
    text = "DataRate=100\nDataType=Quaternion\nversion=3\nendheader\ntime\ttorso_imu\n" + "\n".join(rows)
    found = rm.read_poses(written(tmp_path / "imu.sto", text), body="torso_imu")
    assert_allclose(found.poses[:, :3, :3], POSES[:, :3, :3], rtol=0, atol=1e-14)


@pytest.mark.parametrize("array", [POSES, POSES[:, :3], POSES.reshape(6, 16), np.column_stack([POSES[:, :3, 3], VECTORS]),
                                   np.column_stack([POSES[:, :3, 3], QUATERNIONS[:, [3, 0, 1, 2]]])])  # fmt: skip
def test_arrays_of_numpy(tmp_path, array):
    np.save(tmp_path / "knee.npy", array)
    assert_allclose(rm.read_poses(tmp_path / "knee.npy").poses, POSES, rtol=0, atol=1e-14)


def bad(rx=None, **columns):
    known = {"flexion": FLEXION, **place(), **vector()}
    return csv_of(known | columns)


NEAR_HOME = so3.exp(0.3 * np.random.default_rng(0).normal(size=(6, 3)))
LAST = Rotation.from_matrix(NEAR_HOME).as_quat()  # x, y, z, w
COMMON = {"flexion": FLEXION, **place()}
MANY = np.linspace(0, 2.0, 200)[:, None] * [180 / np.pi, 0, 1, 0]
NOISE = [0, 1, 1, 1] * np.random.default_rng(1).normal(size=(200, 4)) / 99  # with which poses turn farther from one to the next
SHAKEN = dict(zip(("flexion", "rx", "ry", "rz"), (MANY + NOISE).T))


@pytest.mark.parametrize(("text", "sentence"), [
    (bad().replace("\n0.4,", "\nfour,"), r"knee\.csv, line 3, column 'flexion': 'four' is no number, expected a number"),
    (bad().replace("\n0.4,0.008,", "\n0.4,,"), r"line 3, column 'x': nothing there, expected a number, or a position that is missing as a"),
    (bad().replace("\n0.4,", "\n"), r"knee\.csv, line 3: 6 cells, expected 7"),
    (bad().replace("\n0.4,", "\n,"), r"knee\.csv, line 3, column 'flexion': nothing there, expected the parameter of the pose"),
    (bad().replace("0.008", "inf"), r"line 3, column 'x': inf, expected a finite number"),
    (bad().split("\n", 1)[1], r"knee\.csv, line 1: numbers, where the names of columns belong\. Put them in a line before"),
    (bad().replace("rx", "ra"), r"has no columns that are a rotation by their names\. Its columns: flexion, x, y, z, ra"),
    (bad().replace("flexion,x", "x,x"), r"there are two columns 'x'"),
    ("", r"knee\.csv is empty"),
    ("x,y,z,rx,ry,rz", r"knee\.csv has no rows"),
    (csv_of({"f": FLEXION, "g": FLEXION, **place(), **vector()}), r"columns f, g goes with the poses\? Say parameters='f'"),
    (csv_of({**COMMON, **place(1000), **vector()}), r"line 2: a position 300 m away, by the look of it in millimetres\. Say lengths='mm'"),
    (csv_of({**COMMON, **vector(180 / np.pi)}), r"line 7: a rotation by 114\.\d rad, by the look of it in degrees\. Say angles='deg'"),
    (csv_of({**COMMON, "flexion": np.degrees(FLEXION), **vector()}), r"'flexion' goes from 0 to 114\.6 while .* it is in degrees\. Name"),

    (csv_of({**COMMON, **quaternion(LAST)}), r"line 2: the quaternion .* w stands last, not first\. Exchange the names"),
    (csv_of({**COMMON, **quaternion(QUATERNIONS)}), r"line 2: the quaternion .* w stands last, .* or say quaternions='xyzw'.*or 'wxyz' if"),
    (csv_of({**COMMON, **place(20), **vector()}), r"line 2: a position 6 m away, by the look of it in millimetres\. Say lengths='mm'"),
    (csv_of(SHAKEN), r"'flexion' goes from 0 to 114\.6 while .* it is in degrees\. Name the column 'flexion \[deg\]'"),
    (csv_of({**COMMON, **quaternion(1.2 * LAST)}), r"line 2: a quaternion of length 1\.2, expected 1"),
    (csv_of({**COMMON, **matrix([[1.0], [-1.0], [1.0]])}), r"knee\.csv: line 2 has a rotation with determinant -1"),
    (csv_of({**COMMON, **matrix(2.0)}), r"knee\.csv: line 2 has a rotation that is scaled by 2"),
])  # fmt: skip
def test_what_is_wrong_in_a_file_is_said_with_its_line_and_column(tmp_path, text, sentence):
    with pytest.raises(rm.SceneError, match=sentence):
        rm.read_poses(written(tmp_path / "knee.csv", text))


def test_the_order_of_quaternions_that_is_said_is_that_of_the_columns(tmp_path):
    """Whatever their names are."""
    path = written(tmp_path / "last.csv", csv_of({**COMMON, **quaternion(QUATERNIONS)}))
    assert_allclose(rm.read_poses(path, quaternions="xyzw").poses, POSES, atol=1e-14)
    written(path, csv_of({**COMMON, **dict(zip(("qx", "qy", "qz", "qw"), QUATERNIONS.T))}))
    assert_allclose(rm.read_poses(path, quaternions="xyzw").poses, POSES, atol=1e-14)


def test_lines_without_a_pose_need_no_parameter(tmp_path):
    rows = csv_of({"flexion": FLEXION, **place(), **vector()}).splitlines()
    found = rm.read_poses(written(tmp_path / "knee.csv", "\n".join([*rows[:3], "," * 6, *rows[4:]])))
    assert np.isnan(found.parameters[2])
    fits = [rm.fit_curve(*x, frames=4) for x in ((found.poses, found.parameters), (np.delete(POSES, 2, 0), np.delete(FLEXION, 2)))]
    assert_allclose(fits[0].frames, fits[1].frames, atol=1e-12)
    assert np.isnan(fits[0].parameters[2])


def test_what_looks_wrong_and_is_right_is_taken_when_it_is_said(tmp_path):
    path = written(tmp_path / "far.csv", csv_of({**COMMON, **place(1000), **quaternion(LAST)}))
    found = rm.read_poses(path, lengths="m", quaternions="wxyz")
    assert_allclose(found.poses[:, :3, 3], 1000 * POSES[:, :3, 3])


@pytest.mark.parametrize(("array", "sentence"), [
    (np.swapaxes(POSES, 1, 2), r"poses\[\d\] has the last row .* It is transposed: save np\.swapaxes"),
    (np.zeros((4, 5)), r"poses has shape \(4, 5\), expected \(N, 4, 4\)"),
    (np.array(["a"]), r"expected numbers"),
    (np.column_stack([POSES[:, :3, 3], LAST]), r"poses\[0\]: the quaternion .* Say quaternions='xyzw'"),
])  # fmt: skip
def test_what_is_wrong_in_an_array_is_said_with_its_row(tmp_path, array, sentence):
    np.save(tmp_path / "knee.npy", array)
    with pytest.raises(rm.SceneError, match=sentence):
        rm.read_poses(tmp_path / "knee.npy")


def test_pickles_in_arrays_are_not_opened(tmp_path):
    np.save(tmp_path / "knee.npy", np.array([{"a": 1}], dtype=object), allow_pickle=True)
    with pytest.raises(rm.SceneError, match="cannot be read as an array"):
        rm.read_poses(tmp_path / "knee.npy")


@pytest.mark.parametrize("call", [
    lambda f: rm.read_poses(f / "none.csv"), lambda f: rm.read_markers(f / "none.trc"), lambda f: rm.read_markers(f / "none.c3d"),
    lambda f: rm.read_motion(f / "none.mot"), lambda f: rm.read_poses(f / "none.npy"),
])  # fmt: skip
def test_files_that_are_not_there(tmp_path, call):
    with pytest.raises(rm.SceneError, match=r"There is no file .*none"):
        call(tmp_path)


@pytest.mark.parametrize("name", ["a.xlsx", "a"])
def test_endings_that_nobody_knows(tmp_path, name):
    with pytest.raises(rm.SceneError, match=r"read_poses: the name of .*expected one of \.csv, \.sto"):
        rm.read_poses(tmp_path / name)


def markers():
    rng = np.random.default_rng(2)
    positions = rng.normal(size=(5, 3, 3))
    positions[2, 1] = np.nan
    return rm.Markers(("LKNE", "LANK", "LTOE"), np.arange(5) / 100 + 0.1, positions)


@pytest.mark.parametrize(("suffix", "digits"), [(".trc", 0), (".csv", 0), (".c3d", 3e-7)])
def test_markers_are_read_back(tmp_path, suffix, digits):
    path = tmp_path / f"walk{suffix}"
    rm.write_markers(path, markers())
    found = rm.read_markers(path)
    assert found.names == markers().names
    assert_allclose(found.times, markers().times, rtol=0, atol=1e-12)
    assert_allclose(found.positions, markers().positions, rtol=0, atol=digits)
    turned = rm.read_markers(path, up="y").positions
    assert_allclose(turned[..., 2], found.positions[..., 1])
    assert_allclose(turned[..., 1], -found.positions[..., 2])


def test_c3d_is_what_another_reader_finds_in_it(tmp_path):
    """Written in millimetres by ezc3d itself."""
    import ezc3d

    made, points = ezc3d.c3d(), np.ones((4, 3, 5))
    points[:3] = 1000 * np.moveaxis(np.nan_to_num(markers().positions), 2, 0).swapaxes(1, 2)
    facts = made["parameters"]["POINT"]
    facts["RATE"]["value"], facts["UNITS"]["value"], facts["LABELS"]["value"] = [100], ["mm"], ["A", "B", "A"]
    made["data"]["points"] = points
    made.write(str(tmp_path / "mm.c3d"))
    found = rm.read_markers(tmp_path / "mm.c3d")
    assert found.names == ("A", "B", "A 2")
    assert_allclose(found.positions, np.nan_to_num(markers().positions), rtol=0, atol=1e-6)
    assert_allclose(np.diff(found.times), 0.01)
    with pytest.raises(rm.SceneError, match=r"no\.c3d cannot be read as a C3D file"):
        rm.read_markers(written(tmp_path / "no.c3d", "PathFileType"))


def test_trc_in_millimetres_and_its_mistakes(tmp_path):
    rm.write_markers(tmp_path / "walk.trc", markers())
    text = (tmp_path / "walk.trc").read_text()
    found = rm.read_markers(written(tmp_path / "mm.trc", text.replace("\tm\t", "\tmm\t")))
    assert_allclose(found.positions, 0.001 * markers().positions)
    for wrong, right, sentence in (
        ("\tinches\t", "\tm\t", "lengths are in 'inches'"), ("PathType", "PathFileType", "is no TRC file"),
        ("\t0.1O\t", "\t0.1\t", r"line 6, column 'Time': '0\.1O' is no number"),
    ):  # fmt: skip
        with pytest.raises(rm.SceneError, match=sentence):
            rm.read_markers(written(tmp_path / "wrong.trc", text.replace(right, wrong)))


def test_motions_are_read_back(tmp_path):
    values = np.random.default_rng(1).normal(size=(4, 2))
    values[1, 1] = np.nan
    motion = rm.MotionTable(("knee_angle_r", "pelvis_tx"), np.arange(4) / 30, values, degrees=True)
    for suffix in (".sto", ".mot", ".csv"):
        rm.write_motion(tmp_path / f"walk{suffix}", motion)
        found = rm.read_motion(tmp_path / f"walk{suffix}")
        assert found.names == motion.names
        assert np.array_equal(found.times, motion.times)
        assert np.array_equal(found.values, values, equal_nan=True)
        assert found.degrees == (suffix != ".csv")
    with pytest.raises(rm.SceneError, match=r"There is no column 'knee'\. Known: 'knee_angle_r', 'pelvis_tx'"):
        motion.column("knee")
    with pytest.raises(rm.SceneError, match="has no line 'endheader'"):
        rm.read_motion(written(tmp_path / "none.mot", "time x"))
    with pytest.raises(rm.SceneError, match="has no column 'time'"):
        rm.read_motion(written(tmp_path / "none.csv", "x,y\n1,2"))


def test_without_the_package_c3d_says_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "ezc3d", None)
    with pytest.raises(rm.RedmaxError, match=r"pip install 'redmax\[c3d\]'"):
        rm.read_markers(tmp_path / "walk.c3d")


def test_from_markers_to_a_joint(tmp_path):
    """Thigh and shank by their markers, the pose of one in the other: the knee that made them."""
    places = np.array([(0.05, 0, -0.1), (-0.05, 0.02, -0.2), (0, -0.04, -0.3), (0.02, 0.03, -0.15)])
    thigh = se3.exp(np.random.default_rng(5).normal(size=(6, 6)) * 0.2)
    shank = thigh @ POSES
    seen = [np.einsum("nij,mj->nmi", E[:, :3, :3], places) + E[:, None, :3, 3] for E in (thigh, shank)]
    names = [f"{body}{i}" for body in ("thigh", "shank") for i in range(4)]
    rm.write_markers(tmp_path / "walk.trc", rm.Markers(tuple(names), FLEXION, np.concatenate(seen, axis=1)))
    markers = rm.read_markers(tmp_path / "walk.trc")
    found = [rm.poses_from_markers({f"{body}{i}": p for i, p in enumerate(places)}, markers).poses for body in ("thigh", "shank")]
    assert_allclose(se3.inverse(found[0]) @ found[1], POSES, rtol=0, atol=1e-13)


def test_a_c3d_file_that_was_cut_off_is_said_and_not_waited_for(tmp_path):
    """The package that reads it would wait for ever."""
    rm.write_markers(tmp_path / "walk.c3d", markers())
    data = (tmp_path / "walk.c3d").read_bytes()
    for length in (0, 300, 600, 1058, len(data) - 600):
        (tmp_path / "cut.c3d").write_bytes(data[:length])
        with pytest.raises(rm.SceneError, match=r"cut\.c3d cannot be read as a C3D file: it (was cut off|does not begin as one)"):
            rm.read_markers(tmp_path / "cut.c3d")


@pytest.mark.parametrize("name", ["a.csv", "a.sto", "a.npz", "a.trc", "a.mot"])
def test_whatever_is_in_a_file_it_is_read_or_said(tmp_path, name):
    """Bytes changed, left out and repeated at random."""
    path = tmp_path / name
    if name == "a.trc":
        rm.write_markers(path, markers())
    else:
        rm.write_poses(path, POSES, FLEXION, times=FLEXION)
    rng, whole, said = np.random.default_rng(len(name)), path.read_bytes(), 0
    for _ in range(40):
        i, j = sorted(rng.integers(0, len(whole), 2))
        junk = bytes(rng.choice(list(b",\t\n;.-e0#n\xff"), rng.integers(0, 4)).tolist())
        path.write_bytes(whole[:i] + junk + (whole[j:] if rng.random() < 0.5 else whole[i + len(junk) :]))
        try:
            (rm.read_markers if name == "a.trc" else rm.read_poses)(path)
        except rm.SceneError as error:
            said += bool(str(error))
    assert said > 5


def test_degrees_of_a_parameter_are_told_from_those_of_rotations(tmp_path):
    """angles='deg' holds for both, so that it is no advice where rotations are in rad; each way that is named leads to the same poses."""
    path, degrees = tmp_path / "knee.csv", {**COMMON, "flexion": np.degrees(FLEXION)}
    path.write_text(csv_of({**COMMON, **vector()}))
    right = rm.read_poses(path)
    cases = (
        (vector(), r"Name the column 'flexion \[deg\]' .*rotations are in rad"),
        (quaternion(QUATERNIONS[:, [3, 0, 1, 2]]), "Say angles='deg'"),
    )
    for rotation, advice in cases:
        path.write_text(csv_of({**degrees, **rotation}))
        with pytest.raises(rm.SceneError, match=advice):
            rm.read_poses(path)
    found = [rm.read_poses(path, angles="deg")]
    path.write_text(csv_of({**degrees, **vector()}).replace("flexion", "flexion [deg]", 1))
    found.append(rm.read_poses(path))
    for poses in found:
        np.testing.assert_allclose(poses.poses, right.poses, atol=1e-6)
        np.testing.assert_allclose(poses.parameters, right.parameters, atol=1e-6)


def test_degrees_are_noticed_in_one_of_several_parameters(tmp_path):
    rng, path = np.random.default_rng(1), tmp_path / "blade.csv"
    lift, turn = rng.uniform(-0.6, 0.6, (2, 40))
    both = {"lift": np.degrees(lift), "turn": turn, "x": 0.1 * lift, "y": 0 * lift, "z": 0 * lift}
    path.write_text(csv_of({**both, "rx": 0.1 * turn, "ry": 0.7 * lift, "rz": turn}))
    with pytest.raises(rm.SceneError, match=r"'lift' goes from -3\d.* by the look of it it is in degrees\. Name the column 'lift \[deg\]'"):
        rm.read_poses(path, parameters=["lift", "turn"])
