"""Contact of scenes whose coordinates follow from fewer, q = f(q_R): against the same mechanism with the relation as a constraint."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import redmax as rm
from contact.worlds import DT

START = (-1.5, -0.6, 0.7)


def straight(u: Any) -> Any:
    return [u[0], 0.4 * u[0], u[1]]


def curved(u: Any) -> Any:
    return [u[0], 0.4 * u[0] + 0.3 * (u[0] + 1.5) ** 2, u[1]]


def crane(led: Any = None, height: float = 0.0) -> rm.Scene:
    """A carriage that falls along a line or a curve, with an arm that swings from it and meets the ground."""
    scene = rm.Scene()
    scene.add_ground(height, contact=0.5)
    carriage = scene.add_body(rm.Sphere(0.05, mass=0.5), joint=rm.Prismatic("x"), at=(0, 0, 1.0), name="carriage")
    hook = scene.add_body(rm.Sphere(0.1, mass=1.0), joint=rm.Prismatic("z"), parent=carriage, contact=0.5, name="hook")
    scene.add_body(
        rm.Capsule(0.05, 0.4, mass=0.3), joint=rm.Revolute("y"), parent=hook, com=(0, 0, -0.2), contact=0.5, damping=0.01, name="arm"
    )
    if led is None:
        for k, q in enumerate(START):
            scene.links[k] = replace(scene.links[k], q=np.array([q]))
        scene.add_constraint(rm.constraint(lambda x, z: z[0] - 0.4 * x[0], joints=["carriage", "hook"], name="relation"))
    else:
        scene.set_map(led, coordinates=2, q=(START[0], START[2]))
    return scene


def ran(scene: rm.Scene, duration: float, dt: float = DT, integrator: str = "implicit", **options: Any) -> rm.Trajectory:
    return rm.simulate(scene, duration, dt, integrator=integrator, progress=False, **options)  # type: ignore[arg-type]


@pytest.mark.parametrize("integrator", ["implicit", "euler"])
def test_a_map_is_as_good_as_a_constraint(integrator):
    led, held = (ran(crane(how), 1.2, integrator=integrator) for how in (straight, None))
    assert led.contacts.pressing.max() > 0
    np.testing.assert_allclose(led.q, held.q, rtol=0, atol=1e-6)
    for name in ("hook", "arm"):
        np.testing.assert_allclose(led.contact_force(name)[:600:50], held.contact_force(name)[:600:50], atol=0.02)
    assert led.contacts.residual.max() < 1e-6


def test_a_matrix_is_as_good_as_a_function():
    matrix = crane(straight)
    matrix.set_map([[1.0, 0.0], [0.4, 0.0], [0.0, 1.0]], q=(START[0], START[2]))
    np.testing.assert_allclose(ran(matrix, 0.6).q, ran(crane(straight), 0.6).q, rtol=0, atol=1e-9)


def test_along_a_curve_nothing_sinks_in_and_all_comes_to_rest():
    run = ran(crane(curved), 4.0)
    np.testing.assert_allclose(run.q, np.array([curved(u) for u in run.q[:, [0, 2]]]), atol=1e-12)
    assert np.abs(run.qdot[-1]).max() < 1e-9
    assert min(c.gap.min(initial=0.0) for c in run.contacts) > -1e-3
    assert run.contacts.pressing[-1] >= 1
    assert run.contacts.residual.max() < 1e-6
    E = run.energy.total
    assert (E - np.minimum.accumulate(E)).max() < 0.02 * (E[0] - E[-1])


def test_far_from_the_ground_the_motion_is_that_without_contact():
    near = crane(curved, height=-20.0)
    far = crane(curved, height=-20.0)
    for k, link in enumerate(far.links):
        far.links[k] = replace(link, contact=None)
    np.testing.assert_allclose(ran(near, 0.6).q, ran(far, 0.6).q, rtol=0, atol=1e-13)


def test_interpreted_steps_are_those_that_are_compiled():
    run = ran(crane(curved), 0.5)
    assert run.contacts.pressing.max() > 0
    for more, within in (({"backend": "interpret"}, 1e-11), ({"dtype": "float32"}, 1e-4)):
        np.testing.assert_allclose(ran(crane(curved), 0.5, **more).q, run.q, rtol=0, atol=within)
    whole, sim = ran(crane(curved), 0.4), rm.Simulation(crane(curved), dt=DT, integrator="implicit")
    for _ in range(2):
        sim.step(100)
    np.testing.assert_array_equal(sim.q[0], whole.q[-1])


def test_what_it_does_not_go_with_is_said():
    tied, rolling = crane(straight), crane(straight)
    tied.add_constraint(rm.Distance(tied.find("arm"), (0, 0, 1)))
    rolling.set_contact("arm", "ground", rm.ContactMaterial(rolling=0.01))
    with pytest.raises(rm.RedmaxError, match=r"contact and .* beside a map of coordinates"):
        ran(tied, 0.1)
    with pytest.raises(rm.RedmaxError, match="rolling friction beside a map of coordinates"):
        ran(rolling, 0.1)
    with pytest.raises(rm.RedmaxError, match=r"contact beside a map of coordinates.*Take 'implicit'"):
        ran(crane(straight), 0.1, integrator="adaptive")
