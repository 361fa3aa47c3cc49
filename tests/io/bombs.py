"""Small files that ask for much: each a function of a number that says how much. What reading one takes must stay small for any number.

BOMBS has them all, by name: `files(name, n)` gives the texts by file name, of which SCENE is to be read.
"""

from __future__ import annotations

import base64
from collections.abc import Callable
from itertools import pairwise
from math import cos, pi, sin, sqrt

import numpy as np

SCENE = "scene.yaml"
HEAD = "redmax: 1\n"
BODY = "bodies:\n  - {name: a, shape: {Sphere: {radius: 0.1}}, joint: Free}\n"
ARM = "bodies:\n  - {name: a, shape: {Sphere: {radius: 0.1}}, joint: {Revolute: {axis: y}}, com: [1, 0, 0]}\n"
BOMBS: dict[str, Callable[[int], str | dict[str, str]]] = {}


def bomb(function: Callable[[int], str | dict[str, str]]) -> Callable[[int], str | dict[str, str]]:
    BOMBS[function.__name__] = function
    return function


def files(name: str, n: int) -> dict[str, str]:
    made = BOMBS[name](n)
    return {SCENE: HEAD + made} if isinstance(made, str) else {file: text if file != SCENE else HEAD + text for file, text in made.items()}


def flow(things: object) -> str:
    return str(things).replace("'", "")


def encoded(array: object, kind: str = "float64") -> str:
    given = np.ascontiguousarray(array, {"float64": "<f8", "int64": "<i8", "bool": "|b1"}[kind])
    return f"{{array: {{type: {kind}, shape: {list(given.shape)}, data: {base64.b64encode(given.tobytes()).decode()}}}}}"


def jointed(joint: str) -> str:
    return f"bodies:\n  - {{shape: {{Sphere: {{radius: 1}}}}, joint: {{{joint}}}}}\n"


# The text itself


@bomb
def many_items(n: int) -> str:
    return f"{BODY}gravity: [{','.join(['0'] * 1000 * n)}]\n"


@bomb
def many_mappings(n: int) -> str:
    return f"{BODY}gravity: [{','.join(['{a: {}}'] * 1000 * n)}]\n"


@bomb
def nested_aliases(n: int) -> str:
    lines = "".join(f"  k{i + 1}: &a{i + 1} [*a{i}, *a{i}, *a{i}, *a{i}]\n" for i in range(min(n, 30)))
    return f"{BODY}title:\n  k0: &a0 [1, 2, 3, 4]\n{lines}"


@bomb
def one_alias_many_times(n: int) -> str:
    return f"{BODY}title: &a [{','.join(['0'] * 100)}]\ngravity: [{','.join(['*a'] * 100 * n)}]\n"


@bomb
def long_text(n: int) -> str:
    return f"title: '{'x' * 1_000_000 * n}'\n{BODY}"


@bomb
def long_wide_text(n: int) -> str:
    return f"title: '\N{GRINNING FACE}{'x' * 1_000_000 * n}'\n{BODY}"


@bomb
def long_comment(n: int) -> str:
    return f"# {'x' * 1_000_000 * n}\n{BODY}"


@bomb
def empty_lines_and_a_mistake(n: int) -> str:
    newlines = "\n" * 1_000_000 * n
    return f"{BODY}{newlines}gravity: [1\n\tx: }}\n"


@bomb
def many_anchors(n: int) -> str:
    return f"{BODY}gravity: [{','.join(f'&a{i} 0' for i in range(1000 * n))}]\n"


@bomb
def many_keys(n: int) -> str:
    return BODY + "".join(f"key{i}: 1\n" for i in range(1000 * n))


@bomb
def twice_the_same_key(n: int) -> str:
    return BODY + "title: x\n" * 1000 * n


@bomb
def large_wrong_values(n: int) -> str:
    """Each of many mistakes has a large value to quote."""
    return f"units: &big [{','.join(['[1, 2, [3, 4]]'] * 5 * n)}]\nbodies:\n" + "  - {shape: *big, joint: *big, at: *big}\n" * 30


