"""Tangents and cotangents of whole runs, by states, torques, step and parameters: every dynamics and method, against complex steps."""

from __future__ import annotations

from contextlib import suppress
from functools import partial
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import redmax as rm
from dynamics.group_scenes import bar, base
from dynamics.redmax_scenes import SCENES
from dynamics.steps_derived import STEPS, case, check_derivatives, differences
from dynamics.test_cotangent import all_forces
from mechanisms import Mechanism, chain, every_kind, mechanisms
from program.complex_steps import complex_rates
from random_examples import LONG, examples
from redmax.backends.base import rolled_plan
from redmax.dynamics.choose import system
from redmax.integrators import METHODS
from redmax.integrators.bdf import MARKS
from redmax.model.parameters import known_parameters
from redmax.program.cotangent import cotangent
from redmax.program.program import Host, Program
from redmax.program.tangent import tangent

METHODS_OF = {
    "recursive": ("forward-euler", "euler", "rk4", "implicit", "adaptive", "bdf1", "bdf2"),
    "redmax": ("euler", "rk4", "implicit", "adaptive"),
    "redmax tree": ("euler", "implicit"),
    "redmax cg": ("euler", "implicit"),
    "maximal": ("euler", "implicit", "bdf2", "adaptive"),
    "maximal project": ("euler", "implicit"),
}
PAIRS = [(dynamics, method) for dynamics, methods in METHODS_OF.items() for method in methods]


def with_parameters(m: Mechanism, rng: np.random.Generator, count: int = 3) -> rm.Model:
    """Some numbers of the mechanism are parameters: of bodies, springs, joints and tables, as far as they can be."""
    known = [name for name in known_parameters(m.model) if name.startswith(("link", "gravity")) and name[-2:] not in (".x", ".y", ".z")]
    model, names = m.model, list[str]()
    for name in rng.permutation(known)[:count].tolist():
        with suppress(rm.SceneError):  # some cannot be; the sentence says why
            model, names = m.model.with_parameters([*names, name]), [*names, name]
    return model


@examples(2, 60)
@given(m=mechanisms(largest=4).filter(lambda m: m.nv > 0), seed=st.integers(0, 2**16), pair=st.sampled_from(PAIRS))
def test_random_mechanisms(m, seed, pair):
    c = case(with_parameters(m, np.random.default_rng(seed)), *pair, m.state(seed), h=0.002)
    values, _ = complex_rates(c.plan, c.inputs, [0 * x for x in c.inputs], 1, STEPS, STEPS)
    assume(all(np.isfinite(v).all() and np.abs(v).max() < 1e3 for v in values[:2]))  # some cannot be stepped from there
    assume("marks" not in c.plan.names[1] or not values[2][..., MARKS.index("failed")].any())
    check_derivatives(c, seed=seed)


def moving(model: rm.Model, seed: int = 2) -> Any:
    rng = np.random.default_rng(seed)
    q = model.q0 + 0.1 * rng.normal(size=model.nq)
    return SimpleNamespace(q=q, qdot=rng.normal(size=model.nv), tau=rng.normal(size=model.nv), t=0.3)


@pytest.mark.parametrize(("dynamics", "method"), PAIRS)
def test_where_nothing_acts(dynamics, method):
    """Right sides, errors of steps and their roots are zero; derivatives are not."""
    scene = rm.Scene(gravity=(0, 0, 0))
    scene.add_body(rm.Cuboid((0.4, 0.1, 0.1)), joint=rm.Revolute("y"), com=(0.2, 0, 0))
    state = SimpleNamespace(q=np.array([0.3]), qdot=np.zeros(1), tau=np.zeros(1), t=0.0)
    compares = dynamics == "redmax cg" or method.startswith("bdf")
    check_derivatives(case(scene.model(), dynamics, method, state), **({"oracle": differences, "tolerance": 1e-9} if compares else {}))


DRIVEN = [pytest.param(*pair, marks=() if pair == ("recursive", "implicit") else pytest.mark.long) for pair in PAIRS[:-3]]


ON_GROUPS = ("recursive", "rk4"), ("recursive", "bdf2"), ("recursive", "implicit")
LIE = [("recursive", method) for method in ("mk4", "mk4-partitioned", "cg3", "cf4")]


