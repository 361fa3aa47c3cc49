"""The entries of the sections: bodies, obstacles, frames, wrenches, forces, deformables, constraints, twists, the map."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from redmax.io.decode import Decoder
from redmax.io.missing import MISSING
from redmax.io.probe import probe_body, probe_constraint, probe_force, probe_map, probe_twist, probe_wrench
from redmax.io.soft import deformable
from redmax.io.source import Item
from redmax.io.touching import contact, obstacle, own_law, passing
from redmax.model.names import WORLD


def arguments_in(item: Item) -> Item:
    """The mapping that has the arguments of a kind."""
    inner = next(iter(item.value.values())) if isinstance(item.value, dict) and len(item.value) == 1 else item
    return inner if isinstance(inner.value, dict) else item


class Entries:
    """place: told of the name of everything that is added, and of its item."""

    def __init__(self, decoder: Decoder, place: Callable[[str | None, Item], None]) -> None:
        self.decoder, self.scene, self.place = decoder, decoder.scene, place
        self.sections: dict[str, Callable[[Item], None]] = {
            "bodies": self.body,
            "obstacles": self.obstacle,
            "frames": self.frame,
            "wrenches": self.wrench,
            "forces": self.force,
            "deformables": self.deformable,
            "ignore_contact": lambda item: passing(self.decoder, item),
            "set_contact": lambda item: own_law(self.decoder, item),
            "constraints": self.constraint,
            "twists": self.twist,
        }

    def values(self, item: Item, kind: str, model: Any) -> dict[str, Any] | None:
        """All arguments, of which every one is looked at; None if one is MISSING, or if something did not belong."""
        if not isinstance(item.value, dict):
            return None
        known = {name: given for name, given in item.value.items() if name in model.model_fields}
        found = {name: self.decoder.value(given, kind, name) for name, given in known.items()}
        return None if id(item) in self.decoder.broken or any(x is MISSING for x in found.values()) else found

    def body(self, item: Item) -> None:
        """A body with its joint, whose functions are tried once."""
        from redmax.io.structure import BodyEntry

        if not isinstance(item.value, dict):
            return
        parent, name = item.value.get("parent"), item.value.get("name")
        known = {name: given for name, given in item.value.items() if name in BodyEntry.model_fields}
        if parent is not None and name is not None and self.own_parent(parent, name):
            self.decoder.wrong(parent, f"the body {name.value!r} cannot be the parent of itself. Name another body, or leave parent out.")
            self.decoder.broken.add(id(parent))
        elif parent is not None and parent.value == WORLD and not self.declared(WORLD):
            del known["parent"]  # a scene that has no body of this name means none
        found = {name: self.body_value(given, name) for name, given in known.items()}
        if id(item) not in self.decoder.broken and not any(x is MISSING for x in found.values()):
            self.decoder.charge(item, "bodies")
            self.decoder.charge(item, "characters of names", 10 * len(str(found.get("name", ""))))
            made = self.decoder.made(item, "a body", self.scene.add_body, found)
            if made is not MISSING:
                self.decoder.made(item, "a body", probe_body, {"link": self.scene.links[made.index]})
                self.place(made.joint, item)

    def declared(self, name: str) -> bool:
        """Whether a file names a body so."""
        return name in self.decoder.declared or self.decoder.prefix + name in self.decoder.declared

    def own_parent(self, parent: Item, name: Item) -> bool:
        """Whether a body is its own parent; where the name is taken, that is the mistake, and `Scene.add_body` calls it so."""
        same = isinstance(name.value, str) and parent.value == name.value
        return same and self.scene.named(self.decoder.prefixed(name)) is None

    def body_value(self, item: Item, name: str) -> Any:
        """One argument of `Scene.add_body`."""
        if name in ("joint", "shape"):
            example = {"joint": "Revolute: {axis: y}", "shape": "Sphere: {radius: 0.1}"}[name]
            return None if name == "joint" and item.value is None else self.decoder.member(item, name, example)
        if name == "contact":
            return contact(self.decoder, item)
        if name == "body" and isinstance(item.value, list | dict):
            return self.decoder.value(item)
        return self.decoder.value(item, "body", name)

    def obstacle(self, item: Item) -> None:
        """What stands in the world."""
        self.place(obstacle(self.decoder, item), item)

    def frame(self, item: Item) -> None:
        """A frame with a name."""
        from redmax.io.structure import FrameEntry

        found = self.values(item, "frame", FrameEntry)
        if found is not None:
            self.decoder.charge(item, "forces")
            self.decoder.charge(item, "characters of names", len(str(found["name"])))
            if self.decoder.made(item, "a frame", self.scene.add_frame, found) is not MISSING:
                self.place(found["name"], item)

    def wrench(self, item: Item) -> None:
        """A wrench, whose functions are tried once."""
        from redmax.io.structure import WrenchEntry

        found = self.values(item, "wrench", WrenchEntry)
        if found is not None:
            self.decoder.charge(item, "forces")
            self.decoder.made(item, "a wrench", probe_wrench, {"parts": found})
            self.decoder.made(item, "a wrench", self.scene.add_wrench, found)

    def force(self, item: Item) -> None:
        """A force, which is tried once where the scene begins."""
        found = self.decoder.member(item, "force", "JointDamper: {joint: arm, damping: 0.1}")
        if found is not MISSING:
            self.decoder.charge(item, "forces")
            at = arguments_in(item)
            added = self.decoder.made(at, "a force", self.scene.add_force, {"force": found})
            if added is not MISSING:
                self.place(added.name, item)
                self.decoder.made(at, "a force", probe_force, {"force": added, "scene": self.scene})

    def deformable(self, item: Item) -> None:
        """A deformable, with what keeps its nodes."""
        found = deformable(self.decoder, item)
        if found is not MISSING:
            added = self.decoder.made(item, "a deformable", self.scene.add_deformable, {"deformable": found})
            self.place(None if added is MISSING else added.name, item)

    def constraint(self, item: Item) -> None:
        """A constraint, whose functions are tried once."""
        found = self.decoder.member(item, "constraint", "Distance: {first: arm, second: [0, 0, 1]}")
        if found is not MISSING:
            self.decoder.charge(item, "forces")
            at = arguments_in(item)
            added = self.decoder.made(at, "a constraint", self.scene.add_constraint, {"constraint": found})
            if added is not MISSING:
                self.place(added.name, item)
                self.decoder.made(at, "a constraint", probe_constraint, {"constraint": added, "scene": self.scene})

    def twist(self, item: Item) -> None:
        """A prescribed twist, whose functions are tried once."""
        from redmax.io.structure import TwistEntry

        found = self.values(item, "twist", TwistEntry)
        self.decoder.charge(item, "forces")
        if found is not None and self.decoder.made(item, "a twist", self.scene.prescribe_twist, found) is not MISSING:
            self.decoder.made(item, "a twist", probe_twist, {"scene": self.scene})

    def map(self, item: Item) -> None:
        """The map of coordinates: a function, or a matrix."""
        from redmax.io.structure import MapEntry

        if item.value is None:
            return
        found = self.values(item, "map", MapEntry)
        if isinstance(item.value, dict) and len({"function", "matrix"} & set(item.value)) != 1:
            self.decoder.report(item.line, "map needs either a function of q, with its number of coordinates, or a matrix.")
        elif found is not None:
            given = found.pop("function") if "function" in found else found.pop("matrix")
            self.decoder.charge(item, "operations of functions", 12 * np.size(given))  # of a matrix, which is multiplied by traced numbers
            lines = item.lines or {}
            lines = {**lines, "map": lines.get("function", lines.get("matrix", item.line))}  # as `set_map` calls what is given
            whole = Item(item.value, item.line, lines)
            if self.decoder.made(whole, "map", self.scene.set_map, {"map": given, **found}) is not MISSING:
                self.decoder.made(whole, "map", probe_map, {"scene": self.scene})

    def staggering(self, item: Item) -> None:
        """How friction in joints is solved for."""
        from redmax.io.structure import StaggeringEntry

        found = None if item.value is None else self.values(item, "staggering", StaggeringEntry)
        if found is not None:
            self.decoder.made(item, "staggering", self.scene.set_staggering, found)
