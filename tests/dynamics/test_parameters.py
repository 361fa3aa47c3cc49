"""Numbers of a scene that differ from world to world: against scenes that are built with them, and derivatives by them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import redmax as rm
from dynamics.agreement import agree
from dynamics.differences import rate
from forces.scenes import mechanism as three_bodies
from mechanisms import Mechanism, chain, every_kind, mechanisms, random_rotation
from random_examples import examples
from redmax.backends.base import make_runner, rolled_plan
from redmax.dynamics.common.inverse import inverse_dynamics, inverse_fields
from redmax.lie import so3
from redmax.model.parameters import known_parameters
from redmax.program.cotangent import cotangent
from redmax.program.program import Program
from redmax.program.tangent import tangent

seeds = st.integers(0, 2**16)
OF_BODY = ("mass", "inertia", "com", "at", "at.turn", "body.turn")
OF_SPRING = ("stiffness", "damping", "rest")


def names_of(m: Mechanism, rng: np.random.Generator) -> list[str]:
    """Some parameters of some links, at random."""
    found = [f"link{i}.{what}" for i in range(len(m.links)) for what in OF_BODY if rng.random() < 0.4]
    springs = [i for i, link in enumerate(m.links) if link.sample.joint.dof and link.stiffness.any()]
    return found + [f"joint{i}.{what}" for i in springs for what in OF_SPRING if rng.random() < 0.5] or ["link0.mass"]


def random_inertia(rng: np.random.Generator) -> np.ndarray:
    a, b, c = rng.uniform(0.05, 0.4, 3)
    R = random_rotation(rng)
    return R @ np.diag([b + c, a + c, a + b]) @ R.T


def random_values(m: Mechanism, names: list[str], rng: np.random.Generator) -> dict[str, np.ndarray]:
    known = known_parameters(m.model)
    made = {"inertia": lambda shape: random_inertia(rng), "rest": lambda shape: rng.normal(size=shape)}
    made |= {what: lambda shape: rng.normal(size=shape) for what in ("com", "at", "turn")}
    return {n: np.asarray(made.get(n.rpartition(".")[2], lambda shape: rng.uniform(0.5, 3.0, shape))(known[n].shape)) for n in names}


def rebuilt(m: Mechanism, values: dict[str, np.ndarray]) -> Mechanism:
    """The mechanism with these numbers in place of its own, body by body."""
    links = []
    for i, link in enumerate(m.links):
        at, body = link.at.copy(), link.body @ link.shape.frame
        mass = float(values.get(f"link{i}.mass", link.shape.mass))
        scale = 1.0 if isinstance(link.shape, rm.MassProperties) else mass / link.shape.mass  # a solid's inertia goes with its mass
        inertia = values.get(f"link{i}.inertia", link.shape.inertia * scale)
        at[:3, 3], body[:3, 3] = values.get(f"link{i}.at", at[:3, 3]), values.get(f"link{i}.com", body[:3, 3])
        for E, what in ((at, "at"), (body, "body")):
            E[:3, :3] = E[:3, :3] @ so3.exp(values.get(f"link{i}.{what}.turn", np.zeros(3)))
        springs = {what: np.atleast_1d(values.get(f"joint{i}.{what}", getattr(link, what))) for what in OF_SPRING}
        shape = rm.MassProperties(mass, inertia)
        links.append(replace(link, shape=shape, at=at, given_at=at, body=body, given_body=body, **springs))
    return replace(m, links=tuple(links))


def check_as_built(m: Mechanism, names: list[str], seed: int, backend: str = "interpret") -> None:
    """Forward and inverse dynamics, reactions, energies and poses, of one world and of several."""
    rng = np.random.default_rng([seed, 9])
    worlds = [random_values(m, names, rng) for _ in range(3)]
    s = m.state(seed)
    together = rm.Dynamics(m.model, backend, parameters={n: np.array([w[n] for w in worlds]) for n in names})
    q = np.repeat(s.q[None], 3, axis=0)
    found = together.forward(q, s.qdot, s.tau, t=s.t), together.inverse(s.q, s.qdot, s.qddot, t=s.t)
    seen = together.observe(s.q, s.qdot, t=s.t)
    for w, values in enumerate(worlds):
        alone = rm.Dynamics(rebuilt(m, values).model, backend)
        assert agree(found[0][w], alone.forward(s.q, s.qdot, s.tau, t=s.t), 1e-9)
        assert agree(found[1][w], alone.inverse(s.q, s.qdot, s.qddot, t=s.t), 1e-12, 1.0)
        expected = alone.observe(s.q, s.qdot, t=s.t)
        for part in ("kinetic", "potential", "pose", "twist", "momentum"):
            assert agree(getattr(seen, part)[w], getattr(expected, part), 1e-12, 1.0), part


@examples(2, 30)
@given(m=mechanisms(largest=5).filter(lambda m: m.nv > 0), seed=seeds)
def test_a_batch_is_what_scenes_built_with_these_numbers_give(m, seed):
    check_as_built(m, names_of(m, np.random.default_rng(seed)), seed)


def test_compiled_parameters():
    m = chain(3, ["Free", "Revolute", "Universal", "Prismatic", "SplineCurve"])
    check_as_built(m, [f"link{i}.{what}" for i in range(5) for what in OF_BODY] + ["joint1.stiffness", "joint2.damping"], 4, "llvm")


@pytest.mark.long
def test_compiled_parameters_of_every_kind_of_joint():
    m = every_kind(1)
    check_as_built(m, [f"link{i}.{what}" for i in range(len(m.links)) for what in ("mass", "at")], 5, "llvm")


def test_only_what_is_named_is_compiled_anew():
    """The kernels of all other joints and forces are those without parameters."""
    m = chain(3, ["Revolute", "Universal", "Prismatic", "Revolute"])
    plain, named = m.model.kernels_of[0], m.model.with_parameters(["link1.mass"]).kernels_of[0]
    assert [a.key == b.key for a, b in zip(plain, named, strict=True)] == [True, False, True, True]
    assert [s.parameters for s in named] == [0, 1, 0, 0]


def test_one_number_of_a_vector_leaves_the_others_as_they_are():
    m = chain(2, ["Revolute", "Universal"], "general")
    s, at = m.state(1), m.links[1].at[:3, 3].copy()
    found = rm.Dynamics(m.model, "interpret", parameters={"link1.at.y": [0.1, 0.2], "link1.com.z": [0.3, 0.4]}).forward(s.q, s.qdot, s.tau)
    for w, (y, z) in enumerate(((0.1, 0.3), (0.2, 0.4))):
        com = (m.links[1].body @ m.links[1].shape.frame)[:3, 3].copy()
        com[2] = z
        built = rebuilt(m, {"link1.at": np.array([at[0], y, at[2]]), "link1.com": com})
        assert agree(found[w], rm.Dynamics(built.model, "interpret").forward(s.q, s.qdot, s.tau), 1e-11)


def own_scene(k: float = 2.0) -> rm.Scene:
    """Forces made from functions, one of which takes the number twice: in its law and in its energy; and one within a joint."""
    scene, (a, b, _) = three_bodies(2)
    scene.add_force(rm.force(lambda s, k: [0, 0, -k * s.x[2]], potential=lambda s, k: 0.5 * k * s.x[2] ** 2, bodies=[a], k=k, name="well"))
    scene.add_force(rm.force(torque=lambda t, q, qdot, k: -k * q * q * q, joint=b, k=k, name="cubic"))
    return scene


def test_numbers_that_functions_take():
    model, rng = own_scene().model(), np.random.default_rng(0)
    q, qdot, k = model.q0, rng.normal(size=model.nv), np.array([1.5, 4.0])
    d = rm.Dynamics(model, "interpret", parameters={"well.k": k, "cubic.k": k})
    assert d.parameters.shape == (2, 2)  # one column each
    for w in range(2):
        alone = rm.Dynamics(own_scene(k[w]).model(), "interpret")
        assert agree(d.forward(q, qdot)[w], alone.forward(q, qdot), 1e-12)
        assert agree(d.observe(q, qdot).potential[w], alone.observe(q, qdot).potential, 1e-12)


NAMES = [f"link{i}.{what}" for i in range(3) for what in OF_BODY[:4]] + ["joint1.stiffness", "joint1.rest", "joint0.damping"]


@pytest.mark.parametrize("backend", ["interpret", "llvm"])
def test_derivatives_by_parameters(backend):
    """Tangents and cotangents of the joint forces, which are polynomials in these numbers: differences with long steps are exact."""
    m = chain(6, ["Universal", "Revolute", "torus"])
    model, rng, s = m.model.with_parameters(NAMES), np.random.default_rng(1), m.state(2)
    program = Program("tau", (inverse_dynamics,), inverse_fields(False, model), ("q", "qdot", "qddot", "t"), ("tau",))
    plan = rolled_plan(model, program, backend, keep=True)
    values, along = random_values(m, NAMES, rng), random_values(m, NAMES, rng)
    p, dp = (np.concatenate([x.columns(v[x.name]) for x in model.parameters]) for v in (values, along))
    state, w = [m.model.configurations.join(s.q), s.qdot, s.qddot, np.full(1, s.t)], rng.normal(size=m.nv)

    def run(derived, inputs):
        outputs = [np.empty((1, 1, len(slots))) for slots in derived.outputs]
        assert make_runner(derived, backend, "float64").run(inputs, outputs, 1) == 0
        return dict(zip(derived.names[1], [o[0, 0] for o in outputs], strict=True))

    def built(h: float) -> np.ndarray:
        moved = {n: values[n] + h * along[n] for n in NAMES}
        return rm.Dynamics(rebuilt(m, moved).model, "interpret").inverse(s.q, s.qdot, s.qddot, t=s.t)

    slope = run(tangent(plan), [*state, p, *[np.zeros_like(x) for x in state], dp])
    assert agree(slope["tau"], built(0.0), 1e-12)
    assert agree(slope["tangent of tau"], rate(built, 0.02), 1e-11)
    back = run(cotangent(plan, by=("parameters",)), [*state, p, w])
    assert abs(back["cotangent of parameters"] @ dp - w @ slope["tangent of tau"]) < 1e-12 * np.abs(w) @ np.abs(slope["tangent of tau"])


def arm() -> rm.Scene:
    scene = rm.Scene()
    upper = scene.add_body(rm.Cuboid((1, 0.1, 0.1), mass=1.0), joint=rm.Revolute("y"), com=(0.5, 0, 0), name="upper")
    fore = scene.add_body(rm.MassProperties(1.0, (0.1, 0.1, 0.1)), joint=rm.Universal(), parent=upper, at=(1, 0, 0), name="fore")
    scene.add_force(rm.SpringDamper(upper, fore.point(0, 0, 1), stiffness=3.0, name="spring"))
    return scene


WRONG = {
    "There is no parameter 'upper.mas'. Did you mean 'upper.mass'": {"upper.mas": 1.0},
    r"'upper.mass' must have shape \(\.\.\.\)|must be an array of numbers": {"upper.mass": "heavy"},
    r"'fore.at' must have shape \(\.\.\., 3\), with axes for worlds in front. Got \(2,\)": {"fore.at": [1, 2]},
    "'upper.mass' must be finite": {"upper.mass": [1.0, np.nan]},
    "mass.* is 0.0.* greater than 0|mass.*must be positive|Cuboid of body 'upper'": {"upper.mass": [1.0, 0.0]},
    "MassProperties.*0 or greater": {"fore.mass": [1.0, -1.0]},
    "sum of any two": {"fore.inertia": [np.eye(3), np.diag([1.0, 1.0, 5.0])]},
    "stiffness of body 'upper' must not be negative": {"upper.stiffness": [1.0, -2.0]},
    "SpringDamper.*stiffness": {"spring.stiffness": [1.0, -2.0]},
    "leading axes of the parameters must agree": {"upper.mass": [1.0, 2.0], "fore.mass": [1.0, 2.0, 3.0]},
    "overlap": {"fore.at": np.zeros(3), "fore.at.x": 1.0},
}


@pytest.mark.parametrize("sentence", WRONG)
def test_what_is_wrong_gets_a_sentence(sentence):
    with pytest.raises(rm.SceneError, match=sentence):
        rm.Dynamics(arm().model(), "interpret", parameters=WRONG[sentence])


def test_parameters_are_given_by_name():
    with pytest.raises(rm.SceneError, match="parameters is a dictionary"):
        rm.Dynamics(arm().model(), "interpret", parameters=[1.0])  # type: ignore[arg-type]


def test_frames_that_move_have_no_constant_jacobian():
    scene = rm.Scene()
    scene.add_body(rm.Cuboid((1, 0.1, 0.1)), joint=rm.Revolute("y"), name="arm")
    d = rm.Dynamics(scene.model(), "interpret", parameters={"arm.com.x": 0.4})
    with pytest.raises(rm.SceneError, match=r"'arm.com.x' moves"):
        d.jacobian([0.1])


def test_dense_inertias_of_worlds_that_differ():
    """As many worlds as coordinates, which are not to be taken for each other."""
    scene = chain(3, ["Revolute", "Universal"]).scene()
    q, masses = np.array([0.3, -0.4, 0.5]), [1.0, 2.0, 3.0]
    together = rm.Dynamics(scene, "interpret", parameters={"link1.mass": masses})
    for f in ("inertia", "inverse_inertia"):
        alone = [getattr(rm.Dynamics(scene, "interpret", parameters={"link1.mass": mass}), f)(q) for mass in masses]
        assert agree(getattr(together, f)(q), alone, 1e-13)
        assert agree(getattr(together, f)(np.stack([q, q, q])), alone, 1e-13)
