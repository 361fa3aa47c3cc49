"""Kills of processes that write: files over existing ones, and result files as a run goes on; and disks that are full.

A process with everything ready writes the same file over and over, in two versions by turns, until it is ended at a random moment, or
until it meets the size that its files may have. A hole: a file that is neither of the two versions, whole; a result that cannot be read, or
is not the beginning of the run to the last bit; a draft that the next program leaves lying.
"""

from __future__ import annotations

import json
import os
import random
import resource
import shutil
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from attack.hole import Hole

COUNT = 1000
SIGNALS = (signal.SIGKILL,) * 6 + (signal.SIGTERM, signal.SIGINT)
FILES = ("scene.yaml", "run.html", "run.csv", "run.png", "plot.png", "run.json", "run.h5")
LONG = 200_000  # steps of a run that is ended before


class Part:
    def __init__(self, folder: Path, seed: int, quick: bool = False) -> None:
        import redmax as rm

        self.folder, self.seed, self.rm = folder, seed, rm
        self.scenes = [chain(2), chain(3)]
        self.runs = [rm.simulate(scene, 0.1, 0.01, progress=False) for scene in self.scenes]
        self.reference = rm.simulate(self.scenes[0], 20.0, 0.001, integrator="euler", progress=False)
        rm.simulate(self.scenes[1], 0.05, 0.01, out=folder / "warm.h5", progress=False)  # what the first one asks the system once
        began = time.perf_counter()
        rm.Simulation(self.scenes[0], dt=0.001, integrator="euler")
        self.begins = 3 * (time.perf_counter() - began)  # s until a run writes, about
        self.versions: dict[str, list[bytes]] = {}
        self.pace: dict[str, float] = {}
        for name in FILES[:-1]:
            self.versions[name] = [self.whole(name, k) for k in (0, 1)]

    def whole(self, name: str, version: int) -> bytes:
        """What a file is when nothing goes wrong, and how long that takes (s)."""
        began = time.perf_counter()
        self.write(self.folder / name, version)
        self.pace[name] = time.perf_counter() - began
        data = (self.folder / name).read_bytes()
        (self.folder / name).unlink()
        return data

    def write(self, path: Path, version: int) -> None:
        run = self.runs[version]
        actions: dict[str, Callable[[], Any]] = {
            "scene.yaml": lambda: self.scenes[version].save(path),
            "run.html": lambda: run.html(path),
            "run.csv": lambda: run.to_csv(path),
            "run.png": lambda: run.picture(path, size=(200, 120)),
            "plot.png": lambda: run.plot(path),
            "run.json": lambda: written_json(path, run),
            "run.h5": lambda: self.rm.simulate(self.scenes[0], LONG * 0.001, 0.001, integrator="euler", out=path, progress=False),
        }
        actions[path.name]()

    def prepare(self, index: int) -> None:
        shutil.rmtree(self.folder / "target", ignore_errors=True)
        (self.folder / "target").mkdir()

    def attempt(self, index: int) -> str:
        rng = random.Random(f"kills {self.seed} {index}")
        path = self.folder / "target" / rng.choice((*FILES, "run.h5"))
        if path.name == "run.h5":
            return self.result(path, rng)
        versions = self.versions[path.name]
        if old := rng.random() < 0.8:
            path.write_bytes(versions[0])
        full = rng.random() < 0.15
        limit = rng.randrange(len(versions[1])) if full else None
        ended = kill(lambda: self.over_and_over(path, bool(full)), rng.uniform(0, 3 * self.pace[path.name]), rng.choice(SIGNALS), limit)
        if path.exists() or old:
            check_whole(path, versions)
        self.next_program(path)
        return f"{path.suffix[1:]} {ended}"

    def over_and_over(self, path: Path, once: bool) -> None:
        version = 1
        while True:
            self.write(path, version)
            version = 0 if once else 1 - version  # on a full disk the second version may not fit, the first one may

    def result(self, path: Path, rng: random.Random) -> str:
        """A run that is ended while it writes; what its file has is the beginning of the run."""
        limit = rng.randrange(100_000, 3_000_000) if rng.random() < 0.2 else None
        old = rng.random() < 0.5
        if old:
            self.rm.simulate(self.scenes[1], 0.05, 0.01, out=path, progress=False)
        after = rng.uniform(0, 0.2) if rng.random() < 0.7 else -rng.uniform(0, self.begins)
        ended = kill(lambda: self.write(path, 0), after, rng.choice(SIGNALS), limit, lambda: begun(path))
        if not path.exists():
            if old:
                raise Hole("lost", "the old result is gone, and there is no new one")
            return f"h5 {ended}, not begun"
        run = self.rm.load(path)
        if run.model.nq != self.reference.model.nq:
            if not old or len(run) != 6 or not run.complete:
                raise Hole("lost", "the result is neither the old one nor the new one")
            return f"h5 {ended}, the old one"
        count = min(len(run), len(self.reference))
        if run.q[:count].tobytes() != self.reference.q[:count].tobytes():
            raise Hole("wrong", f"the first {count} samples are not those of the run")
        self.next_program(path)
        return f"h5 {ended}"

    def next_program(self, path: Path) -> None:
        """Another process writes here; nothing of those before it is left then."""
        if path.name == "run.h5":
            os.unlink(path)
        code = waited(started(lambda: self.scenes[0].save(path.with_name("next.yaml")), None))
        left = sorted(p.name for p in path.parent.iterdir() if p.name not in (path.name, "next.yaml"))
        if code or left:
            raise Hole("lost", f"the next program ended with {code} and left {', '.join(left)}")


