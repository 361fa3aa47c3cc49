"""`linearize` of variational steps, generalized-alpha and bodies on groups: equal to differences of steps, products to those of runs."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import redmax as rm
from design.gradients.test_linearized import swinging
from dynamics.agreement import agree, disagreement
from dynamics.differences import rate

DT = 0.02
ALPHA = "generalized-alpha"
FORMS: dict[str, dict[str, Any]] = {
    "variational": {"integrator": "variational"},
    "index 2": {"integrator": ALPHA},
    "index 3": {"integrator": ALPHA, "index": 3, "rho": 0.6},
    "index 3 of SO3xR3 at joints": {"integrator": ALPHA, "index": 3, "group": "SO3xR3", "frame": "joint"},
    "index 2 from the right": {"integrator": ALPHA, "index": 2, "group": "SO3xR3-right", "rho": 0.5},
    "index 3 from the right": {"integrator": ALPHA, "index": 3, "group": "SE3-right"},
}
BY_ACCELERATIONS: dict[str, dict[str, Any]] = {
    "index 1": {"integrator": ALPHA, "index": 1, "stabilisation": "none", "rho": 0.8},
    "mk4 from the right": {"integrator": "mk4", "group": "SE3-right"},
    "cf4 of SO3xR3": {"integrator": "cf4", "dynamics": "maximal", "group": "SO3xR3", "frame": "joint"},
}
LONG = [name for name in (*FORMS, *BY_ACCELERATIONS) if name not in ("variational", "index 3 of SO3xR3 at joints", "index 1")]


def cases(forms: dict[str, dict[str, Any]]) -> list[Any]:
    return [pytest.param(options, id=name, marks=[pytest.mark.long] * (name in LONG)) for name, options in forms.items()]


def apart(model: rm.Model, base: rm.State, state: rm.State) -> np.ndarray:
    """How far a state is from another one, along velocities and in rates, (2 nv,)."""
    found: list[Any] = []
    for link in model.links:
        a, b = (x.q[model.q_slice(link.name)] for x in (base, state))
        found.append(np.asarray(link.joint.difference(a, b), float) if link.joint.nq != link.joint.dof else b - a)
    return np.concatenate([*found, state.qdot - base.qdot])


def tumbling() -> rm.Scene:
    """A ball joint that changes its exponential coordinates on the way, with a damped universal joint behind it."""
    scene, bar = rm.Scene(), rm.Cuboid((0.3, 0.1, 0.05), density=1000)
    turning = {"q": (3.8, 1.3, 1.9), "qdot": (15.0, 2.0, 8.0)}
    upper = scene.add_body(bar, joint=rm.Spherical(), com=(0.15, 0.02, 0), damping=0.02, name="upper", **turning)
    lower = {"parent": upper, "joint": rm.Universal(), "at": (0.3, 0, 0), "com": (0.15, 0.02, 0), "q": (0.3, 0.2), "qdot": (1, 2)}
    low = scene.add_body(bar, **lower, name="lower")
    scene.add_force(rm.SpringDamper(low.point(0.1, 0, 0), upper.point(0, 0.2, 0), stiffness=20.0, damping=3.0))
    return scene


@pytest.mark.parametrize("options", [*cases(FORMS), *cases(BY_ACCELERATIONS)])
def test_a_step_where_a_run_begins(options):
    """By states, torques and a parameter that moves a body's frame."""
    scene = swinging()
    model, n, rng = scene.model(), 4, np.random.default_rng(0)
    q, (qdot, tau), com = np.array([0.8, 0, 0.6, 0, 0.3]), rng.normal(size=(2, n)), np.array([0.1, 0.0, 0.0])
    options = options | {"backend": "interpret"}
    found = rm.linearize(scene, rm.State(0.0, q, qdot), tau, DT, **options, parameters={"arm.com": com})

    def step(q, qdot, tau, com=com):
        sim = rm.Simulation(scene, dt=DT, initial=rm.State(0.0, q, qdot), parameters={"arm.com": com}, **options)
        return apart(model, found.state, sim.step(1, tau))

    assert np.abs(step(q, qdot, tau)).max() <= 1e-13
    x, moved = rng.normal(size=3 * n), np.array([0.3, -0.5, 0.4])
    along = rate(lambda h: step(model.moved(q, h * x[:n]), qdot + h * x[n : 2 * n], tau + h * x[2 * n :]), 1e-3)
    assert agree(np.concatenate([found.A, found.B], axis=1) @ x, along, 1e-9)
    assert agree(found.parameters["arm.com"] @ moved, rate(lambda h: step(q, qdot, tau, com + h * moved), 1e-3), 1e-8)


