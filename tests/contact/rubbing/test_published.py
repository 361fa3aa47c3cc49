"""redmax:27 to 29, and what of the published numbers is the rule by which turns end (RedMax notes Alg. 8)."""

from __future__ import annotations

import numpy as np
import pytest

import redmax as rm
from redmax.scenes import find

PUBLISHED = {"tolerance": 1e-3, "regularisation": 1e-6, "centripetal": False}


def H(run: rm.Trajectory) -> float:
    return float(run.energy.total[-1] - run.energy.potential[0])


def end_of(reference: str, dynamics: str = "redmax", **settings: object) -> float:
    entry = find(reference)
    scene = entry.scene()
    if settings:
        scene.set_staggering(**settings)  # type: ignore[arg-type]
    return H(rm.simulate(scene, entry.duration, entry.dt, integrator="implicit", dynamics=dynamics))


@pytest.mark.parametrize("dynamics", ["redmax", "recursive"])
def test_hinges_end_where_the_rule_of_the_published_numbers_leads(dynamics):
    assert np.isclose(end_of("redmax:27", dynamics), -137491.667, rtol=1e-8)


def test_adding_the_contact_force_again_gives_the_published_number():
    assert np.isclose(end_of("redmax:27", **PUBLISHED, add_contact_force=True), -137371.1285153437, rtol=1e-8)


def test_friction_that_is_converged_differs():
    found = end_of("redmax:27", **{**PUBLISHED, "tolerance": 1e-8}, iterations=1000)
    assert np.isclose(found, -137806.65, rtol=1e-7)


@pytest.mark.parametrize("reference", ["redmax:28", "redmax:29"])
def test_dynamics_agree(reference):
    assert np.isclose(end_of(reference), end_of(reference, "recursive"), rtol=1e-7)


def test_a_catalogue_run_needs_no_options():
    entry = find("redmax:27")
    assert (entry.integrator, entry.dynamics, entry.dt, entry.duration) == ("implicit", "redmax", 0.01, 1.0)


def test_normals_that_only_push_take_as_many_turns():
    turns = []
    for contact in ("bilateral", "unilateral"):
        scene = find("redmax:27").scene()
        scene.set_staggering(tolerance=1e-3, centripetal=False, contact=contact)
        sim = rm.Simulation(scene, dt=0.01, integrator="implicit", dynamics="redmax")
        turns.append(np.mean([sim.step() and sim.runner.notes["rub_turns"][-1, 0, 0] for _ in range(100)]))
    assert 0.8 < turns[0] / turns[1] < 1.25
