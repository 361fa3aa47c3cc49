"""What users give that no argument can be gets a sentence wherever it is given: numbers beyond floats, other kinds, impossible paths."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import redmax as rm
from redmax.arguments import as_path
from redmax.errors import brief
from redmax.io import loads

HUGE = 10**400


@pytest.fixture(scope="module")
def model() -> rm.Model:
    return pendulum()[0].model()


def pendulum() -> tuple[rm.Scene, rm.BodyHandle]:
    scene = rm.Scene()
    return scene, scene.add_body(rm.Sphere(0.1), joint=rm.Revolute("y"), com=(0.5, 0, 0), name="bob")


def tetrahedra(**given: Any) -> rm.Tetrahedra:
    corners = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]
    return rm.Tetrahedra(corners, [(0, 1, 2, 3)], **({"density": 1.0, "youngs": 1.0, "poisson": 0.3} | given))


BEYOND = {
    "size": lambda s, b: rm.Cuboid((HUGE, 1, 1)),
    "mass": lambda s, b: rm.Sphere(0.1, mass=HUGE),
    "inertia": lambda s, b: rm.MassProperties(1.0, (HUGE, 1, 1)),
    "vertices": lambda s, b: rm.Mesh([[HUGE, 0, 0]], [[0, 0, 0]]),
    "axis": lambda s, b: rm.Revolute((HUGE, 0, 0)),
    "pitch": lambda s, b: rm.Helical("z", HUGE),
    "domain": lambda s, b: rm.joint(lambda q: rm.pose(np.eye(3), [q[0], 0, 0]), 1, domain=(0, HUGE)),
    "parameter": lambda s, b: rm.joint(lambda q, r: rm.pose(np.eye(3), [r * q[0], 0, 0]), 1, r=HUGE),
    "curve": lambda s, b: rm.curves.Circle(HUGE),
    "domain of a curve": lambda s, b: rm.curves.Curve(lambda s: [s, 0, 0], (0, HUGE)),
    "surface": lambda s, b: rm.surfaces.Torus(HUGE, 1),
    "gravity": lambda s, b: rm.Scene(gravity=(0, 0, HUGE)),
    "at": lambda s, b: s.add_body(rm.Sphere(0.1), at=(HUGE, 0, 0)),
    "com": lambda s, b: s.add_body(rm.Sphere(0.1), com=(HUGE, 0, 0)),
    "q": lambda s, b: s.add_body(rm.Sphere(0.1), joint=rm.Revolute("z"), q=HUGE),
    "stiffness": lambda s, b: s.add_body(rm.Sphere(0.1), joint=rm.Revolute("z"), stiffness=HUGE),
    "wrench": lambda s, b: s.add_wrench(b, force=(HUGE, 0, 0)),
    "point": lambda s, b: b.point(HUGE, 0, 0),
    "spring": lambda s, b: rm.SpringDamper(b, (0, 0, 0), stiffness=HUGE),
    "bushing": lambda s, b: rm.Bushing(b, (0, 0, 0), stiffness=HUGE * np.eye(6, dtype=object)),
    "joint limit": lambda s, b: rm.JointLimit(b, upper=HUGE, stiffness=1.0),
    "muscle": lambda s, b: rm.Muscle([b, (0, 0, 1)], force=HUGE, optimal_length=1.0),
    "cloth": lambda s, b: rm.Cloth((HUGE, 1), (2, 2), density=1.0, stretch=1.0),
    "youngs": lambda s, b: tetrahedra(youngs=HUGE),
    "map": lambda s, b: s.set_map([[HUGE]]),
    "start of a map": lambda s, b: s.set_map([[1.0]], q=HUGE),
    "twist": lambda s, b: s.prescribe_twist(b, 1, HUGE),
}


@pytest.mark.parametrize("what", BEYOND)
def test_whole_numbers_beyond_floats_get_a_sentence_from_what_scenes_are_made_of(what: str):
    with pytest.raises(rm.SceneError) as told:
        BEYOND[what](*pendulum())
    assert len(str(told.value)) < 500


def test_whole_numbers_beyond_floats_get_a_sentence_from_runs(model: rm.Model):
    dynamics, simulation = rm.Dynamics(model), rm.Simulation(model, integrator="euler")
    for call in (
        lambda: rm.simulate(model, HUGE),
        lambda: rm.simulate(model, 1.0, HUGE),
        lambda: rm.simulate(model, 1.0, rtol=HUGE),
        lambda: rm.simulate(model, 1.0, every=HUGE),
        lambda: rm.simulate(model, 1.0, halvings=HUGE, integrator="bdf1"),
        lambda: rm.simulate(model, 0.1, integrator="euler", controller=lambda t, q, qdot: [HUGE]),
        lambda: simulation.reset(rm.State(0.0, [HUGE], [0.0])),  # type: ignore[arg-type]
        lambda: simulation.reset(rm.State(HUGE, np.zeros(1), np.zeros(1))),
        lambda: simulation.step(tau=[HUGE]),
        lambda: dynamics.forward([HUGE], [0.0], [0.0]),
        lambda: dynamics.forward([0.0], [0.0], t=HUGE),
        lambda: dynamics.inertia_product([0.0], [0.0], joint_terms=[HUGE]),
    ):
        with pytest.raises(rm.RedmaxError):
            call()


def test_whole_numbers_beyond_floats_get_a_sentence_from_files():
    sphere = "{shape: {Sphere: {radius: 0.1}}, joint: {Revolute: {axis: z}}, com: [1, 0, 0], q: %s}"
    text = f"redmax: 1\nparameters: {{a: 1}}\nbodies:\n  - {sphere}\n"
    for value in (HUGE, f'"{HUGE}"', '"10**400"', '"a*10**400"'):
        with pytest.raises(rm.SceneError, match="q: "):
            loads(text % value)
    with pytest.raises(rm.SceneError, match="parameter 'a' is"):
        loads(text % "a", {"a": HUGE})


def test_what_is_of_another_kind_gets_a_sentence(model: rm.Model):
    scene, bob = pendulum()
    other = rm.Scene().add_body(rm.Sphere(0.1), name="stranger")
    simulation = rm.Simulation(model, integrator="euler")
    for wrong in (3, None, [bob], rm.Revolute, other, object()):
        for call in (lambda w=wrong: scene.add_wrench(w), lambda w=wrong: scene.find(w), lambda w=wrong: scene.find_joint(w)):
            with pytest.raises(rm.SceneError):
                call()
    for call in (
        lambda: scene.add_body(rm.Sphere(0.1), parent=7),
        lambda: scene.add_body(rm.Sphere(0.1), parent=other),
        lambda: scene.add_wrench(other.point(0, 0, 0)),
        lambda: scene.add_body(rm.Sphere(0.1), joint=rm.Revolute("z"), motion=3),
        lambda: simulation.reset([0.0, 0.0]),
        lambda: simulation.reset(rm.State(None, np.zeros(1), np.zeros(1))),
        lambda: simulation.reset(rm.State(0.0, np.zeros(1), np.zeros(1), None)),
        lambda: rm.simulate(model, 0.1, initial=(0.0, 0.0)),
        lambda: rm.simulate(rm.Scene, 0.1),
        lambda: rm.simulate(model, 0.1, integrator=["euler"]),
        lambda: rm.simulate(model, 0.1, dynamics={}),
        lambda: rm.simulate(model, 0.1, solver=[]),
        lambda: rm.simulate(model, 0.1, controller=3),
        lambda: rm.simulate(model, 0.1, progress="yes"),
        lambda: rm.simulate(model, 0.1, out="run.h5", store=3),
        lambda: rm.Dynamics(bob),
        lambda: model.index(["bob"]),
        lambda: model.with_prescribed(3),
        lambda: rm.Scene(title=3),
    ):
        with pytest.raises(rm.RedmaxError):
            call()  # type: ignore[no-untyped-call]


IMPOSSIBLE = ["", "a\0b", "x" * 300 + ".yaml", "\ud800.yaml", b"scene.yaml", 3, None, ["scene.yaml"], np.array("scene.yaml")]


@pytest.mark.parametrize("path", IMPOSSIBLE, ids=lambda p: brief(p)[:20])
def test_paths_that_cannot_be_get_a_sentence(path: Any, model: rm.Model, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    scene = pendulum()[0]
    run = rm.simulate(model, 0.02, integrator="euler")
    calls = [
        lambda: rm.load(path), lambda: rm.Scene.load(path), lambda: scene.save(path), lambda: run.save(path), lambda: run.html(path),
        lambda: run.to_csv(path), lambda: run.picture(path), lambda: run.film(path), lambda: scene.picture(path),
        lambda: rm.Mesh.load(path), lambda: rm.Tetrahedra.from_file(path, density=1.0, youngs=1.0, poisson=0.3),
    ]  # fmt: skip
    calls += [] if path is None else [lambda: rm.simulate(model, 0.02, out=path), lambda: run.plot(path)]
    for call in calls:
        with pytest.raises(rm.RedmaxError, match="named by a path"):
            call()
    assert not list(tmp_path.iterdir())


def test_a_path_may_be_of_any_kind_that_names_a_file():
    assert as_path(Path("a") / "b.yaml", "A file", "x") == Path("a/b.yaml")
    assert as_path("\udc80.yaml", "A file", "x").name == "\udc80.yaml"  # a name that is no UTF-8


def test_a_sentence_quotes_anything_briefly():
    class Rude:
        def __repr__(self) -> str:
            raise RuntimeError

    assert brief(10**5000) == "a whole number of 16610 bits"
    assert brief(Rude()) == "an object of type Rude"
    assert len(brief("x" * 10**6)) == 160
    assert brief(np.zeros((3, 40))) == "an array of shape (3, 40)"
