"""What one force does at many states, read off the trace of its law: where it holds on, how hard it pulls, what its fibres do.

A state goes in as what a force sees of it: poses and twists of its bodies, the coordinates that its points follow, its hidden states.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np

from redmax.backends.base import make_runner
from redmax.components.holding import Holding
from redmax.dynamics.common.observe import Observation
from redmax.forces.base import Force, Site
from redmax.forces.fixed_tendon import FixedTendon
from redmax.forces.frames import Frame
from redmax.forces.law import ForceLaw, row_of_constants, sites_of
from redmax.forces.path import PathForce
from redmax.forces.unit_pull import unit_pull
from redmax.model.made_again import force_maker
from redmax.model.model import Model
from redmax.model.parameters import indices
from redmax.model.remade import places
from redmax.muscles.fibres import Fibres
from redmax.muscles.muscle import Muscle
from redmax.program.function import function_plan

if TYPE_CHECKING:
    from redmax.dynamics.kinematics import Kinematics

FIBRES = tuple(field.name for field in fields(Fibres))
UNIT = "unit"  # what a force along a path does at a tension of 1 (forces/unit_pull.py)


@dataclass(frozen=True, eq=False)
class States:
    """seen: poses and twists (..., links, ...); q: configurations (..., n); qdot: (..., nv); t: (...), s."""

    seen: Observation
    q: np.ndarray
    qdot: np.ndarray
    t: np.ndarray


def force_report(
    dynamics: Kinematics, force: Force, states: States, widths: Mapping[str, int], activation: np.ndarray | None = None
) -> dict[str, np.ndarray]:
    """(..., width) each of what is asked for by name. activation: (...) of a muscle, instead of its own."""
    lead = states.qdot.shape[:-1]
    count = prod(lead)
    inputs = inputs_of(dynamics, force, states)
    if activation is not None:
        inputs["activation"] = np.broadcast_to(activation, lead)
    rows = {name: np.ascontiguousarray(x, float).reshape(count, prod(x.shape[len(lead) :])) for name, x in inputs.items()}
    law = ForceLaw(force)
    plan = function_plan(f"history of {law.text}", {n: x.shape[1] for n, x in rows.items()}, widths, Report(law, list(widths)))
    outputs = [np.empty((1, count, w)) for w in widths.values()]
    make_runner(plan, dynamics.backend, "float64").run(list(rows.values()), outputs, count)
    return {name: x[0].reshape(*lead, x.shape[2]) for name, x in zip(widths, outputs, strict=True)}


def inputs_of(dynamics: Kinematics, force: Force, states: States) -> dict[str, np.ndarray]:
    """(..., n) each, by the names that `Report` takes."""
    model, inputs = dynamics.model, {"t": states.t[..., None]} | member_numbers(dynamics.model, force, states)
    for i, link in enumerate(model.states.get(force.name or "", ())):
        inputs[f"state{i}"] = states.qdot[..., model.offsets[link], None]
    return inputs | {"constants": constants_of_states(dynamics, force, states.qdot.shape[:-1])}


def member_numbers(model: Model, holding: Holding, states: States) -> dict[str, np.ndarray]:
    """(..., n) each: the bodies that a force or a constraint holds on to, and q and qdot of the joints that it reads."""
    inputs: dict[str, np.ndarray] = {}
    for i, b in enumerate(holding.bodies):
        inputs[f"body{i}"] = body_numbers(states.seen.pose[..., b.index, :, :], states.seen.twist[..., b.index, :])
    for i, b in enumerate(holding.joints):
        inputs[f"q{i}"] = states.q[..., model.configurations.parts()[b.index]]
        inputs[f"qdot{i}"] = states.qdot[..., slice(*model.offsets[b.index : b.index + 2])]
    return inputs


def constants_of_states(dynamics: Kinematics, force: Holding, lead: tuple[int, ...]) -> np.ndarray:
    """(..., constants) of a force or a constraint, with those of each world where they are parameters."""
    constants = row_of_constants(force)
    rows, start = np.broadcast_to(constants, (*lead, len(constants))).copy(), 0
    for p in dynamics.model.parameters:
        if p.owner is force and p.remaking is not None:
            unplaced = replace(p.remaking, make=force_maker(dynamics.model, force, placed=False), same=False)  # its points in body frames
            given = {name: np.asarray(x, float) for name, x in dynamics.given.items()}
            rows[..., places(unplaced.make({}), unplaced.entries)] = unplaced.columns(given)
        elif p.owner is force and dynamics.parameters is not None:
            for constant, column in indices(p):
                rows[..., constant] = dynamics.parameters[..., start + column]
        start += p.default.size
    return rows


def body_numbers(pose: np.ndarray, twist: np.ndarray) -> np.ndarray:
    """(..., 18): axes, origin, and angular and linear velocity in world axes."""
    R = pose[..., :3, :3]
    omega, v = ((R @ part[..., None])[..., 0] for part in (twist[..., :3], twist[..., 3:]))
    return np.concatenate([R.reshape(*R.shape[:-2], 9), pose[..., :3, 3], omega, v], axis=-1)


@dataclass(frozen=True, eq=False)
class Report:
    """The traced function behind a report."""

    law: ForceLaw
    wanted: list[str]

    def __call__(self, t: Any, constants: Any, **members: Any) -> list[Any]:
        force = self.law.filled(constants)
        frames = [frame_of(members[f"body{i}"]) for i in range(len(force.bodies))]
        q = [(members[f"q{i}"], members[f"qdot{i}"]) for i in range(len(force.joints))]
        states = [members[name][0] for name in members if name.startswith("state")]
        force = force.replaced(coordinates=q, states=states)
        if "activation" in members:
            force = force.replaced(given=members["activation"][0])
        sites = sites_of(force, frames)
        found = general(force, sites, t[0])
        if isinstance(force, PathForce):
            found |= of_path(force, sites, t[0])
        if isinstance(force, PathForce) and UNIT in self.wanted:
            found[UNIT] = unit_pull(force, frames, sites)
        if isinstance(force, FixedTendon):
            found |= of_tendon(force, t[0])
        if isinstance(force, Muscle) and FIBRES[0] in self.wanted:
            found |= vars(force.hill.fibres(found["length"], found["rate"], found["activation"]))
        return [found[name] for name in self.wanted]


def general(force: Force, sites: list[Site], t: Any) -> dict[str, Any]:
    """What every force has: its points, which of them are in use, the energy stored, and the power given to the bodies."""
    power: Any = 0.0
    for anchor, site, (torque, pull) in zip(force.anchors, sites, force.wrenches(sites, t), strict=True):
        if anchor.member >= 0:
            power = power + pull @ site.v + (0.0 if torque is None else torque @ site.omega)
    stored = force.potential(sites, t)
    points, used = np.concatenate([np.zeros(0), *[s.x for s in sites]]), np.array([1.0] * len(sites), object)
    level: Any = getattr(force, "level", None)
    found = {"points": points, "used": used, "power": power, "potential": 0.0 if stored is None else stored}
    return found if level is None else found | {"activation": level(t)}


def of_tendon(force: FixedTendon, t: Any) -> dict[str, Any]:
    """The same of a tendon over coordinates, which gives its power to the joints."""
    length, rate = force.length_and_rate()
    tension = force.tension(length, rate, t)
    return {"length": length, "rate": rate, "tension": tension, "power": -tension * rate, "torque": np.concatenate(force.torques(t))}


def of_path(force: PathForce, sites: list[Site], t: Any) -> dict[str, Any]:
    """What forces along paths have too."""
    length, rate = force.length_and_rate(sites)
    gates = [force.open(k) for k in range(len(sites))]
    used = np.array([1.0 if g is None else g * 1.0 for g in gates], object)
    return {"length": length, "rate": rate, "tension": force.tension(length, rate, t), "used": used}


def frame_of(x: Any) -> Frame:
    """From `body_numbers`."""
    return Frame(x[:9].reshape(3, 3), x[9:12], x[12:15], x[15:])
