"""Geometric methods against others: the error of a step and what it costs, and what is left of energy and momentum after a million steps.

The heavy top of the catalogue turns at 150 rad/s. All methods are told the same rates; they differ in how a step uses them. One along the
group, on which R' = R [w], goes

    R1 = R0 exp(Theta),  Theta' = dexp^-1_{-Theta} w  (Munthe-Kaas),     or     R1 = R0 exp(h w1) exp(h w2) ...  (Crouch-Grossman)

and stays on it whatever the step. That alone keeps neither energy nor momentum: a method of order p drifts, in proportion to h^p and to the
time. A variational step makes the action of a discrete path stationary: its momenta stay, and its energy swings about the right one.

On which group? A body on a pivot moves in a subgroup of SE(3), the turns about one point. Steps C1 = C0 exp(h V) of its pose stay in it. As
a pair of turn and place, in the direct product SO(3) x R3, they do not: the pivot wanders, by the order of the method.

    python examples/geometric_study.py                                          in short
    python examples/geometric_study.py --steps 1000000 --picture study.png      a minute, and a picture
"""

from __future__ import annotations

import argparse
import sys
import time
from functools import cache
from typing import Any

import numpy as np

import redmax as rm
from redmax.integrators import METHODS
from redmax.integrators.absolute.group import GROUPS
from redmax.run.combinations import allowed
from redmax.run.options import RunOptions
from redmax.scenes import find

TOP, PENDULUM = "heavy-top", "variational-pendulum"
PIVOT = np.array([0.0, -1.0, 0.0])  # of the top, from its centre of mass in its own axes, m
STEPS = (4e-3, 2e-3, 1e-3, 5e-4, 2.5e-4)  # s
SECOND = 1.0  # of the top, over which errors are measured
LONG = {TOP: 1e-3, PENDULUM: 5e-3}  # s, the steps of long runs


@cache
def model_of(scene: str) -> rm.Model:
    return find(scene).scene().model()


def methods(scene: str) -> list[str]:
    """All that can step through a scene with steps of one length, of order 2 at least; those of bodies in absolute coordinates by group."""
    found: list[str] = []
    for name, method in METHODS.items():
        if method.order >= 2 and not method.adaptive and allowed(model_of(scene), RunOptions(integrator=name)):
            found += [f"{name} {group}" for group in GROUPS] if method.absolute else [name]
    return found


def run(scene: str, method: str, dt: float, duration: float, every: int = 1, **options: Any) -> rm.Trajectory:
    integrator, *group = method.split()
    options |= {"group": group[0]} if group else {}
    return rm.simulate(model_of(scene), duration, dt, integrator=integrator, every=every, progress=False, **options)


@cache
def exact() -> np.ndarray:
    """The pose of the top after a second."""
    return rm.simulate(model_of(TOP), SECOND, SECOND, rtol=1e-13, progress=False).pose("top")[-1]


@cache
def kinetic(scene: str) -> float:
    """The largest kinetic energy in a while (J)."""
    return float(rm.simulate(model_of(scene), 5.0, 0.01, progress=False).energy.kinetic.max())


def errors(method: str) -> np.ndarray:
    """How far the top is off after a second (m, with 1 m from the pivot); inf where it broke off."""
    found = np.full(len(STEPS), np.inf)
    for k, dt in enumerate(STEPS):
        try:
            pose = run(TOP, method, dt, SECOND, every=round(SECOND / dt)).pose("top")[-1]
            found[k] = np.linalg.norm(pose[:3, 3] - exact()[:3, 3])
        except rm.SimulationError:
            pass
    return found


def cost(method: str, steps: int = 4000) -> float:
    """Processor time of a step of the top (s) once it is compiled, the best of three."""
    dt, found = STEPS[-1], []
    for _ in range(3):
        began = time.process_time()
        run(TOP, method, dt, steps * dt, every=steps)
        found.append(time.process_time() - began)
    return min(found) / steps


