"""What a program reversed keeps of the turns of its loops: routines that put values on a stack of so many rows, and take them from it.

Each world counts its turns by itself. Rows beyond the last that there is room for fall on it; the count tells that they are missing.
"""

from __future__ import annotations

from redmax.math import where
from redmax.program.routines.routine import routine
from redmax.program.routines.views import Places, Vector, Whole, whole


@routine
def push(stack: Vector, count: Vector, size: Whole, most: Whole, values: Places) -> None:
    """The next row: these values."""
    k = min(whole(count[0]), most - 1)
    for i in range(size):
        stack[k * size + i] = values[i][0]
    count[0] += 1.0


@routine
def pop(stack: Vector, count: Vector, size: Whole, most: Whole, values: Places) -> None:
    """The last row goes back to where it came from."""
    count[0] -= 1.0
    k = min(whole(count[0]), most - 1)
    for i in range(size):
        values[i][0] = stack[k * size + i]


@routine
def look(stack: Vector, count: Vector, size: Whole, most: Whole, values: Places) -> None:
    """The last row is read, and stays."""
    k = min(whole(count[0]), most) - 1
    for i in range(size):
        values[i][0] = stack[k * size + i]


@routine
def add_row(stack: Vector, count: Vector, size: Whole, most: Whole, values: Places) -> None:
    """The last row is taken, and added to these."""
    count[0] -= 1.0
    k = min(whole(count[0]), most - 1)
    for i in range(size):
        values[i][0] += stack[k * size + i]


@routine
def move_row(stack: Vector, count: Vector, size: Whole, most: Whole, values: Places) -> None:
    """These values go to the last row, which counts no longer, and are zero then."""
    count[0] -= 1.0
    k = min(whole(count[0]), most - 1)
    for i in range(size):
        stack[k * size + i] = values[i][0]
        values[i][0] = 0.0


@routine
def move_each(count: Whole, to: Places, source: Places) -> None:
    """Single values go to where they belong."""
    for i in range(count):
        to[i][0] = source[i][0]


@routine
def add_each(count: Whole, to: Places, source: Places) -> None:
    """The same, added to what is there."""
    for i in range(count):
        to[i][0] += source[i][0]


@routine
def clear_each(count: Whole, to: Places) -> None:
    """Zeros, at single places."""
    for i in range(count):
        to[i][0] = 0.0


@routine
def clear_rows(stack: Vector, size: Whole) -> None:
    """Zeros."""
    stack[0:size] = 0.0


@routine
def empty(count: Vector, flag: Vector) -> None:
    """Whether no turn is left."""
    flag[0] = where(count[0] > 0.5, 0.0, 1.0)


@routine
def rows_there(count: Vector, flags: Vector, capacity: Whole) -> None:
    """Of each row that there may be, whether it is there."""
    for k in range(capacity):
        flags[k] = where(count[0] >= float(k + 1), 1.0, 0.0)


@routine
def longest(count: Vector, most: Vector) -> None:
    """The largest count so far."""
    most[0] = max(most[0], count[0])


@routine
def refuse(most: Vector, room: Whole, size: Whole, values: Places) -> None:
    """No numbers, where a loop took more turns than there was room for."""
    good = where(most[0] > float(room) + 0.5, 0.0, 1.0)
    for i in range(size):
        values[i][0] /= good
