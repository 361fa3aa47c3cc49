"""Height fields: flat ones are planes, roofs are meshes, and what is on hills comes to rest."""

from __future__ import annotations

from math import atan

import coal
import numpy as np
import pytest

import redmax as rm
from contact.asked.shapes import CONVEX, Placed, as_mesh, extent, random_placed
from contact.worlds import DT, moved_since, place, ran, speed
from redmax.contact.asked.library import Library
from redmax.contact.asked.on_field import Ground
from redmax.io import SceneFileError, loads
from redmax.scenes.terrain import hills, rock
from redmax.view.stage import stage_of

FLAT = rm.HeightField(np.zeros((17, 13)), (3, 2.5))
SHAPES = {
    "Sphere": rm.Sphere(0.1, mass=1.0), "Capsule": rm.Capsule(0.04, 0.1, mass=1.0), "Cylinder": rm.Cylinder(0.05, 0.08, mass=1.0),
    "Cuboid": rm.Cuboid((0.2, 0.2, 0.2), mass=1.0), "Ellipsoid": rm.Ellipsoid((0.1, 0.06, 0.04), mass=1.0), "Mesh": as_mesh(),
}  # fmt: skip


def falling(ground: rm.Plane | rm.HeightField, shape: rm.Body, velocity=(0.5, 0, 0, 9, 5, 0)) -> rm.Scene:
    scene, slope, R = rm.Scene(), rm.rotation_about("y", 0.2), rm.rotation_about("x", 1.2) @ rm.rotation_about("y", 0.3)
    scene.add_obstacle(ground, at=rm.pose(slope, (0, 0, 0)), contact=0.5, name="ground")
    scene.add_body(shape, joint=rm.Free3D(), at=rm.pose(slope @ R, (0, 0, 0.25)), qdot=velocity, contact=0.5, name="body")
    return scene


@pytest.mark.parametrize("kind", SHAPES)
def test_a_flat_field_is_a_plane(kind):
    """Tumbling over many cells, of which no border is felt."""
    plane, field = (ran(falling(ground, SHAPES[kind]), 0.35) for ground in (rm.Plane(), FLAT))
    assert np.linalg.norm(place(plane)[-1] - place(plane)[0]) > 0.2
    assert np.abs(place(field) - place(plane)).max() < 1e-9
    assert np.abs(speed(field) - speed(plane)).max() < 1e-6


@pytest.mark.parametrize("kind", CONVEX)
def test_a_roof_is_a_convex_mesh(kind):
    """Along its ridge, on its sides and across: how near shapes are, and along which normals. Overlaps are at most a tenth of them."""
    x, library = np.linspace(-1, 1, 9), Library(coal)
    roof = rm.HeightField(np.repeat(-0.5 * np.abs(x)[:, None], 7, axis=1), (2, 2))
    solid = rm.Mesh.hull([(x, y, z) for y in (-1, 1) for x, z in ((-1, -0.5), (1, -0.5), (0, 0), (-1, -1), (1, -1))])
    (one,), (two,) = (rm.Scene().add_obstacle(shape, name="roof").shapes() for shape in (roof, solid))
    field, mesh = Placed(one, np.eye(3), np.zeros(3), 0.0), Placed(two, two.pose[:3, :3], two.pose[:3, 3], 0.0)
    ground, rng, gaps, normals, missed = Ground(one, library), np.random.default_rng(0), [], [], 0
    for _ in range(50):
        b, x = random_placed(kind, rng, 0.0), rng.uniform(-0.3, 0.3)
        height = -0.5 * abs(x) + float(extent(b, np.array([0, 0, -1.0]))) * rng.uniform(0.9, 1.15)
        b = Placed(b.shape, b.R, np.array([x, rng.uniform(-0.4, 0.4), height]), 0.0)
        found, expected = ground.meet(field, b, 0.03), library.meet(mesh, b, 0.03)
        if len(found) and len(expected):
            k, i = found.gap.argmin(), expected.gap.argmin()
            gaps.append(abs(found.gap[k] - expected.gap[i]))
            normals.append(np.abs(found.normal[k] - expected.normal[i]).max())
        missed += bool(len(found)) != bool(len(expected)) and min([*found.gap, *expected.gap]) < 0.029
    assert len(gaps) > 25
    assert missed == 0
    assert np.quantile(gaps, 0.9) < 1e-6
    assert np.quantile(normals, 0.9) < 5e-3


def test_a_box_within_the_angle_of_friction_does_not_creep():
    scene, R = rm.Scene(), rm.rotation_about("y", 0.98 * atan(0.8))
    scene.add_obstacle(rm.HeightField(np.zeros((5, 5)), (2, 2)), at=rm.pose(R, (0, 0, 0)), contact=0.8, name="ramp")
    scene.add_body(as_mesh(), joint=rm.Free3D(), at=rm.pose(R, R @ (0.03, 0.02, 0.1)), contact=0.8, name="body")
    run = ran(scene, 1.0)
    assert moved_since(run, 0.6) < 0.4e-9
    assert np.abs(speed(run)[run.t > 0.6]).max() < 1e-9


