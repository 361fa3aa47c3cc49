"""Which scenes are for methods of bodies by themselves (integrators/bodies): what else is there, and the rules that refuse it."""

from __future__ import annotations

from typing import Any, TypeVar

import numpy as np

from redmax.components.holding import Site
from redmax.forces.base import Force
from redmax.forces.joint_force import JointForce
from redmax.integrators import METHODS
from redmax.integrators.bodies import OF_BODIES
from redmax.joints.group.joint import OnGroup
from redmax.model.links import Link
from redmax.model.model import Model
from redmax.run.options import Rule, RunOptions, When
from redmax.trace import Graph, Scalar, Table, reachable
from redmax.trace.vector import vector_of

Acts = TypeVar("Acts", Force, JointForce)
BODIES = tuple(method.name for method in OF_BODIES)
OF_TREES = tuple(name for name in METHODS if name not in BODIES)


def alone(when: When) -> When:
    """The same, of runs by these methods."""
    return lambda model, options: options.integrator in BODIES and when(model, options)


def not_alone(model: Model, options: RunOptions) -> str:
    """The first body that hangs on another one, or on the world by other joints than elements of SO(3) and SE(3)."""
    for link in model.links:
        joint = link.joint
        if link.parent >= 0:
            return f"a body that hangs on another one ({link.name!r})"
        if joint.dof and not (isinstance(joint, OnGroup) and joint.element is not None):
            exponential = " with exponential coordinates" if isinstance(joint, OnGroup) else ""
            return f"a joint {type(joint).__name__}{exponential} ({link.joint_name!r})"
    return ""


def given_or_geared(model: Model, options: RunOptions) -> str:
    """A joint whose motion is prescribed, or which turns a rotor; a body that nothing resists."""
    for link, prescribed in zip(model.links, model.prescribed, strict=True):
        if prescribed:
            return f"a joint that follows a motion ({link.joint_name!r})"
        if link.armature is not None:
            return f"a rotor at a joint ({link.joint_name!r})"
        if link.joint.dof and not link.shape.mass > 0:
            return f"a body without mass at a joint ({link.name!r})"
    return ""


def minds_velocity(model: Model, options: RunOptions) -> str:
    """What depends on velocities: the first, in words; of scenes that are refused anyway nobody asks, as it takes traces of functions."""
    if not_alone(model, options):
        return ""
    for i, link in enumerate(model.links):
        if np.any(link.damping) or varies(model, i, "damping"):
            return f"a damper in joint {link.joint_name!r}"
        if link.torque is not None and torque_minds(model, i, link):
            return f"a torque that depends on velocities (in joint {link.joint_name!r})"
        for force in model.within_joint(i):
            q, qdot, t = traced_state(link)
            if reads(with_parameters(model, force, t.graph).exerted(q, qdot, t), "qdot"):
                return f"a force that depends on velocities ({force.label})"
    found = next((f for f in model.forces if force_minds(model, f)), None)
    return f"a force that depends on velocities ({found.label})" if found is not None else ""


def more_than_gravity(model: Model, options: RunOptions) -> str:
    """What acts beside gravity and given torques."""
    for i, link in enumerate(model.links):
        if np.any(link.stiffness) or varies(model, i, "stiffness") or link.torque is not None or model.within_joint(i):
            return f"a spring or a torque in joint {link.joint_name!r}"
    if model.forces:
        return f"a force ({model.forces[0].label})"
    return "a wrench" * bool(model.wrenches_on)


def traced_state(link: Link) -> tuple[np.ndarray, np.ndarray, Scalar]:
    """q, qdot and t of a joint."""
    graph = Graph()
    q, qdot = (vector_of(graph.inputs(name, n)) for name, n in (("q", link.joint.nq), ("qdot", link.joint.dof)))
    return q, qdot, graph.input("t", 0)


def torque_minds(model: Model, i: int, link: Link) -> bool:
    torque = model.describe(i).functions["torque"]
    q, qdot, t = traced_state(link)
    return reads(torque(t, q, qdot), "qdot")


def varies(model: Model, i: int, what: str) -> bool:
    """Whether worlds differ in it."""
    return any(p.place == i and p.what == what for p in model.parameters)


def with_parameters(model: Model, force: Acts, graph: Graph) -> Acts:
    """The force, with traced numbers for those in which worlds may differ: a damper may be none in the scene and one in a world."""
    data, own = force.data(), [p.name.rpartition(".")[2] for p in model.parameters if p.owner is force]
    given = {name: traced_like(graph, name, data[name]) for name in own if name in data and not isinstance(data[name], Table)}
    return force.with_data(data | given) if given else force


def traced_like(graph: Graph, name: str, value: Any) -> Any:
    """A number or an array of the same shape."""
    found = vector_of(graph.inputs(f"of {name}", int(np.size(value))))
    return found.reshape(np.shape(value)) if np.ndim(value) else found[0]


def force_minds(model: Model, force: Force) -> bool:
    """Whether its wrenches depend on how its places move, or on states of its own."""
    if force.hidden() or force.on_coordinates or any(force.movers):
        return True
    graph = Graph()
    sites: list[Site] = []
    for k, anchor in enumerate(force.anchors):
        zero = np.zeros(3)
        if anchor.member < 0:
            sites.append(Site(anchor.position, zero, anchor.rotation, zero))
            continue
        x, v, omega = (vector_of(graph.inputs(f"{name}{k}", 3)) for name in ("x", "v", "v-omega"))
        sites.append(Site(x, v, vector_of(graph.inputs(f"R{k}", 9)).reshape(3, 3), omega))
    pairs = with_parameters(model, force, graph).exerted(sites, graph.input("t", 0))
    return reads([x for pair in pairs for part in pair if part is not None for x in np.ravel(np.asarray(part, object))], "v")


def reads(values: object, name: str) -> bool:
    """Whether traced values depend on an input that begins so."""
    scalars = [x for x in np.ravel(np.asarray(values, object)) if isinstance(x, Scalar)]
    return any(e.op == "input" and str(e.args[0]).startswith(name) for e in reachable(scalars))


OF_BODIES_ALONE = (
    Rule(
        "a body that hangs on another one, or a joint other than Fixed, Spherical and Free with an element of a group", alone(not_alone),
        "integrator", OF_TREES,
        "Take 'mk4', or 'variational' for long runs; they take Spherical('quaternion') and Free('quaternion') on the world.",
    ),
    Rule(
        "a joint that follows a motion or turns a rotor, or a body without mass at one", alone(given_or_geared), "integrator", OF_TREES,
        "Take 'mk4', or 'variational' for long runs.",
    ),
    Rule(
        "a force, a torque or a damper that depends on velocities", alone(minds_velocity), "integrator", OF_TREES,
        "Take 'mk4', or 'variational' for long runs.",
    ),
    Rule(
        "anything that acts beside gravity", lambda m, o: o.integrator == "energy-momentum" and more_than_gravity(m, o), "integrator",
        tuple(name for name in METHODS if name != "energy-momentum"), "Take 'rattle', whose energy error stays bounded.",
    ),
)  # fmt: skip
