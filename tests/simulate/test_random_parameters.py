"""Runs of random mechanisms whose worlds differ, by each dynamics and integrator: each is the run of its own scene, or both are refused."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import redmax as rm
from dynamics.agreement import agree, disagreement
from dynamics.test_parameters import names_of, random_values, rebuilt
from dynamics.test_parameters_of_components import near
from mechanisms import Mechanism, mechanisms
from random_examples import examples
from redmax.components.numbers import made_with, numbers_in

WORLDS = 2
INTEGRATORS = ("forward-euler", "euler", "rk4", "adaptive", "implicit", "bdf1", "bdf2")
OPTIONS = [(d, i) for d in ("recursive", "redmax", "maximal") for i in INTEGRATORS]
REPORTED = ("q", "qdot", "qddot", "kinetic", "potential", "momentum", "position", "rotation", "twist", "reaction")
Values = dict[str, np.ndarray]


def joint_numbers(m: Mechanism) -> dict[str, tuple[int, tuple[str, ...]]]:
    """name -> (link, where the number stands in its joint), but for what needs other code: ranges of splines."""
    numbers = [(i, path) for i, link in enumerate(m.links) for path in numbers_in(link.sample.joint)]
    found = [(i, path) for i, path in numbers if "knots" not in path]
    return {f"joint{i}.{'.'.join(x for x in path if x != 'parameters')}": (i, path) for i, path in found}


def built(m: Mechanism, values: Values) -> rm.Scene:
    """The mechanism, tied to the world by a spring, with these numbers."""
    links, places = list(rebuilt(m, values).links if values else m.links), joint_numbers(m)
    for name in places.keys() & values.keys():
        i, path = places[name]
        links[i] = replace(links[i], sample=replace(links[i].sample, joint=made_with(links[i].sample.joint, {path: values[name]})))
    scene = replace(m, links=tuple(links)).scene()
    spring = rm.SpringDamper((0.5, 0.2, 1.0), scene.find("link0").point(0.1, 0.2, 0.1), stiffness=20.0, damping=0.5, rest=0.3)
    own = {(n.rpartition(".")[2],): v for n, v in values.items() if n.startswith("tie.")}
    scene.add_force(made_with(spring, own).replaced(name="tie"))
    return scene


def chosen_values(m: Mechanism, rng: np.random.Generator) -> list[Values]:
    """Some numbers of bodies, joints and the spring, at random, in each world."""
    names, places = names_of(m, rng), joint_numbers(m)
    some = [name for name in places if rng.random() < 0.7]
    worlds = []
    for _ in range(WORLDS):
        values = random_values(m, names, rng)
        for name in some:
            i, path = places[name]
            values[name] = near(numbers_in(m.links[i].sample.joint)[path], path[-1], rng)
        worlds.append(values | {"tie.stiffness": np.array(rng.uniform(5, 30)), "tie.b": rng.normal(size=3), "tie.a": rng.normal(size=3)})
    return worlds


def run_of(scene: rm.Scene, m: Mechanism, seed: int, **options) -> rm.Trajectory | str:
    """A few steps, or why there are none."""
    s = m.state(seed)
    try:
        return rm.simulate(scene, 0.006, 0.002, initial=rm.State(0.0, s.q, 0.3 * s.qdot), backend="interpret", **options)
    except rm.RedmaxError as error:
        return str(error)


@pytest.mark.filterwarnings("ignore::redmax.RedmaxWarning")  # of worlds that blow up, as explicit steps may
@examples(2, 80)
@given(m=mechanisms(largest=3).filter(lambda m: m.nv > 0), option=st.sampled_from(OPTIONS), seed=st.integers(0, 2**16))
def test_each_world_is_the_run_of_its_own_scene(m, option, seed):
    worlds = chosen_values(m, np.random.default_rng([seed, 4]))
    options = {"dynamics": option[0], "integrator": option[1]}
    together = run_of(built(m, {}), m, seed, **options, parameters={n: np.array([w[n] for w in worlds]) for n in worlds[0]})
    for w, values in enumerate(worlds):
        alone = run_of(built(m, values), m, seed, **options)
        if isinstance(together, str) or isinstance(alone, str):
            assert isinstance(alone, str) or isinstance(run_of(built(m, worlds[1 - w]), m, seed, **options), str), together
            continue
        if any(f.world == (w,) for f in together.failures):
            continue
        for name in REPORTED:
            found, expected = together.quantity(name)[:, w], alone.quantity(name)
            assert agree(found, expected, 1e-9, 1e-3), (name, disagreement(found, expected, 1e-3))
