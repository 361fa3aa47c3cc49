"""A program of a model with both of its derivatives, and the test that one is the transpose of the other."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

import redmax as rm
from dynamics.agreement import agree
from redmax.backends.base import make_runner, rolled_plan
from redmax.program.cotangent import cotangent
from redmax.program.program import Program
from redmax.program.tangent import tangent


@dataclass(frozen=True, eq=False)
class Derived:
    """A program of a model with both of its derivatives. Arrays are lists, one for each input or output: (n,), or (worlds, n)."""

    model: rm.Model
    program: Program
    backend: str = "interpret"
    keep: bool = True

    @property
    def plan(self):
        return rolled_plan(self.model, self.program, self.backend, self.keep)

    def run(self, plan, inputs, worlds=1, **options):
        outputs = [np.full((1, worlds, len(slots)), np.nan) for slots in plan.outputs]
        arrays = [np.ascontiguousarray(a) for a in inputs]
        assert make_runner(plan, self.backend, "float64").run(arrays, outputs, worlds, **options) == 0
        return [o[0, 0] if worlds == 1 else o[0] for o in outputs]

    def pull(self, x, weights, **options):
        """The outputs, and the cotangents of the inputs."""
        found = self.run(cotangent(self.plan), [*x, *weights], **options)
        return found[: len(weights)], found[len(weights) :]

    def push(self, x, along):
        """The outputs, and their tangents."""
        found = self.run(tangent(self.plan), [*x, *along])
        return found[: len(found) // 2], found[len(found) // 2 :]

    def weights(self, seed=0, worlds=()):
        rng = np.random.default_rng([seed, 1])
        return [rng.normal(size=(*worlds, len(slots))) for slots in self.plan.outputs]


def random_like(arrays, seed, model=None):
    rng = np.random.default_rng([seed, 2])
    found = [rng.normal(size=a.shape) for a in arrays]
    if model is not None:
        found[0][model.nq :] = 0.0  # charts do not move
    return found


def check_transpose(d: Derived, x, seed=0, tolerance=1e-11):
    """<ybar, J dx> = <J^T ybar, dx>."""
    along, weights = random_like(x, seed, d.model), d.weights(seed)
    y, dy = d.push(x, along)
    y_again, back = d.pull(x, weights)
    assert all(agree(a, b, 1e-13, 1.0) for a, b in zip(y_again, y, strict=True))
    left, right = (sum(float(a @ b) for a, b in zip(*pair, strict=True)) for pair in ((weights, dy), (along, back)))
    size = sum(float(np.abs(a) @ np.abs(b)) for a, b in zip(along, back, strict=True))
    assert abs(left - right) <= tolerance * max(size, 1.0)
