"""What muscles did during a run: differences of the run, the law itself, tables, files, batches, parameters."""

from __future__ import annotations

from typing import Any

import h5py
import numpy as np
import pytest
from scipy.interpolate import CubicSpline

import redmax as rm
from redmax.dynamics.common.path_states import MuscleStates
from redmax.run.quantities import STORE
from redmax.scenes import find

LAW: dict[str, Any] = {"force": 300.0, "optimal_length": 0.3, "tendon_length": 0.15, "pennation": 0.4, "damping": 0.05, "curves": "millard"}


def elbow(**options: Any) -> rm.Scene:
    """A hinge with a slide behind it, a pennate muscle over both, and a cable beside it."""
    scene = rm.Scene()
    upper = scene.add_body(
        rm.Cuboid((0.4, 0.08, 0.08), mass=30), joint=rm.Revolute("y"), com=(0.2, 0, 0), q=0.4, name="upper", joint_name="hinge"
    )
    lower = scene.add_body(
        rm.Cuboid((0.3, 0.06, 0.06), mass=20),
        parent=upper,
        joint=rm.Prismatic("x"),
        at=(0.4, 0, 0),
        com=(0.15, 0, 0),
        stiffness=3000,
        name="lower",
    )
    path = [(0, 0, 0.1), upper.point(0.1, 0, 0.09), lower.point(-0.05, 0.02, 0.07)]
    excitation = {"excitation": lambda t: 0.5 + 0.4 * rm.math.sin(9 * t), "initial": 0.2}
    scene.add_force(rm.Muscle(path, name="pull", **(LAW | excitation | options)))
    scene.add_force(rm.Cable([(0, 0, 0.5), lower.point(0, 0, 0.05)], stiffness=50, rest=0.2, name="stay"))
    return scene


@pytest.fixture(scope="module")
def run() -> rm.Trajectory:
    return rm.simulate(elbow(), 0.3, 0.001, rtol=1e-10, progress=False)


def slope(run: rm.Trajectory, values: np.ndarray) -> np.ndarray:
    return CubicSpline(run.t, values)(run.t, 1)


def test_velocities_are_the_differences_of_lengths(run):
    pull, inside = run.muscle("pull"), slice(20, -20)
    for length, rate in (("length", "rate"), ("fibre_length", "fibre_velocity"), ("tendon_length", "tendon_velocity")):
        found, expected = getattr(pull, rate), slope(run, getattr(pull, length))
        assert np.abs(found - expected)[inside].max() < 1e-7 * max(1, np.abs(expected).max())
    assert np.abs(pull.fibre_velocity).max() > 0.1
    rate = slope(run, pull.activation)  # the activation follows the excitation by its dynamics
    assert np.abs(rate - rm.ActivationDynamics().rate(pull.excitation, pull.activation))[inside].max() < 1e-4 * np.abs(rate).max()


def test_each_muscle_has_its_own_excitation():
    """Also where they share their kernels."""
    scene = find("kick").scene()
    found = rm.Dynamics(scene, "interpret").muscles(np.zeros(3), t=[0.3, 0.7, 0.8])
    for force in scene.forces:
        if isinstance(force, rm.Muscle):
            expected = [float(force.excitation(t)) for t in (0.3, 0.7, 0.8)]
            np.testing.assert_allclose(found[str(force.name)].excitation, expected, rtol=1e-12)


def test_fibres_tendon_and_forces_fit_together(run):
    pull, stay = run.muscle("pull"), run.path("stay")
    along = pull.fibre_length * np.cos(pull.pennation)
    np.testing.assert_allclose(along + pull.tendon_length, pull.length, atol=1e-12)
    np.testing.assert_allclose(pull.fibre_length * np.sin(pull.pennation), 0.3 * np.sin(0.4), atol=1e-12)  # the fibres keep their height
    np.testing.assert_allclose(pull.active_force + pull.passive_force + pull.damping_force, pull.tension, atol=1e-9)
    np.testing.assert_allclose(pull.fibre_force * np.cos(pull.pennation), pull.tendon_force, atol=1e-9)
    np.testing.assert_allclose(pull.fibre_power, pull.power, atol=1e-9)
    hill = rm.muscles.Hill(**LAW)
    assert pull.tension[7] == pytest.approx(hill.tension(pull.length[7], pull.rate[7], pull.activation[7]), rel=1e-12)
    history = run.force("pull")
    for name in ("length", "rate", "tension", "activation", "power", "potential"):
        np.testing.assert_allclose(getattr(pull, name), getattr(history, name), rtol=1e-13)
    np.testing.assert_array_equal(stay.length, run.force("stay").length)
    assert (
        np.abs(stay.moment_arm("hinge")[:, 0] * run.qdot[:, 0] + stay.moment_arm("lower")[:, 0] * run.qdot[:, 1] + stay.rate).max() < 1e-12
    )


