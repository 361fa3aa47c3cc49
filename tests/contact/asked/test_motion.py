"""Meshes and ellipsoids in motion: as cuboids and spheres move, at rest without creeping, and as runs of all kinds go on."""

from __future__ import annotations

import sys
from math import atan

import numpy as np
import pytest

import redmax as rm
from contact.asked.shapes import as_mesh
from contact.worlds import DT, G, moved_since, place, ran, speed

CUBE = rm.Cuboid((0.2, 0.2, 0.2), mass=1.0)
MU = 0.8
GROUNDS = {"plane": rm.Plane(), "cuboid": rm.Cuboid((4, 4, 0.2)), "mesh": as_mesh((4, 4, 0.2))}


def on_ramp(angle: float, friction: float, shape: rm.Body, ground: str) -> rm.Scene:
    scene, R = rm.Scene(), rm.rotation_about("y", angle)
    below = (0, 0, 0) if ground == "plane" else (0, 0, -0.1)
    scene.add_obstacle(GROUNDS[ground], at=rm.pose(R, R @ below), contact=friction, name="ramp")
    scene.add_body(shape, joint=rm.Free3D(), at=rm.pose(R, R @ (0, 0, 0.1)), contact=friction, name="body")
    return scene


def stack(shapes: list[rm.Body]) -> rm.Scene:
    scene = rm.Scene()
    scene.add_ground(contact=0.6)
    for k, shape in enumerate(shapes):
        scene.add_body(shape, joint=rm.Free3D(), at=(0, 0, 0.1 + 0.2 * k), contact=0.6, name=f"box {k}")
    return scene


@pytest.mark.parametrize("ground", GROUNDS)
def test_a_mesh_within_the_angle_of_friction_does_not_creep(ground):
    run = ran(on_ramp(0.98 * atan(MU), MU, as_mesh(), ground), 0.8)
    assert moved_since(run, 0.5) < 0.3e-9
    assert np.abs(speed(run)[run.t > 0.5]).max() < 1e-9
    assert (run.contacts[-1].state == "sticking").all()
    assert len(run.contacts[-1]) == 4
    assert run.contacts.residual.max() < 1e-6


@pytest.mark.parametrize("ground", GROUNDS)
def test_a_cuboid_of_triangles_slides_as_a_cuboid(ground):
    """Within 0.2 mm of half a metre: compiled cuboids find other points in the first steps."""
    meshed, plain = (ran(on_ramp(0.6, 0.3, shape, ground), 0.6) for shape in (as_mesh(), CUBE))
    assert np.linalg.norm(place(plain)[-1]) > 0.5
    assert np.abs(place(meshed) - place(plain)).max() < (2e-4 if ground == "cuboid" else 1e-7)


def test_a_stack_of_meshes_is_a_stack_of_cuboids():
    plain, meshed = (ran(stack(shapes), 0.5) for shapes in ([CUBE] * 4, [as_mesh(), CUBE, as_mesh(), as_mesh()]))
    assert np.abs(place(meshed, "box 3") - place(plain, "box 3")).max() < 1e-12
    assert np.abs(meshed.qdot[-1]).max() < 1e-9
    assert meshed.contact_force("box 0", "ground")[-1] == pytest.approx([0, 0, 4 * G], abs=1e-6)
    assert [len(s) for s in meshed.contacts][-1] == 16


def test_an_ellipsoid_of_equal_radii_rolls_on_a_cuboid_as_a_sphere():
    runs = []
    for shape in (rm.Sphere(0.1, mass=1.0), rm.Ellipsoid((0.1, 0.1, 0.1), mass=1.0)):
        scene = rm.Scene()
        scene.add_obstacle(rm.Cuboid((4, 4, 0.2)), at=(0, 0, -0.1), contact=0.4, name="floor")
        scene.add_body(shape, joint=rm.Free3D(), at=(0, 0, 0.12), qdot=(1, 0.5, 0, 0, 0, 0), contact=0.4, name="body")
        runs.append(ran(scene, 0.6))
    assert place(runs[0])[-1, 0] > 0.4
    assert np.abs(place(runs[1]) - place(runs[0])).max() < 1e-4


