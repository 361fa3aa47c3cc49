"""The relation (force, the bodies it touches): kernels that see several joints at once, between the sweeps of a recursion.

A law is a short function over its members, as a sweep is over one joint and its parent:

    def act(b, c, w, part):
        b[0].applied += wrench                 # adds to a field of the first member
        w.gather("potential", V)               # adds to a sum over the model
        block(0, 1)[...] = K                   # where the part asks for stiffness: adds to the block of two members

It is traced once for each kind of law and of members, and the kernel runs for every force of that kind, reading the members' records
where they are. `b[i].name` reads a field of the i-th member; `c` are the force's own constants, data of the kernel.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from redmax.program.fields import Fields, Layout
from redmax.program.group import Kernels, Meta
from redmax.program.kernel import CONSTANTS, KEPT, PARAMETERS, Kernel
from redmax.program.known_kernels import remembered
from redmax.program.member import KeptView, MemberView
from redmax.program.record import Tracing, WorldView
from redmax.program.sweep import Part
from redmax.trace import Graph

if TYPE_CHECKING:
    from redmax.program.blocks import WideRun
    from redmax.program.plan import Planner


class InteractionLaw(Protocol):
    """What kernels over several joints are traced from: short functions over the members of a force."""

    @property
    def text(self) -> str:
        """All that its kernels depend on besides the package's source."""
        ...

    @property
    def of_bodies(self) -> bool:
        """Whether it asks for nothing of its members but where they are and how they move, so that their coordinates do not matter."""
        ...

    def pairs(self, part: Part) -> Sequence[tuple[int, int]]:
        """The pairs (i, j) of members that get a block in this part; ~i: of the coordinates of member i's joint, not of its body."""
        ...

    def block_size(self, part: Part) -> int:
        """How many numbers a block of this part has."""
        ...

    @property
    def act(self) -> Callable[..., dict[tuple[int, int], Any]]:
        """(part, members, constants, w) -> the blocks, (i, j) -> as many numbers as they have; adds to the members and to the world.

        One that keeps numbers takes kept= too, a KeptView of them.
        """
        ...


@dataclass(frozen=True, eq=False)
class Acting:
    """Forces of one law. members: (forces, n) numbers of joints; constants: (forces, d); parameters: (constant, column) that differ.

    kept: how many numbers each keeps in a world's memory, which its kernels read and write: those of constraints, their rows
    """

    law: InteractionLaw
    members: np.ndarray
    constants: np.ndarray
    parameters: tuple[tuple[int, int], ...] = ()
    kept: int = 0

    @property
    def columns(self) -> int:
        """How many numbers each force has of its own in each world."""
        return 1 + max((k for _, k in self.parameters), default=-1)


