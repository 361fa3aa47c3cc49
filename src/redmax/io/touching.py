"""Contact in scene files: what surfaces are made of, obstacles, and pairs that pass through each other.

bodies: [{name: box, ..., contact: {friction: 0.5, restitution: 0.2}}]       or contact: true, or contact: 0.5, its friction
obstacles: [{name: ground, shape: Plane}, {name: wall, shape: {Cuboid: {size: [0.1, 2, 1]}}, at: [1, 0, 0.5]}]
ignore_contact: [[box, wall], [1, 2]]                                         two names, or two groups
set_contact: [{first: box, second: ground, contact: {friction: 0.1}}]
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from redmax.contact.material import ContactMaterial
from redmax.contact.obstacle import Obstacle, Plane
from redmax.deformables.base import Deformable
from redmax.deformables.touching import surface_nodes, usual_radius
from redmax.io.decode import kind_of
from redmax.io.kinds import family, kinds
from redmax.io.looks import appearance_data, given_fields
from redmax.io.missing import MISSING
from redmax.io.problems import among, shown
from redmax.io.source import Item
from redmax.model.scene import Scene

if TYPE_CHECKING:
    from redmax.io.decode import Decoder
    from redmax.io.encode import Writer

PLANE, FIELD = "Plane", "HeightField"
EXAMPLE = "Cuboid: {size: [1, 1, 1]}, or Plane"


def contact(decoder: Decoder, item: Item) -> Any:
    """True, a friction, or the arguments of a ContactMaterial."""
    from redmax.io.structure import ContactEntry

    if not isinstance(item.value, dict):
        return decoder.value(item)
    if not decoder.fits(item, ContactEntry):
        return MISSING
    found = {name: decoder.value(given, "contact", name) for name, given in item.value.items()}
    return MISSING if any(x is MISSING for x in found.values()) else decoder.made(item, "contact", ContactMaterial, found)


def obstacle(decoder: Decoder, item: Item) -> str | None:
    """Added to the scene; its name."""
    from redmax.io.structure import ObstacleEntry

    if not isinstance(item.value, dict):
        return None
    known = {name: given for name, given in item.value.items() if name in ObstacleEntry.model_fields}
    special = {"shape": shape, "contact": contact}
    found = {n: special[n](decoder, x) if n in special else decoder.value(x, "obstacle", n) for n, x in known.items()}
    if id(item) in decoder.broken or any(x is MISSING for x in found.values()):
        return None
    decoder.charge(item, "bodies")
    decoder.charge(item, "characters of names", 10 * len(str(found.get("name", ""))))
    made = decoder.made(item, "an obstacle", decoder.scene.add_obstacle, found)
    return None if made is MISSING else made.name


def shape(decoder: Decoder, item: Item) -> Any:
    """A plane, a height field, or the shape of a body."""
    alone = next(iter(item.value)) if isinstance(item.value, dict) and len(item.value) == 1 else item.value
    if alone == PLANE:
        inside = item.value[PLANE].value if isinstance(item.value, dict) else None
        return Plane() if not inside else decoder.wrong(item, "a Plane takes no arguments: where it is says `at` of the obstacle.")
    if isinstance(item.value, dict) and kind_of(item) == FIELD:
        return decoder.mapping(item, [FIELD])
    if isinstance(alone, str) and alone not in (*kinds(), "kind"):
        return decoder.wrong(item, f"there is no shape {shown(alone)}. {among(alone, [PLANE, FIELD, *family('shape')])}")
    return decoder.member(item, "shape", EXAMPLE)


def passing(decoder: Decoder, item: Item) -> None:
    """A pair that does not touch."""
    given = item.value if isinstance(item.value, list) else []
    if len(given) != 2:
        said = "expected two names of bodies, obstacles or deformables, such as [box, ground], or two groups."
        decoder.wrong(item, f"this is {shown(item)}, {said}")
        return
    names = [named(decoder, x) for x in given]
    if not any(name is MISSING for name in names):
        decoder.made(item, "ignore_contact", decoder.scene.ignore_contact, dict(zip(("first", "second"), names)))


def own_law(decoder: Decoder, item: Item) -> None:
    """A pair with a law of its own."""
    from redmax.io.structure import LawEntry

    if not isinstance(item.value, dict):
        return
    known = {name: given for name, given in item.value.items() if name in LawEntry.model_fields}
    found = {n: contact(decoder, x) if n == "contact" else named(decoder, x) for n, x in known.items()}
    if id(item) not in decoder.broken and not any(x is MISSING for x in found.values()):
        decoder.made(item, "set_contact", decoder.scene.set_contact, found)


def named(decoder: Decoder, item: Item) -> Any:
    """The name of a body, an obstacle or a deformable, or the number of a group."""
    if isinstance(item.value, int) and not isinstance(item.value, bool):
        return item.value
    scene = decoder.scene
    known = [str(x.name) for x in (*scene.obstacles, *scene.links, *scene.deformables)]
    if not isinstance(item.value, str):
        return decoder.wrong(item, f"{shown(item)} is no body, obstacle or deformable, expected its name.")
    for name in dict.fromkeys((decoder.prefixed(item), item.value)):
        if name in known:
            return name
    if decoder.prefixed(item) in decoder.declared or item.value in decoder.declared:
        return MISSING  # its own mistakes are reported
    return decoder.wrong(item, f"there is no body or obstacle {item.value!r}, nor a deformable. {among(item.value, known)}")


def material_data(material: ContactMaterial) -> Any:
    """As short as it can be said."""
    found = given_fields(material)
    return True if not found else found["friction"] if set(found) == {"friction"} else found


def touching_data(d: Deformable) -> Any:
    """As `Deformable.touching` is called, of what is not as usual."""
    given = d.contact
    assert given is not None
    found: dict[str, Any] = {} if given.contact == ContactMaterial() else {"contact": material_data(given.contact)}
    found |= {} if shape_has_edges(d) and given.radius == usual_radius(d) else {"radius": given.radius}
    found |= {} if list(given.nodes) == surface_nodes(d) else {"nodes": list(given.nodes)}
    found |= {} if given.group == 0 else {"group": given.group}
    return found or True


def shape_has_edges(d: Deformable) -> bool:
    """Whether there is a usual radius."""
    return bool(len(d.surface) or len(d.lines))


def obstacle_data(writer: Writer, o: Obstacle) -> dict[str, Any]:
    """As `Scene.add_obstacle` is called."""
    from redmax.io.save import pose

    found = {"name": o.name, "shape": PLANE if isinstance(o.shape, Plane) else writer.value(o.shape), **pose("at", o.pose)}
    found |= {} if o.contact == ContactMaterial() else {"contact": material_data(o.contact)}
    found |= {} if o.group == 0 else {"group": o.group}
    return found | ({} if o.appearance is None else appearance_data(o.appearance))


def pairs_data(scene: Scene) -> list[list[str | int]]:
    """Pairs that do not touch, by name or by group."""
    return [in_order(pair) for pair in scene.apart]


def laws_data(scene: Scene) -> list[dict[str, Any]]:
    """Pairs with a law of their own, as `Scene.set_contact` is called."""
    found = [(*in_order(pair), material) for pair, material in scene.contact_laws.items()]
    return [{"first": first, "second": second, "contact": material_data(material)} for first, second, material in found]


def in_order(pair: frozenset[str | int]) -> list[str | int]:
    """Two names, or two numbers."""
    return sorted(pair, key=lambda x: (str(type(x)), x))
