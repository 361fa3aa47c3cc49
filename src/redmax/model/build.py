"""From a scene to its model: what links and forces take from where the scene begins, hidden links for states and nodes, and checks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from redmax.bodies import MassProperties
from redmax.components.handles import BodyHandle
from redmax.constraints.base import Constraint
from redmax.constraints.coordinate_map import CoordinateMap
from redmax.contact.rubbing import JointFriction
from redmax.contact.rubbing.staggering import USUAL
from redmax.errors import About, RedmaxError, SceneError, tell
from redmax.forces.base import Force
from redmax.forces.frames import Frame, world_site
from redmax.forces.joint_force import JointForce
from redmax.forces.law import sites_of, to_floats
from redmax.joints import Joint, Revolute
from redmax.model.constraint_checks import check_constraints, check_finite
from redmax.model.deformable_nodes import Soft, node_links, tied_nodes
from redmax.model.given_functions import sized
from redmax.model.joint_inertia import is_rotor
from redmax.model.links import Link, check_on_group, of_body
from redmax.model.map_checks import check_map
from redmax.model.model import Model
from redmax.model.rubbing import checked_frictions
from redmax.model.scene import Scene
from redmax.program.relation import Tree


def build_model(scene: Scene) -> Model:
    """The frozen model of a scene, checked as a whole."""
    if not scene.links and not scene.deformables:
        raise SceneError("The scene has no body. Add one with scene.add_body(...).", owner="Scene", argument="bodies")
    links = tuple(scene.links)
    if scene.map is not None:
        with About("Scene", "map"):
            check_map(scene.map, links)
    first = begun(links, scene.map)
    held = scene.forces or scene.deformables or scene.constraints or scene.twists
    poses = initial_poses(first) if held else []
    forces = settled([f for f in scene.forces if isinstance(f, Force)], poses, first)
    hidden, states = hidden_states(forces, len(links))
    nodes, soft = nodes_of(scene, poses, len(links) + len(hidden))
    bodies, links = links, (*links, *hidden, *nodes)
    tree = Tree(tuple(link.parent for link in links))
    check_massless(links, tree)
    if scene.map is not None and len(links) > len(scene.links):
        what = "deformables" if scene.deformables else "muscles with an excitation"
        raise SceneError(
            f"The scene has a map of coordinates, which does not go with {what}: their own coordinates are in no map.",
            owner="Scene",
            argument="map",
        )
    rows = rows_of_scene(scene, soft, poses, [*first, *hidden, *nodes])
    canonical, rubbing = cores_of(links), [f for f in scene.forces if isinstance(f, JointFriction)]
    return Model(
        title=scene.title,
        bodies=bodies,
        hidden=hidden,
        nodes=nodes,
        wrenches=tuple(scene.wrenches),
        gravity=np.asarray(scene.gravity, float),
        tree=tree,
        cores=tuple(core for core, _ in canonical),
        frames=tuple(C for _, C in canonical),
        prescribed=tuple(link.motion is not None for link in links),
        unit_names=scene.units,
        forces=forces,
        soft=soft,
        states=states,
        joint_forces=fitted([f for f in scene.forces if isinstance(f, JointForce) and not isinstance(f, JointFriction)], first),
        rubbing=checked_frictions(rubbing, links, rows) if rubbing else (),
        staggering=scene.staggering or USUAL,
        twists=tuple(scene.twists),
        constraints=rows,
        obstacles=tuple(scene.obstacles),
        apart=frozenset(scene.apart),
        contact_laws=dict(scene.contact_laws),
        map=scene.map,
        scene=scene.copy(),
    )


def cores_of(links: Sequence[Link]) -> list[tuple[Joint, np.ndarray]]:
    """(core, C) of each joint; nodes of deformables share theirs."""
    found: dict[int, tuple[Joint, np.ndarray]] = {}
    for link in links:
        if id(link.joint) not in found:
            try:
                found[id(link.joint)] = link.joint.core()
            except RedmaxError as error:
                raise tell(error, link.joint_name, "joint") from None
    return [found[id(link.joint)] for link in links]


def settled(forces: Sequence[Force], poses: Sequence[np.ndarray], links: Sequence[Link]) -> tuple[Force, ...]:
    """The forces with what they take from where the scene begins."""
    frames = [Frame(E[:3, :3], E[:3, 3], np.zeros(3), np.zeros(3)) for E in poses]
    result: list[Force] = []
    for f in forces:
        begun = f.replaced(coordinates=[(links[b.index].q, np.zeros(links[b.index].joint.dof)) for b in f.joints])
        with About(f.name or ""):
            found = begun.settled([to_floats(s) for s in sites_of(begun, [frames[b.index] for b in f.bodies])])
        result.append(found.replaced(coordinates=()))
    return tuple(result)


def rows_of_scene(scene: Scene, soft: Sequence[Soft], poses: Sequence[np.ndarray], links: Sequence[Link]) -> tuple[Constraint, ...]:
    """All constraints. poses: of the bodies, which are the first of the links, where the scene begins."""
    found = [*scene.constraints, *added_rows(scene, links[: len(scene.links)])]
    ties = tied_nodes(soft, poses, [str(c.name) for c in found]) if soft else []
    return settled_rows([*found, *ties], initial_poses(links) if ties else poses, links)


def added_rows(scene: Scene, links: Sequence[Link]) -> list[Constraint]:
    """What joints that roll and prescribed twists ask for beside the constraints of a scene."""
    found = twist_rows(scene, links)
    rolling = [(k, link) for k, link in enumerate(links) if link.joint.rolls]
    if not rolling:
        return found
    from redmax.constraints.rolling import rolling_rows

    joints = [(link.joint, BodyHandle(link.name, k, link.joint_name)) for k, link in rolling]
    return [*found, *rolling_rows(joints, [str(c.name) for c in (*scene.constraints, *found)])]


def twist_rows(scene: Scene, links: Sequence[Link]) -> list[Constraint]:
    """The twists that a scene prescribes as constraints."""
    if not scene.twists:
        return []
    from redmax.constraints.twist_rows import rows_of_twists
    from redmax.model.twist_checks import check_twists

    check_twists(scene.twists, links, initial_poses)
    return [*rows_of_twists(scene.twists, [str(c.name) for c in scene.constraints])]


def settled_rows(constraints: Sequence[Constraint], poses: Sequence[np.ndarray], links: Sequence[Link]) -> tuple[Constraint, ...]:
    """The constraints with what they take from where the scene begins."""
    if not constraints:
        return ()
    check_constraints(constraints, links)
    frames = [Frame(E[:3, :3], E[:3, 3], np.zeros(3), np.zeros(3)) for E in poses]
    result: list[Constraint] = []
    for c in constraints:
        sites = [world_site(a) if a.member < 0 else frames[c.bodies[a.member].index].site(a) for a in c.anchors]
        begun = c.replaced(coordinates=[(links[b.index].q, np.zeros(links[b.index].joint.dof)) for b in c.joints])
        with About(c.name or ""):
            seen = [to_floats(s) for s in sites]
            found = begun.settled(seen)
            check_finite(found, seen)
            result.append(found.replaced(coordinates=()))
    return tuple(result)


def hidden_states(forces: Sequence[Force], first: int) -> tuple[tuple[Link, ...], dict[str, tuple[int, ...]]]:
    """A link for each hidden state of a force, a rotor of inertia 1 whose rate is the state; and their numbers, from `first` on, by force.

    Its torque is the state's rate of change, so every integrator carries the state as it carries velocities; it has no part in energy.
    """
    found: dict[str, tuple[int, ...]] = {}
    added: list[Link] = []
    for force in forces:
        numbers: list[int] = []
        for what, initial, rate in force.hidden():
            name = f"{force.name} {what}"
            rotor = MassProperties(mass=1.0, inertia=np.eye(3))
            zero, one = np.zeros(1), np.eye(4)
            torque = state_rate(rate)
            numbers.append(first + len(added))
            start = np.array([initial])
            added.append(Link(name, name, rotor, Revolute("z"), -1, one, one, zero, start, zero, zero, zero, torque))
        if numbers:
            found[force.name or ""] = tuple(numbers)
    return tuple(added), found


def nodes_of(scene: Scene, poses: Sequence[np.ndarray], first: int) -> tuple[tuple[Link, ...], tuple[Soft, ...]]:
    """A link for each node of the deformables, with numbers from `first` on."""
    added: list[Link] = []
    soft: list[Soft] = []
    for shape in scene.deformables:
        soft.append(Soft(shape, first + len(added)))
        added += node_links(shape, scene.links, poses)
    return tuple(added), tuple(soft)


def state_rate(rate: Callable[[Any, Any], Any]) -> Callable[..., Any]:
    return lambda t, q, qdot: [rate(t, qdot[0])]


def fitted(forces: Sequence[JointForce], links: Sequence[Link]) -> tuple[JointForce, ...]:
    """Forces within joints, each with as many numbers as its joint has coordinates."""
    named = {link.name: link for link in links} if forces else {}
    found = [(f, named[f.body.name]) for f in forces if isinstance(f.body, BodyHandle)]  # as add_force leaves them
    return tuple(f.fitted(link.joint, link.joint_name, link.q) for f, link in found)


def begun(links: Sequence[Link], map: CoordinateMap | None) -> list[Link]:
    """The links with the coordinates where a run begins: those of the scene's map, or of a prescribed motion, or their own."""
    result: list[Link] = []
    given = iter(() if map is None else map.coordinates(map.q))
    for link in links:
        q = link.q
        if map is not None:
            q = np.array([next(given) for _ in range(link.joint.nq)])
        elif link.motion is not None and link.on_motion and link.motion_level == "position":
            with About(link.name, "motion"):
                q = sized(link.motion, link, "motion")(0.0).astype(float)
                check_on_group(link.joint, q, of_body("motion at t = 0", link.name), link.name)
        result.append(replace(link, q=q))
    return result


