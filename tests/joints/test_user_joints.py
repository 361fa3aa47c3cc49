"""A joint is one function: what users may write, what they share, and that the newest definition counts."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

import redmax as rm
from dynamics.hyperdual import motion_of
from joints.user_joints import Elliptic, Screw, paraboloid, torus

BOX = rm.Cuboid((0.3, 0.2, 0.1))


def accelerations(*joints: rm.Joint, backend: str = "llvm") -> np.ndarray:
    """Of a chain of these joints in a fixed state."""
    scene = rm.Scene()
    last = None
    for joint in joints:
        last = scene.add_body(BOX, joint=joint, parent=last, at=(0.1, 0.2, 0.3), com=(0.1, 0, 0.05))
    n = sum(j.dof for j in joints)
    q, qdot, tau = np.random.default_rng(n).uniform(-0.5, 0.5, (3, n))
    return rm.Dynamics(scene.model(), backend=backend).forward(q, qdot, tau)


def test_a_function_is_as_good_as_a_class():
    def helix(q, pitch):
        return rm.pose(rm.rotation_about("z", q[0]), rm.math.array([0.0, 0.0, pitch * q[0]]))

    assert_allclose(accelerations(rm.joint(helix, 1, pitch=0.2)), accelerations(Screw(0.2)), rtol=1e-13)


def test_redmax_math_and_numpy_mean_the_same():
    class ByNumpy(rm.Joint):
        dof = 1

        def transform(self, q):
            return rm.pose(rm.rotation_about("y", np.sin(q[0])), np.array([np.exp(q[0]), np.sqrt(1 + q[0] ** 2), np.tanh(q[0])]))

    class ByMath(rm.Joint):
        dof = 1

        def transform(self, q):
            x = q[0]
            p = rm.math.array([rm.math.exp(x), rm.math.sqrt(1 + x * x), rm.math.tanh(x)])
            return rm.pose(rm.rotation_about("y", rm.math.sin(x)), p)

    assert_allclose(accelerations(ByNumpy()), accelerations(ByMath()), rtol=1e-13)


def test_parameters_are_data():
    """Joints that differ only in parameters share their kernels, and still move differently."""
    scene = rm.Scene()
    for pitch in (0.1, 0.2, 0.3):
        scene.add_body(BOX, joint=Screw(pitch), com=(0.1, 0, 0.05))
    for radii in ([0.3, 0.1], [0.4, 0.2]):
        scene.add_body(BOX, joint=rm.joint(torus, 2, radii=np.array(radii)), com=(0.1, 0, 0.05))
    model = scene.model()
    assert len({s.key for s in model.kernels_of[0]}) <= 3  # helical and torus; one of the roots is the first that a backward sweep meets
    q = np.full(model.nq, 0.3)
    x = rm.Dynamics(model).forward(q, q, q)
    for i, pitch in enumerate((0.1, 0.2, 0.3)):
        alone = rm.Scene()
        alone.add_body(BOX, joint=Screw(pitch), com=(0.1, 0, 0.05))
        assert_allclose(x[i], rm.Dynamics(alone.model()).forward(q[:1], q[:1], q[:1])[0], rtol=1e-13)
    assert not np.isclose(x[3], x[5])


def test_the_shape_of_a_parameter_is_structure():
    """As many numbers in another arrangement are another motion."""

    def summed(q, table):
        return rm.pose(np.eye(3), rm.math.array([0.0, 0.0, table.sum(axis=0)[-1] * q[0]]))

    numbers = np.array([0.2, 0.3, 0.4, 0.5, 0.6, 0.7])
    wide, tall = (rm.joint(summed, 1, table=numbers.reshape(shape)) for shape in ((2, 3), (3, 2)))
    scene = rm.Scene()
    for joint in (wide, tall, wide, tall):
        scene.add_body(BOX, joint=joint, com=(0.1, 0, 0.05))
    x = rm.Dynamics(scene.model()).forward(np.zeros(4), np.zeros(4), np.zeros(4))
    assert_allclose(x, [-9.81 / 1.1, -9.81 / 1.5] * 2, rtol=1e-13)


def test_special_parameters_are_structure_and_change_nothing():
    """0, 1 and -1 are built into the kernels: the motion must be that of nearby parameters."""
    for value in (0.0, 1.0, -1.0):
        assert_allclose(accelerations(Screw(value)), accelerations(Screw(value + 1e-9)), rtol=1e-6)
        k = abs(value) + 1.0
        assert_allclose(accelerations(Elliptic(1.0, k)), accelerations(Elliptic(1.0 + 1e-9, k)), rtol=1e-6)
    assert_allclose(
        accelerations(rm.joint(paraboloid, 3, curvature=1.0)), accelerations(rm.joint(paraboloid, 3, curvature=1.0 + 1e-9)), rtol=1e-6
    )


def redefined(axis: str) -> rm.Joint:
    class Mine(rm.Joint):
        dof = 1

        def transform(self, q):
            return rm.pose(rm.rotation_about(axis, q[0]), np.zeros(3))

    return Mine()


def test_a_class_defined_again_is_another_joint():
    """As when a cell of a notebook is edited and run again: same module, same name, another motion."""
    first, second = redefined("x"), redefined("y")
    assert_allclose(accelerations(first), accelerations(rm.Revolute("x")), rtol=1e-12)
    assert_allclose(accelerations(second), accelerations(rm.Revolute("y")), rtol=1e-12)
    assert_allclose(accelerations(first, second), accelerations(rm.Revolute("x"), rm.Revolute("y")), rtol=1e-12)


def test_functions_of_one_name_are_different_joints():
    joints = [rm.joint(lambda q, n=name: rm.pose(rm.rotation_about(n, q[0]), np.zeros(3)), 1) for name in "xyz"]
    assert_allclose(accelerations(*joints), accelerations(*[rm.Revolute(a) for a in "xyz"]), rtol=1e-12)


def test_options_that_are_not_numbers_are_structure():
    class Slider(rm.Joint):
        dof = 1

        def __init__(self, along: str, steps: list[int]) -> None:
            self.along, self.steps = along, steps

        def transform(self, q):
            p = [0.0, 0.0, 0.0]
            p["xyz".index(self.along)] = q[0] * sum(self.steps)
            return rm.pose(np.eye(3), np.array(p, object))

    joints = Slider("x", [1]), Slider("z", [1]), Slider("z", [1, 2])
    twin = rm.joint(lambda q: rm.pose(np.eye(3), np.array([0.0, 0.0, 3.0 * q[0]], object)), 1)
    assert_allclose(accelerations(*joints), accelerations(rm.Prismatic("x"), rm.Prismatic("z"), twin), rtol=1e-12)


@pytest.mark.parametrize("base", [rm.Spherical, rm.Free, rm.Free3D])
def test_a_subclass_with_its_own_motion_has_its_own_jacobian(base):
    """The inherited closed form belongs to the inherited motion."""

    class Halved(base):
        def transform(self, q):
            return super().transform(0.5 * q)

    plain = rm.joint(lambda q: base().transform(0.5 * q), base.dof)
    assert_allclose(accelerations(Halved()), accelerations(plain), rtol=1e-12)


def test_a_subclass_of_a_hinge_is_not_that_hinge():
    class Geared(rm.Revolute):
        def transform(self, q):
            return super().transform(2.0 * q)

    plain = rm.joint(lambda q: rm.Revolute("y").transform(2.0 * q), 1)
    assert_allclose(accelerations(Geared("y")), accelerations(plain), rtol=1e-12)


def test_a_subclass_may_give_its_own_jacobian():
    class Closed(Screw):
        def jacobian(self, q):
            return np.array([[0.0], [0.0], [1.0], [0.0], [0.0], [self.pitch]], object)

    assert_allclose(accelerations(Closed(0.2)), accelerations(Screw(0.2)), rtol=1e-12)
    _, S, _ = motion_of(Screw(0.2).transform, np.array([0.4]), np.array([1.0]))
    assert_allclose(S[:, 0], [0, 0, 1, 0, 0, 0.2], atol=1e-15)


def test_choices_and_tables_in_a_motion():
    """A cam from a table with linear interpolation, against the same cam from selects."""
    heights = (0.0, 0.1, 0.15, 0.1)

    def by_table(q):
        table, x = rm.math.Table(heights), q[0] + 1.0
        i = rm.math.minimum(rm.math.maximum(rm.math.floor(x), 0.0), 2.0)
        return rm.pose(np.eye(3), rm.math.array([x, 0.0, table[i] + (x - i) * (table[i + 1.0] - table[i])]))

    def by_choice(q):
        x = q[0] + 1.0
        slope = rm.math.where(x < 1.0, 0.1, rm.math.where(x < 2.0, 0.05, -0.05))
        start = rm.math.where(x < 1.0, 0.0, rm.math.where(x < 2.0, 0.05, 0.25))
        return rm.pose(np.eye(3), rm.math.array([x, 0.0, start + slope * x]))

    table, choice = (rm.joint(function, 1, check=False) for function in (by_table, by_choice))  # it has corners
    for backend in ("llvm", "interpret"):
        assert_allclose(accelerations(table, backend=backend), accelerations(choice), rtol=1e-12)


class Polar(rm.Joint):
    """A place in the plane by distance and angle from one of two centres, (-a, 0) and (a, 0): each is singular at its own."""

    dof = 2
    discrete = (("left", "right"),)

    def __init__(self, a):
        self.a = float(a)

    def place(self, q):
        centre = rm.math.where(q[2] > 0.5, self.a, -self.a)
        return centre, rm.math.array([centre + q[0] * rm.math.cos(q[1]), q[0] * rm.math.sin(q[1]), 0.0])

    def transform(self, q):
        return rm.pose(np.eye(3), self.place(q)[1])

    def rechart(self, states):
        near = states[0][0][0] < 0.5 * self.a
        return [self.seen_from_the_other(q, qdot, near) for q, qdot in states]

    def seen_from_the_other(self, q, qdot, near):
        centre, (x, y, _) = self.place(q)
        x, c, s = x + centre, rm.math.cos(q[1]), rm.math.sin(q[1])
        vx, vy = qdot[0] * c - q[0] * s * qdot[1], qdot[0] * s + q[0] * c * qdot[1]
        r2 = x * x + y * y
        new = [rm.math.sqrt(r2), rm.math.atan2(y, x), 1.0 - q[2]], [(x * vx + y * vy) / rm.math.sqrt(r2), (x * vy - y * vx) / r2]
        pairs = (new[0], q), (new[1], qdot)
        return tuple(rm.math.array([rm.math.where(near, a, b) for a, b in zip(*pair, strict=True)]) for pair in pairs)


@pytest.mark.parametrize("options", [{}, {"dynamics": "redmax"}, {"dynamics": "maximal"}, {"integrator": "bdf2", "dt": 0.002}])
def test_charts_of_ones_own(options):
    """Without forces the way is straight, past the left centre and on in the chart of the right one."""
    scene = rm.Scene(gravity=(0, 0, 0))
    scene.add_body(rm.Sphere(0.1, mass=1), joint=Polar(1.0), q=(0.7, 0.3), qdot=(-1, -0.2), name="puck")
    run = rm.simulate(scene, 0.3, **options)
    assert set(run.chart("puck")) == {"left", "right"}
    start, velocity = run.pose("puck")[0, :3, 3], run.twist("puck")[0, 3:]
    np.testing.assert_allclose(run.pose("puck")[:, :3, 3], start + run.t[:, None] * velocity, atol=2e-5 if options.get("dt") else 1e-8)


def stepping(scale: float) -> rm.Joint:
    """A slide along x whose steps are measured in another unit: all that tells two of them apart is `rate` and `velocity`."""

    class Stepping(rm.Joint):
        dof = 1

        def transform(self, q):
            return rm.pose(np.eye(3), rm.math.array([q[0], 0.0, 0.0]))

        def rate(self, delta, velocity):
            return (scale + delta * delta) * velocity

        def velocity(self, delta, rate):
            return rate / (scale + delta * delta)

    return Stepping()


def storing(stiffness: float) -> rm.Joint:
    """All that tells two of them apart is the energy that they say they store."""

    class Storing(rm.Joint):
        dof = 1

        def transform(self, q):
            return rm.pose(np.eye(3), rm.math.array([q[0], 0.0, 0.0]))

        def potential(self, q):
            return 0.5 * stiffness * q[0] * q[0]

    return Storing()


@pytest.mark.parametrize("kind", [stepping, storing])
def test_all_that_a_joint_does_tells_its_kernels_apart(kind):
    """Two classes that move alike share no kernels where they differ in another function."""
    first, second = (rm.Scene(), rm.Scene())
    for scene, number in ((first, 1.0), (second, 2.0)):
        scene.add_body(BOX, joint=kind(number))
    (one,), (two,) = (scene.model().kernels_of[0] for scene in (first, second))
    assert one.key != two.key
