"""Goals that move: frame after frame in lanes, each from where the one before ended.

for each frame:   the goals of the frame;   repeat:  look, take or not, a step    until they are met;   what was found
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from redmax.backends.base import Runner, make_plan, make_runner
from redmax.design.reach.asked import Asked
from redmax.design.reach.damped_step import GIVEN
from redmax.design.reach.lanes import BEGIN, MOVED_ON, PLACES, Found, Lanes
from redmax.program.program import Load, Program, Repeat, Save
from redmax.program.record import JointView
from redmax.program.sweep import forward, recursion


@forward
def resume(j: JointView) -> None:
    """From where the frame before ended."""
    j.q, j.best, j.base = j.kept, j.kept, j.kept


RESUMED = recursion(resume, name="the next frame to reach in")


@dataclass(frozen=True, eq=False)
class Following:
    """What lanes do, frame after frame. Weights are those of the targets."""

    lanes: Lanes

    @cached_property
    def runner(self) -> Runner:
        lanes = self.lanes
        goals = lanes.rows.goals.name
        search = Repeat((*lanes.look_and_step(), MOVED_ON), until="done")
        stages = (Repeat((Load((goals,)), RESUMED, BEGIN, search, Save())),)
        inputs = (*PLACES, "dq", "t", *GIVEN, lanes.weights.name, *lanes.shared, goals)
        program = Program("follow", stages, lanes.fields, inputs, lanes.outputs)
        return make_runner(make_plan(lanes.model, program, lanes.rows.backend), lanes.rows.backend, "float64")

    def ends(self, x: np.ndarray, goals: np.ndarray, asked: Asked) -> Found:
        """Of starts x (worlds, n) and goals (frames, worlds, n)."""
        lanes = self.lanes
        given = [*[x] * len(PLACES), lanes.still, *lanes.told(asked, 1.0, 1.0), np.ones(1), *lanes.weighed(asked), goals]
        return lanes.found(self.runner, given, len(goals), len(x), len(goals))
