"""What cannot be built or computed: every message names the body or joint, what was given, and what is valid."""

from __future__ import annotations

import numpy as np
import pytest

import redmax as rm

BOX = rm.Cuboid((0.3, 0.2, 0.1))
NOTHING = rm.MassProperties(0, (0, 0, 0))


def arm() -> rm.Scene:
    scene = rm.Scene()
    upper = scene.add_body(BOX, joint=rm.Universal(), com=(0.1, 0, 0), name="upper arm", joint_name="shoulder")
    scene.add_body(BOX, joint=rm.Revolute("y"), parent=upper, at=(0.3, 0, 0), com=(0.1, 0, 0), name="lower arm", joint_name="elbow")
    return scene


@pytest.fixture(scope="module", params=["llvm", "interpret"])
def dynamics(request) -> rm.Dynamics:
    return rm.Dynamics(arm().model(), backend=request.param)


def test_unknown_parent_suggests_the_near_names():
    with pytest.raises(rm.SceneError, match=r"no body 'uper arm'.*Did you mean 'upper arm'"):
        arm().add_body(BOX, parent="uper arm")
    with pytest.raises(rm.SceneError, match=r"no body 'zzz'.*'upper arm', 'lower arm'"):
        arm().add_body(BOX, parent="zzz")
    with pytest.raises(rm.SceneError, match="no body yet"):
        rm.Scene().add_body(BOX, parent="anything")


def test_a_handle_of_another_scene_is_unknown():
    other = rm.Scene()
    stranger = other.add_body(BOX, name="stranger")
    with pytest.raises(rm.SceneError, match="stranger"):
        arm().add_body(BOX, parent=stranger)


def test_duplicate_names():
    scene = arm()
    with pytest.raises(rm.SceneError, match="already a body named 'upper arm'"):
        scene.add_body(BOX, name="upper arm")
    with pytest.raises(rm.SceneError, match="already a joint named 'elbow'"):
        scene.add_body(BOX, name="hand", joint_name="elbow")
    assert len(scene.links) == 2, "a body that was refused is not there"


@pytest.mark.parametrize("name", ["", 3, np.zeros(2)], ids=repr)
def test_names_are_texts(name):
    with pytest.raises(rm.SceneError, match="nonempty text"):
        rm.Scene().add_body(BOX, name=name)
    with pytest.raises(rm.SceneError, match="nonempty text"):
        rm.Scene().add_body(BOX, joint_name=name)


def test_unknown_names_of_a_model():
    model = arm().model()
    assert model.q_slice("elbow") == model.q_slice("lower arm") == slice(2, 3)
    with pytest.raises(rm.SceneError, match=r"'elbo'.*'elbow'"):
        model.q_slice("elbo")
    with pytest.raises(rm.SceneError, match=r"'sholder'.*'shoulder'"):
        model.with_prescribed(["sholder"])


def test_an_empty_scene():
    with pytest.raises(rm.SceneError, match="no body"):
        rm.Scene().model()


def test_a_massless_leaf_that_may_move():
    scene = arm()
    scene.add_body(NOTHING, joint=rm.Revolute("x"), parent="lower arm", name="tool")
    with pytest.raises(rm.SceneError, match=r"'tool'.*mass"):
        scene.model()
    fixed = arm()
    fixed.add_body(NOTHING, parent="lower arm", name="tool")
    fixed.model()
    carried = rm.Scene()
    frame = carried.add_body(NOTHING, joint=rm.Revolute("x"), name="frame")
    carried.add_body(NOTHING, joint=rm.Fixed(), parent=frame, name="rod")
    with pytest.raises(rm.SceneError, match="'frame'"):
        carried.model()
    carried.add_body(BOX, parent="rod")
    carried.model()


def test_poses_must_be_rigid():
    scaled, reflected, sheared = 2 * np.eye(4), np.diag([1.0, 1, -1, 1]), np.eye(4)
    sheared[0, 1] = 1e-3
    for bad in (scaled, reflected, sheared, np.eye(3), np.full((4, 4), np.nan), (1, 2), np.zeros((4, 4))):
        for place in ("at", "body"):
            with pytest.raises(rm.SceneError, match=f"{place} of body 'bob'"):
                rm.Scene().add_body(BOX, name="bob", **{place: bad})


