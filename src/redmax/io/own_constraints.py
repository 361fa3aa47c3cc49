"""Constraints from functions, and those of a user's own class, as `redmax.constraint` is called."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from redmax.components.handles import BodyHandle
from redmax.constraints.base import Constraint
from redmax.constraints.own import FunctionConstraint
from redmax.errors import SceneError
from redmax.io.traces import SITE, Shape

if TYPE_CHECKING:
    from redmax.io.encode import Writer


def function_constraint(writer: Writer, x: FunctionConstraint) -> dict[str, Any]:
    """One that was made of a function."""
    places = x.arguments()["places"]
    called = shapes(writer, x) | ({"t": ()} if x.law.timed else {})
    written = head(writer, x, [writer.value(p) for p in places], x.count)
    for name, sign in (("lower", 1), ("upper", -1)):
        found = {k: float(b) for (k, s), b in zip(x.ends, x.bounds, strict=True) if s == sign} if x.one_sided else {}
        written |= {name: [found.get(k) for k in range(x.count)]} if found else {}
    written["function"] = writer.function(x.law.function, called, x.law.parameters)
    return written | ({"parameters": {n: writer.value(v) for n, v in x.law.parameters.items()}} if x.law.names else {})


def own_constraint(writer: Writer, x: Constraint) -> dict[str, Any]:
    """One of a user's class: its `gap` or `speed` is traced, and its data become constants."""
    if type(x).settled is not Constraint.settled:
        said = "it takes something from where the scene begins (settled), which no function form has"
        raise SceneError(f"{type(x).__name__}, a class of your own, cannot be saved: {said}.")
    count = len(x.anchors)

    def function(*given: Any) -> Any:
        *parts, t = given
        read = parts[count:]
        step = 2 if x.of_velocities else 1
        seen = x.replaced(coordinates=[(read[k], read[k + 1] if step == 2 else None) for k in range(0, len(read), step)])
        return seen.rows(parts[:count], t)

    function.__name__ = type(x).__name__
    places = [placed(x, a) for a in x.anchors]
    written = head(writer, x, places, x.size)
    written |= {"one_sided": True} if x.one_sided else {}
    return written | {"function": writer.function(function, shapes(writer, x) | {"t": ()}, {})}


def shapes(writer: Writer, x: Constraint) -> dict[str, Shape]:
    """What the function is called with, but for the time."""
    found: dict[str, Shape] = {f"site{i + 1}": SITE for i in range(len(x.anchors))}
    for k, joint in enumerate(x.joints):
        own = writer.sizes[joint.name if isinstance(joint, BodyHandle) else joint]
        found |= {f"q{k + 1}": (own["nq"],)} | ({f"qdot{k + 1}": (own["dof"],)} if x.of_velocities else {})
    return found


def head(writer: Writer, x: Constraint, places: list[Any], rows: int) -> dict[str, Any]:
    """All arguments but those of the function."""
    found: dict[str, Any] = {"name": x.name} | ({"bodies": places} if places else {})
    found |= {"joints": [writer.value(j) for j in x.joints]} if x.joints else {}
    found |= {"rows": rows} if rows != 1 else {}
    found |= {"velocities": True} if x.of_velocities else {}
    found |= {} if x.automatic else {"gain": x.gain}
    found |= {"compliance": x.compliance} if x.compliant else {}
    return found | ({"force_limits": x.force_limits.tolist()} if x.limited else {})


def placed(x: Constraint, anchor: Any) -> Any:
    """A place with its axes, on a body or in the world."""
    E = np.eye(4)
    E[:3, :3], E[:3, 3] = anchor.rotation, anchor.position
    return E.tolist() if anchor.member < 0 else {"body": x.bodies[anchor.member].name, "pose": E.tolist()}
