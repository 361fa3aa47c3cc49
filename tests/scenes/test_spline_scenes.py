"""Scenes on spline joints: what slides stays on what it slides on, and keeps what nothing takes from it."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from scipy.integrate import cumulative_simpson
from scipy.interpolate import BSpline

import redmax as rm
from redmax.scenes import beads, deforming_surface, globe, knee, letters
from redmax.scenes.closed_curves import evenly, frames_along, unit
from scenes.runs import run_of


def joint_frames(run: rm.Trajectory, name: str) -> np.ndarray:
    """The child side of a body's joint in the world, (time, 4, 4)."""
    return run.pose(name) @ np.linalg.inv(run.model.links[run.model.index(name)].body)


def relative(run: rm.Trajectory, name: str, parent: str) -> np.ndarray:
    """The child side of a body's joint in the parent's joint frame."""
    return np.linalg.inv(joint_frames(run, parent)) @ joint_frames(run, name)


def to_polygon(points: np.ndarray, corners: np.ndarray) -> np.ndarray:
    """Distances (n,) of points (n, d) from a closed polygon (m, d)."""
    a, b = corners, np.roll(corners, -1, axis=0)
    along_edge = np.einsum("nmd,md->nm", points[:, None] - a, b - a) / np.einsum("md,md->m", b - a, b - a)
    nearest = a + np.clip(along_edge, 0, 1)[..., None] * (b - a)
    return np.linalg.norm(points[:, None] - nearest, axis=-1).min(axis=1)


NAMES = ("bead1", "bead2", "bead3")


@pytest.mark.parametrize("name", ["beads", "spinning-beads"])
def test_beads_stay_on_the_flower(name):
    """Whose formula is r = a (1 + b cos 5 phi); the spline rounds it off by less than half the wire."""
    run = run_of(name)
    phi = np.linspace(0, 2 * np.pi, 4000, endpoint=False)
    r = beads.RADIUS * (1 + beads.DEPTH * np.cos(beads.PETALS * phi))
    flower = np.stack([-r * np.sin(phi), beads.OUT * beads.RADIUS * np.sin(beads.PETALS * phi), r * np.cos(phi)], axis=-1)
    for bead in NAMES:
        place = relative(run, bead, "wire")[:, :3, 3]
        assert to_polygon(place[::14], flower[::4]).max() < beads.WIRE / 2
        around = np.unwrap(np.arctan2(-place[:, 0], place[:, 2]))
        assert around[-1] - around[0] > 10 * np.pi  # and goes round


@pytest.mark.parametrize("name", ["beads", "spinning-beads"])
def test_beads_look_along_the_wire_and_never_meet(name):
    run = run_of(name)
    for bead in NAMES:
        E = relative(run, bead, "wire")
        step = unit(E[2:, :3, 3] - E[:-2, :3, 3])
        assert np.degrees(np.arccos(np.einsum("ti,ti->t", step, E[1:-1, :3, 0]))).max() < 12  # over steps of 0.02 s
    places = [run.pose(bead)[:, :3, 3] for bead in NAMES]
    assert min(np.linalg.norm(a - b, axis=1).min() for a, b in zip(places, [*places[1:], places[0]])) > 4 * beads.BEAD


@pytest.mark.parametrize("name", ["beads", "spinning-beads"])
def test_nothing_turns_beads_and_wire_about_the_vertical(name):
    run = run_of(name)
    assert np.ptp(run.qdot[:, 0]) > 0.5  # they do turn each other
    np.testing.assert_allclose(run.momentum[:, 2], run.momentum[0, 2], rtol=1e-7)


def test_spin_about_the_wire_stays():
    """Of a body whose inertia is that of a body of revolution about it, whatever the wire does."""
    run = run_of("spinning-beads")
    for bead in NAMES:
        link = run.model.links[run.model.index(bead)]
        about = run.twist(bead)[:601, :3] @ link.body[:3, :3].T
        np.testing.assert_allclose(about[:, 0], about[0, 0], atol=1e-6)
        assert np.ptp(run.qdot[:, run.model.q_slice(bead)][:, 1]) > 3  # while the wire turns below it