@dataclass(frozen=True, eq=False)
class InteractionKernels(Kernels):
    """The kernel of one part of a law, for members of these sizes (nq, nv)."""

    law: InteractionLaw
    part: Part
    fields: Fields
    sizes: tuple[tuple[int, int], ...]
    constants: int
    parameters: tuple[tuple[int, int], ...] = ()
    kept: int = 0

    def key(self, source: str) -> str:
        """Of the law's text, the part, the layout and the members' sizes."""
        own = [*([repr(self.parameters)] if self.parameters else []), *([str(self.kept)] if self.kept else [])]
        text = "\n".join([source, self.law.text, self.part, self.fields.key, repr(self.sizes), str(self.constants), *own])
        return hashlib.sha256(text.encode()).hexdigest()

    @property
    def places(self) -> tuple[str, ...]:
        """The force's constants, its parameters and what it keeps, if there are any, then each member's record, then each block."""
        own = [*([PARAMETERS] if self.parameters else []), *([KEPT] if self.kept else [])]
        members = [*own, *[f"member{i}" for i in range(len(self.sizes))]]
        return (CONSTANTS, *members, *[block_name(*pair) for pair in self.law.pairs(self.part)])

    @cached_property
    def kernels(self) -> list[Kernel]:
        """[the law's part], traced once for members of these sizes."""
        return remembered(self.key(""), self.trace)

    def trace(self) -> list[Kernel]:
        """Let the law act on views that record what it adds."""
        graph = Graph()
        t = Tracing(graph, Layout(self.fields, 0, 0), {}, {}, {})
        members = [MemberView(t, f"member{i}", Layout(self.fields, nq, nv)) for i, (nq, nv) in enumerate(self.sizes)]
        constants = t.vector(CONSTANTS, 0, self.constants)
        for i, k in self.parameters:
            constants[i] = graph.input(PARAMETERS, k)
        kept = {"kept": KeptView(t, self.kept)} if self.kept else {}
        blocks = self.law.act(self.part, members, constants, WorldView(t), **kept)
        for (i, j), block in blocks.items():
            t.store(block_name(i, j), 0, self.law.block_size(self.part), block, "block", accumulate=True)
        kernel = Kernel(self.part, tuple(t.stores), self.places)
        kernel.check_constants(self.constants)
        return [kernel]

    @cached_property
    def meta(self) -> Meta:
        """Nothing is parked between the parts of a law."""
        kernel = self.kernels[0]
        return Meta(0, (kernel.operations,), (bool(kernel.stores),))

    def units(self, places: int) -> list[str]:
        """The first place counts constants, all others memory."""
        return ["constants", *["memory"] * (places - 1)]


def block_name(i: int, j: int) -> str:
    """Of the place of a block, for members i and j."""
    return f"block{i}x{j}".replace("-", "not")


def numbered(members: Any, i: int) -> Any:
    """The number of the i-th member's joint, of one force or of many; of its coordinates, ~ of that."""
    return members[i] if i >= 0 else ~members[~i]


def coupled_pairs(acting: Sequence[Acting], part: Part) -> list[tuple[int, int]]:
    """The pairs of joints that a part couples, in the order of their blocks."""
    found: dict[tuple[int, int], None] = {}
    for a in acting:
        for i, j in a.law.pairs(part):
            found |= dict.fromkeys((numbered(row, i), numbered(row, j)) for row in a.members.tolist())
    return list(found)