def initial_poses(links: Sequence[Link]) -> list[np.ndarray]:
    """The body frames in the world where the scene begins, (4, 4) each."""
    joints: list[np.ndarray] = []
    for link in links:
        with About(link.joint_name, "joint"):
            E = np.asarray(link.joint.at("transform", np.concatenate([link.q, link.joint.start]), 0.0), float)
        parent = joints[link.parent] if link.parent >= 0 else np.eye(4)
        joints.append(parent @ link.at @ E)
    return [E @ link.body for E, link in zip(joints, links, strict=True)]


def check_massless(links: Sequence[Link], tree: Tree) -> None:
    """A degree of freedom that moves no mass has no equation of motion."""
    heavy = [link.shape.mass > 0 for link in links]
    for i in reversed(range(len(links))):
        if not heavy[i] and links[i].joint.dof and links[i].motion is None and not is_rotor(links[i]):
            why = "has a degree of freedom, but neither it nor anything it carries has mass"
            raise SceneError(f"Body {links[i].name!r} {why}. Give it mass, or use redmax.Fixed().", owner=links[i].name, argument="joint")
        if heavy[i] and links[i].parent >= 0:
            heavy[links[i].parent] = True


def model_again(scene: Scene, given: list[str], parameters: Sequence[str] = ()) -> Model:
    """What unpickling calls. given: the joints that `with_prescribed` was told; parameters: what `with_parameters` was."""
    model = scene.model().with_parameters(parameters)
    return model.with_prescribed(given) if given else model
