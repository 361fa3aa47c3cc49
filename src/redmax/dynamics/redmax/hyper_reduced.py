"""RedMax dynamics hyper-reduced, with the joints' coordinates functions of fewer (RedMax notes Sec. 2.6), and evaluated from Python.

    J_rR^T M_r J_rR qddot_R = J_rR^T (f_r - M_r Jdot_rR qdot_R)

Linearly implicit Euler puts M_r + h D_r - h^2 K_r between J_rR^T and J_rR. Programs are laid out for the joints and, behind them, one slide
for each entry of q_R: the integrator moves the slides, the map puts the joints where they belong, and the dynamics is that of the joints.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from redmax.backends.apart import Apart
from redmax.backends.base import Arrays, Runner, in_order, make_plan, make_runner
from redmax.bodies import Sphere
from redmax.constraints.coordinate_map import CoordinateMap
from redmax.dynamics.redmax import system
from redmax.dynamics.redmax.dense import DenseSystem
from redmax.dynamics.redmax.projection import Projection
from redmax.joints import Prismatic
from redmax.model.model import Model
from redmax.model.scene import Scene
from redmax.program.fields import Fields
from redmax.program.group import Signature
from redmax.program.interaction import Acting
from redmax.program.program import Program, ProgramStage
from redmax.program.relation import Tree

REMEMBERED = 10_000  # states whose q_R is known exactly; that of others is found by Newton's method


@dataclass(frozen=True, eq=False)
class Accelerated:
    """qddot, tau: (nv,) of the joints;  qddot_R: (map's coordinates,), or qddot"""

    qddot: np.ndarray
    tau: np.ndarray
    qddot_R: np.ndarray


class RedmaxDynamics:
    """Accelerations at one state of one model; `implicit`: those of a linearly implicit Euler step of length h."""

    def __init__(self, model: Model, implicit: bool = False, backend: str = "llvm") -> None:
        self.model, self.implicit, self.backend = model, implicit, backend

    @cached_property
    def runner(self) -> Runner:
        model, outputs = self.model, ("qddot", "tau")
        hyper = None if model.map is None else HyperReduced(model, model.map)
        stages = system.stages(model, self.implicit) if hyper is None else hyper.stages(self.implicit)
        program = Program("redmax once", stages, system.redmax_fields(model), ("q", "qdot", "tau", "qddot", "t", "h"), outputs)
        return make_runner(make_plan(model if hyper is None else hyper.joints, program, self.backend), self.backend, "float64")

    def __call__(
        self, q: np.ndarray, qdot: np.ndarray, tau: np.ndarray, t: float, h: float = 0.0, own: Sequence[np.ndarray] = ()
    ) -> Accelerated:
        """At (q, qdot) of the joints or, with a map, at (q_R, qdot_R). own: [the parameters of the world], where the model has some."""
        map, n = self.model.map, self.model.nv
        size = n if map is None else n + map.size
        led = (0, 0) if map is None else (self.model.configurations.size, n)
        state = [np.concatenate([np.zeros(zeros), np.asarray(x, float)]) for x, zeros in zip((q, qdot), led, strict=True)]
        inputs = [*state, np.concatenate([tau, np.zeros(size - n)]), np.zeros(size), np.array([t], float), np.array([h], float), *own]
        found = [np.empty((1, 1, width)) for width in (size, size)]
        self.runner.run(inputs, found, 1)
        qddot, torque = found[0][0, 0], found[1][0, 0]
        if map is None:
            return Accelerated(qddot, torque, qddot)
        J, bias = map.evaluate("J", q=q), map.evaluate("bias", q=q, qdot=qdot)
        return Accelerated(J @ qddot[n:] + bias, tau, qddot[n:])


def slides(count: int) -> Model:
    """A model with this many coordinates, each with a rate of its own and nothing else."""
    scene = Scene()
    for _ in range(count):
        scene.add_body(Sphere(1.0, mass=1.0), joint=Prismatic("x"))
    return scene.model()


class JointsAndSlides:
    """What programs on q_R are laid out for: the joints of a model, which the slides behind them lead."""

    def __init__(self, model: Model, count: int) -> None:
        self.model, self.slides = model, slides(count)

    @property
    def tree(self) -> Tree:
        return Tree((*self.model.tree.parent, *self.slides.tree.parent), led=len(self.model.links))

    @cached_property
    def kernels_of(self) -> tuple[list[Signature], list[np.ndarray]]:
        (signatures, constants), (more, behind) = self.model.kernels_of, self.slides.kernels_of
        return [*signatures, *more], [*constants, *behind]

    @cached_property
    def acting(self) -> tuple[Acting, ...]:
        return self.model.acting

    @property
    def interacting(self) -> tuple[Acting, ...]:
        return self.model.interacting


class HyperReduced:
    """What an integrator's program on q_R is made of."""

    def __init__(self, model: Model, map: CoordinateMap) -> None:
        self.model, self.map, self.joints = model, map, JointsAndSlides(model, map.size)

    def stages(self, implicit: bool) -> tuple[ProgramStage, ...]:
        dense = DenseSystem(self.model, implicit, system.place_columns.name)
        projection = Projection(dense, self.map)
        return *projection.place_joints(), *system.fill(dense), *dense.assemble(projection.bias), *projection.solve()

    def placed(self) -> tuple[ProgramStage, ...]:
        """What puts the joints where q_R has them."""
        return Projection(DenseSystem(self.model, False, system.place_columns.name), self.map).place_joints()

    def fields(self, **more: Any) -> Fields:
        return system.redmax_fields(self.model, **more)

    def wrap(self, inner: Runner) -> Runner:
        return HyperReducedRunner(self.map, inner, (self.model.configurations.size, self.model.nv))


class HyperReducedRunner(Runner):
    """Runs an integrator on q_R; states go in and samples come back as the joints' coordinates.

    led: how many coordinates and rates of joints stand before q_R and qdot_R in the integrator's arrays: none if it runs on q_R alone
    """

    def __init__(self, map: CoordinateMap, inner: Runner, led: tuple[int, int] = (0, 0)) -> None:
        self.map, self.inner, self.led = map, inner, led
        self.inputs, self.outputs = inner.inputs, inner.outputs
        self.known: dict[bytes, tuple[np.ndarray, np.ndarray]] = {}  # what the ends of portions came from, so that a run goes on exactly
        q, qdot = map.coordinates(map.q), map.rates(map.q, map.qdot)
        for dtype in (np.float64, np.float32):
            self.end(q.astype(dtype), qdot.astype(dtype), map.q, map.qdot)

    def prepare(self, worlds: int) -> None:
        """See `Runner.prepare`."""
        self.inner.prepare(worlds)

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
        apart, nowhere = Apart(worlds), (np.full(self.map.size, np.nan),) * 2
        found = [self.begin(q[w], qdot[w]) if apart.begins(q[w], qdot[w]) else nowhere for w in range(worlds)]
        start = [np.reshape([state[k] for state in found], (worlds, self.map.size)) for k in (0, 1)]  # of no world, too
        given = [behind(x, n) for x, n in zip(start, self.led, strict=True)]
        torques = np.concatenate([tau, np.zeros((*tau.shape[:-1], self.map.size))], axis=-1) if any(self.led) else tau
        widths = [n + self.map.size for n in self.led] + [o.shape[-1] for o in outputs[2:]]
        samples = [np.full((len(o), worlds, n), np.nan) for o, n in zip(outputs, widths, strict=True)]
        try:
            return self.inner.run([*given, torques, *clock], samples, worlds, count, stride)
        finally:
            self.give([samples[0][..., self.led[0] :], samples[1][..., self.led[1] :], *samples[2:]], outputs)

    def give(self, samples: Sequence[np.ndarray], outputs: Sequence[np.ndarray]) -> None:
        """The samples as the joints' coordinates, also of a run that broke off."""
        outputs[0][:], outputs[1][:] = self.map.coordinates(samples[0]), self.map.rates(samples[0], samples[1])
        for o, s in zip(outputs[2:], samples[2:], strict=True):
            o[:] = s
        for state in zip(*[array[-1] for array in (*outputs[:2], *samples[:2])], strict=True):
            self.end(*state)

    def begin(self, q: np.ndarray, qdot: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        found = self.known.get(q.tobytes() + qdot.tobytes())
        return self.map.inverse(q.astype(float), qdot.astype(float)) if found is None else found

    def end(self, q: np.ndarray, qdot: np.ndarray, q_R: np.ndarray, qdot_R: np.ndarray) -> None:
        """Remember what a state of the joints came from."""
        self.known[q.tobytes() + qdot.tobytes()] = (q_R.copy(), qdot_R.copy())
        if len(self.known) > REMEMBERED:
            del self.known[next(iter(self.known))]


def behind(x: np.ndarray, count: int) -> np.ndarray:
    """x (worlds, n) with so many zeros before each row: of joints, whose state follows from it."""
    return np.concatenate([np.zeros((len(x), count)), x], axis=1)
