"""What cannot be a muscle says whose it is, what it got, what is valid."""

from __future__ import annotations

from math import inf, nan, pi

import pytest

import redmax as rm
from redmax.errors import SceneError
from redmax.muscles import ActivationDynamics, Curves, Hill, checked_activation, checked_excitation


def muscle(**changes) -> Hill:
    return Hill(**{"force": 800, "optimal_length": 0.1, "name": "soleus", **changes})


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"force": 0}, "force is 0, expected a finite number greater than 0"),
        ({"force": -3.0}, "force is -3.0"),
        ({"force": "strong"}, "force is 'strong'"),
        ({"optimal_length": -0.1}, "optimal_length is -0.1, expected a finite number greater than 0"),
        ({"optimal_length": 0}, "optimal_length is 0"),
        ({"optimal_length": nan}, "optimal_length is nan"),
        ({"max_velocity": 0}, "max_velocity is 0, expected"),
        ({"max_velocity": inf}, "max_velocity is inf"),
        ({"tendon_length": -0.01}, "tendon_length is -0.01, expected a finite number of at least 0"),
        ({"damping": -1}, "damping is -1, expected a finite number of at least 0"),
        ({"pennation": -0.1}, "pennation is -0.1, expected an angle from 0 to below pi/2"),
        ({"pennation": pi / 2}, "pennation is 1.57"),
        ({"pennation": 20}, "in degrees"),
        ({"pennation": (0.1, 0.2)}, "pennation is"),
        ({"curves": "hill"}, "curves is 'hill', expected one of 'redmax'"),
    ],
)
def test_bad_parameters(changes, said):
    with pytest.raises(SceneError) as error:
        muscle(**changes)
    assert "Muscle 'soleus'" in str(error.value)
    assert said in str(error.value)


def test_curves_without_an_active_range():
    dead = Curves(lambda x: 0.0 * x, lambda v: 1.0, lambda x: 0.0)
    with pytest.raises(SceneError, match="Muscle 'soleus' has no active range: active_length of its curves is 0"):
        muscle(curves=dead)


def test_a_tendon_longer_than_the_path():
    m = muscle(tendon_length=0.3)
    m.check_path_length(0.35)
    for path in (0.3, 0.2):
        with pytest.raises(SceneError, match=f"Muscle 'soleus': the tendon is longer than the path: .* 0.3 m and the path {path:g} m"):
            m.check_path_length(path)


@pytest.mark.parametrize("curves", ["redmax", "millard", "degroote-fregly"])
@pytest.mark.parametrize("pennation", [0.0, 0.2])
def test_a_path_outside_the_active_range(curves, pennation):
    m = muscle(tendon_length=0.3, curves=curves, pennation=pennation)
    m.check_range(0.35, 0.42)
    m.check_range(0.2, 0.4)  # slack at first, then active
    for short, long in ((0.55, 0.7), (0.1, 0.302), (0.65, 0.65)):
        with pytest.raises(SceneError, match=r"Muscle 'soleus' has no active range: its path goes from .* Change tendon_length"):
            m.check_range(short, long)
    with pytest.raises(SceneError, match="the shortest one first"):
        m.check_range(0.4, 0.35)
    with pytest.raises(SceneError, match="two finite numbers"):
        m.check_range(0.4, nan)


@pytest.mark.parametrize("value", [-0.1, 1.01, nan, "full", (0.1, 0.2), True])
def test_activations_outside_0_and_1(value):
    for check in (checked_activation, checked_excitation):
        with pytest.raises(SceneError, match=r"soleus: \w+ is .*, expected a number from 0 to 1"):
            check("soleus", value)


def test_bad_excitation_functions():
    with pytest.raises(SceneError, match="soleus: excitation at t = 0 is 2"):
        checked_excitation("soleus", lambda t: 2.0)
    with pytest.raises(SceneError, match=r"soleus: excitation gives \[0.1\] at t = 0"):
        checked_excitation("soleus", lambda t: [0.1])
    with pytest.raises(SceneError, match="soleus: excitation takes"):
        checked_excitation("soleus", lambda: 0.5)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"rise": 0}, "rise is 0, expected"),
        ({"fall": -0.1}, "fall is -0.1, expected"),
        ({"form": "cubic"}, "form is 'cubic', expected 'linear' or 'thelen'"),
    ],
)
def test_bad_activation_dynamics(changes, said):
    with pytest.raises(SceneError, match=said):
        ActivationDynamics(**changes)


