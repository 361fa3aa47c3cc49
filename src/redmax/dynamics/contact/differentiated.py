"""Contact as stages of a step that can be reversed: the step as it runs, and on the way back one linear system of its exact law.

    Found:    x of r(x, p) = 0, by the solver, then by Newton's method to rounding (solvers/contact/converged.py)
    Derived:  shapes, points, rows and r(x, p) once more, at that x;   x - (dr/dx)^-1 r(x, p)  with dr/dx held:  dx/dp = -(dr/dx)^-1 dr/dp

Reversed, points and normals are differentiated with the features that meet held, and what is remembered of a contact goes on with its
cotangents. What rests is solved for too, instead of being tried with the impulses of the step before.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from redmax.dynamics.contact.at_once import at_once
from redmax.dynamics.contact.couplings import K
from redmax.dynamics.contact.differentiated_moments import MomentsTurned
from redmax.dynamics.contact.differentiated_rows import RowsHeld
from redmax.dynamics.contact.fields import COUNTS, HELD, LIMITS, MOMENTS, TABLE, XYZ
from redmax.dynamics.contact.found import found_points
from redmax.dynamics.contact.lost import lost
from redmax.dynamics.contact.moments import contacts_told, moment_rows
from redmax.dynamics.contact.pair_laws import given_laws
from redmax.dynamics.contact.remember import remember
from redmax.dynamics.contact.rows import TOLD, make_rows
from redmax.dynamics.contact.stages import ContactSystem
from redmax.dynamics.contact.terms import contact_terms
from redmax.program.program import Branch, Derived, Found, Held, ProgramStage
from redmax.program.record import JointView, WorldView
from redmax.program.routines.call import Addresses, Call, Data
from redmax.program.sweep import forward, once, recursion
from redmax.solvers.contact.converged import DOUBTS, converge, converge_in_full, copy_vector, empty, keep_solution, spoil, step_back
from redmax.solvers.contact.coulomb import out_of_balance, out_of_balance_turning, slopes_of_balance
from redmax.solvers.pivoted import factor_pivoted, solve_pivoted

DOUBT, MET = "contact_doubt", "contact_met"  # of this step (converged.py); whether anything touches in it
ONCE = "up", "begin", "starts", "sizes", "widths", "places", "which"  # data that is filled once in a program
RESIDUAL = "residual of contact"


@forward
def keep_alone(j: JointView) -> None:
    j.alone_qddot = j.qddot


@forward
def back_to_alone(j: JointView) -> None:
    j.qddot = j.alone_qddot


@once
def no_doubt(w: WorldView) -> None:
    w.contact_doubt = [0.0] * DOUBTS


@once
def note_met(w: WorldView) -> None:
    w.contact_met = w.contact_counts[0]


KEEP_ALONE = recursion(keep_alone, name="accelerations without contact")
BACK_TO_ALONE = recursion(back_to_alone, name="back to accelerations without contact")
NO_DOUBT, NOTE_MET = recursion(no_doubt, name="no doubt of contact"), recursion(note_met, name="whether anything touches")


@dataclass(frozen=True, eq=False)
class OnTheWayBack(ContactSystem):
    """The same over data of its own, of which the way out has none: what it leaves there need not be kept for the way back."""

    @cached_property
    def data(self) -> dict[str, Data]:
        return {k: d if k in ONCE else replace(d, name=f"{d.name} on the way back") for k, d in ContactSystem.data.func(self).items()}


@dataclass(frozen=True, eq=False)
class DifferentiatedContact(ContactSystem):
    """Contact, beside constraints or without, with torsional and rolling friction or without."""

    @property
    def nv(self) -> int:
        return self.first[-1]

    @property
    def size(self) -> int:
        """Of what is solved for: changes of rates, and multipliers."""
        return self.nv + self.rows.m

    @cached_property
    def solution(self) -> Data:
        """Behind what is solved for: which rows are held."""
        return Data("solution of contact", max(self.size + self.rows.m, 1))

    @cached_property
    def before(self) -> tuple[Data, ...]:
        """What was remembered before the step, and of how many contacts; and moments, where there may be some."""
        return self.remembered("before")

    @cached_property
    def after(self) -> tuple[Data, ...]:
        """The same behind it."""
        return self.remembered("behind")

    def remembered(self, when: str) -> tuple[Data, ...]:
        table, many = Data(f"table of contact {when}", self.capacity, TOLD, by_rows=True), Data(f"number of contact {when}", 2)
        return (table, many, *([Data(f"moments of contact {when}", self.capacity, XYZ, by_rows=True)] if self.turning else []))

    @property
    def turning(self) -> int:
        """Whether contacts may have moments."""
        return int(self.model.turning)

    @property
    def begun(self) -> Data:
        """Where the solver ended."""
        return Data("solution of contact by the solver", max(self.size, 1))

    @cached_property
    def newton(self) -> tuple[Data, Data, Data, Data, Data]:
        """Room for r, for r D and J of a contact, for dr/dx, and its pivots."""
        n, slopes = max(self.size, 1), Data("slopes of a contact", 9)
        matrix, pivots = Data("dr/dx of contact", n, n), Data("pivots of dr/dx of contact", n)
        return Data(RESIDUAL, n), slopes, Data("contact in coordinates", 7 if self.turning else 6, max(self.nv, 1)), matrix, pivots

    @property
    def springs(self) -> tuple[Any, ...]:
        """Where what forces add between trees lies, as metric.py takes it."""
        one, two, forth, _ = self.couplings.tables
        starts, sizes = ([tree[k] for tree in self.trees] or [0] for k in (0, 1))
        return one or [0], two or [0], forth or [0], starts, sizes, self.widths or [4], len(one)

    def stages(self) -> tuple[ProgramStage, ...]:
        """From accelerations without contact to those with it."""
        known = self.rows.known(self.model)
        return *known, KEEP_ALONE, *self.copied(self.before, False), Found(self.forwards()), Derived(self.backwards())

    @cached_property
    def held(self) -> RowsHeld:
        """What constraints add."""
        return RowsHeld(self)

    @cached_property
    def moments(self) -> MomentsTurned:
        """What torsional and rolling friction adds."""
        return MomentsTurned(self)

    def forwards(self) -> tuple[ProgramStage, ...]:
        """A step as it runs, and its end to rounding."""
        rows = self.held
        end = *rows.begun(), self.converged(), *rows.ended()
        solve = *self.couplings.filled(), self.left(), self.solved(), *at_once(self), *end, self.applied()
        room = [d for call in at_once(self) for d in call.data if d not in self.data.values()]
        kept = self.call(keep_solution, ("x",), lambda at: (at.world(COUNTS), self.solution, self.nv))
        return (
            NO_DOUBT,
            *self.emptied(self, self.begun, *room),
            contact_terms(self.implicit, bool(self.rows.m)),
            self.gathered(),
            *self.found(),
            *given_laws(self),
            self.made(),
            *moment_rows(self),
            *((*self.rows.filled(self), *solve, self.rows.told(self)) if self.rows.m else (Branch(COUNTS, solve),)),
            replace(kept, data=(*kept.data, self.solution)),
            *rows.kept(self.solution),
            NOTE_MET,
            *lost(self),
            *contacts_told(self),
        )

    def backwards(self) -> tuple[ProgramStage, ...]:
        """What the step depends on, at the solution that was found."""
        back = OnTheWayBack(self.model, self.implicit, self.exact)
        data, (g, _, _, A, order) = back.data, self.newton
        names = data["contacts"], data["M"], data["E"], data[K], data["s"]

        def balance(x: Data) -> Call:
            C, *rest = names
            own, turned = (*rest, x, data["V"], data["w"], g), ((data["turned"],) if self.turning else ())

            def rows(at: Addresses) -> list[tuple[Any, ...]]:
                given = *turned, C, at.world(COUNTS), at.world(LIMITS), *own, self.first, self.parent, self.n, *self.springs
                return [(*given, 1) if self.turning else given]

            return Call(out_of_balance_turning if self.turning else out_of_balance, rows, (*turned, C, *own))

        factored = Call(factor_pivoted, lambda at: [(A, order, self.size, 0, self.size)], (A, order))
        spoiled = Call(spoil, lambda at: [(A, at.world(DOUBT))], (A,))
        held = self.slopes(data), *self.moments.slopes(back), *self.held.bordered(back), spoiled, factored
        solve = Call(solve_pivoted, lambda at: [(A, order, g, self.size)], (A, order, g))
        stepped = Call(step_back, lambda at: [(self.solution, g, data["x"], self.nv)], (self.solution, g, data["x"]))
        told, many = self.after[:2]
        rows, raw = data["contacts"], data["raw"]
        given = lambda at: [(rows, raw, at.world(COUNTS), told, many, at.world("h"))]  # noqa: E731
        remembered = Call(remember, given, (rows, raw, told, many))
        clear = [Call(empty, lambda at, d=d: [(d, self.capacity, d.leading)], (d,)) for d in self.after if d is not many]
        met = (
            *self.emptied(back),
            contact_terms(self.implicit, bool(self.rows.m)),
            back.gathered(),
            *found_points(back),
            *given_laws(back),
            self.made_of(back),
            *self.moments.made(back),
            *(self.rows.filled(back) if self.rows.m else ()),
            *back.couplings.filled(),
            balance(self.solution),
            *self.held.off(back, self.solution),
            Held((*held, solve), (RESIDUAL,)),
            stepped,
            *self.held.back(back, self.solution),
            balance(data["x"]),
            back.applied(),
            *clear,
            *lost(back),
            *self.moments.spent(back),
            remembered,
            *self.moments.told(back),
            *self.copied(self.after, True),
        )
        return BACK_TO_ALONE, *(met if self.rows.m else (Branch(MET, met),))

    def emptied(self, of: ContactSystem, *more: Data) -> list[ProgramStage]:
        """Nothing of one step is left in the room of the next, so that nothing of it need be kept. more: room beside that of a system"""
        room = {d.name: d for d in (*[d for name, d in of.data.items() if name not in ONCE], *self.newton, *self.held.data, *more)}
        found: list[ProgramStage] = []
        for d in room.values():
            columns = d.leading if d.columns is not None else 1
            rows = lambda at, d=d, columns=columns: [((at[d], columns), d.rows, columns)]  # noqa: E731
            found.append(Call(empty, rows, (d,)))
        return found

    def copied(self, table: tuple[Data, ...], back: bool) -> list[ProgramStage]:
        """What is remembered, to room of its own, or back from there."""
        assert [d.leading for d in table] == [TOLD, 1, XYZ][: len(table)]

        def rows(at: Addresses) -> list[tuple[Any, ...]]:
            pairs = [(at.world(name), at[d], d.size) for name, d in zip((TABLE, HELD, MOMENTS), table, strict=False)]
            return [(b, a, n) if back else (a, b, n) for a, b, n in pairs]

        return [Call(copy_vector, rows, table)]

    def made_of(self, back: ContactSystem) -> Call:
        """Rows on the way back, with what was remembered before the step."""
        data, (old, olds) = back.data, self.before[:2]
        some = [data[n] for n in ("origin", "now", "free", "of", "touched")]
        given = data["raw"], data["contacts"]
        rows = lambda at: [  # noqa: E731
            (given[0], at.world(COUNTS), at.world(LIMITS), at.world("h"), given[1], old, olds, *some, self.n, len(self.trees))
        ]
        return Call(make_rows, rows, (*given, old, olds, *some))

    def slopes(self, data: dict[str, Data]) -> Call:
        """dr/dx."""
        _, D, Q, A, _ = self.newton
        names = [data[n] for n in ("M", "I", "E", K, "s", "G")]
        tables = [data[n] for n in ("up", "begin", "of")]

        def rows(at: Addresses) -> list[tuple[Any, ...]]:
            given = data["contacts"], at.world(COUNTS), at.world(LIMITS), *names, D, Q, A, *tables
            return [(*given, self.first, self.parent, self.n, self.nv, *self.springs)]

        return Call(slopes_of_balance, rows, (data["contacts"], *names, D, Q, A, *tables))

    def converged(self) -> Call:
        """x to rounding."""
        data, (g, D, Q, A, order) = self.data, self.newton
        names = [data[n] for n in ("M", "I", "E", K, "s")]
        names += [self.held.z if self.rows.m else data["x"], data["V"], data["w"]]
        tables, alone = [data[n] for n in ("up", "begin", "of")], not (self.rows.m or self.turning)
        beside = () if alone else (data["turned"], *self.held.beside)

        own = *names, g, data["G"], D, Q, A, order, self.begun, *tables

        def rows(at: Addresses) -> list[tuple[Any, ...]]:
            given = *beside, data["contacts"], at.world(COUNTS), at.world(LIMITS), *own
            sizes = () if alone else (*self.held.sizes, self.turning)
            return [(*given, at.world("h"), at.world(DOUBT), self.first, self.parent, self.n, self.nv, *self.springs, *sizes)]

        return Call(converge if alone else converge_in_full, rows, (*beside, data["contacts"], *own))
