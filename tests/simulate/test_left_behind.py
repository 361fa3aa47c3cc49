"""One world that blows up is marked and left behind; the others of its batch finish, to the last bit as without it."""

from __future__ import annotations

import pickle
import warnings
from dataclasses import replace

import numpy as np
import pytest

import redmax as rm
from redmax.run.failures import Failure

BAD = 7


def made(torque) -> rm.Scene:
    made = rm.Scene(gravity=(0, 0, 0))
    made.add_body(rm.Sphere(0.1, mass=1.0), joint=rm.Prismatic("x"), torque=torque, name="ball", joint_name="slide")
    made.add_body(rm.Cuboid((0.3, 0.1, 0.1), mass=0.01), parent="ball", joint=rm.Revolute("y"), com=(0.15, 0, 0), joint_name="hinge")
    return made


def scene() -> rm.Scene:
    """A slide that is driven the more the faster it moves: 1/v^2 = 1/v0^2 - 100 t for a mass of 1, so that v0 = 0.316 ends at 0.1 s."""
    return made(lambda t, q, qdot: 50.0 * qdot**3)


def fenced() -> rm.Scene:
    """A slide that may not come to q = 1.033, where its force is not defined; implicit steps would go over any pole of the velocity."""
    return made(lambda t, q, qdot: 1e-3 * rm.math.sqrt(1.033 - q))


def states(worlds: int) -> tuple[rm.State, rm.State]:
    """One in which all are calm, and one in which a world is not."""
    rng = np.random.default_rng(0)
    q, calm = rng.uniform(-1, 1, (worlds, 2)), rng.uniform(-0.02, 0.02, (worlds, 2))
    wild = calm.copy()
    wild[BAD, 0], q[BAD, 0] = 0.33, 1.0
    return rm.State(0.0, q, calm), rm.State(0.0, q, wild)


def quietly(*args, **options) -> rm.Trajectory:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", rm.RedmaxWarning)
        return rm.simulate(*args, **options)


def check(run: rm.Trajectory, without: rm.Trajectory) -> None:
    others = np.arange(run.q.shape[1]) != BAD
    np.testing.assert_array_equal(run.q[:, others], without.q[:, others])
    np.testing.assert_array_equal(run.qdot[:, others], without.qdot[:, others])
    assert run.complete
    assert run.steps > 0
    (failure,) = run.failures
    assert failure.world == (BAD,)
    assert failure.joint in ("slide", "hinge")
    assert f"t = {failure.t:.6g} s" in failure.reason or "Newton" in failure.reason
    good = np.isfinite(run.q[:, BAD]).all(axis=1)
    count = int(good.sum())
    assert 2 <= count < len(run)
    assert good[:count].all()  # and none behind
    assert failure.t == pytest.approx(run.t[count - 1])
    np.testing.assert_array_equal(run.q[:count, BAD], run.world(BAD).q)


@pytest.mark.parametrize("dynamics", ["recursive", "redmax"])
@pytest.mark.parametrize("integrator", ["forward-euler", "rk4", "implicit", "adaptive", "bdf2"])
def test_999_worlds_finish_as_without_the_one_that_blows_up(integrator, dynamics):
    calm, wild = states(1000)
    driven = fenced() if integrator == "implicit" else scene()
    without = rm.simulate(driven, 0.3, 0.01, integrator=integrator, dynamics=dynamics, initial=calm)
    with pytest.warns(rm.RedmaxWarning, match=r"1 of 1000 worlds broke off.* see run\.failures\. World 7: "):
        run = rm.simulate(driven, 0.3, 0.01, integrator=integrator, dynamics=dynamics, initial=wild)
    check(run, without)
    assert "1 world" in repr(run)


@pytest.mark.parametrize(
    ("dynamics", "integrator", "backend"),
    [
        ("redmax", "rk4", "llvm"),
        ("redmax", "rk4", "interpret"),  # one is enough: it runs what is compiled
        ("redmax", "forward-euler", "llvm"),
        ("redmax", "adaptive", "llvm"),
        ("redmax", "implicit", "llvm"),
        ("maximal", "rk4", "llvm"),
        ("maximal", "implicit", "llvm"),
        ("maximal", "adaptive", "llvm"),
    ],
)
def test_other_dynamics_leave_it_behind_too(dynamics, integrator, backend):
    calm, wild = states(9)
    driven = fenced() if integrator == "implicit" else scene()
    runs = [quietly(driven, 0.2, 0.01, integrator=integrator, dynamics=dynamics, backend=backend, initial=s) for s in (wild, calm)]
    check(*runs)


