"""Islands of bodies that touch each other end their iterations by themselves: what one needs is nothing to another."""

from __future__ import annotations

from unittest.mock import patch

import numpy as np
import pytest

import redmax as rm
from contact.worlds import DT
from redmax.dynamics.contact.runner import told_of
from redmax.dynamics.contact.stages import ContactSystem
from redmax.scenes.stacks import rotation_of

SIZE, FAR = 0.2, 20.0  # m


def heaps(*seeds: int) -> rm.Scene:
    """Four boxes that fall on each other, for each seed; far apart."""
    scene = rm.Scene()
    scene.add_ground(contact=0.8)
    for k, seed in enumerate(seeds):
        random = np.random.default_rng(seed)
        for n in range(4):
            at = rm.pose(rotation_of(random.normal(size=4)), (*random.uniform(-0.1, 0.1, 2), 0.15 + 0.25 * n))
            at[0, 3] += FAR * k
            scene.add_body(rm.Cuboid((SIZE,) * 3, mass=1.0), joint=rm.Free3D(), at=at, contact=0.8, name=f"{seed} {n}")
    return scene


def ran(scene: rm.Scene, steps: int, **options: str) -> tuple[np.ndarray, np.ndarray]:
    """Coordinates after some steps, and what the solver says of each step."""
    sim = rm.Simulation(scene, dt=DT, integrator="implicit", **options)
    sim.advance(1, sim.torques(), *sim.room(steps))
    return sim.q[0].copy(), told_of(sim.runner.notes).counts[:, 0]


@pytest.mark.parametrize("friction", ["exact", "convex"])
def test_heaps_far_apart_move_as_each_does_alone(friction):
    """As near as the tolerance lets them differ, before chaos takes over."""
    seeds, steps = (1, 2, 3), 150
    together, counts = ran(heaps(*seeds), steps, friction=friction)
    assert np.nanmax(counts[:, 2]) <= 1e-6
    assert np.nanmax(counts[:, 1]) > 8
    for k, seed in enumerate(seeds):
        alone, _ = ran(heaps(seed), steps, friction=friction)
        found = together[24 * k : 24 * k + 24].copy()
        assert np.abs(found - alone).max() < 2e-4


def test_what_one_island_needs_is_not_taken_for_another():
    """Steps of many islands take about as many iterations as the one that needs most."""
    seeds, steps = tuple(range(8)), 200
    _, counts = ran(heaps(*seeds), steps)
    alone = np.array([ran(heaps(seed), steps)[1][:, 4] for seed in seeds])
    assert counts[:, 4].sum() < 1.3 * alone.max(axis=0).sum()


def test_interpreted_heaps_are_those_that_are_compiled():
    one, two = (ran(heaps(1, 2), 40, backend=backend)[0] for backend in ("llvm", "interpret"))
    np.testing.assert_allclose(one, two, rtol=0, atol=1e-9)


def mixed() -> rm.Scene:
    """Trees of six coordinates that fall on each other: free bodies, one with another welded to it, and two joints of three."""
    scene = rm.Scene()
    scene.add_ground(contact=0.6)
    box = rm.Cuboid((SIZE,) * 3, mass=1.0)
    for n, seed in enumerate((3, 4)):
        at = rm.pose(rotation_of(np.random.default_rng(seed).normal(size=4)), (0.02 * n, 0.05 * n, 0.15 + 0.6 * n))
        scene.add_body(box, joint=rm.Free3D(), at=at, contact=0.6, name=f"box {n}")
    club = scene.add_body(box, joint=rm.Free3D(), at=(0.05, -0.02, 0.45), contact=0.6, name="club")
    scene.add_body(rm.Sphere(0.08, mass=0.5), parent=club, joint=rm.Fixed(), at=(0.3, 0, 0), contact=0.6, name="end")
    slider = scene.add_body(rm.Sphere(0.1, mass=1.0), joint=rm.Translational(), at=(-0.1, 0.1, 1.05), contact=0.6, name="slider")
    scene.add_body(box, parent=slider, joint=rm.Spherical(), com=(0.3, 0, 0), contact=0.6, name="turner")
    return scene


@pytest.mark.parametrize("friction", ["exact", "convex"])
def test_trees_of_six_coordinates_move_as_trees_of_any_size_do(friction):
    """What is written out for six coordinates finds what blocks of any size find, until chaos makes a difference of rounding."""
    steps = 220
    assert ContactSystem(mixed().model(), True).sixes
    found, counts = ran(mixed(), steps, friction=friction)
    with patch.object(ContactSystem, "sixes", False):
        expected, others = ran(mixed(), steps, friction=friction)
    assert max(np.nanmax(counts[:, 2]), np.nanmax(others[:, 2])) <= 1e-6
    assert min(np.nanmax(counts[:, 1]), np.nanmax(others[:, 1])) > 6
    assert np.abs(found - expected).max() < 1e-4
