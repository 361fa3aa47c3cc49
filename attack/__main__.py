"""`python -m attack`: every part in turn, and a table of what was tried and what was found. Exit status 1 if there is a hole."""

from __future__ import annotations

import argparse
import os
import sys
from importlib import import_module
from pathlib import Path

from attack.parent import ROOT, Tally, supervise

PARTS = ("scenes", "traces", "results", "calls", "kills", "cache", "pages")
SHARE = {"scenes": 0.42, "traces": 0.1, "results": 0.1, "calls": 0.15, "kills": 0.15, "cache": 0.04, "pages": 0.04}  # of the time


def arguments(words: list[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m attack", description="What strangers' files, pages and kills may try, tried.")
    parser.add_argument("--quick", action="store_true", help="a twentieth of the attempts")
    parser.add_argument("--only", nargs="+", choices=PARTS, default=PARTS, metavar="PART", help=f"some of: {', '.join(PARTS)}")
    parser.add_argument("--seed", type=int, default=1, help="another one tries other inputs")
    parser.add_argument("--minutes", type=float, default=30.0, help="at most, in all; what is not tried by then is said")
    parser.add_argument("--workers", type=int, default=min(2, os.cpu_count() or 1), help="processes at a time")
    parser.add_argument("--one", type=int, help="the number of one attempt (of one part) to make again")
    parser.add_argument("--from", type=int, default=0, dest="first", help="the number of the first attempt")
    parser.add_argument("--keep", type=Path, default=ROOT / "build" / "attack", help="folder for the inputs that found a hole")
    return parser.parse_args(words)


def main(words: list[str] | None = None) -> int:
    chosen = arguments(words)
    whole = sum(SHARE[part] for part in chosen.only)
    tallies: list[Tally] = []
    for part in chosen.only:
        count = import_module(f"attack.{part}").COUNT
        numbers = (
            [chosen.one] if chosen.one is not None else range(chosen.first, chosen.first + max(1, count // (20 if chosen.quick else 1)))
        )
        seconds = 60 * chosen.minutes * SHARE[part] / whole
        print(f"{part}: {len(numbers)} attempts, at most {seconds / 60:.1f} minutes", flush=True)
        tallies.append(supervise(part, numbers, chosen.seed, seconds, chosen.workers, chosen.keep))
        show(tallies[-1])
    print()
    for tally in tallies:
        print(line(tally))
    holes = sum(len(t.holes) for t in tallies)
    print(f"{holes} holes." + (f" Inputs and commands: {chosen.keep}" if holes else ""))
    return 1 if holes else 0


def show(tally: Tally) -> None:
    """What was found, each hole with its number."""
    for answer in tally.holes:
        print(f"  {tally.part} {answer['index']}: {answer['kind']}: {answer['what'][:400]}")
    print(f"  {', '.join(f'{n} {word}' for word, n in tally.outcomes.most_common())}", flush=True)


def line(tally: Tally) -> str:
    unfinished = "" if tally.done == tally.wanted else f" of {tally.wanted}: the time was over"
    what = f"slowest {tally.slowest:.2f} s, largest {tally.largest:.0f} MB, in {tally.seconds:.0f} s"
    return f"{tally.part:8} {tally.done:6} tried{unfinished}, {len(tally.holes)} holes; {what}"


if __name__ == "__main__":
    sys.exit(main())
