"""Which worlds of a batch broke off, as a result file keeps it: a text of fixed length, its checksum in front, with as many as it holds."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from typing import Any
from zlib import crc32

import numpy as np

from redmax.run.failures import Failure

NAME = "status/failures"
BYTES = 64 * 2**10
DTYPE, ABOUT = f"S{BYTES}", "of a batch: a checksum and, as JSON, [world, t of its last sample, joint, reason] of each world that broke off"
CHECK = 8  # letters of the checksum


def encoded(failures: Sequence[Failure]) -> bytes:
    """The text; sentences that do not fit are left out, from the last."""
    found, size = [], CHECK + 2
    for f in failures:
        entry = json.dumps([list(f.world), f.t, f.joint, f.reason])
        size += len(entry) + 1
        if size > BYTES:
            break
        found.append(entry)
    text = f"[{','.join(found)}]".encode()
    return f"{crc32(text):08x}".encode() + text if failures else b""


def decoded(data: bytes, batch: tuple[int, ...]) -> tuple[Failure, ...]:
    """What was encoded; nothing where it is not as it was written, or is of another batch."""
    check, text = data[:CHECK], data[CHECK:]
    if not text or f"{crc32(text):08x}".encode() != check:
        return ()
    try:
        return tuple(failure(entry, batch) for entry in json.loads(text))
    except (ValueError, TypeError, RecursionError):
        return ()


def failure(entry: Any, batch: tuple[int, ...]) -> Failure:
    """One of them; ValueError if it is none."""
    world, t, joint, reason = entry
    place = tuple(int(k) for k in world)
    if len(place) != len(batch) or not all(0 <= k < n for k, n in zip(place, batch, strict=True)) or not math.isfinite(t):
        raise ValueError("a world that is not in the batch")
    return Failure(place, float(t), str(joint), str(reason))


def stored_failures(file: Any, batch: tuple[int, ...]) -> tuple[Failure, ...]:
    """Those of a result file."""
    return decoded(file.dataset(NAME, np.dtype(DTYPE), (1,))[0], batch) if batch and file.has(NAME) else ()
