"""Forces that read tables at computed places, as joints do: in all that runs them, and in their histories."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import redmax as rm
from redmax.math import Table, array


def pulled(table: Table, backend: str = "llvm") -> rm.Trajectory:
    """A slider whose force is read from a table, row by row of its position; beside it, one along a path."""

    def stepped(site: Any, *, table: Any) -> Any:
        return array([table[4.0 * site.x[0]], 0.0, 0.0])

    scene = rm.Scene(gravity=(0, 0, 0))
    body = scene.add_body(rm.Sphere(0.1, mass=1.0), joint=rm.Prismatic("x"), name="a", q=0.1, qdot=1.0)
    scene.add_force(rm.force(stepped, bodies=[body], table=table, name="steps"))
    scene.add_force(rm.force(tension=lambda length, rate, *, table: table[length], path=[body, (5.0, 0.0, 0.0)], table=table, name="cable"))
    return rm.simulate(scene, duration=0.5, dt=0.01, integrator="rk4", backend=backend, progress=False)


@pytest.mark.parametrize("backend", ["llvm", "interpret"])
def test_a_force_reads_its_table(backend):
    """Until x = 1 m, 0.5 N from the first force and 3.5 N from the second; then the other way round."""
    run = pulled(Table([0.5, 0.5, 0.5, 0.5, 3.5]), backend)
    assert np.allclose(run.q[:, 0], 0.1 + run.t + 0.5 * 4.0 * run.t**2, rtol=1e-12)


def test_histories_of_forces_of_one_kind_keep_their_tables_apart():
    for scale in (1.0, 2.0):
        table = Table(scale * np.arange(1.0, 7.0))
        run = pulled(table)
        found = run.force("cable").tension
        assert found.tolist() == [table[float(5.0 - x)] for x in run.q[:, 0]]
