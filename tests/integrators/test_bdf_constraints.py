"""BDF1 and BDF2 with constraints: their equations, orders, closed forms, rows that repeat others."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import redmax as rm
from joints.samples import make
from redmax.constraints.base import Constraint
from redmax.constraints.closure import Closure
from redmax.constraints.distance import Distance
from redmax.constraints.point import PointClosure
from redmax.integrators.backward_differences import BackwardDifferences
from redmax.integrators.bdf import program
from redmax.math import cos, sin
from redmax.scenes import find

ROD = rm.Cuboid((0.04, 0.04, 1.0), density=1000)


class Blade(Constraint):
    """Does not slip sideways."""

    size, oriented, of_velocities = 1, True, True

    def __init__(self, place: Any) -> None:
        self.hold((place, (0, 0, 0)), None)

    def speed(self, sites, t):
        return [sites[0].R[:, 1] @ sites[0].v]


def loop(closures: int = 1) -> rm.Scene:
    """redmax:4, whose loop is closed by rows of points side by side on the axis of a hinge."""
    s = rm.Scene(gravity=(0, 0, -980), units="cm g s")
    a, b, y = rm.Cuboid((20, 1, 1), density=1), rm.Cuboid((1, 1, 10), density=1), rm.Revolute("y")
    top = s.add_body(a)
    left = s.add_body(b, joint=y, parent=top, at=(-10, 0, 0), com=(0, 0, -5))
    right = s.add_body(b, joint=y, parent=top, at=(10, 0, 0), com=(0, 0, -5))
    low = s.add_body(a, joint=y, parent=left, at=(0, 0, -10), com=(10, 0, 0))
    s.add_body(b, joint=y, parent=low, at=(10, 0, 0), com=(0, 0, -5), qdot=5)
    for k in range(closures):
        s.add_constraint(PointClosure(right.point(0, k, -5), low.point(10, k, 0)))
    return s


def test_orders_are_kept():
    """To the motion of a method at the level of accelerations, each by its order; the loop is closed after every step."""
    exact = rm.simulate(loop(), 0.2, dt=5e-4, integrator="rk4", progress=False)
    for integrator, order in (("bdf1", 1), ("bdf2", 2)):
        errors = []
        for n in (40, 80):
            run = rm.simulate(loop(), 0.2, dt=0.2 / n, integrator=integrator, progress=False)
            errors.append([np.abs(getattr(run, x)[-1] - getattr(exact, x)[-1]).max() for x in ("q", "qdot")])
            opening = run.pose("body3") @ [0, 0, -5, 1] - run.pose("body4") @ [10, 0, 0, 1]
            assert np.abs(opening).max() < 1e-10
        rate = np.log2(np.array(errors[0]) / errors[1])
        assert (np.abs(rate - order) < 0.25).all()


@pytest.mark.long
@pytest.mark.parametrize("name", ["bennett", "sliding-loop", "stewart-platform", "gears-rows", "cam-loop"])
def test_scenes_converge_to_adaptive_motion(name):
    scene = find(name).scene()
    exact = rm.simulate(scene, 0.5, dt=0.005, integrator="adaptive", progress=False)
    runs = [rm.simulate(scene, 0.5, dt=h, integrator="bdf2", progress=False) for h in (0.0025, 0.00125)]
    errors = [np.abs(run.q[-1] - exact.q[-1]).max() for run in runs]
    assert errors[1] < 1e-3
    assert errors[0] > 3.4 * errors[1]


@pytest.mark.parametrize("closures", [2, 4])
def test_rows_that_repeat_others_change_nothing(closures):
    few, many = (rm.simulate(loop(n), 0.1, dt=0.005, integrator="bdf2", progress=False) for n in (1, closures))
    np.testing.assert_allclose(many.q, few.q, rtol=0, atol=1e-9)


class Bennett(Constraint):
    """The angles of Bennett's linkage: opposite ones are alike, and tan(a/2) tan(b/2) = k (Bennett 1903)."""

    size = 2

    def __init__(self, joints: Any, k: float) -> None:
        self.hold((), None, joints)
        self.k = k

    def gap(self, sites, t):
        (a, _), (b, _), (c, _) = self.coordinates
        return [a[0] + c[0], sin(a[0] / 2) * sin(b[0] / 2) - self.k * cos(a[0] / 2) * cos(b[0] / 2)]


