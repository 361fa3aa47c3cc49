"""A picture of a stage at a time, as pixels or as a file."""

from dataclasses import replace
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from redmax.arguments import brief
from redmax.errors import RedmaxError
from redmax.view.camera_path import camera_path
from redmax.view.framing import Framing, motion_frame
from redmax.view.picture.camera import camera_at
from redmax.view.picture.moment import moment_at
from redmax.view.picture.paint import Painter
from redmax.view.picture.png import png
from redmax.view.picture.size import Size, checked_size
from redmax.view.picture.theme import dressed
from redmax.view.picture.theme import theme as theme_named
from redmax.view.sampling import LOOKS, frame_indices
from redmax.view.stage import Stage
from redmax.writing import write_bytes

SUFFIXES = (".png", ".jpg", ".jpeg", ".webp")
QUALITY = 88  # of files that leave out what is hard to see


def write_picture(
    path: str | Path, stage: Stage, *, t: float | None = None, size: Size = (960, 600), fit: str = "run", **look: Any
) -> Path:
    """Write a picture, as `pixels` has it, as PNG, JPEG or WebP (the latter two need Pillow); return the path."""
    path = Path(path)
    if path.suffix.lower() not in SUFFIXES:
        raise RedmaxError(f"Cannot write a picture to {str(path)!r}: got suffix {path.suffix!r}, expected {', '.join(SUFFIXES)}.")
    if stage.look.but(**look).is_clear and path.suffix.lower() in (".jpg", ".jpeg"):
        raise RedmaxError(f"Cannot write {str(path)!r} with a transparent background, which JPEG has not: write .png or .webp.")
    return write_bytes(path, encoded(pixels(stage, t=t, size=size, fit=fit, **look), path.suffix.lower()))


def pixels(stage: Stage, *, t: float | None = None, size: Size = (960, 600), fit: str = "run", **look: Any) -> NDArray[np.uint8]:
    """(height, width, 3): red, green and blue of a picture at time t (s), the end of the run unless given; with a transparent background
    (height, width, 4), with the opacity.

    size: width and height, pixels
    fit: whether the camera goes where it sees the whole "run", all that is there at this "moment", or then only the "bodies", without
        the curves and surfaces that they move on
    look: what differs from the look of the stage, as of redmax.Look: camera, theme, background, ground, marks
    """
    at = checked_time(stage, t)
    return painter(stage, size=size, fit=fit, t=at, **look).paint(at)


def painter(stage: Stage, *, size: Size, fit: str = "run", t: float = 0.0, **changes: Any) -> Painter:
    """Paints a stage at any time; the camera sees all of it, or what is there at time t."""
    size = checked_size(size)
    if not (stage.bodies or stage.paths or stage.soft):
        raise RedmaxError(f"There is nothing to see in {stage.title!r}: no body has a shape. Give one a shape such as redmax.Cuboid.")
    look = stage.look.but(**changes)
    framing = framing_of(replace(stage, look=look), checked_fit(fit), t)
    path = camera_path(look, framing, stage.times, stage.follow)
    whole = replace(framing, azimuth=path.framing.azimuth, elevation=path.framing.elevation)
    theme = dressed(theme_named(look.theme or "light"), look)
    shown = stage if look.marks else replace(stage, marks=())
    return Painter(shown, whole, camera_at(path, t, size), theme, look, path)


def framing_of(stage: Stage, fit: str = "run", t: float = 0.0) -> Framing:
    """Where the camera and the ground go, from the whole run or from one moment of it; the direction of the eye is that of the run."""
    whole = framed(stage, frame_indices(stage.times, np.inf, LOOKS))
    if fit == "run":
        return whole
    seen = replace(stage, drawings=()) if fit == "bodies" else stage
    return replace(framed(seen, np.array([moment_at(stage.times, t).index])), azimuth=whole.azimuth, elevation=whole.elevation)


def framed(stage: Stage, keep: NDArray[np.int64]) -> Framing:
    seen = stage.bodies, stage.drawings, stage.paths, stage.soft, stage.arrows
    return motion_frame(stage.times, *seen, keep, stage.look.ground_height, stage.frames)


def encoded(image: NDArray[np.uint8], suffix: str) -> bytes:
    """The file of a picture (height, width, 3), or 4 with the opacity."""
    if suffix == ".png":
        return png(image)
    try:
        from PIL import Image
    except ImportError as error:
        name = suffix[1:].upper()
        raise RedmaxError(f"{name} files need the package Pillow: pip install 'redmax[plot]'. PNG files need nothing.") from error
    data = BytesIO()
    Image.fromarray(image).save(data, "WEBP" if suffix == ".webp" else "JPEG", quality=QUALITY)
    return data.getvalue()


def checked_time(stage: Stage, t: float | None) -> float:
    first, last = float(stage.times[0]), float(stage.times[-1])
    if t is None:
        return last
    slack = 1e-9 * max(abs(first), abs(last), 1.0)
    if not isinstance(t, int | float | np.integer | np.floating) or not first - slack <= t <= last + slack:
        raise RedmaxError(f"Got t = {brief(t)}, expected a time of the run: {first:g} to {last:g} s.")
    return float(np.clip(t, first, last))


def checked_fit(fit: str) -> str:
    if not isinstance(fit, str) or fit not in ("run", "moment", "bodies"):
        now = "'moment', to see where it is, or 'bodies', to see these from close by"
        raise RedmaxError(f"Got fit = {brief(fit)}, expected 'run', to see where everything goes, {now}.")
    return fit