@pytest.mark.parametrize("options", cases(FORMS))
def test_products_over_steps_are_slopes_of_the_run(options):
    """With what bodies carry on, and where a joint changes its coordinates on the way."""
    scene, steps = tumbling(), 4
    sim = rm.Simulation(scene, dt=0.01, **options)
    model, n, begin, rng = sim.model, sim.model.nv, sim.state, np.random.default_rng(0)
    taus, d = 0.1 * rng.normal(size=(steps, n)), rng.normal(size=2 * n)
    x, z, alone, sizes = d, np.zeros(18 * len(model.links)), d, [np.linalg.norm(begin.q[:3])]
    for tau in taus:
        found = rm.linearize(sim, tau=tau)
        sim.step(1, tau)
        sizes.append(np.linalg.norm(sim.state.q[:3]))
        assert np.abs(apart(model, sim.state, found.state)).max() <= 1e-10
        alone, c = found.A @ alone, found.carried
        x, z = (found.A @ x, z) if c is None else (found.A @ x + c.by @ z, c.A @ x + c.own @ z)
    end = sim.state

    def run(h):
        start = rm.State(0.0, model.moved(begin.q, h * d[:n]), begin.qdot + h * d[n:], begin.chart)
        other = rm.Simulation(scene, dt=0.01, initial=start, **options)
        for tau in taus:
            other.step(1, tau)
        return apart(model, end, other.state)

    assert min(np.diff(sizes)) < -1.0  # the coordinates changed
    slope = rate(run, 1e-4)
    assert agree(x, slope, 1e-7)
    assert options["integrator"] == "variational" or disagreement(alone, slope) > 1e-3  # what bodies carry counts


def test_a_loop_that_moves_as_it_can():
    options, engine = {"integrator": ALPHA}, rm.Dynamics("slider-crank", "interpret")
    G, (q, qdot) = engine.constraint_jacobian, (engine.model.q0, engine.model.qdot0)
    found = rm.linearize("slider-crank", rm.State(0.0, q, qdot), dt=0.01, **options)
    allowed = np.linalg.svd(G(q))[2][2]
    along = found.A @ np.concatenate([np.zeros(3), allowed])

    def step(h):
        state = rm.Simulation("slider-crank", dt=0.01, initial=rm.State(0.0, q, qdot + h * allowed), **options).step(1)
        return np.concatenate([state.q, state.qdot])

    assert agree(along, rate(step, 1e-3), 1e-9)
    assert agree(G(found.state.q) @ along[:3], np.zeros(len(G(q))), 1e-11, floor=1.0)


def test_worlds_side_by_side():
    """Of which one has begun and one goes on."""
    options = {"integrator": ALPHA, "index": 3, "backend": "interpret"}
    sim = rm.Simulation(swinging(), dt=DT, **options)
    begin = rm.State(0.0, np.array([[0.8, 0, 0.6, 0, 0.3], [1.0, 0, 0, 0, 0.1]]), np.array([[1.0, 2, 3, -1], [0.3, 0, 1, 2]]))
    sim.reset(begin)
    sim.step(2)
    alone = rm.Simulation(swinging(), dt=DT, initial=rm.State(0.0, begin.q[1], begin.qdot[1]), **options)
    alone.step(2)
    many, one = rm.linearize(sim), rm.linearize(alone)
    assert many.carried is not None
    assert one.carried is not None
    for a, b in zip((many.A, many.B, *many.carried[:4]), (one.A, one.B, *one.carried[:4]), strict=True):
        assert a.shape == (2, *b.shape)
        assert agree(a[1], b, 1e-10)