def bennett(by_angles: bool) -> rm.Scene:
    """Three links and a ground, a / sin(alpha) = b / sin(beta); closed by two points of an axis: six rows, four of which repeat others."""
    a, b, alpha = 1.0, 1.5, 0.7
    beta = np.arcsin(b * np.sin(alpha))
    k = np.sin((beta + alpha) / 2) / np.sin((beta - alpha) / 2)

    def across(length: float, twist: float) -> np.ndarray:
        return rm.pose(rm.rotation_about("x", twist), (length, 0, 0))

    q = (1.0, 2 * np.arctan(k / np.tan(0.5)), -1.0)
    ends = [across(a, alpha), across(b, beta), across(a, alpha)]
    s, at, body = rm.Scene(gravity=(0.3, 0.2, -9.81)), np.eye(4), None
    here, links = np.eye(4), []
    for angle, end, length in zip(q, ends, (a, b, a), strict=True):
        rod = rm.Cuboid((length, 0.05, 0.05), density=500)
        body = s.add_body(rod, joint=rm.Revolute("z"), parent=body, at=at, com=(length / 2, 0, 0), q=angle)
        here, at, links = here @ rm.pose(rm.rotation_about("z", angle), (0, 0, 0)) @ end, end, [*links, body]
    if by_angles:
        s.add_constraint(Bennett(links, k))
    for z in (-0.3, 0.3) if not by_angles else ():
        local = ends[2] @ [0, 0, z, 1] - [a / 2, 0, 0, 0]
        s.add_constraint(PointClosure(links[2].point(*local[:3]), (here @ [0, 0, z, 1])[:3]))
    return s


@pytest.mark.parametrize("integrator", ["bdf1", "bdf2"])
def test_a_loop_moves_although_its_rows_are_too_many(integrator):
    """Bennett's: its rows repeat each other only where it is closed, and every trial of a step is a little off."""
    six, two = (rm.simulate(bennett(by_angles), 1.0, dt=0.01, integrator=integrator, progress=False) for by_angles in (False, True))
    assert np.abs(six.q[-1] - six.q[0]).max() > 1.0
    np.testing.assert_allclose(six.q, two.q, rtol=0, atol=1e-8)


def spatial(closed: bool = True) -> rm.Scene:
    """A chain of ball, universal and slider whose end is tied to the world, with a spring between two of its bodies."""
    s = rm.Scene()
    a = s.add_body(ROD, joint=rm.Spherical(), com=(0, 0, -0.5), q=(0.3, 0.2, 0.1))
    b = s.add_body(ROD, joint=rm.Universal(), parent=a, at=(0, 0, -1), com=(0, 0, -0.5), q=(0.4, -0.7))
    c = s.add_body(ROD, joint=rm.Prismatic((1, 0, 1)), parent=b, at=(0, 0, -1), com=(0, 0, -0.5))
    s.add_force(rm.SpringDamper(a.point(0.1, 0, 0), c.point(0.1, 0, 0), stiffness=300, damping=3))
    if closed:
        s.add_constraint(Distance(c.point(0, 0, -0.5), (1.0, 0.5, -2.0)))
        s.add_constraint(Distance(b.point(0, 0.1, 0), (-1.0, 0.5, 0.0)))
    return s


def test_steps_solve_their_equation():
    """M (q - known) / h^2 - f is within the rows that differences of the gaps give, and nothing else is left."""
    h, model = 0.01, spatial(closed=False).model()
    run = rm.simulate(spatial(), 0.1, dt=h, integrator="bdf1", progress=False)
    d = rm.Dynamics(model)

    def gaps(q: np.ndarray) -> np.ndarray:
        E = [d.pose(q, link.name) for link in model.links]
        c, b = E[2] @ [0, 0, -0.5, 1], E[1] @ [0, 0.1, 0, 1]
        return np.array([np.linalg.norm(c[:3] - (1.0, 0.5, -2.0)), np.linalg.norm(b[:3] - (-1.0, 0.5, 0.0))])

    start = gaps(run.q[0])
    for n in range(1, 11):
        q, v = run.q[n], run.qdot[n]
        assert np.abs(gaps(q) - start).max() < 1e-10
        G = np.array([(gaps(q + e) - gaps(q - e)) / 2e-6 for e in 1e-6 * np.eye(model.nv)]).T
        f = -d.inverse(q, v, np.zeros_like(q))
        missing = d.inertia(q) @ (q - run.q[n - 1] - h * run.qdot[n - 1]) / h**2 - f
        assert np.abs(missing - G.T @ np.linalg.lstsq(G.T, missing, rcond=None)[0]).max() < 1e-6 * np.abs(missing).max()


