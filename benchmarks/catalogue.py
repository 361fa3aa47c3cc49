"""Everything in the catalogue: loaded from its file and run for a fixed number of steps, in processor time of fresh processes.

As a family of `python -m benchmarks` it says what that costs. `python -m benchmarks.catalogue --against DIR` compares with another checkout
(its folder, with src/redmax in it): each runs in fresh processes, by turns, with compiled code from a cache of its own; a ratio is the
median over the turns of the quotient within one turn, its spread the range of these.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from benchmarks import machine
from benchmarks.processes import ROOT, Processes, processes
from benchmarks.report import Row
from benchmarks.timing import Effort

STEPS, TURNS = 100, 5
ALLOWED = 1.03  # of the time before
PARTS = ("load", "run")


@dataclass(frozen=True)
class Checkout:
    """folder: of the repository; kept: where its processes keep compiled code, and the scene files."""

    folder: Path
    kept: Path
    python: Processes

    def output(self, *words: str) -> str:
        place = {"PYTHONPATH": f"{self.folder / 'src'}:{ROOT}", "REDMAX_CACHE_DIR": str(self.kept / "cache")}
        return self.python.output("-m", "benchmarks.catalogue_once", *words, **place)

    def times(self, scenes: Path, steps: int) -> dict[str, list[float]]:
        return json.loads(self.output(str(scenes), str(steps)))


def prepared(folder: Path, kept: Path, python: Processes, scenes: Path) -> Checkout:
    """A checkout whose code is compiled."""
    (kept / "cache").mkdir(mode=0o700, parents=True)
    made = Checkout(folder, kept, python)
    made.times(scenes, 1)
    return made


def measure(effort: Effort) -> Iterator[Row]:
    with processes() as python, TemporaryDirectory() as temporary:
        scenes = saved(ROOT, Path(temporary), python)
        here = prepared(ROOT, Path(temporary) / "here", python, scenes)
        turns = [here.times(scenes, STEPS) for _ in range(effort.processes)]
        for k, part in enumerate(PARTS):
            total = float(np.median([sum(times[k] for times in turn.values()) for turn in turns]))
            yield Row("catalogue", part, total, note=f"{len(turns[0])} scenes, {STEPS} steps each; processor time")


def saved(folder: Path, temporary: Path, python: Processes) -> Path:
    """The catalogue of a checkout as files, which both load."""
    scenes = temporary / "scenes"
    scenes.mkdir()
    (temporary / "saving").mkdir()
    Checkout(folder, temporary / "saving", python).output(str(scenes), "save")
    return scenes


def compared(other: Path, turns: int, steps: int) -> dict[str, np.ndarray]:
    """(turns, 2, 2) by scene: this one and the other one, load and run (s)."""
    found: dict[str, list[list[list[float]]]] = {}
    with processes() as python, TemporaryDirectory() as temporary:
        scenes = saved(other, Path(temporary), python)
        here, there = (prepared(f, Path(temporary) / n, python, scenes) for f, n in ((ROOT, "here"), (other, "there")))
        for turn in range(turns):
            pair = [c.times(scenes, steps) for c in ((here, there) if turn % 2 else (there, here))]
            ours, theirs = pair if turn % 2 else reversed(pair)
            print(f"turn {turn + 1} of {turns}", file=sys.stderr, flush=True)
            for name in ours:
                found.setdefault(name, []).append([ours[name], theirs[name]])
    return {name: np.array(times) for name, times in found.items()}


def line(name: str, times: np.ndarray) -> tuple[str, bool]:
    """times: (turns, 2), this one and the other one; a line of the table, and whether it is slower than allowed and than noise."""
    ratios = times[:, 0] / times[:, 1]
    ratio, low, high = float(np.median(ratios)), ratios.min(), ratios.max()
    slower = ratio > ALLOWED and low > 1
    ours, theirs = np.median(times, axis=0)
    return f"{name:34} {ours:9.4f} s {theirs:9.4f} s  {ratio:6.3f}  ({low:.3f} to {high:.3f}){'  SLOWER' if slower else ''}", slower


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.catalogue", description="The catalogue here and in another checkout.")
    parser.add_argument("--against", type=Path, required=True, metavar="DIR", help="the other checkout")
    parser.add_argument("--turns", type=int, default=TURNS)
    parser.add_argument("--steps", type=int, default=STEPS)
    parser.add_argument("--core", default="", help="core to run on (default: the last one allowed), or 'all' for no choice")
    chosen = parser.parse_args()
    machine.use_one_core(chosen.core)
    found = compared(chosen.against.resolve(), chosen.turns, chosen.steps)
    print(f"{'processor time':34} {'here':>11} {'there':>11}  {'ratio':>6}  (spread over {chosen.turns} turns)")
    outside: list[str] = []
    for name, times in found.items():
        text, slower = line(name, times.sum(axis=2))
        print(text)
        outside += [name] if slower else []
    totals = np.sum(list(found.values()), axis=0)
    for k, part in enumerate(PARTS):
        print(line(f"all: {part}", totals[:, :, k])[0])
    text, slower = line("all: load and run", totals.sum(axis=2))
    print(text)
    print(f"Slower by more than 3 % and than their spread: {', '.join(outside) or 'none'}.")
    return 1 if slower else 0


if __name__ == "__main__":
    sys.exit(main())
