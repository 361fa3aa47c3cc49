"""How forward dynamics changes with q, qdot and tau: the program of one model, from what joints keep to the matrices.

forward_columns.py derives it: the recursion that leaves what each column begins with, and what each row is made of. forward_loops.py runs
along the columns.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from redmax.dynamics.recursive.column_loops import bare_answers, forced_answers
from redmax.dynamics.recursive.derivative_layout import EIGHT, Entries, Layout, Rows, TreeColumns, rounded
from redmax.dynamics.recursive.derivative_pairs import Coupled
from redmax.dynamics.recursive.forward_columns import reduced
from redmax.dynamics.recursive.forward_loops import AREA, bare_rows, copied_panel, copied_run, forced_rows, torques_up
from redmax.dynamics.recursive.linearised import BARE
from redmax.dynamics.recursive.state_columns import state_fields, width
from redmax.model.model import Model
from redmax.program.fields import Fields
from redmax.program.program import Program, ProgramStage
from redmax.program.routines.call import Addresses, Call, Data

PARTS = ("d qddot by q", "d qddot by qdot", "d qddot by tau")


@dataclass(frozen=True, eq=False)
class ForwardProgram:
    """The program of one model. Its outputs are qddot, and (n, n) each by q, by qdot and by tau."""

    model: Model
    wrench: bool

    @cached_property
    def layout(self) -> Layout:
        """Where the entries lie."""
        return Layout(self.model, related=False)

    @cached_property
    def W(self) -> int:
        """Of state_columns.py."""
        return width(self.model)

    @cached_property
    def most(self) -> int:
        """Coordinates of the largest tree."""
        return max((tree.n for tree in self.layout.trees), default=0)

    @cached_property
    def matrices(self) -> list[Entries]:
        """By q, by qdot, by tau."""
        return [self.layout.matrix(name) for name in PARTS]

    @cached_property
    def transposed(self) -> list[Rows]:
        """By q and by qdot, of what is above, a row for each coordinate that changes."""
        return [Rows(f"{name} above", sum(tree.n for tree in self.layout.trees) + EIGHT, self.most) for name in PARTS[:2]]

    @cached_property
    def coupled(self) -> Coupled | None:
        """The same of all coordinates, where forces couple bodies."""
        return Coupled(self.layout, self.matrices, forward=True) if self.layout.coupled else None

    @property
    def stack(self) -> Rows:
        """The columns of the path."""
        return Rows("columns of the path", 24, max((tree.depth for tree in self.layout.trees), default=0))

    @property
    def torques(self) -> Rows:
        """How each torque moves the body at hand."""
        return Rows("columns of torques", 6, self.most)

    @property
    def wrenches(self) -> Rows:
        """What each torque does to the body at hand."""
        return Rows("torques below", 6, self.most)

    @property
    def row(self) -> Rows:
        """Some rows, by the path or by the torques."""
        return Rows("rows of a joint", 12, self.most)

    @cached_property
    def branches(self) -> dict[int, int]:
        """The joints that branch, each with the number of its area."""
        return {j: k for k, j in enumerate(j for tree in self.layout.trees for j in tree.branching)}

    @cached_property
    def answers(self) -> dict[int, tuple[int, int]]:
        """Where what each joint answers to its own columns begins among all, and how far rows are apart."""
        found: dict[int, tuple[int, int]] = {}
        end = 0
        for j in (j for tree in self.layout.trees for j in tree.joints if tree.dofs[j]):
            dof = self.model.links[j].joint.dof
            once = dof == 1 and self.W == BARE and self.model.tree.parent[j] >= 0  # column_loops.few_answers, in registers of any length
            found[j] = end, 2 if once else rounded(2 * dof)
            end += -(-(12 + dof) * found[j][1] // EIGHT) * EIGHT
        return found

    @property
    def own(self) -> Data:
        """p, alpha and y of all joints' own columns."""
        last = max(self.answers, default=-1, key=lambda j: self.answers[j][0])
        size = self.answers[last][0] + (12 + self.model.links[last].joint.dof) * self.answers[last][1] if last >= 0 else 0
        return Data("columns of joints", size + 2 * EIGHT)

    @property
    def areas(self) -> Rows:
        """What they hand on."""
        return Rows("kept where it branches", AREA * len(self.branches), self.most)

    @cached_property
    def program(self) -> Program:
        """All of it."""
        inputs = ("q", "qdot", "tau", "qddot", "t", *(("wrench",) * self.wrench))
        return Program(f"forward derivatives {self.wrench}", self.all_stages, self.fields, inputs, ("qddot", *PARTS))

    @property
    def all_stages(self) -> tuple[ProgramStage, ...]:
        """From the state to the matrices."""
        if self.coupled is None:
            return reduced(self.W), *self.stages
        return *self.coupled.before(), reduced(self.W), *self.stages, *self.coupled.stages()

    @property
    def fields(self) -> Fields:
        """What joints keep."""
        kept: dict[str, Any] = ({"psi": "6v"} if self.coupled else {}) | {"twist": "6v", "Z": f"{self.W}v", "alpha_t": "6v", "own_t": "vv"}
        kept |= {"columns": f"{2 * self.W + 12}v", "own": "2vv", "Pi_kept": 21, "P_kept": 6 * (self.W - 6)}
        up = {"M_hat": 21, "P_hat": 6 * (self.W - 6), "B_hat": 6}
        return state_fields(self.model, kept, up, {"Omega": 21}, self.wrench)

    @cached_property
    def stages(self) -> tuple[ProgramStage, ...]:
        """From what joints keep to the matrices."""
        data = (*self.matrices, *self.transposed, self.stack, self.torques, self.wrenches, self.row, self.own, self.areas)
        rows = bare_rows if self.W == BARE else forced_rows
        return (
            Call(torques_up, self.rows_up, data),
            Call(bare_answers if self.W == BARE else forced_answers, self.answer_rows, data),
            Call(rows, self.joint_rows, data),
            Call(copied_panel, lambda at: self.copied(at, True), data),
            Call(copied_run, lambda at: self.copied(at, False), data),
        )

    def area(self, at: Addresses, j: int) -> tuple[int, int]:
        """Where what a joint that branches hands on lies; of others anywhere."""
        return at[self.areas] + AREA * self.areas.leading * self.branches.get(j, 0), self.areas.leading

    def rows_up(self, at: Addresses) -> list[tuple[Any, ...]]:
        """Leaves first: of the joints below one that branches, and of that."""
        rows: list[tuple[Any, ...]] = []
        for tree in self.layout.trees:
            above: dict[int, bool] = {}
            for j in tree.joints:
                p = tree.parent[j]
                above[j] = p >= 0 and (above[p] or p in self.branches)
            for j in reversed(tree.joints):
                kept, dof, start = j in self.branches, tree.dofs[j], tree.start[j]
                if kept or (above[j] and dof):
                    fields = at.field(j, "Z"), at.field(j, "twist")
                    below = tree.end[j] - start - dof
                    own = int(kept), at.field(j, "Omega"), self.area(at, j), int(above[j])
                    rows.append((self.wrenches, self.row, *fields, dof, self.W, start, below, *own))
        return rows

    def joint_rows(self, at: Addresses) -> list[tuple[Any, ...]]:
        """Depth first, as the stack asks."""
        rows: list[tuple[Any, ...]] = []
        before = 0
        for tree, begin in zip(self.layout.trees, self.layout.first, strict=False):
            last: dict[int, int] = {}  # the body that each branching joint was left for
            for j in tree.joints:
                if not tree.dofs[j] and j not in self.branches:
                    continue
                path, straight, source = tree.path[j], tree.straight(j), self.source(tree, j)
                taken = source >= 0 and source in last
                if source >= 0:
                    last[source] = j
                matrices = [(at[x] + begin, self.layout.leading(tree)) for x in self.matrices]
                above = [(at[x] + before * x.leading, x.leading) for x in self.transposed]
                kept = int(taken), self.area(at, source), int(j in self.branches), self.area(at, j)
                reach = tree.start[j] if tree.end[j] == tree.n else tree.n
                places = tree.start[j], tree.end[j], tree.n, reach, int(straight), *kept, [] if straight else path
                own = self.own_columns(at, j) if tree.dofs[j] else (0, (0, 0))
                fields = [at.field(j, name) for name in ("Z", "twist", "alpha_t", "own_t")]
                rows.append((self.stack, self.torques, self.row, len(path), tree.dofs[j], *own, *fields, *matrices, *above, *places))
            before += tree.n
        return rows

    def own_columns(self, at: Addresses, j: int) -> tuple[int, tuple[int, int]]:
        """What a joint's own columns begin with, and what it answers."""
        first, apart = self.answers[j]
        return at.field(j, "columns"), (at[self.own] + first, apart)

    def answer_rows(self, at: Addresses) -> list[tuple[Any, ...]]:
        """Of each joint, and how its parent answers."""
        rows: list[tuple[Any, ...]] = []
        for j in self.answers:
            C, X = self.own_columns(at, j)
            p, dof = self.model.tree.parent[j], self.model.links[j].joint.dof
            body = at.field(j, "Pi_kept"), at.field(j, "P_kept"), at.field(max(p, 0), "Omega"), int(p >= 0)
            rows.append((C, at.field(j, "own"), *body, at.field(j, "Z"), at.field(j, "twist"), dof, X))
        return rows

    def source(self, tree: TreeColumns, j: int) -> int:
        """The branching joint from which the columns of a joint come, if none that moves lies between; else -1."""
        p = tree.parent[j]
        while p >= 0 and not tree.dofs[p] and p not in self.branches:
            p = tree.parent[p]
        return p if p in self.branches else -1

    def copied(self, at: Addresses, panels: bool) -> list[tuple[Any, ...]]:
        """What is above the diagonal, from its transpose: eight columns at a time where they begin and end together."""
        rows: list[tuple[Any, ...]] = []
        before = 0
        for tree, begin in zip(self.layout.trees, self.layout.first, strict=False):
            leading = self.layout.leading(tree)
            targets = [(at[x] + begin, leading) for x in self.matrices]
            sources = [*[(at[x] + before * x.leading, x.leading) for x in self.transposed], targets[2]]
            segments = [[(0, tree.start[j]), (tree.end[j], tree.n)] for j in tree.joints for _ in range(tree.dofs[j])]
            for k, (A, B) in enumerate(zip(targets, sources, strict=True)):
                for column in range(0, tree.n, EIGHT):
                    own = segments[column : column + EIGHT]
                    low, high = min(s[0][1] for s in own), max(s[1][0] for s in own)
                    if panels:
                        rows += [(A, column, B, 0, low)] if low else []
                        rows += [(A, column, B, high, tree.n - high)] if k < 2 and high < tree.n else []
                        continue
                    for c, (upper, lower) in enumerate(own):
                        rows += [(A, column + c, B, low, upper[1] - low)] if upper[1] > low else []
                        rows += [(A, column + c, B, lower[0], min(high, tree.n) - lower[0])] if k < 2 and lower[0] < high else []
            before += tree.n
        return rows