def test_com_and_body_exclude_each_other():
    with pytest.raises(rm.SceneError, match="'bob' got both com and body"):
        rm.Scene().add_body(BOX, com=(0, 0, 1), body=(0, 0, 1), name="bob")


@pytest.mark.parametrize(
    ("option", "value", "text"),
    [
        ("stiffness", -1.0, "must not be negative"),
        ("stiffness", [1.0, -2.0], "must not be negative"),
        ("damping", -0.1, "must not be negative"),
        ("damping", [1.0, 2.0, 3.0], "2 numbers"),
        ("stiffness", np.inf, "finite"),
        ("rest", [0.1], "2 numbers"),
        ("q", [np.nan, 0.0], "finite"),
        ("q", [0.0, 0.0, 0.0], "2 numbers"),
        ("qdot", "fast", "2 numbers"),
        ("torque", [1.0], "2 numbers"),
        ("gain", -1.0, "must not be negative"),
    ],
)
def test_numbers_of_a_joint(option, value, text):
    with pytest.raises(rm.SceneError, match=f"(?s){option} of body 'bob'.*{text}"):
        rm.Scene().add_body(BOX, joint=rm.Universal(), name="bob", **{option: value})


def test_a_shape_and_a_gravity_are_needed():
    with pytest.raises(rm.SceneError, match="'bob' needs a shape"):
        rm.Scene().add_body(3.0, name="bob")
    with pytest.raises(rm.SceneError, match="gravity"):
        rm.Scene(gravity=9.81)
    with pytest.raises(rm.SceneError, match="gravity"):
        rm.Scene(gravity=(0, 0, np.nan))


def test_a_motion_needs_a_freedom():
    with pytest.raises(rm.SceneError, match=r"'bob'.*no degree of freedom"):
        rm.Scene().add_body(BOX, joint=rm.Fixed(), motion=lambda t: t, name="bob")


def test_wrenches_are_checked():
    scene = arm()
    with pytest.raises(rm.SceneError, match="'body' or 'world'"):
        scene.add_wrench("upper arm", force=(0, 0, 1), frame="parent")
    with pytest.raises(rm.SceneError, match="3 numbers"):
        scene.add_wrench("upper arm", force=(0, 1))
    with pytest.raises(rm.SceneError, match="Did you mean 'upper arm'"):
        scene.add_wrench("upper am", force=(0, 0, 1))


def test_functions_must_return_as_many_numbers_as_the_joint_has():
    for option in ({"torque": lambda t, q, qdot: [1.0, 2.0, 3.0]}, {"motion": lambda t: [t]}):
        scene = rm.Scene()
        scene.add_body(BOX, joint=rm.Universal(), name="bob", **option)
        with pytest.raises(rm.SceneError, match=r"'bob'.*2 numbers"):
            rm.Dynamics(scene.model()).forward(np.zeros(2), np.zeros(2), np.zeros(2))


@pytest.mark.parametrize("shape", [(2,), (4,), (3, 2), ()])
def test_wrong_shapes(dynamics, shape):
    good, bad = np.zeros(3), np.zeros(shape)
    for position, name in enumerate(("q", "qdot", "tau")):
        args = [good, good, good]
        args[position] = bad
        with pytest.raises(rm.SceneError, match=rf"{name} must have shape \(\.\.\., 3\)"):
            dynamics.forward(*args)
    with pytest.raises(rm.SceneError, match="qddot must have shape"):
        dynamics.inverse(good, good, bad)
    with pytest.raises(rm.SceneError, match=r"wrench must have shape \(\.\.\., 2, 6\)"):
        dynamics.forward(good, good, good, np.zeros((3, 6)))


def test_texts_and_leading_axes_that_do_not_fit(dynamics):
    with pytest.raises(rm.SceneError, match="q must be an array of numbers"):
        dynamics.forward(["a", "b", "c"], np.zeros(3))
    with pytest.raises(rm.SceneError, match="leading axes"):
        dynamics.forward(np.zeros((3, 3)), np.zeros((2, 3)))


