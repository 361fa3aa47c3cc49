"""What is read off a run with contact: forces by Newton's law, the same from files, parts, pickles and worlds of a batch."""

from __future__ import annotations

import pickle
import signal
from functools import cache

import h5py
import numpy as np
import pytest

import redmax as rm
from contact.worlds import DT, G, on_ground, ran
from redmax.results import contact_rows
from redmax.run.contact import quantities as contact_quantities
from redmax.run.contact.records import COLUMNS
from results.processes import script, wait_for

BOXES = ("low", "middle", "top")
MASS = 1.0


@cache
def sliding() -> rm.Trajectory:
    """Three boxes that fall onto each other, slide, and run into a wall; they move along lengths only."""
    scene = rm.Scene(title="boxes")
    scene.add_ground(contact=0.5)
    scene.add_obstacle(rm.Cuboid((0.1, 1, 1), mass=1.0), at=(0.25, 0, 0.5), contact=0.5, name="wall", color="tomato", group=3)
    for k, name in enumerate(BOXES):
        scene.add_body(
            rm.Cuboid((0.2, 0.2, 0.2), mass=MASS), joint=rm.Translational(), at=(0.03 * k, 0, 0.11 + 0.21 * k), contact=0.5, name=name,
            qdot=(1, 0, 0),
        )  # fmt: skip
    return ran(scene, 0.4)


def forces(run: rm.Trajectory) -> np.ndarray:
    return np.stack([run.contact_force(name) for name in BOXES], axis=-2)


@pytest.mark.parametrize("integrator", ["implicit", "euler"])
def test_momentum_changes_by_weight_and_contact_forces(integrator):
    run = sliding() if integrator == "implicit" else rm.simulate(sliding().model, 0.4, DT, integrator=integrator)
    for k, name in enumerate(BOXES):
        change = MASS * np.diff(run.qdot[:, 3 * k : 3 * k + 3], axis=0) / DT
        assert change == pytest.approx(run.contact_force(name)[1:] + np.array([0, 0, -MASS * G]), abs=1e-9)
    assert {("low", "ground"), ("low", "middle"), ("middle", "top"), ("top", "wall")} <= set(run.contacts.pairs)
    assert run.qddot[-1] == pytest.approx(np.zeros(9), abs=1e-6)


def test_forces_are_opposite_and_add_up():
    run = sliding()
    parts = [run.contact_force("middle", other) for other in ("low", "top", "wall", "ground")]
    assert run.contact_force("middle") == pytest.approx(sum(parts), abs=1e-9)
    assert (run.contact_force("low", "middle") == -run.contact_force("middle", "low")).all()
    standing = run.contact_force("ground") + run.contact_force("wall")
    assert standing[-1] == pytest.approx((0, 0, -3 * MASS * G), abs=1e-6)
    assert run.contacts.normal_force("low", "ground") == pytest.approx(-run.contact_force("ground")[:, 2], abs=1e-9)


def test_a_sample_has_what_each_contact_does():
    run = sliding()
    now = run.contacts[-1]
    assert len(now) == run.contacts.count[-1]
    assert np.linalg.norm(now.normal, axis=1) == pytest.approx(np.ones(len(now)))
    on_ground = [c for c in now if {c.first, c.second} == {"ground", "low"}]
    assert len(on_ground) == 4
    for c in on_ground:
        assert (c.first, c.second, c.state) == ("ground", "low", "sticking")
        assert c.normal == pytest.approx((0, 0, 1))
        assert -1e-4 < c.gap < 0
        assert c.point[2] == pytest.approx(0, abs=1e-4)
    some = [c for sample in run.contacts for c in sample if c.state == "sliding" and c.first == "ground"]
    assert some
    for c in some:  # friction is against the slip, on the cone
        sideways = c.force - (c.force @ c.normal) * c.normal
        assert sideways @ c.slip < 0
        assert np.linalg.norm(sideways) == pytest.approx(0.5 * (c.force @ c.normal), rel=1e-3)


def test_torques_balance_where_a_body_rests():
    run = ran(on_ground(rm.Cuboid((0.3, 0.1, 0.2), mass=2.0), 0.1), 0.2)
    wrench = run.contact_wrench("body")[-1]
    assert wrench == pytest.approx((0, 0, 0, 0, 0, 2.0 * G), abs=1e-6)
    assert run.reaction("body")[-1] == pytest.approx(np.zeros(6), abs=1e-6)


