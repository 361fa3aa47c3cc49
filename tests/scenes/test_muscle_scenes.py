"""Scenes with muscles: they do the work that the motion receives, and move what they are there to move."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from scipy.integrate import cumulative_simpson

import redmax as rm
from redmax.scenes import arm, find, kick, ribs

FINE = 2.5e-4  # s, between samples: fine enough for Simpson's rule to be exact to 1e-7, across the corners of limits and excitations


@cache
def run_of(name: str) -> rm.Trajectory:
    entry = find(name)
    return rm.simulate(entry.scene(), entry.duration, FINE, rtol=1e-10)


def degrees(run: rm.Trajectory, joint: str) -> np.ndarray:
    return np.degrees(run.coordinates(joint)[:, 0])


def dampers_work(run: rm.Trajectory) -> np.ndarray:
    """(time,) the integral of -d qdot^2 over all joints (J)."""
    power = np.zeros(len(run))
    for link in run.model.bodies:
        if link.joint.dof:
            power -= (link.damping * run.qdot[:, run.model.q_slice(link.name)] ** 2).sum(axis=1)
    return cumulative_simpson(power, x=run.t, initial=0.0)


@pytest.mark.parametrize("name", ["arm", "kick", "scapula"])
def test_mechanical_energy_changes_by_the_work_of_all_forces(name):
    """Without what forces along paths store, which their work counts already."""
    run = run_of(name)
    forces = [run.force(str(f.name)) for f in run.model.forces]
    mechanical = run.energy.total - sum(f.potential for f in forces)
    work = dampers_work(run) + sum(f.work for f in forces)
    exchanged = sum(np.abs(f.work).max() for f in forces)
    assert exchanged > 1.0
    assert np.abs(mechanical - mechanical[0] - work).max() < 1e-6 * exchanged


@pytest.mark.parametrize("name", ["arm", "kick"])
def test_paths_have_no_jumps(name):
    """Their lengths are the integrals of their rates, also where points come and go or move over their body."""
    run = run_of(name)
    for force in run.model.forces:
        found = run.force(str(force.name))
        lengthened = cumulative_simpson(found.rate, x=run.t, initial=0.0)
        np.testing.assert_allclose(found.length - found.length[0], lengthened, atol=2e-7)


@pytest.mark.parametrize("name", ["arm", "kick"])
def test_muscles_only_pull_and_stay_where_they_can(name):
    run = run_of(name)
    for force in run.model.forces:
        found = run.force(str(force.name))
        fibre = (found.length - force.hill.tendon_length) / force.hill.optimal_length
        assert found.tension.min() >= 0
        assert 0 < fibre.min() < fibre.max() < 1.7
        assert (found.activation >= 0).all()
        assert (found.activation <= 1).all()


def test_the_biceps_lifts_the_dumbbell_and_lets_it_down():
    run = run_of("arm")
    height, biceps = run.pose("dumbbell")[:, 2, 3], run.force("biceps")
    top = height[(run.t > 1.4) & (run.t < 2.5)]
    assert top.min() - height[0] > 0.3  # m, all the time while it is held
    assert abs(height[-1] - height[0]) < 0.05
    lifted = (arm.LOAD + 0.4 + 1.3) * 9.81 * 0.2  # J, about: not all of it by as much
    up, down = np.searchsorted(run.t, [1.5, 4.0])
    assert biceps.work[up] > lifted
    assert biceps.work[down] < biceps.work[up] - lifted  # it brakes what it lifted


def test_the_triceps_lies_on_the_humerus_while_the_elbow_is_bent():
    run = run_of("arm")
    touching = ~np.isnan(run.force("triceps").points[:, 2]).any(axis=1)
    assert (touching == (run.coordinates("forearm")[:, 0] > arm.WRAP)).all()
    assert 0.2 < touching.mean() < 0.8


def test_the_activation_follows_the_excitation_with_a_delay():
    """By its time constants, a' = (u - a) / tau."""
    run = run_of("arm")
    a, u = run.force("biceps").activation, np.array([arm.curl(float(t)) for t in run.t])
    rate = np.gradient(a, run.t)
    tau = np.where(u > a, 0.01, 0.04)
    inner = slice(10, -10)
    np.testing.assert_allclose(rate[inner], ((u - a) / tau)[inner], atol=0.02)


def test_the_leg_draws_back_and_kicks():
    run = run_of("kick")
    hip, knee = degrees(run, "femur"), degrees(run, "tibia")
    bent = int(np.argmax(knee * (run.t < 0.75)))
    straight = int(np.argmax((knee < 10) & (run.t > run.t[bent])))
    assert hip[run.t < 0.6].min() < -30
    assert knee[bent] - knee[straight] > 80
    assert run.t[straight] - run.t[bent] < 0.3
    assert hip[run.t < 1.3].max() > 50
    speed = np.linalg.norm(run.twist("foot")[:, 3:], axis=1)
    assert 6 < speed.max() < 15  # m/s


def test_joints_stay_within_the_range_of_a_leg():
    """But for what their springs give way."""
    run = run_of("kick")
    for joint, low, high in kick.RANGES:
        assert low - 6 < degrees(run, joint).min()
        assert degrees(run, joint).max() < high + 6


def test_the_kneecap_stays_on_the_condyle():
    run = run_of("kick")
    link = run.model.links[run.model.index("tibia")]
    axis = (run.pose("tibia") @ np.linalg.inv(link.body))[:, :3, 3]
    for muscle in ("rectus femoris", "vasti"):
        away = np.linalg.norm(run.force(muscle).points[:, 2] - axis, axis=1)
        np.testing.assert_allclose(away, kick.CONDYLE, atol=1e-12)


def test_without_excitation_the_leg_hangs(monkeypatch):
    monkeypatch.setattr(kick, "EXCITATIONS", dict.fromkeys(kick.EXCITATIONS, 0.0))
    run = rm.simulate(kick.build(), 2.0)
    assert np.abs(degrees(run, "femur")).max() < 5
    assert np.abs(degrees(run, "tibia")).max() < 10


def blade_frames(run: rm.Trajectory) -> np.ndarray:
    """(time, 4, 4) the frame that glides, in the frame of the ribs."""
    frames = [run.pose(n) @ np.linalg.inv(run.model.links[run.model.index(n)].body) for n in ("ribs", "scapula")]
    return np.linalg.inv(frames[0]) @ frames[1]


def test_the_shoulder_blade_glides_on_the_ribs_at_the_end_of_the_clavicle():
    run = run_of("scapula")
    E = blade_frames(run)
    level = np.sum((E[:, :3, 3] / (np.array(ribs.RIBS) + ribs.OUTSIDE)) ** 2, axis=1)
    assert np.abs(np.sqrt(level) - 1).max() < 0.02  # the spline rounds the ellipsoid off
    acromion = E[:, :3, :3] @ np.array(ribs.ACROMION) + E[:, :3, 3]
    away = np.linalg.norm(acromion - ribs.STERNUM, axis=1)
    assert np.abs(away - ribs.CLAVICLE).max() < 2e-3
    assert np.linalg.norm(np.ptp(E[:, :3, 3], axis=0)) > 0.02  # and it does move


def test_ligaments_keep_clavicle_and_blade_together():
    run = run_of("scapula")
    for ligament in ("acromioclavicular", "trapezoid", "conoid"):
        assert np.ptp(run.force(ligament).length) < 3e-3


def test_the_shoulder_loses_energy_all_the_time():
    run = run_of("scapula")
    assert np.diff(run.energy.total).max() < 1e-9
    assert run.energy.total[-1] < run.energy.total[0] - 0.5 * run.energy.kinetic.max()
