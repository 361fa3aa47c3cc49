"""Arrays in a file: short ones as lists of numbers, long ones as their bytes (little-endian), in base64."""

from __future__ import annotations

import base64
import binascii
from typing import Any

import numpy as np

INLINE = 128  # numbers that are written one by one
MOST = 20_000_000  # numbers of an array of a file
BLANKS = b" \t\r\n"  # that the data may be broken by
TYPES = {"float64": "<f8", "int64": "<i8", "bool": "|b1"}


def encoded(array: np.ndarray) -> Any:
    """What is written for an array: nested lists if it is short, else its type, shape and bytes."""
    if array.size <= INLINE:
        return array.tolist()
    kind = {"f": "float64", "i": "int64", "u": "int64", "b": "bool"}[array.dtype.kind]
    data = base64.b64encode(np.ascontiguousarray(array, TYPES[kind]).tobytes()).decode()
    lines = [data[i : i + 120] for i in range(0, len(data), 120)]
    return {"array": {"type": kind, "shape": list(array.shape), "data": "\n".join(lines) + "\n"}}


def decoded(kind: str, shape: list[int], data: str) -> np.ndarray:
    """The array, or a ValueError that says what is wrong."""
    if not all(n >= 0 for n in shape) or len(shape) > 8:
        raise ValueError(f"the shape of an array is {str(shape)[:60]}, expected at most 8 whole numbers from 0 up")
    count = 1
    for n in shape:
        count *= n
    if count > MOST:
        raise ValueError(f"an array has {count} numbers, expected at most {MOST}")
    try:
        raw = base64.b64decode(data.encode("ascii").translate(None, BLANKS), validate=True)
    except (binascii.Error, ValueError):
        raise ValueError("the data of an array are not base64") from None
    dtype = np.dtype(TYPES[kind])
    if len(raw) != count * dtype.itemsize:
        raise ValueError(f"the data of an array are {len(raw)} bytes, expected {count * dtype.itemsize} for its shape")
    array = np.frombuffer(raw, dtype).reshape(shape)
    if kind == "bool" and np.any(np.frombuffer(raw, np.uint8) > 1):
        raise ValueError("the data of an array of truth values have others than 0 and 1")
    if not np.isfinite(array).all():
        raise ValueError("an array has numbers that are not finite")
    return array.astype(dtype.newbyteorder("="))
