"""Look: how a scene is shown, by every way of showing it: pages, pictures, films and the live page. A scene has one (`scene.look`), and
who makes a picture may say otherwise. What it consists of never changes; `look.but(theme="dark")` is another one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np

from redmax.arguments import as_names, brief
from redmax.components.appearance import Appearance, as_appearance
from redmax.components.checks import flag, number
from redmax.components.colours import Color, hex_colour
from redmax.components.given import Seconds
from redmax.components.handles import BodyHandle, FrameHandle, Point
from redmax.components.wrong_call import explained
from redmax.errors import About, SceneError, unknown, wrong
from redmax.joints.swept import frames_along
from redmax.model.cameras import Camera, Watched, as_camera, as_watched
from redmax.model.frames import JOINT, MOTION

if TYPE_CHECKING:
    from redmax.model.scene import Scene

ThemeName: TypeAlias = Literal["light", "dark"]
THEMES = ("light", "dark")
CLEAR = "transparent"
WATCHED = "a body, a frame, the name of either, or a point of a body such as hand.point(0, 0, 0.1)"
CAMERAS = [f.name for f in fields(Camera)]  # what a camera is told


@explained()
@dataclass(frozen=True)
class Trail:
    """The line that a point leaves behind. of: a body, a frame, the name of either, or a point of a body;
    color: that of the body unless given; seconds: how long it stays (s), for good unless given."""

    of: Watched | FrameHandle
    color: Color | None = None
    seconds: Seconds | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "of", as_watched(self.of))
        if not isinstance(self.of, BodyHandle | Point | str):
            raise wrong("Trail", "of", self.of, WATCHED)
        if self.color is not None:
            object.__setattr__(self, "color", hex_colour(self.color, "Trail"))
        if self.seconds is not None:
            object.__setattr__(self, "seconds", number("Trail", "seconds", self.seconds, "a positive number (s)", above=0))


@explained()
@dataclass(frozen=True)
class Look:
    """theme: "light" or "dark"; a page goes by what the browser prefers unless given, a picture is light

    background: "transparent", or a colour such as "white"; that of the theme unless given
    ground: whether there is one; there is unless the background is transparent
    ground_height: where it is (z); unless given, where the scene has a plane, or a little below the lowest point of the motion
    ground_color: that of the background unless given
    trails: points that leave a line behind: bodies, their names, points such as hand.point(0, 0, 0.1), or Trail(...) of these
    camera: a Camera, or (azimuth, elevation) or (azimuth, elevation, zoom), degrees
    colors: of bodies, deformables, forces, constraints and obstacles, by their names: a colour, or an Appearance
    marks: whether the pins, balls and rails of joints are shown, and in pictures the scale of the colours of muscles
    reactions: whether what constraints and contacts exert is shown, as arrows; or the names of some constraints, also of joints: of what
        carries on what is carried. Where contacts are shown, dots say which stick (green), slide (orange) and are open (grey)
    cones: whether contacts that press have their cones of friction, which forces of contact do not leave, to the scale of the arrows
    frames: whether the frames that the scene names are shown, as triads of x (red), y (green) and z (blue); or the names of some, also of
        bodies and, as "NAME.joint", of what joints carry; as "NAME.motion" those along the range of a joint, on its curve or surface
    """

    theme: ThemeName | None = None
    background: Color | None = None
    ground: bool | None = None
    ground_height: float | None = None
    ground_color: Color | None = None
    trails: Sequence[Trail | Watched | FrameHandle] = ()
    camera: Camera | Sequence[float] | None = None
    colors: Mapping[str, Appearance | Color] = field(default_factory=dict)
    marks: bool = True
    frames: bool | Sequence[str] = False
    reactions: bool | Sequence[str] = False
    cones: bool = False

    def __post_init__(self) -> None:
        keep = {
            "theme": None if self.theme is None else checked_theme(self.theme),
            "background": checked_background(self.background),
            "ground": None if self.ground is None else flag("Look", "ground", self.ground),
            "ground_height": self.ground_height,
            "ground_color": None if self.ground_color is None else hex_colour(self.ground_color, "Look", "ground_color"),
            "trails": as_trails(self.trails),
            "camera": as_camera(self.camera),
            "colors": as_appearances(self.colors),
            "marks": flag("Look", "marks", self.marks),
            "frames": as_shown("frames", self.frames, "frames, bodies, or joints as 'elbow.joint' or 'elbow.motion'"),
            "reactions": as_shown("reactions", self.reactions, "constraints and joints"),
            "cones": flag("Look", "cones", self.cones),
        }
        if self.ground_height is not None:
            keep["ground_height"] = number("Look", "ground_height", self.ground_height, "a height z, a number")
        for name, value in keep.items():
            object.__setattr__(self, name, value)

    @property
    def is_clear(self) -> bool:
        """Whether what is behind the picture shows through."""
        return self.background == CLEAR

    @property
    def has_ground(self) -> bool:
        return not self.is_clear if self.ground is None else self.ground

    def but(self, **changes: Any) -> Look:
        """The same look with some things changed; colors are added to those there are."""
        check_arguments(changes)
        if "colors" in changes:
            changes["colors"] = {**self.colors, **as_appearances(changes["colors"])}
        return replace(self, **changes)

    def appearance(self, name: str, own: Appearance | None = None) -> Appearance:
        """Of the thing of this name. own: what it is told by itself."""
        return self.colors.get(name) or own or Appearance()  # type: ignore[return-value]


def check_arguments(given: Iterable[str], beside: Sequence[str] = ()) -> None:
    """Raise unless a look has arguments of these names. beside: what else whoever takes them takes."""
    known = [f.name for f in fields(Look)]
    for name in given:
        if name not in known:
            inside = f" That is one of the camera's: camera=rm.Camera({name}=...)." if name in CAMERAS else ""
            raise SceneError(unknown("argument of a look", name, [*known, *beside]) + inside, owner="Look", argument=name)


def as_shown(what: str, given: Any, kinds: str) -> bool | tuple[str, ...]:
    """Whether they are shown, or the names of some."""
    names = None if isinstance(given, bool | np.bool_) else as_names(given)
    if names is None and not isinstance(given, bool | np.bool_):
        raise wrong("Look", what, given, f"True or False, or a list of names of {kinds}")
    return bool(given) if names is None else tuple(names)


def check_frames(names: Sequence[str], scene: Scene) -> None:
    """Raise unless a scene has frames, bodies or joints of these names."""
    known = [*[str(frame.name) for frame in scene.frames], *dict.fromkeys([n for k in scene.links for n in (k.name, k.joint_name)])]
    for name in names:
        if name not in known and name.removesuffix(JOINT) not in known and name.removesuffix(MOTION) not in known:
            raise SceneError(unknown("frame, body or joint", name, known), owner="Look", argument="frames")
        own = name.removesuffix(MOTION)
        joints = [link.joint for link in scene.links if own in (link.name, link.joint_name)]
        if own != name and name not in known and frames_along(joints[0]) is None:
            why = "has no frames to show along its motion: it has no range with two ends, more than three coordinates, or depends on time"
            raise SceneError(f"The joint of {own!r} {why}. Show {own + JOINT!r} instead.", owner="Look", argument="frames")


def constraint_names(scene: Scene) -> list[str]:
    """Of the constraints of a scene, and of those that its twists and tied nodes are in its model."""
    ties = [f"tie of {shape.name} node {i}" for shape in scene.deformables for i in shape.ties]
    return [*[str(c.name) for c in scene.constraints], *[f"twist of {twist.name}" for twist in scene.twists], *ties]


def check_names(look: Look, scene: Scene) -> None:
    """Raise unless what a look names is there."""
    if not isinstance(look.frames, bool):
        check_frames(look.frames, scene)
    if not isinstance(look.reactions, bool):
        known = [*constraint_names(scene), *[link.joint_name for link in scene.links]]
        for name in look.reactions:
            if name not in known:
                raise SceneError(unknown("constraint or joint", name, known), owner="Look", argument="reactions")
    things = (*scene.links, *scene.deformables, *scene.forces, *scene.obstacles)
    names = [*[str(thing.name) for thing in things], *constraint_names(scene)]
    for name in look.colors:
        if name not in names:
            raise SceneError(unknown("body, deformable, force, constraint or obstacle", name, names), owner="Look", argument="colors")
    places = [("trails", trail.of) for trail in as_trails(look.trails)]
    camera = as_camera(look.camera)
    for argument, place in [*places, *([("camera", camera.follow)] if camera is not None and camera.follow is not None else [])]:
        with About("Look", argument):
            if not (isinstance(place, str) and scene.named_frame(place) is not None):
                scene.find(place.body if isinstance(place, Point) else place)  # type: ignore[arg-type]


def checked_background(background: Any) -> Color | None:
    """A colour as "#rrggbb", or what stays as it is: None and "transparent"."""
    is_word = isinstance(background, str) and background == CLEAR
    return background if background is None or is_word else hex_colour(background, "Look", "background")


def checked_theme(theme: Any) -> ThemeName:
    if not isinstance(theme, str) or theme not in THEMES:
        got, valid = brief(theme), ", ".join(map(repr, THEMES))
        raise SceneError(f"There is no theme {got}. Valid: {valid}.", owner="Look", argument="theme", got=got, expected=valid)
    return theme  # type: ignore[return-value]


def as_trails(trails: Any) -> tuple[Trail, ...]:
    """Each of them as a Trail."""
    if isinstance(trails, str | BodyHandle | FrameHandle | Point | Trail) or not isinstance(trails, Sequence | np.ndarray):
        raise wrong("Look", "trails", trails, "a list of bodies, of their names, or of points of them such as [hand.point(0, 0, 0.1)]")
    for trail in trails:
        if not isinstance(trail, Trail | BodyHandle | FrameHandle | Point | str):
            raise wrong("Look", "trails", trail, f"{WATCHED}, or a redmax.Trail of these")
    return tuple(trail if isinstance(trail, Trail) else Trail(trail) for trail in trails)


def as_appearances(colors: Any) -> dict[str, Appearance]:
    """Each of them as an Appearance, by name."""
    if not isinstance(colors, Mapping) or not all(isinstance(name, str) for name in colors):
        raise wrong("Look", "colors", colors, "names with colours, such as {'arm': 'tomato'}")
    return {name: as_appearance(value, "Look", f"colors[{name!r}]") for name, value in colors.items()}


USUAL = Look()
