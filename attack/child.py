"""A process that makes attempts, one for each number that it is told: `python -m attack.child PART FOLDER SEED [quick]`.

It answers each with a line of JSON on the standard output that it was started with. What redmax says goes to a file, in which the secret
word of the decoys must not be, nor control characters.
"""

from __future__ import annotations

import json
import os
import resource
import sys
import time
from importlib import import_module
from pathlib import Path
from typing import Any

from attack.guard import SECRET, Guard, limit
from attack.hole import MEMORY, Hole, traceback_of

PROCESSOR = 30  # s that an attempt may take before the system ends it


def main(part: str, folder: Path, seed: int, quick: bool) -> None:
    answers = os.fdopen(os.dup(1), "w", buffering=1)
    said = os.open(folder / "said", os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND)
    os.dup2(said, 1)
    os.dup2(said, 2)
    limit()
    work = folder / "work"
    work.mkdir()
    os.chdir(work)
    made = import_module(part if "." in part else f"attack.{part}").Part(work, seed, quick)
    guard = Guard(work)
    print(json.dumps({"ready": True}), file=answers)
    for line in sys.stdin:
        print(json.dumps(answered(made, guard, said, int(line))), file=answers)


def answered(part: Any, guard: Guard, said: int, index: int) -> dict[str, Any]:
    """What came of one attempt: a word, or a hole; processor time (s) and memory (MB) that it took."""
    spent = resource.getrusage(resource.RUSAGE_SELF)
    used = int(spent.ru_utime + spent.ru_stime) + 1
    resource.setrlimit(resource.RLIMIT_CPU, (used + PROCESSOR, resource.RLIM_INFINITY))
    before, began = resident(), time.process_time()
    found: dict[str, Any] = {"index": index}
    try:
        part.prepare(index)
        before, began = resident(), time.process_time()  # what it takes to make the input does not count
        guard.arm()
        try:
            found["outcome"] = part.attempt(index)
        finally:
            guard.armed = False
        guard.check()
        heard(said)
    except Hole as hole:
        found |= {"kind": hole.kind, "what": hole.what}
    except BaseException as error:
        hole = traceback_of(error)
        found |= {"kind": hole.kind, "what": hole.what}
    took, grown = time.process_time() - began, peak() - before
    if "kind" not in found and grown > MEMORY:
        found |= {"kind": "memory", "what": f"took {grown / 2**20:.0f} MB, more than {MEMORY / 2**20:.0f} MB"}
    os.ftruncate(said, 0)
    return found | {"cpu": round(took, 3), "mb": round(grown / 2**20, 1)}


def heard(said: int) -> None:
    """A hole, if what was printed has the secret word, or characters that steer a terminal."""
    text = os.pread(said, 2**20, 0).decode("utf-8", "replace")
    if SECRET in text:
        raise Hole("outside", f"said the secret word: {text[:300]!r}")
    if wrong := {c for c in text if (ord(c) < 32 and c not in "\n\t\r") or 127 <= ord(c) < 160}:
        raise Hole("text", f"printed control characters {sorted(wrong)!r}: {text[:300]!r}")


def resident() -> int:
    """Bytes of memory of this process now; from here on its peak is counted anew."""
    Path("/proc/self/clear_refs").write_text("5")
    return status("VmRSS")


def peak() -> int:
    return status("VmHWM")


def status(name: str) -> int:
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(name):
            return int(line.split()[1]) * 1024
    return 0


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), int(sys.argv[3]), sys.argv[4:] == ["quick"])
