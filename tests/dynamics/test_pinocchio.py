"""Another engine: Pinocchio on random trees of all the joints that both have."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import redmax as rm
from dynamics.agreement import agree
from dynamics.pinocchio_twin import KINDS, TURNING, Twin
from mechanisms import STYLES, every_kind, mechanisms
from random_examples import examples

MOVING = [k for k in KINDS if k != "Fixed"]


def centroidal(d, s):
    """What Dynamics says of the mechanism as a whole, by the names of the twin."""
    found = vars(d.centroidal(s.q, s.qdot, s.qddot))
    found |= dict(zip(("A", "Adot"), d.centroidal_momentum_matrix(s.q, s.qdot)))
    found |= dict(zip(("J", "Jdot"), d.center_of_mass_jacobian(s.q, s.qdot)))
    return found | {"gravity_forces": d.gravity_forces(s.q), "nonlinear_effects": d.nonlinear_effects(s.q, s.qdot)}


def check(m, d, seed):
    twin = Twin(m)
    s = m.state(seed)
    assert twin.model.nv == m.nv
    assert agree(d.forward(s.q, s.qdot, s.tau, s.wrench), twin.forward(s.q, s.qdot, s.tau, s.wrench), 1e-9)
    assert agree(d.inertia(s.q), twin.inertia(s.q), 1e-11)
    seen = d.observe(s.q, s.qdot)
    kinetic, potential = twin.energy(s.q, s.qdot)
    assert np.isclose(seen.kinetic, kinetic, rtol=1e-12)
    assert np.isclose(seen.potential, potential, rtol=1e-11, atol=1e-11)
    if 0 in twin.joint:  # what is fixed to the world has no mass in Pinocchio
        return
    ours, theirs = centroidal(d, s), twin.centroidal(s.q, s.qdot, s.qddot)
    assert {name: ours[name] for name, x in theirs.items() if not agree(ours[name], x, 1e-10, floor=1.0)} == {}


@examples(4, 30)
@given(m=mechanisms(kinds=MOVING + ["Fixed"], largest=10, forces=False).filter(lambda m: m.nv > 0), seed=st.integers(0, 2**16))
def test_interpreted_equals_pinocchio(m, seed):
    check(m, rm.Dynamics(m.model, backend="interpret"), seed)


@pytest.mark.parametrize(
    ("style", "backend"),
    [("none", "interpret"), *[pytest.param(style, "llvm", marks=pytest.mark.long) for style in STYLES]],
)
def test_every_kind_that_pinocchio_has(style, backend):
    m = every_kind(5, style, KINDS, forces=False)
    d = rm.Dynamics(m.model, backend=backend)
    for seed in range(2):
        check(m, d, seed)


def test_rates_of_matrices_where_pinocchio_knows_them():
    m = every_kind(5, "general", [k for k in MOVING if k not in TURNING], forces=False)
    check(m, rm.Dynamics(m.model, backend="interpret"), 1)
