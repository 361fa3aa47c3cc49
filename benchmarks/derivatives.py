"""Derivatives of the dynamics: matrices of first order and contracted Hessians against Pinocchio; the transposed derivative by itself.

One state at a time, as scalar code whose columns lie in lanes, and many states in lanes. No more states than whose results fit into a near
cache, as Pinocchio leaves its own in one place. Results must agree before anything is timed; where coordinates are not those of Pinocchio,
rotation vectors for its quaternions, tests have shown that they do.

One evaluation of inverse dynamics with its transposed derivative by q, qdot and qddot gives tau and (dtau/dx)^T w. By qddot that is M w.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

import redmax as rm
from benchmarks.agreement import agree
from benchmarks.cases import CASES, draw
from benchmarks.engines.pinocchio_compiled import Derivatives
from benchmarks.engines.redmax import Redmax
from benchmarks.report import Row, Target
from benchmarks.single import some_states
from benchmarks.timing import Contestant, Effort, compete
from redmax.backends.base import make_plan, make_runner, rolled_plan
from redmax.dynamics.common.residual import Residual
from redmax.dynamics.recursive.forward_derivatives import ForwardProgram
from redmax.dynamics.recursive.inverse_derivatives import InverseProgram
from redmax.program.cotangent import cotangent
from redmax.program.tangent import tangent

FIGURE = "inverse dynamics, transposed derivative"
TARGET = 1.7
FORWARD = {"RC20": 0.25, "RC50": 0.2, "RC100": 0.15, "tree30": 0.33, "humanoid": 0.4, "humanoid, quaternions": 0.4}
INVERSE = 0.3
SECOND = {"RC20": 1.0, "RC50": 0.5}
NEAR = 2**20  # bytes of results


def measure(effort: Effort) -> Iterator[Row]:
    for case in ("RC20", "RC100", "humanoid"):
        for lanes, how in ((1, "scalar"), (None, "in lanes")):
            yield against(case, lanes, how, effort)
    for case in FORWARD:
        for what in ("forward", "inverse"):
            yield from matrices(case, what, effort)
    for case, target in SECOND.items():
        yield from hessian(case, target, effort)


def matrices(case: str, what: str, effort: Effort) -> Iterator[Row]:
    """By q, qdot and tau, or qddot."""
    scene = CASES[case]()
    model = scene.model()
    n = model.nv
    states = draw(scene, max(4, min(64, NEAR // (24 * n * n))))
    program = (ForwardProgram if what == "forward" else InverseProgram)(model, False).program
    runner = make_runner(make_plan(model, program, "llvm"), "llvm", "float64")
    given = {"q": np.ascontiguousarray(model.configurations.join(states.q)), "qdot": states.v, "t": np.zeros(1)}
    given |= {"tau": states.tau, "qddot": np.zeros(n)} if what == "forward" else {"qddot": states.tau}
    inputs = [given[name] for name in program.inputs]
    outputs = [np.empty((1, len(states), n)), *[np.empty((1, len(states), n * n)) for _ in range(3)]]
    peer = Derivatives(scene, states)
    other = peer.contestant(what)
    other.call()
    target = Target(ratio=FORWARD[case] if what == "forward" else INVERSE)
    for lanes, how in ((1, "scalar"), (None, "in lanes")):

        def call(lanes: int | None = lanes) -> None:
            runner.run(inputs, outputs, len(states), lanes=lanes, workers=1)  # type: ignore[call-arg]

        call()
        same = all(link.joint.nq != link.joint.dof or isinstance(link.joint, rm.Revolute) for link in scene.links)
        found = np.stack([o[0, -1].reshape(n, n) for o in outputs[1:]])
        error = agree(f"{case}: {what}", in_twists(peer, found, what), peer.last(), 1e-9) if same else None
        mine, its = compete([Contestant("redmax", call, len(states), lambda: outputs[1][0]), other], effort)
        note = how if same else f"{how}; rotation vectors against quaternions"
        bound = target if lanes == 1 else None  # Pinocchio has one state at a time
        yield Row(f"derivatives of {what} dynamics", case, mine.best, other.name, its.best, mine.ratio(its), bound, error, note)


def in_twists(peer: Derivatives, found: np.ndarray, what: str) -> np.ndarray:
    """(3, n, n) in Pinocchio's order of coordinates; velocities are the same but for their order."""
    T = np.eye(peer.n)
    for joint, c in zip(peer.twists.joints, peer.twists.columns, strict=True):
        if isinstance(joint, rm.Free):
            T[c, c] = np.roll(np.eye(6), 3, axis=0)
    T = T[peer.columns]
    return np.stack([T @ m @ T.T for m in found])


def hessian(case: str, target: float, effort: Effort) -> Iterator[Row]:
    """weights' tau by (q, qdot) twice, a direction in each lane."""
    scene = CASES[case]()
    model = scene.model()
    n, states = model.nv, draw(scene, 1)
    weights = np.random.default_rng(3).normal(size=n)
    plan = cotangent(rolled_plan(model, Residual(model, "llvm").program, "llvm", keep=True), by=("q", "qdot"))
    runner = make_runner(tangent(plan), "llvm", "float64")
    each = np.eye(2 * n)
    values = [states.q[0], states.v[0], states.tau[0], np.zeros(1), weights]
    moves = [np.ascontiguousarray(each[:, :n]), np.ascontiguousarray(each[:, n:]), np.zeros(n), np.zeros(1), np.zeros(n)]
    outputs = [np.empty((1, 2 * n, n)) for _ in range(6)]
    peer = Derivatives(scene, states)
    other = peer.second(weights)
    if other is None:
        return

    def call() -> None:
        runner.run([*values, *moves], outputs, 2 * n, workers=1)  # type: ignore[call-arg]

    for c in (call, other.call):
        c()
    found = np.concatenate([outputs[4][0], outputs[5][0]], axis=-1)
    error = agree(f"{case}: Hessian", found, other.accelerations(), 1e-9)
    mine, its = compete([Contestant("redmax", call, 1, lambda: found), other], effort)
    yield Row(
        "contracted Hessian", case, mine.best, other.name, its.best, mine.ratio(its), Target(ratio=target), error, "tensors not contracted"
    )


def against(case: str, lanes: int | None, how: str, effort: Effort) -> Row:
    scene = CASES[case]()
    states = some_states(scene)
    engine = Redmax(scene)
    model = engine.dynamics.model
    plan = cotangent(rolled_plan(model, Residual(model, "llvm").program, "llvm", keep=True), by=("q", "qdot", "qddot"))
    runner = make_runner(plan, "llvm", "float64")
    weights = np.ascontiguousarray(states.tau[::-1])
    inputs = [*map(np.ascontiguousarray, (model.configurations.join(states.q), states.v, states.tau)), np.zeros(1), weights]
    outputs = [np.empty((1, len(states), len(slots))) for slots in plan.outputs]

    def call() -> None:
        runner.run(inputs, outputs, len(states), lanes=lanes, workers=1)  # type: ignore[call-arg]

    own = Contestant("redmax", call, len(states), lambda: outputs[-1][0])
    peer = engine.contestant(states, lanes, "forward dynamics")
    for c in (own, peer):
        c.call()
    error = agree(f"{case}: M w", own.accelerations(), engine.dynamics.inertia_product(states.q, weights))
    mine, other = compete([own, peer], effort)
    return Row(FIGURE, case, mine.best, peer.name, other.best, mine.ratio(other), Target(ratio=TARGET), error, how)
