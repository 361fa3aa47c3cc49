"""An arm of 7 hinges with 50 muscles: shoulder (3), elbow, turning of the forearm, wrist (2); the trunk is the world.

The arm hangs along -z. Paths run over points drawn about the bones from a fixed seed, in the groups that an anatomist would name by the
joints they cross. Their laws come from outside: `with_paths` asks for a force for each.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

import redmax as rm
from benchmarks.cases import DOWN_Z
from redmax.forces import Force

BONES = {  # joint axis, length to the next joint (m), radius (m), mass (kg); None in a path is the trunk
    "clavicle": ("x", 0.0, 0.04, 0.3),
    "scapula": ("y", 0.0, 0.04, 0.3),
    "humerus": ("z", 0.3, 0.045, 2.0),
    "ulna": ("y", 0.1, 0.04, 0.8),
    "radius": ("z", 0.16, 0.035, 0.7),
    "carpus": ("x", 0.0, 0.03, 0.1),
    "hand": ("y", 0.1, 0.03, 0.4),
}
GROUPS = {  # the bones of a path's points, in order: how many such paths
    (None, None, "humerus"): 1,
    (None, None, "humerus", "humerus"): 7,
    (None, None, None, "humerus", "humerus"): 4,
    (None, None, "humerus", "humerus", "radius", "radius"): 6,
    (None, "humerus", "humerus", "humerus", "ulna", "ulna"): 5,
    ("humerus", "humerus", "ulna"): 1,
    ("humerus", "humerus", "humerus", "ulna", "ulna"): 4,
    ("humerus", "ulna", "radius", "radius"): 5,
    ("humerus", "humerus", "radius", "radius", "hand", "hand"): 9,
    ("ulna", "ulna", "radius", "hand", "hand"): 4,
    ("radius", "radius", "hand", "hand"): 4,
}
SEED = 11
ACROSS = 0.06  # m from the axis of a bone at most


@dataclass(frozen=True)
class Path:
    """places: points of bodies, or of the world."""

    places: tuple[rm.Point | tuple[float, float, float], ...]

    @property
    def length(self) -> float:
        """While the arm hangs straight down."""
        points = np.array([hanging(place) for place in self.places])
        return float(np.linalg.norm(np.diff(points, axis=0), axis=1).sum())


def hanging(place: rm.Point | tuple[float, float, float]) -> np.ndarray:
    """Where a place is in the world while the arm hangs straight down."""
    if not isinstance(place, rm.Point):
        return np.array(place)
    names = list(BONES)
    above = sum(BONES[name][1] for name in names[: names.index(place.body.name)])
    return np.array(place.position) - [0, 0, above + BONES[place.body.name][1] / 2]


def bones() -> tuple[rm.Scene, dict[str, rm.BodyHandle]]:
    scene = rm.Scene(gravity=DOWN_Z)
    handles: dict[str, rm.BodyHandle] = {}
    parent, drop = None, 0.0
    for name, (axis, length, radius, mass) in BONES.items():
        shape = rm.Capsule(radius, max(length, 0.02), mass=mass)
        at, com = (0, 0, -drop), (0, 0, -length / 2)
        parent = handles[name] = scene.add_body(shape, joint=rm.Revolute(axis), parent=parent, at=at, com=com, name=name)
        drop = length
    return scene, handles


def paths(handles: dict[str, rm.BodyHandle]) -> list[Path]:
    """In the order of GROUPS. Points of one bone follow each other down its length."""
    rng = np.random.default_rng(SEED)

    def place(bone: str | None, down: float) -> rm.Point | tuple[float, float, float]:
        x, y = rng.uniform(-ACROSS, ACROSS, 2).tolist()
        if bone is None:
            return x, y - 0.05, 0.1 - 0.15 * down
        return handles[bone].point(x, y, (0.5 - down) * BONES[bone][1])

    def one(group: tuple[str | None, ...]) -> Path:
        count = {bone: group.count(bone) for bone in group}
        before = [group[:i].count(bone) for i, bone in enumerate(group)]
        return Path(tuple(place(bone, (k + rng.uniform(0.3, 0.7)) / count[bone]) for bone, k in zip(group, before)))

    return [one(group) for group, times in GROUPS.items() for _ in range(times)]


def with_paths(force: Callable[[Path, int], Force] | None = None) -> rm.Scene:
    """The arm with a force(path, number) along each of its paths; without, the arm alone."""
    scene, handles = bones()
    if force is not None:
        for i, path in enumerate(paths(handles)):
            scene.add_force(force(path, i))
    return scene


SEGMENTS = sum(times * (len(group) - 1) for group, times in GROUPS.items())
MUSCLES = sum(GROUPS.values())
CROSSING = sum(times * sum(a != b for a, b in pairwise(group)) for group, times in GROUPS.items())  # segments between two bodies
