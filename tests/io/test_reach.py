"""Everything of the Python API that makes a scene, or says how to run it, can be said in a file."""

from __future__ import annotations

import inspect
from textwrap import indent

import numpy as np
import pytest

import redmax as rm
from redmax.components.kept_arguments import Made
from redmax.deformables import Attachment, Deformable, Elements, Law, Material
from redmax.io import SceneFileError, load, loads, parameters, starter
from redmax.io.kinds import kinds, meaning_of
from redmax.io.running import Run
from redmax.io.structure import OWN, BodyEntry, MapEntry, Steps, TwistEntry, WrenchEntry
from redmax.joints.checks import check_joint

# Names of the API that are no part of a scene: results, errors, what a file says by other means, and modules.
OTHERWISE = {
    "Body", "Joint", "Force", "JointForce", "PathForce", "Constraint",  # to be subclassed: Python alone can do so
    "BodyHandle", "Point", "Site",  # a body's name, {body, point}, site1 in an expression
    "Scene", "Model", "State", "Simulation", "Trajectory", "Checkpoint", "Dynamics", "Observation", "ForceHistory", "Assembly",
    "ConstraintHistory", "ConstraintStates", "Contact", "ContactSample", "Contacts",
    "Centroidal", "Torques", "FrameHandle", "watch", "reconstruct", "EulerPoincare",
    "ContactMaterial", "Plane", "Obstacle",  # contact: of a body, obstacles:
    "Look", "Camera", "Trail", "Appearance",  # look:, painted:, and color, opacity, material of a body
    "RedmaxError", "SceneError", "SimulationError", "TraceError", "Interrupted", "RedmaxWarning",
    "frame_rows", "natural_knots", "pose_distances",  # designing: what comes of it is in a file
    "InverseKinematics", "Reached", "Target", "PositionTarget", "OrientationTarget", "FrameTarget", "MarkerTarget", "LookAtTarget",
    "CenterOfMassTarget", "PostureTarget",  # what is reached is a state
    "fit_curve", "CurveFit", "fit_surface", "SurfaceFit", "Cauchy", "Huber", "Tukey",  # likewise
    "unit_speed", "fit_report",  # likewise
    "MeasuredPoses", "MotionTable", "read_markers", "read_motion", "read_poses", "write_markers", "write_motion", "write_poses",
    "Markers", "MarkerPoses", "marker_template", "poses_from_markers",  # likewise
    "Motion", "SmoothedMotion", "smoothed_motion", "MotionTorques", "inverse_dynamics", "Activations",  # of motions
    "static_optimisation", "Tracked", "track",  # of motions
    "gradient", "Gradient", "RunGradient", "Moment", "linearize", "StepLinearization",  # of runs
    "simulate", "load", "pose", "rotation_about", "lie", "math", "curves", "surfaces", "muscles", "deformables",
}  # fmt: skip
# Of simulate: Python's or the command's.
NOT_IN_A_FILE = {"controls", "on_failure", "scene", "controller", "initial", "progress", "out", "store"}


def test_every_public_name_is_a_kind_or_has_another_place():
    missing = [n for n in rm.__all__ if n not in kinds() and n not in OWN and n not in OTHERWISE]
    assert missing == []


@pytest.mark.parametrize("module", [rm.curves, rm.surfaces, rm.muscles, rm.deformables], ids=lambda m: m.__name__)
def test_every_class_of_a_module_is_a_kind(module):
    known = {k.type for k in kinds().values()}
    for name in module.__all__:
        cls = getattr(module, name)
        if isinstance(cls, type) and issubclass(cls, Made | Elements) and not inspect.isabstract(cls):
            abstract = {"ParametricCurve", "ParametricSurface", "Hill", "Law", "Material"}
            assert cls in known or name in abstract, name
    assert {Law, Material, Attachment}.isdisjoint(known)  # law and material of functions; attach and tie of a deformable


def arguments(function) -> set[str]:
    return {n for n, p in inspect.signature(function).parameters.items() if n != "self" and p.kind is not p.VAR_KEYWORD}


