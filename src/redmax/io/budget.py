"""What reading one scene, with all files that it includes, may cost: one budget of work and one of memory.

Every thing that takes long or much memory has its price in one table, and is paid for before it is made, so that no small file can ask
for more than a moment. Prices are what the things take, in microseconds of an ordinary core and in bytes, from the text to the model.
The budget is about files: what is made in Python is not limited.
"""

from __future__ import annotations

import os
from collections import defaultdict
from math import ceil, isfinite
from typing import NamedTuple

from redmax.errors import SceneError

WORK = 1_000_000  # microseconds
MEMORY = 300 * 10**6  # bytes
VARIABLE = "REDMAX_BUDGET"


class Price(NamedTuple):
    """work: microseconds; memory: bytes; each of one."""

    work: float
    memory: float


PRICES = {
    # what a file is made of
    "bytes of text": Price(0.02, 8),
    "items": Price(7, 900),
    "characters of expressions": Price(0.9, 80),
    "expressions": Price(30, 2_000),
    "characters of names": Price(0.02, 12),
    "numbers of arrays": Price(0.06, 80),
    "numbers of tables": Price(0.4, 130),
    "mistakes": Price(1_500, 2_000),
    # what is made of it
    "objects": Price(70, 3_000),
    "bodies": Price(130, 8_000),
    "forces": Price(200, 8_000),
    "deformables": Price(900, 20_000),
    "operations of functions": Price(2, 80),
    "points of paths": Price(100, 4_000),
    "nodes of deformables": Price(9, 1_700),
    "tetrahedra": Price(9, 1_200),
    "elements of deformables": Price(0.6, 400),
    "nodes kept before": Price(0.06, 0),
    "corners of polygons": Price(5, 800),
    "polygons": Price(250, 2_000),
    "pairs of edges to compare": Price(0.5, 0),
    "faces of meshes": Price(0.9, 500),
    "frames": Price(50, 2_000),
    "control points": Price(15, 1_000),
}


class OverBudget(Exception):
    """A sentence: what was too much, and how to have it anyway."""


class Budget:
    """factor: how many times the usual budget. place: the file and the line that are being read. spent: how many of each thing."""

    def __init__(self, factor: float | None = None) -> None:
        self.factor = usual() if factor is None else checked(factor, "budget")
        self.place: tuple[str, int] = ("", 1)
        self.work, self.memory = 0.0, 0.0
        self.spent: defaultdict[str, float] = defaultdict(float)

    @property
    def share(self) -> float:
        """How much of it is used, from 0 to 1."""
        return max(self.work / (WORK * self.factor), self.memory / (MEMORY * self.factor))

    def charge(self, what: str, count: float = 1) -> None:
        """Pay for something, or raise OverBudget."""
        price = PRICES[what]
        self.pay(what, count, count * price.work, count * price.memory)

    def operations(self, count: int, memory: int) -> None:
        """Pay for operations of traces. memory: bytes that they take for a moment."""
        price = PRICES["operations of functions"]
        if self.memory + memory > MEMORY * self.factor:
            raise OverBudget(self.sentence("operations of functions", count, (self.memory + memory) / MEMORY, "memory"))
        self.pay("operations of functions", count, count * price.work, count * price.memory)

    def room(self, what: str) -> int:
        """How many of something can still be paid for."""
        price = PRICES[what]
        left = (WORK * self.factor - self.work) / price.work, (MEMORY * self.factor - self.memory) / max(price.memory, 1e-9)
        return max(0, int(min(left)))

    def pay(self, what: str, count: float, work: float, memory: float) -> None:
        """What is refused is not paid for."""
        for used, whole, account in ((self.work + work, WORK, "work"), (self.memory + memory, MEMORY, "memory")):
            if not used <= whole * self.factor:
                raise OverBudget(self.sentence(what, self.spent[what] + count, used / whole, account))
        self.spent[what] += count
        self.work, self.memory = self.work + work, self.memory + memory

    def sentence(self, what: str, count: float, times: float, account: str) -> str:
        """times: how often the usual budget was needed to get this far."""
        enough = max(2, ceil(1.2 * times)) if times < 1e6 else float(f"{1.2 * times:.1e}")
        need = f"{times / self.factor:.3g} times" if times > 1.01 * self.factor else "more than"
        ways = f"--budget {enough:g}, Scene.load(path, budget={enough:g}) or {VARIABLE}={enough:g}"
        return (
            f"with {counted(count)} {what} the scene takes {need} the budget of {account} that reading one may take. "
            f"Ask for less, or raise it for a file that you trust: {ways}."
        )


def counted(count: float) -> str:
    """A number as a person reads it."""
    return f"{count:,.0f}" if count < 1e15 else f"{count:.3g}"


def checked(factor: object, name: str) -> float:
    """A factor of the budget, or an error that says what it is called; name: of the argument or variable."""
    if isinstance(factor, bool) or not isinstance(factor, int | float) or not isfinite(factor) or factor <= 0:
        raise SceneError(f"{name} is {factor!r}, expected a number greater than 0: how many times the usual budget reading may take.")
    return float(factor)


def usual() -> float:
    """What REDMAX_BUDGET says, or 1."""
    text = os.environ.get(VARIABLE, "")
    try:
        return checked(float(text), VARIABLE) if text else 1.0
    except ValueError:
        raise SceneError(f"{VARIABLE} is {text!r}, expected a number greater than 0, such as 10.") from None
