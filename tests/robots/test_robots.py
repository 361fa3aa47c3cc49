"""Each robot of example-robot-data: kinematics, centroidal quantities and dynamics equal Pinocchio's and MuJoCo's at random states."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np
import pinocchio as pin
import pytest

import redmax as rm
from dynamics.agreement import disagreement
from dynamics.test_pinocchio import centroidal
from dynamics.test_subtrees import compared
from mechanisms import StateSample
from robots.robot import Robot, descriptions, load

STATES = 3
TOLERANCE = 1e-10  # of the largest number of each vector or matrix
FLOOR = 1e-6  # of what may vanish, as gravity does about vertical axes


def poses(robot: Robot, q: np.ndarray) -> np.ndarray:
    """Of the bodies' frames, as Pinocchio places them."""
    pin.forwardKinematics(robot.model, robot.data, robot.configuration(q))
    return np.array([robot.data.oMi[i].homogeneous @ robot.body(i - 1).homogeneous for i in robot.joint])


def dynamics(robot: Robot, d: rm.Dynamics, s: StateSample) -> Iterator[tuple[str, np.ndarray, np.ndarray]]:
    """(what, ours, theirs). Where joints move nothing that has mass, accelerations are not defined."""
    T, Tdot = robot.map(s.q, s.qdot)
    x = robot.configuration(s.q)
    a = T @ s.qddot + Tdot @ s.qdot
    tau, M = T.T @ pin.rnea(robot.model, robot.data, x, T @ s.qdot, a), robot.inertia(s.q)
    yield "inverse", d.inverse(s.q, s.qdot, s.qddot), tau
    yield "inertia M", d.inertia(s.q), M
    if np.linalg.cond(M) < 1e12:
        yield "forward", d.forward(s.q, s.qdot, tau), robot.forward(s.q, s.qdot, tau, np.zeros((len(robot.joint), 6)))


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
        yield from ((what, ours[what], x) for what, x in theirs.items())
        yield from dynamics(robot, d, s)
        yield "poses", d.observe(s.q, s.qdot).pose, poses(robot, s.q)


@pytest.mark.parametrize("name", sorted(descriptions()))
def test_equal_to_pinocchio(name, record_property):
    robot = load(name)
    worst = largest(with_pinocchio(robot, rm.Dynamics(robot.mechanism.model)))
    record_property("Pinocchio", (name, worst))
    assert {what: x for what, x in worst.items() if x > TOLERANCE} == {}


@pytest.mark.parametrize("name", [name for name in sorted(descriptions()) if load(name).heavy])
def test_equal_to_mujoco(name, record_property):
    """MuJoCo has the same numbers; of massless links it wants none."""
    m = load(name).mechanism
    d, some = rm.Dynamics(m.model), range(-1, len(m.links), 3)
    worst = largest(x for seed in range(STATES) for x in compared(m, d, seed, some))
    record_property("MuJoCo", (name, worst))
    assert {what: x for what, x in worst.items() if x > TOLERANCE} == {}
