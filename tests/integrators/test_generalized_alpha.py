"""Generalized-alpha on Lie groups: the heavy top against a restatement, orders with multipliers, constraints kept, anything a scene has."""

from __future__ import annotations

import time
from functools import cache
from typing import Any

import numpy as np
import pytest
from scipy.linalg import expm

import redmax as rm
from integrators.top_by_hand import run as by_hand
from integrators.top_by_hand import run_by_its_point
from integrators.top_from_outside import run as from_outside
from redmax.integrators.absolute.group import GROUPS
from redmax.integrators.absolute.program import PAST
from redmax.integrators.absolute.runner import AbsoluteRunner
from redmax.scenes import find

LEFT = ("SE3", "SO3xR3")
BAR = rm.Cuboid((0.3, 0.05, 0.05), density=1000)
AT_1_S = {  # the centre of the top, 1000 steps of 1 ms by top_by_hand.py and top_from_outside.py
    ("SE3", 3): (0.1566824760567, 0.5780834688202, -0.8007934220344),
    ("SE3", 2): (0.1567124758008, 0.5780321787161, -0.8008245752330),
    ("SO3xR3", 3): (0.1725964985564, 0.6346581439835, -0.7532725197175),
    ("SO3xR3", 2): (0.1713569093557, 0.6435381137545, -0.7459862637889),
    ("SE3-right", 3): (0.1557207238655, 0.5521717319448, -0.8190588712662),
    ("SE3-right", 2): (0.1557193668354, 0.5521741817188, -0.8190574777362),
    ("SO3xR3-right", 3): (0.1735152085687, 0.6412413512789, -0.7474637127014),
    ("SO3xR3-right", 2): (0.1742253772838, 0.6371474866796, -0.7507919805966),
}


def simulated(scene: Any, duration: float, dt: float, group: str, index: int, **more: Any) -> Any:
    return rm.simulate(scene, duration, dt, integrator="generalized-alpha", group=group, index=index, **more)


@cache
def top(group: str, index: int, dt: float, steps: int) -> Any:
    return simulated("heavy-top", steps * dt, dt, group, index)


@pytest.mark.parametrize("index", [3, 2])
@pytest.mark.parametrize("group", LEFT)
def test_the_heavy_top_is_the_one_of_a_restatement(group, index):
    """Which has multipliers as unknowns; after 1 s as its numbers say, and step by step with its multipliers."""
    run = top(group, index, 1e-3, 1000)
    np.testing.assert_allclose(run.pose("top")[-1, :3, 3], AT_1_S[group, index], rtol=0, atol=1e-9)
    told = by_hand(group, index, 1e-3, 60)
    pose = run.pose("top")
    np.testing.assert_allclose(pose[60, :3, 3], told.x, rtol=0, atol=1e-11)
    np.testing.assert_allclose(pose[60, :3, :3], told.R, rtol=0, atol=1e-11)
    force = np.einsum("kij,kj->ki", pose[1:61, :3, :3], run.step_reaction[1:61, 0, 3:])  # in the world
    expected = -np.einsum("kij,kj->ki", pose[1:61, :3, :3], told.multipliers)
    np.testing.assert_allclose(force, expected, rtol=0, atol=2e-5)
    assert run.hidden_rate[1:61].max() == pytest.approx(max(told.hidden), rel=0.01, abs=1e-11)


def test_index_1_is_the_one_of_a_restatement_and_drifts_in_the_direct_product_alone():
    """On SE(3) the centre stays on its joint, whatever asks for it; in the direct product it leaves, by O(h^2)."""
    run, told = top("SE3", 1, 1e-3, 60), by_hand("SE3", 1, 1e-3, 60)
    np.testing.assert_allclose(run.pose("top")[-1, :3, 3], told.x, rtol=0, atol=1e-11)
    np.testing.assert_allclose(run.pose("top")[-1, :3, :3], told.R, rtol=0, atol=1e-11)
    assert run.joint_drift.max() < 1e-13
    coarse, fine = (top("SO3xR3", 1, h, n).joint_drift.max() for h, n in ((1e-3, 60), (5e-4, 120)))
    assert fine > 1e-5
    assert coarse / fine == pytest.approx(4, rel=0.1)
    closed = rm.simulate("heavy-top", 0.06, 1e-3, integrator="generalized-alpha", group="SO3xR3", index=1, stabilisation="project")
    assert closed.joint_drift.max() < 1e-13


