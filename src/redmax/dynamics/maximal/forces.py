"""The scene's forces on bodies that move by themselves: their wrenches, and in implicit steps the blocks of their stiffness and damping."""

from __future__ import annotations

import numpy as np

from redmax.backends.base import Runner, make_plan, make_runner
from redmax.dynamics.common.kinematics import motion, place_frame
from redmax.dynamics.maximal.solve import Block
from redmax.model.model import Model
from redmax.program.fields import Fields
from redmax.program.interaction import coupled_pairs
from redmax.program.program import Program
from redmax.program.record import JointView, ParentView, WorldView
from redmax.program.sweep import forward, interactions, recursion
from redmax.solvers.reduced_matrix import clear_blocks

PART = "implicit exact"


@forward
def place(j: JointView, p: ParentView, w: WorldView) -> None:
    X, m = motion(j, j.qdot, w)
    j.V = (X @ p.V) + m.twist(j.qdot)
    place_frame(j, p, X)
    if j.touched:
        j.own = np.zeros(36)


class ActingForces:
    """For a model whose bodies are roots with their poses as coordinates."""

    def __init__(self, twin: Model, backend: str) -> None:
        self.twin, self.backend = twin, backend
        self.pairs = coupled_pairs(twin.acting, PART)
        self.wrenches = np.zeros((len(twin.links), 6))
        self.runners: dict[bool, Runner] = {}

    def runner(self, implicit: bool) -> Runner:
        """One for explicit steps, and one for implicit ones."""
        if implicit not in self.runners:
            self.runners[implicit] = self.make_runner(implicit)
        return self.runners[implicit]

    def make_runner(self, implicit: bool) -> Runner:
        placed = self.twin.force_fields()
        fields = Fields(
            down={"V": 6} | placed["down"],
            state={"q": "q", "qdot": "v", "own": 36} | placed["state"],
            sums=placed["sums"] | {"own": 36},
            world={"t": 1, "h": 1},
        )
        acting = recursion(place, interactions(PART if implicit else "wrench"), name=f"forces on bodies {implicit}")
        outputs = ("applied", "R", "own", "blocks") if implicit else ("applied", "R")
        program = Program("forces on bodies", (clear_blocks, acting), fields, ("q", "qdot", "t", "h"), outputs)
        return make_runner(make_plan(self.twin, program, self.backend), self.backend, "float64")

    def evaluate(self, q: np.ndarray, qdot: np.ndarray, t: float, h: float = 0.0) -> None:
        """Fill `wrenches`, (bodies, 6) in body axes; with a step h, those and the blocks of an implicit step."""
        n = len(self.twin.links)
        sizes = [6 * n, 9 * n] + ([36 * n, 36 * len(self.pairs)] if h else [])
        outputs = [np.zeros((1, 1, size)) for size in sizes]
        self.runner(h > 0).run([np.ascontiguousarray(q), np.ascontiguousarray(qdot), np.full(1, t), np.full(1, h)], outputs, 1)
        applied, R, *rest = (x[0, 0] for x in outputs)
        self.R = R.reshape(n, 3, 3)
        found = applied.reshape(n, 2, 3) @ self.R  # from world axes to body axes
        touched = np.isin(np.arange(n), list(self.twin.touched))
        self.wrenches = np.where(touched[:, None], found.reshape(n, 6), 0.0)
        if h:
            self.own, self.between = rest[0].reshape(n, 6, 6), rest[1].reshape(-1, 6, 6)

    def blocks(self, to_body: np.ndarray) -> list[Block]:
        """h D - h^2 K of the last evaluation, in joint axes. to_body: (bodies, 6, 6), from twists of joint frames to those of bodies."""
        turn = np.zeros((len(self.R), 6, 6))
        turn[:, :3, :3] = turn[:, 3:, 3:] = self.R
        T = turn @ to_body
        alone = [(i, i, T[i].T @ self.own[i] @ T[i]) for i in sorted(self.twin.touched)]
        return alone + [(i, j, T[i].T @ Z @ T[j]) for (i, j), Z in zip(self.pairs, self.between, strict=True)]
