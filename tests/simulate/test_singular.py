"""Matrices of the user's that have no inverse get a sentence that names whose they are: inertias, maps, deformables of nothing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import redmax as rm


def chain() -> rm.Scene:
    scene = rm.Scene()
    upper = scene.add_body(rm.Sphere(0.1), joint=rm.Revolute("y"), com=(1, 0, 0), name="upper")
    scene.add_body(rm.Sphere(0.1), joint=rm.Revolute("y"), at=(2, 0, 0), com=(1, 0, 0), parent=upper, name="lower")
    return scene


@pytest.mark.parametrize(
    ("map", "coordinates", "says"),
    [
        ([[0.0], [0.0]], None, "Coordinate 0 of the scene's map moves no joint"),
        ([[1.0, 2.0], [2.0, 4.0]], None, "do not move the joints independently"),
        (lambda q: [1.0, 2.0], 1, "Coordinate 0 of the scene's map moves no joint"),
        (lambda q: [q[0] + q[1], q[0] + q[1]], 2, "do not move the joints independently"),
    ],
)
def test_a_map_whose_coordinates_depend_on_each_other_is_refused(map: Any, coordinates: int | None, says: str):
    scene = chain()
    scene.set_map(map, coordinates=coordinates)
    with pytest.raises(rm.SceneError, match=says):
        scene.model()


@pytest.mark.parametrize("integrator", ["euler", "implicit", "adaptive"])
def test_a_map_that_is_singular_at_one_place_breaks_a_run_off_there(integrator: str):
    scene = chain()
    scene.set_map(lambda q: [q[0] ** 2, q[0] ** 2], coordinates=1)
    with pytest.raises(rm.SimulationError, match="map is singular: at t = 0"):
        rm.simulate(scene, 0.02, integrator=integrator)
    scene.set_map(lambda q: [q[0] ** 2, q[0] ** 2], coordinates=1, q=0.5)
    assert rm.simulate(scene, 0.02, integrator=integrator).complete


@pytest.mark.parametrize(
    ("dynamics", "integrator"),
    [(dynamics, integrator) for dynamics in ("recursive", "redmax", "maximal") for integrator in ("euler", "implicit")]
    + [("recursive", "adaptive"), *(pytest.param(dynamics, "adaptive", marks=pytest.mark.long) for dynamics in ("redmax", "maximal"))],
)
def test_a_motion_without_inertia_is_named_by_its_joint(dynamics: str, integrator: str):
    scene = chain()
    rod = rm.MassProperties(1.0, (0, 1, 1))
    scene.add_body(rod, joint=rm.Spherical(), name="rod", joint_name="wrist")
    with pytest.raises(rm.RedmaxError, match="'wrist' moves no inertia"):
        rm.simulate(scene, 0.02, dynamics=dynamics, integrator=integrator)


@pytest.mark.parametrize(
    "given", [lambda: rm.MassProperties(1.0, np.ones((3, 3))), lambda: rm.MassProperties(1.0, (1, 1, 3)), lambda: np.zeros((4, 4))]
)
def test_inertias_and_poses_that_cannot_be_are_refused(given: Callable[[], Any]):
    with pytest.raises(rm.SceneError):
        chain().add_body(rm.Sphere(0.1), at=given())


def test_a_deformable_without_elements_falls_and_says_that_implicit_steps_have_nothing_to_solve():
    scene = rm.Scene()
    scene.add_deformable(rm.Deformable([(0, 0, 0), (1, 0, 0)], [1.0, 1.0], ()))
    with pytest.raises(rm.RedmaxError, match="without elements"):
        rm.simulate(scene, 0.02)
    assert rm.simulate(scene, 0.02, integrator="rk4").q[-1, 2] == pytest.approx(-0.5 * 9.81 * 0.02**2)


@pytest.mark.parametrize("axis", [(0, 0, 0), "w", (1, 0), [1, "x", 2], None, (10**400, 0, 0), np.zeros(3)])
def test_rotations_about_nothing_and_poses_of_no_rotation_are_refused(axis: Any):
    with pytest.raises(rm.SceneError, match="rotation_about takes"):
        rm.rotation_about(axis, 0.3)
    with pytest.raises(rm.SceneError, match="A pose takes"):
        rm.pose(np.eye(2), axis)