# Names


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


# Parameters and expressions


def parameters(expression: str, count: int) -> str:
    return "parameters:\n" + "".join(f"  p{i}: {expression}\n" for i in range(count)) + BODY


@bomb
def chained_parameters(n: int) -> str:
    return "parameters:\n  p0: 1\n" + "".join(f"  p{i}: p{i - 1} + 1\n" for i in range(1, 1000 * n)) + BODY


@bomb
def functions_of_many_parameters(n: int) -> str:
    parameters = "".join(f"  p{i}: {i}\n" for i in range(300 * n))
    return f"parameters:\n{parameters}{BODY}wrenches:\n" + "  - {on: a, force: [0, 0, 'sin(t)']}\n" * 100 * n


@bomb
def long_expressions(n: int) -> str:
    return parameters("+".join(["1.5"] * 490), 10 * n)


@bomb
def nested_parentheses(n: int) -> str:
    return parameters("(" * 90 + "1" + ")" * 90, 50 * n)


@bomb
def powers_of_powers(n: int) -> str:
    return parameters("**".join(["9"] * 200), 10 * n)


@bomb
def growing_numbers(n: int) -> str:
    return parameters("*".join(["999**64"] * 150), 10 * n)


@bomb
def many_digits(n: int) -> str:
    return parameters("1." + "9" * 3900, 50 * n)


@bomb
def squares_of_squares(n: int) -> str:
    """Whose factors would fill any memory."""
    power = "q[0]"
    for _ in range(min(n, 40)):
        power = f"({power})**16"
    return BODY.replace("Free", f"{{joint: {{dof: 1, function: {rotated(f'{power} - 2*{power}*q[0]')}}}}}")


def rotated(angle: str) -> str:
    a = angle
    return f"[['cos({a})', '-sin({a})', 0, 0], ['sin({a})', 'cos({a})', 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]]"


@bomb
def long_motion(n: int) -> str:
    """Which is differentiated twice."""
    angle = "+".join(f"0.001*sin({k + 2}*q[0])" for k in range(min(12 * n, 160)))
    return BODY.replace("Free", f"{{joint: {{dof: 1, function: {rotated(angle)}}}}}")


@bomb
def many_motions(n: int) -> str:
    bodies = "".join(
        f"  - {{shape: {{Sphere: {{radius: 0.1}}}}, joint: {{joint: {{dof: 1, function: {rotated(f'{i + 1}.5*q[0]')}}}}}}}\n"
        for i in range(2 * n)
    )
    return f"bodies:\n{bodies}"


@bomb
def many_kinds_of_motion(n: int) -> str:
    joint = "CurveOnCurve: {{parent: {{curves.Ellipse: {{a: {0}, b: 1}}}}, child: {{curves.Ellipse: {{a: 1, b: {0}}}}}}}"
    return "bodies:\n" + "".join(f"  - {{shape: {{Sphere: {{radius: 0.1}}}}, joint: {{{joint.format(i + 1.5)}}}}}\n" for i in range(n))


# Functions


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


# Many things, and things of many parts


@bomb
def many_bodies(n: int) -> str:
    return "bodies:\n" + "  - {shape: {Sphere: {radius: 0.1}}, joint: Free}\n" * 200 * n


@bomb
def long_chain_of_bodies(n: int) -> str:
    link = "{{name: b{0}, shape: {{Cuboid: {{size: [1, 1, 1]}}}}, joint: {{Revolute: {{axis: [1, 2, 3]}}}}, at: [0, 0, 1]{1}}}"
    return "bodies:\n" + "".join(f"  - {link.format(i, f', parent: b{i - 1}' if i else '')}\n" for i in range(200 * n))


@bomb
def many_forces(n: int) -> str:
    return f"{BODY}forces:\n" + "  - SpringDamper: {a: {body: a, point: [0, 0, 1]}, b: [0, 0, 0], stiffness: 1}\n" * 200 * n


