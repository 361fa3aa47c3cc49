"""A list of nodes that run one after the other, and their way back: of a whole program, or of one turn of a loop.

The reverse of a node reads what the node has read. Where a later one stores to such a slot, the old value is copied away before and
brought back when the reverse comes by; `Planner(..., keep=True)` lays a plan out so that hardly anything is stored to twice.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from redmax.program.activity import Call, Node, Piece
from redmax.program.blocks import Block, Row, Rows, Run, WideRun
from redmax.program.tape import Tape


class Level:
    """reads: slots whose values from before are read; stores: those that may be stored to."""

    def __init__(self, tape: Tape, nodes: Sequence[Node]) -> None:
        self.tape, self.nodes = tape, nodes
        live, gone, stores = (np.zeros(tape.size, bool) for _ in range(3))
        for node in nodes:
            fresh = node.reads[~gone[node.reads]]
            live[fresh], gone[node.replaces], stores[node.stores] = True, True, True
        self.reads, self.stores, self.replaces = (np.flatnonzero(x) for x in (live, stores, gone))
        self.saved: dict[int, list[tuple[int, int]]] = {}  # number of a node -> (slot, where its old value is kept)

    @property
    def active(self) -> bool:
        """Whether the way back does anything."""
        return any(node.active for node in self.nodes)

    def forwards(self, varied: np.ndarray) -> None:
        """Note what varies."""
        self.version = np.zeros(self.tape.size, int)
        for node in self.nodes:
            node.forwards(varied, self.version)
            varied[self.tape.held] = False
        self.lasting = self.version == 1
        for node in self.nodes:  # what was read before it was stored to had a value before
            self.lasting[node.early()] = False

    def backwards(self, reached: np.ndarray) -> None:
        """Find what each reverse does."""
        for node in reversed(self.nodes):
            node.backwards(reached, self.lasting)

    def settle(self) -> None:
        """The analysis is done: reserve room for the old values that are needed."""
        needed = set().union(*[node.needed(self.version) for node in self.nodes])
        for n, node in enumerate(self.nodes):
            node.settle()
            kept = needed & node.replaced() if needed else set()
            if isinstance(node, Call):
                node.check(kept)
            start = self.tape.reserve(len(kept))
            self.saved[n] = [(s, start + k) for k, s in enumerate(sorted(s for s, _ in kept))]

    @property
    def changed(self) -> np.ndarray:
        """(slots,) whether the way back leaves other values there."""
        found = np.zeros(self.tape.size, bool)
        for n, node in enumerate(self.nodes):
            found[[s for s, _ in self.saved[n]]] = True
            if node.again and node.active:
                found[node.stores] = True
        return found

    def ahead(self, first: bool) -> list[Piece]:
        """Forwards, with copies of what the way back needs."""
        pieces: list[Piece] = []
        for n, node in enumerate(self.nodes):
            pieces += self.tape.copies([(place, 2 * s) for s, place in self.saved[n]], 1, 2)
            pieces += node.ahead(first) if node.active else node.plain(first)
        return pieces

    def plain(self, first: bool) -> list[Piece]:
        """Forwards alone."""
        return [piece for node in self.nodes for piece in node.plain(first)]

    def back(self) -> list[Piece]:
        """The nodes reversed."""
        pieces: list[Piece] = []
        for n in reversed(range(len(self.nodes))):
            node = self.nodes[n]
            restored = self.tape.copies([(2 * s, place) for s, place in self.saved[n]], 2, 1)
            reverse = node.back() if node.active else []
            pieces += [*reverse, *restored] if node.again else [*restored, *reverse]
        return pieces


def blocks_of(pieces: Sequence[Piece]) -> tuple[Block, ...]:
    """Rows and tables in order, those of one kind together; other blocks as they are."""
    blocks: list[Block] = []
    for piece in pieces:
        last = blocks[-1] if blocks else None
        if isinstance(piece, Row):
            blocks[len(blocks) - isinstance(last, Run) :] = [Run((*(last.rows if isinstance(last, Run) else ()), piece))]
        elif isinstance(piece, Rows):
            blocks[len(blocks) - isinstance(last, WideRun) :] = [WideRun((*(last.tables if isinstance(last, WideRun) else ()), piece))]
        else:
            blocks.append(piece)
    return tuple(blocks)