def test_every_argument_of_a_constructor_is_one_of_its_kind():
    for kind in kinds().values():
        assert arguments(kind.make) <= set(kind.parameters), kind.name


def test_a_constructor_takes_the_same_where_python_looks_at_new_first(monkeypatch):
    """As inspect.signature of a class does up to Python 3.11.2: `__new__` takes anything, to keep it."""
    usual, taken = inspect.signature, {name: list(kind.parameters) for name, kind in kinds().items()}
    monkeypatch.setattr(inspect, "signature", lambda of, **more: usual(of.__new__ if isinstance(of, type) else of, **more))
    assert {name: list(kind.parameters) for name, kind in kinds.__wrapped__().items()} == taken
    assert (rm.Free().arguments(), rm.Cylindrical("y").arguments()) == ({}, {"axis": "y"})
    assert repr(rm.Spherical()) == "Spherical()"


def test_every_argument_of_the_methods_of_a_scene_and_of_functions():
    assert arguments(rm.Scene.add_body) == set(BodyEntry.model_fields)
    assert arguments(rm.Scene.add_wrench) == set(WrenchEntry.model_fields)
    assert arguments(rm.Scene.prescribe_twist) == set(TwistEntry.model_fields)
    assert arguments(rm.Scene.set_map) - {"map"} == set(MapEntry.model_fields) - {"function", "matrix"}
    assert arguments(rm.joint) | {"parameters"} == set(OWN["joint"].model_fields)
    assert arguments(rm.force) | {"parameters"} == set(OWN["force"].model_fields)
    assert arguments(rm.constraint) | {"parameters"} == set(OWN["constraint"].model_fields)


def test_every_option_of_simulate_is_one_of_run():
    assert arguments(rm.simulate) - NOT_IN_A_FILE == set(Run.model_fields)


def test_every_change_of_a_deformable_is_a_step():
    changes = {
        n
        for n, f in vars(Deformable).items()
        if inspect.isfunction(f) and not n.startswith("_") and "Self" in str(f.__annotations__.get("return"))
    }
    others = {"renamed", "moved", "found", "tied_at"}  # the name is an argument; positions and velocities move it; scenes find the rest
    assert changes - others <= set(Steps.model_fields)
    assert {"positions", "velocities"} <= set(Steps.model_fields)


def test_every_function_of_an_argument_knows_what_it_is_called_with():
    """An argument whose type is a function, or has one among others, is one for files too."""
    functions = 0
    for kind in kinds().values():
        for name in kind.parameters:
            meant = meaning_of(kind.name, name)
            if any("Callable" in str(member) for member in meant.members):
                functions += 1
                assert meant.called is not None, (kind.name, name)
    assert functions >= 18