@pytest.mark.parametrize("kind", ["Sphere", "Capsule", "Cylinder", "Cuboid", "Ellipsoid"])
def test_what_falls_on_a_mesh_falls_as_on_a_plane(kind):
    """Tumbling, until it slides or rolls; as deep, with as much energy gained and lost in each step."""
    shapes = {
        "Sphere": rm.Sphere(0.1, mass=1.0), "Capsule": rm.Capsule(0.04, 0.1, mass=1.0), "Cylinder": rm.Cylinder(0.05, 0.08, mass=1.0),
        "Cuboid": CUBE, "Ellipsoid": rm.Ellipsoid((0.1, 0.06, 0.04), mass=1.0),
    }  # fmt: skip
    runs, R = [], rm.rotation_about("x", 1.2) @ rm.rotation_about("y", 0.3)
    for ground, below in (("plane", 0.0), ("mesh", -0.1)):
        scene = rm.Scene()
        scene.add_obstacle(GROUNDS[ground], at=(0, 0, below), contact=0.5, name="floor")
        scene.add_body(shapes[kind], joint=rm.Free3D(), at=rm.pose(R, (0, 0, 0.25)), qdot=(0.5, 0, 0, 9, 5, 0), contact=0.5, name="body")
        runs.append(ran(scene, 0.4))
    plane, mesh = runs
    assert np.abs(place(mesh) - place(plane)).max() < 2e-3
    assert np.diff(mesh.energy.total).max() < 1.2 * np.diff(plane.energy.total).max() + 1e-5
    assert min(s.gap.min() for s in mesh.contacts if len(s)) > 1.5 * min(s.gap.min() for s in plane.contacts if len(s))


def mixed(**material: float) -> rm.Scene:
    """One of each kind, over a floor that is a mesh."""
    scene, rng, law = rm.Scene(), np.random.default_rng(5), rm.ContactMaterial(**material)
    scene.add_obstacle(as_mesh((2, 2, 0.2)), at=(0, 0, -0.1), contact=law, name="floor")
    hull = rm.Mesh.hull(rng.normal(size=(12, 3)) * 0.05, mass=1.0)
    two = rm.Composite([(rm.Ellipsoid((0.06, 0.04, 0.04)), (-0.05, 0, 0)), (as_mesh((0.1, 0.06, 0.06)), (0.05, 0, 0))])
    shapes = [hull, rm.Ellipsoid((0.1, 0.06, 0.04), mass=1.0), two, rm.Capsule(0.04, 0.1, mass=1.0), rm.Cylinder(0.05, 0.08, mass=1.0)]
    for k, shape in enumerate(shapes):
        R = rm.rotation_about("x", 0.4 * k) @ rm.rotation_about("y", 0.3)
        scene.add_body(shape, joint=rm.Free3D(), at=rm.pose(R, (0.02 * k, 0.01 * k, 0.12 + 0.17 * k)), contact=law, name=f"body {k}")
    return scene


def test_a_pile_of_all_kinds_falls_and_loses_energy():
    run = ran(mixed(friction=0.5), 0.8)
    energy = run.energy.total
    assert run.contacts.residual.max() < 1e-6
    assert np.diff(energy).max() < 1e-3 * energy[0]  # of what spins, by steps of the first order
    assert energy[-1] < 0.6 * energy[0]
    assert min(s.gap.min() for s in run.contacts if len(s)) > -0.01
    assert min(place(run, f"body {k}")[:, 2].min() for k in range(5)) > 0.015
    assert "Python was asked for 19 pairs of shapes in each step" in run.summary()


def test_runs_go_on_in_batches_in_files_and_from_checkpoints(tmp_path):
    scene, whole = mixed(), ran(mixed(), 0.3)
    sim = rm.Simulation(scene, dt=DT, integrator="implicit")
    sim.step(100)
    kept = sim.checkpoint()
    sim.step(50)
    assert np.array_equal(sim.state.q, whole.q[-1])
    sim.restore(kept)
    assert np.array_equal(sim.step(50).q, whole.q[-1])
    assert len(sim.contacts) == len(whole.contacts[-1])
    start = rm.State(0.0, np.stack([whole.q[0], whole.q[0] + 0.01]), np.zeros((2, scene.model().nv)))
    batch = ran(mixed(), 0.3, initial=start)
    assert np.array_equal(batch.q[:, 0], whole.q)
    again = ran(mixed(), 0.3, out=tmp_path / "run.h5")
    read = rm.load(tmp_path / "run.h5")
    assert np.array_equal(read.q, whole.q)
    assert np.array_equal(np.asarray(read.contacts[-1].force), whole.contacts[-1].force)
    assert np.array_equal(again.q, whole.q)


