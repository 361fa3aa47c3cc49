"""Which worlds of a batch broke off, as a result file keeps it: a text in blocks of fixed length, its checksum in front.

There is room for every world: where all sentences are too long for it together, each is cut to its share, and no world is left out.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from typing import Any
from zlib import crc32

import numpy as np

from redmax.run.failures import Failure

NAME = "status/failures"
BYTES = 64 * 2**10  # of a block
EACH = 256  # bytes that a world has at least
DTYPE = f"S{BYTES}"
ABOUT = "of a batch: a checksum and, as JSON, [world, t of its last sample, joint, reason, adaptive steps] of each world that broke off"
CHECK = 8  # letters of the checksum
CUT = "..."


def blocks_of(batch: tuple[int, ...]) -> int:
    """How many blocks a batch may need."""
    return 1 + math.prod(batch) * EACH // BYTES


def encoded(failures: Sequence[Failure], blocks: int) -> list[bytes]:
    """The text, in at most so many blocks."""
    entries = [entry_of(f, f.joint, f.reason) for f in failures]
    room = blocks * BYTES - CHECK - 2
    if sum(map(len, entries)) + len(entries) > room:
        entries = [shortened(f, room // len(entries) - 1) for f in failures]
    text = f"[{','.join(entries)}]".encode()
    whole = f"{crc32(text):08x}".encode() + text if failures else b""
    return [whole[k : k + BYTES] for k in range(0, len(whole), BYTES)]


def entry_of(f: Failure, joint: str, reason: str) -> str:
    """One world, in letters of ASCII."""
    return json.dumps([list(f.world), f.t, joint, reason, *([f.steps] if f.steps else [])])


def shortened(f: Failure, most: int) -> str:
    """One world in at most so many letters: of the sentence, and if need be of the joint's name, as much as there is room for."""
    joint, reason = f.joint, f.reason
    while (over := len(entry := entry_of(f, joint, reason)) - most) > 0 and joint + reason:
        if reason:
            reason = clipped(reason, over)
        else:
            joint = clipped(joint, over)
    return entry


def clipped(text: str, over: int) -> str:
    """The text without its last letters, as many as are over, and a mark for them."""
    kept = text.removesuffix(CUT)[: -over - len(CUT)]
    return kept + CUT if kept else ""


def decoded(data: bytes, batch: tuple[int, ...]) -> tuple[Failure, ...]:
    """What was encoded, its blocks one after the other; nothing where it is not as it was written, or is of another batch."""
    check, text = data[:CHECK], data[CHECK:]
    if not text or f"{crc32(text):08x}".encode() != check:
        return ()
    try:
        return tuple(failure(entry, batch) for entry in json.loads(text))
    except (ValueError, TypeError, RecursionError):
        return ()


def failure(entry: Any, batch: tuple[int, ...]) -> Failure:
    """One of them; ValueError if it is none."""
    world, t, joint, reason, *counted = entry
    steps = counted[0] if counted else 0
    place = tuple(int(k) for k in world)
    if len(place) != len(batch) or not all(0 <= k < n for k, n in zip(place, batch, strict=True)) or not math.isfinite(t):
        raise ValueError("a world that is not in the batch")
    if len(counted) > 1 or not isinstance(steps, int) or steps < 0:
        raise ValueError("no number of steps")
    return Failure(place, float(t), str(joint), str(reason), steps=steps)


def stored_failures(file: Any, batch: tuple[int, ...]) -> tuple[Failure, ...]:
    """Those of a result file."""
    if not batch or not file.has(NAME):
        return ()
    blocks = file.dataset(NAME, np.dtype(DTYPE), (None,))
    return decoded(b"".join(blocks[: blocks_of(batch)].tolist()), batch)
