"""Units in which files have lengths and angles; what is read is in m and rad."""

from __future__ import annotations

import re
from typing import Literal, TypeAlias, get_args

import numpy as np

from redmax.components.checks import choice
from redmax.errors import SceneError

Lengths: TypeAlias = Literal["m", "cm", "mm"]
Angles: TypeAlias = Literal["rad", "deg"]

METRES = {"m": 1.0, "cm": 0.01, "mm": 0.001}
RADIANS = {"rad": 1.0, "deg": float(np.pi / 180)}
WORDS = {"meters": "m", "metres": "m", "meter": "m", "metre": "m", "degrees": "deg", "degree": "deg", "°": "deg", "radians": "rad"}
UNIT_IN_NAME = re.compile(r"^(.*?)\s*[\[(]\s*([^\])]*?)\s*[\])]$")


def split_name(name: str) -> tuple[str, str]:
    """A name of a column and the unit in brackets behind it: "x [mm]" -> ("x", "mm"); no unit that is not known."""
    found = UNIT_IN_NAME.match(name.strip())
    if found is None:
        return name.strip(), ""
    unit = WORDS.get(found[2].lower(), found[2].lower())
    return (found[1], unit) if unit in METRES or unit in RADIANS else (name.strip(), "")


def metres(owner: str, unit: str) -> float:
    """How many metres the unit of a file is."""
    known = WORDS.get(unit.lower(), unit.lower())
    if known not in METRES:
        raise SceneError(f"{owner}: lengths are in {unit!r}. Known: {', '.join(METRES)}.", owner=owner, argument="lengths")
    return METRES[known]


def checked_unit(owner: str, name: str, unit: str | None, kinds: object) -> str | None:
    """One of the units of a kind, or None."""
    return None if unit is None else choice(owner, name, unit, get_args(kinds))
