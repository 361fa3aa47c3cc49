"""The rows of all targets at configurations, and their Jacobian, as one program: moved by a step, then looked at.

r(q + dq), A = dr/dqdot        each block (targets/base.py) is a formula over the frames and columns of the joints that move it
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from redmax.backends.base import Runner, make_plan, make_runner
from redmax.design.targets.base import Block, Seen, Target
from redmax.dynamics.common.frame_motion import turned
from redmax.dynamics.common.kinematics import still
from redmax.model.mechanism_size import mechanism_size
from redmax.model.model import Model
from redmax.program.fields import Fields
from redmax.program.program import Program
from redmax.program.record import JointView, ParentView, WorldView
from redmax.program.routines.call import Addresses, Call, Data
from redmax.program.routines.formula import Formula
from redmax.program.sweep import forward, recursion

FIELDS = Fields(down={"R": 9, "x": 3}, state={"q": "q", "dq": "v", "link": 12, "columns": "6v"}, world={"t": 1})


@forward
def place_columns(j: JointView, p: ParentView, w: WorldView) -> None:
    """The joint frame in the world, and what each rate does there: see common/frame_motion.py."""
    X, S = still(j, w)
    Rp = np.asarray(p.R, object).reshape(3, 3)
    R, x = Rp @ X.R, p.x + Rp @ np.asarray(X.p, object)
    j.R, j.x = R.ravel(), x
    j.link = np.concatenate([R @ j.C.T, x[:, None]], axis=1).ravel()
    j.columns = np.ravel([turned(R, column) for column in S.T])


@forward
def move(j: JointView) -> None:
    j.q = j.joint.retract(j.q, j.dq)


PLACED, MOVED = recursion(place_columns, name="frames to reach with"), recursion(move, name="a step of reaching")


@dataclass(frozen=True, eq=False)
class Part:
    """A block among all rows. row, goal, first: where its rows, goals and what it computes begin; joints: that may move, and move it."""

    block: Block
    target: int
    row: int
    goal: int
    first: int
    joints: tuple[int, ...]
    dofs: tuple[int, ...]

    @property
    def size(self) -> int:
        """Numbers that it computes: r, then A row by row."""
        return self.block.size * (1 + sum(self.dofs))

    def formula(self, model: Model) -> Formula:
        """goal, the frames, columns and coordinates of its joints -> r, A."""
        frames, block = self.frames(model), self.block
        inputs = {"goal": block.goals} | {f"link{i}": 12 for i in frames}
        inputs |= {f"columns{j}": 6 * n for j, n in zip(self.joints, self.dofs, strict=True)}
        inputs |= {f"q{j}": model.links[j].joint.size for j in self.looked(model)}

        def function(goal: np.ndarray, *given: np.ndarray) -> list[Any]:
            links, columns = given[: len(frames)], given[len(frames) : len(frames) + len(self.joints)]
            seen = Seen(
                {i: g.reshape(3, 4) for i, g in zip(frames, links, strict=True)},
                {j: g.reshape(-1, 6) for j, g in zip(self.joints, columns, strict=True)},
                dict(zip(self.looked(model), given[len(frames) + len(self.joints) :], strict=True)),
            )
            r, slopes = block.rows(model, seen, goal)
            A = [np.asarray(slopes[j], object).reshape(block.size, n) for j, n in zip(self.joints, self.dofs, strict=True)]
            return [np.array(list(r), object), *([np.concatenate(A, axis=1)] if A else [])]

        outputs = {"r": block.size} | ({"A": block.size * sum(self.dofs)} if self.joints else {})
        return Formula(inputs, outputs, function)

    def frames(self, model: Model) -> list[int]:
        """The links whose frames it needs: those that it looks at, and those of its joints."""
        links = self.block.links(model)
        return sorted({*links, *self.joints}) if links else []

    def looked(self, model: Model) -> list[int]:
        """The joints whose coordinates it looks at itself."""
        return [] if self.block.links(model) else self.block.joints(model)

    def places(self, model: Model, at: Addresses, goals: Data, found: Data) -> list[int]:
        """Of what the formula reads and stores."""
        fields = [at.field(i, "link") for i in self.frames(model)] + [at.field(j, "columns") for j in self.joints]
        read = [at[goals] + self.goal, *fields, *(at.field(j, "q") for j in self.looked(model))]
        start = at[found] + self.first
        return [*read, start, *([start + self.block.size] if self.joints else [])]


@dataclass(frozen=True, eq=False)
class TargetRows:
    """Of targets of a model. movable: (nv,), which velocities may be other than zero."""

    model: Model
    targets: Sequence[Target]
    movable: np.ndarray
    backend: str = "llvm"

    @cached_property
    def parts(self) -> list[Part]:
        """All blocks, in order."""
        found: list[Part] = []
        row = goal = first = 0
        for k, target in enumerate(self.targets):
            for block in target.blocks(self.model):
                offsets = self.model.offsets
                joints = [j for j in block.joints(self.model) if self.movable[offsets[j] : offsets[j + 1]].any()]
                dofs = tuple(self.model.links[j].joint.dof for j in joints)
                found.append(Part(block, k, row, goal, first, tuple(joints), dofs))
                row, goal, first = row + block.size, goal + block.goals, first + found[-1].size
        return found

    @property
    def size(self) -> int:
        """How many rows there are."""
        return sum(p.block.size for p in self.parts)

    def of(self, target: int) -> np.ndarray:
        """The rows of a target."""
        return np.concatenate([np.arange(p.row, p.row + p.block.size) for p in self.parts if p.target == target])

    @cached_property
    def owner(self) -> np.ndarray:
        """(m,): the number of the target of each row."""
        return np.repeat([p.target for p in self.parts], [p.block.size for p in self.parts])

    @cached_property
    def units(self) -> list[str]:
        """(m,): "m", "rad" or "1" of each row."""
        return [p.block.unit for p in self.parts for _ in range(p.block.size)]

    @cached_property
    def lengths(self) -> np.ndarray:
        """(m,): how much rows change, about, as a coordinate does by 1 rad, or by the mechanism's size."""
        size = mechanism_size(self.model)
        return np.array([size if unit == "m" else 1.0 for unit in self.units])

    @cached_property
    def goals(self) -> Data:
        return Data("goals", max(1, sum(p.block.goals for p in self.parts)))

    @cached_property
    def found(self) -> Data:
        return Data("what is off", max(1, sum(p.size for p in self.parts)))

    @cached_property
    def places(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """Where r lies in what is found; and of all entries of A: where, the row, the column."""
        r, at, rows, columns = [], [], [], []
        for p in self.parts:
            r += range(p.first, p.first + p.block.size)
            own = [self.model.offsets[j] + k for j, n in zip(p.joints, p.dofs, strict=True) for k in range(n)]
            at += range(p.first + p.block.size, p.first + p.size)
            rows += [p.row + i for i in range(p.block.size) for _ in own]
            columns += own * p.block.size
        return tuple(np.array(x, int) for x in (r, at, rows, columns))  # type: ignore[return-value]

    def looking(self) -> list[Call]:
        """The stages that fill `found`, once the frames are placed."""
        data = (self.goals, self.found)
        return [Call(p.formula(self.model), lambda at, p=p: [p.places(self.model, at, *data)], data) for p in self.parts]

    @cached_property
    def runner(self) -> Runner:
        """Moves, then looks."""
        inputs, outputs = ("q", "dq", "t", self.goals.name), ("q", self.found.name)
        program = Program("rows of targets", (MOVED, PLACED, *self.looking()), FIELDS, inputs, outputs)
        return make_runner(make_plan(self.model, program, self.backend), self.backend, "float64")

    def at(self, q: np.ndarray, dq: np.ndarray, goals: np.ndarray, t: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The configurations (worlds, n) moved by dq (worlds, nv), r (worlds, m) and A (worlds, m, nv) there."""
        worlds = len(q)
        moved, found = np.zeros((1, worlds, q.shape[1])), np.zeros((1, worlds, self.found.rows))
        given = [np.ascontiguousarray(x, float) for x in (q, dq, np.full(1, t), goals if goals.shape[1] else np.zeros((worlds, 1)))]
        self.runner.run(given, [moved, found], worlds)
        r, at, rows, columns = self.places
        A = np.zeros((worlds, len(r), self.model.nv))
        A[:, rows, columns] = found[0][:, at]
        return moved[0], found[0][:, r], A * self.movable