SPHERE = "{Sphere: {radius: 0.1}}"
ONE = f"redmax: 1\nbodies:\n  - {{name: a, shape: {SPHERE}, joint: Revolute, com: [0.3, 0, 0]}}\n"
# What stands for an argument of each kind that has to be given, as small as can be.
GIVEN = {
    "Composite": f"{{parts: [[{SPHERE}, [0, 0, 0]]]}}",
    "Extrusion": "{outline: [[0, 0], [1, 0], [0, 1]], depth: 0.1}",
    "MassProperties": "{mass: 1, inertia: [1, 1, 1]}",
    "Mesh": "{vertices: [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], faces: [[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]]}",
    "Cuboid": "{size: [1, 2, 3]}",
    "Ellipsoid": "{radii: [1, 2, 3]}",
    "Torus": "{major: 1, minor: 0.2}",
    "PointMass": "{mass: 1}",
    "CompositeJoint": "{sequence: [Revolute, {Prismatic: {axis: x}}]}",
    "CurveJoint": "{curve: {curves.Helix: {radius: 1, pitch: 0.1}}}",
    "CurveOnCurve": "{parent: {curves.Ellipse: {a: 1, b: 2}}, child: {curves.Circle: {radius: 0.2}}, rolling: true}",
    "Elliptic": "{a: 1, b: 2}",
    "Helical": "{axis: z, pitch: 0.1}",
    "PlanarScrew": "{axis: z, pitch: 0.1}",
    "Inverted": "{joint: {Revolute: {axis: x}}}",
    "PointOnSurface": "{surface: {surfaces.Torus: {major: 1, minor: 0.3}}}",
    "SurfaceContact": "{parent: {surfaces.Sphere: {radius: 1}}, child: {surfaces.Ellipsoid: {semi_axes: [0.2, 0.3, 0.4]}}}",
    "joint": "{function: [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 'q[0] + t'], [0, 0, 0, 1]], dof: 1}",
}
POSES = [f"[[1, 0, 0, {i}], [0, 1, 0, {i * i / 4}], [0, 0, 1, 0], [0, 0, 0, 1]]" for i in range(5)]
GIVEN["BasisCurve"] = f"{{frames: [{', '.join(POSES[:4])}], basis: catmull-rom}}"
GIVEN["SplineCurve"] = f"{{frames: [{', '.join(POSES)}]}}"
SHEET = "[" + ", ".join("[" + ", ".join(f"[{i}, {j}, 0, 0, 0, 0]" for j in range(4)) + "]" for i in range(4)) + "]"
SLIDE = "[" + ", ".join("[" + ", ".join(f"[0, 0, 0, {i}, {j}, 0]" for j in range(4)) + "]" for i in range(4)) + "]"
GIVEN["TwistSurface"] = f"{{values: {SLIDE}}}"
GIVEN |= {"SplineSurface": f"{{values: {SHEET}}}", "DeformingSplineSurface": f"{{values: {SHEET}, modes: [[{SHEET}, 0.1*sin(t)]]}}"}
START = {
    "BasisCurve": "q: 0.5",
    "SplineCurve": "q: 0.5",
    "SplineSurface": "q: [0.5, 0.5]",
    "DeformingSplineSurface": "q: [0.5, 0.5]",
    "TwistSurface": "q: [0.5, 0.5]",
    "SurfaceContact": "q: [0.3, 0.2, 0.1, 0.4]",
}
CURVES = {
    "Bezier": "{points: [[0, 0, 0], [1, 0, 0], [1, 1, 0], [2, 1, 0]]}",
    "Curve": "{function: [s, s**2, 0], domain: [0, 1]}",
    "Lissajous": "{amplitudes: [1, 1, 0], frequencies: [1, 2, 0]}",
    "Polyline": "{points: [[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0], [0, 2, 0], [1, 2, 0], [2, 2, 0]]}",
}
SURFACES = {
    "BezierPatch": "{points: [[[0, 0, 0], [0, 1, 0]], [[1, 0, 0], [1, 1, 0.5]]]}",
    "Cylinder": "{radius: 1}",
    "Surface": "{function: [u, v, u*v]}",
}
FORCES = {
    "Actuator": "{joint: a, function: '-k*q[0]', potential: 'k*q[0]**2/2', parameters: {k: 2}}",
    "AppliedWrench": "{on: a, torque: [t, 0, 0]}",
    "BodyDamping": "{body: a, damping: 0.1}",
    "Bushing": "{a: a, b: [0, 0, 0], translational: [1, 2, 3]}",
    "Cable": "{points: [[0, 0, 1], a], stiffness: 10}",
    "JointDamper": "{joint: a, damping: 1}",
    "JointFriction": "{joint: a, friction: 0.3, radius: 0.1, height: 0.2}",
    "ConstraintFriction": "{constraint: floor, friction: 0.3, points: [[0, 0, 0]], normals: [[0, 0, 1]], sides: 8}",
    "JointLimit": "{joint: a, lower: -1, stiffness: 1}",
    "JointSpring": "{joint: a, stiffness: 1}",
    "PointForce": "{point: {body: a, point: [0, 0, 0.1]}, direction: [0, 0, 1], strength: 1 + t}",
    "PointSpring": "{a: a, b: [0, 0, 1], stiffness: 1}",
    "Servo": "{joint: a, target: sin(t), kp: 1, limits: {MotorLimits: {effort: 2, velocity: 3}}}",
    "FixedTendon": "{joints: {a: 0.5}, stiffness: 3, rest: 0.1}",
    "SpringDamper": "{a: a, b: [0, 0, 1], stiffness: 1}",
    "Muscle": "{path: [[0, 0, 1], {ConditionalPoint: {point: {body: a, point: [0, 0, 0.1]}, joint: a, between: [-1, 1]}}, "
    "{MovingPoint: {body: a, position: [q, 0, 0.1], joint: a}}, a], force: 10, optimal_length: 0.5, excitation: 0.5, "
    "dynamics: {ActivationDynamics: {rise: 0.02}}, "
    "curves: {Curves: {active_length: 'exp(-(x - 1)**2)', velocity: 1 + 0.1*x, passive_length: 0.1*x}}}",
    "force": "{path: [a, [0, 0, 2]], tension: 5*length + 0.1*rate}",
}  # fmt: skip
CONSTRAINTS = {
    "Distance": "{first: a, second: [0, 0, 1]}",
    "PointClosure": "{first: a, second: [0, 0, 1]}",
    "BallClosure": "{first: a, second: [0, 0, 1]}",
    "Closure": "{joint: {Cylindrical: {axis: y}}, first: a, second: [0, 0, 1], q: [0.1, 0.2]}",
    "PointOnCurve": "{point: a, curve: {curves.Circle: {radius: 0.5}}, on: [0, 0, 1]}",
    "HingeClosure": "{first: a, second: [0, 0, 1], axis: y, second_axis: [0, 1, 0]}",
    "UniversalClosure": "{first: a, second: [0, 0, 1], axis: y}",
    "WeldClosure": "{first: a, second: [0, 0, 1], as_placed: true}",
    "PointInPlane": "{point: a, plane: [0, 0, 1], normal: x}",
    "PrescribedPoint": "{point: a, position: [t, 0, 0]}",
    "PrescribedFrame": "{frame: a, pose: [[1, 0, 0, t], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]]}",
    "PrescribedCoordinate": "{joint: a, motion: sin(t)}",
    "Rope": "{path: [[0, 0, 1], {Pulley: {centre: [1, 0, 1], radius: 0.1}}, a], length: 2}",
    "Belt": "{path: [{Pulley: {centre: a, radius: 0.1}}, {Pulley: {centre: [2, 0, 0], radius: 0.1}}]}",
    "HardLimit": "{joint: a, upper: pi/2}",
    "Coupling": "{joints: {a: 1}}",
    "Gear": "{first: a, second: b, ratio: 2}",
    "ScrewCoupling": "{turning: a, sliding: b, lead: 0.1}",
    "EqualAngles": "{joints: [a, b]}",
    "constraint": "{function: 'q1[0] - site1.x[0]', bodies: [a], joints: [a]}",
}
SECOND = f"  - {{name: b, shape: {SPHERE}, joint: Revolute, com: [0.3, 0, 0]}}\n"
PULL = "data[0]*(x[0, 0] - x[1, 0])"
LAW = f"{{law: {{nodes: 2, numbers: 1, energy: '{PULL}**2/2', forces: [['-{PULL}', 0, 0], ['{PULL}', 0, 0]]}}}}"
NODES = "nodes: [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]"
DEFORMABLES = {
    "Cloth": "{size: [1, 1], cells: [2, 2], density: 1, stretch: 10}",
    "Deformable": f"{{{NODES}, masses: [1, 1, 1, 1], elements: [{{Elements: {{law: {LAW}, nodes: [[0, 1]], data: [[2]]}}}}, "
    "{Elements: {law: Spring, nodes: [[2, 3]], data: [[2, 1, 0]]}}]}",
    "SpringChain": "{start: [0, 0, 0], end: [1, 0, 0], count: 3, mass: 1, stiffness: 10}",
    "Tetrahedra": f"{{{NODES}, tets: [[0, 1, 2, 3]], density: 1, youngs: 10, poisson: 0.3, material: {{Corotated: {{}}}}}}",
    "Tetrahedra.box": "{size: [1, 1, 1], cells: [1, 1, 1], density: 1, youngs: 10, poisson: 0.3}",
    "Tetrahedra.beam": "{length: 1, width: 0.1, height: 0.1, cells: [2, 1, 1], density: 1, youngs: 10, poisson: 0.3, "
    "material: {StableNeoHookean: {}}}",
}


