"""Coulomb's law by Newton's method on exact friction, where the outer iteration on slacks does not end.

Both are methods for the same law: where each is made to solve every step alone, bodies move alike.
"""

from __future__ import annotations

from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import redmax as rm
from contact.test_energy import CUBES, STEPS, heap, started
from contact.test_moments import string
from contact.test_solver import tower
from contact.worlds import DT
from random_examples import examples
from redmax.dynamics.contact import stages
from redmax.dynamics.contact.fields import CONVEX_PROBLEMS
from redmax.dynamics.contact.rows import T_IMPULSE, T_NORMAL, T_SLACK, T_SLIP, T_STATE
from redmax.dynamics.contact.runner import told_of
from redmax.scenes.falling_chain import build as chain

MU = 0.9


@pytest.fixture(scope="module")
def stiff() -> rm.Simulation:
    return rm.Simulation(heap(CUBES, friction=MU, stiff=True), dt=DT, integrator="implicit")


def solved(sim: rm.Simulation, seed: int) -> np.ndarray:
    """What the solver says of each step."""
    sim.reset(started(seed, 1.0))
    sim.advance(1, sim.torques(), *sim.room(STEPS))
    return told_of(sim.runner.notes).counts[:, 0]


def test_stiff_heaps_are_solved_where_the_outer_iteration_does_not_end(stiff):
    found = [solved(stiff, seed) for seed in range(40)]
    residuals = np.concatenate([counts[:, 2] for counts in found])
    assert np.nanmean(residuals > 1e-6) < 2e-4
    ends = [np.nanmax(counts[:, 3]) < CONVEX_PROBLEMS and np.nanmax(counts[:, 4]) < 400 for counts in found]
    assert ends.count(False) >= 2


@examples(20, 400)
@given(seed=st.integers(0, 10**6))
def test_heaps_of_much_friction_are_solved_in_all_steps(stiff, seed):
    assert np.nanmax(solved(stiff, seed)[:, 2]) <= 1e-3


def told(scene: rm.Scene, most: float, steps: int, backend: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Velocities and contacts after some steps, with so many convex problems in each, and what the solver says of them."""
    with patch.object(stages, "CONVEX_PROBLEMS", most):
        sim = rm.Simulation(scene, dt=DT, integrator="implicit", backend=backend)
    sim.advance(1, sim.torques(), *sim.room(steps))
    found = told_of(sim.runner.notes)
    return sim.qdot[0], found.table[-1, 0, : int(found.held[-1, 0])], found.counts[:, 0]


def found_both_ways(scene: rm.Scene, steps: int) -> np.ndarray:
    """Contacts in the end, where velocities agree."""
    expected, _, counts = told(scene, CONVEX_PROBLEMS, steps, "llvm")
    found, contacts, at_once = told(scene, 1.0, steps, "llvm")
    assert np.nanmax(counts[:, 2]) <= 1e-6
    assert np.nanmax(at_once[:, 2]) <= 1e-6
    assert (at_once[:, 3] == 1).any()  # which had nothing else
    assert np.abs(found - expected).max() < 2e-5
    return contacts


@pytest.mark.parametrize(("scene", "steps"), [(tower(0)[0], 12), (tower(2)[0], 12), (chain(height=0.02, bend=-0.2), 40)])
def test_both_methods_find_the_same_motion(scene, steps):
    contacts = found_both_ways(scene, steps)
    f, n = contacts[:, T_IMPULSE : T_IMPULSE + 3], contacts[:, T_NORMAL : T_NORMAL + 3]
    pressing, slides = (f * n).sum(axis=1), contacts[:, T_STATE] > 1.5
    beside, slip = f - pressing[:, None] * n, contacts[:, T_SLIP : T_SLIP + 3]
    assert slides.any()
    assert ((beside * slip).sum(axis=1)[slides] <= 1e-9).all()  # which takes energy


@pytest.mark.parametrize("seed", range(4))
def test_both_methods_find_the_same_motion_of_balls_whose_rolling_and_spinning_rubs(seed):
    contacts = found_both_ways(string(seed)[0], 12)
    assert (contacts[:, T_SLACK] > 1e-4).any()  # m/s: some of the laws of moments are on their limits


@pytest.mark.parametrize("scene", [tower(1)[0], string(1)[0]])
def test_interpreted_and_compiled_agree(scene):
    one, two = (told(scene, 1.0, 2, backend) for backend in ("llvm", "interpret"))
    assert one[0] == pytest.approx(two[0], abs=1e-9)
    assert one[2][:, 3:5] == pytest.approx(two[2][:, 3:5])
    assert one[2][:, 4].max() > 1


def test_where_nothing_is_found_a_step_ends_on_the_convex_solution():
    """A tolerance that no number meets: all is as it is without a second method."""
    found = []
    for second in (stages.at_once, lambda system: ()):
        limits = patch.object(stages, "TOLERANCE", 0.0), patch.object(stages, "CONVEX_PROBLEMS", 2.0)
        with limits[0], limits[1], patch.object(stages, "at_once", second):
            sim = rm.Simulation(tower(0)[0], dt=DT, integrator="implicit")
        sim.advance(1, sim.torques(), *sim.room(1))
        found.append((sim.qdot[0].copy(), told_of(sim.runner.notes)))
    (tried, one), (ended, two) = found
    assert tried == pytest.approx(ended, abs=1e-14)
    assert one.table == pytest.approx(two.table, abs=1e-12, nan_ok=True)
    assert one.counts[0, 0, 4] > two.counts[0, 0, 4] + 10
    assert one.counts[0, 0, 2] == two.counts[0, 0, 2] > 0  # and it says so
