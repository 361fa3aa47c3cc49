"""Colours of the surroundings, read from the style sheet of the page, so that pictures and pages look alike."""

import re
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from typing import Any

import numpy as np
from numpy.typing import NDArray

from redmax.arguments import brief
from redmax.errors import RedmaxError
from redmax.model.look import Look

Colour = NDArray[Any]  # of single precision
THEMES = ("light", "dark")
STEPS = 1 << 13  # of the table from light to screen


@dataclass(frozen=True, eq=False)
class Theme:
    """Linear red, green and blue (3,) of the surroundings, and strengths of the lights; `level_ends` as the screen has them."""

    sky_high: Colour
    sky_low: Colour
    floor: Colour
    grid: Colour
    shade: Colour
    wire: Colour
    mark: Colour
    force: Colour
    torque: Colour
    open: Colour
    sticking: Colour
    sliding: Colour
    sheet: Colour
    sheet_line: Colour
    ambient_sky: Colour
    ambient_floor: Colour
    level_ends: tuple[Colour, Colour]
    sheet_opacity: float
    key_light: float
    ambient_light: float
    shade_depth: float

    def level(self, share: float) -> Colour:
        """Blue for the lowest level, 0, and red for the highest, 1."""
        low, high = self.level_ends
        return to_linear(low + np.float32(share) * (high - low))


def theme(name: str) -> Theme:
    """One of "light" and "dark"."""
    if not isinstance(name, str) or name not in THEMES:
        raise RedmaxError(f"There is no theme {brief(name)}. Valid: {', '.join(map(repr, THEMES))}.")
    return known_theme(name)


@cache
def known_theme(name: str) -> Theme:
    found = style(name)
    around = ("sky-high", "sky-low", "floor", "grid", "shade", "ambient-sky", "ambient-floor")
    colours = (*around, "wire", "mark", "force", "torque", "open", "sticking", "sliding", "sheet", "sheet-line")
    numbers = ("sheet-opacity", "key-light", "ambient-light")
    values: dict[str, Any] = {key.replace("-", "_"): linear_colour(found[key]) for key in colours}
    values |= {key.replace("-", "_"): float(found[key]) for key in numbers}
    return Theme(
        **values,
        level_ends=(channels(found["level-low"]), channels(found["level-high"])),
        shade_depth=0.62 if name == "dark" else 0.5,
    )


def dressed(theme: Theme, look: Look) -> Theme:
    """The colours of a theme with the background and the ground of a look."""
    changed: dict[str, Any] = {}
    if look.background is not None and not look.is_clear:
        changed |= dict.fromkeys(("sky_high", "sky_low", "floor"), linear_colour(str(look.background)))
    if look.ground_color is not None:
        changed["floor"] = linear_colour(str(look.ground_color))
    return replace(theme, **changed)


def style(name: str) -> dict[str, str]:
    """The custom properties of the page's style sheet in one of the themes, by their names."""
    text = (files("redmax.view") / "player" / "style.css").read_text("utf-8")
    dark = declarations(text, ':root[data-theme="dark"]') if name == "dark" else {}
    return declarations(text, ":root") | dark


def declarations(text: str, selector: str) -> dict[str, str]:
    """The custom properties of the first rule with this selector."""
    rule = re.search(re.escape(selector) + r"\s*\{([^}]*)\}", text)
    return dict(re.findall(r"--([\w-]+):\s*([^;]+);", rule[1])) if rule else {}


def channels(colour: str) -> Colour:
    """ "#rrggbb" as the screen has it, (3,) from 0 to 1."""
    return np.array([int(colour[i : i + 2], 16) for i in (1, 3, 5)], np.float32) / np.float32(255)


def linear_colour(colour: str) -> Colour:
    """ "#rrggbb" as light adds up, (3,) from 0 to 1."""
    return to_linear(channels(colour))


def to_linear(c: Colour) -> Colour:
    return np.where(c <= 0.04045, c / 12.92, ((c + 0.055) / 1.055) ** 2.4).astype(np.float32)


@cache
def screen_table() -> Colour:
    c = np.linspace(0, 1, STEPS)
    return np.where(c <= 0.0031308, 12.92 * c, 1.055 * np.maximum(c, 1e-9) ** (1 / 2.4) - 0.055).astype(np.float32)


def to_screen(linear: Colour) -> Colour:
    """Light (...) as the screen has it, 0 to 1: a table is as good as a byte, and many times faster."""
    return screen_table()[(np.clip(linear, 0, 1) * (STEPS - 1) + 0.5).astype(np.int32)]
