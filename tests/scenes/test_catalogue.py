"""The catalogue is complete, its names are found, and wrong ones are answered with near ones."""

from __future__ import annotations

import json

import numpy as np
import pytest

import redmax as rm
from redmax.cli import choose_methods
from redmax.errors import SceneError
from redmax.integrators import METHODS
from redmax.integrators.bodies import OF_BODIES
from redmax.integrators.lie import ALONG_GROUPS
from redmax.run.absolute_conditions import beyond_bodies
from redmax.run.combinations import allowed
from redmax.run.options import RunOptions
from redmax.scenes import CATALOGUE, DEFAULT, find
from scenes.covering import COVERING, features
from scenes.reference_values import WITH_NUMBERS
from scenes.runs import built_once, run_of, scene_of

PUBLISHED = {f"redmax:{n}" for n in range(-1, 36)} | {f"redmax-diff:{n}" for n in range(15)}


OURS = [entry for entry in CATALOGUE if not entry.reference and not entry.name.endswith("-rows")]  # test_loops has those


@pytest.mark.parametrize("entry", OURS, ids=lambda entry: entry.name)
def test_every_scene_of_our_own_runs_by_its_default_method(entry):
    """And keeps its energy if the catalogue says so."""
    run = run_of(entry.name)
    assert run.complete
    assert run.model.title == entry.title
    assert (run.energy.drift.max() < 1e-6) == entry.conservative
    assert entry.conservative or run.energy.drift.max() > 1e-3


@pytest.mark.parametrize("entry", [entry for entry in CATALOGUE if entry.reference], ids=lambda entry: entry.name)
def test_every_published_scene_runs_by_its_default_method(entry):
    if entry.reference in WITH_NUMBERS:
        assert scene_of(entry.name).title == entry.title  # whole runs are in test_published, test_by_hand and test_planar
        return
    run = rm.simulate(scene_of(entry.name), 3 * entry.dt, entry.dt, integrator=entry.integrator, dynamics=entry.dynamics)
    assert len(run) == 4
    assert np.isfinite([run.q, run.qdot]).all()
    assert run.model.title == entry.title


SELDOM = {m.name for m in ALONG_GROUPS} - {"cf4"}  # to these scenes they are one like the other, and much like rk4
ALONE = {m.name for m in OF_BODIES}  # whose scenes are in test_bodies
OTHERS = [(entry.name, m) for entry in COVERING for m in METHODS if m != entry.integrator and m not in ALONE]


@pytest.mark.parametrize(("name", "integrator"), [pytest.param(*c, marks=pytest.mark.long if c[1] in SELDOM else ()) for c in OTHERS])
def test_every_other_method_runs_on_scenes_with_every_feature(name, integrator, monkeypatch):
    monkeypatch.setenv("REDMAX_OPTIMISATION", "0")  # for three steps; by their default methods the scenes run as users run them
    entry = find(name)
    scene = scene_of(entry.name)
    if not allowed(scene.model(), RunOptions(integrator=integrator)):
        model = scene.model()
        smooth = any(c.one_sided for c in model.constraints)  # of which smooth methods of fixed steps know nothing
        beyond = model.constraints or model.map is not None or model.soft  # more than trees
        if integrator == "generalized-alpha":
            beyond = beyond_bodies(model, RunOptions())
        assert smooth or (integrator in ("variational", "generalized-alpha") and beyond)
        return
    dynamics, _ = choose_methods(built_once(entry), None, integrator)
    run = rm.simulate(scene, 3 * entry.dt, entry.dt, integrator=integrator, dynamics=dynamics)
    assert np.isfinite([run.q, run.qdot]).all()


def test_methods_of_bodies_by_themselves_are_for_none_of_these_scenes():
    assert not any(allowed(scene_of(entry.name).model(), RunOptions(integrator=m)) for entry in COVERING for m in ALONE)


