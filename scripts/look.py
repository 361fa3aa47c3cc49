"""Opens the animation of every scene of the catalogue in Chromium, without a network, and says which complain, or show nothing.

python scripts/look.py [--out FOLDER] [NAME ...]        pages, and sheets of twelve pictures each, go to the folder
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

import redmax as rm
from redmax.scenes import CATALOGUE, Entry

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
from browser.conftest import FLAGS
from browser.playing import opened
from browser.watched import Record, colours, picture

SIZE, ACROSS, DOWN = (960, 600), 3, 4
LEAST_COLOURS = 20  # in the middle of the view: the ground alone has fewer


def exported(entry: Entry, folder: Path) -> tuple[Path, float]:
    """The page of a scene, and the time in the middle of its run."""
    run = rm.simulate(entry.scene(), entry.duration, entry.dt, integrator=entry.integrator, dynamics=entry.dynamics)
    return run.html(folder / f"{entry.name}.html"), float(run.t[len(run.t) // 2])


def seen(browser: Any, path: Path, t: float) -> tuple[np.ndarray, list[str]]:
    """A picture of the page, and what is wrong with it."""
    context, record = browser.new_context(viewport=dict(zip(("width", "height"), SIZE, strict=True))), Record()
    context.on("page", record.watch)
    image = picture(opened(context.new_page(), path, f"paused&t={t}"))
    context.close()
    empty = colours(image[80:480, 20:600]) < LEAST_COLOURS
    return image, [*record.complaints, *record.strange_requests, *(["nothing is seen"] if empty else [])]


def sheet(images: list[np.ndarray], path: Path) -> None:
    """Pictures side by side."""
    whole = Image.new("RGB", (ACROSS * SIZE[0], -(-len(images) // ACROSS) * SIZE[1]))
    for i, image in enumerate(images):
        whole.paste(Image.fromarray(image), (i % ACROSS * SIZE[0], i // ACROSS * SIZE[1]))
    whole.save(path)


def main() -> int:
    from playwright.sync_api import sync_playwright

    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("names", nargs="*")
    arguments.add_argument("--out", type=Path, default=Path("out/pages"))
    asked = arguments.parse_args()
    asked.out.mkdir(parents=True, exist_ok=True)
    images, wrong = [], 0
    with sync_playwright() as p:
        browser = p.chromium.launch(executable_path="/usr/bin/chromium", args=FLAGS)
        for entry in CATALOGUE:
            if asked.names and entry.name not in asked.names:
                continue
            path, t = exported(entry, asked.out)
            image, faults = seen(browser, path, t)
            images.append(image)
            wrong += bool(faults)
            print(f"{entry.name:28} {path.stat().st_size / 1e6:5.2f} MB  {'; '.join(faults) or 'good'}", flush=True)
        browser.close()
    for k in range(0, len(images), ACROSS * DOWN):
        sheet(images[k : k + ACROSS * DOWN], asked.out / f"sheet-{k // (ACROSS * DOWN) + 1}.png")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
