"""One implicit step of tetrahedra at the end of ten links: how its time grows with their number, and the memory of a large block.

A beam is made longer and solved directly, a block larger in all directions and solved by conjugate gradients. The exponents are those of a
line through the points in logarithmic axes; the curves go to out/deformables.png. Direct and iterative solutions of one step must agree.
Small beams alone, and as one world of a batch on one core. With contact: a cloth that falls over a sphere and comes to rest, and soft
fingers that lift a ball, means over whole runs.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from time import perf_counter

import numpy as np

import redmax as rm
from benchmarks.agreement import agree
from benchmarks.report import Row, Target
from benchmarks.timing import Effort
from redmax.scenes import find

FIGURE = "deformables, implicit step"
BEAMS = tuple((n, 3, 3) for n in (23, 46, 93, 186))  # cells; the last has 10,044 tetrahedra
BLOCKS = tuple((n, n, n) for n in (8, 12, 16, 20))
SMALL = ((2, 1, 1), (4, 2, 2))
WORLDS, SHARE = 32, 0.3  # of a batch; which part of a single step a world of it may take
LARGE = (26, 26, 26)  # 105,456 tetrahedra
DT, SIDE, STEPS, TURNS = 5e-3, 0.01, 3, 3
EXPONENTS = {"beam": 1.15, "block": 1.4}
GIBIBYTES = 4.0
TOUCHING = {"cloth-on-sphere": 20e-3, "soft-lift": 4e-3}  # scenes with contact, and seconds that a step may take
PICTURE = Path("out/deformables.png")


def measure(effort: Effort) -> Iterator[Row]:
    error = agree("a step of a beam", *[step_of(BEAMS[0], solver)[None] for solver in ("direct", "cg")], 1e-6)
    yield from small_beams()
    curves: dict[str, list[tuple[int, float]]] = {}
    for name, cells, solver in (("beam", BEAMS, "direct"), ("block", BLOCKS, "cg")):
        curves[name] = []
        for c in cells:
            count, seconds = timed(c, solver)
            curves[name].append((count, seconds))
            yield Row(FIGURE, f"{name} of {count:,} tetrahedra, {solver}", seconds, agreement=error)
        slope = float(np.polyfit(*np.log(np.array(curves[name]).T), 1)[0])
        yield Row(FIGURE, f"{name}: exponent of the time", None, "its size", None, slope, Target(ratio=EXPONENTS[name]))
    plot(curves)
    yield from (touching(name, most) for name, most in TOUCHING.items())
    yield large_block()


def scene_with(cells: tuple[int, int, int]) -> rm.Scene:
    """Ten links, and a block of so many cells at their end."""
    scene, body = rm.Scene(), None
    for i in range(10):
        shape = rm.Cuboid((0.1, 0.02, 0.02))
        body = scene.add_body(shape, parent=body, joint=rm.Revolute("y"), at=(0.1, 0, 0) if i else (0, 0, 0), com=(0.05, 0, 0))
    assert body is not None
    size = SIDE * np.array(cells)
    place = (1.0 + size[0] / 2, 0.0, 0.0)
    block = rm.Tetrahedra.box(size, cells, at=place, density=1000, youngs=1e6, poisson=0.3, rayleigh=(0.0, 1e-3))
    scene.add_deformable(block.attach(body, lambda x: x[:, 0] < 1.0 + 1e-9))
    return scene


def small_beams() -> Iterator[Row]:
    """Alone, and per world of a batch."""
    for cells in SMALL:
        count, alone = timed(cells, "auto")
        _, batch = timed(cells, "auto", WORLDS)
        name = f"beam of {count:,} tetrahedra"
        target = Target(ratio=SHARE) if cells == SMALL[0] else None  # larger ones leave the cache, eight worlds sooner than one
        yield Row(FIGURE, name, alone)
        yield Row(FIGURE, f"{name}, each of {WORLDS} worlds", batch / WORLDS, "alone", alone, batch / WORLDS / alone, target)


def touching(name: str, most: float) -> Row:
    """A whole run, but for what it takes to begin."""
    entry = find(name)
    sim = rm.Simulation(entry.scene(), dt=entry.dt, integrator="implicit")
    sim.step()
    steps = round(entry.duration / entry.dt) - 1
    start = perf_counter()
    sim.step(steps)
    return Row(FIGURE, f"{name}, with contact", (perf_counter() - start) / steps, target=Target(seconds=most))


def step_of(cells: tuple[int, int, int], solver: str) -> np.ndarray:
    return rm.Simulation(scene_with(cells), dt=DT, integrator="implicit", solver=solver).step().qdot


def timed(cells: tuple[int, int, int], solver: str, worlds: int = 1) -> tuple[int, float]:
    """Number of tetrahedra, and the best time of a step of all worlds (s)."""
    scene = scene_with(cells)
    sim = rm.Simulation(scene, dt=DT, integrator="implicit", solver=solver)
    if worlds > 1:
        many = rm.State(0.0, np.tile(sim.state.q, (worlds, 1)), np.tile(sim.state.qdot, (worlds, 1)))
        sim = rm.Simulation(scene, dt=DT, integrator="implicit", solver=solver, initial=many)
    sim.step()
    best = np.inf
    for _ in range(TURNS):
        start = perf_counter()
        sim.step(STEPS)
        best = min(best, (perf_counter() - start) / STEPS)
    return sum(map(len, scene.deformables[0].elements)), best


def large_block() -> Row:
    """In a process of its own, whose memory is its own too."""
    code = f"""
import resource, time
import redmax as rm
from benchmarks.deformables import DT, scene_with
sim = rm.Simulation(scene_with({LARGE}), dt=DT, integrator="implicit")
sim.step()
start = time.perf_counter()
sim.step()
print(time.perf_counter() - start, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20)
"""
    seconds, gibibytes = map(float, subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout.split())
    count = 6 * int(np.prod(LARGE))
    note = f"{gibibytes:.2f} GiB at most"
    return Row(FIGURE, f"block of {count:,} tetrahedra: GiB", seconds, "1 GiB", None, gibibytes, Target(ratio=GIBIBYTES), note=note)


def plot(curves: dict[str, list[tuple[int, float]]]) -> None:
    try:
        from matplotlib.figure import Figure
    except ImportError:
        print(f"{PICTURE} is not drawn: it needs matplotlib (pip install 'redmax[plot]').", file=sys.stderr)
        return
    figure = Figure(figsize=(6, 4.5), layout="constrained")
    axes = figure.add_subplot(xlabel="tetrahedra", ylabel="one implicit step (s)", xscale="log", yscale="log")
    for name, points in curves.items():
        axes.plot(*zip(*points), marker="o", label=f"{name}, {'direct' if name == 'beam' else 'conjugate gradients'}")
    axes.grid(alpha=0.3)
    axes.legend()
    PICTURE.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(PICTURE, dpi=120)
