"""Numbers of deformables differ from world to world, as in scenes that are made with them; runs and dynamics have slopes by them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import redmax as rm
from dynamics.agreement import agree
from dynamics.differences import rate


def rope(mass: Any = 1.0, stiffness: Any = 10.0, damping: Any = 0.3, rayleigh: Any = (0.2, 0.05), end: Any = (1, 0, 0.1)) -> rm.Scene:
    scene = rm.Scene()
    bar = scene.add_body(rm.Cuboid((0.2, 0.2, 0.2), mass=1.0), joint=rm.Revolute("y"), com=(0.3, 0, 0), name="bar")
    options = {"mass": mass, "stiffness": stiffness, "damping": damping, "rayleigh": rayleigh}
    nodes = rm.SpringChain((0, 0, 0), (1, 0, 0.1), 4, mass=1.0, stiffness=1.0).nodes
    made = rm.SpringChain((0, 0, 0), end, 4, name="rope", **options).moved(nodes)
    scene.add_deformable(made.hold(0).attach(bar, 3))
    return scene


def block(youngs: Any = 1e4, poisson: Any = 0.3, density: Any = 500.0, material: str = "corotated") -> rm.Scene:
    scene = rm.Scene()
    box = rm.Tetrahedra.box((0.2, 0.2, 0.2), (1, 1, 1), density=density, youngs=youngs, poisson=poisson, material=material, name="block")
    scene.add_deformable(box.hold(lambda x: x[:, 0] < 0))
    return scene


ROPE = {"mass": [1.5, 0.7], "stiffness": [12.0, 8.0], "damping": [0.2, 0.4], "rayleigh": [[0.3, 0.02], [0.1, 0.04]],
        "end": [[0.9, 0.1, 0.2], [1.1, 0, 0]]}  # fmt: skip
BLOCK = {"youngs": [1.5e4, 2e4], "poisson": [0.2, 0.4], "density": [400.0, 600.0]}
PAIRS = [("recursive", "implicit"), ("redmax", "euler")]
PAIRS_LONG = [(d, i) for d in ("recursive", "redmax") for i in ("rk4", "bdf1", "bdf2", "adaptive")]


@pytest.mark.parametrize(("dynamics", "integrator"), [*PAIRS, *[pytest.param(*p, marks=pytest.mark.long) for p in PAIRS_LONG]])
@pytest.mark.parametrize(("made", "values"), [(rope, ROPE), (block, BLOCK)])
def test_worlds_are_scenes_with_other_numbers(made, values, dynamics, integrator):
    options = {"dynamics": dynamics, "integrator": integrator, "progress": False}
    name = made.__name__
    many = rm.simulate(made(), 0.02, 0.002, parameters={f"{name}.{n}": np.array(v) for n, v in values.items()}, **options)
    assert np.abs(many.q[:, 0] - many.q[:, 1]).max() > 1e-6
    for w in range(2):
        one = rm.simulate(made(**{n: v[w] for n, v in values.items()}), 0.02, 0.002, **options)
        assert agree(many.q[:, w], one.q, 1e-12)
        assert agree(many.energy.total[:, w], one.energy.total, 1e-11)


@pytest.mark.parametrize(("made", "values"), [(rope, ROPE), (block, BLOCK)])
def test_derivatives_of_dynamics(made, values):
    name, rng = made.__name__, np.random.default_rng(0)
    first = {f"{name}.{n}": np.array(v[0], float) for n, v in values.items()}
    d = rm.Dynamics(made(), "interpret", parameters=first)
    q, qdot = d.model.q0 + 0.01 * rng.normal(size=d.model.nq), rng.normal(size=d.model.nv)
    w, found = rng.normal(size=d.model.nv), d.forward_derivatives(q, qdot)
    for n, value in first.items():
        step = 0.1 * rng.normal(size=value.shape) * np.maximum(np.abs(value), 0.1)
        slope = rate(lambda h: rm.Dynamics(made(), "interpret", parameters=first | {n: value + h * step}).forward(q, qdot), 0.01)  # noqa: B023
        assert agree(found.parameters[n].reshape(d.model.nv, -1) @ step.ravel(), slope, 1e-8), n
        assert agree(d.forward_vjp(q, qdot, None, w).parameters[n], np.tensordot(w, found.parameters[n], 1), 1e-10), n


@pytest.mark.parametrize(("made", "values"), [(rope, ROPE), (block, BLOCK)])
def test_gradients_of_implicit_runs(made, values):
    """In a batch, by all of them at once; corotated solids have the derivative of their own stiffness."""
    name, rng = made.__name__, np.random.default_rng(1)
    given = {f"{name}.{n}": np.array(v, float) for n, v in values.items()}

    def cost(now):
        return (now.nodes(name) ** 2).sum() + now.nodes(name)[2] @ np.array([1.0, 2.0, 3.0])

    def value(parameters):
        nodes = rm.simulate(made(), 0.02, 0.005, integrator="implicit", parameters=parameters).nodes(name)[-1]
        return (nodes**2).sum(axis=(-2, -1)) + nodes[..., 2, :] @ np.array([1.0, 2.0, 3.0])

    found = rm.gradient(made(), cost, 0.02, 0.005, by=list(given), integrator="implicit")(parameters=given)
    assert agree(found.value, value(given), 1e-13)
    for n, values_of in given.items():
        step = 0.1 * rng.normal(size=values_of.shape) * np.maximum(np.abs(values_of), 0.1)
        slope = rate(lambda h: value(given | {n: values_of + h * step}), 0.05)  # noqa: B023
        assert agree((found.by[n] * step).reshape(2, -1).sum(axis=1), slope, 1e-6), n


def test_slopes_by_one_number_of_each_of_many():
    """Those that have nothing in common are moved together: as moved one by one."""
    E = np.linspace(9e3, 1.3e4, 24)
    scene = rm.Scene()
    box = rm.Tetrahedra.box((0.4, 0.2, 0.2), (4, 1, 1), density=500.0, youngs=E, poisson=0.3, name="block").hold(lambda x: x[:, 0] < -0.1)
    scene.add_deformable(box)
    d = rm.Dynamics(scene, "interpret", parameters={"block.youngs": E})
    rng = np.random.default_rng(0)
    q, qdot, step = d.model.q0 + 0.01 * rng.normal(size=d.model.nq), np.zeros(d.model.nv), rng.normal(size=24) * E
    slope = rate(lambda h: rm.Dynamics(scene, "interpret", parameters={"block.youngs": E + h * step}).forward(q, qdot), 0.01)
    assert agree(d.forward_jvp(q, qdot, along={"block.youngs": step}), slope, 1e-9)


def test_what_needs_other_elements_is_refused():
    with pytest.raises(rm.SceneError, match=r"values of rope\.rayleigh make another component of it: other elements are needed"):
        rm.Dynamics(rope(), "interpret", parameters={"rope.rayleigh": [0.0, 0.1]})
    with pytest.raises(rm.SceneError, match="poisson"):
        rm.Dynamics(block(), "interpret", parameters={"block.poisson": 0.6})
    with pytest.raises(rm.SceneError, match=r"no parameter 'block.young'"):
        rm.Dynamics(block(), "interpret", parameters={"block.young": 1e4})
