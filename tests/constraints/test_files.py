"""What can be said of constraints in Python can be said in files, and is the same when it is read again, or pickled."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import redmax as rm
from constraints.samples import SAMPLES, scene_with
from redmax.constraints.law import RowsLaw
from redmax.io import SceneFileError, load, loads


def laws(scene):
    """What kernels depend on, and the numbers that they are given, constraint by constraint."""
    model = scene.model()
    return [
        (RowsLaw(c, tuple(model.links[b.index].joint.dof for b in c.joints)).text, np.concatenate([np.ravel(v) for v in c.data().values()]))
        for c in model.constraints
    ]


@pytest.mark.parametrize("name", list(SAMPLES))
def test_a_constraint_is_the_same_from_its_file_and_from_its_pickle(name, tmp_path):
    scene = scene_with(name)
    scene.save(tmp_path / "scene.yaml")
    for again in (load(tmp_path / "scene.yaml"), pickle.loads(pickle.dumps(scene))):
        (one,), (two,) = scene.constraints, again.constraints
        assert (one.name, one.size, one.one_sided, one.of_velocities) == (two.name, two.size, two.one_sided, two.of_velocities)
        ((text, data),), ((text_again, data_again),) = laws(scene), laws(again)
        assert sorted(data.tolist()) == sorted(data_again.tolist())
        own = "moving turning own PrescribedCoordinate PrescribedPoint PrescribedFrame"
        if type(one) is type(two) and name.split(",")[0].split(" ")[0] not in own:
            assert (text, repr(one)) == (text_again, repr(two))


ONE = """redmax: 1
bodies:
  - {name: a, shape: {Sphere: {radius: 0.1}}, joint: Revolute, com: [0.3, 0, 0]}
  - {name: b, shape: {Sphere: {radius: 0.1}}, joint: Revolute, com: [0.3, 0, 0], parent: a, at: [0.3, 0, 0]}
constraints:
"""


def test_a_person_writes_constraints_in_a_file():
    scene = loads(
        ONE
        + """
  - Distance: {first: {body: b, point: [0.1, 0, 0]}, second: [0, 1, 0], length: 1.2, name: rod, gain: 5}
  - Gear: {first: a, second: b, ratio: -2}
  - EqualAngles: {joints: [a, b]}
  - Coupling: {joints: {a: 1, b: 0.5}}
  - HardLimit: {joint: a, upper: pi/2}
  - Rope: {path: [b, {Pulley: {centre: [0, 2, 0], radius: 0.1, axis: z}}, [1, 1, 0]], length: 5}
  - PrescribedPoint: {point: b, position: [sin(t), 0.1*t, 0]}
  - constraint: {function: 'q1[0] - 2*q2[0]**2', joints: [a, b], name: curved}
  - constraint: {function: ['site1.x[1] - k', 'site1.x[2]'], bodies: [b], rows: 2, parameters: {k: 0.2}}
  - constraint: {function: 'site1.v[0] - qdot1[0]*k', bodies: [b], joints: [a], velocities: true, parameters: {k: 0.2}}
  - constraint: {function: 'site1.x[1]', bodies: [b], upper: 0.7, lower: -0.7}
"""
    )
    assert [c.name for c in scene.constraints][:1] == ["rod"]
    assert sum(c.size for c in scene.constraints) == 1 + 1 + 1 + 1 + 1 + 1 + 3 + 1 + 2 + 1 + 2
    assert "11 constraints" in repr(scene)
    assert [c.name for c in scene.model().constraints] == [c.name for c in scene.constraints]


@pytest.mark.parametrize(
    ("entry", "line", "said"),
    [
        ("HardLimit: {joint: a, lower: 1, upper: 0}", 6, "lower is 1 and upper is 0, expected lower to be at most upper"),
        ("HardLimit: {joint: a}", 6, "limits nothing"),
        ("Gear: {first: a, second: c, ratio: 1}", 6, "there is no body 'c'"),
        ("Gear: {first: a, second: a, ratio: 1}", 6, "has the joint 'a' twice"),
        ("Gear: {first: a, second: b, ratio: 0}", 6, "ratio is 0, expected a finite number other than 0"),
        ("Gear: {first: a, second: b, ratio: 1, coordinates: [0, 3]}", 6, "reads coordinate 3 of the joint 'b', which has 1 coordinate"),
        ("Distance: {first: a, second: a}", 6, "all its places on the body 'a'"),
        ("Distance: {first: a, second: [0, 0, 1], lenght: 2}", 6, "Distance has no 'lenght'. Did you mean 'length'"),
        ("Ropes: {path: [a, b]}", 6, "there is no kind 'Ropes'"),
        ("Revolute: {axis: y}", 6, "Revolute is no constraint"),
        ("constraint: {function: 'q1[0]'}", 6, "constraint needs bodies (a list), joints (a list) or both"),
        ("constraint: {function: ['q1[0]', 1], joints: [a]}", 6, "must return one number, as rows= says"),
        ("EqualAngles: {joints: [a]}", 6, "a list of two or more joints"),
        ("PrescribedCoordinate: {joint: a, motion: [t, t]}", 6, "motion must give one number"),
        ("Rope: {path: [{Pulley: {centre: a, radius: 0.1}}, b]}", 6, "begins or ends with a Pulley"),
    ],
)
def test_a_mistake_in_a_file_is_named_with_its_line(entry, line, said):
    with pytest.raises(SceneFileError) as caught:
        loads(f"{ONE}  - {entry}\n").model()
    problem = caught.value.problems[0]
    assert problem.line == line
    assert said in problem.message


def test_a_constraint_of_ones_own_class_is_saved_as_its_trace(tmp_path):
    class Height(rm.Constraint):
        size = 1

        def __init__(self, point, height: float, name: str | None = None) -> None:
            self.hold([point, (0, 0, 0)], name, gain=2)
            self.height = float(height)

        def gap(self, sites, t):
            return [sites[0].x[2] - self.height * rm.math.cos(t)]

    scene = scene_with()
    scene.add_constraint(Height(scene.find("a").point(0.1, 0, 0), 0.3, name="height"))
    scene.save(tmp_path / "scene.yaml")
    again = load(tmp_path / "scene.yaml")
    runs = [rm.simulate(s, 0.05, dt=0.01, integrator="euler", backend="interpret", progress=False) for s in (scene, again)]
    np.testing.assert_allclose(runs[0].q[-1], runs[1].q[-1], atol=1e-13)
