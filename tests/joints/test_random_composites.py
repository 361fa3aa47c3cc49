"""Composites and inverses of random joints, nested: two dynamics agree, and energy is kept."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import redmax as rm
from dynamics.agreement import agree
from dynamics.test_systems_agree import accelerate
from joints.regular_coordinates import condition
from joints.samples import make_composite, make_inverted
from joints.test_composite import BOX, pendulum
from random_examples import examples

pytestmark = pytest.mark.filterwarnings("ignore:.*S is singular:redmax.errors.RedmaxWarning")  # elsewhere, as composites often are


@examples(6, 40)
@given(seed=st.integers(0, 2**16), aligned=st.booleans(), back=st.booleans())
def test_random_composites_recursive_equals_redmax(seed, aligned, back):
    rng = np.random.default_rng(seed)
    sample = (make_inverted if back else make_composite)(rng, aligned, 3)
    model = pendulum(sample.joint).model()
    q, qdot, tau = rng.uniform(-0.5, 0.5, (3, model.nv))
    q[1:-1] = sample.coordinates(rng)
    recursive = rm.Dynamics(model, backend="interpret").forward(q, qdot, tau)
    assert agree(accelerate("redmax", model, q, qdot, tau, 0.0, "interpret")[0], recursive, 1e-9)


@examples(2, 12)
@given(seed=st.integers(0, 2**16), aligned=st.booleans(), back=st.booleans())
def test_random_composites_conserve_energy(seed, aligned, back):
    """As long as their coordinates stay regular."""
    rng = np.random.default_rng(seed)
    sample = (make_inverted if back else make_composite)(rng, aligned, 2)
    scene = rm.Scene(gravity=(0, 0, -3.0))
    scene.add_body(BOX, joint=sample.joint, com=(0.1, -0.1, 0.05), check_joint=False)
    q = sample.coordinates(rng)
    run = rm.simulate(scene, 0.3, 0.05, rtol=1e-9, initial=rm.State(0.0, q, rng.uniform(-0.5, 0.5, len(q))))
    regular = np.array([condition(sample.motion, x) for x in run.q]) < 1e3
    kept = run.energy.drift[: np.argmin(regular) if not regular.all() else None]
    assert (kept < 1e-6).all()
