"""A program: what runs for one world, as a list of stages. `interpret` walks the list, `llvm` compiles it to one function.

Stages: a recursion (its sweeps in order), `Repeat` (a number of times, or until a flag of the world is set), `Branch` (if a flag
is set), `Found`, `Derived` and `Held` (what is differentiated in another way than it runs), `Save` (write the outputs as the next
sample), `Load` (read the next row of inputs that come turn by turn), `Columns` (along the relation of bodies and ancestors), `Call` (of
a routine, row after row), `ActiveRows` (a function over as many rows as a world has), `Host` (a call of Python). Control flow tests a
field of the world's record, never Python values.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from redmax.program.active_rows import ActiveRows
from redmax.program.fields import Fields
from redmax.program.routines.call import Call, Data
from redmax.program.sweep import Recursion


@dataclass(frozen=True)
class Repeat:
    """Run the body `count` times (a count given with each call), or until the world's field `until` is nonzero."""

    body: tuple[ProgramStage, ...]
    until: str = ""


@dataclass(frozen=True)
class Branch:
    """Run the body if the world's field `flag` is nonzero."""

    flag: str
    body: tuple[ProgramStage, ...]


@dataclass(frozen=True)
class Found:
    """Run the body, which finds numbers that solve an equation. On the way back they are constants: `Derived` says what they depend on."""

    body: tuple[ProgramStage, ...]


@dataclass(frozen=True)
class Derived:
    """What runs on the way back alone, behind a `Found`: it leaves the same numbers, from which their derivatives follow."""

    body: tuple[ProgramStage, ...]


@dataclass(frozen=True)
class Held:
    """Run the body; on the way back all that it reads is constant, but for the joints' fields `by`."""

    body: tuple[ProgramStage, ...]
    by: tuple[str, ...]


@dataclass(frozen=True)
class Save:
    """Write the outputs as the next sample. With `strided`, only at each n-th visit, n given with each call."""

    strided: bool = False


@dataclass(frozen=True)
class Load:
    """Read the next row of these inputs: each visit of the stage takes one. They are given as (visits, worlds, n) or (visits, n)."""

    names: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Host:
    """Call Python in the middle of a program: `function(view)` reads and writes fields of one world by name. Cuts the code in two."""

    name: str
    function: Callable[[Any], Any]


@dataclass(frozen=True)
class Columns:
    """Carry columns from each joint down to all bodies that it moves: the relation (body, ancestor's column).

    `start` names joint fields of 6 numbers per degree of freedom, laid out column by column, that the joint's own columns begin with;
    `step` is a function (frame, *columns) -> columns that takes them from a body's parent to the body; `frame` names the field that it
    reads of the body. rows: store the columns of each body as a matrix, row after row.
    """

    name: str
    start: tuple[str, ...]
    frame: str
    step: Callable[..., Any]
    rows: bool = False


ProgramStage: TypeAlias = "Recursion | Repeat | Branch | Found | Derived | Held | Save | Load | Host | Columns | Call | ActiveRows"


@dataclass(frozen=True)
class Program:
    """inputs and outputs: the fields of joints or of the world that are read from and written to plain arrays (batch, size)."""

    name: str
    stages: tuple[ProgramStage, ...]
    fields: Fields
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]

    @property
    def recursions(self) -> tuple[Recursion, ...]:
        """Each recursion once, in order of appearance."""
        return tuple(dict.fromkeys(s for s in self.stages_flat if isinstance(s, Recursion)))

    @property
    def stages_flat(self) -> list[ProgramStage]:
        """All stages, those inside loops and branches too."""
        return list(flat(self.stages))

    @property
    def straight(self) -> bool:
        """No control flow: the stages run once, in order."""
        return all(isinstance(s, Recursion | Columns | Host | Call | ActiveRows) for s in self.stages)

    @property
    def hosted(self) -> bool:
        """Whether Python is called on the way."""
        return any(isinstance(s, Host) for s in self.stages_flat)


def flat(stages: tuple[ProgramStage, ...]) -> Iterator[ProgramStage]:
    """Stages in order, each before those inside of it."""
    for stage in stages:
        yield stage
        if isinstance(stage, Repeat | Branch | Found | Derived | Held):
            yield from flat(stage.body)


def forwards_alone(stages: tuple[ProgramStage, ...]) -> tuple[ProgramStage, ...]:
    """The same without what is for the way back."""
    found: list[ProgramStage] = []
    for stage in stages:
        if isinstance(stage, Found | Held):
            found += forwards_alone(stage.body)
        elif isinstance(stage, Repeat | Branch):
            found.append(replace(stage, body=forwards_alone(stage.body)))
        elif not isinstance(stage, Derived):
            found.append(stage)
    return tuple(found)


def data_of(stage: ProgramStage) -> tuple[Data, ...]:
    """The matrices and vectors that a stage names."""
    if isinstance(stage, Call):
        return stage.data
    return (stage.data,) if isinstance(stage, ActiveRows) else ()
