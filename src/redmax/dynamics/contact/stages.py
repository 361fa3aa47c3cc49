"""Contact as stages of a step: behind accelerations without it, and before q moves on.

    place bodies and shapes | find points | make rows | solve, where there are some | qddot += x / h | remember impulses

Bodies are numbered tree by tree here; the last row of their matrices is the world.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from redmax.dynamics.contact.at_once import at_once
from redmax.dynamics.contact.constraint_rows import ContactRows, contact_rows
from redmax.dynamics.contact.couplings import Couplings, K
from redmax.dynamics.contact.detect import RAW
from redmax.dynamics.contact.fields import CONVEX_PROBLEMS, COUNTS, HELD, LIMITS, TABLE, TOLERANCE, limits
from redmax.dynamics.contact.found import MetByKind, found_points, met_by_kind
from redmax.dynamics.contact.gather import apply_changes, gather, leave_untouched, number_bodies
from redmax.dynamics.contact.lost import lost
from redmax.dynamics.contact.moments import contacts_told, moment_rows
from redmax.dynamics.contact.near_pairs import NearPairs, near_pairs
from redmax.dynamics.contact.pair_laws import given_laws, numbered_laws
from redmax.dynamics.contact.rows import TOLD, make_rows
from redmax.dynamics.contact.solved import ISLAND_NAMES, solved
from redmax.dynamics.contact.terms import contact_terms
from redmax.dynamics.contact.within import within
from redmax.model.body_rows import ordered_bodies, roots_of, rows_of_bodies
from redmax.model.model import Model
from redmax.model.node_contact import smallest
from redmax.program.program import Branch, ProgramStage
from redmax.program.routines.call import Addresses, Call, Data
from redmax.program.sweep import Recursion
from redmax.solvers.contact.columns import COLUMNS, COLUMNS_WITH_MOMENTS
from redmax.solvers.contact.slack import DEPTH, ROOM_OF_WEIGHTS, ROWS


@dataclass(frozen=True, eq=False)
class ContactSystem:
    """Contact of a model. order: its bodies, tree by tree."""

    model: Model
    implicit: bool
    exact: bool = True

    @cached_property
    def roots(self) -> list[int]:
        return roots_of(self.model)

    @cached_property
    def order(self) -> list[int]:
        return ordered_bodies(self.model)

    @cached_property
    def row(self) -> dict[int, int]:
        return rows_of_bodies(self.model)

    def dof(self, j: int) -> int:
        """Coordinates of a joint that contact can move."""
        return 0 if self.model.prescribed[j] else self.model.links[j].joint.dof

    @cached_property
    def first(self) -> list[int]:
        found = [0]
        for j in self.order:
            found.append(found[-1] + self.dof(j))
        return found

    @cached_property
    def parent(self) -> list[int]:
        return [-1 if self.model.tree.parent[j] < 0 else self.row[self.model.tree.parent[j]] for j in self.order]

    @cached_property
    def movable(self) -> list[bool]:
        """Whether contact can move each body."""
        found: list[bool] = []
        for n, j in enumerate(self.order):
            found.append(self.dof(j) > 0 or (self.parent[n] >= 0 and found[self.parent[n]]))
        return found

    @cached_property
    def leaders(self) -> list[int]:
        """The roots of trees that can move."""
        return sorted({self.roots[j] for n, j in enumerate(self.order) if self.movable[n]})

    @cached_property
    def tree(self) -> list[int]:
        """The tree of each body, -1 where contact does not move it."""
        return [self.leaders.index(self.roots[j]) if self.movable[n] else -1 for n, j in enumerate(self.order)]

    @cached_property
    def trees(self) -> list[tuple[int, int]]:
        """(first coordinate, how many) of each tree."""
        found: list[tuple[int, int]] = []
        for t in range(len(self.leaders)):
            rows = [n for n, of in enumerate(self.tree) if of == t]
            found.append((self.first[rows[0]], self.first[rows[-1] + 1] - self.first[rows[0]]))
        return found

    @property
    def n(self) -> int:
        return len(self.order)

    @property
    def capacity(self) -> int:
        return self.model.contact_capacity

    @property
    def parts(self) -> int:
        """Eights of coordinates of a joint, at most."""
        return max((-(-self.dof(j) // 8) for j in self.order), default=1) or 1

    @cached_property
    def data(self) -> dict[str, Data]:
        """The vectors and matrices of the solver."""
        n, nv, T, m = self.n, max(self.first[-1], 1), max(len(self.trees), 1), self.capacity
        each = 2 if self.model.turning else 1  # rows of a contact
        widest = max((self.dof(j) for j in self.order), default=1) or 1
        sizes = {
            "contacts": (each * m, COLUMNS if each == 1 else COLUMNS_WITH_MOMENTS), "turned": (2, None), K: (self.couplings.room, None),
            "raw": (m, RAW), "found": (8, 8), "touched": (T, None),
            "M": (6 * n + 6, 8), "E": (nv, widest), "s": (nv, 8), "T": (6 * n * self.parts, 8), "x": (nv, None), "V": (n + 1, 8),
            "I": (6 * n + 6, 8), "w": (n + 1, 8),
            "G": (nv, 8), "L": (nv, widest), "p": (nv, None), "G0": (nv, 8), "L0": (nv, widest), "p0": (nv, None),
            "z": (nv, None), "tau": (nv, None), "y": (nv + self.wide, None), "W": (n + 1, 8),
            "X": (ROWS, m), "Y": (ROWS, m), "A": (DEPTH, DEPTH), "gamma": (ROOM_OF_WEIGHTS, None), "known": (2, None), "sums": (2, None),
            "Q": (each * m if self.between else 1, 6 * self.wide), "H": (self.tree_places[-1], None), "P": (self.room, None),
            "Z": (6 * self.wide + 36, None), "N": (T, T), "before": (T, T), "at": (T, T), "later": (T, T), "order": (T, None),
            "place": (T, None), "degree": (T, None), "number": (1, None), "sizes": (T, None), "widths": (T, None),
            "places": (T, None), "starts": (T, None), "used": (2, None), "up": (n, None), "begin": (n + 1, None), "of": (n + 1, None),
            "lost": (n + 1, None), "change": (6, None), "which": (len(self.model.contact_pairs), None), "free": (n + 1, 6), "now": (n + 1, 6), "origin": (n + 1, 3),
            **dict.fromkeys(ISLAND_NAMES, (T, None)), "live": (2, None), "pivots": (8 * T, None),
            **self.rows.data(nv + self.wide),
        }  # fmt: skip
        return {name: Data(f"{name} of contact", max(rows, 1), columns, by_rows=True) for name, (rows, columns) in sizes.items()}

    @cached_property
    def couplings(self) -> Couplings:
        return Couplings(self)

    @cached_property
    def rows(self) -> ContactRows:
        return contact_rows(self.model)

    @cached_property
    def held_trees(self) -> list[int]:
        """1 of trees that constraints hold, or forces couple."""
        held = {self.tree[self.row[b]] for r in self.rows.rows for b in (*r.bodies, *r.joints)} | self.couplings.trees
        return [int(t in held) for t in range(len(self.trees))]

    def above(self, body: int) -> list[int]:
        """The coordinates that move a body."""
        found: list[int] = []
        n = self.row[body]
        while n >= 0:
            found += range(self.first[n], self.first[n + 1])
            n = self.parent[n]
        return found

    @cached_property
    def between(self) -> bool:
        """Whether contacts, or forces, may couple bodies that move."""
        return bool(self.couplings.pairs) or any(a.body >= 0 and b.body >= 0 for a, b in self.model.contact_pairs)

    @property
    def sixes(self) -> bool:
        """Whether bodies touch each other whose trees all have six coordinates, and nothing else is solved for."""
        alone = not (self.rows.m or self.model.turning or self.couplings.pairs)
        return self.between and alone and all(size == 6 for _, size in self.trees)

    @property
    def widths(self) -> list[int]:
        return [-(-size // 4) * 4 for _, size in self.trees]

    @property
    def wide(self) -> int:
        return max(self.widths, default=4)

    @property
    def tree_places(self) -> list[int]:
        """Where the inertia of each tree begins; then the end."""
        found = [0]
        for (_, size), width in zip(self.trees, self.widths, strict=True):
            found.append(found[-1] + size * width)
        return found if self.between else [0] * len(found)

    @property
    def room(self) -> int:
        """For blocks between trees."""
        if not self.between:
            return 1
        T = len(self.trees)
        block = max(size for _, size in self.trees) * self.wide
        return block * min(T * (T + 1) // 2, 40 * T + 64)

    def call(self, function: Any, names: Sequence[str], rest: Callable[[Addresses], tuple[Any, ...]]) -> Call:
        """A routine on data by name, then on what `rest(at)` gives."""
        data = tuple(self.data[name] for name in names)
        return Call(function, lambda at: [(*data, *rest(at))], data)

    def stages(self) -> tuple[ProgramStage, ...]:
        """From accelerations without contact to those with it."""
        return *self.turn(), *lost(self), *contacts_told(self)

    def turn(self) -> tuple[ProgramStage, ...]:
        """The same, without what the next step remembers."""
        solve = *self.couplings.filled(), self.left(), self.solved(), *at_once(self), *within(self), self.applied()
        if self.rows.m:
            solve = *self.rows.filled(self), *solve, self.rows.told(self)
        return (
            *self.rows.known(self.model),
            contact_terms(self.implicit, bool(self.rows.m)),
            self.gathered(),
            *self.found(),
            *given_laws(self),
            self.made(),
            *moment_rows(self),
            *(solve if self.rows.m else (Branch(COUNTS, solve),)),
        )

    def begin(self) -> tuple[ProgramStage, ...]:
        """Once in a program."""
        numbers = [list(map(int, x)) for x in zip(*self.trees, strict=True)] or [[], []]
        tables = lambda at: (  # noqa: E731
            self.first, self.parent, numbers[0], numbers[1], self.widths, self.tree_places, self.n, len(self.trees), at.world(COUNTS),
        )  # fmt: skip
        return (
            self.limits(),
            self.call(number_bodies, ("up", "begin", "starts", "sizes", "widths", "places"), tables),
            *numbered_laws(self),
        )

    def limits(self) -> Recursion:
        """What the solver ends by."""
        gravity = float((self.model.gravity**2).sum() ** 0.5)
        return limits(TOLERANCE, CONVEX_PROBLEMS, self.exact, gravity, smallest(self.model.contact_shapes))

    def gathered(self) -> Call:
        names = ("M", "E", "s", "T", "free", "now", "origin", "of", "x", "tau")
        fields = ("touch_M", "touch_E", "row_s", "touch_V", "touch_V0", "touch_o", "qddot")

        def rest(at: Addresses) -> tuple[Any, ...]:
            moves = {j: bool(self.model.links[j].joint.dof) for j in self.order}
            has = lambda j, f: moves[j] or f not in ("touch_E", "row_s", "qddot")  # noqa: E731
            places = [[at.field(j, f) if has(j, f) else 0 for j in self.order] for f in fields]
            return *places, self.first, self.tree, self.n, self.parts, at.world(COUNTS), at.world("h")

        return self.call(gather, names, rest)

    @cached_property
    def met_by_kind(self) -> MetByKind:
        """Pairs for which there are routines."""
        return met_by_kind(self.model)

    @cached_property
    def near(self) -> NearPairs | None:
        """Those that are found by their balls, where there are enough."""
        return near_pairs(self.model, self.met_by_kind)

    def found(self) -> list[ProgramStage]:
        """Points where pairs meet."""
        return found_points(self)

    def made(self) -> Call:
        raw, contacts, *some = (self.data[n] for n in ("raw", "contacts", "origin", "now", "free", "of", "touched"))

        def rows(at: Addresses) -> list[tuple[Any, ...]]:
            given = raw, at.world(COUNTS), at.world(LIMITS), at.world("h"), contacts, (at.world(TABLE), TOLD), at.world(HELD)
            return [(*given, *some, self.n, len(self.trees))]

        return Call(make_rows, rows, (raw, contacts, *some))

    def left(self) -> Call:
        return self.call(leave_untouched, ("x", "touched"), lambda at: (self.first, self.tree, self.n))

    def solved(self) -> Call:
        return solved(self)

    def applied(self) -> Call:
        rates = lambda at: ([at.field(j, "qddot") if self.dof(j) else 0 for j in self.order], self.first, self.n, at.world("h"))  # noqa: E731
        return self.call(apply_changes, ("x",), rates)
