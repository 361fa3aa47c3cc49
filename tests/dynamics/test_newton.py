"""Newton's matrix and Newton's step of implicit methods: against directional derivatives of inverse dynamics, for everything there is."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import redmax as rm
from dynamics.agreement import agree
from dynamics.test_compiled_soft import carried
from dynamics.test_coupled import made
from mechanisms import StateSample, chain, every_kind, mechanisms
from muscles.test_dynamics import HILL, arm, sliding, smooth
from random_examples import examples
from redmax.backends.base import make_plan, make_runner
from redmax.dynamics.common.residual import Residual
from redmax.dynamics.maximal import newton as sparse
from redmax.dynamics.recursive import newton
from redmax.dynamics.recursive.transmitted import move_joint, transmit
from redmax.muscles import Muscle
from redmax.program.program import Program, ProgramStage
from redmax.program.record import JointView, ParentView
from redmax.program.sweep import Part, backward, forward, interactions, recursion

INPUTS = ("q", "qdot", "qddot", "tau", "t", "r0", "r1", "r2")
RATES = (20.0, 400.0)  # r1, r2 of a step of 0.05 s
SOFT = {"density": 500, "youngs": 2e4, "poisson": 0.3}


@backward
def transmit_force(j: JointView, p: ParentView) -> None:
    j.missing = j.tau - transmit(j, p)


INVERSE = recursion(forward(move_joint), interactions(Part.WRENCH), transmit_force, name="inverse dynamics in world axes")


def outcome(model: rm.Model, s: StateSample, stages: tuple[ProgramStage, ...], dense: bool, outputs: tuple[str, ...], backend: str):
    """The outputs of a program with these stages at one state."""
    program = Program("newton", (INVERSE, *stages), newton.fields(model, {}, {}, dense), INPUTS, outputs)
    plan = make_plan(model, program, backend)
    found = [np.empty((1, 1, len(slots))) for slots in plan.outputs]
    inputs = [model.configurations.join(s.q), s.qdot, s.qddot, s.tau, *(np.full(1, x) for x in (s.t, 1.0, *RATES))]
    make_runner(plan, backend, "float64").run(inputs, found, 1)
    return [array[0, 0] for array in found]


def expected(model: rm.Model, s: StateSample) -> tuple[np.ndarray, np.ndarray]:
    """dr/dx and r of the coordinates that are free, by differentiating the whole program of inverse dynamics."""
    residual, state = Residual(model, "interpret"), (s.q, s.qdot, s.qddot)
    free = ~np.repeat(model.prescribed, [link.joint.dof for link in model.links])
    return residual.jacobian(state, s.t, RATES)[np.ix_(free, free)], residual.value(*state, s.t, s.tau)[free]


def check(model: rm.Model, s: StateSample, backend: str = "interpret", tolerance: float = 1e-11) -> None:
    """The matrix; its solution with pivoting; the elimination along the tree, where no force couples bodies, or bordered."""
    H, r = expected(model, s)
    matrix, free = newton.matrix_of(model), ~np.repeat(model.prescribed, [link.joint.dof for link in model.links])
    (found,) = outcome(model, s, matrix.assemble(), True, ("H",), backend)
    assert agree(found.reshape(H.shape), H, tolerance)
    ways = [(True, None), (True, sparse.matrix_of(model)) if newton.couples(model) else (False, None)]
    for dense, system in ways:
        (dx,) = outcome(model, s, newton.stages(model, dense, system), dense, ("dx",), backend)
        assert not dx[~free].any()
        assert np.abs(H @ dx[free] + r).max() <= 10 * tolerance * max(np.abs(H).max() * np.abs(dx).max(initial=0.0), 1e-300)


@examples(3, 25)
@given(m=mechanisms(largest=4).filter(lambda m: m.nv > 0), seed=st.integers(0, 2**16))
def test_of_random_mechanisms(m, seed):
    """All kinds of joints, with springs, torque functions and wrenches that time changes, in body and in world axes."""
    check(m.model, m.state(seed))


@pytest.mark.long
@pytest.mark.parametrize("seed", range(3))
def test_of_every_kind_of_joint(seed):
    m = every_kind(seed)
    check(m.model, m.state(seed))


@pytest.mark.parametrize(
    ("seed", "count", "prescribed"), [(0, 3, 0), (1, 4, 1), *[pytest.param(n, 6, n % 3, marks=pytest.mark.long) for n in range(2, 12)]]
)
def test_of_forces_between_bodies(seed, count, prescribed):
    """Springs, cables, bushings and dampers: their exact stiffness and damping, whatever kind an implicit step would take."""
    model, s = made(seed, count, prescribed=prescribed)
    assert newton.couples(model)
    check(model, s)


def test_of_forces_on_one_body():
    """These leave the tree as it is: part of what each body feels."""
    m = chain(3, ["Revolute", "Spherical", "Universal"])
    scene = m.scene()
    for i in range(3):
        scene.add_force(rm.SpringDamper((0.3, 0.1 * i, 1.0), scene.find(f"link{i}").point(0.1, 0.2, 0.0), stiffness=300.0, damping=4.0))
    model = scene.model().with_prescribed(["joint1"])
    assert not newton.couples(model)
    check(model, m.state(3))


def test_of_a_muscle_with_its_activation():
    """The activation is a state of its own, whose rate of change is part of the system; a point that comes and goes reads a joint."""

    def between(first: Any, second: Any) -> Muscle:
        gate = rm.ConditionalPoint(first.point(0.1, 0, 0.12), joint=second, coordinate=0, between=(-1.0, 1.0))
        path = [first.point(-0.15, 0, 0.08), gate, second.point(-0.05, 0.02, 0.07)]
        return Muscle(path, name="pull", excitation=smooth, **HILL)

    model = arm(between).model()
    assert newton.couples(model)
    q, qdot, qddot, tau = np.random.default_rng(4).uniform(0.1, 0.6, (4, model.nv))
    check(model, StateSample(q, qdot, tau, qddot, np.zeros((len(model.links), 6)), 0.3))


@pytest.mark.parametrize("held", [False, True])
def test_of_points_that_follow_a_joint(held):
    """Over the first body with a coordinate of the second's joint, of a muscle with a state; held: the joint is prescribed."""
    model = arm(lambda a, b: sliding(a, b, activation=None, excitation=smooth)).model()
    model = model.with_prescribed([model.links[1].joint_name]) if held else model
    assert model.pushed
    q, qdot, qddot, tau = np.random.default_rng(7).uniform(0.1, 0.6, (4, model.nv))
    check(model, StateSample(q, qdot, tau, qddot, np.zeros((len(model.links), 6)), 0.3))


