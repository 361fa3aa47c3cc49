"""Runs whose constraints carry coordinates: one that begins where the last one ended goes on with them, on the same branch."""

from __future__ import annotations

from redmax.backends.base import Runner
from redmax.dynamics.common.closing import world
from redmax.dynamics.common.continued import ContinuedRunner
from redmax.model.model import Model


class ClosingRunner(ContinuedRunner):
    """size: how many coordinates are carried."""

    run_of = "A run with closed loops"

    def __init__(self, size: int, inner: Runner) -> None:
        super().__init__(inner, {"closing_q": size}, fresh="closing_fresh")


def closing_runner(model: Model, inner: Runner) -> Runner:
    """What runs a program of `closing.begun`; the runner itself, where no constraint carries coordinates."""
    size = world(model).get("closing_q", 0)
    return ClosingRunner(size, inner) if size else inner
