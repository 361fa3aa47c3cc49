"""What a force did during a run: where it held on, how long its path was, how hard it pulled, and the work it did."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from redmax.components.one_line import OneLine
from redmax.dynamics.common.force_report import States, force_report
from redmax.errors import SceneError, unknown
from redmax.forces.base import Force
from redmax.forces.fixed_tendon import FixedTendon
from redmax.forces.path import PathForce
from redmax.run.known_samples import where_known

if TYPE_CHECKING:
    from redmax.run.trajectory import Trajectory

LACKING: Any = None  # what a kind of force has not; typed as what others have, so that who reads it need not ask first


@dataclass(frozen=True, eq=False, repr=False)
class ForceHistory(OneLine):
    """What one force did during a run: arrays over time, (time, ...), with the batch axes of the run.

    points: (time, ..., anchors, 3) where it holds on to bodies (m), not a number where a point of its path is not in use
    potential: energy stored (J); power: what it gives to the bodies (W)
    length, rate, tension: of a force along a path, or of a fixed tendon (m, m/s, N), None for others
    activation: of a muscle, None for others
    torque: (time, ..., dof) of a force within a joint, along its coordinates (N m or N), or of a fixed tendon, along those of its joints,
        one after the other; None for others
    """

    t: np.ndarray
    points: np.ndarray
    potential: np.ndarray
    power: np.ndarray
    length: np.ndarray = LACKING
    rate: np.ndarray = LACKING
    tension: np.ndarray = LACKING
    activation: np.ndarray = LACKING
    torque: np.ndarray = LACKING

    @cached_property
    def work(self) -> np.ndarray:
        """(time, ...) the integral of the power from the start (J), by Simpson's rule; of two samples, by the trapezoid's."""
        return work_of(self.t, self.power)


def work_of(t: np.ndarray, power: np.ndarray) -> np.ndarray:
    """The integral of a power (time, ...) from the start."""
    from scipy.integrate import cumulative_simpson

    return cumulative_simpson(power, x=t, axis=0, initial=0.0) if len(t) > 1 else np.zeros_like(power)


def force_history(run: Trajectory, name: str) -> ForceHistory:
    """Of a force, by its name, at every sample of a run."""
    model = run.model
    found = [force for force in model.forces if force.name == name]
    if found:
        return history_of(run, found[0])
    if name in [force.name for force in model.joint_forces]:
        return history_within(run, name)
    raise SceneError(unknown("force", name, [str(force.name) for force in (*model.forces, *model.joint_forces)]))


def history_within(run: Trajectory, name: str) -> ForceHistory:
    """Of a force within a joint: its torques, and what they do with the rates."""
    from redmax.dynamics.common.joint_torques import energy_within, sources

    source = next(s for s in sources(run.model) if s.name == name)
    torque, rates = run.torques[name], np.asarray(run.qdot)[..., slice(*run.model.offsets[source.link : source.link + 2])]
    stored = where_known(run, lambda q, qdot, t: energy_within(run.engine, source, q, qdot, t))
    points = np.zeros((*torque.shape[:-1], 0, 3))  # it holds on to nothing but its joint
    return ForceHistory(run.t, points, stored, (torque * rates).sum(axis=-1), torque=torque)


def history_of(run: Trajectory, force: Force) -> ForceHistory:
    """Of a force of the model; where a world broke off, not a number."""
    configurations, qdot = run.configurations, np.asarray(run.qdot)
    widths = {"points": 3 * len(force.anchors), "used": len(force.anchors), "potential": 1, "power": 1}
    widths |= {"length": 1, "rate": 1, "tension": 1} if isinstance(force, PathForce | FixedTendon) else {}
    widths |= {"torque": sum(map(len, force.weights))} if isinstance(force, FixedTendon) else {}
    widths |= {"activation": 1} if hasattr(force, "level") else {}
    found = force_report(run.engine, force, States(run.observed, configurations, qdot, run.times), widths)
    points = found.pop("points").reshape(*qdot.shape[:-1], len(force.anchors), 3)
    points = np.where(found.pop("used")[..., None] > 0, points, np.nan)
    torque = {name: found.pop(name) for name in ("torque",) if name in found}
    return ForceHistory(run.t, points, **{name: x[..., 0] for name, x in found.items()}, **torque)
