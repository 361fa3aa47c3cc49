"""The mechanism as a whole at every sample of a run: its centre of mass, and its momentum about it; rows of run/quantities.py."""

from __future__ import annotations

from functools import cached_property
from operator import attrgetter
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from redmax.dynamics.centroidal import Centroidal
from redmax.run.known_samples import where_known
from redmax.run.quantity import Plot, Quantity

if TYPE_CHECKING:
    from redmax.run.trajectory import Trajectory


class CentroidalHistories:
    """The properties of a Trajectory that look at the mechanism as a whole: all bodies, and the nodes of deformables."""

    @cached_property
    def centroidal(self) -> Centroidal:
        """Mass, centre of mass, momentum about it and inertia at every sample, with their rates, (time, ..., own axes)."""
        run = cast("Trajectory", self)
        return where_known(run, lambda q, qdot, t, qddot: run.engine.centroidal(q, qdot, qddot, t), run.qddot)

    @property
    def center_of_mass(self) -> np.ndarray:
        """(time, ..., 3): where the centre of mass is in the world (m)."""
        return np.asarray(cast("Trajectory", self).quantity("center_of_mass"))

    @property
    def centroidal_momentum(self) -> np.ndarray:
        """(time, ..., 6): angular about the centre of mass; linear, in world axes."""
        return np.asarray(cast("Trajectory", self).quantity("centroidal_momentum"))

    @cached_property
    def center_and_momentum(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Centre of mass, its velocity, and the momentum about it: what needs no accelerations."""
        run = cast("Trajectory", self)

        def seen(q: np.ndarray, qdot: np.ndarray, t: np.ndarray) -> tuple[Any, ...]:
            whole = run.engine.centroidal(q, qdot, t=t)
            return whole.center, whole.velocity, whole.momentum

        return where_known(run, seen)


def of_center(name: str, about: str, unit: str, values: Any, symbol: str, label: str) -> Quantity:
    """A row of three numbers in world axes."""
    return Quantity(
        name, about, ("xyz",), unit, values,
        dataset=f"centroidal/{name}", store="centroidal", optional=True, array=False, table="center-of-mass",
        labels=tuple(f"{label}.{axis}" for axis in "xyz"),
        plot=Plot("center-of-mass", "the centre of mass, its velocity and its acceleration", symbol),
    )  # fmt: skip


CENTROIDAL_QUANTITIES = (
    of_center("center_of_mass", "centre of mass, in the world", "{L}", lambda run: run.center_and_momentum[0], "c", "com"),
    of_center("center_of_mass_velocity", "its velocity", "{L}/s", lambda run: run.center_and_momentum[1], r"\dot{c}", "com.v"),
    of_center(
        "center_of_mass_acceleration", "its acceleration", "{L}/s\u00b2", attrgetter("centroidal.acceleration"), r"\ddot{c}", "com.a"
    ),
    Quantity(
        "centroidal_momentum", "about the centre of mass, in world axes", ("angular; linear",), "{M} {L}\u00b2/s; {M} {L}/s",
        lambda run: run.center_and_momentum[2], dataset="centroidal/momentum", store="centroidal", optional=True, array=False,
        table="centroidal-momentum", labels=tuple(f"{part}.{axis}" for part in ("angular", "linear") for axis in "xyz"),
        plot=Plot("centroidal-momentum", "angular momentum about the centre of mass, and linear momentum", "h"),
    ),
)  # fmt: skip
