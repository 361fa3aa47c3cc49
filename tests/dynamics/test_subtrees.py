"""Another engine: MuJoCo on random trees, body by body: what hangs on each, and inertia, gravity and velocities of the whole."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import redmax as rm
from dynamics.agreement import agree
from dynamics.mujoco_twin import KINDS, Twin
from mechanisms import Mechanism, every_kind, mechanisms
from random_examples import examples


def grounded(m: Mechanism) -> Mechanism:
    """Free joints on the world, where MuJoCo has them."""
    return Mechanism(tuple(replace(k, parent=-1) if k.sample.kind.startswith("Free") else k for k in m.links), (), m.gravity)


def compared(m: Mechanism, d: rm.Dynamics, seed: int, bodies: range) -> Iterator[tuple[str, np.ndarray, np.ndarray]]:
    """(what, ours, MuJoCo's); bodies: the numbers of those whose subtrees are compared, -1 for the whole."""
    twin, s = Twin(m), m.state(seed)
    T, Tdot = twin.put(s.q, 0 * s.qdot)
    yield "gravity", d.gravity_forces(s.q), -T.T @ twin.data.qfrc_bias
    T, Tdot = twin.put(s.q, s.qdot)
    M = twin.inertia()
    yield "inertia", d.inertia(s.q), T.T @ M @ T
    yield "nonlinear", d.nonlinear_effects(s.q, s.qdot), T.T @ (twin.data.qfrc_bias + M @ Tdot @ s.qdot)
    for i in bodies:
        name, b = (f"link{i}", twin.bodies[i]) if i >= 0 else (None, 0)
        part = d.centroidal(s.q, s.qdot, body=name)
        yield "masses", part.mass, twin.model.body_subtreemass[b]
        yield "centres", part.center, twin.data.subtree_com[b]
        yield "velocities", part.velocity, twin.data.subtree_linvel[b]
        yield "angular", part.momentum[:3], twin.data.subtree_angmom[b]
        yield "J of centres", d.center_of_mass_jacobian(s.q, body=name)[0], twin.center_jacobian(b) @ T
        if i >= 0:
            yield "A", d.centroidal_momentum_matrix(s.q, body=name)[0][:3], twin.angular_momentum_matrix(b) @ T


def check(m: Mechanism, d: rm.Dynamics, seed: int, bodies: range) -> None:
    wrong = [(what, ours, theirs) for what, ours, theirs in compared(m, d, seed, bodies) if not agree(ours, theirs, 1e-10, floor=1.0)]
    assert wrong == []


@examples(3, 30)
@given(m=mechanisms(kinds=KINDS, largest=6, forces=False).filter(lambda m: m.nv > 0), seed=st.integers(0, 2**16))
def test_subtrees_are_those_of_mujoco(m, seed):
    m = grounded(m)
    check(m, rm.Dynamics(m.model, backend="interpret"), seed, range(-1, len(m.links), 3))


@pytest.mark.long
def test_compiled_subtrees_are_those_of_mujoco():
    m = grounded(every_kind(4, "general", KINDS * 2, forces=False))
    check(m, rm.Dynamics(m.model), 1, range(-1, len(m.links)))
