"""`redmax export`: a run as a page, a film, a picture or a table."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from redmax.cli import completion
from redmax.cli.complain import INTERRUPTED, WRONG_INPUT, complain
from redmax.cli.console import say
from redmax.cli.examples import with_examples
from redmax.cli.extras import missing
from redmax.cli.look_options import (
    Background,
    Camera,
    Cones,
    Follow,
    Frames,
    NoGround,
    NoMarks,
    Orbit,
    Reactions,
    Theme,
    Trails,
    chosen_look,
)
from redmax.cli.making import making
from redmax.cli.options import Debug, Settings, Source
from redmax.cli.outputs import check_files
from redmax.cli.simulated import trajectory_of
from redmax.errors import RedmaxError, unknown

if TYPE_CHECKING:
    from redmax.run.trajectory import Trajectory

FORMATS, FILM = "What to write", "How films and pictures look"
Html = Annotated[Path | None, typer.Option(metavar="FILE", help="One page that plays offline.", rich_help_panel=FORMATS)]
Mp4 = Annotated[Path | None, typer.Option("--mp4", metavar="FILE", help="A film.", rich_help_panel=FORMATS)]
Gif = Annotated[Path | None, typer.Option(metavar="FILE", help="A film that repeats, for web pages.", rich_help_panel=FORMATS)]
Webp = Annotated[
    Path | None, typer.Option(metavar="FILE", help="A film that repeats, in all colours, also transparent.", rich_help_panel=FORMATS)
]
Png = Annotated[Path | None, typer.Option(metavar="FILE", help="A picture, of the time --at.", rich_help_panel=FORMATS)]
Csv = Annotated[Path | None, typer.Option(metavar="FILE", help="A table over time, of --what.", rich_help_panel=FORMATS)]
What = Annotated[
    list[str] | None,
    typer.Option(
        metavar="NAME", help="What --csv holds: torques, reaction, ...; may be given several times.", show_default="q, qdot and energy",
        rich_help_panel=FORMATS, autocompletion=completion.columns,
    ),
]  # fmt: skip
COLUMNS = ["q", "qdot", "energy"]
Size = Annotated[str, typer.Option(metavar="WxH", help="Pixels.", rich_help_panel=FILM)]
Fps = Annotated[float, typer.Option(metavar="N", help="Pictures a second.", rich_help_panel=FILM)]
Speed = Annotated[float, typer.Option(metavar="X", help="0.5 shows a film at half the speed.", rich_help_panel=FILM)]
Start = Annotated[float | None, typer.Option(metavar="S", help="Where films begin (s).", show_default="its start", rich_help_panel=FILM)]
End = Annotated[float | None, typer.Option(metavar="S", help="Where films end (s).", show_default="its end", rich_help_panel=FILM)]
At = Annotated[float | None, typer.Option(metavar="S", help="The time of --png (s).", show_default="its end", rich_help_panel=FILM)]


@with_examples(
    ("redmax export arm.h5 --html arm.html", "for any browser"),
    ("redmax export arm.h5 --mp4 arm.mp4 --speed 0.5", "in slow motion"),
    ("redmax export arm.h5 --png arm.png --background transparent", "for slides"),
    ("redmax export arm.h5 --mp4 arm.mp4 --orbit 20 --theme dark", "go around it"),
    ("redmax export windmill --csv windmill.csv", "run it first"),
    ("redmax export arm.h5 --csv arm.csv --what q --what torques", "what drives it"),
)
def export(
    file: Source, html: Html = None, mp4: Mp4 = None, gif: Gif = None, webp: Webp = None, png: Png = None, csv: Csv = None,
    what: What = None, size: Size = "960x600", fps: Fps = 30.0, speed: Speed = 1.0, start: Start = None, end: End = None, at: At = None,
    camera: Camera = None, follow: Follow = None, orbit: Orbit = None, theme: Theme = None, background: Background = None,
    no_ground: NoGround = False, no_marks: NoMarks = False, trails: Trails = None, frames: Frames = False, reactions: Reactions = False,
    cones: Cones = False,
    settings: Settings = None, debug: Debug = False,
) -> int:  # fmt: skip
    """Write a run as something that others can open."""
    from redmax.arguments import positive

    given = {"--html": html, "--mp4": mp4, "--gif": gif, "--webp": webp, "--png": png, "--csv": csv}
    files = {option: path for option, path in given.items() if path is not None}
    if not files:
        raise RedmaxError(f"Say what to write: {', '.join(list(given)[:-1])} or {list(given)[-1]}.")
    check_columns(what, csv)
    look = chosen_look(camera, follow, orbit, theme, background, no_ground, no_marks, trails, frames, reactions, cones)
    film = {"size": parsed_size(size), "fps": positive(fps, "--fps"), "speed": positive(speed, "--speed"), "start": start, "end": end}
    check_files(files, Path(file))
    unmet = [missing(option) for option in files if missing(option)]
    for sentence in unmet:
        say(f"Error: {sentence}", err=True)
    possible = {option: path for option, path in files.items() if not missing(option)}
    if not possible:
        return WRONG_INPUT
    trajectory, status = trajectory_of(file, settings)
    at = checked_time(at, trajectory)
    failed = 0
    for option, path in possible.items():
        try:
            with making(path) as progress:
                if option == "--csv":
                    trajectory.to_csv(path, what or COLUMNS)
                else:
                    write(option, path, trajectory, {**film, "progress": progress}, at, look)
        except KeyboardInterrupt:
            say(f"Interrupted; {path} was not written.", err=True)
            return INTERRUPTED
        except Exception as error:  # the others are written all the same
            if debug:
                raise
            failed = complain(error) or failed
        else:
            say(f"Wrote {path}.")
    return status or failed or (WRONG_INPUT if unmet else 0)


def write(option: str, path: Path, trajectory: Trajectory, film: dict[str, Any], at: float | None, look: dict[str, Any]) -> None:
    if option == "--html":
        trajectory.html(path, **look)
    elif option == "--png":
        trajectory.picture(path, t=at, size=film["size"], **look)
    else:
        trajectory.film(path, **film, **look)


def check_columns(what: list[str] | None, csv: Path | None) -> None:
    """Raise unless a table has these."""
    from redmax.run.quantities import table_word, table_words

    if what and csv is None:
        raise RedmaxError("--what says what the table of --csv holds. Give that, too.")
    for name in what or ():
        if table_word(name) not in table_words():
            raise RedmaxError(f"--what: {unknown('quantity of tables', name, table_words())}")


def parsed_size(text: str) -> tuple[int, int]:
    """(width, height) in pixels from "960x600"."""
    from redmax.view.picture.size import checked_size

    parts = text.lower().split("x")
    if len(parts) != 2 or not all(p.isdigit() and len(p) < 9 for p in parts):
        raise RedmaxError(f"--size is {text!r}, expected a width and a height in pixels, such as 960x600.")
    return checked_size((int(parts[0]), int(parts[1])))


def checked_time(at: float | None, trajectory: Trajectory) -> float | None:
    good = trajectory.good
    begin, end = float(good.t[0]), float(good.t[-1])
    if at is not None and not begin <= at <= end:
        run = "the run" if trajectory.failure is None else f"what is good of the run, which {trajectory.failure.short}"
        raise RedmaxError(f"--at is {at:g} s, expected a time within {run}: {begin:g} to {end:g} s.")
    return at
