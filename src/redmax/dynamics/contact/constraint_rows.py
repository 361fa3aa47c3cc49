"""Rows of constraints in a step with contact: filled as in steps without it, put into coordinates, and held by the solver of contact."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from redmax.dynamics.common.closing import follow
from redmax.dynamics.common.islands import Rows, unplaced
from redmax.model.model import Model
from redmax.program.program import ProgramStage
from redmax.program.routines.call import Addresses, Call
from redmax.solvers.box_complementarity import TURNS
from redmax.solvers.contact.constrained import BOX, ask, bound_rows, clear_rows, give_back, push_rows, put_body, put_joint
from redmax.solvers.reduced_matrix import copy

if TYPE_CHECKING:
    from redmax.dynamics.contact.stages import ContactSystem

ROW_NAMES = (
    "R", "RY", "RS", "RY0", "RS0", "RF", "Rb", "Rright", "Rl", "Rz", "Rscale", "Ractive", "Rorder", "Rrank", "Rwrong", "Rtogether", "Rsoft",
)  # fmt: skip
SINGLE = ("Rrank", "Rtogether")
BOX_NAME = "Rbox"


@dataclass(frozen=True, eq=False)
class ContactRows:
    """Those that hold both ways come first."""

    rows: tuple[Rows, ...]

    @property
    def m(self) -> int:
        return sum(r.kept.size for r in self.rows)

    @property
    def free(self) -> int:
        return sum(r.kept.size for r in self.rows if not r.bounded)

    @property
    def limited(self) -> bool:
        """Whether the force of some is."""
        return any(r.kept.limited for r in self.rows)

    def data(self, n: int) -> Mapping[str, tuple[int, int | None]]:
        """Rows in n numbers each, and what the solvers need."""
        m = max(self.m, 1)
        tables = {"R": (m, n), "RY": (m, n), "RY0": (m, n), "RS": (m, m), "RS0": (m, m), "RF": (m, m)}
        box = {BOX_NAME: (BOX * m + TURNS if self.limited else 1, None)}
        return tables | box | {name: (1 if name in SINGLE else m, None) for name in ROW_NAMES if name not in tables}

    def known(self, model: Model) -> tuple[ProgramStage, ...]:
        """The coordinates that constraints carry."""
        return follow(model, "") if self.rows else ()

    @property
    def sizes(self) -> tuple[int, int]:
        return self.m, self.free

    def filled(self, system: ContactSystem) -> Sequence[ProgramStage]:
        """R, b and compliance, from what constraints keep."""
        R, b, s, soft = (system.data[name] for name in ("R", "Rb", "s", "Rsoft"))
        width = R.columns or 1

        def bodies(at: Addresses) -> list[tuple[Any, ...]]:
            found: list[tuple[Any, ...]] = []
            for r in self.rows:
                for k, j in enumerate(r.bodies):
                    which = system.above(j)
                    if which:
                        found.append((at.kept(r.acting, r.k) + r.kept.wrench(k), s, R, r.first, r.kept.size, which, len(which)))
            return found

        def joints(at: Addresses) -> list[tuple[Any, ...]]:
            pairs = [(r, k, j) for r in self.rows for k, j in enumerate(r.joints) if system.dof(j)]
            places = [(at.kept(r.acting, r.k) + r.kept.slope(k), system.first[system.row[j]], system.dof(j)) for r, k, j in pairs]
            return [(D, R, r.first, r.kept.size, first, dof) for (r, _, _), (D, first, dof) in zip(pairs, places, strict=True)]

        asked = lambda at: [  # noqa: E731
            (b, at.kept(r.acting, r.k) + r.kept.right, at.world("h"), r.first, r.kept.size) for r in self.rows
        ]
        each = [(r, r.first + i) for r in self.rows if r.compliant for i in range(r.kept.size)]
        given = lambda at: [(at.kept(r.acting, r.k) + r.kept.softness, at[soft] + n, 1) for r, n in each]  # noqa: E731
        return (
            Call(clear_rows, lambda at: [(R, self.m, width)], (R,)),
            Call(put_body, bodies, (s, R)),
            Call(put_joint, joints, (R,)),
            Call(ask, asked, (b,)),
            *([Call(copy, given, (soft,))] if any(r.compliant for r in self.rows) else []),
            *(self.bounded(system) if self.limited else ()),
        )

    def bounded(self, system: ContactSystem) -> Sequence[ProgramStage]:
        """What multipliers are between."""
        box, b = system.data[BOX_NAME], system.data["Rb"]
        given, pushing = [r for r in self.rows if r.kept.limited], [r for r in self.rows if r.one_sided and not r.kept.limited]

        def limits(at: Addresses) -> list[tuple[Any, ...]]:
            found: list[tuple[Any, ...]] = []
            for r in given:
                places = [at.kept(r.acting, r.k) + place for place in (r.kept.right, r.kept.lower, r.kept.upper)]
                found.append((box, b, *places, at.world("h"), r.first, r.kept.size, self.m))
            return found

        rest = lambda at: [(box, r.first, r.kept.size, self.m) for r in pushing]  # noqa: E731
        return Call(bound_rows, limits, (box, b)), *([Call(push_rows, rest, (box,))] if pushing else [])

    def told(self, system: ContactSystem) -> Call:
        """Multipliers to each constraint."""
        found = system.data["Rl"]
        first, size = [r.first for r in self.rows], [r.kept.size for r in self.rows]
        places = lambda at: [at.kept(r.acting, r.k) + r.kept.multipliers for r in self.rows]  # noqa: E731
        return Call(give_back, lambda at: [(found, places(at), first, size, at.world("h"), len(self.rows))], (found,))


def contact_rows(model: Model) -> ContactRows:
    """The rows of all constraints, numbered for the solver of contact."""
    result: list[Rows] = []
    first = 0
    for r in sorted(unplaced(model), key=lambda r: (r.bounded, r.number)) if model.constraints else ():
        result.append(replace(r, first=first))
        first += r.kept.size
    return ContactRows(tuple(result))
