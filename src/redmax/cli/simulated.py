"""A run as it was asked for, with a bar in a terminal; what breaks off keeps what was computed."""

from __future__ import annotations

import os
import sys
from contextlib import nullcontext
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any

from redmax.cli.complain import INTERRUPTED, complain
from redmax.cli.console import say
from redmax.cli.request import Request, checked_request
from redmax.cli.sources import check_there, is_result
from redmax.cli.stoppable import stoppable
from redmax.errors import Interrupted, RedmaxError, SimulationError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from redmax.run.trajectory import Trajectory

Outcome = tuple["Trajectory", RedmaxError | Interrupted | None]


def simulated(request: Request) -> Outcome:
    """The run, and what happened if it broke off."""
    from redmax.run.simulate import simulate

    options = {**asdict(request.options), **({"out": request.out} if request.out else {})}
    before = number_of(request.out)
    with progress(request) as bar, stoppable(bar) as show:  # also while it compiles
        try:
            return simulate(request.entry.scene(), progress=show, **options), None
        except SimulationError as failure:
            if failure.trajectory is None:
                raise
            return failure.trajectory, failure
        except Interrupted as interrupted:
            return interrupted.trajectory, interrupted
        except RedmaxError as failure:
            if request.out is None or not isinstance(failure.__cause__, OSError):
                raise
            failed = failure
    return without_result(request, failed, before), failed


def without_result(request: Request, failure: RedmaxError, before: int) -> Trajectory:
    """The run whose result file could not be written to its end: what the file holds, or, if that is nothing, the run without it.

    before: what had the file's name, by its number in the file system
    """
    assert request.out is not None
    if number_of(request.out) not in (0, before):
        kept = loaded(request.out)
        if len(kept) > 1:
            return kept
    if not request.quiet and list(request.files) == ["--out"]:
        raise failure
    return simulated(replace(request, out=None))[0]


def number_of(path: Path | None) -> int:
    """Of a file, in its file system; 0 if there is none."""
    try:
        return 0 if path is None else os.stat(path).st_ino
    except OSError:
        return 0


def progress(request: Request) -> Any:
    """A bar, where a person is there to see it."""
    from redmax.run.progress import bar
    from redmax.units import units_of

    if request.quiet or not sys.stderr.isatty():
        return nullcontext()
    return bar(conservative=request.entry.conservative, energy_unit=units_of(request.entry.units).energy)


def trajectory_of(source: str, settings: Sequence[str] | None) -> tuple[Trajectory, int]:
    """What to look at: the result in a file, or else a scene, run as it is by itself; and the exit status so far."""
    from pathlib import Path

    if is_result(source):
        if settings:
            raise RedmaxError(f"--set is for scenes; '{source}' is the result of a run that is over.")
        return loaded(Path(source)), 0
    trajectory, failure = simulated(checked_request(source, settings=settings))
    if isinstance(failure, Interrupted):
        say(f"Interrupted at t = {trajectory.t[-1]:g} s; going on with what there is.", err=True)
        return trajectory, INTERRUPTED
    return trajectory, complain(failure) if failure else 0


def before_it_moves(source: str, settings: Sequence[str] | None) -> Trajectory:
    """What is looked at where it begins: the result in a file, or a scene, of which nothing is simulated."""
    from redmax.view.initial import initial_run

    if is_result(source):
        return trajectory_of(source, settings)[0]
    return initial_run(checked_request(source, settings=settings).entry.scene())


def loaded(path: Path) -> Trajectory:
    """A run from its file."""
    from redmax.results import load

    check_there(path)
    return load(path)
