"""Worlds that go side by side wait for the last of them. So those go together that take about as many steps of Newton's method.

Who needs how many changes slowly: after each portion of steps, worlds are ordered by what they took in it. Nothing else changes by that, as
what a world makes of its numbers does not depend on who is beside it.

    portion: inputs, in order -> some steps -> outputs, in order; they go to the samples of their worlds, and into the next order
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from math import gcd

import numpy as np

from redmax.dynamics.contact.fields import EVERY, SINCE

PORTION = 25  # steps, at most
FEWEST = 3  # groups that are worth it
SPREAD = 0.618  # of all groups, between neighbours: each thread takes a row of neighbours, and is to get as much to do as the others
TOOK = 2  # of SINCE: steps of Newton's method

Named = dict[str, np.ndarray]
Run = Callable[[Named, Named, int, int], int]  # inputs, outputs, steps, steps between samples -> nonzero if something is not finite


def arranged(took: np.ndarray, lanes: int) -> np.ndarray:
    """Which world is at each place; a group that is not full comes last."""
    order, groups = np.argsort(took, kind="stable"), len(took) // lanes
    step = next(s for s in range(max(round(SPREAD * groups), 1), groups + 1) if gcd(s, groups) == 1)
    full = order[len(order) - lanes * groups :].reshape(groups, lanes)
    return np.concatenate([full[step * np.arange(groups) % groups].ravel(), order[: len(order) - lanes * groups]])


def portions(count: int, stride: int) -> Iterator[tuple[int, int, int, bool]]:
    """(where it begins, steps, steps between samples, whether it ends with a sample): some whole samples, or a part of one."""
    if stride <= PORTION:
        whole = PORTION // stride * stride
        for begin in range(0, count, whole):
            yield begin, min(whole, count - begin), stride, True
        return
    parts = -(-stride // PORTION)
    for first in range(0, count, stride):
        for k in range(parts):
            begin, end = (stride * i // parts for i in (k, k + 1))
            yield first + begin, end - begin, end - begin, end == stride


def together(past: np.ndarray, since: np.ndarray) -> np.ndarray:
    """SINCE of steps that follow each other: the worst residual, and sums."""
    return np.concatenate([np.maximum(past[..., :1], since[..., :1]), past[..., 1:] + since[..., 1:]], axis=-1)


@dataclass
class Regrouped:
    """Worlds of a run. lanes: how many go side by side; took: (worlds,) steps of Newton's method that they took last."""

    lanes: int
    took: np.ndarray = field(default_factory=lambda: np.zeros(0))

    def pays(self, worlds: int, count: int, samples: int, stride: int) -> bool:
        """Whether there are groups and portions to choose from."""
        return worlds >= FEWEST * self.lanes and count > PORTION and count == samples * stride

    def run(self, run: Run, inputs: Named, outputs: Named, worlds: int, count: int, stride: int) -> int:
        """See `Runner.run`."""
        order = arranged(self.took if len(self.took) == worlds else np.zeros(worlds), self.lanes)
        own = [n for n, a in inputs.items() if a.ndim == 2 or n in outputs]  # of each world
        now = {n: np.broadcast_to(a, (worlds, a.shape[-1]))[order] if n in own else a for n, a in inputs.items()}
        status, past = 0, np.zeros((worlds, outputs[SINCE].shape[-1]))
        for begin, steps, every, whole in portions(count, stride):
            k = inputs["k"] + float(begin)
            now |= {"k": k, "t": inputs["t0"] + k * inputs["h"], EVERY: np.full(1, float(every))}
            found = {n: np.full((steps // every, *a.shape[1:]), np.nan) for n, a in outputs.items()}
            status |= run(now, found, steps, every)
            took = np.nan_to_num(found[SINCE][..., TOOK].sum(axis=0))
            found[SINCE][0] = together(past[order], found[SINCE][0])
            past[order] = 0.0 if whole else found[SINCE][0]
            if whole:
                for name, target in outputs.items():
                    target[begin // stride : (begin + steps) // stride, order] = found[name]
            fresh = arranged(took, self.lanes)
            order = order[fresh]
            now |= {n: found[n][-1][fresh] if n in outputs else inputs[n][order] for n in own}
            self.took = np.empty(worlds)
            self.took[order] = took[fresh]
        return status
