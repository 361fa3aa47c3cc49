"""Mistakes: all at once, each at its line, with what was meant; and files that mean harm."""

from __future__ import annotations

import time

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from random_examples import examples
from redmax.io import SceneFileError, load, loads
from redmax.io.expressions import Expression, Wrong, number
from redmax.model.scene import Scene

MANY = """\
redmax: 1
parameters: {mass: 1.0, lenth: oops}
gravty: [0, 0, -1]
bodies:
  - name: upper
    shape: {Cubiod: {size: [1, 1, 1]}}
    joint: {Revolute: {axs: y}}
  - name: lower
    parent: uper
    shape: {Cuboid: {size: [1, 1]}}
    joint: {Revolute: {axis: w}}
    dampin: 0.1
  - name: third
    shape: {Sphere: {}}
    torque: [sin(x)]
    q: [.inf]
forces:
  - SpringDamper: {a: upper, b: lower, stiffness: -1, stifness: 2}
  - Cable: {points: [[0, 0, 1], {body: nobody}], stiffness: 2*masss}
  - Servo: {joint: lower, target: "import os", kp: 1}
deformables:
  - Cloth: {size: [1, 1], cells: [100000, 100000], density: 1, stretch: 1}
"""
EXPECTED = [
    (2, "'oops'"),
    (3, "Did you mean 'gravity'"),
    (6, "Did you mean 'Cuboid'"),
    (7, "Did you mean 'axis'"),
    (9, "Did you mean 'upper'"),
    (10, "three finite numbers"),
    (11, "axis is 'w'"),
    (12, "Did you mean 'damping'"),
    (14, "needs 'radius'"),
    (15, "'x'"),
    (16, "finite"),
    (18, "Did you mean 'stiffness'"),
    (19, "'nobody'"),
    (19, "Did you mean 'mass'"),
    (20, "is no expression"),
    (22, "budget"),
]


def problems(text: str):
    with pytest.raises(SceneFileError) as caught:
        loads(text)
    return caught.value.problems


def test_every_mistake_is_reported_at_its_line():
    found = problems(MANY)
    for line, words in EXPECTED:
        assert any(p.line == line and words in p.message for p in found), (line, words, [str(p) for p in found])
    assert len(found) == len(EXPECTED), [str(p) for p in found]


def test_a_correct_file_after_the_mistakes_are_gone(tmp_path):
    path = tmp_path / "scene.yaml"
    path.write_text("redmax: 1\nbodies:\n  - {shape: {Sphere: {radius: -1}}}\n")
    with pytest.raises(SceneFileError, match=r"scene\.yaml:3: .*greater than 0"):
        load(path)
    path.write_text("redmax: 1\nbodies:\n  - {shape: {Sphere: {radius: 1}}}\n")
    assert load(path).links[0].name == "body1"
    with pytest.raises(SceneFileError, match="there is no such file"):
        load(tmp_path / "absent.yaml")


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("", 1, "empty"),
        ("- a", 1, "mapping"),
        ("redmax: 2", 1, "version"),
        ("bodies: []", 1, "needs 'redmax'"),
        ("redmax: 1\nbodies: {a: 1}", 2, "list"),
        ("redmax: 1\nredmax: 1", 2, "twice"),
        ("redmax: 1\ntitle: [1", 2, "not YAML"),
        ("redmax: 1\nbodies:\n  - {name: a, shape: Sphere}", 3, "needs 'radius'"),
        ("redmax: 1\nbodies:\n  - {name: a, shape: 3}", 3, "expected a kind"),
        (
            "redmax: 1\nbodies:\n  - {name: a, shape: {Sphere: {radius: 1}}}\n  - {name: a, shape: {Sphere: {radius: 1}}}",
            4,
            "already a body",
        ),
        (
            "redmax: 1\nbodies:\n  - {name: a, parent: b, shape: {Sphere: {radius: 1}}}\n  - {name: b, shape: {Sphere: {radius: 1}}}",
            3,
            "later",
        ),
        ("redmax: 1\nbodies:\n  - {name: a, joint: Prismatic, shape: {Sphere: {radius: 1}}, torque: {function: f}}", 3, "no function 'f'"),
        ("redmax: 1\nmap: {q: [1]}\nbodies:\n  - {shape: {Sphere: {radius: 1}}}", 2, "either"),
        ("redmax: 1\nrun: {integrater: rk4}", 2, "Did you mean 'integrator'"),
        ("redmax: 1\nunits: 3", 2, "text"),
        ("redmax: 1\nfunctions:\n  f:\n    arguments: {t: []}\n    returns: [3]\n    operations: |\n      input t 0\n", 5, "returns"),
        (
            "redmax: 1\nfunctions:\n  f:\n    arguments: {t: []}\n    returns: [0]\n    operations: |\n      input t 0\n      evil 0\n",
            8,
            "evil",
        ),
        ("redmax: 1\ndeformables:\n  - {Cuboid: {size: [1, 1, 1]}}", 3, "no deformable"),
        ("redmax: 1\nforces:\n  - {Cuboid: {size: [1, 1, 1]}}", 3, "Cuboid is no force"),
    ],
)
def test_single_mistakes(text, line, words):
    found = problems(text)
    assert any(p.line == line and words in p.message for p in found), [str(p) for p in found]


