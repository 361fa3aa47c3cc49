"""Mechanisms of joints on curves and surfaces: equal to simpler joints where they must be, energy kept, all dynamics the same."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

import redmax as rm
from curves.definitions import POINTS
from dynamics.agreement import agree
from dynamics.test_systems_agree import accelerate, check
from redmax.lie import so3
from surfaces.definitions import GRID, hills

C, S = rm.curves, rm.surfaces
BRICK = rm.Cuboid((0.3, 0.2, 0.1), mass=1.3)
UPRIGHT = np.asarray(rm.pose(rm.rotation_about("x", np.pi / 2), np.zeros(3)), float)  # the xy plane of a curve becomes vertical
RING = rm.MassProperties(0.5, np.diag([0.0103, 0.0103, 0.0206]))  # a torus with radii 0.2 and 0.04


def ring_chain(rings: int = 4) -> rm.Scene:
    """Links of a chain on a ball joint of two angles, the last one drawn aside (Si & Guenter Fig. 1)."""
    torus = S.Torus(0.2, 0.04)
    scene = rm.Scene()
    last = scene.add_body(RING, joint=rm.Universal(), q=(np.pi / 2, 0.3), name="ring0")
    for i in range(1, rings):
        joint = rm.SurfaceContact(torus, torus, angle=np.pi / 2)
        last = scene.add_body(RING, parent=last, joint=joint, q=(0.2, np.pi + 0.1, np.pi - 0.2, np.pi), name=f"ring{i}")
    return scene


def windmill() -> rm.Scene:
    """The pairs of Si & Guenter Fig. 2 in a tree, driven by a hinge."""
    ball, egg, torus = S.Sphere(0.15), S.Ellipsoid((0.1, 0.2, 0.15)), S.Torus(0.2, 0.05)
    scene = rm.Scene()
    hub = scene.add_body(BRICK, joint=rm.Revolute("y"), qdot=1.0)
    for i, (one, two) in enumerate([(ball, ball), (ball, egg), (ball, torus), (torus, torus), (torus, egg)]):
        joint = rm.SurfaceContact(one, two, angle=0.3 * i)
        # Far from here some pairs are singular, where both surfaces are curved alike; the check would warn of it.
        arm = scene.add_body(BRICK, parent=hub, joint=joint, q=(0.5 * i, 0.4, 1.0, -0.5), com=(0.1, 0, 0), check_joint=False)
        back = rm.SurfaceContact(two, one, angle=-0.2)
        scene.add_body(BRICK, parent=arm, joint=back, q=(0.3, 0.5, 2.0, 0.4), at=(0.1, 0.2, 0), check_joint=False)
    return scene


def rail() -> rm.Scene:
    """A carriage on a Bezier rail (Si & Guenter Fig. 3), a board on a patch (Fig. 4) and others, each with something that hangs."""
    scene = rm.Scene()
    joints = [
        (rm.CurveJoint(C.Bezier(POINTS), spin=True), (0.4, 0.1)),
        (rm.CurveJoint(C.Polyline(POINTS, degree=5), "fixed"), (2.3,)),
        (rm.CurveOnCurve(C.Helix(0.5, 0.1), C.Circle(0.2), spin=True), (0.3, 0.2, 0.1)),
        (rm.PointOnSurface(S.BezierPatch(GRID)), (0.4, 0.6)),
        (rm.PointOnSurface(S.Surface(hills, k=0.3), spin=True), (0.2, 0.1, 0.4)),
        (rm.PointOnSurface(S.Ellipsoid((0.5, 0.8, 0.3)), inside=True), (0.2, 0.1)),
        (rm.Elliptic(0.8, 0.3, base=UPRIGHT), (0.5,)),
        (rm.SurfaceContact(S.Cylinder(0.3), S.Cylinder(0.1), angle=0.8), (0.1, 0.2, 0.3, 0.4)),
    ]
    for joint, q in joints:
        carriage = scene.add_body(BRICK, joint=joint, q=q, com=(0.05, 0.02, 0.1))
        scene.add_body(BRICK, parent=carriage, joint=rm.Universal(), at=(0.1, 0, -0.1), com=(0, 0, -0.3), q=(0.3, 0.2))
    return scene


SCENES = {"rings": ring_chain, "windmill": windmill, "rail": rail}


@pytest.mark.parametrize(
    ("name", "backend"),
    [
        ("rings", "llvm"),
        ("windmill", "interpret"),
        ("rail", "interpret"),
        *[pytest.param(name, "llvm", marks=pytest.mark.long) for name in ("windmill", "rail")],
    ],
)
def test_recursive_redmax_and_maximal_agree(name, backend):
    model = SCENES[name]().model()
    rng = np.random.default_rng(3)
    q = model.q0 + 0.05 * rng.normal(size=model.nv)
    qdot, tau = rng.normal(size=(2, model.nv))
    check(model, q, qdot, tau, 0.0, backend, 1e-9)


def test_charts_in_use_are_part_of_the_state():
    """Accelerations in any of the charts move the bodies alike, and redmax finds those of recursive."""
    scene = rm.Scene()
    joint = rm.SurfaceContact(S.Sphere(0.5), S.Ellipsoid((0.1, 0.2, 0.15)), spin=True)
    scene.add_body(BRICK, joint=joint, com=(0.05, 0.02, 0.1), name="brick")
    model, d = scene.model(), rm.Dynamics(scene.model())
    q, qdot = np.array([0.3, 1.2, 2.0, -1.3, 0.4, 0.0, 0.0]), np.array([0.3, -0.5, 0.7, 0.2, 1.0])
    ((p, pdot),) = joint.rechart([(q, qdot)])
    assert_allclose(p[5:], [1.0, 1.0])
    rates = []
    for x, v in ((q, qdot), (p, pdot)):
        a = d.forward(x, v, np.zeros(5))
        assert agree(accelerate("redmax", model, x, v, np.zeros(5), 0.0, "llvm")[0], a, 1e-10)
        J, Jdot = d.jacobian(x, v)
        rates.append(J @ a + Jdot @ v)
    assert_allclose(rates[1], rates[0], rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize("name", ["rings", "rail", pytest.param("windmill", marks=pytest.mark.long)])
def test_energy_is_kept(name):
    run = rm.simulate(SCENES[name](), 0.25, 0.01, rtol=1e-9)
    assert run.energy.drift.max() < 1e-7
    assert np.abs(run.energy.kinetic).max() > 0.1


def same_motion(one: rm.Scene, two: rm.Scene, name: str = "body", duration: float = 2.0) -> tuple[rm.Trajectory, rm.Trajectory]:
    a, b = (rm.simulate(scene, duration, 0.01, rtol=1e-11) for scene in (one, two))
    assert_allclose(a.pose(name), b.pose(name), atol=1e-8)
    assert_allclose(a.energy.total - a.energy.total[0], b.energy.total - b.energy.total[0], atol=1e-9)
    assert_allclose(a.energy.kinetic, b.energy.kinetic, atol=1e-7)
    return a, b


def test_a_bead_on_a_circle_is_a_pendulum():
    r, half = 0.4, np.pi / 2
    bead, pendulum = rm.Scene(), rm.Scene()
    bead.add_body(BRICK, joint=rm.CurveJoint(C.Circle(r)), at=UPRIGHT, q=0.3, qdot=0.5, name="body")
    frame = np.asarray(rm.pose(rm.rotation_about("z", half), (r, 0, 0)), float)  # x along the tangent at s = 0
    pendulum.add_body(BRICK, joint=rm.Revolute("z"), at=UPRIGHT, body=frame, q=0.3, qdot=0.5, name="body")
    a, b = same_motion(bead, pendulum)
    assert_allclose(a.q, b.q, atol=1e-8)


@pytest.mark.parametrize("kind", ["elliptic", "curve"])
def test_ellipses_by_three_names_move_alike(kind):
    joints = {
        "ellipse": (rm.CurveJoint(C.Ellipse(0.6, 0.3)), 0.3),
        "elliptic": (rm.Elliptic(0.6, 0.3), 0.3 + np.pi / 2),
        "curve": (rm.CurveJoint(C.Curve(lambda s: rm.math.array([0.6 * np.cos(s), 0.3 * np.sin(s), 0.0]))), 0.3),
    }

    def scene(kind: str) -> rm.Scene:
        made, (joint, q) = rm.Scene(), joints[kind]
        made.add_body(BRICK, joint=joint, at=UPRIGHT, q=q, com=(0.1, 0, 0.05), name="body")
        return made

    same_motion(scene(kind), scene("ellipse"), duration=1.0)


def test_a_spline_through_a_circle_is_nearly_a_circle():
    a = np.linspace(0, 2 * np.pi, 65)[:-1]
    spline = C.Polyline(0.4 * np.stack([np.cos(a), np.sin(a), 0 * a], axis=1), closed=True, degree=5)
    bead, circle = rm.Scene(), rm.Scene()
    bead.add_body(BRICK, joint=rm.CurveJoint(spline), at=UPRIGHT, q=0.3 * 64 / (2 * np.pi), name="body")
    circle.add_body(BRICK, joint=rm.CurveJoint(C.Circle(0.4)), at=UPRIGHT, q=0.3, name="body")
    runs = [rm.simulate(s, 2.0, 0.01, rtol=1e-9) for s in (bead, circle)]
    assert_allclose(runs[0].pose("body"), runs[1].pose("body"), atol=1e-5)
    assert runs[0].energy.drift.max() < 1e-7


def test_on_a_cylinder_is_a_hinge_and_a_slider():
    on, chain = rm.Scene(gravity=(3, 0, -9.81)), rm.Scene(gravity=(3, 0, -9.81))
    on.add_body(BRICK, joint=rm.PointOnSurface(S.Cylinder(0.4)), q=(0.3, 0.1), qdot=(2, 1), name="body")
    hinge = chain.add_body(rm.MassProperties(0.0, np.zeros((3, 3))), joint=rm.Revolute("z"), q=0.3, qdot=2)
    R = np.array([[0.0, 0, 1], [1, 0, 0], [0, 1, 0]])
    chain.add_body(BRICK, parent=hinge, joint=rm.Prismatic("z"), q=0.1, qdot=1, body=rm.pose(R, (0.4, 0, 0)), name="body")
    same_motion(on, chain)


def spherical_pendulum(R: np.ndarray, omega: np.ndarray, length: float) -> rm.Scene:
    """A body on a ball joint, its z axis away from it."""
    scene = rm.Scene(gravity=(2, 1, -9.81))
    q = np.asarray(so3.log(R), float)
    rates = np.linalg.solve(np.asarray(so3.dexp_right(q), float), omega)
    scene.add_body(BRICK, joint=rm.Spherical(), q=q, qdot=rates, com=(0, 0, length), name="body")
    return scene


def test_spinning_on_a_sphere_is_a_spherical_pendulum():
    """Through the regions of both poles, in both charts."""
    joint = rm.PointOnSurface(S.Sphere(0.5), spin=True)
    q, qdot = np.array([0.3, -0.2, 0.4]), np.array([4.0, 5.0, -3.0])
    scene = rm.Scene(gravity=(2, 1, -9.81))
    scene.add_body(BRICK, joint=joint, q=q, qdot=qdot, name="body")
    config = np.array([*q, 0.0])
    omega = np.asarray(joint.jacobian(config), float)[:3] @ qdot
    R = np.asarray(joint.transform(config), float)[:3, :3]
    a, _ = same_motion(scene, spherical_pendulum(R, omega, 0.5), duration=4.0)
    names = a.chart("body")
    assert (names[1:] != names[:-1]).sum() >= 4
    assert np.abs(np.cos(a.q[:, 1])).min() > 0.4


@pytest.mark.parametrize("integrator", ["rk4", "bdf2"])
def test_fixed_steps_keep_their_order_through_charts(integrator):
    """Multistep methods too: what they remember is converted."""

    def scene() -> rm.Scene:
        made = rm.Scene(gravity=(2, 1, -9.81))
        joint = rm.PointOnSurface(S.Ellipsoid((0.5, 0.6, 0.4)), spin=True)
        made.add_body(BRICK, joint=joint, q=(0.3, -0.2, 0.4), qdot=(3.0, 4.0, -2.0), name="body")
        return made

    exact = rm.simulate(scene(), 1.0, 0.5, rtol=1e-12).pose("body")[-1]
    errors = []
    for dt in (0.005, 0.0025) if integrator == "rk4" else (0.004, 0.002):
        run = rm.simulate(scene(), 1.0, dt, integrator=integrator)
        assert len(np.unique(run.chart("body"))) == 2
        errors.append(np.abs(run.pose("body")[-1] - exact).max())
    assert np.log2(errors[0] / errors[1]) > {"rk4": 4, "bdf2": 2}[integrator] - 0.3


def test_a_frictionless_ball_in_a_bowl():
    """Its centre moves as a point on a smaller sphere, and it keeps its rotation: the contact force goes through its centre."""
    bowl, ball = S.Sphere(1.0), S.Sphere(0.2)
    joint = rm.SurfaceContact(bowl, ball, spin=True, inside=True)
    q, qdot = np.array([0.3, -0.9, 1.0, 0.4, 0.5]), np.array([2.0, 1.0, 1.5, -2.0, 0.7])
    scene, point = rm.Scene(gravity=(1, 2, -9.81)), rm.Scene(gravity=(1, 2, -9.81))
    scene.add_body(rm.Sphere(0.2, mass=2.0), joint=joint, q=q, qdot=qdot, name="body")
    start = np.asarray(bowl.frame(q[0], q[1]), float)
    velocity = start[:3, :3] @ np.asarray(bowl.twists(q[0], q[1]), float)[3:] @ qdot[:2] * 0.8
    point.add_body(rm.Sphere(0.2, mass=2.0), joint=rm.PointOnSurface(S.Sphere(0.8), "fixed"), q=q[:2], qdot=qdot[:2], name="body")
    a, b = (rm.simulate(s, 3.0, 0.01, rtol=1e-11) for s in (scene, point))
    assert_allclose(b.twist("body")[0, 3:], velocity, atol=1e-14)
    assert_allclose(a.pose("body")[:, :3, 3], b.pose("body")[:, :3, 3], atol=1e-8)
    spatial = np.einsum("tij,tj->ti", a.pose("body")[:, :3, :3], a.twist("body")[:, :3])
    assert_allclose(spatial, np.broadcast_to(spatial[0], spatial.shape), atol=1e-7)
    assert a.energy.drift.max() < 1e-9
    assert len(np.unique(a.charts, axis=0)) >= 3


def test_numbers_of_curves_and_surfaces_are_data():
    """Joints that differ in radii or control points share kernels, and still move differently."""
    scene = rm.Scene()
    for r in (0.1, 0.2, 0.3):
        scene.add_body(BRICK, joint=rm.SurfaceContact(S.Torus(0.5, r), S.Sphere(r), angle=0.4), com=(0.1, 0, 0.05), q=(0.1, 0.2, 0.3, 0.4))
    for k in (1.1, 1.2):
        scene.add_body(BRICK, joint=rm.CurveJoint(C.Bezier(k * (POINTS + [0.1, 0.2, 0.3]))), com=(0.1, 0, 0.05), q=0.4)
        scene.add_body(BRICK, joint=rm.CurveJoint(C.Polyline(k * POINTS)), com=(0.1, 0, 0.05), q=1.4)
    model = scene.model()
    texts = {s.text for s in model.kernels_of[0]}
    assert len(texts) == 3
    a = rm.Dynamics(model).forward(model.q0, np.ones(model.nv), np.zeros(model.nv))
    assert len(np.unique(np.round(a, 6))) == len(a)
    for i, link in enumerate(model.links):
        alone = rm.Scene()
        alone.add_body(BRICK, joint=link.joint, com=(0.1, 0, 0.05), q=link.q)
        part, n = model.v_slice(link.name), link.joint.dof
        assert_allclose(rm.Dynamics(alone.model()).forward(link.q, np.ones(n), np.zeros(n)), a[part], rtol=1e-9, err_msg=str(i))


def test_functions_of_users_are_told_apart():
    def acceleration(curve: C.Curve) -> float:
        scene = rm.Scene()
        scene.add_body(BRICK, joint=rm.CurveJoint(curve, "fixed"))
        return float(rm.Dynamics(scene.model()).forward(np.array([0.5]), np.array([1.0]), np.zeros(1))[0])

    flat, falling, bent = (C.Curve(lambda s, k=k: rm.math.array([s, k * s, -k * s])) for k in (0.0, 1.0, 2.0))
    assert acceleration(flat) == pytest.approx(0.0, abs=1e-12)
    assert acceleration(falling) == pytest.approx(9.81 / 3)
    assert acceleration(bent) == pytest.approx(2 * 9.81 / 9)
    assert acceleration(C.Curve(lambda s, k: rm.math.array([s, k * s, -k * s]), k=2.0)) == pytest.approx(2 * 9.81 / 9)


class Slope(S.ParametricSurface):
    """A plane that falls by k along u."""

    def __init__(self, k: float) -> None:
        self.k = float(k)

    def point(self, u, v, chart=None):
        return rm.math.array([u, v, -self.k * u])


def test_a_surface_of_ones_own():
    for k in (0.5, 2.0):
        scene = rm.Scene()
        scene.add_body(BRICK, joint=rm.PointOnSurface(Slope(k), spin=True))
        a = rm.Dynamics(scene.model()).forward(np.zeros(3), np.zeros(3), np.zeros(3))
        assert_allclose(a, [9.81 * k / (1 + k * k), 0.0, 0.0], atol=1e-12)
