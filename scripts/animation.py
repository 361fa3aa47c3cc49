"""Makes the animation of the README, docs/images/sculpture.webp: some seconds of the scene that runs when none is named.

    python scripts/animation.py [PATH] [--scene NAME] [--start S] [--seconds S]

On white, without a grid, so that nothing is seen but the bodies and their shade. Its end fades out and its beginning in, so that it goes on
for ever without a jump and never shows a body twice; the first picture, which is what a page shows that plays no films, is a full one.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np

import redmax as rm
from redmax.run.trajectory import Trajectory
from redmax.scenes import DEFAULT, find
from redmax.view import stage_of
from redmax.view.picture.film import write_frames
from redmax.view.picture.paint import Painter
from redmax.view.picture.pictures import painter

PATH = Path(__file__).parents[1] / "docs" / "images" / "sculpture.webp"
SIZE, FPS, FADE = (1200, 720), 16, 0.4  # pixels, pictures per second, s
CAMERA = (-66, 18)  # degrees


def frames(scene: str, start: float, seconds: float) -> Iterator[np.ndarray]:
    """Pictures from where the beginning has faded in to where the end has faded out, and then those of the beginning."""
    entry = find(scene)
    run = rm.simulate(
        entry.scene(), max(entry.duration, np.ceil(start + seconds)), entry.dt, integrator=entry.integrator, dynamics=entry.dynamics
    )
    paint = clean_painter(run).paint
    fade, count = round(FADE * FPS), round(seconds * FPS)
    for k in (*range(fade, count), *range(fade)):
        share = min(1.0, (k + 1) / (fade + 1), (count - k) / (fade + 1))
        yield np.rint(255 + share * (paint(start + k / FPS) - 255.0)).astype(np.uint8)


def clean_painter(run: Trajectory) -> Painter:
    """Of bodies alone, on white: what joints look like is for the gallery."""
    stage = replace(stage_of(run), drawings=())
    usual = painter(stage, size=SIZE, camera=CAMERA, theme="light", background="white", marks=False)
    return replace(usual, theme=replace(usual.theme, grid=usual.theme.floor))


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("path", nargs="?", type=Path, default=PATH)
    parser.add_argument("--scene", default=DEFAULT)
    parser.add_argument("--start", type=float, default=0.0, help="s of the run")
    parser.add_argument("--seconds", type=float, default=6.0)
    wish = parser.parse_args()
    write_frames(wish.path, frames(wish.scene, wish.start, wish.seconds), SIZE, FPS)
    print(f"{wish.path}: {wish.path.stat().st_size / 1e6:.2f} MB")


if __name__ == "__main__":
    main()
