"""Runs with joints that rub: one that begins where the last one ended goes on with its friction; others begin with none."""

from __future__ import annotations

from collections.abc import Mapping

from redmax.backends.base import Runner
from redmax.dynamics.common.continued import ContinuedRunner

KEPT = ("rub_b", "rub_t", "rub_torque", "rub_impulse")  # from step to step, and from program to program
HELD = "rub_held"  # likewise: wrenches of friction where constraints hold


class RubbingRunner(ContinuedRunner):
    """sizes: how many numbers there are of each that is kept or seen, of one world."""

    run_of = "A run with joints that rub"

    def __init__(self, sizes: Mapping[str, int], inner: Runner) -> None:
        kept = {name: sizes[name] for name in (*KEPT, HELD)}
        super().__init__(inner, kept, {name: size for name, size in sizes.items() if name not in kept})