def chain(count: int) -> Any:
    import redmax as rm

    scene = rm.Scene(title=f"{count} links")
    last = None
    for k in range(count):
        at = (0.3, 0, 0) if last else (0, 0, 0)
        last = scene.add_body(rm.Cuboid((0.3, 0.05, 0.05)), joint=rm.Revolute("y"), parent=last, at=at, com=(0.15, 0, 0), name=f"link {k}")
    return scene


def written_json(path: Path, run: Any) -> None:
    from redmax.writing import write_text

    write_text(path, json.dumps({"q": run.q.tolist(), "qdot": run.qdot.tolist()}, indent=2))


def check_whole(path: Path, versions: list[bytes]) -> None:
    if not path.exists():
        raise Hole("lost", f"{path.name} is gone")
    if (data := path.read_bytes()) not in versions:
        raise Hole("lost", f"{path.name} has {len(data)} bytes, of neither version ({len(versions[0])} and {len(versions[1])})")


def started(action: Callable[[], Any], limit: int | None) -> int:
    """The number of a new process that does it. limit: bytes that its files may have."""
    from redmax import writing

    ends = {signal.SIGTERM, signal.SIGINT}
    signal.pthread_sigmask(signal.SIG_BLOCK, ends)  # until the new process can answer them: it would go on as its parent else
    pid = os.fork()
    if pid:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, ends)
        return pid
    code = 1
    try:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, ends)
        writing.CLEARED.clear()  # as a program that has just begun
        if limit is not None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
        action()
        code = 0
    except KeyboardInterrupt:
        code = 130
    except Exception as error:
        from redmax.errors import RedmaxError

        code = 2 if isinstance(error, RedmaxError) else 3
    finally:
        os._exit(code)


def waited(pid: int) -> int:
    """How a process ended: its exit status, or the negative number of a signal."""
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def begun(path: Path) -> tuple[int, int] | None:
    """What tells whether a file is another one."""
    return (found.st_ino, found.st_mtime_ns) if path.exists() and (found := path.stat()) else None


def kill(action: Callable[[], Any], after: float, number: signal.Signals, limit: int | None, mark: Callable[[], Any] | None = None) -> str:
    """Start it and end it after a while (s), counted from when `mark` changes, or from its start if that is negative; how it ended."""
    before = mark() if mark else None
    pid = started(action, limit)
    until = time.monotonic() + 20
    while mark and after >= 0 and mark() == before and time.monotonic() < until and limit is None:
        time.sleep(0.005)
    time.sleep(abs(after))
    if limit is None:
        os.kill(pid, number)
    until = time.monotonic() + 30
    while (found := os.waitpid(pid, os.WNOHANG))[0] == 0:
        if time.monotonic() > until:
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
            raise Hole("hang", f"it did not end within 30 s of {number.name}")
        time.sleep(0.002)
    code = os.waitstatus_to_exitcode(found[1])
    if code in (1, 3) or (code < 0 and -code not in (signal.SIGKILL, signal.SIGTERM, signal.SIGINT)):
        raise Hole("crash", f"it ended with {code} after {number.name}")
    return "full disk" if limit is not None else number.name
