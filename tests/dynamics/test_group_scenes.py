"""Joints on groups beside everything else: feature x dynamics x integrator, and all that runs report, against exponential coordinates."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pytest

import redmax as rm
from dynamics.group_scenes import FEATURES, attached, ball, bar, base, box_on_ground, built, pulled, rubbing
from joints.group_forms import FREES
from redmax.integrators import METHODS
from redmax.run.combinations import chosen
from redmax.run.energy_account import power
from redmax.run.options import RunOptions
from redmax.run.quantities import QUANTITIES

T, DT = 0.06, 0.004
DYNAMICS = ("recursive", "redmax", "maximal")
ORDERS = {name: method.order for name, method in METHODS.items() if not method.adaptive}
OF_COORDINATES = {"q", "qdot", "qddot", "tau", "torques", "moment_arms"}  # which mean something else in other coordinates
Feature = Callable[[rm.Scene, str], None]


@cache
def exactly(feature: Feature, form: str, dynamics: str = "recursive") -> rm.Trajectory:
    how: dict[str, Any] = {"integrator": "adaptive", "rtol": 1e-11, "dynamics": dynamics, "progress": False}
    return rm.simulate(built(feature, form), T, T / 6, **how)


def poses(run: rm.Trajectory) -> np.ndarray:
    return np.array([run.pose(link.name) for link in run.model.bodies])


def alike(a: Any, b: Any, tolerance: float = 1e-7) -> bool:
    """But for roundings of what is zero."""
    a, b = np.asarray(a, float), np.asarray(b, float)
    scale = tolerance * (1 + np.abs(a[np.isfinite(a)]).max(initial=0))
    return a.shape == b.shape and np.allclose(a, b, rtol=0, atol=scale, equal_nan=True)


def goes(feature: Feature, dynamics: str, integrator: str) -> bool:
    """Whether the table says that they go together, else in a sentence."""
    try:
        chosen(built(feature, "quaternion").model(), RunOptions(dynamics=dynamics, integrator=integrator))  # type: ignore[arg-type]
    except rm.RedmaxError as refused:
        return "go" not in str(refused)
    return True


def both(feature: Feature) -> tuple[rm.Trajectory, rm.Trajectory]:
    """In exponential coordinates; and in one of the other ways, by one of the dynamics."""
    k = FEATURES.index(feature)
    return exactly(feature, "exp"), exactly(feature, FREES[k % 4], DYNAMICS[k % (2 if feature is attached else 3)])


@pytest.mark.parametrize("feature", FEATURES, ids=lambda x: x.__name__)
def test_runs_report_what_they_do_in_exponential_coordinates(feature: Feature) -> None:
    one, other = both(feature)
    assert np.abs(poses(one) - poses(other)).max() < 1e-9
    compared = []
    for row in QUANTITIES:
        try:
            expected, found = one.quantity(row.name), other.quantity(row.name)
        except rm.RedmaxError:  # it is of something that this scene has none of
            continue
        if row.name not in OF_COORDINATES and isinstance(expected, np.ndarray) and expected.dtype.kind == "f" and expected.size:
            assert alike(expected, found), row.name
            compared.append(row.name)
    assert {"kinetic", "potential", "momentum", "reaction"} <= set(compared)
    gained, also = power(one), power(other)
    assert gained is not None
    assert alike(gained, also, 1e-5)
    if feature is pulled:
        assert alike(*[np.einsum("tpn,tn->tp", run.quantity("moment_arms"), run.qdot) for run in (one, other)])


@pytest.mark.parametrize("feature", FEATURES, ids=lambda x: x.__name__)
def test_torques_have_the_same_power_and_accelerations_the_same_twist_rates(feature: Feature) -> None:
    one, other = both(feature)
    for a, b in zip(one.model.bodies, other.model.bodies, strict=True):
        (qa, va, wa, ta), (qb, vb, wb, tb) = (
            (run.q[:, run.model.q_slice(x.name)], *(y[:, run.model.v_slice(x.name)] for y in (run.qdot, run.qddot, run.quantity("tau"))))
            for run, x in ((one, a), (other, b))
        )
        assert alike((va * ta).sum(axis=1), (vb * tb).sum(axis=1))
        for k in range(len(qa)):
            assert alike(a.joint.twist(qa[k], va[k]), b.joint.twist(qb[k], vb[k]))
            assert alike(a.joint.twist_rate(qa[k], va[k], wa[k]), b.joint.twist_rate(qb[k], vb[k], wb[k]))


def keeps_order(feature: Feature, form: str, dynamics: str, integrator: str) -> None:
    exact = poses(exactly(feature, "exp"))[:, -1]
    errors = []
    for h in (DT, DT / 2):
        run = rm.simulate(built(feature, form), T, h, integrator=integrator, dynamics=dynamics, progress=False)  # type: ignore[arg-type]
        errors.append(np.abs(poses(run)[:, -1] - exact).max())
    assert errors[1] < 0.02
    assert errors[1] < 1e-9 or abs(np.log2(errors[0] / errors[1]) - ORDERS[integrator]) < 0.4


def is_refused(feature: Feature, form: str, dynamics: str, integrator: str) -> None:
    """By the table, however a body is written."""
    with pytest.raises(rm.RedmaxError, match=r"(goes with|does not go with) .*\. Got "):
        rm.simulate(built(feature, form), T, DT, integrator=integrator, dynamics=dynamics, progress=False)  # type: ignore[arg-type]


SMOOTH = [f for f in FEATURES if f is not attached]  # of springs so slow that their order shows
SOME = [(f, m, DYNAMICS[(i + j) % 3]) for i, f in enumerate(SMOOTH) for j, m in enumerate(list(ORDERS)[i % 4 :: 4])]


@pytest.mark.parametrize(("feature", "integrator", "dynamics"), SOME, ids=lambda x: getattr(x, "__name__", x))
def test_order_beside_each_feature(feature: Feature, integrator: str, dynamics: str) -> None:
    """Each method beside some of them."""
    dynamics = "recursive" if integrator == "variational" else dynamics
    form = FREES[len(integrator) % 4]
    if goes(feature, dynamics, integrator):
        keeps_order(feature, form, dynamics, integrator)
    else:
        is_refused(feature, form, dynamics, integrator)


@pytest.mark.long
@pytest.mark.parametrize("feature", SMOOTH, ids=lambda x: x.__name__)
@pytest.mark.parametrize("integrator", ORDERS)
@pytest.mark.parametrize("dynamics", DYNAMICS)
def test_order_of_every_method_beside_every_feature(feature: Feature, integrator: str, dynamics: str) -> None:
    for form in FREES:
        (keeps_order if goes(feature, dynamics, integrator) else is_refused)(feature, form, dynamics, integrator)


def test_contact_does_not_ask_how_a_body_is_written() -> None:
    """The same steps in all ways."""
    found = {form: rm.simulate(box_on_ground(form), 0.3, 2e-3, progress=False).pose("box") for form in ("exp", *FREES)}
    for form in found:
        assert np.abs(found[form] - found["quaternion"]).max() < 1e-11
    slid = [rm.simulate(box_on_ground(form, sliding=True), 0.2, 2e-3, progress=False) for form in ("exp", "pose")]
    assert np.abs(slid[0].pose("box") - slid[1].pose("box")).max() < 1e-6
    assert alike(slid[0].energy.total, slid[1].energy.total, 1e-6)
    located = [rm.simulate(box_on_ground(form), 0.3, integrator="adaptive", progress=False) for form in ("exp", "dual-quaternion")]
    assert np.abs(located[0].pose("box")[-1] - located[1].pose("box")[-1]).max() < 1e-6


def test_a_ball_that_rubs() -> None:
    for dynamics in DYNAMICS[:2]:
        apart = []
        for dt in (2e-3, 1e-3):
            runs = [rm.simulate(rubbing(form), 0.1, dt, dynamics=dynamics, progress=False) for form in ("exp", "quaternion", "matrix")]
            ends = [run.pose("bar0")[-1] for run in runs]
            assert np.abs(ends[1] - ends[2]).max() < 1e-11
            apart.append(np.abs(ends[0] - ends[1]).max())
        assert apart[1] < 0.6 * apart[0] < 1e-3


@pytest.mark.parametrize("slides", [False, True])
def test_loops_that_joints_on_groups_close(slides: bool) -> None:
    """Found from afar by `assemble`, and kept."""
    scene = rm.Scene()
    last = bar(scene, "quaternion", bar(scene, "matrix", turn=(1, 0, 0.2, 0), spin=(0, 0, 0)), turn=(1, 0, -0.5, 0), spin=(0, 0, 0))
    joint = rm.CompositeJoint(rm.Prismatic("x"), ball("quaternion")) if slides else ball("matrix")
    scene.add_constraint(rm.Closure(joint, (-0.4, 0.1, -0.5), last.point(0, 0, -0.2), name="loop"))
    found = scene.assemble()
    assert found.mobility == (4 if slides else 3)
    run = rm.simulate(scene, 0.1, rtol=1e-10, progress=False)
    assert np.abs(run.quantity("constraint_gap")).max() < 1e-11
    assert np.abs(run.energy.total - run.energy.total[0]).max() < 1e-7
    place = run.engine.closing_coordinates(run.q[-1], "loop")
    assert joint.off(place) < 1e-12
    stepped = rm.simulate(scene, 0.1, 1e-3, integrator="bdf2", progress=False)
    assert np.abs(poses(run)[:, -1] - poses(stepped)[:, -1]).max() < 1e-4


REFUSED: dict[str, tuple[Callable[[rm.Scene], object], str]] = {
    "limit": (lambda s: s.add_force(rm.JointLimit("bar1", lower=(-1, -1, -1), stiffness=1)), "'force1' depends on single coordinates"),
    "hard limit": (lambda s: s.add_constraint(rm.HardLimit("bar1", lower=-1)), "HardLimit 'constraint1' reads .* none of which counts"),
    "gear": (lambda s: s.add_constraint(rm.Gear("bar1", "bar1", 2.0)), "Gear 'constraint1'"),
    "coordinate": (lambda s: s.add_constraint(rm.PrescribedCoordinate("bar1", lambda t: t)), "none of which counts by itself"),
    "tendon": (lambda s: s.add_force(rm.FixedTendon({"bar1": 1.0}, stiffness=2.0)), "FixedTendon 'force1' reads .* Use exponential"),
    "map": (lambda s: s.set_map(lambda r: [r[0]] * 11, coordinates=1), "a map needs as many. Use (Free|Spherical)"),
    "sweep": (lambda s: rm.Dynamics(s).sweep("bar1"), "has 4 coordinates for 3 velocities, of which none can be swept by itself"),
}  # fmt: skip


@pytest.mark.parametrize("what", REFUSED)
def test_what_needs_single_coordinates_is_refused_in_a_sentence(what: str) -> None:
    scene = rm.Scene()
    bar(scene, "quaternion", base(scene, "quaternion"))
    add, sentence = REFUSED[what]
    with pytest.raises(rm.SceneError, match=sentence):
        _ = (add(scene), scene.model())
