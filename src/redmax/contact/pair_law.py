"""Laws of pairs as kernels of a program: numbers of a pair of shapes that do not follow from its two surfaces by the usual rule, as data.

Kept are those of OF_PAIRS (contact/material.py), then how easily both bodies begin to turn, the mean of I^-1 of what can move (1/(kg m^2)).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from redmax.contact.material import NUMBERS, OF_PAIRS
from redmax.program.member import KeptView, MemberView
from redmax.program.record import WorldView
from redmax.program.sweep import Part

TORSIONAL, ROLLING, TURNS = len(NUMBERS), len(NUMBERS) + 1, len(OF_PAIRS)
PAIR_NUMBERS = len(OF_PAIRS) + 1


@dataclass(frozen=True, eq=False)
class PairLaw:
    """Of all pairs."""

    text: str = "contact pair"
    of_bodies: bool = True

    def pairs(self, part: Part) -> Sequence[tuple[int, int]]:
        return ()

    def block_size(self, part: Part) -> int:
        return part.block

    def act(self, part: Part, members: Sequence[MemberView], constants: Any, w: WorldView, kept: KeptView) -> dict[tuple[int, int], Any]:
        """Put the numbers where routines find them."""
        if part is Part.SHAPES:
            kept.store(0, list(constants), "pair")
        return {}
