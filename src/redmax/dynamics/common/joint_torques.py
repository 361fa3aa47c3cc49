"""What acts within the joints, source by source: tau = -k (q - rest) - d qdot + torque(t, q, qdot) + forces of the scene within the joint.

The sum is the exerted torque of every recursion (common/kinematics.py); here each of its terms is told apart, so that a run can say what
drove it. Sources are called as they were given: a force by its name, what `add_body` was given by the joint's name and the argument's, as
in "elbow.damping". What a prescribed joint needs to follow its motion, "elbow.motion", is found with the accelerations (Dynamics.hybrid).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from redmax.dynamics.common.joint_laws import spring_within
from redmax.dynamics.common.kinematics import coordinates, exerted_torque, twist_of_rates
from redmax.forces.base import Force
from redmax.forces.joint_force import JointForce
from redmax.joints.base import Joint
from redmax.model.links import Link
from redmax.model.model import Model
from redmax.program.fields import Fields, Size
from redmax.program.program import Program
from redmax.program.record import JointView, WorldView
from redmax.program.sweep import Sweep, forward, recursion

if TYPE_CHECKING:
    from redmax.dynamics.dynamics import Dynamics

MOTION, FORCE, TENDON = "motion", "force", "tendon "


@dataclass(frozen=True)
class Source:
    """Something that drives one joint, or what of a tendon does. name: as it was given; link: the number of the joint; term: which of the
    joint's it is, or which tendon's.
    """

    name: str
    link: int
    term: str


def sources(model: Model) -> list[Source]:
    """Of the joints that carry bodies: joint by joint, each with what `add_body` was given first, then with the scene's forces; tendons."""
    varied = {(p.place, p.what) for p in model.parameters}  # zero in the model, and something in some worlds
    found: list[Source] = []
    for i, link in enumerate(model.bodies):
        terms = [term for term, there in own_terms(model, i, link).items() if there or (i, term) in varied]
        found += [Source(f"{link.joint_name}.{term}", i, term) for term in terms]
        found += [Source(str(force.name), i, f"{FORCE}{k}") for k, force in enumerate(model.within_joint(i))]
    return found + [Source(str(f.name), joint.index, f"{TENDON}{f.name}") for f in tendons(model) for joint in f.joints]


def tendons(model: Model) -> list[Force]:
    """The forces that act on coordinates of several joints, and on no body."""
    return [force for force in model.forces if force.on_coordinates]


def driven_rates(model: Model) -> list[tuple[Source, int, int]]:
    """(source, number of the rate in its joint, number in qdot), source by source."""
    found = [(source, *model.offsets[source.link : source.link + 2].tolist()) for source in sources(model)]
    return [(source, column - first, column) for source, first, last in found for column in range(first, last)]


def own_terms(model: Model, i: int, link: Link) -> dict[str, bool]:
    """What `add_body` may be given, and what a joint may exert itself: whether link i has it."""
    return {
        "stiffness": bool(link.stiffness.any()),
        "damping": bool(link.damping.any()),
        "exerted": exerts(model.cores[i], link.q),
        "torque": link.torque is not None,
        MOTION: model.prescribed[i],
    }


def exerts(joint: Joint, q: np.ndarray) -> bool:
    """Whether a joint exerts something by itself: those that may, such as splines without limits, need not."""
    if not joint.has_own("force"):
        return False
    with np.errstate(all="ignore"):
        return joint.force(np.array([*q, *joint.start]), np.zeros(joint.dof)) is not None


def term_of(j: JointView, w: WorldView, term: str) -> Any:
    """One term of a joint's torque, (dof,); zeros where the joint has none of it."""
    q, turned = coordinates(j), "on_twist" in j and j.on_twist == "own"
    if term == "stiffness":
        return spring_within(j.joint, j.stiffness, j.rest, q)
    if term == "damping":
        return on_twist(j, w, lambda V: -j.damping * V) if turned else -j.damping * j.qdot
    if term == "exerted" and j.joint.has_own("force"):
        own = j.joint.force(j.q, j.qdot)
        return np.zeros(j.joint.dof) if own is None else own
    if term == "torque" and "torque" in j:
        given = lambda v: np.asarray(j.torque(w.t, q, v), object)  # noqa: E731
        return on_twist(j, w, given) if turned else given(j.qdot)
    force = force_of(j, term)
    if force is None:
        return np.zeros(j.joint.dof)
    return on_twist(j, w, lambda V: force.exerted(q, V, w.t)) if force.on_twist else force.exerted(q, j.qdot, w.t)


def on_twist(j: JointView, w: WorldView, law: Callable[[Any], Any]) -> Any:
    """What acts along the twist V = B qdot, as the rates feel it: B' law(V)."""
    B = twist_of_rates(j, w)
    return B.T @ law(B @ j.qdot)


def force_of(j: JointView, term: str) -> JointForce | None:
    """The force within a joint that a term stands for."""
    number = term.removeprefix(FORCE)
    return j.joint_forces[int(number)] if term.startswith(FORCE) and int(number) < len(j.joint_forces) else None


def told_apart(terms: Sequence[str]) -> Sweep:
    """Each of these terms into its own field, and their sum into `total`."""
    kept = tuple(terms)

    @forward
    def torques_apart(j: JointView, w: WorldView) -> None:
        for term in kept:
            setattr(j, field_of(term), term_of(j, w, term))
        j.total = exerted_torque(j, w)

    return torques_apart


def stored_by(term: str) -> Sweep:
    """The energy that a force within each joint stores, into `stored`."""

    @forward
    def energy_apart(j: JointView) -> None:
        force = force_of(j, term)
        j.stored = 0.0 if force is None else force.potential(coordinates(j))

    return energy_apart


def field_of(term: str) -> str:
    """What a program calls it: joints have data of the same names."""
    return f"tau_{term}"


def reading(name: str, sweep: Sweep, outputs: Mapping[str, Size]) -> Program:
    """A program of one sweep, which reads states and writes these fields."""
    fields = Fields(state={"q": "q", "qdot": "v", **outputs}, world={"t": 1})
    return Program(name, (recursion(sweep, name=name),), fields, ("q", "qdot", "t"), tuple(outputs))


def torques_within(engine: Dynamics, q: np.ndarray, qdot: np.ndarray, t: np.ndarray) -> dict[str, np.ndarray]:
    """(..., nv) each: every term that some joint has, by the names of `Source.term`, and "total", their sum as the dynamics have it."""
    terms = list(dict.fromkeys(s.term for s in sources(engine.model) if s.term != MOTION and not s.term.startswith(TENDON)))
    program = reading(f"torques {' '.join(terms)}", told_apart(terms), dict.fromkeys((*map(field_of, terms), "total"), "v"))
    shape, arrays = engine.arrays(q=q, qdot=qdot, t=t)
    found = engine.call(program.name, program, arrays, shape, *[(engine.model.nv,)] * (len(terms) + 1))
    return dict(zip((*terms, "total"), found, strict=True))


def energy_within(engine: Dynamics, source: Source, q: np.ndarray, qdot: np.ndarray, t: np.ndarray) -> np.ndarray:
    """(...): what a force within a joint stores."""
    program = reading(f"energy of {source.term}", stored_by(source.term), {"stored": 1})
    shape, arrays = engine.arrays(q=q, qdot=qdot, t=t)
    return engine.call(program.name, program, arrays, shape, (len(engine.model.links),))[0][..., source.link]
