"""What a force is: one function of the places on bodies that it holds on to, or of a potential, traced and differentiated.

A force holds anchors, points or frames fixed to bodies or to the world. Its `wrenches` sees them as sites, with their positions and
velocities in the world, and returns what acts at each. With a `potential` alone, the wrenches are its negative gradient (RedMax notes
Eqs. 1.31-1.36). Stiffness K = d(wrench)/d(pose) and damping D = -d(wrench)/d(twist) follow from the trace (forces/linear.py).
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Self, TypeAlias, get_args

import numpy as np

from redmax.arguments import brief
from redmax.components.checks import as_pose, choice
from redmax.components.data_and_structure import Described
from redmax.components.given import StiffnessKind
from redmax.components.handles import BodyHandle, FrameHandle, Point
from redmax.errors import Phrase, SceneError, called
from redmax.forces.local import localised
from redmax.joints.base import Joint
from redmax.trace import Scalar, gradient, substitute
from redmax.trace.vector import vector_of
from redmax.types import Array, Value

Wrench: TypeAlias = "tuple[Any, Any]"  # torque and force, (3,) each, in world axes, at the site; None is zero
STIFFNESS: tuple[str, ...] = get_args(StiffnessKind)


@dataclass(frozen=True)
class Site:
    """An anchor as a force sees it, all in world axes.

    x: where it is (m); v: its velocity (m/s); R: its axes, (3, 3); omega: how they turn (rad/s)
    """

    x: Any
    v: Any
    R: Any
    omega: Any


class Anchor(Described):
    """A place on a body (member: its number among the force's bodies) or in the world (member: -1), with axes."""

    def __init__(self, member: int, position: Any, rotation: Any = None) -> None:
        self.member = member
        self.position = np.asarray(position, float)
        self.rotation = np.eye(3) if rotation is None else np.asarray(rotation, float)

    def within(self, place: np.ndarray) -> Anchor:
        """The same place, seen from another frame: `place` (4, 4) is the body frame in it."""
        R, p = place[:3, :3], place[:3, 3]
        return Anchor(self.member, R @ self.position + p, R @ self.rotation)


class Force(Described):
    """What a force between places is: subclass it, call `hold` with the places, and write `potential` or `wrenches`.

    bodies: those it touches; anchors: where it holds on to them.

    oriented: whether it depends on the axes of its anchors, or acts on them with torques; otherwise its anchors are points
    stiffness_kind: which K implicit steps take, "definite", "symmetrised" or "exact" (docs: Forces, Implicit steps)
    """

    name: str | None
    bodies: tuple[BodyHandle, ...]
    anchors: tuple[Anchor, ...]
    stiffness_kind: str = "definite"
    oriented = False
    on_coordinates = False  # whether it acts on coordinates of joints, and on no body
    implicit = True  # whether implicit steps take its stiffness and damping into their system
    joints: tuple[BodyHandle, ...] = ()  # the bodies whose joints' coordinates it reads
    coordinates: Sequence[Any] = ()  # q and qdot of these, where it is evaluated
    states: Sequence[Any] = ()  # the values of its hidden states, where it is evaluated
    movers: tuple[Any, ...] = ()  # for each anchor what moves it over its body, or None
    held: tuple[str, ...] = ()  # the arguments of the constructor that have its places, one or one for each
    own = ("name", "bodies", "joints", "states", "coordinates")  # what is no part of its kernels, neither structure nor data

    def hold(self, places: Sequence[Any], name: str | None, stiffness_kind: str = "definite") -> None:
        """Find the anchors and the bodies they are on."""
        self.name = name
        self.stiffness_kind = choice(self.label, Phrase("the kind of stiffness", "stiffness_kind"), stiffness_kind, STIFFNESS)
        handles: dict[BodyHandle, int] = {}
        anchors: list[Anchor] = []
        for k, place in enumerate(places):
            anchors.append(self.anchor(place, handles, self.place_argument(k)))
        if not handles:
            raise SceneError(
                f"{self.label} touches no body: all its places are in the world. Give it at least one point of a body.",
                owner=self.label,
                argument=self.place_argument(0),
            )
        self.bodies, self.anchors = tuple(handles), tuple(anchors)

    def hold_apart(self, places: Sequence[Any], name: str | None, stiffness_kind: str = "definite") -> None:
        """`hold`, for a force between places: within a single body it would do nothing."""
        self.hold(places, name, stiffness_kind)
        if all(anchor.member == 0 for anchor in self.anchors):
            raise SceneError(
                f"{self.label} has all its places on the body {self.bodies[0].name!r}, where it moves nothing. "
                "Let it hold on to another body or to the world.",
                owner=self.label,
                argument=self.place_argument(1),
            )

    def place_argument(self, k: int) -> str:
        """The argument that has the place of this number."""
        return self.held[min(k, len(self.held) - 1)] if self.held else ""

    def anchor(self, place: Any, handles: dict[BodyHandle, int], argument: str) -> Anchor:
        """handles: the bodies so far, with their numbers; that of the place is added; argument: which of the constructor's it is."""
        pose = None
        if isinstance(place, FrameHandle):
            place = place.on_body
        if isinstance(place, tuple) and len(place) == 2 and isinstance(place[0], BodyHandle):
            place, pose = place
        handle = place.body if isinstance(place, Point) else place if isinstance(place, BodyHandle) else None
        member = -1 if handle is None else handles.setdefault(handle, len(handles))
        if isinstance(place, Point):
            pose = place.position
        elif handle is None:
            pose = place
        try:
            E = np.eye(4) if pose is None and handle is not None else as_pose("Force", "place", pose)
        except SceneError:
            valid = "a point of a body (body.point(x, y, z)), a body, or a point of the world (x, y, z)"
            got, owner = brief(place), self.label
            raise SceneError(
                f"{owner} has the place {got}. Valid: {valid}.", owner=owner, argument=argument, got=got, expected=valid
            ) from None
        return Anchor(member, E[:3, 3], E[:3, :3])

    @property
    def label(self) -> str:
        name = getattr(self, "name", None)
        return called(type(self).__name__, name) if isinstance(name, str) and name else type(self).__name__

    def data(self) -> dict[str, Any]:
        return {n: v for n, v in super().data().items() if n.partition(".")[0] not in self.own}

    def structure(self) -> tuple[Any, ...]:
        kind, rest = super().structure()
        return kind, tuple(entry for entry in rest if not (isinstance(entry, tuple) and entry and entry[0] in self.own))

    def within(self, places: Sequence[np.ndarray]) -> Self:
        """The same force with its anchors seen from other frames of its bodies."""
        moved = tuple(a if a.member < 0 else a.within(places[a.member]) for a in self.anchors)
        return self.replaced(anchors=moved)

    def replaced(self, **changes: Any) -> Self:
        """A copy with other attributes."""
        other = copy.copy(self)
        for name, value in changes.items():
            object.__setattr__(other, name, value)
        return other

    def hidden(self) -> list[tuple[str, float, Callable[[Any, Any], Any]]]:
        """States that it keeps, each with first-order dynamics: name, initial value, and rate (t, value)."""
        return []

    def check_added(self, joints: Sequence[Joint]) -> None:
        """Raise where it would do nothing in its scene, or cannot read the coordinates of these joints, those of `self.joints`."""

    def settled(self, sites: Sequence[Site]) -> Self:
        """The force with what it takes from where the scene begins, such as a rest length."""
        return self

    def potential(self, sites: Sequence[Site], t: Value) -> Any:
        """Energy stored (J), or None where there is none."""
        return None

    def strains(self, sites: Sequence[Site], t: Value) -> list[tuple[Any, Any]] | None:
        """(z, k) of each part of an energy 1/2 z' k z, with k >= 0, that the force comes from: its definite stiffness is (dz)' k dz.

        An empty list where nothing but velocities decides what it does; None where it is not known to have this form.
        """
        return None

    def wrenches(self, sites: Sequence[Site], t: Value) -> list[Wrench]:
        """(torque, force) on each site, in world axes; from the potential unless given."""
        local, leaf = localised(sites, "own")
        V = self.potential(local, t)
        if V is None:
            raise SceneError(
                f"{self.label} gives neither wrenches nor energy. Define wrenches(sites, t) or potential(sites, t).", owner=self.label
            )
        found = substitute([x for wrench in self.downhill(V, local) for part in wrench for x in part], leaf)
        rows = vector_of(found).reshape(-1, 2, 3)
        return [(torque if self.oriented else None, force) for torque, force in rows]

    def exerted(self, sites: Sequence[Site], t: Value) -> list[Wrench]:
        """`wrenches`, checked to be a pair for each site."""
        found = self.wrenches(sites, t)
        if not isinstance(found, list | tuple) or len(found) != len(sites) or not all(is_pair(w) for w in found):
            got = f"{len(found)} of {len(sites)}" if isinstance(found, list | tuple) and len(found) != len(sites) else "others"
            raise SceneError(
                f"{self.label}: wrenches must return a pair (torque or None, force) of (3,) for each site. Got {got}.", owner=self.label
            )
        return list(found)

    def downhill(self, V: Value, sites: Sequence[Site]) -> list[Wrench]:
        """Minus the slope of V as each site turns, and as it moves."""
        zero = np.zeros(3).astype(object)
        if not isinstance(V, Scalar):
            return [(zero, zero) for _ in sites]
        places = [[*site.x, *(np.ravel(site.R) if self.oriented else ())] for site in sites]
        slopes = iter(gradient(V, [x for place in places for x in place]))
        result: list[Wrench] = []
        for site, place in zip(sites, places, strict=True):
            slope = vector_of([next(slopes) for _ in place])
            result.append((self.turning(slope[3:], site) if self.oriented else zero, -slope[:3]))
        return result

    def turning(self, slope: Array, site: Site) -> Any:
        """The torque on a site. slope: of V by the entries of R, (9,)."""
        G = slope.reshape(3, 3) @ np.asarray(site.R, object).T
        return -np.array([G[2, 1] - G[1, 2], G[0, 2] - G[2, 0], G[1, 0] - G[0, 1]], object)


def is_pair(wrench: Any) -> bool:
    """Whether it is (torque, force), of which the torque may be None."""
    if not isinstance(wrench, list | tuple) or len(wrench) != 2:
        return False
    return all(np.shape(part) == (3,) or (part is None and i == 0) for i, part in enumerate(wrench))
