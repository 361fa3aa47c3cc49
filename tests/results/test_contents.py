"""What is in a result file: the same bits as a run in memory, and what they mean, for readers that know HDF5 only."""

from __future__ import annotations

import h5py
import numpy as np
import pytest

import redmax as rm
from redmax.run.trajectory import Trajectory
from results import scenes

KINDS = {
    "adaptive": (scenes.arm, {}),
    "rk4, each third": (scenes.arm, {"integrator": "rk4", "every": 3}),
    "batch": (scenes.arm, {"initial": scenes.batch((3,)), "integrator": "rk4"}),
    "batch of two axes": (scenes.arm, {"initial": scenes.batch((2, 3))}),
    "single precision": (scenes.arm, {"dtype": "float32", "integrator": "euler"}),
    "maximal": (scenes.arm, {"dynamics": "maximal", "integrator": "rk4"}),
    "charts": (scenes.tumbling, {}),
    "deformable": (scenes.soft, {"dynamics": "redmax"}),
    "map": (scenes.rolling, {"dynamics": "redmax", "integrator": "rk4"}),
    "controller": (scenes.arm, {"controller": lambda t, q, qdot: -0.1 * qdot}),
    "bdf2": (scenes.arm, {"integrator": "bdf2", "dynamics": "redmax"}),
}


def same(a: Trajectory, b: Trajectory) -> None:
    """All samples, and everything that is read off them, to the last bit."""
    for name in ("t", "q", "qdot", "charts", "joint_drift"):
        x, y = getattr(a, name), getattr(b, name)
        if x is None or y is None:
            assert x is y
        else:
            x, y = np.asarray(x), np.asarray(y)
            assert (x.dtype, x.shape, x.tobytes()) == (y.dtype, y.shape, y.tobytes())
    np.testing.assert_array_equal(a.energy.kinetic, b.energy.kinetic)
    np.testing.assert_array_equal(a.energy.potential, b.energy.potential)
    np.testing.assert_array_equal(a.energy.drift, b.energy.drift)
    np.testing.assert_array_equal(a.momentum, b.momentum)
    for name in [link.name for link in a.model.bodies]:
        np.testing.assert_array_equal(a.pose(name), b.pose(name))
        np.testing.assert_array_equal(a.twist(name), b.twist(name))
        np.testing.assert_array_equal(a.reaction(name), b.reaction(name))
        np.testing.assert_array_equal(a.coordinates(name), b.coordinates(name))
        np.testing.assert_array_equal(a.chart(name), b.chart(name))
    for soft in a.model.soft:
        np.testing.assert_array_equal(a.nodes(soft.name), b.nodes(soft.name))
    np.testing.assert_array_equal(a.qddot, b.qddot)
    for name in ("integrator", "dynamics", "dt", "steps", "complete", "settings"):
        assert getattr(a, name) == getattr(b, name), name
    assert len(a) == len(b)


@pytest.mark.parametrize("kind", KINDS)
def test_a_run_in_a_file_is_the_run_in_memory(kind, tmp_path):
    scene, options = KINDS[kind]
    memory = rm.simulate(scene(), 0.12, 0.01, **options)
    streamed = rm.simulate(scene(), 0.12, 0.01, out=tmp_path / "streamed.h5", **options)
    memory.save(tmp_path / "saved.h5")
    same(memory, streamed)
    same(memory, rm.load(tmp_path / "streamed.h5"))
    same(memory, rm.load(tmp_path / "saved.h5"))
    assert sorted(p.name for p in tmp_path.iterdir()) == ["saved.h5", "streamed.h5"]


def test_the_way_on_from_a_loaded_state_is_the_same(tmp_path):
    rm.simulate(scenes.tumbling(), 0.5, 0.01, out=tmp_path / "run.h5")
    run = rm.load(tmp_path / "run.h5")
    whole = rm.simulate(scenes.tumbling(), 1.0, 0.01, integrator="rk4", initial=run.state())
    again = rm.simulate(run.model, 1.0, 0.01, integrator="rk4", initial=rm.load(tmp_path / "run.h5").state())
    np.testing.assert_array_equal(whole.q, again.q)