def test_interpreted_is_compiled():
    scene = on_ramp(0.3, 0.6, as_mesh(), "cuboid")
    one, two = (ran(scene, 4 * DT, backend=backend) for backend in ("llvm", "interpret"))
    assert np.abs(one.q - two.q).max() < 1e-11  # coal makes more of a rounding of where it is asked
    assert len(two.contacts[-1]) == 4


@pytest.mark.parametrize("options", [{"friction": "convex"}, {"dynamics": "redmax"}, {"dtype": "float32"}])
def test_options_of_runs(options):
    run = ran(on_ramp(0.3, 0.6, as_mesh(), "cuboid"), 0.2, **options)
    assert np.abs(speed(run)[-1]).max() < 1e-4
    assert len(run.contacts[-1]) == 4


def test_a_fast_mesh_does_not_pass_a_thin_plate():
    for begin in (-0.2, -0.1, -0.05):
        scene = rm.Scene(gravity=(0, 0, 0))
        scene.add_obstacle(rm.Cuboid((0.01, 1.0, 1.0), mass=1), at=(1.0, 0, 0), name="plate")
        scene.add_body(as_mesh(), joint=rm.Free3D(), at=(begin, 0, 0), qdot=(100.0, 0, 0, 0, 0, 0), contact=True, name="body")
        assert place(ran(scene, 0.05))[:, 0].max() < 1.0


def test_what_is_not_there_is_said(monkeypatch):
    monkeypatch.setitem(sys.modules, "coal", None)
    with pytest.raises(rm.SceneError, match=r"Contact of 'ramp' \(cuboid\) and 'body' \(mesh\) needs the package coal.*redmax\[collide\]"):
        ran(on_ramp(0.3, 0.6, as_mesh(), "cuboid"), 0.1)
    assert len(ran(on_ramp(0.3, 0.6, CUBE, "cuboid"), 0.1).contacts[-1]) == 4


def test_a_mesh_that_is_not_convex_is_named():
    vertices, faces = as_mesh().mesh()
    dented = np.concatenate([vertices, [[0, 0, 0.05]]])
    top = np.flatnonzero((vertices[faces][:, :, 2] > 0.09).all(axis=1))
    rim = [edge for f in faces[top].tolist() for edge in ((f[0], f[1]), (f[1], f[2]), (f[2], f[0]))]
    border = [e for e in rim if e[::-1] not in rim]
    mesh = rm.Mesh(dented, np.concatenate([np.delete(faces, top, axis=0), [(i, j, 8) for i, j in border]]))
    said = r"'bowl' cannot touch others: its mesh is not convex. Its surface lies up to 0\.05 inside its convex hull.*redmax\.Mesh\.hull"
    with pytest.raises(rm.SceneError, match=said):
        rm.Scene().add_body(mesh, joint=rm.Free3D(), contact=True, name="bowl")
    with pytest.raises(rm.SceneError, match="'bowl' cannot touch others"):
        rm.Scene().add_obstacle(rm.Composite([(mesh, (0, 0, 0))]), name="bowl")
    rm.Scene().add_body(mesh, joint=rm.Free3D(), name="bowl")  # which nothing touches
    hull = rm.Mesh.hull(dented, mass=2.0)
    assert hull.mass == 2.0
    assert hull.inertia == pytest.approx(rm.Cuboid((0.2, 0.2, 0.2), mass=2.0).inertia)
    with pytest.raises(rm.SceneError, match="the 4 points have no hull with a volume, expected at least 4 that do not lie in one plane"):
        rm.Mesh.hull([(0, 0, 0), (1, 0, 0), (0, 1, 0), (1, 1, 0)])