def drifts(scene: str, method: str, steps: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Numbers of steps, and the largest changes of energy and of angular momentum about the vertical up to there, as far as the run went.

    Relative to the kinetic energy and to the momentum at the start.
    """
    dt = LONG[scene]
    try:
        found = run(scene, method, dt, steps * dt, max(1, steps // 1000))
    except rm.SimulationError as error:
        found = error.trajectory
        if found is None or len(found) < 2:
            return np.zeros(0), np.zeros(0), np.zeros(0)
    total, momentum = found.energy.total, found.momentum_screw()[:, 2]
    changes = np.abs(total - total[0]) / kinetic(scene), np.abs(momentum - momentum[0]) / max(abs(momentum[0]), 1e-300)
    energy, turned = (np.maximum.accumulate(x)[1:] for x in changes)
    return found.t[1:] / dt, energy, turned


def wandering(kind: str, dt: float) -> float:
    """How far the pivot is from where it was, at most, in a second of the top put together from its twists (m)."""
    motion = rm.simulate(model_of(TOP), SECOND, dt, rtol=1e-12, progress=False)
    poses = rm.reconstruct(motion.twist("top", kind=kind), motion.pose("top")[0], kind, t=motion.t)  # type: ignore[arg-type]
    pivot = poses[:, :3, :3] @ PIVOT + poses[:, :3, 3]
    return float(np.linalg.norm(pivot - pivot[0], axis=1).max())


def hidden(group: str, dt: float) -> float:
    """The largest velocity of the pivot in a second, where generalized-alpha of index 3 asks for positions alone (m/s)."""
    rates = run(TOP, f"generalized-alpha {group}", dt, SECOND, index=3).hidden_rate
    return float(np.abs(rates).max())


def order(error: np.ndarray) -> float:
    """As the two finest steps show it."""
    return float(np.log2(error[-2] / error[-1])) if np.isfinite(error[-2:]).all() and error[-1] > 0 else np.nan


def told(steps: int) -> None:
    print(f"{TOP}: order; error of 1 ms (m), time of a step (us); energy and vertical momentum lost in {steps:,} steps of 1 ms")
    for method in methods(TOP):
        error, (_, energy, momentum) = errors(method), drifts(TOP, method, steps)
        lost = f"{energy[-1]:.0e}  {momentum[-1]:.0e}" if len(energy) else "broke off"
        print(f"  {method:<25} {order(error):4.1f}   {error[2]:.1e}  {1e6 * cost(method):5.2f}   {lost}")
    print("on SE(3) and on SO(3) x R3: how far the pivot wanders, put together from twists (m); its hidden velocity in index 3 (m/s)")
    for dt in STEPS[:3]:
        far, fast = [f"{wandering(kind, dt):.0e}" for kind in ("body", "mixed")], [f"{hidden(group, dt):.0e}" for group in GROUPS]
        print(f"  {1e3 * dt:g} ms  {'  '.join(far)}   {'  '.join(fast)}")


def picture(path: str, steps: int) -> None:
    """Six panels: error by step and by cost, the pivot; energy and momentum of the top, energy of the double pendulum."""
    import matplotlib.pyplot as plt
    from matplotlib.ticker import NullFormatter

    figure, axes = plt.subplots(2, 3, figsize=(13, 8), constrained_layout=True)
    (by_step, by_cost, pivot), (energy, momentum, pendulum) = axes
    looks = lines(methods(TOP), plt.get_cmap("tab20").colors)  # type: ignore[attr-defined]
    for method, look in looks.items():
        error, each = errors(method), cost(method)
        by_step.loglog(1e3 * np.array(STEPS), error, marker="o", ms=3, **look)
        by_cost.loglog([1e3 * each * SECOND / dt for dt in STEPS], error, marker="o", ms=3, **look)
        at, lost, turned = drifts(TOP, method, steps)
        energy.loglog(at, np.maximum(lost, 1e-17), **look)
        momentum.loglog(at, np.maximum(turned, 1e-17), **look)
        if method in methods(PENDULUM):
            at, lost, _ = drifts(PENDULUM, method, steps)
            pendulum.loglog(at, np.maximum(lost, 1e-17), **look)
    for kind, group, color in (("body", "SE3", "tab:blue"), ("mixed", "SO3xR3", "tab:red")):
        for f, given, dots, what in ((wandering, kind, "o-", "place, from twists (m)"), (hidden, group, "s--", "hidden velocity (m/s)")):
            values = [max(f(given, dt), 1e-17) for dt in STEPS]
            pivot.loglog(1e3 * np.array(STEPS), values, dots, ms=3, color=color, label=f"{group}: {what}")
    by_step.set(title="Heavy top: error after 1 s", xlabel="step (ms)", ylabel="m")
    by_cost.set(title="and what it costs", xlabel="processor time (ms)", ylabel="m")
    pivot.set(title="Its pivot: semidirect and direct product", xlabel="step (ms)")
    for panel, title in ((energy, "Heavy top, 1 ms: energy"), (momentum, "Heavy top, 1 ms: vertical momentum")):
        panel.set(title=title, xlabel="steps", ylabel="largest change, relative", ylim=(1e-17, 10))
    pendulum.set(title="Double pendulum, 5 ms: energy", xlabel="steps", ylabel="largest change, relative", ylim=(1e-17, 10))
    for panel in axes.flat:
        panel.grid(alpha=0.3)
    for panel, top in ((by_step, 10), (by_cost, 10), (pivot, 1e10)):
        panel.xaxis.set_minor_formatter(NullFormatter())
        panel.set_ylim(top=top)
    for panel in (by_step, pivot):
        panel.set_xticks([0.25, 0.5, 1, 2, 4], ["0.25", "0.5", "1", "2", "4"])
    pivot.legend(frameon=False, fontsize=9, loc="upper left")
    handles, labels = by_step.get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=-(-len(labels) // 3), frameon=False, fontsize=8.5, handlelength=3.2)
    figure.savefig(path, dpi=100)


def lines(names: list[str], colors: list[tuple[float, ...]]) -> dict[str, dict[str, Any]]:
    """How each is drawn: the first ones broad, those after them broken, so that what lies on another can be told."""
    widths, dashes = np.linspace(3.6, 1.2, len(names)), ("-", (0, (4, 2)), (0, (2, 2)), (0, (6, 1.5, 1, 1.5)))
    return {
        name: {"color": colors[(2 * k + k // 10) % 20], "lw": width, "ls": dashes[k % 4], "label": name}
        for k, (name, width) in enumerate(zip(names, widths, strict=True))
    }


def main(arguments: list[str]) -> None:
    parser = argparse.ArgumentParser(allow_abbrev=False)
    parser.add_argument("--steps", type=int, default=2000)
    parser.add_argument("--picture")
    chosen, _ = parser.parse_known_args(arguments)
    told(chosen.steps)
    if chosen.picture:
        picture(chosen.picture, chosen.steps)


if __name__ == "__main__":
    main(sys.argv[1:])
