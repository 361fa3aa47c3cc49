"""Nothing of a file reaches memory: tables, arrays and numbers are what their function declares, or the file has a mistake.

What would read beyond its table ends the process, so that it is tried in another one.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import h5py
import pytest

import redmax as rm
from redmax.io import SceneFileError, loads
from results import crafted

JOINT = """redmax: 1
functions:
  f:
    arguments: {{q: [1]}}
    parameters: {{tab: {declared}}}
    returns: [[1, 2, 2, 0], [2, 1, 2, 2], [2, 2, 1, 6], [2, 2, 2, 1]]
    operations: |
      input q 0
      const 1.0
      const 0.0
      const 1000000000000.0
      mul 0 3
      gather tab {span} 4
      mul 5 2
bodies:
  - name: a
    shape: {{Sphere: {{radius: 0.1}}}}
    joint: {{joint: {{function: {{function: f}}, dof: 1, check: false, parameters: {{tab: {given}}}}}}}
    q: 0.5
    qdot: 1.0
run: {{duration: 0.02, dt: 0.01, integrator: rk4}}
"""
FORCE = """redmax: 1
functions:
  f:
    arguments: {{t: [], q: [1], qdot: [1]}}
    parameters: {{tab: {declared}}}
    returns: [3]
    operations: |
      input q 0
      const 1000000000000.0
      mul 0 1
      gather tab {span} 2
bodies:
  - {{name: a, shape: {{Sphere: {{radius: 0.1}}}}, joint: Prismatic, q: 0.5, qdot: 1.0}}
forces:
  - force: {{joint: a, torque: {{function: f}}, parameters: {{tab: {given}}}}}
run: {{duration: 0.02, dt: 0.01, integrator: rk4}}
"""
SITES = """redmax: 1
functions:
  f:
    arguments: {{site1: site}}
    parameters: {{tab: {declared}}}
    returns: [3, 0, 0]
    operations: |
      input site1.x 0
      const 1000000000000.0
      mul 0 1
      gather tab {span} 2
bodies:
  - {{name: a, shape: {{Sphere: {{radius: 0.1}}}}, joint: {{Prismatic: {{axis: x}}}}, q: 0.5, qdot: 1.0}}
forces:
  - force: {{bodies: [{{body: a}}], function: {{function: f}}, parameters: {{tab: {given}}}}}
run: {{duration: 0.02, dt: 0.01, integrator: rk4}}
"""
SCENES = {"joint": JOINT, "force": FORCE, "sites": SITES}
HUGE = {"declared": "{table: [10000, 10000, 1000]}", "span": "0 10000000 10000", "given": "{Table: [0.5]}"}
LARGE = {"declared": "{table: [2000000]}", "span": "0 1 2000000", "given": "{Table: [0.5]}"}
FITS = {"declared": "{table: [3]}", "span": "0 1 3", "given": "{Table: [0.5, 1.5, 2.5]}"}

ATTACK = """
import sys
import redmax as rm
from redmax.cli import main

for scene, crafted in zip(sys.argv[1::2], sys.argv[2::2]):
    print(main(["check", scene]), main(["run", scene]), end=" ")
    for load in (lambda: rm.simulate(rm.Scene.load(scene)), lambda: rm.load(crafted).energy.total):
        try:
            load()
        except rm.RedmaxError as error:
            print("refused" if "the parameter 'tab'" in str(error) or "numbers" in str(error) else error, end=" ")
