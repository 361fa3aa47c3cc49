"""What happens at an event: impacts, and which contacts are closed from there on, and how.

An impact is Moreau's, of all points that touch: impulses in the cones of friction, where v + e v_before meets the law of contact, with e of
points that are struck. What leaves so slowly that it would come back from less than `hop` above is at rest, so that bounces that follow
ever faster end. Of what is at rest the law of contact for accelerations says what opens, sticks and begins to slide.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from redmax.dynamics.contact.detect import GAP
from redmax.errors import SimulationError
from redmax.integrators.located.bodies import Points, Seen
from redmax.integrators.located.cone import REPEATS, Cones
from redmax.integrators.located.world import MOST, Mode, World

LIGHT, SLIGHT = 1e-9, 1e-10  # of forces: what presses on nothing, and what is no more than rounding
EDGE = 1e-6  # how near the edge of its cone friction is at its end
UNSOLVED = 1e-8
ROUNDS = 20


@dataclass(frozen=True, eq=False)
class Struck:
    """What a point gave in an impact: its row (RAW,), the impulse on the second body (3,) (N s), and the energy it took (J)."""

    row: np.ndarray
    impulse: np.ndarray
    energy: float


def settle(world: World, v: np.ndarray, t: float, what: str = "") -> tuple[np.ndarray, list[Struck]]:
    """The state after an event, whose q and modes are the world's: v, and impacts. what: of Steps.happens."""
    struck: list[Struck] = []
    for _ in range(ROUNDS):
        points = near(world, v, t)
        still = world.limits.still
        if (points.leaving < -still).any():
            v = strike(world, points, v, t, struck)
            continue
        resting = points.leaving <= still
        modes, rise = chosen(world, part(points, resting), part(points, ~resting), t, what)
        back = np.flatnonzero(~resting)[(rise < 0.0) & (points.leaving[~resting] ** 2 < 2.0 * world.limits.hop * -rise)]
        if len(back):
            v = stopped(part(points, np.sort(np.concatenate([np.flatnonzero(resting), back]))), v)
            continue
        world.modes = modes
        return put_on(world, v, t), struck
    raise SimulationError(
        f"The run broke off at t = {t:.6g} s: impacts there did not come to an end. Take integrator='implicit', or less restitution."
    )


def near(world: World, v: np.ndarray, t: float) -> Points:
    """All points that touch, with how they move."""
    zero = np.zeros(world.nv)
    (seen,) = world.look(zero, v, t)
    touching = seen.points[seen.points[:, GAP] <= world.limits.gap]
    if len(touching) > MOST:
        raise SimulationError(
            f"The run broke off at t = {t:.6g} s: {len(touching)} points touch at once, and integrator 'adaptive' is for at most {MOST}. "
            "Take integrator='implicit'."
        )
    world.fine, world.lost = 1.0, False
    while True:
        shift = world.shift_of(seen)
        shifted: list[Seen] = world.look(zero, v, t, shift=shift)[1:] if len(touching) else []
        points = world.moving(seen, touching, shifted, shift)
        if not world.finer():
            return points


def part(points: Points, chosen: np.ndarray) -> Points:
    """Some of them."""
    assert points.moves is not None
    assert points.turns is not None
    return Points(points.seen, points.rows[chosen], points.moves[chosen], points.turns[chosen])


def strike(world: World, points: Points, v: np.ndarray, t: float, struck: list[Struck]) -> np.ndarray:
    """An impact."""
    u = points.local(points.u)
    back = np.where(points.leaving < -world.limits.still, points.restitution, 0.0)
    cones = Cones(points.W, u * np.repeat(1.0 + back, 3), points.friction, np.full((len(points), 2), np.nan))
    f, left = cones.solve()
    if left > UNSOLVED:
        raise unsolved(t, "an impact", points)
    after = u + points.W @ f
    energy = -0.5 * (f * (u + after)).reshape(-1, 3).sum(axis=1)
    given = points.world(f)
    struck += [Struck(points.rows[k].copy(), given[k], float(energy[k])) for k in range(len(points)) if f[3 * k] > 0.0]
    return v + points.way @ f


