"""Limits of coordinates cost nothing until one would be passed: what steps do without them, and what they do once they act."""

from __future__ import annotations

from typing import Literal

import numpy as np
import pytest

import redmax as rm
from redmax.dynamics.choose import matrix_free_solver, system
from redmax.dynamics.common.limits_near import evenly_spaced
from redmax.program.program import Branch, flat
from redmax.program.routines.call import Call
from redmax.program.sweep import Part, Recursion

Said = Literal["not", "by coordinates", "by places"]


def sliders(said: Said, loop: bool, lower: float = -0.25) -> rm.Scene:
    """A cart with a pendulum, and a second cart behind it, perhaps on a rod: a limit of its place, of its joint or of its body."""
    scene, shape = rm.Scene(), rm.Cuboid((0.2, 0.1, 0.1), mass=1)
    cart = scene.add_body(shape, joint=rm.Prismatic("x"), qdot=-1.0, name="cart")
    scene.add_body(shape, joint=rm.Revolute("y"), parent=cart, com=(0, 0, -0.4), q=0.7, name="pendulum")
    other = scene.add_body(shape, joint=rm.Prismatic("x"), at=(1, 0, 0), qdot=-1.0 if loop else -0.5, name="other")
    if loop:
        scene.add_constraint(rm.Distance(cart, other, 1.0))
    if said == "by coordinates":
        scene.add_constraint(rm.HardLimit("cart", lower, 30.0))
        scene.add_constraint(rm.HardLimit("other", [-0.3], [40.0]))
    elif said == "by places":
        scene.add_constraint(rm.constraint(lambda a: a.x[0], bodies=[cart], lower=lower, upper=30.0))
        scene.add_constraint(rm.constraint(lambda a: a.x[0] - 1.0, bodies=[other], lower=-0.3, upper=40.0))
    return scene


def motion(scene: rm.Scene, dynamics: str, integrator: str, steps: int = 60) -> np.ndarray:
    return rm.simulate(scene, steps * 0.01, dt=0.01, dynamics=dynamics, integrator=integrator, progress=False).q  # type: ignore[arg-type]


@pytest.mark.parametrize("dynamics", ["recursive", "redmax", "maximal"])
@pytest.mark.parametrize("loop", [False, True])
def test_a_limit_of_a_joint_is_that_of_its_body(dynamics: str, loop: bool) -> None:
    """Which looks at bodies in each step, and not only where a limit would be passed."""
    for integrator in ("implicit", "euler") if dynamics == "recursive" else ("implicit",):
        joint, body, free = (motion(sliders(said, loop), dynamics, integrator) for said in ("by coordinates", "by places", "not"))
        np.testing.assert_allclose(joint, body, rtol=0, atol=1e-9)
        assert np.abs(joint - free).max() > 0.1
        assert joint[:, 0].min() > -0.25 - (1e-3 if dynamics == "maximal" else 1e-9)  # whose joints open, and are closed


@pytest.mark.parametrize(("dynamics", "integrator"), [("recursive", "implicit"), ("recursive", "euler"), ("redmax", "implicit")])
def test_limits_that_never_act_change_no_bit(dynamics: str, integrator: str) -> None:
    with_limits, without = sliders("not", True), sliders("not", True)
    for link in with_limits.links:
        with_limits.add_constraint(rm.HardLimit(link.name, -50.0, 50.0))
    np.testing.assert_array_equal(motion(with_limits, dynamics, integrator, 30), motion(without, dynamics, integrator, 30))


def test_redmax_needs_no_matrix_for_limits_alone() -> None:
    """Its motion is that of its matrix, also where limits act; with a loop it has one."""
    scene = sliders("by coordinates", False)
    assert matrix_free_solver("redmax", "auto", scene.model(), True) is not None
    assert matrix_free_solver("redmax", "auto", sliders("by coordinates", True).model(), True) is None
    options = {"dt": 0.01, "dynamics": "redmax", "integrator": "implicit", "progress": False}
    free, dense = (rm.simulate(scene, 0.6, solver=solver, **options).q for solver in ("auto", "direct"))  # type: ignore[arg-type]
    np.testing.assert_allclose(free, dense, rtol=0, atol=1e-11)