@pytest.mark.parametrize("every", [1, 5])
def test_a_step_without_a_solution_is_that_of_its_world(every):
    """Newton's method of bdf1 gives up in one world, and says why."""
    calm, wild = states(9)
    run = quietly(scene(), 0.3, 0.01, integrator="bdf1", every=every, initial=wild)
    check(run, rm.simulate(scene(), 0.3, 0.01, integrator="bdf1", every=every, initial=calm))


def test_adaptive_steps_of_a_world_that_was_left_are_counted(tmp_path):
    """As many as it takes by itself, which is fewer than the batch took; in a file as well."""
    _, wild = states(9)
    run = quietly(scene(), 0.3, 0.01, initial=wild)
    with pytest.raises(rm.SimulationError) as caught:
        rm.simulate(scene(), 0.3, 0.01, initial=rm.State(0.0, wild.q[BAD], wild.qdot[BAD]))
    alone, left = caught.value.trajectory, run.world(BAD)
    assert len(left) == len(alone)
    assert left.steps == run.failures[0].steps
    assert abs(left.steps - alone.steps) <= 1  # which rounds otherwise
    assert f"in {left.steps} steps" in left.summary()
    run.save(tmp_path / "run.h5")
    assert rm.load(tmp_path / "run.h5").world(BAD).steps == left.steps > len(left)


def test_who_asks_for_it_gets_the_error():
    _, wild = states(9)
    with pytest.raises(rm.SimulationError, match="broke off at t") as caught:
        rm.simulate(scene(), 0.3, 0.01, integrator="rk4", initial=wild, on_failure="raise")
    assert np.isfinite(caught.value.trajectory.q).all()
    assert caught.value.trajectory.failures == ()
    with pytest.raises(rm.RedmaxError, match=r"There is no on_failure 'ignore'\. Valid: continue, raise"):
        rm.simulate(scene(), 0.3, initial=wild, on_failure="ignore")


@pytest.mark.parametrize("integrator", ["rk4", "adaptive"])
def test_a_batch_of_which_none_is_left_is_an_error(integrator):
    """With what each came to."""
    start = rm.State(0.0, np.zeros((3, 2)), np.array([[0.5, 0.0], [0.6, 0.0], [0.4, 0.0]]))
    with pytest.raises(rm.SimulationError, match=r"No world is left\. World 2: ") as caught:
        rm.simulate(scene(), 0.3, 0.01, integrator=integrator, initial=start)
    run = caught.value.trajectory
    assert [f.world for f in run.failures] == [(1,), (0,), (2,)]
    assert not run.complete
    assert np.isfinite(run.q[:, 2]).all()
    with pytest.raises(rm.SimulationError, match=r"^The run broke off at t"):
        rm.simulate(scene(), 0.3, 0.01, integrator=integrator, initial=rm.State(0.0, start.q[0], start.qdot[0]))


def test_controllers_need_not_answer_for_it():
    calm, wild = states(9)
    runs = [quietly(scene(), 0.3, 0.01, integrator="rk4", initial=s, controller=lambda t, q, qdot: -1e-5 * qdot) for s in (wild, calm)]
    check(*runs)


def test_axes_of_a_batch_name_the_world(tmp_path):
    _, wild = states(12)
    start = rm.State(0.0, wild.q.reshape(3, 4, 2), wild.qdot.reshape(3, 4, 2))
    run = quietly(scene(), 0.3, 0.01, integrator="rk4", initial=start, every=3)
    (failure,) = run.failures
    assert failure.world == (1, 3)
    assert str(failure).startswith("World 1, 3: The run broke off")
    assert [f.world for f in run.world(1).failures] == [(3,)]
    assert run.world(0).failures == ()
    alone = run.world((1, -1))
    assert not alone.complete
    assert np.isfinite(alone.energy.total).all()
    assert np.isfinite(alone.reactions).all()
    for quantity in (run.energy.total, run.momentum, run.qddot, run.reactions):
        known = np.isfinite(quantity.reshape(*quantity.shape[:3], -1)).all(axis=-1)
        np.testing.assert_array_equal(known, np.isfinite(run.q).all(axis=-1))