"""


def put_scene(path: Path, text: str) -> None:
    """Let a result file carry another scene (with joints and coordinates as before), in the format that had no checksums."""
    with h5py.File(path, "r+", libver="v110") as file:
        crafted.version_1(file, path.parent)
        file["scene"][()] = text


def test_a_table_that_is_not_the_declared_one_is_refused_by_every_way_in(tmp_path):
    written, paths = tmp_path / "written.h5", []
    rm.simulate(loads(FORCE.format(**FITS)), duration=0.02, dt=0.01, integrator="rk4", progress=False, out=written, store=())
    for kind, text in SCENES.items():
        for name, attack in (("huge", HUGE), ("large", LARGE)):
            scene, carrier = tmp_path / f"{kind}-{name}.yaml", tmp_path / f"{kind}-{name}.h5"
            scene.write_text(text.format(**attack))
            carrier.write_bytes(written.read_bytes())
            put_scene(carrier, text.format(**attack))
            paths += [scene, carrier]
    ran = subprocess.run([sys.executable, "-c", ATTACK, *paths], capture_output=True, text=True, timeout=60, check=False)
    assert ran.stdout.split() == ["2", "2", "refused", "refused"] * 6, (ran.returncode, ran.stdout, ran.stderr[-500:])


@pytest.mark.parametrize(
    ("declared", "given"),
    [
        ("{table: [3]}", "{Table: [0.5, 1.5]}"),
        ("{table: [3]}", "{Table: [[0.5], [1.5], [2.5]]}"),
        ("{table: [3]}", "[0.5, 1.5, 2.5]"),
        ("{table: [3]}", "0.5"),
        ("{table: [3, 2]}", "{Table: [[1, 2, 3], [4, 5, 6]]}"),
        ("{table: []}", "{Table: [0.5]}"),
        ("{table: [0]}", "{Table: [0.5]}"),
        ("{table: [1, 1, 1, 1, 1]}", "{Table: [0.5]}"),
        ("{table: 3}", "{Table: [0.5]}"),
        ("{table: [true]}", "{Table: [0.5]}"),
        ("{table: [3.0]}", "{Table: [0.5, 1, 2]}"),
        ("{table: [-3]}", "{Table: [0.5]}"),
        ("[3]", "{Table: [0.5, 1.5, 2.5]}"),
        ("[3]", "[0.5, 1.5]"),
        ("[3]", "0.5"),
        ("[]", "[0.5]"),
        ("[]", "{Table: [0.5]}"),
        ("[2, 2]", "[1, 2, 3, 4]"),
        ("[2, 2]", "[[1, 2], [3]]"),
        ("site", "0.5"),
    ],
)
@pytest.mark.parametrize("kind", SCENES)
def test_a_parameter_is_compared_with_its_declaration(kind, declared, given):
    """With its line; where nothing of it is read, too."""
    text = SCENES[kind].format(declared=declared, given=given, span="0 1 1").replace("gather tab 0 1 1", "sin")
    lines = text.splitlines()
    places = [
        n for n, line in enumerate(lines, 1) if "{function: f}" in line or "tab: {" in line or "tab: [" in line or "tab: site" in line
    ]
    with pytest.raises(SceneFileError) as caught:
        loads(text)
    assert {p.line for p in caught.value.problems} <= set(places)
    assert "tab" in str(caught.value)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("q: [1]", "q: [2]"),
        ("q: [1]", "q: []"),
        ("q: [1]", "q: [1, 1]"),
        ("q: [1]", "q: [1000000]"),
        ("q: [1]", "q: site"),
        ("q: [1]", "q: {table: [1]}"),
        ("q: [1]", "q: [1], tab: []"),
        ("q: [1]", "q.x: [1]"),
        ("q: [1]", "class: [1]"),
        ("gather tab 0 1 3", "gather tab 1 1 3"),
        ("gather tab 0 1 3", "gather tab 0 2 2"),
        ("gather tab 0 1 3", "gather tab 0 1 0"),
        ("gather tab 0 1 3", "gather tab -1 1 3"),
        ("gather tab 0 1 3", "gather q 0 1 1"),
        ("gather tab 0 1 3 4", "gather tab 0 1 3 5"),
        ("gather tab 0 1 3 4", "lookup , 4"),
        ("gather tab 0 1 3 4", "stumpff 41 4"),
        ("gather tab 0 1 3 4", "stumpff -1 4"),
        ("gather tab 0 1 3 4", "input tab 3"),
        ("gather tab 0 1 3 4", "input tab -1"),
        ("gather tab 0 1 3 4", "gather tab 0 1 4294967297 4"),
        ("returns: [[1,", "returns: [[7,"),
        ("returns: [[1,", "returns: [[-1,"),
        ("returns: [[1,", "returns: [[true,"),
        ("returns: [[1,", "returns: [[{x: 1},"),
    ],
)
def test_what_a_trace_may_not_hold_is_said(old, new):
    text = JOINT.format(**FITS)
    assert old in text
    loads(text)
    with pytest.raises(SceneFileError):
        loads(text.replace(old, new))


LAW = """redmax: 1
functions:
  e: {{arguments: {{x: {x}, data: [1]}}, returns: {energy}, operations: "input x 0"}}
  f:
    arguments: {{x: {x}, data: [1]}}
    returns: {forces}
    operations: |
      input x 0
      const 0.0