GLIDERS = [f"{name} glider" for name in globe.CONTINENTS]


def test_control_frames_of_coasts_are_tangent():
    """Two axes in the tangent plane of the sphere, one of them along the coast."""
    for latitude, longitude, radius, count, number, _ in globe.CONTINENTS.values():
        _, shore = globe.coast(latitude, longitude, radius, number)
        points = globe.LAND * unit(evenly(shore, count))
        frames = globe.surface_frames(points, unit(points))
        np.testing.assert_allclose(frames[:, :3, 2] * globe.LAND, points, atol=1e-12)
        chord = unit(np.roll(points, -1, axis=0) - np.roll(points, 1, axis=0))
        assert np.einsum("ti,ti->t", chord, frames[:, :3, 0]).min() > 1 - 1e-4
        assert 100 <= count <= 400


@pytest.mark.parametrize("name", GLIDERS)
def test_gliders_fly_along_the_globe_and_their_coast(name):
    run = run_of("globe")
    E = relative(run, name, "globe")
    np.testing.assert_allclose(E[:, :3, 3], globe.LAND * E[:, :3, 2], atol=1e-12)  # upright on the sphere, exactly
    latitude, longitude, radius, _, number, _ = globe.CONTINENTS[name.removesuffix(" glider")]
    shore = globe.LAND * globe.coast(latitude, longitude, radius, number)[1]
    assert to_polygon(E[::20, :3, 3], shore).max() < 2e-3
    rate = run.qdot[:, run.model.q_slice(name)]
    link = run.model.links[run.model.index(name)]
    twist = run.twist(name) - np.einsum("tij,tj->ti", adjoint(np.linalg.inv(run.pose(name)) @ run.pose("globe")), run.twist("globe"))
    at_joint = np.einsum("ij,tj->ti", adjoint(link.body[None])[0], twist)
    moving = np.abs(rate[:, 0]) > 1
    heading = unit(at_joint[moving, 3:] * np.sign(rate[moving]))
    assert np.degrees(np.arccos(heading[:, 0].clip(-1, 1))).max() < 5


def adjoint(E: np.ndarray) -> np.ndarray:
    """(n, 6, 6) for twists (angular; linear)."""
    R, p = E[:, :3, :3], E[:, :3, 3]
    out = np.zeros((len(E), 6, 6))
    out[:, :3, :3] = out[:, 3:, 3:] = R
    out[:, 3:, :3] = np.cross(p[:, None], R.transpose(0, 2, 1)).transpose(0, 2, 1)
    return out


def letter_frames(run: rm.Trajectory) -> list[np.ndarray]:
    """The plane in which each letter is drawn, in the world, (time, 4, 4)."""
    return [run.pose(link.name) @ np.linalg.inv(link.shape.frame) for link in run.model.links]


def inside(frames: np.ndarray, points: np.ndarray) -> np.ndarray:
    """World points (n, 3) as (n, 2) in the planes of letters."""
    local = np.einsum("tij,tj->ti", np.linalg.inv(frames), np.column_stack([points, np.ones(len(points))]))
    np.testing.assert_allclose(local[:, 2], 0, atol=1e-12)
    return local[:, :2]


def test_degrees_of_freedom_of_the_chains():
    """Lee & Terzopoulos Sec. 7: the chain with one spline joint at each contact has 8."""
    assert letters.WORD == "SIGGRAPH"
    assert run_of("letters").model.nq == 8
    assert run_of("letters-sliding").model.nq == 1 + 2 * 7


def test_letters_touch_where_their_fixed_place_is():
    """The contact is on both outlines, as drawn, and the outlines have one tangent there."""
    run = run_of("letters")
    frames, chain = letter_frames(run), letters.alphabet()
    for k, (upper, lower) in enumerate(pairwise(chain)):
        contact = joint_frames(run, run.model.links[k + 1].name)
        above, below = inside(frames[k], contact[:, :3, 3]), inside(frames[k + 1], contact[:, :3, 3])
        assert to_polygon(above[::10], np.asarray(upper.body.outline[0])).max() < 2e-4
        assert np.ptp(below, axis=0).max() < 1e-9
        assert to_polygon(below[:1], np.asarray(lower.body.outline[0])).max() < 2e-4
        assert np.ptp(run.q[:, k + 1]) > 3  # it slides


