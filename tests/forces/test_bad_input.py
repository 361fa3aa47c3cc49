"""Wrong input is a sentence that names the thing, its value, and what is valid."""

from __future__ import annotations

import numpy as np
import pytest

import redmax as rm
from redmax.errors import SceneError, TraceError


@pytest.fixture
def pair():
    scene = rm.Scene()
    a = scene.add_body(rm.Cuboid((1, 0.1, 0.1)), joint=rm.Universal(), name="arm", joint_name="shoulder")
    b = scene.add_body(rm.Cuboid((1, 0.1, 0.1)), joint=rm.Revolute("y"), parent=a, at=(1, 0, 0), name="hand")
    return scene, a, b


WRONG = {
    "SpringDamper.*stiffness is -1, expected a number from 0 up": lambda a, b: rm.SpringDamper(a, b, stiffness=-1),
    "SpringDamper.*touches no body": lambda a, b: rm.SpringDamper((0, 0, 0), (1, 0, 0), stiffness=1),
    "Cable runs through 1 points. It needs two or more": lambda a, b: rm.Cable([a], stiffness=1),
    "Cable takes a list of points": lambda a, b: rm.Cable(a, stiffness=1),
    "Cable: per is 'metre'. Valid: 'length', 'strain'": lambda a, b: rm.Cable([a, b], stiffness=1, per="metre"),
    "Cable: rest is 0, expected a number above 0": lambda a, b: rm.Cable([a, b], stiffness=1, rest=0),
    "Cable has the place .* Valid: a point of a body": lambda a, b: rm.Cable([a, (1, 2)], stiffness=1),
    "BodyDamping acts on a body": lambda a, b: rm.BodyDamping(a.point(1, 0, 0), 1.0),
    "BodyDamping takes either damping": lambda a, b: rm.BodyDamping(a),
    "BodyDamping takes either damping .*or angular and linear": lambda a, b: rm.BodyDamping(a, 1.0, angular=2.0),
    "BodyDamping: linear damping is -2": lambda a, b: rm.BodyDamping(a, linear=-2),
    "PointForce: direction is 'up', expected three finite numbers": lambda a, b: rm.PointForce(a, "up"),
    "PointForce 'wind': strength is nan, expected a number": lambda a, b: rm.PointForce(a, (1, 0, 0), strength=float("nan"), name="wind"),
    "PointForce: counted is 'no', expected True or False": lambda a, b: rm.PointForce(a, (1, 0, 0), counted="no"),
    "AppliedWrench: frame is 'parent'. Valid: 'body', 'world'": lambda a, b: rm.AppliedWrench(a, frame="parent"),
    "AppliedWrench: force is .1, 2., expected three finite numbers": lambda a, b: rm.AppliedWrench(a, force=(1, 2)),
    "Bushing: rotational is .1, -1, 0., expected a number from 0 up": lambda a, b: rm.Bushing(a, b, rotational=(1, -1, 0)),
    "Bushing: translational is .*symmetric 3x3": lambda a, b: rm.Bushing(a, b, translational=np.triu(np.ones((3, 3)))),
    "Bushing takes either stiffness, a 6x6 matrix, or rotational and translational": lambda a, b: rm.Bushing(
        a, b, stiffness=np.eye(6), rotational=1
    ),
    "Bushing: rest is 3": lambda a, b: rm.Bushing(a, b, rest=3),
    "PointSpring: the kind of stiffness is 'full'": lambda a, b: rm.PointSpring(a, b, stiffness=1, stiffness_kind="full"),
    "SpringDamper: stiffness is '5', expected a number": lambda a, b: rm.SpringDamper(a, b, stiffness="5"),
    "SpringDamper: damping is True, expected a number": lambda a, b: rm.SpringDamper(a, b, damping=True),
    "SpringDamper: per is .1.0.. Valid: 'length', 'strain'": lambda a, b: rm.SpringDamper(a, b, per=np.ones(1)),
    "SpringDamper has the place None. Valid: a point of a body": lambda a, b: rm.SpringDamper(a, None, stiffness=1),
    "SpringDamper 'force1' lies within the body 'arm', so that its length": lambda a, b: rm.SpringDamper(a, a.point(1, 0, 0), stiffness=1),
    "Bushing has all its places on the body 'arm', where it moves nothing": lambda a, b: rm.Bushing(a, a, translational=1),
    "PointSpring has all its places on the body 'hand'": lambda a, b: rm.PointSpring(b.point(1, 0, 0), b, stiffness=1),
    "Body 'arm': point is .'x', 0, 0., expected three finite numbers": lambda a, b: rm.PointForce(a.point("x", 0, 0), (1, 0, 0)),
    "Body 'arm': point is .nan, 0, 0.": lambda a, b: rm.PointForce(a.point(np.nan, 0, 0), (1, 0, 0)),
    "BodyDamping: linear damping is .., expected": lambda a, b: rm.BodyDamping(a, linear=[]),
    r"PointForce: the function for direction takes \(t, x\), but would be called with \(t\)": lambda a, b: rm.PointForce(
        a, lambda t, x: (t, 0, 0)
    ),
    r"AppliedWrench: the function for torque takes \(\)": lambda a, b: rm.AppliedWrench(a, torque=lambda: (1, 0, 0)),
    "JointLimit: lower has 3 numbers and upper 2": lambda a, b: rm.JointLimit(a, (0, 0, 0), (1, 1), stiffness=1),
    "JointLimit: lower is True": lambda a, b: rm.JointLimit(b, True, stiffness=1),
    "Cable takes a list of points. Got 3": lambda a, b: rm.Cable(3, stiffness=1),
    "JointSpring acts in a joint": lambda a, b: rm.JointSpring(3, 1.0),
    "JointSpring.*stiffness has 3 numbers, but the joint 'shoulder' has 2 coordinates": lambda a, b: rm.JointSpring(a, (1, 2, 3)),
    "JointLimit: lower is 1 and upper is 0": lambda a, b: rm.JointLimit(b, 1, 0, stiffness=1),
    "JointLimit: upper is 'high'": lambda a, b: rm.JointLimit(b, 0, "high", stiffness=1),
    "JointDamper: damping is -1": lambda a, b: rm.JointDamper(b, -1),
    "Servo: limit is -1": lambda a, b: rm.Servo(b, 0.0, kp=1, limit=-1),
    "Servo.*target has 3 numbers, but the joint 'hand' has 1": lambda a, b: rm.Servo(b, (0, 0, 0), kp=1),
    "Actuator takes a function of t, q, qdot. Got 3": lambda a, b: rm.Actuator(b, 3),
    "There is no body 'foot'": lambda a, b: rm.JointSpring("foot", 1.0),
    "redmax.force takes one of bodies=": lambda a, b: rm.force(lambda s: s.x),
    "redmax.force takes one of .* Got bodies and path": lambda a, b: rm.force(lambda s: s.x, bodies=[a], path=[a, b]),
    "redmax.force with path= takes tension.* Got a function of the sites, which goes with bodies=": lambda a, b: rm.force(
        lambda s: s.x, path=[a, b]
    ),
    "redmax.force with bodies= takes .*or potential=. Got neither": lambda a, b: rm.force(bodies=[a]),
    "redmax.force with joint= takes torque": lambda a, b: rm.force(potential=lambda q: q[0], joint=a),
    "redmax.force: bodies is .*expected a list of bodies": lambda a, b: rm.force(lambda s: s.x, bodies=a),
    r"function '<lambda>' takes \(s\), but would be called with \(site1, site2\)": lambda a, b: rm.force(lambda s: s.x, bodies=[a, b]),
    r"function '<lambda>' takes \(s, k\), .*called with \(site1\)": lambda a, b: rm.force(lambda s, k: s.x, bodies=[a]),
    "parameter k is 'stiff', expected a finite number": lambda a, b: rm.force(lambda s, k: s.x, bodies=[a], k="stiff"),
    "add_force takes a force such as .*Did you forget the parentheses": lambda a, b: rm.JointSpring,
}