@pytest.mark.parametrize(("column", "joint"), [(0, "shoulder"), (1, "shoulder"), (2, "elbow")])
@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_a_number_that_is_none_names_the_joint(dynamics, column, joint, value):
    good, bad = np.zeros(3), np.zeros(3)
    bad[column] = value
    with pytest.raises(rm.SceneError, match=f"q must be finite.*'{joint}'"):
        dynamics.forward(bad, good, good)
    with pytest.raises(rm.SceneError, match=f"qdot must be finite.*'{joint}'"):
        dynamics.forward(good, bad, good)
    with pytest.raises(rm.SceneError, match=f"tau must be finite.*'{joint}'"):
        dynamics.forward(good, good, bad)
    with pytest.raises(rm.SceneError, match=f"qddot must be finite.*'{joint}'"):
        dynamics.inverse(good, good, bad)
    with pytest.raises(rm.SceneError, match=f"q must be finite.*'{joint}'"):
        dynamics.observe(bad, good)
    with pytest.raises(rm.SceneError, match=f"q must be finite.*'{joint}'"):
        dynamics.inertia(bad)
    many = np.zeros((20, 3))
    many[13] = bad
    with pytest.raises(rm.SceneError, match=f"q must be finite.*13.*'{joint}'"):
        dynamics.forward(many, good)


def test_a_coordinate_that_does_not_matter_must_be_a_number_too():
    scene = rm.Scene()
    scene.add_body(BOX, joint=rm.Translational(), joint_name="slide")
    for backend in ("llvm", "interpret"):
        with pytest.raises(rm.SceneError, match="slide"):
            rm.Dynamics(scene.model(), backend=backend).forward(np.full(3, np.nan), np.zeros(3), np.zeros(3))


def test_a_result_that_is_no_number_names_the_joint():
    """Finite inputs, whose squares are not."""
    scene = rm.Scene()
    scene.add_body(BOX, joint=rm.Spherical(), joint_name="ball")
    d = rm.Dynamics(scene.model())
    huge = np.array([1e200, 0.0, 0.0])
    with pytest.raises(rm.SimulationError, match="ball"):
        d.forward(np.array([0.3, 0.2, 0.1]), huge, huge)


def test_dynamics_are_those_of_a_scene_or_of_its_model():
    """A scene that changes later changes nothing of them."""
    scene = arm()
    of_scene, of_model = (rm.Dynamics(x, backend="interpret") for x in (scene, scene.model()))
    scene.gravity = np.zeros(3)
    assert np.array_equal(of_scene.forward(*np.full((2, 3), 0.3)), of_model.forward(*np.full((2, 3), 0.3)))
    with pytest.raises(rm.SceneError, match=r"Expected a redmax.Scene, .* or what its model\(\) returns. Got 3"):
        rm.Dynamics(3)


def test_backends_and_precisions_are_named():
    model = arm().model()
    with pytest.raises(rm.RedmaxError, match=r"'cuda'.*'llvm'.*'interpret'"):
        rm.Dynamics(model, backend="cuda").forward(np.zeros(3), np.zeros(3))
    with pytest.raises(rm.RedmaxError, match=r"'int32'.*'float64'.*'float32'"):
        rm.Dynamics(model, dtype="int32").forward(np.zeros(3), np.zeros(3))


@pytest.mark.parametrize(
    ("case", "backend"),
    [
        ("no motion", "llvm"),
        ("no motion", "interpret"),
        ("point mass on its axis", "llvm"),
        ("point mass on its axis", "interpret"),
        ("coaxial hinges around nothing", "llvm"),
        ("coaxial hinges around nothing", "interpret"),
    ],
)
def test_a_freedom_without_inertia_is_reported(case, backend):
    """No equation of motion: an error of this library, not a division by zero from within."""
    scene = rm.Scene()
    if case == "no motion":
        scene.add_body(BOX, joint=rm.joint(lambda q: np.eye(4), 1, check=False))
    elif case == "point mass on its axis":
        scene.add_body(rm.MassProperties(1.0, (0, 0, 0)), joint=rm.Revolute("z"), com=(0, 0, 0.3))
    else:
        cross = scene.add_body(NOTHING, joint=rm.Revolute("z"))
        scene.add_body(BOX, joint=rm.Revolute("z"), parent=cross)
    n = scene.model().nv
    with pytest.raises(rm.RedmaxError):
        rm.Dynamics(scene.model(), backend=backend).forward(np.zeros(n), np.zeros(n), np.ones(n))
