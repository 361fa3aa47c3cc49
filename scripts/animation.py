"""Makes the animation of the README, docs/images/sculpture.webp: some seconds of the scene that runs when none is named.

    python scripts/animation.py [PATH] [--scene NAME] [--start S] [--seconds S]

Its end fades into its beginning, so that it goes on for ever without a jump.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np

import redmax as rm
from redmax.scenes import DEFAULT, find
from redmax.view import stage_of
from redmax.view.picture.film import write_frames
from redmax.view.picture.pictures import painter

PATH = Path(__file__).parents[1] / "docs" / "images" / "sculpture.webp"
SIZE, FPS, FADE = (640, 400), 20, 0.8  # pixels, pictures per second, s
CAMERA = (-66, 15)  # degrees


def frames(scene: str, start: float, seconds: float) -> Iterator[np.ndarray]:
    """Pictures from the end of the fade on; those of the last FADE seconds go over into those of the first."""
    entry = find(scene)
    end = start + seconds + FADE
    run = rm.simulate(entry.scene(), max(entry.duration, np.ceil(end)), entry.dt, integrator=entry.integrator, dynamics=entry.dynamics)
    stage = replace(stage_of(run), drawings=())  # bodies alone: what joints look like is for the gallery
    paint = painter(stage, size=SIZE, camera=CAMERA, theme="light", marks=False).paint
    fade, count = round(FADE * FPS), round(seconds * FPS)
    for k in range(fade, count):
        yield paint(start + k / FPS)
    for k in range(fade):
        share = (k + 1) / (fade + 1)
        mixed = (1 - share) * paint(start + (count + k) / FPS) + share * paint(start + k / FPS)
        yield np.rint(mixed).astype(np.uint8)


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