@pytest.mark.parametrize("steps", [100, pytest.param(1000, marks=pytest.mark.long)])
@pytest.mark.parametrize("index", [3, 2])
@pytest.mark.parametrize("group", GROUPS[2:])
def test_seen_from_the_world_the_top_is_the_one_of_a_restatement(group, index, steps):
    """Which is written in world axes, with multipliers as unknowns: after 1 s as its numbers say, and after 0.1 or 1 s as it does."""
    run, told = top(group, index, 1e-3, 1000), from_outside(group, index, 1e-3, steps)
    np.testing.assert_allclose(run.pose("top")[-1, :3, 3], AT_1_S[group, index], rtol=0, atol=1e-9)
    np.testing.assert_allclose(run.pose("top")[steps, :3, 3], told.x, rtol=0, atol=1e-9)
    np.testing.assert_allclose(run.pose("top")[steps, :3, :3], told.R, rtol=0, atol=1e-9)
    force = np.einsum("kij,kj->ki", run.pose("top")[1:61, :3, :3], run.step_reaction[1:61, 0, 3:])
    expected = -np.einsum("kij,kj->ki", run.pose("top")[1:61, :3, :3], told.multipliers[:60])
    np.testing.assert_allclose(force, expected, rtol=0, atol=2e-5)


@pytest.mark.parametrize(("stabilisation", "gain"), [("none", 0.0), ("auto", 5.0)])
@pytest.mark.parametrize("group", LEFT)
def test_index_1_after_a_second_is_the_one_of_a_restatement(group, stabilisation, gain):
    """With Baumgarte's terms and without them: how the top is turned, where its centre would be, and how far its point is off the pivot."""
    run = simulated("heavy-top", 1.0, 1e-3, group, 1, every=1000, stabilisation=stabilisation)
    told = run_by_its_point(group, 1e-3, 1000, gain)
    np.testing.assert_allclose(run.pose("top")[-1, :3, 3], told.R @ [0, 1, 0], rtol=0, atol=1e-9)
    np.testing.assert_allclose(run.qdot[-1], told.v[:3], rtol=0, atol=1e-7)
    assert run.joint_drift[-1, 0] == pytest.approx(np.linalg.norm(told.x - told.R @ [0, 1, 0]), abs=1e-9)
    if group == "SO3xR3":
        assert run.joint_drift[-1, 0] > 1e-3


@pytest.mark.parametrize("group", GROUPS)
def test_multipliers_of_index_1_have_order_two(group):
    """In the first 10 ms, beside those of small steps (N)."""
    errors = []
    for n in (1, 2, 4):
        run = simulated("heavy-top", 0.01, 1e-3 / n, group, 1, stabilisation="none")
        errors.append(float(np.abs(run.reactions[1:, 0, 3:] - reactions_of_the_top(n)).max()))
    assert errors[0] / errors[1] == pytest.approx(4, rel=0.15)
    assert errors[1] / errors[2] == pytest.approx(4, rel=0.15)


@pytest.mark.parametrize(("index", "group"), [(2, "SE3-right"), (2, "SO3xR3-right"), (3, "SE3-right")])
def test_multipliers_seen_from_the_world_have_order_two_from_the_first_step(index, group):
    errors = [largest_error_of_multipliers(group, index, n) for n in (1, 2, 4)]
    assert errors[0] / errors[1] == pytest.approx(4, rel=0.15)
    assert errors[1] / errors[2] == pytest.approx(4, rel=0.15)


