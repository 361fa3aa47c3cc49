"""Rows of constraints beside contact on the way back: the equation of a step is of changes of rates and of multipliers together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from redmax.dynamics.contact.constraint_rows import BOX_NAME
from redmax.program.routines.call import Call, Data
from redmax.solvers.contact.converged import copy_vector
from redmax.solvers.contact.converged_rows import border, keep_rows, note_held, rows_back, rows_off

if TYPE_CHECKING:
    from redmax.dynamics.contact.differentiated import DifferentiatedContact
    from redmax.dynamics.contact.stages import ContactSystem


@dataclass(frozen=True, eq=False)
class RowsHeld:
    """Of a system; nothing where it has no rows."""

    system: DifferentiatedContact

    @property
    def m(self) -> int:
        return self.system.rows.m

    @cached_property
    def z(self) -> Data:
        """Changes of rates, then multipliers."""
        return Data("changes and multipliers of contact", max(self.system.size, 1))

    @cached_property
    def states(self) -> Data:
        """Which rows are held."""
        return Data("rows held of contact", max(self.m, 1))

    @property
    def data(self) -> tuple[Data, ...]:
        return (self.z, self.states) if self.m else ()

    @property
    def sizes(self) -> tuple[int, ...]:
        """As the routines take them."""
        return self.system.rows.free, self.m, self.limited

    @property
    def limited(self) -> int:
        return int(self.system.rows.limited)

    @property
    def beside(self) -> tuple[Data, ...]:
        """What Newton's method takes of them."""
        return *[self.system.data[n] for n in ("R", "RS0", "Rb", "Rsoft", BOX_NAME)], self.states

    def begun(self) -> Sequence[Call]:
        """From where the solver ended."""
        if not self.m:
            return ()
        names = [self.system.data[n] for n in ("Rl", "Rb", "Ractive", "Rscale", "Rorder", "Rrank", BOX_NAME)]
        given, n = (*names, self.z, self.states), self.system.nv
        return self.copied(self.system, True), Call(note_held, lambda at: [(*given, n, self.m, self.limited)], given)

    def ended(self) -> Sequence[Call]:
        """Back to where both belong."""
        if not self.m:
            return ()
        found, n = self.system.data["Rl"], self.system.nv
        return self.copied(self.system, False), Call(copy_vector, lambda at: [(at[self.z] + n, found, self.m)], (self.z, found))

    def copied(self, of: ContactSystem, forth: bool) -> Call:
        """Changes of rates."""
        x, n = of.data["x"], self.system.nv
        return Call(copy_vector, lambda at: [(x, self.z, n) if forth else (self.z, x, n)], (x, self.z))

    def kept(self, solution: Data) -> Sequence[Call]:
        """For the way back."""
        given = self.z, self.states, solution
        return (Call(keep_rows, lambda at: [(*given, self.system.nv, self.m)], given),) if self.m else ()

    def states_of(self, solution: Data) -> Call:
        """Which rows were held."""
        return Call(copy_vector, lambda at: [(at[solution] + self.system.size, self.states, self.m)], (solution, self.states))

    def off(self, back: ContactSystem, solution: Data) -> Sequence[Call]:
        """What rows add to the residual."""
        if not self.m:
            return ()
        g, names = self.system.newton[0], [back.data[n] for n in ("R", "Rb", "Rsoft", BOX_NAME)]
        given = *names, self.states, solution, g
        return self.states_of(solution), Call(rows_off, lambda at: [(*given, self.system.nv, self.m, self.limited)], given)

    def bordered(self, back: ContactSystem) -> Sequence[Call]:
        """What they add to its slopes."""
        given = back.data["R"], back.data["Rsoft"], self.states, self.system.newton[3]
        return (Call(border, lambda at: [(*given, self.system.nv, self.m)], given),) if self.m else ()

    def back(self, back: ContactSystem, solution: Data) -> Sequence[Call]:
        """Multipliers, and what they are told of."""
        if not self.m:
            return ()
        given = solution, self.system.newton[0], back.data["Rl"], self.states
        return Call(rows_back, lambda at: [(*given, self.system.nv, self.m)], given), self.system.rows.told(back)
