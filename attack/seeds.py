"""What mutations begin with: every scene of the catalogue as it is saved, a file with each kind of thing, and files that are wrong."""

from __future__ import annotations

import json
import os
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
LARGE = 60_000  # characters; those are mutated too, but seldom

TABLES = """redmax: 1
bodies:
  - name: rider
    shape: {Sphere: {radius: 0.1}}
    joint:
      joint: {function: {function: along}, dof: 1, parameters: {tab: {Table: [[0.0, 0.1], [0.2, 0.15], [0.1, 0.3]]}, k: [2.0, 0.5]}}
    q: 0.4
    torque: {function: pull}
  - name: arm
    parent: rider
    shape: {Cuboid: {size: [0.3, 0.1, 0.1]}}
    joint: {SphericalEuler: {order: xyz}}
    com: [0.1, 0, 0]
    qdot: [1, 9, 3]
functions:
  along:
    arguments: {q: [1]}
    parameters: {tab: {table: [3, 2]}, k: [2]}
    returns: [[0, 1, 1, 6], [1, 0, 1, 5], [1, 1, 0, 7], [1, 1, 1, 0]]
    operations: |
      const 1.0
      const 0.0
      input q 0
      input k 0
      mul 2 3
      gather tab 0 2 3 4
      gather tab 1 2 3 4
      mul 2 2
  pull:
    arguments: {t: [], q: [1], qdot: [1]}
    returns: [7]
    operations: |
      input q 0
      const 3.0
      mul 0 1
      lookup 1.0,4.0,-2.0,0.5 2
      input qdot 0
      input t 0
      mul 4 5
      sub 3 6
"""


def seeds(folder: Path, quick: bool = False) -> dict[str, list[str]]:
    """Texts by where they come from, made once for a folder. quick: without the catalogue's large ones."""
    kept = folder / f"seeds-{'quick' if quick else 'all'}.json"
    if not kept.exists():
        draft = folder / f"seeds.{os.getpid()}"
        saved = catalogue(quick)
        large = [text for text in saved if len(text) >= LARGE]
        small = [text for text in saved if len(text) < LARGE]
        found = {
            "catalogue": small,
            "large": large or small[:1],
            "kinds": written_kinds(),
            "wrong": wrong_files(),
            "other": [TABLES, starter()],
        }
        draft.write_text(json.dumps(found))
        draft.replace(kept)
    return json.loads(kept.read_text())


def catalogue(quick: bool) -> list[str]:
    from redmax.io.save import scene_data
    from redmax.io.yaml_text import dumped
    from redmax.scenes import CATALOGUE

    chosen = [e for e in CATALOGUE if not quick or e.reference]  # the published ones are small
    return [dumped(scene_data(entry.scene())) for entry in chosen]


def written_kinds() -> list[str]:
    """A small scene with each kind, as the tests of files have them."""
    place = ROOT / "tests" / "io" / "test_reach.py"
    spec = spec_from_file_location("attack_reach", place)
    assert spec is not None
    assert spec.loader is not None
    reach = module_from_spec(spec)
    spec.loader.exec_module(reach)
    names = [*(k for k in reach.kinds() if k not in reach.WITHIN), "joint", "force"]
    return [reach.written(name) for name in names]


def wrong_files() -> list[str]:
    paths = sorted((ROOT / "tests" / "io" / "broken").glob("*.yaml"))
    return [p.read_bytes().decode("utf-8", "replace") for p in paths if p.stat().st_size < LARGE]


def starter() -> str:
    from redmax.io import starter as text

    return text()
