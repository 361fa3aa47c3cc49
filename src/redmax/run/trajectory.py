"""Trajectory: the saved samples of a run, and everything that can be read off them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from redmax.arguments import as_world, brief, check_sample
from redmax.components.wrong_call import explained
from redmax.dynamics.common.parametrised import of_worlds
from redmax.dynamics.dynamics import Dynamics, Observation
from redmax.errors import RedmaxError, SceneError, unknown
from redmax.model.model import Model
from redmax.model.state import State
from redmax.run.centroidal import CentroidalHistories
from redmax.run.constraint_histories import ConstraintHistories, prescribed_wrench
from redmax.run.contact.history import RecordsContacts
from redmax.run.contact.impacts import RecordsContactImpacts
from redmax.run.driving import Driven
from redmax.run.energy import Energy
from redmax.run.failures import Failure
from redmax.run.frames import FrameHistories
from redmax.run.good_samples import MayBreakOff
from redmax.run.impacts import RecordsImpacts
from redmax.run.known_samples import of_world, where_known
from redmax.run.momentum_screws import MomentumHistories
from redmax.run.outputs import TrajectoryOutputs
from redmax.run.path_histories import PathHistories
from redmax.run.plotted import Plotted
from redmax.run.quantities import held, quantity_named
from redmax.run.redmax_samples import mapped_samples, redmax_samples
from redmax.run.rubbing_histories import RecordsFriction, with_rubbing
from redmax.run.step_histories import RecordsSteps
from redmax.run.summary import summary


@explained("__init__")
@dataclass(frozen=True, eq=False)
class Trajectory(
    MayBreakOff, RecordsImpacts, RecordsContacts, RecordsContactImpacts, RecordsFriction, RecordsSteps, Driven, ConstraintHistories,
    PathHistories, FrameHistories, CentroidalHistories, MomentumHistories, Plotted, TrajectoryOutputs,
):  # fmt: skip
    """t: (time,) s;  q: (time, ..., nq);  qdot: (time, ..., nv), with the batch axes of the initial state between.

    steps: integrator steps taken, 0 where nobody counted those of one world; wall_s, compile_s: seconds spent running and compiling.
    complete: False if it broke off, see `failure`.
    joint_drift: with dynamics="maximal", (time, ..., joints), how far each joint is open (rad and length); nan where it is not known.
    charts: (time, ..., choices), the numbers of the charts that q is in, where joints change them; `chart` has their names.
    settings: what else the run was asked for, by name: duration, every, rtol, ...
    controls: (time, ..., nv), torques that the run was given, as they are held from each sample on: `simulate(controls=)`, or those of
        its controller, None where it had neither.
    failures: worlds that broke off, with `world`, `t`, `joint` and `reason`; from there on their samples are not numbers.
    impulse, impulse_time: (time, ..., rows), what impacts gave the rows of constraints since the run began, and when the last was.
    contact_count, ...: of contacts, which `contacts` shows.
    friction, friction_torque, normal_force: of joints that rub, in the step before each sample; `rubbing` has them by name.
    nearby: (..., coordinates of the map), from where the first q_R of a scene with a map is looked for, if not from where the scene begins.
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
    settings: Mapping[str, Any] = field(default_factory=dict, repr=False)
    nearby: np.ndarray | None = field(default=None, repr=False)
    failures: tuple[Failure, ...] = ()
    controls: np.ndarray | None = field(default=None, repr=False)
    engine: Dynamics = field(repr=False, kw_only=True)

    def __len__(self) -> int:
        return len(self.t)

    def __repr__(self) -> str:
        shape, lost = "x".join(map(str, self.q.shape)), f", {len(self.failures)} worlds broke off" * bool(self.failures)
        return f"Trajectory({self.model.title or 'scene'!r}, t = {self.t[0]:g} .. {self.t[-1]:g} s, q {shape}, {self.integrator}{lost})"

    @cached_property
    def observed(self) -> Observation:
        """Energy, momentum, poses and twists at every sample."""
        return where_known(self, self.engine.observe)

    @cached_property
    def configurations(self) -> np.ndarray:
        """(time, ..., n): q together with the charts it is in, as dynamics functions take it."""
        return self.model.configurations.join(self.q, self.charts)

    @property
    def times(self) -> np.ndarray:
        """t with the axes of the batch."""
        return np.broadcast_to(self.t.reshape(-1, *[1] * (self.q.ndim - 2)), self.q.shape[:-1])

    @property
    def chart_numbers(self) -> np.ndarray:
        """(time, ..., choices), also where no joint has a choice."""
        return np.zeros((*self.q.shape[:-1], 0), int) if self.charts is None else self.charts

    def chart(self, name: str) -> Any:
        """The coordinates that a joint uses: a name or, where it changes them during the run, (time, ...) names; "" without a choice."""
        return self.model.configurations.chart_names(self.chart_numbers).get(self.model.joint_names[self.model.index(name)], "")

    @cached_property
    def energy(self) -> Energy:
        """Kinetic, potential and total energy at every sample, and how far the total drifts."""
        return Energy(self.observed.kinetic, self.observed.potential)

    def quantity(self, name: str) -> Any:
        """(time, ..., its own axes): any row of the table in `redmax.run.quantities`, such as "momentum", "position" or "reaction"."""
        return quantity_named(self.model, name).values(self)

    @property
    def momentum(self) -> np.ndarray:
        """(time, ..., 6): angular about the world's origin; linear, in world axes."""
        return np.asarray(self.quantity("momentum"))

    @cached_property
    def redmax(self) -> tuple[np.ndarray, np.ndarray] | None:
        """qddot and torques, of a scene with a map."""
        return None if self.model.map is None else redmax_samples(self.engine, self.t, *self.mapped, self.controls)

    @cached_property
    def mapped(self) -> tuple[np.ndarray, np.ndarray]:
        """q_R and qdot_R of a scene with a map, (time, ..., coordinates of the map)."""
        map = self.model.map
        if map is None:
            raise RedmaxError("The scene has no map; its coordinates are q. Give it one with scene.set_map(...).")
        return mapped_samples(map, self.t, np.asarray(self.q), np.asarray(self.qdot), self.nearby)

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
        return prescribed_wrench(self, name)

    summary = summary

    @cached_property
    def notes(self) -> tuple[str, ...]:
        """Sentences on the scene's constraints where the run begins: how many ways to move they leave, and rows that repeat others."""
        from redmax.run.assembled_scene import run_notes

        return run_notes(self) if self.model.constraints else ()

    @property
    def step_wrenches(self) -> tuple[np.ndarray, ...]:
        """(time, ..., bodies, 6), if there is something: what contact, and friction in joints, did to bodies in the step before."""
        found = [] if self.contact_count is None else [self.contact_wrenches]
        found += [] if self.friction is None else [self.friction_on_bodies]
        return (sum(found[1:], found[0]),) if found else ()

    @cached_property
    def reactions(self) -> np.ndarray:
        """(time, ..., joints, 6): the wrenches (torque; force) of parents on children at all joints, in the joint frames."""
        touching = self.step_wrenches
        if self.model.constraints:

            def found(q: np.ndarray, qdot: np.ndarray, t: np.ndarray, a: np.ndarray, size: np.ndarray, *more: np.ndarray) -> np.ndarray:
                return self.engine.reactions(q, qdot, a, *more, t=t, multipliers=size)

            return with_rubbing(self, where_known(self, found, self.qddot, self.multipliers, *touching))
        found_free = lambda q, qdot, t, a, *more: self.engine.reactions(q, qdot, a, *more, t=t)  # noqa: E731
        return with_rubbing(self, where_known(self, found_free, self.qddot, *touching))

    def reaction(self, name: str) -> np.ndarray:
        """(time, ..., 6): the wrench (torque; force) of parent on child at a joint, in the joint frame."""
        return self.reactions[..., self.model.index(name), :]

    def nodes(self, name: str) -> np.ndarray:
        """(time, ..., N, 3): where the nodes of a deformable are (m)."""
        names = [soft.name for soft in self.model.soft]
        if name not in names:
            raise SceneError(unknown("deformable", name, names))
        return np.asarray(self.quantity(f"deformables_{names.index(name)}_nodes"))

    def coordinates(self, name: str) -> np.ndarray:
        """(time, ..., dof): the coordinates of one joint."""
        return self.q[..., self.model.q_slice(name)]

    def state(self, sample: int = -1) -> State:
        """One sample as a state, to go on from."""
        check_sample(sample, len(self))
        charts = self.model.configurations.chart_names(self.chart_numbers[sample])
        return State(float(self.t[sample]), self.q[sample].copy(), self.qdot[sample].copy(), charts)

    def single(self, what: str) -> None:
        if self.q.ndim != 2:
            raise RedmaxError(f"{what}() shows one world; this run has {self.q.shape[1:-1]}. Take one of them: run.world(i).{what}().")

    def world(self, index: int | tuple[int, ...]) -> Trajectory:
        """One world of a batch (index: a number, or a tuple where it has several axes), up to where it broke off; or a smaller batch."""
        return of_world(self, as_world(index, self.q.shape[1:-1]))

    def __getitem__(self, samples: slice) -> Trajectory:
        """Some of the samples, as a run of its own: run[100:200], run[::10]."""
        if not isinstance(samples, slice) or not len(range(len(self))[samples]):
            got = f"run[a:b:c] takes a range that holds some of the {len(self)} samples. Got {brief(samples)}."
            raise SceneError(f"{got} For one of them there is run.state(i).")
        return self.part((samples,))

    def part(self, at: tuple[Any, ...]) -> Trajectory:
        """Some samples or worlds; at: an index of arrays (time, ...)."""
        chosen = {name: None if (x := getattr(self, name)) is None else x[at] for name in held()}
        return replace(self, t=self.t[at[0]], nearby=None, engine=of_worlds(self.engine, self.q.shape[1:-1], at[1:]), **chosen)

    def __reduce__(self) -> Any:
        """Pickles hold the scene, as a file does, and the samples."""
        from redmax.results import pickled

        return pickled(self)
