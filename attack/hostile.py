"""Scene files that are made to do harm: read memory, take time or memory, reach other files, or fool who reads them."""

from __future__ import annotations

import os
import random
from collections.abc import Callable
from pathlib import Path

HEAD = "redmax: 1\n"
BODY = "bodies:\n  - {name: a, shape: {Sphere: {radius: 0.1}}, joint: Revolute, com: [0.3, 0, 0]}\n"


def scene(rng: random.Random, folder: Path) -> bytes:
    """One of them; folder: where it will lie, and where files lie that it includes."""
    return rng.choice(KINDS)(rng, folder).encode("utf-8", "surrogatepass")


def table(rng: random.Random, folder: Path) -> str:
    """A table that is smaller than its function declares, read at an index that is far outside."""
    declared, size = rng.choice(
        (("[10000, 10000, 1000]", 10**11), ("[10000, 10000]", 10**8), ("[10000]", 10**4), ("[2, 3]", 6), ("[1]", 1))
    )
    given = rng.choice(("[0.5]", "[0.5, 1, 2]", "[[0.5, 1], [2, 3]]", "[[0.5, 1, 2], [2, 3, 4]]", "[]", "0.5", "[[[0.5]]]"))
    start, stride = rng.choice((0, 0, 0, 1, size - 1, 10**6)), rng.choice((1, 1, 1, 2, 10**4))
    count = rng.choice((max(1, (size - start) // stride), max(1, (size - start) // stride), 1, 10**10))
    index = rng.choice(("const 1e18", "const -1e300", "const nan", "const inf", "const 99999", "const 1e11", "input q 0"))
    return f"""{HEAD}bodies:
  - shape: {{Sphere: {{radius: 0.1}}}}
    joint: {{joint: {{function: {{function: f}}, dof: 1, parameters: {{tab: {{Table: {given}}}}}}}}}
    q: {rng.choice((0.7, -0.3, 1))}
functions:
  f:
    arguments: {{q: [1]}}
    parameters: {{tab: {{table: {declared}}}}}
    returns: [[0, 1, 1, 6], [1, 0, 1, 1], [1, 1, 0, 5], [1, 1, 1, 0]]
    operations: |
      const 1.0
      const 0.0
      input q 0
      {index}
      mul 2 3
      gather tab {start} {stride} {count} {rng.choice((3, 4))}
      add 2 5
"""


def inputs(rng: random.Random, folder: Path) -> str:
    """A function that declares other sizes of its arguments than it is called with, and reads behind their ends."""
    size = rng.choice((0, 1, 2, 7, 100, 10_000))
    what = rng.choice(("q", "qdot", "t"))
    shapes = {"t": "[]", "q": "[1]", "qdot": "[1]", what: f"[{size}]"}
    return f"""{HEAD}bodies:
  - {{shape: {{Sphere: {{radius: 0.1}}}}, joint: Revolute, com: [0.3, 0, 0], torque: {{function: f}}}}
functions:
  f:
    arguments: {{t: {shapes["t"]}, q: {shapes["q"]}, qdot: {shapes["qdot"]}}}
    returns: [0]
    operations: |
      input {what} {max(size - 1, 0)}
"""


def sizes(rng: random.Random, folder: Path) -> str:
    """Few characters that stand for much."""
    n = rng.choice((20, 60, 200, 1000, 10**5, 10**9))
    soft = "density: 1, youngs: 10, poisson: 0.3"
    choices = (
        f"deformables:\n  - Tetrahedra.box: {{size: [1, 1, 1], cells: [{n}, {n}, {n}], {soft}}}\n",
        f"deformables:\n  - Cloth: {{size: [1, 1], cells: [{n}, {n}], density: 1, stretch: 10}}\n",
        f"deformables:\n  - SpringChain: {{start: [0, 0, 0], end: [1, 0, 0], count: {n * 100}, mass: 1, stiffness: 10}}\n",
        *(
            f"deformables:\n{f'  - Cloth: {{size: [1, 1], cells: [{c}, {c}], density: 1, stretch: 10}}{chr(10)}' * k}"
            for c, k in ((100, 30), (5, 900))
        ),
        f"bodies:\n  - {{shape: {{Extrusion: {{outline: {ring(min(n, 9000), rng)}, depth: 0.1}}}}, joint: Free}}\n",
        BODY + f"forces:\n  - Cable: {{points: [{', '.join(['a', '[0, 0, 1]'] * min(n, 10_000))}], stiffness: 10}}\n",
        "parameters:\n  p0: 1\n" + "".join(f"  p{i}: p{i - 1} + p{max(i - 2, 0)}\n" for i in range(1, min(n * 30, 30_000))) + BODY,
        "bodies:\n" + "".join(f"  - {{name: b{i}, shape: {{Sphere: {{radius: 1}}}}, joint: Free}}\n" for i in range(min(n * 3, 8000))),
        BODY + "forces:\n" + "".join(f"  - JointDamper: {{joint: nobody{i}, damping: 1}}\n" for i in range(min(n * 10, 20_000))),
        "bodies:\n" + "".join(f"  - {{name: b{i}, shape: {{Sphere: {{radius: 1}}}}, parent: c{i}}}\n" for i in range(min(n * 3, 12_000))),
        BODY + f"run: {{duration: {rng.choice(('1e15', '1e300', '100', '1e-300'))}, dt: {rng.choice(('1e-300', '1e-9', '1'))}}}\n",
        BODY + f"title: {'x' * min(n * 100, 10**7)}\n",
        f"bodies:\n  - {{shape: {{Composite: {{parts: [{', '.join(['[{Sphere: {radius: 1}}, [0, 0, 0]]'] * min(n, 9000))}]}}}}}}\n",
        BODY.replace("Revolute", f"{{CompositeJoint: {{sequence: [{', '.join(['Revolute'] * min(n, 300))}]}}}}"),
    )
    return HEAD + rng.choice(choices)


def ring(count: int, rng: random.Random) -> str:
    from math import cos, pi, sin

    wave = rng.choice((0.0, 0.3))
    points = ((2 * pi * i / count, 1 + wave * (i % 2)) for i in range(max(count, 3)))
    return "[" + ", ".join(f"[{r * cos(a):.6f}, {r * sin(a):.6f}]" for a, r in points) + "]"


def operations(rng: random.Random, folder: Path) -> str:
    """Functions of very many operations, or few that stand for large numbers."""
    n = rng.choice((100, 2000, 49_000, 60_000))
    line = rng.choice(
        ("mul {a} {a}", "add {a} {a}", "inv {a}", "exp {a}", "pow {a} {a}", "stumpff 40 {a}", "atan2 {a} {a}", "select {a} {a} 0")
    )
    text = "".join(f"      {line.format(a=i)}\n" for i in range(n))
    return (
        f"{HEAD}bodies:\n  - {{shape: {{Sphere: {{radius: 0.1}}}}, joint: Revolute, com: [0.3, 0, 0], torque: {{function: f}}}}\n"
        f"functions:\n  f:\n    arguments: {{t: [], q: [1], qdot: [1]}}\n    returns: [{n}]\n    operations: |\n      input q 0\n{text}"
    )


def bomb(rng: random.Random, folder: Path) -> str:
    """Aliases of aliases, and nesting."""
    if rng.random() < 0.3:
        depth = rng.choice((30, 100, 100_000))
        return HEAD + "title: " + rng.choice("[{")[0] * depth + ("]" * depth if rng.random() < 0.5 else "")
    levels, wide = rng.choice(((9, 9), (30, 2), (3, 100), (5, 10)))
    lines = [f"  a0: &a0 [{', '.join(['1'] * wide)}]"] + [f"  a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * wide)}]" for i in range(1, levels)]
    return HEAD + f"{rng.choice(('parameters', 'functions', 'junk'))}:\n" + "\n".join(lines) + "\n" + BODY


def include(rng: random.Random, folder: Path) -> str:
    """Files elsewhere, by paths and links; cycles; one file twenty times."""
    outside = folder.parent / f"{folder.name}-outside"
    link = folder / "input-link.yaml"
    how = rng.randrange(7)
    if how == 0:
        os.symlink(outside / "secret.yaml", link)
        return f"{HEAD}include: [input-link.yaml]\n"
    if how == 1:
        os.symlink(outside, link)
        return f"{HEAD}include: [input-link.yaml/secret.yaml]\n"
    if how == 2:
        (folder / "input-b.yaml").write_text(f"{HEAD}include: [{rng.choice(('input.yaml', 'input-b.yaml', './input-b.yaml'))}]\n")
        return f"{HEAD}include: [input-b.yaml]\n"
    if how == 3:
        many = rng.choice(
            (BODY * 1, "parameters:\n" + "".join(f"  p{i}: {i}\n" for i in range(20_000)), "title: " + "[1, " * 20 + "]" * 20 + "\n")
        )
        (folder / "input-b.yaml").write_text(HEAD + many)
        entries = ", ".join(f"{{file: input-b.yaml, prefix: n{i}}}" for i in range(20))
        return f"{HEAD}include: [{entries}]\n"
    if how == 4:
        os.mkfifo(folder / "input-pipe.yaml")
        return f"{HEAD}include: [input-pipe.yaml]\n"
    names = "../{}/secret.yaml", "{}/secret.yaml", "/etc/passwd", "/dev/zero", "/proc/self/environ", "/dev/stdin", "~/x.yaml", "..", "", "."
    name = rng.choice((*names, "a\\0b", "x" * 5000, "../" * 30 + "etc/passwd", "file:///etc/passwd", "http://127.0.0.1:9/x"))
    return f'{HEAD}include: ["{name.format(outside if name.startswith("{") else outside.name)}"]\n{BODY}'


def text(rng: random.Random, folder: Path) -> str:
    """Names and titles that steer a terminal, a page or a spreadsheet."""
    texts = (r"\e[2J\e[31m", r"\a\b", r"\u202e", "</script><script>alert(1)</script>", "=cmd|' /C calc'!A0", r"\x9b31m", r"a\rb", r"\0")
    evil = f'"{rng.choice(texts)}"'
    body = f"{{name: {evil}, shape: {{Sphere: {{radius: 0.1}}}}, joint: {evil}, parent: {evil}}}"
    return f"{HEAD}title: {evil}\nbodies:\n  - {body}\n{evil}: 1\n"


def numbers(rng: random.Random, folder: Path) -> str:
    """Numbers that cannot be, or that become so."""
    x = rng.choice(
        ("1" + "0" * 400, "1e999", "-1e308*10", "1/0", "0**-1", "10**400", "1e200**2", ".inf", "2**2**20", "9" * 5000, "1e-320", "nan")
    )
    place = rng.choice(("radius", "q", "mass", "gravity", "com", "torque", "stiffness", "parameter", "dt"))
    radius, mass = (x if place == what else "1" for what in ("radius", "mass"))
    extra = f", {place}: {x}" if place in ("q", "torque", "stiffness") else f", com: [{x}, 0, 0]" if place == "com" else ""
    head = f"gravity: [0, 0, {x}]\n" if place == "gravity" else f"parameters: {{k: {x}}}\n" if place == "parameter" else ""
    tail = f"run: {{duration: 1, dt: {x}}}\n" if place == "dt" else ""
    return f"{HEAD}{head}bodies:\n  - {{shape: {{Sphere: {{radius: {radius}, mass: {mass}}}}}, joint: Revolute{extra}}}\n{tail}"


KINDS: tuple[Callable[[random.Random, Path], str], ...] = (table, table, inputs, sizes, sizes, operations, bomb, include, text, numbers)
