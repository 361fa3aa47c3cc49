"""Wrong input is a SceneError that names the body, the value and what is valid."""

from __future__ import annotations

import numpy as np
import pytest

from redmax.bodies import Capsule, Composite, Cone, Cuboid, Cylinder, Ellipsoid, Extrusion, MassProperties, Mesh, Sphere, Torus
from redmax.errors import RedmaxError, SceneError

BOX, FACES = Cuboid((1, 1, 1)).mesh()
STRETCHED = np.diag([2.0, 1, 1, 1])
MIRRORED = np.diag([-1.0, 1, 1, 1])
PROJECTIVE = np.array([[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 1, 1.0]])
SQUARE = np.array([(0, 0), (1, 0), (1, 1), (0, 1.0)])
SMALL = 0.2 * SQUARE + 0.4
TWISTED = np.concatenate([FACES[:1, ::-1], FACES[1:]])

CASES = [
    # dimensions
    (lambda: Cuboid((0.3, -1, 0.1)), r"Cuboid: size is \(0\.3, -1, 0\.1\), expected three finite numbers greater"),
    (lambda: Cuboid((0.3, 0, 0.05)), "Cuboid: size is"),
    (lambda: Cuboid((0.3, 0.1)), r"Cuboid: size is \(0\.3, 0\.1\), expected three"),
    (lambda: Cuboid(0.3), r"Cuboid: size is 0\.3, expected three"),
    (lambda: Cuboid((1, (2, 3), 4)), "Cuboid: size is"),
    (lambda: Cuboid("big"), "Cuboid: size is 'big', expected three"),
    (lambda: Ellipsoid((1, 2, np.nan)), "Ellipsoid: radii is .*nan.*semi-axes"),
    (lambda: Sphere(0), r"Sphere: radius is 0, expected a finite number greater than 0 \(m\)"),
    (lambda: Sphere(float("inf")), "Sphere: radius is inf"),
    (lambda: Sphere(None), "Sphere: radius is None"),
    (lambda: Sphere("0.1"), "Sphere: radius is '0.1'"),
    (lambda: Sphere(True), "Sphere: radius is True"),
    (lambda: Cylinder(-1, 1), "Cylinder: radius is -1"),
    (lambda: Cylinder(1, float("nan")), "Cylinder: height is nan"),
    (lambda: Capsule(0, 1), "Capsule: radius is 0"),
    (lambda: Capsule(1, 0), "Capsule: height is 0"),
    (lambda: Cone(-2, 1), "Cone: radius is -2"),
    (lambda: Cone(2, -1), "Cone: height is -1"),
    (lambda: Torus(0, 0.1), "Torus: major is 0"),
    (lambda: Torus(1, -0.1), "Torus: minor is -0.1"),
    (lambda: Torus(0.2, 0.2), r"Torus: minor is 0\.2, expected less than major, 0\.2: the tube would run into itself"),
    # mass and density
    (lambda: Sphere(1, mass=1, density=1), "Sphere: got mass=1 and density=1, expected only one"),
    (lambda: Sphere(1, mass=-1), r"Sphere: mass is -1, expected a finite number greater than 0 \(kg\)"),
    (lambda: Sphere(1, mass=0), "Sphere: mass is 0"),
    (lambda: Sphere(1, density=0), r"Sphere: density is 0, expected .* \(kg/m\^3\)"),
    (lambda: Sphere(1, density=np.nan), "Sphere: density is nan"),
    (lambda: Sphere(1e200), "Sphere: volume .* choose other units"),
    (lambda: Sphere(1e-120), "Sphere: volume .* choose other units"),
    (lambda: Sphere(1e-120, mass=1), "Sphere: volume .* choose other units"),
    # explicit mass properties
    (lambda: MassProperties(-1, (1, 1, 1)), "MassProperties: mass is -1, expected 0 or greater"),
    (lambda: MassProperties(np.nan, (1, 1, 1)), "MassProperties: mass is nan"),
    (lambda: MassProperties(0, (1, 1, 1)), r"mass is 0 but inertia is \(1, 1, 1\).*MassProperties\(0, \(0, 0, 0\)\)"),
    (lambda: MassProperties(1, (1, 1)), r"inertia is \(1, 1\), expected 3 principal values or a 3x3 matrix"),
    (lambda: MassProperties(1, (1, 1, np.inf)), "MassProperties: inertia is"),
    (lambda: MassProperties(1, [[1, 0.1, 0], [0, 1, 0], [0, 0, 1]]), r"not symmetric \(entries differ by 0\.1\)"),
    (lambda: MassProperties(1, (-1, 1, 1)), "principal moments -1, 1, 1, expected none negative"),
    (lambda: MassProperties(1, [[1, 2, 0], [2, 1, 0], [0, 0, 1]]), "principal moments -1, 1, 3, expected none"),
    (lambda: MassProperties(1, (1, 2, 3.1)), "principal moments 1, 2, 3.1, expected the sum of any two"),
    (lambda: MassProperties(1, (1, 2, 3 + 1e-7)), "expected the sum of any two to be at least the third"),
    (lambda: MassProperties(1, (1, 1, 1), display="box"), "display is 'box', expected a body"),
    # composites
    (lambda: Composite([]), r"Composite: parts is \[\], expected a list with at least one entry"),
    (lambda: Composite(Sphere(1)), "Composite: parts is Sphere"),
    (lambda: Composite([Sphere(1)]), r"Composite: part 0 is Sphere.*expected a \(body, pose\) pair"),
    (lambda: Composite([(Sphere(1), (0, 0, 0)), ("ball", (0, 0, 0))]), "Composite: part 1 is"),
    (lambda: Composite([(Sphere(1), (0, 0))]), r"the pose of part 0 is \(0, 0\), expected a translation"),
    (lambda: Composite([(Sphere(1), (0, 0, np.nan))]), "the pose of part 0 is"),
    (lambda: Composite([(Sphere(1), STRETCHED)]), r"the pose of part 0 .*\|R'R - 1\| = 3\.0e\+00.*scaling"),
    (lambda: Composite([(Sphere(1), MIRRORED)]), "the pose of part 0 .*reflection"),
    (lambda: Composite([(Sphere(1), PROJECTIVE)]), "the pose of part 0 has the last row"),
    (lambda: Composite([(MassProperties(0, (0, 0, 0)), (0, 0, 0))]), "no mass together"),
    # meshes
    (lambda: Mesh(BOX[:, :2], FACES), "Mesh: vertices is"),
    (lambda: Mesh(BOX * np.nan, FACES), "Mesh: vertices is an array of shape .* finite"),
    (lambda: Mesh(BOX, FACES + 0.5), "Mesh: faces is an array of shape .* expected an .* array of integers"),
    (lambda: Mesh(BOX, FACES[:0]), "Mesh: faces is"),
    (lambda: Mesh(BOX, [[0, 1], [1, 2, 3]]), "Mesh: faces is"),
    (lambda: Mesh(BOX, FACES + 1), r"faces use vertices 1 to 8, expected 0 to 7; numbering starts at 0"),
    (lambda: Mesh(BOX, FACES - 1), r"faces use vertices -1 to 6, expected 0 to 7"),
    (lambda: Mesh(BOX, [*FACES, (1, 1, 2)]), r"face 12 is \[1, 1, 2\], expected three different vertices"),
    (lambda: Mesh(BOX, FACES[1:]), r"Mesh: not closed: 3 edges.*merge duplicate vertices or fill the holes"),
    (lambda: Mesh(BOX[FACES].reshape(-1, 3), np.arange(36).reshape(12, 3)), "not closed: 36 edges.*merge duplicate"),
    (lambda: Mesh(BOX, TWISTED), "Mesh: inconsistent orientation at 3 edges.*counterclockwise"),
    (lambda: Mesh(BOX, FACES[:, ::-1]), r"the volume is -1, .*look inward; pass faces\[:, ::-1\]"),
    (lambda: Mesh(BOX * (1, 1, 0), FACES), "the volume is 0, .*the mesh is flat"),
    (lambda: Mesh(BOX, FACES, mass=1, density=2), "Mesh: got mass=1 and density=2"),
    # extrusions
    (lambda: Extrusion(SQUARE, 0), "Extrusion: depth is 0, expected a finite number greater than 0"),
    (lambda: Extrusion(5, 1), r"Extrusion: outline is 5, expected an \(n, 2\) array of finite coordinates"),
    (lambda: Extrusion([], 1), r"Extrusion: outline is \[\], expected an \(n, 2\) array"),
    (lambda: Extrusion("O", 1), "Extrusion: outline is 'O', expected an"),
    (lambda: Extrusion(SQUARE * np.nan, 1), "Extrusion: outline is .*expected an .* finite"),
    (lambda: Extrusion([SQUARE, [(1, 2), (3,)]], 1), r"Extrusion: outline 1 is \[\(1, 2\), \(3,\)\], expected"),
    (lambda: Extrusion(np.ones((4, 3)), 1), "Extrusion: outline is .*expected an"),
    (lambda: Extrusion(SQUARE[[0, 1, 1, 0]], 1), "Extrusion: outline has 2 different corners, expected at least 3"),
    (lambda: Extrusion([(0, 0), (1, 1), (3, 3)], 1), "Extrusion: outline encloses the area 0, .*corners lie on a line"),
    (lambda: Extrusion([(0, 0), (1, 2), (1, 0), (0, 1)], 1), r"Extrusion: outline crosses or touches itself near \("),
    (lambda: Extrusion([(0, 0), (2, 0), (2, 2), (1, 0), (0, 2)], 1), "outline crosses or touches itself"),  # a corner on an edge
    (lambda: Extrusion([(0, 0), (2, 0), (1, 0), (1, 1)], 1), "outline crosses or touches itself"),  # back along its own edge
    (lambda: Extrusion(SQUARE, 1, holes=[SQUARE - 0.5]), r"outline and hole 0 cross or touch near .*expected polygons that keep apart"),
    (lambda: Extrusion(SQUARE, 1, holes=SQUARE), "outline and hole cross or touch"),
    (lambda: Extrusion(SQUARE, 1, holes=[SMALL, SMALL + 0.1]), "hole 0 and hole 1 cross or touch"),
    (lambda: Extrusion(SQUARE, 1, holes=[SMALL + 3]), "hole 0 lies in a hole or outside every outline, expected it inside the material"),
    (lambda: Extrusion(SQUARE, 1, holes=[SMALL, 0.5 * SMALL + 0.25]), "hole 1 lies in a hole or outside every outline"),
    (lambda: Extrusion([SQUARE, SMALL], 1), r"outline 1 lies within outline 0, expected outlines apart; pass it in holes=\[\.\.\.\]"),
    (lambda: Extrusion(SQUARE, 1, mass=1, density=2), "Extrusion: got mass=1 and density=2"),
]


@pytest.mark.parametrize(("build", "message"), CASES, ids=[message[:50] for _, message in CASES])
def test_bad_input_is_named(build, message):
    with pytest.raises(SceneError, match=message) as caught:
        build()
    assert isinstance(caught.value, RedmaxError)
    assert isinstance(caught.value, ValueError)
    assert str(caught.value).endswith(".")


def test_the_triangle_inequality_forgives_rounding_only():
    MassProperties(1, (1, 2, 3 * (1 + 0.5e-9)))
    with pytest.raises(SceneError, match="sum of any two"):
        MassProperties(1, (1, 2, 3 * (1 + 5e-9)))


def test_rotations_written_with_nine_digits_are_accepted():
    c = 0.707106781
    pose = np.array([[c, -c, 0, 0], [c, c, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]])
    assert Composite([(Sphere(1), pose)]).mass > 0
