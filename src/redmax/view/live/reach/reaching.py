"""What is looked at: a mechanism that is, at every moment, where its targets want it."""

from __future__ import annotations

import numpy as np

from redmax.design.motion import Motion
from redmax.design.reach.inverse_kinematics import InverseKinematics
from redmax.design.reach.reached import Reached
from redmax.dynamics.dynamics import Dynamics
from redmax.model.state import State
from redmax.run.trajectory import Trajectory
from redmax.view.live.reach.grips import Grip, first_goals, grips_of, with_goal
from redmax.view.live.recording import Recording

ITERATIONS = 30  # of one moment: the next goes on from there


class Reaching:
    """A source (view/live/source.py) with a sample for each moment at which somebody looked. duration: s, of the time line"""

    def __init__(self, ik: InverseKinematics, start: np.ndarray | State | None, duration: float) -> None:
        self.ik = ik
        self.state = begun(ik, start)
        self.grips = grips_of(ik, self.state.q)
        self.goals = first_goals(ik, self.grips)
        self.recording = Recording(Dynamics(ik.model))
        self.start, self.end, self.failure = 0.0, duration, ""
        self.found: Reached = self.solve()
        self.add(0.0)

    @property
    def grows(self) -> bool:
        return float(self.recording.t[-1]) < self.end

    def aim(self, grip: Grip, pose: np.ndarray) -> None:
        """From the next moment on, what is dragged is to be there."""
        self.goals = with_goal(self.ik, self.goals, grip, pose)

    def solve(self) -> Reached:
        found = self.ik.solve(self.goals, self.state, iterations=ITERATIONS)
        self.state = found.state
        return found

    def reach(self, t: float, budget: float) -> None:
        """One more sample, at time t."""
        if t > float(self.recording.t[-1]):
            self.found = self.solve()
            self.add(t)

    def add(self, t: float) -> None:
        model = self.ik.model
        q = model.configurations.join(self.state.q[None], model.configurations.numbered(self.state.chart) if self.state.chart else None)
        self.recording.append(np.array([t]), q, model.qdot0[None])

    def trajectory(self) -> Trajectory:
        """What was looked at, as a run."""
        model, seen = self.ik.model, self.recording
        q = model.configurations.split(seen.q)[0]
        return Motion(model, seen.t.copy(), q.copy(), seen.qdot.copy(), np.zeros_like(seen.qdot)).run()


def begun(ik: InverseKinematics, start: np.ndarray | State | None) -> State:
    """Where it begins."""
    if isinstance(start, State):
        return start
    return State(0.0, np.array(ik.model.q0 if start is None else start, float), ik.model.qdot0)