def closed(joint: rm.Joint, q: np.ndarray) -> rm.Scene:
    """Three links on balls, whose end is tied to the world by a joint."""
    s, body = rm.Scene(), None
    for k in range(3):
        at = (0, 0, -1) if k else (0, 0, 0)
        body = s.add_body(ROD, joint=rm.Spherical(), parent=body, at=at, com=(0, 0, -0.5), q=(0.3 - 0.1 * k, 0.2, 0.1 * k))
    end = rm.pose(np.eye(3), (0, 0, -0.5))
    here = rm.Dynamics(s.model()).pose(np.concatenate([link.q for link in s.links]), body.name) @ end
    place = here @ np.linalg.inv(np.asarray(joint.transform(q), float))
    s.add_constraint(Closure(joint, place, (body, end), q=q))
    return s


def turns_a_step(model: rm.Model, steps: int) -> float:
    """Of Newton's method, from where the scene begins."""
    method = BackwardDifferences(model, "llvm", False)
    out = [np.empty((steps, 1, n)) for n in (model.configurations.size, model.nv)]
    start = model.configurations.join(np.concatenate([link.q for link in model.links]))[None]
    qdot = np.concatenate([link.qdot for link in model.links])[None]
    assert method.run([start, qdot, np.zeros(model.nv), *(np.full(1, x) for x in (0.0, 0.0, 0.005, 0.0))], out, 1, steps) == 0
    return method.iterations / steps


def test_newton_converges_quadratically():
    """From multipliers of zero; also with forces between bodies."""
    assert turns_a_step(spatial().model(), 50) <= 4.0


def test_a_hinge_of_a_loop_is_its_points():
    """Closed by a joint, whose coordinates are found at every trial, or by a point of it: in a plane one motion."""
    by_joint = loop(0)
    right, low = (by_joint.find(name) for name in ("body3", "body4"))
    by_joint.add_constraint(rm.Closure(rm.Revolute("y"), (right, (0, 0, -5)), (low, (10, 0, 0))))
    one, two = (rm.simulate(scene, 0.1, dt=0.005, integrator="bdf2", progress=False) for scene in (by_joint, loop()))
    np.testing.assert_allclose(one.q, two.q, rtol=0, atol=1e-9)


@pytest.mark.long
@pytest.mark.parametrize("kind", ["Fixed", "Revolute", "Universal", "Helical", "Planar", "Elliptic", "torus", "SplineCurve"])
def test_newton_converges_quadratically_in_loops_closed_by_any_joint(kind):
    rng = np.random.default_rng(0)
    sample = make(kind, rng, aligned=False)
    assert turns_a_step(closed(sample.joint, sample.coordinates(rng)).model(), 30) <= 3.2


def slider_crank(r: float, length: float) -> rm.Scene:
    """Whose crank turns as it is told."""
    s = rm.Scene()
    crank = s.add_body(rm.Sphere(0.1, density=500), joint=rm.Revolute("y"), motion=lambda t: 4.0 * t)
    slider = s.add_body(rm.Sphere(0.1, density=500), joint=rm.Prismatic("x"), at=(r + length, 0, 0))
    s.add_constraint(rm.Distance(crank.point(r, 0, 0), slider.point(0, 0, 0), length, name="rod"))
    return s


@pytest.mark.parametrize("integrator", ["bdf1", "bdf2"])
def test_a_rod_that_is_too_short_is_named(integrator):
    """It cannot follow its crank around."""
    with pytest.raises(rm.SimulationError, match=r"Distance 'rod' is off by .* perhaps it cannot be met"):
        rm.simulate(slider_crank(0.5, 0.45), 1.0, dt=0.01, integrator=integrator, progress=False)


@pytest.mark.parametrize("integrator", ["bdf1", "bdf2"])
def test_a_slider_crank_is_where_geometry_says(integrator):
    """The crank's turning is prescribed: x = r cos a + sqrt(l^2 - r^2 sin^2 a) holds at every step, not only to the order of the method."""
    r, length = 0.3, 1.0
    run = rm.simulate(slider_crank(r, length), 1.0, dt=0.01, integrator=integrator, progress=False)
    a = 4.0 * run.t
    x = r * np.cos(a) + np.sqrt(length**2 - (r * np.sin(a)) ** 2)
    np.testing.assert_allclose(run.q[:, 1] + r + length, x, atol=1e-9)


