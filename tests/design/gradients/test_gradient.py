"""Gradients of runs: against complex steps of the same run, closed forms, differences; in batches, in portions, for optimisers."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, reject
from hypothesis import strategies as st
from scipy.optimize import minimize

import redmax as rm
from mechanisms import Mechanism, chain, every_kind, mechanisms
from program.complex_steps import ComplexInterpreter, H
from random_examples import examples
from redmax.backends.base import rolled_plan
from redmax.design.gradients import adaptive_steps, fixed_steps
from redmax.design.gradients.flat import in_parts
from redmax.design.gradients.reversible import inputs_of, reversible
from redmax.integrators.base import with_controls
from redmax.integrators.bdf import MARKS

STEPS = 3
FIXED = ("forward-euler", "euler", "rk4", "implicit", "bdf1", "bdf2")


def end_cost(now: Any) -> Any:
    return np.sin(now.q) @ np.arange(1.0, 1 + len(now.q)) + 0.1 * (now.qdot @ now.qdot)


def step_cost(now: Any) -> Any:
    return now.tau @ now.tau + now.q @ now.qdot[: len(now.q)] * now.t if len(now.q) == len(now.qdot) else now.tau @ now.tau


def complex_rate(g: rm.Gradient, state: rm.State, tau: np.ndarray, along: dict[str, np.ndarray]) -> tuple[complex, bool]:
    """The value, and as its imaginary part H times its rate; of the forward program alone, with complex numbers. And whether it failed."""
    sim, model = g._sim, g.model
    sim.reset(state)
    laid, program = reversible(sim)
    plan = rolled_plan(laid, with_controls(program), "interpret")
    given = inputs_of(sim, plan) | {"tau": tau[:, None]}
    coordinates = model.configurations.coordinates
    moved = {name: np.zeros(given[name].shape) for name in plan.names[0]}
    moved["q"][:, coordinates] = model.configurations.rates(state.q, along["q"])
    moved["qdot"][:], moved["tau"][:, 0] = along["qdot"], along["tau"]
    for name in ("q", "qdot"):
        if f"{name}_older" in moved:
            moved[f"{name}_older"] = moved[name]
    if "parameters" in moved:
        moved["parameters"][:] = np.concatenate([np.ravel(along[p.name]) for p in model.parameters])
    out = [np.zeros((len(tau), 1, len(slots)), complex) for slots in plan.outputs]
    ComplexInterpreter(plan).run([given[n] + 1j * H * moved[n] for n in plan.names[0]], out, 1, len(tau))
    q, qdot, *more = (o[:, 0] for o in out)
    failed = "marks" in plan.names[1] and bool(more[0][:, MARKS.index("failed")].real.any())
    begin = [given[name] + 1j * H * moved[name] for name in ("q", "qdot")]
    q, qdot = np.concatenate([begin[0], q])[:, coordinates], np.concatenate([begin[1], qdot])
    torque = np.concatenate([tau + 1j * H * along["tau"], np.zeros((1, model.nv))])
    total = end_cost(SimpleNamespace(q=q[-1], qdot=qdot[-1]))
    for k in range(len(tau)):
        total = total + g._sim.dt * step_cost(SimpleNamespace(q=q[k], qdot=qdot[k], tau=torque[k], t=state.t + k * g._sim.dt))
    return total, failed


def check(m: Mechanism, integrator: str, dynamics: str, parameters: list[str], seed: int, dt: float = 0.002) -> None:
    rng = np.random.default_rng(seed)
    sample, nv = m.state(seed), m.model.nv
    state, tau = rm.State(0.3, sample.q, 0.3 * sample.qdot), rng.normal(size=(STEPS, nv))
    by = ["q", "qdot", "tau", *parameters]
    g = rm.gradient(
        m.model, end_cost, STEPS * dt, dt, running=step_cost, by=by, initial=state, controls=tau, integrator=integrator, dynamics=dynamics
    )
    along: dict[str, Any] = {"q": rng.normal(size=nv), "qdot": rng.normal(size=nv), "tau": rng.normal(size=tau.shape)}
    along |= {p.name: 0.1 * p.default * rng.normal(size=p.default.size) for p in g.model.parameters}
    expected, failed = complex_rate(g, g._initial, tau, along)
    if not np.isfinite(expected) or abs(expected) > 1e6 or failed:
        reject()  # some cannot be stepped from there
    found = g()
    parts = [(np.ravel(found.by[name]) * np.ravel(along[name])) for name in by]
    assert found.value == pytest.approx(expected.real, rel=1e-10, abs=1e-10)
    size = sum(np.abs(part).sum() for part in parts)
    assert abs(sum(part.sum() for part in parts) - expected.imag / H) <= 1e-9 * max(size, 1.0)


def masses(m: Mechanism) -> list[str]:
    return [f"{m.model.links[-1].name}.mass"] if m.model.links[-1].shape.mass > 0 else []


PAIRS = [("recursive", name) for name in FIXED] + [("redmax", name) for name in ("euler", "implicit")] + [("maximal", "implicit")]


@pytest.mark.parametrize(("dynamics", "integrator"), PAIRS)
def test_exact_for_every_dynamics_and_integrator(dynamics, integrator):
    """Also where charts change, on a spline, and with springs and dampers."""
    m = chain(3, ["Universal", "Revolute", "SphericalEuler"])
    check(m, integrator, dynamics, masses(m), 1)


@examples(2, 60)
@given(m=mechanisms(largest=4).filter(lambda m: m.nv > 0), seed=st.integers(0, 2**16), pair=st.sampled_from(PAIRS))
def test_random_mechanisms(m, seed, pair):
    check(m, pair[1], pair[0], masses(m), seed)


@pytest.mark.long
@pytest.mark.parametrize("integrator", FIXED)
def test_every_kind_of_joint(integrator):
    m = every_kind(1)
    check(m, integrator, "recursive", [], 1, dt=2e-4)


def slider(**options: Any) -> rm.Scene:
    scene = rm.Scene(gravity=(0, 0, 0))
    scene.add_body(rm.Cuboid((1, 1, 1), mass=2.0), joint=rm.Prismatic("x"), name="cart", **options)
    return scene


def test_closed_form_of_a_cart():
    """Symplectic Euler: x_N = x + N h v + sum (N - k) h^2 tau_k / m. A quadratic cost is least where the normal equations say."""
    N, h, m = 8, 0.1, 2.0
    by = ["q", "qdot", "tau", "cart.mass"]
    g = rm.gradient(slider(q=0.5, qdot=0.3), lambda now: now.point("cart")[0], N * h, h, by=by, integrator="euler")
    tau = np.linspace(-1, 2, N)[:, None]
    found, reach = g(tau=tau), (N - np.arange(N)) * h * h / m
    assert found.value == pytest.approx(0.5 + N * h * 0.3 + reach @ tau[:, 0], abs=1e-14)
    assert found.by["q"] == pytest.approx([1.0])
    assert found.by["qdot"] == pytest.approx([N * h])
    assert np.allclose(found.by["tau"][:, 0], reach, rtol=1e-13)
    assert found.by["cart.mass"] == pytest.approx(-(reach @ tau[:, 0]) / m)
    assert found.end.q == pytest.approx([found.value])
    assert g.value(tau=tau) == found.value


def test_optimisers_find_the_least_effort():
    """Effort sum h tau^2 and a stiff target: the minimum of a quadratic, in closed form."""
    N, h, m, weight = 6, 0.1, 2.0, 50.0
    given: dict[str, Any] = {"running": lambda now: now.tau @ now.tau, "by": ["tau"], "integrator": "euler"}
    g = rm.gradient(slider(), lambda now: weight * (now.q[0] - 1.0) ** 2, N * h, h, **given)
    best = minimize(g.flat, g.start, jac=True, method="BFGS", options={"gtol": 1e-10})
    reach = (N - np.arange(N)) * h * h / m
    expected = np.linalg.solve(h * np.eye(N) + weight * np.outer(reach, reach), weight * reach)
    assert np.allclose(best.x, expected, rtol=1e-6)


def test_products_with_the_hessian_of_a_run():
    """Of a quadratic, in closed form, where one step of Newton's method is all; and of a swing, symmetric, and what values say."""
    N, h, m, weight = 6, 0.1, 2.0, 50.0
    given: dict[str, Any] = {"running": lambda now: now.tau @ now.tau, "by": ["tau"], "integrator": "euler"}
    g = rm.gradient(slider(), lambda now: weight * (now.q[0] - 1.0) ** 2, N * h, h, **given)
    reach = (N - np.arange(N)) * h * h / m
    H = np.array([g.hessp(g.start, e) for e in np.eye(N)])
    assert np.allclose(H, 2 * (h * np.eye(N) + weight * np.outer(reach, reach)), rtol=1e-9)
    best = minimize(g.flat, g.start, jac=True, hessp=g.hessp, method="trust-ncg")
    assert np.allclose(best.x, -np.linalg.solve(H, g.flat(g.start)[1]), rtol=1e-7)
    assert not g.hessp(g.start, np.zeros(N)).any()
    swing = rm.gradient(double(), to_target, 0.1, 0.02, by=["q", "qdot", "lower.mass"], integrator="bdf1")
    rng = np.random.default_rng(6)
    x, (u, v) = swing.start + 0.2 * rng.normal(size=9), rng.normal(size=(2, 9))
    assert u @ swing.hessp(x, v) == pytest.approx(v @ swing.hessp(x, u), rel=1e-8)
    e = 2e-3
    values = [swing.flat(x + s * e * v)[0] for s in (-2, -1, 0, 1, 2)]
    assert v @ swing.hessp(x, v) == pytest.approx(np.array([-1, 16, -30, 16, -1]) @ values / (12 * e * e), rel=1e-5)


