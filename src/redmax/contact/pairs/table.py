"""Which routine is for which pair of kinds, and how many points it may find. The earlier kind comes first: normals look away from it."""

from __future__ import annotations

from collections.abc import Mapping

from redmax.contact.pairs.capsule import capsule_capsule
from redmax.contact.pairs.capsule_solids import capsule_cuboid, capsule_cylinder
from redmax.contact.pairs.cuboids import cuboid_cuboid
from redmax.contact.pairs.cylinder_cuboid import cylinder_cuboid
from redmax.contact.pairs.cylinders import cylinder_cylinder
from redmax.contact.pairs.plane import plane_capsule, plane_cuboid, plane_cylinder, plane_ellipsoid, plane_sphere
from redmax.contact.pairs.sphere import sphere_capsule, sphere_cuboid, sphere_cylinder, sphere_sphere
from redmax.program.routines.routine import Routine

KINDS = ("plane", "sphere", "capsule", "cylinder", "cuboid")  # which all meet in closed form
ORDER = ("plane", "field", *KINDS[1:], "ellipsoid", "mesh")
MOST_ASKED = 8  # points of a pair for which there is no routine

PAIRS: Mapping[tuple[str, str], tuple[Routine, int]] = {
    ("plane", "sphere"): (plane_sphere, 1),
    ("plane", "capsule"): (plane_capsule, 2),
    ("plane", "cylinder"): (plane_cylinder, 5),
    ("plane", "cuboid"): (plane_cuboid, 8),
    ("plane", "ellipsoid"): (plane_ellipsoid, 1),
    ("sphere", "sphere"): (sphere_sphere, 1),
    ("sphere", "capsule"): (sphere_capsule, 1),
    ("sphere", "cylinder"): (sphere_cylinder, 1),
    ("sphere", "cuboid"): (sphere_cuboid, 1),
    ("capsule", "capsule"): (capsule_capsule, 5),
    ("capsule", "cylinder"): (capsule_cylinder, 3),
    ("capsule", "cuboid"): (capsule_cuboid, 3),
    ("cylinder", "cylinder"): (cylinder_cylinder, 8),
    ("cylinder", "cuboid"): (cylinder_cuboid, 8),
    ("cuboid", "cuboid"): (cuboid_cuboid, 8),
}
