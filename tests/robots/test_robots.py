"""Each robot of example-robot-data: kinematics, centroidal quantities and dynamics equal Pinocchio's and MuJoCo's at random states."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np
import pinocchio as pin
import pytest

import redmax as rm
from dynamics.agreement import disagreement
from dynamics.test_frames import OURS, REFERENCE, vector
from dynamics.test_pinocchio import centroidal
from dynamics.test_subtrees import compared
from mechanisms import StateSample
from robots.robot import Robot, descriptions, load

STATES = 3
TOLERANCE = 1e-10  # of the largest number of each vector or matrix
FLOOR = 1e-3  # of what may vanish, as gravity does about vertical axes


def frames(robot: Robot, d: rm.Dynamics, s: StateSample) -> Iterator[tuple[str, np.ndarray, np.ndarray]]:
    """(what, ours, theirs) of every frame that moves, by one of Pinocchio's three conventions."""
    (T, Tdot), model, data = robot.map(s.q, s.qdot), robot.model, robot.data
    x, v, a = robot.configuration(s.q), T @ s.qdot, T @ s.qddot + Tdot @ s.qdot
    pin.computeJointJacobiansTimeVariation(model, data, x, v)
    pin.forwardKinematics(model, data, x, v, a)
    pin.updateFramePlacements(model, data)
    for k in robot.frames:
        name, (kind, reference) = f"frame{k}", list(REFERENCE.items())[k % 3]
        J, Jdot = (f(model, data, k, reference).reshape(6, -1)[OURS] for f in (pin.getFrameJacobian, pin.getFrameJacobianTimeVariation))
        ours = d.jacobian(s.q, s.qdot, of=name, kind=kind)
        yield "poses", d.pose(s.q, name), data.oMf[k].homogeneous
        yield "J", ours[0], J @ T
        yield "Jdot", ours[1], Jdot @ T + J @ Tdot
        yield "twists", d.twist(s.q, s.qdot, name, kind), vector(pin.getFrameVelocity(model, data, k, reference))
        theirs = vector(pin.getFrameClassicalAcceleration(model, data, k, reference))
        yield "accelerations", d.acceleration(s.q, s.qdot, s.qddot, name, kind, classical=True), theirs


def dynamics(robot: Robot, d: rm.Dynamics, s: StateSample) -> Iterator[tuple[str, np.ndarray, np.ndarray]]:
    """(what, ours, theirs). Where M is singular but for rounding, accelerations are judged by the torques that they take."""
    T, Tdot = robot.map(s.q, s.qdot)
    x = robot.configuration(s.q)
    a = T @ s.qddot + Tdot @ s.qdot
    tau, M = T.T @ pin.rnea(robot.model, robot.data, x, T @ s.qdot, a), robot.inertia(s.q)
    yield "inverse", d.inverse(s.q, s.qdot, s.qddot), tau
    yield "inertia M", d.inertia(s.q), M
    C = T.T @ pin.computeCoriolisMatrix(robot.model, robot.data, x, T @ s.qdot) @ T + M @ np.linalg.solve(T, Tdot)
    yield "C", d.coriolis_matrix(s.q, s.qdot), C
    qddot = d.forward(s.q, s.qdot, tau)
    yield "torques", d.inverse(s.q, s.qdot, qddot), tau
    if np.linalg.cond(M) < 5e7:
        yield "forward", qddot, robot.forward(s.q, s.qdot, tau, np.zeros((len(robot.joint), 6)))


def largest(found: Iterable[tuple[str, np.ndarray, np.ndarray]]) -> dict[str, float]:
    """The largest disagreement of each quantity."""
    worst: dict[str, float] = {}
    for what, ours, theirs in found:
        worst[what] = max(worst.get(what, 0.0), disagreement(ours, theirs, floor=FLOOR))
    return worst


def with_pinocchio(robot: Robot, d: rm.Dynamics) -> Iterator[tuple[str, np.ndarray, np.ndarray]]:
    for seed in range(STATES):
        s = robot.mechanism.state(seed)
        ours, theirs = centroidal(d, s), robot.centroidal(s.q, s.qdot, s.qddot)
        yield from ((f"c: {what}" if what in ("J", "Jdot") else what, ours[what], x) for what, x in theirs.items())
        yield from dynamics(robot, d, s)
        yield from frames(robot, d, s)


@pytest.mark.parametrize("name", sorted(descriptions()))
def test_equal_to_pinocchio(name, record_property):
    robot = load(name)
    worst = largest(with_pinocchio(robot, robot.dynamics))
    record_property("Pinocchio", (name, worst))
    assert {what: x for what, x in worst.items() if x > TOLERANCE} == {}


@pytest.mark.parametrize("name", sorted(descriptions()))
def test_rotors_equal_to_pinocchio(name, record_property):
    robot, d = load(name).with_rotors()
    worst = largest(x for seed in range(STATES) for x in dynamics(robot, d, robot.mechanism.state(seed)))
    record_property("Pinocchio, with rotors", (name, worst))
    assert {what: x for what, x in worst.items() if x > TOLERANCE} == {}


@pytest.mark.parametrize("name", [name for name in sorted(descriptions()) if load(name).heavy])
def test_equal_to_mujoco(name, record_property):
    """MuJoCo has the same numbers; of massless links it wants none."""
    robot = load(name)
    m, d, some = robot.mechanism, robot.dynamics, range(-1, len(robot.mechanism.links), 3)
    worst = largest(x for seed in range(STATES) for x in compared(m, d, seed, some))
    record_property("MuJoCo", (name, worst))
    assert {what: x for what, x in worst.items() if x > TOLERANCE} == {}
