"""`adaptive` with contact against motions in closed form: events are where they must be, and what is between them is as exact as rtol."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

import redmax as rm

G = 9.81


def run(scene, duration, dt=0.01, **options):
    return rm.simulate(scene, duration, dt, integrator="adaptive", **{"rtol": 1e-10, **options})


def deepest(found):
    """The deepest of all contacts of a run."""
    return max((-c.gap.min() for c in found.contacts if len(c)), default=0.0)


@pytest.mark.parametrize("dynamics", ["recursive", "redmax"])
def test_a_bouncing_ball_comes_to_rest_in_finite_time(dynamics):
    """Bounces are at T_n = t_0 (1 + 2 e + ... + 2 e^n) with t_0 = sqrt(2 h / g); the ball rests after t_0 (1 + e) / (1 - e)."""
    e, h = 0.6, 0.5
    scene = rm.Scene()
    rubber = rm.ContactMaterial(friction=0.5, restitution=e)
    scene.add_ground(contact=rubber)
    scene.add_body(rm.Sphere(0.1, mass=2.0), joint=rm.Translational(), at=(0, 0, 0.1 + h), contact=rubber)
    found = run(scene, 1.5, dynamics=dynamics)
    first = np.sqrt(2 * h / G)
    ends = first + np.concatenate([[0.0], np.cumsum(2 * first * e ** np.arange(1, 60))])
    height = np.where(found.t < first, h - G * found.t**2 / 2, 0.0)
    for k, (a, b) in enumerate(pairwise(ends), 1):
        s = found.t - a
        height = np.where((found.t >= a) & (found.t < b), G * first * e**k * s - G * s**2 / 2, height)
    assert np.abs(found.q[:, 2] + h - height).max() < 1e-9
    at_rest = found.t > ends[-1] + 1e-6
    assert at_rest.sum() > 10
    assert np.abs(found.qdot[at_rest]).max() == 0.0
    assert np.allclose(found.contact_force("ground")[-1], (0, 0, -2 * G), atol=1e-9)


def test_a_block_slides_up_a_slope_and_stops():
    """a = g (sin + mu cos); it stays where mu > tan, and slides back where not."""
    mu, angle, v = 0.5, np.arctan(0.3), 2.0
    scene, slope = rm.Scene(), rm.pose(rm.rotation_about("y", angle), (0, 0, 0))
    scene.add_obstacle(rm.Plane(), at=slope, contact=mu, name="slope")
    for name, y, friction, joint in (("stays", 0.0, mu, rm.Free), ("returns", 1.0, mu / 12.5, rm.Free3D)):  # with the slope 0.5 and 0.1414
        qdot = np.zeros(6)
        qdot[3 if joint is rm.Free else 0] = -v
        place = slope @ rm.pose(np.eye(3), (0, y, 0.05))
        scene.add_body(rm.Cuboid((0.2, 0.2, 0.1), mass=2.0), joint=joint(), at=place, contact=friction, name=name, qdot=qdot)
    found = run(scene, 1.0, 0.05)
    for name, friction in (("stays", mu), ("returns", mu / np.sqrt(12.5))):
        way = (found.pose(name)[:, :3, 3] - found.pose(name)[0, :3, 3]) @ slope[:3, 0]
        up, down = (G * (np.sin(angle) + s * friction * np.cos(angle)) for s in (1, -1))
        stop = v / up
        after = np.maximum(found.t - stop, 0.0)
        before = np.minimum(found.t, stop)
        assert np.abs(way - (-v * before + up * before**2 / 2 + max(down, 0.0) * after**2 / 2)).max() < 1e-8
    now = found.contacts[-1]
    assert set(now.state[now.second == "stays"]) == {"sticking"}
    assert set(now.state[now.second == "returns"]) == {"sliding"}
    assert deepest(found) < 1e-8


def test_a_bowling_ball_slides_and_rolls():
    """v = v_0 - mu g t until v = 5/7 v_0 at t = 2 v_0 / (7 mu g), which it keeps, and so its energy."""
    mu, v, r = 0.3, 3.0, 0.11
    scene = rm.Scene()
    scene.add_ground(contact=mu)
    scene.add_body(rm.Sphere(r, mass=6.0), joint=rm.Free3D(), at=(0, 0, r), contact=mu, name="ball", qdot=(v, 0, 0, 0, 0, 0))
    found = run(scene, 0.6)
    rolls = 2 * v / (7 * mu * G)
    speed = found.twist("ball", "hybrid")[:, 3]
    assert np.abs(speed - np.where(found.t < rolls, v - mu * G * found.t, 5 / 7 * v)).max() < 1e-10
    assert np.ptp(found.energy.total[found.t > rolls]) < 1e-9 * found.energy.total[0]
    states = [c.state[0] for c in found.contacts if len(c)]
    assert states == ["sliding"] * int(rolls / 0.01) + ["sticking"] * (len(states) - int(rolls / 0.01))


@pytest.mark.parametrize(("shape", "part", "turn"), [(rm.Sphere, 5 / 7, 0.0), (rm.Cylinder, 2 / 3, np.pi / 2)])
def test_what_rolls_down_a_slope(shape, part, turn):
    """a = g sin / (1 + k^2 / r^2)."""
    scene, slope, r = rm.Scene(), rm.pose(rm.rotation_about("y", 0.3), (0, 0, 0)), 0.1
    scene.add_obstacle(rm.Plane(), at=slope, contact=0.6)
    place = slope @ rm.pose(rm.rotation_about("x", turn), (0, 0, r))
    body = shape(r, mass=2.0) if shape is rm.Sphere else shape(r, 0.3, mass=2.0)
    scene.add_body(body, joint=rm.Free3D(), at=place, contact=0.6, name="roller")
    found = run(scene, 0.5)
    way = (found.pose("roller")[:, :3, 3] - found.pose("roller")[0, :3, 3]) @ slope[:3, 0]
    assert np.abs(way - part * G * np.sin(0.3) * found.t**2 / 2).max() < 1e-10
    assert np.ptp(found.energy.total) < 1e-9 * found.energy.kinetic.max()
    assert deepest(found) < 1e-10


def test_a_ball_rolls_off_a_ball():
    """From rest it leaves where the normal force ends, at cos = 10/17 for a ball that rolls (7 v^2 / 10 = g R (1 - cos))."""
    big, r, start = 0.5, 0.1, 0.3
    scene, far = rm.Scene(), big + r
    scene.add_obstacle(rm.Sphere(big), contact=50.0, name="big")
    place = (far * np.sin(start), 0, far * np.cos(start))
    scene.add_body(rm.Sphere(r, mass=1.0), joint=rm.Free3D(), at=place, contact=50.0, name="ball")
    found = run(scene, 0.8, 0.01, rtol=1e-9)
    x = found.pose("ball")[:, :3, 3]
    touches = found.contacts.pressing[1:] > 0
    last = 1 + int(np.flatnonzero(touches)[-1])
    assert touches[: last - 1].all()
    assert np.abs(np.linalg.norm(x[: last + 1], axis=1) - far).max() < 1e-9
    cosine = x[:, 2] / far
    leaves = 10 / 17 * np.cos(start)  # m v^2 / R = m g cos, 7 v^2 / 10 = g R (cos_0 - cos)
    assert cosine[last + 1] < leaves < cosine[last]
    assert np.linalg.norm(x[-1]) > far
    rolls = [k for k, c in enumerate(found.contacts) if "sticking" in c.state]  # it slips a little where it hardly presses
    assert np.ptp(found.energy.total[rolls]) < 1e-9 * found.energy.kinetic.max()


def test_a_box_falls_flat_and_lies():
    """Four corners share its weight, by least norm equally."""
    scene, h = rm.Scene(), 0.4
    scene.add_ground(contact=0.5)
    scene.add_body(rm.Cuboid((0.2, 0.3, 0.2), mass=1.0), joint=rm.Free(), at=(0, 0, 0.1 + h), contact=0.5, name="box")
    found = run(scene, 0.5)
    height = np.where(found.t < np.sqrt(2 * h / G), h - G * found.t**2 / 2, 0.0)
    assert np.abs(found.pose("box")[:, 2, 3] - 0.1 - height).max() < 1e-11
    assert np.allclose(found.contacts[-1].normal_force, G / 4, atol=1e-10)
    assert np.abs(found.qdot[-1]).max() < 1e-15
