"""The published scenes move as published, and conservative scenes keep their energy."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import redmax as rm
from redmax.cli import choose_methods
from redmax.scenes import CATALOGUE, find
from scenes.covering import COVERING
from scenes.reference_values import COUNTS, KINETIC, TIMES, WITH_NUMBERS
from scenes.runs import built_once, scene_of

PUBLISHED = [entry for entry in CATALOGUE if entry.reference]  # test_catalogue has the others


def some(entries):
    """Those that no test compares with numbers, or runs by every method; the others by `make long`."""
    return [
        pytest.param(entry, marks=pytest.mark.long if entry.reference in WITH_NUMBERS or entry in COVERING else ()) for entry in entries
    ]


def name_of(entry):
    return entry.name


def relative(a, b):
    return np.abs(np.asarray(a) - b).max() / np.abs(b).max()


@pytest.mark.parametrize("reference", KINETIC)
def test_kinetic_energy_at_the_start(reference):
    model = scene_of(reference).model()
    observed = rm.Dynamics(model, backend="interpret").observe(model.q0, model.qdot0)
    assert observed.kinetic == pytest.approx(KINETIC[reference], rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("reference", COUNTS)
def test_counts_of_coordinates(reference):
    model = scene_of(reference).model()
    assert (model.nq, 6 * len(model.links)) == COUNTS[reference]


def test_duration_and_step():
    for entry in PUBLISHED:
        usual = (1 if entry.reference.startswith("redmax-diff") else 2, 0.01)
        assert (entry.duration, entry.dt) == TIMES.get(entry.reference, usual), entry.name


@pytest.mark.parametrize("entry", some(entry for entry in PUBLISHED if entry.conservative), ids=name_of)
def test_conservative_scene_keeps_its_energy(entry):
    dynamics, _ = choose_methods(built_once(entry), None, "adaptive")
    run = rm.simulate(scene_of(entry.name), entry.duration, entry.dt, integrator="adaptive", dynamics=dynamics)
    assert run.complete
    assert run.energy.drift.max() < 1e-6


@pytest.mark.parametrize("entry", some(entry for entry in PUBLISHED if not entry.conservative), ids=name_of)
def test_driven_scene_runs(entry):
    """Adaptively, or where that would be slow, as the scene says."""
    scene = scene_of(entry.name)
    stepped = scene.deformables or "friction in joints" in entry.features
    dynamics, integrator = choose_methods(built_once(entry), None, "implicit" if stepped else "adaptive")
    share = 1.0 if entry.name == "diff-thrown-on-ground" else 0.1  # it flies first, and keeps its energy until it lands
    run = rm.simulate(scene, share * entry.duration, entry.dt, integrator=integrator, dynamics=dynamics, rtol=1e-5)
    assert run.complete
    assert run.energy.drift.max() > 1e-3


def test_switching_torques_do_the_work_that_the_motion_received():
    """redmax:5: the power tau . qdot, integrated over the run, is the energy gained."""
    entry = find("redmax:5")
    run = rm.simulate(entry.scene(), entry.duration, dt=1e-3)
    middle = run.t[:-1] + 5e-4
    tau = np.select([middle[:, None] < 3, middle[:, None] < 6], [[0, 0, 100], [0, 100, -100]], [100, -100, 0])
    work = np.sum(tau * np.diff(run.q, axis=0))
    assert work == pytest.approx(run.energy.total[-1] - run.energy.total[0], rel=1e-6)


def test_prescribed_joint_takes_the_accelerations_of_its_motion():
    """redmax:9: without correction, the joint ends beside the curve by as much as it began beside it."""
    entry = find("redmax:9")
    run = rm.simulate(entry.scene(), entry.duration, entry.dt)
    a, b = 7.0, 1.5 * np.pi
    at = run.t < 6.99
    curve = b / (1 + np.exp(-a * 2 * (run.t[at] / 7 - 0.5)))
    start, rate = curve[0], 2 * a / 7 * curve[0] * (1 - curve[0] / b)
    np.testing.assert_allclose(run.q[at, 0], curve - start - rate * run.t[at], atol=1e-6)


def test_dampers_take_the_energy_that_is_lost():
    """redmax:11: dE/dt = -d |qdot|^2."""
    entry = find("redmax:11")
    run = rm.simulate(entry.scene(), entry.duration, dt=1e-3)
    power = 1e3 * np.sum(run.qdot**2, axis=1)
    lost = np.concatenate([[0.0], np.cumsum((power[1:] + power[:-1]) / 2 * 1e-3)])
    np.testing.assert_allclose(run.energy.total, run.energy.total[0] - lost, atol=1e-4 * run.energy.total[0])


def test_free_cube_flies_a_parabola():
    """redmax:18: z = 3 t - t^2 / 2, and a constant rotation, since all axes of a cube are principal."""
    entry = find("redmax:18")
    run = rm.simulate(entry.scene(), entry.duration, entry.dt)
    np.testing.assert_allclose(run.pose("cube")[:, 2, 3], 3 * run.t - run.t**2 / 2, atol=1e-9)
    np.testing.assert_allclose(run.twist("cube")[:, :3], np.broadcast_to([0.2, 0.4, 0.6], (len(run), 3)), atol=1e-9)


def test_floating_plate_keeps_its_momentum():
    run = rm.simulate(find("redmax:17").scene(), 2)
    np.testing.assert_allclose(run.momentum[:, 3:], np.broadcast_to(run.momentum[0, 3:], (len(run), 3)), atol=1e-6)


def test_box_mesh_is_a_box():
    """redmax:26: the same scene with cuboids moves in the same way."""
    mesh, box = find("redmax:26").scene(), find("redmax:26").scene()
    at = rm.pose(np.eye(3), (0.5, 0, -1.5))
    box.links = [replace(link, shape=rm.Cuboid((1, 2, 3), density=1), body=at) for link in box.links]
    ends = [rm.simulate(scene, 1, rtol=1e-10).q[-1] for scene in (mesh, box)]
    assert relative(ends[0], ends[1]) < 1e-8


def test_prescribed_joint_is_led_back_to_its_motion_by_implicit_steps():
    """redmax:9: q' = q_p' + 5 (q_p - q), so that the error of the start decays with that rate, up to the error of the steps."""
    entry = find("redmax:9")
    run = rm.simulate(entry.scene(), entry.duration, entry.dt, integrator="implicit")
    motion = entry.scene().links[0].motion
    error = np.array([motion(t)[0] for t in run.t]) - run.q[:, 0]
    np.testing.assert_allclose(error[1:20], (1 - 5 * entry.dt) * error[:19], atol=1e-4)
    assert abs(error[-1]) < 1e-6
