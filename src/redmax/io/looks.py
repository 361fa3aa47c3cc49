"""How things look, in a file: colours of bodies and deformables, and the section `look` with ground, background, trails and camera."""

from __future__ import annotations

from dataclasses import MISSING as NO_DEFAULT
from dataclasses import fields
from typing import TYPE_CHECKING, Any

from redmax.components.appearance import Appearance
from redmax.components.colours import NamedColour
from redmax.components.handles import BodyHandle, FrameHandle, Point
from redmax.io.handles_by_name import frame_named
from redmax.io.missing import MISSING
from redmax.io.source import Item
from redmax.model.cameras import Camera, Watched, as_watched
from redmax.model.look import Look, Trail, check_names

if TYPE_CHECKING:
    from redmax.io.decode import Decoder


def read_look(decoder: Decoder, item: Item) -> None:
    """The section `look`, into the scene."""
    if not isinstance(item.value, dict) or id(item) in decoder.broken:
        return  # which is reported
    special = {"trails": trails, "camera": camera, "colors": colors, "frames": shown_names, "reactions": shown_names}
    found = {name: special.get(name, plain_value)(decoder, given, "look", name) for name, given in item.value.items()}
    if any(x is MISSING for x in found.values()):
        return
    look = decoder.made(item, "look", Look, found)
    if look is not MISSING and decoder.made(item, "look", check_names, {"look": look, "scene": decoder.scene}) is not MISSING:
        decoder.scene.look = look


def plain_value(decoder: Decoder, item: Item, kind: str, name: str) -> Any:
    """A value as any argument has it."""
    return decoder.value(item, kind, name)


def shown_names(decoder: Decoder, item: Item, kind: str, name: str) -> Any:
    """Whether frames, or reactions, are shown, or the names of some, which `check_names` finds."""
    return [given.value for given in item.value] if isinstance(item.value, list) else item.value


def trails(decoder: Decoder, item: Item, kind: str, name: str) -> Any:
    """The points that leave a line."""
    found = [trail(decoder, given) for given in item.value or []]
    return MISSING if any(x is MISSING for x in found) else found


def trail(decoder: Decoder, item: Item) -> Any:
    """A body, a point of it, or one of these under `of` with its colour."""
    from redmax.io.structure import TrailEntry

    if not isinstance(item.value, dict) or "of" not in item.value:
        place = watched(decoder, item)
        return MISSING if place is MISSING else decoder.made(item, "a trail", Trail, {"of": place})
    if not decoder.fits(item, TrailEntry):
        return MISSING
    found = {n: watched(decoder, x) if n == "of" else decoder.value(x, "trail", n) for n, x in item.value.items()}
    return MISSING if any(x is MISSING for x in found.values()) else decoder.made(item, "a trail", Trail, found)


def watched(decoder: Decoder, item: Item) -> Any:
    """A body or a frame by its name, or a point of a body."""
    if isinstance(item.value, dict):
        if "body" not in item.value or not set(item.value) <= {"body", "point"}:
            return decoder.wrong(item, "this is no place on a body, expected a body's name, or {body: its name, point: [x, y, z]}.")
        return decoder.place(item)
    frame = frame_named(decoder, item) if isinstance(item.value, str) else None
    if frame is not None:
        return frame.name
    found = decoder.body(item)
    return found.name if isinstance(found, BodyHandle) else found


def camera(decoder: Decoder, item: Item, kind: str, name: str) -> Any:
    """Numbers, or the arguments of a Camera."""
    from redmax.io.structure import CameraEntry

    if not isinstance(item.value, dict):
        return decoder.value(item)
    if not decoder.fits(item, CameraEntry, depth=3):
        return MISSING
    special = {"follow": lambda x: None if x.value is None else watched(decoder, x), "keys": lambda x: keys(decoder, x)}
    found = {n: special[n](x) if n in special else decoder.value(x, "camera", n) for n, x in item.value.items()}
    return MISSING if any(x is MISSING for x in found.values()) else decoder.made(item, "camera", Camera, found)


def keys(decoder: Decoder, item: Item) -> Any:
    """Pairs of a time and a camera."""
    found = []
    for given in item.value:
        values = {n: decoder.value(x, "camera", n) for n, x in given.value.items()}
        t = values.pop("t")
        whole = t is not MISSING and all(x is not MISSING for x in values.values())
        found.append((t, decoder.made(given, "a key frame", Camera, values) if whole else MISSING))
    return MISSING if any(c is MISSING for _, c in found) else found


def colors(decoder: Decoder, item: Item, kind: str, name: str) -> Any:
    """Colours or appearances, by name."""
    found = {n: appearance(decoder, given) for n, given in (item.value or {}).items()}
    made = {n: x if x is MISSING else decoder.made(item.value[n], "a colour", Appearance, x) for n, x in found.items()}
    return MISSING if any(x is MISSING for x in made.values()) else made


def appearance(decoder: Decoder, item: Item) -> Any:
    """The arguments of an Appearance: a colour alone, or a mapping."""
    from redmax.io.structure import AppearanceEntry

    if not isinstance(item.value, dict):
        found = {"color": decoder.value(item, "appearance", "color")}
    elif not decoder.fits(item, AppearanceEntry):
        return MISSING
    else:
        found = {n: decoder.value(x, "appearance", n) for n, x in item.value.items()}
    return MISSING if any(x is MISSING for x in found.values()) else found


def appearance_data(appearance: Appearance) -> dict[str, Any]:
    """As a file has it."""
    return given_fields(appearance)


def look_data(look: Look) -> dict[str, Any]:
    """The section `look`."""
    found = given_fields(look)
    if look.trails:
        found["trails"] = [trail_data(t) for t in look.trails]  # type: ignore[arg-type]
    if isinstance(look.camera, Camera):
        found["camera"] = camera_data(look.camera)
    for name in ("frames", "reactions"):
        if not isinstance(shown := getattr(look, name), bool):
            found[name] = list(shown)
    if look.colors:
        found["colors"] = {name: appearance_data(a) for name, a in look.colors.items()}  # type: ignore[arg-type]
    return found


def trail_data(trail: Trail) -> Any:
    """A place alone, or with its colour."""
    more = {n: v for n, v in given_fields(trail).items() if n != "of"}
    return {"of": place_data(trail.of), **more} if more else place_data(trail.of)


def camera_data(camera: Camera) -> dict[str, Any]:
    """The arguments of a Camera."""
    found = {n: list(v) if isinstance(v, tuple) else v for n, v in given_fields(camera).items()}
    if camera.follow is not None:
        found["follow"] = place_data(camera.follow)
    if camera.keys:
        found["keys"] = [{"t": t, **camera_data(c)} for t, c in camera.frames]
    return found


def place_data(watched: Watched | FrameHandle) -> Any:
    """The name of a body or a frame, or a point of a body."""
    place = as_watched(watched)
    if isinstance(place, Point):
        return {"body": place.body.name, "point": list(place.position)}
    return place.name if isinstance(place, BodyHandle) else place


def given_fields(made: Any) -> dict[str, Any]:
    """The fields of a dataclass that differ from their defaults, colours by their names."""
    default = {f.name: f.default_factory() if f.default_factory is not NO_DEFAULT else f.default for f in fields(made)}
    found = {name: value for name, usual in default.items() if (value := getattr(made, name)) != usual}
    return {name: value.name if isinstance(value, NamedColour) else value for name, value in found.items()}
