"""Constraints of scenes whose coordinates follow from fewer, q = f(q_R): against the same mechanism with relations of f as constraints."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

import redmax as rm

QUIET: dict[str, Any] = {"progress": False}


def curve(u: Any) -> Any:
    return [u[0], 0.8 * np.sin(2 * u[1]), 0.3 * u[0] ** 2 + u[1], u[2]]


def relation(x: Any, y: Any, z: Any) -> Any:
    """What `curve` makes of its first three."""
    return y[0] - 0.8 * rm.math.sin(2 * (z[0] - 0.3 * x[0] ** 2))


def chain(led: bool) -> rm.Scene:
    """Four links, led by three coordinates; or with a constraint in place of the map."""
    scene, parent = rm.Scene(), None
    for i, axis in enumerate("yzyy"):
        at = {"at": (0.5, 0, 0)} if i else {}
        bar = rm.Cuboid((0.5, 0.1, 0.1), mass=1)
        parent = scene.add_body(bar, parent=parent, joint=rm.Revolute(axis), com=(0.25, 0, 0), name=f"link{i}", **at)  # type: ignore
    if led:
        scene.set_map(curve, coordinates=3, q=(0.3, 0.1, -0.2), qdot=(1.0, -0.5, 0.3))
    else:
        scene.add_constraint(rm.constraint(relation, joints=["link0", "link1", "link2"], name="relation"))
    return scene


def chains(kind: str) -> tuple[rm.Scene, rm.Scene]:
    """Both with a further constraint, on which they begin."""
    led, held = chain(True), chain(False)
    for scene in (led, held):
        scene.add_constraint(KINDS[kind](scene))
    led.assemble()
    model = led.model()
    for i, link in enumerate(held.links):
        held.links[i] = replace(link, q=model.q0[i : i + 1], qdot=model.qdot0[i : i + 1])
    return led, held


def tip(scene: rm.Scene) -> rm.Point:
    return scene.find("link3").point(0.25, 0, 0)


def slides(scene: rm.Scene) -> rm.Constraint:
    """A point stays in a plane, told as a joint that closes a loop."""
    return rm.Closure(rm.CompositeJoint(rm.Prismatic("x"), rm.Prismatic("y"), rm.Spherical()), (0, 0, -0.4), tip(scene), name="c")


HOOK = (0.3, 0.2, 1.0)
KINDS: dict[str, Any] = {
    "distance": lambda s: rm.Distance(tip(s), HOOK, 2.2, name="c"),
    "rope": lambda s: rm.Rope([tip(s), HOOK], 2.35, name="c"),
    "stops": lambda s: rm.HardLimit("link3", -0.25, 0.5, name="c"),
    "of velocities": lambda s: rm.constraint(lambda a: a.v[0] - a.v[2], bodies=[tip(s)], velocities=True, name="c"),
    "gain": lambda s: rm.Distance(tip(s), HOOK, gain=4.0, name="c"),
    "soft": lambda s: rm.Distance(tip(s), HOOK, 0.9, compliance=1e-2, name="c"),
    "coordinates": lambda s: rm.constraint(lambda a, b: a[0] + 0.5 * b[0] ** 2 - 0.2, joints=["link1", "link3"], name="c"),
    "carried": slides,
    "moved": lambda s: rm.PrescribedCoordinate("link0", lambda t: 0.3 + 0.5 * rm.math.sin(3 * t), name="c"),
}
DEFAULT = ("distance",)


@pytest.mark.filterwarnings("ignore:The rates that the scene begins with")
@pytest.mark.parametrize("kind", [k if k in DEFAULT else pytest.param(k, marks=pytest.mark.long) for k in KINDS])
def test_a_map_and_its_relations_as_constraints_give_one_motion(kind):
    runs = [rm.simulate(s, 0.3, dt=0.02, integrator="adaptive", rtol=1e-11, dynamics="redmax", **QUIET) for s in chains(kind)]
    led, held = runs
    assert_allclose(led.q, held.q, rtol=0, atol=1e-9)
    found, expected = (run.constraint("c") for run in runs)
    assert_allclose(found.multipliers, expected.multipliers, rtol=1e-7, atol=1e-7)
    assert_allclose(led.qddot, held.qddot, rtol=1e-7, atol=1e-7)
    if kind not in ("gain", "soft", "rope", "stops"):
        assert np.abs(found.rate if kind == "of velocities" else found.gap).max() < 1e-11
    if kind in ("distance", "soft", "coordinates", "carried"):
        assert np.ptp(led.energy.total) < 1e-8
    if kind in ("rope", "stops"):
        assert 0 < (found.multipliers > 0).sum() < len(led.t)
        assert_allclose(found.impulse, expected.impulse, rtol=1e-7, atol=1e-9)
        assert np.abs(found.impulse).max() > 0.01


@pytest.mark.parametrize(("integrator", "order"), [
    pytest.param(n, k, marks=pytest.mark.long)
    for n, k in {"forward-euler": 1, "euler": 1, "implicit": 1, "rk4": 4, "bdf1": 1, "bdf2": 2}.items()
])  # fmt: skip
@pytest.mark.parametrize(
    "kind", ["distance", pytest.param("of velocities", marks=pytest.mark.long), pytest.param("soft", marks=pytest.mark.long)]
)
def test_integrators_keep_their_orders(kind, integrator, order):
    led, dt = chains(kind)[0], 1e-2 if integrator == "rk4" else 1e-3
    exact = rm.simulate(led, 0.1, dt=0.1, integrator="adaptive", rtol=1e-12, **QUIET).q[-1]
    for stabilisation in ("baumgarte", "project") if "bdf" not in integrator else ("auto",):
        ends = [rm.simulate(led, 0.1, dt=h, integrator=integrator, stabilisation=stabilisation, **QUIET) for h in (dt, dt / 2)]
        off = [np.abs(run.q[-1] - exact).max() for run in ends]
        assert abs(np.log2(off[0] / off[1]) - order) < 0.2 * order, (stabilisation, off)
    if kind == "distance":
        assert np.abs(ends[-1].constraint("c").gap).max() < (1e-12 if "bdf" not in integrator else 1e-9)


def test_newtons_equation_of_a_step_is_met_through_a_map():
    """Backward Euler: J' (M qddot - f - G' lambda) = 0 and g = 0 at the end of the step, with qdot and qddot of q_R its differences."""
    led, h = chains("distance")[0], 0.01
    run = rm.simulate(led, 2 * h, dt=h, integrator="bdf1", **QUIET)
    map: Any = led.model().map
    u, v = run.q_R, run.qdot_R
    a = (v[2] - v[1]) / h
    assert_allclose((u[2] - u[1]) / h, v[2], rtol=0, atol=1e-9)
    J, bias = map.evaluate("J", q=u[2]), map.evaluate("bias", q=u[2], qdot=v[2])
    dynamics = rm.Dynamics(led)
    G = dynamics.constraint_jacobian(run.q[2]) @ J
    free = J.T @ dynamics.inverse_free(run.q[2], run.qdot[2], J @ a + bias, None, 2 * h)[0]
    multipliers = np.linalg.lstsq(G.T, free, rcond=None)[0]
    assert np.abs(G.T @ multipliers - free).max() < 1e-6 * np.abs(free).max()
    assert np.abs(run.constraint("c").gap).max() < 1e-10
