"""Small files that ask for much: names."""

from __future__ import annotations

from bombs.registry import SCENE, bomb


@bomb
def unknown_names_in_a_long_list(n: int) -> str:
    bodies = "".join(f"  - {{name: body_number_{i}, shape: {{Sphere: {{radius: 1}}}}, joint: Free}}\n" for i in range(40 * n))
    forces = "".join(f"  - BodyDamping: {{body: bodynumber{i}, damping: 1}}\n" for i in range(40 * n))
    return f"bodies:\n{bodies}forces:\n{forces}"


@bomb
def unknown_names_of_parameters(n: int) -> str:
    parameters = "".join(f"  {'a' * 30}{i}: 1\n" for i in range(500 * n))
    return f"parameters:\n{parameters}bodies:\n" + f"  - {{shape: {{Sphere: {{radius: {'a' * 35}}}}}}}\n" * 200


@bomb
def long_unknown_names(n: int) -> str:
    parameters = "".join(f"  {'ab' * 500}{i}: 1\n" for i in range(10 * n))
    return f"parameters:\n{parameters}bodies:\n" + f"  - {{shape: {{Sphere: {{radius: {'ba' * 500}}}}}}}\n" * 10 * n


@bomb
def long_names(n: int) -> str:
    name = "x" * 100_000
    return "bodies:\n" + "".join(f"  - {{name: {name}{i}, shape: {{Sphere: {{radius: 1}}}}, joint: Free}}\n" for i in range(n))


@bomb
def long_prefix(n: int) -> dict[str, str]:
    part = "bodies:\n" + "".join(f"  - {{name: b{i}, shape: {{Sphere: {{radius: 1}}}}, joint: Free}}\n" for i in range(500))
    return {SCENE: f"include:\n  - {{file: part.yaml, prefix: {'p' * 100_000 * n}}}\n", "part.yaml": part}


@bomb
def long_name_of_many_nodes(n: int) -> str:
    return f"deformables:\n  - Cloth: {{name: {'c' * 50_000 * n}, size: [1, 1], cells: [60, 60], density: 1, stretch: 1}}\n"


@bomb
def taken_names(n: int) -> str:
    shape = "shape: {Sphere: {radius: 1}}, joint: Free"
    named = "".join(f"  - {{name: body{50 * n + i}, {shape}}}\n" for i in range(50 * n))
    return f"bodies:\n{named}" + f"  - {{{shape}}}\n" * 50 * n
