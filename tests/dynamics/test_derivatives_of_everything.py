"""Derivatives of random trees with all kinds of forces between their bodies and muscles: equal to complex steps, and Pinocchio's."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

import redmax as rm
from dynamics.agreement import agree
from dynamics.test_derivatives import by_complex_steps
from forces.samples import SAMPLES
from mechanisms import Mechanism, assemble, mechanisms
from random_examples import examples

seeds = st.integers(0, 2**16)
trees = mechanisms(largest=5).filter(lambda m: len(m.links) > 2 and 1 < m.nv < 16)


def with_forces(m: Mechanism, names: list[str], muscle: bool, seed: int) -> rm.Scene:
    """The mechanism with these forces, each between bodies of its own, and a muscle over three of them."""
    scene, rng = m.scene(), np.random.default_rng(seed)
    handles = [scene.find(f"link{i}") for i in range(len(m.links))]
    for name in names:
        a, b, c = rng.permutation(len(handles))[:3]
        scene.add_force(SAMPLES[name].make(handles[a], handles[b], handles[c]))
    if muscle:
        a, b, c = (handles[i].point(*rng.normal(size=3)) for i in rng.permutation(len(handles))[:3])
        law = {"pennation": 0.2, "curves": "millard"} if seed % 2 else {"damping": 0.1}
        scene.add_force(rm.Muscle([a, b, c], force=100.0, optimal_length=0.8, tendon_length=0.3, activation=0.4, **law))
    return scene


@examples(3, 40)
@given(m=trees, names=st.lists(st.sampled_from(sorted(SAMPLES)), min_size=1, max_size=3), muscle=st.booleans(), seed=seeds)
def test_random_trees_with_all_forces(m, names, muscle, seed):
    d = rm.Dynamics(with_forces(m, names, muscle, seed), "interpret")
    s = m.state(seed)
    found = d.forward_derivatives(s.q, s.qdot, s.tau, s.wrench, s.t)
    for a, b in zip(found, by_complex_steps(d, s, True)):
        assert agree(a, b, 1e-10, floor=1.0)
    inverse = d.inverse_derivatives(s.q, s.qdot, s.qddot, s.wrench, s.t)
    for a, b in zip(inverse, by_complex_steps(d, s, False)):
        assert agree(a, b, 1e-11, floor=1.0)


def on_groups(m: Mechanism) -> Mechanism:
    """The same with quaternions, whose velocities are twists, as Pinocchio's are."""
    joints = {"Spherical": rm.Spherical("quaternion"), "Free": rm.Free("quaternion")}
    links = [(x, joints.get(x.sample.kind, x.sample.joint)) for x in m.links]
    return replace(m, links=tuple(replace(x, sample=replace(x.sample, joint=joint), rest=joint.home) for x, joint in links))


def configuration(m: Mechanism, q: np.ndarray) -> np.ndarray:
    """Rotation vectors as quaternions, and places behind them."""
    parts: list[np.ndarray] = []
    for i, link in enumerate(m.links):
        own = q[m.of(i)]
        if link.sample.kind in ("Spherical", "Free"):
            E = np.asarray(link.sample.motion(own), float)
            x, y, z, w = Rotation.from_matrix(E[:3, :3]).as_quat()
            own = np.array([w, x, y, z, *(E[:3, 3] if link.sample.kind == "Free" else ())])
        parts.append(own)
    return np.concatenate(parts)


@pytest.mark.parametrize("seed", [1, 2])
def test_pinocchio_has_the_same_of_free_and_ball_joints(seed):
    pin = pytest.importorskip("pinocchio")
    from dynamics.pinocchio_twin import Twin

    kinds = ["Free", "Revolute", "Spherical", "Prismatic", "Helical", "Spherical"]
    m = assemble(seed, [(kind, "general", parent) for kind, parent in zip(kinds, [-1, 0, 1, 0, 3, 4], strict=True)], forces=False)
    twin, d, s = Twin(m), rm.Dynamics(on_groups(m).scene()), m.state(seed)
    q, x = configuration(m, s.q), twin.configuration(s.q)
    P = np.eye(m.nv)
    P[:6, :6] = np.roll(np.eye(6), 3, axis=0)  # Pinocchio has linear velocities first
    by_q, by_v, by_a = pin.computeRNEADerivatives(twin.model, twin.data, x, P @ s.qdot, P @ s.qddot)
    upper = np.triu(by_a) + np.triu(by_a, 1).T
    for found, expected in zip(d.inverse_derivatives(q, s.qdot, s.qddot), (by_q, by_v, upper)):
        assert agree(found, P.T @ expected @ P, 1e-11)
    pin.computeABADerivatives(twin.model, twin.data, x, P @ s.qdot, P @ s.tau)
    inverse = np.triu(twin.data.Minv) + np.triu(twin.data.Minv, 1).T
    for found, expected in zip(d.forward_derivatives(q, s.qdot, s.tau), (twin.data.ddq_dq, twin.data.ddq_dv, inverse)):
        assert agree(found, P.T @ expected @ P, 1e-9)


@pytest.mark.parametrize("seed", [1, 2])
def test_compiled_with_forces_between_bodies(seed):
    """Code and NumPy agree; along-the-tree recursions know of what couples branches."""
    m = assemble(seed, [(kind, "general", p) for kind, p in (("Revolute", -1), ("Universal", 0), ("Spherical", 0), ("Helical", 1))])
    scene = with_forces(m, ["bushing", "cable", "own"], True, seed)
    s = m.state(seed)
    for a, b in zip(*(rm.Dynamics(scene, x).forward_derivatives(s.q, s.qdot, s.tau, s.wrench, s.t)[:4] for x in ("llvm", "interpret"))):
        assert agree(a, b, 1e-11)
