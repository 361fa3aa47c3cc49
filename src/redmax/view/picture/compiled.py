"""Routines of pictures as compiled code: each is called on one array of single precision, in which all that it reads and writes has a part.

The code is kept with the kernels of the dynamics, and found by its content. It runs without Python's lock: threads draw side by side.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from functools import cache
from math import prod
from typing import Any

import numpy as np

from redmax.backends.llvm.engine import content_key, library
from redmax.backends.llvm.module import module_text
from redmax.backends.llvm.target import host
from redmax.program.routines.routine import Routine
from redmax.program.routines.views import Matrix

TYPE = "float"
CALL = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)
Single = np.ndarray  # of single precision


class Memory:
    """Parts of one array, by name; a routine gets them as vectors and matrices."""

    def __init__(self, **shapes: tuple[int, ...]) -> None:
        self.shapes, self.places, end = shapes, {}, 0
        for name, shape in shapes.items():
            self.places[name] = end
            end += prod(shape)
        self.array = np.zeros(end + 1, np.float32)

    def part(self, name: str) -> Single:
        """A view, in its shape."""
        place, shape = self.places[name], self.shapes[name]
        return self.array[place : place + prod(shape)].reshape(shape)

    def put(self, **values: Any) -> None:
        """Fill parts from the first entry on."""
        for name, value in values.items():
            given = np.asarray(value, np.float32).ravel()
            self.array[self.places[name] : self.places[name] + given.size] = given

    def call(self, routine: Routine, *given: str | int) -> None:
        """Run a routine on parts, by their names, and whole numbers."""
        words = [self.word(kind, value) for kind, value in zip(routine.parameters.values(), given, strict=True)]
        row = np.array([0, self.array.size, *routine.row(*words)[1:]], np.int64)
        code(routine)(row.ctypes.data, 0, self.array.ctypes.data)

    def word(self, kind: type, value: str | int) -> Any:
        """What a row has for an argument of a kind."""
        if not isinstance(value, str):
            return int(value)
        return (self.places[value], self.shapes[value][-1]) if kind is Matrix else self.places[value]


@cache
def code(routine: Routine) -> Callable[..., None]:
    """The compiled function of a routine: of the address of its row, of nothing, and of its memory."""
    key = content_key("picture", routine.key(""), TYPE, host().key)
    name = f"k{key}_0"
    found = library().function(key, lambda: module_text([(name, routine)], TYPE), [name])
    call = CALL(found.addresses[name])
    call.held = found  # type: ignore[attr-defined]  # the code lives as long as what calls it
    return call
