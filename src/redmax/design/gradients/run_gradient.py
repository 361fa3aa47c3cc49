"""A gradient of runs as a function of what it is by, and what it returns.

    P = l_end(x_N) + sum_k dt l(x_k, tau_k)        over the discrete run x_{k+1} = step(x_k, tau_k, p)

    xbar_k = dl_k/dx + (d step/d x_k)^T xbar_{k+1},   taubar_k = dl_k/d tau + (d step/d tau_k)^T xbar_{k+1},   pbar = sum of the same by p

(Griewank and Walther 2008, Ch. 3.) It is the gradient of what is computed, step by step, not of a differential equation.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from redmax.arguments import as_numbers, brief
from redmax.design.gradients.adaptive_steps import AdaptiveSteps
from redmax.design.gradients.assembled import through_assembly, ways_of
from redmax.design.gradients.contact_numbers import check_numbers, places_bodies
from redmax.design.gradients.fixed_steps import FixedSteps
from redmax.design.gradients.flat import along_steps, along_velocities, hessian_product, in_parts, moved, slope_by_step, stepped, steps_from
from redmax.design.gradients.objective import Objective, Slopes
from redmax.design.gradients.rooms import NO_ROOMS, Beginnings, Rooms, check_finite
from redmax.design.gradients.total import Total
from redmax.dynamics.common.parameter_slopes import are_poses, by_name
from redmax.dynamics.common.parametrised import set_rows
from redmax.dynamics.declared import values_in
from redmax.errors import SceneError, SimulationError, unknown
from redmax.model.parameter_values import parameter_columns
from redmax.model.state import State
from redmax.program.kernel import PARAMETERS
from redmax.run.assembly import Assembler
from redmax.run.controls import checked_rows
from redmax.run.on_constraints import begin_on_constraints
from redmax.run.simulate import simulate
from redmax.run.simulation import Simulation

STATE = ("q", "qdot", "tau")


@dataclass(frozen=True, eq=False)
class RunGradient:
    """What a run comes to, and how that changes. Leading axes (...) are those of a batch of worlds.

    value: (...), of the objective;  end: the last state
    by: its derivatives, by name: "q" (..., nv), along velocities at the beginning (of most joints: by their coordinates); "qdot" (..., nv);
        "tau" (steps, ..., nv); and by each parameter, (..., its shape), or (..., 6) for each of its poses, along E exp(xi)
    """

    value: Any
    by: Mapping[str, np.ndarray]
    end: State


class Gradient:
    """An objective of a run, as a function of what it is by; `redmax.gradient` makes it. It is compiled once, and called often.

    by: the names of what it is by;  steps: how many dt the run has;  model: whose run it is
    """

    _as_scene = False  # whether runs begin where the scene does, not where `initial` says

    def __init__(
        self, sim: Simulation, steps: int, by: Sequence[str], end: Objective | None, running: Objective | None, data: np.ndarray, tau: Any
    ) -> None:
        self.by, self.steps, self.model = tuple(by), steps, sim.model
        self._sim, self._end, self._running, self._data, self._tau = sim, end, running, data, tau
        self._initial, self._beginnings = sim.state, Beginnings(sim)
        self._said: tuple[list[tuple[int, ...]], np.ndarray] | None = None
        begins = "q" in by or any(places_bodies(sim.model, name) for name in by if name not in STATE)
        self._run = AdaptiveSteps(sim, "tau" in by) if sim.method.adaptive else FixedSteps(sim, begins=begins, weighed=running is not None)

    def __repr__(self) -> str:
        return f"Gradient({self.model!r}, by {', '.join(self.by)}, {self.steps} steps of {self._sim.options.integrator})"

    @property
    def parameters(self) -> tuple[str, ...]:
        """The names of the parameters that it is by."""
        return tuple(name for name in self.by if name not in STATE)

    @cached_property
    def defaults(self) -> Mapping[str, np.ndarray]:
        """The values that the scene has of these."""
        return values_in(self.model, self.parameters)

    def __call__(
        self,
        *,
        q: ArrayLike | None = None,
        qdot: ArrayLike | None = None,
        tau: ArrayLike | None = None,
        parameters: Mapping[str, ArrayLike] | None = None,
        out: Mapping[str, np.ndarray] | None = None,
    ) -> RunGradient:
        """The value and its derivatives, with what is given in place of what the scene has. Leading axes make a batch of worlds.

        q: (..., nq);  qdot: (..., nv);  tau: (steps, nv) or (steps, ..., nv);  parameters: name -> (..., its shape)
        out: name -> an array of doubles that the derivatives by it are written to, and returned as
        """
        values = self._values(parameters)
        torques = self._begin(q, qdot, tau, values)
        return self._found(torques, values, Rooms.of(out, self.sizes, self._sim.batch))[0]

    def _found(self, torques: np.ndarray, values: Mapping[str, np.ndarray], rooms: Rooms = NO_ROOMS) -> tuple[RunGradient, Slopes]:
        """From where the simulation is: with slopes by what a run begins with, as its steps take that."""
        check_numbers(self.model, values)
        begin, total = self._sim.q.copy(), self._total(torques)
        self._beginnings.check()
        path = self._forwards(torques, values)
        at_end = total.at_end(self._end, *self._run.end(path))
        found = self._run.backwards(path, at_end, total.along if self._running else None, rooms.of_run)
        if total.by_tau is not None:
            found["tau"] += total.by_tau
        if PARAMETERS in found:
            found[PARAMETERS] = found[PARAMETERS] + total.by_parameters
        by = self._by(found, begin, values)
        check_finite({name: by[name] for name in self.by}, total.corner)
        return RunGradient(self._shaped(total.value), rooms.filled({name: by[name] for name in self.by}), self._state(path)), found

    def value(
        self,
        *,
        q: ArrayLike | None = None,
        qdot: ArrayLike | None = None,
        tau: ArrayLike | None = None,
        parameters: Mapping[str, ArrayLike] | None = None,
    ) -> Any:
        """(...): the value alone, of a run that does not go back; as `__call__`."""
        values = self._values(parameters)
        torques = self._begin(q, qdot, tau, values)
        total = self._total(torques)
        path = self._forwards(torques, values)
        total.at_end(self._end, *self._run.end(path))
        for first, last, states in self._run.samples(path) if self._running else ():
            total.along(first, last, *states)
        return self._shaped(total.value)

    @cached_property
    def sizes(self) -> Mapping[str, tuple[int, ...]]:
        """The shape of each part of the vectors of `flat`, by name."""
        nv = self.model.nv
        known = {"q": (nv,), "qdot": (nv,), "tau": (self.steps, nv)} | {name: steps_from(x).shape for name, x in self.defaults.items()}
        return {name: known[name] for name in self.by}

    @property
    def start(self) -> np.ndarray:
        """The vector that is the scene as it is."""
        given = np.zeros((self.steps, self.model.nv)) if self._tau is None else np.asarray(self._tau, float)[: self.steps]
        known = {"q": np.zeros(self.model.nv), "qdot": self._initial.qdot, "tau": given}
        known |= {name: steps_from(x) for name, x in self.defaults.items()}
        return np.concatenate([np.ravel(known[name]) for name in self.by])

    def flat(self, x: ArrayLike) -> tuple[float, np.ndarray]:
        """The value and its gradient at a vector of all that it is by, one after the other: `minimize(g.flat, g.start, jac=True)`.

        q are steps (nv,) from where the run begins, along the coordinates or, of an element of a group, q exp(step). So are poses among
        the parameters, (..., 6) from those of the scene, E exp(step). Where constraints act, the run begins at the nearest state that
        meets them, and the gradient is by what x says of that.
        """
        vector = as_numbers(x, "x", "float64")
        parts = in_parts(self.sizes, vector)
        values, torques = self._begin_at(parts)
        ways = ways_of(self._sim, self._parts, self._units) if self.model.constraints else None
        found, by_begin = self._found(torques, values)
        slopes = dict(found.by) | {name: slope_by_step(x, parts[name], found.by[name]) for name, x in self.defaults.items()}
        if "q" in parts:
            slopes["q"] = along_steps(self.model, parts["q"], slopes["q"])
        if ways is not None:
            slopes |= {name: np.zeros(self.sizes[name]) for name in ("q", "qdot") if name in parts}
        slope = np.concatenate([np.ravel(slopes[name]) for name in self.by])
        if ways is not None:
            slope = slope + through_assembly(self._assembled, vector, ways, by_begin["q"][0], by_begin["qdot"][0])
        return float(found.value), slope

    def hessp(self, x: ArrayLike, p: ArrayLike) -> np.ndarray:
        """The Hessian at x times p, for `minimize(g.flat, g.start, jac=True, hessp=g.hessp)`.

        Differences of order 4 of the exact gradient, along p: four gradients, and about ten digits where the run is smooth. Not for the
        steps that `adaptive` chooses, which differ between them by its tolerance.
        """
        return hessian_product(self.sizes, lambda at: self.flat(at)[1], x, p)

    def _begin_at(self, parts: Mapping[str, np.ndarray]) -> tuple[dict[str, np.ndarray], np.ndarray]:
        """Put the simulation where a vector says; the values of all parameters, and the torques of every step."""
        values = self._values({name: stepped(x, parts[name]) for name, x in self.defaults.items()})
        q = moved(self.model, self._initial, parts["q"]) if "q" in parts else None
        return values, self._begin(q, parts.get("qdot"), parts.get("tau"), values, exactly=bool(self.model.constraints))

    def _assembled(self, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The state that meets the constraints where a vector has a run begin."""
        self._begin_at(in_parts(self.sizes, x))
        return self._sim.q[0].copy(), self._sim.qdot[0].copy()

    @property
    def _parts(self) -> dict[str, slice]:
        """Where each name stands in a vector."""
        ends = np.cumsum([int(np.prod(shape)) for shape in self.sizes.values()]).tolist()
        return {name: slice(a, b) for name, a, b in zip(self.sizes, [0, *ends], ends, strict=False)}

    @cached_property
    def _units(self) -> np.ndarray:
        """How much is much of each number of a vector; torques do not change where a run begins."""
        unit = Assembler(self.model, self._sim.engine).unit_of_joints
        known = {"q": unit, "qdot": unit, "tau": np.zeros(self.sizes.get("tau", 0))}
        known |= {
            name: np.full(self.sizes[name], 1.0 if are_poses(x) else np.abs(x).max(initial=0.0) or 1.0) for name, x in self.defaults.items()
        }
        return np.concatenate([np.ravel(known[name]) for name in self.by])

    def _values(self, given: Any) -> dict[str, np.ndarray]:
        """All values of what it is by, those of the scene where none is given."""
        if given is not None and not isinstance(given, Mapping):
            said = f'parameters is a dictionary, name -> value, such as {{"arm.mass": 2.0}}. Got {brief(given)}.'
            raise SceneError(said, owner="gradient", argument="parameters")
        for name in given or {}:
            if name not in self.parameters:
                raise SceneError(unknown("parameter that the gradient is by", name, list(self.parameters)), owner="gradient", argument=name)
        return {**self.defaults, **{name: as_numbers(x, f"The parameter {name!r}", "float64") for name, x in (given or {}).items()}}

    def _begin(self, q: Any, qdot: Any, tau: Any, values: Mapping[str, np.ndarray], exactly: bool = False) -> np.ndarray:
        """Put the simulation where the run begins, exactly on all constraints or nearly; the torques of every step, (steps, worlds, nv)."""
        sim, initial = self._sim, self._initial
        if self.model.parameters:
            set_rows(sim.engine, self._columns(values))
            sim.engine.given = dict(values)
        state = State(initial.t, initial.q if q is None else q, initial.qdot if qdot is None else qdot, initial.chart)
        if exactly:
            begin_on_constraints(sim, state)
        elif self._as_scene and q is None and qdot is None:
            sim.reset()  # with these parameters, as simulate does
        else:
            sim.reset(state)
        given = self._tau if tau is None else tau
        return np.zeros((self.steps, len(sim.q), self.model.nv)) if given is None else checked_rows(sim, given, self.steps)[: self.steps]

    def _columns(self, values: Mapping[str, np.ndarray]) -> np.ndarray:
        """What programs take for these values: checked and made again where they are others than those of the last call."""
        said = [x.shape for x in values.values()], np.concatenate([np.zeros(0), *[x.ravel() for x in values.values()]])
        if self._said is None or self._said[0] != said[0] or not np.array_equal(self._said[1], said[1]):
            self._made, self._said = parameter_columns(self.model, values), said
        return self._made

    def _total(self, tau: np.ndarray) -> Total:
        """An empty sum of the run that begins here."""
        worlds = len(self._sim.q)
        columns = self._sim.parameters.get(PARAMETERS, np.zeros((worlds, 0)))
        data = self._data
        if data.ndim > 2:
            data = np.broadcast_to(data, (len(data), *self._sim.batch, data.shape[-1])).reshape(len(data), worlds, -1)
        else:
            data = np.broadcast_to(data[:, None], (len(data), worlds, data.shape[-1]))
        return Total(self._running, tau, columns, data, self._sim.t, self._sim.dt)

    def _forwards(self, tau: np.ndarray, values: Mapping[str, np.ndarray]) -> Any:
        """Run; where that breaks off, the sentence is that of `simulate`."""
        sim = self._sim
        t, q, qdot = sim.t, sim.q.copy(), sim.qdot.copy()
        try:
            return self._run.forwards(tau)
        except SimulationError:
            sim.t, sim.q, sim.qdot = t, q, qdot
            begin = sim.state
            o = self._sim.options.of_simulation() | {"initial": begin, "controls": tau.reshape(self.steps, *self._sim.batch, self.model.nv)}
            simulate(self.model, self.steps * self._sim.dt, on_failure="raise", parameters=values or None, **o)
            raise

    def _by(self, found: Slopes, begin: np.ndarray, values: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
        """By name, with the axes of the batch. begin: (worlds, size), the configurations with which the run began."""
        batch, nv = self._sim.batch, self.model.nv
        by: dict[str, np.ndarray] = {"q": along_velocities(self.model, begin, found["q"]).reshape(*batch, nv)}
        by |= {"qdot": found["qdot"].reshape(*batch, nv), "tau": found["tau"].reshape(self.steps, *batch, nv)}
        if self.model.parameters:
            columns = found[PARAMETERS].reshape(*batch, found[PARAMETERS].shape[-1])
            by |= by_name(self.model, list(values), columns, values)
        return by

    def _shaped(self, value: np.ndarray) -> Any:
        return value.reshape(self._sim.batch) if self._sim.batch else float(value[0])

    def _state(self, path: Any) -> State:
        """The last one."""
        q, qdot = self._run.end(path)
        batch, t = self._sim.batch, self._initial.t + self.steps * self._sim.dt
        coordinates, charts = (x.reshape(*batch, x.shape[-1]) for x in self.model.configurations.split(q))
        return State(t, coordinates, qdot.reshape(*batch, self.model.nv), self.model.configurations.chart_names(charts))