@pytest.mark.parametrize("integrator", ["euler", "bdf1", "adaptive"])
def test_slopes_are_written_where_there_is_room_for_them(integrator):
    """Of worlds side by side too, in whatever order their axes lie; nothing else changes."""
    by = ["q", "qdot", "tau", "cart.mass"]
    g = rm.gradient(slider(), lambda now: now.q[0] ** 2, 0.3, 0.1, running=lambda now: now.tau @ now.tau, by=by, integrator=integrator)
    for batch in ((), (4,), (2, 2)):
        tau = np.random.default_rng(0).normal(size=(3, *batch, 1))
        given = {"tau": tau, "qdot": np.full((*batch, 1), 0.4)}
        worlds_first = np.full((*batch, 3, 1), np.nan)
        out = {"tau": np.moveaxis(worlds_first, -2, 0), "cart.mass": np.empty(batch)} | {x: np.empty((*batch, 1)) for x in ("q", "qdot")}
        found, expected = g(**given, out=out), g(**given)
        assert np.array_equal(np.moveaxis(worlds_first, -2, 0), expected.by["tau"])
        for name in by:
            assert found.by[name] is out[name]
            assert np.array_equal(out[name], expected.by[name]), name
    for wrong, said in (({"tau": np.empty((3, 2))}, r"of shape \(3, 1\)"), ({"mass": np.empty(1)}, "mass"), ([1.0], "out is a dictionary")):
        with pytest.raises(rm.SceneError, match=said):
            g(out=wrong)


