"""A hand on a body: a damped spring from the point where it was grabbed to where the pointer is.

    f = k (target - x) - c v at the grabbed point x, its velocity v, and -G omega, the grip, which keeps the body from spinning in the hand;
    tau = J' (both), which acts through each step as a controller's torques do.

m is what the body alone resists a force at that point with, in the direction in which it moves most easily: 1 / the largest eigenvalue of
1/m + [p]' I^-1 [p]. No joint and no other body makes it less, in any pose. k = m w^2, c = 2 m w and G = 2 w I or less, critically damped;
w dt <= STEP, so that a force that is held through the step cannot blow the run up, and w is no larger than it takes to carry m with a sag
of SAG of the scene's size. They stay as they are until the body is let go: a spring that changes would give energy.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from redmax.errors import SceneError
from redmax.run.simulation import Simulation

Vector = NDArray[np.float64]
SAG, STEP = 0.01, 0.25  # of the size of the scene; of a radian in a step
SLOWEST = 6.0  # rad/s: without gravity, and in large scenes
GRIP = 0.15  # of the spin that a step takes away, at most
TOLERATED, WEAKEST = 0.02, 1e-4  # energy that a step may gain, of what the spring has; strength
LONGEST = 0.5  # of the size of the scene, how far the spring is stretched at most


@dataclass(frozen=True, eq=False)
class Hand:
    """link: the number of the body; point: where it was grabbed, in its frame; target: where the pointer is, in the world (3,) each.

    stiffness, damping: of the spring; longest: how far it may be stretched before it pulls no harder; grip: (3, 3), against spinning
    shares: of nodes of a deformable, those that the force is on, by their numbers, and how much of it each has
    """

    link: int
    point: Vector
    target: Vector
    stiffness: float
    damping: float
    longest: float
    grip: Vector
    shares: tuple[tuple[int, float], ...] = ()

    def towards(self, target: Vector) -> Hand:
        """The same hand, elsewhere."""
        return replace(self, target=np.asarray(target, float))

    def grabbed(self, pose: Vector) -> Vector:
        """(3,): the point in the world, of a body with this pose."""
        return pose[:3, :3] @ self.point + pose[:3, 3]

    def force(self, pose: Vector, twist: Vector) -> Vector:
        """(3,): what acts at the point, in world axes, of a body with this pose and twist."""
        R, omega, v = pose[:3, :3], twist[:3], twist[3:]
        away = self.target - self.grabbed(pose)
        away *= min(1.0, self.longest / max(float(np.linalg.norm(away)), 1e-300))
        return self.stiffness * away - self.damping * (R @ (v + np.cross(omega, self.point)))

    def potential(self, pose: Vector) -> float:
        """What the spring has stored (J), with a body of this pose."""
        d = float(np.linalg.norm(self.target - self.grabbed(pose)))
        near = min(d, self.longest)
        return self.stiffness * near * (d - near / 2)

    def wrench(self, pose: Vector, twist: Vector) -> Vector:
        """(6,): torque; force at the body's origin, in body axes."""
        f = pose[:3, :3].T @ self.force(pose, twist)
        return np.concatenate([np.cross(self.point, f) - self.grip @ twist[:3], f])

    def wrenches(self, poses: Vector, twists: Vector) -> Vector:
        """(links, 6): on all that it holds, of links with these poses and twists."""
        found = np.zeros_like(twists)
        if not self.shares:
            found[self.link] = self.wrench(poses[self.link], twists[self.link])
        f = self.force(poses[self.link], twists[self.link])
        for link, part in self.shares:
            found[link, 3:] = part * poses[link, :3, :3].T @ f
        return found


def grab(sim: Simulation, link: int, place: Vector, target: Vector, size: float) -> Hand:
    """A hand that takes hold of a body where a place (3,) in the world is on it now, and pulls it to another. size: of the scene."""
    pose = sim.engine.observe(sim.q[0], sim.qdot[0], sim.t).pose[link]
    point = pose[:3, :3].T @ (np.asarray(place, float) - pose[:3, 3])
    mass = mass_at(sim, link, point)
    w = quickness(sim, size)
    return Hand(
        link,
        point,
        np.asarray(target, float),
        mass * w**2,
        2.0 * mass * w,
        LONGEST * size,
        min(2.0 * w, GRIP / sim.dt) * sim.model.links[link].shape.inertia,
    )


def quickness(sim: Simulation, size: float) -> float:
    """w (rad/s), of the spring with what it holds."""
    w = max(SLOWEST, float(np.sqrt(np.linalg.norm(sim.model.gravity) / (SAG * size))))
    return min(w, STEP / sim.dt)


def mass_at(sim: Simulation, link: int, point: Vector) -> float:
    """What a body alone resists a force at a point of it with, at least."""
    body = sim.model.links[link]
    inertia = np.asarray(body.shape.inertia, float)
    if not (body.shape.mass > 0 and np.linalg.eigvalsh(inertia)[0] > 0):
        raise SceneError(f"The body {body.name!r} has no inertia of its own, by which a spring on it could be chosen. Pull another one.")
    x, y, z = point
    across = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    mobility = np.eye(3) / body.shape.mass + across.T @ np.linalg.solve(inertia, across)
    return 1.0 / float(np.linalg.eigvalsh(mobility)[-1])


class Puller:
    """The torques of a hand on a simulation, step after step. strength: the share of its force that it uses.

    Where coordinates go round within a step, torques that are held through it are late, and may give more energy than the spring had:
    W = tau' (mean qdot) dt against U, its potential. A hand that gave too much grows weak, and recovers slowly.
    """

    def __init__(self, sim: Simulation) -> None:
        self.sim, self.strength = sim, 1.0
        self.before: tuple[Hand, Vector, Vector, float] | None = None  # with tau, qdot and U at the last step

    def torques(self, hand: Hand) -> Vector:
        """tau, (nv,), where the simulation is now."""
        sim, link = self.sim, hand.link
        seen = sim.engine.observe(sim.q[0], sim.qdot[0], sim.t)
        pose = seen.pose[link]
        self.judge(pose)
        wrenches = self.strength * hand.wrenches(seen.pose, seen.twist)
        tau = np.asarray(sim.engine.jacobian_transposed_product(sim.q[0], wrenches, t=sim.t), float)
        self.before = hand, tau, np.array(sim.qdot[0], float), self.strength * hand.potential(pose)
        return tau

    def judge(self, pose: Vector) -> None:
        """Become weaker where the last step was given more energy than the spring lost, or else stronger again."""
        if self.before is None:
            return
        hand, tau, qdot, stored = self.before
        work = float(tau @ (qdot + self.sim.qdot[0])) / 2 * self.sim.dt
        gained = work + self.strength * hand.potential(pose) - stored
        late = gained > TOLERATED * max(stored, abs(work))
        self.strength = float(np.clip(self.strength * (0.5 if late else 1.1), WEAKEST, 1.0))
