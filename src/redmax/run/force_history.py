"""What a force did during a run: where it held on, how long its path was, how hard it pulled, and the work it did."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from redmax.backends.base import make_runner
from redmax.errors import SceneError, unknown
from redmax.forces.base import Force
from redmax.forces.frames import Frame
from redmax.forces.law import ForceLaw, sites_of
from redmax.forces.path import PathForce
from redmax.model.parameters import indices
from redmax.model.remade import force_maker, places
from redmax.program.function import function_plan

if TYPE_CHECKING:
    from redmax.run.trajectory import Trajectory


@dataclass(frozen=True, eq=False)
class ForceHistory:
    """What one force did during a run: arrays over time, (time, ...), with the batch axes of the run.

    points: (time, ..., anchors, 3) where it holds on to bodies (m), not a number where a point of its path is not in use
    potential: energy stored (J); power: what it gives to the bodies (W)
    length, rate, tension: of a force along a path (m, m/s, N), None for others; activation: of a muscle, None for others
    """

    t: np.ndarray
    points: np.ndarray
    potential: np.ndarray
    power: np.ndarray
    length: np.ndarray | None = None
    rate: np.ndarray | None = None
    tension: np.ndarray | None = None
    activation: np.ndarray | None = None

    @cached_property
    def work(self) -> np.ndarray:
        """(time, ...) the integral of the power from the start (J), by Simpson's rule; of two samples, by the trapezoid's."""
        from scipy.integrate import cumulative_simpson

        return cumulative_simpson(self.power, x=self.t, axis=0, initial=0.0) if len(self.t) > 1 else np.zeros_like(self.power)


def force_history(run: Trajectory, name: str) -> ForceHistory:
    """Of a force, by its name, at every sample of a run."""
    model = run.model
    found = [force for force in model.forces if force.name == name]
    if found:
        return history_of(run, found[0])
    if name in [force.name for force in model.joint_forces]:
        raise SceneError(f"The force {name!r} acts within a joint, on its coordinates: there is no history of points and lengths.")
    raise SceneError(unknown("force", name, [str(force.name) for force in model.forces]))


def history_of(run: Trajectory, force: Force) -> ForceHistory:
    model, seen, configurations, qdot = run.model, run.observed, run.configurations, np.asarray(run.qdot)
    lead = qdot.shape[:-1]
    count = int(np.prod(lead))
    bodies = [b.index for b in force.bodies]
    inputs: dict[str, np.ndarray] = {"t": np.broadcast_to(run.times, lead).reshape(count, 1)}
    for i, b in enumerate(bodies):
        inputs[f"body{i}"] = body_numbers(seen.pose[..., b, :, :], seen.twist[..., b, :]).reshape(count, 18)
    for i, b in enumerate(force.joints):
        part, rates = model.configurations.parts()[b.index], slice(*model.offsets[b.index : b.index + 2])
        inputs[f"q{i}"] = configurations[..., part].reshape(count, part.stop - part.start)
        inputs[f"qdot{i}"] = qdot[..., rates].reshape(count, rates.stop - rates.start)
    for i, link in enumerate(model.states.get(force.name or "", ())):
        inputs[f"state{i}"] = qdot[..., model.offsets[link]].reshape(count, 1)
    law = ForceLaw(force)
    constants = constants_of_samples(run, force, lead)
    inputs["constants"] = constants.reshape(count, constants.shape[-1])
    widths = {"points": 3 * len(force.anchors), "used": len(force.anchors), "potential": 1, "power": 1}
    widths |= {"length": 1, "rate": 1, "tension": 1} if isinstance(force, PathForce) else {}
    widths |= {"activation": 1} if hasattr(force, "level") else {}
    plan = function_plan(f"history of {law.text}", {n: x.shape[1] for n, x in inputs.items()}, widths, Report(law, list(widths)))
    outputs = [np.empty((1, count, w)) for w in widths.values()]
    make_runner(plan, run.engine.backend, "float64").run([np.ascontiguousarray(x, float) for x in inputs.values()], outputs, count)
    found = {name: x[0].reshape(*lead, *x.shape[2:]) for name, x in zip(widths, outputs, strict=True)}
    points = np.where(found.pop("used")[..., None] > 0, found.pop("points").reshape(*lead, len(force.anchors), 3), np.nan)
    return ForceHistory(run.t, points, **{name: x[..., 0] for name, x in found.items()})


def constants_of_samples(run: Trajectory, force: Force, lead: tuple[int, ...]) -> np.ndarray:
    """(time, ..., constants) of a force, with those of each world where they are parameters."""
    constants = ForceLaw(force).constants(force)
    rows, start = np.broadcast_to(constants, (*lead, len(constants))).copy(), 0
    for p in run.model.parameters:
        if p.owner is force and p.remaking is not None:
            unplaced = replace(p.remaking, make=force_maker(run.model, force, placed=False), same=False)  # its points in body frames
            given = {name: np.asarray(x, float) for name, x in run.engine.given.items()}
            rows[..., places(unplaced.make({}), unplaced.entries)] = unplaced.columns(given)
        elif p.owner is force and run.engine.parameters is not None:
            for constant, column in indices(p):
                rows[..., constant] = run.engine.parameters[..., start + column]
        start += p.default.size
    return rows


def body_numbers(pose: np.ndarray, twist: np.ndarray) -> np.ndarray:
    """(..., 18): axes, origin, and angular and linear velocity in world axes."""
    R = pose[..., :3, :3]
    omega, v = ((R @ part[..., None])[..., 0] for part in (twist[..., :3], twist[..., 3:]))
    return np.concatenate([R.reshape(*R.shape[:-2], 9), pose[..., :3, 3], omega, v], axis=-1)


@dataclass(frozen=True, eq=False)
class Report:
    """The traced function behind a history."""

    law: ForceLaw
    wanted: list[str]

    def __call__(self, t: Any, constants: Any, **members: Any) -> list[Any]:
        force = self.law.filled(constants)
        frames = [frame_of(members[f"body{i}"]) for i in range(len(force.bodies))]
        q = [(members[f"q{i}"], members[f"qdot{i}"]) for i in range(len(force.joints))]
        states = [members[name][0] for name in members if name.startswith("state")]
        force = force.replaced(coordinates=q, states=states)
        sites, time = sites_of(force, frames), t[0]
        power: Any = 0.0
        for anchor, site, (torque, pull) in zip(force.anchors, sites, force.wrenches(sites, time), strict=True):
            if anchor.member >= 0:
                power = power + pull @ site.v + (0.0 if torque is None else torque @ site.omega)
        stored = force.potential(sites, time)
        found: dict[str, Any] = {"points": np.concatenate([s.x for s in sites]), "power": power}
        found["potential"] = 0.0 if stored is None else stored
        found["used"] = np.array([1.0] * len(sites), object)
        if isinstance(force, PathForce):
            length, rate = force.length_and_rate(sites)
            found |= {"length": length, "rate": rate, "tension": force.tension(length, rate, time)}
            gates = [force.open(k) for k in range(len(sites))]
            found["used"] = np.array([1.0 if g is None else g * 1.0 for g in gates], object)
        if "activation" in self.wanted:
            level: Any = force
            found["activation"] = level.level(time)
        return [found[name] for name in self.wanted]


def frame_of(x: Any) -> Frame:
    return Frame(x[:9].reshape(3, 3), x[9:12], x[12:15], x[15:])
