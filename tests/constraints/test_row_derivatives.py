"""How rows change: Gdot of every constraint, and gaps by their parameters, against differences."""

from __future__ import annotations

import numpy as np
import pytest

import redmax as rm
from constraints.samples import JOINTS, SAMPLES

LEFT_OUT = ("Rope over pulleys", "Rope that crosses", "Rope, closed", "Belt with ends", "EqualAngles")  # the same again, or other joints


def constrained(*names: str) -> rm.Scene:
    """One of each of these, on two bodies that move against each other."""
    scene, shape = rm.Scene(), rm.Cuboid((0.3, 0.2, 0.1), mass=1)
    a = scene.add_body(shape, joint=JOINTS["one"], at=(0.1, 0.2, 0.3), com=(0.2, 0, 0.1), name="a", joint_name="one")
    scene.add_body(shape, joint=JOINTS["two"], parent=a, at=(0.6, 0.1, 0), com=(0.1, 0.2, 0), name="b", joint_name="two")
    for name in names:
        scene.add_constraint(SAMPLES[name]().replaced(name=name))
    return scene


def test_gdot_is_the_rate_of_g_along_the_motion() -> None:
    dynamics = rm.Dynamics(constrained(*(name for name in SAMPLES if name not in LEFT_OUT)), "interpret")
    rng, h, t = np.random.default_rng(3), 1e-5, 0.4
    q, qdot = rng.uniform(-0.5, 0.5, (2, 3)), rng.normal(size=(2, 3))
    ahead, behind = (dynamics.constraint_jacobian(q + x * qdot, t=t + x) for x in (h, -h))
    Gdot = dynamics.constraint_jacobian_rate(q, qdot, t=t)
    np.testing.assert_allclose(Gdot, (ahead - behind) / (2 * h), rtol=0, atol=1e-8)
    assert (np.abs(Gdot).max(axis=(0, 2)) > 1e-3).mean() > 0.5
    one = dynamics.constraint_jacobian_rate(q, qdot, "WeldClosure", t)
    np.testing.assert_array_equal(one, Gdot[:, dynamics.model.row_slice("WeldClosure")])


@pytest.mark.parametrize(
    "parameter", ["Distance.length", "Rope.length", "Gear.ratio", "HardLimit.upper", "a.at", "b.at.y", "b.com", "a.mass"]
)
def test_gaps_change_with_parameters_as_differences_say(parameter: str) -> None:
    model = constrained("Distance", "Rope", "Gear", "HardLimit").model()
    q, t, e = np.array([0.3, -0.2, 0.5]), 0.4, 1e-6
    found = rm.Dynamics(model, "interpret").constraint_gap_derivative(q, parameter, t=t)
    p = next(p for p in model.with_parameters([parameter]).parameters if p.name == parameter)
    steps = e * np.concatenate([np.eye(p.default.size), -np.eye(p.default.size)])
    moved = rm.Dynamics(model, "interpret", parameters={parameter: (p.default + steps).reshape(-1, *p.shape)})
    ahead, behind = np.split(moved.constraint_gap(np.tile(q, (len(steps), 1)), t=t), 2)
    np.testing.assert_allclose(found.reshape(model.row_count, -1), (ahead - behind).T / (2 * e), rtol=0, atol=1e-8)


def test_what_gaps_are_not_differentiated_by_is_said() -> None:
    scene = rm.Scene()
    body = scene.add_body(rm.Sphere(0.1, mass=1), joint=rm.Helical("z", pitch=0.1), name="nut")
    scene.add_constraint(rm.Distance(body.point(0.1, 0, 0), (1, 0, 0), 0.9, name="rod"))
    dynamics = rm.Dynamics(scene, "interpret")
    with pytest.raises(rm.SceneError, match="argument of a joint"):
        dynamics.constraint_gap_derivative([0.1], "nut.pitch")
    with pytest.raises(rm.SceneError, match=r"Did you mean 'rod\.length'"):
        dynamics.constraint_gap_derivative([0.1], "rod.lengt")
