"""Methods along groups and of bodies by themselves: their order, the formulas of their files by other hands, and what they keep."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest

import redmax as rm
from integrators import by_hand
from redmax.integrators import METHODS
from redmax.integrators.bodies import OF_BODIES
from redmax.integrators.lie import ALONG_GROUPS
from redmax.scenes.free_bodies import MOMENTS, free_body
from redmax.scenes.heavy_tops import asymmetric_top, heavy_top, heavy_top_slow
from scenes.geometric_values import REFERENCES, rotation

BODIES = [m.name for m in OF_BODIES]
DRIFTING = ("coadjoint", "newmark-lie", "midpoint-lie")  # which keep momenta, not energies
SCENES = {"heavy-top-slow": heavy_top_slow, "asymmetric-top": asymmetric_top, "free-body": free_body}
FREE = ("quaternion", "matrix", "pose", "dual-quaternion")


def error(name: str, integrator: str, h: float) -> float:
    reference = REFERENCES[name]
    run = rm.simulate(SCENES[name](), reference["t"], h, integrator=integrator, every=round(reference["t"] / h))
    off = rotation(run.q[-1]) - rotation(reference["q"]), run.qdot[-1] - reference["omega"]
    return float(np.sqrt(sum((x**2).sum() for x in off)))


@pytest.mark.parametrize("integrator", [*BODIES, *[m.name for m in ALONG_GROUPS]])
@pytest.mark.parametrize(("name", "h"), [("heavy-top-slow", 0.005), ("asymmetric-top", 0.004), ("free-body", 0.05)])
def test_order(name, h, integrator):
    errors = [error(name, integrator, h / k) for k in (1, 2, 4)]
    found = -np.diff(np.log2(errors))
    assert np.abs(found - METHODS[integrator].order).max() < 0.3, found


@pytest.mark.parametrize("integrator", by_hand.STEPS)
def test_the_heavy_top_goes_as_by_hand(integrator):
    """A thousand steps of 1 ms: where the centre of mass is."""
    R, W = by_hand.run(integrator, by_hand.Top(15, np.array([0.234375, 0.46875, 0.234375]), (0, 1, 0), (0, 150, -4.61538)), 1e-3, 1000)
    run = rm.simulate(heavy_top(), 1, 1e-3, integrator=integrator, every=1000)
    np.testing.assert_allclose(run.pose("top")[-1, :3, 3], R @ [0, 1, 0], atol=1e-9)
    np.testing.assert_allclose(run.qdot[-1], W, atol=1e-7)


@pytest.mark.parametrize("integrator", BODIES)
def test_a_body_without_equal_moments_goes_as_by_hand(integrator):
    """Its inertia about the fixed point has products."""
    R, W = by_hand.run(integrator, by_hand.Top(2, np.array([0.1, 0.2, 0.25]), (0.1, 0.3, 0.5), (1, 2, 10)), 5e-3, 100)
    run = rm.simulate(asymmetric_top(), 0.5, 5e-3, integrator=integrator, every=100)
    np.testing.assert_allclose(run.pose("top")[-1, :3, :3], R, atol=1e-11)
    np.testing.assert_allclose(run.qdot[-1], W, atol=1e-10)


@cache
def million(scene: Any, integrator: str, coordinates: str, h: float) -> rm.Trajectory:
    return rm.simulate(scene(coordinates), 1e6 * h, h, integrator=integrator, every=1000)


def off_the_group(q: np.ndarray) -> float:
    if q.shape[1] == 4:
        return float(np.abs(np.linalg.norm(q, axis=1) - 1).max())
    R = q.reshape(-1, 3, 3)
    return float(np.abs(np.swapaxes(R, 1, 2) @ R - np.eye(3)).max())


@pytest.mark.parametrize("coordinates", ["quaternion", "matrix"])
@pytest.mark.parametrize("integrator", [*BODIES, *[pytest.param(m.name, marks=pytest.mark.long) for m in ALONG_GROUPS]])
def test_a_million_steps_of_the_free_body(integrator, coordinates):
    """The group, by steps alone (lie/long_products.py). What each method says that it keeps; for the others, that it drifts."""
    run = million(free_body, integrator, coordinates, 0.01)
    assert off_the_group(run.q) < 1e-12
    R, pi = run.pose("body")[:, :3, :3], run.qdot * MOMENTS
    assert np.abs(np.swapaxes(R, 1, 2) @ R - np.eye(3)).max() < (1e-15 if coordinates == "quaternion" else 1e-12)
    if integrator in BODIES:
        assert np.abs(np.linalg.norm(pi, axis=1) - 1).max() < 3e-13
        np.testing.assert_allclose(np.einsum("tij,tj->ti", R, pi), np.broadcast_to(pi[0], pi.shape), atol=5e-13)
    energy = 0.5 * (run.qdot * pi).sum(axis=1)
    change = energy / energy[0] - 1
    if integrator in ("energy-momentum", "rattle"):  # of a free body that of Moser and Veselov keeps both
        assert np.abs(change).max() < 2e-12
    elif integrator == "lie-poisson":
        assert np.abs(change).max() < 2e-6
        assert abs(np.polyfit(np.arange(len(run)) * 1000.0, change, 1)[0]) < 1e-14
    elif METHODS[integrator].order < 4:
        assert np.abs(change).max() > 1e-6


@pytest.mark.parametrize(
    ("integrator", "swing"),
    [("rattle", 1e-5), ("lie-poisson", 1e-6), ("energy-momentum", 1e-11), ("variational", 1e-4), *[(name, None) for name in DRIFTING]],
)
@pytest.mark.parametrize("coordinates", ["quaternion", "matrix"])
def test_a_million_steps_of_the_heavy_top(integrator, swing, coordinates):
    """The energy swings and does not drift; energy-momentum steps keep it. The momentum about the vertical is kept by all of them."""
    run = million(heavy_top, integrator, coordinates, 1e-3)
    assert off_the_group(run.q) < 1e-12
    total, scale = run.energy.total, run.energy.kinetic.max()
    change = (total - total[0]) / scale
    slope = abs(np.polyfit(np.arange(len(run)) * 1000.0, change, 1)[0])
    if swing is None:
        assert slope > 1e-10
    else:
        assert np.abs(change).max() < swing
        assert slope < 1e-14
    R = run.pose("top")[:, :3, :3]
    L = np.einsum("tij,tj->ti", R, run.qdot * (15.234375, 0.46875, 15.234375))
    kept = 1e-9 if integrator == "variational" else 1e-12  # roundings of each step of a tree, 3e-16, go one way
    assert np.abs(L[:, 2] - L[0, 2]).max() < kept * np.linalg.norm(L[0])


def flock(coordinates: str = "quaternion") -> rm.Scene:
    """Two bodies that float and one on a ball joint, with springs between them and a pull that changes with time; one is off its joint."""
    scene = rm.Scene(gravity=(0, 0, -9.81))
    plate, bar = rm.Cuboid((0.4, 0.3, 0.1), mass=2), rm.Cuboid((0.1, 0.2, 0.6), mass=1)
    ball = coordinates if coordinates in ("quaternion", "matrix") else "quaternion"
    held = scene.add_body(
        bar, joint=rm.Spherical(ball), at=rm.pose(rm.rotation_about("x", 0.4), (0, 0, 1)), com=(0, 0, -0.3), qdot=(1, 2, 3)
    )
    one = scene.add_body(plate, joint=rm.Free(coordinates), at=(1, 0, 0), com=(0.1, 0.05, 0), qdot=(1, -2, 0.5, 0.3, 0.2, 3), name="one")
    other = scene.add_body(plate, joint=rm.Free(coordinates), at=(0, 1, 0.5), qdot=(0, 1, 2, 0, 0, 2), stiffness=3.0, name="other")
    scene.add_force(rm.SpringDamper(held.point(0, 0, -0.3), one.point(0.2, 0.1, 0), stiffness=40))
    scene.add_force(rm.SpringDamper(one.point(-0.2, 0, 0), other.point(0, 0.1, 0.05), stiffness=30))
    scene.add_wrench(other, force=lambda t: [np.sin(3.0 * t), 0.5, 0.0], frame="world")
    scene.add_body(rm.Sphere(0.05), joint=rm.Fixed(), at=(0, 0, 2), name="mark")
    return scene


@cache
def flown(coordinates: str) -> np.ndarray:
    run = rm.simulate(flock(coordinates), 0.5, 0.5, rtol=1e-12)
    return np.array([run.pose(link.name)[-1] for link in run.model.links])


@pytest.mark.parametrize("integrator", [name for name in BODIES if name != "energy-momentum"])
def test_bodies_with_springs_between_them(integrator):
    """Of the order of the method, on every way to write a configuration."""
    errors = []
    for count in (50, 100, 200):
        run = rm.simulate(flock(), 0.5, 0.5 / count, integrator=integrator, every=count)
        errors.append(np.abs(np.array([run.pose(link.name)[-1] for link in run.model.links]) - flown("quaternion")).max())
    assert np.abs(-np.diff(np.log2(errors)) - METHODS[integrator].order).max() < 0.4, errors
    for coordinates in FREE[1:]:
        again = rm.simulate(flock(coordinates), 0.5, 0.5 / 200, integrator=integrator, every=200)
        for link in run.model.links:
            np.testing.assert_allclose(again.pose(link.name)[-1], run.pose(link.name)[-1], atol=1e-12)


@pytest.mark.parametrize("integrator", BODIES)
def test_a_body_that_floats_falls_along_a_parabola(integrator):
    """Its centre of mass is not where its joint is; momentum about it and energy as the method says."""
    scene = rm.Scene(gravity=(0, 0, -9.81))
    body = rm.MassProperties(2, np.array([0.1, 0.2, 0.25]))
    scene.add_body(body, joint=rm.Free("quaternion"), com=(0.3, 0.1, -0.2), qdot=(1, 2, 4, 0, 1, 3), name="body")
    run = rm.simulate(scene, 1, 0.005, integrator=integrator)
    x = run.pose("body")[:, :3, 3]
    start = np.array([0.3, 0.1, -0.2])
    v = np.array([0, 1, 3]) + np.cross((1, 2, 4), start)
    t = run.t[:, None]
    np.testing.assert_allclose(x, start + v * t + 0.5 * np.array([0, 0, -9.81]) * t * t, atol=1e-12)
    spin = np.einsum("tij,tj->ti", run.pose("body")[:, :3, :3], run.qdot[:, :3] * (0.1, 0.2, 0.25))
    np.testing.assert_allclose(spin, np.broadcast_to(spin[0], spin.shape), atol=1e-13)
    assert run.energy.drift.max() < {"energy-momentum": 1e-13, "rattle": 1e-12}.get(integrator, 1e-4)


@pytest.mark.parametrize(
    ("shape", "com"),
    [
        (rm.Cylinder(0.2, 1e-9, mass=1.0), (0, 0, 0.2)),
        (rm.MassProperties(1.0, np.array([0.2, 0.2, 0.4])), (0, 0, 0.2)),
        (rm.MassProperties(1.0, np.array([0.1, 0.1, 0.0])), (0.2, 0, 0.1)),
    ],
)
def test_plates_and_rods_have_turns_too(shape, com):
    """D of RATTLE has a zero there: of the rod beside its fixed point, across the plane of both."""
    scene = rm.Scene()
    scene.add_body(shape, joint=rm.Spherical("quaternion"), com=com, qdot=(0.5, 0.2, 20), name="top")
    J = shape.inertia + np.dot(com, com) * np.eye(3) - np.outer(com, com)
    D = np.trace(J) / 2 * np.eye(3) - J
    if np.linalg.norm(com[:2]):
        assert abs(np.linalg.eigvalsh(D)[0]) < 1e-15
    exact = rm.simulate(scene, 1, 1e-3, rtol=1e-11).pose("top")
    runs = [rm.simulate(scene, 1, 1e-3 / k, integrator="rattle", every=k) for k in (1, 2)]
    errors = [np.abs(run.pose("top") - exact).max() for run in runs]
    assert errors[0] < 3e-3
    assert abs(errors[0] / errors[1] - 4) < 0.1
    assert runs[0].energy.drift.max() < 3e-5


@pytest.mark.parametrize("integrator", BODIES)
def test_given_torques_and_springs_do_what_they_do_in_other_steps(integrator):
    """A torque of a controller in each step, about a ball joint and on what floats."""
    scene = rm.Scene(gravity=(0, 0, -9.81))
    body = rm.MassProperties(2, np.array([0.1, 0.2, 0.25]))
    scene.add_body(body, joint=rm.Spherical("quaternion"), com=(0.1, 0.2, 0.3), qdot=(1, 2, 3), name="ball")
    scene.add_body(body, joint=rm.Free("pose"), com=(0.1, 0, 0), qdot=(1, 0, 2, 0.1, 0.2, 0.3), at=(2, 0, 0), name="free")
    count = 400
    tau = 2 * np.sin(np.arange(count)[:, None] / count * (1 + np.arange(9)))
    runs = [rm.simulate(scene, 0.4, 0.4 / count, integrator=name, controls=tau) for name in (integrator, "mk4")]
    for name in ("ball", "free"):
        assert np.abs(runs[1].pose(name)[-1] - runs[1].pose(name)[0]).max() > 0.1
        np.testing.assert_allclose(runs[0].pose(name), runs[1].pose(name), atol=2e-5)


@pytest.mark.parametrize("integrator", BODIES)
def test_interpreted_in_lanes_in_single_precision_and_cut_in_two(integrator):
    scene = heavy_top_slow() if integrator == "energy-momentum" else flock()
    model = scene.model()
    base = {"integrator": integrator, "dt": 0.004}
    run = rm.simulate(model, 0.04, **base)
    read = rm.simulate(model, 0.04, backend="interpret", **base)
    np.testing.assert_allclose(read.q, run.q, atol=1e-13)
    np.testing.assert_allclose(read.qdot, run.qdot, atol=1e-11)
    single = rm.simulate(model, 0.04, dtype="float32", **base)
    np.testing.assert_allclose(single.q, run.q, atol=1e-5)
    start = run.state(0)
    many = rm.State(0.0, np.tile(start.q, (11, 1)), start.qdot * np.linspace(1, 1.5, 11)[:, None])
    batch = rm.simulate(model, 0.04, initial=many, **base)
    for w in (0, 6, 10):
        alone = rm.simulate(model, 0.04, initial=rm.State(0.0, many.q[w], many.qdot[w]), **base)
        np.testing.assert_allclose(batch.q[:, w], alone.q, atol=1e-13)
    sim = rm.Simulation(model, **base)
    for k in range(1, 11):
        np.testing.assert_array_equal(sim.step().q, run.q[k])


def test_masses_as_parameters():
    scene = heavy_top_slow()
    runs = rm.simulate(scene, 0.1, 1e-3, integrator="rattle", parameters={"top.mass": [15.0, 10.0]})
    assert np.abs(runs.q[:, 0] - rm.simulate(scene, 0.1, 1e-3, integrator="rattle").q).max() < 1e-13
    assert np.abs(runs.q[-1, 1] - runs.q[-1, 0]).max() > 1e-5


def test_parameters_that_make_a_damper_of_a_spring_are_refused():
    """Which the scene has without a damper."""
    scene = held(False, damping=0.0)
    springs = rm.simulate(scene, 0.1, 0.01, integrator="rattle", parameters={"rope.stiffness": [1.0, 2.0]})
    assert np.abs(springs.q[-1, 0] - springs.q[-1, 1]).max() > 1e-6
    for name, what in {"rope.damping": r"SpringDamper 'rope'", "body.damping": "a damper in joint 'body'"}.items():
        with pytest.raises(rm.RedmaxError, match=what):
            rm.simulate(scene, 0.1, 0.01, integrator="rattle", parameters={name: np.full(() if "rope" in name else 6, 0.5)})


def test_bodies_at_rest_stay_in_single_precision_too():
    """Where no turn is asked for, and the moments are equal."""
    scene = rm.Scene(gravity=(0, 0, 0))
    scene.add_body(rm.Sphere(0.1), joint=rm.Free("quaternion"), name="ball")
    for name in BODIES:
        for dtype in ("float32", "float64"):
            run = rm.simulate(scene, 0.1, 0.01, integrator=name, dtype=dtype)
            np.testing.assert_array_equal(run.q[-1], run.q[0])


def on_another() -> rm.Scene:
    scene = rm.Scene()
    first = scene.add_body(rm.Sphere(0.1), joint=rm.Spherical("quaternion"), com=(0, 0, -0.2), name="first")
    scene.add_body(rm.Sphere(0.1), joint=rm.Spherical("quaternion"), parent=first, com=(0, 0, -0.2), name="second")
    return scene


def single(joint: rm.Joint, **more: Any) -> rm.Scene:
    scene = rm.Scene()
    scene.add_body(rm.Cuboid((0.1, 0.2, 0.3)), joint=joint, name="body", **more)
    return scene


def held(constraint: bool, damping: float = 0.5) -> rm.Scene:
    """By a spring with a damper, or in a plane."""
    scene = rm.Scene()
    body = scene.add_body(rm.Cuboid((0.1, 0.2, 0.3)), joint=rm.Free("quaternion"), name="body")
    if constraint:
        scene.add_constraint(rm.PointInPlane(body.point(0, 0, 0), (0, 0, 0), (0, 0, 1)))
    else:
        scene.add_force(rm.SpringDamper(body, (0, 0, 1), stiffness=1, rest=0.5, damping=damping, name="rope"))
    return scene


REFUSED = {
    r"a body that hangs on another one \('second'\)": on_another,
    r"a joint Revolute \('body'\)": lambda: single(rm.Revolute("x")),
    r"a joint Spherical with exponential coordinates \('body'\)": lambda: single(rm.Spherical()),
    r"a joint that follows a motion \('body'\)": lambda: single(rm.Spherical("quaternion"), motion=lambda t: [1, 0, 0, 0]),
    r"a rotor at a joint \('body'\)": lambda: single(rm.Spherical("quaternion"), armature=0.1),
    "a damper in joint 'body'": lambda: single(rm.Spherical("quaternion"), damping=0.1),
    r"a torque that depends on velocities \(in joint 'body'\)": lambda: single(
        rm.Spherical("quaternion"), torque=lambda t, q, qdot: [-qdot[0], 0, 0]
    ),
    "a force that depends on velocities \\(SpringDamper 'rope'\\)": lambda: held(False),
}


@pytest.mark.parametrize("sentence", REFUSED)
def test_other_scenes_are_refused(sentence):
    with pytest.raises(rm.RedmaxError, match=f"The scene has {sentence}: that does not go with integrator.* Take 'mk4'"):
        rm.simulate(REFUSED[sentence](), 0.1, 0.01, integrator="rattle")


def test_a_torque_of_time_and_place_is_none_of_velocity():
    scene = single(rm.Spherical("quaternion"), torque=lambda t, q, qdot: [np.sin(t), q[1], 0.0])
    for name in set(BODIES) - {"energy-momentum"}:
        rm.simulate(scene, 0.02, 0.01, integrator=name)
    with pytest.raises(rm.RedmaxError, match=r"a spring or a torque in joint 'body': that does not go.*Take 'rattle'"):
        rm.simulate(scene, 0.1, 0.01, integrator="energy-momentum")


def test_constraints_are_refused():
    with pytest.raises(rm.RedmaxError, match=r"a constraint \(.*\): that .*integrator"):
        rm.simulate(held(True), 0.1, 0.01, integrator="coadjoint")


def test_where_there_is_no_turn_the_run_breaks_off():
    """h |pi| is beyond what two positions can have between them."""
    scene = single(rm.Spherical("quaternion"), qdot=(3, 200, 50))
    with pytest.raises(rm.SimulationError, match=r"Try a smaller dt"):
        rm.simulate(scene, 1, 0.05, integrator="rattle")
