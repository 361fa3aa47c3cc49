"""RedMax dynamics evaluated from Python, and hyper-reduced: with the joints' coordinates functions of fewer (RedMax notes Sec. 2.6).

    J_rR^T M_r J_rR qddot_R = J_rR^T (f_r - M_r Jdot_rR qdot_R)

Linearly implicit Euler puts M_r + h D_r - h^2 K_r between J_rR^T and J_rR. Integrators advance q_R: their programs are built for a model
that has one slide for each entry of q_R, whose accelerations come from here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from redmax.backends.base import Runner, make_plan, make_runner
from redmax.backends.door import Arrays, in_order
from redmax.bodies import Sphere
from redmax.constraints.coordinate_map import CoordinateMap
from redmax.dynamics.redmax.joints import fill_columns
from redmax.dynamics.redmax.system import DenseSystem, redmax_fields, terms
from redmax.errors import SimulationError
from redmax.joints import Prismatic
from redmax.model.model import Model
from redmax.model.scene import Scene
from redmax.program.fields import Fields
from redmax.program.program import Host, Program, ProgramStage
from redmax.solvers.bordered import solve_with_rows
from redmax.solvers.reduced_matrix import clear_blocks

REMEMBERED = 10_000  # states whose q_R is known exactly; that of others is found by Newton's method


@dataclass(frozen=True, eq=False)
class Accelerated:
    """qddot, tau: (nv,) of the joints;  qddot_R: (map's coordinates,), or qddot

    wrench: (bodies, 6) that prescribed twists need, in body axes
    """

    qddot: np.ndarray
    tau: np.ndarray
    qddot_R: np.ndarray
    wrench: np.ndarray


class RedmaxDynamics:
    """Accelerations at one state of one model; `implicit`: those of a linearly implicit Euler step of length h."""

    def __init__(self, model: Model, implicit: bool = False, backend: str = "llvm") -> None:
        self.model, self.implicit, self.backend = model, implicit, backend
        self.system = DenseSystem(model, implicit)

    @cached_property
    def program(self) -> Program:
        outputs = ("J", "force", "rate", "twist", "given", "passive", "block", "tau", "qdot", "t", "h")
        outputs += ("orientation",) if self.model.twists else ()
        stiff = self.implicit and bool(self.model.acting)
        outputs += ("R", "own", "blocks") if stiff else ()
        stages, inputs = ((clear_blocks,) if stiff else ()) + (terms(self.implicit), fill_columns), ("q", "qdot", "tau", "t", "h")
        return Program("redmax terms", stages, redmax_fields(self.model), inputs, outputs)

    @cached_property
    def runner(self) -> Runner:
        return make_runner(make_plan(self.model, self.program, self.backend), self.backend, "float64")

    def view(self, q: np.ndarray, qdot: np.ndarray, tau: np.ndarray, t: float, h: float) -> dict[str, np.ndarray]:
        """The terms of the system at a state of the joints."""
        n, bodies = self.model.nv, len(self.model.links)
        widths = {"J": 12 * len(self.system.columned.table), "force": 6 * bodies, "block": len(self.system.blocks[0])}
        widths |= {"t": 1, "h": 1, "orientation": 9 * bodies, "rate": 6 * bodies, "twist": 6 * bodies, "R": 9 * bodies, "own": 36 * bodies}
        widths |= {"blocks": 36 * len(self.system.impedance.pairs)} if self.system.impedance is not None else {}
        found = {name: np.empty((1, 1, widths.get(name, n))) for name in self.program.outputs}
        inputs = [np.ascontiguousarray(x, float) for x in (q, qdot, tau, [t], [h])]
        self.runner.run(inputs, list(found.values()), 1)
        return {name: x[0, 0] for name, x in found.items()}

    def __call__(self, q: np.ndarray, qdot: np.ndarray, tau: np.ndarray, t: float, h: float = 0.0) -> Accelerated:
        """At (q, qdot) of the joints or, with a map, at (q_R, qdot_R)."""
        if self.model.map is not None:
            return self.hyper_reduced(q, qdot, tau, t, h)
        view = self.view(q, qdot, tau, t, h)
        multipliers = self.system.solve(view)
        return Accelerated(view["qddot"], view["tau"], view["qddot"], self.wrench(multipliers))

    def hyper_reduced(self, q_R: np.ndarray, qdot_R: np.ndarray, tau: np.ndarray, t: float, h: float) -> Accelerated:
        map: Any = self.model.map
        J, bias = map.evaluate("J", q=q_R), map.evaluate("bias", q=q_R, qdot=qdot_R)
        view = self.view(map.coordinates(q_R), J @ qdot_R, tau, t, h)
        A, f, G, g = self.system.assemble(view, bias)
        qddot_R, multipliers = solve_with_rows(J.T @ A @ J, J.T @ (f + view["given"]), G @ J, g)
        return Accelerated(J @ qddot_R + bias, tau, qddot_R, self.wrench(multipliers))

    def wrench(self, multipliers: np.ndarray) -> np.ndarray:
        result = np.zeros((len(self.model.links), 6))
        places = [(twist.body, row) for twist in self.model.twists for row in twist.rows]
        for (body, row), value in zip(places, multipliers, strict=True):
            result[body, row] += value
        return result


def slides(count: int) -> Model:
    """A model with this many coordinates, each with a rate of its own and nothing else."""
    scene = Scene()
    for _ in range(count):
        scene.add_body(Sphere(1.0, mass=1.0), joint=Prismatic("x"))
    return scene.model()


class HyperReduced:
    """What an integrator's program on q_R is made of. tau: what a controller adds, on the joints."""

    def __init__(self, model: Model, map: CoordinateMap, backend: str) -> None:
        self.map, self.twin, self.tau = map, slides(map.size), np.zeros(model.nv)
        self.dynamics = {implicit: RedmaxDynamics(model, implicit, backend) for implicit in (False, True)}

    def stages(self, implicit: bool) -> tuple[ProgramStage, ...]:
        def accelerate(view: Any) -> None:
            t, h = float(view["t"][0]), float(view["h"][0])
            try:
                view["qddot"] = self.dynamics[implicit](view["q"], view["qdot"], self.tau, t, h).qddot_R
            except np.linalg.LinAlgError:
                where = np.array2string(np.asarray(view["q"]), precision=6, threshold=8)
                why = f"at t = {t:.6g} s, q_R = {where}, its coordinates do not move the joints independently"
                raise SimulationError(f"The scene's map is singular: {why}. Use fewer, or start elsewhere.") from None

        return (Host("hyper-reduced dynamics", accelerate),)

    def fields(self, **more: Any) -> Fields:
        state: Any = {"q": "q", "qdot": "v", "tau": "v", "qddot": "v"}
        return Fields(state=state, world={"t": 1, "h": 1}, **more)

    def wrap(self, inner: Runner) -> Runner:
        return HyperReducedRunner(self.map, inner, self)


class HyperReducedRunner(Runner):
    """Runs an integrator on q_R; states go in and samples come back as the joints' coordinates.

    dynamics: what the integrator's program calls; without it, the integrator has its own and gets tau itself.
    """

    def __init__(self, map: CoordinateMap, inner: Runner, dynamics: HyperReduced | None = None) -> None:
        self.map, self.inner, self.dynamics = map, inner, dynamics
        self.inputs, self.outputs = inner.inputs, inner.outputs
        self.known: dict[bytes, tuple[np.ndarray, np.ndarray]] = {}  # what the ends of portions came from, so that a run goes on exactly
        for dtype in (np.float64, np.float32):
            self.end(map.q, map.qdot, dtype)

    def prepare(self, worlds: int) -> None:
        """Worlds run one by one, unless the integrator takes care of them."""
        self.inner.prepare(worlds if self.dynamics is None else 1)

    def checkpoint(self) -> Any:
        """Where the portions ended, and what the integrator keeps of the past."""
        return dict(self.known), self.inner.checkpoint()

    def restore(self, past: Any) -> None:
        """See `checkpoint`."""
        known, inner = ({}, None) if past is None else past
        self.known = dict(known)
        self.inner.restore(inner)

    def run(self, inputs: Arrays, outputs: Arrays, worlds: int, count: int = 0, stride: int = 1) -> int:
        """See `Runner.run`."""
        inputs, outputs = (in_order(a, names, "A run on a map") for a, names in ((inputs, self.inputs), (outputs, self.outputs)))
        q, qdot = inputs[:2]
        tau, *clock = (np.asarray(x, float) for x in inputs[2:])  # q_R moves in doubles, whatever the samples are
        start = [np.array(x) for x in zip(*[self.begin(q[w], qdot[w]) for w in range(worlds)], strict=True)]
        samples = [np.full((len(o), worlds, self.map.size if i < 2 else 1), np.nan) for i, o in enumerate(outputs)]
        status = 0
        try:
            if self.dynamics is None:
                return self.inner.run([*start, tau, *clock], samples, worlds, count, stride)
            for w in range(worlds):  # each with its own torques
                self.dynamics.tau, one = tau if tau.ndim == 1 else tau[w], slice(w, w + 1)
                shared = [x if x.ndim == 1 else x[one] for x in clock]  # or the world's own first step
                own = [start[0][one], start[1][one], np.zeros(self.map.size), *shared]
                status |= self.inner.run(own, [s[:, one] for s in samples], 1, count, stride)
            return status
        finally:
            self.give(samples, outputs)

    def give(self, samples: Sequence[np.ndarray], outputs: Sequence[np.ndarray]) -> None:
        """The samples as the joints' coordinates, also of a run that broke off."""
        outputs[0][:], outputs[1][:] = self.map.coordinates(samples[0]), self.map.rates(samples[0], samples[1])
        for o, s in zip(outputs[2:], samples[2:], strict=True):
            o[:] = s
        for q_R, qdot_R in zip(samples[0][-1], samples[1][-1], strict=True):
            self.end(q_R, qdot_R, outputs[0].dtype)

    def begin(self, q: np.ndarray, qdot: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        found = self.known.get(q.tobytes() + qdot.tobytes())
        return self.map.inverse(q.astype(float), qdot.astype(float)) if found is None else found

    def end(self, q_R: np.ndarray, qdot_R: np.ndarray, dtype: Any) -> None:
        q, qdot = self.map.coordinates(q_R).astype(dtype), self.map.rates(q_R, qdot_R).astype(dtype)
        self.known[q.tobytes() + qdot.tobytes()] = (q_R.copy(), qdot_R.copy())
        if len(self.known) > REMEMBERED:
            del self.known[next(iter(self.known))]
