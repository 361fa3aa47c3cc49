"""Where each dynamics wins: one linearly implicit step of damped chains of 10 to 1000 links.

recursive: O(n), all compiled. RedMax direct: fills J, O(n^2), multiplies and factorises, O(n^3). RedMax CG: conjugate gradients with a few
O(n) products along the tree, in a loop that ends by itself. The curves go to out/crossover.png.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np

from benchmarks.agreement import agree
from benchmarks.cases import chain, draw
from benchmarks.implicit_step import DAMPING, DT, Steps
from benchmarks.report import Row
from benchmarks.timing import Contestant, Effort, compete

FIGURE = "crossover, implicit step"
SIZES = (10, 20, 50, 100, 200, 500, 1000)
LARGEST_DIRECT = 500  # laying out n^2/2 columns takes 10 s there, and grows
FEWER = 5  # turns: the differences are large
TOLERANCE = 1e-6  # a dense solver loses digits with the condition of M, which grows as n^4
METHODS = {
    "recursive": {"dynamics": "recursive"},
    "RedMax direct": {"dynamics": "redmax", "solver": "direct"},
    "RedMax CG": {"dynamics": "redmax", "solver": "cg"},
}
PICTURE = Path("out/crossover.png")


def measure(effort: Effort) -> Iterator[Row]:
    curves: dict[str, list[tuple[int, float]]] = {name: [] for name in METHODS}
    for n in SIZES:
        for row, name in rows(n, effort):
            curves[name].append((n, row.redmax or 0.0))
            yield row
    plot(curves)


def rows(n: int, effort: Effort) -> Iterator[tuple[Row, str]]:
    """A row for each method, against the recursive one."""
    scene = chain(n, DAMPING)
    states = draw(scene, 1)
    largest = LARGEST_DIRECT if effort.turns > FEWER else LARGEST_DIRECT // 2
    chosen = {name: options for name, options in METHODS.items() if name != "RedMax direct" or n <= largest}
    q, v = 0.1 * states.q[0], 0.1 * states.v[0]
    contestants: list[Contestant] = []
    found: list[np.ndarray] = []
    for name, options in chosen.items():
        method = Steps(scene, "implicit", DT, **options)
        short = method.contestant(q, v, 2, name)
        short.call()
        found.append(short.accelerations().copy())
        contestants.append(method.contestant(q, v, 200 if name == "recursive" else 20 if n <= 100 else 4, name))
    errors = [agree(f"RC{n}: {name}", rates, found[0], TOLERANCE) for name, rates in zip(chosen, found)]
    times = compete(contestants, replace(effort, turns=FEWER))
    for name, own, error in zip(chosen, times, errors):
        if name == "recursive":
            yield Row(FIGURE, f"RC{n}, {name}", own.best), name
        else:
            yield Row(FIGURE, f"RC{n}, {name}", own.best, "redmax recursive", times[0].best, own.ratio(times[0]), None, error), name


def plot(curves: dict[str, list[tuple[int, float]]]) -> None:
    try:
        from matplotlib.figure import Figure
    except ImportError:
        print(f"{PICTURE} is not drawn: it needs matplotlib (pip install 'redmax[plot]').", file=sys.stderr)
        return
    figure = Figure(figsize=(6, 4.5), layout="constrained")
    axes = figure.add_subplot(xlabel="links", ylabel="one implicit step (s)", xscale="log", yscale="log", title="Damped chains, one core")
    for name, points in curves.items():
        axes.plot(*zip(*points), marker="o", label=name)
    axes.grid(alpha=0.3)
    axes.legend()
    PICTURE.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(PICTURE, dpi=120)
    print(f"Written: {PICTURE}", file=sys.stderr)
