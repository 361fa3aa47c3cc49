"""Arguments of joints, shapes and forces that differ from world to world, tables too: against scenes built with them, and derivatives."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest

import redmax as rm
from dynamics.agreement import agree, disagreement
from dynamics.differences import rate
from forces.samples import SAMPLES
from forces.scenes import mechanism as three_bodies
from mechanisms import Mechanism, chain, every_kind
from redmax.backends.base import make_runner, rolled_plan
from redmax.components.numbers import made_with, numbers_in
from redmax.dynamics.common.inverse import inverse_dynamics, inverse_fields
from redmax.lie import se3
from redmax.model.parameters import known_parameters
from redmax.program.cotangent import cotangent
from redmax.program.kernel import Kernel
from redmax.program.plan import Plan
from redmax.program.program import Program
from redmax.program.tangent import tangent

WORLDS = 2
TOGETHER = ("values", "stiffness", "translational", "damping")  # arrays that keep their form: zeros, symmetry
Build = Callable[[dict[str, np.ndarray]], rm.Model]


def near(value: np.ndarray, argument: str, rng: np.random.Generator) -> np.ndarray:
    """Another value of the same kind."""
    if value.shape[-2:] == (4, 4):
        return value @ se3.exp(0.05 * rng.normal(size=(*value.shape[:-2], 6)))
    alike = argument in TOGETHER and value.ndim > 1
    return value * (1 + rng.uniform(-0.1, 0.1, () if alike else value.shape))


def check_as_built(model: rm.Model, names: list[str], build: Build, backend: str) -> None:
    """Accelerations, energies, poses and twists of several worlds are those of the worlds' own models, and none of the scene's."""
    rng, known = np.random.default_rng(0), known_parameters(model)
    worlds = [{n: near(known[n].default.reshape(known[n].shape), n.rpartition(".")[2], rng) for n in names} for _ in range(WORLDS)]
    q, qdot = model.q0 + 0.05, rng.normal(size=model.nv)
    together = rm.Dynamics(model, backend, parameters={n: np.array([w[n] for w in worlds]) for n in names})
    found, seen = together.forward(q, qdot, t=0.2), together.observe(q, qdot, t=0.2)
    plain = rm.Dynamics(model, backend).forward(q, qdot, t=0.2)
    for w, values in enumerate(worlds):
        alone = rm.Dynamics(build(values), backend)
        assert agree(found[w], alone.forward(q, qdot, t=0.2), 1e-11)
        assert disagreement(found[w], plain) > 1e-4
        expected = alone.observe(q, qdot, t=0.2)
        for part in ("kinetic", "potential", "pose", "twist", "momentum"):
            assert agree(getattr(seen, part)[w], getattr(expected, part), 1e-12, 1.0), part


def path_of(m: Mechanism, name: str) -> tuple[int, tuple[str, ...]]:
    """The number of the link, and where the number stands in its joint."""
    joint, _, argument = name.partition(".")
    i = int(joint.removeprefix("joint"))
    return i, next(p for p in numbers_in(m.links[i].sample.joint) if ".".join(x for x in p if x != "parameters") == argument)


def with_joints(m: Mechanism, values: dict[str, np.ndarray]) -> rm.Model:
    """The mechanism with joints that are made with other numbers."""
    links = list(m.links)
    for name, value in values.items():
        i, path = path_of(m, name)
        links[i] = replace(links[i], sample=replace(links[i].sample, joint=made_with(links[i].sample.joint, {path: value})))
    return replace(m, links=tuple(links)).model


def may_differ(joint: rm.Joint, path: tuple[str, ...], value: np.ndarray) -> bool:
    """Whether with another number the motion is defined where it was."""
    try:
        other = made_with(joint, {path: near(value, path[-1], np.random.default_rng(1))})
    except rm.SceneError:  # as of knots, or of rows that add up to one
        return False
    return other.domain == joint.domain


@pytest.mark.parametrize("backend", ["interpret", pytest.param("llvm", marks=pytest.mark.long)])
def test_numbers_of_every_joint(backend):
    m = every_kind(1)
    names = [
        f"joint{i}.{'.'.join(x for x in path if x != 'parameters')}"
        for i, link in enumerate(m.links)
        for path, value in numbers_in(link.sample.joint).items()
        if may_differ(link.sample.joint, path, value)
    ]
    assert len(names) > 15
    assert sum(name.endswith("axis") for name in names) > 3
    check_as_built(m.model, names, lambda values: with_joints(m, values), backend)


def test_tables_in_lanes():
    m = chain(3, ["SplineCurve", "Revolute"])
    check_as_built(m.model, ["joint0.frames", "link0.at"], lambda values: moved(m, values), "llvm")


def moved(m: Mechanism, values: dict[str, np.ndarray]) -> rm.Model:
    at = m.links[0].at.copy()
    at[:3, 3] = values["link0.at"]
    other = replace(m, links=(replace(m.links[0], at=at, given_at=at), *m.links[1:]))
    return with_joints(other, {"joint0.frames": values["joint0.frames"]})


def with_forces(values: dict[str, np.ndarray]) -> rm.Model:
    """Every kind of force, some made with other numbers."""
    scene, handles = three_bodies(1)
    for k, kind in enumerate(SAMPLES.values()):
        own = {tuple(n.split(".")[1:]): v for n, v in values.items() if n.startswith(f"f{k}.")}
        scene.add_force(made_with(kind.make(*handles), own).replaced(name=f"f{k}"))
    return scene.model()


@pytest.mark.parametrize("backend", ["interpret", pytest.param("llvm", marks=pytest.mark.long)])
def test_numbers_of_every_force(backend):
    """All that a constructor takes: constants, points of bodies and of the world, poses, stiffnesses, rest lengths."""
    model = with_forces({})
    names = [n for n, p in known_parameters(model).items() if p.path and n.startswith("f") and n not in ("f0.damping", "f15.rest")]
    assert len(names) > 60
    check_as_built(model, names, with_forces, backend)


def solids(radius: float = 0.1, density: float = 500.0, g: float = -9.81) -> rm.Scene:
    scene = rm.Scene(gravity=(0, 0, g))
    ball = scene.add_body(rm.Sphere(radius, density=density), joint=rm.Revolute("y"), com=(0.4, 0, 0), name="ball")
    bar = scene.add_body(
        rm.Cuboid((0.5, 0.1, 0.1), density=density), joint=rm.Revolute("x"), parent=ball, at=(0.4, 0, 0), com=(0.2, 0, 0.1)
    )
    scene.add_force(rm.Muscle([(0, 0, 1), ball, bar], force=50.0, optimal_length=0.5, activation=0.4, pennation=0.1, name="pull"))
    return scene


def test_shapes_muscles_and_gravity():
    radii, g = np.array([0.08, 0.12]), np.array([-9.0, -1.6])
    given = {"ball.radius": radii, "gravity": np.stack([0 * g, 0 * g, g], axis=1), "body2.density": 500.0, "pull.force": [40.0, 50.0]}
    run = rm.simulate(solids(), 0.05, 0.01, integrator="rk4", parameters=given)
    for w in range(2):
        alone = solids(radii[w], g=g[w])
        alone.forces[0] = made_with(alone.forces[0], {("force",): np.array(given["pull.force"][w])}).replaced(name="pull")
        expected = rm.simulate(alone, 0.05, 0.01, integrator="rk4")
        assert agree(run.q[:, w], expected.q, 1e-12)
        assert agree(run.energy.total[:, w], expected.energy.total, 1e-12)
        assert agree(run.force("pull").tension[:, w], expected.force("pull").tension, 1e-12)


@cache
def tabled() -> Mechanism:
    return chain(3, ["SplineCurve", "Revolute", "Helical"])


def of_tables(m: Mechanism, backend: str, *names: str) -> tuple[Plan, list[np.ndarray]]:
    """Inverse dynamics by parameters, and its inputs."""
    model, s = m.model.with_parameters(names), m.state(2)
    program = Program("tau", (inverse_dynamics,), inverse_fields(False, model), ("q", "qdot", "qddot", "t"), ("tau",))
    inputs = [m.model.configurations.join(s.q), s.qdot, s.qddot, np.full(1, s.t), np.concatenate([x.default for x in model.parameters])]
    return rolled_plan(model, program, backend, keep=True), inputs


def result(plan: Plan, backend: str, *inputs: np.ndarray) -> dict[str, np.ndarray]:
    """Its outputs by name, (worlds, n) if an input is."""
    worlds = max((len(x) for x in inputs if x.ndim == 2), default=0)
    given = [np.ascontiguousarray(np.broadcast_to(x, (worlds or 1, x.shape[-1]))) for x in inputs]
    outputs = [np.empty((1, worlds or 1, len(slots))) for slots in plan.outputs]
    assert make_runner(plan, backend, "float64").run(given, outputs, worlds or 1) == 0
    return dict(zip(plan.names[1], [o[0] if worlds else o[0, 0] for o in outputs], strict=True))


@pytest.mark.parametrize("backend", ["interpret", "llvm"])
def test_derivatives_by_entries_of_tables(backend):
    """Tangents and cotangents of the joint forces by the screws of a spline and by a pitch, against differences; and their own."""
    m, rng = tabled(), np.random.default_rng(1)
    plan, (*state, p) = of_tables(m, backend, "joint0.frames", "joint2.pitch")
    dp, w = rng.normal(size=p.size), rng.normal(size=m.nv)
    still = [np.zeros_like(x) for x in state]
    slope = result(tangent(plan), backend, *state, p, *still, dp)["tangent of tau"]
    assert agree(slope, rate(lambda h: result(plan, backend, *state, p + h * dp)["tau"], 1e-3), 1e-8)

    reverse = cotangent(plan, by=("parameters",))
    back = result(reverse, backend, *state, p, w)["cotangent of parameters"]
    assert np.count_nonzero(back) > 10
    assert abs(back @ dp - w @ slope) < 1e-11 * np.abs(back) @ np.abs(dp)

    moves = result(tangent(reverse), backend, *state, p, w, *still, dp, 0 * w)["tangent of cotangent of parameters"]
    assert agree(moves, rate(lambda h: result(reverse, backend, *state, p + h * dp, w)["cotangent of parameters"], 1e-3), 1e-8)
    twice = cotangent(reverse, by=("parameters", "cotangent of tau"))
    found = result(twice, backend, *state, p, w, 0 * w, dp)  # of dp' back, which is symmetric in p and linear in w
    assert agree(found["cotangent of parameters"], moves, 1e-11)
    assert agree(found["cotangent of cotangent of tau"], slope, 1e-11)


def test_worlds_in_lanes_add_to_entries_of_their_own():
    """Worlds at different places of a spline, each as it is alone."""
    m, rng = tabled(), np.random.default_rng(2)
    plan, (q, *rest) = of_tables(m, "llvm", "joint0.frames")
    reverse, w = cotangent(plan, by=("parameters", "q")), rng.normal(size=(7, m.nv))
    places = q + np.linspace(0.0, 3.0, 7)[:, None] * np.eye(len(q))[0]
    together = result(reverse, "llvm", places, *rest, w)
    for k in range(7):
        for name, x in result(reverse, "interpret", places[k], *rest, w[k]).items():
            assert agree(together[name][k], x, 1e-11), name


def test_code_does_not_grow_with_tables():
    """Their entries are read and added to at computed places, forwards and backwards."""

    def size(frames: int) -> int:
        scene = rm.Scene()
        curve = [se3.exp(np.array([0.3 * k, 0.1, 0.0, 0.2 * k, 0.0, 0.1])) for k in range(frames)]
        scene.add_body(rm.Sphere(0.1, mass=1.0), joint=rm.SplineCurve(curve), name="bead", q=(0.5,))
        model = scene.model().with_parameters(["bead.frames"])
        program = Program("tau", (inverse_dynamics,), inverse_fields(False, model), ("q", "qdot", "qddot", "t"), ("tau",))
        reverse = cotangent(rolled_plan(model, program, "interpret", keep=True), by=("parameters",))
        return sum(k.operations for g in reverse.groups for k in g.kernels if isinstance(k, Kernel) and k.name.startswith("reverse"))

    assert size(40) < 1.1 * size(10)


REFUSED = {
    r"There is no parameter 'joint2.pich'. Did you mean 'joint2.pitch'": {"joint2.pich": 1.0},
    r"'joint0.frames' must have shape \(\.\.\., \d+, 4, 4\)": {"joint0.frames": np.eye(4)},
    "frame 0 has a rotation block": {"joint0.frames": np.ones((9, 4, 4))},
}


@pytest.mark.parametrize("sentence", REFUSED)
def test_what_is_wrong_gets_a_sentence(sentence):
    frames = known_parameters(tabled().model)["joint0.frames"].shape
    given = {n: np.ones(frames) if n == "joint0.frames" and np.ndim(v) == 3 else v for n, v in REFUSED[sentence].items()}
    with pytest.raises(rm.SceneError, match=sentence):
        rm.Dynamics(tabled().model, "interpret", parameters=given)


def test_a_point_and_the_centre_of_its_body_move_it_together():
    """Each alone is a constant as it is; together they add."""
    for centre, point in ((0.3, 0.1), (0.5, 0.2)):
        given = {"ball.com.x": centre, "cord.b": (point, 0.0, 0.0)}
        found = rm.Dynamics(tied().model(), "interpret", parameters=given).forward([0.2], [0.1])
        assert agree(found, rm.Dynamics(tied(centre, point).model(), "interpret").forward([0.2], [0.1]), 1e-12)


def tied(centre: float = 0.0, point: float = 0.4) -> rm.Scene:
    scene = rm.Scene()
    ball = scene.add_body(rm.Sphere(0.1, mass=1.0), joint=rm.Revolute("y"), com=(centre, 0, 0), name="ball")
    scene.add_force(rm.SpringDamper((0, 0, 1), ball.point(point, 0, 0), stiffness=9.0, rest=0.3, name="cord"))
    return scene


def test_what_makes_other_code_is_refused():
    with pytest.raises(rm.SceneError, match=r"'f0.damping' cannot be a parameter: other code is needed"):
        rm.Dynamics(with_forces({}), "interpret", parameters={"f0.damping": 1.0})
    with pytest.raises(rm.SceneError, match=r"'ball.mass' and 'ball.radius' overlap"):
        rm.Dynamics(solids().model(), "interpret", parameters={"ball.mass": 1.0, "ball.radius": 0.2})


def hinged(axis: Any = "y", normal: Any = "z") -> rm.Scene:
    """Axes by name, of a joint and of a constraint; the joint's child and a spring are in frames that turn with it."""
    scene = rm.Scene()
    upper = scene.add_body(rm.Cuboid((0.4, 0.1, 0.2)), joint=rm.Revolute(axis), com=(0.2, 0.1, 0), name="upper")
    lower = scene.add_body(rm.Cuboid((0.3, 0.1, 0.1)), joint=rm.Prismatic((1, 0.2, 0)), parent=upper, at=(0.4, 0, 0), name="lower")
    scene.add_force(rm.SpringDamper(lower.point(0, 0.2, 0), (0, 0, 1), stiffness=9.0, rest=0.3, name="cord"))
    scene.add_constraint(rm.PointInPlane(upper.point(0.3, 0, 0), normal=normal, compliance=0.01, name="floor"))
    return scene


