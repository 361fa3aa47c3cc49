"""Composites and inverses of random joints, nested: two dynamics agree, and energy is kept."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import redmax as rm
from dynamics.agreement import agree
from dynamics.test_systems_agree import accelerate
from joints.samples import condition, make_composite, make_inverted
from joints.test_composite import BOX, pendulum
from random_examples import examples

pytestmark = pytest.mark.filterwarnings("ignore:.*S is singular:redmax.errors.RedmaxWarning")  # elsewhere, as composites often are


@examples(12, 40)
@given(seed=st.integers(0, 2**16), aligned=st.booleans(), back=st.booleans())
def test_random_composites_recursive_equals_redmax(seed, aligned, back):
    rng = np.random.default_rng(seed)
    sample = (make_inverted if back else make_composite)(rng, aligned, 3)
    model = pendulum(sample.joint).model()
    q, qdot, tau = rng.uniform(-0.5, 0.5, (3, model.nv))
    q[1:-1] = sample.coordinates(rng)
    recursive = rm.Dynamics(model, backend="interpret").forward(q, qdot, tau)
    assert agree(accelerate("redmax", model, q, qdot, tau, 0.0, "interpret")[0], recursive, 1e-9)


@examples(4, 12)
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


def test_reference_scenes_19_and_35_conserve_energy():
    """Units cm, g, s: a hinge that slides along its axis, and two bars that float in a plane."""
    slide = rm.Scene(gravity=(0, 0, -980), units="cm g s")
    bar = rm.Cuboid((1, 1, 10), density=1)
    slide.add_body(bar, joint=rm.CompositeJoint(rm.Revolute("x"), rm.Prismatic("x")), com=(0, 0, 5), q=(0.1, 0), qdot=(0, 1))
    float_ = rm.Scene(gravity=(0, -1, 0), units="cm g s")
    long = rm.Cuboid((10, 1, 1), density=1)
    first = float_.add_body(long, joint=rm.Free2D(), qdot=(0, 0, 1))
    float_.add_body(long, parent=first, joint=rm.Revolute("z"), at=(5, 0, 0), com=(5, 0, 0), qdot=-1)
    for scene, kinetic, duration in ((slide, 5.0, 2.0), (float_, 167.0833333, 10.0)):
        run = rm.simulate(scene, duration, 0.01)
        assert run.energy.kinetic[0] == pytest.approx(kinetic)
        assert run.energy.drift.max() < 1e-6