def double(**options: Any) -> rm.Scene:
    scene, bar = rm.Scene(), rm.Cuboid((0.3, 0.05, 0.05), density=1000)
    upper = scene.add_body(bar, joint=rm.Spherical("quaternion"), com=(0.15, 0, 0), name="upper", qdot=(0.3, 1.0, -0.5))
    scene.add_body(bar, joint=rm.Revolute("y"), parent=upper, at=(0.3, 0, 0), com=(0.15, 0, 0), name="lower", q=0.7, **options)
    return scene


def to_target(now: rm.Moment) -> Any:
    off = now.point("lower", (0.15, 0, 0)) - np.array([0.2, 0.1, -0.4])
    site = now.site("upper", (0.0, 0.1, 0.0))
    return 3.0 * (off @ off) + 0.1 * (site.v @ site.v) + now.pose("lower")[0, 2] + 0.2 * (site.omega @ site.omega)


def central(f: Any, x: np.ndarray, along: np.ndarray, e: float = 1e-3) -> float:
    """The rate along a direction, by differences of order 4."""
    return (8 * (f(x + e * along) - f(x - e * along)) - (f(x + 2 * e * along) - f(x - 2 * e * along))) / (12 * e)


@pytest.mark.parametrize("integrator", ["rk4", "adaptive", pytest.param("bdf2", marks=pytest.mark.long)])
def test_poses_groups_and_flat_vectors(integrator):
    """By steps on the group, also away from where the run begins; the steps of adaptive are held, so that differences need small steps."""
    g = rm.gradient(double(), to_target, 0.1, 0.01, by=["q", "qdot", "tau"], integrator=integrator, rtol=1e-10)
    rng = np.random.default_rng(1)
    x = g.start + 0.3 * rng.normal(size=len(g.start))
    value, slope = g.flat(x)
    assert value == pytest.approx(g.value(**held(g, x)), rel=1e-12)
    for along in rng.normal(size=(2, len(x))):
        assert slope @ along == pytest.approx(central(lambda y: g.flat(y)[0], x, along), rel=1e-6)


