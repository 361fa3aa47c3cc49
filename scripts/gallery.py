"""Makes the gallery: runs every scene of the catalogue, writes a picture of each to docs/gallery/, the page of thumbnails, docs/gallery.md,
and the page that they lead to, docs/scenes.md.

python scripts/gallery.py                  all pictures and the pages: a minute or two on two cores
python scripts/gallery.py sculpture arm    only these pictures, and the pages
python scripts/gallery.py --page           only the pages
"""

from __future__ import annotations

import argparse
import re
import sys
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import redmax as rm
from redmax.run.trajectory import Trajectory
from redmax.scenes import CATALOGUE, Entry, find
from redmax.writing import write_text

ROOT = Path(__file__).parents[1]
GALLERY, SCENES = ROOT / "docs" / "gallery.md", ROOT / "docs" / "scenes.md"
PICTURES = ROOT / "docs" / "gallery"
SIZE, FPS = (720, 450), 10
SHARE = 0.4  # of a run, after which most scenes show what they do


@dataclass(frozen=True)
class Look:
    """share: of the run, when the picture is taken; camera: azimuth, elevation (degrees) and how many times closer, or None for the
    usual one; fit: whether it sees the whole run, the moment, or only the bodies; marks: whether pins and balls of
    joints are shown; film: from and to (s) of what is shown in motion, instead of a moment."""

    share: float = SHARE
    camera: tuple[float, ...] | None = None
    fit: str = "run"
    marks: bool = True
    film: tuple[float, float] | None = None


LOOKS = {  # where the usual moment or camera shows too little
    "sculpture": Look(camera=(-66, 15), marks=False),
    "helix": Look(marks=False),
    "bezier-board": Look(marks=False),
    "beads": Look(marks=False),
    "spinning-beads": Look(marks=False),
    "bezier-torus-chain": Look(0.9, (-66, 22, 0.6), "bodies"),
    "chain-20": Look(0.9, fit="moment"),
    "rubbing-slides": Look(0.2, fit="moment"),
    "passive-walker": Look(0.72, (-70, 12, 1.6), "moment", marks=False),
    "track": Look(0.5, (-66, 16), "moment", marks=False),
    "diff-thrown-on-ground": Look(0.36, (-80, 65, 0.9), "moment", marks=False),
    "torus-chain-20": Look(fit="moment"),
    "arm": Look(0.45, fit="moment"),
    "screw-chain": Look(0.1, fit="moment", marks=False),
    "satellite": Look(0.0, (-20, 20, 0.8), "moment", marks=False),
    "kick": Look(0.25, fit="moment"),
    "humanoid": Look(fit="moment"),
    "measured-scapula": Look(0.25, (-60, 18, 0.9), "moment"),
    "hand": Look(0.05, (-60, 18, 0.9), "moment", marks=False),
    "scapula": Look(0.25, (-60, 18, 0.9), "moment"),
    "spherical-chain": Look(0.9, fit="moment"),
    "coupled-chain": Look(0.25, fit="moment"),
    "prescribed-joint": Look(0.25, fit="moment"),
    "pulled-chain": Look(0.25, fit="moment"),
    "joint-springs": Look(0.5, fit="moment"),
    "universal-chain": Look(0.25, fit="moment"),
    "planar-plate": Look(0.25, (-50, 28)),
    "floating-plate": Look(0.25, (-55, 24), "moment"),
    "free-cube": Look(0.25, (-66, 20, 0.6), "moment"),
    "composite-joint": Look(0.25, (-50, 18, 0.8), "moment"),
    "point-springs": Look(0.5, fit="moment"),
    "free-pair": Look(0.25, fit="moment"),
    "diff-planar-plate": Look(0.25, (-50, 28)),
    "diff-floating-plate": Look(0.6, (-55, 24), "moment"),
    "diff-thrown-cube": Look(0.25, (-60, 24, 0.5), "bodies", marks=False),
    "diff-spherical-chain": Look(0.5, fit="moment"),
    "diff-universal-chain": Look(0.5, fit="moment"),
    "diff-free-cube": Look(0.7, (-66, 20, 0.6), "moment"),
    "diff-limited-chain": Look(0.1, fit="moment"),
    "four-bar": Look(0.5, (-75, 14)),
    "slider-crank": Look(0.3, (-65, 20)),
    "knee-from-flexion": Look(0.15, (-50, 14), "moment"),
    "knee-smoothed": Look(0.1, (-50, 14), "moment"),
    "climbing-leg": Look(0.95, (-66, 12), "moment"),
    "jansen-leg": Look(camera=(-78, 10), film=(2.1, 4.1)),  # one turn of its crank, less one picture
    "bennett": Look(0.18, (20, 30), "moment"),
    "scissor-lift": Look(0.3, (-70, 12), "moment"),
    "stewart-platform": Look(0.1, (-66, 24)),
    "differential": Look(0.6, (-52, 20)),
    "hoist": Look(0.2, (-78, 8)),
    "atwood": Look(0.6, (-78, 8)),
    "rolling-disc": Look(0.62, (-60, 22), marks=False),
    "rattleback": Look(0.6, (-60, 22), "moment", marks=False),
    "slope": Look(0.85, (-60, 18), "moment", marks=False),
    "stack": Look(0.9, (-60, 14), "moment", marks=False),
    "pile": Look(0.95, (-60, 30), "moment", marks=False),
    "card-house": Look(0.9, (-66, 12), "moment", marks=False),
    "dominoes": Look(0.35, (-70, 30), "moment", marks=False),
    "wrecking-ball": Look(0.5, (-40, 16), "moment", marks=False),
    "gripper": Look(0.6, (-70, 14)),
    "chain-on-ground": Look(0.35, (-66, 24), "moment", marks=False),
    "humanoid-falls": Look(0.2, (-50, 14), "moment", marks=False),
    "terrain": Look(0.3, (-60, 32), "moment", marks=False),
    "tippe-top": Look(0.95, (-60, 12), "moment", marks=False),
    "rattleback-on-ground": Look(0.5, (-60, 22), "moment", marks=False),
    "marbles": Look(0.2, (-66, 40), "moment", marks=False),
    "soft-lift": Look(0.75, (-78, 12), "moment", marks=False),
    "cloth-on-sphere": Look(0.9, (-15, 3), "moment", marks=False),
    "limited-links": Look(0.25, fit="moment"),
    "coupled-chain-rows": Look(0.25, fit="moment"),
    "prescribed-joint-rows": Look(0.25, fit="moment"),
}

