"""A Trajectory whose samples stay in its file, with the energies, poses and reactions that the file holds."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from redmax.dynamics.common.parametrised import of_worlds
from redmax.dynamics.dynamics import Observation
from redmax.results.contact_rows import contact_fields
from redmax.results.record import Record
from redmax.run.energy import Energy
from redmax.run.quantities import quantity_named
from redmax.run.quantity import body_links
from redmax.run.rubbing_quantities import RUBBING
from redmax.run.step_histories import STEP_HISTORIES
from redmax.run.trajectory import Trajectory

SEEN = ("kinetic", "potential", "momentum", "position", "rotation", "twist")


@dataclass(frozen=True, eq=False, repr=False)
class StoredTrajectory(Trajectory):
    """q, qdot and charts are read when they are asked for, slice by slice. record: the file, and which part of it this is."""

    record: Record = field(repr=False, kw_only=True)

    @property
    def ended(self) -> str:
        """How the run ended: "complete", what broke it off, or "" if it is going on, or its process was killed."""
        return self.record.ended

    def found(self, *names: str) -> list[Any] | None:
        """These quantities of this run, if the file has all of them, and q has not been replaced by another."""
        if self.q is not self.record.q:
            return None
        arrays = [self.record.array(quantity_named(self.model, name).dataset) for name in names]
        return None if any(x is None for x in arrays) else arrays

    def quantity(self, name: str) -> Any:
        """As of any run; read from the file, slice by slice, if it is there."""
        stored = self.found(name)
        return stored[0] if stored else super().quantity(name)

    @cached_property
    def observed(self) -> Observation:
        stored = self.found(*SEEN)
        if stored is None or len(body_links(self.model)) < len(self.model.links):
            return Trajectory.observed.func(self)  # type: ignore[attr-defined]
        kinetic, potential, momentum, position, rotation, twist = map(np.asarray, stored)
        return Observation(kinetic, potential, momentum, poses(rotation, position), twist)

    @cached_property
    def configurations(self) -> np.ndarray:
        return self.model.configurations.join(np.asarray(self.q), self.charts)

    @cached_property
    def energy(self) -> Energy:
        stored = self.found("kinetic", "potential")
        return Energy(*map(np.asarray, stored)) if stored else Energy(self.observed.kinetic, self.observed.potential)

    def body_pose(self, link: int) -> np.ndarray:
        stored, k = self.of_body(link, "rotation", "position")
        return poses(stored[0][..., k, :, :], stored[1][..., k, :]) if stored else super().body_pose(link)

    def body_twist(self, link: int) -> np.ndarray:
        stored, k = self.of_body(link, "twist")
        return stored[0][..., k, :] if stored else super().body_twist(link)

    def reaction(self, name: str) -> np.ndarray:
        stored, k = self.of_body(self.model.index(name), "reaction")
        return stored[0][..., k, :] if stored else super().reaction(name)

    def of_body(self, link: int, *names: str) -> tuple[list[Any] | None, int]:
        """The quantities, and the number of the body (or joint) in them; None for what is no body."""
        bodies = body_links(self.model)
        return (self.found(*names), bodies.index(link)) if link in bodies else (None, -1)

    def part(self, at: tuple[Any, ...]) -> Trajectory:
        if self.q is not self.record.q or not isinstance(at[0], slice):
            return super().part(at)
        own = of_worlds(self.engine, self.q.shape[1:-1], at[1:])
        return replace(viewed(self, self.record.part(at)), engine=own)

    def refreshed(self) -> StoredTrajectory:
        """The run as the file has it now, if another process is writing it."""
        from redmax.results.reader import opened

        return opened(self.record.source.path, self.model, self.engine)


def viewed(run: StoredTrajectory, record: Record) -> StoredTrajectory:
    """The run of another part of its file."""
    states = {name: getattr(record, name) for name in ("t", "q", "qdot", "charts")}
    given = {name: record.array(name) for name in ("joint_drift", "controls")}
    given |= {name: record.array(f"constraints/{name}") for name in ("impulse", "impulse_time")}
    given |= contact_fields(record)
    given |= {name: record.array(dataset) for name, dataset in (RUBBING | STEP_HISTORIES).items()}
    return replace(run, **states, **given, nearby=None, record=record)


def poses(rotation: np.ndarray, position: np.ndarray) -> np.ndarray:
    """(..., 4, 4)"""
    E = np.zeros((*position.shape[:-1], 4, 4), position.dtype)
    E[..., :3, :3], E[..., :3, 3], E[..., 3, 3] = rotation, position, 1.0
    return E
