"""How the surface of something looks: its colour, how much of what is behind shows through, and what it seems to be made of."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, get_args

from redmax.components.checks import choice, number
from redmax.components.colours import Color, hex_colour
from redmax.components.given import Fraction
from redmax.components.wrong_call import explained

Material: TypeAlias = Literal["plastic", "matte", "glossy", "metal"]
MATERIALS: tuple[str, ...] = get_args(Material)


@explained()
@dataclass(frozen=True)
class Appearance:
    """color: a name of CSS such as "tomato", "#rrggbb", or red, green and blue from 0 to 1; one of the palette unless given.

    opacity: 1 hides what is behind, 0 is not seen at all
    material: "plastic", as everything is unless somebody says otherwise; "matte", without highlights; "glossy", with sharp ones;
        "metal", whose highlights have its own colour
    """

    color: Color | None = None
    opacity: Fraction = 1.0
    material: Material = "plastic"

    def __post_init__(self) -> None:
        color, opacity, material = checked("Appearance", self.color, self.opacity, self.material)
        for name, value in (("color", color), ("opacity", opacity), ("material", material)):
            object.__setattr__(self, name, value)

    @property
    def hex(self) -> str | None:
        """The colour as "#rrggbb", or None for one of the palette."""
        return None if self.color is None else str(self.color)


def checked(owner: str, color: Any, opacity: Any, material: Any) -> tuple[str | None, float, Any]:
    """The three as an Appearance keeps them, or an error. owner: what sentences call what they are of."""
    return (
        None if color is None else hex_colour(color, owner),
        number(owner, "opacity", opacity, "a number from 0 to 1", least=0, most=1),
        choice(owner, "material", material, MATERIALS),
    )


def appearance_of(owner: str, color: Any, opacity: Any, material: Any) -> Appearance | None:
    """What add_body is told of the looks of a body; None if that is nothing."""
    found = Appearance(*checked(owner, color, opacity, material))
    return None if found == USUAL else found


def as_appearance(value: Any, owner: str, argument: str) -> Appearance:
    """An Appearance, or a colour alone."""
    return value if isinstance(value, Appearance) else Appearance(hex_colour(value, owner, argument))


USUAL = Appearance()
