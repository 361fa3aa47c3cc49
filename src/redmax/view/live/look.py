"""How the scene looks: its scale, where the camera begins, the ground, lights, and colours of the two themes."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from functools import cache
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from redmax.model.look import Look
from redmax.view.framing import Framing
from redmax.view.picture.theme import linear_colour, style, to_linear

if TYPE_CHECKING:
    import viser

Colour = tuple[int, int, int]
FIELD_OF_VIEW = np.radians(35)
CLOSE = 1.12  # how much more than the hull the picture holds
DARK = 0.25  # of the light of white: a background with less is dark
BRAND = (47, 111, 178)


@dataclass(frozen=True)
class SceneColours:
    """Colours of the sky, above and at the horizon, of ground and grid, of wires and axes, of lines that are no muscles, of arrows, of
    points of contact by state, of the outline of what is selected, and of muscles at rest and at work."""

    sky_high: Colour
    sky_low: Colour
    floor: Colour
    grid: Colour
    mark: Colour
    wire: Colour
    force: Colour
    torque: Colour
    open: Colour
    sticking: Colour
    sliding: Colour
    outline: Colour
    level_low: Colour
    level_high: Colour


@cache
def scene_colours(dark: bool) -> SceneColours:
    """As the page that plays offline has them, from its style sheet."""
    found = style("dark" if dark else "light")
    return SceneColours(**{field.name: rgb(found[field.name.replace("_", "-")]) for field in fields(SceneColours)})


@dataclass(frozen=True, eq=False)
class Viewpoint:
    """A camera: where it is and what it looks at, (3,) each, in the scene's units."""

    position: NDArray[np.float64]
    look_at: NDArray[np.float64]


def is_same(a: Viewpoint, b: Viewpoint, share: float = 0.01) -> bool:
    """Whether two cameras are the same but for a share of the distance to what is looked at."""
    far = max(float(np.linalg.norm(b.position - b.look_at)), np.finfo(float).tiny)
    return bool(max(np.abs(a.position - b.position).max(), np.abs(a.look_at - b.look_at).max()) <= share * far)


def drawn_scale(size: float) -> float:
    """Powers of ten by which a scene is drawn larger or smaller, so that lights and shadows suit it: it is then 1 to 10 units large."""
    return 10.0 ** -np.floor(np.log10(size)) if size > 0 and np.isfinite(size) else 1.0


def first_view(framing: Framing, aspect: float = 1.0, target: NDArray[np.float64] | None = None) -> Viewpoint:
    """A camera that sees all of the hull, from the direction of the framing. target: what it looks at, the middle unless given."""
    a, e = framing.azimuth, framing.elevation
    back = np.array([np.cos(e) * np.cos(a), np.cos(e) * np.sin(a), np.sin(e)])
    right = np.array([-np.sin(a), np.cos(a), 0.0])
    up = np.cross(back, right)
    hull = framing.hull
    middle = (hull.max(axis=0) + hull.min(axis=0)) / 2 if target is None else target
    for _ in range(3 if target is None else 0):  # centre what is seen, not the box
        x, y, z = ((hull - middle) @ d for d in (right, up, back))
        middle = middle + right * (x.max() + x.min()) / 2 + up * (y.max() + y.min()) / 2
    x, y, z = ((hull - middle) @ d for d in (right, up, back))
    slope = np.tan(FIELD_OF_VIEW / 2) / CLOSE
    distance = float(np.max(np.maximum(np.abs(y) / slope, np.abs(x) / (slope * aspect)) + z))
    return Viewpoint(middle + back * max(distance, 1e-9), middle)


def level_colour(level: float) -> Colour:
    """Blue for a muscle at rest, red for one that is fully active."""
    return mixed(LIGHT.level_low, LIGHT.level_high, float(np.clip(level, 0, 1)))


def mixed(a: Colour, b: Colour, share: float) -> Colour:
    """So much of b, and the rest of a."""
    r, g, blue = (round(x + share * (y - x)) for x, y in zip(a, b, strict=True))
    return r, g, blue


def dressed(colours: SceneColours, look: Look) -> SceneColours:
    """The colours of a theme with the background and the ground of a look."""
    changed: dict[str, Colour] = {}
    if look.background is not None and not look.is_clear:
        changed |= dict.fromkeys(("sky_high", "sky_low", "floor"), rgb(str(look.background)))
    if look.ground_color is not None:
        changed["floor"] = rgb(str(look.ground_color))
    return replace(colours, **changed)


def is_dark(look: Look, preferred: bool) -> bool:
    """Whether a page begins dark: as a look says, or before a dark background; otherwise as its user prefers."""
    if look.theme is not None:
        return look.theme == "dark"
    if look.background is None or look.is_clear:
        return preferred
    return bool(linear_colour(str(look.background)) @ np.array([0.21, 0.72, 0.07]) < DARK)


def sky(theme: SceneColours, clear: bool = False) -> str:
    """A style for the page: behind the scene, from above down to the horizon; or nothing but the page itself."""
    if clear:
        return "<style>canvas[data-engine] { background: none; }</style>"
    high, low = (f"rgb({r}, {g}, {b})" for r, g, b in (theme.sky_high, theme.sky_low))
    return f"<style>canvas[data-engine] {{ background: linear-gradient({high}, {low} 55%); }}</style>"


def linear(colours: ArrayLike) -> NDArray[np.uint8]:
    """Colours as viser takes those of batches: as light, and not as the screen counts it. Otherwise they come out pale."""
    return np.rint(255 * to_linear(np.asarray(colours, np.float32) / 255)).astype(np.uint8)


def rgb(text: str) -> Colour:
    """From "#rrggbb"."""
    r, g, b = (int(text[i : i + 2], 16) for i in (1, 3, 5))
    return r, g, b


def nice(length: float) -> float:
    """1, 2 or 5 times a power of ten, not more than a length."""
    ten = 10.0 ** np.floor(np.log10(length))
    return float(ten * max(f for f in (1, 2, 5) if f * ten <= length * (1 + 1e-9)))


LIGHT = scene_colours(False)
LEVEL_SCALE = (  # HTML: what the colours of muscles mean
    '<div style="display:flex;align-items:center;gap:7px;padding:0 1em 0.6em;font-size:0.85em">activation <span>0</span>'
    f'<i style="width:84px;height:6px;border-radius:3px;background:linear-gradient(to right, rgb{LIGHT.level_low}, rgb{LIGHT.level_high})">'
    "</i><span>1</span></div>"
)
CONTACT_WORDS = (  # HTML: what the colours of points of contact mean
    '<div style="display:flex;align-items:center;gap:12px;padding:0 1em 0.6em;font-size:0.85em"><span>contacts</span>'
    + "".join(
        f'<span><i style="display:inline-block;width:9px;height:9px;border-radius:5px;background:rgb{getattr(LIGHT, name)}"></i> '
        f"{name}</span>"
        for name in ("sticking", "sliding", "open")
    )
    + "</div>"
)


def dress(server: viser.ViserServer, dark: bool) -> None:
    """The colours of the page."""
    server.gui.configure_theme(dark_mode=dark, show_logo=False, show_share_button=False, brand_color=BRAND, control_width="large")
