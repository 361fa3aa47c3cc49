"""Options and functions that joints, curves and surfaces cannot use: a sentence, and never an error from within NumPy."""

from __future__ import annotations

import numpy as np
import pytest

import redmax as rm

PATH = rm.curves.Bezier([(0, 0, 0), (1, 0, 0), (2, 1, 0)])
BALL = rm.surfaces.Sphere(0.2)
FRAMES = [rm.pose(np.eye(3), (x, 0, 0)) for x in range(6)]
CORNERS = np.random.default_rng(0).normal(size=(8, 3))
GRID = np.random.default_rng(1).normal(size=(6, 6, 6))


def slide(q, a):
    return rm.pose(np.eye(3), rm.math.array([a * q[0], 0.0, 0.0]))


def tilted(s, a):
    return rm.math.array([s, a * s, 0.0])


FLAGS = {
    "switching": lambda no: rm.SphericalEuler(switching=no),
    "cyclic": lambda no: rm.SplineCurve(FRAMES, cyclic=no),
    "spin": lambda no: rm.CurveJoint(PATH, spin=no),
    "inside": lambda no: rm.SurfaceContact(BALL, BALL, inside=no),
    "closed": lambda no: rm.curves.Polyline(CORNERS, closed=no),
    "through": lambda no: rm.curves.Polyline(CORNERS, through=no),
}


@pytest.mark.parametrize("name", FLAGS)
def test_what_is_neither_true_nor_false(name):
    for no in ("no", None, 2, (False,), np.nan):
        with pytest.raises(rm.SceneError, match=rf": {name} is .*, expected True or False"):
            FLAGS[name](no)
    for yes_or_no in (True, False, np.True_, 0, 1):
        FLAGS[name](yes_or_no)


@pytest.mark.parametrize("value", ["x", None, np.nan, np.inf, [1, "a"], [[1], [2, 3]], object(), 1j])
def test_parameters_that_are_no_numbers(value):
    with pytest.raises(rm.SceneError, match=r"Joint 'slide': parameter a is .*, expected a finite number"):
        rm.joint(slide, 1, a=value)
    with pytest.raises(rm.SceneError, match=r"curves\.Curve: parameter a is .*, expected a finite number"):
        rm.curves.Curve(tilted, a=value)
    with pytest.raises(rm.SceneError, match=r"surfaces\.Surface: parameter a is .*, expected a finite number"):
        rm.surfaces.Surface(lambda u, v, a: rm.math.array([u, v, a]), a=value)


def test_parameters_that_a_function_does_not_take_or_lacks():
    with pytest.raises(rm.SceneError, match=r"'slide': the function takes \(q, a\), but would be called with \(q\): missing .*'a'"):
        rm.joint(slide, 1)
    with pytest.raises(rm.SceneError, match=r"called with \(q, a=\.\.\., b=\.\.\.\): got an unexpected keyword argument 'b'"):
        rm.joint(slide, 1, a=1.0, b=2.0)
    with pytest.raises(rm.SceneError, match=r"curves\.Curve: the function takes \(s, a\)"):
        rm.curves.Curve(tilted)
    with pytest.raises(rm.SceneError, match=r"surfaces\.Surface: the function takes \(u\), but would be called with \(u, v\)"):
        rm.surfaces.Surface(lambda u: u)
    with pytest.raises(rm.SceneError, match=r"frame takes \(\), but would be called with \(s\)"):
        rm.CurveJoint(PATH, lambda: np.eye(3))


def test_time_is_called_t():
    class Late(rm.Joint):
        dof = 1

        def transform(self, q, time):
            return rm.pose(rm.rotation_about("z", q[0] + time), np.zeros(3))

    with pytest.raises(rm.SceneError, match=r"'top': transform of Late takes \(q, time\).*second argument, with the name t"):
        rm.Scene().add_body(rm.Sphere(0.1), joint=Late(), name="top")
    with pytest.raises(rm.SceneError, match="second argument, with the name t"):
        rm.joint(lambda q, time: slide(q, 2.0 * time), 1)


@pytest.mark.parametrize("dof", ["1", -1, True, None, 7])
def test_a_class_with_a_strange_number_of_coordinates(dof):
    strange = type("Strange", (rm.Joint,), {"dof": dof, "transform": lambda self, q: slide(q, 1.0)})
    with pytest.raises(rm.SceneError, match=r"'box'.*(expected a whole number from 0 to 6|at most 6)"):
        rm.Scene().add_body(rm.Sphere(0.1), joint=strange(), name="box")


def test_a_class_that_forgets_its_number_of_coordinates():
    class Forgetful(rm.Joint):
        def transform(self, q):
            return slide(q, 1.0)

    with pytest.raises(rm.SceneError, match=r"Forgetful\.transform\(q\) failed on q with dof = 0 entries"):
        rm.Scene().add_body(rm.Sphere(0.1), joint=Forgetful())


@pytest.mark.parametrize("point", [(1, 2), 3.0, ("a", "b", "c"), None])
def test_points_that_are_none(point):
    with pytest.raises(rm.SceneError, match=r"curves\.Curve: the function returns .*expected a point"):
        rm.curves.Curve(lambda s: point)
    with pytest.raises(rm.SceneError, match=r"surfaces\.Surface: the function returns .*expected a point"):
        rm.surfaces.Surface(lambda u, v: point)


def test_curves_are_looked_at_within_their_domain():
    root = rm.curves.Curve(lambda s: rm.math.array([s, rm.math.sqrt(s - 5), 0.0]), (5.1, np.inf))
    assert root.sample(3).min() == 5.1
    assert rm.CurveJoint(root).dof == 1
    back = rm.curves.Curve(lambda s: rm.math.array([s, rm.math.sqrt(5 - s), 0.0]), (-np.inf, 4.9))
    assert back.sample(3).max() == 4.9
    assert rm.CurveJoint(back).dof == 1


