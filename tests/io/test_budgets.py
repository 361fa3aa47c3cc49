"""Small files that ask for much (bombs.py) are refused within two seconds and 500 MB, by a sentence that says how to read one's own."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import time
from pathlib import Path

import pytest

import redmax as rm
from random_examples import LONG
from redmax.cli import main
from redmax.errors import MOST, near_names
from redmax.io import SceneFileError, budget, check, load, loads, parameters
from redmax.model.names import Names
from redmax.trace import Graph
from redmax.trace.products import factors

sys.path.insert(0, str(Path(__file__).parent))
import bombs

SECONDS, MEGABYTES = 2.0, 500.0
REFUSED = {  # by the budget; each before anything of that size is made
    "nested_aliases": 12, "one_alias_many_times": 100, "long_prefix": 5, "long_name_of_many_nodes": 2, "chained_parameters": 30,
    "many_stumpff_functions": 49, "long_product": 16, "table_read_many_times": 8,
    "huge_cloth": 9, "box_of_tetrahedra": 100, "star_of_many_corners": 40,
    "nested_outlines": 80, "long_cable_of_aliases": 100, "one_mesh_many_times": 40,
}  # fmt: skip
READ = {  # in time
    "squares_of_squares": 40, "squared_operations": 2, "large_wrong_values": 16, "many_keys": 5,
    "empty_lines_and_a_mistake": 4, "blanks_in_an_array": 4, "growing_numbers": 10, "many_holes": 5, "taken_names": 5,
}  # fmt: skip
if LONG:  # a second of each kind
    REFUSED |= {"many_cloths": 40, "one_file_many_times": 20}
    READ |= {"unknown_names_of_parameters": 20}
CHILD = """
import json, sys, time, warnings
from pathlib import Path
warnings.simplefilter("ignore")
from redmax.io import check
for path in sys.argv[1:]:
    began = time.process_time()
    problems = check(path)
    peak = next(int(line.split()[1]) / 1024 for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmHWM"))
    print(json.dumps([path, time.process_time() - began, peak, [str(p) for p in problems][:1]]))
"""


def test_no_small_file_takes_long_or_much_memory(tmp_path):
    """Read one after the other in a process of its own, of which the peak of memory is that of all so far."""
    paths: list[Path] = []
    for name, n in (REFUSED | READ).items():
        (tmp_path / name).mkdir()
        for file, text in bombs.files(name, n).items():
            (tmp_path / name / file).write_text(text, encoding="utf-8")
        paths.append(tmp_path / name / bombs.SCENE)
    done = subprocess.run([sys.executable, "-c", CHILD, *map(str, paths)], check=True, capture_output=True, text=True, timeout=300)
    for name, line in zip(REFUSED | READ, done.stdout.splitlines(), strict=True):
        _, took, peak, said = json.loads(line)
        assert took < SECONDS, name
        assert peak < MEGABYTES, name
        assert ("the budget of" in "".join(said)) == (name in REFUSED), (name, said)


def test_the_limit_says_what_is_too_much_where_and_how_to_raise_it(tmp_path, capsys):
    path = tmp_path / "cloth.yaml"
    path.write_text(bombs.files("cloth", 100)[bombs.SCENE])
    assert main(["check", str(path)]) == 2
    said = capsys.readouterr().err
    found = re.fullmatch(
        r".*cloth\.yaml:3: Cloth: with 4,004,001 nodes of deformables the scene takes ([\d.]+) times the budget of work .*"
        r"--budget (\d+), Scene\.load\(path, budget=\2\) or REDMAX_BUDGET=\2\.\n",
        said,
    )
    assert found, said
    assert float(found[1]) < float(found[2])


def test_one_may_raise_it_for_files_of_ones_own(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(budget, "WORK", budget.WORK / 20)  # so that little is much
    few, path = bombs.files("many_bodies", 1)[bombs.SCENE], tmp_path / "mine.yaml"
    with pytest.raises(SceneFileError, match="the budget of work"):
        loads(few)
    assert len(loads(few, budget=3).links) == 200
    path.write_text(few)
    assert len(rm.Scene.load(path, budget=3).links) == len(load(path, budget=3).links) == 200
    assert check(path)
    assert check(path, budget=3) == []
    assert parameters(path, budget=3) == {}
    assert main(["check", str(path)]) == 2
    assert main(["check", str(path), "--budget", "3"]) == 0
    assert "200 bodies" in capsys.readouterr().out
    monkeypatch.setenv("REDMAX_BUDGET", "3")
    assert check(path) == []
    monkeypatch.setenv("REDMAX_BUDGET", "lots")
    with pytest.raises(rm.SceneError, match="REDMAX_BUDGET is 'lots', expected a number greater than 0"):
        loads(few)
    for wrong in (0, -1, float("nan"), float("inf"), True, "much"):
        with pytest.raises(rm.SceneError, match=r"budget is .*, expected a number greater than 0"):
            loads(few, budget=wrong)  # type: ignore[arg-type]


def test_what_is_made_in_python_is_not_limited(monkeypatch):
    monkeypatch.setattr(budget, "WORK", 1.0)
    scene = rm.Scene()
    scene.add_deformable(rm.Cloth((1, 1), (20, 20), density=1, stretch=1))
    scene.add_body(rm.Sphere(1.0), joint=rm.joint(lambda q: rm.pose(rm.rotation_about("z", q[0]), (0, 0, 0)), 1))
    assert len(scene.model().links) == 442


def test_what_is_too_much_is_one_mistake_among_others():
    text = (
        "redmax: 1\ndeformables:\n  - Cloth: {size: [1, 1], cells: [90000, 90000], density: 1, stretch: 1}\nbodies:\n  - {shape: Spher}\n"
    )
    with pytest.raises(SceneFileError) as error:
        loads(text)
    assert [p.line for p in error.value.problems] == [3, 5]


def test_the_budget_is_of_all_files_together(tmp_path):
    for file, text in bombs.files("one_file_many_times", 6).items():
        (tmp_path / file).write_text(text)
    assert "the budget of work" in check(tmp_path / bombs.SCENE)[0].message
    once = "".join((tmp_path / bombs.SCENE).read_text().splitlines(keepends=True)[:3])
    (tmp_path / bombs.SCENE).write_text(once)
    assert check(tmp_path / bombs.SCENE) == []


# Quadratic work that is not needed


def least(function, *arguments, tries: int = 3) -> float:
    """Processor time, of the quickest."""
    times: list[float] = []
    for _ in range(tries):
        began = time.process_time()
        function(*arguments)
        times.append(time.process_time() - began)
    return min(times)


def chained(n: int) -> None:
    scene, shape, parent = rm.Scene(), rm.Cuboid((1, 1, 1)), None
    for i in range(n):
        parent = scene.add_body(shape, name=f"link {i}", joint=rm.Revolute("y"), parent=parent if i % 9 else None)
    scene.model()


def cabled(n: int) -> None:
    scene = rm.Scene()
    body = scene.add_body(rm.Sphere(1.0), joint=rm.Free())
    scene.add_force(rm.Cable([body.point(i, 0, 1) if i % 2 else (i, 0, 0) for i in range(n)], stiffness=1))
    scene.model()


def activated(n: int) -> None:
    scene = rm.Scene()
    body = scene.add_body(rm.Sphere(1.0), joint=rm.Free())
    for _ in range(n):
        scene.add_force(rm.Muscle([body.point(0, 0, 1), (0, 0, 0)], force=1, optimal_length=1, excitation=0.5))
        scene.add_force(rm.JointDamper(body, 1.0))
    scene.model()


def extruded(n: int) -> None:
    rm.Extrusion(bombs.things.ring(n), 1.0)


def meshed(n: int) -> None:
    rm.Extrusion(bombs.things.ring(n), 1.0).mesh()


def parametrised(n: int) -> None:
    loads("redmax: 1\nparameters:\n  p0: 1\n" + "".join(f"  p{i}: p{i - 1} + 1\n" for i in range(1, n)) + bombs.registry.BODY)


@pytest.mark.parametrize(
    ("function", "n"),
    [(chained, 250), (cabled, 250), (activated, 40), (extruded, 1000), (meshed, 250), (parametrised, 300)],
    ids=lambda x: getattr(x, "__name__", ""),
)
def test_four_times_as_many_take_about_four_times_as_long(function, n):
    function(n)
    few = least(function, n)
    assert any(least(function, 4 * n, tries=1) < 9 * few for _ in range(3))


def test_of_many_names_only_some_are_compared():
    asked = 0

    def names():
        nonlocal asked
        while True:
            asked += 1
            yield f"name {asked}"

    assert near_names("name 7", names())[0] == "name 7"
    assert asked <= MOST + 1
    assert near_names("x" * 10_000, ["x" * 9_999]) == []


def test_products_of_products_have_few_factors():
    x = Graph().input("x", 0)
    power = x
    for _ in range(60):
        power = power * power
    assert len(factors(power)) <= 64
    deep = x
    for _ in range(3_000):
        deep = deep * (x + 1.0)
    assert len(factors(deep)) <= 64
    y = Graph().input("y", 0)
    assert [f is y for f in factors(y * y * y)] == [True] * 3


def test_names_are_found_while_the_list_changes():
    class Thing:
        def __init__(self, name: str) -> None:
            self.name = name

    things, names = [Thing("a"), Thing("body3")], Names("name")
    assert (names.place(things, "a"), names.place(things, "b")) == (0, None)
    assert names.free(things, "body") == "body4"
    things.append(Thing("b"))
    assert names.place(things, "b") == 2
    things[0] = Thing("c")
    assert names.place(things, "a") is None
    del things[0]
    assert (names.place(things, "b"), names.place(things, "c")) == (1, None)