@pytest.fixture
def arm():
    scene = rm.Scene()
    base = scene.add_body(rm.Cuboid((0.1, 0.1, 0.1)), name="base")
    ball = scene.add_body(rm.Cuboid((0.1, 0.1, 0.1)), joint=rm.SphericalEuler("xyz"), parent=base, com=(0, 0, 0.3), name="ball")
    hand = scene.add_body(rm.Cuboid((0.1, 0.1, 0.1)), joint=rm.Revolute("y"), parent=base, com=(0.3, 0, 0), name="hand", q=0.2)
    return scene, base, ball, hand


def place(q):
    return (0.0, 0.0, 0.2)


IN_SCENES = {
    "Muscle: activation is 2, expected a number from 0 to 1": lambda *b: {"activation": 2},
    "Muscle: activation at t = 0 is 2": lambda *b: {"activation": lambda t: 2.0},
    "Muscle: initial is 1.5, expected a number from 0 to 1": lambda *b: {"excitation": 0.5, "initial": 1.5},
    r"Muscle: dynamics is 0.01, expected redmax.ActivationDynamics\(": lambda *b: {"excitation": 0.5, "dynamics": 0.01},
    "Muscle: curves is 'hill'": lambda *b: {"curves": "hill"},
    "Muscle 'force1': the tendon is longer than the path": lambda *b: {"tendon_length": 5.0},
    "Muscle takes a list of points. Got 3": lambda *b: {"path": 3},
    "Muscle 'force1' lies within the body 'base'": lambda base, ball, hand: {"path": [base, base.point(1, 0, 0)]},
    "MovingPoint: body is None": lambda base, ball, hand: through(base, hand, rm.MovingPoint(None, place, joint=hand)),
    "MovingPoint: coordinate is -1, expected a whole number": lambda base, ball, hand: through(
        base, hand, rm.MovingPoint(base, place, joint=hand, coordinate=-1)
    ),
    r"MovingPoint: position takes \(\), but would be called with \(coordinate\)": lambda base, ball, hand: through(
        base, hand, rm.MovingPoint(base, lambda: (0, 0, 0), joint=hand)
    ),
    r"MovingPoint: its function '<lambda>' must return three numbers \(m\). Got shape \(2,\)": lambda base, ball, hand: through(
        base, hand, rm.MovingPoint(base, lambda q: (q, q), joint=hand)
    ),
    "must return three numbers .m.. Got None": lambda base, ball, hand: through(
        base, hand, rm.MovingPoint(base, lambda q: None, joint=hand)
    ),
    "'<lambda>' gives .0.0, 0.0, nan. at the coordinate 0.2, where the scene begins": lambda base, ball, hand: through(
        base, hand, rm.MovingPoint(base, lambda q: (0, 0, nan), joint=hand)
    ),
    "MovingPoint follows coordinate 1 of the joint 'hand', which has 1 coordinates": lambda base, ball, hand: through(
        base, hand, rm.MovingPoint(base, place, joint=hand, coordinate=1)
    ),
    "MovingPoint follows coordinate 0 of the joint 'base', which has no degree of freedom": lambda base, ball, hand: through(
        base, hand, rm.MovingPoint(base, place, joint=base)
    ),
    "ConditionalPoint follows coordinate 0 of the joint 'ball', SphericalEuler, which may change it": lambda base, ball, hand: through(
        base, hand, rm.ConditionalPoint(base.point(0, 0, 0.2), joint=ball, between=(0, 1))
    ),
    "ConditionalPoint: between is 1, expected two finite numbers": lambda base, ball, hand: through(
        base, hand, rm.ConditionalPoint(base.point(0, 0, 0.2), joint=hand, between=1)
    ),
    "ConditionalPoint: between is .1, 0., expected .* the lower one first": lambda base, ball, hand: through(
        base, hand, rm.ConditionalPoint(base.point(0, 0, 0.2), joint=hand, between=(1, 0))
    ),
    "ConditionalPoint: coordinate is 'q'": lambda base, ball, hand: through(
        base, hand, rm.ConditionalPoint(base.point(0, 0, 0.2), joint=hand, coordinate="q", between=(0, 1))
    ),
}


def through(base, hand, point) -> dict:
    return {"path": [base.point(0, 0, 0.1), point, hand]}


@pytest.mark.parametrize("message", IN_SCENES)
def test_muscles_of_a_scene(message, arm):
    with pytest.raises(SceneError, match=message):
        built(IN_SCENES[message], *arm)


def built(changes, scene, base, ball, hand) -> rm.Model:
    given = {"path": [base.point(0, 0, 0.3), hand], "force": 800, "optimal_length": 0.1, **changes(base, ball, hand)}
    scene.add_force(rm.Muscle(given.pop("path"), **given))
    return scene.model()


def test_a_muscle_of_a_scene_that_is_as_it_should_be(arm):
    assert built(lambda *bodies: {"excitation": 0.5, "initial": 0.2}, *arm).nv == 5