def test_letters_touch_where_both_slide():
    run = run_of("letters-sliding")
    frames, chain = letter_frames(run), letters.alphabet()
    for k, (upper, lower) in enumerate(pairwise(chain)):
        q = run.q[::10, 1 + 2 * k : 3 + 2 * k]
        on_upper = frames[k][::10] @ np.array([upper.frame(x) for x in q[:, 0]])
        on_lower = frames[k + 1][::10] @ np.array([lower.frame(x) for x in q[:, 1]])
        np.testing.assert_allclose(on_upper[:, :3, 3], on_lower[:, :3, 3], atol=1e-10)
        np.testing.assert_allclose(on_upper[:, :3, 0], -on_lower[:, :3, 0], atol=1e-10)
        for letter, place, frame in ((upper, on_upper, frames[k]), (lower, on_lower, frames[k + 1])):
            assert to_polygon(inside(frame[::10], place[:, :3, 3]), np.asarray(letter.body.outline[0])).max() < 2e-4
        assert np.ptp(q, axis=0).max() > 1


def test_contacts_that_slide_and_roll_stay_regular():
    """Where the curvatures of the two outlines add up to nothing, sliding along both is one motion: they stay away from that."""
    run, chain = run_of("letters-sliding"), letters.alphabet()
    for k, pair in enumerate(pairwise(chain)):
        together = sum(curvature(letter, run.q[::10, 1 + 2 * k + i]) for i, letter in enumerate(pair))
        assert together.min() > 4.0  # 1/m, of letters half a metre high
        assert run.model.links[k + 1].joint.dof == 2


def curvature(letter: letters.Letter, q: np.ndarray) -> np.ndarray:
    """Of the outline at q (n,), positive where it is convex: the frame turns about z as it moves along x."""
    S = np.array([np.asarray(letter.curve.jacobian(np.array([x])), float)[:, 0] for x in q])
    return S[:, 2] / np.linalg.norm(S[:, 3:], axis=1)


def test_letters_stay_in_their_plane():
    for name in ("letters", "letters-sliding"):
        for frame in letter_frames(run_of(name)):
            np.testing.assert_allclose(frame[:, 1, 3], 0, atol=1e-12)


def test_ball_is_on_the_surface_that_its_splines_say():
    """The height at q and t by SciPy's B-splines over the control values."""
    run = run_of("deforming-surface")
    joint = run.model.links[0].joint
    E = joint_frames(run, "ball")
    n, k = deforming_surface.GRID, 4
    knots = np.arange(n + k + 1) - float(k)
    bowl = deforming_surface.sheet(lambda x, y: deforming_surface.BOWL * (x * x + y * y), lambda x, y: (x, y))[..., 2]
    waves = [deforming_surface.wave(size, *numbers)[..., 2] for size, *numbers in deforming_surface.WAVES]
    assert isinstance(joint, rm.DeformingSplineSurface)
    for i in range(0, len(run), 25):
        control = bowl + np.sin(1.7 * run.t[i]) * waves[0] + np.cos(2.6 * run.t[i]) * waves[1]
        first = BSpline(knots, control, k)(run.q[i, 0])
        assert E[i, 2, 3] == pytest.approx(BSpline(knots, first, k)(run.q[i, 1]), abs=1e-12)
    at = slice(None, None, 25)
    lean = np.degrees(np.arccos(np.einsum("ti,ti->t", E[at, :3, 2], normals(joint, run.q[at], run.t[at])).clip(-1, 1)))
    assert lean.max() < 6  # its z axis, along which the ball is out, is nearly the normal


def normals(joint: rm.Joint, coordinates: np.ndarray, times: np.ndarray) -> np.ndarray:
    """Of the surface that the joint's origin sweeps, by differences."""
    h = 1e-6

    def place(q: np.ndarray, t: float) -> np.ndarray:
        return np.asarray(joint.at("transform", q, t), float)[:3, 3]

    slopes = [[place(q + h * e, t) - place(q - h * e, t) for e in np.eye(2)] for q, t in zip(coordinates, times)]
    return unit(np.cross(*np.array(slopes).transpose(1, 0, 2)))


