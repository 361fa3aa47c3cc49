"""Which of the things in a list has which name, kept while the list grows: a name is found without looking at all of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


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


class SceneNames:
    """Those of a scene."""

    def __init__(self) -> None:
        self.bodies, self.joints, self.forces, self.deformables = Names("name"), Names("joint_name"), Names("name"), Names("name")