@pytest.mark.parametrize(
    "text",
    [
        "redmax: 1\ntitle: !!python/object/apply:os.system ['true']",
        "redmax: 1\ntitle: !!python/name:os.system",
        "redmax: 1\ntitle: !custom x",
        "a: " + "[" * 5000 + "]" * 5000,
        "a: &a [x, x, x, x, x, x, x, x, x]\n"
        + "".join(f"{chr(98 + i)}: &{chr(98 + i)} [{', '.join(['*' + chr(97 + i)] * 9)}]\n" for i in range(12)),
        "a: &a [*a]",
        "redmax: 1\n---\nredmax: 1\n",
        "redmax: 1\nbodies:\n  - shape: {Mesh: {vertices: {array: {type: float64, shape: [1000000, 1000000], data: AAAA}}, faces: []}}",
        "redmax: 1\nbodies:\n  - shape: {Mesh: {vertices: {array: {type: object, shape: [1], data: AAAA}}, faces: []}}",
        "redmax: 1\nbodies:\n  - shape: {Mesh.load: {path: /etc/passwd}}",
        "redmax: 1\nbodies:\n  - shape: {Mesh: {path: /etc/passwd}}",
        "redmax: 1\nbodies:\n  - shape: {__import__: {name: os}}",
        "redmax: 1\nbodies:\n  - shape: {Sphere: {radius: 9**9**9**9}}",
        "redmax: 1\nbodies:\n  - shape: {Sphere: {radius: .nan}}",
        "redmax: 1\nparameters: {__class__: 1}\nbodies:\n  - shape: {Sphere: {radius: __class__.mro}}",
    ],
)
def test_files_that_mean_harm_are_refused_quickly(text):
    started = time.perf_counter()
    problems(text)
    assert time.perf_counter() - started < 5


@pytest.mark.parametrize(
    "text",
    [
        "__import__('os')",
        "().__class__",
        "t.real",
        "[1, 2]",
        "'a'",
        "lambda: 1",
        "(x for x in t)",
        "t if t",
        "q[t]",
        "q[0:1]",
        "f'{t}'",
        "t := 1",
        "sin",
        "sin()",
        "sin(1, 2)",
        "sin(x=1)",
        "open('a')",
        "1j",
        "True",
        "None",
        "q[0][0]",
        "1e999",
        "(" * 500 + "1" + ")" * 500,
        "-" * 5000 + "1",
        "1/0",
        "(-1)**0.5",
        "log(0)",
        "",
        "a b",
    ],
)
def test_expressions_know_nothing_but_arithmetic(text):
    with pytest.raises(Wrong):
        number(Expression(text, {"t": 1.0}), {"t": 1.0})


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("pi/4", 0.7853981633974483),
        ("2*n + 1", 7),
        ("-n**2", -9),
        ("where(n > 2, 10, 20)", 10),
        ("1 if 1 < n < 2 else 5", 5),
        ("min(n, 2) % 2", 0),
        ("not n > 2 or n == 3", 1),
        ("atan2(1, 1)", 0.7853981633974483),
        ("2**0.5", 2**0.5),
    ],
)
def test_expressions_are_pythons(text, value):
    assert number(Expression(text, {"n": 3}), {"n": 3}) == value


KEYS = st.sampled_from(
    [
        "redmax",
        "bodies",
        "forces",
        "name",
        "shape",
        "joint",
        "Sphere",
        "radius",
        "Revolute",
        "axis",
        "parent",
        "at",
        "q",
        "torque",
        "SpringDamper",
        "a",
        "b",
        "stiffness",
        "functions",
        "map",
        "twists",
        "body",
        "point",
        "array",
        "deformables",
        "Cloth",
        "kind",
        "parameters",
        "include",
        "run",
        "wrenches",
        "on",
        "CompositeJoint",
        "sequence",
        "Extrusion",
        "outline",
        "Muscle",
        "path",
    ]
)
LEAVES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-5, 5),
    st.floats(allow_nan=True),
    KEYS,
    st.text(max_size=5),
    st.sampled_from(["2*t", "q[0]", "1/0"]),
)
DATA = st.recursive(LEAVES, lambda x: st.one_of(st.lists(x, max_size=4), st.dictionaries(KEYS, x, max_size=4)), max_leaves=25)


def is_scene_or_has_problems(text: str) -> bool:
    try:
        return isinstance(loads(text), Scene)
    except SceneFileError as error:
        return len(error.problems) > 0


@examples(100, 300)
@given(st.dictionaries(KEYS, DATA, max_size=6))
def test_whatever_a_file_says_it_is_a_scene_or_has_mistakes(data):
    assert is_scene_or_has_problems(yaml.safe_dump({"redmax": 1} | data))


@examples(80, 200)
@given(st.text(max_size=200))
def test_any_text_is_a_scene_or_has_mistakes(text):
    assert is_scene_or_has_problems(text)