COLUMNS = 4  # of thumbnails
GALLERY_HEAD = """# Gallery

Every scene of the catalogue. A picture opens the [scene](scenes.md): larger, with what it shows, the command that runs it, and its file.
Pictures are made by `python scripts/gallery.py` with the project's own renderer (`run.picture`), which needs neither a display nor a
browser.
"""
SCENES_HEAD = """# Scenes

All scenes of the catalogue, as in the [gallery](gallery.md). `redmax run NAME --html FILE` makes a page in which a scene moves; its
numbers start at the defaults that the scene was written for.
"""
PUBLISHED = """
## Published scenes

Scenes of the published RedMax codes, with their numbers, in cm, g and s; each also answers to its reference id.
"""


def picture_of(entry: Entry, run: Trajectory, path: Path) -> Path:
    """The gallery's picture of a run of a scene."""
    look = LOOKS.get(entry.name, Look())
    if look.film:
        start, end = look.film
        return run.film(path, size=SIZE, fps=FPS, start=start, end=end, camera=look.camera, marks=look.marks)
    t = run.t[0] + look.share * (run.t[-1] - run.t[0])
    return run.picture(path, t=float(t), size=SIZE, camera=look.camera, fit=look.fit, marks=look.marks)


def run_of(entry: Entry) -> Trajectory:
    return rm.simulate(entry.scene(), entry.duration, entry.dt, integrator=entry.integrator, dynamics=entry.dynamics)


def make(name: str) -> str:
    entry = find(name)
    picture_of(entry, run_of(entry), PICTURES / f"{name}.webp")
    return name


def pages() -> dict[Path, str]:
    """The texts of docs/gallery.md and docs/scenes.md."""
    own, published = ([e for e in CATALOGUE if bool(e.reference) == is_published] for is_published in (False, True))
    return {
        GALLERY: GALLERY_HEAD + thumbnails(own) + PUBLISHED + thumbnails(published),
        SCENES: SCENES_HEAD + "".join(map(section, own)) + PUBLISHED + "".join(map(section, published)),
    }


def thumbnails(entries: list[Entry]) -> str:
    """A table of pictures, each above its caption; they lead to the scene."""
    cells = [thumbnail(entry) for entry in entries]
    cells += [""] * (-len(cells) % COLUMNS)
    first, *others = (f"| {' | '.join(cells[i : i + COLUMNS])} |" for i in range(0, len(cells), COLUMNS))
    return "\n" + "\n".join([first, "|" + ":---:|" * COLUMNS, *others]) + "\n"


def thumbnail(entry: Entry, docs: str = "") -> str:
    """A cell of a table. docs: where the folder docs/ is, for pages outside of it."""
    return f"[![{entry.title}]({docs}gallery/{entry.name}.webp)<br>**{entry.title}**]({docs}scenes.md#{anchor(entry.title)})"


def anchor(title: str) -> str:
    """Of a heading, as code hosts and the site name it."""
    return re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-")


def section(entry: Entry) -> str:
    """Picture, name, what it shows, how to run it, and where it is written."""
    level = "###" if entry.reference else "##"
    reference = f" (`{entry.reference}`)" if entry.reference else ""
    source = module_of(entry).rpartition(".")[2] + ".py"
    return f"""
{level} {entry.title}

![{entry.title}](gallery/{entry.name}.webp)

`{entry.name}`{reference}: {about(entry)} Shows: {", ".join(entry.features)}.

    redmax run {entry.name} --html {entry.name}.html

Written in [{source}](../src/redmax/scenes/{source}).
"""


def about(entry: Entry) -> str:
    """The sentence with which the scene's file begins."""
    text = sys.modules[module_of(entry)].__doc__ or entry.title + "."
    return " ".join(text.split("\n\n")[0].split())


def module_of(entry: Entry) -> str:
    return (entry.build.func if isinstance(entry.build, partial) else entry.build).__module__


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("names", nargs="*", help="scenes to make pictures of; all unless given")
    parser.add_argument("--page", action="store_true", help="write only the pages")
    wish = parser.parse_args()
    PICTURES.mkdir(exist_ok=True)
    for path, text in pages().items():
        write_text(path, text)
    names = [] if wish.page else [find(name).name for name in wish.names] or [entry.name for entry in CATALOGUE]
    with ProcessPoolExecutor(2) as pool:
        for done, name in enumerate(pool.map(make, names), 1):
            print(f"{done:3d} of {len(names)}  {name}", flush=True)


if __name__ == "__main__":
    main()
