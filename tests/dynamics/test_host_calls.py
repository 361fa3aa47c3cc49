"""How often a step calls Python: never, but for a sparse factorisation of large deformables and for functions that cannot be traced.

Every dynamics with every integrator, solver and feature that goes with it, by the table of what goes together (run/combinations.py).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator

import pytest

import redmax as rm
from dynamics.redmax_scenes import SCENES as RIGID
from dynamics.redmax_scenes import arm
from dynamics.test_compiled_soft import SCENES as SOFT
from redmax.dynamics.choose import NAMES as DYNAMICS
from redmax.dynamics.choose import SOLVERS, system
from redmax.dynamics.redmax.solve import matrix_free_solver
from redmax.dynamics.soft import solve
from redmax.integrators import METHODS, bdf
from redmax.model.model import Model
from redmax.program.program import Host, Program
from redmax.run.combinations import allowed
from redmax.run.options import RunOptions


def asked() -> rm.Scene:
    """A twist that is prescribed by a function which cannot be traced: called as a controller is."""
    scene = arm()
    scene.prescribe_twist("body4", (1,), lambda t, R: [0.3 * float(t) ** 2], lambda t, R: [0.6 * float(t)])
    return scene


def closed() -> rm.Scene:
    """Loops, a coupling and a limit."""
    scene = arm()
    scene.add_constraint(rm.PointClosure(scene.find("body4").point(0.1, 0, 0), (0.5, 0.2, 0.1)))
    scene.add_constraint(rm.Coupling({"body1": 1.0, "body2": -0.5}))
    scene.add_constraint(rm.HardLimit("body3", -1.0, 1.0))
    return scene


FEATURES: dict[str, Callable[[], rm.Scene]] = {**RIGID, **SOFT, "asked": asked, "closed": closed}
LIBRARY, ASKED = "sparse factorisation", "twist of body4"
ALLOWED = {"asked": {ASKED}}  # what a feature may call; all others nothing


def ways(model: Model) -> Iterator[RunOptions]:
    for dynamics in DYNAMICS:
        for integrator in METHODS:
            for solver in SOLVERS:
                options = RunOptions(dynamics=dynamics, integrator=integrator, solver=solver)
                if allowed(model, options):
                    yield options


def program_of(model: Model, options: RunOptions) -> Program:
    """What a run with these options compiles."""
    method = METHODS[str(options.integrator)]
    if method.program is None:
        return bdf.program(model, options.integrator == "bdf2")
    iterative = options.dynamics == "redmax" and not model.soft
    found = matrix_free_solver(options.solver, model, method.implicit) if iterative else None
    return method.program(system(str(options.dynamics), model, found, "llvm", options.solver))


def calls(program: Program) -> Counter[str]:
    return Counter(stage.name for stage in program.stages_flat if isinstance(stage, Host))


@pytest.mark.parametrize("feature", FEATURES)
def test_no_step_calls_python(feature):
    model, tried = FEATURES[feature]().model(), 0
    for options in ways(model):
        assert set(calls(program_of(model, options))) == ALLOWED.get(feature, set()), options
        tried += 1
    assert tried


@pytest.mark.parametrize("feature", SOFT)
def test_large_deformables_call_a_library_for_their_factors_alone(feature, monkeypatch):
    """Once a step, and once more for rows, only in implicit ones; with conjugate gradients where these find no solution."""
    monkeypatch.setattr(solve, "LARGEST", 0)
    model = SOFT[feature]().model()
    expected = {LIBRARY: 1, f"{LIBRARY} for rows": 1} if model.constraints else {LIBRARY: 1}
    for options in ways(model):
        assert calls(program_of(model, options)) == (expected if options.integrator == "implicit" else {}), options