def written(name: str) -> str:
    """A scene that has this kind in it."""
    family = next(
        (base for base in (rm.Body, rm.Joint, rm.Deformable) if issubclass(getattr(kinds().get(name), "type", rm.Force), base)), None
    )
    if family is rm.Body:
        given = GIVEN.get(name, "{radius: 1}" if name == "Sphere" else "{radius: 1, height: 2}")
        return f"redmax: 1\nbodies:\n  - {{name: a, shape: {{{name}: {given}}}, joint: Free}}\n"
    if family is rm.Joint or name == "joint":
        joint, start = f"{{{name}: {GIVEN.get(name, '{}')}}}", f", {START[name]}" if name in START else ""
        return f"redmax: 1\nbodies:\n  - {{name: a, shape: {SPHERE}, joint: {joint}, com: [0.1, 0.2, 0.3]{start}}}\n"
    if name in CONSTRAINTS:
        return ONE + SECOND + f"constraints:\n  - {name}: {CONSTRAINTS[name]}\n"
    if family is rm.Deformable:
        return f"redmax: 1\ndeformables:\n  - {name}: {DEFORMABLES[name]}\n"
    if name.startswith("curves."):
        given = CURVES.get(
            name[7:], "{radius: 1, pitch: 1}" if name[7:] == "Helix" else "{a: 1, b: 2}" if name[7:] == "Ellipse" else "{radius: 1}"
        )
        return ONE.replace("Revolute", f"{{CurveJoint: {{curve: {{{name}: {given}}}, frame: fixed}}}}")
    if name.startswith("surfaces."):
        known = {"Torus": "{major: 1, minor: 0.2}", "Sphere": "{radius: 1}", "Ellipsoid": "{semi_axes: [1, 2, 3]}"}
        return ONE.replace("Revolute", f"{{PointOnSurface: {{surface: {{{name}: {(known | SURFACES)[name[9:]]}}}}}}}")
    if name == "HeightField":
        return ONE + "obstacles:\n  - shape: {HeightField: {heights: [[0, 1], [1, 0]], size: [2, 1]}}\n"
    floor = "constraints:\n  - PointInPlane: {point: a, name: floor}\n" if name == "ConstraintFriction" else ""
    return ONE + f"forces:\n  - {name}: {FORCES[name]}\n" + floor


