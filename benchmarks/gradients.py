"""Gradients of runs, by the initial state and the torques of every step, over the run alone; what all parameters add; and the first one.

All: of each link mass, centre, inertia, spring, rest, damping and armature; and of a bead on a spline at the end its control frames.

A call of `redmax.gradient` is timed as it is, with all that Python does around the compiled code. The run is that of the compiled loop,
with the same torques and every step a sample, which must end where the gradient's does before anything is timed.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

import redmax as rm
from benchmarks.agreement import agree
from benchmarks.cases import CASES
from benchmarks.parameters import springy_chain
from benchmarks.processes import Processes, processes
from benchmarks.report import Row, Target
from benchmarks.timing import Contestant, Effort, compete
from redmax.run.controls import checked_controls

FIGURE = "gradient of a run"
METHODS = {"forward-euler": (1e-4, 3.5), "euler": (1e-3, 3.5), "rk4": (1e-3, 3.5), "adaptive": (1e-3, 3.5), "implicit": (1e-3, 4.0)}
METHODS |= {"bdf1": (2e-3, 1.5), "bdf2": (2e-3, 1.5)}  # dt, target
STEPS, MORE = 4000, 1.0  # MORE: what all parameters may add, in runs
OF_LINKS = ("mass", "com", "inertia", "stiffness", "rest", "damping", "armature")
READY = 3.0  # s, from a model to its first gradient, in a fresh process with nothing compiled


def measure(effort: Effort) -> Iterator[Row]:
    for case in ("RC20", "humanoid"):
        for method in METHODS if case == "RC20" else ("euler", "bdf1"):
            yield against(case, CASES[case](), method, (), effort)
    scene = springy_chain()
    names = tuple(f"{link.name}.{what}" for link in scene.links for what in ("mass", "com", "stiffness"))
    every, wire = everything()
    for method in ("euler", "bdf1"):
        yield against("20 springy links, 100 parameters", scene, method, names, effort)
        yield against("20 springy links, all parameters", every, method, wire[:-1], effort)
    yield against("20 springy links, all parameters, and frames of a spline", every, "euler", wire, effort)
    with processes() as python:
        for method in ("euler", "bdf2"):
            yield first(python, "humanoid", method, effort)


def everything() -> tuple[rm.Scene, tuple[str, ...]]:
    """A scene with all kinds of parameters, and the names of all."""
    scene = springy_chain(damping=0.2, armature=0.1)
    around = 2 * np.pi / 8 * np.arange(8)
    frames = [rm.pose(rm.rotation_about("z", a), (0.3 * np.cos(a), 0.3 * np.sin(a), 0.1 * np.cos(2 * a))) for a in around]
    names = tuple(f"{link.name}.{what}" for link in scene.links for what in OF_LINKS)
    bead: dict[str, Any] = {"joint": rm.SplineCurve(np.array(frames), cyclic=True), "q": 2.5, "stiffness": 5.0, "rest": 2.5}
    scene.add_body(rm.Cuboid((0.1, 0.1, 0.1), mass=0.3), parent=scene.links[-1].name, name="bead", **bead)
    return scene, (*names, "bead.frames")


def first(python: Processes, case: str, method: str, effort: Effort) -> Row:
    """What somebody waits for who asks for a gradient of a model that nobody has compiled."""
    found = []
    for _ in range(effort.processes):
        with TemporaryDirectory() as folder:
            found.append(json.loads(python.output("-m", "benchmarks.gradient_once", case, method, REDMAX_CACHE_DIR=folder)))
    best = min(found, key=lambda f: f["total"])
    return Row("first gradient", f"{case}, {method}", best["total"], target=Target(seconds=READY), note=f"programs {best['made']:.2f} s")


def against(case: str, scene: rm.Scene, method: str, names: tuple[str, ...], effort: Effort) -> Row:
    """names: of the parameters that it is by, too."""
    dt, target = METHODS[method]
    steps = STEPS // 4 if method.startswith("bdf") else STEPS
    model = scene.model()
    rng = np.random.default_rng(0)
    begin = rm.State(0.0, model.q0, 0.1 * rng.normal(size=model.nv))
    tau = 0.1 * rng.normal(size=(steps, model.nv))
    g = rm.gradient(model, end, steps * dt, dt, by=["q", "qdot", "tau", *names], initial=begin, integrator=method)
    own = Contestant("redmax", lambda: g(tau=tau), 1, lambda: g(tau=tau).end.q[None])
    peer = alone(model, begin, tau, dt, method)
    error = agree(f"{case}: {method}", own.accelerations(), peer.accelerations(), 1e-6)
    mine, other = compete([own, peer], effort)
    goal = Target(ratio=target + (MORE if names else 0.0))
    note = f"{steps} steps, {other.best / steps * 1e6:.2f} us each"
    return Row(FIGURE, f"{case}, {method}", mine.best, peer.name, other.best, mine.ratio(other), goal, error, note)


def end(now: rm.Moment) -> Any:
    return now.q @ now.q + now.qdot @ now.qdot


def alone(model: rm.Model, begin: rm.State, tau: np.ndarray, dt: float, method: str) -> Contestant:
    """The compiled loop."""
    sim = rm.Simulation(model, dt=dt, integrator=method, initial=begin)
    sim.controls = checked_controls(sim, tau, len(tau))
    q, qdot = sim.room(len(tau))

    def call() -> None:
        sim.reset(begin)
        sim.runner.restore(None)
        if method == "adaptive":  # which ends a step where torques change
            for k in range(len(tau)):
                sim.advance(1, tau[k : k + 1], q[k : k + 1], qdot[k : k + 1])
        else:
            sim.fill(1, q, qdot)

    call()
    return Contestant("the run alone", call, 1, lambda: q[-1])
