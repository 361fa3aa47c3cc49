"""What Dynamics tells of constraints: gaps, G, biases, multipliers, with forward and inverse dynamics.

Oracles: differences of the gap itself along states and time; the equations of motion with the dense M, put together from other functions.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

import redmax as rm
from dynamics.closed_scenes import BAR, Cord, parallelogram, tangle


@pytest.fixture(scope="module")
def free() -> rm.Dynamics:
    return rm.Dynamics(tangle())


@pytest.fixture(scope="module")
def driven() -> rm.Dynamics:
    return rm.Dynamics(tangle(lambda t: 0.2 + 0.3 * t + 0.1 * t * t))


def states(dynamics: rm.Dynamics, count: int = 6) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """q, qdot, tau and t near where the scene begins: (count, n), (count,)."""
    rng, model = np.random.default_rng(5), dynamics.model
    q = model.q0 + 0.2 * rng.normal(size=(count, model.nq))
    return q, rng.normal(size=(count, model.nv)), rng.normal(size=(count, model.nv)), rng.normal(size=count)


def along(function: Any) -> np.ndarray:
    """The derivative by a central difference of fourth order."""
    h = 1e-3
    return (8 * (function(h) - function(-h)) - function(2 * h) + function(-2 * h)) / (12 * h)


def test_rates_jacobian_and_bias_are_derivatives_of_the_gap(free: rm.Dynamics) -> None:
    q, qdot, _, t = states(free)
    rate = free.constraint_rate(q, qdot, t=t)
    assert_allclose(rate, along(lambda h: free.constraint_gap(q + h * qdot, t=t + h)), rtol=0, atol=1e-9)
    G = free.constraint_jacobian(q, t=t)
    for k, column in enumerate(np.eye(free.model.nv)):
        assert_allclose(G[..., k], along(lambda h, d=column: free.constraint_gap(q + h * d, t=t)), rtol=0, atol=1e-9)
    still = free.constraint_rate(q, 0 * qdot, t=t)
    assert_allclose(rate, (G @ qdot[..., None])[..., 0] + still, rtol=0, atol=1e-12)  # with what time alone changes
    bias = free.constraint_bias(q, qdot, t=t)
    assert_allclose(bias, along(lambda h: free.constraint_rate(q + h * qdot, qdot, t=t + h)), rtol=0, atol=2e-9)


def test_rows_are_chosen_by_the_name_of_their_constraint(free: rm.Dynamics) -> None:
    q, qdot, tau, t = states(free)
    one = {"name": "stay"}
    assert_allclose(free.constraint_gap(q, t=t)[:, 3:4], free.constraint_gap(q, t=t, **one), rtol=0, atol=1e-15)
    assert_allclose(free.constraint_jacobian(q, t=t)[:, 3:4], free.constraint_jacobian(q, t=t, **one), rtol=0, atol=1e-15)
    assert_allclose(free.multipliers(q, qdot, tau, t=t)[:, 3:4], free.multipliers(q, qdot, tau, t=t, **one), rtol=0, atol=0)
    assert [free.model.row_slice(n) for n in ("loop", "stay", "leading")] == [slice(0, 3), slice(3, 4), slice(4, 6)]
    with pytest.raises(rm.SceneError, match=r"no constraint 'sty'.*stay|'sty'"):
        free.constraint_gap(q, "sty")
    with pytest.raises(rm.SceneError, match=r"multipliers must have shape \(\.\.\., 6\)"):
        free.inverse(q, qdot, qdot, multipliers=np.zeros(5))


def test_forward_dynamics_keeps_rows_and_balances_forces(free: rm.Dynamics) -> None:
    q, qdot, tau, t = states(free)
    wrench = np.random.default_rng(2).normal(size=(len(free.model.links), 6))
    a, size = free.forward(q, qdot, tau, wrench, t), free.multipliers(q, qdot, tau, wrench, t)
    G = free.constraint_jacobian(q, t=t)
    asked = (G @ a[..., None])[..., 0] + free.constraint_bias(q, qdot, t=t)
    assert_allclose(asked, 0, rtol=0, atol=1e-9 * abs(a).max())
    unheld = rm.Dynamics(loose(free.model.scene))
    forces = tau - unheld.inverse(q, qdot, 0 * qdot, wrench, t) + (size[:, None, :] @ G)[:, 0, :]
    assert_allclose((free.inertia(q) @ a[..., None])[..., 0], forces, rtol=0, atol=1e-9 * abs(forces).max())
    alone = [free.forward(x, v, f, wrench, s) for x, v, f, s in zip(q, qdot, tau, t.tolist(), strict=True)]
    assert_allclose(a, alone, rtol=0, atol=1e-9 * abs(a).max())


def loose(scene: Any) -> rm.Scene:
    """The same without its constraints."""
    other = scene.copy()
    other.constraints.clear()
    return other


def test_inverse_dynamics_finds_torques_that_give_the_motion_back(free: rm.Dynamics) -> None:
    q, qdot, tau, t = states(free)
    a = free.forward(q, qdot, tau, t=t)
    found = free.inverse(q, qdot, a, t=t)
    assert_allclose(free.forward(q, qdot, found, t=t), a, rtol=0, atol=1e-9 * abs(a).max())
    least, asked = ((x * np.linalg.solve(free.inertia(q), x[..., None])[..., 0]).sum(-1) for x in (found, tau))
    assert (least <= asked * (1 + 1e-9)).all()  # in the kinetic metric
    own = free.multipliers(q, qdot, tau, t=t)
    assert_allclose(free.inverse(q, qdot, a, t=t, multipliers=own), tau, rtol=0, atol=1e-8 * abs(own).max())
    some, size = free.inverse_driven(q, qdot, a, ["a", "b", "d"], t=t)
    assert not abs(some[:, free.model.v_slice("c")]).max() > 1e-8 * abs(some).max()
    assert_allclose(free.forward(q, qdot, some, t=t), a, rtol=0, atol=1e-8 * abs(a).max())
    assert size.shape == (len(q), 6)


def test_a_prescribed_joint_is_told_what_constraints_ask_of_it(driven: rm.Dynamics) -> None:
    q, qdot, tau, t = states(driven)
    a, found = driven.hybrid(q, qdot, tau, t=t)
    needed = driven.inverse(q, qdot, a, t=t, multipliers=driven.multipliers(q, qdot, tau, t=t))
    assert_allclose(found, needed, rtol=0, atol=1e-8 * abs(needed).max())
    assert abs(found - tau)[:, driven.model.v_slice("e")].min() > 1e-3
    assert_allclose(a[:, driven.model.v_slice("e")], 0.2, rtol=0, atol=1e-12)


def test_one_constraint_by_name_has_wrenches_on_its_places(free: rm.Dynamics) -> None:
    q, qdot, tau, t = states(free)
    G, total = free.constraint_jacobian(q, t=t), 0.0
    for name in ("loop", "stay", "leading"):
        seen = free.constraint(name, q, qdot, tau, t=t)
        rows = free.model.row_slice(name)
        assert_allclose(seen.gap, free.constraint_gap(q, name, t), rtol=0, atol=0)
        forces = (seen.multipliers[:, None, :] @ G[:, rows])[:, 0, :]
        assert_allclose(seen.power, (forces * qdot).sum(-1), rtol=0, atol=1e-9 * abs(seen.multipliers).max())
        total = total + forces
    loop = free.constraint("loop", q, qdot, tau, t=t)
    assert_allclose(loop.wrench[:, 3:], loop.multipliers, rtol=0, atol=1e-12)  # on the first place along the gap
    assert_allclose(loop.wrenches.sum(axis=1), 0, rtol=0, atol=1e-12)
    assert_allclose(loop.points[:, 0] - loop.points[:, 1], loop.gap, rtol=0, atol=1e-12)
    assert free.constraint("leading", q[0], qdot[0]).torques.shape == (2,)
    bodies, coordinates = free.row_forces(q, free.multipliers(q, qdot, tau, t=t), t)
    assert_allclose(free.jacobian_transposed_product(q, bodies, t) + coordinates, total, rtol=0, atol=1e-9 * abs(bodies).max())


def test_redundant_rows_have_multipliers_of_least_norm_and_take_no_mobility() -> None:
    dynamics = rm.Dynamics(parallelogram())
    q, qdot = dynamics.model.q0, dynamics.model.qdot0
    assert dynamics.mobility(q) == 1
    assert dynamics.mobility(np.array([q, np.zeros(3)])).tolist() == [1, 2]  # two ways where it lies flat
    size, G = dynamics.multipliers(q, qdot), dynamics.constraint_jacobian(q)
    null = np.linalg.svd(G.T)[2][np.linalg.matrix_rank(G) :]
    assert len(null) == 1
    assert_allclose(null @ size, 0, rtol=0, atol=1e-10)


def test_rows_beside_a_map_and_in_single_precision() -> None:
    """A parallelogram whose rocker follows its crank by a map needs no more than that its bar closes it."""
    held, mapped = parallelogram(), parallelogram()
    mapped.set_map([[1, 0], [0, 1], [1, 0]], q=(-1.2, 1.2), qdot=(2.0, -2.0))
    exact, single, led = rm.Dynamics(held), rm.Dynamics(held, dtype="float32"), rm.Dynamics(mapped)
    q, qdot = exact.model.q0, exact.model.qdot0
    expected = exact.forward(q, qdot)
    assert single.forward(q, qdot).dtype == single.multipliers(q, qdot).dtype == np.float32
    assert_allclose(single.forward(q, qdot), expected, rtol=1e-4)
    assert_allclose(rm.Dynamics(held, backend="interpret").forward(q, qdot), expected, rtol=1e-10)
    assert_allclose(led.forward(q, qdot), expected, rtol=1e-10)
    assert_allclose(led.forward_R(q[:2], qdot[:2]), expected[:2], rtol=1e-10)
    assert led.multipliers(q, qdot).shape == (3,)


def test_a_cord_pulls_where_it_is_taut_and_a_soft_one_by_how_far_it_is_stretched() -> None:
    """A bob under a cord: slack, taut at rest, being left, and swinging; beside a cord that gives way."""
    scene, soft = rm.Scene(), rm.Scene()
    for s, compliance in ((scene, 0.0), (soft, 0.01)):
        bob = s.add_body(BAR, joint=rm.Translational(), q=(0, 0, -1.0), name="bob")
        s.add_constraint(Cord((0, 0, 0), bob, 1.0, name="cord", compliance=compliance))
    dynamics, weight = rm.Dynamics(scene), BAR.mass * 9.81
    q = np.array([[0, 0, -0.9], [0, 0, -1.0], [0, 0, -1.0], [0, 0, -1.0], [0, 0, 1.0]])
    qdot = np.array([[0, 0, 0], [0, 0, 0], [0, 0, 1.0], [2.0, 0, 0], [0, 0, 0]])
    pull = [0, weight, 0, weight + BAR.mass * 4.0, 0]  # above its hook it falls
    assert_allclose(dynamics.multipliers(q, qdot)[:, 0], pull, rtol=0, atol=1e-7)
    assert_allclose(dynamics.multipliers(q[::-1], qdot[::-1])[:, 0], pull[::-1], rtol=0, atol=1e-7)
    assert_allclose(dynamics.forward(q, qdot)[:, 2], np.array(pull) / BAR.mass - 9.81, rtol=0, atol=1e-7)
    stretched = [[0, 0, -1.05], [0, 0, -0.95]]
    assert_allclose(rm.Dynamics(soft).multipliers(stretched, np.zeros(3))[:, 0], [5.0, 0.0], rtol=0, atol=1e-12)
    assert_allclose(rm.Dynamics(soft).forward(stretched, np.zeros(3))[:, 2], [5.0 / BAR.mass - 9.81, -9.81], rtol=0, atol=1e-12)


def test_worlds_that_differ_in_parameters_have_rows_of_their_own() -> None:
    """A centre of mass, from where the places of constraints are given, the place of a joint, and a number of a constraint."""
    coms, ats, lengths = [[0.2, 0, 0], [0.25, 0.05, 0]], [0.4, 0.45], [0.5, 0.6]
    given = {"bar.com": coms, "bar.at.x": ats, "rod.length": lengths}

    def made(com: Any, at: float, length: float) -> rm.Scene:
        scene = rm.Scene()
        crank = scene.add_body(BAR, joint=rm.Revolute("y"), com=(0.2, 0, 0), q=-1.2, qdot=2.0, name="crank")
        bar = scene.add_body(BAR, parent=crank, joint=rm.Universal(), at=(at, 0, 0), com=com, q=(1.2, 0.3), name="bar")
        scene.add_constraint(rm.Distance(bar.point(0.2, 0, 0), (1.0, 0.5, 0), length, name="rod"))
        return scene

    dynamics = rm.Dynamics(made(coms[0], ats[0], lengths[0]), parameters=given)
    q, qdot = dynamics.model.q0, np.array([2.0, -1.0, 0.5])
    found = dynamics.constraint("rod", q, qdot)
    for k, numbers in enumerate(zip(coms, ats, lengths, strict=True)):
        other = rm.Dynamics(made(*numbers))
        assert_allclose(dynamics.constraint_jacobian(q)[k], other.constraint_jacobian(q), rtol=0, atol=1e-12)
        assert_allclose(found.gap[k], other.constraint_gap(q), rtol=0, atol=1e-12)
        assert_allclose(found.wrenches[k], other.constraint("rod", q, qdot).wrenches, rtol=0, atol=1e-9)
        assert_allclose(dynamics.forward(q, qdot)[k], other.forward(q, qdot), rtol=0, atol=1e-9)
