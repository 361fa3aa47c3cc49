"""The names of a routine as its reverse sees them: which are computed again on the way back, and which are kept on a stack."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from redmax.errors import TraceError
from redmax.program.routines.form import FLAG, REAL, WHOLE, Assign, Expression, For, Form, If, Put, Statement, While

WIDER = (FLAG, WHOLE, REAL)


class Names:
    """again: whole numbers and flags that follow from the row and from counters alone, each set in one place; kept: all others, with kinds.

    counters: of loops over ranges, whether all worlds share them
    """

    def __init__(self, form: Form) -> None:
        self.parting = form.parting
        statements = list(inner(form.statements))
        sets = [s for s in statements if isinstance(s, Assign)]
        carried = {c.args[0] for s in statements if isinstance(s, For | While | If) for c in s.carried}
        often = repeated(sets)
        self.again: set[str] = set()
        self.kept: dict[str, str] = {}
        self.counters: dict[str, bool] = {}
        for s in statements:  # in the order of the text, so that what a value is made of is known before it
            if isinstance(s, For):
                self.counters[s.name] = s.start.shared and (not self.parting or self.bounds_again(s))
            elif isinstance(s, Assign):
                if s.value.kind != REAL and s.name not in often | carried and self.is_again(s.value):
                    self.again.add(s.name)
                else:
                    kind = self.kept.get(s.name, FLAG)
                    self.kept[s.name] = max(kind, s.value.kind, key=WIDER.index)

    def is_again(self, e: Expression) -> bool:
        """Whether an expression can be computed again on the way back, from the row and from counters alone."""
        if e.op == "number":
            return True
        if e.op == "name":
            return e.args[0] in self.again or e.args[0] in self.counters
        return e.op not in ("load", "agreed", "sum") and all(self.is_again(a) for a in e.args)

    def bounds_again(self, s: For) -> bool:
        """Whether the range of a loop can be."""
        return self.is_again(s.start) and self.is_again(s.stop)

    def shared(self, kind: str) -> bool:
        """Whether all worlds have the same value of a name that is kept."""
        return kind != REAL and not self.parting

    def known(self, e: Expression) -> tuple[str, bool]:
        """The kind of a name where it is used, and whether all worlds share it."""
        name = e.args[0]
        if name in self.counters:
            return WHOLE, self.counters[name]
        if name not in self.kept:
            return e.kind, e.shared  # computed again, or the counter of a sum
        kind = self.kept[name]
        if kind != e.kind:
            raise TraceError(f"{name.rpartition('.')[2]} is a {e.kind} here and a {kind} elsewhere in a routine. Give them two names.")
        return kind, self.shared(kind)


def repeated(sets: Sequence[Assign]) -> set[str]:
    """The names that are set in several places."""
    seen: set[str] = set()
    return {s.name for s in sets if s.name in seen or seen.add(s.name)}


def inner(statements: Sequence[Statement]) -> Iterator[Statement]:
    """Statements in the order of the text, each before those inside of it."""
    for s in statements:
        yield s
        if isinstance(s, For | While | If):
            yield from inner(s.body)
            yield from inner(s.otherwise if isinstance(s, If) else ())


def has_load(e: object) -> bool:
    """Whether an expression depends on what memory holds."""
    return isinstance(e, Expression) and (e.op in ("load", "agreed", "sum") or any(has_load(a) for a in e.args))


def notes_of(names: Names, s: Statement) -> int:
    """How many numbers one visit of a statement puts on the stack, without what is inside of it."""
    if isinstance(s, Assign):
        return int(s.name in names.kept)
    if isinstance(s, Put):
        return 1 + has_load(s.slot)
    if isinstance(s, For):
        return 0 if names.bounds_again(s) else 2
    return 1 if isinstance(s, While) else int(not names.is_again(s.condition))
