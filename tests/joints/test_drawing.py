"""What joints look like: the curve or surface that their motion sweeps, and nothing where there is none."""

from __future__ import annotations

import numpy as np
import pytest

import redmax as rm
from redmax.joints.drawing import Drawing
from redmax.joints.swept import CURVE, SURFACE, drawings, swept, traced
from redmax.math import array, cos, exp, sin, sqrt


class Bounded(rm.Joint):
    """A point that a function of the coordinates (and of time) gives, with axes that the other coordinates turn."""

    def __init__(self, point, domain, spin=False):
        self.point, self.bounds, self.spin, self.dof = point, domain, spin, len(domain)

    @property
    def domain(self):
        return self.bounds

    def transform(self, q):
        R = rm.rotation_about("z", q[-1]) if self.spin else np.eye(3)
        return rm.pose(R, array(self.point(*q)))


class Breathing(rm.Joint):
    """On a sphere whose radius changes."""

    dof, domain = 2, ((-np.pi, np.pi), (-np.pi / 2, np.pi / 2))

    def transform(self, q, t):
        r = 1 + 0.2 * sin(t)
        return rm.pose(np.eye(3), array([r * cos(q[0]) * cos(q[1]), r * sin(q[0]) * cos(q[1]), r * sin(q[1])]))


def helix(s):
    return [cos(s), sin(s), 0.1 * s]


def test_one_bounded_coordinate_sweeps_a_curve_up_to_its_ends():
    (drawing,) = drawings(Bounded(helix, ((0.0, 9.0),)))
    x, y, z = np.asarray(drawing.points).T
    assert drawing.on == "parent"
    np.testing.assert_allclose((z[0], z[-1]), (0, 0.9))
    np.testing.assert_allclose((x, y), (np.cos(10 * z), np.sin(10 * z)), atol=1e-12)
    assert (np.diff(z) > 0).all()
    assert 200 < len(z) <= CURVE


def test_points_are_close_where_a_curve_bends():
    """A hairpin: two straight sides and a bend that is a hundredth of its length."""
    hairpin = lambda s: [s * s / sqrt(s * s + 1e-4), 0.01 * s / sqrt(s * s + 1e-4), 0.0]  # noqa: E731
    (drawing,) = drawings(Bounded(hairpin, ((-1.0, 1.0),)))
    points = np.asarray(drawing.points)
    steps = np.diff(points, axis=0)
    along = steps / np.linalg.norm(steps, axis=1)[:, None]
    turns = np.arccos(np.clip(np.sum(along[1:] * along[:-1], axis=1), -1, 1))
    assert np.degrees(turns.max()) < 8
    assert np.linalg.norm(steps, axis=1).max() < 0.05


def test_two_bounded_coordinates_sweep_a_surface_whatever_spins_on_it():
    joint = Bounded(lambda u, v, w: [u, v, u * v], ((-1.0, 1.0), (0.0, 2.0), (-np.inf, np.inf)), spin=True)
    (drawing,) = drawings(joint)
    points = np.asarray(drawing.points)
    assert points.shape == (SURFACE, SURFACE, 3)
    np.testing.assert_allclose(points[..., 2], points[..., 0] * points[..., 1])
    np.testing.assert_allclose(points[[0, -1], [0, -1]], [(-1, 0, 0), (1, 2, 2)])


def test_two_coordinates_along_one_line_are_a_curve():
    (drawing,) = drawings(Bounded(lambda u, v: [u, 0.0, 0.0 * v], ((0.0, 1.0), (0.0, 1.0))))
    assert np.asarray(drawing.points).ndim == 2
    flat = lambda u, v: [u, 0.0, exp(v) * exp(-v)]  # noqa: E731  (v is in the trace but moves nothing)
    (drawing,) = drawings(Bounded(flat, ((0.0, 1.0), (0.0, 1.0))))
    assert np.asarray(drawing.points).shape == (SURFACE, 3)


def test_a_surface_that_depends_on_time_is_a_function_of_it():
    (drawing,) = drawings(Breathing())
    times = np.array([0.0, 1.0, 2.5, 4.0])
    assert callable(drawing.points)
    points = drawing.points(times)
    assert points.shape == (4, SURFACE, SURFACE, 3)
    np.testing.assert_allclose(np.linalg.norm(points, axis=-1), np.broadcast_to((1 + 0.2 * np.sin(times))[:, None, None], points.shape[:3]))