def test_steps_that_hold_positions_refuse_to_let_them_go():
    for more in ({"index": 2}, {"index": 3}):
        with pytest.raises(rm.RedmaxError, match=r"goes? with stabilisation .*Got stabilisation='none'"):
            rm.simulate("heavy-top", 0.01, 1e-3, integrator="generalized-alpha", stabilisation="none", **more)
    for integrator in ("implicit", "euler", "bdf2", "adaptive"):
        with pytest.raises(rm.RedmaxError, match="Got stabilisation='none'"):
            rm.simulate("heavy-top", 0.01, 1e-3, integrator=integrator, dynamics="maximal", stabilisation="none")


@pytest.mark.parametrize("group", LEFT)
@pytest.mark.parametrize(("integrator", "expected"), [("mk2", 2), ("mk4-partitioned", 4), ("cf4", 4), ("generalized-alpha", 2)])
def test_explicit_methods_and_index_1_have_their_orders_on_both_groups(integrator, expected, group):
    model, end, q, _ = exact("driven")
    index = {"index": 1} if integrator == "generalized-alpha" else {}
    errors = []
    for n in (60, 120):
        run = rm.simulate(model, end, end / n, integrator=integrator, dynamics="maximal", group=group, every=n, **index)
        errors.append(float(np.linalg.norm(run.q[-1] - q)))
    assert np.log2(errors[0] / errors[1]) == pytest.approx(expected, abs=0.15)


@pytest.mark.parametrize(("integrator", "index"), [("generalized-alpha", 1), ("generalized-alpha", 3), ("mk4", None)])
def test_batches_portions_interpreted_and_float32_are_one_motion(integrator, index):
    model = driven().model()
    more: dict[str, Any] = {"dt": 0.004, "integrator": integrator, "group": "SO3xR3", "index": index}
    start = rm.State(0.0, np.array([model.q0, model.q0]), np.array([model.qdot0, model.qdot0 + 0.3]))
    whole = rm.simulate(model, 0.02, initial=start, **more)
    alone = rm.simulate(model, 0.02, initial=rm.State(0.0, start.q[1], start.qdot[1]), **more)
    np.testing.assert_allclose(whole.q[:, 1], alone.q, rtol=0, atol=1e-13)
    sim = rm.Simulation(model, initial=rm.State(0.0, start.q[1], start.qdot[1]), **more)
    sim.step(2)
    kept = sim.checkpoint()
    sim.step(3)
    np.testing.assert_array_equal(sim.state.q, alone.q[-1])
    sim.restore(kept)
    np.testing.assert_array_equal(sim.step(3).q, alone.q[-1])
    slow = rm.simulate(model, 0.012, initial=rm.State(0.0, start.q[1], start.qdot[1]), backend="interpret", **more)
    np.testing.assert_allclose(slow.q, alone.q[:4], rtol=0, atol=1e-12)
    short = rm.simulate(model, 0.02, initial=rm.State(0.0, start.q[1], start.qdot[1]), dtype="float32", **more)
    np.testing.assert_allclose(short.q, alone.q, rtol=0, atol=1e-6)


def largest_error_of_multipliers(group: str, index: int, n: int) -> float:
    """In the first 10 ms, with n steps a millisecond (N)."""
    dt, steps = 1e-3 / n, 10 * n
    exact = reactions_of_the_top(n)
    return float(np.abs(top(group, index, dt, steps).step_reaction[1:, 0, 3:] - exact).max())


@cache
def reactions_of_the_top(n: int) -> np.ndarray:
    return np.asarray(rm.simulate("heavy-top", 0.01, 1e-3 / n, rtol=1e-12).reactions[1:, 0, 3:])


@pytest.mark.parametrize(
    ("group", "index", "expected", "order"),
    [("SO3xR3", 3, (109.35, 60.11, 29.85), 1), ("SO3xR3", 2, (1.118, 0.2796, 0.0699), 2), ("SE3", 3, (0.785, 0.197, 0.0492), 2),
     ("SE3", 2, (0.785, 0.197, 0.0492), 2)],
)  # fmt: skip
def test_multipliers_have_order_two_from_the_first_step_but_those_of_plain_index_3_in_the_direct_product(group, index, expected, order):
    """Errors at 1, 0.5 and 0.25 ms, in N."""
    found = [largest_error_of_multipliers(group, index, n) for n in (1, 2, 4)]
    np.testing.assert_allclose(found, expected, rtol=0.02)
    assert np.abs(np.diff(np.log2(found)) + order).max() < 0.2


