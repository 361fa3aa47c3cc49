"""The look of what is shown: that of the scene, changed by what somebody says who makes a picture of it; and what follows from it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from redmax.arguments import brief
from redmax.components.handles import BodyHandle, FrameHandle, Point
from redmax.errors import SceneError
from redmax.model.cameras import Watched, as_watched
from redmax.model.look import Look, as_trails, check_arguments, check_names
from redmax.view.obstacle_view import ground_height
from redmax.view.palette import default_colours
from redmax.view.trail_view import TrailView

if TYPE_CHECKING:
    from redmax.model.model import Model

Array = NDArray[np.float64]


def look_of(model: Model, given: Mapping[str, Any] | None = None, beside: Sequence[str] = ()) -> Look:
    """How a model is shown. given: arguments of Look that differ from the scene's own; look=Look(...) takes the place of that.

    beside: names that whoever asks for it takes as well, which may have been meant
    """
    changes = dict(given or {})
    base = changes.pop("look", None)
    check_arguments(changes, beside)
    own = None if model.scene is None else model.scene.look
    look = base if base is not None else own if own is not None else Look()
    if not isinstance(look, Look):
        raise SceneError(f"look is a redmax.Look, such as Look(theme='dark'). Got {brief(look)}.", owner="Scene", argument="look")
    look = look.but(**changes) if changes else look
    if model.scene is not None:
        check_names(look, model.scene)
    if look.ground_height is None and (height := ground_height(model)) is not None:
        return look.but(ground_height=height)
    return look


def body_colours(model: Model, look: Look) -> list[str]:
    """ "#rrggbb" of each body and each deformable with a surface: its own, or one of the palette, which counts those with a surface."""
    things = [(link.name, link.appearance, len(link.shape.mesh()[0]) > 0) for link in model.bodies]
    things += [(soft.name, soft.shape.appearance, len(soft.shape.surface) > 0) for soft in model.soft]
    palette = iter(default_colours(sum(seen for _, _, seen in things)))
    usual = [next(palette) if seen else "#808080" for _, _, seen in things]
    return [look.appearance(name, own).hex or colour for (name, own, _), colour in zip(things, usual, strict=True)]


def place_of(model: Model, watched: Watched | FrameHandle) -> tuple[int, Array]:
    """The number of the body, and the point of it (3,), that somebody names."""
    watched = as_watched(watched)
    if isinstance(watched, Point):
        return model.index(watched.body.name), np.array(watched.position)
    if isinstance(watched, str) and model.scene is not None and (frame := model.scene.named_frame(watched)) is not None:
        return model.index(frame.body.name), frame.on_body[1][:3, 3]
    return model.index(watched.name if isinstance(watched, BodyHandle) else watched), np.zeros(3)


def path_of(poses: Array, point: Array) -> Array:
    """(T, 3): where a point of a body with poses (T, 4, 4) is."""
    return poses[:, :3, :3] @ point + poses[:, :3, 3]


def trail_views(model: Model, look: Look, poses: Array, colours: Sequence[str]) -> list[TrailView]:
    """The trails of a look. poses: (T, links, 4, 4); colours: of the bodies."""
    found = []
    for trail in as_trails(look.trails):
        i, point = place_of(model, trail.of)
        colour = colours[i] if trail.color is None else str(trail.color)
        found.append(TrailView(model.links[i].name, path_of(poses[:, i], point), colour, trail.seconds))
    return found
