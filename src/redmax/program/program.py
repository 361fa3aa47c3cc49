"""A program: what runs for one world, as a list of stages. `interpret` walks the list, `llvm` compiles it to one function.

Stages: a recursion (its sweeps in order), `Repeat` (a number of times, or until a flag of the world is set), `Branch` (if a flag is
set), `Save` (write the outputs as the next sample). Control flow tests a field of the world's record, never Python values.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

from redmax.program.fields import Fields
from redmax.program.sweep import Recursion


@dataclass(frozen=True)
class Repeat:
    """Run the body `count` times (a count given with each call), or until the world's field `until` is nonzero."""

    body: tuple[Stage, ...]
    until: str = ""


@dataclass(frozen=True)
class Branch:
    """Run the body if the world's field `flag` is nonzero."""

    flag: str
    body: tuple[Stage, ...]


@dataclass(frozen=True)
class Save:
    """Write the outputs as the next sample. With `strided`, only at each n-th visit, n given with each call."""

    strided: bool = False


Stage: TypeAlias = "Recursion | Repeat | Branch | Save"


@dataclass(frozen=True)
class Program:
    """inputs and outputs: the fields of joints or of the world that are read from and written to plain arrays (batch, size)."""

    name: str
    stages: tuple[Stage, ...]
    fields: Fields
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]

    @property
    def recursions(self) -> tuple[Recursion, ...]:
        """Each recursion once, in order of appearance."""
        return tuple(dict.fromkeys(walk(self.stages)))

    @property
    def straight(self) -> bool:
        """No control flow: the stages run once, in order."""
        return all(isinstance(s, Recursion) for s in self.stages)


def walk(stages: tuple[Stage, ...]) -> Iterator[Recursion]:
    for stage in stages:
        if isinstance(stage, Recursion):
            yield stage
        elif isinstance(stage, Repeat | Branch):
            yield from walk(stage.body)