class Interactions:
    """The forces of a program: their constants behind those of the joints, their blocks behind the columns in memory."""

    def __init__(self, planner: Planner, acting: Sequence[Acting]) -> None:
        self.planner, self.acting = planner, acting
        first = int(planner.constant_start[-1])
        sizes = [a.constants.size for a in acting]
        self.starts = first + np.concatenate([[0], np.cumsum(sizes)]).astype(int)
        self.constants = [a.constants.ravel() for a in acting]
        self.place_blocks(dict.fromkeys(Part(s.name) for r in planner.program.recursions for s in r.sweeps if s.order == "interactions"))
        self.base = planner.reserve(self.size)
        self.own = [planner.reserve(len(a.members) * a.columns) for a in acting]
        self.kept = [planner.reserve(len(a.members) * a.kept) for a in acting]

    def place_blocks(self, parts: Iterable[Part]) -> None:
        """A block for each pair that some part couples, in the order in which they come up, as long as the longest that is asked for."""
        met = [
            (self.key(numbered(a.members.T, i), numbered(a.members.T, j)), a.law.block_size(part))
            for part in parts
            for a in self.acting
            for i, j in a.law.pairs(part)
        ]
        pairs = np.concatenate([np.zeros(0, np.int64), *[keys for keys, _ in met]])
        sizes = np.concatenate([np.zeros(0, np.int64), *[np.full(len(keys), size) for keys, size in met]])
        self.keys, first, number = np.unique(pairs, return_index=True, return_inverse=True)
        longest = np.zeros(len(self.keys), np.int64)
        np.maximum.at(longest, number, sizes)
        order = np.argsort(first)
        starts = np.concatenate([[0], np.cumsum(longest[order])]).astype(np.int64)
        self.offset = np.empty(len(self.keys), np.int64)
        self.offset[order] = starts[:-1]
        self.size = int(starts[-1])  # of all blocks
        joints = len(self.planner.record)
        self.pairs: list[tuple[int, int]] = [
            (key // (2 * joints) - joints, key % (2 * joints) - joints) for key in self.keys[order].tolist()
        ]

    def key(self, i: Any, j: Any) -> Any:
        """A number for each pair, of which either may be ~i."""
        joints = len(self.planner.record)
        return (np.asarray(i, np.int64) + joints) * (2 * joints) + j + joints

    def parameter_slots(self) -> np.ndarray:
        """Of the parameters of all forces, in order."""
        sizes = [len(a.members) * a.columns for a in self.acting]
        return np.concatenate([np.zeros(0, np.int64), *[np.arange(b, b + n) for b, n in zip(self.own, sizes, strict=True)]])

    @cached_property
    def sizes(self) -> list[tuple[int, int]]:
        """(nq, nv) of each joint."""
        return [(s.nq, s.nv) for s in self.planner.signatures]

    @cached_property
    def alike(self) -> list[tuple[int, int]]:
        """The same of the first joint that gathers what forces add at the same places of its record: a kernel serves all of these."""
        fields, first = self.planner.program.fields.core, dict[Any, tuple[int, int]]()
        found: dict[tuple[int, int], tuple[int, int]] = {}
        for sizes in dict.fromkeys(self.sizes):
            layout = Layout(fields, *sizes)
            found[sizes] = first.setdefault(tuple(layout.state[n] for n, size in fields.sums.items() if isinstance(size, int)), sizes)
        return [found[sizes] for sizes in self.sizes]

    def slots(self) -> np.ndarray:
        """Of all blocks, in order."""
        return np.arange(self.base, self.base + self.size, dtype=np.int64)

    def block(self, i: int, j: int) -> int:
        """Where the block of two joints lies in memory."""
        return self.at_pair[i, j]

    @cached_property
    def at_pair(self) -> dict[tuple[int, int], int]:
        """Where the block of each pair lies."""
        i, j = np.array(self.pairs, np.int64).reshape(-1, 2).T
        return dict(zip(self.pairs, self.places(i, j).tolist(), strict=True))

    def places(self, i: np.ndarray, j: np.ndarray) -> np.ndarray:
        """Where the blocks of pairs of joints lie."""
        return self.base + self.offset[np.searchsorted(self.keys, self.key(i, j))]

    def run(self, part: Part) -> WideRun:
        """The rows of one part of all forces: a table for each law and kind of members."""
        from redmax.program.blocks import Rows, WideRun

        tables: list[Rows] = []
        record = np.asarray(self.planner.record)
        for a, start, own, kept in zip(self.acting, self.starts, self.own, self.kept, strict=False):
            if part.of_rows != bool(a.kept):
                continue
            count = a.constants.shape[1]
            starts = start + count * np.arange(len(a.members))
            sizes_of = self.alike if a.law.of_bodies else self.sizes
            kinds = [[sizes_of[m] for m in row] for row in a.members.tolist()]
            for sizes in dict.fromkeys(map(tuple, kinds)):
                chosen = [n for n, kind in enumerate(kinds) if tuple(kind) == sizes]
                group = InteractionKernels(a.law, part, self.planner.program.fields.core, sizes, count, a.parameters, a.kept)
                members = a.members[chosen]
                blocks = [self.places(numbered(members.T, i), numbered(members.T, j))[:, None] for i, j in a.law.pairs(part)]
                parameters = own + a.columns * np.array(chosen)[:, None] if a.parameters else np.zeros((len(chosen), 0), int)
                rows = kept + a.kept * np.array(chosen)[:, None] if a.kept else np.zeros((len(chosen), 0), int)
                columns = [starts[chosen][:, None], parameters, rows, record[members], *blocks]
                tables.append(Rows(group, np.concatenate(columns, axis=1)))
        return WideRun(tuple(tables))