def held(g: rm.Gradient, x: np.ndarray) -> dict[str, Any]:
    """What `flat` hands to the gradient, found by another way: q as the quaternion of the step."""
    parts = in_parts(g.sizes, x)
    q = np.array(g._initial.q)
    step = parts["q"][:3]
    angle = np.linalg.norm(step)
    q[:4] = [np.cos(angle / 2), *(np.sin(angle / 2) * step / angle)]
    q[4] += parts["q"][3]
    return {"q": q, "qdot": parts["qdot"], "tau": parts["tau"]}


def test_worlds_of_a_batch_are_gradients_of_their_own():
    g = rm.gradient(double(damping=0.1), to_target, 0.05, 0.01, by=["qdot", "tau", "lower.mass"], integrator="bdf1")
    rng = np.random.default_rng(2)
    qdot, mass, tau = rng.normal(size=(9, 4)), rng.uniform(0.5, 2.0, 9), rng.normal(size=(5, 9, 4))
    together = g(qdot=qdot, tau=tau, parameters={"lower.mass": mass})
    assert together.value.shape == (9,)
    assert together.by["tau"].shape == (5, 9, 4)
    alone = g(qdot=qdot[7], tau=tau[:, 7], parameters={"lower.mass": mass[7]})
    assert together.value[7] == pytest.approx(alone.value, rel=1e-10)
    for name in ("qdot", "lower.mass"):
        assert np.allclose(together.by[name][7], alone.by[name], rtol=1e-9, atol=1e-12)
    assert np.allclose(together.by["tau"][:, 7], alone.by["tau"], rtol=1e-9, atol=1e-12)


def test_runs_longer_than_memory_are_run_again_between_checkpoints(monkeypatch):
    """The same to the last bit."""
    made = {"objective": to_target, "duration": 0.3, "dt": 0.01, "by": ["q", "tau"], "integrator": "bdf2"}
    whole = rm.gradient(double(), running=lambda now: now.q @ now.q, **made)()
    monkeypatch.setattr(fixed_steps, "KEPT", 0)
    g = rm.gradient(double(), running=lambda now: now.q @ now.q, **made)
    parted = g()
    assert g._run.forwards(np.zeros((30, 1, 4))).rows.shape[0] == 6  # of 31
    assert parted.value == pytest.approx(whole.value, rel=1e-14)
    assert all(np.array_equal(parted.by[name], whole.by[name]) for name in whole.by)


@pytest.mark.parametrize("by", [["q", "tau"], ["q", "lower.mass"]])
def test_adaptive_runs_take_the_same_steps_again_between_checkpoints(by, monkeypatch):
    """The same to the last bit: also where a portion has many samples."""
    made: dict[str, Any] = {"duration": 0.3, "dt": 0.002, "by": by, "integrator": "adaptive", "running": lambda now: now.q @ now.q}
    whole = rm.gradient(double(), to_target, **made)()
    monkeypatch.setattr(adaptive_steps, "KEPT", 0)
    g = rm.gradient(double(), to_target, **made)
    parted = g()
    assert len(g._run.forwards(np.zeros((150, 1, 4))).q) < 15  # of 151
    assert parted.value == pytest.approx(whole.value, rel=1e-14)
    assert g.value() == pytest.approx(whole.value, rel=1e-14)
    assert all(np.array_equal(parted.by[name], whole.by[name]) for name in whole.by)


