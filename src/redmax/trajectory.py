"""Trajectory: the saved samples of a run, and everything that can be read off them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from redmax.dynamics.hyper_reduced import RedmaxDynamics
from redmax.dynamics.system import Dynamics, Observation
from redmax.errors import RedmaxError, SceneError
from redmax.force_history import ForceHistory, force_history
from redmax.model import Model
from redmax.scene import unknown
from redmax.state import State


@dataclass(frozen=True, eq=False)
class Energy:
    """kinetic, potential, total: (time, ...) J (or the scene's unit of energy); drift: |E(t) - E(0)| / max over the run of T."""

    kinetic: np.ndarray
    potential: np.ndarray

    @property
    def total(self) -> np.ndarray:
        return self.kinetic + self.potential

    @property
    def drift(self) -> np.ndarray:
        largest = np.maximum(self.kinetic.max(axis=0), np.finfo(float).tiny)
        return np.abs(self.total - self.total[0]) / largest


@dataclass(frozen=True, eq=False)
class Trajectory:
    """t: (time,) s;  q: (time, ..., nq);  qdot: (time, ..., nv), with the batch axes of the initial state between.

    steps: integrator steps taken; wall_s, compile_s: seconds spent running and compiling; complete: False if the run broke off.
    joint_drift: with dynamics="maximal", (time, ..., joints), how far each joint is open: the norm of its pose error (rad and length);
        not a number in the last portion of a run that broke off, where it is not known.
    charts: (time, ..., choices), the numbers of the charts that q is in, where joints change them; `chart` has their names.
    """

    model: Model
    t: np.ndarray
    q: np.ndarray
    qdot: np.ndarray
    integrator: str
    dynamics: str
    dt: float
    steps: int
    wall_s: float
    compile_s: float
    complete: bool = True
    joint_drift: np.ndarray | None = None
    charts: np.ndarray | None = None
    engine: Dynamics = field(repr=False, kw_only=True)

    def __len__(self) -> int:
        return len(self.t)

    def __repr__(self) -> str:
        shape = "x".join(map(str, self.q.shape))
        return f"Trajectory({self.model.title or 'scene'!r}, t = {self.t[0]:g} .. {self.t[-1]:g} s, q {shape}, {self.integrator})"

    @cached_property
    def observed(self) -> Observation:
        """Energy, momentum, poses and twists at every sample."""
        return self.engine.observe(self.configurations, self.qdot, self.times)

    @cached_property
    def configurations(self) -> np.ndarray:
        """(time, ..., n): q together with the charts it is in, as dynamics functions take it."""
        return self.model.configurations.join(self.q, self.charts)

    @property
    def times(self) -> np.ndarray:
        """t with the axes of the batch."""
        return np.broadcast_to(self.t.reshape(-1, *[1] * (self.q.ndim - 2)), self.q.shape[:-1])

    def chart(self, name: str) -> Any:
        """The coordinates that a joint uses: a name or, where it changes them during the run, (time, ...) names; "" without a choice."""
        charts = np.zeros((*self.q.shape[:-1], 0), int) if self.charts is None else self.charts
        return self.model.configurations.named(charts).get(self.model.joint_names[self.model.index(name)], "")

    @cached_property
    def energy(self) -> Energy:
        return Energy(self.observed.kinetic, self.observed.potential)

    @property
    def momentum(self) -> np.ndarray:
        """(time, ..., 6): angular about the world's origin; linear, in world axes."""
        return self.observed.momentum

    def pose(self, name: str) -> np.ndarray:
        """(time, ..., 4, 4): the body frame in the world."""
        return self.observed.pose[..., self.model.index(name), :, :]

    def twist(self, name: str) -> np.ndarray:
        """(time, ..., 6): angular; linear velocity of the body frame, in body axes."""
        return self.observed.twist[..., self.model.index(name), :]

    @cached_property
    def redmax(self) -> tuple[np.ndarray, np.ndarray, np.ndarray] | None:
        """qddot, torques and the wrenches of prescribed twists, where only redmax dynamics knows them."""
        if self.model.map is None and not self.model.twists:
            return None
        dynamics, worlds = RedmaxDynamics(self.model, backend=self.engine.backend), int(np.prod(self.q.shape[1:-1]))
        q, qdot = self.mapped if self.model.map is not None else (self.configurations, self.qdot)
        states = zip(np.repeat(self.t, worlds), q.reshape(-1, q.shape[-1]), qdot.reshape(-1, qdot.shape[-1]), strict=True)
        found = [dynamics(x, v, np.zeros(self.model.nv), t) for t, x, v in states]
        shape = self.q.shape[:-1]
        qddot, torque, wrench = (np.array([getattr(f, n) for f in found]) for n in ("qddot", "tau", "wrench"))
        return qddot.reshape(*shape, -1), torque.reshape(*shape, -1), wrench.reshape(*shape, -1, 6)

    @cached_property
    def mapped(self) -> tuple[np.ndarray, np.ndarray]:
        """q_R and qdot_R of a scene with a map, (time, ..., coordinates of the map)."""
        map = self.model.map
        if map is None:
            raise RedmaxError("The scene has no map; its coordinates are q. Give it one with scene.set_map(...).")
        worlds = int(np.prod(self.q.shape[1:-1]))
        q, qdot = self.q.reshape(len(self), worlds, -1), self.qdot.reshape(len(self), worlds, -1)
        found = np.empty((2, len(self), worlds, map.size))
        for w in range(worlds):
            guess = map.q
            for i in range(len(self)):  # each from the one before, carried on
                found[:, i, w] = map.inverse(q[i, w], qdot[i, w], guess)
                guess = found[0, i, w] + (found[1, i, w] * (self.t[i + 1] - self.t[i]) if i + 1 < len(self) else 0.0)
        shape = (*self.q.shape[:-1], map.size)
        return found[0].reshape(shape), found[1].reshape(shape)

    @property
    def q_R(self) -> np.ndarray:
        """(time, ..., coordinates of the map): what the joints' coordinates follow from, where the scene has a map."""
        return self.mapped[0]

    @property
    def qdot_R(self) -> np.ndarray:
        """(time, ..., coordinates of the map): the rates of q_R."""
        return self.mapped[1]

    def prescribed_wrench(self, name: str) -> np.ndarray:
        """(time, ..., 6): the wrench (torque; force) on a body, in body axes, that its prescribed twist needs."""
        index = self.model.index(name)
        return np.zeros((*self.q.shape[:-1], 6)) if self.redmax is None else self.redmax[2][..., index, :]

    @cached_property
    def accelerations_and_torques(self) -> tuple[np.ndarray, np.ndarray]:
        if self.redmax is not None:
            return self.redmax[0], self.redmax[1]
        return self.engine.hybrid(self.configurations, self.qdot, t=self.times)

    @property
    def qddot(self) -> np.ndarray:
        """(time, ..., nv): accelerations, without what a Python controller added."""
        return self.accelerations_and_torques[0]

    @property
    def torque(self) -> np.ndarray:
        """(time, ..., nv): what prescribed joints need to follow their motion (zero for the others)."""
        return self.accelerations_and_torques[1]

    def reaction(self, name: str) -> np.ndarray:
        """(time, ..., 6): the wrench (torque; force) of parent on child at a joint, in the joint frame."""
        wrench = None if self.redmax is None else self.redmax[2]
        found = self.engine.reactions(self.configurations, self.qdot, self.qddot, wrench, t=self.times)
        return found[..., self.model.index(name), :]

    def force(self, name: str) -> ForceHistory:
        """What a force of the scene did: points, length, tension, activation, energy, power and work over time."""
        found = [f for f in self.model.forces if f.name == name]
        if not found:
            if name in [f.name for f in self.model.joint_forces]:
                raise SceneError(f"The force {name!r} acts within a joint, on its coordinates: there is no history of points and lengths.")
            raise SceneError(unknown("force", name, [str(f.name) for f in self.model.forces]))
        seen, backend = self.observed, self.engine.backend
        return force_history(self.model, found[0], seen, self.configurations, self.qdot, self.t, self.times, backend)

    def nodes(self, name: str) -> np.ndarray:
        """(time, ..., N, 3): where the nodes of a deformable are (m)."""
        found = [s for s in self.model.soft if s.name == name]
        if not found:
            raise SceneError(unknown("deformable", name, [s.name for s in self.model.soft]))
        return self.observed.pose[..., found[0].links, :3, 3]

    def coordinates(self, name: str) -> np.ndarray:
        """(time, ..., dof): the coordinates of one joint."""
        return self.q[..., self.model.q_slice(name)]

    def state(self, sample: int = -1) -> State:
        """One sample as a state, to go on from."""
        charts = np.zeros((*self.q.shape[:-1], 0), int) if self.charts is None else self.charts
        named = self.model.configurations.named(charts[sample])
        return State(float(self.t[sample]), self.q[sample].copy(), self.qdot[sample].copy(), named)

    def plot(self, path: str | Path | None = "energy.png", what: str = "energy", joints: Sequence[str] | None = None) -> Path | None:
        """Write a plot over time, or with path=None show it in a window (needs the extra redmax[plot]).

        what: "energy", "coordinates", "rates", "accelerations" or "reactions"; joints: which ones, by their names or their bodies'
        """
        from redmax.view.plots import plot_run

        self.single("plot")
        return plot_run(self, path, what, joints)

    def html(self, path: str | Path = "redmax.html") -> Path:
        """Write the animation as one HTML file that plays offline."""
        from redmax.view import stage_of, write_html

        self.single("html")
        return write_html(path, **stage_of(self).page)

    def view(self, port: int = 8080, open_browser: bool = True, block: bool = True) -> Any:
        """Look at the run in a page served on this machine (needs the extra redmax[view]).

        port: where; the next free one if it is in use, any that is free if it is 0
        block: stay until Ctrl-C; otherwise the viewer goes on by itself, with .url, .show(t), .play(), .pause() and .stop()
        """
        from redmax.view.live import view_run

        return view_run(self, port, open_browser, block)

    def single(self, what: str) -> None:
        if self.q.ndim != 2:
            raise RedmaxError(f"{what}() shows one world; this run has {self.q.shape[1:-1]}. Take one of them: run.world(i).{what}().")

    def world(self, index: Any) -> Trajectory:
        """One world of a batch: index is a number, or a tuple where the batch has several axes; fewer numbers leave a smaller batch."""
        from dataclasses import replace

        numbers, batch = index if isinstance(index, tuple) else (index,), self.q.shape[1:-1]
        whole = 0 < len(numbers) <= len(batch) and all(isinstance(i, int | np.integer) for i in numbers)
        if not batch or not whole or any(not -n <= i < n for i, n in zip(numbers, batch, strict=False)):
            valid = f"one number for each axis of the batch {batch}" if batch else "no index: this run has one world, and is what you want"
            raise SceneError(f"There is no world {index!r} in this run. Valid: {valid}.")
        at = (slice(None), *numbers)
        drift = None if self.joint_drift is None else self.joint_drift[at]
        charts = None if self.charts is None else self.charts[at]
        return replace(self, q=self.q[at], qdot=self.qdot[at], joint_drift=drift, charts=charts)