def test_these_scenes_hold_every_feature():
    """All but the tied nodes, which every method meets in tests of deformables."""
    there = set().union(*map(features, CATALOGUE))
    assert len(COVERING) == 11
    assert there - set().union(*map(features, COVERING)) == {"nodes tied to bodies"}
    assert len(there) > 20


def test_names_and_ids_are_found_and_unique():
    names = [name for entry in CATALOGUE for name in (entry.name, entry.reference) if name]
    assert len(names) == len(set(names))
    for entry in CATALOGUE:
        assert find(entry.name) is entry
        assert not entry.reference or find(entry.reference) is entry


def test_every_published_scene_is_there():
    assert {entry.reference for entry in CATALOGUE if entry.reference} == PUBLISHED


@pytest.mark.parametrize(("wrong", "near"), [("sculptur", "sculpture"), ("simple-chian", "simple-chain"), ("redmax:140", "redmax:14")])
def test_wrong_names_are_answered_with_near_ones(wrong, near):
    with pytest.raises(SceneError, match=f"There is no scene '{wrong}'. Did you mean .*'{near}'"):
        find(wrong)


def test_facts_are_json():
    facts = json.loads(json.dumps([entry.facts() for entry in CATALOGUE]))
    assert {"name", "title", "reference", "features", "duration", "dt", "integrator", "dynamics", "conservative", "units"} == set(facts[0])


def test_defaults_are_those_of_where_the_scene_is_from():
    usual = {
        "redmax": ("redmax", "implicit", "cm g s"),
        "redmax-diff": ("redmax", "bdf1", "cm g s"),
        "": ("recursive", "adaptive", "m kg s"),
    }
    own = {"soft-gripper": ("recursive", "implicit", "m kg s"), "mass-springs": ("recursive", "adaptive", "cm g s")}
    own["banner"] = own["soft-gripper"]
    own |= {entry.name: own["soft-gripper"] for entry in CATALOGUE if "contact" in entry.features and not entry.reference}
    for entry in CATALOGUE:
        code = "redmax" if entry.name.endswith("-rows") else entry.reference.partition(":")[0]
        expected = own.get(entry.name, usual[code])
        assert (entry.dynamics, entry.integrator, entry.units) == expected, entry.name
        assert choose_methods(built_once(entry), None, None) == (entry.dynamics, entry.integrator), entry.name
        assert scene_of(entry.name).units == entry.units, entry.name


def test_default_scene_is_worth_looking_at():
    """Several kinds of joints, and an energy plot that is flat while energy goes back and forth."""
    run = run_of(DEFAULT)
    assert len({type(link.joint) for link in run.model.links}) >= 6
    assert run.energy.drift.max() < 1e-7
    assert np.ptp(run.energy.kinetic) > 0.3 * run.energy.kinetic.max()
    assert (run.pose("handle")[:, 2, 2] < -0.5).any()  # it flips
    assert (run.pose("handle")[len(run) // 2 :, 2, 2] > 0.5).any()


def test_humanoid_keeps_its_momentum():
    run = run_of("humanoid")
    np.testing.assert_allclose(run.momentum, np.broadcast_to(run.momentum[0], run.momentum.shape), atol=1e-6)


def test_helix_swings_as_its_closed_form():
    """Without the pendulum, the nut is a harmonic oscillator about the angle where spring and weight balance."""
    from redmax.scenes.helix import CLIMB, RADIUS, helix

    scene, shape, k = rm.Scene(), rm.Sphere(0.07, mass=1), 0.25
    scene.add_body(shape, joint=rm.joint(helix, dof=1, radius=RADIUS, climb=CLIMB), q=2.0, rest=0, stiffness=k)
    run = rm.simulate(scene, 10, rtol=1e-10)
    inertia = RADIUS**2 + CLIMB**2 + shape.inertia[2, 2]
    middle = -9.81 * CLIMB / k
    np.testing.assert_allclose(run.q[:, 0], middle + (2.0 - middle) * np.cos(np.sqrt(k / inertia) * run.t), atol=1e-8)