def test_each_kind_of_parameter():
    """Of bodies, joints, forces, frames and splines, against differences of the run."""
    scene = double(stiffness=2.0, damping=0.1)
    scene.add_force(rm.SpringDamper(scene.find("upper").point(0, 0, 0.1), (0.5, 0, 0), stiffness=20, damping=1, rest=0.2, name="spring"))
    spline = chain(3, ["SplineCurve"]).links[0].sample.joint
    scene.add_body(rm.Cuboid((0.1, 0.1, 0.1)), joint=spline, parent=scene.find("lower"), name="bead", q=0.4, check_joint=False)
    scene.add_body(rm.Cylinder(0.05, 0.2, mass=1.0), joint=rm.Helical("z", 0.1), parent=scene.find("lower"), name="screw")
    names = ["lower.mass", "lower.com", "upper.inertia", "lower.stiffness", "lower.rest", "gravity", "spring.stiffness", "lower.at.x"]
    names += ["screw.pitch", "bead.frames", "screw.radius"]
    known = set(names)
    g = rm.gradient(scene, to_target, 0.05, 0.01, by=names, integrator="rk4")
    found, rng = g(), np.random.default_rng(4)
    assert set(found.by) == known
    for name in names:
        value = g.defaults[name]
        along, move = rng.normal(size=value.shape), lambda s, v=value, a=None: v
        if name == "bead.frames":
            twists = 0.1 * rng.normal(size=(*value.shape[:-2], 6))
            rate = np.sum(found.by[name] * twists)
            move = lambda s, v=value, w=twists: np.array([E @ rm.lie.se3.exp(s * x) for E, x in zip(v, w, strict=True)], float)  # noqa: E731
        else:
            along = 0.1 * (np.abs(value).max() + 0.1) * (along + along.T if name.endswith("inertia") else along)
            along = 1e-2 * along if name.endswith("inertia") else along
            rate = np.sum(found.by[name] * along)
            move = lambda s, v=value, a=along: v + s * a  # noqa: E731
        expected = central(lambda s, n=name, m=move: g.value(parameters={n: m(s)}), 0.0, 1.0, 1e-2)
        assert rate == pytest.approx(expected, rel=1e-6, abs=1e-9), name


@pytest.mark.parametrize("turn", [0.0, 0.004])
def test_frames_that_hardly_turn(turn):
    """The axis of the turn between neighbouring frames is nowhere then, but the motion is smooth in the frames."""
    frames = np.array([rm.pose(rm.rotation_about("y", turn * k), (0.1 * k, 0.0, 0.03 * k)) for k in range(6)])
    scene = rm.Scene()
    scene.add_body(rm.Cuboid((0.1, 0.2, 0.05)), joint=rm.SplineCurve(frames), q=[0.3], name="bead")
    g = rm.gradient(scene, lambda now: now.point("bead", (0.1, 0, 0.2)) @ [1.0, 2.0, 3.0], 0.1, 0.02, by=["bead.frames"], integrator="rk4")
    found, twists = g(), np.random.default_rng(2).normal(size=(6, 6)) * 0.1
    along = lambda s: np.array([E @ rm.lie.se3.exp(s * x) for E, x in zip(frames, twists, strict=True)], float)  # noqa: E731
    expected = central(lambda s: g.value(parameters={"bead.frames": along(s)}), 0.0, 1.0, 1e-2)
    assert np.sum(found.by["bead.frames"] * twists) == pytest.approx(expected, rel=1e-7)
    x, along_x = 0.2 * np.ravel(twists), np.random.default_rng(3).normal(size=36)  # and in a vector, by steps from the frames of the scene
    assert g.start.shape == x.shape
    assert g.flat(x)[0] == pytest.approx(g.value(parameters={"bead.frames": along(0.2)}), abs=1e-12)
    assert g.flat(x)[1] @ along_x == pytest.approx(central(lambda y: g.flat(y)[0], x, along_x), rel=1e-7)
    own = rm.Scene()
    own.add_body(rm.Cuboid((0.1, 0.2, 0.05)), joint=rm.SplineCurve(along(1.0)), q=[0.3], name="bead")
    tip = rm.simulate(own, 0.1, 0.02, integrator="rk4").pose("bead")[-1] @ [0.1, 0, 0.2, 1]
    assert g.value(parameters={"bead.frames": along(1.0)}) == pytest.approx(tip[:3] @ [1, 2, 3], abs=1e-12)