@pytest.mark.parametrize("dynamics", ["recursive", "redmax", "maximal"])
def test_bodies_are_not_placed_for_limits_alone(dynamics: str) -> None:
    """What runs in a step beside what runs without limits: one look at the coordinates."""
    limited, free = (system(dynamics, sliders(said, False).model()).implicit for said in ("by coordinates", "not"))
    every = [s for s in limited if isinstance(s, Recursion)]
    own = {"redmax": "redmax implicit"}  # which has a matrix where there are rows
    names = [s.name for s in every if s not in free and s.name != own.get(dynamics)]
    assert [n for n in names if "multipliers" not in n] == ["no row is passed"]
    assert [s.routine.name for s in limited if isinstance(s, Call) and s not in free].count("leaves_range") == 1
    (late,) = [s for s in limited if isinstance(s, Branch)]
    assert str(Part.LIMIT_ROWS) in [s.name for s in flat(late.body) if isinstance(s, Recursion)]


def mixed_chain(ranges: bool) -> rm.Scene:
    """Joints of several kinds, whose coordinates do not lie evenly spaced in memory; ranges, or the same as a function of coordinates."""
    scene, link = rm.Scene(), None
    shape = rm.Cuboid((0.3, 0.05, 0.05), density=1000)
    joints = [rm.Revolute("y"), rm.Revolute("z"), rm.Universal(), rm.Revolute("y"), rm.Prismatic("x"), rm.Revolute("x"), rm.Revolute("y")]
    for k, joint in enumerate(joints):
        link = scene.add_body(shape, joint=joint, parent=link, at=(0.3, 0, 0) if link else None, com=(0.15, 0, 0), name=f"b{k}")
    for k, (lower, upper) in enumerate([(-0.3, 0.2), (None, 0.1), ([-0.1, -0.2], [0.15, 0.3]), (-0.2, None), (-0.02, 0.03), (-0.1, 0.2)]):
        if ranges:
            scene.add_constraint(rm.HardLimit(f"b{k}", lower, upper))
        else:
            scene.add_constraint(rm.constraint(lambda q: q, joints=[f"b{k}"], rows=joints[k].dof, lower=lower, upper=upper))
    return scene


@pytest.mark.parametrize("integrator", ["implicit", "euler"])
def test_ranges_of_uneven_joints_are_limits_of_their_coordinates(integrator: str) -> None:
    """Several of them act, some one-sided, one of a joint with two coordinates, one joint without any."""
    ranged, traced = (motion(mixed_chain(ranges), "recursive", integrator, 80) for ranges in (True, False))
    np.testing.assert_allclose(ranged, traced, rtol=0, atol=1e-10)
    assert abs(ranged[:, 0].max() - 0.2) < 1e-9


def test_ranges_in_lanes_are_those_of_single_worlds() -> None:
    scene = mixed_chain(True)
    start = np.random.default_rng(5).uniform(-0.05, 0.05, (6, 8))
    start[:, 5] *= 0.2
    options = {"dt": 0.01, "integrator": "implicit", "progress": False}
    several = rm.simulate(scene, 0.6, initial=rm.State(0.0, start, 0 * start), **options).q  # type: ignore[arg-type]
    for w in range(6):
        alone = rm.simulate(scene, 0.6, initial=rm.State(0.0, start[w], 0 * start[w]), **options).q  # type: ignore[arg-type]
        np.testing.assert_allclose(several[:, w], alone, rtol=0, atol=1e-9)


def test_runs_of_even_places_hold_every_place_once() -> None:
    rng = np.random.default_rng(0)
    for _ in range(200):
        steps = rng.choice([3, 7], size=(rng.integers(1, 12), 2))
        places = [(int(a), int(a) + 1, int(a) + 2, int(b)) for a, b in np.cumsum(steps, axis=0)]
        again = []
        for first, n, apart, further in evenly_spaced(places):
            again += [tuple(x + k * d for x, d in zip(places[first], (apart, apart, apart, further), strict=True)) for k in range(n)]
        assert again == places