@pytest.mark.parametrize(
    ("dynamics", "method"), [pytest.param(*pair, marks=() if pair in ON_GROUPS else pytest.mark.long) for pair in [*PAIRS, *LIE]]
)
@pytest.mark.parametrize("form", ["quaternion", pytest.param("pose", marks=pytest.mark.long)])
def test_joints_on_groups(dynamics, method, form):
    """By every number of q, also across the group; with what springs, dampers and a rotor do to a ball."""
    scene = rm.Scene()
    first = base(scene, form)
    second = bar(scene, form, first, damping=0.3, armature=0.01, stiffness=2.0)
    scene.add_force(rm.SpringDamper(first.point(0, 0, 0.1), second.point(0, 0, -0.1), stiffness=50, damping=1))
    model, rng = scene.model(), np.random.default_rng(1)
    state = SimpleNamespace(q=model.q0, qdot=model.qdot0 + 0.1 * rng.normal(size=model.nv), tau=rng.normal(size=model.nv), t=0.3)
    check_derivatives(case(model, dynamics, method, state, h=0.002))


@pytest.mark.parametrize(("dynamics", "method"), DRIVEN)
def test_rotors_tendons_limits_and_what_is_along_twists(dynamics, method):
    scene = rm.Scene()
    bar = rm.Cuboid((0.3, 0.05, 0.05), density=1000)
    hip = scene.add_body(bar, joint=rm.Revolute("y"), com=(0.15, 0, 0), name="hip", armature=0.1, gear=1.5)
    ball = {"armature": 0.02, "damping": 0.1, "acts_on": "twist"}
    top = scene.add_body(bar, joint=rm.Spherical(), parent=hip, at=(0.3, 0, 0), com=(0.15, 0, 0.02), name="ball", **ball)
    scene.add_body(bar, joint=rm.Prismatic("x"), parent=top, at=(0.3, 0, 0), com=(0.15, 0, 0), name="slide")
    scene.add_body(bar, joint=rm.Revolute("z"), parent=hip, com=(0.15, 0, 0), name="moved", motion=lambda t: [0.3 * rm.math.sin(t)])
    scene.add_force(rm.FixedTendon({"hip": 1.0, "slide": -0.5, "moved": 0.3}, stiffness=20.0, damping=0.3, rest=0.1, name="tendon"))
    scene.add_force(rm.Servo("hip", 0.5, kp=3.0, kd=0.1, limits=rm.MotorLimits(5.0, velocity=2.0, fade=1.0)))
    names = ["hip.armature", "hip.gear", "ball.armature", "tendon.stiffness", "tendon.joints.slide"]
    model = scene.model().with_parameters(names)
    check_derivatives(case(model, dynamics, method, moving(model), h=0.002))


CLOSED = [
    pytest.param(*pair, marks=() if pair == ("recursive", "implicit") else pytest.mark.long)
    for pair in PAIRS
    if "cg" not in pair[0] and "bdf" not in pair[1]
]


@pytest.mark.parametrize(("dynamics", "method"), CLOSED)
def test_closed_loops(dynamics, method):
    """Multipliers are solutions of systems whose rows are chosen by their size: derivatives do not see the choice."""
    scene = rm.Scene()
    bar = rm.Cuboid((0.3, 0.05, 0.05), density=1000)
    first = scene.add_body(bar, joint=rm.Revolute("y"), com=(0.15, 0, 0), q=-1.0)
    second = scene.add_body(bar, joint=rm.Universal(), parent=first, at=(0.3, 0, 0), com=(0.15, 0, 0), q=(0.1, 1.2))
    last = scene.add_body(bar, joint=rm.Spherical(), parent=second, at=(0.3, 0, 0), com=(0.15, 0, 0))
    scene.add_constraint(rm.PointClosure(last.point(0.15, 0, 0), (0.8, 0.1, 0.2), gain=3.0))
    scene.add_constraint(rm.Gear(first, second, 0.5, gain=3.0))
    scene.add_constraint(rm.Distance(second, (0.3, 0.4, 0.5), 0.5, compliance=0.02))
    check_derivatives(case(scene.model(), dynamics, method, moving(scene.model()), h=0.002))


def led(*ties: str) -> rm.Scene:
    """Two arms that are tied to the world, and begin where their constraints are met."""
    scene, bar = rm.Scene(), rm.Cuboid((0.3, 0.05, 0.05), density=1000)
    first = scene.add_body(bar, joint=rm.Revolute("y"), com=(0.15, 0, 0), q=-1.0, qdot=0.5, name="first")
    second = scene.add_body(bar, joint=rm.Universal(), parent=first, at=(0.3, 0, 0), com=(0.15, 0, 0), q=(0.1, 1.2), name="second")
    end = second.point(0.15, 0, 0)
    made = {
        "rod": lambda: rm.Distance(end, (0.8, 0.1, 0.2), name="rod"),
        "again": lambda: rm.Distance((0.8, 0.1, 0.2), end),  # which repeats the rod
        "wheel": lambda: rm.constraint(lambda a: [a.R[:, 1] @ a.v], bodies=[end], rows=1, velocities=True),
        "stop": lambda: rm.HardLimit("first", -1.0, 2.0),  # on which it begins, and which it leaves
        "soft": lambda: rm.Distance(end, (0.8, 0.1, 0.2), compliance=1e-4),
        "wire": lambda: rm.PointOnCurve(end, rm.curves.Circle(0.4), (0, 0, 0.2)),
    }
    for tie in ties:
        scene.add_constraint(made[tie]())
    scene.assemble()
    return scene


