"""A scene as the data of a file, section by section."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from itertools import groupby
from os import PathLike
from typing import Any

import numpy as np

from redmax.arguments import as_path
from redmax.components.handles import FrameHandle
from redmax.constraints.coordinate_map import CoordinateMap
from redmax.constraints.prescribed_twist import PrescribedTwist
from redmax.contact.rubbing import Staggering
from redmax.deformables import Attachment, Deformable
from redmax.io import arrays
from redmax.io.encode import Writer
from redmax.io.looks import appearance_data, look_data
from redmax.io.touching import laws_data, material_data, obstacle_data, pairs_data, touching_data
from redmax.io.yaml_text import dumped
from redmax.lie import se3
from redmax.model.links import Link, Wrench
from redmax.model.scene import Scene
from redmax.writing import write_text

VERSION = 1


def save(scene: Scene, path: str | PathLike[str]) -> None:
    """Write a scene to a file; `redmax.io.load` makes it again. A file that is there is replaced when the new one is whole."""
    write_text(as_path(path, "A scene file", "scene.yaml"), dumped(scene_data(scene)))


def scene_data(scene: Scene) -> dict[str, Any]:
    """All sections of a scene, in order, those that are empty left out."""
    writer = Writer({name: sizes_of(link) for link in scene.links for name in (link.joint_name, link.name)})
    sections: dict[str, Any] = {
        "bodies": [body(writer, scene, link) for link in scene.links],
        "obstacles": [obstacle_data(writer, o) for o in scene.obstacles],
        "ignore_contact": pairs_data(scene),
        "set_contact": laws_data(scene),
        "frames": [frame(f) for f in scene.frames],
        "wrenches": [wrench(writer, scene, w) for w in scene.wrenches],
        "forces": [writer.value(f) for f in scene.forces],
        "deformables": [deformable(writer, d) for d in scene.deformables],
        "constraints": [writer.value(c) for c in scene.constraints],
        "twists": [twist(writer, t) for t in scene.twists],
        "map": None if scene.map is None else coordinate_map(writer, scene.map),
        "staggering": {} if scene.staggering is None else staggering(scene.staggering),
        "look": {} if scene.look is None else look_data(scene.look),
        "run": scene.defaults | ({"parameters": {n: writer.value(v) for n, v in scene.parameters.items()}} if scene.parameters else {}),
        "functions": writer.functions,
    }
    head = {"redmax": VERSION, "title": scene.title, "units": scene.units, "gravity": np.asarray(scene.gravity).tolist()}
    return head | {name: section for name, section in sections.items() if section}


def sizes_of(link: Link) -> dict[str, int]:
    """How many velocities and coordinates its joint has."""
    return {"dof": link.joint.dof, "nq": link.joint.nq}


def body(writer: Writer, scene: Scene, link: Link) -> dict[str, Any]:
    """The arguments of Scene.add_body, without those that have their defaults."""
    n = link.joint.dof
    found: dict[str, Any] = {"name": link.name}
    found |= {} if link.joint_name == link.name else {"joint_name": link.joint_name}
    found |= {"shape": writer.value(link.shape)}
    found |= {} if link.joint.arguments() == {} and type(link.joint).__name__ == "Fixed" else {"joint": writer.value(link.joint)}
    found |= {} if link.parent < 0 else {"parent": scene.links[link.parent].name}
    found |= pose("at", link.at)
    found |= pose("body", described_at(link))
    for name, default in (
        ("q", link.joint.home),
        ("qdot", np.zeros(n)),
        ("stiffness", np.zeros(n)),
        ("damping", np.zeros(n)),
        ("rest", link.q),
    ):
        value = getattr(link, name)
        found |= {} if value.tobytes() == default.tobytes() else {name: value.tolist()}
    for name in ("torque", "motion"):
        value = getattr(link, name)
        found |= {} if value is None else {name: writer.value(value, ("body", name), sizes_of(link))}
    found |= {} if link.armature is None else {"armature": link.armature.tolist()}
    found |= {} if link.armature is None or (link.gear == 1).all() else {"gear": link.gear.tolist()}
    found |= {} if link.acts_on == "rates" else {"acts_on": link.acts_on}
    found |= {} if link.gain == 0 else {"gain": link.gain}
    found |= {} if link.velocity_gain == link.gain else {"velocity_gain": link.velocity_gain}
    found |= {} if link.on_motion else {"on_motion": False}
    found |= {} if link.motion_level == "position" else {"motion_level": link.motion_level}
    found |= {} if link.check_joint else {"check_joint": False}
    found |= {} if link.contact is None else {"contact": material_data(link.contact)}
    found |= {} if link.contact_group == 0 else {"contact_group": link.contact_group}
    return found | ({} if link.appearance is None else appearance_data(link.appearance))


def described_at(link: Link) -> np.ndarray:
    """The frame that the shape was described in, in the joint frame; found from that of the body where somebody has moved the body."""
    if link.place is not None and (link.place @ link.shape.frame).tobytes() == link.body.tobytes():
        return link.place
    return link.body @ se3.inverse(link.shape.frame)


def pose(name: str, E: np.ndarray) -> dict[str, Any]:
    """A pose, a translation, or nothing, whichever says it."""
    moved = np.eye(4)
    moved[:3, 3] = E[:3, 3]
    if E.tobytes() != moved.tobytes():
        return {name: E.tolist()}
    return {name: E[:3, 3].tolist()} if E.tobytes() != np.eye(4).tobytes() else {}


def frame(f: FrameHandle) -> dict[str, Any]:
    """As `Scene.add_frame` is called."""
    found = {"name": f.name, "body": f.body.name} | pose("pose", f.matrix)
    return found if f.relative_to == "body" else found | {"relative_to": f.relative_to}


def wrench(writer: Writer, scene: Scene, w: Wrench) -> dict[str, Any]:
    """As `Scene.add_wrench` is called."""
    on = {"body": scene.links[w.body].name}
    parts = {"torque": lambda t: w.value(t)[:3], "force": lambda t: w.value(t)[3:]}
    written = {name: writer.value(f, ("wrench", name)) for name, f in parts.items()}
    return {"on": on | ({"point": list(w.point)} if any(w.point) else {}), **written, "frame": w.frame}


def deformable(writer: Writer, d: Deformable) -> dict[str, Any]:
    """Its kind, then what keeps its nodes and where they start."""
    found = writer.value(d)
    found |= {"hold": kept} if (kept := [i for i, a in d.attachments.items() if a.body is None]) else {}
    attached = {i: a for i, a in d.attachments.items() if a.body is not None}
    found |= {"attach": groups(attached)} if attached else {}
    found |= {"tie": ties(d.ties)} if d.ties else {}
    found |= {} if d.contact is None else {"touching": touching_data(d)}
    found |= {} if d.positions.tobytes() == d.nodes.tobytes() else {"positions": arrays.encoded(d.positions)}
    found |= {} if not d.velocities.any() else {"velocities": arrays.encoded(d.velocities)}
    found |= {} if d.implicit else {"explicit": True}
    return found | ({} if d.appearance is None else {"painted": appearance_data(d.appearance)})


def groups(attachments: dict[int, Attachment]) -> list[dict[str, Any]]:
    """Nodes that follow each other on one body."""
    found: list[dict[str, Any]] = []
    for node, a in attachments.items():
        name = None if a.body is None else a.body.name
        same = found and found[-1]["body"] == name and ("at" in found[-1]) == (a.point is not None)
        if not same:
            found.append({"body": name, "nodes": []} | ({} if a.point is None else {"at": []}))
        found[-1]["nodes"].append(node)
        if a.point is not None:
            found[-1]["at"].append(list(a.point))
    return found


def ties(attachments: dict[int, Attachment]) -> list[dict[str, Any]]:
    """The same of nodes that are tied, those with the same gain and compliance together."""
    usual, found = Attachment(), list[dict[str, Any]]()
    for (gain, compliance), alike in groupby(attachments.items(), lambda tie: (tie[1].gain, tie[1].compliance)):
        own = ({} if gain == usual.gain else {"gain": gain}) | ({} if compliance == usual.compliance else {"compliance": compliance})
        found += [group | own for group in groups(dict(alike))]
    return found


def twist(writer: Writer, t: PrescribedTwist) -> dict[str, Any]:
    """As `Scene.prescribe_twist` is called."""
    found = {"body": t.name, "rows": list(t.rows), "velocity": writer.value(t.velocity, ("twist", "velocity"))}
    return found | ({} if t.acceleration is None else {"acceleration": writer.value(t.acceleration, ("twist", "acceleration"))})


def coordinate_map(writer: Writer, m: CoordinateMap) -> dict[str, Any]:
    """As `Scene.set_map` is called, with a function."""
    function = writer.value(m.function, ("map", "function"), {"coordinates": m.size})
    return {"function": function, "coordinates": m.size} | given_numbers("q", m.q) | given_numbers("qdot", m.qdot)


def staggering(settings: Staggering) -> dict[str, Any]:
    """As `Scene.set_staggering` is called, without what it would take anyway; never empty."""
    changed = {f.name: getattr(settings, f.name) for f in fields(settings) if getattr(settings, f.name) != f.default}
    return changed or {"tolerance": settings.tolerance}


def given_numbers(name: str, value: Sequence[float] | np.ndarray) -> dict[str, Any]:
    """{name: numbers}, or nothing if all are zero."""
    return {name: np.asarray(value).tolist()} if np.any(value) else {}
