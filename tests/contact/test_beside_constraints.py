"""Contact and constraints in one step: where nothing touches, the motion is that without contact; where both act, both are kept."""

from __future__ import annotations

import numpy as np
import pytest

import redmax as rm

OPTIONS = {"dt": 0.002, "progress": False}


def pendulum(height: float, contact: bool = True) -> rm.Scene:
    """Two capsules on hinges, the second with a limit, above a plane."""
    scene, touch = rm.Scene(), 0.5 if contact else None
    scene.add_ground(height, contact=0.5)
    upper = scene.add_body(
        rm.Capsule(0.04, 0.4, mass=1.0), joint=rm.Revolute("y"), com=(0, 0, -0.25), q=1.2, contact=touch, name="upper"
    )
    shape = rm.Capsule(0.04, 0.4, mass=1.0)
    scene.add_body(
        shape, joint=rm.Revolute("y"), parent=upper, at=(0, 0, -0.5), com=(0, 0, -0.25), q=0.3, contact=touch, name="lower"
    )  # fmt: skip
    scene.add_constraint(rm.HardLimit("lower", -0.5, 0.6))
    return scene


def four_bar(height: float, contact: bool = True) -> rm.Scene:
    """A parallelogram of cuboids that closes at a point, above a plane."""
    scene, touch = rm.Scene(), 0.5 if contact else None
    scene.add_ground(height, contact=0.5)
    more = {"contact": touch, "contact_group": 1}
    crank = scene.add_body(rm.Cuboid((0.05, 0.05, 0.3), mass=1.0), joint=rm.Revolute("y"), com=(0, 0, -0.15), q=0.5, name="crank", **more)
    coupler = scene.add_body(
        rm.Cuboid((0.4, 0.05, 0.05), mass=1.0), joint=rm.Revolute("y"), parent=crank, at=(0, 0, -0.3), com=(0.2, 0, 0), q=-0.5,
        name="coupler", **more,
    )  # fmt: skip
    rocker = scene.add_body(
        rm.Cuboid((0.05, 0.05, 0.3), mass=1.0), joint=rm.Revolute("y"), at=(0.4, 0, 0), com=(0, 0, -0.15), q=0.5, name="rocker", **more
    )
    scene.add_constraint(rm.PointClosure(coupler.point(0.2, 0, 0), rocker.point(0, 0, -0.15), name="closure"))
    return scene


def driven(height: float, contact: bool = True) -> rm.Scene:
    """The same pendulum, with a motor that has not the force to follow its motion all the time."""
    scene = pendulum(height, contact)
    scene.add_constraint(rm.PrescribedCoordinate("upper", lambda t: 1.2 + 4.0 * t, force_limits=(-5.0, 7.0), name="motor"))
    return scene


@pytest.mark.parametrize("make", [pendulum, four_bar, driven])
def test_far_from_the_ground_constraints_are_held_as_without_contact(make: object) -> None:
    near, far = (rm.simulate(make(-20.0, touches), 0.6, integrator="implicit", **OPTIONS).q for touches in (True, False))  # type: ignore[operator]
    np.testing.assert_allclose(near, far, rtol=0, atol=1e-12)


def test_a_limit_and_the_ground_hold_at_once() -> None:
    run = rm.simulate(pendulum(-0.55), 2.0, integrator="implicit", **OPTIONS)
    assert run.q[:, 1].max() < 0.6 + 1e-9
    assert np.abs(run.qdot[-1]).max() < 1e-9  # it has come to rest, on the ground
    lowest = min(run.pose("lower")[-1][2, 3] - 0.2 * abs(run.pose("lower")[-1][2, 2]) - 0.04, 0.0)
    assert abs(lowest + 0.55) < 1e-3


@pytest.mark.parametrize("integrator", ["implicit", "euler"])
def test_a_loop_that_lies_on_the_ground_stays_closed(integrator: str) -> None:
    run = rm.simulate(four_bar(-0.3), 1.5, integrator=integrator, **OPTIONS)  # type: ignore[arg-type]
    coupler, rocker = run.pose("coupler"), run.pose("rocker")
    end = coupler[:, :3, :3] @ [0.2, 0, 0] + coupler[:, :3, 3]
    other = rocker[:, :3, :3] @ [0, 0, -0.15] + rocker[:, :3, 3]
    assert np.abs(end - other).max() < 1e-4
    assert np.abs(run.qdot[-1]).max() < 1e-9
    assert np.abs(run.qddot[-1]).max() < 1e-6  # what is told of it includes what the ground exerts


