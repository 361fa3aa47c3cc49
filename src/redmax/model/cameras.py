"""Camera: from where a scene is looked at, and how that changes: it stays, follows a body, goes around, or passes through key frames.

Angles are in degrees: the azimuth about z, from x to y, and the elevation above the ground, of the direction from what is looked at
to the eye. The angle of view is 34 degrees from the lower to the upper edge.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Annotated, Any, TypeAlias

import numpy as np

from redmax.arguments import as_floats, brief
from redmax.components.checks import number, vector3
from redmax.components.given import Point3, Positive, Range, Unit
from redmax.components.handles import BodyHandle, FrameHandle, Point
from redmax.components.wrong_call import explained
from redmax.errors import SceneError, wrong

Degrees: TypeAlias = Annotated[float, Unit("degrees")]
Elevation: TypeAlias = Annotated[float, Range(least=-90, most=90), Unit("degrees")]
Watched: TypeAlias = BodyHandle | Point | str  # a body, its name or that of a frame, or a point of it


def as_watched(thing: Watched | FrameHandle) -> Watched:
    """A frame is watched where its origin is."""
    return thing.point if isinstance(thing, FrameHandle) else thing


Keys: TypeAlias = "Mapping[float, Camera | Sequence[float]] | Sequence[tuple[float, Camera | Sequence[float]]]"
NUMBERS = "azimuth and elevation in degrees, the latter from -90 to 90, and as a third number, if any, how many times closer, such as 1.5"


@explained()
@dataclass(frozen=True)
class Camera:
    """azimuth, elevation: of the eye (degrees), chosen unless given; zoom: how many times closer than it takes to see everything.

    eye, target: instead, where it is and what it looks at (3,); the target alone is what it looks at from there
    follow: a body, its name, or a point of it that stays in the middle of the picture; the camera then is as near as it takes to see
        what the body is joined with
    orbit: how fast the camera goes around, degrees per second of the run
    keys: {time (s): a Camera, or (azimuth, elevation) or (azimuth, elevation, zoom)}, through which it passes smoothly
    """

    azimuth: Degrees | None = None
    elevation: Elevation | None = None
    zoom: Positive = 1.0
    eye: Point3 | None = None
    target: Point3 | None = None
    follow: Watched | FrameHandle | None = None
    orbit: Degrees = 0.0
    keys: Keys = ()

    def __post_init__(self) -> None:
        for name, most in (("azimuth", np.inf), ("elevation", 90.0)):
            if getattr(self, name) is not None:
                valid = "degrees, a number" + ("" if most == np.inf else " from -90 to 90")
                self._keep(name, number("Camera", name, getattr(self, name), valid, least=-most, most=most))
        self._keep("zoom", number("Camera", "zoom", self.zoom, "a positive number", above=0))
        self._keep("orbit", number("Camera", "orbit", self.orbit, "degrees per second, a number"))
        for name in ("eye", "target"):
            if getattr(self, name) is not None:
                self._keep(name, tuple(vector3("Camera", name, getattr(self, name)).tolist()))
        if self.follow is not None:
            self._keep("follow", as_watched(self.follow))
        if self.follow is not None and not isinstance(self.follow, BodyHandle | Point | str):
            raise wrong("Camera", "follow", self.follow, "a body, a frame, the name of either, or a point of a body")
        self._keep("keys", checked_keys(self.keys))
        self._check_together()

    def _keep(self, name: str, value: Any) -> None:
        object.__setattr__(self, name, value)

    def _check_together(self) -> None:
        """What says the same thing twice is refused."""
        turned = self.azimuth is not None or self.elevation is not None
        for name, other, is_both in (
            ("eye", "azimuth or elevation, which follow from it", self.eye is not None and turned),
            ("eye", "zoom, which is how near it is", self.eye is not None and self.zoom != 1),
            ("eye", "follow, which moves it", self.eye is not None and self.follow is not None),
            ("target", "follow, which is one", self.target is not None and self.follow is not None),
            ("keys", "where it is: the first of them says it", bool(self.keys) and (turned or (self.eye or self.target) is not None)),
        ):
            if is_both:
                raise SceneError(f"Camera: {name} was given beside {other}. Leave one of them out.", owner="Camera", argument=name)
        if self.eye is not None and self.target is None:
            raise SceneError("Camera: eye needs a target beside it, (x, y, z), to look at.", owner="Camera", argument="eye")
        if self.eye is not None and self.eye == self.target:
            raise SceneError(f"Camera: eye and target are both {brief(self.eye)}. Move one of them.", owner="Camera", argument="eye")

    @property
    def frames(self) -> tuple[tuple[float, Camera], ...]:
        """The key frames, in order of time; itself as the only one, if it has none."""
        given: Any = self.keys
        return given or ((0.0, replace(self, follow=None, orbit=0.0)),)


def as_camera(value: Any) -> Camera | None:
    """A Camera, or one from (azimuth, elevation) or (azimuth, elevation, zoom); None stays."""
    if value is None or isinstance(value, Camera):
        return value
    numbers = as_floats(value)
    flawed = numbers is None or numbers.shape not in ((2,), (3,)) or not np.isfinite(numbers).all()
    if numbers is None or flawed or abs(numbers[1]) > 90 or (numbers[2:] <= 0).any():
        raise SceneError(f"Got camera {brief(value)}, expected {NUMBERS}; or a redmax.Camera.", owner="Look", argument="camera")
    return Camera(*numbers.tolist())


def checked_keys(keys: Any) -> tuple[tuple[float, Camera], ...]:
    """Key frames as pairs of a time and a camera."""
    valid = "{time: camera}, such as {0: (30, 15), 2: (120, 15, 1.5)}, a later time after an earlier one"
    try:
        pairs = [(t, camera) for t, camera in (keys.items() if isinstance(keys, Mapping) else keys)]
    except (TypeError, ValueError):
        raise wrong("Camera", "keys", keys, valid) from None
    found = [(number("Camera", "keys", t, valid), as_camera(camera)) for t, camera in pairs]
    cameras = [camera for _, camera in found if camera is not None]
    if len(cameras) < len(found) or any(b <= a for (a, _), (b, _) in pairwise(found)):
        raise wrong("Camera", "keys", keys, valid)
    if any(c.keys or c.follow is not None or c.orbit for c in cameras):
        raise SceneError("Camera: a key frame stays where it is: give follow and orbit to the camera that has the keys.", owner="Camera")
    if len({c.eye is None for c in cameras}) > 1:
        raise SceneError("Camera: either all key frames have an eye and a target, or none has an eye.", owner="Camera", argument="keys")
    return tuple((t, c) for t, c in found if c is not None)
