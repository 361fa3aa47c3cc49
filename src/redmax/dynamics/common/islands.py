"""Rows of constraints by the trees that they connect: trees that no row connects are systems of their own."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from redmax.constraints.kept import Kept, kept_of
from redmax.model.model import Model
from redmax.program.interaction import Acting
from redmax.program.routines.call import Data


@dataclass(frozen=True, eq=False)
class Rows:
    """Those of one constraint. number: of the constraint; first: its first row within its island; k: its place among its kind.

    one_sided: whether it only pushes
    """

    number: int
    first: int
    acting: Acting
    k: int
    kept: Kept
    bodies: tuple[int, ...]
    joints: tuple[int, ...]
    compliant: bool
    one_sided: bool

    @property
    def waits(self) -> bool:
        """Whether it is a limit of coordinates alone, whose rows steps fill once it would be passed."""
        return self.one_sided and not self.bodies and not self.kept.on_rates

    @property
    def pushes(self) -> bool:
        """Whether it only pushes, as much as it takes: with neither compliance nor limited force."""
        return self.one_sided and not self.compliant and not self.kept.limited

    @property
    def bounded(self) -> bool:
        """Whether its multipliers live between bounds: it only pushes, or its force is limited."""
        return self.one_sided or self.kept.limited


@dataclass(frozen=True, eq=False)
class Island:
    """Trees that rows connect. bodies: all of theirs, root first; held: those that rows act on, with all above them."""

    number: str
    rows: tuple[Rows, ...]
    bodies: tuple[int, ...]
    held: tuple[int, ...]

    @property
    def free(self) -> int:
        """How many rows have multipliers without bounds: they come first."""
        return sum(r.kept.size for r in self.rows if not r.bounded)

    @property
    def limited(self) -> bool:
        """Whether the force of some rows is limited."""
        return any(r.kept.limited for r in self.rows)

    @property
    def equal(self) -> Island:
        """Without the rows that only push, or give way."""
        return replace(self, number=f"{self.number}, equalities", rows=tuple(r for r in self.rows if not r.bounded))

    @property
    def soft(self) -> tuple[Rows, ...]:
        """Those that give way."""
        return tuple(r for r in self.rows if r.compliant)

    @property
    def m(self) -> int:
        """How many rows."""
        return sum(r.kept.size for r in self.rows)

    @property
    def sizes(self) -> Data:
        """What the gap of each row is measured by."""
        return self.data("sizes", self.m)

    @property
    def A(self) -> Data:
        """G M^-1 G'."""
        return self.data("A", self.m, self.m)

    @property
    def multipliers(self) -> Data:
        """lambda."""
        return self.data("lambda", self.m)

    def data(self, name: str, rows: int, columns: int | None = None) -> Data:
        """A matrix or vector of this island."""
        return Data(f"{name} of island {self.number}", rows, columns)


def islands(model: Model) -> tuple[Island, ...]:
    """The rows of a model, by the trees that they connect."""
    parent = model.tree.parent
    root = list(range(len(parent)))
    for j, p in enumerate(parent):
        root[j] = j if p < 0 else root[p]
    leader = {r: r for r in root}

    def find(r: int) -> int:
        while leader[r] != r:
            r = leader[r]
        return r

    touched = [(c.number, [root[b] for b in (*c.bodies, *c.joints)]) for c in unplaced(model)]
    for _, roots in touched:
        for r in roots[1:]:
            leader[find(r)] = find(roots[0])
    groups: dict[int, list[int]] = {}
    for number, roots in touched:
        groups.setdefault(find(roots[0]), []).append(number)
    known = {c.number: c for c in unplaced(model)}
    result: list[Island] = []
    for number, (leading, members) in enumerate(groups.items()):
        rows, first = [], 0
        for c in sorted((known[n] for n in members), key=lambda c: (c.bounded, c.number)):
            rows.append(Rows(c.number, first, c.acting, c.k, c.kept, c.bodies, c.joints, c.compliant, c.one_sided))
            first += c.kept.size
        held = {a for r in rows for b in (*r.bodies, *r.joints) for a in model.tree.ancestors(b)}
        bodies = tuple(j for j in range(len(parent)) if find(root[j]) == leading)
        result.append(Island(str(number), tuple(rows), bodies, tuple(sorted(held))))
    return tuple(result)


def unplaced(model: Model) -> Iterator[Rows]:
    """The rows of each constraint, in the order in which the scene has them."""
    found: dict[int, Rows] = {}
    for acting, numbers in model.row_kinds:
        for k, number in enumerate(numbers):
            c = model.constraints[number]
            bodies, joints = tuple(b.index for b in c.bodies), tuple(b.index for b in c.joints)
            kept = kept_of(c, tuple(model.links[j].joint.dof for j in joints))
            found[number] = Rows(number, 0, acting, k, kept, bodies, joints, c.compliant, c.one_sided)
    yield from (found[n] for n in sorted(found))