@pytest.mark.parametrize("message", WRONG)
def test_when_made_or_added(message, pair):
    scene, a, b = pair
    with pytest.raises(SceneError, match=message):
        scene.add_force(WRONG[message](a, b))


RETURNS = {
    "'two' of a force must return for each of its 2 sites a force .3 numbers. or a pair .torque, force., in world axes. Got shape .3,.": (
        lambda a, b: rm.force(two, bodies=[a, b])
    ),
    "'ragged' of a force must return for its site": lambda a, b: rm.force(ragged, bodies=[a]),
    "'energies' of a force must return the potential .J., one number. Got shape .3,.": lambda a, b: rm.force(
        potential=energies, bodies=[a]
    ),
    "'pulls' of a force must return the tension .N., one number. Got shape .2,.": lambda a, b: rm.force(tension=pulls, path=[a, b]),
    "Actuator 'motor' must give 1 torques, one for each coordinate": lambda a, b: rm.Actuator(b, lambda t, q, v: [1, 2], name="motor"),
    "Servo 'force1': the target must be 1 numbers": lambda a, b: rm.Servo(b, lambda t: [t, t], kp=1),
    "must return the tension .N., one number. Got None": lambda a, b: rm.force(tension=lambda x, v: None, path=[a, b]),
    "must return the potential .J., one number. Got None": lambda a, b: rm.force(potential=lambda s: None, bodies=[a]),
    "Actuator 'force1' must give 1 torques.*Got None": lambda a, b: rm.Actuator(b, lambda t, q, v: None),
    "Servo 'force1': the target must be 1 numbers.*Got 'far'": lambda a, b: rm.Servo(b, lambda t: "far", kp=1),
    "for direction must return three numbers. Got .'a', 'b', 'c'.": lambda a, b: rm.PointForce(a, lambda t: ("a", "b", "c")),
    "the function 'gust' for direction must return three numbers. Got shape .2,.": lambda a, b: rm.PointForce(a, gust),
}