@pytest.mark.parametrize("frame", [np.eye(3), "x", None, lambda s: "a", lambda s: np.full((3, 3), np.nan), lambda s: np.eye(4)])
def test_frames_that_are_none(frame):
    with pytest.raises(rm.SceneError, match=r"CurveJoint: frame.* is .*, expected .*\(3, 3\)"):
        rm.CurveJoint(PATH, frame)


@pytest.mark.parametrize("modes", [None, 3, "ab", [1], [(GRID,)], [(GRID, 3)], GRID, {"a": 1}])
def test_modes_that_are_none(modes):
    with pytest.raises(rm.SceneError, match=r"(modes is|mode 0 is) .*\(control values, function of time\)") as caught:
        rm.DeformingSplineSurface(GRID, modes)
    assert len(str(caught.value)) < 400


@pytest.mark.parametrize("function", [lambda t: [t, t], lambda t: "a", lambda: 1.0])
def test_modes_whose_function_gives_no_number(function):
    with pytest.raises(rm.SceneError, match=r"mode 0(: the function takes| has a function that gives .*, expected a number)"):
        rm.DeformingSplineSurface(GRID, [(GRID, function)])


@pytest.mark.parametrize("knots", [[], 3, "a", [3], [[1, 2]]])
def test_knots_of_one_parameter(knots):
    with pytest.raises(rm.SceneError, match=r"SplineSurface: knots is .*, expected 10 ascending numbers"):
        rm.SplineSurface(GRID[0], knots=knots)


def test_one_bad_number_among_many_is_named():
    values = GRID.copy()
    values[2, 3, 1] = np.nan
    with pytest.raises(rm.SceneError, match=r"values is an array of shape \(6, 6, 6\), with nan at \[2, 3, 1\]"):
        rm.SplineSurface(values)


def test_orders_of_rotations_in_either_case():
    assert repr(rm.SphericalEuler("zxz")) == repr(rm.SphericalEuler("ZXZ"))
    q = np.array([1.2, 0.7])
    np.testing.assert_array_equal(*[rm.SplineSurface(GRID, rotation_order=order).transform(q) for order in ("zxz", "ZXZ")])


def test_joints_in_a_list_and_other_things():
    with pytest.raises(rm.SceneError, match=r"item 0: put an asterisk before it, CompositeJoint\(\*joints\)"):
        rm.CompositeJoint([rm.Revolute("x"), rm.Prismatic("x")])
    with pytest.raises(rm.SceneError, match=r"orientation is .*, expected one of 'tangent'"):
        rm.PointOnSurface(BALL, ["tangent"])
    with pytest.raises(rm.SceneError, match=r"degree is 3\.0, expected 3 or 5"):
        rm.curves.Polyline(CORNERS, degree=3.0)


def state(chart: dict) -> rm.State:
    return rm.State(0.0, np.zeros((3, 3)), np.zeros(3), chart)


def test_charts_that_a_state_cannot_have():
    scene, fixed = rm.Scene(), rm.Scene()
    scene.add_body(rm.Cuboid((1, 2, 3)), joint=rm.SphericalEuler(), name="rod")
    fixed.add_body(rm.Cuboid((1, 2, 3)), joint=rm.SphericalEuler(switching=False), name="rod")
    with pytest.raises(rm.SceneError, match=r"chart for joint 'rot', which is not in the scene. It has rod"):
        rm.Simulation(scene, initial=state({"rot": "ZXZ"}))
    with pytest.raises(rm.SceneError, match=r"Joint 'rod' has no chart 'ZXZ'. Valid: 'XYZ'"):
        rm.Simulation(fixed, initial=state({"rod": "ZXZ"}))
    with pytest.raises(rm.SceneError, match=r"leading axes \(3,\), but the charts \(2,\)"):
        rm.Simulation(scene, initial=state({"rod": ["XYZ", "ZXZ"]}))
    assert rm.Simulation(scene, initial=state({"rod": ["XYZ", "ZXZ", "YXZ"]})).state.chart["rod"][1] == "ZXZ"
    assert rm.Simulation(fixed, initial=state({"rod": "XYZ"})).state.q.shape == (3, 3)


@pytest.mark.parametrize(
    ("joint", "text"),
    [
        (rm.Helical((0, 3, 4), 0.1), "Helical(axis=(0, 0.6, 0.8), pitch=0.1)"),
        (rm.Prismatic("-y"), "Prismatic(axis=(0, -1, 0))"),
        (rm.Elliptic(1.0, 0.5), "Elliptic(a=1, b=0.5)"),
        (rm.CurveJoint(PATH, spin=True), "CurveJoint(curve=Bezier(points=array of 3 x 3), spin=True)"),
        (rm.PointOnSurface(BALL, "free"), "PointOnSurface(surface=Sphere(radius=0.2), orientation='free')"),
        (rm.CompositeJoint(rm.Revolute("x"), (0, 0, 1), rm.Inverted(rm.Universal())),
         "CompositeJoint(Revolute(axis=(1, 0, 0)), (0, 0, 1), Inverted(Universal()))"),
        (rm.joint(slide, 1, a=2.5), "joint(slide, dof=1, a=2.5)"),
        (rm.CurveJoint(rm.curves.Polyline(CORNERS), "fixed"),
         "CurveJoint(curve=Polyline(8 corners, closed=False, degree=5), frame='fixed')"),
    ],
)  # fmt: skip
def test_joints_read_as_they_were_made(joint, text):
    assert repr(joint) == text
