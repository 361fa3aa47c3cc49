"""Eleven scenes of the catalogue that hold whatever a method of time stepping or a formulation treats in a way of its own.

Every scene runs by its default method. Every other method runs on these: a further scene would show it nothing that is not in one of
them. What kinds of joints, shapes and surfaces there are is nothing to a method: each kind is compiled and stepped in
`test_backends_agree`, `test_implicit`, `test_bdf` and `test_systems_agree`.
"""

from __future__ import annotations

import numpy as np

import redmax as rm
from redmax.scenes import Entry, find
from scenes.runs import scene_of

COVERING = tuple(
    find(name)
    for name in (
        "driven-four-bar",  # rows of positions and of velocities
        "limited-links",  # rows that only push
        "diff-spherical-chain",  # coordinates that change on the way
        "deforming-surface",  # a joint that moves with time
        "joint-torque",  # torques that jump
        "prescribed-twist-and-joint",
        "coupled-chain",  # coordinates that are functions of fewer
        "pulled-chain",  # a wrench of time, and drag on bodies
        "diff-cable",  # a path that goes slack, springs and dampers in joints
        "arm",  # muscles with states of their own, and limits
        "mass-springs",  # nodes, some of them on bodies
    )
)


def features(entry: Entry) -> set[str]:
    """What of a scene methods treat in ways of their own."""
    scene = scene_of(entry.name)
    model = scene.model()
    joints = [link.joint for link in model.links]
    there = {
        "a fixed joint": any(j.dof == 0 for j in joints),
        "several coordinates of a joint": any(j.dof > 1 for j in joints),
        "a tree": len({p for p in model.tree.parent if p >= 0}) < sum(p >= 0 for p in model.tree.parent),
        "coordinates that change": "change of coordinates" in entry.features,
        "charts with names": any(j.discrete for j in joints),
        "time in a joint": any(j.timed for j in joints),
        "a spring in a joint": any(np.any(link.stiffness) for link in model.links),
        "a damper in a joint": any(np.any(link.damping) for link in model.links),
        "a torque": any(link.torque is not None for link in model.links),
        "a wrench": bool(model.wrenches),
        "a prescribed joint": any(model.prescribed),
        "a prescribed twist": bool(model.twists),
        "coordinates of coordinates": model.map is not None,
        "a force between points": bool(model.forces),
        "a force along a path": any(isinstance(f, rm.PathForce) for f in model.forces),
        "drag on a body": any(isinstance(f, rm.BodyDamping) for f in model.forces),
        "a force of a joint": bool(model.joint_forces),
        "hidden states": bool(model.states),
        "nodes": bool(model.soft),
        "nodes on bodies": "attached nodes" in entry.features,
        "rows of positions": any(not (c.one_sided or c.of_velocities) for c in model.constraints),
        "rows of velocities": any(c.of_velocities for c in model.constraints),
        "rows that only push": any(c.one_sided for c in model.constraints),
        "nodes tied to bodies": any(soft.ties for soft in scene.deformables),
    }
    return {name for name, so in there.items() if so}
