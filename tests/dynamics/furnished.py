"""Random trees with all that a scene may have: forces between bodies and within joints, muscles, constraints that act, and parameters of each."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from hypothesis import reject

import redmax as rm
from dynamics.test_parameters_of_components import near
from forces.samples import SAMPLES
from mechanisms import Mechanism, StateSample
from redmax.backends.base import rolled_plan
from redmax.dynamics.common.parameter_slopes import are_poses, value_of
from redmax.lie import se3
from redmax.model.parameter_values import parameter_columns
from redmax.model.parameters import known_parameters
from redmax.program.kernel import PARAMETERS

TILT = se3.exp(np.array([0.4, -0.7, 0.9, 0.1, 0.2, -0.3]))
HERE = (1.0, -0.5, 0.7)
WITHIN: list[Callable[[Any, int], Any]] = [
    lambda body, n: rm.JointSpring(body, stiffness=3.0, rest=0.3 * np.ones(n)),
    lambda body, n: rm.JointDamper(body, damping=0.7),
    lambda body, n: rm.force(torque=lambda t, q, qdot, k: -k * q * q * q - 0.1 * qdot, joint=body, k=2.0),
]
CONSTRAINTS: list[Callable[[Any, Any], Any]] = [
    lambda a, b: rm.Distance(a.point(0.1, 0.2, -0.1), HERE, 0.8, gain=3),
    lambda a, b: rm.Distance(a.point(0.1, 0.2, -0.1), b.point(-0.3, 0.1, 0.2), 0.8, compliance=0.02),
    lambda a, b: rm.PointInPlane(a.point(0.1, 0.2, -0.1), (b, TILT), (1, -1, 2), gain=2),
    lambda a, b: rm.PrescribedPoint(a.point(0.1, 0, 0.2), lambda t: [rm.math.sin(2 * t), t * t, 0.3], relative_to=b, compliance=0.05),
    lambda a, b: rm.HingeClosure((a, TILT), b, "y", (1, 2, 3), compliance=0.1),
    lambda a, b: rm.WeldClosure(a.frame(TILT), HERE, compliance=0.2),
    lambda a, b: rm.Belt([rm.Pulley((a, TILT), 0.12), b, HERE], compliance=0.1),
    lambda a, b: rm.constraint(lambda a, b, t, k: k * (a.x @ b.x) - t, bodies=[a.point(0.2, 0, 0), b], k=0.3, gain=3),
    lambda a, b: rm.constraint(lambda a: a.v @ a.x + a.omega @ a.R[:, 0], bodies=[a.point(0, 0.2, 0)], velocities=True, gain=1),
]


@dataclass(frozen=True, eq=False)
class Furnished:
    """model: with parameters; values: of these; along: a way to change each, (..., 6) for each pose; state: somewhere."""

    model: rm.Model
    values: dict[str, np.ndarray]
    along: dict[str, np.ndarray]
    state: StateSample

    @cached_property
    def dynamics(self) -> rm.Dynamics:
        return rm.Dynamics(self.model, "interpret", parameters=self.values or None)

    def moved(self, s: float) -> dict[str, np.ndarray]:
        """The values s of the way on."""
        steps = {n: s * x for n, x in self.along.items()}
        return {n: v @ se3.exp(steps[n]) if are_poses(v) else v + steps[n] for n, v in self.values.items()}

    @cached_property
    def columns(self) -> np.ndarray:
        """How what programs take for parameters changes along the way: differences of order 8, to rounding."""
        weights, h = (4 / 5, -1 / 5, 4 / 105, -1 / 280), 2.0**-9
        ends = [parameter_columns(self.dynamics.model, self.moved(s * k * h)) for k in range(1, 5) for s in (1, -1)]
        return np.tensordot(weights, np.subtract(ends[::2], ends[1::2]), 1) / h

    def inputs(self, name: str, moves: dict[str, np.ndarray]) -> tuple[Any, list[Any], list[Any]]:
        """The plan of forward dynamics, with constraints where they act, or of inverse dynamics without, its inputs, and their changes."""
        d, s = self.dynamics, self.state
        program = d.motion_program(False)[1] if name == "forward" else d.program_of("inverse", False)
        plan = rolled_plan(d.model, program, "interpret")
        q = d.model.configurations.join(s.q)
        given = {"q": q, "qdot": s.qdot, "tau": s.tau, "qddot": s.qddot, "t": np.array([s.t]), PARAMETERS: d.parameters}
        changed = {n: moves.get(n, np.zeros(np.shape(given[n]))) for n in plan.names[0]}
        if "q" in moves:
            changed["q"] = d.change_of_configuration(q, moves["q"])
        return plan, [given[n] for n in plan.names[0]], [changed[n] for n in plan.names[0]]


def furnished(m: Mechanism, seed: int, constrained: bool = True, count: int = 6) -> Furnished:
    """Such a tree."""
    rng = np.random.default_rng([seed, 8])
    scene = m.scene()
    bodies = [scene.find(f"link{i}") for i in range(len(m.links))]
    for kind in rng.choice(len(SAMPLES), rng.integers(1, 3), replace=False):
        scene.add_force(list(SAMPLES.values())[kind].make(*[bodies[i] for i in rng.choice(len(bodies), 3, replace=False)]))
    ends = [bodies[i].point(*rng.uniform(-0.2, 0.2, 3)) for i in rng.choice(len(bodies), 2, replace=False)]
    scene.add_force(rm.Muscle([HERE, *ends], force=30.0, optimal_length=0.9, activation=0.4, pennation=0.1, name="pull"))
    i = int(rng.integers(len(bodies)))
    if m.links[i].sample.joint.dof == m.links[i].sample.joint.nq > 0:
        scene.add_force(WITHIN[rng.integers(len(WITHIN))](bodies[i], m.links[i].sample.joint.dof))
    for kind in rng.choice(len(CONSTRAINTS), rng.integers(1, 3), replace=False) if constrained else ():
        scene.add_constraint(CONSTRAINTS[kind](*[bodies[i] for i in rng.choice(len(bodies), 2, replace=False)]))
    try:
        model = scene.model()
    except rm.SceneError:  # of a constraint between bodies that are one
        reject()
    values, along = some_parameters(model, rng, count)
    return Furnished(model.with_parameters(list(values)), values, along, m.state(seed))


def some_parameters(model: rm.Model, rng: np.random.Generator, count: int) -> tuple[dict[str, np.ndarray], dict[str, np.ndarray]]:
    """Values of so many that go together, of bodies and joints, forces and constraints, at random; and ways to change them."""
    known = list(known_parameters(model))
    values: dict[str, np.ndarray] = {}
    along: dict[str, np.ndarray] = {}
    for k in rng.permutation(len(known)).tolist():
        if len(values) == count:
            break
        name = known[k]
        if name.endswith(".values"):  # of a surface, whose numbers do not change one by one
            continue
        value = start(name, value_of(known_parameters(model)[name]), rng)
        step = way(name, value, rng)
        ends = [value @ se3.exp(s * step) if are_poses(value) else value + s * step for s in (-0.01, 0.0, 0.01)]
        try:
            chosen = model.with_parameters([*values, name])
            for end in ends:
                parameter_columns(chosen, values | {name: end})
        except rm.SceneError:  # needs other code, overlaps, or cannot move by itself, as pulleys side by side
            continue
        values[name], along[name] = value, step
    return values, along


def start(name: str, value: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """A value near that of a scene; where it has none of a spring, a damper or a rotor, one that can be less and more."""
    last = name.rpartition(".")[2]
    if last in ("stiffness", "damping", "armature", "translational", "rotational") and not value.any():
        return np.full(value.shape, 0.3)
    return 1.1 * value if last == "inertia" else np.asarray(near(value, last, rng))


def way(name: str, value: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """A way to change a value."""
    if are_poses(value):
        return 0.3 * rng.normal(size=(*value.shape[:-2], 6))
    if name.endswith((".inertia", ".stiffness", ".translational", ".damping", ".values")) and value.ndim > 1:
        return rng.normal() * value  # symmetric, as it is
    return rng.normal(size=value.shape) * np.maximum(np.abs(value), 0.1 * np.abs(value).max(initial=0.0) or 0.3)