@pytest.mark.parametrize("group", GROUPS)
@pytest.mark.parametrize("rho", [0.0, 0.5, 0.9])
def test_multipliers_of_index_2_have_order_two_however_much_is_damped(group, rho):
    """In the first steps, of small ones: a0 is v' at (am - af) h; with v'(0) they have order 1 in the direct product unless rho is 1."""
    found = []
    for n in (4, 16):
        run = rm.simulate("heavy-top", 0.002, 1e-3 / n, integrator="generalized-alpha", group=group, index=2, rho=rho)
        off = np.asarray(run.step_reaction)[1:, 0, 3:] - reactions_of_the_top(n)[: 2 * n]
        found.append(np.abs(off).max())
    assert np.log2(found[0] / found[1]) / 2 == pytest.approx(2.0, abs=0.15)


LOWER_PAIRS = {
    "revolute": (rm.Revolute("y"), (3.0,)), "prismatic": (rm.Prismatic("x"), (1.0,)), "helical": (rm.Helical("y", 0.3), (3.0,)),
    "cylindrical": (rm.Cylindrical("z"), (2.0, 1.0)), "spherical": (rm.Spherical("quaternion"), (3.0, -2.0, 5.0)),
    "planar": (rm.Planar(), (1.0, 0.5)),
}  # fmt: skip


@pytest.mark.parametrize("name", LOWER_PAIRS)
def test_on_se3_a_body_on_a_lower_pair_to_the_ground_keeps_the_hidden_constraint_too(name):
    joint, qdot = LOWER_PAIRS[name]
    scene = rm.Scene()
    scene.add_body(BAR, joint=joint, com=(0.15, 0.1, 0.05), qdot=qdot, damping=0.1)
    screws, apart = (simulated(scene, 1.0, 0.005, group, 3) for group in LEFT)
    assert screws.hidden_rate.max() < 1e-10
    assert screws.joint_drift.max() < 1e-12
    if name in ("revolute", "spherical"):
        assert 1e-6 < apart.hidden_rate.max() < 1e-2
        finer = simulated(scene, 1.0, 0.0025, "SO3xR3", 3)
        assert apart.hidden_rate.max() / finer.hidden_rate.max() == pytest.approx(4, rel=0.1)


def chain() -> rm.Scene:
    """Of several kinds, on the ground, with springs between bodies and what joints may have."""
    scene = rm.Scene()
    first = scene.add_body(
        BAR, joint=rm.Spherical("quaternion"), com=(0.15, 0, 0), qdot=(0.5, 1.0, 2.0), armature=0.01, damping=0.05, stiffness=0.3,
    )  # fmt: skip
    second = scene.add_body(BAR, parent=first, joint=rm.Universal(), at=(0.3, 0, 0), com=(0.15, 0, 0), q=(0.3, 0.2), stiffness=3.0)
    third = scene.add_body(BAR, parent=second, joint=rm.Helical("x", 0.05), at=(0.3, 0, 0), com=(0.15, 0.02, 0), qdot=1.0, armature=1e-3)
    scene.add_force(rm.SpringDamper(first.point(0, 0, 0.1), third.point(0, 0, 0.1), stiffness=200, damping=1))
    scene.add_force(rm.SpringDamper((0.3, 0.2, 0.3), second.point(0, 0.1, 0), stiffness=50, damping=0.5))
    scene.add_wrench(third, force=lambda t: [rm.math.sin(3.0 * t), 0.0, 1.0], frame="world")
    return scene


