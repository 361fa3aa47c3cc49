"""What drove a run: the forces along the joints' coordinates, source by source, and what each force of the scene did.

    tau = what acts within the joints + what was given (controls, a controller's answers) + what holds prescribed joints to their motion

so that inverse dynamics of the joints and bodies alone, at the accelerations of the run, is tau. What follows from the states is found from
them, exactly at each sample; what was given is as it is held from each sample on.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, cast

import numpy as np

from redmax.dynamics.common.joint_torques import MOTION, TENDON, driven_rates, tendons, torques_within
from redmax.errors import SceneError, unknown
from redmax.forces.base import Force
from redmax.run.force_history import history_of
from redmax.run.known_samples import where_known
from redmax.run.redmax_samples import accelerations_and_torques

if TYPE_CHECKING:
    from redmax.run.trajectory import Trajectory

CONTROLS = "controls"


class Driven:
    """The parts of a Trajectory that say what drove it."""

    @cached_property
    def accelerations_and_torques(self) -> tuple[np.ndarray, np.ndarray]:
        """qddot, and what prescribed joints need, (time, ..., nv) each."""
        return accelerations_and_torques(as_run(self))

    @property
    def qddot(self) -> np.ndarray:
        """(time, ..., nv): accelerations, with what the run was given: `controls`, or what a Python controller answered."""
        return self.accelerations_and_torques[0]

    @property
    def torque(self) -> np.ndarray:
        """(time, ..., nv): what prescribed joints need to follow their motion (zero for the others); `torques` has all that drove it."""
        return self.accelerations_and_torques[1]

    @property
    def torques(self) -> Torques:
        """What drove the joints: `run.torques.total` (time, ..., nv), and each source by its name, as in `run.torques["elbow servo"]`."""
        return Torques(as_run(self))

    @cached_property
    def driving(self) -> dict[str, np.ndarray]:
        """(time, ..., nv) each: the terms of what acts within joints, by the names of Source.term, "motion" among them; and "total"."""
        run = as_run(self)
        if not run.torques:
            return {"total": np.zeros(run.qdot.shape, run.qdot.dtype)}
        found: dict[str, np.ndarray] = where_known(run, lambda q, qdot, t: torques_within(run.engine, q, qdot, t))
        found |= {f"{TENDON}{force.name}": torques_of_tendon(run, force) for force in tendons(run.model)}
        total = sum((tau for term, tau in found.items() if term.startswith(TENDON)), found["total"])
        if any(run.model.prescribed):
            found[MOTION] = self.torque
            total = total + self.torque
        if run.controls is not None:
            total = total + applied_controls(run)
        return found | {"total": np.where(hidden(run), 0.0, total).astype(total.dtype)}


class Torques(Mapping[str, np.ndarray]):
    """What drove the joints of a run (N m along angles, N along lengths), each source by its name.

    Servos, tendons and other forces on joints are called by their names; what one was given in `add_body` by its name and the argument's,
    as "elbow.stiffness", "elbow.damping", "elbow.torque" and, for what holds a prescribed joint to its motion, "elbow.motion"; what a joint
    exerts by itself is "elbow.exerted". Each is (time, ..., dof) of its joint, of a tendon those of its joints one after the other.
    "controls", (time, ..., nv), is what `simulate(controls=)` was given, or what a Python controller answered, held from each sample on.
    """

    def __init__(self, run: Trajectory) -> None:
        self._run = run

    @cached_property
    def _columns(self) -> dict[str, list[int]]:
        """Where each source stands among the columns of all."""
        found: dict[str, list[int]] = {}
        for column, (source, _, _) in enumerate(driven_rates(self._run.model)):
            found.setdefault(source.name, []).append(column)
        return found

    @property
    def total(self) -> np.ndarray:
        """(time, ..., nv): the sum of all, which inverse dynamics of the joints and bodies alone gives at the run's accelerations."""
        return np.asarray(self._run.quantity("tau"))

    def of(self, joint: str) -> np.ndarray:
        """(time, ..., dof): the sum of what drove one joint, named by itself or its body."""
        return self.total[..., self._run.model.v_slice(joint)]

    def driving(self, joint: str) -> dict[str, np.ndarray]:
        """What drives one joint, named by itself or its body: (time, ..., dof) by the names of the sources; `controls` may drive all."""
        i, found = self._run.model.index(joint), dict[str, list[int]]()
        for column, (source, _, _) in enumerate(driven_rates(self._run.model)):
            if source.link == i:
                found.setdefault(source.name, []).append(column)
        return {name: np.asarray(self._run.quantity("torques"))[..., columns] for name, columns in found.items()}

    def __getitem__(self, name: str) -> np.ndarray:
        if name in self._columns:
            return np.asarray(self._run.quantity("torques"))[..., self._columns[name]]
        if name not in self:
            raise SceneError(unknown("source of torque", name, list(self)))
        return applied_controls(self._run)

    def __iter__(self) -> Iterator[str]:
        yield from self._columns
        if self._run.controls is not None and CONTROLS not in self._columns:
            yield CONTROLS

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __contains__(self, name: object) -> bool:
        return name in list(self)

    def __repr__(self) -> str:
        names = list(self)
        more = f", and {len(names) - 12} more" if len(names) > 12 else ""
        return f"Torques({', '.join(map(repr, names[:12])) or 'nothing drives a joint'}{more})"


def torques_by_source(run: Trajectory) -> np.ndarray:
    """(time, ..., driven rates): source by source, along the rates of its joint."""
    parts = [run.driving[source.term][..., column] for source, _, column in driven_rates(run.model)]
    return np.stack(parts, axis=-1) if parts else np.zeros((*run.qdot.shape[:-1], 0), run.qdot.dtype)


def torques_of_tendon(run: Trajectory, force: Force) -> np.ndarray:
    """(time, ..., nv): what a tendon over several joints does to each."""
    torque, found = history_of(run, force).torque, np.zeros(run.qdot.shape, run.qdot.dtype)
    columns = [k for joint in force.joints for k in range(*run.model.offsets[joint.index : joint.index + 2])]
    found[..., columns] = torque
    return found


def applied_controls(run: Trajectory) -> np.ndarray:
    """(time, ..., nv): what the run was given, but for prescribed joints, which follow their motion whatever is given."""
    given = np.asarray(run.controls)
    return np.where(np.repeat(run.model.prescribed, np.diff(run.model.offsets)), 0.0, given).astype(given.dtype)


def is_driven(run: Trajectory) -> bool:
    """Whether anything drives a joint."""
    return bool(run.torques)


def hidden(run: Trajectory) -> np.ndarray:
    """(nv,): which rates are hidden states, whose torques are their rates of change."""
    first, last = len(run.model.bodies), len(run.model.bodies) + len(run.model.hidden)
    numbers = np.arange(run.model.nv)
    return (run.model.offsets[first] <= numbers) & (numbers < run.model.offsets[last])


def as_run(driven: Driven) -> Trajectory:
    """Itself: only a Trajectory has these."""
    return cast("Trajectory", driven)
