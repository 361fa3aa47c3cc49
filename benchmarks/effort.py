"""Muscle activations of least effort: an arm with 50 muscles along a motion of 1,000 frames.

First all that `redmax.static_optimisation` does: inverse dynamics, paths, moment arms and fibres of all muscles, and the problems; its
kernels are compiled. Then the problems alone, all frames at once, against solvers that take one after the other, from their C and Rust
code: daqp, a dual active set, and clarabel, an interior point, on the same problems in activations alone (reserves eliminated).
Activations must agree.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import numpy as np

import redmax as rm
from benchmarks.agreement import agree
from benchmarks.arm import with_paths
from benchmarks.path_laws import muscle
from benchmarks.report import Row, Target
from benchmarks.timing import Contestant, Effort, compete
from redmax.design.least_effort import least_effort

FIGURE, FRAMES, LIMIT = "muscle activations", 1000, 2.0
AGREEMENT = 1e-3  # of an interior point, near bounds


def measure(effort: Effort) -> Iterator[Row]:
    scene = with_paths(muscle)
    motion = waving(scene)
    found = rm.static_optimisation(scene, motion)
    case = f"{FRAMES:,} frames, {len(found.names)} muscles"
    whole = Contestant("all", lambda: rm.static_optimisation(scene, motion), 1, lambda: found.activation)
    (times,) = compete([whole], effort)
    bound = (found.activation == 0) | (found.activation == 1)
    note = f"all frames; {bound.mean():.0%} of activations at a bound; {len(found.unmet)} joints too weak somewhere"
    yield Row(FIGURE, case, times.best, target=Target(seconds=LIMIT), note=note)
    yield from problems(found, case, effort)


def waving(scene: rm.Scene) -> rm.SmoothedMotion:
    """All joints swing about where the scene begins, slowly and at different frequencies."""
    model, t = scene.model(), np.linspace(0, 5, FRAMES)
    n = int(model.offsets[len(model.bodies)])
    phase = np.outer(t, 1.0 + 0.2 * np.arange(n)) + np.arange(n)
    return rm.smoothed_motion(scene, t, model.q0[:n] + 0.2 * np.sin(phase), np.inf)


def problems(found: rm.Activations, case: str, effort: Effort) -> Iterator[Row]:
    """min |a|^2 + |W (b - A a)|^2, 0 <= a <= 1, frame by frame."""
    active = found.at_rest
    A = np.swapaxes(active.moment_arms * active.active_force[..., None], 1, 2)
    passive = (active.passive_force + active.damping_force)[..., None] * active.moment_arms
    b = found.torques - passive.sum(axis=1)
    used = np.abs(A).max(axis=(0, 2)) > 0
    A, b = A[:, used], b[:, used]
    S = np.diag((0.1 * np.abs(b).max(axis=0)) ** 2)  # milder than usual reserves, for the sake of those who square
    H = 2 * np.eye(A.shape[2]) + 2 * np.swapaxes(A, 1, 2) @ np.linalg.solve(S, A)
    f = -2 * (np.swapaxes(A, 1, 2) @ np.linalg.solve(S, b.T).T[..., None])[..., 0]
    own = Contestant("redmax", lambda: least_effort(A, b, S), len(b), lambda: least_effort(A, b, S).activations)
    for peer in solvers(H, f, tight=True):
        agree(f"activations by {peer.name}", own.accelerations(), peer.accelerations(), AGREEMENT)
    peers = list(solvers(H, f))
    mine, *others = compete([own, *peers], effort)
    for peer, times in zip(peers, others, strict=True):
        yield Row(FIGURE, f"the problems alone, {case}", mine.best, peer.name, times.best, mine.ratio(times), note="one frame")


def solvers(H: np.ndarray, f: np.ndarray, tight: bool = False) -> Iterator[Contestant]:
    """min 1/2 a' H a + f' a, 0 <= a <= 1, by solvers that are installed."""
    n = f.shape[1]

    def each(name: str, solve: Callable[[int], Any]) -> Contestant:
        def all_frames() -> np.ndarray:
            return np.array([solve(k) for k in range(len(f))])

        return Contestant(name, all_frames, len(f), all_frames)

    if find_spec("daqp"):
        daqp: Any = import_module("daqp")
        import ctypes

        none, high, low, sense = np.zeros((0, n)), np.ones(n), np.zeros(n), np.zeros(n, dtype=ctypes.c_int)
        yield each("daqp", lambda k: daqp.solve(H[k], f[k], none, high, low, sense)[0])
    if find_spec("clarabel"):
        clarabel: Any = import_module("clarabel")
        sparse: Any = import_module("scipy.sparse")
        rows, right = sparse.csc_matrix(np.vstack([np.eye(n), -np.eye(n)])), np.concatenate([np.ones(n), np.zeros(n)])
        settings = clarabel.DefaultSettings()
        settings.verbose = False
        if tight:
            settings.tol_gap_abs, settings.tol_gap_rel, settings.tol_feas = 1e-12, 1e-12, 1e-12
        cones = [clarabel.NonnegativeConeT(2 * n)]

        def by_clarabel(k: int) -> Any:
            return clarabel.DefaultSolver(sparse.csc_matrix(np.triu(H[k])), f[k], rows, right, cones, settings).solve().x

        yield each("clarabel", by_clarabel)
