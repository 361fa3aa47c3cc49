"""What it costs to look for a better chart: a step of `rk4` of a chain on ball joints, by four kinds of coordinates.

`SphericalEuler` asks after each step whether its angles near a singularity, and changes to one of 12 charts if so, which the first joint
does here at once. `Spherical` has rotation vectors; angles of one chart, and three hinges in a `CompositeJoint`, have no choice. From the
same state all must come to the same poses.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator

import numpy as np

import redmax as rm
from benchmarks.agreement import agree
from benchmarks.cases import DOWN_Z
from benchmarks.report import Row
from benchmarks.timing import Contestant, Effort, compete

LINKS, DT, STEPS = 5, 1e-4, 2000
FIGURE = f"rk4 step, {LINKS} ball joints"
STEEP = (0.0, -1.2, 0.0)  # rad about y, where all these coordinates are the same numbers; beyond 60 degrees, where angles change charts
SPIN = (0.5, -0.4, 0.3)  # rad/s of each joint, in the body's axes
TOLERANCE = 1e-9
JOINTS: dict[str, Callable[[], rm.Joint]] = {
    "Spherical": rm.Spherical,
    "SphericalEuler": rm.SphericalEuler,
    "SphericalEuler, one chart": lambda: rm.SphericalEuler(switching=False),
    "three hinges": lambda: rm.CompositeJoint(rm.Revolute("x"), rm.Revolute("y"), rm.Revolute("z")),
}


def measure(effort: Effort) -> Iterator[Row]:
    runs = {name: Run(joint()) for name, joint in JOINTS.items()}
    poses = {name: run.poses() for name, run in runs.items()}
    peer, *others = runs
    errors = {name: agree(f"{name}: poses after a run", poses[name], poses[peer], TOLERANCE) for name in others}
    times = dict(zip(runs, compete([run.contestant(name) for name, run in runs.items()], effort)))
    yield Row(FIGURE, peer, times[peer].best)
    for name in others:
        own, note = times[name], runs[name].note
        yield Row(FIGURE, name, own.best, f"redmax, {peer}", times[peer].best, own.ratio(times[peer]), None, errors[name], note)


class Run:
    """A chain that falls from a steep first link."""

    def __init__(self, joint: rm.Joint) -> None:
        scene = rm.Scene(gravity=DOWN_Z)
        parent = None
        for i in range(LINKS):
            at, q = ((0.3, 0, 0), np.zeros(3)) if i else (None, np.array(STEEP))
            S = np.asarray(joint.jacobian(np.array([*q, *joint.start])), float)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", rm.RedmaxWarning)  # hinges are singular somewhere, which is what charts are for
                parent = scene.add_body(
                    rm.Cuboid((0.3, 0.05, 0.04), mass=0.5),
                    joint=joint,
                    parent=parent,
                    at=at,
                    com=(0.15, 0, 0),
                    q=q,
                    qdot=np.linalg.solve(S[:3], SPIN),
                )
        self.sim = rm.Simulation(scene, dt=DT, integrator="rk4")
        self.start, self.tau = self.sim.state, self.sim.torques()

    def contestant(self, name: str) -> Contestant:
        q, qdot = self.sim.room(1)

        def call() -> None:
            self.sim.reset(self.start)
            self.sim.advance(STEPS, self.tau, q, qdot)

        return Contestant(name, call, STEPS, lambda: qdot[0])

    def poses(self) -> np.ndarray:
        """(1, numbers), after a run."""
        self.contestant("").call()
        return rm.Dynamics(self.sim.model).observe(self.sim.q, self.sim.qdot).pose.reshape(1, -1)

    @property
    def note(self) -> str:
        """The charts that the joints end in, where they have a choice."""
        charts = self.sim.state.chart
        return " ".join(charts[name] for name in self.sim.model.joint_names) if len(self.sim.model.configurations.charts) else ""