def test_axes_by_name_are_numbers():
    q, qdot, rng = [0.2, 0.1], [0.3, -0.2], np.random.default_rng(1)
    given = {"upper.axis": np.array([0.2, 0.9, 0.1]), "floor.normal": np.array([0.1, 0.2, 1.0])}
    d = rm.Dynamics(hinged(), parameters=given)
    assert agree(d.forward(q, qdot), rm.Dynamics(hinged(*given.values())).forward(q, qdot), 1e-11)
    for name, slope in d.forward_derivatives(q, qdot).parameters.items():
        along = rng.normal(size=3)
        moved = lambda s: rm.Dynamics(hinged(*[x + s * along * (n == name) for n, x in given.items()]), "interpret")  # noqa: B023, E731
        assert agree(slope @ along, rate(lambda s: moved(s).forward(q, qdot), 1e-3), 1e-8)  # noqa: B023


def test_all_names_can_be_listed():
    names = tabled().model.parameter_names()
    assert {"joint0.frames", "joint2.pitch", "link0.mass", "link1.at.x", "gravity", "joint1.stiffness"} <= set(names)
    assert not any(name.endswith((".order", ".cyclic")) for name in names)


def test_a_matrix_that_is_no_pose_is_what_the_sentence_shows():
    scene = rm.Scene()
    body = scene.add_body(rm.Cuboid((0.1, 0.1, 0.1), mass=1), joint=rm.Free(), name="a")
    scene.add_force(rm.Bushing((body, np.eye(4)), (0, 0, 1), translational=1, name="mount"))
    with pytest.raises(rm.SceneError, match=r"Bushing 'mount' has the place .*2\..* on body 'a'\. Valid: a point \(x, y, z\), or a pose"):
        rm.Dynamics(scene, parameters={"mount.a.1": 2.0 * np.eye(4)})
