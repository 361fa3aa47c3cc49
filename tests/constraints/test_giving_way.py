"""Constraints that give way, g + c lambda = 0: springs of stiffness 1 / c, of velocities dampers of 1 / c, in every integrator."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

import redmax as rm

EXPLICIT = ("forward-euler", "rk4", "adaptive")
QUIET: dict[str, Any] = {"progress": False}


def arms(spring: bool, c: float = 2e-3) -> rm.Scene:
    """A double pendulum held to the world by something soft, its end kept at a distance by a rigid row."""
    scene = rm.Scene()
    bar = rm.Cuboid((0.4, 0.05, 0.05), mass=1)
    upper = scene.add_body(bar, joint=rm.Revolute("y"), com=(0.2, 0, 0), q=0.3, qdot=1.0, name="upper")
    lower = scene.add_body(bar, parent=upper, joint=rm.Universal(), at=(0.4, 0, 0), com=(0.2, 0, 0), name="lower")
    places = upper.point(0.1, 0, 0), (0.4, 0.3, 0.5)
    if spring:
        scene.add_force(rm.SpringDamper(*places, stiffness=1 / c, damping=0, rest=0.6))
    else:
        scene.add_constraint(rm.Distance(*places, 0.6, compliance=c, name="soft"))
    scene.add_constraint(rm.Distance(lower.point(0.2, 0, 0), (1.0, 0.5, 0.5), name="rod"))
    return scene


@pytest.mark.parametrize(("integrator", "dynamics"), [
    pytest.param(i, d, marks=pytest.mark.long) for i in EXPLICIT for d in ("recursive", "redmax", "maximal")
])  # fmt: skip
def test_what_gives_way_is_a_spring_and_other_rows_see_it(integrator, dynamics):
    soft, sprung = (rm.simulate(arms(k), 0.1, dt=1e-3, integrator=integrator, dynamics=dynamics, **QUIET) for k in (False, True))
    assert_allclose(soft.q, sprung.q, rtol=0, atol=1e-8 if integrator == "adaptive" else 1e-10)
    assert_allclose(soft.constraint("rod").multipliers, sprung.constraint("rod").multipliers, rtol=0, atol=1e-6)
    assert_allclose(soft.energy.total, sprung.energy.total, rtol=0, atol=1e-8)
    assert_allclose(soft.reaction("lower"), sprung.reaction("lower"), rtol=0, atol=1e-6)
    pulled = soft.constraint("soft")
    assert_allclose(pulled.multipliers, -pulled.gap / 2e-3, rtol=1e-12)


def on_a_line(c: float, rope: bool = False, x: float = 0.1, hook: float = -1.0) -> rm.Scene:
    """A mass of 2 on a line, tied to the world at a distance of 1, where x = 0."""
    scene = rm.Scene(gravity=(0, 0, 0))
    ball = scene.add_body(rm.Sphere(0.1, mass=2), joint=rm.Prismatic("x"), q=x, name="ball")
    tie = (
        rm.Rope([(hook, 0, 0), ball], 1.0, compliance=c, name="tie")
        if rope
        else rm.Distance((hook, 0, 0), ball, 1.0, compliance=c, name="tie")
    )
    scene.add_constraint(tie)
    return scene


def test_a_mass_on_a_compliant_distance_oscillates_with_the_root_of_one_over_c_m():
    c = 1e-4
    w = np.sqrt(1 / (2 * c))
    run = rm.simulate(on_a_line(c), 0.2, dt=1e-3, integrator="adaptive", rtol=1e-11, **QUIET)
    assert_allclose(run.q[:, 0], 0.1 * np.cos(w * run.t), rtol=0, atol=1e-9)
    assert np.ptp(run.energy.total) < 1e-8 * run.energy.total[0]
    assert run.energy.potential[0] == pytest.approx(0.1**2 / (2 * c))
    tie = run.constraint("tie")
    assert_allclose(tie.work, 0.1**2 / (2 * c) - run.energy.potential, rtol=0, atol=1e-3)


@pytest.mark.parametrize("integrator", ["implicit", *[pytest.param(i, marks=pytest.mark.long) for i in ("euler", "rk4", "bdf1", "bdf2")]])
def test_all_come_to_the_same_as_steps_shrink(integrator):
    w, order = np.sqrt(1 / (2 * 1e-2)), {"rk4": 4, "bdf2": 2}.get(integrator, 1)
    off = []
    for dt in (2e-3, 1e-3):
        run = rm.simulate(on_a_line(1e-2), 0.2, dt=dt, integrator=integrator, **QUIET)
        off.append(abs(run.q[-1, 0] - 0.1 * np.cos(w * 0.2)))
    assert abs(np.log2(off[0] / off[1]) - order) < 0.15


@pytest.mark.parametrize(
    ("integrator", "within"), [("adaptive", 1e-9), ("rk4", 1e-5), pytest.param("forward-euler", 1e-2, marks=pytest.mark.long)]
)
def test_a_rope_that_gives_way_lets_go_and_catches_again(integrator, within):
    """Taut for half a period, then the mass flies to the other side, where a second one catches it."""
    c, x = 1e-2, 0.1
    scene = on_a_line(c, rope=True)
    scene.add_constraint(rm.Rope([(2.0, 0, 0), scene.find("ball")], 2.5, compliance=c))
    w = np.sqrt(1 / (2 * c))
    quarter, flight = 0.5 * np.pi / w, 0.5 / (x * w)
    t = quarter + flight + 0.5 * quarter
    run = rm.simulate(scene, t, dt=t / 400, integrator=integrator, rtol=1e-11, dynamics="recursive", **QUIET)
    assert run.q[-1, 0] == pytest.approx(-0.5 - x * np.sin(0.25 * np.pi), abs=within)
    if integrator == "adaptive":
        assert np.ptp(run.energy.total) < 1e-8 * run.energy.total[0]
    free = (run.q[:, 0] < 0) & (run.q[:, 0] > -0.5)
    assert not run.multipliers[free].any()
    assert run.multipliers.min() == 0.0


def test_soft_rows_beside_rigid_ones_that_only_push():
    """A weight falls on a soft stop while another hits a rigid one; what is soft has no share in the impact."""
    scene = rm.Scene()
    for name in ("soft", "hard"):
        scene.add_body(rm.Sphere(0.1, mass=2), joint=rm.Prismatic("z"), q=0.2, name=name)
    scene.add_constraint(rm.HardLimit("soft", 0.0, None, compliance=1e-3))
    scene.add_constraint(rm.HardLimit("hard", 0.0, None))
    scene.add_constraint(rm.constraint(lambda a, b: a[0] - b[0], joints=["soft", "hard"], compliance=1e-1, name="tie"))
    run = rm.simulate(scene, 0.5, dt=2e-3, integrator="adaptive", rtol=1e-10, **QUIET)
    hit = np.sqrt(2 * 0.2 / 9.81)
    after = run.t > hit
    assert np.abs(run.q[after, 1]).max() < 1e-9
    w = np.sqrt((1e3 + 10) / 2)
    s, v = run.t[after] - hit, 9.81 * hit
    at_rest, sink = 9.81 * 2 / 1010, s < 0.05
    x = -at_rest + at_rest * np.cos(w * s) - v / w * np.sin(w * s)
    assert_allclose(run.q[after, 0][sink], x[sink], rtol=0, atol=1e-8)


@pytest.mark.parametrize(("integrator", "order"), [
    ("adaptive", 5), ("implicit", 1),
    *[pytest.param(n, k, marks=pytest.mark.long) for n, k in {"rk4": 4, "forward-euler": 1, "euler": 1, "bdf1": 1, "bdf2": 2}.items()],
])  # fmt: skip
def test_rows_of_velocities_that_give_way_are_dampers(integrator, order):
    """s + c lambda = 0: m vdot = -v / c, in every integrator, to its order."""
    scene, c = rm.Scene(gravity=(0, 0, 0)), 0.05
    scene.add_body(rm.Sphere(0.1, mass=2), joint=rm.Prismatic("x"), qdot=3.0, name="ball")
    scene.add_constraint(rm.constraint(lambda q, qdot: qdot[0], joints=["ball"], velocities=True, compliance=c, name="oil"))
    exact = 3.0 * np.exp(-0.1 / (2 * c))
    runs = [rm.simulate(scene, 0.1, dt=dt, integrator=integrator, rtol=1e-11, **QUIET) for dt in (2e-3, 1e-3)]
    off = [abs(run.qdot[-1, 0] - exact) for run in runs]
    assert off[1] < 1e-9 if order > 2 else abs(np.log2(off[0] / off[1]) - order) < 0.15
    assert_allclose(runs[0].constraint("oil").multipliers, -runs[0].qdot / c, rtol=1e-12)
    assert_allclose(runs[0].energy.potential, 0.0)


def test_worlds_may_differ_in_how_much_they_give_way():
    values = np.array([1e-3, 4e-3])
    run = rm.simulate(on_a_line(1e-2), 0.05, dt=1e-3, integrator="rk4", parameters={"tie.compliance": values}, **QUIET)
    assert_allclose(run.q[:, :, 0], 0.1 * np.cos(np.sqrt(1 / (2 * values)) * run.t[:, None]), rtol=0, atol=1e-7)
    assert_allclose(run.multipliers[..., 0], -run.q[..., 0] / values, rtol=1e-10)
    assert np.ptp(run.energy.total, axis=0).max() < 1e-6


def test_soft_rows_beside_limited_forces_and_stops():
    """A mass on a spring drags another one by dry friction against its stops, on which that comes to rest."""
    ends = []
    for soft in (True, False):
        scene = rm.Scene(gravity=(0, 0, 0))
        first, _ = (scene.add_body(rm.Sphere(0.1, mass=1), joint=rm.Prismatic("x"), q=q, name=n) for n, q in (("a", 0.4), ("b", 0.0)))
        places = first, (-1, 0, 0)
        if soft:
            scene.add_constraint(rm.Distance(*places, 1.0, compliance=0.01))
        else:
            scene.add_force(rm.SpringDamper(*places, stiffness=100, damping=0, rest=1.0))
        drag = rm.constraint(lambda q1, v1, q2, v2: v1[0] - v2[0], joints=["a", "b"], velocities=True, force_limits=4.0)
        scene.add_constraint(drag)
        scene.add_constraint(rm.HardLimit("b", -0.05, 0.05))
        ends.append(rm.simulate(scene, 0.8, dt=1e-3, integrator="implicit", **QUIET).q)
    assert_allclose(ends[0], ends[1], rtol=0, atol=1e-9)
    assert np.abs(ends[0][:, 1]).max() == pytest.approx(0.05, abs=1e-9)
