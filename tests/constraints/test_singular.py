"""Mechanisms that pass singular positions go straight through, or stop with a sentence; what cannot be met is named, with its gap."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import redmax as rm

long = pytest.mark.long
DYNAMICS = ("recursive", "redmax", "maximal")
SLIPPING = [("maximal", "euler")]  # leaves its branch


def bar(length: float) -> rm.Cuboid:
    return rm.Cuboid((length, 0.03, 0.03), mass=length)


def parallelogram(q: float = -1.2, turned: float = 0.0) -> rm.Scene:
    """It folds flat twice in a turn, where it could go on as an antiparallelogram. turned: about y, so that no row fades by itself."""
    down = 9.81 * np.array([np.sin(-turned), 0.0, -np.cos(turned)])
    ground = 0.7 * np.array([np.cos(turned), 0.0, -np.sin(turned)])
    scene = rm.Scene(gravity=tuple(down))
    crank = scene.add_body(bar(0.3), joint=rm.Revolute("y"), com=(0.15, 0, 0), q=q + turned, qdot=6.0, name="crank")
    rod = scene.add_body(bar(0.7), joint=rm.Revolute("y"), parent=crank, at=(0.3, 0, 0), com=(0.35, 0, 0), q=-q, qdot=-6.0, name="rod")
    rocker = scene.add_body(bar(0.3), joint=rm.Revolute("y"), at=tuple(ground), com=(0.15, 0, 0), q=q + turned, qdot=6.0, name="rocker")
    scene.add_constraint(rm.PointClosure(rod.point(0.35, 0, 0), rocker.point(0.15, 0, 0), name="loop"))
    return scene


def slider_crank() -> rm.Scene:
    """Crank and rod of one length: where they lie on each other the rod could turn by itself."""
    scene = rm.Scene(gravity=(0, 0, 0))
    crank = scene.add_body(bar(0.3), joint=rm.Revolute("y"), com=(0.15, 0, 0), q=-1.2, qdot=6.0, name="crank")
    rod = scene.add_body(bar(0.3), joint=rm.Revolute("y"), parent=crank, at=(0.3, 0, 0), com=(0.15, 0, 0), q=2.4, qdot=-12.0, name="rod")
    scene.add_constraint(rm.PointInPlane(rod.point(0.15, 0, 0), (0, 0, 0), "z", name="slot"))
    return scene


def as_one_pendulum(scene: rm.Scene, t: np.ndarray) -> np.ndarray:
    """(time,): the angle of the crank: all cranks turn alike and carry the rod along, I q'' = m g r cos q with a constant I."""
    along = np.array([1.0, -1.0, 1.0])
    inertia = along @ rm.Dynamics(scene).inertia(scene.model().q0) @ along
    moment = 9.81 * (2 * 0.3 * 0.15 + 0.7 * 0.3)
    found = solve_ivp(lambda _, y: [y[1], moment * np.cos(y[0]) / inertia], (0, t[-1]), [-1.2, 6.0], t_eval=t, rtol=1e-10, atol=1e-12)
    return found.y[0]


@pytest.mark.parametrize(
    ("dynamics", "turned"), [("recursive", 0.3), *[pytest.param(d, x, marks=long) for d in DYNAMICS for x in (0.0, 0.3)]]
)
def test_a_parallelogram_that_folds_flat_goes_straight_through(dynamics, turned):
    """It passes five such positions in two seconds, whichever tolerance it has, and whether rows fade or come to repeat each other."""
    for rtol in (1e-6, 1e-10):
        run = rm.simulate(parallelogram(turned=turned), 2.0, dt=0.02, integrator="adaptive", dynamics=dynamics, rtol=rtol, progress=False)
        exact = as_one_pendulum(parallelogram(), run.t) + turned
        assert np.abs(run.q - np.stack([exact, turned - exact, exact], axis=1)).max() < rtol + 5e-9
        assert run.energy.drift.max() < rtol
        assert np.ptp(run.q[:, 0]) > 5 * np.pi


FIXED = [(d, i) for d in DYNAMICS for i in ("rk4", "euler", "implicit", "forward-euler", "bdf1", "bdf2") if (d, i) not in SLIPPING]


@pytest.mark.parametrize(("dynamics", "integrator"), [FIXED[0], *[pytest.param(*each, marks=long) for each in FIXED[1:]]])
def test_fixed_steps_go_through_as_well(dynamics, integrator):
    """Two mechanisms, on their branch, with an energy as right as the method is elsewhere."""
    for scene, branch, turned in ((parallelogram(turned=0.3), (1, 1, 0), 0.3), (slider_crank(), (2, 1), 0.0)):
        run = rm.simulate(scene, 1.5, dt=0.002, integrator=integrator, dynamics=dynamics, progress=False)
        assert np.abs(run.q @ np.array(branch) - turned).max() < 2e-3
        assert run.energy.drift.max() < {"rk4": 1e-4, "bdf2": 1e-2, "forward-euler": 1.0}.get(integrator, 0.2)
        assert np.ptp(run.q[:, 0]) > 1.5 * np.pi


@long
@pytest.mark.parametrize("dt", [0.004, 0.002, 0.0005])
@pytest.mark.parametrize("turned", [0.0, 0.3])
def test_steps_that_are_torn_off_their_way_end_with_a_sentence(dt, turned):
    """Those of bodies that move by themselves leave gaps as long as the corner that a loop with such a gap has."""
    said = ""
    try:
        run = rm.simulate(parallelogram(turned=turned), 2.0, dt=dt, integrator="euler", dynamics="maximal", progress=False)
    except rm.SimulationError as error:
        run, said = error.trajectory, str(error)
    assert run is not None
    assert run.complete or "near a singular position of the mechanism: rows of PointClosure 'loop'" in said
    assert np.abs(run.q[:, 0] + run.q[:, 1] - turned).max() < 0.05


@long
def test_a_lane_of_worlds_goes_through_as_each_by_itself():
    begin = rm.Simulation(parallelogram(turned=0.3)).state
    speeds = np.array([1.0, 1.1, 0.9])
    worlds = rm.State(0.0, np.tile(begin.q, (3, 1)), speeds[:, None] * begin.qdot)
    run = rm.simulate(parallelogram(turned=0.3), 1.0, dt=0.01, initial=worlds, progress=False)
    for k, speed in enumerate(speeds):
        one = rm.State(0.0, begin.q, speed * begin.qdot)
        alone = rm.simulate(parallelogram(turned=0.3), 1.0, dt=0.01, initial=one, progress=False)
        assert np.abs(alone.q - run.world(k).q).max() < 1e-8


def test_rates_that_contradict_each_other_name_both():
    scene = rm.Scene()
    scene.add_body(bar(0.3), joint=rm.Revolute("y"), com=(0.15, 0, 0), name="arm")
    scene.add_constraint(rm.PrescribedCoordinate("arm", lambda t: t, name="drive"))
    scene.add_constraint(rm.HardLimit("arm", 0.0, 0.0, name="lock"))
    with pytest.raises(rm.SceneError, match=r"HardLimit 'lock' cannot be kept beside PrescribedCoordinate 'drive' .* opens at 1 rad/s"):
        rm.Simulation(scene)


def reaching() -> rm.Scene:
    """An arm whose hand is led away from its shoulder."""
    scene = rm.Scene()
    upper = scene.add_body(bar(0.3), joint=rm.Revolute("y"), com=(0.15, 0, 0), q=-0.41, name="upper")
    lower = scene.add_body(bar(0.3), joint=rm.Revolute("y"), parent=upper, at=(0.3, 0, 0), com=(0.15, 0, 0), q=0.82, name="lower")
    scene.add_constraint(rm.PrescribedPoint(lower.point(0.15, 0, 0), lambda t: (0.55 + 5 * t, 0, 0), name="hand"))
    scene.assemble()
    return scene


@pytest.mark.parametrize("integrator", ["implicit", *[pytest.param(n, marks=long) for n in ("rk4", "euler", "adaptive", "bdf1", "bdf2")]])
def test_what_is_prescribed_out_of_reach_is_named(integrator):
    said = r"PrescribedPoint 'hand' asks for what is out of reach\. At t = 0\.0\d+ s the nearest position leaves .* by 0\.\d+ m\. Keep"
    with pytest.raises(rm.SimulationError, match=said):
        rm.simulate(reaching(), 0.05, dt=0.005, integrator=integrator, progress=False)


@pytest.mark.parametrize("integrator", ["implicit", *[pytest.param(n, marks=long) for n in ("euler", "adaptive", "bdf1", "bdf2")]])
def test_a_limit_that_a_prescribed_motion_runs_through_is_named_with_it(integrator):
    scene = rm.Scene()
    scene.add_body(bar(0.3), joint=rm.Revolute("y"), com=(0.15, 0, 0), name="arm")
    scene.add_constraint(rm.PrescribedCoordinate("arm", lambda t: 10 * t, name="drive"))
    scene.add_constraint(rm.HardLimit("arm", -0.1, 0.1, name="stop"))
    said = r"PrescribedCoordinate 'drive' and HardLimit 'stop' cannot be met together\. .* by 0\.025 rad, HardLimit 'stop' by 0\.025 rad\."
    with pytest.raises(rm.SimulationError, match=said):
        rm.simulate(scene, 0.05, dt=0.005, integrator=integrator, progress=False)