@bomb
def many_joint_forces(n: int) -> str:
    bodies = "".join(f"  - {{name: b{i}, shape: {{Sphere: {{radius: 1}}}}, joint: Free}}\n" for i in range(50 * n))
    return f"bodies:\n{bodies}forces:\n" + "".join(f"  - JointSpring: {{joint: b{50 * n - 1}, stiffness: 0}}\n" for i in range(100 * n))


@bomb
def many_bushings(n: int) -> str:
    return f"{BODY}forces:\n" + "  - Bushing: {a: a, b: [0, 0, 0], translational: 1, rotational: 1}\n" * 100 * n


@bomb
def many_muscles(n: int) -> str:
    muscle = "Muscle: {path: [{body: a, point: [0, 0, 1]}, [0, 0, 0]], force: 1, optimal_length: 1, excitation: 'sin(t)**2'}"
    return f"{BODY}forces:\n" + f"  - {muscle}\n" * 100 * n


@bomb
def many_wrenches(n: int) -> str:
    return f"{BODY}wrenches:\n" + "  - {on: a, force: [0, 0, 'sin(t)']}\n" * 200 * n


@bomb
def many_twists(n: int) -> str:
    return f"{BODY}twists:\n" + "  - {body: a, rows: [0], velocity: ['sin(t)']}\n" * 200 * n


@bomb
def long_cable(n: int) -> str:
    points = ",".join(f"{{body: a, point: [{i}, 0, 1]}}, [{i}, 0, 0]" for i in range(100 * n))
    return f"{BODY}forces:\n  - Cable: {{points: [{points}], stiffness: 1}}\n"


@bomb
def long_cable_of_aliases(n: int) -> str:
    return f"{BODY}forces:\n  - Cable: {{points: [&p {{body: a, point: [0, 0, 1]}}, &w [0, 0, 0]{', *p, *w' * 100 * n}], stiffness: 1}}\n"


@bomb
def cable_over_many_bodies(n: int) -> str:
    bodies = "".join(f"  - {{name: b{i}, shape: {{Sphere: {{radius: 1}}}}, joint: Free}}\n" for i in range(50 * n))
    return f"bodies:\n{bodies}forces:\n  - Cable: {{points: [{', '.join(f'b{i}' for i in range(50 * n))}], stiffness: 1}}\n"


@bomb
def long_muscle(n: int) -> str:
    points = ", ".join(["{body: a, point: [0, 0, 1]}, [0, 0, 0]"] * 100 * n)
    return f"{BODY}forces:\n  - Muscle: {{path: [{points}], force: 1, optimal_length: 1}}\n"


@bomb
def force_on_many_bodies(n: int) -> str:
    names = [f"b{i}" for i in range(20 * n)]
    bodies = "".join(f"  - {{name: {name}, shape: {{Sphere: {{radius: 1}}}}, joint: Free}}\n" for name in names)
    energy = "+".join(f"site{i + 1}.x[0]**2" for i in range(min(20 * n, 60)))
    return f"bodies:\n{bodies}forces:\n  - force: {{bodies: [{', '.join(names)}], potential: '{energy}'}}\n"


@bomb
def moving_points(n: int) -> str:
    point = "{MovingPoint: {body: a, position: ['sin(q)', 'cos(q)', q], joint: a}}"
    return f"{ARM}forces:\n  - Cable: {{points: [[0, 0, 0], {', '.join([point] * 30 * n)}], stiffness: 1}}\n"


@bomb
def composite_of_many(n: int) -> str:
    parts = ", ".join(f"[{{Sphere: {{radius: 1}}}}, [{i}, 0, 0]]" for i in range(100 * n))
    return f"bodies:\n  - {{shape: {{Composite: {{parts: [{parts}]}}}}, joint: Free}}\n"


@bomb
def composite_of_composites(n: int) -> str:
    inner = "{Sphere: {radius: 1}}"
    for _ in range(min(n, 9)):
        inner = f"{{Composite: {{parts: [[{inner}, [1, 0, 0]], [{inner}, [0, 1, 0]]]}}}}"
    return f"bodies:\n  - {{shape: {inner}, joint: Free}}\n"


