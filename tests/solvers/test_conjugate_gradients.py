"""Conjugate gradients on the reduced system of RedMax, and within runs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import redmax as rm
from dynamics.agreement import agree
from mechanisms import every_kind, mechanisms
from random_examples import examples
from redmax.backends.base import make_plan, make_runner, rolled_plan
from redmax.dynamics.redmax import matrix_free
from redmax.dynamics.redmax.matrix_free import AlongTree, Solver
from redmax.dynamics.redmax.solve import ByConjugateGradients, matrix_free_solver
from redmax.program.program import Program, Save
from redmax.program.tangent import tangent

SOME = ("Fixed", "Revolute", "Planar", "Universal", "Spherical", "Free", "Elliptic", "torus")


def solved(m, prescribed: Sequence[int], solver: Callable[[bool], Solver], states: Sequence[Any]) -> dict[str, np.ndarray]:
    """qddot, torques and turns of implicit accelerations at some states, each a world, with springs and dampers in the joints."""
    model = m.model.with_prescribed([m.model.joint_names[i] for i in prescribed])
    chosen = solver(bool(prescribed))
    names = ("qddot", "tau", *(("turns",) if isinstance(chosen, ByConjugateGradients) else ()))
    program = Program("once", (*matrix_free.stages(True, chosen), Save()), chosen.fields(model), ("q", "qdot", "tau", "t", "h"), names)
    given = [np.stack([getattr(s, name) for s in states]) for name in ("q", "qdot", "tau")]
    given[0] = model.configurations.join(given[0])
    out = {name: np.empty((1, len(states), 1 if name == "turns" else model.nv)) for name in names}
    clock = [np.zeros(1), np.full(1, 1e-4)]
    make_runner(make_plan(model, program, "llvm"), "llvm", "float64").run([*given, *clock], [*out.values()], len(states))
    return {name: x[0] for name, x in out.items()}


@examples(3, 12)
@given(m=mechanisms(largest=5).filter(lambda m: m.nv > 0), seed=st.integers(0, 2**16), held=st.booleans())
def test_a_guess_and_a_turn_or_two_give_the_solution_along_the_tree(m, seed, held):
    """In each of several worlds, in lanes and alone, and with the torques of prescribed joints."""
    prescribed, states = [len(m.links) // 2] if held else [], [m.state(seed + i) for i in range(3)]
    together, alone = (solved(m, prescribed, ByConjugateGradients, part) for part in (states, states[2:]))
    exact = solved(m, prescribed, AlongTree, states)
    assert (together["turns"] <= 2).all()
    for name in ("qddot", "tau"):
        assert agree(together[name], exact[name], 1e-9)
        assert agree(together[name][2], alone[name][0], 1e-10)


def test_derivatives_are_there_where_nothing_acts():
    """At rest and without weight the right side is zero: no turn is made, and torques still accelerate."""
    scene = rm.Scene(gravity=(0, 0, 0))
    scene.add_body(rm.Cuboid((0.4, 0.1, 0.1)), joint=rm.Revolute("y"), com=(0.2, 0, 0), q=0.3)
    model, solver = scene.model(), ByConjugateGradients(False)
    program = Program("once", (*matrix_free.stages(False, solver), Save()), solver.fields(model), ("q", "qdot", "tau", "t"), ("qddot",))
    qddot, slope = np.empty((1, 1, 1)), np.empty((1, 1, 1))
    along = [np.zeros(1), np.zeros(1), np.ones(1), np.zeros(1)]  # the torque
    make_runner(tangent(rolled_plan(model, program, "llvm")), "llvm", "float64").run(
        [model.q0, *[0 * x for x in along[1:]], *along], [qddot, slope], 1
    )
    assert qddot == 0.0
    assert slope[0, 0, 0] == pytest.approx(1.0 / rm.Dynamics(model).inertia(model.q0)[0, 0])


@pytest.mark.parametrize(
    ("integrator", "prescribed"),
    [("implicit", ()), ("rk4", (1, 4))] + [pytest.param(*case, marks=pytest.mark.long) for case in (("implicit", (1, 4)), ("rk4", ()))],
)
def test_runs_agree_with_the_direct_solver(integrator, prescribed):
    m = every_kind(38, kinds=SOME)
    model = m.model.with_prescribed([m.model.joint_names[i] for i in prescribed])
    s = m.state(0)
    options = {"dt": 1e-3, "integrator": integrator, "dynamics": "redmax", "initial": rm.State(0.0, s.q, 0.1 * s.qdot)}
    direct, cg = (rm.simulate(model, 0.005, solver=solver, **options) for solver in ("direct", "cg"))
    assert agree(cg.q, direct.q, 1e-10)
    assert agree(cg.qdot, direct.qdot, 1e-9)


def test_the_interpreter_solves_as_compiled_code_does():
    m = every_kind(38, kinds=SOME)
    options = {"dt": 1e-3, "integrator": "implicit", "dynamics": "redmax", "solver": "cg"}
    compiled, interpreted = (rm.simulate(m.model, 0.002, backend=backend, **options) for backend in ("llvm", "interpret"))
    assert agree(interpreted.qdot, compiled.qdot, 1e-10)


def falling_up() -> rm.Model:
    """A hinge with a torque of so much negative stiffness that M - h^2 K is negative at h = 0.1."""
    scene = rm.Scene()
    scene.add_body(rm.Cuboid((1, 0.1, 0.1), mass=1.0), joint=rm.Revolute("y"), torque=lambda t, q, qdot: 200.0 * q, q=0.1)
    return scene.model()


def test_auto_solves_directly_where_the_matrix_is_not_positive_definite():
    options = {"dt": 0.1, "integrator": "implicit", "dynamics": "redmax"}
    assert agree(rm.simulate(falling_up(), 0.1, **options).q, rm.simulate(falling_up(), 0.1, solver="direct", **options).q, 1e-12)
    with pytest.raises(rm.SimulationError, match="solver='direct', as conjugate gradients need a positive definite matrix"):
        rm.simulate(falling_up(), 0.1, solver="cg", **options)


def test_a_world_whose_matrix_is_not_positive_definite_is_left_behind():
    """Its neighbours move to the last bit as if it were not there."""
    scene = rm.Scene()
    scene.add_body(rm.Cuboid((1, 0.1, 0.1), mass=1.0), joint=rm.Revolute("y"), torque=lambda t, q, qdot: 20.0 * q**3)
    start = np.array([0.1, 2.0, 0.2])[:, None]  # the second has M - h^2 K < 0
    options = {"dt": 0.1, "integrator": "implicit", "dynamics": "redmax", "solver": "cg"}
    with pytest.warns(rm.RedmaxWarning, match="1 of 3 worlds broke off"):
        run = rm.simulate(scene, 0.3, initial=rm.State(0.0, start, 0 * start), **options)
    alone = rm.simulate(scene, 0.3, initial=rm.State(0.0, start[[0, 0, 2]], 0 * start), **options)
    assert [f.world for f in run.failures] == [(1,)]
    assert (run.q[:, [0, 2]] == alone.q[:, [0, 2]]).all()
    assert np.isnan(run.q[1:, 1]).all()


def test_auto_chooses_by_what_is_faster():
    model, coupled = falling_up(), rm.Scene()
    links = [coupled.add_body(rm.Sphere(0.1, mass=1.0), joint=rm.Prismatic("x"), at=(i, 0, 0)) for i in range(2)]
    coupled.add_force(rm.SpringDamper(links[0].point(0, 0, 0), links[1].point(0, 0, 0), stiffness=1.0))
    assert isinstance(matrix_free_solver("auto", model), AlongTree)
    assert isinstance(matrix_free_solver("cg", model), ByConjugateGradients)
    assert matrix_free_solver("direct", model) is None
    assert isinstance(matrix_free_solver("auto", coupled.model()), AlongTree)
    assert matrix_free_solver("auto", coupled.model(), implicit=True) is None


def test_a_solver_that_cannot_be_used_is_refused():
    model = every_kind(1).model
    with pytest.raises(rm.RedmaxError, match=r"no solver 'gauss'\. Valid: auto, direct, cg"):
        rm.simulate(model, 0.1, dynamics="redmax", solver="gauss")
    with pytest.raises(rm.RedmaxError, match="but 'redmax', without deformables, goes with solver 'auto' only"):
        rm.simulate(model, 0.1, dynamics="recursive", solver="cg")
