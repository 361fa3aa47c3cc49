"""An operand of a function that crosses a bridge: its shape as a user gives it, and the columns that programs take for it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from operator import add
from typing import Any

import numpy as np

from redmax.errors import SceneError
from redmax.model.model import Model
from redmax.model.parameters import GRAVITY, UPPER, Parameter

PARAMETERS = "parameters"


@dataclass(frozen=True, eq=False)
class Operand:
    """name: as a user says it; of: the input of the program that it is part of, and at: which of its numbers it is.

    shape: in one world; default: the numbers (columns,) that are taken where none is given
    takes: its columns are the mean of these choices among the numbers of the shape; none where they are the numbers as they stand
    """

    name: str
    of: str
    at: np.ndarray
    shape: tuple[int, ...]
    default: np.ndarray
    takes: tuple[tuple[int, ...], ...] = ()

    @property
    def size(self) -> int:
        """How many columns."""
        return len(self.at)

    @property
    def numbers(self) -> np.ndarray:
        """(product of the shape,): the default as a user would give it."""
        if not self.takes:
            return self.default
        found = np.zeros(int(np.prod(self.shape)))
        for take in self.takes:
            found[list(take)] = self.default
        return found

    def slopes(self, columns: np.ndarray) -> np.ndarray:
        """(..., product of the shape) from slopes by columns: `columns` transposed."""
        if not self.takes:
            return columns
        found = np.zeros((*columns.shape[:-1], int(np.prod(self.shape))))
        for take in self.takes:
            for k, place in enumerate(take):
                found[..., place] += columns[..., k] / len(self.takes)
        return found

    def columns(self, flat: Any) -> Any:
        """(..., columns) from numbers (..., product of the shape) in row order, of any library whose arrays take lists of places."""
        if not self.takes:
            return flat
        return reduce(add, [flat[..., list(take)] for take in self.takes]) / float(len(self.takes))


def state_operand(name: str, size: int, default: np.ndarray | None = None) -> Operand:
    """A whole input of a program."""
    return Operand(name, name, np.arange(size), (size,), np.zeros(size) if default is None else default)


def number_operand(name: str, default: float) -> Operand:
    """A number, such as the time."""
    return Operand(name, name, np.zeros(1, int), (), np.full(1, default))


def parameter_operands(model: Model) -> list[Operand]:
    """One for each name of the model's parameters, in the order of their columns."""
    starts = np.cumsum([0, *[p.default.size for p in model.parameters]])
    found: dict[str, Operand] = {}
    for p, start in zip(model.parameters, starts.tolist(), strict=False):
        refuse(p)
        at, known = np.arange(start, start + p.default.size), found.get(p.name)
        if known is None:
            found[p.name] = Operand(p.name, PARAMETERS, at, p.shape, p.default.astype(float), takes(p))
        else:  # gravity, which each link has of its own
            both, times = np.concatenate([known.at, at]), (len(known.at) + len(at)) // p.default.size
            again = tuple(range(p.default.size)) * times
            found[p.name] = Operand(p.name, PARAMETERS, both, p.shape, np.concatenate([known.default, p.default]), (again,))
    return list(found.values())


def takes(p: Parameter) -> tuple[tuple[int, ...], ...]:
    """An inertia is the upper triangle of (I + I') / 2."""
    if p.what != "inertia":
        return ()
    rows, columns = UPPER
    return tuple((3 * rows + columns).tolist()), tuple((3 * columns + rows).tolist())


def refuse(p: Parameter) -> None:
    """Raise where programs take something else than the numbers themselves, which follows from them in Python alone."""
    if p.path and (p.remaking is None or not p.remaking.same):
        why = "what programs take for it is computed outside of them, and has no derivative across a bridge"
        ones = f"such as masses, centres, inertias, springs, numbers of forces, or {GRAVITY!r}"
        said = f"The parameter {p.name!r} cannot cross a bridge: {why}. Name one that is taken as it is, {ones}."
        raise SceneError(said, owner="parameters", argument=p.name)


def by_name(operands: Sequence[Operand]) -> dict[str, Operand]:
    """Each by its name."""
    return {o.name: o for o in operands}
