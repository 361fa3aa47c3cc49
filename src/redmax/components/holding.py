"""What holds on to places: forces and constraints have anchors, points or frames fixed to bodies or to the world, seen as sites."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from redmax.arguments import brief
from redmax.components.checks import as_pose
from redmax.components.data_and_structure import Described
from redmax.components.handles import BodyHandle, FrameHandle, Point
from redmax.errors import Phrase, SceneError, called

LONGEST = 60  # letters of a name in a sentence


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


class Holding(Described):
    """bodies: those it touches; anchors: where it holds on to them; joints: the bodies whose joints' coordinates it reads."""

    name: str | None
    bodies: tuple[BodyHandle, ...]
    anchors: tuple[Anchor, ...]
    joints: tuple[BodyHandle, ...] = ()
    coordinates: Sequence[Any] = ()  # q and qdot of these, where it is evaluated
    called_in_sentences = ""  # where that is not the name of its class
    held: tuple[str, ...] = ()  # the arguments of the constructor that have its places, one or one for each
    own: tuple[str, ...] = ("name", "bodies", "joints", "coordinates")  # what is no part of its kernels, neither structure nor data

    def hold_on(self, places: Sequence[Any]) -> None:
        """Find the anchors and the bodies they are on."""
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

    def check_apart(self) -> None:
        """Raise where all places are on one body: between places of a single body nothing acts."""
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
            got, owner, on = brief(place if handle is None else pose), self.label, "" if handle is None else f" on body {handle.name!r}"
            valid = valid if handle is None else "a point (x, y, z), or a pose (4, 4) with a rotation and a translation"
            raise SceneError(
                f"{owner} has the place {got}{on}. Valid: {valid}.", owner=owner, argument=argument, got=got, expected=valid
            ) from None
        return Anchor(member, E[:3, 3], E[:3, :3])

    @property
    def label(self) -> str:
        name = getattr(self, "name", None)
        kind = self.called_in_sentences or type(self).__name__
        if not isinstance(name, str) or not name:
            return kind
        return called(kind, name) if len(name) <= LONGEST else Phrase(f"{kind} {name[:LONGEST] + '...'!r}", name)

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