deformables:
  - Deformable:
      nodes: [[0, 0, 0], [0, 0, -0.3], [0.1, 0, -0.5]]
      masses: [1, 1, 1]
      elements:
        - Elements:
            law: {{law: {{nodes: {nodes}, numbers: {numbers}, energy: {{function: e}}, forces: {{function: f}}}}}}
            nodes: {pairs}
            data: {data}
"""
GOOD = {
    "x": "[2, 3]", "energy": "0", "forces": "[[0, 1, 1], [1, 1, 0]]", "nodes": "2", "numbers": "1",
    "pairs": "[[0, 1], [1, 2]]", "data": "[[1.0], [2.0]]",
}  # fmt: skip
MATERIAL = """redmax: 1
functions:
  o: {{arguments: {{mu: [], lam: []}}, returns: {own}, operations: "input mu 0"}}
  d: {{arguments: {{F: {F}, mu: [], lam: []}}, returns: {density}, operations: "input F 0"}}
  s: {{arguments: {{F: [3, 3], mu: [], lam: []}}, returns: {stress}, operations: "input F 0"}}
deformables:
  - Tetrahedra.box:
      {{size: [0.2, 0.2, 0.2], cells: [1, 1, 1], density: 100, youngs: 10000, poisson: 0.3, material: {{material: {{own: {{function: o}},
        nominal: {{function: o}}, density: {{function: d}}, stress: {{function: s}}}}}}}}
"""
SOLID = {"own": "[0, 0]", "F": "[3, 3]", "density": "0", "stress": "[[0, 0, 0], [0, 0, 0], [0, 0, 0]]"}


@pytest.mark.parametrize(
    ("text", "good", "name", "value"),
    [(LAW, GOOD, *bad) for bad in (
        ("x", "[2, 2]"), ("x", "[3, 3]"), ("x", "[6]"), ("x", "[2, 3, 1]"), ("energy", "[0]"), ("energy", "[0, 0]"), ("energy", "[]"),
        ("forces", "0"), ("forces", "[0, 1, 1]"), ("forces", "[[0, 1, 1]]"), ("forces", "[[0, 1], [1, 1]]"), ("forces", "[[0], [0, 1]]"),
        ("forces", "[[0, 1, 1], [1, 1, 0], [0, 0, 0]]"), ("nodes", "3"), ("nodes", "0"), ("nodes", "-1"), ("nodes", "1000000000"),
        ("numbers", "2"), ("numbers", "0"), ("pairs", "[[0, 1], [1, 3]]"), ("pairs", "[[0, 1], [1, -1]]"), ("pairs", "[[0, 1e18], [1, 2]]"),
        ("pairs", "[[0, 0.5], [1, 2]]"), ("pairs", "[[0, 1, 2]]"), ("data", "[[1.0]]"), ("data", "[[1.0, 2.0], [3.0, 4.0]]"),
        ("data", "[1.0, 2.0]"),
    )]
    + [(MATERIAL, SOLID, *bad) for bad in (
        ("own", "0"), ("own", "[0]"), ("own", "[]"), ("F", "[9]"), ("F", "[3, 4]"), ("density", "[0]"), ("density", "[[0]]"),
        ("stress", "0"), ("stress", "[0, 0, 0]"), ("stress", "[[0, 0], [0, 0]]"), ("stress", "[[0], [0, 0], [0]]"),
    )],
)  # fmt: skip
def test_laws_and_materials_return_what_elements_need(text, good, name, value):
    loads(text.format(**good))
    with pytest.raises(SceneFileError):
        loads(text.format(**good | {name: value}))
