"""Steps of `euler` and `implicit` carry the momentum of what spins and flies along, where a tree begins with a joint on a group."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import redmax as rm
from joints.group_forms import FREES

SHAPE = rm.Cuboid((0.1, 0.2, 0.3), density=1000)
FAST = (3.0, 1.0, 30.0, 3.0, 0.5, -1.0)  # the twist at the centre of mass: rad/s and m/s
DT, STEPS = 2e-3, 1000


def thrown(form: str, com: Any = (0.0, 0.0, 0.0), gravity: float = 0.0, **options: Any) -> rm.Scene:
    scene, w, v = rm.Scene(gravity=(0, 0, gravity)), np.array(FAST[:3]), np.array(FAST[3:])
    velocity = [*w, *(v - np.cross(w, com))]
    scene.add_body(SHAPE, joint=rm.Free(form), com=com, qdot=velocity, name="box", **options)  # type: ignore[arg-type]
    return scene


def momenta(run: rm.Trajectory) -> tuple[np.ndarray, np.ndarray]:
    """Their lengths: linear (kg m/s), and angular about the centre of mass (N m s)."""
    twist = run.twist("box", kind="body")
    return np.linalg.norm(SHAPE.mass * twist[:, 3:], axis=1), np.linalg.norm(twist[:, :3] @ SHAPE.inertia, axis=1)


@pytest.mark.parametrize("form", FREES)
@pytest.mark.parametrize(("integrator", "dynamics", "com"), [("euler", "recursive", (0, 0, 0)), ("implicit", "redmax", (0.1, -0.2, 0.3))])
def test_lengths_of_momenta_stay(form, integrator, dynamics, com):
    run = rm.simulate(thrown(form, com), DT * STEPS, DT, integrator=integrator, dynamics=dynamics)
    for found in momenta(run):
        assert np.abs(found / found[0] - 1).max() < 1e-11
    assert run.energy.drift.max() < 1e-5


@pytest.mark.parametrize("integrator", ["euler", "implicit"])
@pytest.mark.parametrize("joint", [rm.Free("quaternion"), rm.Free("pose"), rm.Spherical("matrix")], ids=str)
def test_a_body_by_itself_keeps_its_energy_however_thin_it_is(joint, integrator):
    """In steps of a fifth of a radian: with w of the middle of the step alone, this rod would have 270 times its energy after 3 s."""
    scene, rod = rm.Scene(gravity=(0, 0, 0)), rm.Cuboid((0.01, 0.01, 0.3), mass=0.2)
    scene.add_body(rod, joint=joint, qdot=[20, 100, 10, *[1, 2, 3][: joint.dof - 3]], name="rod")
    run = rm.simulate(scene, 3.0, DT, integrator=integrator, every=10)
    angular = np.linalg.norm(run.twist("rod")[:, :3] @ rod.inertia, axis=1)
    assert np.abs(angular / angular[0] - 1).max() < 1e-10
    assert run.energy.drift.max() < 1e-9


def test_where_a_body_by_itself_is_is_of_first_order():
    exact = rm.simulate(thrown("quaternion"), 0.1, 0.1, rtol=1e-11).pose("box")[-1]
    off = [
        np.abs(rm.simulate(thrown("quaternion"), 0.1, dt, integrator="euler").pose("box")[-1] - exact).max() for dt in (4e-4, 2e-4, 1e-4)
    ]
    assert np.abs(np.log2(np.divide(off[:-1], off[1:])) - 1).max() < 0.1, off


def flail(form: str) -> rm.Scene:
    """A base that spins and flies, with two bars on it that swing."""
    scene, bar = thrown(form), rm.Cuboid((0.05, 0.2, 0.05), density=500)
    for y in (-0.1, 0.1):
        scene.add_body(bar, parent="box", joint=rm.Revolute("x"), at=(0, y, 0), com=(0, y, 0), damping=0.01)
    return scene


@pytest.mark.parametrize("integrator", ["euler", "implicit"])
def test_trees_converge_at_first_order(integrator):
    scene = flail("quaternion")
    exact = rm.simulate(scene, 0.1, 0.1, rtol=1e-11).pose("box")[-1]
    off = [np.abs(rm.simulate(scene, 0.1, dt, integrator=integrator).pose("box")[-1] - exact).max() for dt in (4e-4, 2e-4, 1e-4)]
    assert np.abs(np.log2(np.divide(off[:-1], off[1:])) - 1).max() < 0.1, off


@pytest.mark.parametrize("integrator", ["euler", "implicit"])
@pytest.mark.parametrize("backend", ["llvm", "interpret"])
def test_by_matrix_and_by_recursion_they_are_the_same(integrator, backend):
    runs = [rm.simulate(flail("matrix"), 0.02, DT, integrator=integrator, dynamics=d, backend=backend) for d in ("recursive", "redmax")]
    assert np.allclose(runs[0].q, runs[1].q, atol=1e-11)
    assert np.allclose(runs[0].qdot, runs[1].qdot, atol=1e-9)


def test_a_tree_that_flies_and_spins_does_not_break_off():
    run = rm.simulate(flail("quaternion"), DT * STEPS, DT, integrator="implicit")
    assert np.abs(run.energy.total).max() < 1.05 * run.energy.total[0]


@pytest.mark.parametrize("integrator", ["euler", "implicit"])
def test_what_spins_fast_and_meets_the_ground_gains_nothing(integrator):
    scene = thrown("quaternion", gravity=-9.81, contact=0.0)
    scene.add_ground(height=-0.5, contact=0.0)
    run = rm.simulate(scene, 2.0, DT, integrator=integrator)
    total = run.energy.total + run.contacts.energy
    assert run.contacts.count.max() > 0
    assert total.max() < total[0] * (1 + 2e-3)
