"""Small files that ask for much: functions."""

from __future__ import annotations

import numpy as np

from bombs.registry import BODY, bomb, encoded


def trace(operations: str, returns: object, arguments: str = "q: [1]", parameters: str = "") -> str:
    lines = "".join(f"      {line}\n" for line in operations.splitlines())
    more = f"    parameters: {{{parameters}}}\n" if parameters else ""
    return f"functions:\n  f:\n    arguments: {{{arguments}}}\n{more}    returns: {returns}\n    operations: |\n{lines}"


def turning(operations: list[str]) -> str:
    """A rotation about z by the last of these operations, which begin with number 0 for q[0]."""
    k = len(operations)
    last = [*operations, f"cos {k - 1}", f"sin {k - 1}", "const 0.0", f"neg {k + 1}", "const 1.0"]
    c, s, zero, minus, one = range(k, k + 5)
    return trace("\n".join(last), [[c, minus, zero, zero], [s, c, zero, zero], [zero, zero, one, zero], [zero, zero, zero, one]])


JOINT = "bodies:\n  - {shape: {Sphere: {radius: 0.1}}, joint: {joint: {dof: 1, function: {function: f}}}}\n"


@bomb
def squared_operations(n: int) -> str:
    return turning(["input q 0", *(f"mul {i} {i}" for i in range(20 * n)), f"add {20 * n} {20 * n - 1}"]) + JOINT


@bomb
def long_product(n: int) -> str:
    return turning(["input q 0", "mul 0 0", *(f"mul {i} 0" for i in range(1, 1000 * n)), f"sub {1000 * n} {1000 * n - 1}"]) + JOINT


@bomb
def many_operations(n: int) -> str:
    return turning(["input q 0", *(f"sin {i}" for i in range(1000 * n))]) + JOINT


@bomb
def many_stumpff_functions(n: int) -> str:
    return turning(["input q 0", *(f"stumpff 40 {i}" for i in range(1000 * n))]) + JOINT


@bomb
def many_sines_of_sums(n: int) -> str:
    lines = ["input q 0", "sin 0"]
    for _ in range(300 * n):
        lines += [f"add {len(lines) - 1} 0", f"sin {len(lines)}"]
    return turning(lines) + JOINT


@bomb
def many_operations_used_many_times(n: int) -> str:
    text = turning(["input q 0", *(f"sin {i}" for i in range(2000))])
    bodies = "".join(
        f"  - {{shape: {{Sphere: {{radius: 0.1}}}}, joint: {{joint: {{dof: 1, function: {{function: f}}, domain: [0, {1 + i / 7}]}}}}}}\n"
        for i in range(n)
    )
    return f"{text}bodies:\n{bodies}"


@bomb
def operations_without_checks(n: int) -> str:
    text = trace("\n".join(["input t 0", *(f"sin {i}" for i in range(200 * n))]), [200 * n] * 3, "t: []")
    return f"{text}{BODY}wrenches:\n" + "  - {on: a, force: {function: f}}\n" * 20 * n


@bomb
def empty_operations(n: int) -> str:
    newlines = r"\n" * 500_000 * n  # as an escape of YAML
    return f'functions:\n  f:\n    arguments: {{t: []}}\n    returns: 0\n    operations: "const 1.0{newlines}"\n{BODY}'


@bomb
def wrong_operations(n: int) -> str:
    return trace("\n".join(["nonsense 1 2 3"] * 1000 * n), 0, "t: []") + BODY


@bomb
def constant_table(n: int) -> str:
    return trace(f"input t 0\nlookup {','.join(['12.5'] * 50_000 * n)} 0", [1, 1, 1], "t: []") + BODY


@bomb
def table_read_many_times(n: int) -> str:
    count = 5_000 * n
    lines = ["input q 0", *(f"gather tab {i} 1 {count - i} {i}" for i in range(200))]
    text = turning(lines).replace("arguments: {q: [1]}", f"arguments: {{q: [1]}}\n    parameters: {{tab: {{table: [{count}]}}}}")
    table = f"{{Table: {encoded(np.linspace(0, 1, count))}}}"
    return f"{text}{JOINT}".replace("{function: f}", f"{{function: f}}, parameters: {{tab: {table}}}")


@bomb
def large_parameter(n: int) -> str:
    count = 50_000 * n
    text = turning(["input q 0", "input k 0", "mul 0 1"])
    text = text.replace("arguments: {q: [1]}", f"arguments: {{q: [1]}}\n    parameters: {{k: [{count}]}}")
    return f"{text}{JOINT}".replace("{function: f}", f"{{function: f}}, parameters: {{k: {encoded(np.ones(count))}}}")


@bomb
def material_over_many_tetrahedra(n: int) -> str:
    chain = "\n".join(["input mu 0", *(f"sin {i}" for i in range(1000))])
    other = trace("\n".join(["input mu 0", "input lam 0"]), [0, 1], "mu: [], lam: []").replace("f:", "g:").partition("\n")[2]
    functions = trace(chain, [1000, 1000], "mu: [], lam: []") + other
    law = "{material: {own: {function: f}, nominal: {function: g}, density: 'mu*(F[0,0]-1)**2', stress: F}}"
    box = f"Tetrahedra.box: {{size: [1, 1, 1], cells: [10, 10, {n}], density: 1, youngs: 1, poisson: 0.3, material: {law}}}"
    return f"{functions}deformables:\n  - {box}\n"