def driven() -> rm.Scene:
    scene = rm.Scene()
    first = scene.add_body(BAR, joint=rm.Revolute("y"), com=(0.15, 0, 0), motion=lambda t: 0.3 * rm.math.sin(2 * t))
    scene.add_body(BAR, parent=first, joint=rm.Spherical(), at=(0.3, 0, 0), com=(0.15, 0, 0), q=(0.1, 0.4, 0), damping=0.01)
    return scene


def spline() -> rm.Scene:
    scene = rm.Scene()
    places = ((3.1, (-1, 0, 0)), (1.6, (0, 0, -0.2)), (0, (1, 0, 0)), (-1.6, (0, 0, 0.2)))
    frames = [rm.pose(rm.rotation_about("y", a), p) for a, p in places]
    slid = scene.add_body(BAR, joint=rm.SplineCurve(frames), com=(0.15, 0, 0), q=0.2)
    scene.add_body(BAR, parent=slid, joint=rm.joint(bent, dof=1), at=(0.3, 0, 0), com=(0.15, 0, 0), q=0.3)
    return scene


def bent(q: Any) -> Any:
    """A user's joint."""
    return rm.pose(rm.rotation_about("y", q[0]), (0.1 * rm.math.sin(q[0]), 0.0, 0.05 * q[0]))


SCENES = {"chain": (chain, 0.2), "driven": (driven, 0.4), "spline": (spline, 0.3)}
LOOPS = {"bennett": 0.2, "redmax:4": 0.2, "rolling-disc": 0.2}


@cache
def exact(name: str) -> tuple[rm.Model, float, np.ndarray, np.ndarray]:
    build, end = SCENES[name] if name in SCENES else (find(name).scene, LOOPS[name])
    model = build().model()
    run = rm.simulate(model, end, end, integrator="adaptive", dynamics="recursive", rtol=1e-11)
    return model, end, run.q[-1], run.qdot[-1]


def order(name: str, group: str, index: int, counts: tuple[int, int]) -> float:
    model, end, q, qdot = exact(name)
    errors = []
    for n in counts:
        run = simulated(model, end, end / n, group, index, every=n)
        errors.append(np.concatenate([(run.q[-1] - q) / max(1.0, np.abs(q).max()), (run.qdot[-1] - qdot) / np.abs(qdot).max()]))
    sizes = [float(np.linalg.norm(e)) for e in errors]
    return float(np.log(sizes[0] / sizes[1]) / np.log(counts[1] / counts[0]))


@pytest.mark.parametrize("index", [3, 2])
@pytest.mark.parametrize("group", LEFT)
@pytest.mark.parametrize("name", SCENES)
def test_trees_of_any_joints_with_what_acts_on_them_have_order_two(name, group, index):
    assert order(name, group, index, (100, 200)) == pytest.approx(2.0, abs=0.12)


def two_bars(joined: bool, universal: bool = False) -> rm.Scene:
    """The second hangs on the first by a ball joint, or a universal one, or floats and is held there by rows."""
    scene = rm.Scene()
    first = scene.add_body(BAR, joint=rm.Spherical("quaternion"), com=(0.15, 0, 0), qdot=(1.0, 2.0, 3.0), name="first")
    if joined:
        joint, qdot = (rm.Universal(), (3.0, 1.0)) if universal else (rm.Spherical("quaternion"), (3.0, 1.0, 0.0))
        scene.add_body(BAR, joint=joint, qdot=qdot, parent=first, at=(0.3, 0, 0), com=(0.15, 0, 0), name="second")
        return scene
    velocity = np.cross((1.0, 2.0, 3.0), (0.3, 0, 0))  # of the far end of the first
    twist = (4.0, 3.0, 3.0, *velocity)
    floating = scene.add_body(BAR, joint=rm.Free("pose"), at=(0.3, 0, 0), com=(0.15, 0, 0), qdot=twist, name="second")
    ends = first.point(0.15, 0, 0), floating.point(-0.15, 0, 0)
    scene.add_constraint(rm.Closure(rm.Universal(), *ends) if universal else rm.PointClosure(*ends))
    return scene


