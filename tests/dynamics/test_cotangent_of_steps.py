"""Transposed derivatives of what fills and solves matrices."""

from __future__ import annotations

import numpy as np
import pytest

import redmax as rm
from dynamics.derived import Derived, check_transpose
from dynamics.test_cotangent import all_forces
from redmax.dynamics.recursive import forces as coupled
from redmax.program.program import Program


def two_coupled() -> rm.Model:
    scene = rm.Scene()
    one, two = (scene.add_body(rm.Cuboid((1, 1, 1)), joint=rm.Revolute(axis), com=(1, 0, 0)) for axis in "yz")
    scene.add_force(rm.SpringDamper(one.point(0, 0, 1), two.point(0, 1, 0), stiffness=10, damping=1))
    return scene.model()


@pytest.mark.parametrize(("backend", "scene"), [pytest.param("interpret", "all forces", marks=pytest.mark.long), ("llvm", "two")])
def test_routines_are_reversed(backend, scene):
    """The implicit system of coupled joints: what fills the matrix, its factors and the solution, by state, torque, time and step."""
    model = all_forces() if scene == "all forces" else two_coupled()
    inputs = ("q", "qdot", "tau", "t", "h")
    program = Program("coupled", coupled.stages(model), coupled.coupled_fields(model), inputs, ("qddot",))
    rng = np.random.default_rng(6)
    state = [model.configurations.join(0.3 * rng.normal(size=model.nq)), *rng.normal(size=(2, model.nv)), np.full(1, 0.2), np.full(1, 0.01)]
    check_transpose(Derived(model, program, backend), state)
