"""A picture of a stage at a time, as pixels or as a file."""

from collections.abc import Sequence
from dataclasses import replace
from io import BytesIO
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from redmax.arguments import as_array, as_floats, brief
from redmax.errors import RedmaxError
from redmax.view.framing import Framing, motion_frame
from redmax.view.picture.camera import fitted
from redmax.view.picture.moment import moment_at
from redmax.view.picture.paint import Painter
from redmax.view.picture.png import png
from redmax.view.picture.theme import theme as theme_named
from redmax.view.sampling import LOOKS, frame_indices
from redmax.view.stage import Stage
from redmax.writing import write_bytes

SUFFIXES = (".png", ".jpg", ".jpeg", ".webp")
SMALLEST, LARGEST = 16, 4096  # pixels
QUALITY = 88  # of files that leave out what is hard to see
Camera = Sequence[float]  # azimuth and elevation of the eye in degrees, and by how much it is closer than it need be


def write_picture(
    path: str | Path, stage: Stage, *, t: float | None = None, size: tuple[int, int] = (960, 600), camera: Camera | None = None,
    theme: str = "light", fit: str = "run", marks: bool = True,
) -> Path:  # fmt: skip
    """Write a picture, as `pixels` has it, as PNG, JPEG or WebP (the latter two need Pillow); return the path."""
    path = Path(path)
    if path.suffix.lower() not in SUFFIXES:
        raise RedmaxError(f"Cannot write a picture to {str(path)!r}: got suffix {path.suffix!r}, expected {', '.join(SUFFIXES)}.")
    data = encoded(pixels(stage, t=t, size=size, camera=camera, theme=theme, fit=fit, marks=marks), path.suffix.lower())
    return write_bytes(path, data)


def pixels(
    stage: Stage, *, t: float | None = None, size: tuple[int, int] = (960, 600), camera: Camera | None = None,
    theme: str = "light", fit: str = "run", marks: bool = True,
) -> NDArray[np.uint8]:  # fmt: skip
    """(height, width, 3): red, green and blue of a picture at time t (s), the end of the run unless given.

    size: width and height, pixels
    camera: azimuth about z and elevation above the ground of the eye, degrees; with a third number, so many times closer;
        chosen unless given
    theme: "light" or "dark"
    fit: whether the camera goes where it sees the whole "run", all that is there at this "moment", or then only the "bodies", without
        the curves and surfaces that they move on
    marks: whether to show the pins, balls and rails of joints
    """
    at = checked_time(stage, t)
    return painter(stage, size=size, camera=camera, theme=theme, marks=marks, fit=fit, t=at).paint(at)


def painter(
    stage: Stage, *, size: tuple[int, int], camera: Camera | None, theme: str, marks: bool = True, fit: str = "run", t: float = 0.0
) -> Painter:
    """Paints a stage at any time; the camera sees all of it, or what is there at time t."""
    size = checked_size(size)
    if not (stage.bodies or stage.paths or stage.soft):
        raise RedmaxError(f"There is nothing to see in {stage.title!r}: no body has a shape. Give one a shape such as redmax.Cuboid.")
    framing, zoom = framing_of(stage, checked_fit(fit), t), 1.0
    if camera is not None:
        azimuth, elevation, zoom = checked_camera(camera)
        framing = replace(framing, azimuth=azimuth, elevation=elevation)
    if not isinstance(marks, bool | np.bool_):
        raise RedmaxError(f"Got marks = {brief(marks)}, expected True or False.")
    return Painter(stage if marks else replace(stage, marks=()), framing, fitted(framing, size, zoom=zoom), theme_named(theme))


def framing_of(stage: Stage, fit: str = "run", t: float = 0.0) -> Framing:
    """Where the camera and the ground go, from the whole run or from one moment of it; the direction of the eye is that of the run."""
    whole = framed(stage, frame_indices(stage.times, np.inf, LOOKS))
    if fit == "run":
        return whole
    seen = replace(stage, drawings=()) if fit == "bodies" else stage
    return replace(framed(seen, np.array([moment_at(stage.times, t).index])), azimuth=whole.azimuth, elevation=whole.elevation)


def framed(stage: Stage, keep: NDArray[np.int64]) -> Framing:
    return motion_frame(stage.times, stage.bodies, stage.drawings, stage.paths, stage.soft, stage.arrows, keep)


def encoded(image: NDArray[np.uint8], suffix: str) -> bytes:
    """The file of a picture (height, width, 3)."""
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


def checked_size(size: tuple[int, int]) -> tuple[int, int]:
    parts = list(size) if isinstance(size, Sequence | np.ndarray) and as_array(size).ndim == 1 else []
    whole = len(parts) == 2 and all(isinstance(n, int | np.integer) for n in parts)
    if not whole or not all(SMALLEST <= n <= LARGEST for n in parts):
        raise RedmaxError(f"Got size {brief(size)}, expected width and height in pixels, each a whole number from {SMALLEST} to {LARGEST}.")
    return int(parts[0]), int(parts[1])


def checked_camera(camera: Camera) -> tuple[float, float, float]:
    """Azimuth and elevation, rad, and how many times closer."""
    wanted = (
        "azimuth and elevation in degrees, the latter from -90 to 90, and as a third number, if any, how many times closer, such as 1.5"
    )
    numbers = as_floats(camera)
    flawed = numbers is None or numbers.shape not in ((2,), (3,)) or not np.isfinite(numbers).all()
    if numbers is None or flawed or abs(numbers[1]) > 90 or (numbers[2:] <= 0).any():
        raise RedmaxError(f"Got camera {brief(camera)}, expected {wanted}.")
    azimuth, elevation = np.radians(numbers[:2])
    return float(azimuth), float(elevation), float(numbers[2]) if len(numbers) > 2 else 1.0


def checked_fit(fit: str) -> str:
    if not isinstance(fit, str) or fit not in ("run", "moment", "bodies"):
        now = "'moment', to see where it is, or 'bodies', to see these from close by"
        raise RedmaxError(f"Got fit = {brief(fit)}, expected 'run', to see where everything goes, {now}.")
    return fit