@pytest.mark.parametrize("more", [{}, {"torsional": 0.02, "rolling": 0.01}])
def test_angular_momentum_of_a_fast_ball_changes_by_torques_about_its_centre(more):
    """The ball moves by 5 % of its radius in a step: torques are about where its centre is as the step begins."""
    made = rm.ContactMaterial(friction=0.5, **more)
    scene = rm.Scene()
    scene.add_ground(contact=made)
    ball = rm.Sphere(0.1, mass=1.0)
    scene.add_body(ball, joint=rm.Free3D(), at=(0, 0, 0.0999), qdot=(2.5, 0, 0, 0, 5, 8), contact=made, name="ball")
    run = ran(scene, 0.1)
    turning = (run.pose("ball")[:, :3, :3] @ run.twist("ball")[:, :3, None])[..., 0]
    change = 0.4 * 0.1**2 * np.diff(turning, axis=0) / DT
    torque = run.contact_wrench("ball")[1:, :3]
    assert np.abs(torque).max() > 0.4
    assert change == pytest.approx(torque, abs=0.02 * np.abs(torque).max())  # of which steps of the first order leave half


def test_files_parts_and_pickles_have_the_same(tmp_path):
    run = sliding()
    written = rm.simulate(run.model, 0.4, DT, out=tmp_path / "run.h5")
    written[50:].save(tmp_path / "again.h5")
    again = rm.load(tmp_path / "again.h5")
    assert again.model.scene.obstacles[1].group == 3
    for other, part in (
        (written, run),
        (again, run[50:]),
        (again[::7], run[50::7]),
        (pickle.loads(pickle.dumps(written[20:60])), run[20:60]),
    ):
        assert (forces(other) == forces(part)).all()
        assert (other.contacts[-1].point == part.contacts[-1].point).all()
        assert list(other.contacts[-1].first) == list(part.contacts[-1].first)
        assert (np.asarray(other.contacts.solver) == part.contacts.solver).all()
    table = written.to_csv(tmp_path / "run.csv", what=["contacts"]).read_text().splitlines()
    assert table[0].split(",")[:3] == ["t (s)", "contacts (1)", "contact residual (m/s)"]
    assert "low.contact.z (N)" in table[0]
    assert len(table) == 1 + len(run)


MARBLES = """
    import redmax as rm
    rm.simulate("marbles", 1000, 0.002, integrator="implicit", progress=False, out="run.h5")
"""


def test_a_killed_run_leaves_the_contacts_of_all_its_samples(tmp_path):
    path, process = tmp_path / "run.h5", script(MARBLES, tmp_path)
    try:
        wait_for(lambda: path.exists() and len(rm.load(path)) > 400, process)
    finally:
        process.send_signal(signal.SIGKILL)
        process.communicate()
    run = rm.load(path)
    assert not run.complete
    whole = rm.simulate("marbles", 0.8, 0.002, integrator="implicit", progress=False)
    assert np.array_equal(run.contact_count[:401], whole.contact_count)
    assert whole.contacts.pressing.max() >= 4
    for k in range(0, 401, 20):
        for name in ("first", "point", "force", "state"):
            assert np.array_equal(getattr(run.contacts[k], name), getattr(whole.contacts[k], name))
    assert len(run.contacts[len(run) - 1]) == run.contact_count[-1]


def test_a_list_of_all_contacts(tmp_path):
    run = sliding()
    found = run.contacts.to_numpy()
    total = np.zeros((len(run), 3))
    np.add.at(total, found["sample"][found["second"] == "wall"], found["force"][found["second"] == "wall"])
    np.add.at(total, found["sample"][found["first"] == "wall"], -found["force"][found["first"] == "wall"])
    assert total == pytest.approx(run.contact_force("wall"), abs=1e-9)
    lines = run.contacts.to_csv(tmp_path / "all.csv").read_text().splitlines()
    assert len(lines) == 1 + run.contacts.count.sum()
    assert lines[0].startswith("t (s),first,second,state,gap (m),point.x (m)")


def test_a_flipped_bit_is_noticed(tmp_path):
    sliding().save(tmp_path / "run.h5")
    with h5py.File(tmp_path / "run.h5", "r+") as file:
        file["contacts/rows"][100, 5] += 1e-9
    run = rm.load(tmp_path / "run.h5")
    run.contacts[-1]
    with pytest.raises(rm.RedmaxError, match="contacts/rows' is not as it was written"):
        run.contact_force("low")