def test_deforming_surface_does_the_work_that_the_ball_receives():
    run = run_of("deforming-surface")
    joint, h = run.model.links[0].joint, 1e-4
    power = np.zeros(201)  # of the first two seconds
    for i, (q, t) in enumerate(zip(run.q[:201], run.t)):
        before, now, after = (np.asarray(joint.at("transform", q, t + s), float) for s in (-h, 0.0, h))
        W = np.linalg.inv(now) @ (after - before) / (2 * h)
        power[i] = run.reaction("ball")[i] @ [W[2, 1], W[0, 2], W[1, 0], *W[:3, 3]]
    work = cumulative_simpson(power, x=run.t[:201], initial=0.0)
    change = run.energy.total[:201] - run.energy.total[0]
    assert np.ptp(change) > 0.5
    np.testing.assert_allclose(change, work, atol=2e-5)


def test_plateau_touches_the_condyle_wherever_the_knee_is():
    curve = knee.knee()
    for q in np.linspace(0.0, curve.range[1], 40):
        E = np.asarray(curve.transform(np.array([q])), float)
        a = np.arctan2(E[0, 2], E[0, 0])
        assert a == pytest.approx(knee.flexion(q), abs=1e-9)
        profile = np.array([knee.condyle(x) for x in np.linspace(a - 1, a + 1, 801)])
        height = np.column_stack([profile, np.ones(801)]) @ np.linalg.inv(E)[2]
        assert -1e-6 < height.min() < 2e-4  # m above the plateau
        assert np.argmin(height) == pytest.approx(400, abs=2)


def test_knee_rolls_at_first_and_slides_later():
    """How much of the condyle's length the contact also covers on the plateau: all of it if it rolls."""

    def share(a: float) -> float:
        h = 1e-4
        return (knee.moved_back(a + h) - knee.moved_back(a - h)) / np.linalg.norm(knee.condyle(a + h) - knee.condyle(a - h))

    shares = [share(a) for a in np.radians([5, 30, 60, 90, 120])]
    assert shares[0] > 0.65
    assert shares[-1] < 0.1
    assert all(a > b for a, b in pairwise(shares))


def test_condyle_has_the_radius_and_normal_that_it_says():
    for a in np.radians([-20, 0, 45, 110]):
        h = 1e-5
        d = (knee.condyle(a + h) - knee.condyle(a - h)) / (2 * h)
        np.testing.assert_allclose(d, knee.FRONT * np.exp(-knee.SHRINK * a) * np.array([-np.cos(a), 0, np.sin(a)]), atol=1e-10)


def test_kick_swings_the_leg_forward_and_straightens_the_knee():
    run = run_of("spline-knee")
    foot = joint_frames(run, "tibia") @ [0, 0, -knee.SHIN, 1]
    assert foot[0, 0] < -0.3
    assert foot[:100, 0].max() > 0.3  # within a second
    bend = np.degrees([knee.flexion(q) for q in run.q[:, 1]])
    assert bend[0] > 80
    assert bend[:100].min() < 5


def test_tubes_are_round():
    """A wire around a circle is a torus: the mesh has its volume and inertia, up to its flat faces."""
    angle = np.linspace(0, 2 * np.pi, 40, endpoint=False)
    points = np.stack([np.cos(angle), np.sin(angle), 0 * angle], axis=-1)
    curve = rm.SplineCurve(beads.tangent_frames(points, np.array([0, 0, 1.0])), cyclic=True)
    frames = frames_along(curve, 200)
    np.testing.assert_allclose(np.linalg.norm(frames[:, :3, 3], axis=1), 1, atol=1e-9)
    ring = rm.Mesh(*beads.tube(frames, 0.1, sides=40), mass=1)
    torus = rm.Torus(1, 0.1, mass=1)
    assert ring.density == pytest.approx(torus.density, rel=0.01)
    np.testing.assert_allclose(np.sort(np.diag(ring.inertia)), np.sort(np.diag(torus.inertia)), rtol=0.002)
