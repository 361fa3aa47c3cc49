"""What constraints and contact do in each turn beside joints that rub, and what they exert on bodies (RedMax notes Sec. 2.11.1).

    qddot += what holds rows and contacts;     f_e = W' lambda + J' f     of each body, in world axes about the origin of its tree

f_a is then M J qddot - f - f_b - f_e: a constraint or the ground bears its share, and joints the rest. Published code has in place of f_e
what the same rows would exert on bodies without joints (maximal.py).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from redmax.dynamics.common.impulses import of_step
from redmax.dynamics.common.islands import Rows
from redmax.dynamics.common.limits_near import PASSED
from redmax.dynamics.common.rows import RowSystem
from redmax.dynamics.contact.fields import COUNTS
from redmax.dynamics.contact.in_turns import ContactKind
from redmax.dynamics.contact.moments import contacts_told
from redmax.dynamics.contact.stages import ContactSystem
from redmax.dynamics.rubbing.maximal import MaximalRows, apart_before_rows
from redmax.dynamics.rubbing.places import RubbingPlaces
from redmax.dynamics.rubbing.wrenches import into_joint, take_contacts, take_wrench
from redmax.model.model import Model
from redmax.program.program import Branch, ProgramStage
from redmax.program.routines.call import Addresses, Call, Data
from redmax.program.sweep import Part
from redmax.solvers.reduced_matrix import clear


@dataclass(frozen=True, eq=False)
class Beside:
    """Nothing, unless there are rows, of constraints alone, or contact, which holds constraints too."""

    model: Model
    places: RubbingPlaces
    rows: RowSystem | None = None
    contact: ContactSystem | None = None

    @property
    def there(self) -> bool:
        """Whether there is something."""
        return self.rows is not None or self.contact is not None

    @cached_property
    def load(self) -> Data:
        """What constraints exert on the first bodies of places, in joint frames."""
        return Data("rub held", max(len(self.places.held), 1), 6)

    def turn(self) -> tuple[ProgramStage, ...]:
        """From accelerations without constraints and contact to those with them, and what these exert."""
        if self.contact is not None:
            found: tuple[ProgramStage, ...] = self.contact.turn()
        else:
            assert self.rows
            found = replace(self.rows, counted=False).stages()
        if self.model.staggering.external == "maximal":
            return apart_before_rows, *found, *MaximalRows(self.model).stages(), *self.loads()
        return *found, *self.exerted(), *self.loads()

    def after(self) -> tuple[ProgramStage, ...]:
        """Once turns have ended."""
        if self.contact is not None:
            return tuple(contacts_told(self.contact))
        pushing = [i for i in self.rows.islands if i.free < i.m] if self.rows else []
        told = [stage for i in pushing for stage in of_step(self.model, i)]
        return (Branch(PASSED, tuple(told)),) if told else ()

    def exerted(self) -> tuple[ProgramStage, ...]:
        """Wrenches on all bodies, as rub_world of each."""
        bodies = range(len(self.model.links))
        wrenches = lambda at: [  # noqa: E731
            (W, x, flag, at.field(body, "rub_world"), n, often)
            for r in self.all_rows
            for k, body in enumerate(r.bodies)
            for W, x, flag, n, often in self.multipliers(at, r, k)
        ]
        taken = Call(take_wrench, wrenches, self.multiplier_data) if self.all_rows else None
        if self.contact is None:
            return Call(clear, lambda at: [(at.field(j, "rub_world"), 6) for j in bodies]), *([taken] if taken else [])
        order, (C, w, turned) = self.contact.order, [self.contact.data[name] for name in ("contacts", "W", "turned")]
        row = lambda at: [  # noqa: E731
            (C, at.world(COUNTS), turned, w, at.world("h"), [at.field(j, "rub_world") for j in order], len(order), int(self.model.turning))
        ]
        return Call(take_contacts, row, (C, w, turned)), *([taken] if taken else [])

    @cached_property
    def all_rows(self) -> tuple[Rows, ...]:
        """Of all constraints."""
        if self.contact is not None:
            return self.contact.rows.rows
        return tuple(r for i in self.rows.islands for r in i.rows) if self.rows else ()

    @property
    def multiplier_data(self) -> tuple[Data, ...]:
        """Where multipliers are, of constraints alone."""
        islands = self.rows.islands if self.rows and self.contact is None else ()
        return *(i.equal.multipliers for i in islands if i.free), *(i.multipliers for i in islands if i.free < i.m)

    def multipliers(self, at: Addresses, r: Rows, k: int) -> Iterator[tuple[int, int, int, int, int]]:
        """W of the k-th body of a constraint, and lambda: as forces; with a flag, where they count at times only."""
        kept, flag = at.kept(r.acting, r.k), at.world("h")
        W = kept + r.kept.wrench(k)
        if self.contact is not None:
            yield W, kept + r.kept.multipliers, flag, r.kept.size, 0
            return
        assert self.rows
        island = next(i for i in self.rows.islands if r in i.rows)
        if not r.bounded:
            yield W, at[island.equal.multipliers] + r.first, flag, r.kept.size, 0
        if island.free < island.m:
            often = int(not island.limited)
            yield W, at[island.multipliers] + r.first, at.world(PASSED) if often else flag, r.kept.size, often

    def loads(self) -> tuple[ProgramStage, ...]:
        """What constraints that rub exert on the first body of their places."""
        held, load, z, w = self.places.held, self.load, Data("rub held frame", 6), Data("rub held world", max(len(self.places.held), 1), 6)
        if not held:
            return ()
        found = [(n, self.places.all[k].body, self.places.all[k].rubbing.held) for n, k in enumerate(held)]
        rows = {r.number: r for r in self.all_rows}

        def wrenches(at: Addresses) -> list[tuple[Any, ...]]:
            result: list[tuple[Any, ...]] = []
            for n, body, place in found:
                r = rows[place.constraint]  # type: ignore[union-attr]
                for W, x, flag, size, often in self.multipliers(at, r, r.bodies.index(body)):
                    result.append((W, x, flag, at[w] + n * w.leading, size, often))
            return result

        def turned(at: Addresses) -> list[tuple[Any, ...]]:
            frames = [tuple(at.field(body, name) for name in ("rub_R", "rub_x", "rub_o")) for _, body, _ in found]
            return [(at[w] + n * w.leading, *frame, z, at[load] + n * load.leading) for (n, _, _), frame in zip(found, frames, strict=True)]

        return (
            Call(clear, lambda at: [(at[w], w.size)], (w,)),
            Call(take_wrench, wrenches, (w, *self.multiplier_data)),
            Call(into_joint, turned, (w, z, load)),
        )


def beside_of(model: Model, name: str, exact: bool, kind: ContactKind) -> Beside:
    """What a model has beside its joints that rub, with dynamics of this name. exact: friction of contact; kind: what solves it."""
    places = RubbingPlaces(model)
    if model.touches:
        return Beside(model, places, contact=kind(model, True, exact))
    if not model.constraints:
        return Beside(model, places)
    from redmax.dynamics.constrained import dense_system
    from redmax.dynamics.recursive.rows import RowsAlongTree

    along = RowsAlongTree(model, Part.VELOCITY_ROWS, implicit=True)
    return Beside(model, places, rows=dense_system(model, Part.VELOCITY_ROWS, True) if name == "redmax" else along)
