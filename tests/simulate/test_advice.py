"""What a run that blew up tells to try is true: with the step that it names it goes through; and its account is one everywhere."""

from __future__ import annotations

import csv
import pickle
import re
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import redmax as rm
from redmax.run.good_samples import wild_from
from simulate.scenes import stiff


def oscillators(rates, damping) -> rm.Scene:
    """Sliders on springs of these natural frequencies (rad/s)."""
    made = rm.Scene(gravity=(0, 0, 0))
    for k, rate in enumerate(rates):
        spring = {"stiffness": rate**2, "rest": 0.0, "damping": 2.0 * damping * rate}
        made.add_body(rm.Sphere(0.1, mass=1.0), joint=rm.Prismatic("x"), q=0.1, name=f"s{k}", **spring)
    return made


def broken(*args, **options) -> rm.SimulationError:
    with pytest.raises(rm.SimulationError) as caught:
        rm.simulate(*args, **options)
    return caught.value


def step_in(message: str) -> float:
    return float(re.search(r"such as dt=(\S+?)[,.] ", message)[1])


@settings(max_examples=5)
@given(
    rates=st.lists(st.floats(300.0, 3000.0), min_size=2, max_size=2),
    damping=st.floats(0.0, 1.0),
    integrator=st.sampled_from(["euler", "rk4"]),
)
def test_the_step_that_is_named_goes_through(rates, damping, integrator):
    """Stiff springs of any frequency, damped or not: energy with that step stays what it was."""
    scene = oscillators(rates, damping)
    dt = step_in(str(broken(scene, 2.0, 0.02, integrator=integrator)))
    run = rm.simulate(scene, 2.0, dt, integrator=integrator)
    assert run.complete
    assert np.abs(run.energy.total).max() < 2.0 * run.energy.total[0]


def test_the_step_that_is_named_goes_through_on_groups():
    """Of a ball that spins against a stiff spring, q a quaternion; and what names the joint that left its range knows where its q is."""
    scene = rm.Scene()
    spin = {"qdot": (1.0, 3.0, 0.1), "stiffness": 2e4, "damping": 0.01}
    scene.add_body(rm.Cuboid((0.1, 0.2, 0.4), mass=1.0), joint=rm.Spherical("quaternion"), com=(0, 0, -0.2), **spin)
    for integrator in ("mk4", "rk4"):
        run = rm.simulate(scene, 2.0, step_in(str(broken(scene, 2.0, 0.05, integrator=integrator))), integrator=integrator)
        assert run.energy.total[-1] < run.energy.total[0] + 1.0
    arc = rm.joint(lambda q: rm.pose(np.eye(3), (q[0], 0, np.sqrt(1 - q[0] * q[0]))), 1, domain=(-1, 1))
    free = rm.Scene()
    base = free.add_body(rm.Sphere(0.1, mass=1.0), joint=rm.Free("pose"))
    free.add_body(rm.Sphere(0.1, mass=1.0), joint=arc, parent=base, q=0.5, qdot=2.0, name="b")
    assert "joint 'b' left its range [-1, 1]; its coordinate 0 was 0.99" in broken(free, 2.0, 0.01, integrator="rk4").reason


def test_where_no_step_helps_none_is_named():
    """Forward Euler gains energy at any step; what is named instead goes through."""
    error = broken(oscillators([1000.0, 1500.0], 0.0), 20.0, 0.01, integrator="forward-euler")
    assert "dt=" not in error.reason
    other = re.search(r"Try integrator='(\w+)'", error.reason)[1]
    assert other == "euler"


