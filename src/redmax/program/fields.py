"""Where a joint's values live: the layout of its record in the workspace.

    record = [ down | state | parameters | parked | extra ]      accumulators = [ up ]      world = [ world | clock ]

`down` is what children read of their parent, `up` what parents gather from their children, `state` what goes in and out; `parameters` are
what differs from world to world of what would else be constants; `extra` and `clock` are what an integrator keeps for each joint and for
the world. Parked values, which a recursion keeps between its own sweeps,
lie between, so that the kernels of the dynamics are the same whichever integrator surrounds them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType
from typing import Any

from redmax.errors import TraceError

PARTS = ("down", "up", "state", "extra", "world", "clock", "reuse", "sums", "known_as")
Size = int | str  # a number of scalars, or "q", "v", "vv", "6v" or any other multiple, of the joint's numbers of coordinates and velocities


def frozen_map(entries: Mapping[str, Any]) -> Mapping[str, Any]:
    """A copy that cannot be changed."""
    return MappingProxyType(dict(entries))


@dataclass(frozen=True)
class Fields:
    """The named values of a program."""

    down: Mapping[str, int] = field(default_factory=dict)
    up: Mapping[str, int] = field(default_factory=dict)
    state: Mapping[str, Size] = field(default_factory=dict)
    extra: Mapping[str, Size] = field(default_factory=dict)
    world: Mapping[str, int] = field(default_factory=dict)
    clock: Mapping[str, int] = field(default_factory=dict)
    reuse: Mapping[str, str] = field(default_factory=dict)  # a down field that takes the place of another, no longer read by then
    sums: Mapping[str, Any] = field(default_factory=dict)  # the state fields that forces add to
    known_as: Mapping[str, Any] = field(default_factory=dict)  # to an integrator's sweeps, j.name is this other field, or this thing
    blank: tuple[str, ...] = ()  # state fields that one sweep alone sets: what is always zero is so from the beginning
    lasting: tuple[str, ...] = ()  # the down fields that other recursions read than the one that computes them

    def __post_init__(self) -> None:
        for name in PARTS:
            object.__setattr__(self, name, frozen_map(getattr(self, name)))
        twice = {*self.down, *self.up, *self.state, *self.extra} & {*self.world, *self.clock}
        if twice:  # inputs, outputs and what is kept are found by their names
            raise TraceError(f"A field of joints and one of the world have the same name, {min(twice)!r}. Give one of them another.")

    @cached_property
    def key(self) -> str:
        """Text that identifies the layout, for caches."""
        return repr([*[dict(getattr(self, n)) for n in PARTS], *([self.blank] if self.blank else [])])

    @cached_property
    def found_by_name(self) -> tuple[str, ...]:
        """Those that outlast a recursion: inputs, outputs and what is kept are among them."""
        return (*self.state, *self.extra, *self.world, *self.clock, *self.lasting)

    @cached_property
    def up_size(self) -> int:
        """Scalars that a parent gathers."""
        return sum(self.up.values())

    @cached_property
    def world_size(self) -> int:
        """Scalars of the world's record."""
        return sum(self.world.values()) + sum(self.clock.values())

    @cached_property
    def core(self) -> Fields:
        """Without what an integrator adds: the dynamics' kernels depend on this part alone, and are shared by all integrators."""
        return Fields(down=self.down, up=self.up, state=self.state, world=self.world, reuse=self.reuse, sums=self.sums, blank=self.blank)

    @cached_property
    def down_size(self) -> int:
        """Scalars that children read of their parent; a field in the place of another takes none."""
        return sum(size for name, size in self.down.items() if name not in self.reuse)


@dataclass(frozen=True)
class Layout:
    """Offsets of the fields in the record of one kind of joint."""

    fields: Fields
    nq: int
    nv: int
    parameters: int = 0

    @cached_property
    def sizes(self) -> dict[str, int]:
        """Scalars of the sizes that depend on the kind of joint."""
        return {"q": self.nq, "v": self.nv, "vv": self.nv**2}

    def size(self, size: Size) -> int:
        """Scalars of a field of this kind of joint."""
        if not isinstance(size, str):
            return size
        letters = size.lstrip("0123456789")
        return int(size[: -len(letters)] or 1) * self.sizes[letters]

    def offsets(self, entries: Mapping[str, Size], start: int = 0) -> dict[str, tuple[int, int]]:
        """name -> (offset, size), packed from `start`."""
        result: dict[str, tuple[int, int]] = {}
        for name, size in entries.items():
            scalars = self.size(size)
            result[name] = (start, scalars)
            start += scalars
        return result

    @cached_property
    def down(self) -> dict[str, tuple[int, int]]:
        """name -> (offset, size) in the record, of what children read."""
        own = self.offsets({n: s for n, s in self.fields.down.items() if n not in self.fields.reuse})
        return own | {new: own[old] for new, old in self.fields.reuse.items() if new in self.fields.down}

    @cached_property
    def state(self) -> dict[str, tuple[int, int]]:
        """name -> (offset, size) in the record, of what goes in and out."""
        return self.offsets(self.fields.state, self.fields.down_size)

    @cached_property
    def parameter(self) -> int:
        """Offset of the first parameter."""
        return self.fields.down_size + sum(self.size(s) for s in self.fields.state.values())

    @cached_property
    def parked(self) -> int:
        """Offset of the first parked value."""
        return self.parameter + self.parameters

    def extra(self, parked_size: int) -> dict[str, tuple[int, int]]:
        """name -> (offset, size) of what an integrator keeps, behind so many parked values."""
        return self.offsets(self.fields.extra, self.parked + parked_size)

    def record_size(self, parked_size: int) -> int:
        """Scalars of the whole record, with so many parked values."""
        return self.parked + parked_size + sum(self.size(s) for s in self.fields.extra.values())

    def place(self, name: str, parked_size: int) -> tuple[int, int]:
        """(offset, size) of a joint's field."""
        return self.extra(parked_size).get(name) or self.state.get(name) or self.down[name]

    @cached_property
    def up(self) -> dict[str, tuple[int, int]]:
        """name -> (offset, size) in an accumulator."""
        return self.offsets(self.fields.up)

    @cached_property
    def world(self) -> dict[str, tuple[int, int]]:
        """name -> (offset, size) in the world's record."""
        return self.offsets({**self.fields.world, **self.fields.clock})
