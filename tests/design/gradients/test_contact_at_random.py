"""Gradients of runs with contact of random scenes: springs, constraints, moments, materials and laws of pairs beside each other."""

from __future__ import annotations

import numpy as np
import pytest

import redmax as rm
from design.gradients.test_contact import along, cost

KINDS = ("spring", "pair", "bounces", "gives way", "turns", "limit", "tied", "rope", "capsule", "hinge", "motor")


def scene_of(rng: np.random.Generator) -> tuple[rm.Scene, set[str]]:
    """A ball, a box or a capsule with or without a body on a hinge, and one more ball, over the ground; and what there is of KINDS."""
    has = {kind for kind in KINDS if rng.random() < 0.4}
    scene = rm.Scene()
    scene.add_ground(contact=rm.ContactMaterial(friction=0.5, restitution=0.3 if "bounces" in has else 0.0))
    soft = {"compliance": 1e-3, "damping": 0.03} if "gives way" in has else {}
    turns = {"rolling": 0.004, "torsional": 0.003} if "turns" in has else {}
    own = rm.ContactMaterial(friction=0.4, restitution=0.5 if "bounces" in has else 0.0, **soft, **turns)
    spin, fall = 0.5 * rng.normal(size=6), 0.5 * rng.normal(size=6) - [0, 0, 0, 0.5, 0, 1.0]
    height = 0.115 if "bounces" in has else 0.0999
    a = scene.add_body(rm.Sphere(0.1, mass=1), joint=rm.Free(), at=(0, 0, height), qdot=spin, contact=own, name="a")
    shape = rm.Capsule(0.05, 0.2, mass=0.6) if "capsule" in has else rm.Cuboid((0.12, 0.14, 0.1), mass=0.6)
    b = scene.add_body(shape, joint=rm.Free(), at=(0.17, 0.01, 0.16), qdot=fall, contact=0.5, name="b")
    if "hinge" in has:
        held = {"at": (0.15, 0, 0.02), "com": (0.05, 0, 0), "damping": 0.01, "stiffness": 0.5, "contact": 0.3}
        scene.add_body(rm.Sphere(0.04, mass=0.2), parent=b, joint=rm.Revolute("y"), name="c", **held)
    given = {"at": (-0.25, 0.02, 0.0599), "qdot": (0.6, 0, 0), "contact": 0.3}
    d = scene.add_body(rm.Sphere(0.06, mass=0.4), joint=rm.Translational(), name="d", **given)
    if "pair" in has:
        scene.set_contact("a", "b", rm.ContactMaterial(friction=0.25, restitution=0.2))
    if "spring" in has:
        scene.add_force(rm.SpringDamper(a.point(0, 0, 0), d.point(0, 0, 0), stiffness=50.0, rest=0.2, damping=0.5))
    if "tied" in has:
        scene.add_constraint(rm.Distance(a, d, 0.25, compliance=1e-3))
    if "rope" in has:
        scene.add_constraint(rm.Rope([b, d], 0.46))
    if {"limit", "hinge"} <= has:
        scene.add_constraint(rm.HardLimit("c", -0.05, 0.04))
    if {"motor", "hinge"} <= has:
        scene.add_constraint(rm.PrescribedCoordinate("c", lambda t: 2.0 * t, force_limits=0.05))
    return scene, has


@pytest.mark.long
@pytest.mark.parametrize("seed", range(12))
def test_random_scenes(seed):
    """By rates, torques, friction, a mass and a centre of mass, in all steps, laws and dynamics; alone and in a batch."""
    rng = np.random.default_rng(seed)
    scene, has = scene_of(rng)
    integrator, dynamics = ("euler", "implicit")[rng.integers(2)], ("recursive", "redmax")[rng.integers(2)]
    options = {"integrator": integrator, "dynamics": dynamics, "friction": "exact" if "turns" in has or seed % 2 else "convex"}
    by = ["a.contact.friction", "a.mass", "b.com", "ground.contact.friction", *(["b-a.contact.friction"] if "pair" in has else [])]
    g, model = rm.gradient(scene, cost, 0.04, 0.004, by=["qdot", "tau", *by], **options), scene.model()
    found = g()
    ways = {name: 0.05 * rng.normal(size=x.shape) for name, x in g.defaults.items()}
    rates, torques = rng.normal(size=model.nv), rng.normal(size=found.by["tau"].shape)

    def value(e: np.ndarray) -> float:
        return g.value(qdot=model.qdot0 + e * rates, tau=e * torques, parameters={n: x + e * ways[n] for n, x in g.defaults.items()})

    slope = found.by["qdot"] @ rates + np.sum(found.by["tau"] * torques) + sum(np.sum(found.by[n] * w) for n, w in ways.items())
    off = [abs(along(value, np.array(1.0), e) - slope) / max(1.0, abs(slope)) for e in (1e-5, 1e-6)]
    assert min(off) < 1e-7
    together = g(qdot=np.stack([model.qdot0, model.qdot0 + 1e-3 * rates])).by["tau"][:, 0]
    assert np.allclose(together, found.by["tau"], rtol=1e-10, atol=1e-12)
    assert np.allclose(found.end.q, rm.simulate(scene, 0.04, 0.004, **options).q[-1], atol=1e-6)