def test_files_written_before_contacts_had_moments_and_energies_are_read(tmp_path, monkeypatch):
    """Their rows are narrower: what is not there is zero."""
    run = sliding()
    with monkeypatch.context() as earlier:
        for module in (contact_rows, contact_quantities):
            wider = module.gathered
            earlier.setattr(module, "gathered", lambda *given, wider=wider: np.ascontiguousarray(wider(*given)[:, : contact_rows.LEAST]))
        earlier.setattr(contact_rows, "COLUMNS", contact_rows.LEAST)
        run.save(tmp_path / "run.h5")
    with h5py.File(tmp_path / "run.h5") as file:
        assert file["contacts/rows"].shape[1] == contact_rows.LEAST < COLUMNS
    before = rm.load(tmp_path / "run.h5")
    assert (forces(before) == forces(run)).all()
    assert (before.contacts[-1].point == run.contacts[-1].point).all()
    assert not before.contacts[-1].moment.any()
    assert not before.contacts.energy.any()
    assert run.contacts.energy.any()
    before.save(tmp_path / "again.h5")
    assert (forces(rm.load(tmp_path / "again.h5")) == forces(run)).all()


def test_worlds_of_a_batch_are_as_alone(tmp_path):
    model = sliding().model
    starts = np.zeros((3, 9)), np.linspace(-1, 1, 27).reshape(3, 9)
    batch = rm.simulate(model, 0.1, DT, initial=rm.State(0.0, *starts), out=tmp_path / "batch.h5")
    for w in range(3):
        alone = rm.simulate(model, 0.1, DT, initial=rm.State(0.0, starts[0][w], starts[1][w]))
        assert (alone.q == batch.q[:, w]).all()
        assert (forces(alone) == forces(batch)[:, w]).all()
        assert (forces(alone) == forces(batch.world(w))).all()
        assert (batch.contacts[-1, w].force == alone.contacts[-1].force).all()
    with pytest.raises(rm.SceneError, match="takes a sample and a world"):
        batch.contacts[0]


def test_a_checkpoint_goes_on_to_the_last_bit():
    sim = rm.Simulation(sliding().model, dt=DT)
    assert len(sim.contacts) == 0
    sim.step(60)
    here, later = sim.checkpoint(), sim.step(40)
    told = sim.contacts.force
    copied = pickle.loads(pickle.dumps(sim))
    sim.restore(here)
    assert (sim.step(40).q == later.q).all()
    assert (sim.contacts.force == told).all()
    assert (copied.step(5).q == sim.step(5).q).all()


def test_samples_further_apart_and_controllers_tell_of_the_same_steps():
    model, run = sliding().model, sliding()
    some = rm.simulate(model, 0.4, DT, every=10)
    assert (forces(some) == forces(run)[::10]).all()
    asked = rm.simulate(model, 0.1, DT, controller=lambda t, q, qdot: np.zeros(9))
    assert (forces(asked) == forces(run)[:51]).all()


def test_a_run_without_room_for_its_points_ends_with_a_sentence(monkeypatch):
    from redmax.model import contact

    monkeypatch.setattr(contact, "LEAST_POINTS", 2)
    monkeypatch.setattr(contact, "POINTS_A_SHAPE", 0)
    model = on_ground(rm.Cuboid((0.2, 0.2, 0.2), mass=1.0), 0.15).model()
    with pytest.raises(rm.SimulationError, match=r"room for 2 points of contact, and \d+ more were found") as told:
        rm.simulate(model, 0.4, DT)
    assert 0 < told.value.trajectory.t[-1] < 0.2


def test_summary_and_words():
    run = sliding()
    assert "contact      at most" in run.summary()
    assert "residual at most" in repr(run.contacts)
    with pytest.raises(rm.SceneError, match="Did you mean 'ground'"):
        run.contact_force("low", "grund")
    scene = rm.Scene()
    scene.add_body(rm.Sphere(0.1, mass=1.0), joint=rm.Free3D(), name="ball")
    with pytest.raises(rm.SceneError, match="touches nothing"):
        rm.simulate(scene, 0.01, DT, integrator="euler").contact_force("ball")