def test_what_is_on_hills_comes_to_rest():
    scene, law = rm.Scene(), rm.ContactMaterial(friction=0.6, rolling=0.02, torsional=0.01)
    scene.add_obstacle(hills(), contact=law, name="hills", color="gold")
    scene.add_body(rock(1, 0.12), joint=rm.Free3D(), at=(0.7, 0.2, 0.34), contact=law, name="rock")
    run = ran(scene, 0.7)
    energy = run.energy.total
    assert np.diff(energy).max() < 1e-4 * energy[0]  # what gave way in an impact comes back
    assert run.contacts.residual.max() < 1e-6
    assert np.abs(speed(run, "rock")[-1]).max() < 1e-9
    assert len([k for k in run.contacts[-1] if k.second == "rock" and k.state == "sticking"]) >= 2
    assert min(s.gap.min() for s in run.contacts if len(s)) > -3e-3
    seen = {body.name: body for body in stage_of(run).bodies}["hills"]
    assert len(seen.vertices) == 625
    assert seen.colour == rm.Appearance("gold").hex
    assert seen.vertices[:, 2].max() == hills().heights.max()


def test_a_fast_ball_does_not_pass_a_field():
    for begin in (0.35, 0.45, 0.5):
        scene = rm.Scene(gravity=(0, 0, 0))
        scene.add_obstacle(hills(), name="hills")
        scene.add_body(
            rm.Sphere(0.05, mass=1.0), joint=rm.Free3D(), at=(0.1, 0.1, begin), qdot=(0, 0, -60, 0, 0, 0), contact=True, name="body"
        )
        x, y, z = place(ran(scene, 10 * DT)).T
        u, v = x / 1.5, y / 1.5
        assert (z - 0.12 * np.sin(5 * u) * np.cos(4 * v) - 0.5 * (u * u + v * v)).min() > 0.02  # of its radius of 0.05


def test_beyond_the_border_there_is_nothing():
    scene = rm.Scene()
    scene.add_obstacle(rm.HeightField(np.zeros((3, 3)), (1, 1)), name="table")
    scene.add_ground(-1.0)
    for name, x in (("off", 0.7), ("on", 0.2)):
        scene.add_body(rm.Sphere(0.1, mass=1.0), joint=rm.Free3D(), at=(x, 0, 0.15), contact=True, name=name)
    run = ran(scene, 0.4)
    assert place(run, "off")[-1, 2] < -0.3
    assert place(run, "on")[-1, 2] == pytest.approx(0.1, abs=1e-3)
    assert len(run.model.contact_pairs) == 5  # two that stand in the world do not touch


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (([[0, np.nan], [0, 0]], (1, 1)), "heights .*expected an \\(n, m\\) array of finite heights"),
        (([[0, 1, 2]], (1, 1)), "heights is 1 by 3, expected .*n and m from 2 up; for flat ground take redmax.Plane"),
        (([0, 1, 2], (1, 1)), "heights"),
        ((np.zeros((3, 3)), (1, 0)), r"size is \[1\.0, 0\.0\], expected two lengths above 0"),
        ((np.zeros((3, 3)), (1, 1, 1)), "size"),
    ],
)
def test_mistakes_are_said(arguments, said):
    with pytest.raises(rm.SceneError, match=said):
        rm.HeightField(*arguments)


def test_a_field_is_no_body():
    with pytest.raises(rm.SceneError, match="HeightField"):
        rm.Scene().add_body(FLAT, joint=rm.Free3D(), name="body")  # type: ignore[arg-type]
    with pytest.raises(rm.SceneError, match=r"radii is .* expected three finite numbers greater than 0"):
        rm.Ellipsoid((0.1, 0, 0.1))


def test_in_files(tmp_path):
    scene = falling(hills(), SHAPES["Mesh"])
    scene.save(tmp_path / "a.yaml")
    again = rm.Scene.load(tmp_path / "a.yaml")
    again.save(tmp_path / "b.yaml")
    assert (tmp_path / "a.yaml").read_text() == (tmp_path / "b.yaml").read_text()
    assert np.array_equal(again.obstacles[0].shape.heights, hills().heights)  # type: ignore[union-attr]
    text = "redmax: 1\nobstacles:\n  - {name: g, shape: {HeightField: {heights: [[0, 1], [1, 0.5]], size: [2, 2]}}}\n"
    assert loads(text).obstacles[0].shape.mesh()[1].tolist() == [[0, 2, 3], [0, 3, 1]]  # type: ignore[union-attr]
    for wrong, said in (("[[0, 1]]", "n and m from 2 up"), ("[[0, .nan], [0, 1]]", "finite|number")):
        with pytest.raises(SceneFileError, match=said) as told:
            loads(text.replace("[[0, 1], [1, 0.5]]", wrong))
        assert told.value.problems[0].line == 3
    with pytest.raises(SceneFileError, match="HeightField"):
        loads("redmax: 1\nbodies:\n  - {name: b, shape: {HeightField: {heights: [[0, 1], [1, 0.5]], size: [2, 2]}}, joint: Free3D}\n")
