"""A routine reversed is a routine: its statements run once more and note what they change, then they are undone from the last to the first.

    x = f(y)          forwards:  note x; x = f(y)          backwards:  g = xbar; xbar = 0; x as it was; ybar += g df/dy

Slot s of memory is slot 2 s, its cotangent slot 2 s + 1, as in a plan with its reverse. Notes go on a stack behind all else. Loops over
ranges are run from their last turn to their first; of other loops the number of turns is noted, of branches which one was taken. Whole
numbers that follow from the row and from counters alone are computed again. (Griewank and Walther 2008, Sec. 6.1.)
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from redmax.program.routines.form import (
    FLAG,
    REAL,
    WHOLE,
    Assign,
    Expression,
    For,
    Form,
    If,
    Put,
    Statement,
    While,
    agreed,
    as_real,
    assigned,
    load,
    name_of,
    number,
    operation,
    total,
)
from redmax.program.routines.names import Names, has_load
from redmax.program.routines.partials import BAR, spread
from redmax.program.routines.values import word

TOP, BACK = "top", "<"  # the end of the notes; behind a name: its value on the way back
START, STOP, MOST, ROOM = 2, 3, 4, 5  # words of the row: where notes may lie, the slot that tells of too many, how many turns there may be
SHIFT = 4  # by which the words of the routine come later
ZERO, ONE = number(0.0), number(1)


def reverse_form(form: Form) -> Form:
    """The loop form that gives cotangents to all that the routine has read, and leaves values as they were before it."""
    return Reverser(form).form()


class Reverser:
    """Writes the statements of a routine forwards with notes, and backwards."""

    def __init__(self, of: Form) -> None:
        self.of, self.names, self.count = of, Names(of), 0
        self.top = name_of(TOP, WHOLE, not of.parting)

    def form(self) -> Form:
        """Forwards, then backwards."""
        begin = [Assign(TOP, word(number(START)))]
        begin += [Assign(name, EMPTY[kind]) for name, kind in self.names.kept.items()]
        bars = [Assign(name + BAR, ZERO) for name, kind in self.names.kept.items() if kind == REAL]
        statements = [*begin, *self.ahead(self.of.statements), *self.beyond(), *bars, *self.back(self.of.statements)]
        return Form(tuple(statements), self.of.parting)

    def beyond(self) -> list[Statement]:
        """Say so where there was no room for all notes; where all worlds note the same, there always is."""
        if not self.of.parting:
            return []
        slot, room = word(number(MOST)), operation("add", as_real(word(number(ROOM))), number(1.0))
        over = operation("gt", self.top, word(number(STOP)), kind=FLAG)
        return [Put(slot, operation("max", load(slot), operation("select", over, room, ZERO)))]

    def fresh(self, hint: str) -> str:
        """A name that no other has."""
        self.count += 1
        return f"{hint}.{self.count}{BACK}"

    def valued(self, e: Expression, back: bool = False) -> Expression:
        """An expression over doubled memory and a longer row. back: on the way back, where names that are computed again are others."""
        if e.op == "number":
            return e
        if e.op == "name":
            kind, shared = self.names.known(e)
            return name_of(e.args[0] + (BACK if back and e.args[0] in self.names.again else ""), kind, shared)
        if e.op == "word":
            return word(operation("add", self.valued(e.args[0], back), number(SHIFT)))
        if e.op in ("load", "agreed"):
            slot = operation("mul", number(2), self.valued(e.args[0], back))
            return load(slot) if e.op == "load" else agreed(slot)
        if e.op == "sum":
            return total(e.args[0], self.valued(e.args[1], back), self.valued(e.args[2], back))
        args = tuple(self.valued(a, back) for a in e.args)
        return Expression(e.op, args, e.kind, all(a.shared for a in args) and e.kind != REAL)

    def carried(self, statements: Sequence[Statement], *more: Expression) -> tuple[Expression, ...]:
        """The names that statements change and that were there before."""
        inside, kept = assigned(tuple(statements)), self.names.kept
        found = [name_of(name, kind, self.names.shared(kind)) for name, kind in kept.items() if name in inside]
        found += [name_of(name + BAR, REAL, False) for name in kept if name + BAR in inside]
        return (*found, *([self.top] if TOP in inside else []), *more)

    def note(self, value: Expression) -> list[Statement]:
        """Put a number on the stack."""
        real = operation("select", value, number(1.0), ZERO) if value.kind == FLAG else as_real(value)
        return [Put(self.top, real), Assign(TOP, operation("add", self.top, ONE))]

    def noted(self, name: str, kind: str) -> list[Statement]:
        """Take a number from the stack."""
        taken = load(self.top)
        if kind != REAL:
            shared = not self.of.parting
            taken = agreed(self.top) if shared else Expression("whole", (taken,), WHOLE, False)
        value = operation("gt", taken, number(0), kind=FLAG) if kind == FLAG else taken
        return [Assign(TOP, operation("sub", self.top, ONE)), Assign(name, value)]

    def ahead(self, statements: Sequence[Statement]) -> list[Statement]:
        """Forwards, with notes."""
        return [x for s in statements for x in self.step_ahead(s)]

    def step_ahead(self, s: Statement) -> list[Statement]:
        """One statement forwards."""
        if isinstance(s, Assign):
            if s.name in self.names.again:
                return [Assign(s.name, self.valued(s.value))]
            kind = self.names.kept[s.name]
            value = self.valued(s.value)
            return [*self.note(name_of(s.name, kind, self.names.shared(kind))), Assign(s.name, as_real(value) if kind == REAL else value)]
        if isinstance(s, Put):
            slot, value = operation("mul", number(2), self.valued(s.slot)), self.valued(s.value)
            if not has_load(s.slot):
                return [*self.note(load(slot)), Put(slot, value)]
            at = self.fresh("at")
            place = name_of(at, WHOLE, False)
            return [Assign(at, slot), *self.note(load(place)), Put(place, value), *self.note(place)]
        return CONTROL[type(s)][0](self, s)

    def back(self, statements: Sequence[Statement]) -> list[Statement]:
        """Backwards; names that are computed again come first."""
        again = [s for s in statements if isinstance(s, Assign) and s.name in self.names.again]
        found: list[Statement] = [Assign(s.name + BACK, self.valued(s.value, back=True)) for s in again]
        return found + [x for s in reversed(statements) if s not in again for x in self.step_back(s)]

    def step_back(self, s: Statement) -> list[Statement]:
        """One statement undone."""
        if isinstance(s, Assign):
            kind = self.names.kept[s.name]
            if kind != REAL:
                return self.noted(s.name, kind)
            g, bar = self.fresh("g"), s.name + BAR
            begin = [Assign(g, name_of(bar, REAL, False)), Assign(bar, ZERO)]
            return [*begin, *self.noted(s.name, REAL), *spread(self, s.value, name_of(g, REAL, False))]
        if isinstance(s, Put):
            return self.undo(s)
        return CONTROL[type(s)][1](self, s)

    def undo(self, s: Put) -> list[Statement]:
        """A store: its cotangent leaves the slot, and the old value comes back."""
        found: list[Statement] = []
        slot = operation("mul", number(2), self.valued(s.slot, back=True))
        if has_load(s.slot):
            at = self.fresh("at")
            found, slot = self.noted(at, WHOLE), name_of(at, WHOLE, False)
        g, old, bar = self.fresh("g"), self.fresh("old"), operation("add", slot, ONE)
        found += [Assign(g, load(bar)), Put(bar, ZERO), *self.noted(old, REAL), Put(slot, name_of(old, REAL, False))]
        return found + spread(self, s.value, name_of(g, REAL, False))

    def for_ahead(self, s: For) -> list[Statement]:
        """A loop over a range; its bounds are noted unless they are computed again."""
        start, stop, body = self.valued(s.start), self.valued(s.stop), self.ahead(s.body)
        if self.names.bounds_again(s):
            return [For(s.name, start, stop, s.step, tuple(body), self.carried(body))]
        names = [self.fresh("start"), self.fresh("stop")]
        first, last = (name_of(name, WHOLE, self.names.shared(WHOLE)) for name in names)
        begin = [Assign(names[0], start), Assign(names[1], stop)]
        return [*begin, For(s.name, first, last, s.step, tuple(body), self.carried(body)), *self.note(first), *self.note(last)]

    def for_back(self, s: For) -> list[Statement]:
        """From the last turn to the first."""
        start, stop, body = self.valued(s.start, True), self.valued(s.stop, True), self.back(s.body)
        found: list[Statement] = []
        if not self.names.bounds_again(s):
            names = [self.fresh("start"), self.fresh("stop")]
            found = [*self.noted(names[1], WHOLE), *self.noted(names[0], WHOLE)]
            start, stop = (name_of(name, WHOLE, self.names.shared(WHOLE)) for name in names)
        step = number(s.step)
        return [*found, For(s.name, operation("sub", stop, step), operation("sub", start, step), -s.step, tuple(body), self.carried(body))]

    def while_ahead(self, s: While) -> list[Statement]:
        """A loop that counts its turns."""
        turns, body = self.fresh("turns"), self.ahead(s.body)
        n = name_of(turns, WHOLE, self.names.shared(WHOLE))
        body.append(Assign(turns, operation("add", n, ONE)))
        return [Assign(turns, number(0)), While(self.valued(s.condition), tuple(body), self.carried(body, n)), *self.note(n)]

    def while_back(self, s: While) -> list[Statement]:
        """As many turns as there were."""
        turns, turn, body = self.fresh("turns"), self.fresh("turn"), self.back(s.body)
        n = name_of(turns, WHOLE, self.names.shared(WHOLE))
        return [*self.noted(turns, WHOLE), For(turn, number(0), n, 1, tuple(body), self.carried(body))]

    def if_ahead(self, s: If) -> list[Statement]:
        """A branch; which one was taken is noted unless it is asked again."""
        body, otherwise, condition = self.ahead(s.body), self.ahead(s.otherwise), self.valued(s.condition)
        carried = self.carried([*body, *otherwise])
        if self.names.is_again(s.condition):
            return [If(condition, tuple(body), tuple(otherwise), carried)]
        taken = self.fresh("taken")
        flag = name_of(taken, FLAG, condition.shared)
        return [Assign(taken, condition), If(flag, tuple(body), tuple(otherwise), carried), *self.note(flag)]

    def if_back(self, s: If) -> list[Statement]:
        """The branch that was taken."""
        body, otherwise = self.back(s.body), self.back(s.otherwise)
        carried = self.carried([*body, *otherwise])
        if self.names.is_again(s.condition):
            return [If(self.valued(s.condition, True), tuple(body), tuple(otherwise), carried)]
        taken = self.fresh("taken")
        return [*self.noted(taken, FLAG), If(name_of(taken, FLAG, self.names.shared(FLAG)), tuple(body), tuple(otherwise), carried)]


EMPTY = {REAL: ZERO, WHOLE: number(0), FLAG: number(False)}
CONTROL: dict[type, tuple[Callable[..., list[Statement]], Callable[..., list[Statement]]]] = {
    For: (Reverser.for_ahead, Reverser.for_back),
    While: (Reverser.while_ahead, Reverser.while_back),
    If: (Reverser.if_ahead, Reverser.if_back),
}
