"""What a spline joint costs does not depend on how many control frames it has: one body on a curve with 4 and with 4,000 of them.

The traced operations must be as many. So must the time be where the parameter moves along the curve, as it does in a simulation; where
it jumps to random places, 640 kB of frames and screws are read from a cache farther away, which is shown without a target.

The frames lie evenly on a circle about a level axis, so that all screws between them are equal, and with uniform knots the spline is the
circle itself: G(q) = R(k (q + 1)) with k = 2 pi / n, for which the accelerations are known in closed form.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

import redmax as rm
from benchmarks.agreement import Disagreement, agree
from benchmarks.cases import DOWN_Z, States
from benchmarks.engines.redmax import Redmax
from benchmarks.report import Row, Target
from benchmarks.timing import Contestant, Effort, compete
from redmax.backends.base import rolled_plan

FIGURE = "spline joint"
FEW, MANY = 4, 4000
WORLDS = 10_000
STEP = 0.01  # of the parameter, from one state to the next
LIMIT = 1.1
RADIUS, MASS, INERTIA = 0.7, 1.3, 0.2  # m, kg, kg m^2 about the circle's axis


def measure(effort: Effort) -> Iterator[Row]:
    few, many = Redmax(scene(FEW)), Redmax(scene(MANY))
    counts = [operations(engine) for engine in (few, many)]
    if counts[0] != counts[1]:
        raise Disagreement(f"{FEW} frames take {counts[0]} operations in each sweep, {MANY} frames take {counts[1]}")
    along = STEP * np.arange(WORLDS)
    anywhere = np.random.default_rng(1).uniform(0, 1, WORLDS)
    note = f"{sum(counts[0])} operations each; cyclic, cubic"
    cases = (("moving along", along, along, Target(ratio=LIMIT)), ("at random places", FEW * anywhere, MANY * anywhere, None))
    for case, q_few, q_many, target in cases:
        small, e_few = checked(few, FEW, q_few)
        large, e_many = checked(many, MANY, q_many)
        own, peer = compete([large, small], effort)
        label = f"{MANY:,} frames, {case}"
        yield Row(FIGURE, label, own.best, f"redmax, {FEW} frames", peer.best, own.ratio(peer), target, max(e_few, e_many), note)


def scene(n: int) -> rm.Scene:
    """A body that is carried around a circle in the plane of x and z by a spline with n frames."""
    out = np.asarray(rm.pose(np.eye(3), (RADIUS, 0, 0)), float)
    turns = [np.asarray(rm.pose(rm.rotation_about("y", 2 * np.pi * i / n), np.zeros(3)), float) for i in range(n)]
    made = rm.Scene(gravity=DOWN_Z)
    body = rm.MassProperties(MASS, np.diag([0.25, INERTIA, 0.3]))
    made.add_body(body, joint=rm.SplineCurve(np.array([turn @ out for turn in turns]), cyclic=True))
    return made


def operations(engine: Redmax) -> list[int]:
    """How many each sweep has."""
    plan = rolled_plan(engine.dynamics.model, engine.dynamics.forward_program, "interpret")
    return [kernel.operations for group in plan.groups for kernel in group.kernels]


def checked(engine: Redmax, n: int, q: np.ndarray) -> tuple[Contestant, float]:
    """The joint at these parameters, and how much it differs from the pendulum that it is."""
    v, tau = np.random.default_rng(2).uniform(-1, 1, (2, len(q), 1))
    k = 2 * np.pi / n
    weight = MASS * -DOWN_Z[2] * RADIUS * np.cos(k * (q[:, None] + 1))  # z = -RADIUS sin(angle)
    expected = (tau + k * weight) / (k * k * (MASS * RADIUS**2 + INERTIA))
    own = engine.contestant(States(q[:, None], v, tau), lanes=1)
    own.call()
    return own, agree(f"{n} frames: spline against pendulum", own.accelerations().T, expected.T)