@bomb
def inverted_many_times(n: int) -> str:
    joint = "{Elliptic: {a: 2, b: 1}}"
    for _ in range(min(n, 15)):
        joint = f"{{Inverted: {{joint: {joint}}}}}"
    return f"bodies:\n  - {{shape: {{Sphere: {{radius: 1}}}}, joint: {joint}}}\n"


@bomb
def joint_of_many_joints(n: int) -> str:
    parts = ", ".join(["Universal", "[0, 0, 1]", "{Elliptic: {a: 2, b: 1}}", "[0, 1, 0]"] * n)
    return jointed(f"CompositeJoint: {{sequence: [{parts}]}}")


@bomb
def joint_of_many_fixed(n: int) -> str:
    parts = ", ".join(["Fixed", "[0, 0, 1]"] * 50 * n)
    return jointed(f"CompositeJoint: {{sequence: [{parts}, {{Elliptic: {{a: 2, b: 1}}}}]}}")


def ring(n: int, r: float = 1.0) -> list[tuple[float, float]]:
    return [(r * cos(2 * pi * i / n), r * sin(2 * pi * i / n)) for i in range(n)]


def extruded(outline: object, holes: str = "") -> str:
    return f"bodies:\n  - {{shape: {{Extrusion: {{outline: {outline}, depth: 1{holes}}}}}, joint: Free}}\n"


@bomb
def outline_of_many_corners(n: int) -> str:
    return extruded(encoded(ring(500 * n)))


@bomb
def star_of_many_corners(n: int) -> str:
    return extruded(encoded([(x * r, y * r) for i, (x, y) in enumerate(ring(400 * n)) for r in [1.0 if i % 2 else 0.01]]))


@bomb
def comb_of_many_teeth(n: int) -> str:
    c, s = 0.837, sqrt(1 - 0.837**2)
    teeth = [(x, y) for i in range(200 * n) for x, y in ((0.0, i), (300.0 * n, i + 0.5))] + [(-1.0, 200.0 * n), (-1.0, -1.0)]
    return extruded(encoded([(c * x - s * y, s * x + c * y) for x, y in teeth]))


@bomb
def crossing_outline(n: int) -> str:
    rng = np.random.default_rng(1)
    return extruded(encoded(rng.uniform(size=(100 * n, 2))))