def test_a_curve_that_depends_on_time_is_a_function_of_it():
    (drawing,) = traced(lambda s, t: array([s, 0.0, sin(s - t)]), [(0.0, 1.0)])
    assert callable(drawing.points)
    found = drawing.points(np.array([0.5, 2.0]))
    np.testing.assert_allclose(found[1, :, 2], np.sin(found[1, :, 0] - 2.0))


@pytest.mark.parametrize(
    "joint",
    [
        rm.Fixed(), rm.Revolute("y"), rm.Prismatic("x"), rm.Spherical(), rm.Universal(), rm.Planar(), rm.Translational(), rm.Free(),
        rm.Free3D(), rm.joint(lambda q: rm.pose(np.eye(3), array(helix(q[0]))), dof=1),
        Bounded(lambda q: [0.0, 0.0, 1.0], ((0.0, 1.0),), spin=True),  # turns, but stays
        Bounded(lambda q: [1e-12 * q, 0.0, 0.0], ((0.0, 1.0),)),
        Bounded(helix, ((0.0, np.inf),)),
        Bounded(lambda x, y, z: [x, y, z], ((0.0, 1.0),) * 3),
        Bounded(lambda q: [sqrt(q), 0.0, 0.0], ((-2.0, -1.0),)),  # nowhere defined
    ],
)  # fmt: skip
def test_nothing_is_drawn_without_a_bounded_path(joint):
    assert drawings(joint) == ()


FRAMES = np.array([rm.pose(rm.rotation_about("z", 0.7 * i), np.array([np.cos(0.7 * i), np.sin(0.7 * i), 0.1 * i])) for i in range(9)])
GRID = np.stack([*np.indices((6, 7), float), np.sin(np.arange(42.0)).reshape(6, 7), *np.zeros((3, 6, 7))], axis=-1)
SWELL = GRID * (0, 0, 1, 0, 0, 0)
circle, patch = rm.curves.Circle(1.0), rm.surfaces.BezierPatch(GRID[:4, :4, :3])
PATHS = {  # joints, and where to look
    "spline": (rm.SplineCurve(FRAMES), [(0, 6)]),
    "closed spline": (rm.SplineCurve(FRAMES, cyclic=True), [(-20, 20)]),
    "spline with limits": (rm.SplineCurve(FRAMES, outside="limit", limit_stiffness=1.0), [(0, 6)]),
    "ellipse": (rm.Elliptic(1.0, 0.5, base=(0, 0, 1)), [(-9, 9)]),
    "circle": (rm.CurveJoint(circle, spin=True), [(-9, 9)] * 2),
    "before a hinge": (rm.CompositeJoint((0, 0, 1), rm.Elliptic(1.0, 0.5), rm.Revolute("x")), [(-9, 9)] * 2),
    "twist surface": (rm.TwistSurface(GRID[..., [3, 4, 5, 0, 1, 2]]), [(0, 3), (0, 4)]),
    "spline surface": (rm.SplineSurface(GRID), [(0, 3), (0, 4)]),
    "deforming spline surface": (rm.DeformingSplineSurface(GRID, [(SWELL, lambda t: sin(3 * t))]), [(0, 3), (0, 4)]),
    "sphere": (rm.PointOnSurface(rm.surfaces.Sphere(1.0), spin=True), [(-9, 9), (-1.5, 1.5), (-9, 9)]),
    "torus": (rm.PointOnSurface(rm.surfaces.Torus(1.0, 0.3), "free"), [(-9, 9)] * 2 + [(-1, 1)] * 3),
    "patch": (rm.PointOnSurface(patch, "fixed"), [(0, 1)] * 2),
}


def gap(drawing: Drawing, x: np.ndarray, t: float) -> float:
    """The distance of a point from the nearest of those that are drawn, over the size of the drawing."""
    points = np.asarray(drawing.points(np.array([t]))[0] if callable(drawing.points) else drawing.points).reshape(-1, 3)
    return float(np.linalg.norm(points - x, axis=1).min() / np.ptp(points, axis=0).max())


