"""Between coordinates and what does not depend on them: round trips, also near no turn, half a turn and where charts are singular."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

import redmax as rm
from random_examples import examples
from redmax.joints.euler import ORDERS

ANGLES = st.one_of(st.floats(0, np.pi), st.sampled_from([0.0, 1e-160, 1e-9, 1e-5, np.pi - 1e-9, np.pi - 1e-5, np.pi]))
UNIT = st.tuples(*[st.floats(-1, 1)] * 3).filter(lambda v: np.linalg.norm(v) > 0.1).map(lambda v: np.array(v) / np.linalg.norm(v))
VECTORS = st.tuples(*[st.floats(-3, 3)] * 3).map(np.array)
JOINTS = [rm.Spherical(), rm.SphericalEuler("ZXZ"), rm.SphericalEuler("XYZ", switching=False), rm.Free(), rm.Free3D()]
NAMES = ["Spherical", "ZXZ", "XYZ", "Free", "Free3D"]


def quaternion(axis, angle) -> np.ndarray:
    return np.array([np.cos(angle / 2), *(np.sin(angle / 2) * axis)])


@pytest.mark.parametrize("joint", JOINTS, ids=NAMES)
@examples(8, 100)
@given(axis=UNIT, angle=ANGLES, p=VECTORS, length=st.sampled_from([1.0, -3.0]))
def test_coordinates_of_a_quaternion_turn_and_move_as_it_says(joint, axis, angle, p, length):
    place = p if joint.dof == 6 else np.zeros(3)
    c = quaternion(axis, angle)
    q = joint.coordinates(length * c, place)
    R = Rotation.from_rotvec(angle * axis).as_matrix()
    assert np.abs(joint.pose(q)[:3, :3] - R).max() < 4e-15
    assert np.abs(joint.position(q) - place).max() < 2e-14
    back = joint.quaternion(q)
    assert min(np.abs(back - c).max(), np.abs(back + c).max()) < 1e-14
    assert back[0] >= 0


@pytest.mark.parametrize("joint", JOINTS, ids=NAMES)
@examples(5, 100)
@given(x=st.lists(st.floats(-2, 2), min_size=24, max_size=24))
def test_twists_accelerations_and_forces_go_there_and_back(joint, x):
    n = joint.dof
    q, qdot, qddot, tau = np.array(x).reshape(4, 6)[:, :n]
    q = np.where(np.arange(n) == 1, 0.4 + 0.4 * np.tanh(q), q)  # away from where Euler angles are singular
    V, A, F = joint.twist(q, qdot), joint.twist_rate(q, qdot, qddot), joint.wrench(q, tau)
    assert np.allclose(joint.rates(q, V), qdot, atol=1e-12)
    assert np.allclose(joint.accelerations(q, qdot, A), qddot, atol=1e-11)
    assert np.allclose(joint.generalised_force(q, F), tau, atol=1e-12)
    assert np.isclose(F @ V, tau @ qdot, atol=1e-11)  # the same power
    if n == 3:
        assert np.allclose(joint.rates(q, V[:3]), qdot, atol=1e-12)


@pytest.mark.parametrize("joint", JOINTS, ids=NAMES)
def test_twists_and_their_rates_are_differences_of_poses(joint):
    rng = np.random.default_rng(3)
    h, n = 1e-4, joint.dof
    q, qdot, qddot = 0.5 * rng.standard_normal((3, n))
    times = np.array([-2, -1, 0, 1, 2]) * h
    E = joint.pose(q + times[:, None] * qdot + 0.5 * times[:, None] ** 2 * qddot)

    def difference(x):
        return (x[0] - 8 * x[1] + 8 * x[3] - x[4]) / (12 * h)

    bracket = np.linalg.inv(E[2]) @ difference(E)
    V = np.array([bracket[2, 1], bracket[0, 2], bracket[1, 0], *bracket[:3, 3]])
    assert np.abs(joint.twist(q, qdot) - V).max() < 1e-10
    moved = joint.twist(q + times[:, None] * qdot + 0.5 * times[:, None] ** 2 * qddot, qdot + times[:, None] * qddot)
    assert np.abs(joint.twist_rate(q, qdot, qddot) - difference(moved)).max() < 1e-9


@examples(8, 100)
@given(axis=UNIT, angle=st.floats(0.1, 3.0), turns=st.integers(-1, 1), chart=st.sampled_from(ORDERS))
def test_nearby_coordinates_are_found_again(axis, angle, turns, chart):
    near = (angle + 2 * np.pi * turns) * axis
    assert np.allclose(rm.Spherical().coordinates(quaternion(axis, angle), near=near + 0.05), near, atol=1e-12)
    joint = rm.SphericalEuler()
    start = np.array([2.0, 0.3, -1.0]) + 2 * np.pi * turns
    q = joint.coordinates(joint.quaternion(start, chart=chart), chart=chart, near=start + 0.05)
    assert np.allclose(q, start, atol=1e-9)


def test_batches_go_with_what_is_given_once():
    rng = np.random.default_rng(1)
    joint, q, V = rm.Free(), rng.standard_normal((4, 5, 6)), rng.standard_normal(6)
    rates = joint.rates(q, V)
    assert rates.shape == (4, 5, 6)
    assert np.allclose(joint.twist(q, rates), V)
    assert np.allclose(joint.rates(q[2, 3], V), rates[2, 3], rtol=1e-14)
    assert np.allclose(joint.pose(joint.coordinates(joint.quaternion(q), joint.position(q))), joint.pose(q), atol=1e-13)


def test_joints_with_fewer_directions_take_the_part_along_them():
    hinge = rm.Revolute("y")
    assert np.allclose(hinge.twist(0.3, 2.0), [0, 2, 0, 0, 0, 0])
    assert np.allclose(hinge.rates(0.3, [5, 2, 5, 1, 1, 1]), [2.0])
    assert np.allclose(hinge.generalised_force([0.3], [1, 2, 3, 4, 5, 6]), [2.0])


def test_the_part_of_time_is_no_rate():
    lift = rm.joint(lambda q, t: rm.pose(np.eye(3), [q[0], 0.0, 2.0 * t]), 1)
    assert np.allclose(lift.twist([0.1], [3.0], t=0.5), [0, 0, 0, 3, 0, 2])
    assert np.allclose(lift.rates([0.1], [0, 0, 0, 3, 0, 2], t=0.5), [3.0])


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: rm.Revolute("y").coordinates((1, 0, 0, 0)), "Revolute has no coordinates for any orientation and position."),
        (lambda: rm.Spherical().coordinates((0, 0, 0, 0)), "not all zero"),
        (lambda: rm.Spherical().coordinates((1, 0, 0, 0), (0, 0, 1)), "left out, as the joint only turns"),
        (lambda: rm.Spherical().twist([1, 2], [1, 2, 3]), r"q must have shape \(..., 3\). Got \(2,\)"),
        (lambda: rm.Free().rates(np.zeros(6), [1, 2, 3]), r"twist must have shape \(..., 6\)"),
        (lambda: rm.SphericalEuler().pose(np.zeros(3), chart="XZ"), "There is no chart .XZ."),
        (lambda: rm.Free().pose(np.zeros(6), chart="XYZ"), "Free has no charts to choose from"),
    ],
)
def test_what_makes_no_sense_gets_a_sentence(call, said):
    with pytest.raises(rm.SceneError, match=said):
        call()