@pytest.mark.parametrize("integrator", ["bdf1", "bdf2"])
def test_a_row_that_gives_way_is_a_spring(integrator):
    """Of stiffness 1 / c, step for step: both are taken at the end of it."""
    runs = []
    for c in (1e-3, None):
        s = rm.Scene()
        ball = s.add_body(rm.Sphere(0.1, density=500), joint=rm.Translational(), q=(0.6, 0, 0), qdot=(0.3, 1.0, 0))
        places = ball.point(0, 0, 0), (0, 0, 0.5)
        if c:
            s.add_constraint(rm.Distance(*places, 0.9, compliance=c))
        else:
            s.add_force(rm.SpringDamper(*places, stiffness=1e3, damping=0, rest=0.9))
        runs.append(rm.simulate(s, 0.3, dt=0.01, integrator=integrator, progress=False))
    np.testing.assert_allclose(runs[0].q, runs[1].q, rtol=0, atol=1e-8)


def hanging(rows: bool) -> rm.Scene:
    """A ball that swings with a chain of springs on it: on rows, or on a joint."""
    s, ball = rm.Scene(), rm.Sphere(0.1, density=100)
    if rows:
        end = s.add_body(ball, joint=rm.Translational(), q=(1, 0, 0), name="end")
        s.add_constraint(rm.Distance((0, 0, 0), end, 1.0))
        s.add_constraint(rm.PointInPlane(end, (0, 0, 0), "y"))
    else:
        arm = s.add_body(rm.Sphere(0.001, density=1e-3), joint=rm.Revolute("y"))
        end = s.add_body(ball, joint=rm.Revolute("y"), parent=arm, at=(1, 0, 0), name="end")
    chain = rm.SpringChain((1, 0, 0), (1.5, 0, 0), 4, mass=0.5, stiffness=200.0, name="chain")
    s.add_deformable(chain.attach(end, [0], at=[(0, 0, 0)]))
    return s


@pytest.mark.long
@pytest.mark.parametrize("integrator", ["bdf1", "bdf2"])
def test_rows_beside_deformables(integrator):
    """What rows hold moves as what a joint holds, to the order of the method."""
    apart = []
    for h in (0.01, 0.005):
        runs = [rm.simulate(hanging(rows), 0.4, dt=h, integrator=integrator, progress=False) for rows in (True, False)]
        apart.append(np.abs(runs[0].nodes("chain")[-1] - runs[1].nodes("chain")[-1]).max())
    assert abs(np.log2(apart[0] / apart[1]) - int(integrator[-1])) < 0.2


@pytest.mark.long
def test_a_blade_goes_in_circles():
    """A sleigh on a blade below its centre of mass keeps its speed and its turning: a circle of radius v / omega."""
    errors = []
    for h in (0.02, 0.01):
        s = rm.Scene(gravity=(0, 0, 0))
        sleigh = s.add_body(rm.Cuboid((1, 0.3, 0.1), density=10), joint=rm.Free2D(), qdot=(2.0, 0.0, 1.5))
        s.add_constraint(Blade(sleigh))
        run = rm.simulate(s, 1.0, dt=h, integrator="bdf2", progress=False)
        place = 2.0 / 1.5 * np.array([np.sin(1.5 * run.t), 1.0 - np.cos(1.5 * run.t)]).T
        errors.append(np.abs(run.q[:, :2] - place).max())
    assert errors[1] < 1e-4
    assert errors[0] / errors[1] > 3.0


def test_worlds_and_portions_and_backends_agree():
    """A batch is its worlds; two portions are one run; NumPy is compiled code."""
    scene, options = loop(), {"dt": 0.005, "integrator": "bdf2", "progress": False}
    assert not program(scene.model(), True).hosted  # no call of Python in a step
    whole = rm.simulate(scene, 0.05, **options)
    plain = rm.simulate(scene, 0.02, backend="interpret", **options)
    np.testing.assert_allclose(plain.q, whole.q[:5], rtol=0, atol=1e-10)
    start = np.array([[0.0, 0.0, 0.0, x] for x in (0.0, 0.1, 0.2, 0.3, 0.4)])
    together = rm.simulate(scene, 0.05, initial=rm.State(0.0, start, np.tile(whole.qdot[0], (5, 1))), **options)
    np.testing.assert_allclose(together.q[:, 0], whole.q, rtol=0, atol=1e-10)
    sim = rm.Simulation(scene, dt=0.005, integrator="bdf2")
    sim.step(4)
    np.testing.assert_array_equal(sim.step(6).q, whole.q[-1])
