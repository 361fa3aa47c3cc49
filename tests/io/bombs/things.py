"""Small files that ask for much: many things, and things of many parts."""

from __future__ import annotations

from itertools import pairwise
from math import cos, pi, sin, sqrt

import numpy as np

from bombs.registry import ARM, BODY, bomb, encoded, jointed


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
