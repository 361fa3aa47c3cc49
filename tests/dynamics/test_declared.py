"""Parameters that a scene file declares, in Dynamics, linearize and simulate: as if the file had been loaded with them, world by world."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import redmax as rm
from design.gradients.test_file_gradient import FILE
from dynamics.agreement import agree
from dynamics.differences import rate
from redmax.io import load

MASSES, LENGTHS = np.array([1.0, 1.3]), np.array([0.4, 0.5])


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "two.yaml"
    path.write_text(FILE)
    return path


def test_dynamics_are_those_of_the_file_with_these_values(path):
    d = rm.Dynamics(path, "interpret", parameters={"mass": MASSES, "length": LENGTHS, "upper.damping": 0.3})
    q, qdot, tau, weights = np.random.default_rng(0).normal(size=(4, 2))

    def each(mass, length, damping=0.3):
        other = rm.Dynamics(load(path, {"mass": float(mass), "length": float(length)}), "interpret", parameters={"upper.damping": damping})
        return other.forward(q, qdot, tau)

    assert agree(d.forward(q, qdot, tau), [each(*x) for x in zip(MASSES, LENGTHS, strict=True)], 1e-12)
    found, pulled = d.forward_derivatives(q, qdot, tau), d.forward_vjp(q, qdot, tau, weights)
    assert set(found.parameters) == {"mass", "length", "upper.damping"}
    slopes = {"mass": rate(lambda h: each(1.3 + h, 0.5), 1e-2), "length": rate(lambda h: each(1.3, 0.5 + h), 2e-3)}
    slopes["upper.damping"] = rate(lambda h: each(1.3, 0.5, 0.3 + h), 1e-2)
    for name, slope in slopes.items():
        assert agree(np.ravel(found.parameters[name][1]), slope, 1e-8), name
        assert float(pulled.parameters[name][1].sum()) == pytest.approx(float(weights @ slope), rel=1e-7), name
    again = pickle.loads(pickle.dumps(d))
    assert agree(again.forward_derivatives(q, qdot, tau).parameters["length"], found.parameters["length"], 1e-13)


def test_runs_begin_where_the_file_does_and_steps_have_slopes(path):
    options = {"integrator": "rk4", "backend": "interpret"}
    run = rm.simulate(path, 0.02, 0.01, parameters={"length": LENGTHS}, **options)
    for w, length in enumerate(LENGTHS.tolist()):
        assert agree(run.q[:, w], rm.simulate(load(path, {"length": length}), 0.02, 0.01, **options).q, 1e-12)
    start = rm.State(0.0, [0.2, 0.3], [1.0, -1.0])
    step = rm.linearize(path, start, None, 0.01, parameters={"length": 0.4}, **options)

    def after(length):
        state = rm.Simulation(load(path, {"length": length}), dt=0.01, initial=start, **options).step(1)
        return np.concatenate([state.q, state.qdot])

    assert agree(step.parameters["length"], rate(lambda h: after(0.4 + h), 2e-3), 1e-8)


def test_poses_that_follow_from_a_number(tmp_path):
    """A bushing turned by an angle that the file declares: slopes by poses are along twists."""
    path = tmp_path / "turned.yaml"
    path.write_text("""
redmax: 1
parameters: {tilt: 0.3}
bodies:
  - {name: block, shape: {Cuboid: {size: [0.3, 0.2, 0.1], mass: 2}}, joint: {Free: {}}}
forces:
  - Bushing:
      name: mount
      a: {body: block, pose: [[cos(tilt), -sin(tilt), 0, 0.1], [sin(tilt), cos(tilt), 0, 0.2*tilt], [0, 0, 1, 0], [0, 0, 0, 1]]}
      b: [0.1, 0, 0.2]
      translational: [60, 70, 80]
      rotational: [3, 4, 5]
""")
    d, x = rm.Dynamics(path, "interpret", parameters={"tilt": 0.3}), 0.3 * np.random.default_rng(1).normal(size=(3, 6))
    found = d.forward_derivatives(*x).parameters["tilt"]
    assert agree(found, rate(lambda h: rm.Dynamics(load(path, {"tilt": 0.3 + h}), "interpret").forward(*x), 1e-2), 1e-8)


def test_sentences(path):
    path.write_text(FILE.replace("stiffness: k", "torque: sin(k*q[0])"))
    with pytest.raises(rm.SceneError, match="The file's parameter 'k' changes more than numbers"):
        rm.Dynamics(path, parameters={"k": 1.0})
    with pytest.raises(rm.SceneError, match=r"'upper\.mass' follows from 'mass' of the file"):
        rm.Dynamics(path, parameters={"mass": 1.0, "upper.mass": 2.0})
    with pytest.raises(rm.SceneError, match="There is no parameter 'lengt'"):
        rm.Dynamics(path, parameters={"lengt": 1.0})
    with pytest.raises(rm.SceneError, match="The parameter 'mass' must be finite"):
        rm.simulate(path, parameters={"mass": [1.0, np.nan]})


LEANING = """
redmax: 1
parameters: {lean: 0.3, tilt: 0.2, far: 0.5, firm: 20.0}
bodies:
  - name: upper
    shape: {Cuboid: {size: [0.4, 0.05, 0.05], mass: 1.0}}
    joint: {Revolute: {axis: [tilt, 1, 0]}}
    com: [0.2, 0, 0]
  - name: lower
    parent: upper
    shape: {Cuboid: {size: [0.4, 0.1, 0.05], mass: 0.5}}
    joint: {Revolute: {axis: y}}
    at: [["cos(lean)", "-sin(lean)", 0, 0.4], ["sin(lean)", "cos(lean)", 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]]
    body: [["cos(tilt)", 0, "sin(tilt)", 0.2], [0, 1, 0, 0], ["-sin(tilt)", 0, "cos(tilt)", 0.1], [0, 0, 0, 1]]
forces:
  - SpringDamper: {a: [0, 0, 1], b: {body: lower, point: [0.2, 0.1, 0]}, stiffness: firm, rest: 0.3}
constraints:
  - Distance: {first: [far, 0.2, 0.4], second: {body: upper, point: [0.1, 0, 0.1]}, length: far, compliance: 0.01}
deformables:
  - SpringChain: {start: [0, 0, 0], end: [0.3, 0, 0.4], count: 3, mass: 0.3, stiffness: firm/2, name: cord}
    hold: [0]
run: {duration: 0.05, dt: 0.01, integrator: implicit}
"""


def test_frames_axes_constraints_and_deformables_follow(tmp_path):
    path = tmp_path / "leaning.yaml"
    path.write_text(LEANING)
    given = {"lean": np.array([0.3, 0.5]), "tilt": np.array([0.2, 0.1]), "far": np.array([0.5, 0.6]), "firm": np.array([20.0, 30.0])}
    d = rm.Dynamics(path, "interpret", parameters=given)
    rng = np.random.default_rng(1)
    q, qdot = d.model.q0 + 0.05 * rng.normal(size=d.model.nq), 0.3 * rng.normal(size=d.model.nv)

    def each(**values):
        return rm.Dynamics(load(path, {n: float(x) for n, x in values.items()}), "interpret").forward(q, qdot)

    worlds = [{n: x[w] for n, x in given.items()} for w in range(2)]
    assert agree(d.forward(q, qdot), [each(**w) for w in worlds], 1e-12)
    for name, slope in d.forward_derivatives(q, qdot).parameters.items():
        assert agree(slope[1], rate(lambda h: each(**worlds[1] | {name: worlds[1][name] + h}), 2e-3), 1e-8), name  # noqa: B023