WITHIN = {
    "Pulley",
    "MotorLimits",
    "MovingPoint",
    "ConditionalPoint",
    "ActivationDynamics",
    "Curves",
    "Elements",
    "Spring",
    "Corotated",
    "StableNeoHookean",
}


@pytest.mark.parametrize("name", [*(k for k in kinds() if k not in WITHIN), "joint", "force", "constraint"])
def test_each_kind_can_be_written_and_makes_a_model(name):
    scene = loads(written(name))
    made = [x.shape for x in scene.links] + [x.joint for x in scene.links] + [*scene.forces, *scene.deformables, *scene.constraints]
    inner = [getattr(x.joint, a, None) for x in scene.links for a in ("curve", "surface")] + [o.shape for o in scene.obstacles]
    cls = kinds()[name].type if name in kinds() else {"joint": rm.Joint, "force": rm.Force, "constraint": rm.Constraint}[name]
    assert any(isinstance(x, cls) for x in [*made, *inner])
    model = scene.model()
    assert np.isfinite(model.q0).all()
    for link in scene.links:
        check_joint(link.joint, link.joint_name)


def test_kinds_within_others_are_in_the_scenes_above():
    texts = "".join([*FORCES.values(), *DEFORMABLES.values(), *CONSTRAINTS.values()])
    assert [name for name in WITHIN if name not in texts] == []


