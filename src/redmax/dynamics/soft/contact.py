"""Contact beside deformables as stages of an implicit step: nodes are small balls, and Newton's method has the step's own matrix.

    place links and shapes | find points | make rows | Newton's method, where there are some | qddot += x / h | remember impulses

All is as in dynamics/contact, with the solver of solvers/contact/by_fronts.py. Links are numbered as the model has them, and so are their
coordinates; the elimination of the step without contact (solve.py) leaves its factors and its right side.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

import numpy as np

from redmax.dynamics.common.row_terms import place_body
from redmax.dynamics.contact.constraint_rows import BOX_NAME
from redmax.dynamics.contact.detect import BODY_A, BODY_B, EASE_A, EASE_B, RAW
from redmax.dynamics.contact.fields import COUNTS, LIMITS
from redmax.dynamics.contact.moments import contacts_told, moment_rows
from redmax.dynamics.contact.pair_laws import given_laws, numbered_laws
from redmax.dynamics.contact.stages import ContactSystem
from redmax.dynamics.recursive.forces import turned
from redmax.dynamics.soft.solve import ByFronts, direct_solver
from redmax.dynamics.soft.system import SoftSystem
from redmax.errors import SceneError
from redmax.program.program import Branch, ProgramStage, Repeat
from redmax.program.record import JointView, ParentView, WorldView
from redmax.program.routines.call import Addresses, Call, Data
from redmax.program.sweep import Part, Recursion, forward, interactions, recursion
from redmax.solvers.contact import by_fronts
from redmax.solvers.contact.columns import COLUMNS, COLUMNS_WITH_MOMENTS
from redmax.solvers.contact.constrained import fill_schur, hold_rows
from redmax.solvers.contact.front_terms import add_fronts
from redmax.solvers.contact.slack import DEPTH, ROOM_OF_WEIGHTS, ROWS
from redmax.solvers.multifrontal import Multifrontal
from redmax.solvers.reduced_matrix import clear

ENDED, SOLVED = "contact_ended", "contact_solved"  # fields of the world: whether Newton's method, and the step, are at their end
WORLD = {ENDED: 1, SOLVED: 1}
STATE: dict[str, Any] = {"touch_V": 6, "touch_V0": 6, "touch_o": 3, "row_s": "6v"}


@forward
def place_link(j: JointView, p: ParentView, w: WorldView) -> None:
    """Twists before the step and without contact, in world axes about the origin of the tree."""
    place_body(j, p, w, Part.VELOCITY_ROWS)
    R, arm = np.asarray(j.row_R, object).reshape(3, 3), j.row_x - j.row_o
    j.touch_V0 = turned(R, arm, np.asarray(j.row_V, object)[:, None])
    j.touch_V = turned(R, arm, (j.row_V + w.h * j.row_A)[:, None])
    j.touch_o = j.row_o


@lru_cache(maxsize=2)
def place_links(rows: bool) -> Recursion:
    """Links and shapes; rows: of constraints too."""
    parts = (Part.SHAPES, Part.VELOCITY_ROWS, Part.LIMIT_ROWS) if rows else (Part.SHAPES,)
    name = f"contact terms beside deformables{' with rows' if rows else ''}"
    return recursion(place_link, *[interactions(part) for part in parts], name=name)


@dataclass(frozen=True, eq=False)
class ContactBesideNodes(ContactSystem):
    """Contact of a model with deformables."""

    @cached_property
    def soft(self) -> SoftSystem:
        return SoftSystem(self.model)

    @cached_property
    def solver(self) -> ByFronts:
        """Whose factors the step without contact leaves."""
        found = direct_solver(self.soft)
        if isinstance(found, ByFronts):
            return found
        nodes = f"{self.soft.nodes} free nodes"
        said = f"Contact beside deformables with {nodes} takes more memory than there is for it: the elimination has too wide fronts."
        raise SceneError(f"{said} Use fewer nodes, or leave contact out.")

    @cached_property
    def elimination(self) -> Multifrontal:
        """Of the matrix with contact."""
        return Multifrontal(self.solver.fronts, Data("x with contact", self.solver.fronts.n), "fronts with contact")

    @cached_property
    def data(self) -> dict[str, Data]:
        """The vectors and matrices of the solver."""
        n, nv, T, m = self.n, max(self.first[-1], 1), max(len(self.leaders), 1), self.capacity
        wide, each = max(self.soft.H.free, 3), 2 if self.model.turning else 1  # rows of a contact
        sizes = {
            "contacts": (each * m, COLUMNS if each == 1 else COLUMNS_WITH_MOMENTS), "turned": (2, None),
            "raw": (m, RAW), "found": (8, 8), "touched": (T, None), "s": (nv, 8), "x": (nv, None),
            "V": (n + 1, 8), "w": (n + 1, 8), "W": (n + 1, 8), "y": (nv, None), "p": (nv, None), "g": (nv, None), "ease": (n + 1, None),
            "X": (ROWS, m), "Y": (ROWS, m), "A": (DEPTH, DEPTH), "gamma": (ROOM_OF_WEIGHTS, None), "known": (2, None), "last": (1, None),
            "sums": (2, None),
            "N": (3, 3), "Q": (3, wide), "B": (3, wide), "up": (n, None), "begin": (n + 1, None), "of": (n + 1, None),
            "which": (len(self.model.contact_pairs), None),
            "node": (n + 1, None), "border": (n, None), "leading": (n, None), "free": (n + 1, 6), "now": (n + 1, 6), "origin": (n + 1, 3),
        }  # fmt: skip
        sizes = {**sizes, **self.rows.data(nv), "lines": (max(self.rows.m, 1), nv)}
        return {name: Data(f"{name} of contact", max(rows, 1), columns) for name, (rows, columns) in sizes.items()}

    @cached_property
    def order_tables(self) -> tuple[list[int], list[int], list[int]]:
        """Where each group of unknowns is among coordinates, and where in the elimination; and how many it has."""
        soft, start = self.soft, self.solver.fronts.start
        found = [(self.first[self.row[node]], start[g], 3) for node, g in soft.pattern.group.items()]
        found += [(0, start[soft.joints], soft.H.free)] if soft.H.free else []  # joints are first, and in order
        here, there, size = ([int(x) for x in column] for column in zip(*found, strict=True))
        return here, there, size

    def stages(self) -> tuple[ProgramStage, ...]:
        """From accelerations without contact to those with it."""
        points = *self.found(), *given_laws(self), *self.eased(), self.made(), *moment_rows(self)
        held = bool(self.rows.m)
        solve = *self.newton(), self.applied()
        solved = (*self.rows.filled(self), *solve, self.rows.told(self)) if held else (Branch(COUNTS, solve),)
        return *self.rows.known(self.model), place_links(held), self.gathered(), *points, *solved, *contacts_told(self)

    def begin(self) -> tuple[ProgramStage, ...]:
        """Once in a program."""
        group, F = self.soft.pattern.group, self.elimination

        def tables(at: Addresses) -> tuple[Any, ...]:
            own, beside, apart = [-1] * self.n, [-1] * self.n, [0] * self.n
            for node, g in group.items():
                k = self.row[node]
                place, apart[k] = F.entry(at, g, g)
                own[k] = place - at[F.F]
                if self.soft.H.free and node in self.soft.meeting:
                    beside[k] = F.entry(at, g, self.soft.joints)[0] - at[F.F]
            return self.parent, self.first, own, beside, apart, self.n, at.world(COUNTS)

        numbers = self.call(by_fronts.number_links, ("up", "begin", "node", "border", "leading"), tables)
        return self.limits(), numbers, *numbered_laws(self)

    def gathered(self) -> Call:
        fields = ("row_s", "touch_V", "touch_V0", "touch_o", "qddot")

        def rest(at: Addresses) -> tuple[Any, ...]:
            has = lambda j, f: self.model.links[j].joint.dof or f not in ("row_s", "qddot")  # noqa: E731
            places = [[at.field(j, f) if has(j, f) else 0 for j in self.order] for f in fields]
            return *places, self.first, self.tree, self.n, at.world(COUNTS), at.world("h")

        return self.call(by_fronts.gather_links, ("s", "free", "now", "origin", "of", "x"), rest)

    def eased(self) -> tuple[Call, ...]:
        """How easily nodes give way, by what the step has of them."""
        ease, raw, group = self.data["ease"], self.data["raw"], self.soft.pattern.group
        touching = [j for j in dict.fromkeys(s.body for s in self.model.contact_shapes if s.node >= 0) if j in group]
        known = {a for a, b in self.soft.pattern.between_free if a == b}
        mass = lambda at, j: (at.field(j, "momentum") + 3, at[ease] + self.row[j])  # noqa: E731
        return (
            Call(clear, lambda at: [(at[ease], self.n + 1)], (ease,)),
            Call(by_fronts.ease_of_node, lambda at: [(at.block(j, j), *mass(at, j)) for j in touching if j in known], (ease,)),
            Call(by_fronts.ease_alone, lambda at: [mass(at, j) for j in touching if j not in known], (ease,)),
            Call(by_fronts.put_ease, lambda at: [(raw, at.world(COUNTS), ease, BODY_A, BODY_B, EASE_A, EASE_B)], (raw, ease)),
        )

    def newton(self) -> tuple[ProgramStage, ...]:
        """Newton's method, and the outer iteration around it."""
        K, A, d = self.elimination, self.solver.elimination, self.data
        here, there, size = self.order_tables
        tree, n, groups = (self.first, self.parent, self.n), self.first[-1], len(here)
        C, counts, limits, turning = d["contacts"], COUNTS, LIMITS, int(self.model.turning)

        def some(names: str) -> tuple[Data, ...]:
            return tuple(d[name] for name in names.split())

        def moved(source: Data, target: Data, of: list[int], to: list[int]) -> Call:
            return Call(by_fronts.spread, lambda at: [(source, target, of, to, size, groups)], (source, target))

        def loaded(linear: int, target: Data) -> tuple[Call, ...]:
            used = some("s V w g turned")
            load = Call(by_fronts.load_at, lambda at: [(C, at.world(counts), *used, linear, *tree, turning)], (C, *used))
            return load, moved(d["g"], target, here, there)

        def terms(at: Addresses) -> list[tuple[Any, ...]]:
            H, joints = self.soft.H.free, self.soft.joints
            place, wide = K.entry(at, joints, joints) if H else (at[K.F], 0)
            tables = some("node border leading N Q B turned")
            return [(C, at.world(counts), *some("s up begin"), K.F, *tables, place - at[K.F], wide, H, self.n, turning)]

        ahead, judged, start = some("s x V y W w p g last sums known turned"), some("s x y W X Y A gamma known last turned"), some("s x V")
        begin = lambda at: [  # noqa: E731
            (*start, self.solver.right, *some("p known last"), at.world(SOLVED), at.world("h"), *tree, n, there, here, size, groups)
        ]
        ahead = *ahead, *(some("R Rl") if self.rows.m else some("s x"))
        forth = lambda at: [(C, at.world(counts), at.world(limits), *ahead, at.world(ENDED), *tree, n, self.rows.m, turning)]  # noqa: E731
        told = lambda at: [(C, at.world(counts), at.world(limits), *judged, at.world(SOLVED), *tree, n, turning)]  # noqa: E731
        turn = (
            *loaded(1, K.x), K.clear(), *self.soft.fill(K),
            Call(add_fronts, terms, (C, K.F, *some("s up begin node border leading N Q B turned"))),
            K.factor(), *K.solve(), moved(K.x, d["y"], there, here), *self.columns(K, "RY", "RS"), *self.held("RY", "RS"),
            Call(by_fronts.advance, forth, (C, *ahead)),
            Branch(ENDED, (
                *loaded(0, A.x), *A.solve(), moved(A.x, d["y"], there, here), *self.held("RY0", "RS0"),
                Call(by_fronts.judge, told, (C, *judged)),
            )),
        )  # fmt: skip
        begun = Call(by_fronts.begin_newton, begin, (*start, self.solver.right, *some("p known last")))
        return *self.columns(A, "RY0", "RS0"), begun, Repeat(turn, until=SOLVED)

    def columns(self, by: Multifrontal, Y: str, S: str) -> tuple[ProgramStage, ...]:
        """Y = K^-1 R' of rows of constraints, and their Schur complement, by factors that are there."""
        if not self.rows.m:
            return ()
        (here, there, size), m, n = self.order_tables, self.rows.m, self.first[-1]
        R, B, to, schur, soft = (self.data[name] for name in ("R", "lines", Y, S, "Rsoft"))
        return (
            Call(by_fronts.spread_rows, lambda at: [(R, B, here, there, size, len(here), m)], (R, B)),
            *by.solve_lines(B, m),
            Call(by_fronts.spread_rows, lambda at: [(B, to, there, here, size, len(here), m)], (B, to)),
            Call(fill_schur, lambda at: [(R, to, schur, soft, m, n)], (R, to, schur, soft)),
        )

    def held(self, Y: str, S: str) -> tuple[ProgramStage, ...]:
        """y, with what keeps rows of constraints."""
        if not self.rows.m:
            return ()
        names = ("R", Y, S, "RF", "Rb", "Rright", "Rl", "Rz", "Rscale", "Ractive", "Rorder", "Rrank", "Rwrong", "Rtogether", BOX_NAME, "y")
        sizes = self.rows.free, self.rows.m, self.first[-1], int(self.rows.limited)
        return (self.call(hold_rows, names, lambda at: sizes),)