LED = [(method, ties) for ties in (("rod",), ("rod", "again"), ("wheel", "stop"), ("soft",), ("wire",)) for method in ("bdf1", "bdf2")]


@pytest.mark.parametrize(("method", "ties"), [pytest.param(*x, marks=() if x == LED[0] else pytest.mark.long) for x in LED])
def test_multipliers_of_backward_differences(method, ties):
    """Newton's method solves for them: derivatives are those of the solution, also by what constraints are made from."""
    scene = led(*ties)
    model = scene.model().with_parameters(["rod.length"] if ties == ("rod",) else [])
    state = SimpleNamespace(
        q=model.q0, qdot=np.concatenate([link.qdot for link in model.links]) / 0.3, tau=np.array([0.1, 0.3, -0.2]), t=0.0
    )
    found = case(model, "recursive", method, state, h=0.002)
    check_derivatives(found)
    if LONG and "stop" not in ties:  # where differences see the kink
        check_derivatives(found, oracle=partial(differences, e=1e-6), tolerance=1e-5)


TABLES = ["joint1.frames", "joint2.radii", "gravity", "joint1.stiffness", "link2.inertia"]


@pytest.mark.parametrize(
    ("dynamics", "method"),
    [("redmax", "implicit"), *[pytest.param(*p, marks=pytest.mark.long) for p in PAIRS if p != ("redmax", "implicit")]],
)
def test_entries_of_tables(dynamics, method):
    """A spline's frames are read at a computed place; their cotangents are added there."""
    m = chain(3, ["Revolute", "SplineCurve", "torus"])
    check_derivatives(case(m.model.with_parameters(TABLES), dynamics, method, m.state(1), h=0.002))


FIRST = ("exact", "twisted and prescribed", "led and twisted")  # what the others have, each of them has too


@pytest.mark.parametrize("kind", [kind if kind in FIRST else pytest.param(kind, marks=pytest.mark.long) for kind in SCENES])
@pytest.mark.parametrize("method", [pytest.param("euler", marks=pytest.mark.long), "implicit"])
def test_redmax_systems(kind, method):
    """Along the tree and dense, symmetric or not, with rows of prescribed twists, led by a map."""
    model = SCENES[kind]().model()
    check_derivatives(case(model, "redmax", method, moving(model)))


@pytest.mark.parametrize(
    ("dynamics", "method"),
    [("recursive", "euler"), *[pytest.param("recursive", method, marks=pytest.mark.long) for method in ("rk4", "implicit", "bdf1")]],
)
def test_all_forces(dynamics, method):
    check_derivatives(case(all_forces(), dynamics, method, moving(all_forces())))


EACH = [("recursive", "euler"), ("recursive", "implicit"), ("recursive", "bdf1"), ("redmax", "euler")]


@pytest.mark.long
@pytest.mark.parametrize(("dynamics", "method"), EACH)
def test_every_kind_of_joint(dynamics, method):
    m = every_kind(1)
    check_derivatives(case(m.model, dynamics, method, m.state(1), h=0.001), tolerance=1e-10)


@pytest.mark.parametrize(
    ("dynamics", "method"),
    [("recursive", "bdf1"), *[pytest.param(*p, marks=pytest.mark.long) for p in PAIRS if p != ("recursive", "bdf1")]],
)
def test_compiled_worlds_that_part(dynamics, method):
    """Lanes take the turns that each of them needs, forwards and backwards."""
    m = chain(3, ["Universal", "Revolute", "Spherical"] if LONG else ["Universal", "Revolute"])
    check_derivatives(case(with_parameters(m, np.random.default_rng(1)), dynamics, method, m.state(1), backend="llvm"), "llvm", worlds=9)


def test_what_calls_python_has_no_derivative():
    scene = rm.Scene()
    scene.add_body(rm.Cuboid((1, 1, 1)), joint=rm.Revolute("y"), com=(1, 0, 0))
    model = scene.model()
    method = METHODS["euler"].program
    assert method is not None
    inner = method(system("recursive", model))
    program = Program("asked", (Host("a controller", lambda view: None), *inner.stages), inner.fields, inner.inputs, inner.outputs)
    for derivative in (tangent, cotangent):
        with pytest.raises(rm.RedmaxError, match=r"'asked' calls Python \(a controller\), of which nobody knows the derivative"):
            derivative(rolled_plan(model, program, "interpret"))