@pytest.mark.parametrize(
    "shape",
    [
        rm.Cloth((0.3, 0.1), (2, 1), density=2.0, stretch=4e3, shear=2e3, damping=1e-3, at=(0.95, 0, 0), rayleigh=(0.3, 1e-3)),
        pytest.param(rm.Tetrahedra.beam(0.3, 0.1, 0.1, (1, 1, 1), at=(0.8, 0, 0), rayleigh=(0.0, 1e-3), **SOFT), marks=pytest.mark.long),
    ],
)
def test_of_deformables(shape):
    """Carried by the second of two bodies: exact also where implicit steps take a definite stiffness, by places and by velocities."""
    model, rng = carried(shape).model(), np.random.default_rng(5)
    q = np.concatenate([link.q for link in model.links]) + 0.02 * rng.normal(size=model.nv)
    qdot, qddot, tau = rng.normal(size=(3, model.nv))
    check(model, StateSample(q, qdot, tau, qddot, np.zeros((len(model.links), 6)), 0.3))


@pytest.mark.parametrize("coupled", [False, True])
def test_compiled(coupled):
    m = chain(5, ["Spherical", "Revolute", "Prismatic"])
    model, s = made(1, 3) if coupled else (m.model, m.state(5))
    check(model, s, "llvm", 1e-10)
