"""Steps in maximal coordinates are one compiled program: the same interpreted, in lanes, and with torques of every step."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import redmax as rm
from dynamics.agreement import agree
from integrators.scenes import conservative, driven
from redmax.backends.base import make_plan, make_runner
from redmax.dynamics.choose import system
from redmax.dynamics.maximal import runner as maximal_runner
from redmax.integrators import METHODS
from redmax.integrators.base import with_controls
from redmax.program.program import Host


@pytest.mark.parametrize("project", [False, True])
@pytest.mark.parametrize("integrator", ["euler", "forward-euler", "rk4", "implicit", "adaptive"])
def test_nothing_is_left_to_python(integrator, project):
    for scene in (driven(), braced()):
        chosen = system("maximal", scene.model(), stabilisation="project" if project else "baumgarte")
        made = METHODS[integrator].program
        assert made is not None
        assert not [stage for stage in made(chosen).stages_flat if isinstance(stage, Host)]


def braced() -> rm.Scene:
    """Bodies of two trees with springs between them, some of them stiff in an unsymmetric way; one joint is prescribed."""
    scene, bar = rm.Scene(), rm.Cuboid((0.3, 0.05, 0.05), mass=1.0)
    first = scene.add_body(bar, joint=rm.Spherical(), com=(0.15, 0, 0), q=(0.1, 0.2, 0.3), qdot=(1, 0, 2))
    second = scene.add_body(bar, parent=first, joint=rm.Universal(), at=(0.3, 0, 0), com=(0.15, 0.02, 0), qdot=(1.0, 2.0), stiffness=5.0)
    third = scene.add_body(bar, joint=rm.Revolute("y"), at=(0.3, 1, 0), com=(0.15, 0, 0), motion=lambda t: [np.sin(2.0 * t)], gain=2.0)
    scene.add_force(rm.SpringDamper(second.point(0.1, 0, 0), third.point(0, 0.1, 0), stiffness=50, damping=2, stiffness_kind="exact"))
    scene.add_force(rm.SpringDamper(first.point(0.1, 0, 0), third.point(0, 0.1, 0), stiffness=20, damping=1))
    return scene


OTHERS = [pytest.param(*case, marks=pytest.mark.long) for case in ((driven, "implicit"), (braced, "euler"))]


@pytest.mark.parametrize(("scene", "integrator"), [(driven, "rk4"), (braced, "implicit"), *OTHERS])
def test_interpreted_compiled_and_in_lanes(scene, integrator):
    """One world by NumPy and compiled; many side by side; in single precision, in which states are given out."""
    model, rng = scene().model(), np.random.default_rng(3)
    start = rm.State(0.0, model.q0 + 0.05 * rng.normal(size=(9, model.nq)), model.qdot0 + 0.1 * rng.normal(size=(9, model.nv)))
    options: dict[str, Any] = {"integrator": integrator, "dynamics": "maximal", "progress": False}
    together = rm.simulate(model, 0.03, 0.005, initial=start, **options)
    for w, more, tolerance in ((0, {}, 1e-12), (8, {}, 1e-12), (4, {"backend": "interpret"}, 1e-11), (5, {"dtype": "float32"}, 1e-5)):
        alone = rm.simulate(model, 0.03, 0.005, initial=rm.State(0.0, start.q[w], start.qdot[w]), **options, **more)
        assert agree(alone.q, together.q[:, w], tolerance)
        assert agree(alone.qdot, together.qdot[:, w], tolerance)
        assert together.joint_drift is not None
        assert np.allclose(together.joint_drift[:, w], alone.joint_drift, atol=max(tolerance, 1e-12))


def test_torques_of_each_step_are_read_within_the_loop(monkeypatch):
    """As a controller would give them; also where the bodies of few worlds have room at a time."""
    model, rng = conservative().model(), np.random.default_rng(1)
    tau = rng.normal(size=(6, 70, model.nv))
    start = rm.State(0.0, model.q0 + 0.05 * rng.normal(size=(70, model.nq)), np.tile(model.qdot0, (70, 1)))
    sim = rm.Simulation(model, dt=0.01, integrator="euler", dynamics="maximal", initial=start)
    inputs = [sim.q, sim.qdot, tau, *[np.full(1, x) for x in (0.0, 0.0, 0.01, 0.0)]]
    for row in tau:
        sim.step(tau=row)
    chosen, made = system("maximal", model), METHODS["euler"].program
    assert made is not None
    for room in (maximal_runner.ROOM, 1):
        monkeypatch.setattr(maximal_runner, "ROOM", room)
        runner = chosen.wrap(make_runner(make_plan(model, with_controls(made(chosen)), "llvm"), "llvm", "float64"))
        q, qdot = sim.room(6)
        runner.run(inputs, [q, qdot], 70, 6)
        np.testing.assert_array_equal(q[-1], sim.q)
        np.testing.assert_array_equal(qdot[-1], sim.qdot)
