"""Makes the pictures of docs/tutorial.md, docs/howto and others from the code on those pages: python scripts/tutorial_pictures.py

Each page's Python blocks run in order, in a folder of their own; after the block that ends with a run, its picture is taken.
"""

from __future__ import annotations

import os
import re
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

DOCS = Path(__file__).resolve().parents[1] / "docs"
BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
# The page, a text of the block after which to look, the name of the picture, and what to take of the run.
SHOTS: list[tuple[str, str, str, dict[str, Any]]] = [
    ("tutorial.md", 'run.html("pendulum.html")', "tutorial-pendulum.jpg", {"t": 0.25, "camera": (-70, 12, 1.0)}),
    ("tutorial.md", 'run.html("sprung.html")', "tutorial-sprung.jpg", {"t": 0.3, "camera": (-70, 12, 1.0)}),
    ("tutorial.md", 'run.html("trolley.html")', "tutorial-trolley.jpg", {"t": 1.1, "camera": (-65, 12, 1.0)}),
    ("howto/loop.md", "exact = rm.simulate", "four-bar.jpg", {"t": 0.1, "camera": (-75, 10, 1.0), "run": "exact"}),
    ("constraints.md", "rm.PointOnCurve(bead", "bead.jpg", {"t": 1.6, "camera": (-60, 15, 1.0)}),
    ("constraints.md", "rm.Belt([left", "atwood.jpg", {"t": 0.3, "camera": (-65, 12, 1.0)}),
    ("contact.md", 'title="Dominoes"', "dominoes.jpg", {"t": 0.62, "camera": (-60, 14, 1.0), "reactions": True, "fit": "moment"}),
    ("contact.md", 'title="Slope"', "slope.jpg", {"t": 0.4, "camera": (-60, 14, 1.0), "reactions": True, "ground": False}),
    ("howto/muscle.md", 'run.html("elbow.html")', "elbow.jpg", {"t": 0.5, "camera": (-60, 8, 1.0)}),
]
# The page, a text of the block after which to plot, the name of the picture, and what of the run.
PLOTS: list[tuple[str, str, str, str]] = [
    ("tutorial.md", 'run.plot("energy.png")', "tutorial-energy.png", "energy"),
    ("howto/control.md", 'run.plot("torques.png"', "torques.png", "torques"),
    ("howto/constraint_forces.md", 'run.plot("constraints")', "constraint-forces.png", "constraints"),
    ("howto/whole.md", 'run.plot("diver.png"', "diver.png", "center-of-mass"),
]


def main() -> None:
    for page in dict.fromkeys(shot[0] for shot in (*SHOTS, *PLOTS)):
        namespace: dict[str, Any] = {"__name__": page, "np": np}
        for block in BLOCK.findall((DOCS / page).read_text("utf-8")):
            exec(compile(block, page, "exec"), namespace)
            for name, how in (s[2:] for s in SHOTS if s[0] == page and s[1] in block):
                run = namespace[how.get("run", "run")]
                run.picture(DOCS / "images" / name, size=(960, 540), **{k: v for k, v in how.items() if k != "run"})
            for name, what in (p[2:] for p in PLOTS if p[0] == page and p[1] in block):
                namespace["run"].plot(DOCS / "images" / name, what=what)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        main()
