"""Whether the parts of a C3D file lie within it. The package that reads it trusts them, and never ends on a file that was cut off.

A file is blocks of 512 bytes: a header, records of parameters that each say where the next one is, and frames (the C3D file format, user
guide of Motion Lab Systems, chapters 2 to 4).
"""

from __future__ import annotations

from math import prod

BLOCK = 512
KEY = 0x50  # the second byte of every C3D file
BIG = 86  # the processor whose numbers begin with the highest byte
WIDTHS = {-1: 1, 1: 1, 2: 2, 4: 4}  # bytes of an element of a parameter, by the number of its type


class Broken(Exception):
    """What is wrong with the layout."""


def check_layout(data: bytes) -> None:
    """Raise Broken unless header, parameters and frames are all within the file."""
    if len(data) < 2 * BLOCK or data[1] != KEY:
        raise Broken("it does not begin as one")
    start = (data[0] - 1) * BLOCK
    if start < BLOCK or start + 4 > len(data):
        raise Broken("its parameters lie outside it")
    order = "big" if data[start + 3] == BIG else "little"
    end = start + BLOCK * data[start + 2]
    if end > len(data):
        raise Broken("it was cut off within its parameters")
    check_records(data, start + 4, end, order)
    check_frames(data, order)


def word(data: bytes, at: int, order: str, signed: bool = False) -> int:
    return int.from_bytes(data[at : at + 2], order, signed=signed)  # type: ignore[arg-type]


def check_records(data: bytes, at: int, end: int, order: str) -> None:
    """Follow the records of groups and parameters to the last one."""
    while True:
        if at + 2 > end:
            raise Broken("its parameters have no end")
        letters, group = (int.from_bytes(data[i : i + 1], "little", signed=True) for i in (at, at + 1))
        if letters == 0:
            return
        link = at + 2 + abs(letters)
        if group == 0 or link + 3 > end:
            raise Broken("a parameter of it lies outside them")
        after = word(data, link, order, signed=True)
        if group > 0:
            check_parameter(data, link + 2, end)
        if after == 0:
            return
        if after < 3 or link + after > end:
            raise Broken("a parameter of it lies outside them")
        at = link + after


def check_parameter(data: bytes, at: int, end: int) -> None:
    """Its type, its shape and its values."""
    kind, dimensions = int.from_bytes(data[at : at + 1], "little", signed=True), data[at + 1] if at + 1 < end else 255
    if kind not in WIDTHS or dimensions > 7 or at + 2 + dimensions > end:
        raise Broken("a parameter of it has no type or shape")
    if at + 2 + dimensions + WIDTHS[kind] * prod(data[at + 2 : at + 2 + dimensions]) > end:
        raise Broken("a parameter of it is longer than they are")


def check_frames(data: bytes, order: str) -> None:
    """The size of all frames, by the header."""
    points, analog, first, last = (word(data, at, order) for at in (2, 4, 6, 8))
    begin = (word(data, 16, order) - 1) * BLOCK
    whole_numbers = data[15 if order == "little" else 12] < 0x80  # the scale is negative where coordinates are floats
    size = (2 if whole_numbers else 4) * (4 * points + analog)
    if begin < BLOCK or last < first:
        raise Broken("it says no place for its frames")
    if begin + size * (last - first + 1) > len(data):
        raise Broken("it was cut off within its frames")
