"""Files as people write them: expressions, parameters, includes, functions; and what they mean in Python."""

from __future__ import annotations

from textwrap import dedent

import numpy as np
import pytest

import redmax as rm
from redmax.io import SceneFileError, load, loads

PENDULUM = """
redmax: 1
title: Pendulum
gravity: [0, 0, -9.81]
parameters: {mass: 1.5, length: 0.4, angle: pi/4, twice: 2*mass}
bodies:
  - name: arm
    shape: {Cuboid: {size: [length, 0.05, 0.05], mass: twice}}
    joint: {Revolute: {axis: y}}
    com: [length/2, 0, 0]
    q: angle
    torque: where(t < 0.02, -k*q[0], 0)
"""


def pendulum(mass, length, k):
    scene = rm.Scene(gravity=(0, 0, -9.81), title="Pendulum")
    scene.add_body(
        rm.Cuboid((length, 0.05, 0.05), mass=2 * mass),
        joint=rm.Revolute("y"),
        com=(length / 2, 0, 0),
        name="arm",
        q=np.pi / 4,
        torque=lambda t, q, qdot: [rm.math.where(t < 0.02, -k * q[0], 0.0)],
    )
    return scene


@pytest.mark.parametrize("given", [{}, {"mass": 3.0}, {"length": 1.0, "k": 0.5}])
def test_a_file_means_what_it_says_in_python(given):
    text = PENDULUM.replace("twice: 2*mass", "twice: 2*mass, k: 5.0")
    values = {"mass": 1.5, "length": 0.4, "k": 5.0} | given
    a = rm.simulate(loads(text, given), duration=0.05, dt=0.01, integrator="rk4")
    b = rm.simulate(pendulum(**values), duration=0.05, dt=0.01, integrator="rk4")
    assert a.q.tobytes() == b.q.tobytes()


def test_kinds_have_two_forms_and_numbers_any_spelling():
    text = """
        redmax: 1
        bodies:
          - {name: a, shape: {kind: Sphere, radius: 1e-1}, joint: Free, damping: 1E-3}
          - {name: b, shape: {Sphere: {radius: .1}}, joint: {kind: SphericalEuler, order: ZXZ, switching: false}, parent: a}
    """
    scene = loads(dedent(text))
    assert scene.links[0].shape == scene.links[1].shape == rm.Sphere(0.1)
    assert scene.links[0].damping.tolist() == [1e-3] * 6
    assert scene.links[1].joint.order == "ZXZ"


def test_every_family_can_be_written_by_hand():
    text = """
        redmax: 1
        bodies:
          - {name: a, shape: {Sphere: {radius: 0.1}}, joint: {Revolute: {axis: y}}, com: [0.3, 0, 0]}
          - name: b
            shape: {Sphere: {radius: 0.1}}
            joint:
              joint:
                function: [[1, 0, 0, "r*cos(q[0])"], [0, 1, 0, "r*sin(q[0])"], [0, 0, 1, c*t], [0, 0, 0, 1]]
                dof: 1
                parameters: {r: 0.5, c: 0.25}
            parent: a
          - {name: c, shape: {Sphere: {radius: 0.1}}, joint: Prismatic, motion: 0.1*sin(t)}
        wrenches:
          - {on: a, force: ["sin(t)", 0, 0], frame: world}
          - {on: {body: a, point: [0, 0, 0.1]}, torque: [0, 1, 0]}
        forces:
          - SpringDamper: {a: [0, 0, 1], b: {body: a, point: [0, 0, 0]}, stiffness: 10, rest: 0.2}
          - Servo: {joint: a, target: 0.1*t, kp: 2}
          - Actuator: {joint: a, function: "-k*q[0] - 0.1*qdot[0]", parameters: {k: 3}}
          - Muscle: {path: [[0, 0, 1], {body: a, point: [0, 0, 0.05]}], force: 10, optimal_length: 0.5, excitation: "0.5 + 0.5*sin(t)"}
          - force:
              bodies: [a, b]
              function: [["-k*(site1.x[0] - site2.x[0])", 0, 0], ["k*(site1.x[0] - site2.x[0])", 0, 0]]
              parameters: {k: 1}
          - force: {path: [{body: a}, [0, 0, 2]], tension: "5*(length - 1) + 0.1*rate + 0*t", potential: "2.5*(length - 1)**2"}
          - force: {joint: a, torque: "-sin(q[0])"}
        deformables:
          - Cloth: {size: [1, 1], cells: [2, 2], density: 1, stretch: 100, name: sheet}
            hold: [0, 2]
            velocities: [[0, 0, 1], &zero [0, 0, 0], *zero, *zero, *zero, *zero, *zero, *zero, *zero]
        run: {duration: 2.0, dt: 0.01, integrator: implicit}
    """
    scene = loads(dedent(text))
    assert scene.defaults == {"duration": 2.0, "dt": 0.01, "integrator": "implicit"}
    assert len(scene.forces) == 7
    E = scene.links[1].joint.at("transform", np.array([0.3]), 2.0)
    assert np.allclose(E[:3, 3], [0.5 * np.cos(0.3), 0.5 * np.sin(0.3), 0.5])
    assert scene.deformables[0].velocities[0].tolist() == [0, 0, 1]
    run = rm.simulate(scene, duration=0.02, dt=0.01, integrator="implicit", dynamics="redmax")
    assert np.isfinite(run.q).all()