def test_data_and_parameters_in_running_costs():
    """What a least-squares fit to a recording needs: at the true mass, with its own recording, all slopes vanish."""
    true = rm.simulate(double(), 0.1, 0.01, integrator="rk4")

    def misfit(now: rm.Moment) -> Any:
        off = now.q - now.data
        return off @ off + 0.0 * now["lower.mass"]

    g = rm.gradient(double(), None, 0.1, 0.01, running=misfit, by=["lower.mass", "qdot"], data=true.q, integrator="rk4")
    found = g()
    assert found.value == pytest.approx(0.0, abs=1e-25)
    assert all(np.abs(x).max() < 1e-12 for x in found.by.values())
    mass = 1.3 * g.defaults["lower.mass"]
    slope = g(parameters={"lower.mass": mass}).by["lower.mass"]
    assert slope == pytest.approx(central(lambda x: g.value(parameters={"lower.mass": x}), mass, 1.0), rel=1e-6)


class TestSentences:
    def test_the_line_of_an_if_is_named(self):
        def wrong(now: rm.Moment) -> Any:
            return 1.0 if now.q[0] > 0 else 0.0

        with pytest.raises(rm.TraceError, match=r"test_gradient.py:\d+"):
            rm.gradient(slider(), wrong, 0.1)

    @pytest.mark.parametrize(
        ("given", "match"),
        [
            ({"objective": None}, "Got neither"),
            ({"by": "tau"}, r"by is a list of names, such as .* Got 'tau'"),
            ({"by": ["cart.maß"]}, r"'cart.maß'.*'cart.mass'"),
            ({"objective": lambda now: now.q}, None),
            ({"objective": lambda now: now.data[0]}, "Give data="),
            ({"objective": lambda now: now.point("cat")[0]}, "'cart'"),
            ({"data": np.zeros((3, 1))}, r"a row for each of the 11 samples, \(11, n\). Got shape \(3, 1\)"),
            ({"integrator": "variational"}, "cannot differentiate a run with integrator 'variational'"),
        ],
    )
    def test_wrong_calls(self, given, match):
        asked = {"objective": lambda now: now.q[0], "duration": 0.1, "dt": 0.01} | given
        if match is None:  # one number is a number
            rm.gradient(slider(), **asked)
            return
        with pytest.raises(rm.RedmaxError, match=match):
            rm.gradient(slider(), **asked)

    def test_what_has_no_derivative(self):
        g = rm.gradient(slider(), lambda now: rm.math.sqrt(now.q @ now.q), 0.1, by=["q"], integrator="euler")
        with pytest.raises(rm.RedmaxError, match=r"The derivative by 'q' is no number, at \[0\]: the objective has none at t = 0.1 s"):
            g()

    def test_a_force_that_has_no_derivative_is_not_called_the_objective(self):
        scene = slider()
        scene.add_force(rm.force(torque=lambda t, q, qdot: [rm.math.sqrt(q @ q)], joint="cart"))
        g = rm.gradient(scene, lambda now: now.qdot[0], 0.1, by=["q"], integrator="euler")
        with pytest.raises(rm.RedmaxError, match=r"by 'q' is no number.* a joint, a force or a constraint has none at a state of this run"):
            g()

    def test_runs_that_break_off_say_why(self):
        g = rm.gradient(slider(stiffness=1e300), lambda now: now.q[0], 1.0, by=["q"], integrator="euler")
        with pytest.raises(rm.SimulationError, match="broke off"):
            g(q=[1.0])


def test_values_that_change_in_place_are_seen():
    """Of parameters, which are checked and made again only where they differ from those of the last call."""
    g = rm.gradient(double(), to_target, 0.01, 0.005, by=["lower.mass", "lower.com"], integrator="euler")
    com = np.array([0.15, 0.0, 0.0])
    before = g(parameters={"lower.com": com}).value
    com[1] = 0.05
    after = g(parameters={"lower.com": com}).value
    assert after != before
    assert g(parameters={"lower.com": com, "lower.mass": 9.0}).value != after
    assert g(parameters={"lower.com": com}).value == after
    with pytest.raises(rm.errors.SceneError, match="mass"):
        g(parameters={"lower.mass": -1.0})
    assert g(parameters={"lower.com": com}).value == after
