"""A run that is looked at while it is simulated."""

from __future__ import annotations

from contextlib import redirect_stdout
from dataclasses import asdict
from sys import stderr
from typing import TYPE_CHECKING, cast

from redmax.cli.request import Request
from redmax.errors import SimulationError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from redmax.cli.simulated import Outcome
    from redmax.model.scene import Scene
    from redmax.run.trajectory import Trajectory


def watched(request: Request) -> Outcome:
    """What was computed until the page was left with Ctrl-C, and what broke it off, if something did.

    The page may change the parameters of a scene file and start again.
    """
    from redmax.io import load, parameters
    from redmax.view.live import watch

    options = {name: value for name, value in asdict(request.options).items() if name != "every"}  # a page shows every sample
    values = {} if request.file is None else {**parameters(request.file, budget=request.budget), **request.settings}

    def make(values: Mapping[str, float]) -> Scene:
        return request.entry.scene() if request.file is None else load(request.file, values, budget=request.budget)

    try:
        with redirect_stdout(stderr):  # the address of the page is for a person; standard output may be for a program
            run = watch(
                make, values, out=request.out, port=request.port, host=request.host, open_browser=request.browser, block=True, **options,
            )  # fmt: skip
    except SimulationError as failure:
        if failure.trajectory is None:
            raise
        return failure.trajectory, failure
    return cast("Trajectory", run), None