def pushed(force: float, turns: float = 0.0) -> rm.Scene:
    """A slider with a motor of so much force that pushes a box of 2 kg over ground with a friction of 0.5."""
    scene = rm.Scene()
    scene.add_ground(contact=rm.ContactMaterial(0.5, rolling=turns))
    scene.add_body(rm.Cuboid((0.2, 0.2, 0.2), mass=1.0), joint=rm.Prismatic("x"), at=(0, 0, 0.15), contact=0.0, name="slider")
    scene.add_body(rm.Cuboid((0.2, 0.2, 0.2), mass=2.0), joint=rm.Free3D(), at=(0.2, 0, 0.1), contact=0.5, name="box")
    scene.ignore_contact("slider", "ground")
    scene.add_constraint(rm.PrescribedCoordinate("slider", lambda t: 5.0 * t, force_limits=force, name="motor"))
    return scene


@pytest.mark.parametrize("turns", [0.0, 0.01])
@pytest.mark.parametrize("force", [5.0, 9.7, 12.0, 30.0])
def test_a_motor_of_limited_force_pushes_what_it_can(force: float, turns: float) -> None:
    """m a = F - mu m g of both together, or nothing moves; and the motor exerts all it can, behind its motion."""
    run = rm.simulate(pushed(force, turns), 0.4, integrator="implicit", **OPTIONS)
    gain = max(force - 0.5 * 2.0 * 9.81, 0.0) / 3.0
    np.testing.assert_allclose(run.qdot[-1, :2], 0.4 * gain, atol=1e-9 if gain == 0 else 0.01)
    np.testing.assert_allclose(np.diff(run.qdot[100:, 0]) / 0.002, gain, atol=1e-5)
    np.testing.assert_allclose(run.multipliers[20:, 0], force, atol=1e-9)
    assert run.contacts.residual.max() < 1e-6


def tumbling() -> rm.Scene:
    """A box and a ball that fall on the ground and on each other."""
    scene = rm.Scene()
    scene.add_ground(contact=0.6)
    box = rm.Cuboid((0.2, 0.2, 0.2), mass=1.0)
    scene.add_body(box, joint=rm.Free3D(), q=[0, 0, 0.13, 0.2, 0.1, 0], contact=0.6, name="box")
    scene.add_body(rm.Sphere(0.1, mass=1.0), joint=rm.Free3D(), q=[0.05, 0, 0.35, 0, 0, 0], contact=0.6, name="ball")
    return scene


@pytest.mark.parametrize(
    "make",
    [tumbling, lambda: pendulum(-0.3), lambda: four_bar(-0.3), lambda: driven(-0.3)],
    ids=["tumbling", "limit", "loop", "motor"],
)
def test_interpreted_steps_are_those_that_are_compiled(make: object) -> None:
    """And those of the other dynamics, of single precision, and of the other integrator where no joint has springs or dampers."""
    scene, duration = make(), 0.16  # type: ignore[operator]
    run = rm.simulate(scene, duration, integrator="implicit", **OPTIONS)
    assert run.contacts.pressing.max() > 0
    for more, within in (({"backend": "interpret"}, 1e-11), ({"dynamics": "redmax"}, 1e-11), ({"dtype": "float32"}, 1e-4)):
        other = rm.simulate(scene, duration, integrator="implicit", **OPTIONS, **more)  # type: ignore[arg-type]
        np.testing.assert_allclose(other.q, run.q, rtol=0, atol=within)
    euler = rm.simulate(scene, duration, integrator="euler", **OPTIONS)
    np.testing.assert_allclose(euler.q, run.q, rtol=0, atol=1e-11)


@pytest.mark.parametrize("compliance", [1e-3, 1e-5])
@pytest.mark.parametrize("rope", [False, True])
def test_what_gives_way_is_part_of_what_the_solver_makes_least(rope: bool, compliance: float) -> None:
    """Two balls that are pulled together over the ground from 2 cm too far: lines were searched without the spring, and went astray."""
    scene = rm.Scene()
    scene.add_ground(contact=0.5)
    spin = (0.5, 0.3, 0, 0.1, 0.2, 0.3)
    a = scene.add_body(rm.Sphere(0.1, mass=1), joint=rm.Free(), at=(0, 0, 0.0999), qdot=spin, contact=0.5, name="a")
    b = scene.add_body(rm.Sphere(0.1, mass=0.5), joint=rm.Free(), at=(0.4, 0, 0.0999), contact=0.5, name="b")
    held = rm.Rope([a, b], 0.38, compliance=compliance) if rope else rm.Distance(a, b, 0.38, compliance=compliance)
    scene.add_constraint(held)
    run = rm.simulate(scene, 0.1, 0.005, integrator="implicit")
    assert run.contacts.residual.max() < 1e-6