def test_a_step_without_an_end_has_no_derivative():
    scene = rm.Scene(gravity=(0, 0, 0))
    scene.add_body(rm.Cuboid((1, 1, 1), mass=1.0), joint=rm.Free(), qdot=(300.0, 1.0, 0, 0, 0, 0))
    with pytest.raises(rm.SimulationError, match=r"redmax\.linearize: A body turned by more than 2\.5 rad"):
        rm.linearize(scene, dt=0.01, integrator="variational", backend="interpret")


def test_joints_that_stay_as_open_as_they_are():
    """stabilisation="none": nothing closes them in a step, and nothing of that is in its slopes."""
    options = {"integrator": "rk4", "dynamics": "maximal", "backend": "interpret"}
    begin = rm.State(0.0, np.array([0.8, 0, 0.6, 0, 0.3]), np.array([1.0, 2, 3, -1]))
    for stabilisation in ("none", "auto"):
        found = rm.linearize(swinging(), begin, dt=DT, stabilisation=stabilisation, **options)
        state = rm.Simulation(swinging(), dt=DT, initial=begin, stabilisation=stabilisation, **options).step(1)
        assert agree(found.state.qdot, state.qdot, 1e-14), stabilisation


def bent() -> rm.Scene:
    """Three hinges of which two angles follow from the first and from another number, by no straight line."""
    scene, last = rm.Scene(), None
    for k in range(3):
        at = {"parent": last, "at": (0.3, 0, 0)} if last else {}
        last = scene.add_body(rm.Cuboid((0.3, 0.1, 0.05)), joint=rm.Revolute((0.2 * k, 1, 0)), com=(0.15, 0, 0), name=f"b{k}", **at)
    bends = lambda q: [q[0] + 0.1 * q[1], q[0] * q[0] - q[1], rm.math.sin(q[1]) + q[0] * q[1]]  # noqa: E731
    scene.set_map(bends, coordinates=2, q=(0.4, 0.3), qdot=(1.0, -0.5))
    return scene


@pytest.mark.parametrize("integrator", ["implicit", "rk4"])
def test_a_step_on_a_map_of_coordinates(integrator):
    """Along the ways that the map has; by a parameter too."""
    scene, rng = bent(), np.random.default_rng(0)
    map = scene.model().map
    assert map is not None
    q, qdot = np.array([0.5, 0.2]), np.array([1.0, -2.0])
    dq, dqdot, (tau, dtau) = *rng.normal(size=(2, 2)), rng.normal(size=(2, 3))

    def begin(h):
        return map.coordinates(q + h * dq), map.rates(q + h * dq, qdot + h * dqdot)

    def step(h, mass=2.0):
        sim = rm.Simulation(scene, dt=DT, integrator=integrator, initial=rm.State(0.0, *begin(h)), parameters={"b1.mass": mass})
        state = sim.step(1, tau + h * dtau)
        return np.concatenate([state.q, state.qdot])

    found = rm.linearize(scene, rm.State(0.0, *begin(0)), tau, DT, integrator=integrator, parameters={"b1.mass": 2.0})
    assert agree(np.concatenate([found.state.q, found.state.qdot]), step(0), 1e-12)
    slope = found.A @ rate(lambda h: np.concatenate(begin(h)), 1e-3) + found.B @ dtau
    assert agree(slope, rate(step, 1e-3), 1e-9)
    assert agree(found.parameters["b1.mass"], rate(lambda h: step(0, 2.0 + h), 1e-3), 1e-8)
