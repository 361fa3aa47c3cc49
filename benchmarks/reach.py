"""Inverse kinematics: an arm of seven hinges with limits, to 1e-6 m and rad, and a figure of 40 coordinates with six targets.

Goals are poses of random coordinates within the limits; searches begin at other random ones. How many of them are missed is a row with a
target of its own, since a time means nothing without it. Goals of the figure are poses of coordinates that go 60 % of the way to their
limits, or to 1 rad where that is nearer; over the whole of that range more of them are behind limits that hold on the way there. Beside it
is the loop that users of Pinocchio write in Python: damped steps within bounds and starts elsewhere, with Pinocchio's kinematics, Jacobian
and logarithm. What its calls cost by themselves is in the note, as much of such a loop is Python, and so is what a call costs that does
nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from time import perf_counter
from typing import Any

import numpy as np
import pinocchio as pin

import redmax as rm
from benchmarks.engines.pinocchio import build
from benchmarks.report import Row, Target
from benchmarks.timing import Effort
from redmax.backends.llvm.target import host

FIGURE = "inverse kinematics"
LIMITS = np.array([2.967, 2.094, 2.967, 2.094, 2.967, 2.094, 3.054])
TOLERANCE, STARTS = 1e-6, 60
WORLDS, FRAMES, FOLLOWERS, ALONE, POSES = 8_192, 20, 512, 200, 128  # few enough for short turns
RATE, GOAL = (150_000, 200_000) if host().lanes(np.float64) == 8 else (80_000, 80_000)  # 1/s: of AVX-512, and of AVX2
MISSED = 0.001  # of goals that can be reached


def measure(effort: Effort) -> Iterator[Row]:
    turns = 4 * effort.turns
    scene = arm()
    ik, dynamics, rng = rm.InverseKinematics(scene, rm.FrameTarget("tool")), rm.Dynamics(scene), np.random.default_rng(0)
    q, start = rng.uniform(-LIMITS, LIMITS, (2, WORLDS, 7))
    goal = dynamics.pose(q, "tool")
    loop = Loop(scene)
    peer, reached, steps = loop.timed(goal[:ALONE], start[:ALONE], effort.processes)
    calls, nothing = duration_of(loop.calls, goal[0], start[0]), duration_of(pin.SE3.Identity)
    note = f"its loop reaches {reached:.1%} in {steps:.1f} steps; of a step its calls take {calls}, one that does nothing {nothing}"

    time, found = best(lambda: ik.solve({"tool": goal}, start, restarts=STARTS), turns)
    off = loop.off(found.q[:ALONE], goal[:ALONE])
    row = f"7 hinges, random goals and starts, {WORLDS:,} worlds"
    aim = f"{WORLDS / time:,.0f}/s, the aim of {GOAL:,}/s {'met' if WORLDS / time >= GOAL else 'missed'}"
    own = f"{said(found)}; {aim}"
    yield Row(
        FIGURE, row, time / WORLDS, "Pinocchio in Python", peer, time / WORLDS / peer, Target(seconds=1 / RATE), off, f"{own}; {note}"
    )
    yield missed(row, found)

    some = list(zip(goal[:ALONE], start[:ALONE], strict=True))
    one_by_one = [best(lambda g=g, s=s: ik.solve({"tool": g}, s, restarts=STARTS), turns)[0] for g, s in some]
    alone = float(np.mean(one_by_one))
    yield Row(FIGURE, "7 hinges, one at a time", alone, "Pinocchio in Python", peer, alone / peer, Target(seconds=100e-6), None, note)

    begin, way = rng.uniform(-0.7, 0.7, (FOLLOWERS, 7)) * LIMITS, rng.normal(size=(FOLLOWERS, 7))
    along = begin + 0.2 * np.sin(2 * np.linspace(0, 1, FRAMES)[:, None, None] * (1 + way))
    moving = dynamics.pose(along, "tool")
    time, found = best(lambda: ik.follow({"tool": moving}, begin), turns)
    case = "7 hinges, goals that move"
    yield Row(FIGURE, case, time / found.success.size, target=Target(seconds=1 / 2e6), note=said(found))
    yield missed(case, found)
    yield of_figure(turns, 0.6, Target(seconds=1 / 5000))
    yield of_figure(1, 1.0, None)


def said(found: rm.Reached) -> str:
    return f"{found.success.mean():.3%} reached, {found.iterations.mean():.1f} steps"


def missed(case: str, found: rm.Reached) -> Row:
    """How many goals are, as a share of all."""
    share = 1.0 - float(found.success.mean())
    return Row(FIGURE, f"{case}: share that is missed", None, "all", None, share, Target(ratio=MISSED), note=said(found))


def of_figure(turns: int, far: float, target: Target | None) -> Row:
    """A frame on the pelvis, the head, both hands and both feet. far: how far goals go, of the ranges"""
    scene, names = figure()
    ik, rng = rm.InverseKinematics(scene, [rm.FrameTarget(name) for name in names]), np.random.default_rng(1)
    low, high = np.maximum(ik.bounds.lower, -1.0), np.minimum(ik.bounds.upper, 1.0)
    q, start = (share * rng.uniform(low, high, (POSES, len(low))) for share in (far, 0.2))
    goals = {name: rm.Dynamics(scene).pose(q, name) for name in names}
    time, found = best(lambda: ik.solve(goals, start, restarts=5), turns)
    case = f"figure of {len(low)} coordinates, six frames, goals over {far:.0%} of ranges to 1 rad"
    return Row(FIGURE, case, time / POSES, target=target, note=said(found))


def best(call: Callable[[], Any], turns: int) -> tuple[float, Any]:
    """The least of the times (s), the first left out, and what came of it."""
    found, times = call(), list[float]()
    for _ in range(turns):
        start = perf_counter()
        call()
        times.append(perf_counter() - start)
    return min(times), found


def arm() -> rm.Scene:
    """A light robot arm; its frame "tool"."""
    scene, body = rm.Scene(), None
    for axis, length, limit in zip("zyzyzyz", (0.0, 0.34, 0.0, 0.4, 0.0, 0.4, 0.0), LIMITS.tolist(), strict=True):
        body = scene.add_body(rm.Cuboid((0.1, 0.1, 0.2), mass=2.0), parent=body, joint=rm.Revolute(axis), at=(0, 0, length))
        scene.add_constraint(rm.HardLimit(body, -limit, limit))
    assert body is not None
    scene.add_frame("tool", body, (0, 0, 0.126), relative_to="joint")
    return scene


def figure() -> tuple[rm.Scene, list[str]]:
    """A free pelvis, a back of seven hinges, a neck of three, arms and legs of six each, with limits; and its frames."""
    scene = rm.Scene()
    pelvis = scene.add_body(rm.Cuboid((0.3, 0.2, 0.15), mass=10.0), joint=rm.Free(), name="pelvis")

    def limb(parent: rm.BodyHandle, at: tuple[float, float, float], name: str, parts: list[tuple[str, float, float]]) -> rm.BodyHandle:
        body, place = parent, at
        for k, (axes, length, limit) in enumerate(parts):
            for axis in axes:
                shape = rm.Capsule(0.04, max(abs(length), 0.05), mass=1.0)
                body = scene.add_body(shape, parent=body, joint=rm.Revolute(axis), at=place, name=f"{name} {k}{axis}")
                scene.add_constraint(rm.HardLimit(body, -limit, limit))
                place = (0.0, 0.0, 0.0)
            place = (0.0, 0.0, length)
        scene.add_frame(name, body, place, relative_to="joint")
        return body

    chest = limb(pelvis, (0.0, 0.0, 0.1), "chest", [("xyz", 0.15, 0.8), ("z", 0.1, 0.5), ("xyz", 0.2, 0.8)])
    limb(chest, (0.0, 0.0, 0.1), "head", [("xyz", 0.2, 1.2)])
    for side, y in (("left", 0.2), ("right", -0.2)):
        limb(chest, (0.0, y, 0.1), f"{side} hand", [("xyz", -0.3, 2.2), ("y", -0.28, 2.4), ("xz", -0.08, 1.2)])
        limb(pelvis, (0.0, y / 2, -0.1), f"{side} foot", [("xyz", -0.42, 2.0), ("y", -0.42, 2.4), ("xy", -0.1, 1.0)])
    return scene, ["pelvis", "head", "left hand", "right hand", "left foot", "right foot"]


@dataclass(frozen=True, eq=False)
class Loop:
    """Pinocchio's kinematics in a loop of Python: damped steps, mu |e|^2, taken where they get nearer; clipped to the limits."""

    scene: rm.Scene

    @cached_property
    def model(self) -> pin.Model:
        model = build(self.scene)
        tool = pin.SE3(np.eye(3), np.array([0.0, 0.0, 0.126]))
        model.addFrame(pin.Frame("tool", model.njoints - 1, 0, tool, pin.FrameType.OP_FRAME))
        return model

    @cached_property
    def data(self) -> pin.Data:
        return self.model.createData()

    def calls(self, goal: np.ndarray, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """e, (6,), the twist from the goal to the tool, and its Jacobian: all that a step asks of Pinocchio."""
        model, data, frame = self.model, self.data, self.model.nframes - 1
        pin.computeJointJacobians(model, data, q)
        pin.updateFramePlacement(model, data, frame)
        J = pin.getFrameJacobian(model, data, frame, pin.ReferenceFrame.LOCAL)
        between = pin.SE3(goal).actInv(data.oMf[frame])
        return pin.log6(between).vector, pin.Jlog6(between) @ J

    def off(self, q: np.ndarray, goal: np.ndarray) -> float:
        """How far tools are off, as Pinocchio sees them: the largest of all."""
        return max(float(np.abs(self.calls(g, x)[0]).max()) for g, x in zip(goal, q, strict=True))

    def reached(self, goal: np.ndarray, q: np.ndarray, rng: np.random.Generator) -> tuple[bool, int]:
        """Whether it is, and in how many steps of all starts."""
        taken = 0
        for _ in range(STARTS + 1):
            mu, gained = 0.3, 1.0
            e, J = self.calls(goal, q)
            while gained > 0.02 and taken < 3000:
                taken += 1
                if np.linalg.norm(e[:3]) <= TOLERANCE and np.linalg.norm(e[3:]) <= TOLERANCE:
                    return True, taken
                square = e @ e
                damped = J @ J.T
                damped[np.diag_indices(6)] += mu * square + 1e-13
                tried = np.clip(q - J.T @ np.linalg.solve(damped, e), -LIMITS, LIMITS)
                e1, J1 = self.calls(goal, tried)
                better = e1 @ e1 < square
                gained = 0.75 * gained + 0.25 * (1 - e1 @ e1 / square if better else 0.0)
                mu = max(mu / 8 if better else 8 * mu, 1e-10)
                if better:
                    q, e, J = tried, e1, J1
            q = rng.uniform(-LIMITS, LIMITS)
        return False, taken

    def timed(self, goals: np.ndarray, starts: np.ndarray, turns: int) -> tuple[float, float, float]:
        """Seconds for each goal, the share that is reached, and steps."""
        found = [best(lambda g=g, q=q: self.reached(g, q, np.random.default_rng(2)), turns) for g, q in zip(goals, starts, strict=True)]
        times, reached, steps = zip(*[(time, *result) for time, result in found], strict=True)
        return float(np.mean(times)), float(np.mean(reached)), float(np.mean(steps))


def duration_of(call: Callable[..., Any], *given: Any) -> str:
    """Of one call, the best of many."""
    times = []
    for _ in range(300):
        start = perf_counter()
        call(*given)
        times.append(perf_counter() - start)
    return f"{1e6 * min(times):.1f} us"
