"""A fresh process for `catalogue`: processor time to load each scene file of a folder and to run it, as JSON. Arguments: folder, steps.

With `save` in the place of the steps, the folder is filled instead: each scene of the catalogue as a file, and how it is run.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from time import process_time

import redmax as rm
import redmax.backends.llvm.executable


def save(folder: Path) -> None:
    from redmax.scenes import CATALOGUE

    how = {e.name: {"dt": e.dt, "integrator": e.integrator, "dynamics": e.dynamics} for e in CATALOGUE}
    for entry in CATALOGUE:
        entry.scene().save(folder / f"{entry.name}.yaml")
    (folder / "how.json").write_text(json.dumps(how))


def measured(folder: Path, steps: int) -> dict[str, list[float]]:
    """(load, run) of each scene, s."""
    found: dict[str, list[float]] = {}
    for name, how in json.loads((folder / "how.json").read_text()).items():
        begin = process_time()
        scene = rm.Scene.load(folder / f"{name}.yaml")
        model = scene.model()
        loaded = process_time()
        rm.simulate(model, steps * how["dt"], progress=False, **how)
        found[name] = [loaded - begin, process_time() - loaded]
    return found


if __name__ == "__main__":
    if sys.argv[2] == "save":
        save(Path(sys.argv[1]))
    else:
        print(json.dumps(measured(Path(sys.argv[1]), int(sys.argv[2]))))
