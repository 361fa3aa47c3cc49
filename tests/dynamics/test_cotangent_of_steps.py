"""Transposed derivatives of what fills and solves matrices, and of whole runs, step by step."""

from __future__ import annotations

import numpy as np
import pytest

import redmax as rm
from dynamics.derived import Derived, check_transpose
from dynamics.test_cotangent import all_forces
from redmax.backends.base import make_runner
from redmax.dynamics.choose import system
from redmax.dynamics.recursive import forces as coupled
from redmax.integrators import METHODS
from redmax.integrators.base import one_step
from redmax.program.program import Program
from redmax.program.tangent import tangent


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


@pytest.mark.parametrize("integrator", ["forward-euler", "euler", "rk4", "implicit"])
def test_steps_reversed_one_by_one_are_the_gradient_of_a_run(integrator):
    """From the last step to the first, each begun again from its sample: against the tangent of the whole loop, by state and torque."""
    model, steps, rng = two_coupled(), 5, np.random.default_rng(8)
    method = METHODS[integrator].program
    assert method is not None
    program = method(system("recursive", model))
    loop = Derived(model, program, "interpret")
    clock = [np.zeros(1), np.zeros(1), np.full(1, 0.05), np.zeros(1)]
    start, along = [rng.normal(size=2) for _ in range(3)], [rng.normal(size=2) for _ in range(3)]
    samples = [np.empty((steps, 1, 2)) for _ in range(4)]
    inputs = [*start, *clock, *along, *[np.zeros(1)] * 4]
    assert make_runner(tangent(loop.plan), "interpret", "float64").run(inputs, samples, 1, steps, 1) == 0
    back = Derived(model, one_step(program), "interpret")
    weights = [rng.normal(size=2), rng.normal(size=2)]
    (q_bar, v_bar), tau_bar = weights, np.zeros(2)
    for k in reversed(range(steps)):
        q, qdot = (start[n] if k == 0 else samples[n][k - 1, 0] for n in range(2))
        now = [q, qdot, start[2], np.full(1, 0.05 * k), np.zeros(1), np.full(1, 0.05), np.full(1, float(k))]
        _, (q_bar, v_bar, gained, *_) = back.pull(now, [q_bar, v_bar])
        tau_bar = tau_bar + gained
    left = sum(float(w @ x[-1, 0]) for w, x in zip(weights, samples[2:], strict=True))
    right = sum(float(a @ b) for a, b in zip((q_bar, v_bar, tau_bar), along, strict=True))
    assert abs(left - right) <= 1e-12 * max(abs(left), 1.0)


def test_steps_that_are_chosen_on_the_way_cannot_be_taken_apart():
    method = METHODS["adaptive"].program
    assert method is not None
    with pytest.raises(rm.RedmaxError, match="'adaptive' chooses its steps"):
        one_step(method(system("recursive", two_coupled())))
