"""Scene files: mutations of good ones, and ones made to do harm. What can be loaded is run, compiled and interpreted, and both must agree.

A hole: a crash, another exception than RedmaxError, reading that takes more than 2 s or 500 MB, a file opened outside, a control character
on the terminal, or a run whose numbers depend on whether it was compiled.
"""

from __future__ import annotations

import os
import random
import signal
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from attack import hostile
from attack.hole import SOON, Hole, traceback_of, within
from attack.mutate import mutated
from attack.seeds import seeds

COUNT = 10_000
FROM = {"catalogue": 0.42, "kinds": 0.32, "wrong": 0.1, "other": 0.15, "large": 0.01}  # how often each is begun with
ANY_TURN = 1e14  # rad, whose rounding is a hundredth of a turn: nothing is left of an angle
RUN, STOP = 8.0, 2.0  # s of processor time: a run that takes longer is interrupted, and then ends soon
STEPS, DT = 2, 1e-3
INTERPRETED = 6  # coordinates; larger ones take too long to interpret
METHODS = ("forward-euler", "euler", "rk4", "adaptive", "implicit", "bdf1", "bdf2")
DYNAMICS = (None, "recursive", "redmax", "maximal")


class Part:
    def __init__(self, folder: Path, seed: int, quick: bool = False) -> None:
        self.folder, self.seed = folder, seed
        self.seeds = seeds(Path(os.environ.get("REDMAX_CACHE_DIR") or folder), quick)
        self.path = folder / "input.yaml"

    def prepare(self, index: int) -> None:
        """Write the file of this number."""
        rng = random.Random(f"scenes {self.seed} {index}")
        for old in self.folder.glob("input*"):
            old.unlink()
        if rng.random() < 0.12:
            self.path.write_bytes(hostile.scene(rng, self.folder))
        else:
            text, other = (rng.choice(self.seeds[rng.choices(list(FROM), list(FROM.values()))[0]]) for _ in range(2))
            self.path.write_bytes(mutated(text, other, rng))

    def attempt(self, index: int) -> str:
        rng = random.Random(f"run {self.seed} {index}")
        with within(SOON, "reading the file"):
            scene = loaded(self.path)
        if rng.random() < 0.05:
            self.commanded(rng)
        return "refused" if scene is None else ran(scene, rng)

    def commanded(self, rng: random.Random) -> None:
        """The same through the command, whose output is looked at for control characters."""
        from redmax.cli import main

        status = main(["check", str(self.path)])
        if status not in (0, 2):
            raise Hole("traceback", f"redmax check ended with status {status}")


def loaded(path: Path) -> Any:
    """The scene of a file, whose model can be made; None if it has mistakes."""
    from redmax.errors import RedmaxError
    from redmax.io import load

    try:
        scene = load(path)
        with np.errstate(all="ignore"):
            scene.model()
    except RedmaxError as error:
        if not str(error).strip():
            raise Hole("text", "an error without a sentence") from None
        return None
    except Exception as error:
        raise traceback_of(error) from None
    return scene


def ran(scene: Any, rng: random.Random, methods: Sequence[str] = METHODS) -> str:
    """Run it a few steps in one of the ways there are; in both if it is small."""
    model = scene.model()
    how = {"integrator": rng.choice(methods), "dynamics": rng.choice(DYNAMICS)}
    compiled = run(scene, "llvm", how)
    if model.nq + model.nv > 2 * INTERPRETED:
        return "ran" if isinstance(compiled, np.ndarray) else compiled
    interpreted = run(scene, "interpret", how)
    if isinstance(compiled, str) or isinstance(interpreted, str):
        if isinstance(compiled, str) and isinstance(interpreted, str):
            return compiled
        said, other = (compiled, "interpreted") if isinstance(compiled, str) else (interpreted, "compiled")
        if said in ("blew up", "long"):  # at the edge of the numbers, either may be the first to leave them
            return said
        raise Hole("wrong", f"{said} one way, ran {other}, by {how}")
    return compare(scene, compiled, interpreted, how)


def run(scene: Any, backend: str, how: dict[str, Any], initial: Any = None) -> np.ndarray | str:
    """The last coordinates and rates; or a word for why there are none."""
    import redmax as rm

    options = {"solver": "auto", "stabilisation": "baumgarte", "halvings": 0, "every": 1, "rtol": 1e-6, "dtype": "float64"}
    try:
        with within(RUN + STOP, f"a run by {how} ({backend})"), interrupted(RUN), np.errstate(all="ignore"):
            made = rm.simulate(scene, STEPS * DT, DT, backend=backend, progress=False, initial=initial, **how, **options)
    except KeyboardInterrupt:
        return "long"
    except rm.SimulationError:
        return "blew up"
    except rm.RedmaxError:
        return "cannot run"
    except Exception as error:
        raise traceback_of(error) from None
    return np.concatenate([np.asarray(made.q)[-1].ravel(), np.asarray(made.qdot)[-1].ravel()])


@contextmanager
def interrupted(seconds: float) -> Iterator[None]:
    """As by Ctrl-C, after some processor time: how long a run takes is up to its scene, but not that it can be ended."""

    def stop(*_: Any) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def compare(scene: Any, compiled: np.ndarray, interpreted: np.ndarray, how: dict[str, Any]) -> str:
    """Both ways within rounding, as much as the scene lets rounding grow: that is found by moving its start by the last digits."""
    import redmax as rm
    from redmax.run.start import initial_state

    if close(compiled, interpreted, 1e-7):
        return "agreed"
    if np.abs(interpreted).max() > ANY_TURN:
        return "delicate"
    try:
        start = initial_state(scene.model())
        moved = run(scene, "llvm", how, rm.State(start.t, start.q * (1 + 1e-12) + 1e-13, start.qdot * (1 + 1e-12), start.chart))
    except rm.RedmaxError:
        return "delicate"
    if isinstance(moved, str) or not close(compiled, moved, 1e-10):
        return "delicate"
    raise Hole("wrong", f"compiled {compiled[:6]}, interpreted {interpreted[:6]}, by {how}")


def close(a: np.ndarray, b: np.ndarray, tolerance: float) -> bool:
    with np.errstate(all="ignore"):
        scale = np.maximum(1.0, np.max(np.abs(b), initial=0.0))
        return a.shape == b.shape and bool(np.all((np.abs(a - b) <= tolerance * scale) | (a == b)))