def test_bodies_have_every_option():
    text = ONE + indent(
        "- {name: b, joint_name: hinge, shape: {Sphere: {radius: 0.1}}, joint: Revolute, parent: a, at: [1, 0, 0],\n"
        "   body: [0.1, 0, 0], q: 0.1, qdot: 0.2, stiffness: 1, damping: 0.1, rest: 0.05, torque: '-q[0] + t', check_joint: false}\n"
        "- {name: c, shape: {Sphere: {radius: 0.1}}, joint: Prismatic, motion: cos(t), gain: 2, velocity_gain: 3,\n"
        "   on_motion: false, motion_level: velocity}\n",
        "  ",
    )
    b, c = loads(text).links[1:]
    assert (b.joint_name, b.parent, b.q[0], b.qdot[0], b.stiffness[0], b.damping[0], b.rest[0]) == ("hinge", 0, 0.1, 0.2, 1, 0.1, 0.05)
    assert b.torque(2.0, np.array([0.5]), np.zeros(1))[0] == 1.5
    assert (c.motion(0.0)[0], c.gain, c.velocity_gain, c.on_motion, c.motion_level) == (1.0, 2.0, 3.0, False, "velocity")


def test_every_option_of_run_arrives_in_the_run(tmp_path):
    options = {
        "duration": 0.1, "dt": 0.01, "integrator": "generalized-alpha", "dynamics": "maximal", "rtol": 1e-6, "atol": 1e-7, "solver": "auto",
        "stabilisation": "baumgarte", "halvings": 2, "every": 5, "backend": "interpret", "dtype": "float64",
        "drift": 1e-5, "friction": "convex", "friction_sides": 4, "group": "SO3xR3", "index": 3, "rho": 0.8, "frame": "joint",
    }  # fmt: skip
    assert {*options, "parameters"} == set(Run.model_fields)
    (tmp_path / "a.yaml").write_text(ONE + f"run: {options}\n")
    scene = load(tmp_path / "a.yaml")
    assert scene.defaults == options
    run = rm.simulate(scene)
    assert (run.t[-1], len(run.t), run.dt, run.integrator, run.dynamics) == (pytest.approx(0.1), 3, 0.01, "generalized-alpha", "maximal")
    given = rm.simulate(scene, 0.04, every=2, integrator="euler", dynamics="recursive", stabilisation="baumgarte")
    assert (len(given.t), given.integrator, given.dt) == (3, "euler", 0.01)
    with pytest.raises(rm.SceneError, match="needs a duration"):
        rm.simulate(loads(ONE))


def test_parameters_are_read_and_replaced_by_numbers_and_expressions(tmp_path):
    path = tmp_path / "scene.yaml"
    path.write_text(starter())
    assert parameters(path)["angle"] == pytest.approx(np.pi / 5)
    scene = load(path, {"angle": "pi/4", "mass": 2.5})
    assert scene.links[0].q[0] == np.pi / 4
    assert scene.links[0].shape.mass == 2.5
    with pytest.raises(SceneFileError, match=r"no parameter 'mas'.*Did you mean 'mass'"):
        load(path, {"mas": 1})
    with pytest.raises(SceneFileError) as caught:
        load(path, {"mass": "2*"})
    assert len(caught.value.problems) == 1  # what is made of it is not wrong too


def test_classes_of_a_user_cannot_be_named_and_the_sentence_says_what_can():
    for text in ("rm.Sphere", "mymodule.MyJoint", "MyJoint"):
        with pytest.raises(SceneFileError, match=r"there is no kind .*(Did you mean|Valid)"):
            loads(ONE.replace("Revolute", f"{{{text}: {{}}}}"))


def test_the_starter_runs_and_keeps_its_energy_but_for_damping():
    scene = loads(starter())
    assert set(parameters_used()) <= set(scene.source.parameters)
    run = rm.simulate(scene, duration=1.0)
    assert np.isfinite(run.q).all()
    assert run.energy.total[-1] <= run.energy.total[0] + 1e-6
    assert np.ptp(run.q, axis=0).min() > 1e-3  # everything moves


def parameters_used() -> list[str]:
    return [name for name in ("length", "mass", "angle", "stiffness") if starter().count(name) > 1]
