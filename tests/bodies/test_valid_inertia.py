"""Inertias that no distribution of mass has are refused, or repaired to the nearest that one has, with the numbers of both."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import nnls

import redmax as rm
from redmax.bodies.valid_inertia import fault_of, nearest_inertia
from redmax.lie import rotation_about

CUBE = rm.Cuboid((1, 1, 1)).mesh()


@given(st.lists(st.floats(-3, 3), min_size=9, max_size=9))
def test_the_nearest_inertia_is_valid_and_no_other_is_nearer(entries):
    """Its second moments are those of least squares with bounds (Lawson and Hanson), by the eigenvectors; what is valid stays."""
    given_matrix = np.array(entries).reshape(3, 3)
    found = nearest_inertia(given_matrix)
    assert fault_of(found, 1e-8) == "" or np.abs(found).max() < 1e-6
    moments, R = np.linalg.eigh((given_matrix + given_matrix.T) / 2)
    c = nnls(1 - np.eye(3), moments)[0]
    np.testing.assert_allclose(found, R @ np.diag((1 - np.eye(3)) @ c) @ R.T, atol=1e-9)
    np.testing.assert_allclose(nearest_inertia(found), found, atol=1e-9)


@pytest.mark.parametrize(
    ("inertia", "fault", "now"),
    [
        ((1, 1, 3), "the sum of any two to be at least the third", "1.33333, 1.33333, 2.66667"),
        ((-0.01, 1, 1), "none negative", "0, 1, 1"),
        ([[1, 0.2, 0], [0, 1, 0], [0, 0, 1]], "I = I'", "0.9, 1, 1.1"),
    ],
)
def test_an_inertia_is_refused_or_repaired(inertia, fault, now):
    with pytest.raises(rm.SceneError, match=f"{fault}.*repair=True takes the nearest"):
        rm.MassProperties(1.0, inertia)
    with pytest.warns(rm.RedmaxWarning, match=f"{fault}.*the nearest valid one has the principal moments {now}, and differs by") as told:
        body = rm.MassProperties(1.0, inertia, repair=True)
    assert told[0].filename == __file__  # the line that gives it
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        again = rm.MassProperties(1.0, body.inertia, repair=True)
    np.testing.assert_array_equal(again.inertia, body.inertia)


def test_principal_axes_stay_and_files_say_that_it_is_repaired(tmp_path):
    R = rotation_about("x", 0.3)[:3, :3] @ rotation_about("y", 0.5)[:3, :3]
    with pytest.warns(rm.RedmaxWarning):
        body = rm.MassProperties(2.0, R @ np.diag([1.0, 2.0, 5.0]) @ R.T, repair=True)
    np.testing.assert_allclose(R.T @ body.inertia @ R, np.diag([5 / 3, 8 / 3, 13 / 3]), atol=1e-12)
    scene = rm.Scene()
    scene.add_body(body, joint=rm.Revolute("y"))
    scene.save(tmp_path / "scene.yaml")
    assert "repair: true" in (tmp_path / "scene.yaml").read_text()
    with pytest.warns(rm.RedmaxWarning, match="was repaired"):
        loaded = rm.Scene.load(tmp_path / "scene.yaml")
    np.testing.assert_array_equal(loaded.links[0].shape.inertia, body.inertia)
    (tmp_path / "scene.yaml").write_text((tmp_path / "scene.yaml").read_text().replace("repair: true", "repair: false"))
    with pytest.raises(rm.RedmaxError, match=r"scene.yaml:.*principal moments 1, 2, 5"):
        rm.Scene.load(tmp_path / "scene.yaml")
    with pytest.raises(rm.SceneError, match="repair is 'yes', expected True or False"):
        rm.MassProperties(1.0, (1, 1, 1), repair="yes")


def test_a_mesh_of_which_a_part_is_inside_out():
    """A cube, and a hole beside it instead of within: a second moment along x that is negative."""
    vertices, faces = CUBE
    both = np.concatenate([vertices, 0.5 * vertices + [1.3, 0, 0]])
    turned = np.concatenate([faces, faces[:, ::-1] + len(vertices)])
    with pytest.raises(rm.SceneError, match=r"inside out: turn their faces, or .* repair=True"):
        rm.Mesh(both, turned)
    with pytest.warns(rm.RedmaxWarning, match=r"Mesh, of 1 kg: .*It was repaired") as told:
        mesh = rm.Mesh(both, turned, mass=2.0, repair=True)
    assert told[0].filename == __file__
    assert fault_of(mesh.inertia) == ""
    assert mesh.mass == 2.0
    both[len(vertices) :, 0] += 2.0
    with pytest.raises(rm.SceneError, match="the nearest valid inertia is that of a line or a point"):
        rm.Mesh(both, turned, repair=True)


def test_an_effective_inertia_is_taken_as_it_is(tmp_path):
    """In files and as a parameter too; moments that no motion has are refused."""
    body = rm.MassProperties(1.0, (2, 1, 2 / 3), effective=True)
    np.testing.assert_array_equal(body.inertia, np.diag([2, 1, 2 / 3]))
    assert body.mesh()[0].shape[1] == 3
    scene = rm.Scene()
    scene.add_body(body, joint=rm.Spherical(), name="body", qdot=(1, 0, 0))
    scene.save(tmp_path / "scene.yaml")
    np.testing.assert_array_equal(rm.Scene.load(tmp_path / "scene.yaml").links[0].shape.inertia, body.inertia)
    rm.Dynamics(scene.model(), "interpret", parameters={"body.inertia": np.diag([3.0, 1.0, 1.0])})
    with pytest.raises(rm.SceneError, match="expected none negative"):
        rm.MassProperties(1.0, (2, 1, -1), effective=True)
    with pytest.raises(rm.SceneError, match="repair is True, expected False beside effective=True"):
        rm.MassProperties(1.0, (2, 1, 0.5), repair=True, effective=True)
