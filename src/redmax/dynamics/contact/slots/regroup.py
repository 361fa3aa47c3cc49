"""Worlds that go side by side wait for the last of them. So those go together that take about as many steps of Newton's method.

Who needs how many changes slowly: after each portion of steps, worlds are ordered by what they took in it. Nothing else changes by that, as
what a world makes of its numbers does not depend on who is beside it.

    portion: inputs, in order -> some steps -> outputs, in order; they go to the samples of their worlds, and into the next order
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from math import gcd

import numpy as np

from redmax.dynamics.contact.fields import EVERY, SINCE

PORTION, LONGEST = 25, 200  # steps after which worlds are ordered anew; where that gains next to nothing
GAIN = 0.1  # steps of Newton's method in each step
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


def portion(begin: int, count: int, stride: int, most: int) -> tuple[int, int]:
    """(steps, steps between samples) from step `begin` on: some whole samples, or what is left of one, or a part of it."""
    left = -begin % stride
    if left or stride > most:
        return (steps := min(most, left or stride)), steps
    return min(most // stride * stride, count - begin), stride


def waited(took: np.ndarray, lanes: int) -> float:
    """Steps of Newton's method that worlds wait for others, each on average, if they are in this order."""
    full = took[: len(took) // lanes * lanes].reshape(-1, lanes)
    return float((full.max(axis=1, keepdims=True) - full).mean())


def together(past: np.ndarray, since: np.ndarray) -> np.ndarray:
    """SINCE of steps that follow each other: the worst residual, and sums."""
    return np.concatenate([np.maximum(past[..., :1], since[..., :1]), past[..., 1:] + since[..., 1:]], axis=-1)


@dataclass
class Regrouped:
    """Worlds of runs. lanes: how many go side by side; took: (worlds,) steps of Newton's method that they took last; most: in a portion."""

    lanes: int
    took: np.ndarray = field(default_factory=lambda: np.zeros(0))
    most: int = field(default_factory=lambda: PORTION)

    def pays(self, worlds: int, count: int, samples: int, stride: int) -> bool:
        """Whether there are groups and portions to choose from."""
        return worlds >= FEWEST * self.lanes and count > PORTION and count == samples * stride

    def run(self, run: Run, inputs: Named, outputs: Named, worlds: int, count: int, stride: int) -> int:
        """See `Runner.run`."""
        order = arranged(self.took if len(self.took) == worlds else np.zeros(worlds), self.lanes)
        own = [n for n, a in inputs.items() if a.ndim == 2 or n in outputs]  # of each world
        now = {n: np.broadcast_to(a, (worlds, a.shape[-1]))[order] if n in own else a for n, a in inputs.items()}
        status, begin, past, found = 0, 0, np.zeros((worlds, outputs[SINCE].shape[-1])), dict[str, np.ndarray]()
        while begin < count:
            steps, every = portion(begin, count, stride, self.most)
            k = inputs["k"] + float(begin)
            now |= {"k": k, "t": inputs["t0"] + k * inputs["h"], EVERY: np.full(1, float(every))}
            if not found or len(found[SINCE]) != steps // every:
                found = {n: np.empty((steps // every, *a.shape[1:])) for n, a in outputs.items()}
            status |= run(now, found, steps, every)
            took = np.nan_to_num(found[SINCE][..., TOOK].sum(axis=0))
            found[SINCE][0] = together(past, found[SINCE][0])
            begin += steps
            if begin % stride == 0:
                for name, target in outputs.items():
                    target[(begin - steps) // stride : begin // stride, order] = found[name]
            past = np.zeros_like(past) if begin % stride == 0 else found[SINCE][0]
            fresh = arranged(took, self.lanes)
            gain = waited(took, self.lanes) - waited(took[fresh], self.lanes)
            self.most = PORTION if gain > GAIN * steps else min(2 * self.most, LONGEST)
            order, past = order[fresh], past[fresh]
            for n in own:
                now[n] = found[n][-1][fresh] if n in outputs else inputs[n][order]
            self.took = np.empty(worlds)
            self.took[order] = took[fresh]
        return status