def two(a, b):
    return a.x


def ragged(a):
    return [(1, 2), (3,)]


def energies(a):
    return a.x


def pulls(length, rate):
    return [length, rate]


def gust(t):
    return [t, 1]


@pytest.mark.parametrize("message", RETURNS)
def test_what_functions_return(message, pair):
    scene, a, b = pair
    scene.add_force(RETURNS[message](a, b))
    with pytest.raises(SceneError, match=message):
        rm.Dynamics(scene.model(), "interpret").forward(np.zeros(3), np.zeros(3))


def test_a_force_cannot_hold_on_to_coordinates_that_change():
    scene = rm.Scene()
    ball = scene.add_body(rm.Sphere(0.1), joint=rm.SphericalEuler("xyz"), name="ball")
    with pytest.raises(SceneError, match="JointSpring 'force1' depends on coordinates that the joint 'ball', SphericalEuler, may change"):
        scene.add_force(rm.JointSpring(ball, 1.0))
    scene.add_force(rm.JointDamper(ball, 1.0))


def test_a_fixed_joint_has_no_forces():
    scene = rm.Scene()
    base = scene.add_body(rm.Sphere(0.1), name="base")
    with pytest.raises(SceneError, match="acts in the joint 'base', which has no degree of freedom"):
        scene.add_force(rm.JointDamper(base, 1.0))


def test_a_choice_that_cannot_be_traced(pair):
    scene, a, _ = pair
    scene.add_force(rm.force(lambda s: s.x if s.x[0] > 0 else -s.x, bodies=[a]))
    with pytest.raises(TraceError, match="where"):
        rm.Dynamics(scene.model(), "interpret").forward(np.zeros(3), np.zeros(3))


def test_points_that_almost_coincide_have_no_strain(pair):
    scene, a, b = pair
    scene.add_force(rm.SpringDamper(a.point(1, 0, 0), b.point(1e-16, 0, 0), stiffness=1, per="strain"))
    with pytest.raises(SceneError, match=r"SpringDamper 'force1' has rest length .* so it has no strain"):
        scene.model()


def test_what_there_is_to_know_of_a_force(pair):
    scene, a, b = pair
    scene.add_force(rm.SpringDamper(a, b, stiffness=1, name="stay"))
    scene.add_force(rm.JointDamper(b, 1.0, name="brake"))
    state = rm.State(0.0, np.zeros((2, 3)), np.zeros((2, 3)))
    run = rm.simulate(scene, 0.02, 0.01, initial=state, progress=False)
    for name, message in (
        ("stya", "Did you mean 'stay'"),
        (None, "no force None"),
    ):
        with pytest.raises(SceneError, match=message):
            run.force(name)
    for world in (2, "a", (0, 0), 0.5):
        with pytest.raises(SceneError, match=r"There is no world .*one number for each axis of the batch \(2,\)"):
            run.world(world)
    with pytest.raises(SceneError, match="this run has one world"):
        run.world(1).world(0)


def test_simulations_say_what_they_take(pair):
    simulation = rm.Simulation(pair[0])
    for count in (-1, "all", 0.5):
        with pytest.raises(SceneError, match="step takes a whole number of intervals"):
            simulation.step(count)
    with pytest.raises(SceneError, match=r"restore takes what checkpoint.. returned. Got 3"):
        simulation.restore(3)
