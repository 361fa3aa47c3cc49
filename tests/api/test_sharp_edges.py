"""What users get wrong when they begin: each mistake has a sentence that says what is valid, and what to write."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
import pytest

import redmax as rm
from redmax.components.wrong_call import explained

SHAPE = rm.Cuboid((0.3, 0.05, 0.05))


def arm(**more) -> rm.Scene:
    scene = rm.Scene()
    upper = scene.add_body(SHAPE, joint=rm.Revolute("y"), com=(0.15, 0, 0), name="upper", joint_name="shoulder", **more)
    scene.add_body(SHAPE, parent=upper, joint=rm.Revolute("y"), at=(0.3, 0, 0), com=(0.15, 0, 0), name="lower", joint_name="elbow")
    return scene


def lacking(potential) -> None:
    rm.force(lambda site, k: -k * site.x, potential=potential, bodies=[arm().find("upper")], k=1.0)


MISTAKES = {
    r"Got 0\. Bodies have no numbers: write 'upper' .* for the world leave it out": lambda s: s.add_body(SHAPE, parent=0),
    r"Got 7\. Bodies have no numbers; for the world leave it out": lambda s: s.add_body(SHAPE, parent=7),
    r"A shape is no body yet: scene\.add_body\(shape, \.\.\.\) returns one": lambda s: s.add_body(SHAPE, parent=SHAPE),
    r"a point of the body 'upper': give the body itself": lambda s: s.add_body(SHAPE, parent=s.find("upper").point(0, 0, 0)),
    r"^Duplicate name: there is already a body named 'upper'": lambda s: s.add_body(SHAPE, name="upper"),
    r"^Duplicate name: there is already a joint named 'elbow'": lambda s: s.add_body(SHAPE, joint_name="elbow"),
    r"Write initial=redmax\.State\(0\.0, q, qdot\)": lambda s: rm.simulate(s, 1, initial=(np.zeros(2), np.zeros(2))),
    r"There is no scene 'windmil'\. Did you mean 'windmill'\?": lambda s: rm.simulate("windmil", 1),
    r"There is no scene 'windmil'": lambda s: rm.Dynamics("windmil"),
    r"is the result of a run, not a scene\. redmax\.load": lambda s: rm.simulate("run.h5", 1),
    r"nothere\.yaml:1: there is no such file": lambda s: rm.simulate("nothere.yaml", 1),
    r"Got <class .*Scene'>\. Did you forget the parentheses": lambda s: rm.simulate(rm.Scene, 1),
    r"Got <function arm.*\. Did you forget to call it": lambda s: rm.simulate(arm, 1),
    r"Got Cuboid.*Make a scene and add bodies to it": lambda s: rm.simulate(SHAPE, 1),
    r"no integrator 'implict'\. Did you mean 'implicit'\? Valid: ": lambda s: rm.simulate(s, 1, integrator="implict"),
    r"the function 'energy' \(potential=\) takes \(site\), .*'k'.*all its parameters": lambda s: lacking(energy),
    r"lower has 2 numbers, but the joint 'shoulder' has 1 coordinate\. .*JointLimit\(joint, -1, 1": lambda s: s.add_force(
        rm.JointLimit("upper", (-1, 1), stiffness=1)
    ),
    r"force of the wrench on 'upper' must be 3 numbers": lambda s: s.add_wrench("upper", force=3),
    r"Body 'body3' needs a shape .*Did you forget the parentheses": lambda s: s.add_body(rm.Cuboid),
    r"no file 'windmill', but the catalogue has .*redmax\.scenes\.find\('windmill'\)\.scene\(\)": lambda s: rm.Scene.load("windmill"),
}


def energy(site):
    return 0.0


@pytest.mark.parametrize("sentence", MISTAKES)
def test_a_mistake_has_a_sentence(sentence):
    with pytest.raises(rm.RedmaxError, match=sentence):
        MISTAKES[sentence](arm())


def test_an_unknown_option_is_named_with_those_that_are_near():
    with pytest.raises(TypeError, match=r"simulate has no argument 'integrater'\. Did you mean 'integrator'\?"):
        rm.simulate(arm(), 1, integrater="rk4")  # type: ignore[call-arg]


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: rm.Cuboid(1, 2, 3), r"Cuboid takes 1 value .*got 3\. Numbers of one argument go into brackets: Cuboid\(\(1, 2, 3\)\)"),  # type: ignore[call-arg]
        (lambda: rm.Sphere(radus=1), r"Sphere has no argument 'radus'\. Did you mean 'radius'\?"),  # type: ignore[call-arg]
        (lambda: rm.Revolute("y", "x", "z"), r"Revolute takes \d values? without a name .*got 3"),  # type: ignore[call-arg]
        (lambda: rm.SpringDamper((0, 0, 0), (1, 0, 0), stifness=1), r"SpringDamper has no argument 'stifness'\. Did you mean 'stiffness'"),  # type: ignore[call-arg]
    ],
)
def test_a_constructor_says_what_it_takes(call, sentence):
    with pytest.raises(TypeError, match=sentence):
        call()


CALLS = {
    r"Trajectory\.plot got path twice: 'muscles', and path='m\.png'\. .*path, what, joints.* as in what='muscles'": lambda r: r.plot(
        "muscles", path="m.png"
    ),
    r"Trajectory\.plot has no argument 'joint'\. Did you mean 'joints'\?": lambda r: r.plot("rates", joint="elbow"),
    r"Trajectory\.to_csv has no argument 'columns'\. It has: path, what\.": lambda r: r.to_csv("a.csv", columns="q"),
    r"Trajectory\.world\(\) missing 1 required positional argument: 'index'": lambda r: r.world(),
    r"There is no argument of a look 'sise'\. Did you mean 'size'\?": lambda r: r.picture("a.png", sise=(3, 4)),
    r"There is no argument of a look 'feps'\. Did you mean .*'fps'": lambda r: r.film("a.mp4", feps=30),
    r"Scene\.add_body has no argument 'dampin'\. Did you mean 'damping'": lambda r: arm().add_body(SHAPE, dampin=1),
    r"Scene\.load has no argument 'parameter'\. Did you mean 'parameters'\?": lambda r: rm.Scene.load("a.yaml", parameter={}),
    r"Scene has no argument 'gravty'\. Did you mean 'gravity'\?": lambda r: rm.Scene(gravty=0),
    r"Look has no argument 'theem'\. Did you mean 'theme'\?": lambda r: rm.Look(theem="dark"),
    r"simulate got duration twice: 1, and duration=2\. .* scene, duration, dt": lambda r: rm.simulate(arm(), 1, duration=2),
    r"watch has no argument 'integratr'\. Did you mean 'integrator'\?": lambda r: rm.watch(arm(), integratr="rk4", block=False),
    r"Dynamics\.twist\(\) missing .*'of'": lambda r: r.engine.twist([0, 0], "lower"),
    r"jacobian: qdot is 'lower'\. .*jacobian\(q, qdot, of='lower'\)": lambda r: r.engine.jacobian([0, 0], "lower"),
    r"jacobian: q is 'lower'\. ": lambda r: r.engine.jacobian("lower", [0, 0]),
    r"jacobian: sparse is 'lower'\. ": lambda r: r.engine.jacobian([0, 0], [0, 0], arm().find("lower")),
}


@pytest.mark.parametrize("sentence", CALLS)
def test_a_call_with_arguments_that_are_not_there_says_what_there_is(sentence):
    with pytest.raises((TypeError, rm.SceneError), match=sentence):
        CALLS[sentence](rm.simulate(arm(), 0.01, 0.01, integrator="euler"))


def test_an_error_of_the_users_own_stays_as_it_is():
    """A TypeError from within a method is not taken for one of its call."""

    @explained()
    class Asking:
        def act(self, question):
            return question()

    with pytest.raises(TypeError, match=r"<lambda>\(\) missing 1 required positional argument: 'x'"):
        Asking().act(lambda x: x)
    with pytest.raises(TypeError, match=r"^Asking.act has no argument 'questions'. Did you mean 'question'\?"):
        Asking().act(questions=1)


FOREIGN = {
    "robot.urdf": ("<robot name='a'/>", "robot description .URDF., which pinocchio"),
    "model.mjcf": ("<mujoco/>", "MuJoCo"),
    "model.xml": ("<?xml version='1.0'?>\n<mujoco model='a'/>", "MuJoCo"),
    "leg.osim": ("<OpenSimDocument/>", "OpenSim"),
    "world.sdf": ("<sdf version='1.7'/>", "Gazebo"),
    "page.xml": ("<html/>", "an XML file"),
    "robot": ("<robot/>", "URDF"),
    "box.stl": ("solid", "redmax.Mesh.load"),
}


@pytest.mark.parametrize("name", FOREIGN)
def test_a_file_of_another_program_is_called_what_it_is(name, tmp_path):
    content, said = FOREIGN[name]
    (tmp_path / name).write_text(content)
    with pytest.raises(rm.SceneError, match=f"this is .*{said}.*Scene.load reads scene files"):
        rm.Scene.load(tmp_path / name)


@pytest.mark.parametrize("given", ["name", "reference", "path", "text"])
def test_a_scene_may_be_named_where_one_is_expected(given, tmp_path):
    """By its name or reference id with what the catalogue runs it with, by its file with what that says."""
    path = tmp_path / "arm.yaml"
    scene = arm()
    scene.defaults = {"duration": 0.02, "dt": 0.01, "integrator": "implicit"}
    scene.save(path)
    named: dict = {"name": "simple-chain", "reference": "redmax:0", "path": path, "text": str(path)}
    entry = rm.scenes.find("redmax:0") if given in ("name", "reference") else None  # type: ignore[attr-defined]
    same = scene if entry is None else entry.scene()
    how = {} if entry is None else {"integrator": entry.integrator, "dynamics": entry.dynamics}
    name = named[given] if entry is None or given == "reference" else entry.name
    run, direct = rm.simulate(name, 0.02, 0.01), rm.simulate(same, 0.02, 0.01, **how)
    np.testing.assert_array_equal(run.q, direct.q)
    assert rm.simulate(name, dt=0.01).t[-1] == pytest.approx(0.02 if entry is None else entry.duration)
    assert rm.Dynamics(name).model.nv == rm.Simulation(name).model.nv == same.model().nv


def test_world_is_the_parent_that_is_none_unless_a_body_is_named_so(tmp_path):
    scene = rm.Scene()
    scene.add_body(SHAPE, parent="world", name="first")
    scene.add_body(SHAPE, parent="world", name="world")
    scene.add_body(SHAPE, parent="world", name="last")
    assert [link.parent for link in scene.links] == [-1, -1, 1]
    sphere = "shape: {Sphere: {radius: 1}}"
    text = f"redmax: 1\nbodies:\n- {{name: %s, {sphere}, parent: world}}\n- {{name: b, {sphere}, parent: %s}}\n"
    assert [link.parent for link in rm.io.loads(text % ("a", "world")).links] == [-1, -1]  # type: ignore[attr-defined]
    with pytest.raises(rm.SceneError, match="'world' cannot be the parent of itself"):
        rm.io.loads(text % ("world", "world"))  # type: ignore[attr-defined]
    scene.save(tmp_path / "named.yaml")
    assert [link.parent for link in rm.Scene.load(tmp_path / "named.yaml").links] == [-1, -1, 1]


def test_a_name_twice_in_a_file_is_called_a_duplicate_also_where_it_is_the_parent():
    text = "redmax: 1\nbodies:\n- {name: a, shape: {Sphere: {radius: 1}}}\n- {name: a, shape: {Sphere: {radius: 1}}, parent: a}\n"
    with pytest.raises(rm.SceneError, match=r"text:4: Duplicate name: there is already a body named 'a'"):
        rm.io.loads(text)  # type: ignore[attr-defined]


def hints(act) -> list[warnings.WarningMessage]:
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        act()
    return list(found)


HINTS = {
    "are its lengths in millimetres": lambda s: s.add_body(rm.Cuboid((1000, 50, 50))),
    "stiffness is 1e[+]300, stiffer than anything": lambda s: s.add_body(SHAPE, joint=rm.Revolute("y"), stiffness=1e300),
    "SpringDamper 'force1': stiffness is 1e[+]300": lambda s: s.add_force(rm.SpringDamper(s.find("upper"), (0, 0, 0), stiffness=1e300)),
    "Servo 'force1': kp is 1e[+]300": lambda s: s.add_force(rm.Servo("upper", 0.0, kp=1e300)),
}


@pytest.mark.parametrize("sentence", HINTS)
def test_what_is_valid_and_not_meant_gets_a_hint_at_the_users_line(sentence):
    with pytest.warns(rm.RedmaxWarning, match=sentence) as found:
        HINTS[sentence](arm())
    assert [Path(w.filename).name for w in found] == [Path(__file__).name]


def test_no_hint_where_all_is_in_millimetres_or_nothing_falls_and_one_for_a_scene():
    def several() -> None:
        for gravity in ((0, 0, -9810), (0, 0, 0)):
            rm.Scene(gravity=gravity).add_body(rm.Cuboid((1000, 50, 50)))
        rm.Scene().add_body(rm.Cuboid((30, 5, 5)))

    def twice() -> None:
        scene = rm.Scene()
        for _ in range(3):
            scene.add_body(rm.Sphere(1000))

    assert not hints(several)
    assert len(hints(twice)) == 1


def test_warnings_of_runs_point_at_the_users_line():
    scene = rm.Scene()
    scene.add_body(rm.Sphere(0.1), joint=rm.joint(lambda q: rm.pose(np.eye(3), (q[0], 0, 0)), 1, domain=(-1, 1)), qdot=20.0)
    line = next(i for i, text in enumerate(Path(__file__).read_text().splitlines(), 1) if "THIS LINE" in text and "next" not in text)
    with pytest.warns(rm.RedmaxWarning, match="left the domain") as found:
        rm.simulate(scene, 0.1, integrator="rk4")  # THIS LINE
    assert [(Path(w.filename).name, w.lineno) for w in found] == [(Path(__file__).name, line)]


def test_what_python_shows_of_things_fits_on_a_screen():
    """However large they are: on a line or two."""
    scene = rm.Scene(title="A chain " * 40)
    for i in range(60):
        scene.add_body(SHAPE, joint=rm.Revolute("y"), parent=None if i == 0 else f"link{i - 1}", at=(0.3, 0, 0), name=f"link{i}")
    model = scene.model()
    state = rm.State(0.5, np.zeros((100, 60)), np.zeros((100, 60)))
    seen = rm.Dynamics(scene, backend="interpret").observe(np.zeros((2, 60)), np.zeros((2, 60)))
    energy = type(rm.simulate(arm(), 0.02).energy)(np.ones(1000), np.zeros(1000))
    parts = rm.Composite([(rm.Sphere(0.1), (0.1 * k, 0, 0)) for k in range(40)])
    extrusion = rm.Extrusion(np.column_stack([np.cos(np.linspace(0, 6, 300)), np.sin(np.linspace(0, 6, 300))]), 0.1)
    for thing in (scene, model, state, seen, energy, parts, extrusion, rm.MassProperties(1.0, np.eye(3)), rm.Dynamics(scene)):
        assert len(repr(thing)) < 420, repr(thing)
        assert "\n" not in repr(thing)
    assert "60 bodies (link0, link1" in repr(scene)
    assert "60 velocities" in repr(model)
    assert repr(rm.State(0.5, np.array([1.0, 2.0]), np.zeros(2))) == "State(t=0.5, q=[1., 2.], qdot=[0., 0.])"
    assert "drift at most 0" in repr(energy)


def test_no_world_at_all_is_an_empty_batch_also_on_a_map():
    scene = arm()
    scene.set_map([1.0, 2.0])
    run = rm.simulate(scene, 0.02, integrator="implicit", initial=rm.State(0.0, np.zeros((0, 2)), np.zeros((0, 2))))
    assert (run.q.shape, run.q_R.shape, run.qddot.shape, run.energy.total.shape) == ((3, 0, 2), (3, 0, 1), (3, 0, 2), (3, 0))