def test_a_twist_and_a_map_can_be_written_by_hand():
    chain = "redmax: 1\nbodies:\n" + "".join(
        f"  - {{name: b{i}, shape: {{Cuboid: {{size: [1, 0.1, 0.1]}}}}, joint: {{Revolute: {{axis: y}}}}, com: [0.5, 0, 0]{parent}}}\n"
        for i, parent in enumerate(["", ", parent: b0, at: [1, 0, 0]"])
    )
    mapped = loads(chain + "map: {function: ['q[0]', '2*q[0]'], coordinates: 1, q: [0.3]}\n")
    matrix = loads(chain + "map: {matrix: [[1], [2]], q: [0.3]}\n")
    a, b = (rm.simulate(s, duration=0.03, dt=0.01, integrator="rk4", dynamics="redmax").q for s in (mapped, matrix))
    assert np.allclose(a[:, 1], 2 * a[:, 0], rtol=1e-14)
    assert np.allclose(a, b, rtol=1e-12)
    turned = loads(chain + "twists: [{body: b1, rows: [1], velocity: [sin(t)]}]\n")
    run = rm.simulate(turned, duration=0.05, dt=0.01, integrator="implicit", dynamics="redmax")
    assert np.isfinite(run.q).all()
    assert np.allclose(run.qdot[-1].sum(), np.sin(0.05), atol=0.02)


def test_files_include_files_with_other_parameters_and_names(tmp_path):
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "leg.yaml").write_text(
        dedent("""
        parameters: {side: 1.0, mass: 1.0}
        bodies:
          - {name: hip, shape: {Sphere: {radius: 0.1, mass: mass}}, joint: {Revolute: {axis: y}}, at: [0, 0.2*side, 0]}
          - {name: knee, shape: {Sphere: {radius: 0.1, mass: mass}}, joint: {Revolute: {axis: y}}, parent: hip, at: [0, 0, -0.5]}
        forces:
          - JointDamper: {joint: knee, damping: 0.1, name: friction}
        """)
    )
    top = tmp_path / "walker.yaml"
    top.write_text(
        dedent("""
        redmax: 1
        parameters: {m: 2.0}
        include:
          - {file: parts/leg.yaml, prefix: left_, parameters: {mass: m}}
          - {file: parts/leg.yaml, prefix: right_, parameters: {side: -1, mass: 3*m}}
        forces:
          - SpringDamper: {a: left_knee, b: right_knee, stiffness: 1}
        """)
    )
    scene = load(top)
    assert [link.name for link in scene.links] == ["left_hip", "left_knee", "right_hip", "right_knee"]
    assert [link.parent for link in scene.links] == [-1, 0, -1, 2]
    assert [link.shape.mass for link in scene.links] == [2, 2, 6, 6]
    assert [link.at[1, 3] for link in scene.links] == [0.2, 0, -0.2, 0]
    assert [f.name for f in scene.forces] == ["left_friction", "right_friction", "force3"]


def test_a_file_only_reaches_what_lies_beside_it(tmp_path):
    inside = tmp_path / "scenes"
    inside.mkdir()
    (tmp_path / "secret.yaml").write_text("bodies: []\n")
    (inside / "self.yaml").write_text("redmax: 1\ninclude: [self.yaml]\n")
    for name in ("../secret.yaml", str(tmp_path / "secret.yaml"), "nothing.yaml"):
        (inside / "top.yaml").write_text(f"redmax: 1\ninclude: [{name}]\n")
        with pytest.raises(SceneFileError, match=r"top\.yaml:2: there is no file"):
            load(inside / "top.yaml")
    with pytest.raises(SceneFileError, match="includes itself"):
        load(inside / "self.yaml")
    with pytest.raises(SceneFileError, match="save it as a file"):
        loads("redmax: 1\ninclude: [a.yaml]\n")