def exponential(group: str, d: np.ndarray) -> np.ndarray:
    """The pose by which a step turns and shifts, on SE(3), or turns, in the direct product."""
    twist = np.zeros((4, 4))
    twist[:3, :3] = [[0, -d[2], d[1]], [d[2], 0, -d[0]], [-d[1], d[0], 0]]
    if group.startswith("SE3"):
        twist[:3, 3] = d[3:]
    return np.asarray(expm(twist))


@pytest.mark.parametrize(("what", "group", "index"), [("massless", "SO3xR3", 2), ("massless", "SE3-right", 3), ("arm", "SE3", 3)])
def test_bodies_without_mass_and_forces_that_follow_joints(what, group, index):
    """Joints place bodies and know their coordinates. Of index 1, where bodies are by themselves, both are refused."""
    scene = find("arm").scene()
    if what == "massless":
        scene = rm.Scene()
        first = scene.add_body(BAR, joint=rm.Revolute("y"), com=(0.15, 0, 0), qdot=1.0)
        light = rm.MassProperties(0.0, np.zeros((3, 3)))
        between = scene.add_body(light, parent=first, joint=rm.Revolute("x"), at=(0.3, 0, 0), qdot=0.5)
        scene.add_body(BAR, parent=between, joint=rm.Revolute("z"), com=(0.15, 0, 0), qdot=2.0)
    model = scene.model()
    exact = rm.simulate(model, 0.1, 0.1, integrator="adaptive", rtol=1e-11).q[-1]
    errors = [float(np.linalg.norm(simulated(model, 0.1, 0.1 / n, group, index, every=n).q[-1] - exact)) for n in (50, 100)]
    assert np.log2(errors[0] / errors[1]) == pytest.approx(2.0, abs=0.1)
    with pytest.raises(rm.RedmaxError, match=r"without mass|follows the coordinates"):
        simulated(model, 0.1, 0.01, "SE3", 1)


@pytest.mark.parametrize("group", GROUPS)
def test_bodies_go_along_their_group_by_the_difference_formulas(group):
    """Seen from the body or from the world: q1 from q0, v0, a0, a1; v1 and a1 from these and v'."""
    rho, h = 0.7, 0.01
    am, af = (2 * rho - 1) / (rho + 1), rho / (rho + 1)
    gamma = 0.5 + af - am
    beta = (gamma + 0.5) ** 2 / 4
    sim = rm.Simulation(two_bars(True), dt=h, integrator="generalized-alpha", group=group, index=3, rho=rho)
    sim.step(3)
    states = []
    for _ in range(2):
        runner: Any = sim.runner
        states.append({name: values[0].reshape(2, -1) for name, values in zip(PAST, runner.last.more, strict=True) if name != "qddot"})
        sim.step()
    for body in range(2):
        (E0, v0, a0, r0), (E1, v1, a1, r1) = ([s[n][body] for n in ("pose", "v0", "a0", "rate0")] for s in states)
        np.testing.assert_allclose((1 - am) * a1 + am * a0, (1 - af) * r1 + af * r0, rtol=0, atol=1e-9)
        np.testing.assert_allclose(v1, v0 + h * ((1 - gamma) * a0 + gamma * a1), rtol=0, atol=1e-11)
        E0, E1 = (np.vstack([E.reshape(3, 4), [0, 0, 0, 1]]) for E in (E0, E1))
        d = h * (v0 + h * ((0.5 - beta) * a0 + beta * a1))
        gone = exponential(group, d) @ E0 if group.endswith("right") else E0 @ exponential(group, d)
        if group.startswith("SO3"):
            gone[:3, 3] = E0[:3, 3] + d[3:]
        np.testing.assert_allclose(E1, gone, rtol=0, atol=1e-13)


