"""What happens at events of `adaptive` with contact: impacts and what they take, runs in parts, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import quad

import redmax as rm

G = 9.81


def run(scene, duration, dt=0.01, **options):
    return rm.simulate(scene, duration, dt, integrator="adaptive", **{"rtol": 1e-10, **options})


def bouncing(e=0.8, height=0.5):
    scene, rubber = rm.Scene(), rm.ContactMaterial(friction=0.5, restitution=e)
    scene.add_ground(contact=rubber)
    scene.add_body(rm.Sphere(0.1, mass=2.0), joint=rm.Translational(), at=(0, 0, 0.1 + height), contact=rubber, name="ball")
    return scene


def tilted():
    """A box that falls on a corner."""
    scene, hard = rm.Scene(), rm.ContactMaterial(friction=0.5, stiff=True)
    scene.add_ground(contact=hard)
    place = rm.pose(rm.rotation_about("y", 0.2) @ rm.rotation_about("x", 0.1), (0, 0, 0.2))
    scene.add_body(rm.Cuboid((0.2, 0.15, 0.3), mass=1.0), joint=rm.Free(), at=place, contact=hard, name="box")
    return scene


def test_impacts_are_told_with_their_times_impulses_and_what_they_take(tmp_path):
    """T_n = t_0 (1 + 2 e + ... + 2 e^n); impulses m g t_0 (1 + e) e^n; the energy after n of them is m g h e^(2 n)."""
    e, m, t = 0.8, 2.0, np.sqrt(2 * 0.5 / G)
    found = run(bouncing(e), 1.6, out=tmp_path / "bounces.h5")
    times = t + 2 * t * np.concatenate([[0.0], np.cumsum(e ** np.arange(1, 30))])
    times = times[times < 1.6]
    impacts = found.contact_impacts
    assert len(times) == 4
    assert np.abs([i.t for i in impacts] - times).max() < 1e-9
    assert [(i.first, i.second) for i in impacts] == [("ground", "ball")] * 4
    assert np.allclose([i.impulse for i in impacts], [(0, 0, m * G * t * (1 + e) * e**n) for n in range(4)], rtol=1e-9)
    left = m * G * 0.5 * e ** (2 * np.searchsorted(times, found.t))
    assert np.abs(np.asarray(found.contact_loss) - (m * G * 0.5 - left)).max() < 1e-9
    assert np.abs(found.energy.total - found.energy.total[0] + np.asarray(found.contact_loss)).max() < 1e-9
    assert "impacts took 8.16" in found.summary()
    again = rm.load(tmp_path / "bounces.h5")
    assert [i.t for i in again.contact_impacts] == [i.t for i in impacts]
    assert [i.t for i in again[50:].contact_impacts] == [i.t for i in impacts[1:]]


def test_two_balls_meet_off_centre():
    """Momentum stays, and along the line of centres what leaves is e times what came."""
    scene, e = rm.Scene(gravity=(0, 0, 0)), 0.7
    smooth = rm.ContactMaterial(friction=0.0, restitution=e)
    scene.add_body(rm.Sphere(0.1, mass=1.0), joint=rm.Free3D(), contact=smooth, name="a", qdot=(2, 0, 0, 0, 0, 0))
    scene.add_body(rm.Sphere(0.2, mass=3.0), joint=rm.Free3D(), at=(1, 0.1, 0), contact=smooth, name="b")
    found = run(scene, 0.6, 0.05)
    a, b = (found.twist(name, "hybrid")[-1, 3:] for name in "ab")
    n = np.array([np.sqrt(0.3**2 - 0.1**2), 0.1, 0]) / 0.3
    assert np.allclose(a + 3 * b, (2, 0, 0), atol=1e-12)
    assert (b - a) @ n == pytest.approx(e * 2 * n[0], abs=1e-12)
    assert np.allclose(np.cross(a - (2, 0, 0), n), 0, atol=1e-12)
    assert found.contact_impacts[0].t == pytest.approx((1 - 0.3 * n[0]) / 2, abs=1e-12)
    assert found.contact_loss[-1] == pytest.approx(0.5 * 0.75 * (1 - e**2) * (2 * n[0]) ** 2, abs=1e-12)  # of the reduced mass


def test_a_pendulum_strikes_a_wall():
    """When it hangs straight down, after the quarter of a period that the integral says; it comes back with e of its speed."""
    e, start, length, r = 0.6, 0.9, 1.0, 0.1
    scene, hard = rm.Scene(), rm.ContactMaterial(friction=0.0, restitution=e)
    scene.add_obstacle(rm.Cuboid((0.2, 1, 2)), at=(-0.2, 0, -1), contact=hard, name="wall")
    scene.add_body(rm.Sphere(r, mass=1.0), joint=rm.Revolute("y"), com=(0, 0, -length), q=-start, contact=hard, name="bob")
    found = run(scene, 1.2)
    k = length / (length**2 + 0.4 * r**2) * G  # q'' = -k sin q
    quarter = quad(lambda s: 1 / np.sqrt(1 - np.sin(start / 2) ** 2 * np.sin(s) ** 2), 0, np.pi / 2, epsabs=1e-13)[0] / np.sqrt(k)
    assert found.contact_impacts[0].t == pytest.approx(quarter, abs=1e-9)
    speed = np.sqrt(2 * k * (1 - np.cos(start)))
    after = np.flatnonzero(found.t > quarter)[0]
    v = np.sign(found.qdot[after, 0]) * np.sqrt(found.qdot[after, 0] ** 2 + 2 * k * (1 - np.cos(found.q[after, 0])))
    assert v == pytest.approx(-e * speed, abs=1e-9)


def test_steps_of_implicit_come_near_as_dt_does():
    """A box falls on a corner, which strikes and sticks, and it turns about it; the error of the first order is that of implicit steps."""
    exact = run(tilted(), 0.14, 0.02, rtol=1e-8)
    assert "sticking" in exact.contacts[-1].state
    errors = []
    for dt in (1e-3, 2e-4):
        steps = rm.simulate(tilted(), 0.14, dt, every=round(0.02 / dt), integrator="implicit")
        errors.append(np.abs(steps.pose("box")[:, :3, 3] - exact.pose("box")[:, :3, 3]).max())
    assert errors[0] / errors[1] == pytest.approx(5.0, rel=0.1)
    assert np.diff(exact.energy.total).max() < 1e-8
    assert max(-c.gap.min() for c in exact.contacts if len(c)) < 1e-8


def test_a_run_goes_on_as_if_it_had_not_ended_and_batches_are_worlds():
    scene = bouncing(0.6, 0.3)
    whole = run(scene, 1.0)
    first = run(scene, 0.5)
    rest = run(scene, 0.5, initial=first.state(-1))
    assert np.abs(rest.q[-1] - whole.q[-1]).max() < 1e-10
    sim = rm.Simulation(scene, dt=0.01, integrator="adaptive", rtol=1e-10)
    sim.step(100)
    assert np.abs(sim.state.q - whole.q[-1]).max() < 1e-10
    assert [c.state for c in sim.contacts] == ["sticking"]
    assert sim.contacts[0].force[2] == pytest.approx(2 * G)
    q = np.zeros((2, 3))
    q[1, 2] = 0.1
    both = run(scene, 0.5, initial=rm.State(0.0, q, np.zeros((2, 3))))
    assert np.abs(both.q[-1, 0] - first.q[-1]).max() < 1e-10
    assert both.contact_impacts[-1].world in ((0,), (1,))
    assert len({i.world for i in both.contact_impacts}) == 2


def test_it_is_the_same_interpreted():
    runs = [run(bouncing(), 0.4, 0.1, backend=backend) for backend in ("llvm", "interpret")]
    assert np.abs(runs[0].q - runs[1].q).max() < 1e-12
    assert len(runs[1].contact_impacts) == 1


def test_what_it_cannot_do_is_said():
    deep = rm.Scene()
    deep.add_ground()
    deep.add_body(rm.Sphere(0.1), joint=rm.Translational(), at=(0, 0, 0.05), contact=True, name="ball")
    with pytest.raises(rm.SimulationError, match=r"'ground' and 'ball' overlap by 0.05 .* take integrator='implicit'"):
        run(deep, 0.1)
    crowd = rm.Scene()
    crowd.add_ground()
    for k in range(9):
        crowd.add_body(rm.Cuboid((0.1, 0.1, 0.1)), joint=rm.Free3D(), at=(k, 0, 0.05), contact=True)
    with pytest.raises(rm.SimulationError, match="36 points touch at once, and integrator 'adaptive' is for at most 32"):
        run(crowd, 0.1)
    for change, said in (({"dtype": "float32"}, "Take 'float64'"), ({"friction": "convex"}, "Leave it out")):
        with pytest.raises(rm.RedmaxError, match=said):
            run(bouncing(), 0.1, **change)
    soft = bouncing()
    soft.set_contact("ball", "ground", rm.ContactMaterial(compliance=1e-3))
    with pytest.raises(rm.RedmaxError, match=r"contact with compliance .* Take 'implicit'"):
        run(soft, 0.1)


def test_a_slip_that_ends_without_passing_zero_ends():
    """A box on an edge, of which one corner slides ever slower while another begins to: events without time between them, once."""
    scene, made = rm.Scene(), rm.ContactMaterial(friction=0.6, restitution=0.4)
    scene.add_obstacle(rm.Plane(), at=rm.pose(rm.rotation_about("y", 0.2), (0, 0, 0)), contact=made, name="slope")
    sides = (0.24056032942194375, 0.16379244282284516, 0.19001913484207145)
    at = [[0.6439580016723093, 0.0, -0.7650608420787239, 0.0], [-0.6272702046461177, 0.5725127119813701, -0.5279784891290122, 0.0],
          [0.43800705752924096, 0.819895843762936, 0.3686741419395175, 0.35], [0, 0, 0, 1]]  # fmt: skip
    q = [-0.11782968212200667, -0.2599278754811699, 0.06534176813131426, 0.024336367269290782, -0.6306702729435508, -0.6473839132475722]
    qdot = [-0.006725954388249597, -0.036736945750506386, -0.03414655642943102, -0.3981778081870995, 0.14279028172420838,
            -0.13724096815639703]  # fmt: skip
    scene.add_body(rm.Cuboid(sides, mass=1.0), joint=rm.Free3D(), at=np.array(at), q=q, qdot=qdot, contact=made, name="box")
    found = rm.simulate(scene, 0.0125, 0.0125, integrator="adaptive", progress=False)
    E = found.energy.total
    assert (E - np.minimum.accumulate(E)).max() < 1e-9
    assert found.contact_impacts


def test_a_coin_that_settles_touches_where_its_rim_is_lowest():
    """That point runs round far faster than anything moves: what it touches with must be known to press at all."""
    scene, smooth = rm.Scene(), rm.ContactMaterial(friction=0.0)
    scene.add_ground(contact=smooth)
    at = [[0.9239817098467906, 0.0, 0.38243666125072434, 0.05], [0.11195571324882829, 0.9561911145679847, -0.2704893171498302, 0.0],
          [-0.3656825373729889, 0.2927431509382163, 0.8835031009788349, 0.75], [0, 0, 0, 1]]  # fmt: skip
    q = [0.171066242286, -0.7349457530029461, -0.4379035773422062, -0.4845320502789784, -0.2745948967095451, 1.0267316287132486]
    qdot = [0.5667275547378856, -1.7825776402474585, -1.4239043749531335, 0.6981185760871443, 28.01036696005114, -2.447831604712741]
    coin = rm.Cylinder(0.1, 0.15, mass=1.0)
    scene.add_body(coin, joint=rm.Free3D(), at=np.array(at), q=q, qdot=qdot, contact=smooth, name="coin")
    found = rm.simulate(scene, 0.02, 0.005, integrator="adaptive", progress=False)
    gained = found.energy.total - found.energy.total[0] + np.asarray(found.contact_loss)
    assert np.abs(gained).max() < 1e-6 * found.energy.kinetic.max()
    assert any("sliding" in set(c.state) for c in found.contacts)


def test_steps_that_come_to_nothing_end_in_a_sentence_and_keep_what_was_computed(monkeypatch):
    monkeypatch.setattr("redmax.integrators.located.steps.MANY", 2)
    monkeypatch.setattr("redmax.integrators.located.steps.SLOW", 1e9)
    scene = bouncing()
    with pytest.raises(rm.SimulationError, match=r"2 steps with contact.* went on by .* Take integrator='implicit'") as caught:
        run(scene, 0.1, 0.05)
    assert len(caught.value.trajectory) >= 1
