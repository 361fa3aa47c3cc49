"""What it costs to look for a better chart: a step of `rk4` of a chain on ball joints, by three kinds of coordinates.

`SphericalEuler` asks after each step whether its angles near a singularity, and changes to one of 12 charts if so; `Spherical` has
rotation vectors, and three hinges in a `CompositeJoint` have Euler angles without a choice. All three must end in the same poses.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

import redmax as rm
from benchmarks.agreement import agree
from benchmarks.cases import DOWN_Z
from benchmarks.report import Row
from benchmarks.timing import Contestant, Effort, compete

FIGURE = "rk4 step, 5 ball joints"
LINKS, DT, STEPS = 5, 1e-4, 2000
TOLERANCE = 1e-8  # of poses after a run: the coordinates differ, and so does the error of the method in them
JOINTS = {
    "Spherical": rm.Spherical,
    "SphericalEuler": rm.SphericalEuler,
    "SphericalEuler, one chart": lambda: rm.SphericalEuler(switching=False),
    "three hinges": lambda: rm.CompositeJoint(rm.Revolute("x"), rm.Revolute("y"), rm.Revolute("z")),
}


def measure(effort: Effort) -> Iterator[Row]:
    runs = {name: Run(joint) for name, joint in JOINTS.items()}
    poses = {name: run.poses() for name, run in runs.items()}
    peer, *_ = runs
    errors = {name: agree(f"{name}: poses after a run", found, poses[peer], TOLERANCE) for name, found in poses.items()}
    times = dict(zip(runs, compete([run.contestant(name) for name, run in runs.items()], effort)))
    yield Row(FIGURE, peer, times[peer].best)
    for name, own in times.items():
        if name != peer:
            yield Row(FIGURE, name, own.best, f"redmax, {peer}", times[peer].best, own.ratio(times[peer]), None, errors[name])


class Run:
    """A chain that swings from a slant."""

    def __init__(self, joint: type[rm.Joint]) -> None:
        scene = rm.Scene(gravity=DOWN_Z)
        parent = None
        for i in range(LINKS):
            at, slant = (0.3, 0, 0) if i else None, np.array([0.3, 0.0, 0.0])  # about x, where all coordinates agree
            parent = scene.add_body(
                rm.Cuboid((0.3, 0.05, 0.04), mass=0.5), joint=joint(), parent=parent, at=at, com=(0.15, 0, 0), q=slant, qdot=slant
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