@pytest.mark.parametrize(("group", "index"), [("SE3", 3), ("SO3xR3", 3), ("SO3xR3", 2), ("SE3-right", 2), ("SO3xR3-right", 3)])
def test_bodies_may_have_the_frame_of_their_joint(group, index):
    """Of order 2; on SE(3), index 3, steps know nothing of frames; in the direct product one at the fixed point keeps the top there."""
    model, end, q, _ = exact("driven")
    errors = []
    for n in (80, 160):
        errors.append(float(np.linalg.norm(simulated(model, end, end / n, group, index, frame="joint", every=n).q[-1] - q)))
    assert np.log2(errors[0] / errors[1]) == pytest.approx(2.0, abs=0.12)
    own, other = (simulated("heavy-top", 0.05, 1e-3, group, index, frame=frame) for frame in ("joint", "body"))
    same = np.abs(own.q - other.q).max()
    assert same < 1e-11 if group.startswith("SE3") else same > 1e-6
    assert own.hidden_rate.max() < 1e-10


@pytest.mark.parametrize("group", GROUPS[2:])
def test_seen_from_the_world_steps_have_order_two_as_well(group):
    assert order("driven", group, 3, (100, 200)) == pytest.approx(2.0, abs=0.12)
    assert order("driven", group, 2, (100, 200)) == pytest.approx(2.0, abs=0.12)
    if group == "SE3-right":  # the spatial twists that a lower pair to the ground allows are a subalgebra, too
        assert simulated("heavy-top", 0.05, 1e-3, group, 3).hidden_rate.max() < 1e-10


@pytest.mark.parametrize(
    ("group", "index", "universal"), [("SE3", 3, False), ("SE3", 2, True), ("SO3xR3", 3, True), ("SO3xR3", 2, False), ("SO3xR3", 2, True)]
)
def test_a_joint_and_the_rows_that_say_the_same_have_the_same_steps(group, index, universal):
    """Bodies do not know which of their constraints are joints. That of a universal joint finds its angles by itself."""
    joined, held = (simulated(two_bars(kind, universal), 0.2, 0.01, group, index) for kind in (True, False))
    for name in ("first", "second"):
        np.testing.assert_allclose(held.pose(name), joined.pose(name), rtol=0, atol=1e-11)
    np.testing.assert_allclose(held.step_reaction[1:, 0], joined.step_reaction[1:, 0], rtol=0, atol=1e-6)
    if index == 2:
        assert np.abs(held.quantity("constraint_rate")).max() < 1e-11


@pytest.mark.parametrize(("name", "group"), [("bennett", "SE3"), ("redmax:4", "SO3xR3"), ("rolling-disc", "SE3")])
def test_loops_and_rolling_have_order_two_and_close(name, group):
    for index in (3, 2):
        assert order(name, group, index, (50, 100)) == pytest.approx(2.0, abs=0.1)
    model, end, _, _ = exact(name)
    run = simulated(model, end, end / 20, group, index)
    held = np.array([not c.of_velocities for c in model.constraints for _ in range(c.size)])
    size = 20.0 if name == "redmax:4" else 1.0  # in cm
    assert np.abs(run.quantity("constraint_gap")[..., held]).max(initial=0.0) < 1e-12 * size


@pytest.mark.parametrize("index", [3, 2])
def test_the_time_of_a_step_grows_with_the_bodies(index):
    """Of trees of 6 n coordinates, whose joints are eliminated one by one: 4 times the links, 4 times the time, where a matrix takes 64."""
    took = []
    for links in (20, 80):
        scene, last = rm.Scene(), None
        for k in range(links):
            at = (0.3 * (k > 0), 0, 0)
            last = scene.add_body(BAR, joint=rm.Revolute("yz"[k % 2]), parent=last, at=at, com=(0.15, 0, 0), q=0.1)
        sim = rm.Simulation(scene, dt=1e-4, integrator="generalized-alpha", index=index)
        sim.step(2)
        runs = []
        for _ in range(7):
            start = time.process_time()
            sim.step(10)
            runs.append(time.process_time() - start)
        took.append(min(runs))
    assert took[1] < 8 * took[0]


