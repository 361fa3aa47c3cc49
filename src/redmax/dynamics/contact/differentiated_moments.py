"""Torsional and rolling friction on the way back: rows of moments, what they add to the slopes of a step, what is remembered."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from redmax.dynamics.contact.fields import COUNTS, LIMITS
from redmax.dynamics.contact.moments import make_moments, remember_moments, spend_moments
from redmax.dynamics.contact.pair_laws import kept_laws
from redmax.program.routines.call import Addresses, Call
from redmax.solvers.contact.coulomb_turns import add_all_turns

if TYPE_CHECKING:
    from redmax.dynamics.contact.differentiated import DifferentiatedContact
    from redmax.dynamics.contact.stages import ContactSystem


@dataclass(frozen=True, eq=False)
class MomentsTurned:
    """Of a system; nothing where no contact has such friction."""

    system: DifferentiatedContact

    def made(self, back: ContactSystem) -> Sequence[Call]:
        """Rows, with what was remembered before the step."""
        if not self.system.turning:
            return ()
        before, n = self.system.before, self.system.n
        raw, C, turned, which, now, free = (back.data[name] for name in ("raw", "contacts", "turned", "which", "now", "free"))

        def rows(at: Addresses) -> list[tuple[Any, ...]]:
            return [(raw, C, at.world(COUNTS), at.world(LIMITS), turned, which, kept_laws(self.system.model, at), *before, now, free, n)]

        return (Call(make_moments, rows, (raw, C, turned, which, *before, now, free)),)

    def slopes(self, back: ContactSystem) -> Sequence[Call]:
        """What they add to dr/dx."""
        if not self.system.turning:
            return ()
        _, _, Q, A, _ = self.system.newton
        turned, C, s, *tables = (back.data[name] for name in ("turned", "contacts", "s", "up", "begin", "of"))
        rows = lambda at: [(turned, C, at.world(COUNTS), s, Q, A, *tables, self.system.nv)]  # noqa: E731
        return (Call(add_all_turns, rows, (turned, C, s, Q, A, *tables)),)

    def spent(self, back: ContactSystem) -> Sequence[Call]:
        """Of what contacts hold, before it is remembered."""
        if not self.system.turning:
            return ()
        given = tuple(back.data[name] for name in ("raw", "contacts", "V"))
        return (Call(spend_moments, lambda at: [(given[0], given[1], at.world(COUNTS), given[2], self.system.n)], given),)

    def told(self, back: ContactSystem) -> Sequence[Call]:
        """For the next step."""
        if not self.system.turning:
            return ()
        given = back.data["contacts"], self.system.after[2]
        return (Call(remember_moments, lambda at: [(given[0], at.world(COUNTS), given[1])], given),)