def stopped(points: Points, v: np.ndarray) -> np.ndarray:
    """The nearest velocities with which none of these leaves."""
    J, way = points.J[::3], points.way[:, ::3]
    return v - way @ np.linalg.lstsq(J @ way, points.leaving, rcond=REPEATS)[0]


def unsolved(t: float, what: str, points: Points) -> SimulationError:
    n = len(points)
    said = f"the forces of {what} with {n} point{'s' * (n != 1)} were not found, or there are none (friction that jams, for one)"
    return SimulationError(f"The run broke off at t = {t:.6g} s: {said}. Take integrator='implicit', or less friction.")


def chosen(world: World, points: Points, leaving: Points, t: float, what: str) -> tuple[tuple[Mode, ...], np.ndarray]:
    """Modes of contacts that are at rest along their normals, and how fast others, which leave, do so faster (m/s^2)."""
    if not len(points):
        return (), leaving.changes[::3]
    broke, slow = what == "force", world.limits.ended if what == "slip" else world.limits.still
    speed = np.linalg.norm(points.slip, axis=1)
    slides = (speed > slow) | (points.friction <= 0.0)
    way = np.where((speed > slow)[:, None], points.slip / np.maximum(speed, 1e-300)[:, None], points.axes[:, 1])
    along = np.where(slides[:, None], np.einsum("mij,mj->mi", points.axes[:, 1:], way), np.nan)
    cones = Cones(points.W, points.changes, points.friction, along)
    f = cones.held()
    size, force = points.usual
    if broke or cones.excess(f) > SLIGHT * max(float(np.abs(f).max()), force):
        f, left = cones.solve()
        if left > UNSOLVED:
            raise unsolved(t, "contact", points)
    a, scale = points.changes + points.W @ f, max(float(np.abs(f).max()), force)
    forces, rates = f.reshape(-1, 3), a.reshape(-1, 3)
    begun = {mode.key for mode in world.modes if mode.begins} if what == "slip" else set()  # which do not begin once more
    modes: list[Mode] = []
    for k in range(len(points)):
        light = forces[k, 0] <= LIGHT * scale
        if light and (broke or rates[k, 0] > LIGHT * size):
            continue
        if slides[k]:
            faster = speed[k] < world.limits.begun and float(rates[k, 1:] @ along[k]) > 0.0 and points.friction[k] > 0.0
            modes.append(world.mode(points, k, way[k], faster and float(points.key[k]) not in begun))
            continue
        friction, begins = forces[k, 1:], rates[k, 1:]
        slips, edge = np.linalg.norm(begins) > LIGHT * size, np.linalg.norm(friction) >= (1.0 - EDGE) * points.friction[k] * forces[k, 0]
        if not (slips or (broke and edge)):
            modes.append(world.mode(points, k, None))
            continue
        goes = begins if slips else -friction
        modes.append(world.mode(points, k, (goes / np.linalg.norm(goes)) @ points.axes[k, 1:], True))
    rise = leaving.changes[::3] + leaving.J[::3] @ points.way @ f
    return tuple(modes), rise


def put_on(world: World, v: np.ndarray, t: float) -> np.ndarray:
    """The nearest state whose closed contacts are closed, and do not slide where they stick: v; q is the world's."""
    if not world.modes:
        return v
    zero = np.zeros(world.nv)
    (seen,) = world.look(zero, v, t)
    points, at = world.closed(seen, [], 0.0)
    gap = np.where(at >= 0, points.gap, 0.0)
    if np.abs(gap).max() > 1e-2 * world.limits.sunk:
        J, way = points.J[::3], points.way[:, ::3]
        (seen,) = world.look(-way @ np.linalg.lstsq(J @ way, gap, rcond=REPEATS)[0], v, t)
        world.q = seen.out["q"].copy()
        points, at = world.closed(seen, [], 0.0)
    rows = np.flatnonzero(np.ravel([(True, m.along is None, m.along is None) for m in world.modes]))
    J, way, u = points.J[rows], points.way[:, rows], points.local(points.u)[rows]
    return v - way @ np.linalg.lstsq(J @ way, u, rcond=REPEATS)[0]