def test_another_reader_finds_what_everything_means(tmp_path):
    rm.simulate(scenes.soft(), 0.1, 0.01, out=tmp_path / "run.h5")
    with h5py.File(tmp_path / "run.h5", "r") as file:
        root = file.attrs
        assert root["format"] == "redmax results"
        assert root["redmax_version"] == rm.__version__
        for name in ("python", "numpy", "scipy", "llvmlite", "h5py", "hdf5"):
            assert root[f"{name}_version"][0].isdigit()
        assert root["integrator"] == "implicit"
        assert (root["dt"], root["duration"], root["every"], root["units"], root["title"]) == (0.01, 0.1, 1, "m kg s", "flag")
        assert root["created"].endswith("+00:00")
        datasets: dict[str, h5py.Dataset] = {}
        file.visititems(lambda name, item: datasets.update({name: item}) if isinstance(item, h5py.Dataset) else None)
        for name, dataset in datasets.items():
            assert dataset.attrs["about"], name
            assert "unit" in dataset.attrs, name
            if "axes" in dataset.attrs:
                assert len(dataset.attrs["axes"]) == dataset.ndim, name
                assert dataset.attrs["axes"][0] == "time"
                assert len(dataset) == 11
        assert file["status/samples"][0] == 11
        assert file["status/complete"][0] == 1
        assert file["status/ended"][0] == b"complete"
        assert file["energy/kinetic"].attrs["unit"] == "J"
        assert list(file["bodies/names"].asstr()) == ["pole"]
        assert list(file["coordinates/names"].asstr()[:2]) == ["pole.q0", "a/flag node 4.q0"]
        assert list(file["coordinates/units"].asstr()[:2]) == ["rad", "m"]
        assert file["deformables/0"].attrs["name"] == "a/flag"
        assert file["deformables/0/nodes"].shape == (11, 16, 3)
        assert file["deformables/0/faces"].shape == (18, 3)
        x = file["bodies/rotation"][3, 0] @ [-0.15, 0, 0] + file["bodies/position"][3, 0]  # where the hinge is
        np.testing.assert_allclose(x, 0.0, atol=1e-12)
        assert rm.Scene.load(written(tmp_path / "scene.yaml", file["scene"].asstr()[()])).title == "flag"


def written(path, text):
    path.write_text(text)
    return path


def test_energies_of_the_file_are_those_of_its_poses_and_twists(tmp_path):
    """By formula: m v^2 / 2 + I w^2 / 2 of bars and a ball, and m g z."""
    rm.simulate(scenes.arm(), 0.5, 0.01, out=tmp_path / "run.h5")
    with h5py.File(tmp_path / "run.h5", "r") as file:
        twist, z = file["bodies/twist"][:], file["bodies/position"][..., 2]
        mass = np.array([1.0, 0.8, 0.3])
        bar = np.array([2 * 0.05**2, 0.3**2 + 0.05**2, 0.3**2 + 0.05**2]) / 12
        inertia = np.array([1.0 * bar, 0.8 * bar, np.full(3, 0.4 * 0.3 * 0.05**2)])
        kinetic = 0.5 * (mass * (twist[..., 3:] ** 2).sum(-1)).sum(-1) + 0.5 * (inertia * twist[..., :3] ** 2).sum((-1, -2))
        spring = 25.0 * file["q"][:, 4] ** 2
        np.testing.assert_allclose(file["energy/kinetic"], kinetic, rtol=1e-10)
        np.testing.assert_allclose(file["energy/potential"], 9.81 * z @ mass + spring, rtol=1e-9, atol=1e-12)


def test_store_says_what_is_written_and_the_rest_is_computed(tmp_path):
    options = {"integrator": "rk4", "out": tmp_path / "run.h5", "store": ["poses"]}
    run, memory = rm.simulate(scenes.arm(), 0.2, 0.01, **options), rm.simulate(scenes.arm(), 0.2, 0.01, integrator="rk4")
    with h5py.File(tmp_path / "run.h5", "r") as file:
        assert "bodies/position" in file
        assert not {"energy", "momentum", "joints/reaction", "bodies/twist"} & set(file) | ({"twist"} & set(file["bodies"]))
    same(memory, run)
    with pytest.raises(rm.SceneError, match="'energy', 'poses', 'twists', 'reactions'"):
        rm.simulate(scenes.arm(), 0.2, 0.01, out=tmp_path / "run.h5", store=["forces"])


def test_nothing_moves(tmp_path):
    scene = rm.Scene()
    scene.add_body(rm.Sphere(0.1), name="stone")
    run = rm.simulate(scene, 0.1, 0.01, integrator="rk4", out=tmp_path / "run.h5")
    assert run.q.shape == (11, 0)
    assert rm.load(tmp_path / "run.h5").energy.potential.shape == (11,)


def test_a_model_remembers_its_scene_as_it_was(tmp_path):
    scene = scenes.arm()
    model = scene.model()
    scene.add_body(rm.Sphere(0.1), name="later")
    run = rm.simulate(model, 0.1, 0.01, out=tmp_path / "run.h5")
    assert rm.load(tmp_path / "run.h5").model.body_names == run.model.body_names == ("upper", "lower", "bob")


def test_a_run_with_prescribed_joints_keeps_them(tmp_path):
    model = scenes.arm().model().with_prescribed(["elbow"])
    run = rm.simulate(model, 0.1, 0.01, integrator="rk4", out=tmp_path / "run.h5")
    loaded = rm.load(tmp_path / "run.h5")
    assert loaded.model.prescribed == model.prescribed
    np.testing.assert_array_equal(run.torque, loaded.torque)