@bomb
def many_holes(n: int) -> str:
    side = int(sqrt(100 * n)) + 1
    holes = [[(i % side + x, i // side + y) for x, y in ring(3, 0.2)] for i in range(100 * n)]
    return extruded([[-1, -1], [side, -1], [side, side], [-1, side]], f", holes: {encoded(holes)}")


@bomb
def nested_outlines(n: int) -> str:
    loops = [ring(3, 1.0 - i / (60 * n)) for i in range(30 * n)]
    return extruded(encoded(loops[::2]), f", holes: {encoded(loops[1::2])}")


def sphere(n: int) -> tuple[list[list[float]], list[list[int]]]:
    """A closed band between two poles."""
    top, bottom = n, n + 1
    vertices = [[*p, 0.0] for p in ring(n)] + [[0.0, 0.0, 1.0], [0.0, 0.0, -1.0]]
    around = [*pairwise(range(n)), (n - 1, 0)]
    return vertices, [[i, j, top] for i, j in around] + [[j, i, bottom] for i, j in around]


@bomb
def large_mesh(n: int) -> str:
    vertices, faces = sphere(5000 * n)
    mesh = f"Mesh: {{vertices: {encoded(vertices)}, faces: {encoded(faces, 'int64')}}}"
    return f"bodies:\n  - {{shape: {{{mesh}}}, joint: Free}}\n"


@bomb
def one_mesh_many_times(n: int) -> str:
    vertices, faces = sphere(1000)
    mesh = f"&m {{Mesh: {{vertices: {encoded(vertices)}, faces: {encoded(faces, 'int64')}}}}}"
    return f"bodies:\n  - {{shape: {mesh}, joint: Free}}\n" + "  - {shape: *m, joint: Free}\n" * 10 * n


@bomb
def one_array_many_times(n: int) -> str:
    array = encoded(np.zeros(200_000))
    return f"units: &a {array}\nbodies:\n" + "  - {shape: {Sphere: {radius: 1}}, joint: Free, q: *a}\n" * 10 * n


@bomb
def blanks_in_an_array(n: int) -> str:
    data = "A " * 500_000 * n
    return f'{BODY}gravity: {{array: {{type: float64, shape: [3], data: "{data}"}}}}\n'


@bomb
def array_of_a_huge_shape(n: int) -> str:
    return f"{BODY}gravity: {{array: {{type: float64, shape: [{10**n}, {10**n}], data: AAAA}}}}\n"


@bomb
def cloth(n: int) -> str:
    return f"deformables:\n  - Cloth: {{size: [1, 1], cells: [{20 * n}, {20 * n}], density: 1, stretch: 1, shear: 1, bend: 1}}\n"


@bomb
def huge_cloth(n: int) -> str:
    return f"deformables:\n  - Cloth: {{size: [1, 1], cells: [{10**n}, {10**n}], density: 1, stretch: 1, shear: 1, bend: 1}}\n"


@bomb
def many_cloths(n: int) -> str:
    return "deformables:\n" + "  - Cloth: {size: [1, 1], cells: [2, 2], density: 1, stretch: 1}\n" * 100 * n


@bomb
def box_of_tetrahedra(n: int) -> str:
    box = f"{{size: [1, 1, 1], cells: [{4 * n}, {4 * n}, {4 * n}], density: 1, youngs: 1, poisson: 0.3}}"
    return f"deformables:\n  - Tetrahedra.box: {box}\n"


@bomb
def thin_beam(n: int) -> str:
    beam = f"Tetrahedra.beam: {{length: 1, width: 1, height: 1, cells: [{500 * n}, 1, 1], density: 1, youngs: 1, poisson: 0.3}}"
    return f"deformables:\n  - {beam}\n"


@bomb
def chain_of_springs(n: int) -> str:
    return f"deformables:\n  - SpringChain: {{start: [0, 0, 0], end: [1, 0, 0], count: {1000 * n}, mass: 1, stiffness: 1}}\n"


@bomb
def many_tetrahedra(n: int) -> str:
    nodes = np.random.default_rng(1).uniform(size=(100, 3))
    tets = np.random.default_rng(2).permuted(np.tile(np.arange(100), (2000 * n, 1)), axis=1)[:, :4]
    law = "density: 1, youngs: 1, poisson: 0.3"
    return f"deformables:\n  - Tetrahedra: {{nodes: {encoded(nodes)}, tets: {encoded(tets, 'int64')}, {law}}}\n"


@bomb
def held_nodes(n: int) -> str:
    chain = f"SpringChain: {{start: [0, 0, 0], end: [1, 0, 0], count: {500 * n}, mass: 1, stiffness: 1}}"
    return f"{BODY}deformables:\n  - {chain}\n    attach:\n" + "".join(f"      - {{body: a, nodes: {i}}}\n" for i in range(250 * n))


@bomb
def held_by_array(n: int) -> str:
    chain = f"SpringChain: {{start: [0, 0, 0], end: [1, 0, 0], count: {2000 * n}, mass: 1, stiffness: 1}}"
    return f"{BODY}deformables:\n  - {chain}\n    attach: [{{body: a, nodes: {encoded(np.arange(1000 * n), 'int64')}}}]\n"


@bomb
def large_map(n: int) -> str:
    bodies = "  - {shape: {Sphere: {radius: 0.1}}, joint: {Revolute: {axis: y}}, com: [1, 0, 0]}\n" * 20 * n
    return f"bodies:\n{bodies}map: {{matrix: {encoded(np.ones((20 * n, 10 * n)))}}}\n"


# Curves, surfaces and splines


@bomb
def spline_of_many_frames(n: int) -> str:
    frames = np.tile(np.eye(4), (100 * n, 1, 1))
    frames[:, :3, 3] = [(i, sin(i), 0.0) for i in range(100 * n)]
    return jointed(f"SplineCurve: {{frames: {encoded(frames)}}}")


@bomb
def large_spline_surface(n: int) -> str:
    m = 10 * n
    values = np.zeros((m, m, 6))
    values[..., 0], values[..., 1] = np.meshgrid(np.arange(m), np.arange(m), indexing="ij")
    return jointed(f"SplineSurface: {{values: {encoded(values)}}}")


@bomb
def spline_surface_of_high_order(n: int) -> str:
    m = 4 * n
    values = np.zeros((m, m, 6))
    values[..., 0], values[..., 1] = np.meshgrid(np.arange(m), np.arange(m), indexing="ij")
    return jointed(f"SplineSurface: {{values: {encoded(values)}, order: {m}}}")


@bomb
def spline_of_high_order(n: int) -> str:
    frames = np.tile(np.eye(4), (8 * n, 1, 1))
    frames[:, :3, 3] = [(i, sin(i), 0.0) for i in range(8 * n)]
    return jointed(f"SplineCurve: {{frames: {encoded(frames)}, order: {8 * n}}}")


@bomb
def deforming_surface_of_many_modes(n: int) -> str:
    values = np.zeros((6, 6, 6))
    values[..., 0], values[..., 1] = np.meshgrid(np.arange(6), np.arange(6), indexing="ij")
    mode = f"[{encoded(0.01 * values)}, 'sin(t)']"
    modes = ", ".join([f"&m {mode}", *["*m"] * n])
    return jointed(f"DeformingSplineSurface: {{values: {encoded(values)}, modes: [{modes}]}}")


@bomb
def bezier_of_high_degree(n: int) -> str:
    points = [(i, sin(i), cos(i)) for i in range(10 * n)]
    return jointed(f"CurveJoint: {{curve: {{curves.Bezier: {{points: {encoded(points)}}}}}}}")


@bomb
def bezier_patch_of_high_degree(n: int) -> str:
    m = 4 * n
    x, y = np.meshgrid(np.arange(m), np.arange(m), indexing="ij")
    points = encoded(np.stack([x, y, np.sin(x + y)], axis=-1))
    joint = f"PointOnSurface: {{surface: {{surfaces.BezierPatch: {{points: {points}}}}}}}"
    return jointed(joint)


@bomb
def polyline_of_many_points(n: int) -> str:
    points = encoded([(i, sin(i), cos(i)) for i in range(200 * n)])
    joint = f"CurveJoint: {{curve: {{curves.Polyline: {{points: {points}, through: true, degree: 5}}}}}}"
    return jointed(joint)


@bomb
def polyline_of_high_degree(n: int) -> str:
    points = encoded([(i, sin(i), cos(i)) for i in range(20 * n + 2)])
    joint = f"CurveJoint: {{curve: {{curves.Polyline: {{points: {points}, degree: {20 * n}}}}}}}"
    return jointed(joint)


# Files


@bomb
def one_file_many_times(n: int) -> dict[str, str]:
    part = "bodies:\n" + "".join(f"  - {{name: b{i}, shape: {{Sphere: {{radius: 1}}}}, joint: Free}}\n" for i in range(50 * n))
    return {SCENE: "include:\n" + "".join(f"  - {{file: part.yaml, prefix: p{i}.}}\n" for i in range(20)), "part.yaml": part}


@bomb
def one_long_file_many_times(n: int) -> dict[str, str]:
    return {SCENE: "include:\n" + "  - part.yaml\n" * 60, "part.yaml": f"# {'x' * 100_000 * n}\ntitle: x\n"}


@bomb
def files_in_files(n: int) -> dict[str, str]:
    made = {SCENE: "include: [part0.yaml, part0.yaml]\n"}
    made |= {f"part{i}.yaml": f"include: [part{i + 1}.yaml, part{i + 1}.yaml]\ntitle: x\n" for i in range(10)}
    return made | {"part10.yaml": f"title: {'x' * 1000 * n}\n"}
