"""Chains on ball joints and the satellite move as converged references say, however configurations are written; what must stay, stays.

The references are far more exact than any run: extrapolation in 80 bits of equations of motion with vectors, written out for these
trees, without twists and joint frames. Two numbers of steps agree to 3e-13.
"""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

import redmax as rm
from redmax.scenes.ball_chains import ball_chain, euler_singularities
from redmax.scenes.satellite import satellite
from scenes.geometric_values import rotation

# At 1 s: unit quaternions of the joints and angular velocities of the links against the world, in their own axes (rad/s).
CHAINS = {
    "ball-chain": (
        [[-0.0435419879723483, 0.0152798584261202, -0.0117619864617186, 0.998865494891263],
         [0.983679423148826, 0.0231717172823114, 0.083575567615723, 0.157648306332451],
         [0.419833335508536, 0.223932173182196, -0.019652746464402, 0.879322535686469]],
        [[0.59259049375549, 1.23818192437662, 3.19179700067157],
         [0.611067309944005, 3.30920432998426, 3.52170492387463],
         [1.39439773655631, -1.48147116490311, 4.78531311815324]],
    ),
    "euler-singularities": (
        [[0.548716697002223, 0.221930934504598, 0.0509448799342022, -0.804401184701624],
         [0.25592227813729, 0.54077069415513, -0.296213964059622, 0.744532156049746],
         [0.401472882171789, 0.671677164701908, 0.0491485802278731, -0.620688108763384]],
        [[-3.86912602667793, 0.196338924906358, -5.26177253563728],
         [6.63890734138526, 6.35047619442913, 1.845981108995],
         [23.123762823688, -5.34418626048341, -23.975226009392]],
    ),
}  # fmt: skip
BUILDERS = {"ball-chain": ball_chain, "euler-singularities": euler_singularities}

# The satellite at 10 s: quaternion and place of the hub; angles of the hinges; twist of the hub; rates of the hinges.
HUB = [-0.174419991584658, -0.694721229006479, 0.504124047541655, -0.482492513095855]
PLACE = [0.228174032135215, -0.0378218828566169, 0.148607031055894]
ANGLES = [-0.0610035681573651, 0.290712397470313, 0.136307418832887, 0.344274414260056]
TWIST = [0.602449978185848, -0.720338524273641, -0.321188369000884, 0.0276400273556303, -0.0097971066182917, -0.0040348335319921]
RATES = [-0.404663335034019, 1.43997084948834, -0.0356151249173572, 0.990752991176188]


def turned_against(quaternions: list[list[float]], i: int) -> np.ndarray:
    """The i-th link in the world."""
    R = np.eye(3)
    for q in quaternions[: i + 1]:
        R = R @ rotation(np.array(q))
    return R


@pytest.mark.parametrize("coordinates", ["quaternion", "matrix", "exp"])
@pytest.mark.parametrize("name", CHAINS)
def test_chains_agree_with_converged_references(name, coordinates):
    quaternions, omega = CHAINS[name]
    run = rm.simulate(BUILDERS[name](coordinates), 1.0, 0.1, rtol=1e-13, progress=False)
    for i in range(3):
        assert_allclose(run.pose(f"link{i + 1}")[-1, :3, :3], turned_against(quaternions, i), rtol=0, atol=1e-10)
        assert_allclose(run.twist(f"link{i + 1}")[-1, :3], omega[i], rtol=1e-10, atol=3e-10)


def test_no_sequence_of_euler_angles_can_say_how_the_chain_begins():
    """Each of the twelve is singular in one of its three joints: an entry of the rotation is 1 or -1."""
    entries = np.abs([rm.rotation_about(axis, np.pi / 2) for axis in "xyz"])
    assert np.allclose(entries.max(axis=0), 1.0)
    scene = euler_singularities()
    R = [rotation(np.array(link.q)) for link in scene.links]
    assert_allclose(np.abs(R), entries, atol=1e-15)
    rates = np.array([link.qdot for link in scene.links])
    assert np.linalg.norm(rates, axis=1).min() > 2  # which it goes through


def test_the_chain_goes_through_them_by_every_way_to_write_a_rotation():
    runs = [rm.simulate(euler_singularities(c), 0.2, 1e-3, integrator="cf4", progress=False) for c in ("quaternion", "matrix", "exp")]
    for run in runs[1:]:
        assert_allclose(run.pose("link3"), runs[0].pose("link3"), atol=1e-7)


def test_the_satellite_agrees_with_a_converged_reference():
    run = rm.simulate(satellite(), 10.0, 0.5, rtol=1e-13, progress=False)
    pose = run.pose("hub")[-1]
    assert_allclose(pose[:3, :3], rotation(np.array(HUB)), rtol=0, atol=3e-10)
    assert_allclose(pose[:3, 3], PLACE, rtol=0, atol=3e-10)
    assert_allclose(run.q[-1, 8:], ANGLES, rtol=0, atol=3e-9)
    assert_allclose(run.qdot[-1, :6], TWIST, rtol=0, atol=3e-10)
    assert_allclose(run.qdot[-1, 6:], RATES, rtol=0, atol=1e-8)


def test_the_satellite_keeps_its_momentum_and_without_damping_its_energy():
    free, damped = (rm.simulate(satellite(damping), 20.0, 0.5, rtol=1e-12, progress=False) for damping in (0.0, 20.0))
    for run in (free, damped):
        momentum = run.momentum_screw()
        assert np.ptp(momentum, axis=0).max() < 1e-8 * np.abs(momentum).max()
    assert free.energy.drift.max() < 1e-9
    assert (np.diff(damped.energy.total) < 0).all()


def test_with_damping_it_turns_to_its_axis_of_the_largest_moment():
    """The energy falls to the least that the momentum allows, h^2 / (2 I) of the largest moment, although it began about the smallest."""
    run = rm.simulate(satellite(damping=60.0, spin=(0.05, 1.2, 0.05)), 2000.0, 10.0, rtol=1e-7, progress=False)
    h = run.momentum_screw(kind="hybrid")[-1, :3]
    whole = rm.Dynamics(run.model).centroidal(run.q, run.qdot)
    moments, axes = np.linalg.eigh(whole.inertia[-1, :3, :3])
    turning = run.energy.kinetic - 0.5 * whole.mass * (whole.velocity**2).sum(axis=-1)
    least = h @ h / (2 * moments[-1])
    assert turning[0] > 2 * turning[-1]
    assert least < turning[-1] < 1.02 * least
    assert abs(axes[:, -1] @ h) > 0.97 * np.linalg.norm(h)
