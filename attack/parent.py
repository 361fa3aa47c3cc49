"""Children that make the attempts of a part, and what becomes of them: which died, which were silent, what they found."""

from __future__ import annotations

import json
import os
import queue
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
SILENT = 20.0  # s on the wall without an answer and without work, as one that waits for a pipe that nobody writes to
LONGEST = 300.0  # s on the wall
DOUBTFUL = 6.0  # s of processor time: an attempt that took more is slow on any machine
EACH = 400  # attempts of one child: what is compiled stays in memory


@dataclass
class Tally:
    """What came of a part: outcomes by their word; holes: answers that tell of one."""

    part: str
    wanted: int
    done: int = 0
    outcomes: Counter[str] = field(default_factory=Counter)
    holes: list[dict[str, Any]] = field(default_factory=list)
    slowest: float = 0.0
    largest: float = 0.0
    seconds: float = 0.0

    def add(self, answer: dict[str, Any]) -> None:
        self.done += 1
        self.outcomes[f"HOLE {answer['kind']}" if "kind" in answer else answer["outcome"]] += 1
        self.slowest, self.largest = max(self.slowest, answer["cpu"]), max(self.largest, answer["mb"])
        if "kind" in answer:
            self.holes.append(answer)


class Child:
    """One process, with a folder of its own and, unless it is told another, an empty cache of compiled code."""

    def __init__(self, part: str, seed: int, folder: Path, cache: Path, quick: bool = False) -> None:
        self.folder = Path(tempfile.mkdtemp(dir=folder, prefix="child-"))
        kept = {"REDMAX_CACHE_DIR": str(cache), "MPLCONFIGDIR": str(cache), "MPLBACKEND": "Agg", "HOME": str(self.folder / "work")}
        kept |= {"TMPDIR": str(self.folder / "work"), "PYTHONDONTWRITEBYTECODE": "1"}  # whatever is written is written there
        threads = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "REDMAX_THREADS": "1", "TERM": "dumb"}
        paths = {"PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "src"), str(ROOT / "tests")])}
        command = [sys.executable, "-m", "attack.child", part, str(self.folder), str(seed), *(["quick"] if quick else [])]
        environment = {**os.environ, **kept, **threads, **paths}
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1, env=environment)
        self.made, self.ready = 0, self.answer(-1)

    def ask(self, index: int) -> dict[str, Any]:
        self.made += 1
        with suppress(BrokenPipeError):  # the answer tells of its end
            print(index, file=self.process.stdin, flush=True)
        return self.answer(index)

    def answer(self, index: int) -> dict[str, Any]:
        """Its next line; or what ended it."""
        assert self.process.stdout is not None
        began = moved = time.monotonic()
        worked = 0
        while not select.select([self.process.stdout], [], [], 1.0)[0]:
            now, work = time.monotonic(), processor(self.process.pid)
            moved, worked = (now, work) if work > worked else (moved, worked)
            if now - moved > SILENT or now - began > LONGEST:
                self.process.kill()
                self.process.wait()
                return {"index": index, "kind": "hang", "what": f"no answer after {now - began:.0f} s", "cpu": 0.0, "mb": 0.0}
        line = self.process.stdout.readline()
        if line:
            return json.loads(line)
        code = self.process.wait()
        name = signal.Signals(-code).name if code < 0 else f"exit {code}"
        kind = "hang" if name == "SIGXCPU" else "crash"
        said = (self.folder / "said").read_text(errors="replace")[-300:]
        return {"index": index, "kind": kind, "what": f"the process ended with {name} {said}".strip(), "cpu": 0.0, "mb": 0.0}

    def close(self) -> None:
        self.process.kill()
        self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout):
            with suppress(BrokenPipeError):
                pipe.close()  # type: ignore[union-attr]
        shutil.rmtree(self.folder, ignore_errors=True)


def processor(pid: int) -> int:
    """Ticks of processor time of a process and of those it has waited for."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0
    return sum(map(int, fields[11:15]))


def supervise(
    part: str, numbers: Iterable[int], seed: int, seconds: float, workers: int, keep: Path, cache: Path | None = None, quick: bool = False
) -> Tally:
    """Attempts of a part, until all are made or the time is over. keep: where to put what finds a hole; quick: begin with less."""
    waiting: queue.SimpleQueue[int] = queue.SimpleQueue()
    for number in numbers:
        waiting.put(number)
    tally, lock, began = Tally(part, waiting.qsize()), threading.Lock(), time.monotonic()
    with tempfile.TemporaryDirectory(prefix="redmax-attack-") as temporary:
        folder = Path(temporary)
        kept = cache or folder / "cache"
        kept.mkdir(mode=0o700, exist_ok=True)

        def work() -> None:
            child: Child | None = None
            while time.monotonic() - began < seconds:
                try:
                    index = waiting.get_nowait()
                except queue.Empty:
                    break
                if child is None or child.made >= EACH or child.process.poll() is not None:
                    if child is not None:
                        child.close()
                    child = Child(part, seed, folder, kept, quick)
                answer = child.ask(index)
                # others on this machine may have been in its way: once more
                if answer.get("kind") in ("hang", "memory") and answer["cpu"] < DOUBTFUL:
                    child.close()
                    child = Child(part, seed, folder, kept, quick)
                    answer = child.ask(index)
                with lock:
                    tally.add(answer)
                    if "kind" in answer:
                        save(answer, part, seed, child.folder / "work", keep)
            if child is not None:
                child.close()

        threads = [threading.Thread(target=work) for _ in range(workers)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    tally.seconds = time.monotonic() - began
    return tally


def save(answer: dict[str, Any], part: str, seed: int, work: Path, keep: Path) -> None:
    """Keep the input of a hole, and the command that tries it again."""
    keep.mkdir(parents=True, exist_ok=True)
    name = f"{part}-{seed}-{answer['index']}"
    for path in sorted(work.glob("input.*")) if work.is_dir() else ():
        if path.is_file():
            shutil.copyfile(path, keep / f"{name}{path.suffix}")
    command = f"python -m attack --only {part} --seed {seed} --one {answer['index']}"
    (keep / f"{name}.txt").write_text(f"{answer['kind']}: {answer['what']}\nAgain: {command}\n", errors="replace")
