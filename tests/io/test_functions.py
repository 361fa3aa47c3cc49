"""Functions and classes that a user writes in Python are saved as what they are traced to, and do the same when loaded."""

from __future__ import annotations

import numpy as np
import pytest

import redmax as rm
from redmax.deformables import Elements, Law, Material, StableNeoHookean
from redmax.math import array, cos, sin, where


def chain(joint=None) -> tuple[rm.Scene, rm.BodyHandle, rm.BodyHandle]:
    scene = rm.Scene()
    a = scene.add_body(rm.Cuboid((1, 0.1, 0.1)), joint=rm.Revolute("y"), com=(0.5, 0, 0), name="a", q=0.3, qdot=0.2)
    b = scene.add_body(rm.Cuboid((1, 0.1, 0.2)), joint=joint or rm.Spherical(), parent=a, at=(1, 0, 0), com=(0.5, 0, 0), name="b")
    return scene, a, b


def moves_the_same(scene, tmp_path, exact=True, **options):
    scene.save(tmp_path / "scene.yaml")
    again = rm.Scene.load(tmp_path / "scene.yaml")
    options = {"duration": 0.05, "dt": 0.01, "integrator": "rk4"} | options
    runs = [rm.simulate(s, **options) for s in (scene, again)]
    assert np.isfinite(runs[0].q).all()
    assert np.abs(runs[0].q - runs[0].q[0]).max() > 0
    if exact:
        assert runs[0].q.tobytes() == runs[1].q.tobytes()
        assert runs[0].energy.total.tobytes() == runs[1].energy.total.tobytes()
    else:
        assert np.allclose(runs[0].q, runs[1].q, rtol=1e-10, atol=1e-12)
    return again


def slide(q, t, *, r, centre):
    return rm.pose(rm.rotation_about("z", q[0]), array([centre[0] + r * cos(q[0]), centre[1] + r * sin(q[0]) + 0.1 * t, centre[2]]))


def test_a_joint_from_a_function_with_parameters(tmp_path):
    scene, _, _ = chain(rm.joint(slide, 1, r=0.3, centre=np.array([0.1, 0.2, 0.3])))
    again = moves_the_same(scene, tmp_path)
    assert again.links[1].joint.parameters["r"] == 0.3


def test_joints_of_one_function_stay_of_one_kind(tmp_path):
    scene = rm.Scene()
    for r in (0.1, 0.2):
        scene.add_body(rm.Sphere(0.1), joint=rm.joint(slide, 1, r=r, centre=np.zeros(3)), qdot=0.5)
    again = moves_the_same(scene, tmp_path)
    assert again.links[0].joint.structure() == again.links[1].joint.structure()


def test_a_joint_that_reads_a_table(tmp_path):
    heights = rm.math.Table([[0.0, 0.1], [0.2, 0.15], [0.1, 0.3]])

    def steps(q, *, table):
        i = rm.math.floor(q[0])
        low = table[i]
        return rm.pose(np.eye(3), array([q[0], low[1] * 0.0, 0.1 * low[0] * 0.0]))

    scene, _, _ = chain(rm.joint(steps, 1, table=heights))
    moves_the_same(scene, tmp_path)


class Track(rm.Joint):
    """A joint of a user's own class, without a closed form of its Jacobian."""

    dof = 2

    def __init__(self, height):
        self.height = float(height)

    def transform(self, q):
        return rm.pose(rm.rotation_about("x", q[1]), array([q[0], self.height * sin(q[0]), 0.0]))


class Coast(rm.JointForce):
    spread = ("k",)

    def __init__(self, joint, k):
        self.hold(joint, None)
        self.k = np.asarray(k, float)

    def torque(self, q, qdot, t):
        return -(self.k * q) - 0.1 * qdot

    def potential(self, q):
        return 0.5 * (q @ (self.k * q))


class Pull(rm.Force):
    def __init__(self, a, b, k):
        self.hold([a, b], None)
        self.k = float(k)

    def potential(self, sites, t):
        d = sites[1].x - sites[0].x
        return 0.5 * self.k * (d @ d)


class Band(rm.PathForce):
    def __init__(self, points, k):
        self.hold(points, None)
        self.k = float(k)

    def tension(self, length, rate, t):
        return self.k * length + 0.1 * rate

    def stored(self, length, t):
        return 0.5 * self.k * length * length


