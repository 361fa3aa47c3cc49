"""Options of how pages, pictures and films look: what redmax.Look has, as words of a command line."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from redmax.cli import completion
from redmax.errors import RedmaxError

LOOK = "How pages, films and pictures look"
Camera = Annotated[
    str | None,
    typer.Option(metavar="A,E[,Z]", help="Where the eye is: degrees about z, above the ground; times closer.", rich_help_panel=LOOK),
]
Follow = Annotated[
    str | None,
    typer.Option(metavar="BODY", help="A body that stays in the middle.", rich_help_panel=LOOK, autocompletion=completion.bodies),
]
Orbit = Annotated[float | None, typer.Option(metavar="W", help="Go around, W degrees per second of the run.", rich_help_panel=LOOK)]
Theme = Annotated[str | None, typer.Option(metavar="NAME", help="light or dark.", rich_help_panel=LOOK, autocompletion=completion.themes)]
Background = Annotated[str | None, typer.Option(metavar="COLOUR", help="white, #rrggbb, ..., or transparent.", rich_help_panel=LOOK)]
NoGround = Annotated[bool, typer.Option("--no-ground", metavar="", help="Without a ground.", rich_help_panel=LOOK)]
NoMarks = Annotated[bool, typer.Option("--no-marks", metavar="", help="Without pins and balls of joints.", rich_help_panel=LOOK)]
Frames = Annotated[bool, typer.Option("--frames", metavar="", help="With the axes of the scene's frames.", rich_help_panel=LOOK)]
Reactions = Annotated[
    bool, typer.Option("--reactions", metavar="", help="With what constraints and contacts exert, as arrows.", rich_help_panel=LOOK)
]
Cones = Annotated[bool, typer.Option("--cones", metavar="", help="With points of contact and cones of friction.", rich_help_panel=LOOK)]
Trails = Annotated[
    str | None,
    typer.Option(
        metavar="BODY,...", help="Bodies that leave a line behind.", rich_help_panel=LOOK, autocompletion=completion.several_bodies
    ),
]


def chosen_look(
    camera: str | None, follow: str | None, orbit: float | None, theme: str | None, background: str | None, no_ground: bool, no_marks: bool,
    trails: str | None, frames: bool = False, reactions: bool = False, cones: bool = False,
) -> dict[str, Any]:  # fmt: skip
    """The arguments of redmax.Look that the options stand for; each is checked by Look itself."""
    from redmax.model.cameras import Camera as Eye
    from redmax.model.look import Look

    look: dict[str, Any] = {"theme": theme, "background": background}
    look = {name: value for name, value in look.items() if value is not None}
    if camera is not None or follow is not None or orbit is not None:
        where = dict(zip(("azimuth", "elevation", "zoom"), camera_numbers(camera), strict=False))
        look["camera"] = Eye(**where, follow=follow, orbit=orbit or 0.0)
    look |= {"ground": False} if no_ground else {}
    look |= {"marks": False} if no_marks else {}
    look |= {"frames": True} if frames else {}
    look |= {"reactions": True} if reactions else {}
    look |= {"cones": True} if cones else {}
    look |= {} if trails is None else {"trails": [name.strip() for name in trails.split(",") if name.strip()]}
    Look(**look)  # before time is spent on a run
    return look


def camera_numbers(text: str | None) -> list[float]:
    """Two or three numbers from "30,15" or "30,15,1.5"; none of nothing."""
    if text is None:
        return []
    try:
        found = [float(part) for part in text.split(",")]
    except ValueError:
        found = []
    if len(found) not in (2, 3):
        raise RedmaxError(f"--camera is {text!r}, expected degrees about z and above the ground, such as 30,15; or 30,15,1.5 to be closer.")
    return found
