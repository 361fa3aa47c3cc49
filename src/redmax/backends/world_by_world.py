"""Worlds of a batch one after the other, where they do not go side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING

from redmax.backends.base import Arrays, Runner

if TYPE_CHECKING:
    from redmax.backends.llvm.executable import Executable


class WorldByWorld(Runner):
    """Worlds one after the other, on all threads: contact takes other turns in each, which lanes side by side would wait for.

    workers: threads, where it is not left open how many.
    """

    def __init__(self, inner: Executable, workers: int | None = None) -> None:
        self.inner, self.inputs, self.outputs, self.workers = inner, inner.inputs, inner.outputs, workers

    def prepare(self, worlds: int) -> None:
        """Compile for one world."""
        self.inner.prepare(1)

    def run(self, inputs: Arrays, outputs: Arrays, worlds: int, count: int = 0, stride: int = 1) -> int:
        """See `Runner.run`."""
        return self.inner.run(inputs, outputs, worlds, count, stride, lanes=1, workers=self.workers)


def one_by_one(runner: Runner, workers: int | None = None) -> Runner:
    """A runner that takes worlds one after the other; one that does so by itself stays as it is."""
    from redmax.backends.llvm.executable import Executable

    return WorldByWorld(runner, workers) if isinstance(runner, Executable) else runner