class Wave(rm.curves.ParametricCurve):
    def point(self, s):
        return array([s, 0.2 * sin(3.0 * s), 0.0])


class Saddle(rm.surfaces.ParametricSurface):
    def point(self, u, v, chart=None):
        return array([u, v, 0.3 * u * v])


def test_classes_of_a_user(tmp_path):
    scene, a, b = chain(Track(0.4))
    scene.add_force(Coast(a, 3.0))
    scene.add_force(Pull(a.point(0, 0, 0.1), (0.0, 0.0, 1.0), 2.0))
    scene.add_force(Band([a.point(0, 0, 0.1), b.point(0, 0.1, 0.1), (0.0, 0.0, 1.0)], 2.0))
    scene.add_body(rm.Sphere(0.1), joint=rm.CurveJoint(Wave()), name="c")
    scene.add_body(rm.Sphere(0.1), joint=rm.PointOnSurface(Saddle()), name="d", qdot=(0.1, 0.2))
    moves_the_same(scene, tmp_path, exact=False)


def test_forces_from_functions(tmp_path):
    def law(s1, s2, t, *, k):
        pull = k * (s2.x - s1.x) + t * 0.1
        return [pull, (0.1 * (s1.R @ array([1.0, 0.0, 0.0])), -pull)]

    scene, a, b = chain()
    scene.add_force(rm.force(law, bodies=[a, b.point(0.1, 0, 0)], k=2.0))
    scene.add_force(rm.force(bodies=[a], potential=lambda s, k: k * s.x[2] ** 2, k=3.0))
    scene.add_force(rm.force(tension=lambda length, rate, t: 2.0 * length * cos(t) + rate, path=[a, (0.0, 0.0, 1.0)]))
    scene.add_force(rm.force(torque=lambda t, q, qdot, k: [-k * q[0]], joint=a, potential=lambda q, k: 0.5 * k * q[0] ** 2, k=1.5))
    scene.add_force(rm.Actuator("b", lambda t, q, qdot: -0.1 * qdot * (1 + t)))
    scene.add_force(rm.AppliedWrench(b, force=lambda t: [sin(t), 0.0, 1.0], frame="world"))
    scene.add_force(rm.PointForce(a.point(0, 0, 0.1), lambda t: [cos(t), 0.0, 0.0], strength=lambda t: 2.0 + t))
    scene.add_force(rm.Servo(a, lambda t: 0.2 * sin(t), kp=2.0, kd=0.1))
    scene.add_wrench(a.point(0.1, 0, 0), torque=lambda t: [0.0, t, 0.0], force=(1, 2, 3))
    moves_the_same(scene, tmp_path)


def test_muscles_with_curves_and_points_of_their_own(tmp_path):
    scene, a, b = chain(rm.Revolute("y"))
    curves = rm.muscles.Curves(
        lambda x: rm.math.exp(-((x - 1.0) ** 2)), lambda v: 1.0 + 0.5 * v, lambda x: where(x > 1.0, (x - 1.0) ** 2, 0.0)
    )
    moving = rm.MovingPoint(a, lambda q: [0.2 + 0.1 * q, 0.0, 0.1 * cos(q)], joint=b)
    touching = rm.ConditionalPoint(a.point(0.4, 0, 0.1), joint=b, between=(-1.0, 1.0))
    options = {"force": 10.0, "optimal_length": 0.8, "curves": curves}
    scene.add_force(rm.Muscle([(0.0, 0.0, 1.0), moving, touching, b.point(0, 0, 0.1)], activation=lambda t: 0.5 + 0.4 * sin(t), **options))
    dynamics = rm.ActivationDynamics(rise=0.02, form="thelen")
    scene.add_force(
        rm.Muscle([(0.0, 0.0, 1.0), a], excitation=lambda t: where(t < 0.02, 0.1, 0.9), dynamics=dynamics, initial=0.2, **options)
    )
    moves_the_same(scene, tmp_path)


class Softening(Material):
    """As the library's, but softer, in the words of a user."""

    own = staticmethod(StableNeoHookean.own)
    nominal = staticmethod(StableNeoHookean.nominal)

    def density(self, F, mu, lam):
        return 0.5 * StableNeoHookean().density(F, mu, lam)

    def stress(self, F, mu, lam):
        return [[0.5 * p for p in row] for row in StableNeoHookean().stress(F, mu, lam)]