def test_forces_beyond_all_numbers_still_get_a_sentence():
    """Where the linearised motion overflows too."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", rm.RedmaxWarning)
        scene = oscillators([1e150, 1e149], 0.0)
    assert "Try " in broken(scene, 1.0, 0.01, integrator="rk4").reason


def test_the_account_is_one_everywhere(tmp_path):
    """Error, run, result file, table and pickle: the same time, number of samples and reason."""
    error = broken(stiff(), 20.0, 0.01, integrator="rk4", out=tmp_path / "run.h5")
    run, found = error.trajectory, error.trajectory.failure
    assert found.reason == error.reason
    assert found.joint == "spring"
    assert (found.t, found.samples) == (run.t[-1], len(run))
    assert f"t = {found.t:.6g} s" in error.reason
    assert np.isfinite(np.asarray(run.energy.total)).all()  # what is kept can be computed from
    for other in (rm.load(tmp_path / "run.h5"), pickle.loads(pickle.dumps(broken(stiff(), 20.0, 0.01, integrator="rk4").trajectory))):
        assert other.failure == found
        assert len(other) == found.samples
    with open(run.to_csv(tmp_path / "run.csv"), newline="") as file:
        lines = list(csv.reader(file))
    assert len(lines) == 1 + found.samples
    assert float(lines[-1][0]) == found.t


def test_worlds_of_a_batch_say_what_to_try_too():
    q = np.array([[0.0, 0.0], [0.0, 0.1]])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", rm.RedmaxWarning)
        run = rm.simulate(driven(), 0.2, 0.01, integrator="rk4", initial=rm.State(0.0, q, np.array([[0.01, 0.0], [0.4, 0.0]])))
    (failure,) = run.failures
    own = run.world(1)
    assert failure.world == (1,)
    assert "Try a smaller dt, such as dt=" in failure.reason
    assert own.failure.reason == failure.reason
    assert own.failure.samples == failure.samples == len(own)
    assert own.failure.t == failure.t == own.t[-1]


def driven() -> rm.Scene:
    """A slide that is driven the more the faster it moves, and a body on it."""
    made = rm.Scene(gravity=(0, 0, 0))
    made.add_body(rm.Sphere(0.1, mass=1.0), joint=rm.Prismatic("x"), torque=lambda t, q, qdot: 50.0 * qdot**3, name="ball")
    made.add_body(rm.Cuboid((0.3, 0.1, 0.1), mass=0.01), parent="ball", joint=rm.Revolute("y"), com=(0.15, 0, 0))
    return made


@given(
    calm=st.lists(st.floats(0.5, 5.0), min_size=4, max_size=60),
    wild=st.lists(st.floats(1e4, 1e280), min_size=0, max_size=20),
)
def test_what_runs_away_is_told_from_what_does_not(calm, wild):
    kinetic = np.array([*calm, *np.sort(wild)])
    assert wild_from(kinetic, 1.0) == len(calm)


@given(st.floats(1e-3, 1e3), st.integers(3, 300))
def test_motions_that_gather_speed_steadily_are_good(power, count):
    """Falling, or pushed from rest: the energy grows with the square of time, from nothing."""
    kinetic = power * np.arange(count) ** 2.0
    assert wild_from(kinetic, 0.0) == count


@settings(max_examples=6, deadline=None)
@given(stiffness=st.floats(1e5, 1e6), integrator=st.sampled_from(["rk4", "euler", "forward-euler"]), start=st.floats(0.3, 0.7))
def test_what_is_good_of_a_conservative_scene_has_kept_its_energy(stiffness, integrator, start):
    """Nothing gives it energy, so that T never exceeds E(0) - min V by much; judged by what a run with short steps has."""
    scene = conservative(stiffness, start)
    right = rm.simulate(scene, 0.2, 0.005, integrator="adaptive").energy.kinetic.max()
    run = broken(scene, 2.0, 0.01, integrator=integrator).trajectory
    has = right + abs(run.energy.potential[0]) + 2.0 * 9.81 * 1.0
    good = run.good
    assert 1 <= len(good) < len(run)
    assert (good.energy.total - good.energy.total[0]).max() < 0.5 * has
    np.testing.assert_array_equal(good.q, run.q[: len(good)])


def conservative(stiffness: float, start: float) -> rm.Scene:
    """Two bars on a spring that fixed steps of 0.01 s do not bear."""
    made, bar = rm.Scene(), rm.Cuboid((0.4, 0.05, 0.05), mass=1)
    upper = made.add_body(bar, joint=rm.Revolute("y"), com=(0.2, 0, 0), name="upper", q=start)
    lower = made.add_body(bar, parent=upper, joint=rm.Revolute("y"), at=(0.4, 0, 0), com=(0.2, 0, 0), name="lower", q=0.5)
    made.add_force(rm.SpringDamper(lower.point(0.2, 0, 0), (1, 0, 0), stiffness=stiffness, name="stiff"))
    return made


def test_both_ends_of_a_run_are_said(tmp_path):
    """1.96 J, and then 2,688 J, are not what a scene of -4.47 J comes to: both ends are said, of a file too."""
    error = broken(conservative(1e5, 0.5), 2.0, 0.01, integrator="rk4", out=tmp_path / "run.h5")
    run = error.trajectory
    assert f"until then, {len(run)} samples, is" in str(error)
    assert len(run.good) == len(rm.load(tmp_path / "run.h5").good) == 2
    said = run.summary()
    assert f"after {len(run)} samples" in said
    assert f"good until t = {run.good.t[-1]:g} s, 2 samples" in said
    assert f"to {run.good.energy.total[-1]:.6g} J while it was good, and {run.energy.total[-1]:.6g} J at its end" in said


def test_what_drives_hard_is_good():
    """A force that gives a thousand times the first energy has given it, not the steps: only the end of the motion is wild, if any."""
    run = broken(driven(), 0.2, 0.001, integrator="rk4", initial=rm.State(0.0, [0.0, 0.0], [0.4, 0.0])).trajectory
    right = 1.0 / np.sqrt(np.maximum(1.0 / 0.4**2 - 100.0 * run.t / 1.01, 1e-9))  # all of 1.01 kg
    followed = np.abs(run.qdot[:, 0] - right) < 0.05 * right
    assert len(run.good) >= int(np.argmin(followed)) - 1


def test_pictures_and_plots_show_what_is_good(tmp_path):
    """Not the last samples, which lie kilometres away: the picture at the end is that of the last good sample."""
    scene = rm.Scene()
    scene.add_body(rm.Cuboid((0.3, 0.05, 0.05)), joint=rm.Revolute("y"), com=(0.15, 0, 0), name="arm")
    scene.add_body(rm.Sphere(0.05), joint=rm.Prismatic("x"), q=1e-9, stiffness=2e4, rest=0.0, name="bead")
    run = broken(scene, 20.0, 0.05, integrator="euler").trajectory
    good = run.good
    assert 3 < len(good) < len(run)
    assert np.abs(good.pose("bead")[:, :3, 3]).max() < 50.0 < np.abs(run.pose("bead")[:, :3, 3]).max()
    for path, same in (("end.png", {}), ("good.png", {"t": good.t[-1]})):
        run.picture(tmp_path / path, size=(64, 48), **same)
    assert (tmp_path / "end.png").read_bytes() == (tmp_path / "good.png").read_bytes()
    with pytest.raises(rm.RedmaxError, match="t"):
        run.picture(tmp_path / "wild.png", t=run.t[-1], size=(64, 48))
    run.plot(tmp_path / "energy.svg")
    assert f"broke off at t = {run.failure.t:.6g} s" in re.sub(r"<!--|-->", "", (tmp_path / "energy.svg").read_text())
