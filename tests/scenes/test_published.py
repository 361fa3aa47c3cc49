"""`redmax run redmax:N --json -` gives the published numbers: each scene with its own step, duration, integrator and dynamics."""

from __future__ import annotations

import json

import numpy as np
import pytest

import redmax as rm
from redmax import cli
from redmax.scenes import find
from scenes.covering import COVERING
from scenes.reference_values import BDF, CONVERGED, IMPLICIT
from scenes.runs import scene_of


def relative(a, b):
    return np.abs(np.asarray(a) - b).max() / np.abs(b).max()


@pytest.fixture
def final(capsys):
    """The object that --json - prints."""

    def run(*arguments):
        assert cli.main(["run", *arguments, "--json", "-"]) == 0
        return json.loads(capsys.readouterr().out)

    return run


@pytest.mark.parametrize("reference", list(IMPLICIT))
def test_linearly_implicit_euler(final, reference):
    found = final(reference)
    H, q, qdot = IMPLICIT[reference]
    entry = find(reference)
    assert (found["integrator"], found["dynamics"]) == ("implicit", "redmax")
    assert (found["dt"], found["t"]) == (entry.dt, pytest.approx(entry.duration))
    assert found["energy"]["H"] == pytest.approx(H, rel=1e-9)
    assert relative(found["q"], q) < 1e-9
    assert relative(found["qdot"], qdot) < 1e-9


@pytest.mark.parametrize(("reference", "integrator"), list(BDF))
def test_backward_differentiation(final, reference, integrator):
    found = final(reference, *(["--integrator", "bdf2"] if integrator == "bdf2" else []))  # bdf1 is the default
    H, q, qdot = BDF[reference, integrator]
    assert (found["integrator"], found["dynamics"]) == (integrator, "redmax")
    assert found["energy"]["H"] == pytest.approx(H, rel=1e-9)
    if q is not None:
        assert relative(found["q"], q) < 1e-9
        assert relative(found["qdot"], qdot) < 1e-9


OTHERS = [pytest.param(reference, "redmax", marks=pytest.mark.long) for reference in ("redmax:-1", "redmax:1", "redmax:25")]


@pytest.mark.parametrize(("reference", "dynamics"), [*[(r, "recursive") for r in CONVERGED], *OTHERS])
def test_final_state_is_the_converged_one(reference, dynamics):
    entry = find(reference)
    run = rm.simulate(scene_of(reference), entry.duration, entry.dt, dynamics=dynamics, rtol=1e-10)
    q, qdot = CONVERGED[reference]
    assert run.t[-1] == pytest.approx(entry.duration)
    assert relative(run.q[-1], q) < 1e-6
    assert relative(run.qdot[-1], qdot) < 1e-6


def test_a_scene_that_recursive_dynamics_cannot_do_says_so():
    cannot = {entry.name for entry in COVERING if not cli.can_do("recursive", scene_of(entry.name).model())}
    assert cannot == {"coupled-chain"}


MORE = ("sculpture", "diff-spherical-chain", "deforming-surface", "joint-torque", "arm")


@pytest.mark.parametrize("name", ["pulled-chain", "diff-cable", "mass-springs", *[pytest.param(n, marks=pytest.mark.long) for n in MORE]])
def test_implicit_steps_do_not_depend_on_the_dynamics(name):
    scene, dt = scene_of(name), find(name).dt
    runs = [rm.simulate(scene, 25 * dt, dt, integrator="implicit", dynamics=d) for d in ("recursive", "redmax")]
    assert relative(runs[0].q, runs[1].q) < 1e-9
    assert relative(runs[0].qdot, runs[1].qdot) < 1e-9
