"""Limits of coordinates cost nothing until one would be passed: what steps do without them, and what they do once they act."""

from __future__ import annotations

from typing import Literal

import numpy as np
import pytest

import redmax as rm
from redmax.dynamics.choose import matrix_free_solver, system
from redmax.program.program import Branch, flat
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
    assert [n for n in names if "multipliers" not in n] == ["no row is passed", str(Part.LIMITS_NEAR)]
    (late,) = [s for s in limited if isinstance(s, Branch)]
    assert str(Part.LIMIT_ROWS) in [s.name for s in flat(late.body) if isinstance(s, Recursion)]
