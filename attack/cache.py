"""The cache of compiled code: entries with bytes changed, cut, swapped with others, or replaced by links, folders and pipes.

Compiled code is loaded by a fresh process each time. A hole: a crash, or a run that is not that of an empty cache to the last bit.
"""

from __future__ import annotations

import os
import random
import shutil
import signal
from pathlib import Path

from attack.hole import Hole
from attack.kills import chain, started, waited

COUNT = 200


class Part:
    def __init__(self, folder: Path, seed: int, quick: bool = False) -> None:
        self.folder, self.seed = folder, seed
        self.whole, self.place = folder / "whole", folder / "cache"
        self.reference = self.ran(self.whole)
        if self.ran(self.whole) != self.reference:
            raise Hole("wrong", "compiled code from the cache gives other numbers")

    def ran(self, place: Path) -> bytes:
        """What a process gives that has this cache."""
        reading, writing = os.pipe()

        def run() -> None:
            import redmax as rm

            os.environ["REDMAX_CACHE_DIR"] = str(place)
            signal.alarm(60)
            made = rm.simulate(chain(2), 0.05, 0.01, integrator="rk4", progress=False)
            os.write(writing, made.q.tobytes() + made.qdot.tobytes() + made.energy.total.tobytes())

        pid = started(run, None)
        os.close(writing)
        with os.fdopen(reading, "rb") as pipe:
            data = pipe.read()
        if code := waited(pid):
            raise Hole("hang" if code == -signal.SIGALRM else "crash", f"the process with this cache ended with {code}")
        return data

    def prepare(self, index: int) -> None:
        """Spoil one to three entries of a copy."""
        rng = random.Random(f"cache {self.seed} {index}")
        shutil.rmtree(self.place, ignore_errors=True)
        shutil.copytree(self.whole, self.place)
        entries = sorted(self.place.glob("*.rmo"))
        for path in rng.sample(entries, min(len(entries), rng.choice((1, 2, 3, len(entries))))):
            spoil(path, rng.choice(entries), rng)

    def attempt(self, index: int) -> str:
        if self.ran(self.place) != self.reference:
            raise Hole("wrong", "the run is not what it was")
        return "as it was"


def spoil(path: Path, other: Path, rng: random.Random) -> None:
    data = bytearray(path.read_bytes()) if path.is_file() else bytearray(b"x" * 200)
    how = rng.randrange(9)
    if how == 0:
        data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
    elif how == 1:
        del data[rng.randrange(len(data)) :]
    elif how == 2:
        data[rng.randrange(len(data)) :] = bytes(100)
    elif how == 3 and other.is_file():  # whole, but another's
        data = bytearray(other.read_bytes())
    elif how == 4:
        data += b"more"
    elif how == 5:
        data = bytearray(rng.randbytes(500))
    elif how >= 6:
        path.unlink()
        if how == 6:
            path.mkdir()
        elif how == 7:
            path.symlink_to(other.name)
        else:
            os.mkfifo(path)
        return
    path.write_bytes(data)
