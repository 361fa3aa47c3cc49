"""Contact as stages of a step that can be reversed: the step as it runs, and on the way back one linear system of its exact law.

    Found:    x of r(x, p) = 0, by the solver, then by Newton's method to rounding (solvers/contact/converged.py)
    Derived:  shapes, points, rows and r(x, p) once more, at that x;   x - (dr/dx)^-1 r(x, p)  with dr/dx held:  dx/dp = -(dr/dx)^-1 dr/dp

Reversed, points and normals are differentiated with the features that meet held, and what is remembered of a contact goes on with its
cotangents. What rests is solved for too, instead of being tried with the impulses of the step before.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from redmax.dynamics.choose import System
from redmax.dynamics.contact.at_once import at_once
from redmax.dynamics.contact.couplings import K
from redmax.dynamics.contact.fields import COUNTS, HELD, LIMITS, TABLE
from redmax.dynamics.contact.found import found_points
from redmax.dynamics.contact.lost import lost
from redmax.dynamics.contact.moments import contacts_told
from redmax.dynamics.contact.pair_laws import given_laws
from redmax.dynamics.contact.remember import remember
from redmax.dynamics.contact.rows import TOLD, make_rows
from redmax.dynamics.contact.stages import ContactSystem
from redmax.dynamics.contact.system import touching
from redmax.dynamics.contact.terms import contact_terms
from redmax.model.model import Model
from redmax.program.fields import Fields
from redmax.program.program import Branch, Derived, Found, Held, Program, ProgramStage
from redmax.program.record import JointView, WorldView
from redmax.program.routines.call import Addresses, Call, Data
from redmax.program.sweep import forward, once, recursion
from redmax.solvers.contact.converged import DOUBTS, converge, copy_vector, empty, keep_solution, step_back
from redmax.solvers.contact.coulomb import out_of_balance, slopes_of_balance
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
    """Contact alone, without constraints and moments."""

    @property
    def nv(self) -> int:
        return self.first[-1]

    @cached_property
    def solution(self) -> Data:
        return Data("solution of contact", max(self.nv, 1))

    @cached_property
    def before(self) -> tuple[Data, Data]:
        """What was remembered before the step, and of how many contacts."""
        return Data("table of contact before", self.capacity, TOLD, by_rows=True), Data("number of contact before", 2)

    @cached_property
    def after(self) -> tuple[Data, Data]:
        """The same behind it."""
        return Data("table of contact behind", self.capacity, TOLD, by_rows=True), Data("number of contact behind", 2)

    @property
    def begun(self) -> Data:
        """Where the solver ended."""
        return Data("solution of contact by the solver", max(self.nv, 1))

    @cached_property
    def newton(self) -> tuple[Data, Data, Data, Data, Data]:
        """Room for r, for r D and J of a contact, for dr/dx, and its pivots."""
        n = max(self.nv, 1)
        slopes = Data("slopes of a contact", 9)
        matrix, pivots = Data("dr/dx of contact", n, n), Data("pivots of dr/dx of contact", n)
        return Data(RESIDUAL, n), slopes, Data("contact in coordinates", 6, n), matrix, pivots

    @property
    def springs(self) -> tuple[Any, ...]:
        """Where what forces add between trees lies, as metric.py takes it."""
        one, two, forth, _ = self.couplings.tables
        starts, sizes = ([tree[k] for tree in self.trees] or [0] for k in (0, 1))
        return one or [0], two or [0], forth or [0], starts, sizes, self.widths or [4], len(one)

    def stages(self) -> tuple[ProgramStage, ...]:
        """From accelerations without contact to those with it."""
        return KEEP_ALONE, *self.copied(self.before, False), Found(self.forwards()), Derived(self.backwards())

    def forwards(self) -> tuple[ProgramStage, ...]:
        """A step as it runs, and its end to rounding."""
        solve = *self.couplings.filled(), self.left(), self.solved(), *at_once(self), self.converged(), self.applied()
        room = [d for call in at_once(self) for d in call.data if d not in self.data.values()]
        kept = self.call(keep_solution, ("x",), lambda at: (at.world(COUNTS), self.solution, self.nv))
        return (
            NO_DOUBT,
            *self.emptied(self, self.begun, *room),
            contact_terms(self.implicit),
            self.gathered(),
            *self.found(),
            *given_laws(self),
            self.made(),
            Branch(COUNTS, solve),
            replace(kept, data=(*kept.data, self.solution)),
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
            own = *rest, x, data["V"], data["w"], g
            rows = lambda at: [(C, at.world(COUNTS), at.world(LIMITS), *own, self.first, self.parent, self.n, *self.springs)]  # noqa: E731
            return Call(out_of_balance, rows, (C, *own))

        held = self.slopes(data), Call(factor_pivoted, lambda at: [(A, order, self.nv, 0, self.nv)], (A, order))
        solve = Call(solve_pivoted, lambda at: [(A, order, g, self.nv)], (A, order, g))
        stepped = Call(step_back, lambda at: [(self.solution, g, data["x"], self.nv)], (self.solution, g, data["x"]))
        told, many = self.after
        rows, raw = data["contacts"], data["raw"]
        given = lambda at: [(rows, raw, at.world(COUNTS), told, many, at.world("h"))]  # noqa: E731
        remembered = Call(remember, given, (rows, raw, told, many))
        clear = Call(empty, lambda at: [(told, self.capacity, TOLD)], (told,))
        met = (
            *self.emptied(back),
            contact_terms(self.implicit),
            back.gathered(),
            *found_points(back),
            *given_laws(back),
            self.made_of(back),
            *back.couplings.filled(),
            balance(self.solution),
            Held((*held, solve), (RESIDUAL,)),
            stepped,
            balance(data["x"]),
            back.applied(),
            clear,
            *lost(back),
            remembered,
            *self.copied(self.after, True),
        )
        return BACK_TO_ALONE, Branch(MET, met)

    def emptied(self, of: ContactSystem, *more: Data) -> list[ProgramStage]:
        """Nothing of one step is left in the room of the next, so that nothing of it need be kept. more: room beside that of a system"""
        room = {d.name: d for d in (*[d for name, d in of.data.items() if name not in ONCE], *self.newton, *more)}
        found: list[ProgramStage] = []
        for d in room.values():
            columns = d.leading if d.columns is not None else 1
            rows = lambda at, d=d, columns=columns: [((at[d], columns), d.rows, columns)]  # noqa: E731
            found.append(Call(empty, rows, (d,)))
        return found

    def copied(self, table: tuple[Data, Data], back: bool) -> list[ProgramStage]:
        """What is remembered, to room of its own, or back from there."""
        told, many = table
        size = self.capacity * told.leading
        assert told.leading == TOLD

        def rows(at: Addresses) -> list[tuple[Any, ...]]:
            pairs = [(at.world(TABLE), at[told], size), (at.world(HELD), at[many], 2)]
            return [(b, a, n) if back else (a, b, n) for a, b, n in pairs]

        return [Call(copy_vector, rows, (told, many))]

    def made_of(self, back: ContactSystem) -> Call:
        """Rows on the way back, with what was remembered before the step."""
        data, (old, olds) = back.data, self.before
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
        names = [data[n] for n in ("M", "I", "E", K, "s", "x", "V", "w")]
        tables = [data[n] for n in ("up", "begin", "of")]

        def rows(at: Addresses) -> list[tuple[Any, ...]]:
            given = data["contacts"], at.world(COUNTS), at.world(LIMITS), *names, g, data["G"], D, Q, A, order, self.begun, *tables
            return [(*given, at.world("h"), at.world(DOUBT), self.first, self.parent, self.n, self.nv, *self.springs)]

        return Call(converge, rows, (data["contacts"], *names, g, data["G"], D, Q, A, order, self.begun, *tables))


def differentiated(found: System, model: Model, exact: bool) -> System:
    """Dynamics with contact whose steps can be reversed."""
    touched = touching(found, model, exact, DifferentiatedContact)

    def widened(known: Callable[..., Fields]) -> Callable[..., Fields]:
        def fields(**extra: Any) -> Fields:
            f = known(**extra)
            return replace(f, state={**f.state, "alone_qddot": "v"}, world={**f.world, DOUBT: DOUBTS, MET: 1})

        return fields

    def complete(program: Program, implicit: bool) -> Program:
        told = touched.complete(program, implicit)
        return replace(told, outputs=(*told.outputs, DOUBT))

    implicit = widened(touched.implicit_fields or touched.fields)
    return replace(touched, fields=widened(touched.fields), implicit_fields=implicit, complete=complete)