@pytest.mark.parametrize(("joint", "ranges"), PATHS.values(), ids=PATHS)
def test_wherever_the_child_goes_it_is_on_what_is_drawn(joint, ranges):
    (drawing,) = drawings(joint)
    rng = np.random.default_rng(1)
    for _ in range(20):
        q, t = rng.uniform(*np.transpose(ranges)), rng.uniform(0, 3)
        x = np.asarray(joint.at("transform", np.array([*q, *joint.start]), t), float)[:3, 3]
        assert gap(drawing, x, t) < (0.02 if np.ndim(drawing.points) == 2 else 0.05)  # half the way between drawn points


def test_what_the_child_carries_is_drawn_on_it():
    """The parent's origin, seen from the child, is on the curve."""
    inverted = rm.Inverted(rm.Elliptic(1.0, 0.5, base=(0, 0, 1)))
    last = rm.CompositeJoint(rm.Revolute("x"), inverted, (1, 2, 3))
    for joint, dof in ((inverted, 1), (last, 2)):
        (drawing,) = drawings(joint)
        assert drawing.on == "child"
        for q in np.random.default_rng(2).uniform(-9, 9, (20, dof)):
            E = np.linalg.inv(np.asarray(joint.transform(q), float))
            assert gap(drawing, E[:3, 3], 0.0) < 0.02


def test_two_curves_are_drawn_on_the_side_of_each():
    parent, child = drawings(rm.CurveOnCurve(circle, rm.curves.Bezier([(0, 0, 0), (1, 0, 0), (1, 1, 0)])))
    assert (parent.on, child.on) == ("parent", "child")
    np.testing.assert_allclose(np.linalg.norm(np.asarray(parent.points), axis=1), 1)
    np.testing.assert_allclose(np.asarray(child.points)[[0, -1]], [(0, 0, 0), (1, 1, 0)], atol=1e-12)


def test_bodies_that_touch_show_themselves():
    ball = rm.surfaces.Sphere(0.2)
    assert not list(drawings(rm.SurfaceContact(ball, ball, domain=[(-1, 1)] * 4)))


def test_a_subclass_with_another_motion_leaves_the_drawing_behind():
    class Reversed(rm.Elliptic):
        domain = ((0.0, 1.0),)

        def transform(self, q):
            return rm.pose(np.eye(3), array([q[0], 0.0, 5.0]))

    (drawing,) = drawings(Reversed(1.0, 0.5))
    np.testing.assert_allclose(np.asarray(drawing.points)[:, 2], 5)


def test_ranges_can_be_given_where_a_path_repeats():
    joint = rm.joint(lambda q: rm.pose(np.eye(3), array([cos(q[0]), sin(q[0]), 0.0])), dof=1)
    (drawing,) = swept(joint, [(0.0, 2 * np.pi)])
    points = np.asarray(drawing.points)
    np.testing.assert_allclose(np.linalg.norm(points, axis=1), 1)
    np.testing.assert_allclose(points[0], points[-1], atol=1e-12)


def test_ends_where_the_motion_is_not_defined_are_left_out():
    (drawing,) = drawings(Bounded(lambda q: [q, sin(q) / q, 0.0], ((0.0, 3.0),)))
    points = np.asarray(drawing.points)
    assert np.isfinite(points).all()
    assert points[0, 0] < 1e-5
    assert points[-1, 0] == 3.0


def test_a_joint_may_draw_itself():
    class Rolling(rm.Joint):
        dof, domain = 1, ((0.0, 1.0),)

        def transform(self, q):
            return rm.pose(np.eye(3), array([q[0], 0.0, 0.0]))

        def drawing(self):
            return [*swept(self), Drawing(np.zeros((4, 5, 3)), on="child")]

    found = drawings(Rolling())
    assert [d.on for d in found] == ["parent", "child"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (((np.zeros((4, 2)),)), r"points have shape \(4, 2\), expected finite points \(n, 3\)"),
        ((np.full((4, 3), np.inf),), "points have shape .*, expected finite"),
        ((np.zeros((4, 3)), "body"), "on is 'body', expected 'parent' or 'child'"),
    ],
)
def test_bad_drawings_say_what_is_valid(arguments, message):
    with pytest.raises(rm.SceneError, match=f"Drawing: {message}"):
        Drawing(*arguments)