def test_tables_files_and_arrays_have_them(run, tmp_path):
    frame = run.to_pandas(["paths", "moment-arms", "muscles"])
    units = frame.attrs["units"]
    assert [(n, units[n]) for n in ("pull.tension", "stay.power", "pull.moment_arm.hinge.q0", "stay.moment_arm.lower.q0")] == [
        ("pull.tension", "N"), ("stay.power", "W"), ("pull.moment_arm.hinge.q0", "m"), ("stay.moment_arm.lower.q0", "1")
    ]  # fmt: skip
    np.testing.assert_array_equal(frame["pull.fibre_velocity"], run.muscles.fibre_velocity[:, 0])
    np.testing.assert_array_equal(frame["stay.moment_arm.lower.q0"], run.paths.moment_arms[:, 1, 1])
    assert not [name for name in frame.columns if name.startswith("stay.") and name.split(".")[1] in rm.muscles.Fibres.__annotations__]
    path = tmp_path / "run.h5"
    run.save(path, store=["energy", "paths", "muscles"])
    with h5py.File(path) as file:
        assert [x.decode() for x in file["paths/names"]] == ["pull", "stay"]
        np.testing.assert_array_equal(file["muscles/pennation"][()], run.muscles.pennation)
        np.testing.assert_array_equal(file["paths/moment_arms"][()], run.paths.moment_arms)
    loaded = rm.load(path)
    assert loaded.found("activation") is not None
    np.testing.assert_array_equal(loaded.quantity("moment_arms"), run.paths.moment_arms)
    assert not {"paths", "muscles"} & set(STORE)  # only where they are asked for


def same(a: MuscleStates, b: MuscleStates, at: Any) -> None:
    for name in (*a.arrays(), "moment_arms"):
        np.testing.assert_allclose(getattr(a, name)[at], getattr(b, name), rtol=1e-9, atol=1e-12, err_msg=name)


def test_worlds_have_their_own_numbers():
    """Parameters of the law and of a point, and activations that are asked about: as scenes with these numbers have it."""
    model = elbow().model()
    rng = np.random.default_rng(0)
    q, qdot = rng.uniform(0, 0.5, (3, model.nq)), rng.normal(size=(3, model.nv)) * 0.3
    parameters = {"pull.force": [100.0, 200.0, 300.0], "pull.tendon_length": [0.1, 0.12, 0.15], "upper.com.x": [0.2, 0.25, 0.15]}
    activation = np.array([0.1, 0.5, 0.9])
    found = rm.Dynamics(model, "interpret", parameters=parameters).muscles(q, qdot, activation[:, None])
    for w in range(3):
        own = rm.Dynamics(model, "interpret", parameters={name: x[w] for name, x in parameters.items()})
        same(found, own.muscles(q[w], qdot[w], {"pull": activation[w]}), w)
    first = elbow(force=100.0, tendon_length=0.1)
    alone = rm.Dynamics(first, "interpret").muscles(q[0, :2], qdot[0, :2], [0.1])  # of the joints alone
    same(found, alone, 0)
    assert (found.activation[:, 0] == activation).all()


def test_a_sweep_moves_one_coordinate():
    dynamics = rm.Dynamics(elbow(), "interpret")
    sweep = dynamics.sweep("hinge", (-0.5, 0.5), 11, activation=[1.0])
    assert sweep.name == "hinge.q0"
    np.testing.assert_allclose(sweep.values, np.linspace(-0.5, 0.5, 11))
    q = dynamics.model.q0.copy()
    q[0] = sweep.values[3]
    same(sweep.muscles, dynamics.muscles(q, activation=[1.0]), 3)
    np.testing.assert_array_equal(sweep.paths["stay"].length[3], dynamics.paths(q)["stay"].length)


@pytest.mark.parametrize(
    ("ask", "said"),
    [
        (lambda d: d.muscles(np.zeros(2), activation=[0.5, 0.5]), r"activation must have shape \(..., 1\)"),
        (lambda d: d.muscles(np.zeros(2), activation=[1.5]), r"'pull': activation is 1.5, expected numbers from 0 to 1"),
        (lambda d: d.muscles(np.zeros(2), activation={"pul": 0.5}), "Did you mean 'pull'"),
        (lambda d: d.muscles(np.zeros(2))["stay"], "no muscle named 'stay'|muscle 'stay'"),
        (lambda d: d.paths(np.zeros(4)), r"q must have shape"),
        (lambda d: d.sweep("hing"), "Did you mean 'hinge'"),
        (lambda d: d.sweep("hinge", (1, 0)), "the lower one first"),
    ],
)
def test_what_is_refused(ask, said):
    with pytest.raises(rm.SceneError, match=said):
        ask(rm.Dynamics(elbow(), "interpret"))
