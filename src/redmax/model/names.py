"""Which of the things in a list has which name, kept while the list grows: a name is found without looking at all of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from redmax.arguments import brief
from redmax.bodies import Body
from redmax.components.handles import BodyHandle, FrameHandle, Point
from redmax.errors import SceneError, unknown
from redmax.model.links import Link

WORLD = "world"  # what parents of bodies may call it


class Names:
    """attribute: where a thing has its name. The list may also be changed or replaced: what was kept of it is then found anew."""

    def __init__(self, attribute: str) -> None:
        self.attribute = attribute
        self.things: Sequence[Any] = ()
        self.forget()

    def forget(self) -> None:
        self.places: dict[str, int] = {}
        self.count, self.last, self.next = 0, None, 0

    def of(self, things: Sequence[Any]) -> dict[str, int]:
        """The place of each name."""
        if things is not self.things or len(things) < self.count or (self.count and things[self.count - 1] is not self.last):
            self.forget()
            self.things = things
        for i in range(self.count, len(things)):
            self.places.setdefault(getattr(things[i], self.attribute) or "", i)
        if self.count < len(things):
            self.count, self.last = len(things), things[-1]
        return self.places

    def place(self, things: Sequence[Any], name: str) -> int | None:
        """Where the thing with this name is."""
        found = self.of(things).get(name)
        if found is not None and getattr(things[found], self.attribute) != name:  # one in the middle was replaced
            self.forget()
            found = self.of(things).get(name)
        return found

    def free(self, things: Sequence[Any], what: str) -> str:
        """A name that none has: body1, body2, ..."""
        places = self.of(things)
        k = max(len(things) + 1, self.next)
        while f"{what}{k}" in places:
            k += 1
        self.next = k  # names are not given back: all up to it stay taken
        return f"{what}{k}"

    def fresh(self, name: str | None, things: Sequence[Any], what: str) -> str:
        """The name that a new thing gets: the given one, if none has it, or one that is free."""
        if name is None:
            return self.free(things, what)
        if not isinstance(name, str) or not name:
            raise SceneError(f"The name of a {what} is a nonempty text. Got {brief(name)}.", owner="Scene", argument=self.attribute)
        if self.place(things, name) is not None:
            article = "an" if what[0] in "aeiou" else "a"
            said = f"Duplicate name: there is already {article} {what} named {name!r}. Give each {what} its own name."
            raise SceneError(said, owner="Scene", argument=self.attribute, got=brief(name), expected="a name that is not taken")
        return name


def instead(body: object, links: Sequence[Link]) -> str:
    """What to write for a body that is given as something else."""
    if body is None:
        return " Where the world is meant, leave it out; what is fixed to the world needs no frame."
    if isinstance(body, int) and 0 <= body < len(links):
        return (
            f" Bodies have no numbers: write {links[body].name!r} for the body that was added as number {body}; for the world leave it out."
        )
    if isinstance(body, int):
        return " Bodies have no numbers; for the world leave it out."
    if isinstance(body, Point):
        return f" This is a point of the body {body.body.name!r}: give the body itself."
    return " A shape is no body yet: scene.add_body(shape, ...) returns one." if isinstance(body, Body) else ""


class SceneNames:
    """Those of a scene. links, identity: of the scene, in its methods."""

    def __init__(self) -> None:
        self.bodies, self.joints, self.forces, self.deformables = Names("name"), Names("joint_name"), Names("name"), Names("name")
        self.frames, self.constraints, self.obstacles = Names("name"), Names("name"), Names("name")

    def fresh_link(self, name: str | None, joint_name: str | None, links: Sequence[Link], frames: Sequence[FrameHandle]) -> tuple[str, str]:
        """The names that a new body and its joint get: no frame may have them, since what has a pose is asked for by its name."""
        body = self.bodies.fresh(name, links, "body")
        joint = self.joints.fresh(body if joint_name is None else joint_name, links, "joint")
        for found, names, what in ((body, self.bodies, "body"), (joint, self.joints, "joint")):
            if self.frames.place(frames, found) is not None:
                said = f"There is already a frame named {found!r}. Give the {what} another name: both are asked for by theirs."
                raise SceneError(said, owner="Scene", argument=names.attribute)
        return body, joint

    def fresh_frame(self, name: str, links: Sequence[Link], frames: Sequence[FrameHandle]) -> str:
        """The name that a new frame gets: no body or joint may have it."""
        found = self.frames.fresh("" if name is None else name, frames, "frame")  # which is what it is for, so that none is made up
        for names, what in ((self.bodies, "body"), (self.joints, "joint")):
            if names.place(links, found) is not None:
                said = f"There is already a {what} named {found!r}. Give the frame another name: both are asked for by theirs."
                raise SceneError(said, owner="Scene", argument="name")
        return found

    def handle(self, links: Sequence[Link], identity: str, name: str, joint: bool = False) -> BodyHandle | None:
        """The handle of the body of this name, or None; joint: or of the joint of this name, where no body has it."""
        i = self.bodies.place(links, name)
        if i is None and joint:
            i = self.joints.place(links, name)
        return None if i is None else BodyHandle(links[i].name, i, links[i].joint_name, identity)

    def parent(self, links: Sequence[Link], identity: str, body: BodyHandle | str | None) -> int:
        """The number of a body's parent; -1 for the world, which is None, or "world" where no body has that name."""
        if body is None or (isinstance(body, str) and body == WORLD and self.bodies.place(links, WORLD) is None):
            return -1
        return self.find(links, identity, body).index

    def find(self, links: Sequence[Link], identity: str, body: BodyHandle | str) -> BodyHandle:
        """The handle of a body, by itself or by name."""
        if not isinstance(body, BodyHandle | str):
            said = f"A body is named by what scene.add_body returned, or by its name. Got {brief(body)}.{instead(body, links)}"
            raise SceneError(said, owner="Scene", got=brief(body), expected="a body or its name")
        name = body if isinstance(body, str) else body.name
        if isinstance(body, BodyHandle) and body.scene not in ("", identity):
            fix = "Use what add_body of this scene, or of one that it is a copy of, returned; or the body's name"
            raise SceneError(f"Body {brief(name)} is one of another scene. {fix}.", owner="Scene")
        known = isinstance(body, BodyHandle) and isinstance(body.index, int) and 0 <= body.index < len(links)
        if isinstance(body, BodyHandle) and known and links[body.index].name == name:
            return body
        found = self.handle(links, identity, name)
        if found is None:
            self.bodies.forget()  # a link in the middle may have another name by now
            found = self.handle(links, identity, name)
        if found is None:
            raise SceneError(unknown("body", name, [link.name for link in links]), owner="Scene")
        return found
