"""Linearly implicit steps of mechanisms with forces between their bodies: against a dense oracle of differences, and each other."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import redmax as rm
from dynamics.agreement import agree
from dynamics.force_oracle import implicit_acceleration, one_step, random_forces, step_of
from mechanisms import KINDS, STYLES, Mechanism, StateSample, assemble, random_parents
from random_examples import examples
from redmax.dynamics.choose import System, couples, system
from redmax.dynamics.recursive import forces as coupled

H = 0.01


def made(
    seed: int, count: int, *, roots: float = 0.2, forces: int = 4, kind: str = "symmetrised", prescribed: int = 0, away: float = 0.0
) -> tuple[rm.Model, StateSample]:
    """A random mechanism with forces between its bodies; its first `prescribed` joints given; `away`: how far from the origin (m)."""
    rng = np.random.default_rng([seed, 41])
    plan = [(str(rng.choice(KINDS)), str(rng.choice(STYLES)), p) for p in random_parents(rng, count, roots)]
    found = assemble(seed, plan)
    shift, links = away * np.array([0.6, -0.64, 0.48]), list(found.links)
    for i, link in enumerate(links):
        at = link.at.copy()
        at[:3, 3] += shift if link.parent < 0 else 0.0
        links[i] = replace(link, torque=None, at=at, given_at=at)
    moved = Mechanism(tuple(links), found.wrenches, found.gravity)
    scene = moved.scene()
    for force in random_forces(rng, [scene.find(f"link{i}") for i in range(count)], forces, kind, shift):
        scene.add_force(force)
    return scene.model().with_prescribed([f"joint{i}" for i in range(prescribed)]), moved.state(seed)


def oracle(model: rm.Model, s: StateSample, h: float = H) -> np.ndarray:
    return implicit_acceleration(model, s.q, s.qdot, s.tau, s.t, h, s.qddot)


def stepped(name: str, model: rm.Model, s: StateSample, h: float = H, backend: str = "interpret") -> np.ndarray:
    """One step by a dynamics; interpreted, as what is compiled is compared with that below."""
    return one_step(system(name, model, backend=backend), s, h, backend)


@pytest.mark.parametrize("seed", [2, *[pytest.param(seed, marks=pytest.mark.long) for seed in (0, 1)]])
def test_against_a_dense_oracle(seed):
    """Trees and forests of all kinds of joints."""
    model, s = made(seed, 3 + seed, roots=0.1 * seed)
    expected = oracle(model, s)
    assert couples(model)
    assert agree(stepped("recursive", model, s), expected, 1e-8)
    assert agree(stepped("redmax", model, s), expected, 1e-8)


def test_prescribed_joints():
    """Their accelerations are as given, and what they do to the others through forces and tree is in the system."""
    model, s = made(10, 4, prescribed=2)
    found = stepped("recursive", model, s)
    known = np.repeat(model.prescribed, [link.joint.dof for link in model.links])
    assert 0 < known.sum() < len(known)
    assert agree(found[known], s.qddot[known], 1e-12)
    assert agree(found, oracle(model, s), 1e-8)
    assert agree(stepped("redmax", model, s), found, 1e-10)


def test_all_joints_prescribed():
    model, s = made(12, 3, prescribed=3)
    assert agree(stepped("recursive", model, s), s.qddot, 1e-12)


@pytest.mark.parametrize("seed", [20, pytest.param(21, marks=pytest.mark.long)])
def test_far_from_the_origin(seed):
    """A kilometre away: positions lose three digits, which the springs multiply, and nothing more is lost."""
    model, s = made(seed, 4, away=1e3)
    near, _ = made(seed, 4)
    root = [i for i, link in enumerate(model.links) if link.parent < 0]
    assert all(np.linalg.norm(model.links[i].at[:3, 3]) > 900 for i in root)
    expected = stepped("recursive", near, s)
    for name in ("recursive", "redmax"):
        assert agree(stepped(name, model, s), expected, 1e-9)


def test_exact_stiffness():
    """stiffness_kind="exact": the same with K and D as they are, which is another result."""
    model, s = made(30, 4, kind="exact")
    expected = oracle(model, s)
    found = stepped("recursive", model, s)
    assert agree(found, expected, 1e-8)
    assert agree(stepped("redmax", model, s), found, 1e-10)
    halved, _ = made(30, 4)
    assert not agree(stepped("recursive", halved, s), found, 1e-6)


@given(seed=st.integers(0, 2**16), count=st.integers(1, 5), prescribed=st.integers(0, 2))
@examples(2, 8)
def test_recursive_is_redmax(seed, count, prescribed):
    """In every backend, at any step from none to a second."""
    model, s = made(seed, count, roots=0.3, forces=6, prescribed=min(prescribed, count))
    ways = [("redmax", "interpret"), ("recursive", "interpret"), ("recursive", "llvm"), ("redmax", "llvm")]
    steps = {way: step_of(system(way[0], model, backend=way[1]), way[1]) for way in ways}
    for h in (1e-6, 0.3):
        expected = steps[ways[0]](s, h)
        scale = max(np.abs(expected).max(initial=0.0), 1e-6)
        for way in ways[1:]:
            assert agree(steps[way](s, h), expected, 1e-9, scale), way


def alone(seed: int, kind: str) -> tuple[rm.Model, StateSample]:
    """Forces from the world to single bodies only."""
    rng = np.random.default_rng(seed)
    kinds = ("Spherical", "Revolute", "Universal", "Prismatic", "Free")
    plan = [(str(rng.choice(kinds)), "general", p) for p in random_parents(rng, 4, 0.2)]
    mechanism = assemble(seed, plan)
    mechanism = replace(mechanism, links=tuple(replace(link, torque=None) for link in mechanism.links))
    scene = mechanism.scene()
    for i in range(4):
        b, anchor = scene.find(f"link{i}"), rng.normal(size=3)
        options = (
            rm.SpringDamper(anchor, b.point(*0.2 * rng.normal(size=3)), stiffness=300, damping=3, rest=0.6),
            rm.BodyDamping(b, angular=0.3, linear=2.0),
            rm.Bushing(rm.pose(np.eye(3), anchor), b, translational=80, rotational=5, translational_damping=2),
            rm.AppliedWrench(b.point(0.1, 0, 0.3), torque=(1, 2, 3), force=(3, -1, 2)),
        )
        for k in rng.choice(4, 2, replace=False):
            scene.add_force(options[k].replaced(stiffness_kind=kind))
    return scene.model().with_prescribed(["joint1"]), mechanism.state(seed)


@pytest.mark.parametrize(("seed", "kind"), [(0, "symmetrised"), (1, "definite")])
def test_joint_by_joint_where_forces_touch_single_bodies(seed, kind):
    """Alg. 10 of the notes is the dense system, in O(n)."""
    model, s = alone(seed, kind)
    assert not couples(model)
    quick = stepped("recursive", model, s, backend="llvm" if kind == "definite" else "interpret")
    whole = System("whole", (), coupled.stages(model), lambda **more: coupled.coupled_fields(model, **more), model)
    assert agree(quick, one_step(whole, s, H, "interpret"), 1e-10)
    assert agree(quick, stepped("redmax", model, s), 1e-10)
    if kind == "symmetrised":  # which the oracle finds by differences
        assert agree(quick, oracle(model, s), 1e-8)


def test_many_worlds():
    """Side by side in lanes, or one after the other."""
    model, s = made(40, 5, prescribed=1)
    recursive = system("recursive", model)
    for worlds in (2, 21):
        rng = np.random.default_rng(worlds)
        many = replace(s, **{n: getattr(s, n) + 0.05 * rng.normal(size=(worlds, model.nv)) for n in ("q", "qdot", "tau", "qddot")})
        together = one_step(recursive, many, H)
        for i in range(0, worlds, 4):
            single = replace(s, **{n: getattr(many, n)[i] for n in ("q", "qdot", "tau", "qddot")})
            assert agree(together[i], one_step(recursive, single, H), 1e-11)


def chain() -> rm.Scene:
    """A hanging chain braced by springs, for whole runs."""
    scene, parent, handles = rm.Scene(), None, []
    for i in range(5):
        at, joint = (0.3 * (i > 0), 0, 0), rm.Spherical() if i == 2 else rm.Revolute("xyzyx"[i])
        parent = scene.add_body(rm.Cuboid((0.3, 0.05, 0.08)), joint=joint, parent=parent, at=at, com=(0.15, 0, 0), q=[0.2] * joint.dof)
        handles.append(parent)
    scene.add_force(rm.SpringDamper(handles[0].point(0, 0.1, 0), handles[3].point(0, 0.1, 0), stiffness=2e4, damping=50))
    scene.add_force(rm.Cable([(0.5, 0.5, 1), handles[2], handles[4]], stiffness=20, damping=0.1, rest=0.7))
    scene.add_force(rm.Bushing(handles[1], handles[4], translational=20, rotational=3))
    return scene


def test_runs_in_batches_and_backends():
    """Leading axes of the initial state; each world as by itself; the interpreter; single precision."""
    model = chain().model()
    rng = np.random.default_rng(5)
    start = rm.State(0.0, model.q0 + 0.01 * rng.normal(size=(2, 3, model.nq)), 0.3 * rng.normal(size=(2, 3, model.nv)))
    runs = rm.simulate(model, 0.02, 0.0025, integrator="implicit", initial=start, progress=False)
    assert runs.q.shape == (9, 2, 3, model.nq)
    one = rm.State(0.0, start.q[1, 2], start.qdot[1, 2])
    for options in ({}, {"backend": "interpret"}):
        single = rm.simulate(model, 0.02, 0.0025, integrator="implicit", initial=one, progress=False, **options)
        assert agree(runs.q[:, 1, 2], single.q, 1e-9)
    rough = rm.simulate(model, 0.02, 0.0025, integrator="implicit", initial=one, dtype="float32", progress=False)
    assert agree(rough.q, runs.q[:, 1, 2], 1e-3)


@cache
def accurate_end() -> np.ndarray:
    """By a method that has no use for stiffness."""
    return rm.simulate(chain(), 0.05, 0.05, rtol=1e-11, progress=False).q[-1]


@pytest.mark.parametrize("kind", ["symmetrised", "exact", pytest.param("definite", marks=pytest.mark.long)])
def test_of_first_order(kind):
    """Halving the step halves the distance to an accurate run, with symmetric and with exact stiffness."""
    exact, scene = accurate_end(), chain()
    scene.forces[:] = [f.replaced(stiffness_kind=kind) for f in scene.forces]
    model = scene.model()
    errors = [np.abs(rm.simulate(model, 0.05, h, integrator="implicit", progress=False).q[-1] - exact).max() for h in (2e-4, 1e-4, 5e-5)]
    assert errors[0] / errors[1] == pytest.approx(2, abs=0.2)
    assert errors[1] / errors[2] == pytest.approx(2, abs=0.2)


def test_maximal_dynamics_feels_the_forces():
    """In maximal coordinates the same motion, up to the drift of the joints; and the same step, up to the second order of its length."""
    model, names = chain().model(), ("maximal", "recursive")
    runs = [rm.simulate(model, 0.015, 1e-3, integrator="rk4", dynamics=name, progress=False) for name in names]
    assert agree(runs[0].q[-1], runs[1].q[-1], 1e-8)
    assert agree(runs[0].qdot[-1], runs[1].qdot[-1], 1e-7)
    apart = []
    for h in (1e-3, 5e-4):
        runs = [rm.simulate(model, h, h, integrator="implicit", dynamics=name, progress=False) for name in names]
        apart.append(np.abs(runs[0].qdot[-1] - runs[1].qdot[-1]).max())
    assert apart[1] < 0.3 * apart[0]