class Hook(Law):
    nodes, numbers, damped = 2, 1, True

    def energy(self, x, data):
        d = x[..., 1, :] - x[..., 0, :]
        return 0.5 * data[..., 0] * (d[..., 0] * d[..., 0] + d[..., 1] * d[..., 1] + d[..., 2] * d[..., 2])

    def forces(self, x, data):
        pull = [data[..., 0] * (x[..., 1, i] - x[..., 0, i]) for i in range(3)]
        return array([pull, [-p for p in pull]])

    def damping(self, x, v, data):
        drag = [0.1 * (v[..., 1, i] - v[..., 0, i]) for i in range(3)]
        return array([drag, [-p for p in drag]])


@pytest.mark.parametrize("kind", ["material", "law"])
def test_materials_and_laws_of_a_user(kind, tmp_path):
    scene, a, _ = chain()
    if kind == "material":
        options = {"density": 100.0, "youngs": 1e4, "poisson": 0.3, "material": Softening()}
        scene.add_deformable(rm.Tetrahedra.box((0.2, 0.2, 0.2), (1, 1, 1), **options).attach(a, [0, 1]))
    else:
        nodes = np.array([[0.0, 0, 0], [0, 0, -0.3], [0, 0, -0.5]])
        elements = (Elements(Hook(), [[0, 1], [1, 2]], [[10.0], [20.0]]),)
        scene.add_deformable(rm.Deformable(nodes, np.ones(3), elements, name="rope").hold(0))
    moves_the_same(scene, tmp_path, integrator="implicit", dynamics="redmax")


def test_prescribed_motions_twists_and_maps(tmp_path):
    scene, _, _ = chain()
    scene.add_body(rm.Sphere(0.1), joint=rm.Universal(), motion=lambda t: [sin(t), 0.1 * t], gain=2.0, name="driven")
    moves_the_same(scene, tmp_path, dynamics="redmax", integrator="implicit")
    twisted, _, b = chain(rm.Revolute("y"))
    twisted.prescribe_twist(b, [1], lambda t, R: [0.1 * t + 0.0 * R[0, 0]])
    moves_the_same(twisted, tmp_path, dynamics="redmax", integrator="implicit")
    mapped = rm.Scene()
    a = mapped.add_body(rm.Cuboid((1, 0.1, 0.1)), joint=rm.Revolute("y"), com=(0.5, 0, 0))
    mapped.add_body(rm.Cuboid((1, 0.1, 0.1)), parent=a, at=(1, 0, 0), joint=rm.Revolute("y"), com=(0.5, 0, 0))
    mapped.set_map(lambda q: [q[0], sin(q[0])], coordinates=1, q=[0.1])
    moves_the_same(mapped, tmp_path, dynamics="redmax")


def test_what_cannot_be_saved_says_why(tmp_path):
    scene, _, _ = chain()
    scene.add_body(rm.Sphere(0.1), joint=rm.Prismatic(), torque=lambda t, q, qdot: [1.0 if t > 0 else 0.0], name="c")
    with pytest.raises(rm.SceneError, match="cannot be saved, because it cannot be traced"):
        scene.save(tmp_path / "a.yaml")

    class Charted(Track):
        def rechart(self, states):
            return list(states)

    changed, a, _ = chain()
    changed.add_force(rm.SpringDamper(a, (0.0, 0.0, 1.0), stiffness=1.0).replaced(stiffness=2.0))
    with pytest.raises(rm.SceneError, match="its stiffness was replaced"):
        changed.save(tmp_path / "c.yaml")
    other, _, _ = chain(Charted(0.1))
    with pytest.raises(rm.SceneError, match="its own rechart"):
        other.save(tmp_path / "b.yaml")
    assert not list(tmp_path.iterdir())


def test_what_could_not_be_read_again_is_not_written(tmp_path):
    """A constant table that is too long for a file; as a parameter it is not."""
    long = rm.math.Table(np.zeros(150_000))

    def moved(q, *, table=long):
        return rm.pose(np.eye(3), array([q[0], 0.0, table[q[0]]]))

    scene, _, _ = chain(rm.joint(moved, 1, check=False))
    with pytest.raises(rm.SceneError, match=r"let a long one be a parameter, \{Table"):
        scene.save(tmp_path / "scene.yaml")
    scene, _, _ = chain(rm.joint(moved, 1, check=False, table=long))
    scene.save(tmp_path / "scene.yaml")
    assert rm.Scene.load(tmp_path / "scene.yaml").links[1].joint.parameters["table"] == long