def test_newtons_method_takes_few_iterations():
    for group in GROUPS:
        for index in (3, 2):
            sim = rm.Simulation("heavy-top", dt=1e-3, integrator="generalized-alpha", group=group, index=index)
            sim.step(100)
            runner: Any = sim.runner
            assert isinstance(runner, AbsoluteRunner)
            assert runner.iterations <= 100 * (4 if group in LEFT or index == 3 else 9)


def test_what_is_fast_is_damped_as_rho_says():
    """A spring that swings 20 times a step: with rho = 0 one step leaves nothing of it, with rho = 1 all."""
    scene = rm.Scene()
    scene.gravity = (0, 0, 0)
    scene.add_body(rm.Sphere(0.1, mass=1.0), joint=rm.Prismatic("x"), q=0.01, stiffness=1e8, rest=0)
    kept = {rho: simulated(scene, 0.5, 0.01, "SE3", 2, rho=rho).energy.total for rho in (0.0, 0.5, 1.0)}
    assert kept[0.0][-1] < 1e-6 * kept[0.0][0]
    assert kept[0.5][-1] < 1e-6 * kept[0.5][0]
    assert kept[1.0][-1] == pytest.approx(kept[1.0][0], rel=0.05)


@pytest.mark.parametrize("index", [3, 2])
def test_steps_that_turn_a_body_too_far_end_the_run(index):
    """log knows of less than half a turn; 150 rad/s in steps of 30 ms are 4.5 rad."""
    with pytest.raises(rm.SimulationError, match=r"more than 3 rad|found no end"):
        simulated("heavy-top", 0.3, 0.03, "SO3xR3", index)


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"integrator": "generalized-alpha", "dynamics": "recursive"}, "but 'maximal'.* does not go with integrator 'gen"),
        ({"integrator": "rk4", "group": "SE3"}, "An integrator that does not go along groups goes with no group"),
        ({"integrator": "rk4", "index": 3}, "An integrator other than 'generalized-alpha' goes with no index"),
        ({"integrator": "rk4", "rho": 0.5}, "goes with no rho"),
        ({"integrator": "generalized-alpha", "index": 5}, "index must be one of"),
        ({"integrator": "generalized-alpha", "rho": 1.5}, "rho must be a number from 0 to 1"),
        ({"integrator": "generalized-alpha", "group": "SE(3)"}, "There is no group 'SE\\(3\\)'. Did you mean 'SE3'"),
    ],
)
def test_what_does_not_go_together_is_refused_in_a_sentence(more, said):
    with pytest.raises(rm.RedmaxError, match=said):
        rm.simulate("heavy-top", 0.01, 0.001, **more)


@pytest.mark.parametrize("joint", [rm.Spherical(), rm.SphericalEuler()])
@pytest.mark.parametrize("index", [3, 2])
def test_coordinates_near_a_singularity_are_changed(index, joint):
    """A bar that turns over and over moves as the one on a quaternion, whatever its coordinates, and so does the one that hangs on it."""

    def turning(ball: rm.Joint) -> rm.Scene:
        scene = rm.Scene()
        upper = scene.add_body(BAR, joint=ball, com=(0.15, 0, 0), qdot=(0.3, 25.0, 0.1), name="upper")
        scene.add_body(BAR, parent=upper, joint=rm.Revolute("z"), at=(0.3, 0, 0), com=(0.15, 0, 0), qdot=2.0, name="lower")
        return scene

    runs = [simulated(turning(ball), 0.8, 1e-3, "SE3", index, every=20) for ball in (joint, rm.Spherical("quaternion"))]
    leaps = np.linalg.norm(np.diff(runs[0].q[:, :3], axis=0), axis=1) > 3.0
    assert np.any(np.diff(runs[0].charts, axis=0)) if joint.discrete else leaps.sum() >= 2
    for name in ("upper", "lower"):
        np.testing.assert_allclose(runs[0].pose(name), runs[1].pose(name), rtol=0, atol=1e-9)
        np.testing.assert_allclose(runs[0].step_reaction[1:], runs[1].step_reaction[1:], rtol=0, atol=1e-6)