@pytest.mark.parametrize(("integrator", "every"), [("rk4", 1), ("rk4", 3), ("adaptive", 1)])
def test_summary_and_tables_tell_of_it(tmp_path, integrator, every):
    """As many samples, steps and rows as the world has, and the same time, in words and numbers."""
    _, wild = states(9)
    run = quietly(scene(), 0.3, 0.01, integrator=integrator, initial=wild, every=every)
    alone, (failure,) = run.world(BAD), run.failures
    count = failure.samples
    assert len(alone) == count < len(run)
    assert "9, of which 1 broke off" in run.summary()
    account = f"at t = {failure.t:.6g} s, after {count} samples"
    assert f"world 7 {account}" in run.summary()
    assert account in alone.summary()
    steps = failure.steps if integrator == "adaptive" else (count - 1) * every
    assert alone.steps == steps
    assert f"{failure.t:g} s in {steps} steps" in alone.summary()
    rows = np.loadtxt(run.to_csv(tmp_path / "run.csv"), delimiter=",", skiprows=1)
    own = rows[rows[:, 1] == BAD]
    assert len(rows) == 8 * len(run) + count
    assert np.isfinite(rows).all()
    assert own[-1, 0] == failure.t
    np.testing.assert_array_equal(own[:, 2:4], alone.q)
    frame = run.to_pandas()
    assert len(frame) == len(rows)
    np.testing.assert_array_equal(frame.xs(BAD, level="world")[["slide.q0", "hinge.q0"]], alone.q)


def test_files_and_pickles_keep_it(tmp_path):
    _, wild = states(9)
    run = quietly(scene(), 0.3, 0.01, integrator="rk4", initial=wild, out=tmp_path / "run.h5")
    memory = quietly(scene(), 0.3, 0.01, integrator="rk4", initial=wild)
    memory.save(tmp_path / "saved.h5")
    for again in (run, rm.load(tmp_path / "run.h5"), rm.load(tmp_path / "saved.h5"), pickle.loads(pickle.dumps(memory))):
        assert again.failures == memory.failures
        np.testing.assert_array_equal(again.q, memory.q)
        np.testing.assert_array_equal(again.energy.total, memory.energy.total)
        assert len(again.world(BAD)) == len(memory.world(BAD)) < len(memory)


def test_a_file_leaves_out_no_world(tmp_path):
    """However long the sentences are together: those are cut, each to its share."""
    q = np.random.default_rng(0).normal(size=(40, 25, 2))
    run = rm.simulate(scene(), 0.002, 0.001, integrator="euler", initial=rm.State(0.0, q, 0.01 * q))
    place, said = np.ndindex(40, 25), "The run broke off \u00e9 " + "x" * 400
    many = tuple(Failure(w, 0.001 * k, "j" * (k % 300), said * (k % 3)) for k, w in enumerate(place))
    replace(run, failures=many).save(tmp_path / "run.h5")
    again = rm.load(tmp_path / "run.h5").failures
    assert [(f.world, f.t) for f in again] == [(f.world, f.t) for f in many]
    for short, whole in zip(again, many, strict=True):
        for name in ("joint", "reason"):
            cut = getattr(short, name)
            assert getattr(whole, name).startswith(cut.removesuffix("..."))
    assert sum(len(f.reason) for f in again) > 20_000


def test_worlds_with_parameters_of_their_own():
    """Heavier worlds last longer: 1/v^2 = 1/v0^2 - 100 t / m."""
    mass = np.array([1.0, 0.1, 3.0, 0.5])
    start = rm.State(0.0, np.zeros((4, 2)), np.tile([0.25, 0.0], (4, 1)))
    run = quietly(scene(), 0.3, 0.01, integrator="adaptive", initial=start, parameters={"ball.mass": mass})
    assert {f.world for f in run.failures} == {(0,), (1,), (3,)}
    t = {f.world[0]: f.t for f in run.failures}
    assert t[1] < t[3] < t[0] == pytest.approx(0.16, abs=0.011)
    alone = run.world(2)
    assert alone.complete
    np.testing.assert_allclose(run.energy.kinetic[:, 2], alone.energy.kinetic, rtol=1e-12)
    np.testing.assert_allclose(run.energy.kinetic[0], 0.5 * (mass + 0.01) * 0.25**2, rtol=1e-9)
    assert np.isnan(run.energy.kinetic[-1, [0, 1, 3]]).all()
