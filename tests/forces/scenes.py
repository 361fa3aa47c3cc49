"""A mechanism of three bodies with random placements, for a force between them or within its joints."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import redmax as rm
from redmax.backends.base import make_plan, make_runner
from redmax.dynamics.choose import system
from redmax.program.program import Program


def mechanism(seed: int = 0, gravity: Any = (0.3, -0.5, -2.0)) -> tuple[rm.Scene, list[rm.BodyHandle]]:
    """A floating body, one on a universal joint, one on a helix; all moving."""
    rng = np.random.default_rng([seed, 29])
    scene, parent, handles = rm.Scene(gravity=gravity), None, []
    for joint in (rm.Free(), rm.Universal(), rm.Helical("y", pitch=0.1)):
        at = rm.pose(rm.rotation_about(rng.normal(size=3), rng.uniform(-2, 2)), rng.uniform(0.2, 0.6, 3))
        q, qdot = 0.4 * rng.normal(size=joint.dof), 0.6 * rng.normal(size=joint.dof)
        shape = rm.Cuboid(rng.uniform(0.2, 0.5, 3), mass=float(rng.uniform(0.5, 2.0)))
        parent = scene.add_body(shape, joint=joint, parent=parent, at=at, com=rng.uniform(-0.3, 0.3, 3), q=q, qdot=qdot)
        handles.append(parent)
    return scene, handles


def with_force(make: Callable[..., Any], seed: int = 0) -> rm.Scene:
    scene, handles = mechanism(seed)
    scene.add_force(make(*handles))
    return scene


def redmax_accelerations(model: rm.Model, q: Any, qdot: Any, t: float, backend: str = "llvm") -> np.ndarray:
    """qddot by the stages of redmax dynamics."""
    chosen = system("redmax", model, backend=backend)
    program = Program("once", chosen.accelerations, chosen.fields(), ("q", "qdot", "tau", "t", "h"), ("qddot",))
    out = np.empty((1, 1, model.nv))
    make_runner(make_plan(chosen.model, program, backend), backend, "float64").run(
        [model.configurations.join(q), qdot, np.zeros(model.nv), np.full(1, t), np.zeros(1)], [out], 1
    )
    return out[0, 0]
