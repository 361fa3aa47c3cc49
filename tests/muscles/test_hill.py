"""Hill's law: the formulas of the RedMax notes, pennation as geometry, energy, and muscles on joints that run compiled."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

import redmax as rm
from dynamics.differences import rate
from random_examples import examples
from redmax.math import derivatives
from redmax.muscles import Curves, Hill
from redmax.muscles.curves import NAMES, curves_of, redmax
from redmax.trace import Graph, evaluate_numeric

paths, speeds, levels = st.floats(0.2, 0.45), st.floats(-1.5, 1.5), st.floats(0, 1)
every = pytest.mark.parametrize("curves", NAMES)


def muscle(**changes) -> Hill:
    return Hill(**{"force": 800, "optimal_length": 0.1, "tendon_length": 0.2, "max_velocity": 8, "pennation": 0.4, **changes})


@examples(12, 100)
@given(l_mt=paths, speed=speeds, a=levels)
def test_without_pennation_it_is_the_law_of_the_notes(l_mt, speed, a):
    """To the last bit: Eq. 1.38 at 1.47 and 1.49."""
    m = muscle(pennation=0)
    l, v = (l_mt - 0.2) / 0.1, speed / (0.1 * 8.0)  # noqa: E741
    expected = 800 * (a * redmax.active_length()(l) * redmax.velocity()(v) + redmax.passive_length()(l))
    assert m.normalised(l_mt, speed) == (l, v)
    assert m.tension(l_mt, speed, a) == expected
    assert m.fibre(l_mt) == (l_mt - 0.2, 1.0)


@every
@examples(12, 100)
@given(l_mt=st.floats(0.21, 0.45), speed=speeds, a=levels)
def test_pennation_goes_continuously_to_none(curves, l_mt, speed, a):
    none, little = muscle(pennation=0, curves=curves), muscle(pennation=1e-6, curves=curves)
    assert_allclose(little.tension(l_mt, speed, a), none.tension(l_mt, speed, a), atol=1e-7)
    assert_allclose(little.potential(l_mt), none.potential(l_mt), atol=1e-8)


@examples(12, 100)
@given(l_mt=paths, pennation=st.floats(0.01, 1.4))
def test_fibres_keep_their_height(l_mt, pennation):
    m = muscle(pennation=pennation)
    l, cosine = m.fibre(l_mt)  # noqa: E741
    assert_allclose(l * np.sqrt(1 - cosine**2), 0.1 * np.sin(pennation), rtol=1e-9)
    assert_allclose(l * cosine, l_mt - 0.2, atol=1e-15)


def test_at_optimal_length_the_angle_is_the_given_one():
    m = muscle(pennation=0.4)
    path = 0.2 + 0.1 * np.cos(0.4)
    assert_allclose(m.fibre(path), (0.1, np.cos(0.4)), rtol=1e-14)
    assert_allclose(m.tension(path, 0.0, 1.0), 800 * np.cos(0.4), rtol=1e-13)
    assert_allclose(m.tension(path, 0.0, 0.25), 200 * np.cos(0.4), rtol=1e-13)


@examples(12, 100)
@given(l_mt=st.floats(0.22, 0.45), speed=speeds)
def test_fibre_velocity_is_the_rate_of_the_fibre_length(l_mt, speed):
    m = muscle()
    (change,) = derivatives(lambda t: m.fibre(l_mt + speed * t)[0], [0.0], [(0,)])
    assert_allclose(m.normalised(l_mt, speed)[1] * 0.1 * 8, change, atol=1e-13)
    assert_allclose(change, rate(lambda h: m.fibre(l_mt + speed * h)[0], 1e-3), atol=1e-7)


@every
@pytest.mark.parametrize("pennation", [0.0, 0.3])
def test_stored_energy_gives_the_passive_tension(curves, pennation):
    m = muscle(pennation=pennation, curves=curves)
    for l_mt in np.linspace(0.25, 0.42, 10).tolist():
        passive = m.tension(l_mt, 0.0, 0.0)
        assert_allclose(derivatives(m.potential, [l_mt], [(0,)])[0], passive, atol=1e-8)
        assert_allclose((m.potential(l_mt + 1e-6) - m.potential(l_mt - 1e-6)) / 2e-6, passive, atol=1e-3)


@every
def test_power_of_active_fibres_is_what_they_give_to_the_path(curves):
    """Force times velocity is the same along the fibres and along the path."""
    m = muscle(curves=curves)
    l_mt, speed, a = 0.3, -0.2, 0.7
    l, v = m.normalised(l_mt, speed)  # noqa: E741
    along_fibres = 800 * (a * m.curves.active_length(l) * m.curves.velocity(v) + m.curves.passive_length(l))
    assert_allclose(m.tension(l_mt, speed, a) * speed, along_fibres * v * 0.1 * 8, rtol=1e-13)


def test_damping_is_linear_in_the_velocity():
    quiet, damped = muscle(), muscle(damping=0.1)
    for speed in (-0.5, 0.0, 0.8):
        _, v = quiet.normalised(0.32, speed)
        cosine = quiet.fibre(0.32)[1]
        assert_allclose(damped.tension(0.32, speed, 0.5) - quiet.tension(0.32, speed, 0.5), 800 * 0.1 * v * cosine, atol=1e-12)


@pytest.mark.parametrize("pennation", [0.0, 0.5])
def test_a_slack_tendon_does_not_push(pennation):
    m = muscle(pennation=pennation)
    for l_mt in (0.2, 0.15, 0.01):
        assert m.tension(l_mt, 0.3, 1.0) == 0
        assert m.potential(l_mt) == m.potential(0.2)
        assert np.isfinite(derivatives(lambda x: m.tension(x, 0.3, 1.0), [l_mt], [(0,)])[0])


@every
@pytest.mark.parametrize("pennation", [0.0, 0.6])
def test_traced_with_traced_data_agrees_with_floats(curves, pennation):
    """Parameters are data: a muscle over inputs is any muscle of its structure."""
    m = muscle(pennation=pennation, curves=curves, damping=0.05)
    graph = Graph()
    names = sorted(m.data())
    assert names == ["damping", "force", "max_velocity", "optimal_length", "pennation", "tendon_length"]
    stand_in = m.with_data({n: graph.input("data", i) for i, n in enumerate(names)})
    l_mt, speed, a = graph.inputs("x", 3)
    outputs = [stand_in.tension(l_mt, speed, a), stand_in.potential(l_mt)]
    other = muscle(pennation=pennation and 0.2, curves=curves, damping=0.01, force=55, tendon_length=0.15)
    for one in (m, other):
        for place in ((0.27, -0.3, 0.4), (0.31, 0.2, 1.0), (0.39, 0.0, 0.0)):
            found = evaluate_numeric(outputs, lambda base, i: place[i] if base == "x" else float(one.data()[names[i]]))  # noqa: B023
            assert_allclose([float(f) for f in found], [one.tension(*place), one.potential(place[0])], rtol=1e-13, atol=1e-13)


def test_structure_is_all_but_numbers_and_names():
    one = muscle(name="biceps")
    assert one.structure() == muscle(name="triceps", force=3, pennation=0.1).structure()
    assert one.structure() != muscle(pennation=0).structure()
    assert one.structure() != muscle(curves="millard").structure()
    assert muscle(curves=curves_of("", "redmax")).structure() == one.structure()


def test_own_curves():
    own = Curves(lambda x: 1.0, lambda v: 1.0 + 0.5 * v, lambda x: 0.0 * x)
    m = Hill(100, 0.1, curves=own, max_velocity=1)
    assert_allclose(m.tension(0.1, 0.05, 0.5), 100 * 0.5 * 1.25)
    assert m.potential(0.2) == 0


def test_shown_as_it_was_made():
    assert (
        repr(Hill(800, 0.1, 0.2, name="soleus"))
        == "Hill(force=800, optimal_length=0.1, tendon_length=0.2, curves=Curves('redmax'), name='soleus')"
    )


@every
def test_a_mass_on_a_passive_muscle_keeps_its_energy(curves):
    """Compiled, as the torque along a slider: kinetic energy and what the fibres store are exchanged."""
    m = muscle(curves=curves, pennation=0.3)
    scene = rm.Scene(gravity=(0, 0, 0))
    scene.add_body(
        rm.Sphere(0.1, mass=2), joint=rm.Prismatic("x"), q=0.4, torque=lambda t, q, qdot: [0.0 - m.tension(q[0], qdot[0] * 0.0, 0.0)]
    )
    run = rm.simulate(scene, duration=0.12, rtol=1e-10, dt=0.002)
    q, qdot = run.q[:, 0], run.qdot[:, 0]
    total = m.potential(q) + qdot**2
    assert q.min() < 0.36
    assert_allclose(total, total[0], rtol=1e-7)


@every
def test_compiled_agrees_with_floats(curves):
    """The acceleration that a compiled model finds, of many states in lanes and of one, over all pieces of the curves."""
    m = muscle(curves=curves, pennation=0.3, damping=0.02)
    scene = rm.Scene(gravity=(0, 0, 0))
    scene.add_body(rm.Sphere(0.1, mass=2), joint=rm.Prismatic("x"), torque=lambda t, q, qdot: [0.0 - m.tension(q[0], qdot[0], 0.6)])
    dynamics = rm.Dynamics(scene.model())
    q, speed = (x.reshape(-1, 1) for x in np.meshgrid(np.linspace(0.15, 0.42, 25), [-1.0, -0.3, 0.0, 0.02, 0.9]))
    pull = [m.tension(float(x), float(v), 0.6) for x, v in zip(q[:, 0], speed[:, 0])]
    assert_allclose(2 * dynamics.forward(q, speed, 0 * q)[:, 0], np.negative(pull), rtol=1e-11, atol=1e-11)
    assert_allclose(2 * dynamics.forward(q[7], speed[7], 0 * q[7]), -pull[7], rtol=1e-11)
