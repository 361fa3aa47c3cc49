"""A force of one's own, from one function."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, overload

import numpy as np

from redmax.components.data_and_structure import one_line
from redmax.components.given import Frame, JointOf, Parameter, StiffnessKind
from redmax.errors import Phrase, SceneError, wrong
from redmax.forces.actuator import Actuator
from redmax.forces.base import Force, Site, Wrench
from redmax.forces.given import Given
from redmax.forces.joint_force import JointForce
from redmax.forces.path import PathForce
from redmax.forces.points import PathPoint
from redmax.joints.base import name_of
from redmax.trace import Graph, Scalar, gradient, substitute


class FunctionForce(Force):
    """law: gives the wrench on each site; energy: the potential; one may stand for both."""

    oriented = True

    held = ("bodies",)

    def __init__(self, places: Sequence[Any], law: Given | None, energy: Given | None, name: str | None, stiffness_kind: str) -> None:
        self.hold(places, name, stiffness_kind)
        self.law, self.energy = law, energy

    def potential(self, sites: Sequence[Site], t: Any) -> Any:
        return None if self.energy is None else self.energy.number(*sites, t=t, what=Phrase("the potential (J)", "potential"))

    def wrenches(self, sites: Sequence[Site], t: Any) -> list[Wrench]:
        if self.law is None:
            return super().wrenches(sites, t)
        return parted(self.law.label, self.law.at(*sites, t=t), len(sites))

    def __repr__(self) -> str:
        return written(self, "bodies")


class FunctionPath(PathForce):
    """law: gives the tension; energy: the potential, from which the tension follows where no law is given."""

    held = ("path",)

    def __init__(self, points: Sequence[Any], law: Given | None, energy: Given | None, name: str | None, stiffness_kind: str) -> None:
        self.hold(points, name, stiffness_kind)
        self.law, self.energy = law, energy

    def tension(self, length: Any, rate: Any, t: Any) -> Any:
        if self.law is not None:
            return self.law.number(length, rate, t=t, what=Phrase("the tension (N)", "tension"))
        graph = length.graph if isinstance(length, Scalar) else Graph()
        at = graph.input("own length", 0)
        V = self.stored(at, t)
        slope = gradient(V, [at]) if isinstance(V, Scalar) else [0.0]
        return substitute(slope, lambda base, index: length if base == "own length" else graph.input(base, index))[0]

    def stored(self, length: Any, t: Any) -> Any:
        return None if self.energy is None else self.energy.number(length, t=t, what=Phrase("the potential (J)", "potential"))

    def __repr__(self) -> str:
        return written(self, "path")


def written(made: FunctionForce | FunctionPath, held: str) -> str:
    """As a user has written it."""
    kinds = {"tension" if held == "path" else "": made.law, "potential": made.energy}
    functions = [f"{kind}{'=' * bool(kind)}{name_of(g.function)}" for kind, g in kinds.items() if g is not None]
    parameters = next((g.parameters for g in kinds.values() if g is not None), {})
    places = ", ".join(made.bodies[a.member].name if a.member >= 0 else one_line(a.position) for a in made.anchors)
    said = [f"{name}={one_line(value)}" for name, value in parameters.items()]
    return f"force({', '.join([*functions, f'{held}=[{places}]', *said])})"


@overload
def force(
    function: Callable[..., Any] | None = None, *, bodies: Sequence[Frame], potential: Callable[..., Any] | None = None,
    name: str | None = None, stiffness_kind: StiffnessKind = "definite", **parameters: Parameter,
) -> Force: ...  # fmt: skip
@overload
def force(
    *, path: Sequence[PathPoint], tension: Callable[..., Any] | None = None, potential: Callable[..., Any] | None = None,
    name: str | None = None, stiffness_kind: StiffnessKind = "definite", **parameters: Parameter,
) -> PathForce: ...  # fmt: skip
@overload
def force(
    *, joint: JointOf, torque: Callable[..., Any], potential: Callable[..., Any] | None = None, name: str | None = None,
    **parameters: Parameter,
) -> JointForce: ...  # fmt: skip
def force(  # pyright: ignore[reportInconsistentOverload]  # parameters may have any other name
    function: Callable[..., Any] | None = None,
    *,
    bodies: Sequence[Frame] | None = None,
    potential: Callable[..., Any] | None = None,
    tension: Callable[..., Any] | None = None,
    path: Sequence[PathPoint] | None = None,
    torque: Callable[..., Any] | None = None,
    joint: JointOf | None = None,
    name: str | None = None,
    stiffness_kind: StiffnessKind = "definite",
    **parameters: Parameter,
) -> Force | JointForce:
    """A force from one function; those that depend on time take it as their last argument, with the name t.

    function(*sites, **parameters), bodies=[...]: returns for each site a force (3,) or a pair (torque, force), in world axes. A site has
        the position x, velocity v, axes R and angular velocity omega, in world axes, of a body's centre, a point, or (body, pose)
    potential(*sites, **parameters), bodies=[...]: returns the energy (J), from which the wrenches follow, unless `function` gives them
    tension(length, rate, **parameters), path=[points]: returns the tension (N) along a path through points
    potential(length, **parameters), path=[points]: its energy, from which the tension follows unless it is given
    torque(t, q, qdot, **parameters), joint=body: returns the joint's torques, (dof,); potential(q, **parameters): their energy

    The parameters are numbers, arrays of them or tables (redmax.math.Table): data that forces of this kind may differ in.
    """
    label = Phrase("redmax.force", "force")
    chosen = [what for what, given in (("bodies", bodies), ("path", path), ("joint", joint)) if given is not None]
    if len(chosen) != 1:
        said = " and ".join(chosen) or "none of them"
        raise SceneError(
            f"{label} takes one of bodies=[...], path=[points] or joint=body. Got {said}.",
            owner=label,
            argument=chosen[1] if chosen else "bodies",
        )
    kinds = {"bodies": function, "path": tension, "joint": torque}
    names = {"bodies": "a function of the sites", "path": "tension, of length and rate", "joint": "torque, of t, q and qdot"}
    kind = chosen[0]
    law = kinds[kind]
    for other, given in kinds.items():
        if other != kind and given is not None:
            raise SceneError(
                f"{label} with {kind}= takes {names[kind]}. Got {names[other]}, which goes with {other}=.",
                owner=label,
                argument={"bodies": "function", "path": "tension", "joint": "torque"}[other],
            )
    if law is None and (potential is None or kind == "joint"):
        raise SceneError(
            f"{label} with {kind}= takes {names[kind]}{'' if kind == 'joint' else ', or potential='}. Got neither function.",
            owner=label,
            argument=kind,
        )
    if kind == "joint":
        return Actuator(joint, law, potential=potential, name=name, **parameters)  # type: ignore[arg-type]
    places = bodies if kind == "bodies" else path
    if not isinstance(places, list | tuple) or not places:
        raise wrong(label, kind, places, "a list of bodies, points of them, or points of the world")
    sites = tuple(f"site{i + 1}" for i in range(len(places))) if kind == "bodies" else ("length", "rate")
    of_energy = sites if kind == "bodies" else ("length",)
    made = None if law is None else Given(label, law, sites, parameters, "function" if kind == "bodies" else "tension")
    energy = None if potential is None else Given(label, potential, of_energy, parameters, "potential")
    return (FunctionForce if kind == "bodies" else FunctionPath)(places, made, energy, name, stiffness_kind)


def parted(label: str, result: Any, sites: int) -> list[Wrench]:
    """One wrench for each site, of what a function returns; with one site, its wrench may stand by itself."""
    if sites == 1:
        alone = wrench_of(result)
        if alone is not None:
            return [alone]
    try:
        parts = [wrench_of(part) for part in result]
    except TypeError:
        parts = []
    if len(parts) != sites or any(part is None for part in parts):
        each = "its site" if sites == 1 else f"each of its {sites} sites"
        got = f"shape {shape_of(result)}"
        raise SceneError(
            f"{label} must return for {each} a force (3 numbers) or a pair (torque, force), in world axes. Got {got}.",
            owner="force",
            argument="function",
        )
    return [part for part in parts if part is not None]


def shape_of(result: Any) -> Any:
    try:
        return np.shape(np.asarray(result, object))
    except ValueError:  # ragged
        return [np.shape(np.asarray(part, object)) for part in result]


def wrench_of(part: Any) -> Wrench | None:
    """(torque, force) from a force (3,), (torque; force) (6,), or a pair of which the torque may be None; None if it is neither."""
    if isinstance(part, list | tuple) and len(part) == 2 and part[0] is None:
        inner = wrench_of(part[1])
        return inner if inner is not None and inner[0] is None else None
    try:
        entries = np.asarray(part, object)
    except ValueError:  # ragged
        return None
    if entries.shape == (3,):
        return None, entries
    if entries.shape in ((6,), (2, 3)):
        torque, force = entries.reshape(2, 3)
        return torque, force
    return None
