"""python -m benchmarks [--quick] [--only NAME ...] [--out FILE] [--core N]: measure, print the table, write it to a file.

A family of figures is a module with `measure(effort) -> rows`; a new one is a file here and a name in FAMILIES.
"""

from __future__ import annotations

import argparse
import sys
from importlib import import_module
from pathlib import Path
from time import perf_counter

from benchmarks import machine

FAMILIES = (
    "single", "batch", "compile", "startup", "time_loop", "implicit_step", "bdf_step", "maximal_step", "lanes", "constraints", "contact",
    "rubbing", "crossover", "joints", "splines", "charts", "largest_step", "dense_step", "muscles", "effort", "deformables", "derivatives",
    "gradients", "bridges", "parameters", "geometric", "fitting", "fitting_surfaces", "reach", "catalogue",
)  # fmt: skip
NEEDED = {"pinocchio": "pin", "mujoco": "mujoco"}


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description="redmax against Pinocchio and MuJoCo, on one core.")
    parser.add_argument("--quick", action="store_true", help="fewer repeats: half a minute, and noisier ratios")
    parser.add_argument("--only", nargs="+", choices=FAMILIES, default=FAMILIES, metavar="NAME", help=f"some of: {', '.join(FAMILIES)}")
    parser.add_argument("--out", type=Path, default=Path("out/benchmarks.md"), help="Markdown file to write; JSON goes beside it")
    parser.add_argument("--core", default="", help="core to run on (default: the last one allowed), or 'all' for no choice")
    return parser.parse_args()


def main() -> int:
    chosen = arguments()
    core = machine.use_one_core(chosen.core)  # before anything starts threads
    for module, package in NEEDED.items():
        try:
            import_module(module)
        except ImportError:
            print(f"The benchmarks need {package!r}: pip install 'redmax[bench]'.", file=sys.stderr)
            return 2
    return run(chosen, core)


def run(chosen: argparse.Namespace, core: str) -> int:
    from benchmarks import report
    from benchmarks.agreement import Disagreement
    from benchmarks.timing import FULL, QUICK

    about = machine.describe(core)
    rows: list[report.Row] = []
    wrong: list[str] = []
    for name in chosen.only:
        start = perf_counter()
        try:
            for row in import_module(f"benchmarks.{name}").measure(QUICK if chosen.quick else FULL):
                print(f"{row.figure}: {row.case}", file=sys.stderr)
                rows.append(row)
        except Disagreement as e:
            wrong.append(f"WRONG, not timed: {name}: {e}")
        print(f"{name} took {perf_counter() - start:.1f} s", file=sys.stderr)
    report.show(rows, about)
    for path in report.write(rows, about, chosen.out):
        print(f"Written: {path}")
    print("\n".join(wrong), file=sys.stderr, end="\n" if wrong else "")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
